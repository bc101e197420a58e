//! Files that are never lost: two runs with one output, signals, folders and files that are not ours, pipes and devices.
#![cfg(unix)]

mod support;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{ball, folder, path, program, stickslip, write};

/// A run of a minute, begun.
fn begun(place: &tempfile::TempDir, outputs: &[&str]) -> Child {
    let scene = write(place, "ball.toml", ball(""));
    let mut command = program();
    command.args(["run", &scene, "--h", "1e-6", "--until", "1000", "--quiet"]);
    for output in outputs {
        command.args(["-o", output]);
    }
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let begun = Instant::now();
    let lock = format!("{}.lock", outputs[outputs.len() - 1]);
    while !Path::new(&lock).exists() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    // The lock is taken before the first step; some steps more.
    std::thread::sleep(Duration::from_millis(300));
    child
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("sh")
        .args(["-c", &format!("kill -{name} {}", child.id())])
        .status()
        .expect("a shell");
    assert!(status.success());
}

/// Its exit code and what it printed.
fn ended(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let words = text(&output.stdout) + &text(&output.stderr);
    assert!(!words.contains("panicked"), "{words}");
    (output.status.code(), words)
}

/// Names in a folder, sorted.
fn names(place: &tempfile::TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(place.path()).expect("the folder");
    let names = entries.map(|e| {
        e.expect("an entry")
            .file_name()
            .to_string_lossy()
            .into_owned()
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn of_two_runs_with_one_output_the_second_is_refused_and_a_signal_ends_the_first() {
    for name in ["INT", "TERM"] {
        let place = folder();
        let (csv, html) = (path(&place, "run.csv"), path(&place, "run.html"));
        let parquet = path(&place, "run.parquet");
        let first = begun(&place, &[&parquet, &csv, &html]);
        let scene = path(&place, "ball.toml");
        let id = format!("process {}", first.id());
        for output in [&parquet, &csv, &html] {
            stickslip(&["run", &scene, "-o", output])
                .exits(2)
                .says(&["another run is writing", &id]);
        }
        signal(&first, name);
        let (code, words) = ended(first);
        assert_eq!(code, Some(130), "{words}");
        assert!(words.contains("INTERRUPTED"), "{words}");
        let checked = stickslip(&["check", &parquet]).exits(0);
        assert!(checked.out.starts_with("VALID"), "{}", checked.out);
        assert!(
            checked.out.contains("it was interrupted"),
            "{}",
            checked.out
        );
        let files = [
            "ball.toml",
            "run.contacts.parquet",
            "run.csv",
            "run.html",
            "run.parquet",
            "run.steps.parquet",
        ];
        assert_eq!(names(&place), files);
        // Both hold the same steps.
        stickslip(&["compare", &parquet, &csv, "--within", "0"]).exits(0);
    }
}

#[test]
fn a_run_that_is_killed_leaves_its_steps_and_a_lock_that_is_none() {
    let place = folder();
    let parquet = path(&place, "run.parquet");
    let first = begun(&place, &[&parquet]);
    let checked = stickslip(&["check", &parquet]).out;
    assert!(checked.contains("a run goes on"), "{checked}");
    signal(&first, "KILL");
    assert_eq!(ended(first).0, None);
    assert!(names(&place).contains(&"run.parquet.lock".to_owned()));
    let checked = stickslip(&["check", &parquet]).out;
    assert!(
        checked.contains("left by a run that did not end"),
        "{checked}"
    );
    // What it saved, if it came to that, is not written over unasked.
    let scene = path(&place, "ball.toml");
    stickslip(&["run", &scene, "-o", &parquet, "--overwrite"]).exits(0);
    stickslip(&["check", &parquet]).exits(0);
    assert_eq!(names(&place).len(), 4);
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let place = folder();
    let scene = write(&place, "ball.toml", ball(""));
    let parquet = path(&place, "run.parquet");
    let parts = place.path().join("run.parquet.parts");
    std::fs::create_dir(&parts).expect("a folder");
    std::fs::write(parts.join("thesis.txt"), "ten years").expect("written");
    stickslip(&["run", &scene, "-o", &parquet])
        .exits(2)
        .says(&["run.parquet.parts", "not made by stickslip"]);
    let thesis = std::fs::read_to_string(parts.join("thesis.txt"));
    assert_eq!(thesis.expect("it is there"), "ten years");
    assert_eq!(names(&place), ["ball.toml", "run.parquet.parts"]);
    let contacts = write(&place, "other.contacts.parquet", "data of someone else");
    stickslip(&["run", &scene, "-o", &path(&place, "other.parquet")])
        .exits(2)
        .says(&["other.contacts.parquet", "not made by stickslip"]);
    assert_eq!(
        std::fs::read(contacts).expect("there"),
        b"data of someone else"
    );
    stickslip(&["run", &scene, "-o", &path(&place, "x.contacts.parquet")])
        .exits(2)
        .says(&["choose another"]);
}

#[test]
fn no_pipe_and_no_device_is_opened() {
    let place = folder();
    let made = Command::new("mkfifo")
        .arg(place.path().join("pipe.stl"))
        .status();
    assert!(made.expect("mkfifo").success());
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(to, place.path().join(name)).expect("a link");
    };
    link("/dev/zero", "zero.stl");
    for name in ["pipe.stl", "zero.stl"] {
        let mesh = format!(
            "[[body]]\nname = \"part\"\nmotion = \"fixed\"\nshape = {{ mesh = {{ file = \"{name}\" }} }}\n"
        );
        let scene = write(&place, "mesh.toml", ball(&mesh));
        stickslip(&["run", &scene, "--allow-outside"])
            .exits(2)
            .says(&[name, "no plain file"]);
    }
    for name in ["pipe.toml", "pipe.csv", "pipe.parquet", "pipe.html"] {
        link("pipe.stl", name);
    }
    stickslip(&["run", &path(&place, "pipe.toml")])
        .exits(2)
        .says(&["no plain file"]);
    stickslip(&["check", &path(&place, "pipe.parquet")]).exits(2);
    let scene = write(&place, "ball.toml", ball(""));
    for name in ["pipe.csv", "pipe.html"] {
        stickslip(&["run", &scene, "-o", &path(&place, name)])
            .exits(2)
            .says(&["no plain file"]);
    }
    stickslip(&["run", &scene, "-o", &path(&place, "pipe.parquet")]).exits(2);
    let csv = path(&place, "pipe.csv");
    stickslip(&["compare", &csv, &csv])
        .exits(2)
        .says(&["no plain file"]);
}

#[test]
fn nothing_is_not_valid() {
    let place = folder();
    let scene = write(&place, "ball.toml", ball(""));
    let parquet = path(&place, "run.parquet");
    // No force from the first step on.
    let force = "[[force]]\nbody = \"ball\"\nforce = [\"sqrt(0.001 - t)\", 0, 0]\n";
    let stopped = write(&place, "stopped.toml", ball(force));
    stickslip(&["run", &stopped, "-o", &parquet]).exits(1);
    let checked = stickslip(&["check", &parquet]).exits(3);
    assert!(checked.out.starts_with("NOT JUDGED"), "{}", checked.out);
    assert!(
        checked.out.contains("there is no step in it"),
        "{}",
        checked.out
    );
    // A thinned file says which part of the run it is.
    stickslip(&["run", &scene, "--every", "2", "-o", &parquet]).exits(0);
    let checked = stickslip(&["check", &parquet]).exits(0);
    for words in [
        "VALID",
        "50 of 100 steps judged (50 are not in the file)",
        "stewart-trinkle, h = 0.01 s",
        "tolerance 1e-8 m/s",
        "not checked: the steps between",
    ] {
        assert!(checked.out.contains(words), "{words}: {}", checked.out);
    }
}

#[test]
fn more_points_than_a_hull_can_have_are_refused_before_it_is_made() {
    let place = folder();
    let points = "[0.125,0.25,0.5],".repeat(70_000);
    let hull = format!(
        "[[body]]\nname = \"rock\"\nmass = 1\nshape = {{ hull = {{ points = [{points}] }} }}\n"
    );
    let scene = write(&place, "rock.toml", ball(&hull));
    stickslip(&["run", &scene])
        .exits(2)
        .says(&["rock.toml", "65536"]);
}

/// Notes and formulas of a scene are not replaced by what was understood of it.
#[test]
fn what_is_converted_is_not_written_over() {
    let place = folder();
    let text = format!("# notes of mine\n{}", ball(""));
    let scene = write(&place, "ball.toml", &text);
    stickslip(&["convert", &scene, "-o", &scene])
        .exits(2)
        .says(&["this is what is to be converted"]);
    assert_eq!(std::fs::read_to_string(&scene).expect("there"), text);
    let other = path(&place, "other.toml");
    stickslip(&["convert", &scene, "-o", &other]).exits(0);
    stickslip(&["run", &other, "--quiet"]).exits(0);
}
