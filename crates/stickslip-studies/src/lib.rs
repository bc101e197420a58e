//! Studies with the simulator: what `stickslip bench` measures, what `stickslip reproduce` makes again of the documents,
//! and stored problems solved against the clock, by our solvers and by other people's.
//!
//! The program forwards its arguments to [`bench::Args`] and [`reproduce::Args`]; each of their studies is a file.

pub mod bench;
pub mod order_plot;
pub mod profile;
pub mod reproduce;
pub mod statistics;
pub mod stored;
