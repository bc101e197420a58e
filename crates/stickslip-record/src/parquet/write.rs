//! Steps to the tables.

use super::columns::{Rows, Value};
use super::encode::TableFile;
use super::joints;
use super::parts::{self, Part};
use super::tables::{
    BODIES, CONTACTS, JOINTS, PART_FILES, Paths, STEPS, TABLES, header_metadata, summary_metadata,
    tables_of,
};
use crate::error::RecordError;
use crate::header::{Header, Summary};
use crate::recorder::{Recorder, Start, check_step, state_numbers};
use crate::trajectory::{check_successor, same_start};
use parquet::data_type::ByteArray;
use parquet::file::metadata::KeyValue;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stickslip_model::{BodyState, Mode, StepRecord};

/// In the order of their declaration.
pub(super) const MODES: [Mode; 3] = [Mode::Open, Mode::Stick, Mode::Slide];

/// Writes a trajectory as Parquet: `run.parquet` and its sister tables.
///
/// Nothing is lost when the process dies but what came after the last save (at most
/// [`ParquetWriter::save_every`], by default two seconds): until `finish` the rows are in the folder
/// `run.parquet.parts`, which every reader accepts. The finished files depend only on the steps,
/// never on how long the run took.
#[derive(Debug)]
pub struct ParquetWriter {
    paths: Paths,
    group_rows: usize,
    save_every: Duration,
    run: Option<Run>,
}

/// A run that has started.
#[derive(Debug)]
struct Run {
    header: Header,
    /// One for each table, that of the joints only where there are some.
    metadata: Vec<Vec<KeyValue>>,
    names: Vec<ByteArray>,
    joints: Vec<ByteArray>,
    /// Names of the modes, in the order of [`Mode`].
    modes: [ByteArray; 3],
    /// The last step, for its number, time and states.
    last: StepRecord,
    /// The rows of the current group.
    rows: Vec<Rows>,
    part: Part,
    saved: Instant,
    unsaved: bool,
    /// Has the disk been waited for? A run that is over in a moment does without: a killed process
    /// loses nothing by it, only a machine that loses its power.
    synced: bool,
}

impl ParquetWriter {
    /// Bodies go to `path`, contacts and steps beside it; nothing is written before the run starts.
    #[must_use]
    pub fn new(path: impl AsRef<Path>) -> Self {
        Self {
            paths: Paths::new(path.as_ref()),
            group_rows: 1 << 16,
            save_every: Duration::from_secs(2),
            run: None,
        }
    }

    /// How much of the run, in time, may be lost when the process dies.
    #[must_use]
    pub fn save_every(mut self, time: Duration) -> Self {
        self.save_every = time;
        self
    }

    /// Rows of a table in one row group: what is held in memory.
    #[must_use]
    pub fn group_rows(mut self, rows: usize) -> Self {
        self.group_rows = rows.max(1);
        self
    }

    /// Joins the parts into the files and removes the folder.
    fn join(&self, run: &Run, summary: &Summary) -> Result<(), RecordError> {
        let parts = parts::list(&self.paths.parts)?;
        let ending = summary_metadata(summary)?;
        let joined: Vec<PathBuf> = PART_FILES
            .iter()
            .map(|name| self.paths.parts.join(name))
            .collect();
        for table in 0..run.rows.len() {
            let path = &joined[table];
            let mut file = TableFile::create(path, TABLES[table], &run.metadata[table])?;
            for part in &parts {
                file.append(&part.join(PART_FILES[table]))?;
            }
            file.close(Some(ending.clone()), run.synced)?;
        }
        // The bodies last: a reader that finds them finds the others too.
        let order = [JOINTS, CONTACTS, STEPS, BODIES];
        for table in order.into_iter().filter(|&table| table < run.rows.len()) {
            let path = &self.paths.tables[table];
            fs::rename(&joined[table], path).map_err(RecordError::io(path))?;
        }
        parts::remove(&self.paths.parts)
    }
}

impl Recorder for ParquetWriter {
    fn start(&mut self, header: &Header, initial: &StepRecord) -> Result<(), RecordError> {
        header.validate()?;
        check_step(&header.bodies, initial)?;
        joints::check_joints(&header.joints, initial)?;
        let mut run = Run {
            header: header.clone(),
            metadata: (0..tables_of(header))
                .map(|table| header_metadata(header, table))
                .collect::<Result<_, _>>()?,
            names: bytes(&header.bodies),
            joints: bytes(&header.joints),
            modes: MODES.map(|mode| ByteArray::from(mode.name())),
            last: StepRecord::default(),
            rows: TABLES[..tables_of(header)]
                .iter()
                .map(|c| Rows::new(c))
                .collect(),
            part: parts::create(&self.paths.parts)?,
            saved: Instant::now(),
            unsaved: false,
            synced: false,
        };
        run.push(initial)?;
        run.save(&self.paths.parts, false)?;
        parts::remove_earlier(&self.paths.parts, run.part.run)?;
        // The files of an earlier run must not pass for those of this one if this one dies.
        for path in &self.paths.tables {
            match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(RecordError::io(path)(error));
                }
                _ => {}
            }
        }
        self.run = Some(run);
        Ok(())
    }

    fn record(&mut self, before: Start<'_>, step: &StepRecord) -> Result<(), RecordError> {
        let run = self
            .run
            .as_mut()
            .ok_or(RecordError::Order("record before start or after finish"))?;
        check_successor(&run.header, &run.last, before, step)?;
        let last = &run.last;
        if step.step != last.step + 1 || !same_start(before, last.t, &last.bodies) {
            run.push_states(step.step - 1, before.t, before.bodies, true)?;
        }
        run.push(step)?;
        if run.rows.iter().any(|rows| rows.len >= self.group_rows) {
            run.save(&self.paths.parts, true)?;
            run.part.group += 1;
            run.part.version = 0;
            run.rows.iter_mut().for_each(Rows::clear);
        } else if run.saved.elapsed() >= self.save_every {
            run.save(&self.paths.parts, true)?;
        }
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> Result<(), RecordError> {
        let mut run = self
            .run
            .take()
            .ok_or(RecordError::Order("finish before start"))?;
        if run.unsaved {
            run.save(&self.paths.parts, false)?;
        }
        self.join(&run, summary)
    }
}

