//! Which files make up a trajectory, and what their headers say.

use super::decode::TableReader;
use super::parts;
use super::tables::{
    BODIES, CONTACTS, FileHeader, PART_FILES, Paths, STEPS, TABLE_NAMES, TABLES, Texts, has_format,
    read_metadata, read_texts,
};
use crate::error::RecordError;
use crate::files::Lock;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// Files of the tables, and how they were found.
pub(super) struct Found {
    pub(super) files: [Vec<PathBuf>; 4],
    /// The folder of parts, if it is one.
    pub(super) parts: Option<PathBuf>,
    pub(super) warning: Option<String>,
}

pub(crate) fn is_csv(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("csv"))
}

/// The files behind a path: the tables, or the parts that a run left.
pub(super) fn find(path: &Path) -> Result<Found, RecordError> {
    let paths = Paths::new(path);
    let folder = match (path.is_dir(), path.exists(), paths.parts.is_dir()) {
        (true, ..) => path,
        (false, false, true) => &paths.parts,
        (false, false, false) => {
            let missing = Error::new(ErrorKind::NotFound, "there is no such file");
            return Err(RecordError::io(path)(missing));
        }
        (false, true, _) => {
            if let Some(whole) = table_of(path) {
                return Err(RecordError::NotATrajectory {
                    path: path.to_path_buf(),
                    reason: format!("it is a table of one; give {}", whole.display()),
                });
            }
            if is_sweep(path) {
                let reason = "it is the table of a sweep and holds no run; the same table as text is runs.csv beside it, and `stickslip sweep --keep all` keeps the runs";
                return Err(RecordError::NotATrajectory {
                    path: path.to_path_buf(),
                    reason: reason.into(),
                });
            }
            return Ok(Found {
                files: paths.tables.map(|table| vec![table]),
                parts: None,
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
    let out = folder.with_extension("");
    let why = match (parts::ending(folder), Lock::holder_of(&out)) {
        (Some(_), _) => "a run has ended, but its parts could not be joined".into(),
        (None, Some(id)) => {
            format!("a run goes on (process {id}); here are the steps up to its last save")
        }
        (None, None) => {
            "left by a run that did not end; it holds the steps up to its last save".into()
        }
    };
    Ok(Found {
        files,
        parts: Some(folder.to_path_buf()),
        warning: Some(format!("{}: {why}", folder.display())),
    })
}

/// The trajectory of which a file is a table other than the first.
fn table_of(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let stem = PART_FILES[CONTACTS..]
        .iter()
        .find_map(|ending| name.strip_suffix(ending)?.strip_suffix('.'))?;
    let whole = path.with_file_name(format!("{stem}.parquet"));
    whole.is_file().then_some(whole)
}

/// With how the run ended, where that lies beside its parts, and with the seal of the last of them.
pub(super) fn with_ending(
    common: FileHeader,
    folder: &Path,
    steps: &[PathBuf],
) -> Result<FileHeader, RecordError> {
    let not_ours = |reason: String| RecordError::NotATrajectory {
        path: folder.to_path_buf(),
        reason,
    };
    if let Some((summary, seal)) = parts::ending(folder) {
        let texts = Texts {
            summary: Some(summary),
            ..common.texts
        };
        let (header, summary) = read_texts(&texts).map_err(not_ours)?;
        return Ok(FileHeader {
            header,
            summary,
            texts,
            seal: Some(seal),
        });
    }
    let last = steps.last().map(|file| vec![file.clone()]);
    let last = last.unwrap_or_default();
    let mut table = TableReader::new(TABLES[STEPS], last.clone());
    let last = file_header(&mut table, STEPS, &last)?;
    Ok(FileHeader {
        seal: last.and_then(|last| last.seal),
        ..common
    })
}

/// Was this file written by us, in any format? One that holds nothing counts as ours.
pub(super) fn is_ours(path: &Path) -> bool {
    let empty = std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() == 0);
    let metadata = || TableReader::new(&[], vec![path.to_path_buf()]).metadata();
    empty || metadata().is_ok_and(|pairs| pairs.is_some_and(|pairs| has_format(&pairs)))
}

/// What marks the table of a sweep, among the notes of the file.
pub const SWEEP_NOTE: &str = "stickslip.sweep";

fn is_sweep(path: &Path) -> bool {
    let pairs = TableReader::new(&[], vec![path.to_path_buf()]).metadata();
    let notes = pairs.ok().flatten().unwrap_or_default();
    notes.iter().any(|pair| pair.key == SWEEP_NOTE)
}

pub(super) fn no_header(path: &Path) -> RecordError {
    RecordError::NotATrajectory {
        path: path.to_path_buf(),
        reason: "it has no header of stickslip".into(),
    }
}

pub(super) fn file_header(
    table: &mut TableReader,
    index: usize,
    files: &[PathBuf],
) -> Result<Option<FileHeader>, RecordError> {
    let metadata = table.metadata()?;
    let path = files.first().map_or(Path::new(""), PathBuf::as_path);
    read_metadata(path, index, metadata.as_ref())
}

/// The header in which bodies, contacts and steps agree. One that was rewritten without it is believed to belong to
/// the others: what it holds is checked all the same.
pub(super) fn common_header(
    tables: &mut [TableReader; 3],
    files: &[Vec<PathBuf>; 4],
) -> Result<FileHeader, RecordError> {
    let mut common: Option<(usize, FileHeader)> = None;
    for (index, table) in tables.iter_mut().enumerate() {
        let found = file_header(table, index, &files[index])?;
        match (&common, found) {
            (None, Some(header)) => common = Some((index, header)),
            (Some((other, header)), Some(found)) if header.texts != found.texts => {
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
