//! Parquet: tables that hold all that the judge needs to check a run again.
//!
//! `run.parquet` has the bodies, `run.contacts.parquet` the contacts, `run.steps.parquet` the steps and,
//! where there are any, `run.joints.parquet` the joints and springs; each carries the scene and the header. While the run goes on, its rows live in whole
//! Parquet files in the folder `run.parquet.parts`, joined when it ends.

mod bodies;
mod checkpoint;
mod columns;
mod decode;
mod encode;
mod find;
mod joints;
mod numbers;
mod pages;
mod parts;
mod read;
mod reserve;
mod resume;
mod seal;
mod sink;
mod table;
mod tables;
mod write;

#[cfg(test)]
mod tests;

pub use find::SWEEP_NOTE;
pub use numbers::write_numbers;
pub use read::{Reader, Seal};
pub use resume::{Resumed, left_at};
pub use table::{Cells, TableColumn, write_table};
pub use tables::Paths;
pub use write::ParquetWriter;

pub(crate) use bodies::read_states;
pub(crate) use find::is_csv;
pub(crate) use joints::check_joints;
