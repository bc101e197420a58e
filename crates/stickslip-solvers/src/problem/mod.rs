//! The problem of one step, in its forms, and how far impulses are from solving it.
//!
//! | form | unknowns | where |
//! |---|---|---|
//! | bodies, contacts, a law for each | ν (6 a body) and p (3 a contact) | [`ContactProblem`] |
//! | reduced to the contacts, u = D p + q | p | [`local::LocalProblem`] |
//! | either of them | | [`Posed`] |
//! | FCLIB's global form, reduced to the local one | ν and p | [`global::GlobalProblem`] |
//!
//! | module | what | used |
//! |---|---|---|
//! | `step`, [`local`], [`global`], `posed` | the forms above | everywhere; the global one by files only |
//! | `arms` | how a block acts on bodies: columns of W | the form of bodies |
//! | [`delassus`] | D, sparse in 3×3 blocks | the local form |
//! | [`law`] | which pairs of impulse and velocity are allowed: projections, maps, derivatives | residuals, Newton, sweeps |
//! | [`smoothed`] | the laws with their corners rounded by a parameter | interior point, homotopy |
//! | [`residual`] | by how much impulses miss the laws | every solver, the reports |
//! | `islands` | contacts that feel each other, each island a problem of its own | `auto` |
//! | `rounded` | pyramids replaced by the cones inside them | `auto` |
//! | [`soft`] | contacts that bear moments: two blocks under one law | residuals, the stage of `auto` for them |
//! | [`generate`] | random problems | tests, benchmarks |

mod arms;
pub mod delassus;
pub mod generate;
pub mod global;
pub(crate) mod islands;
pub mod law;
pub mod local;
mod posed;
pub mod residual;
pub(crate) mod rounded;
pub mod smoothed;
pub mod soft;
mod step;

pub use arms::{Action, Arm, Arms};
pub use posed::Posed;
pub use step::{ContactBlock, ContactProblem, InverseMass, Law, MOST_DIRECTIONS, Twist};
