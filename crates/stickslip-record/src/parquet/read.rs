//! The tables to steps.

use super::bodies::{BodyRows, same, unsigned};
use super::decode::TableReader;
use super::find::{Found, common_header, file_header, find, is_csv, no_header, with_ending};
use super::joints;
use super::seal::seal;
use super::tables::{BODIES, CONTACTS, FileHeader, JOINTS, STEPS, TABLES, Texts, tables_of};
use super::write::{MODES, active};
use crate::error::RecordError;
use crate::header::{Header, Summary};
use crate::recorder::{Recorder, Start, check_step};
use crate::states::Snapshot;
use crate::trajectory::{Frame, check_successor};
use glam::DVec3;
use std::path::{Path, PathBuf};
use stickslip_geometry::Feature;
use stickslip_model::{Certificate, Contact, ContactImpulse, Friction, Kind, Residual, StepRecord};

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
    /// As it was opened.
    path: PathBuf,
    bodies: BodyRows,
    contacts: TableReader,
    steps: TableReader,
    joints: TableReader,
    last: Option<StepRecord>,
    texts: Texts,
    /// The seal as it is stored.
    stored: Option<String>,
    seal: Seal,
    done: bool,
}

/// Is a trajectory as it was written?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// Not all of it has been read yet.
    Unread,
    /// Every row, the header, the scene and the summary are as they were.
    Whole,
    /// Something is not.
    Broken,
    /// It has none.
    Missing,
}

impl Seal {
    /// What is to be said about it, if anything.
    #[must_use]
    pub fn warning(self) -> Option<String> {
        match self {
            Self::Unread | Self::Whole => None,
            Self::Broken => Some(BROKEN.into()),
            Self::Missing => Some("it has no seal, which every trajectory of ours has".into()),
        }
    }
}

const BROKEN: &str = "its seal is broken: something in it is not as it was written";

