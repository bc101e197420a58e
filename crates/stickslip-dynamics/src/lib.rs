//! Scenes, worlds and time steppers: the only crate that sees both shapes and solvers.

pub mod alarm;
mod assemble;
pub mod budget;
mod builder;
pub mod check;
pub mod closed_forms;
mod contacts;
pub mod converge;
pub mod error;
pub mod expression;
mod from_scene;
pub mod impact;
mod integrate;
mod joint_spec;
mod joint_step;
mod joints;
pub mod methods;
mod motion;
pub mod planar;
mod prescribed;
mod problem_file;
mod refusal;
mod rows;
pub mod scene;
pub mod simulate;
mod spline;
mod stages;
mod step;
mod world;

pub use builder::{BodySpec, WorldBuilder};
pub use error::{BuildError, StepError};
pub use joint_spec::{
    AxisSpec, BALL, HINGE, HoldSpec, JointSpec, MotorSpec, SLIDER, SpringSpec, WORLD,
};
pub use motion::{ForceLaw, Motion, TimeFunction};
pub use planar::{NotPlanar, PlanarView};
pub use prescribed::Sinusoid;
pub use scene::{Scene, SceneError};
pub use simulate::{Outcome, simulate};
pub use spline::PeriodicTable;
pub use stages::{Stage, Stopwatch};
pub use world::{Settings, World};
