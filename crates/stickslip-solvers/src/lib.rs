//! Complementarity and frictional contact problems, and their solvers. Pure maths: no bodies, no
//! shapes, no time.

pub mod admm;
pub mod auto;
pub mod block_lu;
pub mod delassus;
pub mod dense;
pub mod enumerate;
pub mod fclib;
pub mod global;
pub mod hdf5;
pub mod homotopy;
pub mod interior_point;
pub mod law;
pub mod lcp;
pub mod lcp_interior;
pub mod lcp_json;
pub mod lemke;
pub mod local;
pub mod matrix_market;
mod modes;
pub mod newton;
pub mod nsgs;
pub mod one_contact;
pub mod pgs;
pub mod problem;
pub mod proximal;
pub mod pyramid;
pub mod random;
pub mod registry;
pub mod relaxation;
pub mod residual;
pub mod smoothing;
pub mod solver;
pub mod sparse;
pub mod staggered;
pub mod stored;
pub mod system;

pub use registry::{SOLVER_NAMES, solver_by_name};
