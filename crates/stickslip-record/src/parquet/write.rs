//! Steps to the tables.

use super::checkpoint::Checkpoint;
use super::columns::{Rows, Value};
use super::encode::TableFile;
use super::find::is_ours;
use super::joints;
use super::parts::{self, Part};
use super::reserve::Reserve;
use super::seal::{TableHash, seal};
use super::sink;
use super::tables::{
    BODIES, CONTACTS, JOINTS, PART_FILES, Paths, STEPS, TABLES, Texts, checkpoint_metadata,
    tables_of,
};
use crate::error::RecordError;
use crate::files::Lock;
use crate::header::{Header, Summary};
use crate::recorder::{Memory, Recorder, Start, check_step, state_numbers};
use crate::trajectory::{check_successor, same_start};
use parquet::data_type::ByteArray;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stickslip_model::{BodyState, Mode, StepRecord};

/// In the order of their declaration.
pub(super) const MODES: [Mode; 3] = [Mode::Open, Mode::Stick, Mode::Slide];

/// Bytes kept on the disk for what a run remembers beside the records of its steps.
const MEMORY_ROOM: usize = 1 << 14;

/// Writes a trajectory as Parquet: `run.parquet` and its sister tables.
///
/// Nothing is lost when the process dies but what came after the last save (at most
/// [`ParquetWriter::save_every`], by default two seconds): until `finish` the rows are in the folder
/// `run.parquet.parts`, which every reader accepts. When the disk is full nothing is lost at all: room for what is not
/// saved yet is kept ([`RecordError::Kept`]). The finished files depend only on the steps,
/// never on how long the run took.
///
/// The output is taken for this run by a lock beside it ([`Lock`]). Files of an earlier run are put away when this one has
/// begun and removed when it has ended; what is not ours is refused.
#[derive(Debug)]
pub struct ParquetWriter {
    paths: Paths,
    group_rows: usize,
    save_every: Duration,
    run: Option<Run>,
    /// Held from `start` to `finish`.
    lock: Option<Lock>,
}

/// A run that has started.
#[derive(Debug)]
pub(super) struct Run {
    header: Header,
    texts: Texts,
    names: Vec<ByteArray>,
    joints: Vec<ByteArray>,
    /// Names of the modes, in the order of [`Mode`].
    modes: [ByteArray; 3],
    /// The last step, for its number, time and states.
    last: StepRecord,
    /// The rows of the current group, one for each table, that of the joints only where there are some.
    rows: Vec<Rows>,
    /// The hash of each table, and how many of the rows of the current group are in it.
    hashes: [TableHash; 4],
    hashed: [usize; 4],
    part: Part,
    /// Is the folder of parts to go when the run has ended?
    goes: bool,
    saved: Saved,
    reserve: Reserve,
    /// Rows of each table in the groups that are full.
    closed: [u64; 4],
    /// What the run needs to go on, as it was last asked for it.
    checkpoint: Option<Vec<u8>>,
    /// Is the writer told what to remember? Then rows are saved with it.
    remembers: bool,
    unsaved: bool,
    /// Has it taken the place of earlier runs? It does so with its first step: one that does not come about changes nothing.
    begun: bool,
    /// Has the disk been waited for? A run that is over in a moment does without: a killed process
    /// loses nothing by it, only a machine that loses its power.
    synced: bool,
}

/// What the last save was.
#[derive(Debug)]
struct Saved {
    when: Instant,
    /// Number and time of the last step in it.
    step: u64,
    t: f64,
    /// Rows of the current group in it, and the bytes that they take; those of a part with next to no rows.
    rows: [usize; 4],
    bytes: u64,
    least: u64,
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
            lock: None,
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

    /// Goes on with a run that stands at this checkpoint, whose open rows are these.
    pub(super) fn go_on(
        &mut self,
        lock: Lock,
        (header, texts): (&Header, Texts),
        (part, goes): (Part, bool),
        (checkpoint, bytes): (Checkpoint, Vec<u8>),
        rows: Vec<Rows>,
    ) -> Result<(), RecordError> {
        let folder = self.paths.parts.clone();
        let mut run = Run::new(header, part, goes, folder.join(parts::RESERVE))?;
        // Word for word as the file has it.
        run.texts = texts;
        (run.last.step, run.last.t) = (checkpoint.step, checkpoint.t);
        run.last.bodies = checkpoint.bodies;
        run.hashed = checkpoint.open.map(|rows| rows as usize);
        (run.rows, run.closed) = (rows, checkpoint.closed);
        for (hash, stored) in run.hashes.iter_mut().zip(checkpoint.hashes) {
            *hash = stored;
        }
        (run.checkpoint, run.remembers) = (Some(bytes), true);
        run.save(&folder, true)?;
        run.saved.least = run.saved.bytes;
        if run.is_full(self.group_rows) {
            run.next_group();
        }
        let room = run.reserve.hold(run.room());
        room.map_err(RecordError::io(&folder))?;
        (self.run, self.lock) = (Some(run), Some(lock));
        Ok(())
    }

