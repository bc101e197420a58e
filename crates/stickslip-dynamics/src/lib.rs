//! Scenes, worlds and time steppers: the only crate that sees both shapes and solvers.

mod assemble;
mod builder;
mod contacts;
pub mod error;
mod integrate;
mod motion;
mod step;
mod world;

pub use builder::{BodySpec, WorldBuilder};
pub use error::{BuildError, StepError};
pub use motion::{ForceLaw, Motion};
pub use world::{Settings, World};
