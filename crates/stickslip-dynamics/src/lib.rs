//! Under construction.

pub mod expression;
pub mod scene;
