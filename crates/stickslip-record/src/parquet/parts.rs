//! The folder of a run that has not ended.
//!
//! It holds one folder for each group of rows, named `RUN-GROUP-VERSION`, with the tables of
//! that group as whole Parquet files. The last group grows: each time it is saved it becomes a
//! folder of the next version, and the version before is removed. A run that finds the folder of an
//! earlier one takes the next run number and removes the earlier parts after its own first save. A
//! part gets its name only when its files are complete, so a run can be killed at any moment and
//! what was saved can be read: the newest version of each group of the newest run.
//!
//! Each part also has what the run needs to go on from there (`checkpoint`), from its first step on.
//!
//! Beside the parts lie, at times: `unfinished`, a part being written; `reserve`, room for what is not saved yet; `earlier`,
//! the files of the run before, which is to be replaced; `RUN-ending`, how the run ended, where the parts could not be joined; and
//! always `made-by-stickslip`: a folder without it is not ours and is refused. Only files of these names are ever removed, one
//! by one; whatever else lies in the folder stays, and the folder with it.

use super::columns::Rows;
use super::encode::TableFile;
use super::sink;
use super::tables::{PART_CHECKPOINT, PART_FILES, TABLES, Texts, part_files};
use crate::error::RecordError;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Not yet complete.
const UNFINISHED: &str = "unfinished";
/// The files of the run before.
const EARLIER: &str = "earlier";
/// Room for what is not saved yet.
pub(super) const RESERVE: &str = "reserve";
/// Says that the folder is ours.
const MARK: &str = "made-by-stickslip";
const MARK_TEXT: &str =
    "Parts of a trajectory. A run that ends joins them and removes this folder.\n";

/// The number of a part, in the order in which parts are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    pub(super) run: u64,
    pub(super) group: u64,
    pub(super) version: u64,
}

impl Part {
    pub(super) fn name(self) -> String {
        format!("{}-{:06}-{:06}", self.run, self.group, self.version)
    }

