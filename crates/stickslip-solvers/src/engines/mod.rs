//! The methods: each improves impulses on a problem until its law holds.

pub mod admm;
pub(crate) mod colouring;
pub(crate) mod few;
pub mod homotopy;
pub mod interior_point;
pub(crate) mod modes;
pub mod newton;
pub mod nsgs;
pub mod one_contact;
pub mod proximal;
pub mod relaxation;
pub mod staggered;
pub mod velocity;
