//! One scene with many settings: killed and begun again, in parts, with values that the scene refuses, with nonsense.
#![cfg(unix)]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use stickslip_random::Random;
use stickslip_sweep::{RunRow, State, Stored};
use stickslip_testing::setting;
use support::{folder, path, program, stickslip, write};

/// A box pushed along the ground, which stops by friction: x = v²/(2 µ g) in the limit of short steps.
const SLIDING: &str = r#"
format = 1
[parameters]
speed = 2.0
[step]
h = 0.002
until = 1.0
[material]
friction = 0.5
[[body]]
name = "ground"
motion = "fixed"
shape = { half-space = { normal = [0, 0, 1] } }
[[body]]
name = "my.box"
shape = { box = { size = [0.4, 0.4, 0.1] } }
mass = 1.0
position = [0, 0, 0.05]
velocity = ["speed", 0, 0]
"#;

/// The rows without what two runs of one key do not share, sorted by their values.
fn rows(place: &str) -> Vec<RunRow> {
    let stored = Stored::read(Path::new(place)).expect("a sweep");
    let mut rows = stored.rows;
    rows.iter_mut().for_each(|row| row.seconds = 0.0);
    rows.sort_by(|a, b| a.values.cmp(&b.values));
    rows
}

fn killed(child: &mut std::process::Child, name: &str) {
    let kill = format!("kill -{name} {} 2>/dev/null", child.id());
    let _ = Command::new("sh").args(["-c", &kill]).status();
    let _ = child.wait();
}

#[test]
fn a_sweep_that_is_killed_and_begun_again_does_each_run_once() {
    let place = folder();
    let scene = write(&place, "sliding.toml", SLIDING);
    let runs = setting("STICKSLIP_SWEEP_RUNS", 60usize);
    let frictions = format!("material.friction=0.1:0.8:{}", runs / 2);
    let (whole, broken) = (path(&place, "whole"), path(&place, "broken"));
    let asked = |out: &str| {
        let mut arguments = vec!["sweep", &scene, &frictions, "body.my.box.mass=1,2"];
        arguments.extend([
            "--of",
            "my.box.x",
            "--of",
            "force on my.box.max",
            "--quiet",
            "-o",
        ]);
        let mut arguments: Vec<String> = arguments.iter().map(|s| (*s).to_owned()).collect();
        arguments.push(out.to_owned());
        arguments
    };
    let begun = Instant::now();
    let ran = stickslip(&asked(&whole)).exits(0);
    let took = begun.elapsed().as_secs_f64();
    let n = runs / 2 * 2;
    assert!(
        ran.out
            .contains(&format!("{n} of {n} runs in the table: {n} certified")),
        "{}",
        ran.out
    );
    let mut random = Random::new(3);
    let kills = 5;
    for k in 0..kills {
        let mut child = program()
            .args(asked(&broken))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        std::thread::sleep(Duration::from_secs_f64(took / 6.0 * (0.3 + random.unit())));
        killed(&mut child, ["KILL", "KILL", "TERM", "KILL", "INT"][k % 5]);
    }
    let ran = stickslip(&[&asked(&broken)[..], &["--json".to_owned()]].concat()).exits(0);
    let json = ran.json();
    assert_eq!(
        (json["rows"].as_u64(), json["done"].as_u64()),
        (Some(n as u64), Some(n as u64))
    );
    let (one, other) = (rows(&whole), rows(&broken));
    assert_eq!(one.len(), n);
    assert_eq!(one, other);
    // Nothing is done twice: all are found.
    let again = stickslip(&[&asked(&broken)[..], &["--json".to_owned()]].concat()).exits(0);
    assert_eq!(again.json()["found"].as_u64(), Some(n as u64));
    // The physics: it slides v²/(2 µ g), whatever its mass.
    for row in &one {
        let friction: f64 = row.values[0].parse().expect("a number");
        let t = (2.0 / (friction * 9.81)).min(1.0);
        let stops = 2.0 * t - 0.5 * friction * 9.81 * t * t;
        let (x, force) = (row.results[0].expect("x"), row.results[1].expect("a force"));
        assert!((x - stops).abs() < 0.01, "{row:?} {stops}");
        let mass: f64 = row.values[1].parse().expect("a number");
        let expected = mass * 9.81 * (1.0 + friction * friction).sqrt();
        assert!((force - expected).abs() < 1e-6, "{row:?} {expected}");
    }
    assert!(Path::new(&broken).join("runs.parquet").is_file());
}

