//! Scenes, worlds and time steppers: the only crate that sees both shapes and solvers.

mod assemble;
mod builder;
pub mod check;
mod contacts;
pub mod error;
pub mod expression;
mod from_scene;
mod integrate;
mod motion;
mod refusal;
pub mod scene;
pub mod simulate;
mod stages;
mod step;
mod world;

pub use builder::{BodySpec, WorldBuilder};
pub use error::{BuildError, StepError};
pub use motion::{ForceLaw, Motion};
pub use scene::{Scene, SceneError};
pub use simulate::{Outcome, simulate};
pub use stages::{Stage, Stopwatch};
pub use world::{Settings, World};
