//! **stickslip** simulates rigid bodies in frictional contact by the law itself: Newton-Euler,
//! non-penetration, Coulomb friction with maximal dissipation, one complementarity problem a step, and a
//! certificate for each.
//!
//! ```
//! use stickslip::prelude::*;
//!
//! let mut world = World::builder()
//!     .friction(0.5)
//!     .time_step(0.01)
//!     .body(BodySpec::fixed("ground", Shape::half_space(DVec3::Z, 0.0)?))
//!     .body(BodySpec::free("box", Shape::cuboid(DVec3::ONE)?, 1.0).at(DVec3::new(0.0, 0.0, 0.75)))
//!     .build()?;
//! while world.time() < 1.0 {
//!     let step = world.step()?;
//!     assert!(step.certificate.worst_of_law().1 < 1e-10); // m/s, recomputed by the judge
//! }
//! let load = world.contact_force_on("box").unwrap();
//! assert!((load - DVec3::Z * 9.81).length() < 1e-9); // N: the ground carries its weight
//! assert!((world.body("box").unwrap().pose.position.z - 0.5).abs() < 1e-12); // m: it rests
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crates behind this facade, each with one subject: [`solvers`], [`geometry`], [`planar`], [`problems`],
//! [`certify`], [`record`], [`dynamics`]. Those who come from Bullet find its names and its hello-world on the page
//! `docs/bullet.md` of the repository.

pub use stickslip_certify as certify;
pub use stickslip_dynamics as dynamics;
pub use stickslip_geometry as geometry;
pub use stickslip_model as model;
pub use stickslip_planar as planar;
pub use stickslip_problems as problems;
pub use stickslip_record as record;
pub use stickslip_robots as robots;
pub use stickslip_solvers as solvers;

/// The examples of the project's pages, run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/bullet.md")]
    struct Bullet;
}

/// What most programs need.
pub mod prelude {
    pub use glam::{DMat3, DQuat, DVec2, DVec3};
    pub use stickslip_dynamics::{
        BodySpec, BuildError, JointSpec, Motion, Outcome, Scene, SceneError, SpringSpec, StepError,
        World, simulate,
    };
    pub use stickslip_geometry::{MassProperties, Pose, Shape, Twist};
    pub use stickslip_model::{
        BodyState, Certificate, Cone, ContactImpulse, Friction, JointImpulse, Mode, Residual,
        StepRecord, Wrench,
    };
}