#[test]
fn parts_make_the_same_table_wherever_they_were_done() {
    let place = folder();
    let scene = write(&place, "sliding.toml", SLIDING);
    let sweep = |out: &str, more: &[&str]| {
        let first = [
            "sweep",
            &scene,
            "material.friction=0.1:0.9",
            "speed=1:3",
            "--samples",
            "12",
        ];
        let rest = ["--of", "my.box.x.max", "--set", "step.h=0.01", "-o", out];
        stickslip(&[&first[..], &rest[..], more].concat()).exits(0)
    };
    let whole = path(&place, "whole");
    sweep(&whole, &[]);
    let shared = path(&place, "shared");
    for part in ["1/3", "2/3", "3/3"] {
        sweep(&shared, &["--part", part]);
        let apart = path(&place, &format!("part{}", &part[..1]));
        sweep(&apart, &["--part", part]);
        assert_eq!(rows(&apart).len(), 4);
    }
    assert_eq!(rows(&shared), rows(&whole));
    // Copied into one folder, by hand.
    for part in ["part2", "part3"] {
        let copy = format!(
            "cp -r {}/runs {}/",
            path(&place, part),
            path(&place, "part1")
        );
        assert!(
            Command::new("sh")
                .args(["-c", &copy])
                .status()
                .expect("cp")
                .success()
        );
    }
    let merged = sweep(&path(&place, "part1"), &["--json"]);
    assert_eq!(merged.json()["found"].as_u64(), Some(12));
    assert_eq!(rows(&path(&place, "part1")), rows(&whole));
    // Other points with another seed.
    let other = path(&place, "other");
    sweep(&other, &["--seed", "2"]);
    assert_ne!(rows(&other), rows(&whole));
    sweep(&path(&place, "random"), &["--random"]);
}

#[test]
fn what_is_refused_or_stops_is_a_row_that_says_why_and_is_kept_and_drawn() {
    let place = folder();
    // A force that is none from some time on.
    let force = "[[force]]\nbody = \"my.box\"\nforce = [\"sqrt(late - t)\", 0, 0]\n";
    let text = SLIDING.replace("speed = 2.0", "speed = 2.0\nlate = 1.0") + force;
    let scene = write(&place, "sliding.toml", text);
    let (out, map) = (path(&place, "out"), path(&place, "map.svg"));
    let sweep = [
        "sweep",
        &scene,
        "material.friction=-0.1,0.2,0.4",
        "late=0.5,2",
        "--of",
        "my.box.x",
    ];
    let ran = stickslip(
        &[
            &sweep[..],
            &["-o", &out, "--keep", "failed", "--plot", &map],
        ]
        .concat(),
    );
    let ran = ran.exits(0);
    assert!(
        ran.out.contains("2 certified, 2 refused input, 2 stopped"),
        "{}",
        ran.out
    );
    for row in rows(&out) {
        let kept = Path::new(&out).join(format!("trajectories/{}.parquet", row.key));
        match row.state {
            State::Refused => assert!(
                row.why.as_ref().expect("why").contains("friction"),
                "{row:?}"
            ),
            State::Stopped => {
                assert!(row.why.as_ref().expect("why").contains("my.box"), "{row:?}");
                assert!(row.steps > 0 && row.results[0].is_some(), "{row:?}");
                let checked = stickslip(&["check", kept.to_str().expect("UTF-8")]).exits(0);
                assert!(checked.out.contains("VALID"), "{}", checked.out);
            }
            _ => assert!(row.why.is_none(), "{row:?}"),
        }
        assert_eq!(kept.is_file(), row.state == State::Stopped);
    }
    let drawn = fs::read_to_string(&map).expect("a map");
    assert!(
        drawn.contains("stopped or refused (4)"),
        "the legend says so"
    );
    let line = path(&place, "line.png");
    stickslip(&[
        "sweep",
        "-o",
        &out,
        "--plot",
        &line,
        "--over",
        "material.friction",
    ])
    .exits(0);
    assert!(fs::metadata(&line).expect("a picture").len() > 1000);
}

