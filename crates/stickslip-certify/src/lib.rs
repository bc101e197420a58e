//! The judge: does a step obey the law? Residuals are recomputed from states, impulses and shapes
//! alone; no solver code is reachable from here, and gaps and normals are checked against the shapes
//! and not taken on trust.

pub mod certificate;
pub mod energy;
pub mod free_motion;
pub mod islands;
pub mod joint;
pub mod joint_law;
pub mod judge;
pub mod law;
pub mod model;
pub mod restitution;
pub mod scheme;
pub mod spring;
pub mod step;
pub mod way;

pub use certificate::{Certificate, Residual};
pub use joint::{Joint, JointImpulse};
pub use judge::{Given, Judge};
pub use model::{Body, Model};
pub use restitution::Restitution;
pub use scheme::Scheme;
pub use spring::Spring;
pub use step::{
    BodyState, Cone, Contact, ContactImpulse, Fan, Friction, Kind, Mode, Reading, StepRecord,
    Wrench,
};
