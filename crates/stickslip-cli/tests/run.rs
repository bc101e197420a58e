//! `stickslip run`: exit codes, JSON, files, mistakes.

mod support;

use support::{ball, folder, path, root, stickslip, write};

const STACK: &str = "scenes/box_stack.toml";
const HEADER: &str = "t,body,x,y,z,qs,qx,qy,qz,vx,vy,vz,wx,wy,wz";

#[test]
fn a_good_run_exits_0_with_a_verdict() {
    let ran = stickslip(&["run", STACK, "--until", "0.1"]).exits(0);
    for word in [
        "Ten boxes",
        "10 steps of 0.01 s",
        "certified",
        "penetration",
        "state hash",
    ] {
        assert!(ran.out.contains(word), "no \"{word}\" in: {}", ran.out);
    }
    assert!(ran.err.is_empty(), "{}", ran.err);
}

#[test]
fn json_has_the_promised_keys() {
    let ran = stickslip(&["run", STACK, "--until", "0.1", "--json"]).exits(0);
    let json = ran.json();
    assert_eq!(json["steps"], 10);
    assert_eq!(json["certified"], true);
    assert_eq!(json["hash"].as_str().map(str::len), Some(64));
    assert!(json["seconds"].as_f64().is_some_and(|s| s > 0.0));
    assert!(json["penetration"].as_f64().is_some_and(|p| p >= 0.0));
    let worst = json["worst"].as_object().expect("an object");
    let kinds = [
        "momentum",
        "map",
        "norm",
        "prescribed",
        "geometry",
        "gap",
        "complementarity",
        "cone",
        "direction",
    ];
    for kind in kinds {
        assert!(
            worst[kind]["value"].is_number() && worst[kind]["t"].is_number(),
            "{kind}"
        );
    }
    assert_eq!(
        ran.out.trim_end().lines().count(),
        1,
        "one object, one line"
    );
}

#[test]
fn the_csv_is_as_promised() {
    let place = folder();
    let csv = path(&place, "stack.csv");
    stickslip(&["run", STACK, "--until", "0.05", "-o", &csv]).exits(0);
    let text = std::fs::read_to_string(&csv).expect("the CSV");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(HEADER));
    let first: Vec<&str> = lines.next().expect("a row").split(',').collect();
    assert_eq!(
        (first[0], first[1]),
        ("0.0", "ground"),
        "the first row is at t = 0, of what is not free"
    );
    // Step 0 and five more, eleven bodies.
    assert_eq!(text.lines().count(), 1 + 6 * 11);
    assert!(text.lines().all(|l| l.split(',').count() == 15));
}

#[test]
fn contacts_are_written_beside_the_csv_when_asked() {
    let place = folder();
    let scene = write(&place, "ball.toml", ball(""));
    let csv = path(&place, "ball.csv");
    stickslip(&["run", &scene, "-o", &csv]).exits(0);
    assert!(!place.path().join("ball.contacts.csv").exists());
    stickslip(&["run", &scene, "--contacts", "-o", &csv]).exits(0);
    let contacts =
        std::fs::read_to_string(place.path().join("ball.contacts.csv")).expect("contacts");
    assert!(
        contacts.lines().last().expect("a row").ends_with("stick"),
        "{contacts}"
    );
}

#[test]
fn every_thins_and_the_thinned_file_can_be_checked() {
    let place = folder();
    let scene = write(&place, "ball.toml", ball(""));
    let (csv, parquet) = (path(&place, "ball.csv"), path(&place, "ball.parquet"));
    stickslip(&["run", &scene, "--every", "30", "-o", &csv, "-o", &parquet]).exits(0);
    let text = std::fs::read_to_string(&csv).expect("the CSV");
    let mut times: Vec<&str> = text
        .lines()
        .skip(1)
        .filter_map(|l| l.split(',').next())
        .collect();
    times.dedup();
    assert_eq!(
        times,
        ["0.0", "0.3", "0.6", "0.9", "1.0"],
        "step 0, every 30th and the last"
    );
    stickslip(&["check", &parquet]).exits(0);
}

#[test]
fn settings_can_be_given_on_the_command_line() {
    let run = |more: &[&str]| {
        stickslip(&[&["run", STACK, "--json"], more].concat())
            .exits(0)
            .json()
    };
    assert_eq!(run(&["--until", "0.1", "--h", "0.02"])["steps"], 5);
    assert_eq!(run(&["--until", "0.1", "--set", "step.h=0.05"])["steps"], 2);
    assert_eq!(
        run(&[
            "--until",
            "0.02",
            "--cone",
            "pyramid:8",
            "--solver",
            "lemke"
        ])["steps"],
        2
    );
    let (one, two) = (
        run(&["--until", "2", "--threads", "1"]),
        run(&["--until", "2", "--threads", "2"]),
    );
    assert_eq!(one["hash"], two["hash"]);
}