    /// Its run has taken the place of the files of the one it goes on with.
    pub(super) fn replace_earlier(&mut self) -> Result<(), RecordError> {
        match &mut self.run {
            Some(run) => run.begin(&self.paths),
            None => Ok(()),
        }
    }

    /// Refuses to take the place of files that are not ours.
    fn check_free(&self) -> Result<(), RecordError> {
        let foreign = |path: &&PathBuf| path.exists() && !is_ours(path);
        match self.paths.tables.iter().find(foreign) {
            Some(path) => Err(RecordError::Foreign { path: path.clone() }),
            None => Ok(()),
        }
    }

    /// Joins the parts into the files and removes the folder. Where the run ended `early`, it can go on from them.
    fn join(&self, run: &Run, ended: &(Texts, String), early: bool) -> Result<(), RecordError> {
        let parts = parts::list(&self.paths.parts)?;
        let joined = PART_FILES.map(|name| self.paths.parts.join(name));
        for table in 0..run.rows.len() {
            let write = || {
                let mut metadata = ended.0.metadata(table, &ended.1);
                let kept = run.checkpoint.as_deref();
                let kept = kept.filter(|_| early && table == STEPS);
                metadata.extend(kept.map(checkpoint_metadata));
                let mut file = TableFile::create(&joined[table], TABLES[table], &metadata)?;
                for part in &parts {
                    file.append(&part.join(PART_FILES[table]), u64::MAX)?;
                }
                file.close(run.synced)
            };
            write().inspect_err(|_| {
                for path in &joined {
                    let _ = sink::remove_file(path);
                }
            })?;
        }
        // The bodies last: a reader that finds them finds the others too.
        let order = [JOINTS, CONTACTS, STEPS, BODIES];
        for table in order.into_iter().filter(|&table| table < run.rows.len()) {
            let path = &self.paths.tables[table];
            fs::rename(&joined[table], path).map_err(RecordError::io(path))?;
        }
        parts::remove(&self.paths.parts, &self.paths.tables, run.goes)
    }

    /// Saves what is due, and keeps room for what comes.
    fn keep_up(&self, run: &mut Run, memory: Option<Memory<'_>>) -> Result<(), RecordError> {
        let due = run.is_full(self.group_rows) || run.saved.when.elapsed() >= self.save_every;
        run.keep(&self.paths.parts, memory, due)?;
        if run.is_full(self.group_rows) {
            run.next_group();
        }
        Ok(())
    }

    /// An error of the disk, with what is kept all the same.
    fn or_kept(&self, run: &Run, error: RecordError) -> RecordError {
        match error {
            RecordError::Io { .. } => self.kept(run, error),
            other => other,
        }
    }

    /// An error, with what is kept all the same.
    fn kept(&self, run: &Run, error: RecordError) -> RecordError {
        RecordError::Kept {
            source: Box::new(error),
            path: self.paths.tables[BODIES].clone(),
            step: run.saved.step,
            t: run.saved.t,
        }
    }
}

impl Recorder for ParquetWriter {
    fn start(&mut self, header: &Header, initial: &StepRecord) -> Result<(), RecordError> {
        header.validate()?;
        check_step(&header.bodies, initial)?;
        joints::check_joints(&header.joints, initial)?;
        self.lock = None;
        let lock = Lock::take(&self.paths.tables[BODIES])?;
        self.check_free()?;
        let folder = &self.paths.parts;
        let (part, goes) = parts::create(folder)?;
        let mut run = Run::new(header, part, goes, folder.join(parts::RESERVE))?;
        run.push(initial)?;
        if let Err(error) = run.save(folder, false) {
            // What was there before is there still; nothing new is left.
            let _ = parts::remove_empty(folder, goes);
            return Err(error);
        }
        run.saved.least = run.saved.bytes;
        if let Err(error) = run.reserve.hold(run.room()) {
            // A disk without room for one step more has none for a run.
            let _ = run.undo(folder);
            return Err(RecordError::io(folder)(error));
        }
        self.run = Some(run);
        self.lock = Some(lock);
        Ok(())
    }

