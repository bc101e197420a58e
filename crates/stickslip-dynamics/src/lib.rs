//! Scenes, worlds and time steppers: the only crate that sees both shapes and solvers.

pub mod accuracy;
pub mod alarm;
pub mod budget;
mod builder;
pub mod check;
pub mod closed_forms;
mod control;
pub mod converge;
pub mod error;
pub mod expression;
#[cfg(test)]
mod fake;
mod from_scene;
pub mod impact;
pub mod methods;
mod motion;
pub mod planar;
mod prescribed;
pub mod probe;
mod problem_file;
pub mod scene;
mod settings;
mod setup;
pub mod simulate;
mod snapshot;
mod spline;
mod step;
mod stopwatch;
mod world;

pub use builder::{
    AxisSpec, BALL, BodySpec, GearSpec, HINGE, HoldSpec, JointSpec, MaterialPair, MotorSpec,
    SLIDER, SpringSpec, WORLD, WorldBuilder,
};
pub use error::{BuildError, StepError};
pub use motion::{ForceLaw, Motion, SurfaceLaw, TimeFunction};
pub use planar::{NotPlanar, PlanarView};
pub use prescribed::Sinusoid;
pub use scene::{Scene, SceneError};
pub use settings::Settings;
pub use simulate::{Outcome, simulate};
pub use snapshot::{Snapshot, SnapshotError};
pub use spline::PeriodicTable;
pub use stopwatch::{Lap, Stopwatch};
pub use world::World;
