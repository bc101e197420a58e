//! Whole files: written, read, killed, damaged.

use super::*;
use crate::error::RecordError;
use crate::recorder::{Every, Tee};
use crate::states::{Snapshot, States};
use crate::testing::{self, Noise};
use crate::trajectory::Trajectory;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const NAMES: [&str; 4] = ["a, \"b\"", "box[0]", "box[10]", "µ\n"];

/// Writes a run as Parquet and gives back what was written.
fn written(path: &Path, steps: u64, every: u64, rows: usize) -> Trajectory {
    let mut memory = Trajectory::new();
    let file = ParquetWriter::new(path).group_rows(rows);
    let tee = Tee::new().with(file).with(&mut memory);
    testing::run(&NAMES, steps, &mut Every::new(every, tee));
    memory
}

#[test]
fn every_bit_comes_back_whatever_the_size_of_the_groups() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.parquet");
    for (every, rows) in [(1, 1 << 16), (1, 7), (3, 50), (40, 1), (1000, 16)] {
        let memory = written(&path, 100, every, rows);
        let back = Trajectory::open(&path).unwrap();
        assert_eq!(back, memory);
        // PartialEq takes −0 for 0.
        assert_eq!(format!("{back:?}"), format!("{memory:?}"));
        let starts = back.frames.iter().filter(|f| f.start.is_some()).count();
        assert_eq!(starts == 0, every == 1);
        let states: Vec<Snapshot> = States::open(&path)
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(states.len(), memory.frames.len());
        for (snapshot, frame) in states.iter().zip(&memory.frames) {
            assert_eq!(snapshot.bodies, frame.step.bodies);
        }
    }
    // Nothing but the three tables is left.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn the_files_do_not_depend_on_when_the_run_was_saved() {
    let folder = tempfile::tempdir().unwrap();
    let (slow, fast) = (
        folder.path().join("a.parquet"),
        folder.path().join("b.parquet"),
    );
    for (path, time) in [(&slow, Duration::ZERO), (&fast, Duration::MAX)] {
        let mut file = ParquetWriter::new(path).save_every(time).group_rows(60);
        testing::run(&NAMES, 40, &mut file);
    }
    for (a, b) in Paths::new(&slow)
        .tables
        .iter()
        .zip(Paths::new(&fast).tables)
    {
        assert_eq!(fs::read(a).unwrap(), fs::read(b).unwrap());
    }
}

/// A run that goes on until it is killed, and saves as often as it can.
#[test]
#[ignore = "the child process of the tests below"]
fn child() {
    let Some(path) = std::env::var_os("STICKSLIP_TEST_PATH") else {
        return;
    };
    let steps = std::env::var("STICKSLIP_TEST_STEPS").unwrap();
    let steps = steps.parse().unwrap();
    loop {
        let file = ParquetWriter::new(&path).save_every(Duration::ZERO);
        testing::run(&NAMES, steps, &mut file.group_rows(90));
    }
}

/// Starts the child, kills it after a while, and says what it left.
fn killed(path: &Path, steps: u64, after: Duration) -> Result<Trajectory, RecordError> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "parquet::tests::child"])
        .env("STICKSLIP_TEST_PATH", path)
        .env("STICKSLIP_TEST_STEPS", steps.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // The clock starts when the child does: with its first save.
    let paths = Paths::new(path);
    let started = Instant::now();
    while parts::list(&paths.parts).map_or(true, |parts| parts.is_empty()) && !path.exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "no child");
        sleep(Duration::from_millis(1));
    }
    sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    Trajectory::open(path)
}

#[test]
fn a_run_that_is_killed_keeps_the_steps_it_had_saved() {
    let folder = tempfile::tempdir().unwrap();
    let steps = 1_000_000;
    let mut whole = Trajectory::new();
    let mut longest = 0;
    for i in 0..12 {
        let path = folder.path().join(format!("{i}.parquet"));
        let left = killed(&path, steps, Duration::from_millis(11 * i)).unwrap();
        assert_eq!(left.summary, None);
        assert!(
            left.warnings[0].contains("did not end"),
            "{:?}",
            left.warnings
        );
        if left.frames.len() > whole.frames.len() {
            whole = prefix(steps, left.frames.len() as u64 - 1);
        }
        assert_eq!(left.header, whole.header);
        assert_eq!(left.frames, whole.frames[..left.frames.len()]);
        longest = longest.max(left.frames.len());
        // The folder itself can be named too, and another run takes its place.
        let again = Trajectory::open(Paths::new(&path).parts).unwrap();
        assert_eq!(again.frames, left.frames);
        let next = written(&path, 5, 1, 100);
        assert_eq!(Trajectory::open(&path).unwrap(), next);
    }
    assert!(longest > 10, "{longest}");
}

/// The beginning of the run of `steps` steps, up to step `last`.
fn prefix(steps: u64, last: u64) -> Trajectory {
    let mut memory = Trajectory::new();
    testing::start(&NAMES, steps, last, &mut memory);
    memory
}

#[test]
fn a_run_killed_while_it_ends_is_whole_or_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let whole = testing::trajectory(&NAMES, 4);
    let mut finished = 0;
    for i in 0..25 {
        // Runs that are over in a moment, again and again over the same files.
        let path = folder.path().join("run.parquet");
        let left = killed(&path, 4, Duration::from_millis(3 * i)).unwrap();
        assert_eq!(left.frames, whole.frames[..left.frames.len()]);
        finished += usize::from(left.summary.is_some());
    }
    assert!(finished > 0);
}

#[test]
fn damaged_and_truncated_files_are_refused_or_read_but_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.parquet");
    let memory = written(&path, 12, 2, 20);
    let tables = Paths::new(&path).tables;
    let mut noise = Noise(2024);
    let (mut refused, mut panics) = (0, 0);
    for round in 0..9000 {
        let table = &tables[round % 3];
        let good = fs::read(table).unwrap();
        let mut bad = good.clone();
        if round % 5 == 0 {
            bad.truncate(noise.below(good.len()));
        } else {
            for _ in 0..=noise.below(4) {
                // Half of the flips in the footer, where the structure is.
                let tail = if round % 2 == 0 {
                    good.len()
                } else {
                    good.len().min(2500)
                };
                let at = good.len() - 1 - noise.below(tail);
                bad[at] ^= 1 << noise.below(8);
            }
        }
        fs::write(table, &bad).unwrap();
        match Trajectory::open(&path) {
            Ok(back) => assert_eq!(back.header.bodies.len(), memory.header.bodies.len()),
            Err(RecordError::Damaged { reason, .. }) if reason == "it cannot be decoded" => {
                panics += 1;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
        fs::write(table, &good).unwrap();
    }
    // What is checked beforehand leaves nothing for the last resort.
    assert!(refused > 2000 && panics == 0, "{refused}, {panics}");
    assert_eq!(Trajectory::open(&path).unwrap(), memory);
}