    fn record(&mut self, before: Start<'_>, step: &StepRecord) -> Result<(), RecordError> {
        let order = RecordError::Order("record before start or after finish");
        let mut run = self.run.take().ok_or(order)?;
        let begun = run.begin(&self.paths);
        let result = begun
            .and_then(|()| run.record(before, step))
            .and_then(|()| match run.remembers {
                true => Ok(()),
                false => self.keep_up(&mut run, None),
            });
        let result = result.map_err(|error| self.or_kept(&run, error));
        self.run = Some(run);
        result
    }

    fn remember(&mut self, memory: Memory<'_>, ending: bool) -> Result<(), RecordError> {
        let order = RecordError::Order("remember before start or after finish");
        let mut run = self.run.take().ok_or(order)?;
        run.remembers = true;
        let result = if ending {
            run.checkpoint = Some(run.checkpoint(memory));
            Ok(())
        } else {
            self.keep_up(&mut run, Some(memory))
        };
        let result = result.map_err(|error| self.or_kept(&run, error));
        self.run = Some(run);
        result
    }

    fn finish(&mut self, summary: &Summary) -> Result<(), RecordError> {
        let order = RecordError::Order("finish before start");
        let mut run = self.run.take().ok_or(order)?;
        let lock = self.lock.take();
        let folder = &self.paths.parts;
        let mut end = || {
            run.begin(&self.paths)?;
            if run.unsaved {
                run.save_at_last(folder, None, false)?;
            }
            let ended = run.ended(folder, summary)?;
            run.reserve.give_up().map_err(RecordError::io(folder))?;
            self.join(&run, &ended, summary.failure.is_some())
        };
        let result = end().map_err(|error| self.kept(&run, error));
        drop(lock);
        result
    }
}

impl Drop for ParquetWriter {
    fn drop(&mut self) {
        // A run that was not finished keeps its last rows if the disk allows; there is nobody to tell.
        if let Some(run) = &mut self.run {
            if !run.begun {
                let _ = run.undo(&self.paths.parts);
                return;
            }
            if run.unsaved {
                let _ = run.save_at_last(&self.paths.parts, None, true);
            }
            let _ = run.reserve.give_up();
        }
    }
}

impl Run {
    fn new(header: &Header, part: Part, goes: bool, reserve: PathBuf) -> Result<Self, RecordError> {
        let tables = &TABLES[..tables_of(header)];
        Ok(Self {
            header: header.clone(),
            texts: Texts::of(header)?,
            names: bytes(&header.bodies),
            joints: bytes(&header.joints),
            modes: MODES.map(|mode| ByteArray::from(mode.name())),
            last: StepRecord::default(),
            rows: tables.iter().map(|c| Rows::new(c)).collect(),
            hashes: Default::default(),
            hashed: [0; 4],
            part,
            goes,
            saved: Saved {
                when: Instant::now(),
                step: 0,
                t: 0.0,
                rows: [0; 4],
                bytes: 0,
                least: 0,
            },
            reserve: Reserve::new(reserve),
            closed: [0; 4],
            checkpoint: None,
            remembers: false,
            unsaved: false,
            begun: false,
            synced: false,
        })
    }

    /// Takes the place of earlier runs: their files must not pass for those of this one if it dies.
    fn begin(&mut self, paths: &Paths) -> Result<(), RecordError> {
        if !self.begun {
            parts::remove_earlier(&paths.parts, self.part.run)?;
            parts::set_aside(&paths.parts, &paths.tables)?;
            self.begun = true;
        }
        Ok(())
    }

    /// Leaves everything as it was.
    fn undo(&mut self, folder: &Path) -> Result<(), RecordError> {
        self.reserve.give_up().map_err(RecordError::io(folder))?;
        let first = Part {
            version: 0,
            ..self.part
        };
        parts::undo(folder, first, self.goes)
    }

    fn record(&mut self, before: Start<'_>, step: &StepRecord) -> Result<(), RecordError> {
        check_successor(&self.header, &self.last, before, step)?;
        let last = &self.last;
        if step.step != last.step + 1 || !same_start(before, last.t, &last.bodies) {
            self.push_states(step.step - 1, before.t, before.bodies, true)?;
        }
        self.push(step)
    }

    /// Saves the rows of the group where that is due or the disk has no more room to keep; then keeps room for what comes.
    fn keep(
        &mut self,
        folder: &Path,
        memory: Option<Memory<'_>>,
        due: bool,
    ) -> Result<(), RecordError> {
        let mut room = self.reserve.hold(self.room());
        if due || room.is_err() {
            self.save_at_last(folder, memory, true)?;
            room = self.reserve.hold(self.room());
        }
        // What is saved takes less than what was to be expected: there may be room for less.
        if room.is_err() {
            room = self.reserve.give_up();
            room = room.and_then(|()| self.reserve.hold(self.room()));
        }
        room.map_err(|error| RecordError::io(folder)(error))
    }

