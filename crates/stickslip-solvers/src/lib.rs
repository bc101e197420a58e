//! Complementarity and frictional contact problems, and their solvers. Pure maths: no bodies, no
//! shapes, no time.

pub mod problem;
pub mod solver;
