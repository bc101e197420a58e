//! Trajectories to look at. A [`Film`] is what is seen of a recorded run: bodies as triangle meshes, their
//! motion, contacts with forces, certificates. It becomes
//!
//! - one self-contained HTML page with a 3D view ([`Film::page`]): no server, no network; the same of a run that goes on, served to this machine
//!   alone ([`Live`]);
//! - a picture of one moment, SVG or PNG, without a browser ([`Film::shot`]);
//! - a GLB animation ([`Film::glb`]).
//!
//! A film never steps a world: everything it shows was recorded. A new shape is one arm in
//! [`solid::look_of`]: which meshes it is made of.

pub mod camera;
pub mod film;
pub mod glb;
mod live;
pub mod mesh;
mod order;
mod pack;
pub mod page;
mod pieces;
pub mod sample;
pub mod shot;
pub mod solid;
mod views;

pub use camera::Camera;
pub use film::{Actor, Film, Link, LinkKind};
pub use live::Live;
pub use mesh::Mesh;
pub use page::PageWriter;
pub use sample::Sample;
pub use shot::{Pace, ShotOptions};
pub use solid::{Look, Part};

use stickslip_model::words::time;

/// Why a film could not be made or shown.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The trajectory's bodies are not those of the model.
    #[error("the trajectory has {found} bodies, the model {expected}")]
    Bodies {
        /// In the trajectory.
        found: usize,
        /// In the model.
        expected: usize,
    },
    /// They, or the joints, are others, or stand in another order.
    #[error("the trajectory has `{found}` where the model has `{expected}`")]
    Names {
        /// In the trajectory.
        found: String,
        /// In the model.
        expected: String,
    },
    /// A trajectory without any state.
    #[error("the trajectory has no steps: nothing can be seen")]
    Empty,
    /// A time outside the trajectory.
    #[error("t = {} s is not in the trajectory, which goes from {} s to {} s", time(*t), time(*from), time(*to))]
    Time {
        /// What was asked for, s.
        t: f64,
        /// First time, s.
        from: f64,
        /// Last time, s.
        to: f64,
    },
    /// A name that no body has.
    #[error("there is no body named {name:?}")]
    NoBody {
        /// What was asked for.
        name: String,
    },
}
