//! Motions and forces that are given as functions of time.

use std::sync::Arc;
use stickslip_geometry::{Pose, Twist};
use stickslip_model::{BodyState, Wrench};

/// How a body moves.
#[derive(Clone)]
pub enum Motion {
    /// By Newton's law.
    Free,
    /// Along a given path: pose and velocity at time t. The velocity must be the derivative of the pose.
    Prescribed(Arc<dyn Fn(f64) -> BodyState + Send + Sync>),
}

impl Motion {
    /// A body that stays where it is.
    #[must_use]
    pub fn fixed(pose: Pose) -> Self {
        let state = BodyState {
            pose,
            twist: Twist::default(),
        };
        Self::Prescribed(Arc::new(move |_| state))
    }

    /// A path given by a function of time, s.
    #[must_use]
    pub fn path(at: impl Fn(f64) -> BodyState + Send + Sync + 'static) -> Self {
        Self::Prescribed(Arc::new(at))
    }
}

/// A number as a function of time, s.
pub type TimeFunction = Arc<dyn Fn(f64) -> f64 + Send + Sync>;

/// How a surface moves along its body as a function of time, s: velocity at the body's origin, m/s, and angular velocity, rad/s, in
/// the body's frame.
pub type SurfaceLaw = Arc<dyn Fn(f64) -> Twist + Send + Sync>;

/// A force on one body as a function of time (s) and of the body's state at the start of the step.
pub type ForceLaw = Arc<dyn Fn(f64, &BodyState) -> Wrench + Send + Sync>;
