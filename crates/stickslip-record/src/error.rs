//! Everything that can be wrong with a trajectory, or with writing one.

use std::io;
use std::path::{Path, PathBuf};
use stickslip_model::words::time;

/// Why a trajectory could not be written, read or compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// File or folder.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// Another run writes this output.
    #[error("{}: another run is writing this file{}", path.display(), process.map_or_else(String::new, |id| format!(" (process {id})")))]
    Taken {
        /// The output.
        path: PathBuf,
        /// Who has it, where that can be told.
        process: Option<u32>,
    },
    /// Something that is in our way was not made by us.
    #[error("{}: this was not made by stickslip and is left alone; move it away, or choose another output", path.display())]
    Foreign {
        /// File or folder.
        path: PathBuf,
    },
    /// Writing failed, but what was computed can be read.
    #[error("{source}; every step up to t = {} s is kept: {} can be read and checked", time(*t), path.display())]
    Kept {
        /// What went wrong.
        source: Box<Self>,
        /// The trajectory, as it was asked for.
        path: PathBuf,
        /// Number of the last step that is kept.
        step: u64,
        /// Its time, s.
        t: f64,
    },
    /// The file is of another kind.
    #[error("{}: not a stickslip trajectory: {reason}", path.display())]
    NotATrajectory {
        /// The file.
        path: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// A run cannot go on from this file.
    #[error("{}: no run can go on from this: {reason}", path.display())]
    Unresumable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The file ends too early.
    #[error("{}: the file is cut short: {reason}", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Where.
        reason: String,
    },
    /// The file's bytes do not decode.
    #[error("{}: the file is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the decoder said.
        reason: String,
    },
    /// The file was written in a format that this program does not know.
    #[error("{}: trajectory format {found}, this program reads format {expected}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: String,
        /// Ours.
        expected: u32,
    },
    /// One of the three Parquet tables is not beside the others.
    #[error("{}: this table of the trajectory {} is missing", missing.display(), path.display())]
    MissingTable {
        /// The file that was opened.
        path: PathBuf,
        /// The file that should lie beside it.
        missing: PathBuf,
    },
    /// A column is missing or has the wrong type.
    #[error("{}: column `{column}`: {reason}", path.display())]
    Column {
        /// The file.
        path: PathBuf,
        /// Name of the column.
        column: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A number is NaN or infinite.
    #[error("step {step}: `{column}` of {owner} is not finite")]
    NotFinite {
        /// Number of the step.
        step: u64,
        /// Name of the column.
        column: String,
        /// Body, contact or step to which it belongs.
        owner: String,
    },
    /// The tables contradict each other, or the steps are out of order.
    #[error("step {step}: {reason}")]
    Inconsistent {
        /// Number of the step.
        step: u64,
        /// The contradiction.
        reason: String,
    },
    /// What a file says cannot be what one run wrote.
    #[error("{}: its tables are damaged, or of different runs: {source}", path.display())]
    Spoilt {
        /// The trajectory, as it was opened.
        path: PathBuf,
        /// Where, and what contradicts what.
        source: Box<Self>,
    },
    /// A line of a CSV cannot be understood.
    #[error("{}:{line}: {reason}", path.display())]
    Csv {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u64,
        /// What was expected.
        reason: String,
    },
    /// A CSV was given where impulses are needed.
    #[error(
        "{}: a CSV has no impulses, so its steps cannot be checked; write a .parquet (run -o OUT.parquet)",
        path.display()
    )]
    NoImpulses {
        /// The CSV.
        path: PathBuf,
    },
    /// Two trajectories do not have the same bodies.
    #[error(
        "the trajectories have different bodies: {}",
        differing(only_a, only_b)
    )]
    DifferentBodies {
        /// Names that only the first one has.
        only_a: Vec<String>,
        /// Names that only the second one has.
        only_b: Vec<String>,
    },
    /// Two trajectories have no time in common.
    #[error("the trajectories have no time in common: {}..{} s and {}..{} s", a.0, a.1, b.0, b.1)]
    NoCommonTime {
        /// First and last time of the first one, s.
        a: (f64, f64),
        /// First and last time of the second one, s.
        b: (f64, f64),
    },
    /// The header cannot describe a run.
    #[error("header: {0}")]
    Header(String),
    /// There is nothing to compare or to replay.
    #[error("{0}")]
    Empty(&'static str),
    /// A recorder's functions were called in the wrong order.
    #[error("recorder: {0}")]
    Order(&'static str),
}

impl RecordError {
    /// Wraps an error of the operating system with the file it concerns.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io {
            path: path.to_path_buf(),
            source,
        }
    }

    /// A contradiction with the file in which it stands; other errors name their file themselves.
    pub(crate) fn read_from(self, path: &Path) -> Self {
        match self {
            Self::Inconsistent { .. } | Self::NotFinite { .. } => Self::Spoilt {
                path: path.to_path_buf(),
                source: Box::new(self),
            },
            other => other,
        }
    }
}

/// "only in the first: a, b; only in the second: c".
fn differing(only_a: &[String], only_b: &[String]) -> String {
    let mut parts = Vec::new();
    for (names, which) in [(only_a, "first"), (only_b, "second")] {
        if !names.is_empty() {
            parts.push(format!("only in the {which}: {}", names.join(", ")));
        }
    }
    parts.join("; ")
}
