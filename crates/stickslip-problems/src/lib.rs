//! Stored contact and complementarity problems: their files, and solving them by a solver's name.
//!
//! | file | holds | module |
//! |---|---|---|
//! | FCLIB, `.hdf5` | frictional contact, local or global form | [`fclib`], over [`hdf5`] |
//! | LCP, `.json` | LCP and mixed LCP | [`json::lcp`] |
//! | step, `.json` | the blocks of a step: bodies, contacts, laws | [`json::step`] |
//! | Matrix Market, `.mtx` | the matrix of an LCP, its vector beside it | [`matrix_market`] |
//!
//! [`stored::StoredProblem`] is any of them; [`prepared::Prepared`] a solver ready to solve one.

pub mod fclib;
pub mod hdf5;
pub mod json;
pub mod matrix_market;
pub mod prepared;
pub mod stored;
