//! A run that is ended in any way, as often as one likes, and goes on: the same files, byte by byte, as one that was never interrupted.
#![cfg(unix)]

mod support;

use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use stickslip_random::Random;
use stickslip_testing::setting;
use support::{ball, folder, path, program, root, stickslip, write};

/// The ways in which a run ends here.
#[derive(Clone, Copy, Debug)]
enum End {
    Signal(&'static str),
    /// A file may not grow beyond so many blocks of 512 bytes: the disk is full.
    FullDisk(u32),
    /// Nobody reads what it prints.
    ClosedPipe,
    /// `--limit`.
    Limit,
}

const ENDS: [End; 8] = [
    End::Signal("KILL"),
    End::Signal("INT"),
    End::Signal("KILL"),
    End::Signal("TERM"),
    End::FullDisk(40),
    End::Signal("KILL"),
    End::ClosedPipe,
    End::Limit,
];

/// Begins with these arguments and ends in this way after a while (s); its exit code and errors.
fn ended(arguments: &[&str], end: End, after: f64) -> (Option<i32>, String) {
    let mut command = match end {
        End::FullDisk(blocks) => {
            let mut shell = Command::new("sh");
            let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
            shell.args(["-c", &limited, "sh", env!("CARGO_BIN_EXE_stickslip")]);
            shell.current_dir(root()).stdin(Stdio::null());
            shell
        }
        _ => program(),
    };
    command.args(arguments).arg("--save-every").arg("0.03");
    if let End::Limit = end {
        command.arg("--limit").arg(after.to_string());
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.process_group(0).spawn().expect("it starts");
    if let End::ClosedPipe = end {
        // As `| head -c 1` does: what comes is read no further.
        drop(child.stdout.take());
    }
    let (begun, wait) = (Instant::now(), Duration::from_secs_f64(after));
    while begun.elapsed() < wait && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let name = match end {
        End::Signal(name) => Some(name),
        End::ClosedPipe => Some("TERM"),
        End::FullDisk(_) | End::Limit => None,
    };
    if let Some(name) = name {
        let kill = format!("kill -{name} {} 2>/dev/null", child.id());
        let _ = Command::new("sh").args(["-c", &kill]).status();
    }
    let mut words = String::new();
    let mut errors = child.stderr.take().expect("piped");
    errors.read_to_string(&mut words).expect("UTF-8");
    assert!(!words.contains("panicked"), "{end:?}: {words}");
    (child.wait().expect("it ends").code(), words)
}

/// Every file of a run, by name.
fn files(place: &tempfile::TempDir, stem: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(place.path()).expect("the folder");
    let mut all: Vec<_> = entries
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.is_file())
        .map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), p))
        .filter(|(name, _)| name.starts_with(stem))
        .map(|(name, p)| (name[stem.len()..].to_owned(), fs::read(p).expect("read")))
        .collect();
    all.sort();
    all
}

