//! A run that ended early, or died, goes on into the same files.
//!
//! Its rows become again what they were when it was last saved: whole groups, and one that is being filled. So the files at the end are, byte
//! by byte, those of a run that was never interrupted.

use super::checkpoint::Checkpoint;
use super::columns::Rows;
use super::decode::{TableReader, rows_after};
use super::encode::TableFile;
use super::find::{file_header, is_csv, no_header};
use super::parts::{self, Part};
use super::tables::{
    BODIES, FileHeader, PART_FILES, Paths, STEPS, TABLES, read_checkpoint, tables_of,
};
use super::write::ParquetWriter;
use crate::error::RecordError;
use crate::files::Lock;
use crate::header::{Header, Summary};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use stickslip_model::words::time;

/// A trajectory that goes on.
#[derive(Debug)]
pub struct Resumed {
    /// Takes the steps that come; it has been started.
    pub writer: ParquetWriter,
    /// What the trajectory says about itself.
    pub header: Header,
    /// What the run gave the recorder to remember. `None` where it died before its first step was saved: then it begins anew, and
    /// so does the writer.
    pub memory: Option<Vec<u8>>,
}

/// One file or part of the run, as it lies on disk.
struct Source {
    files: [PathBuf; 4],
    common: FileHeader,
    /// Rows of each table that stand before the group that was being filled.
    skip: [u64; 4],
}

impl ParquetWriter {
    /// Takes up the run that left `path`, from its last saved step, however it ended.
    ///
    /// # Errors
    /// If there is none, another run is writing it, it came to its end, or it is damaged; nothing is changed then, but for what a run left
    /// beside its files that was killed at its very end.
    pub fn resume(path: impl AsRef<Path>) -> Result<Resumed, RecordError> {
        let path = path.as_ref();
        let unresumable = |reason: String| RecordError::Unresumable {
            path: path.to_path_buf(),
            reason,
        };
        if is_csv(path) {
            return Err(unresumable("a CSV holds states only".into()));
        }
        if path.extension().is_some_and(|ending| ending == "toml") {
            return Err(unresumable(
                "this is a scene; give the Parquet file that the run was to write".into(),
            ));
        }
        if path.is_dir() {
            return Err(unresumable(
                "give the file that the run was to write, not the folder of its parts".into(),
            ));
        }
        let paths = Paths::new(path);
        if !path.exists() && !paths.parts.is_dir() {
            let missing = Error::new(ErrorKind::NotFound, "there is no such file");
            return Err(RecordError::io(path)(missing));
        }
        let lock = Lock::take(path)?;
        if path.exists() {
            from_files(path, &paths, lock)
        } else {
            from_parts(path, &paths, lock)
        }
    }
}

/// The time, s, to which a run was saved that died or could not join its parts, and can go on into `path`; `None` where there is no such run.
#[must_use]
pub fn left_at(path: &Path) -> Option<f64> {
    let paths = Paths::new(path);
    if path.exists() || !paths.parts.is_dir() {
        return None;
    }
    let last = *parts::newest(&paths.parts).ok()?.last()?;
    let bytes = parts::checkpoint(&paths.parts, last).ok()??;
    Checkpoint::from_bytes(&paths.parts, &bytes)
        .ok()
        .map(|c| c.t)
}

/// From the parts of a run that died, or could not join them.
fn from_parts(path: &Path, paths: &Paths, lock: Lock) -> Result<Resumed, RecordError> {
    let folder = &paths.parts;
    let parts = parts::newest(folder)?;
    let last = *parts.last().ok_or_else(|| RecordError::NotATrajectory {
        path: folder.clone(),
        reason: "the folder has no parts of one".into(),
    })?;
    let Some(bytes) = parts::checkpoint(folder, last)? else {
        drop(lock);
        return Ok(Resumed {
            header: source(folder, last, [0; 4])?.common.header,
            writer: ParquetWriter::new(path),
            memory: None,
        });
    };
    let checkpoint = Checkpoint::from_bytes(folder, &bytes)?;
    let open = parts.iter().find(|part| part.group == checkpoint.group);
    let mut open = *open.ok_or_else(|| RecordError::Truncated {
        path: folder.clone(),
        reason: format!("part {} is missing", checkpoint.group),
    })?;
    let source = source(folder, open, [0; 4])?;
    let rows = source.open_rows(&checkpoint)?;
    // From here on the run is as it was at the checkpoint.
    for part in parts.iter().filter(|part| part.group > open.group) {
        parts::remove_part(folder, *part)?;
    }
    parts::remove_ending(folder, open.run)?;
    open.version += 1;
    let stands = (checkpoint, bytes);
    let mut resumed = go_on(path, lock, source.common, (open, true), stands, rows)?;
    resumed.writer.replace_earlier()?;
    Ok(resumed)
}

