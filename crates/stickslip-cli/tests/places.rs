//! Outputs that cannot be where they are asked for, and inputs that are not what they are called: exit code 2, before anything is computed, with
//! a sentence that says what to do.

mod support;

use support::{ball, folder, path, stickslip, write};
use tempfile::TempDir;

/// A short run in a folder.
fn recorded(place: &TempDir) -> (String, String) {
    let scene = write(place, "ball.toml", ball(""));
    let run = path(place, "run.parquet");
    stickslip(&["run", &scene, "--until", "0.05", "-o", &run]).exits(0);
    (scene, run)
}

#[test]
fn no_command_writes_into_a_folder_that_is_not_there() {
    let place = folder();
    let (scene, run) = recorded(&place);
    let nowhere = |name: &str| path(&place, &format!("nowhere/{name}"));
    let [page, svg, png, glb, csv] = ["x.html", "x.svg", "x.png", "x.glb", "x.csv"].map(nowhere);
    let problem = "problems/block.json";
    let out = path(&place, "sweep");
    let h = "step.h=0.01,0.02";
    let state = "scenes/planar/peg-jams.toml";
    for command in [
        vec!["run", &scene, "-o", &page],
        vec!["run", &scene, "-o", &csv],
        vec!["view", &run, "-o", &page],
        vec!["shot", &run, "-o", &svg],
        vec!["shot", &run, "-o", &glb],
        vec!["shot", &run, "--film", "-o", &png],
        vec!["series", &run, "--of", "ball.z", "-o", &csv],
        vec!["series", &run, "--of", "ball.z", "-o", &svg],
        vec!["converge", &scene, "-o", &svg],
        vec!["field", "circle", "-o", &csv],
        vec!["field", "circle", "-o", &png],
        vec!["sweep", &scene, h, "-o", &out, "--plot", &svg],
        vec!["solve", "--all", "problems", "--plot", &svg],
        vec!["solve", problem, "--impulses", &csv],
        vec!["accel", state, "--figure", &svg],
    ] {
        println!("{command:?}");
        stickslip(&command)
            .exits(2)
            .says(&["there is no folder", "nowhere; make it first"]);
    }
    assert!(!std::path::Path::new(&out).exists(), "nothing was swept");
}

#[test]
fn what_only_has_the_name_of_a_trajectory_is_told_so() {
    let place = folder();
    let (_, run) = recorded(&place);
    let text = write(&place, "notes.parquet", "hello ".repeat(100));
    let told = stickslip(&["check", &text]).exits(2);
    told.says(&["notes.parquet: not a stickslip trajectory: it is not a Parquet file"]);
    let empty = write(&place, "empty.parquet", "");
    let told = stickslip(&["check", &empty]).exits(2);
    told.says(&["empty.parquet: not a stickslip trajectory: it is too short"]);
    // Cut short, and the tables beside it gone.
    let bytes = std::fs::read(&run).expect("a run");
    let cut = write(&place, "cut.parquet", &bytes[..bytes.len() / 2]);
    let told = stickslip(&["check", &cut]).exits(2);
    told.says(&["cut.parquet: the file is cut short"]);
    // Whole, but alone.
    let alone = write(&place, "alone.parquet", &bytes);
    let told = stickslip(&["check", &alone]).exits(2);
    told.says(&[
        "alone.contacts.parquet: this table of the trajectory",
        "is missing",
    ]);
    // Not the file that is meant.
    let contacts = path(&place, "run.contacts.parquet");
    let told = stickslip(&["check", &contacts]).exits(2);
    told.says(&["it is a table of one; give", "run.parquet"]);
}

#[test]
fn a_run_with_impacts_is_a_csv_too() {
    let place = folder();
    let scene = write(&place, "ball.toml", ball("restitution = 0.5\n"));
    let table = path(&place, "run.csv");
    let method = ["--method", "event-driven"];
    let command = ["run", &scene, "--contacts", "-o", &table];
    stickslip(&[&command, &method[..]].concat()).exits(0);
    let text = std::fs::read_to_string(&table).expect("a table");
    // The heading has no number and is no row.
    let row = |line: &str| -> Option<(f64, f64)> {
        let mut fields = line.split(',');
        let t = fields.next()?.parse().ok()?;
        (fields.next()? == "ball").then_some(())?;
        Some((t, fields.nth(9)?.parse().ok()?))
    };
    let rows: Vec<(f64, f64)> = text.lines().filter_map(row).collect();
    // Compression stops it, decompression gives half of the speed back, both in no time.
    let impact = rows.windows(3).find(|w| w[0].0 == w[2].0);
    let &[(_, before), (_, stopped), (_, after)] = impact.expect("an impact") else {
        panic!("three rows");
    };
    assert!(before < -1.0 && stopped.abs() < 1e-9, "{before} {stopped}");
    assert!((after + 0.5 * before).abs() < 1e-9, "{before} {after}");
    let contacts = std::fs::read_to_string(path(&place, "run.contacts.csv")).expect("contacts");
    assert!(
        !contacts.contains("inf") && !contacts.contains("NaN"),
        "{contacts}"
    );
    // The file is read as it was written.
    let parquet = path(&place, "run.parquet");
    stickslip(&[&["run", &scene, "-o", &parquet], &method[..]].concat()).exits(0);
    let compared = stickslip(&["compare", &parquet, &table, "--json"]).exits(0);
    assert_eq!(
        compared.json()["metrics"]["velocity"]["max"],
        0.0,
        "{}",
        compared.out
    );
}

#[test]
fn of_xacro_it_is_said_how_to_make_a_model() {
    let place = folder();
    let link = "<link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>";
    let text = format!(
        "<robot xmlns:xacro=\"http://www.ros.org/wiki/xacro\" name=\"r\"><xacro:include filename=\"arm.xacro\"/>{link}</robot>"
    );
    let model = write(&place, "robot.urdf", text);
    let ran = stickslip(&["run", &model, "--until", "0.01"]).exits(0);
    ran.says(&["not understood: <include>", "xacro FILE > robot.urdf"]);
}

/// A file where a command, a trajectory or a name to read should be: what to do with it.
#[test]
fn what_stands_in_the_wrong_place_is_told_where_it_belongs() {
    let place = folder();
    let scene = write(&place, "ball.toml", ball(""));
    let run = path(&place, "run.parquet");
    stickslip(&["run", &scene, "-o", &run]).exits(0);
    stickslip(&[&scene])
        .exits(2)
        .says(&["stands where the command should be", "`stickslip run "]);
    stickslip(&[&run]).exits(2).says(&["`stickslip check "]);
    stickslip(&["rum", &scene]).exits(2).says(&["unrecognized"]);
    stickslip(&["check", &scene])
        .exits(2)
        .says(&["it is a scene; `stickslip run` with -o"]);
    stickslip(&["series", &run])
        .exits(2)
        .says(&["bodies: ground, ball", "--of ball.z --of 'force on ball'"]);
    stickslip(&["run", &scene, "--set", "ball.mass=2"])
        .exits(2)
        .says(&["did you mean `body.ball.mass`?"]);
}
