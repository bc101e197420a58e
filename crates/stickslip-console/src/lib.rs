//! What the commands of the program share: how a command ends (verdict or failure, with its exit code), printing, and
//! numbers for people.
//!
//! Nothing here computes; a command does its work with the library and says the result with this.

pub mod pace;
pub mod progress;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::time::Duration;
use stickslip::prelude::{BuildError, SceneError};
use stickslip::record::RecordError;
use stickslip::record::files::check_folder;

pub use stickslip::model::words::time;

/// Did the work come out well?
pub enum Verdict {
    /// Exit 0.
    Good,
    /// Exit 1: not converged, not valid. The command has said why.
    Bad,
    /// Exit 2: bad input, of which another program has told.
    Refused,
    /// Exit 3: nothing is wrong as far as can be seen, but not all of it can be judged.
    Unjudged,
    /// Exit 130: ended by a signal, with everything kept.
    Interrupted,
}

impl Verdict {
    /// Good where `good`.
    #[must_use]
    pub fn of(good: bool) -> Self {
        if good { Self::Good } else { Self::Bad }
    }

    /// The exit code of the program.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::Bad => 1,
            Self::Refused => 2,
            Self::Unjudged => 3,
            Self::Interrupted => 130,
        }
    }
}

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Exit 2, with the place in the scene file.
    #[error("{0}")]
    Scene(#[from] SceneError),
    /// Exit 2.
    #[error("{0}")]
    Build(#[from] BuildError),
    /// Exit 2: a trajectory that cannot be read, or not be written; exit 1 if it could no longer be written, but is kept.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// Exit 2.
    #[error("{0}")]
    Input(String),
    /// Exit 1: the input is good, but its result cannot be delivered.
    #[error("{0}")]
    Work(String),
}

impl Failure {
    /// Of a file that cannot be written. One rule for every command: bad input where the file asked for cannot be (no such folder, no plain
    /// file, not ours to write), failed work where the input is good and the disk is not (full, broken).
    #[must_use]
    pub fn unwritten(path: &Path, error: io::Error) -> Self {
        let error = check_folder(path).err().unwrap_or(error);
        let message = format!("{}: {error}", path.display());
        match error.kind() {
            ErrorKind::NotFound
            | ErrorKind::PermissionDenied
            | ErrorKind::InvalidInput
            | ErrorKind::InvalidFilename
            | ErrorKind::IsADirectory
            | ErrorKind::NotADirectory
            | ErrorKind::ReadOnlyFilesystem => Self::Input(message),
            _ => Self::Work(message),
        }
    }

    /// Prints the error and gives the exit code.
    pub fn report(self) -> u8 {
        let mut stderr = std::io::stderr().lock();
        // Nothing is left to tell if standard error is closed.
        let _ = writeln!(stderr, "error: {self}");
        let work = matches!(self, Self::Work(_) | Self::Record(RecordError::Kept { .. }));
        if work { 1 } else { 2 }
    }
}

/// Prints one line (or more) to standard output. A reader that has seen enough and closed the pipe is no
/// error; a full disk is.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Work(format!("standard output: {e}")))
        }
        _ => Ok(()),
    }
}

/// Prints one JSON object, for `--json`. Times of a run, under the key `t`, are those of messages: 0.41, not 0.41000000000000003.
pub fn print_json(value: &Value) -> Result<(), Failure> {
    print(&with_clean_times(value).to_string())
}

/// A time of a run, s, as messages say it.
#[must_use]
pub fn clean_time(t: f64) -> f64 {
    time(t).parse().unwrap_or(t)
}

fn with_clean_times(value: &Value) -> Value {
    let clean = |(key, inner): (&String, &Value)| {
        let t = inner.as_f64().filter(|_| key == "t").map(clean_time);
        (
            key.clone(),
            t.map_or_else(|| with_clean_times(inner), Value::from),
        )
    };
    match value {
        Value::Object(entries) => entries.iter().map(clean).collect(),
        Value::Array(entries) => entries.iter().map(with_clean_times).collect(),
        other => other.clone(),
    }
}

/// Prints the result as one JSON object, or in words; only the one asked for is made.
pub fn print_as(
    as_json: bool,
    json: impl FnOnce() -> Value,
    text: impl FnOnce() -> String,
) -> Result<(), Failure> {
    if as_json {
        print_json(&json())
    } else {
        print(&text())
    }
}

/// A progress bar on standard error, where that is a terminal; none if `hidden`.
pub fn progress_bar(length: u64, unit: &str, hidden: bool) -> ProgressBar {
    if hidden {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    let template = format!("{{bar:40}} {unit} {{pos}}/{{len}}  {{elapsed}} elapsed, {{eta}} left");
    bar.set_style(
        ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar
}

/// A number of seconds above zero, the value of an option.
///
/// # Errors
/// Where it is none.
pub fn positive_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|s| *s > 0.0);
    seconds
        .and_then(|s| Duration::try_from_secs_f64(s).ok())
        .ok_or_else(|| "expected a number of seconds above zero".into())
}

/// A whole number above zero, the value of an option.
///
/// # Errors
/// Where it is none.
pub fn positive_count(text: &str) -> Result<u64, String> {
    let count = text.parse().ok().filter(|n| *n > 0);
    count.ok_or_else(|| "expected a whole number above zero".into())
}

/// A duration for people.
pub fn seconds(s: f64) -> String {
    if s < 1e-3 {
        format!("{:.1} µs", s * 1e6)
    } else if s < 1.0 {
        format!("{:.1} ms", s * 1e3)
    } else {
        format!("{s:.2} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn times_of_json_are_those_of_messages() {
        let found = json!({ "rows": [{ "t": 41.0 * 0.01, "x": 41.0 * 0.01 }], "worst": { "t": 0.1 + 0.2 }, "t": null });
        let told = r#"{"rows":[{"t":0.41,"x":0.41000000000000003}],"t":null,"worst":{"t":0.3}}"#;
        assert_eq!(with_clean_times(&found).to_string(), told);
    }

    #[test]
    fn counts_are_whole_and_above_zero() {
        assert_eq!(positive_count("3"), Ok(3));
        for text in ["0", "-1", "2.5", "many", ""] {
            let told = positive_count(text).expect_err("no count");
            assert_eq!(told, "expected a whole number above zero");
        }
    }

    #[test]
    fn a_place_that_cannot_be_is_bad_input_and_a_full_disk_is_not() {
        let code = |path: &Path, kind: ErrorKind| Failure::unwritten(path, kind.into()).report();
        let here = Path::new("out.csv");
        assert_eq!(code(here, ErrorKind::PermissionDenied), 2);
        assert_eq!(code(here, ErrorKind::IsADirectory), 2);
        assert_eq!(code(here, ErrorKind::StorageFull), 1);
        let nowhere = Path::new("no-such-folder/out.csv");
        let told = Failure::unwritten(nowhere, ErrorKind::NotFound.into()).to_string();
        assert!(
            told.ends_with("there is no folder no-such-folder; make it first"),
            "{told}"
        );
    }
}
