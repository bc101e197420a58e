//! Whole files: written, read, killed, damaged.

use super::*;
use crate::error::RecordError;
use crate::recorder::{Every, Recorder, Tee};
use crate::states::{Snapshot, States};
use crate::testing;
use crate::trajectory::Trajectory;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use stickslip_testing::Random;

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
        assert!(back == memory);
        // PartialEq takes −0 for 0.
        assert!(format!("{back:?}") == format!("{memory:?}"));
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
    // Nothing but the four tables is left.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
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

/// Starts the child, kills it when `enough`, and says what it left.
fn killed(
    path: &Path,
    steps: u64,
    mut enough: impl FnMut(&Paths) -> bool,
) -> Result<Trajectory, RecordError> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "parquet::tests::child"])
        .env("STICKSLIP_TEST_PATH", path)
        .env("STICKSLIP_TEST_STEPS", steps.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let paths = Paths::new(path);
    let started = Instant::now();
    while !enough(&paths) && started.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_micros(100));
    }
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
    for i in 1..=12 {
        let path = folder.path().join(format!("{i}.parquet"));
        // Killed at some moment after its ith save.
        let (mut saves, mut last) = (0, None);
        let enough = |paths: &Paths| {
            let part = parts::list(&paths.parts).ok().and_then(|mut all| all.pop());
            if part.is_some() && part != last {
                saves += 1;
                last = part;
            }
            saves > i
        };
        let left = killed(&path, steps, enough).unwrap();
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
        assert!(left.frames == whole.frames[..left.frames.len()]);
        longest = longest.max(left.frames.len());
        // The folder itself can be named too; written anew, the file says what happened.
        let again = Trajectory::open(Paths::new(&path).parts).unwrap();
        assert!(again.frames == left.frames);
        let copy = folder.path().join("copy.parquet");
        left.replay(&mut ParquetWriter::new(&copy)).unwrap();
        let summary = Trajectory::open(&copy).unwrap().summary.unwrap();
        assert_eq!(summary.failure.as_deref(), Some("the run did not end"));
        assert!(!summary.certified && summary.hash == left.state_hash());
        // Another run takes its place.
        let next = written(&path, 5, 1, 100);
        assert_eq!(Trajectory::open(&path).unwrap(), next);
    }
    assert!(longest >= 12, "{longest}");
}

/// The beginning of the run of `steps` steps, up to step `last`.
fn prefix(steps: u64, last: u64) -> Trajectory {
    let mut memory = Trajectory::new();
    testing::start(&NAMES, steps, last, &mut memory);
    memory
}

#[test]
fn a_run_killed_while_it_starts_or_ends_is_whole_or_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let whole = testing::trajectory(&NAMES, 4);
    for i in 1..=25 {
        // Runs that are over in a moment, again and again over the same files; killed at some
        // moment after the ith change that can be seen.
        let path = folder.path().join("run.parquet");
        let (mut changes, mut last) = (0, None);
        let enough = |paths: &Paths| {
            let part = parts::list(&paths.parts).ok().and_then(|mut all| all.pop());
            let seen = Some((part, paths.tables[0].exists()));
            changes += usize::from(seen != last);
            last = seen;
            changes > i
        };
        let left = killed(&path, 4, enough).unwrap();
        assert!(left.frames == whole.frames[..left.frames.len()]);
        if let Some(summary) = &left.summary {
            assert_eq!((summary.steps, left.frames.len()), (4, 5));
        }
    }
}

