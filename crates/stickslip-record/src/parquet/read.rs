//! The three tables to steps.

use super::decode::TableReader;
use super::parts;
use super::tables::{
    BODIES, CONTACTS, FileHeader, PART_FILES, Paths, STEPS, TABLE_NAMES, TABLES, read_metadata,
};
use super::write::{MODES, active};
use crate::error::RecordError;
use crate::header::{Header, Summary};
use crate::recorder::{Start, check_states, check_step, state_of_numbers};
use crate::states::{Snapshot, States};
use crate::trajectory::{Frame, check_successor};
use glam::DVec3;
use std::collections::BTreeMap;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use stickslip_certify::{
    BodyState, Certificate, Contact, ContactImpulse, Friction, Residual, StepRecord,
};
use stickslip_geometry::Feature;

/// A trajectory on disk, read step by step: an iterator of its frames.
///
/// The first error ends it.
pub struct Reader {
    /// What the trajectory says about itself.
    pub header: Header,
    /// How the run ended; `None` if it died.
    pub summary: Option<Summary>,
    /// What is odd about the files but can be lived with.
    pub warnings: Vec<String>,
    bodies: BodyRows,
    contacts: TableReader,
    steps: TableReader,
    last: Option<StepRecord>,
    done: bool,
}

/// Files of the tables, and how they were found.
struct Found {
    files: [Vec<PathBuf>; 3],
    warning: Option<String>,
}

