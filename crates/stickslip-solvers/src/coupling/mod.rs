//! How contacts act on each other: a linear map from impulses to velocities, and the factorisation of its Newton systems.

pub(crate) mod patches;
pub(crate) mod quotient;
pub(crate) mod symmetry;
pub mod system;