/// Runs a scene with these options once in one go, and once with interruptions; how often it was interrupted before its end.
fn same_as_in_one_go(scene: &str, options: &[&str], seed: u64) -> usize {
    let place = folder();
    let (whole, broken) = (
        path(&place, "whole.parquet"),
        path(&place, "broken.parquet"),
    );
    let begin = [&["run", scene, "--quiet"], options].concat();
    let started = Instant::now();
    stickslip(&[&begin[..], &["-o", &whole]].concat()).exits(0);
    // About so many interruptions, wherever they fall.
    let wanted = setting("STICKSLIP_RESUME_ENDS", 6usize);
    let pace = started.elapsed().as_secs_f64() / (wanted as f64 + 1.0);
    let mut random = Random::new(seed);
    let mut ends = 0;
    loop {
        assert!(ends < 40 * (wanted + 5), "it comes to its end: {scene}");
        let parts = Path::new(&broken).with_extension("parquet.parts");
        let resume = ["run", "--resume", &broken, "--quiet"];
        let goes_on = Path::new(&broken).exists() || parts.exists();
        let arguments = if goes_on {
            resume.to_vec()
        } else {
            [&begin[..], &["-o", &broken]].concat()
        };
        let which = random.below(ENDS.len());
        // What a run that is killed has not saved it computes again: a little more time each time.
        let after = 0.05 + pace * (0.2 + 1.6 * random.unit()) * (1.0 + 0.1 * ends as f64);
        let (code, words) = ended(&arguments, ENDS[which], after);
        if code == Some(0) || words.contains("came to its end") {
            break;
        }
        // Killed, stopped by a disk without room, at its limit, by a signal.
        let known = [None, Some(1), Some(2), Some(130)];
        assert!(known.contains(&code), "{code:?} {words}");
        ends += 1;
    }
    assert_eq!(files(&place, "whole"), files(&place, "broken"), "{scene}");
    // A thinned run with restitution cannot be judged whole; this one no less than that.
    let judged = stickslip(&["check", &whole]).code;
    assert!([0, 3].contains(&judged), "{judged}");
    stickslip(&["check", &broken]).exits(judged);
    let entries = fs::read_dir(place.path()).expect("the folder");
    let mut left: Vec<_> = entries.map(|e| e.expect("an entry").file_name()).collect();
    left.sort();
    assert_eq!(left.len() % 2, 0, "nothing else is left: {left:?}");
    ends
}

/// A block on an incline that jerks: static friction above kinetic, remembered from step to step.
const JERKING: &str = r#"
format = 1
[step]
h = 0.001
until = 4.0
[material]
friction = { static = 0.6, kinetic = 0.3 }
[[body]]
name = "belt"
motion = { position = ["0.1 * t + 0.02 * sin(9 * t)", 0, 0] }
shape = { box = { size = [40, 1, 0.2] } }
[[body]]
name = "block"
shape = { box = { size = [0.2, 0.2, 0.2] } }
mass = 1.0
position = [0, 0, 0.2]
[[body]]
name = "wall"
motion = "fixed"
shape = { box = { size = [0.1, 1, 1] } }
position = [-0.5, 0, 0.7]
[[spring]]
name = "rope"
between = [{ body = "wall" }, { body = "block" }]
stiffness = 30.0
"#;

/// Names of the kinds, a scene of each, and options by which it has about so many steps as a run should have.
fn kinds(place: &tempfile::TempDir) -> Vec<(&'static str, String, Vec<String>)> {
    let steps = setting("STICKSLIP_RESUME_STEPS", 3000u32);
    let of = |scene: &str, h: f64, more: &[&str]| {
        let until = h * f64::from(steps);
        let mut options = vec![
            "--h".to_owned(),
            h.to_string(),
            "--until".to_owned(),
            until.to_string(),
        ];
        options.extend(more.iter().map(|&word| word.to_owned()));
        (scene.to_owned(), options)
    };
    let bouncing = write(
        place,
        "bouncing.toml",
        ball("").replace("friction = 0.5", "friction = 0.5\nrestitution = 0.8"),
    );
    let jerking = write(place, "jerking.toml", JERKING);
    let all = [
        ("restitution", of(&bouncing, 1e-3, &[])),
        ("static friction", of(&jerking, 1e-3, &[])),
        ("joints", of("scenes/four_bar.toml", 1e-3, &[])),
        (
            "event-driven",
            of(&bouncing, 1e-3, &["--method", "event-driven"]),
        ),
        ("extrapolated", of(&bouncing, 1e-3, &["--error", "1e-6"])),
        ("thinned", of(&bouncing, 1e-3, &["--every", "7"])),
    ];
    all.into_iter()
        .map(|(name, (scene, options))| (name, scene, options))
        .collect()
}