impl Reader {
    /// Opens `run.parquet`, or the folder `run.parquet.parts` that a run left when it died.
    ///
    /// # Errors
    /// If the files are not those of a trajectory. What is wrong further on comes with the steps.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let path = path.as_ref();
        if is_csv(path) {
            return Err(RecordError::NoImpulses {
                path: path.to_path_buf(),
            });
        }
        let Found { files, warning } = find(path)?;
        for table in [CONTACTS, STEPS] {
            if let Some(missing) = files[table].iter().find(|file| !file.exists()) {
                return Err(RecordError::MissingTable {
                    path: path.to_path_buf(),
                    missing: missing.clone(),
                });
            }
        }
        let names = files.clone();
        let [bodies, contacts, steps] = files;
        let mut tables = [
            TableReader::new(TABLES[BODIES], bodies),
            TableReader::new(TABLES[CONTACTS], contacts),
            TableReader::new(TABLES[STEPS], steps),
        ];
        let FileHeader { header, summary } = common_header(&mut tables, &names)?;
        let [bodies, contacts, steps] = tables;
        Ok(Self {
            bodies: BodyRows::new(bodies, &header.bodies),
            header,
            summary,
            warnings: warning.into_iter().collect(),
            contacts,
            steps,
            last: None,
            done: false,
        })
    }

    fn frame(&mut self) -> Result<Option<Frame>, RecordError> {
        let Some(mut step) = self.step_row()? else {
            return self.check_end().map(|()| None);
        };
        let number = step.step;
        let wrong = |reason: String| RecordError::Inconsistent {
            step: number,
            reason,
        };
        let missing = || wrong("its bodies are missing".into());
        let mut states = self.bodies.next()?.ok_or_else(missing)?;
        let mut start = None;
        if states.start {
            if states.step + 1 != number {
                return Err(wrong(format!(
                    "it starts at the end of step {}",
                    states.step
                )));
            }
            start = Some(states.snapshot);
            states = self.bodies.next()?.ok_or_else(missing)?;
        }
        if states.start || states.step != number || !same(states.snapshot.t, step.t) {
            return Err(missing());
        }
        step.bodies = states.snapshot.bodies;
        let counts = self.contact_rows(&mut step)?;
        if counts != (step.contacts.len() as u64, active(&step)) {
            return Err(wrong(
                "its contacts are not as many as the step says".into(),
            ));
        }
        self.check(start.as_ref(), &step)?;
        let known = self.last.get_or_insert_default();
        known.step = step.step;
        known.t = step.t;
        known.bodies.clone_from(&step.bodies);
        Ok(Some(Frame { start, step }))
    }

    /// Order, finiteness, and a start for every step but the first.
    fn check(&self, start: Option<&Snapshot>, step: &StepRecord) -> Result<(), RecordError> {
        let wrong = |reason: &str| RecordError::Inconsistent {
            step: step.step,
            reason: reason.into(),
        };
        let Some(last) = &self.last else {
            if step.step != 0 || start.is_some() {
                return Err(wrong("the trajectory does not begin with step 0"));
            }
            return check_step(&self.header.bodies, step);
        };
        let before = match start {
            Some(Snapshot { t, bodies }) => Start { t: *t, bodies },
            None if step.step == last.step + 1 => Start {
                t: last.t,
                bodies: &last.bodies,
            },
            None => return Err(wrong("the state from which it starts is missing")),
        };
        check_successor(&self.header, last, before, step)
    }

    /// The row of the next step; contacts and active ones are compared later.
    fn step_row(&mut self) -> Result<Option<StepRecord>, RecordError> {
        let Some((rows, i)) = self.steps.row()? else {
            return Ok(None);
        };
        let number = unsigned(rows.int(0, i), 0, "step")?;
        let mut residuals = [0.0; Residual::ALL.len()];
        for (k, residual) in residuals.iter_mut().enumerate() {
            *residual = rows.real(9 + k, i);
        }
        Ok(Some(StepRecord {
            step: number,
            t: rows.real(1, i),
            energy: rows.real(2, i),
            solver: text(rows.text(5, i), number, "solver")?,
            iterations: unsigned(rows.int(6, i), number, "iterations")?,
            certificate: Certificate {
                penetration: rows.real(7, i),
                speed: rows.real(8, i),
                residuals,
            },
            bodies: Vec::new(),
            contacts: Vec::new(),
        }))
    }

    /// Reads the contacts of the step and returns how many, and how many active, it should have.
    fn contact_rows(&mut self, step: &mut StepRecord) -> Result<(u64, u64), RecordError> {
        let number = step.step;
        let mut counts = (0, 0);
        if let Some((rows, i)) = self.steps.row()? {
            counts.0 = unsigned(rows.int(3, i), number, "contacts")?;
            counts.1 = unsigned(rows.int(4, i), number, "active")?;
        }
        self.steps.advance();
        while let Some((rows, i)) = self.contacts.row()? {
            if unsigned(rows.int(0, i), number, "step")? != number {
                break;
            }
            let wrong = |reason: String| RecordError::Inconsistent {
                step: number,
                reason,
            };
            if !same(rows.real(1, i), step.t) {
                return Err(wrong("its contacts have another time".into()));
            }
            let vector =
                |c: usize| DVec3::new(rows.real(c, i), rows.real(c + 1, i), rows.real(c + 2, i));
            let body = |c: usize| {
                self.bodies
                    .place(rows.text(c, i))
                    .ok_or_else(|| wrong("a contact has a body that is not in the header".into()))
            };
            let mode = MODES
                .into_iter()
                .find(|mode| mode.name().as_bytes() == rows.text(17, i))
                .ok_or_else(|| wrong("a contact has an unknown mode".into()))?;
            let feature = u32::try_from(rows.int(4, i))
                .map_err(|_| wrong("a contact has an impossible feature".into()))?;
            step.contacts.push(ContactImpulse {
                contact: Contact {
                    bodies: [body(2)?, body(3)?],
                    feature: Feature(feature),
                    point: vector(5),
                    normal: vector(8),
                    gap: rows.real(11, i),
                    friction: Friction {
                        stick: rows.real(12, i),
                        slide: rows.real(13, i),
                    },
                },
                impulse: vector(14),
                mode,
            });
            self.contacts.advance();
        }
        Ok(counts)
    }

    /// Nothing may be left when the steps are over.
    fn check_end(&mut self) -> Result<(), RecordError> {
        let step = self.last.as_ref().map_or(0, |last| last.step);
        let wrong = |reason: &str| RecordError::Inconsistent {
            step,
            reason: reason.into(),
        };
        if self.last.is_none() {
            return Err(wrong("the trajectory has no steps"));
        }
        if self.bodies.table.row()?.is_some() || self.contacts.row()?.is_some() {
            return Err(wrong(
                "bodies or contacts of a later step, which is missing",
            ));
        }
        Ok(())
    }
}

impl Iterator for Reader {
    type Item = Result<Frame, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let frame = self.frame().transpose();
        self.done = !matches!(frame, Some(Ok(_)));
        frame
    }
}

