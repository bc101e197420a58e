//! Linear algebra: dense and block factorisations, the order of elimination, and GMRES to refine an answer.

pub(crate) mod block_lu;
pub(crate) mod dense;
pub(crate) mod elimination;
pub(crate) mod fronts;
pub(crate) mod krylov;
pub(crate) mod node_lu;
pub(crate) mod sparse;