impl Drop for ParquetWriter {
    fn drop(&mut self) {
        // A run that was not finished keeps its last rows if the disk allows; there is nobody to tell.
        if let Some(run) = self.run.as_mut().filter(|run| run.unsaved) {
            let _ = run.save(&self.paths.parts, true);
        }
    }
}

impl Run {
    fn save(&mut self, folder: &Path, sync: bool) -> Result<(), RecordError> {
        parts::save(folder, self.part, &self.rows, &self.metadata, sync)?;
        self.synced |= sync;
        self.part.version += 1;
        self.saved = Instant::now();
        self.unsaved = false;
        Ok(())
    }

    fn push_states(
        &mut self,
        step: u64,
        t: f64,
        bodies: &[BodyState],
        start: bool,
    ) -> Result<(), RecordError> {
        let step = int(step, step)?;
        for (name, state) in self.names.iter().zip(bodies) {
            let first = [Value::Int(step), Value::Real(t), Value::Text(name)];
            let row = first
                .into_iter()
                .chain(state_numbers(state).map(Value::Real))
                .chain([Value::Flag(start)]);
            self.rows[BODIES].push(row);
        }
        Ok(())
    }

    /// Adds the rows of one step to all tables.
    fn push(&mut self, step: &StepRecord) -> Result<(), RecordError> {
        let k = step.step;
        self.push_states(k, step.t, &step.bodies, false)?;
        for ci in &step.contacts {
            let c = &ci.contact;
            let [a, b] = c.bodies.map(|i| &self.names[i]);
            let mode = &self.modes[ci.mode as usize];
            let (x, n, p) = (c.point, c.normal, ci.impulse);
            self.rows[CONTACTS].push([
                Value::Int(int(k, k)?),
                Value::Real(step.t),
                Value::Text(a),
                Value::Text(b),
                Value::Int(i64::from(c.feature.0)),
                Value::Real(x.x),
                Value::Real(x.y),
                Value::Real(x.z),
                Value::Real(n.x),
                Value::Real(n.y),
                Value::Real(n.z),
                Value::Real(c.gap),
                Value::Real(c.friction.stick),
                Value::Real(c.friction.slide),
                Value::Real(p.x),
                Value::Real(p.y),
                Value::Real(p.z),
                Value::Text(mode),
                Value::Real(ci.restituted),
                Value::Int(i64::from(c.pieces[0])),
                Value::Int(i64::from(c.pieces[1])),
                Value::Int(i64::from(ci.directions)),
            ]);
        }
        for (name, done) in self.joints.iter().zip(&step.joints) {
            let row = joints::row(int(k, k)?, step.t, name, done);
            self.rows[JOINTS].push(row);
        }
        let solver = ByteArray::from(step.solver.as_str());
        let kind = ByteArray::from(step.kind.name());
        let certificate = &step.certificate;
        let row = [
            Value::Int(int(k, k)?),
            Value::Real(step.t),
            Value::Real(step.energy),
            Value::Int(int(k, step.contacts.len() as u64)?),
            Value::Int(int(k, active(step))?),
            Value::Text(&solver),
            Value::Int(int(k, step.iterations)?),
            Value::Real(certificate.penetration),
            Value::Real(certificate.speed),
            Value::Real(certificate.rounding),
            Value::Real(certificate.floor),
            Value::Real(step.h),
            Value::Text(&kind),
        ];
        let residuals = certificate.residuals.map(Value::Real);
        let certified = Value::Flag(certificate.holds(self.header.tolerance));
        let needs = Value::Real(certificate.needs);
        let allowed = Value::Real(certificate.allowed);
        let rest = residuals.into_iter().chain([needs, allowed, certified]);
        self.rows[STEPS].push(row.into_iter().chain(rest));
        self.last.step = step.step;
        self.last.t = step.t;
        self.last.bodies.clone_from(&step.bodies);
        self.unsaved = true;
        Ok(())
    }
}

fn bytes(names: &[String]) -> Vec<ByteArray> {
    names.iter().map(|n| ByteArray::from(n.as_str())).collect()
}

/// Contacts with an impulse.
pub(super) fn active(step: &StepRecord) -> u64 {
    step.contacts
        .iter()
        .filter(|c| c.mode != Mode::Open)
        .count() as u64
}

/// A number of Parquet's only widely read 64-bit integer type.
fn int(step: u64, number: u64) -> Result<i64, RecordError> {
    i64::try_from(number).map_err(|_| RecordError::Inconsistent {
        step,
        reason: format!("{number} does not fit a signed 64-bit column"),
    })
}
