//! Runs the built program.
#![allow(dead_code)] // each test program uses a part

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run of the program left.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The root of the workspace, in which the program is run.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The program, to be given arguments.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stickslip"));
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// Runs the program and waits. A panic is a failure of the test, whatever it is about.
pub(crate) fn stickslip<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Ran {
    let output = program()
        .args(arguments)
        .output()
        .expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
    let ran = Ran {
        code: output.status.code().expect("the program ends by itself"),
        out: text(output.stdout),
        err: text(output.stderr),
    };
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    ran
}

impl Ran {
    /// The exit code must be this.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "\nstdout: {}\nstderr: {}",
            self.out, self.err
        );
        self
    }

    /// Standard error must hold these words.
    #[track_caller]
    pub(crate) fn says(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.err.contains(word), "no \"{word}\" in: {}", self.err);
        }
        self
    }

    /// Standard output must be one JSON object on its own.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}", self.out))
    }
}

/// A folder for one test, removed at its end.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// The path of a file in a folder, as text.
pub(crate) fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder
        .path()
        .join(name)
        .to_str()
        .expect("UTF-8")
        .to_string()
}

/// Writes a file and gives its path.
pub(crate) fn write(folder: &tempfile::TempDir, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = path(folder, name);
    std::fs::write(&path, text).expect("written");
    path
}

/// A ball that falls on the ground, with what a test adds.
pub(crate) fn ball(more: &str) -> String {
    format!(
        r#"
format = 1
[step]
h = 0.01
until = 1.0
[material]
friction = 0.5
[[body]]
name = "ground"
motion = "fixed"
shape = {{ half-space = {{ normal = [0, 0, 1] }} }}
[[body]]
name = "ball"
shape = {{ ball = {{ radius = 0.5 }} }}
mass = 1.0
position = [0, 0, 1]
{more}"#
    )
}
