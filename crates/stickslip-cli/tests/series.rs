//! Numbers of a run over time, against closed forms.

mod support;

use std::fs;
use support::{folder, path, stickslip, write};

/// Two fingers on sliders hold a box by friction: each presses with 30 N, and the box weighs 2·9.81 N.
const GRIPPER: &str = r#"
format = 1
[step]
h = 0.005
until = 0.5
[material]
friction = 0.8
[[body]]
name = "box"
shape = { box = { size = [0.1, 0.1, 0.1] } }
mass = 2.0
[[body]]
name = "gripper.left"
shape = { box = { size = [0.02, 0.06, 0.06] } }
mass = 0.2
position = [-0.06, 0, 0]
[[body]]
name = "gripper.right"
shape = { box = { size = [0.02, 0.06, 0.06] } }
mass = 0.2
position = [0.06, 0, 0]
[[joint]]
name = "left slider"
type = "slider"
bodies = ["world", "gripper.left"]
anchor = [-0.06, 0, 0]
axis = [1, 0, 0]
motor = { velocity = 1.0, force = 30 }
[[joint]]
name = "gripper.finger"
type = "slider"
bodies = ["world", "gripper.right"]
anchor = [0.06, 0, 0]
axis = [-1, 0, 0]
motor = { velocity = 1.0, force = 30 }
"#;

/// Columns of a CSV: names, and numbers of each.
fn table(csv: &str) -> Vec<(String, Vec<Option<f64>>)> {
    let mut lines = csv.lines();
    let names = lines.next().expect("a head").split(',').map(str::to_owned);
    let mut columns: Vec<_> = names.map(|name| (name, Vec::new())).collect();
    for line in lines {
        for (column, word) in columns.iter_mut().zip(line.split(',')) {
            column.1.push(word.parse().ok());
        }
    }
    columns
}

#[test]
fn the_forces_of_a_gripper_are_those_of_statics() {
    let place = folder();
    let scene = write(&place, "gripper.toml", GRIPPER);
    let parquet = path(&place, "run.parquet");
    stickslip(&["run", &scene, "-o", &parquet, "--quiet"]).exits(0);
    let weight = 2.0 * 9.81;
    let wanted = [
        ("force on box from gripper.left.x", "N", 30.0),
        ("force on box from gripper.right.normal", "N", 30.0),
        ("force on box.z", "N", weight),
        ("force between box and gripper.left.z", "N", 0.5 * weight),
        ("gripper.finger.motor.x", "N", 30.0),
        ("gripper.finger.force.z", "N", 0.5 * weight + 0.2 * 9.81),
        ("torque on box", "N m", 0.0),
        ("box.z", "m", 0.0),
        ("kinetic energy", "J", 0.0),
        ("box.speed", "m/s", 0.0),
    ];
    let mut arguments = vec!["series", &parquet];
    for (name, ..) in &wanted {
        arguments.extend(["--of", name]);
    }
    let columns = table(&stickslip(&arguments).exits(0).out);
    assert_eq!(columns[0].0, "t [s]");
    for ((name, unit, expected), (head, values)) in wanted.iter().zip(&columns[1..]) {
        assert_eq!(head, &format!("{name} [{unit}]"));
        // Before the first step there is no force; from then on all is at rest.
        assert_eq!(values.len(), 101);
        assert_eq!(values[0].is_none(), unit.starts_with('N'), "{name}");
        // The start, looked at above, is no step.
        for value in &values[1..] {
            let value = value.expect("a number");
            assert!(
                (value - expected).abs() < 1e-7,
                "{name}: {value}, not {expected}"
            );
        }
    }
    let (csv, svg) = (path(&place, "series.csv"), path(&place, "series.svg"));
    let (table, png) = (path(&place, "series.parquet"), path(&place, "series.png"));
    let outputs = ["--json", "-o", &csv, "-o", &svg, "-o", &table, "-o", &png];
    let ran = stickslip(&[&arguments[..], &outputs[..]].concat()).exits(0);
    let json = ran.json();
    assert_eq!(json["times"], 101);
    assert_eq!(json["series"][0]["unit"], "N");
    for file in [&csv, &svg, &table, &png] {
        assert!(fs::metadata(file).expect("written").len() > 500, "{file}");
    }
    for (name, words) in [
        ("force on bx", "did you mean `box`?"),
        ("force between box", "expected `force between A and B`"),
        ("box.height", "the body `box` has x, y, z"),
        (
            "gripper.finger.rq",
            "the joint `gripper.finger` has x, y, z",
        ),
        ("nobody.x", "no body or joint `nobody`"),
    ] {
        stickslip(&["series", &parquet, "--of", name])
            .exits(2)
            .says(&[words]);
    }
    stickslip(&["series", &parquet]).exits(2);
    stickslip(&["series", &parquet, "--of", "energy", "-o", "x.txt"]).exits(2);
    // The run is not written over by its series, whatever way leads to it.
    fs::create_dir(place.path().join("aside")).expect("a folder");
    for own in [
        "run.parquet",
        "run.steps.parquet",
        "aside/../run.joints.parquet",
    ] {
        let own = path(&place, own);
        let refused = stickslip(&["series", &parquet, "--of", "energy", "-o", &own]).exits(2);
        refused.says(&["this is the run itself"]);
    }
    stickslip(&["check", &parquet]).exits(0);
}

