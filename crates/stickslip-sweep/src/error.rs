//! Everything that can be wrong with a sweep.

use std::path::PathBuf;
use stickslip::dynamics::probe::ProbeError;
use stickslip::prelude::{BuildError, SceneError};
use stickslip::record::RecordError;

/// Why a sweep cannot be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// A range, a choice or a part that is none.
    #[error("{0}")]
    Input(String),
    /// The scene cannot be read whatever is set, or has no such key.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The world cannot be built whatever is set.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A result that the scene does not have.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A trajectory or table could not be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// File or folder.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// The folder belongs to something else.
    #[error("{}: {reason}; nothing was changed, choose another folder", path.display())]
    Taken {
        /// The folder.
        path: PathBuf,
        /// What is in it.
        reason: String,
    },
    /// A run done twice gave different bits.
    #[error("run {key} was done twice, and ended in different states: {first} and {second}")]
    Differs {
        /// The run's key.
        key: String,
        /// Hash of the row that is there.
        first: String,
        /// Hash of the new one.
        second: String,
    },
}

impl SweepError {
    pub(crate) fn io(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Self::Io {
            path: path.to_path_buf(),
            source,
        }
    }
}
