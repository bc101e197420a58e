//! Bodies whose contact problem is planar, as the planar solver sees them.

mod conditions;
mod outline;
mod view;

pub use conditions::NotPlanar;
pub use view::PlanarView;
