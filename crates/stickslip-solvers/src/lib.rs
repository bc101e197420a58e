//! Complementarity and frictional contact problems, and their solvers. Pure maths: no bodies, no
//! shapes, no time.
//!
//! Three kinds of problem, each with a residual that is recomputed from the answer alone:
//!
//! | problem | type | residual |
//! |---|---|---|
//! | one step of rigid bodies: masses, contacts, a law for each | [`problem::ContactProblem`] | m/s, [`problem::residual::of_step`] |
//! | the same on the contacts, u = D p + q (FCLIB's local form; [`problem::global`] reduces to it) | [`problem::local::LocalProblem`] | m/s, FAF's and Siconos' scaling, [`problem::residual::GlobalResidual`] |
//! | LCP and mixed LCP | [`lcp::Lcp`], [`lcp::MixedLcp`] | ‖min(z, w)‖/‖q‖ |
//!
//! Solvers of a step stand behind [`solver::ContactSolver`] and are made by [`solver_by_name`]:
//!
//! | name | takes | reaches |
//! |---|---|---|
//! | `auto` | everything | whatever one of the others reaches, see [`auto`] |
//! | `newton` | no moments | rounding level in a few steps from a good start |
//! | `nsgs` | no moments | moderate accuracy, cheap sweeps, no linear algebra |
//! | `nsgs-coloured` | no moments | the same, colour after colour on many threads, with the same bits on any number |
//! | `interior-point` | no pyramids, discs or moments | rounding level from scratch, unless its path folds |
//! | `homotopy` | no pyramids, discs or moments | rounding level from scratch, past folds |
//! | `compliant` | no moments | the tolerance, where contacts are redundant |
//! | `proximal` | no moments | a backup for redundant contacts |
//! | `admm` | no moments | a backup, and for comparison |
//! | `staggered` | cones and unilateral | a fixed point of the exchange where it converges |
//! | `lemke` | no quadratic cones, discs or moments | a solution, or a ray with its contacts |
//!
//! Laws: unilateral, quadratic cone, pyramid, cone with moments ([`problem::soft`]), and rows with bounds (joints, motors). Rows act by forces at a
//! point or by torques, and may be compliant (springs).
//!
//! ```
//! use glam::{DMat3, DVec3};
//! use stickslip_solvers::problem::{Action, Arm, ContactBlock, ContactProblem, InverseMass, Law, Twist};
//! use stickslip_solvers::solver_by_name;
//!
//! // A point of 2 kg on a plane, sliding at 1 m/s and pressed by gravity over 0.01 s, μ = 0.5.
//! let problem = ContactProblem {
//!     floors: Vec::new(),
//!     inverse_mass: vec![InverseMass { mass: 0.5, inertia: DMat3::ZERO }],
//!     nu_free: vec![Twist { linear: DVec3::new(1.0, 0.0, -0.0981), angular: DVec3::ZERO }],
//!     contacts: vec![ContactBlock {
//!         frame: [DVec3::Z, DVec3::X, DVec3::Y],
//!         arms: [Some(Arm { body: 0, lever: DVec3::ZERO, sign: 1.0, action: Action::Force }), None].into(),
//!         b: DVec3::ZERO,
//!         compliance: DVec3::ZERO,
//!         law: Law::Cone { mu: 0.5 },
//!     }],
//! };
//! let mut solver = solver_by_name("auto").ok_or("no such solver")?;
//! let solved = solver.solve(&problem, None, 1e-12)?;
//! let mut nu = Vec::new();
//! problem.velocity_into(&solved.impulses, &mut nu);
//! assert!((nu[0].linear.x - (1.0 - 0.5 * 0.0981)).abs() < 1e-15);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod auto;
pub(crate) mod coupling;
pub mod engines;
pub(crate) mod factor;
mod laws;
pub mod lcp;
pub mod limit;
pub mod problem;
pub mod registry;
pub mod solver;
pub mod trace;

/// The generator behind Lemke's ties and [`problem::generate`].
pub use stickslip_random as random;

pub use factor::sparse::SparseMatrix;
pub use registry::{SOLVER_NAMES, selecting_solver_by_name, solver_by_name};
