//! Places in the files of a model, and what can be said about them: errors and notes.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// One of the files a model is read from.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name in messages.
    pub file: String,
    /// Its text.
    pub text: Arc<str>,
}

/// Some bytes of a file.
#[derive(Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub source: Arc<Source>,
    /// The bytes.
    pub span: Range<usize>,
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Place {
    /// Line and column, both from 1, the column in characters.
    #[must_use]
    pub fn line_and_column(&self) -> (usize, usize) {
        let text = &self.source.text;
        let mut at = self.span.start.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &text[..at];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (
            before.matches('\n').count() + 1,
            before[start..].chars().count() + 1,
        )
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.line_and_column();
        write!(f, "{}:{line}:{column}", self.source.file)
    }
}

/// A model that cannot be used: what is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct RobotError {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What to do about it, where that is known.
    pub help: Option<String>,
}

/// Errors are rare and travel far, so they are boxed.
pub type Outcome<T> = Result<T, Box<RobotError>>;

impl RobotError {
    pub(crate) fn new(place: &Place, message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            place: place.clone(),
            message: message.into(),
            help: None,
        })
    }

    pub(crate) fn with_help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }
}

/// What becomes of something in the file that has no part in the simulation as it stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Regard {
    /// It is not understood, or has no counterpart here: the motion may differ for it.
    NotUnderstood,
    /// It was understood and changed into something else, which the note says.
    Changed,
    /// It is for pictures, names or other programs only.
    NoEffect,
}

/// Something in the file that is not used as it stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where it stands.
    pub place: Place,
    /// What it is, such as "`solref` of `<geom>`".
    pub what: String,
    /// Why it is not used, or what was made of it; empty where it is simply not known.
    pub why: String,
    /// What becomes of it.
    pub regard: Regard,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)?;
        if self.why.is_empty() {
            return Ok(());
        }
        write!(f, ": {}", self.why)
    }
}
