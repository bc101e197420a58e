//! What a run leaves on disk and how it is read again: trajectory files, their comparison, hashes.
//!
//! A run hands every accepted step to a [`Recorder`]: a Parquet or CSV file, a [`Trajectory`] in
//! memory, several at once ([`Tee`]), or every Nth step only ([`Every`]). A Parquet file holds all
//! that the judge needs to check the run again; a CSV holds the bodies for people and plots.
//! `docs/trajectory.md` describes the formats column by column.
//!
//! ```
//! use stickslip_model::{BodyState, StepRecord};
//! use stickslip_record::{Header, ParquetWriter, Reader, Recorder, Start, StateHash, Summary};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("run.parquet");
//! let header = Header { bodies: vec!["ball".into()], h: 0.01, every: 1, ..Header::default() };
//! let before = StepRecord { bodies: vec![BodyState::default()], ..StepRecord::default() };
//! let mut hash = StateHash::new(&header.bodies);
//! hash.update(before.step, &before.bodies, &before.joints);
//!
//! let mut file = ParquetWriter::new(&path);
//! file.start(&header, &before)?;
//! let mut step = StepRecord { step: 1, t: 0.01, ..before.clone() };
//! step.bodies[0].pose.position.x = 0.02;
//! file.record(Start { t: before.t, bodies: &before.bodies }, &step)?;
//! hash.update(step.step, &step.bodies, &step.joints);
//! file.finish(&Summary { steps: 1, t: step.t, hash: hash.hex(), ..Summary::default() })?;
//!
//! let last = Reader::open(&path)?.last().ok_or("no steps")??;
//! assert_eq!(last.step, step);
//! # Ok(())
//! # }
//! ```

pub mod account;
pub mod base64;
pub mod compare;
pub mod csv;
pub mod error;
pub mod files;
pub mod hash;
pub mod header;
pub mod parquet;
pub mod recorder;
pub mod states;
#[cfg(test)]
mod testing;
pub mod trajectory;

pub use account::{Account, Approximate};
pub use compare::{Comparison, Metric, compare};
pub use csv::CsvWriter;
pub use error::RecordError;
pub use files::Lock;
pub use hash::StateHash;
pub use header::{Header, Summary};
pub use parquet::{ParquetWriter, Reader, Resumed, Seal};
pub use recorder::{Every, Memory, Recorder, Start, Tee};
pub use states::{Snapshot, States};
pub use trajectory::{Frame, Trajectory};
