//! The studies of the plate paper, each as a function that gives its table: what was printed beside what we find.
