//! Which files make up a trajectory, and what their headers say.

use super::decode::TableReader;
use super::parts;
use super::tables::{BODIES, FileHeader, PART_FILES, Paths, TABLE_NAMES, read_metadata};
use crate::error::RecordError;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// Files of the tables, and how they were found.
pub(super) struct Found {
    pub(super) files: [Vec<PathBuf>; 4],
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