#[test]
fn nonsense_has_a_clear_word_and_nothing_is_overwritten() {
    let place = folder();
    let scene = write(&place, "sliding.toml", SLIDING);
    let out = path(&place, "out");
    let refused = |more: &[&str], words: &[&str]| {
        let sweep = [&["sweep", &scene, "-o", &out], more].concat();
        stickslip(&sweep).exits(2).says(words);
        assert!(!Path::new(&out).exists(), "{more:?}");
    };
    refused(
        &["frictoin=1,2"],
        &["nothing in the scene is called `frictoin`"],
    );
    refused(&["friction=1,2"], &["did you mean `material.friction`?"]);
    refused(
        &["body.my.bx.mass=1,2"],
        &["did you mean `body.my.box.mass`?"],
    );
    refused(&["speed=1:0"], &["nothing between"]);
    refused(&["speed="], &["the range is empty"]);
    refused(&["speed=1:2"], &["how many values"]);
    refused(&[], &["needs parameters"]);
    refused(&["speed=1,2", "speed=3,4"], &["given twice"]);
    let huge = ["speed=0:1:10000", "gravity.z=0:1:10000", "step.h=1:2:10000"];
    refused(&huge, &["1000000000000 runs: at most 10000000"]);
    refused(&["speed=1:2", "--samples", "1000000000000"], &["at most"]);
    refused(
        &["speed=1,2", "--of", "bx.x"],
        &["the scene has no body or joint `bx`"],
    );
    refused(&["speed=1,2", "--of", "my.box.height"], &["has x, y, z"]);
    refused(&["speed=1,2", "--part", "5/4"], &["3/40"]);
    refused(&["speed=1,2", "--keep", "some"], &["some"]);
    // Where every run is refused, so is the command; where one is, that is a result.
    let none = path(&place, "none");
    stickslip(&["sweep", &scene, "step.h=a:b:c", "-o", &none])
        .exits(2)
        .says(&["every run was refused"]);
    let one = path(&place, "one");
    stickslip(&["sweep", &scene, "step.h=-1,0.01", "-o", &one]).exits(0);
    // A folder that holds another sweep, or something else.
    stickslip(&["sweep", &scene, "speed=1,2", "-o", &out]).exits(0);
    let before = rows(&out);
    let other = stickslip(&["sweep", &scene, "speed=1,3", "-o", &out]).exits(2);
    other.says(&[
        "it holds a sweep that has other values",
        "nothing was changed",
    ]);
    let other = stickslip(&["sweep", &scene, "speed=1,2", "--of", "my.box.x", "-o", &out]).exits(2);
    other.says(&["asks for other results"]);
    assert_eq!(rows(&out), before);
    let mine = path(&place, "mine");
    fs::create_dir(&mine).expect("a folder");
    fs::write(Path::new(&mine).join("thesis.txt"), "ten years").expect("written");
    let foreign = stickslip(&["sweep", &scene, "speed=1,2", "-o", &mine]).exits(2);
    foreign.says(&["something else than a sweep"]);
    assert_eq!(fs::read_dir(&mine).expect("there").count(), 1);
    stickslip(&["sweep", &scene, "speed=1,2", "-o", &scene])
        .exits(2)
        .says(&["file of this name"]);
    stickslip(&["sweep", "-o", &out])
        .exits(2)
        .says(&["no scene"]);
    // A row that was damaged is done again; one with other bits is told.
    let row = &before[0];
    let file = Path::new(&out).join(format!("runs/{}/{}.json", &row.key[..2], row.key));
    fs::write(&file, "{").expect("written");
    stickslip(&["sweep", &scene, "speed=1,2", "-o", &out]).exits(0);
    assert_eq!(rows(&out), before);
    // So is one that has other values than the sweep; what is no row is passed over.
    let short = RunRow {
        values: Vec::new(),
        ..row.clone()
    };
    fs::write(&file, serde_json::to_string(&short).expect("JSON")).expect("written");
    fs::write(Path::new(&out).join("runs/notes"), "mine").expect("written");
    stickslip(&["sweep", &scene, "speed=1,2", "-o", &out]).exits(0);
    assert_eq!(rows(&out), before);
}

