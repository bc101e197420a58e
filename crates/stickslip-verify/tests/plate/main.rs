//! The vibrating plate against references that no time stepping made.

mod rocking;
mod scaled_circle;
mod thresholds;
