//! Files handled with care: only plain ones are opened, what is replaced is replaced whole, and an output belongs to one
//! run at a time.

use crate::error::RecordError;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Opens a plain file for reading. A pipe would wait for its other end and a device need never end: neither is opened.
///
/// # Errors
/// Where the operating system refuses, or what is there is no plain file.
pub fn open_plain(path: &Path) -> io::Result<File> {
    let found = fs::metadata(path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => io::Error::new(e.kind(), "there is no such file"),
        _ => e,
    })?;
    if found.is_file() {
        File::open(path)
    } else {
        Err(not_plain())
    }
}

/// Refuses to write where something other than a plain file is.
///
/// # Errors
/// For a folder, a pipe or a device; nothing at all may be there.
pub fn check_plain(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(not_plain()),
        _ => Ok(()),
    }
}

fn not_plain() -> io::Error {
    let message = "this is no plain file (but a folder, a pipe or a device)";
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// Do two paths lead to one file?
#[must_use]
pub fn same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

/// How the name of a file ends that is being written, or was when its process died.
pub const UNFINISHED: &str = ".unfinished";

/// Writes a file whole or not at all: beside it first, then in its place.
///
/// # Errors
/// Where the operating system refuses; what was there before is then there still.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    check_plain(path)?;
    check_folder(path)?;
    // Several processes may write it at once: each beside it for itself.
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let unfinished = beside(
        path,
        &format!(".{}-{count}{UNFINISHED}", std::process::id()),
    );
    let write = || {
        let mut file = File::create(&unfinished)?;
        file.write_all(bytes)?;
        fs::rename(&unfinished, path)
    };
    write().inspect_err(|_| _ = fs::remove_file(&unfinished))
}

/// Is there a folder for this file?
///
/// # Errors
/// Where there is none, with words for whoever asked for the file.
pub fn check_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            let message = format!(
                "cannot be written: there is no folder {}; make it first",
                folder.display()
            );
            Err(io::Error::new(io::ErrorKind::NotFound, message))
        }
        _ => Ok(()),
    }
}

/// `run.parquet.lock` for `run.parquet` and `.lock`.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// An output taken by one run: the file `OUT.lock` beside it, locked as long as the run goes on.
///
/// The lock is the operating system's, which takes it back from a process that died, however it died; the file left by one
/// is taken over. Its text is the process id, for messages.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// Locked until it is closed.
    _file: File,
}

/// How the text of a lock begins.
const MARK: &str = "stickslip process ";
/// Tells the locks of one process apart.
static COUNT: AtomicU64 = AtomicU64::new(0);

impl Lock {
    /// Takes `out` for this process.
    ///
    /// # Errors
    /// [`RecordError::Taken`] where another run has it; where a file of this name is not ours or cannot be written.
    pub fn take(out: &Path) -> Result<Self, RecordError> {
        check_folder(out).map_err(RecordError::io(out))?;
        let path = beside(out, ".lock");
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let text = format!("{MARK}{}\nlock {count}\n", std::process::id());
        let mut tries = 0;
        loop {
            let Some((file, dead)) = locked(&path)? else {
                // A reader that asks who holds it has it for a moment.
                tries += 1;
                if tries < 4 {
                    std::thread::sleep(Duration::from_millis(10));
                    continue;
                }
                let process = holder(&path);
                let path = out.to_path_buf();
                return Err(RecordError::Taken { path, process });
            };
            write_over(&file, &text).map_err(RecordError::io(&path))?;
            // The run before may have removed the file between our opening it and our locking it: then another one is
            // there, or none, and what we have locked is nowhere.
            if fs::read_to_string(&path).is_ok_and(|found| found == text) {
                if let Some(dead) = dead {
                    remove_locks_of(dead, &path);
                }
                return Ok(Self { path, _file: file });
            }
        }
    }

    /// The process that holds `out` now, if one does.
    #[must_use]
    pub fn holder_of(out: &Path) -> Option<u32> {
        let path = beside(out, ".lock");
        let file = open_plain(&path).ok()?;
        let held = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        held.then(|| holder(&path)).flatten()
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Where it cannot be removed it stays behind, without a lock on it: the next run takes it over.
        let _ = fs::remove_file(&self.path);
    }
}