#[test]
fn mistakes_on_the_command_line_exit_2_and_say_what_was_expected() {
    let run = |more: &[&str]| stickslip(&[&["run", STACK], more].concat()).exits(2);
    run(&["--set", "friction"]).says(&["--set friction", "KEY=VALUE"]);
    run(&["--set", "=3"]).says(&["error"]);
    run(&["--set", "material.frictoin=0.3"]).says(&["frictoin", "friction"]);
    run(&["--set", "material.friction=-1"]).says(&["--set material.friction=-1"]);
    run(&["--set", "material.friction=high"]).says(&["high"]);
    run(&["--set", "nothing=1"]).says(&["nothing"]);
    run(&["--h", "-0.01"]).says(&["--h"]);
    run(&["--h", "fast"]).says(&["fast"]);
    run(&["--until", "nan"]).says(&["nan"]);
    run(&["--cone", "round"]).says(&["round", "quadratic"]);
    run(&["--cone", "pyramid:2"]).says(&["pyramid"]);
    run(&["--solver", "nsgss"]).says(&["nsgss", "nsgs"]);
    run(&["--method", "euler"]).says(&["euler", "stewart-trinkle"]);
    run(&["--tolerance", "0"]).says(&["tolerance"]);
    run(&["--threads", "0"]).says(&["--threads"]);
    run(&["--every", "0"]).says(&["--every"]);
    run(&["--evrey", "2"]).says(&["--every"]);
    stickslip(&["run"]).exits(2).says(&["<SCENE>"]);
}

#[test]
fn scenes_that_cannot_be_read_exit_2() {
    let place = folder();
    stickslip(&["run", "scenes/no_such.toml"])
        .exits(2)
        .says(&["scenes/no_such.toml"]);
    stickslip(&["run", "scenes"]).exits(2).says(&["scenes"]);
    let empty = write(&place, "empty.toml", "");
    stickslip(&["run", &empty])
        .exits(2)
        .says(&["empty.toml", "step"]);
    let binary = write(&place, "binary.toml", [0x66, 0xff, 0xfe, 0x00]);
    stickslip(&["run", &binary]).exits(2).says(&["binary.toml"]);
    let typo = write(
        &place,
        "typo.toml",
        ball("").replace("mass = 1.0", "masss = 1.0"),
    );
    // File, line, column and the nearest known key.
    stickslip(&["run", &typo])
        .exits(2)
        .says(&["typo.toml:15:1", "masss", "mass"]);
    let overlap = write(
        &place,
        "overlap.toml",
        ball("").replace("[0, 0, 1]\n", "[0, 0, 0.25]\n"),
    );
    stickslip(&["run", &overlap])
        .exits(2)
        .says(&["overlap", "0.25 m"]);
}

#[cfg(unix)]
#[test]
fn a_scene_without_permission_exits_2() {
    use std::os::unix::fs::PermissionsExt;
    let place = folder();
    let scene = write(&place, "secret.toml", ball(""));
    std::fs::set_permissions(&scene, std::fs::Permissions::from_mode(0o000)).expect("permissions");
    if std::fs::read(&scene).is_ok() {
        stickslip_testing::passed_over("this user may read everything");
        return;
    }
    stickslip(&["run", &scene]).exits(2).says(&["secret.toml"]);
}

#[test]
fn outputs_that_cannot_be_written_exit_2_before_the_run() {
    let place = folder();
    let run = |out: &str| stickslip(&["run", STACK, "--until", "0.05", "-o", out]).exits(2);
    run(&path(&place, "stack.xlsx")).says(&["stack.xlsx", ".parquet, .csv or .html"]);
    run(&path(&place, "stack")).says(&[".parquet, .csv or .html"]);
    run(&path(&place, "no/such/folder/stack.csv")).says(&["stack.csv"]);
    run(&path(&place, "no/such/folder/stack.parquet")).says(&["stack.parquet"]);
    std::fs::create_dir(place.path().join("folder.csv")).expect("a folder");
    run(&path(&place, "folder.csv")).says(&["folder.csv"]);
    std::fs::create_dir(place.path().join("folder.parquet")).expect("a folder");
    run(&path(&place, "folder.parquet")).says(&["folder.parquet"]);
}

#[test]
fn the_scene_is_never_overwritten() {
    let place = folder();
    let scene = write(&place, "scene.csv", ball(""));
    stickslip(&["run", &scene, "-o", &scene])
        .exits(2)
        .says(&["overwritten"]);
    assert_eq!(
        std::fs::read_to_string(&scene).expect("the scene"),
        ball("")
    );
}