#[test]
fn damaged_and_truncated_files_are_refused_or_read_but_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.parquet");
    let memory = written(&path, 12, 2, 20);
    let tables = Paths::new(&path).tables;
    let mut random = Random::new(2024);
    let (mut refused, mut panics) = (0, 0);
    for round in 0..3000 {
        let table = &tables[round % 4];
        let good = fs::read(table).unwrap();
        let mut bad = good.clone();
        if round % 5 == 0 {
            bad.truncate(random.below(good.len()));
        } else {
            for _ in 0..=random.below(4) {
                // Half of the flips in the footer, where the structure is.
                let tail = if round % 2 == 0 {
                    good.len()
                } else {
                    good.len().min(2500)
                };
                let at = good.len() - 1 - random.below(tail);
                bad[at] ^= 1 << random.below(8);
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

/// The message that a trajectory gives after something was done to its files.
fn message(change: impl Fn(&Path, &[PathBuf; 4])) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.parquet");
    written(&path, 12, 5, 20);
    change(folder.path(), &Paths::new(&path).tables);
    let error = Trajectory::open(&path).unwrap_err().to_string();
    error.replace(&format!("{}/", folder.path().display()), "")
}

/// Writes a trajectory whose files disagree with its memory in one thing.
fn rewritten(path: &Path, change: impl Fn(&mut Trajectory)) {
    let mut trajectory = Trajectory::open(path).unwrap();
    change(&mut trajectory);
    trajectory.replay(&mut ParquetWriter::new(path)).unwrap();
}

#[test]
fn what_is_wrong_with_the_files_is_said() {
    let remove = |path: &PathBuf| fs::remove_file(path).unwrap();
    for (found, expected) in [
        (
            message(|_, t| t.iter().for_each(remove)),
            "run.parquet: there is no such file",
        ),
        (
            message(|_, t| remove(&t[1])),
            "run.contacts.parquet: this table of the trajectory run.parquet is missing",
        ),
        (
            message(|_, t| remove(&t[3])),
            "run.joints.parquet: this table of the trajectory run.parquet is missing",
        ),
        (
            message(|_, t| fs::write(&t[0], "t,body\n0,a\n0,b\n").unwrap()),
            "run.parquet: not a stickslip trajectory: it is not a Parquet file",
        ),
        (
            message(|_, t| fs::write(&t[2], "").unwrap()),
            "run.steps.parquet: not a stickslip trajectory: it is too short for a Parquet file",
        ),
        (
            message(|_, t| {
                let bytes = fs::read(&t[0]).unwrap();
                fs::write(&t[0], &bytes[..bytes.len() - 40]).unwrap();
            }),
            "run.parquet: the file is cut short: it has no footer",
        ),
        (
            message(|_, t| _ = fs::copy(&t[1], &t[2]).unwrap()),
            "run.steps.parquet: column `energy`: it is missing",
        ),
        (
            message(|folder, t| {
                let other = folder.join("other.parquet");
                rewritten(&t[0], |run| run.header.h = 0.02);
                written(&other, 12, 5, 20);
                fs::copy(&Paths::new(&other).tables[2], &t[2]).unwrap();
            }),
            "run.parquet: its tables are damaged, or of different runs: step 0: the tables of bodies and steps come from different runs",
        ),
        (
            message(|folder, t| {
                // The same header and summary, but one step less.
                let other = folder.join("other.parquet");
                fs::copy(&t[0], &other).unwrap();
                let mut run = Trajectory::open(&t[0]).unwrap();
                run.frames.pop();
                run.replay(&mut ParquetWriter::new(&other)).unwrap();
                fs::copy(&Paths::new(&other).tables[2], &t[2]).unwrap();
            }),
            "run.parquet: its tables are damaged, or of different runs: step 10: bodies, contacts or joints of a later step, which is missing",
        ),
        (
            message(|folder, t| {
                let other = folder.join("other.parquet");
                let mut run = Trajectory::open(&t[0]).unwrap();
                run.frames[2].step.contacts.pop();
                run.replay(&mut ParquetWriter::new(&other)).unwrap();
                fs::copy(&Paths::new(&other).tables[1], &t[1]).unwrap();
            }),
            "run.parquet: its tables are damaged, or of different runs: step 10: its contacts are not as many as the step says",
        ),
        (
            message(|folder, t| {
                // The bodies of a run of which every step was kept, the steps of a thinned one.
                let other = folder.join("other.parquet");
                let mut run = Trajectory::open(&t[0]).unwrap();
                run.frames[1].step.t -= 1e-3;
                run.replay(&mut ParquetWriter::new(&other)).unwrap();
                fs::copy(&Paths::new(&other).tables[0], &t[0]).unwrap();
            }),
            "run.parquet: its tables are damaged, or of different runs: step 5: its bodies are missing",
        ),
    ] {
        assert_eq!(found, expected);
    }
}

#[test]
fn one_number_can_be_changed_and_the_file_is_valid_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.parquet");
    let mut memory = written(&path, 12, 5, 20);
    let change = |run: &mut Trajectory| run.frames[2].step.contacts[0].impulse.y += 1e-6;
    rewritten(&path, change);
    assert!(Trajectory::open(&path).unwrap() != memory);
    change(&mut memory);
    assert!(Trajectory::open(&path).unwrap() == memory);
}

#[test]
fn a_csv_has_no_impulses_and_says_so() {
    let error = Trajectory::open("run.CSV").unwrap_err();
    assert!(matches!(error, RecordError::NoImpulses { .. }));
    let text = error.to_string();
    assert!(text.starts_with("run.CSV: a CSV has no impulses"), "{text}");
}

#[test]
fn files_of_another_format_are_refused_with_both_numbers() {
    let header = testing::header(&NAMES);
    let mut metadata = tables::Texts::of(&header).unwrap().metadata(0, "00ff");
    let read = |metadata: &Vec<_>| tables::read_metadata(Path::new("f"), 0, Some(metadata));
    let ours = read(&metadata).unwrap().unwrap();
    assert_eq!((ours.header, ours.summary), (header, None));
    assert_eq!(ours.seal.as_deref(), Some("00ff"));
    let units = metadata[4].value.clone();
    metadata[4].value = units.map(|units| units.replace("m/s", "km/h"));
    let error = read(&metadata).unwrap_err().to_string();
    assert!(error.contains("its units are not"), "{error}");
    metadata[0].value = Some("7".into());
    let error = read(&metadata).unwrap_err();
    assert_eq!(
        error.to_string(),
        "f: trajectory format 7, this program reads format 5"
    );
    assert_eq!(
        tables::read_metadata(Path::new("f"), 0, None).unwrap(),
        None
    );
}

/// The names of all that lies in a folder, and below it.
fn everything(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            names.extend(everything(&path));
        }
        names.push(path.display().to_string());
    }
    names.sort();
    names
}

