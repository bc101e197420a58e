//! The states of a trajectory over time, read one by one from any of its formats.

use crate::csv::read_csv;
use crate::error::RecordError;
use crate::parquet::{is_csv, read_states};
use crate::trajectory::Trajectory;
use std::path::Path;
use stickslip_model::BodyState;

/// All bodies at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Time, s.
    pub t: f64,
    /// One state for each body, in the order of the trajectory's names.
    pub bodies: Vec<BodyState>,
}

/// The recorded states of a trajectory, one after the other, without holding them all.
pub struct States<'a> {
    /// Names of the bodies, in the order of [`Snapshot::bodies`].
    pub names: Vec<String>,
    pub(crate) source: Box<dyn Iterator<Item = Result<Snapshot, RecordError>> + 'a>,
}

impl States<'static> {
    /// The states in a trajectory file.
    ///
    /// # Errors
    /// If the file is not a trajectory. What is wrong further on comes with the states.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let path = path.as_ref();
        if is_csv(path) {
            read_csv(path)
        } else {
            read_states(path)
        }
    }
}

impl<'a> States<'a> {
    /// The states of a trajectory in memory.
    #[must_use]
    pub fn of(trajectory: &'a Trajectory) -> Self {
        let snapshots = trajectory.frames.iter().map(|frame| {
            Ok(Snapshot {
                t: frame.step.t,
                bodies: frame.step.bodies.clone(),
            })
        });
        Self {
            names: trajectory.header.bodies.clone(),
            source: Box::new(snapshots),
        }
    }
}

impl Iterator for States<'_> {
    type Item = Result<Snapshot, RecordError>;

    /// The next snapshot, with one state for each name.
    fn next(&mut self) -> Option<Self::Item> {
        let snapshot = self.source.next()?;
        Some(snapshot.and_then(|snapshot| {
            let (states, names) = (snapshot.bodies.len(), self.names.len());
            if states == names {
                return Ok(snapshot);
            }
            Err(RecordError::Inconsistent {
                step: 0,
                reason: format!("{states} states for {names} bodies at {} s", snapshot.t),
            })
        }))
    }
}