#[test]
fn a_run_that_is_ended_in_any_way_goes_on_to_the_same_bytes() {
    let place = folder();
    let seed = setting("STICKSLIP_RESUME_SEED", 1u64);
    let only = std::env::var("STICKSLIP_RESUME_KIND").ok();
    for (k, (name, scene, options)) in (0..).zip(kinds(&place)) {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let ends = same_as_in_one_go(&scene, &options, seed + k);
        println!("{name}: interrupted {ends} times, same bytes");
    }
}

#[test]
fn nonsense_has_a_clear_word_and_nothing_is_changed() {
    let place = folder();
    let scene = write(&place, "ball.toml", ball(""));
    let parquet = path(&place, "run.parquet");
    let missing = stickslip(&["run", "--resume", &parquet]).exits(2);
    missing.says(&["run.parquet", "there is no such file"]);
    stickslip(&["run", "--resume", &parquet, "--h", "0.1"]).exits(2);
    stickslip(&["run", &scene, "--resume", &parquet]).exits(2);
    stickslip(&["run"]).exits(2);
    stickslip(&["run", &scene, "-o", &parquet]).exits(0);
    let before = files(&place, "run");
    let done = stickslip(&["run", "--resume", &parquet]).exits(2);
    done.says(&["came to its end, t = 1"]);
    // Killed when its files were joined, and before the folder of its parts was gone.
    let parts = place.path().join("run.parquet.parts");
    fs::create_dir(&parts).expect("a folder");
    for left in ["made-by-stickslip", "reserve"] {
        fs::write(parts.join(left), "left").expect("written");
    }
    stickslip(&["run", "--resume", &parquet]).exits(2);
    assert!(!parts.exists(), "nothing is left");
    let csv = write(&place, "run.csv", "t\n1\n");
    stickslip(&["run", "--resume", &csv])
        .exits(2)
        .says(&["a CSV holds states only"]);
    stickslip(&["run", "--resume", &scene])
        .exits(2)
        .says(&["ball", "this is a scene"]);
    fs::remove_file(csv).expect("removed");
    assert_eq!(files(&place, "run"), before);
    // A file that ended early, and has been changed since.
    let halves = [&scene, "--h", "1e-5", "--limit", "0.05", "--quiet"];
    let halved = stickslip(&[&["run", "-o", &parquet], &halves[..]].concat()).exits(1);
    assert!(halved.out.contains("LIMIT"), "{}", halved.out);
    let go_on = format!("to go on     stickslip run --resume {parquet}");
    assert!(halved.out.contains(&go_on), "{}", halved.out);
    let steps = path(&place, "run.steps.parquet");
    let mut bytes = fs::read(&steps).expect("read");
    let key = b"stickslip.checkpoint";
    let at = bytes
        .windows(key.len())
        .position(|w| w == key)
        .expect("a checkpoint")
        + 200;
    bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
    fs::write(&steps, bytes).expect("written");
    let before = files(&place, "run");
    let damaged = stickslip(&["run", "--resume", &parquet]).exits(2);
    damaged.says(&["not as it was written"]);
    assert_eq!(files(&place, "run"), before);
    assert!(!Path::new(&format!("{parquet}.parts")).exists());
}

#[test]
fn progress_is_told_where_there_is_no_terminal() {
    let place = folder();
    let scene = write(&place, "ball.toml", ball(""));
    let told = |more: &[&str]| {
        let run = ["run", &scene, "--h", "1e-5", "--progress", "0.02"];
        stickslip(&[&run[..], more].concat()).err
    };
    let lines = told(&[]);
    let first = lines.lines().last().expect("a line");
    for word in [
        "%  t = ",
        " s of 1 s, ",
        " steps, ",
        " contacts, ",
        " steps/s",
        " left",
    ] {
        assert!(first.contains(word), "no `{word}` in {first}");
    }
    assert_eq!(told(&["--quiet"]), "");
}

