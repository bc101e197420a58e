//! The bodies' table, state by state.

use super::decode::TableReader;
use super::find::{Found, file_header, find, no_header};
use super::tables::{BODIES, FileHeader, TABLES};
use crate::error::RecordError;
use crate::recorder::{check_states, state_of_numbers};
use crate::states::{Snapshot, States};
use std::collections::BTreeMap;
use std::path::Path;
use stickslip_model::BodyState;

/// The states of all bodies at one time.
pub(super) struct StateRows {
    pub(super) step: u64,
    pub(super) start: bool,
    pub(super) snapshot: Snapshot,
}

/// The bodies' table, state by state.
pub(super) struct BodyRows {
    pub(super) table: TableReader,
    places: BTreeMap<Vec<u8>, usize>,
}

impl BodyRows {
    pub(super) fn new(table: TableReader, names: &[String]) -> Self {
        let places = names.iter().map(|name| name.as_bytes().to_vec()).zip(0..);
        Self {
            table,
            places: places.collect(),
        }
    }

    pub(super) fn place(&self, name: &[u8]) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// As many rows as there are bodies, in any order, each body once.
    pub(super) fn next(&mut self) -> Result<Option<StateRows>, RecordError> {
        let n = self.places.len();
        let mut found: Option<StateRows> = None;
        let mut seen = vec![false; n];
        for count in 0..n {
            let Some((rows, i)) = self.table.row()? else {
                return match found {
                    None => Ok(None),
                    Some(state) => Err(incomplete(state.step, count, n)),
                };
            };
            let step = unsigned(rows.int(0, i), 0, "step")?;
            let (t, start) = (rows.real(1, i), rows.flag(16, i));
            let state = found.get_or_insert_with(|| StateRows {
                step,
                start,
                snapshot: Snapshot {
                    t,
                    bodies: vec![BodyState::default(); n],
                },
            });
            if state.step != step || state.start != start || !same(state.snapshot.t, t) {
                return Err(incomplete(state.step, count, n));
            }
            let name = rows.text(2, i);
            let place = self.places.get(name).copied();
            let place = place.filter(|place| !std::mem::replace(&mut seen[*place], true));
            let Some(place) = place else {
                return Err(RecordError::Inconsistent {
                    step,
                    reason: format!(
                        "body `{}` twice, or not in the header",
                        String::from_utf8_lossy(name)
                    ),
                });
            };
            let mut numbers = [0.0; 13];
            for (k, x) in numbers.iter_mut().enumerate() {
                *x = rows.real(3 + k, i);
            }
            state.snapshot.bodies[place] = state_of_numbers(&numbers);
            self.table.advance();
        }
        Ok(found)
    }
}

fn incomplete(step: u64, count: usize, n: usize) -> RecordError {
    RecordError::Inconsistent {
        step,
        reason: format!("{count} bodies of {n}"),
    }
}

/// The states in the bodies' table alone.
pub(crate) fn read_states(path: &Path) -> Result<States<'static>, RecordError> {
    let Found { files, .. } = find(path)?;
    let [bodies, contacts, steps, _] = files;
    let mut table = TableReader::new(TABLES[BODIES], bodies.clone());
    // A program that rewrote the bodies may have lost the header; its sisters have it too.
    let mut header = None;
    for (index, files) in [bodies, contacts, steps].iter().enumerate() {
        if header.is_none() && files.iter().all(|file| file.exists()) {
            header = if index == BODIES {
                file_header(&mut table, index, files)?
            } else {
                let mut other = TableReader::new(TABLES[index], files.clone());
                file_header(&mut other, index, files)?
            };
        }
    }
    let Some(FileHeader { header, .. }) = header else {
        return Err(no_header(path));
    };
    let names = header.bodies.clone();
    let mut rows = BodyRows::new(table, &names);
    let mut last_t = f64::NEG_INFINITY;
    let mut next = move || -> Result<Option<Snapshot>, RecordError> {
        loop {
            let Some(states) = rows.next()? else {
                return Ok(None);
            };
            if states.start {
                continue;
            }
            let Snapshot { t, bodies } = &states.snapshot;
            check_states(&header.bodies, states.step, *t, bodies)?;
            // No time passes in an impact.
            if *t < last_t {
                return Err(RecordError::Inconsistent {
                    step: states.step,
                    reason: format!("{t} s after {last_t} s"),
                });
            }
            last_t = *t;
            return Ok(Some(states.snapshot));
        }
    };
    let mut done = false;
    let source = std::iter::from_fn(move || {
        if done {
            return None;
        }
        let snapshot = next().transpose();
        done = !matches!(snapshot, Some(Ok(_)));
        snapshot
    });
    Ok(States {
        names,
        source: Box::new(source),
    })
}

/// Equal to the bit.
pub(super) fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits()
}

pub(super) fn unsigned(number: i64, step: u64, column: &str) -> Result<u64, RecordError> {
    u64::try_from(number).map_err(|_| RecordError::Inconsistent {
        step,
        reason: format!("`{column}` is {number}"),
    })
}