/// Pose of each bar of `scenes/four_bar.toml` in its plane, with the crank at `angle`: mass, length, middle, direction. From the lengths of
/// the bars alone.
fn bars(angle: f64) -> [(f64, f64, [f64; 2], f64); 3] {
    let (shaft, far) = ([0.0, 0.0], [1.6, 0.0]);
    let pin = [0.5 * libm::sin(angle), 0.5 * libm::cos(angle)];
    let (dx, dz) = (far[0] - pin[0], far[1] - pin[1]);
    let d = libm::hypot(dx, dz);
    let along = (1.5 * 1.5 - 1.2 * 1.2 + d * d) / (2.0 * d);
    let across = (1.5 * 1.5 - along * along).sqrt();
    let top = [
        pin[0] + (along * dx - across * dz) / d,
        pin[1] + (along * dz + across * dx) / d,
    ];
    let bar = |mass: f64, length: f64, a: [f64; 2], b: [f64; 2]| {
        let middle = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
        (mass, length, middle, libm::atan2(b[1] - a[1], b[0] - a[0]))
    };
    [
        bar(0.5, 0.5, shaft, pin),
        bar(1.0, 1.5, pin, top),
        bar(1.0, 1.2, top, far),
    ]
}

/// Energy of the linkage whose crank turns once a second, J.
fn energy(angle: f64) -> f64 {
    let e = 1e-5;
    let rate = std::f64::consts::TAU / (2.0 * e);
    let (before, now, after) = (bars(angle - e), bars(angle), bars(angle + e));
    let each = (0..3).map(|k| {
        let (mass, length, middle, _) = now[k];
        let v = [0, 1].map(|i| (after[k].2[i] - before[k].2[i]) * rate);
        let turn = libm::sin(after[k].3 - before[k].3) * rate;
        let inertia = mass * (length * length + 0.04 * 0.04) / 12.0;
        0.5 * mass * (v[0] * v[0] + v[1] * v[1])
            + 0.5 * inertia * turn * turn
            + mass * 9.81 * middle[1]
    });
    each.sum()
}

/// At an even speed the motor's torque is dE/dθ, from positions alone.
#[test]
fn the_torque_of_a_four_bar_is_the_slope_of_its_energy() {
    let place = folder();
    let parquet = path(&place, "run.parquet");
    let run = ["run", "scenes/four_bar.toml", "--h", "0.001", "--until"];
    stickslip(&[&run[..], &["1.1", "--quiet", "-o", &parquet]].concat()).exits(0);
    let of = ["--of", "crank shaft.motor.rx", "--of", "crank shaft.rx"];
    let columns = table(
        &stickslip(&[&["series", &parquet], &of[..]].concat())
            .exits(0)
            .out,
    );
    let (torques, angles) = (&columns[1].1, &columns[2].1);
    let (mut worst, mut largest): (f64, f64) = (0.0, 0.0);
    // From 0.1 s on the crank has its speed; a step's torque is that at its start.
    for k in 100..torques.len() {
        let (torque, angle) = (
            torques[k].expect("a torque"),
            angles[k - 1].expect("an angle"),
        );
        let expected = (energy(angle + 1e-3) - energy(angle - 1e-3)) / 2e-3;
        worst = worst.max((torque - expected).abs());
        largest = largest.max(expected.abs());
    }
    assert!(largest > 11.0, "{largest} N m");
    assert!(worst < 2e-3, "{worst} N m of {largest} N m");
}