#[test]
fn what_lies_beside_the_file_is_made_from_it() {
    let place = folder();
    let scene = write(&place, "ball.toml", ball(""));
    let name = |stem: &str, ending: &str| path(&place, &format!("{stem}.{ending}"));
    let run = |stem: &str, more: &[&str]| {
        let files = ["parquet", "csv", "html"].map(|ending| name(stem, ending));
        let outputs: Vec<&str> = files.iter().flat_map(|file| ["-o", file]).collect();
        let begin = ["run", &scene, "--h", "1e-4", "--quiet", "--contacts"];
        stickslip(&[&begin[..], &outputs, more].concat())
    };
    run("whole", &[]).exits(0);
    let halved = run("broken", &["--limit", "0.02"]).exits(1);
    let (parquet, csv, html) = (
        name("broken", "parquet"),
        name("broken", "csv"),
        name("broken", "html"),
    );
    let go_on = format!("stickslip run --resume {parquet} -o {csv} -o {html} --contacts");
    assert!(halved.out.contains(&go_on), "{}", halved.out);
    // Without being asked for they stay as they are, and that is told.
    let rest = stickslip(&["run", "--resume", &parquet, "--quiet"]).exits(0);
    rest.says(&["broken.csv stays as it is", "broken.html stays as it is"]);
    // Of a run that has ended they can still be made.
    let made = ["run", "--resume", &parquet, "-o", &csv, "-o", &html];
    stickslip(&[&made[..], &["--contacts", "--quiet"]].concat()).exits(0);
    assert_eq!(files(&place, "whole"), files(&place, "broken"));
    let second = name("second", "parquet");
    stickslip(&["run", "--resume", &parquet, "-o", &second])
        .exits(2)
        .says(&["a run that goes on has its Parquet file"]);
    assert!(!Path::new(&second).exists());
}

/// A run that was killed has hours in its parts: a new one asks before it takes their place, and leaves no locks of the dead.
#[test]
fn what_a_killed_run_saved_is_not_written_over_unasked() {
    let place = folder();
    let scene = write(&place, "ball.toml", ball(""));
    let (parquet, page) = (path(&place, "run.parquet"), path(&place, "page.html"));
    let long = [
        "run", &scene, "--until", "1e5", "-o", &parquet, "-o", &page, "--quiet",
    ];
    ended(&long, End::Signal("KILL"), 0.8);
    let again = ["run", &scene, "-o", &parquet];
    stickslip(&again).exits(2).says(&[
        "a run that was killed is here, saved to t = ",
        &format!("`stickslip run --resume {parquet}`"),
        "--overwrite",
    ]);
    assert!(Path::new(&format!("{parquet}.parts")).is_dir());
    stickslip(&[&again[..], &["--overwrite"]].concat()).exits(0);
    stickslip(&["check", &parquet]).exits(0);
    let left = fs::read_dir(place.path()).expect("a folder").flatten();
    let names = left.map(|e| e.file_name().into_string().expect("UTF-8"));
    let locks: Vec<String> = names.filter(|n| n.ends_with(".lock")).collect();
    assert_eq!(locks, [""; 0]);
    // What has ended is written over as any output is.
    stickslip(&again).exits(0);
}

/// The first line says how far it goes: a valid part is not the whole.
#[test]
fn check_says_first_that_a_run_ended_early() {
    let place = folder();
    let scene = write(&place, "ball.toml", ball(""));
    let parquet = path(&place, "run.parquet");
    let endless = ["run", &scene, "--until", "1e5", "-o", &parquet];
    stickslip(&[&endless[..], &["--limit", "0.2", "--quiet"]].concat()).exits(1);
    let checked = stickslip(&["check", &parquet]).exits(0);
    let first = checked.out.lines().next().expect("a line");
    assert!(
        first.starts_with("VALID") && first.contains("; the run ended early, at t = "),
        "{first}"
    );
    assert!(first.ends_with(" s of 100000 s"), "{first}");
    let json = stickslip(&["check", &parquet, "--json"]).exits(0).json();
    assert!(json["early"].as_f64().expect("a time") < 1e5);
}
