//! Bodies whose contact problem is planar, as the planar solver sees them.

mod outline;
mod view;

pub use view::{NotPlanar, PlanarView};