/// The states in the bodies' table alone.
pub(crate) fn read_states(path: &Path) -> Result<States<'static>, RecordError> {
    let Found { files, .. } = find(path)?;
    let [bodies, contacts, steps] = files;
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
            if *t <= last_t {
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

/// The states of all bodies at one time.
struct StateRows {
    step: u64,
    start: bool,
    snapshot: Snapshot,
}

/// The bodies' table, state by state.
struct BodyRows {
    table: TableReader,
    places: BTreeMap<Vec<u8>, usize>,
}

impl BodyRows {
    fn new(table: TableReader, names: &[String]) -> Self {
        let places = names.iter().map(|name| name.as_bytes().to_vec()).zip(0..);
        Self {
            table,
            places: places.collect(),
        }
    }

    fn place(&self, name: &[u8]) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// As many rows as there are bodies, in any order, each body once.
    fn next(&mut self) -> Result<Option<StateRows>, RecordError> {
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

/// Equal to the bit.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits()
}

fn unsigned(number: i64, step: u64, column: &str) -> Result<u64, RecordError> {
    u64::try_from(number).map_err(|_| RecordError::Inconsistent {
        step,
        reason: format!("`{column}` is {number}"),
    })
}

fn text(bytes: &[u8], step: u64, column: &str) -> Result<String, RecordError> {
    String::from_utf8(bytes.to_vec()).map_err(|_| RecordError::Inconsistent {
        step,
        reason: format!("`{column}` is not UTF-8"),
    })
}

pub(crate) fn is_csv(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("csv"))
}

/// The files behind a path: three tables, or the parts that a run left.
fn find(path: &Path) -> Result<Found, RecordError> {
    let paths = Paths::new(path);
    let folder = match (path.is_dir(), path.exists(), paths.parts.is_dir()) {
        (true, ..) => path,
        (false, false, true) => &paths.parts,
        (false, false, false) => {
            let missing = Error::new(ErrorKind::NotFound, "there is no such file");
            return Err(RecordError::io(path)(missing));
        }
        (false, true, _) => {
            return Ok(Found {
                files: paths.tables.map(|table| vec![table]),
                warning: None,
            });
        }
    };
    let parts = parts::list(folder)?;
    if parts.is_empty() {
        return Err(RecordError::NotATrajectory {
            path: folder.to_path_buf(),
            reason: "the folder has no parts of one".into(),
        });
    }
    let files = PART_FILES.map(|name| parts.iter().map(|part| part.join(name)).collect());
    Ok(Found {
        files,
        warning: Some(format!(
            "{}: left by a run that did not end; it holds the steps up to its last save",
            folder.display()
        )),
    })
}

fn no_header(path: &Path) -> RecordError {
    RecordError::NotATrajectory {
        path: path.to_path_buf(),
        reason: "it has no header of stickslip".into(),
    }
}

fn file_header(
    table: &mut TableReader,
    index: usize,
    files: &[PathBuf],
) -> Result<Option<FileHeader>, RecordError> {
    let metadata = table.metadata()?;
    let path = files.first().map_or(Path::new(""), PathBuf::as_path);
    read_metadata(path, index, metadata.as_ref())
}

/// The header in which all tables agree. One that was rewritten without it is believed to belong to
/// the others: what it holds is checked all the same.
fn common_header(
    tables: &mut [TableReader; 3],
    files: &[Vec<PathBuf>; 3],
) -> Result<FileHeader, RecordError> {
    let mut common: Option<(usize, FileHeader)> = None;
    for (index, table) in tables.iter_mut().enumerate() {
        let found = file_header(table, index, &files[index])?;
        match (&common, found) {
            (None, Some(header)) => common = Some((index, header)),
            (Some((other, header)), Some(found)) if *header != found => {
                return Err(RecordError::Inconsistent {
                    step: 0,
                    reason: format!(
                        "the tables of {} and {} come from different runs",
                        TABLE_NAMES[*other], TABLE_NAMES[index]
                    ),
                });
            }
            _ => {}
        }
    }
    let path = files[BODIES]
        .first()
        .map_or(Path::new(""), PathBuf::as_path);
    common
        .map(|(_, header)| header)
        .ok_or_else(|| no_header(path))
}
