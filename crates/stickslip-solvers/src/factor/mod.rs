//! Linear algebra: dense and block factorisations, the order of elimination, and GMRES to refine an answer.

pub mod block_lu;
pub mod dense;
pub(crate) mod elimination;
pub mod fronts;
pub(crate) mod krylov;
pub(crate) mod node_lu;
pub mod sparse;
