//! The judge: does a step obey the law? Residuals are recomputed from states, impulses and shapes
//! alone; no solver or stepper code is reachable from here, nobody who steps uses it but to be judged, and gaps and
//! normals are checked against the shapes and not taken on trust.

mod displacement;
mod flight;
mod gear_law;
mod joint_law;
mod judge;
mod law;
mod moments;
mod pull;

pub use judge::{Breach, Case, Judge, Place, Rebound, Rebounds};