    fn from_name(name: &str) -> Option<Self> {
        let mut numbers = name.splitn(3, '-').map(|number| number.parse().ok());
        let part = Self {
            run: numbers.next()??,
            group: numbers.next()??,
            version: numbers.next()??,
        };
        (part.name() == name).then_some(part)
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
pub(super) fn newest(folder: &Path) -> Result<Vec<Part>, RecordError> {
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
    Ok(newest)
}

/// The parts of the newest run, in order; empty if nothing has been saved.
pub(super) fn list(folder: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let paths = newest(folder)?;
    let paths = paths.iter().map(|part| folder.join(part.name()));
    Ok(paths.collect())
}

/// Makes the folder if there is none; the first part of a new run in it, and whether the folder is to go with the parts.
pub(super) fn create(folder: &Path) -> Result<(Part, bool), RecordError> {
    let io = |error| RecordError::io(folder)(error);
    let made = match fs::create_dir(folder) {
        Ok(()) => true,
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(io(error)),
        Err(_) => false,
    };
    let mark = folder.join(MARK);
    let ours = mark.is_file();
    if !ours {
        let empty = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
        if !empty {
            return Err(RecordError::Foreign {
                path: folder.to_path_buf(),
            });
        }
        fs::write(&mark, MARK_TEXT).map_err(|error| {
            let _ = fs::remove_file(&mark);
            if made {
                let _ = fs::remove_dir(folder);
            }
            RecordError::io(&mark)(error)
        })?;
    }
    let run = all(folder)?.last().map_or(0, |part| part.run + 1);
    let first = Part {
        run,
        ..Part::default()
    };
    Ok((first, made || ours))
}

/// Removes all parts but those of this run.
pub(super) fn remove_earlier(folder: &Path, run: u64) -> Result<(), RecordError> {
    let mut others = all(folder)?;
    others.retain(|part| part.run != run);
    for part in &others {
        remove_part(folder, *part)?;
    }
    // The endings last: what is left of a run that has one is not needed any more.
    for part in &others {
        remove_ending(folder, part.run)?;
    }
    Ok(())
}

/// Puts the files of an earlier run away until this one has ended.
pub(super) fn set_aside(folder: &Path, tables: &[PathBuf; 4]) -> Result<(), RecordError> {
    let earlier = folder.join(EARLIER);
    let present: Vec<&PathBuf> = tables.iter().filter(|table| table.exists()).collect();
    if present.is_empty() {
        return Ok(());
    }
    // Those of a run before that, if there are any, have been replaced.
    remove_files(&earlier, names(tables))?;
    fs::create_dir_all(&earlier).map_err(RecordError::io(&earlier))?;
    // The bodies first: without them a reader looks for parts.
    for table in present {
        let place = earlier.join(table.file_name().unwrap_or_default());
        fs::rename(table, &place).map_err(RecordError::io(&place))?;
    }
    Ok(())
}

fn names(tables: &[PathBuf; 4]) -> impl Iterator<Item = &Path> {
    tables.iter().filter_map(|t| t.file_name()).map(Path::new)
}

/// Removes files of these names from a folder, then the folder if nothing else is in it.
fn remove_files<N: AsRef<Path>>(
    folder: &Path,
    names: impl IntoIterator<Item = N>,
) -> Result<(), RecordError> {
    if !folder.is_dir() {
        return Ok(());
    }
    for name in names {
        let path = folder.join(name);
        sink::remove_file(&path).map_err(RecordError::io(&path))?;
    }
    match fs::remove_dir(folder) {
        Err(error) if error.kind() != ErrorKind::DirectoryNotEmpty => {
            Err(RecordError::io(folder)(error))
        }
        _ => Ok(()),
    }
}

/// Removes all that is ours; the folder too where it `goes` with that and nothing else is in it.
pub(super) fn remove(folder: &Path, tables: &[PathBuf; 4], goes: bool) -> Result<(), RecordError> {
    remove_earlier(folder, u64::MAX)?;
    remove_files(&folder.join(UNFINISHED), part_files())?;
    remove_files(&folder.join(EARLIER), names(tables))?;
    remove_empty(folder, goes)
}

/// Removes what a run left that was killed after its files were joined.
pub(super) fn clear_away(folder: &Path, tables: &[PathBuf; 4]) -> Result<(), RecordError> {
    if !folder.join(MARK).is_file() || (!all(folder)?.is_empty() && ending(folder).is_none()) {
        return Ok(());
    }
    let reserve = folder.join(RESERVE);
    sink::remove_file(&reserve).map_err(RecordError::io(&reserve))?;
    remove(folder, tables, true)
}

/// Removes the first part of a run that did not come about.
pub(super) fn undo(folder: &Path, part: Part, goes: bool) -> Result<(), RecordError> {
    remove_part(folder, part)?;
    remove_empty(folder, goes)
}

/// Removes the mark, and the folder where it `goes` with it, unless there is something else in it.
pub(super) fn remove_empty(folder: &Path, goes: bool) -> Result<(), RecordError> {
    let mut rest = fs::read_dir(folder).map_err(RecordError::io(folder))?;
    if rest.any(|entry| entry.is_ok_and(|entry| entry.file_name() != MARK)) {
        return Ok(());
    }
    let mark = folder.join(MARK);
    sink::remove_file(&mark).map_err(RecordError::io(&mark))?;
    if goes {
        fs::remove_dir(folder).map_err(RecordError::io(folder))?;
    }
    Ok(())
}

/// Writes a part whole or not at all: `fill` writes its files into a folder, which then gets its name.
pub(super) fn write<T>(
    folder: &Path,
    part: Part,
    fill: impl FnOnce(&Path) -> Result<T, RecordError>,
) -> Result<T, RecordError> {
    let unfinished = folder.join(UNFINISHED);
    remove_files(&unfinished, part_files())?;
    let write = || {
        fs::create_dir_all(&unfinished).map_err(RecordError::io(&unfinished))?;
        let filled = fill(&unfinished)?;
        let path = folder.join(part.name());
        fs::rename(&unfinished, &path).map_err(RecordError::io(&path))?;
        Ok(filled)
    };
    let written = write();
    if written.is_err() {
        // The room it took may be wanted; the error is what counts.
        let _ = remove_files(&unfinished, part_files());
    }
    written
}

/// Saves one group of rows with what the run needs to go on, and removes its version before; how many bytes it takes.
pub(super) fn save(
    folder: &Path,
    part: Part,
    rows: &[Rows],
    (texts, seal): (&Texts, &str),
    checkpoint: Option<&[u8]>,
    sync: bool,
) -> Result<u64, RecordError> {
    let bytes = write(folder, part, |unfinished| {
        let mut bytes = 0;
        for table in 0..rows.len() {
            let path = unfinished.join(PART_FILES[table]);
            let metadata = texts.metadata(table, seal);
            let mut file = TableFile::create(&path, TABLES[table], &metadata)?;
            file.write(&rows[table])?;
            bytes += file.close(sync)?;
        }
        if let Some(checkpoint) = checkpoint {
            let path = unfinished.join(PART_CHECKPOINT);
            write_file(&path, checkpoint, sync).map_err(RecordError::io(&path))?;
            bytes += checkpoint.len() as u64;
        }
        Ok(bytes)
    })?;
    if let Some(version) = part.version.checked_sub(1) {
        remove_part(folder, Part { version, ..part })?;
    }
    Ok(bytes)
}

fn write_file(path: &Path, bytes: &[u8], sync: bool) -> io::Result<()> {
    let mut file = sink::Sink::create(path)?;
    file.write_all(bytes)?;
    if sync {
        file.file().sync_data()?;
    }
    Ok(())
}

/// Removes one part.
pub(super) fn remove_part(folder: &Path, part: Part) -> Result<(), RecordError> {
    remove_files(&folder.join(part.name()), part_files())
}

/// What the run needs to go on, as the part keeps it; `None` where it keeps nothing.
pub(super) fn checkpoint(folder: &Path, part: Part) -> Result<Option<Vec<u8>>, RecordError> {
    let path = folder.join(part.name()).join(PART_CHECKPOINT);
    match fs::read(&path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(RecordError::io(&path)(error)),
    }
}

fn ending_path(folder: &Path, run: u64) -> PathBuf {
    folder.join(format!("{run}-ending"))
}

/// Keeps the summary of a run, as JSON, and its seal.
pub(super) fn save_ending(
    folder: &Path,
    run: u64,
    summary: &str,
    seal: &str,
) -> Result<(), RecordError> {
    let path = ending_path(folder, run);
    let text = format!("{seal}\n{summary}\n");
    write_file(&path, text.as_bytes(), false).map_err(|error| {
        let _ = sink::remove_file(&path);
        RecordError::io(&path)(error)
    })
}

/// Forgets how a run ended: it goes on.
pub(super) fn remove_ending(folder: &Path, run: u64) -> Result<(), RecordError> {
    let path = ending_path(folder, run);
    sink::remove_file(&path).map_err(RecordError::io(&path))
}

/// Summary and seal of the newest run, where they were kept.
pub(super) fn ending(folder: &Path) -> Option<(String, String)> {
    let run = newest(folder).ok()?.last()?.run;
    let text = fs::read_to_string(ending_path(folder, run)).ok()?;
    let (seal, summary) = text.strip_suffix('\n')?.split_once('\n')?;
    Some((summary.to_owned(), seal.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_of_each_group_of_the_newest_run_counts() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("run.parquet.parts");
        assert_eq!(create(&folder).unwrap(), (Part::default(), true));
        let make = |name: &str| fs::create_dir(folder.join(name)).unwrap();
        for name in ["1-000000-000000", "1-000001-000007", UNFINISHED, "x", "1-2"] {
            make(name);
        }
        for name in ["2-000000-000009", "2-000000-000010", "2-000001-000003"] {
            make(name);
        }
        let found = list(&folder).unwrap();
        let expected = ["2-000000-000010", "2-000001-000003"];
        assert_eq!(found, expected.map(|name| folder.join(name)));
        assert_eq!(create(&folder).unwrap().0.run, 3);
        remove_earlier(&folder, 2).unwrap();
        assert_eq!(all(&folder).unwrap().len(), 3);
        make("2-000003-000000");
        let error = list(&folder).unwrap_err();
        assert!(error.to_string().contains("part 2 is missing"), "{error}");
    }

    #[test]
    fn what_is_not_ours_is_refused_or_left() {
        let place = tempfile::tempdir().unwrap();
        let tables = super::super::tables::Paths::new(&place.path().join("run.parquet")).tables;
        let folder = place.path().join("run.parquet.parts");
        // A folder with something in it, and a file.
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("thesis.txt"), "mine").unwrap();
        let foreign = |error: &RecordError| matches!(error, RecordError::Foreign { .. });
        assert!(foreign(&create(&folder).unwrap_err()));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_file(folder.join("thesis.txt")).unwrap();
        // An empty one is used, and left.
        assert_eq!(create(&folder).unwrap(), (Part::default(), false));
        remove(&folder, &tables, false).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::remove_dir(&folder).unwrap();
        fs::write(&folder, "a file").unwrap();
        assert!(foreign(&create(&folder).unwrap_err()));
        fs::remove_file(&folder).unwrap();
        // What someone put into ours stays, wherever it is, and ours goes.
        create(&folder).unwrap();
        for part in ["0-000000-000000", "0-000001-000000", UNFINISHED, EARLIER] {
            fs::create_dir(folder.join(part)).unwrap();
            fs::write(folder.join(part).join(PART_FILES[0]), "rows").unwrap();
            fs::write(folder.join(part).join("notes.txt"), "mine").unwrap();
        }
        fs::write(folder.join("notes.txt"), "mine").unwrap();
        remove(&folder, &tables, true).unwrap();
        let left = |name: &str| fs::read_dir(folder.join(name)).unwrap().count();
        assert_eq!((left("0-000000-000000"), left("0-000001-000000")), (1, 1));
        assert_eq!((left(UNFINISHED), left(EARLIER), left("")), (1, 2, 6));
    }
}