/// Locks that a dead process left on its other outputs in the folder of this one; nobody would come upon them there.
fn remove_locks_of(dead: u32, beside: &Path) {
    let folder = beside.parent().filter(|f| !f.as_os_str().is_empty());
    let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else {
        return;
    };
    let locks = entries.flatten().map(|entry| entry.path());
    for path in locks.filter(|path| path.extension().is_some_and(|ending| ending == "lock")) {
        if path.file_name() != beside.file_name()
            && holder(&path) == Some(dead)
            && let Ok(Some(_held)) = locked(&path)
        {
            let _ = fs::remove_file(&path);
        }
    }
}

/// The file, locked by us, and the process that had it before and died; `None` where a living one has it.
fn locked(path: &Path) -> Result<Option<(File, Option<u32>)>, RecordError> {
    check_plain(path).map_err(RecordError::io(path))?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = options.open(path).map_err(RecordError::io(path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(RecordError::io(path)(error)),
    }
    let mut found = String::new();
    let text = (&file).take(1000).read_to_string(&mut found);
    if text.is_ok() && (found.is_empty() || found.starts_with(MARK)) {
        return Ok(Some((file, process_in(&found))));
    }
    Err(RecordError::Foreign {
        path: path.to_path_buf(),
    })
}

fn write_over(mut file: &File, text: &str) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(text.as_bytes())
}

/// The process that a lock names.
fn holder(path: &Path) -> Option<u32> {
    let mut text = String::new();
    let file = open_plain(path).ok()?;
    file.take(1000).read_to_string(&mut text).ok()?;
    process_in(&text)
}

fn process_in(text: &str) -> Option<u32> {
    text.lines().next()?.strip_prefix(MARK)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_belongs_to_one_run_and_is_free_again_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run.parquet");
        assert_eq!(Lock::holder_of(&out), None);
        let first = Lock::take(&out).unwrap();
        assert_eq!(Lock::holder_of(&out), Some(std::process::id()));
        let message = Lock::take(&out).unwrap_err().to_string();
        let process = format!("process {}", std::process::id());
        assert!(message.contains(&process), "{message}");
        drop(first);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // What a dead process left is taken over; what is not ours is not.
        let lock = beside(&out, ".lock");
        fs::write(&lock, format!("{MARK}1\nlock 0\n")).unwrap();
        assert_eq!(Lock::holder_of(&out), None);
        let (page, other) = (
            folder.path().join("page.html.lock"),
            folder.path().join("b.lock"),
        );
        fs::write(&page, format!("{MARK}1\nlock 1\n")).unwrap();
        fs::write(&other, format!("{MARK}2\nlock 0\n")).unwrap();
        drop(Lock::take(&out).unwrap());
        // So is what it left beside it; another process's lock stays.
        assert_eq!((page.exists(), other.exists()), (false, true));
        fs::write(&lock, "my notes").unwrap();
        let error = Lock::take(&out).unwrap_err();
        assert!(matches!(error, RecordError::Foreign { .. }), "{error}");
        assert_eq!(fs::read_to_string(&lock).unwrap(), "my notes");
    }

    #[test]
    fn of_many_that_want_it_at_once_one_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run.csv");
        let (inside, taken) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        if let Ok(lock) = Lock::take(&out) {
                            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                            taken.fetch_add(1, Ordering::SeqCst);
                            inside.fetch_sub(1, Ordering::SeqCst);
                            drop(lock);
                        }
                    }
                });
            }
        });
        assert!(taken.load(Ordering::SeqCst) >= 50);
        assert_eq!(Lock::holder_of(&out), None);
    }

    #[test]
    fn a_file_is_replaced_whole_and_a_folder_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        replace(&path, b"one").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let error = replace(folder.path(), b"three").unwrap_err().to_string();
        assert!(error.contains("no plain file"), "{error}");
        assert!(open_plain(folder.path()).is_err());
    }
}
