//! The vibrating plate against references that no time stepping made.

mod budget;
mod carried;
mod parts;
mod rocking;
mod scaled_circle;
mod thresholds;
