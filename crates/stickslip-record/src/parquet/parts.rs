//! The folder of a run that has not ended.
//!
//! It holds one folder for each group of rows, named `RUN-GROUP-VERSION`, with the tables of
//! that group as whole Parquet files. The last group grows: each time it is saved it becomes a
//! folder of the next version, and the version before is removed. A run that finds the folder of an
//! earlier one takes the next run number and removes the earlier parts after its own first save. A
//! part gets its name only when its files are complete, so a run can be killed at any moment and
//! what was saved can be read: the newest version of each group of the newest run.

use super::columns::Rows;
use super::encode::TableFile;
use super::tables::{PART_FILES, TABLES};
use crate::error::RecordError;
use parquet::file::metadata::KeyValue;
use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Not yet complete.
const UNFINISHED: &str = "unfinished";

/// The number of a part, in the order in which parts are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    pub(super) run: u64,
    pub(super) group: u64,
    pub(super) version: u64,
}

impl Part {
    fn name(self) -> String {
        format!("{}-{:06}-{:06}", self.run, self.group, self.version)
    }

    fn from_name(name: &str) -> Option<Self> {
        let mut numbers = name.splitn(3, '-').map(|number| number.parse().ok());
        Some(Self {
            run: numbers.next()??,
            group: numbers.next()??,
            version: numbers.next()??,
        })
    }
}

/// Every part in the folder, also those that newer ones replace.
fn all(folder: &Path) -> Result<BTreeSet<Part>, RecordError> {
    let mut parts = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(RecordError::io(folder))? {
        let name = entry.map_err(RecordError::io(folder))?.file_name();
        parts.extend(name.to_str().and_then(Part::from_name));
    }
    Ok(parts)
}

/// The parts of the newest run, in order; empty if nothing has been saved.
pub(super) fn list(folder: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let mut newest: Vec<Part> = Vec::new();
    for part in all(folder)? {
        if newest.last().is_some_and(|last| last.run != part.run) {
            newest.clear();
        }
        if newest.last().is_some_and(|last| last.group == part.group) {
            newest.pop();
        }
        newest.push(part);
    }
    // Groups are saved in order: a gap means that someone removed one.
    for (expected, part) in (0..).zip(&newest) {
        if expected != part.group {
            return Err(RecordError::Truncated {
                path: folder.to_path_buf(),
                reason: format!("part {expected} is missing"),
            });
        }
    }
    let paths = newest.iter().map(|part| folder.join(part.name()));
    Ok(paths.collect())
}

/// Makes the folder if there is none; the first part of a new run in it.
pub(super) fn create(folder: &Path) -> Result<Part, RecordError> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            return Err(RecordError::io(folder)(error));
        }
        _ => {}
    }
    let run = all(folder)?.last().map_or(0, |part| part.run + 1);
    Ok(Part {
        run,
        ..Part::default()
    })
}

/// Removes all parts but those of this run.
pub(super) fn remove_earlier(folder: &Path, run: u64) -> Result<(), RecordError> {
    for part in all(folder)?.iter().filter(|part| part.run != run) {
        remove(&folder.join(part.name()))?;
    }
    Ok(())
}

/// Removes a folder and all it holds.
pub(super) fn remove(folder: &Path) -> Result<(), RecordError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(RecordError::io(folder)(error)),
        _ => Ok(()),
    }
}

/// Saves one group of rows, and removes its version before.
pub(super) fn save(
    folder: &Path,
    part: Part,
    rows: &[Rows],
    metadata: &[Vec<KeyValue>],
    sync: bool,
) -> Result<(), RecordError> {
    let unfinished = folder.join(UNFINISHED);
    remove(&unfinished)?;
    fs::create_dir(&unfinished).map_err(RecordError::io(&unfinished))?;
    for table in 0..rows.len() {
        let path = unfinished.join(PART_FILES[table]);
        let mut file = TableFile::create(&path, TABLES[table], &metadata[table])?;
        file.write(&rows[table])?;
        file.close(None, sync)?;
    }
    let path = folder.join(part.name());
    fs::rename(&unfinished, &path).map_err(RecordError::io(&path))?;
    match part.version.checked_sub(1) {
        Some(version) => remove(&folder.join(Part { version, ..part }.name())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_of_each_group_of_the_newest_run_counts() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str| fs::create_dir(folder.path().join(name)).unwrap();
        for name in ["1-000000-000000", "1-000001-000007", UNFINISHED, "x", "1-2"] {
            make(name);
        }
        for name in ["2-000000-000009", "2-000000-000010", "2-000001-000003"] {
            make(name);
        }
        let found = list(folder.path()).unwrap();
        let expected = ["2-000000-000010", "2-000001-000003"];
        assert_eq!(found, expected.map(|name| folder.path().join(name)));
        assert_eq!(create(folder.path()).unwrap().run, 3);
        remove_earlier(folder.path(), 2).unwrap();
        assert_eq!(all(folder.path()).unwrap().len(), 3);
        make("2-000003-000000");
        let error = list(folder.path()).unwrap_err();
        assert!(error.to_string().contains("part 2 is missing"), "{error}");
    }
}
