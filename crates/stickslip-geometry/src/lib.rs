//! Shapes, mass properties, signed gaps and the contacts that may close within a step.
//!
//! One step asks two questions of this crate: which pairs could touch before t + h
//! ([`broad_phase::Sweep::pairs`]), and where each of them would ([`narrow_phase::future_contacts`]).
//! The judge asks a third, answered without the narrow phase: how far apart are two shapes
//! ([`separation::separation`]).
//!
//! Everything is closed-form; normals point from body a to body b; a gap is positive when apart.

mod border;
mod box_edges;
mod box_overlap;
pub mod broad_phase;
pub mod compound;
mod directions;
pub mod frame;
pub mod hull;
pub mod leg;
pub mod mass;
pub mod mesh;
pub mod narrow_phase;
pub mod path;
pub mod pieces;
mod placed;
pub mod pose;
mod proof;
pub mod reduce;
mod rims;
mod round;
mod segments;
pub mod separation;
pub mod shape;
mod tree;

pub use compound::{Compound, Piece};
pub use mass::MassProperties;
pub use mesh::{Facet, Mesh, MeshError};
pub use narrow_phase::{Candidate, Feature, Moving};
pub use pose::{Pose, Twist};
pub use shape::{Shape, ShapeError};
