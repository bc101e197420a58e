//! What a run leaves on disk and how it is read again: trajectory files, their comparison, hashes.
//!
//! A run hands every accepted step to a [`Recorder`]: a Parquet or CSV file, a [`Trajectory`] in
//! memory, several at once ([`Tee`]), or every Nth step only ([`Every`]). A Parquet file holds all
//! that the judge needs to check the run again; a CSV holds the bodies for people and plots.
//! `docs/trajectory.md` describes the formats column by column.

pub mod compare;
pub mod csv;
pub mod error;
pub mod hash;
pub mod header;
pub mod parquet;
pub mod recorder;
pub mod states;
#[cfg(test)]
mod testing;
pub mod trajectory;

pub use compare::{Comparison, Metric, compare};
pub use csv::CsvWriter;
pub use error::RecordError;
pub use hash::StateHash;
pub use header::{Header, Summary};
pub use parquet::{ParquetWriter, Reader};
pub use recorder::{Every, Recorder, Start, Tee};
pub use states::{Snapshot, States};
pub use trajectory::{Frame, Trajectory};
