//! Where the bytes of tables go. In tests the disk can have as little room as a test wants.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// A file that is being written.
#[derive(Debug)]
pub(super) struct Sink(File);

impl Sink {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        room::freed(path);
        File::create(path).map(Self)
    }

    pub(super) fn file(&self) -> &File {
        &self.0
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = room::ask(bytes.len())?;
        self.0.write(&bytes[..n])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Removes a file; one that is not there is no error.
pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    room::freed(path);
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The disk is as large as it is.
#[cfg(not(test))]
mod room {
    use std::io;
    use std::path::Path;

    pub(super) const fn ask(bytes: usize) -> io::Result<usize> {
        Ok(bytes)
    }

    pub(super) const fn freed(_: &Path) {}
}

/// A disk with so much room left for this thread's files.
#[cfg(test)]
pub(super) mod room {
    use std::cell::Cell;
    use std::io;
    use std::path::Path;

    thread_local! {
        static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
    }

    /// From now on so many bytes can be written by this thread; `None`: as many as there are.
    pub(crate) fn set(bytes: Option<u64>) {
        LEFT.set(bytes);
    }

    pub(super) fn ask(bytes: usize) -> io::Result<usize> {
        let Some(left) = LEFT.get() else {
            return Ok(bytes);
        };
        if left == 0 && bytes > 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let taken = left.min(bytes as u64);
        LEFT.set(Some(left - taken));
        Ok(taken as usize)
    }

    /// What a file takes is free again when it goes.
    pub(super) fn freed(path: &Path) {
        if let (Some(left), Ok(found)) = (LEFT.get(), std::fs::metadata(path)) {
            LEFT.set(Some(left + found.len()));
        }
    }
}