    /// Bytes that the next save may take.
    fn room(&self) -> u64 {
        let unsaved = (self.rows.iter().zip(self.saved.rows))
            .map(|(rows, saved)| (rows.len - saved) * rows.columns.len());
        let columns: usize = self.rows.iter().map(|rows| rows.columns.len()).sum();
        let names: usize = self
            .names
            .iter()
            .chain(&self.joints)
            .map(ByteArray::len)
            .sum();
        // No column takes more bytes than its values, eight each, beside its description; names stand in dictionaries.
        let values = 8 * unsaved.sum::<usize>() + 512 * columns + 4 * names;
        // What the run remembers may have grown by as much as it was, and names its last contacts once more.
        let remembered = self.checkpoint.as_ref().map_or(0, Vec::len) + MEMORY_ROOM;
        self.saved.bytes + (values + remembered) as u64
    }

    /// Saves, with what the run needs to go on; where the disk is full, in the room that was kept.
    fn save_at_last(
        &mut self,
        folder: &Path,
        memory: Option<Memory<'_>>,
        sync: bool,
    ) -> Result<(), RecordError> {
        if let Some(memory) = memory {
            self.checkpoint = Some(self.checkpoint(memory));
        }
        if self.save(folder, sync).is_ok() {
            return Ok(());
        }
        self.reserve.give_up().map_err(RecordError::io(folder))?;
        self.save(folder, sync)
    }

    fn save(&mut self, folder: &Path, sync: bool) -> Result<(), RecordError> {
        let seal = self.seal(&self.texts.clone());
        let texts = (&self.texts, seal.as_str());
        let kept = self.checkpoint.as_deref();
        let bytes = parts::save(folder, self.part, &self.rows, texts, kept, sync)?;
        self.synced |= sync;
        self.part.version += 1;
        self.saved = Saved {
            when: Instant::now(),
            step: self.last.step,
            t: self.last.t,
            rows: self.hashed,
            bytes,
            ..self.saved
        };
        self.unsaved = false;
        Ok(())
    }

    fn is_full(&self, group_rows: usize) -> bool {
        self.rows.iter().any(|rows| rows.len >= group_rows)
    }

    /// The group at hand is full and saved.
    pub(super) fn next_group(&mut self) {
        for (closed, rows) in self.closed.iter_mut().zip(&self.rows) {
            *closed += rows.len as u64;
        }
        self.part.group += 1;
        self.part.version = 0;
        self.rows.iter_mut().for_each(Rows::clear);
        self.hashed = [0; 4];
        self.saved.rows = [0; 4];
        self.saved.bytes = self.saved.least;
    }

    /// What the run needs to go on from here.
    fn checkpoint(&mut self, memory: Memory<'_>) -> Vec<u8> {
        self.hash_rows();
        let checkpoint = Checkpoint {
            group: self.part.group,
            closed: self.closed,
            open: self.hashed.map(|rows| rows as u64),
            hashes: self.hashes.to_vec(),
            step: self.last.step,
            t: self.last.t,
            bodies: self.last.bodies.clone(),
            memory: memory(),
        };
        checkpoint.to_bytes()
    }

    /// The seal of all rows so far.
    fn seal(&mut self, texts: &Texts) -> String {
        self.hash_rows();
        seal(texts, self.hashes.iter())
    }

    fn hash_rows(&mut self) {
        for (table, rows) in self.rows.iter().enumerate() {
            let new = self.hashed[table]..rows.len;
            new.for_each(|row| self.hashes[table].add(rows, row));
            self.hashed[table] = rows.len;
        }
    }

    /// Texts and seal of the run that has ended, kept beside its parts until they are joined.
    fn ended(&mut self, folder: &Path, summary: &Summary) -> Result<(Texts, String), RecordError> {
        let texts = self.texts.ended(summary)?;
        let seal = self.seal(&texts);
        let json = texts.summary.as_deref().unwrap_or_default();
        if parts::save_ending(folder, self.part.run, json, &seal).is_err() {
            let _ = self.reserve.give_up();
            parts::save_ending(folder, self.part.run, json, &seal)?;
        }
        Ok((texts, seal))
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
                Value::Real(ci.moment.x),
                Value::Real(ci.moment.y),
                Value::Real(ci.moment.z),
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
