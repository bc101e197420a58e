//! The other commands: help, check, compare, schema, accel, modes, and what they have in common.

mod support;

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use support::{ball, folder, path, program, stickslip, write};

const COMMANDS: [&str; 11] = [
    "run",
    "check",
    "compare",
    "accel",
    "modes",
    "solve",
    "schema",
    "bench",
    "view",
    "shot",
    "reproduce",
];

/// Its text is made from the tables of solvers.
#[test]
fn help_of_solve_names_every_solver() {
    let help = stickslip(&["solve", "--help"]).exits(0).out;
    let names = stickslip::solvers::SOLVER_NAMES.iter().copied();
    for name in names.chain(["relaxation", "pgs", "siconos", "path"]) {
        assert!(help.contains(name), "{name}: {help}");
    }
}

#[test]
fn help_has_an_example_for_every_command() {
    let all = stickslip(&["--help"]).exits(0);
    for command in COMMANDS {
        assert!(
            all.out.contains(&format!("  {command} ")),
            "{command} is not listed: {}",
            all.out
        );
        let help = stickslip(&[command, "--help"]).exits(0);
        assert!(help.out.contains("Example:"), "{command}: {}", help.out);
        assert!(
            help.out.contains(&format!("stickslip {command}")),
            "{command}: {}",
            help.out
        );
        assert!(help.out.contains("--json"), "{command}: {}", help.out);
    }
    assert!(all.out.contains("Exit codes"));
    assert!(
        stickslip(&["--version"])
            .exits(0)
            .out
            .contains(env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn commands_that_do_not_exist_exit_2() {
    stickslip::<&str>(&[]).exits(2);
    stickslip(&["chekc"]).exits(2).says(&["chekc", "check"]);
    stickslip(&["bench", "nothing"])
        .exits(2)
        .says(&["nothing", "step"]);
    stickslip(&["check"]).exits(2).says(&["<TRAJECTORY>"]);
    stickslip(&["compare", "a.csv"]).exits(2).says(&["<B>"]);
}

/// A checked run of the ball, recorded both ways.
fn recorded(place: &tempfile::TempDir) -> (String, String) {
    let scene = write(place, "ball.toml", ball(""));
    let (csv, parquet) = (path(place, "ball.csv"), path(place, "ball.parquet"));
    stickslip(&["run", &scene, "-o", &csv, "-o", &parquet]).exits(0);
    (csv, parquet)
}

#[test]
fn check_says_valid_and_prints_json() {
    let place = folder();
    let (_, parquet) = recorded(&place);
    let ran = stickslip(&["check", &parquet]).exits(0);
    assert!(ran.out.starts_with("VALID"), "{}", ran.out);
    let json = stickslip(&["check", &parquet, "--json"]).exits(0).json();
    assert_eq!(
        (&json["valid"], &json["steps"]),
        (&true.into(), &100.into())
    );
    // It needs neither the scene file nor the folder it was in.
    std::fs::remove_file(place.path().join("ball.toml")).expect("removed");
    stickslip(&["check", &parquet]).exits(0);
}

#[test]
fn check_refuses_what_it_cannot_judge() {
    let place = folder();
    let (csv, parquet) = recorded(&place);
    stickslip(&["check", &csv])
        .exits(2)
        .says(&["ball.csv", "impulses", ".parquet"]);
    stickslip(&["check", "no_such.parquet"])
        .exits(2)
        .says(&["no_such.parquet"]);
    stickslip(&["check", "scenes"]).exits(2).says(&["scenes"]);
    stickslip(&["check", "scenes/box_stack.toml"])
        .exits(2)
        .says(&["box_stack.toml"]);
    let empty = write(&place, "empty.parquet", "");
    stickslip(&["check", &empty])
        .exits(2)
        .says(&["empty.parquet"]);
    let bytes = std::fs::read(&parquet).expect("the file");
    let cut = write(&place, "cut.parquet", &bytes[..bytes.len() / 2]);
    stickslip(&["check", &cut]).exits(2).says(&["cut.parquet"]);
    std::fs::remove_file(place.path().join("ball.contacts.parquet")).expect("removed");
    stickslip(&["check", &parquet])
        .exits(2)
        .says(&["ball.contacts.parquet", "missing"]);
}

#[test]
fn compare_measures_and_decides() {
    let place = folder();
    let (csv, parquet) = recorded(&place);
    // The same run from both kinds of file: no distance at all.
    let json = stickslip(&["compare", &csv, &parquet, "--json"])
        .exits(0)
        .json();
    assert_eq!(json["metrics"]["dist"]["max"], 0.0);
    let scene = path(&place, "ball.toml");
    let fine = path(&place, "fine.csv");
    stickslip(&["run", &scene, "--h", "0.005", "-o", &fine]).exits(0);
    let ran = stickslip(&["compare", &csv, &fine]).exits(0);
    assert!(
        ran.out.contains("dist (m)") && ran.out.contains("largest"),
        "{}",
        ran.out
    );
    stickslip(&["compare", &csv, &fine, "--within", "1"]).exits(0);
    stickslip(&[
        "compare", &csv, &fine, "--metric", "velocity", "--within", "0.1",
    ])
    .exits(1);
    stickslip(&["compare", &csv, &fine, "--metric", "mass"])
        .exits(2)
        .says(&["mass", "dist"]);
    stickslip(&["compare", &csv, "no_such.csv"])
        .exits(2)
        .says(&["no_such.csv"]);
    let strangers = path(&place, "strangers.csv");
    stickslip(&[
        "run",
        "scenes/box_stack.toml",
        "--until",
        "0.05",
        "-o",
        &strangers,
    ])
    .exits(0);
    stickslip(&["compare", &csv, &strangers])
        .exits(2)
        .says(&["ball"]);
}

#[test]
fn the_schema_is_json_both_ways() {
    let (long, short) = (
        stickslip(&["schema"]).exits(0),
        stickslip(&["schema", "--json"]).exits(0),
    );
    assert_eq!(long.json(), short.json());
    assert_eq!(short.out.trim_end().lines().count(), 1);
    assert!(long.json()["properties"]["body"].is_object());
}

#[test]
fn accel_prints_the_promised_keys() {
    let json = stickslip(&["accel", "scenes/planar/three-point.toml", "--json"])
        .exits(0)
        .json();
    let solutions = json["solutions"].as_array().expect("a list");
    assert_eq!(solutions.len(), 1);
    assert!(
        solutions[0]["modes"].is_array() || solutions[0]["modes"].is_string(),
        "{json}"
    );
    assert_eq!(
        solutions[0]["acceleration"].as_array().map(Vec::len),
        Some(3)
    );
    let none = stickslip(&["accel", "scenes/planar/painleve-none.toml", "--json"])
        .exits(0)
        .json();
    assert_eq!(none["solutions"].as_array().map(Vec::len), Some(0));
    stickslip(&["accel", "scenes/planar"])
        .exits(2)
        .says(&["scenes/planar"]);
    stickslip(&["accel", "scenes/planar/three-point.toml", "--force", "1,2"])
        .exits(2)
        .says(&["--force"]);
    stickslip(&[
        "accel",
        "scenes/planar/three-point.toml",
        "--figure",
        "no/such/folder.svg",
    ])
    .exits(2)
    .says(&["no/such/folder.svg"]);
}

/// Painlevé's rod: above μ = 4/3 no acceleration is legal at the start, below it one is, always.
#[test]
fn alarms_and_recorded_states_see_painleves_rod() {
    let place = folder();
    let parquet = path(&place, "rod.parquet");
    let scene = "scenes/painleve_rod.toml";
    let run = stickslip(&["run", scene, "--alarm", "-o", &parquet, "--json"])
        .exits(0)
        .json();
    let alarms = run["alarms"]["list"].as_array().expect("a list");
    assert_eq!(alarms[0]["body"], "rod", "{run}");
    assert_eq!(alarms[0]["status"], "none", "{run}");
    assert_eq!(alarms[0]["from"], 0.0, "{run}");
    let calm = stickslip(&[
        "run",
        scene,
        "--alarm",
        "--set",
        "parameters.mu=1.2",
        "--json",
    ])
    .exits(0)
    .json();
    assert_eq!(calm["alarms"]["list"].as_array().map(Vec::len), Some(0));

    let none = stickslip(&["accel", &parquet, "--at", "0", "--json"])
        .exits(0)
        .json();
    assert_eq!(none["solutions"].as_array().map(Vec::len), Some(0));
    stickslip(&["accel", &parquet]).exits(2).says(&["--at T"]);
    stickslip(&["accel", &parquet, "--at", "1"])
        .exits(2)
        .says(&["nothing is recorded near t = 1 s"]);
    stickslip(&["accel", &parquet, "--at", "0", "--body", "ground"])
        .exits(2)
        .says(&["ground", "prescribed"]);
    stickslip(&["accel", &parquet, "--at", "0", "--body", "rot"])
        .exits(2)
        .says(&["rot"]);
}

#[test]
fn modes_draws_its_map() {
    let place = folder();
    let svg = path(&place, "modes.svg");
    let state = "scenes/planar/three-point.toml";
    let json = stickslip(&["modes", state, "--fine", "5", "-o", &svg, "--json"])
        .exits(0)
        .json();
    assert_eq!(json["picture"], svg.as_str());
    assert!(
        std::fs::read_to_string(&svg)
            .expect("the picture")
            .contains("<svg")
    );
    stickslip(&["modes", state, "--x-range", "1", "-o", &svg])
        .exits(2)
        .says(&["--x-range"]);
    stickslip(&["modes", state, "-o", "modes.pdf"])
        .exits(2)
        .says(&["modes.pdf", ".svg"]);
    // An impact comes first, whatever the force.
    let collision = path(&place, "collision.toml");
    let text = "m = 1\nrho = 1\nmu = 0\nF = [0, -1, 0]\nv = [0, -1, 0]\n[[contacts]]\nn = [0, 1]\nr = [0, 1]\n";
    std::fs::write(&collision, text).expect("a file");
    stickslip(&["modes", &collision, "-o", &svg])
        .exits(2)
        .says(&["impact"]);
    let text = stickslip(&["accel", &collision]).exits(0).out;
    assert!(
        text.contains("COLLISION") && text.contains("--rest-speed"),
        "{text}"
    );
}

#[test]
fn accel_says_what_is_wrong_with_its_options() {
    let state = "scenes/planar/three-point.toml";
    for (option, value, word) in [
        ("--mu", "-1", "mu"),
        ("--tolerance", "-1", "tolerance"),
        ("--rest-speed", "-1", "rest speed"),
        ("--figure", "cones.png", ".svg"),
        ("--at", "1", "trajectory"),
    ] {
        stickslip(&["accel", state, option, value])
            .exits(2)
            .says(&[word]);
    }
}

/// A recorded state says where its plane lies, and `modes` reads it too.
#[test]
fn recorded_states_show_their_plane() {
    let place = folder();
    let parquet = path(&place, "boxes.parquet");
    let run = stickslip(&[
        "run",
        "scenes/static_and_kinetic.toml",
        "--alarm",
        "-o",
        &parquet,
        "--json",
    ])
    .exits(0)
    .json();
    assert_eq!(run["alarms"]["list"][0]["static_friction"], true, "{run}");
    assert_eq!(run["alarms"]["passed_over"], serde_json::json!({}), "{run}");
    let at = ["--at", "1", "--body", "resting"];
    let accel = stickslip(&[&["accel", &parquet, "--json"], &at[..]].concat())
        .exits(0)
        .json();
    assert_eq!(accel["plane"]["y"], serde_json::json!([0.0, 0.0, 1.0]));
    assert_eq!(accel["solutions"][0]["mode"], "ff", "{accel}");
    let text = stickslip(&[&["accel", &parquet], &at[..]].concat())
        .exits(0)
        .out;
    assert!(
        text.contains("x along (1, 0, 0), y along (0, 0, 1)"),
        "{text}"
    );
    let svg = path(&place, "modes.svg");
    stickslip(&[&["modes", &parquet, "--fine", "5", "-o", &svg], &at[..]].concat()).exits(0);
    stickslip(&["modes", &parquet]).exits(2).says(&["--at T"]);
}

/// The stored problems: one with a solution, two without.
#[test]
fn solve_tells_rays_and_what_they_prove() {
    for solver in ["lemke", "auto"] {
        let solve = |name: &str| {
            let file = format!("problems/{name}.json");
            stickslip(&["solve", &file, "--solver", solver])
        };
        assert!(solve("block").exits(0).out.contains("solved by"));
        let copositive = solve("unsolvable/copositive").exits(1).out;
        assert!(copositive.contains("ray by") && copositive.contains("does not prove"));
        let infeasible = solve("unsolvable/infeasible").exits(1).out;
        assert!(infeasible.contains("ray by") && infeasible.contains("there is no solution"));
    }
}

/// The problems that are shipped to be solved are; those that have no solution are kept apart from them.
#[test]
fn the_problems_shipped_are_solved() {
    let all = stickslip(&["solve", "--all", "problems"]).exits(0).out;
    assert!(all.contains("2 of 2 solved to 1e-8 by auto"), "{all}");
    let none = stickslip(&["solve", "--all", "problems/unsolvable"])
        .exits(1)
        .out;
    assert!(none.contains("0 of 2 solved"), "{none}");
}

/// Times in messages are k·h as people write it.
#[test]
fn messages_are_without_the_dust_of_rounding() {
    let place = folder();
    let parquet = path(&place, "run.parquet");
    stickslip(&[
        "run",
        "scenes/sliding_box.toml",
        "--until",
        "0.3",
        "-o",
        &parquet,
    ])
    .exits(0);
    let picture = path(&place, "run.svg");
    let late = stickslip(&[
        "shot",
        &parquet,
        "--at",
        "0.41000000000000003",
        "-o",
        &picture,
    ])
    .exits(2);
    assert_eq!(
        late.err.trim_end(),
        "error: t = 0.41 s is not in the trajectory, which goes from 0 s to 0.3 s"
    );
    stickslip(&["shot", &parquet, "--at", "0.07,0.14,0.29", "-o", &picture]).exits(0);
    let svg = std::fs::read_to_string(&picture).expect("a picture");
    assert!(
        svg.contains("t = 0.07, 0.14, 0.29 s"),
        "every moment is named"
    );
    assert!(!svg.contains("0000000000"), "no dust");
}

/// The stages of a step are parts of it.
#[test]
fn stages_of_a_step_are_no_longer_than_the_step() {
    let json = stickslip(&["bench", "step", "--json"]).exits(0).json();
    for row in json["rows"].as_array().expect("rows") {
        let stages = row["stages"].as_object().expect("stages").values();
        let sum: f64 = stages.map(|s| s.as_f64().expect("µs")).sum();
        let whole = row["microseconds_per_step"].as_f64().expect("µs");
        assert!(sum > 0.0 && sum <= whole, "{sum} µs of {whole} µs");
    }
}

/// Steps written by a run, solved from their files: a vice without an answer, heavy bodies, and the relaxation.
#[test]
fn dumped_steps_say_what_is_wrong_with_them() {
    let place = folder();
    let dump = |scene: &str, more: &[&str], exit: i32| {
        let to = path(&place, scene);
        let file = format!("scenes/{scene}.toml");
        stickslip(&[&["run", &file, "--dump", &to], more].concat()).exits(exit);
        let mut files = std::fs::read_dir(&to).expect("dumped").flatten();
        files.next().expect("a step").path().display().to_string()
    };
    let vice = dump("refused/vice", &[], 1);
    let out = stickslip(&["solve", &vice]).exits(1).out;
    assert!(
        out.contains("ray by") && out.contains("no motion keeps contacts"),
        "{out}"
    );
    let heavy = dump(
        "heavy_on_light",
        &["--until", "0.3", "--dump-steps", "25"],
        0,
    );
    let json = stickslip(&["solve", &heavy, "--json"]).exits(0).json();
    let faf = json["residual_faf"].as_f64().expect("a number");
    let approach = json["law_parts"]["penetration_rate"]
        .as_f64()
        .expect("a number");
    assert!(faf < 1e-5 && approach < 1e-6, "{json}");
    let slide = dump("sliding_box", &["--until", "0.1", "--dump-steps", "5"], 0);
    let out = stickslip(&["solve", &slide, "--solver", "relaxation"])
        .exits(1)
        .out;
    assert!(out.contains("takes off by up to"), "{out}");
}

/// A limit of time: told with the best residual, and the next problem has its own.
#[test]
fn solve_ends_at_its_limit() {
    let place = folder();
    // Every solver's first look at the clock is past a nanosecond.
    let entries = 400;
    let list = |f: &dyn Fn(usize) -> String| (0..entries).map(f).collect::<Vec<_>>().join(",");
    let places = list(&|i| i.to_string());
    let problem = format!(
        r#"{{"type": "lcp", "M": {{"rows": [{places}], "cols": [{places}], "vals": [{}]}}, "q": [{}]}}"#,
        list(&|_| "2".into()),
        list(&|i| format!("{}", 10 - (i % 20) as i32))
    );
    write(&place, "a.json", &problem);
    write(&place, "b.json", &problem);
    let file = path(&place, "a.json");
    for solver in ["auto", "lemke", "interior-point", "pgs"] {
        let words = ["solve", &file, "--solver", solver, "--limit"];
        let out = stickslip(&[&words[..], &["1e-9"]].concat()).exits(1).out;
        assert!(
            out.contains("not solved: limit of 0.000000001 s reached, best residual"),
            "{solver}: {out}"
        );
        stickslip(&[&words[..], &["60"]].concat()).exits(0);
    }
    let step = ["solve", "problems/lifts.json", "--limit", "1e-9"];
    for solver in [
        "auto",
        "newton",
        "nsgs",
        "interior-point",
        "homotopy",
        "proximal",
        "admm",
    ] {
        let out = stickslip(&[&step[..], &["--solver", solver]].concat())
            .exits(1)
            .out;
        assert!(
            out.contains("out of time by") && out.contains("best residual"),
            "{solver}: {out}"
        );
    }
    let folder = place.path().display().to_string();
    let json = stickslip(&["solve", "--all", &folder, "--limit", "1e-9", "--json"])
        .exits(1)
        .json();
    let rows = json["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|r| r["status"] == "out of time"), "{json}");
    for wrong in ["0", "-1", "inf", "nan"] {
        stickslip(&["solve", &file, "--limit", wrong])
            .exits(2)
            .says(&["--limit", "seconds"]);
    }
}

#[test]
fn solve_prints_the_promised_keys() {
    let place = folder();
    // 0 ≤ z ⟂ M z + q ≥ 0 with M = diag(2, 1), q = (-4, 3): z = (2, 0).
    let problem = r#"{"type": "lcp", "n": 2, "M": {"rows": [0, 1], "cols": [0, 1], "vals": [2, 1]}, "q": [-4, 3]}"#;
    let file = write(&place, "small.json", problem);
    let impulses = path(&place, "z.txt");
    let json = stickslip(&["solve", &file, "--json", "--impulses", &impulses])
        .exits(0)
        .json();
    for key in ["status", "solver", "residual", "iterations", "seconds"] {
        assert!(!json[key].is_null(), "no {key} in {json}");
    }
    let z: Vec<f64> = std::fs::read_to_string(&impulses)
        .expect("the answer")
        .lines()
        .map(|line| line.trim().parse().expect("a number"))
        .collect();
    assert_eq!(z, [2.0, 0.0]);
    stickslip(&["solve", "no_such.json"])
        .exits(2)
        .says(&["no_such.json"]);
    stickslip(&["solve", "scenes"]).exits(2).says(&["scenes"]);
    stickslip(&["solve", &file, "--solver", "magic"])
        .exits(2)
        .says(&["magic"]);
    stickslip(&["solve", &file, "--tol", "0"])
        .exits(2)
        .says(&["--tol"]);
    let broken = write(&place, "broken.json", "{");
    stickslip(&["solve", &broken])
        .exits(2)
        .says(&["broken.json"]);
}

#[test]
fn a_reader_that_closes_the_pipe_is_no_error() {
    let place = folder();
    let (csv, _) = recorded(&place);
    for arguments in [
        vec!["schema"],
        vec!["compare", &csv, &csv, "--rows", "0", "--json"],
        vec!["run", "scenes/box_stack.toml", "--until", "0.05"],
    ] {
        let mut child = program()
            .args(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take()); // closed before anything was read
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let said: Vec<String> = stderr.lines().map_while(Result::ok).collect();
        let status = child.wait().expect("it ends");
        assert!(said.is_empty(), "{arguments:?}: {said:?}");
        assert_eq!(status.code(), Some(0), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_that_cannot_be_written_exits_1() {
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("a full device");
    let output = program()
        .arg("schema")
        .stdout(full)
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("standard output"));
}

#[cfg(unix)]
#[test]
fn odd_names_of_files_do_not_matter() {
    use std::os::unix::ffi::OsStrExt;
    let place = folder();
    let odd = place
        .path()
        .join(std::ffi::OsStr::from_bytes(b"sc\xffne.toml"));
    if std::fs::write(&odd, ball("")).is_err() {
        stickslip_testing::passed_over("this file system has UTF-8 names only");
        return;
    }
    let ran = program()
        .arg("run")
        .arg(&odd)
        .output()
        .expect("the program starts");
    assert_eq!(
        ran.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let missing = place
        .path()
        .join(std::ffi::OsStr::from_bytes(b"n\xffne.toml"));
    let ran = program()
        .arg("run")
        .arg(&missing)
        .output()
        .expect("the program starts");
    assert_eq!(ran.status.code(), Some(2));
}

/// The answer is shown, not only that there is one.
#[test]
fn the_solution_of_a_problem_is_shown() {
    let place = folder();
    let lcp = write(
        &place,
        "small.json",
        r#"{ "type": "lcp", "n": 2, "M": { "rows": [0, 0, 1, 1], "cols": [0, 1, 0, 1], "vals": [2.0, 1.0, 1.0, 2.0] }, "q": [-5.0, -6.0] }"#,
    );
    let text = stickslip(&["solve", &lcp]).exits(0).out;
    assert!(text.ends_with("\n  z: 1.33333, 2.33333\n"), "{text}");
    let json = stickslip(&["solve", &lcp, "--json"]).exits(0).json();
    let z: Vec<f64> = json["values"]
        .as_array()
        .expect("z")
        .iter()
        .filter_map(serde_json::Value::as_f64)
        .collect();
    assert!(
        (z[0] - 4.0 / 3.0).abs() < 1e-12 && (z[1] - 7.0 / 3.0).abs() < 1e-12,
        "{z:?}"
    );
}