impl Reader {
    /// Opens `run.parquet`, or the folder `run.parquet.parts` that a run left when it died.
    ///
    /// # Errors
    /// If the files are not those of a trajectory. What is wrong further on comes with the steps.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let path = path.as_ref();
        Self::open_tables(path).map_err(|e| e.read_from(path))
    }

    fn open_tables(path: &Path) -> Result<Self, RecordError> {
        if is_csv(path) {
            return Err(RecordError::NoImpulses {
                path: path.to_path_buf(),
            });
        }
        let Found {
            files,
            parts,
            warning,
        } = find(path)?;
        let present = |table: usize| match files[table].iter().find(|file| !file.exists()) {
            Some(missing) => Err(RecordError::MissingTable {
                path: path.to_path_buf(),
                missing: missing.clone(),
            }),
            None => Ok(()),
        };
        let names = files.clone();
        let [bodies, contacts, steps, joints] = files.clone();
        let mut tables = [
            TableReader::new(TABLES[BODIES], bodies),
            TableReader::new(TABLES[CONTACTS], contacts),
            TableReader::new(TABLES[STEPS], steps),
        ];
        if let Err(missing) = present(CONTACTS).and_then(|()| present(STEPS)) {
            // Of a file that is damaged, or none of ours, nothing can be missing.
            return Err(match tables[BODIES].metadata() {
                Err(RecordError::Column { .. }) => no_header(path),
                Err(damaged) => damaged,
                Ok(_) => missing,
            });
        }
        let common = common_header(&mut tables, &names)?;
        let joints = if tables_of(&common.header) > JOINTS {
            present(JOINTS)?;
            let mut table = TableReader::new(TABLES[JOINTS], joints);
            let own = file_header(&mut table, JOINTS, &names[JOINTS])?;
            if own.is_some_and(|own| own.texts != common.texts) {
                return Err(RecordError::Inconsistent {
                    step: 0,
                    reason: "the tables of bodies and joints come from different runs".into(),
                });
            }
            table
        } else {
            TableReader::new(TABLES[JOINTS], Vec::new())
        };
        let common = match &parts {
            Some(folder) => with_ending(common, folder, &names[STEPS])?,
            None => common,
        };
        let FileHeader {
            header,
            summary,
            texts,
            seal: stored,
        } = common;
        let [bodies, contacts, steps] = tables;
        Ok(Self {
            path: path.to_path_buf(),
            bodies: BodyRows::new(bodies, &header.bodies),
            header,
            summary,
            warnings: warning.into_iter().collect(),
            contacts,
            steps,
            joints,
            last: None,
            texts,
            stored,
            seal: Seal::Unread,
            done: false,
        })
    }

    /// Plays what has not been read yet into a recorder, as the run did: two frames are held. A file without a summary is not finished
    /// there either.
    ///
    /// # Errors
    /// What is wrong with the file, or what the recorder meets.
    pub fn play(&mut self, recorder: &mut impl Recorder) -> Result<(), RecordError> {
        let mut last: Option<StepRecord> = None;
        while let Some(frame) = self.next() {
            let Frame { start, step } = frame?;
            match (&start, &last) {
                (Some(Snapshot { t, bodies }), _) => {
                    recorder.record(Start { t: *t, bodies }, &step)?;
                }
                (None, Some(StepRecord { t, bodies, .. })) => {
                    recorder.record(Start { t: *t, bodies }, &step)?;
                }
                (None, None) => recorder.start(&self.header, &step)?,
            }
            last = Some(step);
        }
        self.summary
            .as_ref()
            .map_or(Ok(()), |summary| recorder.finish(summary))
    }

    /// Is the trajectory as it was written? Known when all of it has been read.
    #[must_use]
    pub const fn seal(&self) -> Seal {
        self.seal
    }

    /// The seal as it is stored.
    #[must_use]
    pub fn stored(&self) -> Option<&str> {
        self.stored.as_deref()
    }

    /// Compares the seal with all that has been read.
    fn check_seal(&self) -> Seal {
        let [bodies, contacts] = [&self.bodies.table, &self.contacts];
        let tables = [bodies, contacts, &self.steps, &self.joints];
        let found = seal(&self.texts, tables.map(TableReader::hash).into_iter());
        match &self.stored {
            None => Seal::Missing,
            Some(stored) if *stored == found => Seal::Whole,
            Some(_) => Seal::Broken,
        }
    }

    fn frame(&mut self) -> Result<Option<Frame>, RecordError> {
        let Some(mut step) = self.step_row()? else {
            self.check_end()?;
            self.seal = self.check_seal();
            return Ok(None);
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
        joints::read(&mut self.joints, &self.header.joints, &mut step)?;
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
            joints::check_joints(&self.header.joints, step)?;
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
            *residual = rows.real(13 + k, i);
        }
        let certified = rows.flag(25, i);
        let record = StepRecord {
            step: number,
            t: rows.real(1, i),
            energy: rows.real(2, i),
            solver: text(rows.text(5, i), number, "solver")?,
            iterations: unsigned(rows.int(6, i), number, "iterations")?,
            certificate: Certificate {
                penetration: rows.real(7, i),
                speed: rows.real(8, i),
                rounding: rows.real(9, i),
                floor: rows.real(10, i),
                needs: rows.real(23, i),
                allowed: rows.real(24, i),
                residuals,
            },
            h: rows.real(11, i),
            kind: Kind::ALL
                .into_iter()
                .find(|kind| kind.name().as_bytes() == rows.text(12, i))
                .ok_or_else(|| RecordError::Inconsistent {
                    step: number,
                    reason: "it is of an unknown kind".into(),
                })?,
            bodies: Vec::new(),
            contacts: Vec::new(),
            joints: Vec::new(),
        };
        if certified != record.certificate.holds(self.header.tolerance) {
            return Err(RecordError::Inconsistent {
                step: number,
                reason: "its residuals do not say what `certified` says".into(),
            });
        }
        Ok(Some(record))
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
            let piece = |c: usize| {
                u32::try_from(rows.int(c, i))
                    .map_err(|_| wrong("a contact has an impossible piece".into()))
            };
            let feature = u32::try_from(rows.int(4, i))
                .map_err(|_| wrong("a contact has an impossible feature".into()))?;
            step.contacts.push(ContactImpulse {
                contact: Contact {
                    bodies: [body(2)?, body(3)?],
                    pieces: [piece(19)?, piece(20)?],
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
                moment: vector(22),
                restituted: rows.real(18, i),
                mode,
                directions: u32::try_from(rows.int(21, i)).map_err(|_| {
                    wrong("a contact has an impossible number of directions".into())
                })?,
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
        if self.bodies.table.row()?.is_some()
            || self.contacts.row()?.is_some()
            || self.joints.row()?.is_some()
        {
            return Err(wrong(
                "bodies, contacts or joints of a later step, which is missing",
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
        let frame = self.frame().map_err(|e| e.read_from(&self.path));
        let frame = frame.transpose();
        self.done = !matches!(frame, Some(Ok(_)));
        frame
    }
}

fn text(bytes: &[u8], step: u64, column: &str) -> Result<String, RecordError> {
    String::from_utf8(bytes.to_vec()).map_err(|_| RecordError::Inconsistent {
        step,
        reason: format!("`{column}` is not UTF-8"),
    })
}
