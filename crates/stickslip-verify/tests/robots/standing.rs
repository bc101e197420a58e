//! Robots on the ground, held and moved by motors with gains: every step is certified, whatever the gains and the step.

use std::fmt::Write as _;
use std::path::Path;
use stickslip::dynamics::scene::{Files, Scene};
use stickslip::prelude::World;
use stickslip_testing::{setting, shared};

const LEGS: [&str; 4] = ["FL", "FR", "BL", "BR"];

/// A quadruped that starts on bent legs, on a ground with friction, and what drives it.
fn quadruped(folder: &Path, h: f64, driven: &str) -> World {
    let starts: Vec<String> = LEGS
        .map(|l| format!("{l}_HFE = 0.5, {l}_KFE = -1.0"))
        .to_vec();
    let text = format!(
        r#"
[step]
h = {h}
until = 100
[material]
friction = 0.8
[[body]]
name = "ground"
motion = "fixed"
shape = {{ half-space = {{ normal = [0, 0, 1] }} }}
[[include]]
file = "quadruped/quadruped.urdf"
position = [0, 0, 0.306]
joints = {{ {} }}
{driven}
"#,
        starts.join(", ")
    );
    let files = Files::beside(&folder.join("any.toml"));
    let scene = Scene::parse_with(&text, "quadruped", &[], files).unwrap_or_else(|e| panic!("{e}"));
    World::from_scene(&scene).unwrap_or_else(|e| panic!("{e}"))
}

fn run(world: &mut World, time: f64, what: &str) {
    while world.time() < time {
        let record = world.step().unwrap_or_else(|e| panic!("{what}: {e}"));
        let worst = record.certificate.worst().1;
        assert!(
            worst < 1e-8,
            "{what}: residual {worst:e} m/s at {} s",
            record.t
        );
    }
}

#[test]
fn a_quadruped_stands_under_every_gain_and_step() {
    let Some(folder) = shared("robots") else {
        return;
    };
    for h in [0.001, 0.002, 0.005, 0.01] {
        for stiffness in [10.0, 100.0, 1e3, 1e4, 1e5] {
            let damping = 0.02 * stiffness;
            let held = format!("hold = {{ stiffness = {stiffness}, damping = {damping} }}");
            let mut world = quadruped(&folder, h, &held);
            let what = format!("h = {h}, stiffness {stiffness}");
            run(&mut world, setting("STICKSLIP_STAND_TIME", 0.4), &what);
            let height = world.frame("base_link").expect("a base").position.z;
            // Firm legs keep it within a centimetre of where it starts.
            let least = if stiffness >= 100.0 { 0.296 } else { 0.2 };
            assert!(
                (least..0.32).contains(&height),
                "{what}: it stands at {height} m"
            );
        }
    }
}

#[test]
fn a_quadruped_trots_by_tables() {
    let Some(folder) = shared("robots") else {
        return;
    };
    let (period, rows) = (0.2, 16);
    let mut motors = String::new();
    for (leg, phase) in LEGS.into_iter().zip([0.0, 0.5, 0.5, 0.0]) {
        let wave = |at: f64| 2.0 * std::f64::consts::PI * (at + phase);
        let hip = |at: f64| 0.5 + 0.05 * libm::sin(wave(at));
        // It begins where the legs are: a jump of the target would throw it up.
        let knee = |at: f64| -1.0 - 0.1 * libm::sin(wave(at)).max(0.0);
        for (joint, way) in [("HFE", &hip as &dyn Fn(f64) -> f64), ("KFE", &knee)] {
            let at = |k: i32| f64::from(k % rows) / f64::from(rows);
            let times: Vec<f64> = (0..=rows)
                .map(|k| period * f64::from(k) / f64::from(rows))
                .collect();
            let values: Vec<f64> = (0..=rows).map(|k| way(at(k))).collect();
            let _ = writeln!(
                motors,
                "[[motor]]\njoint = \"{leg}_{joint}\"\nposition = {{ t = {times:?}, value = {values:?}, repeat = true }}\nstiffness = 200\ndamping = 10"
            );
        }
    }
    let mut world = quadruped(&folder, 0.005, &motors);
    let time = setting("STICKSLIP_TROT_TIME", 0.5);
    run(&mut world, time, "trot");
    let height = world.frame("base_link").expect("a base").position.z;
    // Nothing balances it: after two to five seconds it falls on its side, and paws the air.
    let least = if time <= 1.0 { 0.2 } else { 0.02 };
    assert!((least..0.4).contains(&height), "{height}");
}

/// Our own models: an arm that is held, a leg that crouches by the configuration of its file.
#[test]
fn the_models_of_the_project_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let text = r#"
[step]
h = 0.002
until = 1
[[include]]
file = "robots/arm.urdf"
prefix = "arm/"
fixed-base = true
srdf = "arm.srdf"
position = [0, 2, 0]
joints = { shoulder = 0.4, elbow = 0.8 }
hold = { stiffness = 300, damping = 10 }
[[include]]
file = "robots/hopper.xml"
key = "crouch"
"#;
    let files = Files::beside(&folder.join("any.toml"));
    let scene = Scene::parse_with(text, "both", &[], files).unwrap_or_else(|e| panic!("{e}"));
    let mut world = World::from_scene(&scene).unwrap_or_else(|e| panic!("{e}"));
    let tip = world.frame("arm/tip").expect("a tip").position;
    run(&mut world, 0.1, "both");
    // 300 N m/rad give way by hundredths of a radian under the arm's own weight.
    let moved = (world.frame("arm/tip").expect("a tip").position - tip).length();
    assert!(moved > 1e-4 && moved < 0.05, "{moved}");
    assert!(world.frame("top").is_some() && world.frame("arm/palm").is_some());
    let written = scene.to_toml();
    let again = Scene::parse(&written, "again", &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(again.to_toml(), written);
}
