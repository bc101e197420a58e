//! The problem of one step, in its forms, and how far impulses are from solving it.
//!
//! | form | unknowns | where |
//! |---|---|---|
//! | bodies, contacts, a law for each | ν (6 a body) and p (3 a contact) | [`ContactProblem`] |
//! | reduced to the contacts, u = D p + q | p | [`local::LocalProblem`], its matrix [`delassus::Delassus`] |
//! | FCLIB's global form, reduced to the local one | ν and p | [`global`] |
//!
//! A law says which pairs of impulse and velocity are allowed ([`law`]); [`residual`] measures by how much a pair
//! misses it.

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
mod step;

pub use posed::Posed;
pub use step::{
    Action, Arm, ContactBlock, ContactProblem, InverseMass, Law, MOST_DIRECTIONS, Twist,
};
