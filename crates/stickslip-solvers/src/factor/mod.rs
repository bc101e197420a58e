//! Linear algebra: dense and block factorisations, the order of elimination, and GMRES to refine an answer.
//!
//! | module | what | used |
//! |---|---|---|
//! | [`dense`] | LU with row pivoting of one dense matrix | up to 12 contacts; blocks of M of stored problems; tiny LCPs |
//! | [`block_lu`] | sparse LU of B×B blocks, one node after another | fewer than 64 bodies (B = 6) or contacts (B = 3) |
//! | [`fronts`] | the same by fronts: many nodes at once as a dense matrix | from 64 on, and where the sign of the determinant is asked for |
//! | [`node_lu`] | whichever of these two fits | systems on bodies, contacts and patches |
//! | [`elimination`] | the order of elimination of a sparse pattern | by the two sparse ones |
//! | [`krylov`] | GMRES with the factors as preconditioner | steps on bodies, whose factors may have lost digits |
//! | [`sparse`] | sparse matrices by columns | LCPs, files |
//!
//! Lemke's method has a sparse LU of its own (`lcp/lemke/sparse_lu.rs`): its basis is a different unsymmetric matrix after
//! each pivot, of single numbers.
//!
//! There is no trait over them. The two block factorisations have the same four methods (`analyse`, `add`, `factor`,
//! `solve`) and one caller, [`node_lu::NodeLu`], which branches between them: a trait would add an indirection to
//! `add`, which is called for each block, and remove nothing. The dense one is filled as a matrix and the one of Lemke's
//! method by its entries, one matrix after another, so that a trait over all five would have no caller.

pub(crate) mod block_lu;
pub(crate) mod dense;
pub(crate) mod elimination;
pub(crate) mod fronts;
pub(crate) mod krylov;
pub(crate) mod node_lu;
pub(crate) mod sparse;