/// From the files of a run that ended early.
fn from_files(path: &Path, paths: &Paths, lock: Lock) -> Result<Resumed, RecordError> {
    let mut steps = TableReader::new(TABLES[STEPS], vec![paths.tables[STEPS].clone()]);
    let common = header_of(&mut steps, &paths.tables[STEPS])?;
    let Some(bytes) = read_checkpoint(steps.metadata()?.as_ref()) else {
        parts::clear_away(&paths.parts, &paths.tables)?;
        return Err(RecordError::Unresumable {
            path: path.to_path_buf(),
            reason: ended(common.summary.as_ref()),
        });
    };
    let mut checkpoint = Checkpoint::from_bytes(&paths.tables[STEPS], &bytes)?;
    let mut source = Source {
        files: paths.tables.clone(),
        common,
        skip: checkpoint.closed,
    };
    let rows = source.open_rows(&checkpoint)?;
    source.common.texts.summary = None;
    let folder = &paths.parts;
    let (first, goes) = parts::create(folder)?;
    // All groups that were full become one part.
    let full = checkpoint.closed.iter().any(|rows| *rows > 0);
    checkpoint.group = u64::from(full);
    let open = Part {
        group: checkpoint.group,
        ..first
    };
    let bytes = checkpoint.to_bytes();
    let written = match full {
        true => source.write_closed(folder, first, &checkpoint),
        false => Ok(()),
    };
    let stands = (checkpoint, bytes);
    let begun = written.and_then(|()| go_on(path, lock, source.common, (open, goes), stands, rows));
    let mut resumed = begun.inspect_err(|_| {
        // The files are there still; what was begun beside them goes.
        let _ = parts::remove_part(folder, first);
        let _ = parts::undo(folder, open, goes);
    })?;
    resumed.writer.replace_earlier()?;
    Ok(resumed)
}

fn go_on(
    path: &Path,
    lock: Lock,
    FileHeader { header, texts, .. }: FileHeader,
    part: (Part, bool),
    (checkpoint, bytes): (Checkpoint, Vec<u8>),
    rows: Vec<Rows>,
) -> Result<Resumed, RecordError> {
    let mut writer = ParquetWriter::new(path);
    let memory = checkpoint.memory.clone();
    writer.go_on(lock, (&header, texts), part, (checkpoint, bytes), rows)?;
    Ok(Resumed {
        writer,
        header,
        memory: Some(memory),
    })
}

/// Why a file without a checkpoint has none.
fn ended(summary: Option<&Summary>) -> String {
    match summary {
        Some(summary) if summary.failure.is_none() => {
            format!("the run came to its end, t = {} s", time(summary.t))
        }
        _ => "it does not hold what a run needs for that".into(),
    }
}

fn header_of(steps: &mut TableReader, path: &Path) -> Result<FileHeader, RecordError> {
    let found = file_header(steps, STEPS, &[path.to_path_buf()])?;
    found.ok_or_else(|| no_header(path))
}

/// A part of a run.
fn source(folder: &Path, part: Part, skip: [u64; 4]) -> Result<Source, RecordError> {
    let files = PART_FILES.map(|name| folder.join(part.name()).join(name));
    let mut steps = TableReader::new(TABLES[STEPS], vec![files[STEPS].clone()]);
    let common = header_of(&mut steps, &files[STEPS])?;
    Ok(Source {
        files,
        common,
        skip,
    })
}

impl Source {
    /// The rows of the group that was being filled, as they were at the checkpoint.
    fn open_rows(&self, checkpoint: &Checkpoint) -> Result<Vec<Rows>, RecordError> {
        let tables = 0..tables_of(&self.common.header);
        let rows = tables.map(|table| {
            let (skip, open) = (self.skip[table], checkpoint.open[table]);
            rows_after(TABLES[table], &self.files[table], skip, open)
        });
        rows.collect()
    }

    /// The groups that were full, as one part.
    fn write_closed(
        &self,
        folder: &Path,
        part: Part,
        checkpoint: &Checkpoint,
    ) -> Result<(), RecordError> {
        let texts = &self.common.texts;
        parts::write(folder, part, |unfinished| {
            for table in BODIES..tables_of(&self.common.header) {
                let path = unfinished.join(PART_FILES[table]);
                let metadata = texts.metadata(table, "");
                let mut file = TableFile::create(&path, TABLES[table], &metadata)?;
                file.append(&self.files[table], checkpoint.closed[table])?;
                file.close(true)?;
            }
            Ok(())
        })
    }
}
