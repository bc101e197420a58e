//! What is wrong with a scene, and where.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A scene that cannot be used: what is wrong, and the place in the file (or in the `--set` option)
/// where it is. `Display` shows the line with a caret under the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct SceneError {
    /// The name of the scene file, or "the command line" where an override is at fault.
    pub file: String,
    /// The line, counted from 1; 0 when the file could not be read at all.
    pub line: usize,
    /// The column, counted from 1 in characters; 0 when the file could not be read at all.
    pub column: usize,
    /// The bytes of [`SceneError::text`] that are at fault.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it, where that is known: the name that was probably meant, or what is legal.
    pub help: Option<String>,
    /// The text `span` points into.
    pub text: Arc<str>,
}

impl SceneError {
    /// An error at a range of bytes of a text.
    #[must_use]
    pub fn at(
        file: &str,
        text: &Arc<str>,
        span: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Self {
        let start = boundary(text, span.start);
        let end = boundary(text, span.end.max(start));
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            span: start..end,
            message: message.into(),
            help,
            text: Arc::clone(text),
        }
    }

    /// A file that could not be read.
    pub(crate) fn unreadable(file: &str, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line: 0,
            column: 0,
            span: 0..0,
            message: message.into(),
            help: None,
            text: Arc::from(""),
        }
    }

    /// The whole line of the error, without its end.
    fn source_line(&self) -> &str {
        let start = self.text[..self.span.start]
            .rfind('\n')
            .map_or(0, |n| n + 1);
        self.text[start..].lines().next().unwrap_or("")
    }
}

/// The last character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The longest piece of a line that is shown before and after the place of an error, in characters.
const SHOWN: usize = 60;

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            write!(f, "{}: {}", self.file, self.message)?;
        } else {
            let number = self.line.to_string();
            let margin = " ".repeat(number.len());
            let (excerpt, caret_at, carets) = self.excerpt();
            writeln!(f, "{}", self.message)?;
            writeln!(f, "{margin}--> {}:{}:{}", self.file, self.line, self.column)?;
            writeln!(f, "{margin} |")?;
            writeln!(f, "{number} | {excerpt}")?;
            let space = " ".repeat(caret_at);
            write!(f, "{margin} | {space}{}", "^".repeat(carets))?;
        }
        match &self.help {
            Some(help) => write!(f, "\nhelp: {help}"),
            None => Ok(()),
        }
    }
}

impl SceneError {
    /// The part of the line that is shown, where the carets start in it, and how many there are.
    fn excerpt(&self) -> (String, usize, usize) {
        let visible = |c: char| if c.is_control() { ' ' } else { c };
        let line: Vec<char> = self.source_line().chars().map(visible).collect();
        let from = (self.column - 1).min(line.len());
        let wanted = self.text[self.span.clone()]
            .lines()
            .next()
            .map_or(0, |part| part.chars().count());
        let carets = wanted.min(line.len() - from).clamp(1, SHOWN);
        let start = from.saturating_sub(SHOWN);
        let stop = (from + carets + SHOWN).min(line.len());
        let mut excerpt: String = line[start..stop].iter().collect();
        let mut caret_at = from - start;
        if start > 0 {
            excerpt.insert_str(0, "... ");
            caret_at += 4;
        }
        if stop < line.len() {
            excerpt.push_str(" ...");
        }
        (excerpt, caret_at, carets)
    }
}
