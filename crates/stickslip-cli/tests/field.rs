//! `stickslip field`, from outside.

mod support;

use support::{folder, path, stickslip};

const SMALL: [&str; 8] = [
    "--grid",
    "2",
    "--steps",
    "40",
    "--settle",
    "2",
    "--average",
    "1",
];

#[test]
fn a_named_motion_gives_numbers_and_a_picture() {
    let place = folder();
    let outputs = ["field.csv", "field.parquet", "field.svg", "field.png"].map(|n| path(&place, n));
    let mut args = vec!["field", "circle", "--json"];
    args.extend(SMALL);
    for output in &outputs {
        args.extend(["-o", output]);
    }
    let json = stickslip(&args).exits(0).json();
    assert_eq!(json["places"].as_array().map(Vec::len), Some(4));
    let csv = std::fs::read_to_string(&outputs[0]).expect("the table");
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("x0,y0,x,y,vx,vy,slide,stick,air,change"));
    assert_eq!(lines.count(), 4);
    let svg = std::fs::read_to_string(&outputs[2]).expect("the picture");
    assert!(svg.contains("<svg") && svg.contains("x (mm)"));
    for output in [&outputs[1], &outputs[3]] {
        assert!(std::fs::metadata(output).expect("a file").len() > 100);
    }
}

#[test]
fn threads_do_not_change_the_table() {
    let place = folder();
    let table = |threads: &str| {
        let csv = path(&place, "field.csv");
        let mut args = vec!["field", "sink", "--quiet", "--threads", threads, "-o", &csv];
        args.extend(SMALL);
        stickslip(&args).exits(0);
        std::fs::read(&csv).expect("the table")
    };
    assert_eq!(table("1"), table("3"));
}

#[test]
fn a_printed_scene_is_a_plate_again() {
    let place = folder();
    let scene = path(&place, "saddle.toml");
    let printed = stickslip(&["field", "saddle", "--print-scene", "--part", "tripod"]).exits(0);
    std::fs::write(&scene, printed.out).expect("a file");
    let mut args = vec!["field", &scene, "--json"];
    args.extend(SMALL);
    let json = stickslip(&args).exits(0).json();
    assert!((json["period"].as_f64().unwrap_or(0.0) - 1.0 / 33.0).abs() < 1e-15);
}

#[test]
fn mistakes_are_told() {
    let unknown = stickslip(&["field", "circel"]).exits(2);
    assert!(
        unknown.err.contains("one of the named motions: circle"),
        "{}",
        unknown.err
    );
    let ending = stickslip(&["field", "circle", "-o", "field.pdf"]).exits(2);
    assert!(
        ending.err.contains(".csv, .parquet, .svg or .png"),
        "{}",
        ending.err
    );
    let no_period = stickslip(&["field", "scenes/plate_rocking.toml"]).exits(2);
    assert!(no_period.err.contains("--period"), "{}", no_period.err);
    let no_part = stickslip(&["field", "scenes/feeder_gate.toml"]).exits(2);
    assert!(
        no_part.err.contains("more than one free body"),
        "{}",
        no_part.err
    );
    let grid = stickslip(&["field", "circle", "--grid", "1"]).exits(2);
    assert!(grid.err.contains("2 to 10,000"), "{}", grid.err);
}
