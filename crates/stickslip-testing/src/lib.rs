//! What the tests of all crates share: seeded random numbers, settings from the environment, and references that are not
//! part of the project, with an account of the tests that were passed over for want of them.
//!
//! The variables are listed on docs/testing.md.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
pub use stickslip_random::Random;

/// A number (or word) of the environment, such as how many random states a test draws; `default` where it is not set.
///
/// # Panics
/// Where it is set to something else: a test that silently did less than was asked for would be a lie.
#[must_use]
pub fn setting<T: FromStr>(variable: &str, default: T) -> T {
    match std::env::var(variable) {
        Err(_) => default,
        Ok(text) => text.parse().unwrap_or_else(|_| {
            panic!(
                "{variable}={text}: expected a {}",
                std::any::type_name::<T>()
            )
        }),
    }
}

/// A file or folder of the references that cannot be shipped: in `shared` beside the checkout, or where
/// `STICKSLIP_SHARED` says. `None`, recorded as [`passed_over`], where it is not there.
///
/// # Panics
/// Where it is not there and `CI` is `true`: continuous integration has the references, and does not pass over them.
#[must_use]
pub fn shared(name: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let root = std::env::var_os("STICKSLIP_SHARED").map_or_else(beside, PathBuf::from);
    find(
        &root,
        name,
        std::env::var_os("CI").is_some_and(|v| v == "true"),
    )
}

fn find(root: &Path, name: &str, must: bool) -> Option<PathBuf> {
    let path = root.join(name);
    if path.exists() {
        return Some(path);
    }
    assert!(
        !must,
        "the reference {name} is not here, and CI=true says that it must be"
    );
    passed_over(&format!("the reference {name} is not here"));
    None
}

/// Says that this test is passed over, or a part of it, and why; in the file that `STICKSLIP_PASSED_OVER` names too,
/// where `cargo xtask test` counts.
pub fn passed_over(why: &str) {
    let line = format!("{}: {why}", test_name());
    eprintln!("passed over: {line}");
    if let Some(path) = std::env::var_os("STICKSLIP_PASSED_OVER") {
        // One write of one line: tests of several programs and threads append to the same file.
        std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()))
            .unwrap_or_else(|e| panic!("{}: {e}", Path::new(&path).display()));
    }
}

/// The running test as `program::name`; the harness calls threads after their tests.
fn test_name() -> String {
    let program = std::env::current_exe().ok();
    let stem = program.as_deref().and_then(Path::file_stem);
    let stem = stem.unwrap_or_default().to_string_lossy().into_owned();
    // Cargo puts a hash behind the name.
    let program = stem
        .rsplit_once('-')
        .map_or(stem.as_str(), |(name, _)| name);
    let thread = std::thread::current();
    format!("{program}::{}", thread.name().unwrap_or("main"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_found() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let found = find(here, "src/lib.rs", true);
        assert_eq!(found, Some(here.join("src/lib.rs")));
    }

    #[test]
    #[should_panic(expected = "the reference no/such.json is not here")]
    fn continuous_integration_must_have_its_references() {
        let _ = find(Path::new(env!("CARGO_MANIFEST_DIR")), "no/such.json", true);
    }

    #[test]
    fn tests_are_named_by_program_and_thread() {
        // Where tests run one after the other, they run in the program's own thread.
        let own = ["tests::tests_are_named_by_program_and_thread", "main"];
        let own = own.map(|thread| format!("stickslip_testing::{thread}"));
        assert!(own.contains(&test_name()), "{}", test_name());
    }

    #[test]
    fn settings_that_are_not_there_have_their_default() {
        assert_eq!(setting("STICKSLIP_SETTING_THAT_NOBODY_SETS", 7), 7);
    }
}