#[test]
fn one_file_cannot_be_two_outputs() {
    let place = folder();
    let csv = path(&place, "twice.csv");
    stickslip(&["run", STACK, "--until", "0.05", "-o", &csv, "-o", &csv])
        .exits(2)
        .says(&["twice.csv", "twice"]);
}

/// A force, or a prescribed motion, that is a number only until 0.5 s.
#[test]
fn files_written_beside_count_as_outputs_and_need_a_csv() {
    let folder = folder();
    let (csv, contacts) = (path(&folder, "a.csv"), path(&folder, "a.contacts.csv"));
    let twice = ["run", STACK, "--contacts", "-o", &csv, "-o", &contacts];
    let ran = stickslip(&twice).exits(2);
    assert!(ran.err.contains("a.contacts.csv"), "{}", ran.err);
    for flag in ["--contacts", "--joints"] {
        let ran = stickslip(&["run", STACK, flag]).exits(2);
        assert!(
            ran.err.contains(flag) && ran.err.contains(".csv"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn what_was_not_as_asked_is_said() {
    let box_ = "scenes/sliding_box.toml";
    let asked = ["run", box_, "--until", "0.095", "--solver", "lemke"];
    let ran = stickslip(&asked).exits(0);
    // The cone is quadratic, which Lemke's method cannot take; ten steps of 0.01 s end at 0.1 s.
    for words in [
        "lemke had no answer for 10 of 10 steps",
        "ends 0.005 s later",
    ] {
        assert!(ran.out.contains(words), "no \"{words}\" in: {}", ran.out);
    }
    let ran = stickslip(&[
        "run",
        box_,
        "--until",
        "0.1",
        "--solver",
        "lemke",
        "--cone",
        "pyramid:8",
    ])
    .exits(0);
    assert!(
        !ran.out.contains("had no answer") && !ran.out.contains("later"),
        "{}",
        ran.out
    );
}

#[test]
fn a_run_that_fails_half_way_keeps_what_it_had() {
    let force = "[[force]]\nbody = \"ball\"\nforce = [\"sqrt(0.5 - t)\", 0, 0]\n";
    let motion = "[[body]]\nname = \"lift\"\nshape = { ball = { radius = 0.1 } }\n\
                  motion = { position = [5, 0, \"2 + sqrt(0.5 - t)\"] }\n";
    for (more, body) in [(force, "ball"), (motion, "lift")] {
        let place = folder();
        let scene = write(&place, "half.toml", ball(more));
        let (csv, parquet) = (path(&place, "half.csv"), path(&place, "half.parquet"));
        let ran = stickslip(&["run", &scene, "-o", &csv, "-o", &parquet]).exits(1);
        assert!(ran.out.contains("STOPPED"), "{}", ran.out);
        assert!(
            ran.out.contains(&format!("\"{body}\"")) && ran.out.contains("not finite"),
            "{}",
            ran.out
        );
        assert!(ran.out.contains("t = 0.5"), "{}", ran.out);

        let json = stickslip(&["run", &scene, "--json"]).exits(1).json();
        assert_eq!(json["certified"], false);
        assert!(json["failure"].as_str().is_some_and(|f| f.contains(body)));
        let steps = json["steps"].as_u64().expect("a count");
        assert!((49..=50).contains(&steps), "{steps}");

        let text = std::fs::read_to_string(&csv).expect("the CSV");
        let bodies = if body == "lift" { 3 } else { 2 };
        assert_eq!(text.lines().count() as u64, 1 + (steps + 1) * bodies);
        // What was computed obeys the law, and check says so.
        let checked = stickslip(&["check", &parquet, "--json"]).json();
        assert_eq!(checked["steps"], steps);
        assert!(
            checked["findings"].as_array().is_some_and(Vec::is_empty),
            "{checked}"
        );
    }
}

/// Scenes that take a minute and more, and the time to which they are run here.
const LONG: [(&str, &str); 2] = [("ragdolls.toml", "1.5"), ("plate_parts.toml", "0.6")];

/// Every scene, from its beginning to its end: certified, and found valid from its file alone.
#[test]
fn every_scene_of_the_folder_runs_certified() {
    let mut scenes: Vec<_> = std::fs::read_dir(root().join("scenes"))
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    scenes.sort();
    assert!(scenes.len() >= 10);
    let place = folder();
    for scene in scenes {
        let scene = scene.to_str().expect("UTF-8");
        let parquet = path(&place, "run.parquet");
        let mut words = vec!["run", scene, "--json", "-o", &parquet];
        if let Some((_, until)) = LONG.iter().find(|(name, _)| scene.ends_with(name)) {
            words.extend(["--until", until]);
        }
        let json = stickslip(&words).exits(0).json();
        assert_eq!(json["certified"], true, "{scene}");
        let checked = stickslip(&["check", &parquet]).exits(0);
        assert!(checked.out.starts_with("VALID"), "{scene}: {}", checked.out);
    }
}

/// Problems of steps become files that `solve` reads; both kinds.
#[test]
fn dumped_steps_are_solved_from_their_files() {
    let place = folder();
    let dump = path(&place, "dump");
    for (cone, ending) in [("quadratic", "hdf5"), ("pyramid:4", "json")] {
        let json = stickslip(&[
            "run",
            "scenes/sliding_box.toml",
            "--cone",
            cone,
            "--until",
            "0.05",
            "--dump",
            &dump,
            "--dump-steps",
            "2,4..5",
            "--json",
        ])
        .exits(0)
        .json();
        let files = json["dumped"].as_array().expect("a list");
        assert_eq!(files.len(), 3, "{json}");
        let last = files[2].as_str().expect("a path");
        assert!(
            last.ends_with(&format!("sliding_box-step5.{ending}")),
            "{json}"
        );
        let solved = stickslip(&["solve", last, "--tol", "1e-12", "--json"])
            .exits(0)
            .json();
        assert_eq!(solved["status"], "solved");
    }
    let profile = path(&place, "profile.svg");
    let table = stickslip(&[
        "solve",
        "--all",
        &dump,
        "--solver",
        "auto,interior-point",
        "--plot",
        &profile,
    ])
    .exits(0);
    assert!(table.out.contains("6 of 6 solved"), "{}", table.out);
    assert!(table.out.contains("share solved"), "{}", table.out);
    assert!(
        std::fs::read_to_string(&profile)
            .expect("the plot")
            .contains("interior-point")
    );
    stickslip(&[
        "run",
        "scenes/sliding_box.toml",
        "--dump",
        &dump,
        "--dump-steps",
        "5..2",
    ])
    .exits(2)
    .says(&["--dump-steps", "5..2"]);
}

/// A step with joints beside round cones has a form of its own; `--dump-blocks` gives it to every step.
#[test]
fn dumped_steps_with_joints_are_solved_from_their_files() {
    let place = folder();
    let dump = path(&place, "dump");
    let words = |scene: &str, steps: &str| {
        let mut words: Vec<String> = ["run", scene, "--until", "0.4", "--json", "--dump", &dump]
            .map(Into::into)
            .into();
        words.extend(["--dump-blocks".into(), "--dump-steps".into(), steps.into()]);
        words
    };
    for (scene, steps, name) in [
        ("scenes/ragdolls.toml", "60,70", "joint \"l-hip"),
        ("scenes/sliding_box.toml", "5", "\" with \""),
    ] {
        let words = words(scene, steps);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let json = stickslip(&words).exits(0).json();
        for file in json["dumped"].as_array().expect("a list") {
            let file = file.as_str().expect("a path");
            let text = std::fs::read_to_string(file).expect("the file");
            assert!(text.contains(&name.replace('"', "\\\"")), "{file}");
            let solved = stickslip(&["solve", file, "--tol", "1e-11", "--json"])
                .exits(0)
                .json();
            for key in ["residual", "distance"] {
                let value = solved["file_impulses"][key].as_f64().expect("a number");
                assert!(value < 1e-8, "{file}: {solved}");
            }
            let out = stickslip(&["solve", file, "--solver", "newton"])
                .exits(0)
                .out;
            assert!(out.contains("step, ") && out.contains("worst: "), "{out}");
        }
    }
    let half = path(&place, "half.json");
    let whole = std::fs::read_to_string(path(&place, "dump/ragdolls-step60.json")).expect("a file");
    std::fs::write(&half, &whole[..whole.len() / 2]).expect("written");
    stickslip(&["solve", &half])
        .exits(2)
        .says(&["half.json", "line"]);
}

#[test]
fn a_closing_vice_stops_the_run_and_names_its_jaws() {
    let ran = stickslip(&["run", "scenes/refused/vice.toml"]).exits(1);
    let said = format!("{}{}", ran.out, ran.err);
    for words in [
        "no motion keeps these contacts open together",
        "\"left jaw\" with \"part\"",
        "\"right jaw\" with \"part\"",
    ] {
        assert!(said.contains(words), "no \"{words}\" in: {said}");
    }
}

#[test]
fn steps_that_would_not_come_to_an_end_are_told() {
    let ran = stickslip(&["run", "scenes/pendulum.toml", "--error", "1e-9", "--quiet"]).exits(1);
    let said = format!("{}{}", ran.out, ran.err);
    for words in [
        "a wanted error of 1.0e-9 m asks for steps of",
        "ask for a larger error",
    ] {
        assert!(said.contains(words), "no \"{words}\" in: {said}");
    }
}