/// A sweep that was killed before it had said what it is; trajectories that are wanted only afterwards; a disk without room.
#[test]
fn a_sweep_goes_on_from_its_first_moment_to_its_last_wish() {
    let place = folder();
    let scene = write(&place, "sliding.toml", SLIDING);
    let out = path(&place, "out");
    fs::create_dir(&out).expect("a folder");
    fs::write(Path::new(&out).join("sweep.json.77-0.unfinished"), "{").expect("written");
    let sweep = ["sweep", &scene, "speed=1,2,3", "--set", "step.h=0.05"];
    let sweep = [&sweep[..], &["-o", &out, "--json"]].concat();
    assert_eq!(stickslip(&sweep).exits(0).json()["rows"], 3);
    let before = rows(&out);
    let kept = || {
        let kept = fs::read_dir(Path::new(&out).join("trajectories"));
        kept.map_or(0, |files| {
            let names = files.map(|f| f.expect("an entry").path());
            names
                .filter(|path| {
                    before
                        .iter()
                        .any(|row| path.ends_with(format!("{}.parquet", row.key)))
                })
                .count()
        })
    };
    assert_eq!(kept(), 0);
    let all = [&sweep[..], &["--keep", "all"]].concat();
    assert_eq!(stickslip(&all).exits(0).json()["found"], 0);
    assert_eq!((kept(), rows(&out)), (3, before.clone()));
    assert_eq!(stickslip(&all).exits(0).json()["found"], 3);
    // No file may have a byte: rows that are there are kept, and it says how to go on.
    let file = Path::new(&out).join(format!(
        "runs/{}/{}.json",
        &before[0].key[..2],
        before[0].key
    ));
    fs::remove_file(&file).expect("removed");
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        "trap '' XFSZ; ulimit -f 0; exec \"$@\"",
        "sh",
        env!("CARGO_BIN_EXE_stickslip"),
    ]);
    let ended = shell.args(&sweep).output().expect("it starts");
    let words = String::from_utf8(ended.stderr).expect("UTF-8");
    assert_eq!(ended.status.code(), Some(1), "{words}");
    assert!(
        words.contains("runs that are done are kept, and the same command goes on"),
        "{words}"
    );
    assert_eq!(rows(&out).len(), 2);
    assert_eq!(stickslip(&sweep).exits(0).json()["found"], 2);
    assert_eq!(rows(&out), before);
}

/// Who has no program for Parquet reads the table all the same: on the terminal, as CSV, as JSON; and is told what the file is.
#[test]
fn the_table_is_text_too() {
    let place = folder();
    let scene = write(&place, "sliding.toml", SLIDING);
    let out = path(&place, "out");
    let sweep = |more: &[&str]| {
        let asked = [
            "sweep",
            &scene,
            "material.friction=0.1:0.5:25",
            "--of",
            "my.box.x",
            "--quiet",
            "-o",
            &out,
        ];
        stickslip(&[&asked[..], more].concat()).exits(0)
    };
    let text = sweep(&[]).out;
    let head = text.lines().nth(2).expect("the head of the table");
    assert_eq!(
        head.split_whitespace().collect::<Vec<_>>(),
        ["material.friction", "my.box.x", "[m]"]
    );
    assert!(text.contains("\n   … and 5 more rows\n"), "{text}");
    let csv = fs::read_to_string(path(&place, "out/runs.csv")).expect("the table");
    assert_eq!(csv.lines().count(), 26);
    assert!(csv.starts_with("material.friction,state,steps,worst [m/s],hash,seconds [s],my.box.x [m],why,key\n0.1,certified,500,"), "{csv}");
    let json = sweep(&["--json"]).json();
    let rows = json["results"].as_array().expect("rows");
    assert_eq!(rows.len(), 25);
    assert_eq!(rows[24]["material.friction"], 0.5);
    let last = csv.lines().last().expect("a row").split(',').nth(6);
    let last: f64 = last.expect("a cell").parse().expect("a number");
    assert_eq!(rows[24]["my.box.x"].as_f64(), Some(last));
    for reader in [&["series", "--of", "my.box.x"][..], &["check"], &["view"]] {
        let table = path(&place, "out/runs.parquet");
        let arguments = [&reader[..1], &[table.as_str()], &reader[1..]].concat();
        stickslip(&arguments)
            .exits(2)
            .says(&["it is the table of a sweep and holds no run", "runs.csv"]);
    }
    // Nor is a run a scene.
    let run = path(&place, "run.parquet");
    stickslip(&["run", &scene, "-o", &run]).exits(0);
    stickslip(&["run", &run])
        .exits(2)
        .says(&["this is a recorded run, not a scene", "--resume"]);
}
