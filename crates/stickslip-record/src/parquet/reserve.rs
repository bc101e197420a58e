//! Room kept on the disk for what has been computed and not yet saved.
//!
//! A full disk is noticed when rows are saved, and by then they are only in memory. So a file beside them takes as much room
//! as the next save may need; when the disk is full it is given up, and the rows take its place. On a file system that
//! compresses or copies what it writes this is likely to be enough, not certain.

use super::sink::{self, Sink};
use std::io::{self, Write};
use std::path::PathBuf;

/// Grows by at least so many bytes at once.
const LEAST: u64 = 1 << 16;

/// The file that keeps room.
#[derive(Debug)]
pub(super) struct Reserve {
    path: PathBuf,
    file: Option<Sink>,
    length: u64,
    /// Its bytes are those of a generator (xorshift64): such as no file system can make smaller.
    state: u64,
}

impl Reserve {
    pub(super) const fn new(path: PathBuf) -> Self {
        Self {
            path,
            file: None,
            length: 0,
            state: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Keeps room for so many bytes, and for more than that if the disk has it.
    ///
    /// # Errors
    /// Where the disk has no room; what was kept before stays.
    pub(super) fn hold(&mut self, bytes: u64) -> io::Result<()> {
        if bytes <= self.length {
            return Ok(());
        }
        let wanted = bytes.max(self.length + (self.length / 2).max(LEAST));
        match self.grow(wanted) {
            Err(error) if self.length < bytes => Err(error),
            _ => Ok(()),
        }
    }

    fn grow(&mut self, wanted: u64) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(Sink::create(&self.path)?),
        };
        let mut block = [0; 4096];
        while self.length < wanted {
            for word in block.chunks_exact_mut(8) {
                self.state ^= self.state << 13;
                self.state ^= self.state >> 7;
                self.state ^= self.state << 17;
                word.copy_from_slice(&self.state.to_le_bytes());
            }
            file.write_all(&block)?;
            self.length += block.len() as u64;
        }
        Ok(())
    }

    /// Gives the room back.
    pub(super) fn give_up(&mut self) -> io::Result<()> {
        self.file = None;
        self.length = 0;
        sink::remove_file(&self.path)
    }
}