/// The disk is full at any moment: when the run starts, goes on, ends. All steps that were computed can be read, or, where not even
/// the first could be written, nothing is there.
#[test]
fn a_full_disk_loses_no_step() {
    let whole = testing::trajectory(&NAMES, 40);
    let (mut refused, mut kept, mut written) = (0, 0, 0);
    let mut random = Random::new(28);
    for round in 0..48 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.parquet");
        let earlier = (round % 3 == 0).then(|| testing::trajectory(&NAMES, 3));
        if let Some(earlier) = &earlier {
            earlier.replay(&mut ParquetWriter::new(&path)).unwrap();
        }
        let before = everything(folder.path());
        let room = 40_000 + random.below(500_000);
        sink::room::set(Some(room as u64));
        // Saves of every step, of some, of none; small groups and one for all.
        let every = [0, 20, u64::MAX, u64::MAX][round % 4];
        let every = Duration::from_millis(every);
        let file = ParquetWriter::new(&path).save_every(every);
        let mut file = file.group_rows([30, 1 << 16][round % 2]);
        let (computed, error) = testing::run_or_fail(&whole, &mut file);
        drop(file);
        sink::room::set(None);
        match error {
            None => written += 1,
            Some(error) if computed == 0 => {
                assert!(error.to_string().contains("storage"), "{error}");
                assert_eq!(everything(folder.path()), before);
                refused += 1;
                continue;
            }
            Some(error) => {
                let t = whole.frames[computed].step.t;
                let words = format!("every step up to t = {} s is kept", (t * 1e9).round() / 1e9);
                assert!(error.to_string().contains(&words), "{error}: {computed}");
                kept += 1;
            }
        }
        let left = Trajectory::open(&path).unwrap();
        assert!(
            left.frames == whole.frames[..=computed],
            "{round}: {computed}"
        );
        let seal = |w: &String| w.contains("seal");
        assert!(!left.warnings.iter().any(seal), "{:?}", left.warnings);
        // With room again, the next run takes its place.
        let next = written_over(&path);
        assert_eq!(Trajectory::open(&path).unwrap(), next);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }
    eprintln!("{refused} refused, {kept} kept, {written} written");
    assert!(refused > 2 && kept > 8 && written > 5);
}

fn written_over(path: &Path) -> Trajectory {
    written(path, 5, 1, 100)
}

#[test]
fn a_second_run_is_refused_while_the_first_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.parquet");
    let mut first = ParquetWriter::new(&path);
    testing::start(&NAMES, 40, 20, &mut first);
    let mut second = ParquetWriter::new(&path);
    let run = testing::trajectory(&NAMES, 3);
    let error = run.replay(&mut second).unwrap_err();
    assert!(matches!(error, RecordError::Taken { .. }), "{error}");
    let seen = Trajectory::open(&path).unwrap();
    assert!(
        seen.warnings[0].contains("a run goes on"),
        "{:?}",
        seen.warnings
    );
    first.finish(&testing::summary(20, 0.2)).unwrap();
    assert_eq!(Trajectory::open(&path).unwrap().frames.len(), 21);
    run.replay(&mut second).unwrap();
    assert_eq!(Trajectory::open(&path).unwrap(), run);
}

#[test]
fn what_is_not_ours_is_not_written_over() {
    for foreign in [
        "run.parquet",
        "run.contacts.parquet",
        "run.parquet.parts",
        "run.parquet.lock",
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(foreign), "someone's").unwrap();
        let path = folder.path().join("run.parquet");
        let run = testing::trajectory(&NAMES, 3);
        let error = run.replay(&mut ParquetWriter::new(&path)).unwrap_err();
        assert!(
            error.to_string().contains("not made by stickslip"),
            "{error}"
        );
        assert!(error.to_string().contains(foreign), "{error}");
        assert_eq!(
            everything(folder.path()),
            [folder.path().join(foreign).display().to_string()]
        );
        let text = fs::read_to_string(folder.path().join(foreign)).unwrap();
        assert_eq!(text, "someone's");
    }
}

#[test]
fn a_run_that_does_not_come_about_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.parquet");
    let first = written(&path, 12, 1, 50);
    let before = everything(folder.path());
    let mut second = ParquetWriter::new(&path);
    second.start(&first.header, &first.frames[0].step).unwrap();
    drop(second);
    assert_eq!(everything(folder.path()), before);
    assert_eq!(Trajectory::open(&path).unwrap(), first);
}

#[test]
fn a_run_that_dies_leaves_the_one_it_was_to_replace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.parquet");
    let first = written(&path, 12, 1, 50);
    let mut second = ParquetWriter::new(&path);
    testing::start(&NAMES, 40, 20, &mut second);
    drop(second);
    // What the path leads to is the new run, as far as it came.
    assert_eq!(Trajectory::open(&path).unwrap().frames.len(), 21);
    let earlier = Paths::new(&path).parts.join("earlier/run.parquet");
    assert_eq!(Trajectory::open(earlier).unwrap(), first);
    // A third that ends replaces both.
    let third = written(&path, 5, 1, 50);
    assert_eq!(Trajectory::open(&path).unwrap(), third);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
}

/// Any text, any row, of any table: all of it is under the seal.
#[test]
fn the_seal_is_over_everything() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (
        folder.path().join("run.parquet"),
        folder.path().join("other.parquet"),
    );
    let mut run = written(&path, 12, 2, 20);
    let seal_of = |path: &Path| {
        let mut reader = Reader::open(path).unwrap();
        assert!(reader.by_ref().all(|frame| frame.is_ok()));
        assert_eq!(reader.seal(), Seal::Whole);
        reader.stored().unwrap().to_owned()
    };
    let first = seal_of(&path);
    let mut seals = vec![first];
    let mut another = |run: &Trajectory| {
        run.replay(&mut ParquetWriter::new(&other)).unwrap();
        seals.push(seal_of(&other));
    };
    run.frames[3].step.contacts[0].contact.feature.0 ^= 1;
    another(&run);
    run.frames[3].step.solver.push('x');
    another(&run);
    run.frames[3].step.joints[1].friction[2] = 0.0;
    another(&run);
    run.frames[3].start.as_mut().unwrap().bodies[0]
        .pose
        .position
        .x += 1.0;
    another(&run);
    run.frames[3].step.contacts.swap(0, 1);
    another(&run);
    run.header.scene_file.push('x');
    another(&run);
    run.header.scene.push(' ');
    another(&run);
    run.summary.as_mut().unwrap().failure = Some("tired".into());
    another(&run);
    let count = seals.len();
    seals.sort();
    seals.dedup();
    assert_eq!(seals.len(), count);
    // One table of another run: the headers agree, the rows do not.
    let tables = [&path, &other].map(|path| Paths::new(path).tables);
    let mut twin = Trajectory::open(&path).unwrap();
    twin.frames[3].step.iterations += 1;
    twin.replay(&mut ParquetWriter::new(&other)).unwrap();
    fs::copy(&tables[1][2], &tables[0][2]).unwrap();
    let warnings = Trajectory::open(&path).unwrap().warnings;
    assert!(warnings[0].contains("seal is broken"), "{warnings:?}");
}
