//! Robots against independent codes: what Pinocchio (URDF) and MuJoCo (MJCF) say of mass matrix, centre of mass, kinetic energy, gravity
//! forces and frames, and what the bodies and joints of our scenes say.
//!
//! `bench/peers/with_robots.py` makes the references; a few poses are stored beside this file, and `STICKSLIP_ROBOTS` names a file with
//! more of them.

mod falling;
mod gains;
mod grasping;
mod standing;
mod tree;

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stickslip::dynamics::scene::{Model, Scene};
use stickslip::prelude::{DQuat, DVec3, World};
use stickslip_testing::shared;
use tree::Tree;

/// The poses that are stored.
const STORED: &str = include_str!("poses.json");

/// Relative to the largest number of its kind.
const CLOSE: f64 = 1e-10;

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .expect("numbers")
        .iter()
        .map(number)
        .collect()
}

/// How the models of the references are read.
fn how(joints: BTreeMap<String, f64>) -> Model {
    let solo = "example-robot-data/robots/solo_description/meshes/stl";
    let packages = [
        format!("{solo}/solo12=meshes"),
        format!("{solo}/with_foot=meshes"),
        "example-robot-data/robots/simple_humanoid_description/meshes=meshes".into(),
    ];
    Model {
        packages: packages.to_vec(),
        joints,
        any_inertia: true,
        no_self_collision: true,
        ..Model::default()
    }
}

/// The largest difference of two lists, relative to the largest number of the second.
fn off(ours: &[f64], theirs: &[f64]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    let size = theirs.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    let pairs = ours.iter().zip(theirs);
    let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    if size == 0.0 { worst } else { worst / size }
}

/// What is off in one pose: mass matrix, centre of mass, kinetic energy, gravity forces, frames.
fn compare(path: &Path, dofs: &[Value], pose: &Value) -> [f64; 5] {
    let q = pose["q"].as_object().expect("coordinates");
    let joints = q
        .iter()
        .map(|(name, q)| (name.clone(), number(q)))
        .collect();
    let scene = Scene::from_model(path, &how(joints), &[], None);
    let mut scene = scene.unwrap_or_else(|e| panic!("{e}"));
    // In a random pose links reach through each other and through the floor.
    for body in &mut scene.bodies {
        body.collide = false;
    }
    let local = path.extension().is_some_and(|e| e == "urdf");
    let tree = Tree::new(&scene, dofs, local);
    let n = dofs.len();
    let (mass, v) = (tree.mass_matrix(), numbers(&pose["v"]));
    let upper: Vec<f64> = (0..n).flat_map(|i| mass[i][i..].to_vec()).collect();
    let kinetic: f64 = (0..n)
        .map(|i| 0.5 * v[i] * (0..n).map(|j| mass[i][j] * v[j]).sum::<f64>())
        .sum();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let world = World::from_scene(&scene).unwrap_or_else(|e| panic!("{e}"));
    for (name, at) in pose["frames"].as_object().expect("frames") {
        let Some(frame) = world.frame(name) else {
            continue;
        };
        let at = numbers(at);
        let turn = DQuat::from_xyzw(at[4], at[5], at[6], at[3]);
        // Axes, and not quaternions, which have two signs.
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            ours.extend((frame.orientation * axis).to_array());
            theirs.extend((turn * axis).to_array());
        }
        ours.extend(frame.position.to_array());
        theirs.extend(&at[..3]);
    }
    assert!(!ours.is_empty(), "no frame is known");
    [
        off(&upper, &numbers(&pose["mass"])),
        off(&tree.centre_of_mass().to_array(), &numbers(&pose["com"])),
        off(&[kinetic], &[number(&pose["kinetic"])]),
        off(
            &tree.gravity(DVec3::new(0.0, 0.0, -9.81)),
            &numbers(&pose["gravity"]),
        ),
        off(&ours, &theirs),
    ]
}

const CLOSE_TAG: &str = "</collision>";

/// The model as other codes have it: without equations between its joints, which their poses do not obey, and, where it is a URDF, without shapes to collide
/// with, which weigh nothing there and take long to be read a thousand times.
fn bare(path: &Path, copy: &Path) -> PathBuf {
    if path.extension().is_none_or(|e| e != "urdf") {
        return path.to_owned();
    }
    let text = std::fs::read_to_string(path).expect("a model");
    let kept: Vec<&str> = text.lines().filter(|l| !l.contains("<mimic")).collect();
    let mut text = kept.join("\n");
    for open in ["<collision>", "<collision "] {
        while let Some(start) = text.find(open) {
            let length = text[start..].find(CLOSE_TAG).expect("an end") + CLOSE_TAG.len();
            text.replace_range(start..start + length, "");
        }
    }
    let place = copy.join(path.file_name().expect("a file"));
    std::fs::write(&place, text).expect("a copy");
    place
}

/// Axes of the humanoid's ankles do not meet: links between them have a thousandth of the feet's mass, which turns with one axis
/// and not with both. That is all the difference: as `#ankles` the reference has those links too.
const SHARED: [&str; 1] = ["mujoco_models/humanoid.xml"];

#[test]
fn masses_and_frames_are_those_of_other_codes() {
    let Some(root) = shared("robots") else { return };
    let text = match std::env::var("STICKSLIP_ROBOTS") {
        Ok(path) => std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}")),
        Err(_) => STORED.to_owned(),
    };
    let reference: Value = serde_json::from_str(&text).expect("JSON");
    println!(
        "| model | poses | mass matrix | centre of mass | kinetic energy | gravity forces | frames |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (file, model) in reference["models"].as_object().expect("models") {
        let copy = tempfile::tempdir().expect("a folder");
        // A part of the name behind `#` tells variants of one file apart.
        let (name, _) = file.split_once('#').unwrap_or((file, ""));
        let path = bare(&root.join(name), copy.path());
        let dofs = model["dofs"].as_array().expect("dofs");
        let poses = model["poses"].as_array().expect("poses");
        let mut worst = [0.0_f64; 5];
        for pose in poses {
            let found = compare(&path, dofs, pose);
            for (worst, found) in worst.iter_mut().zip(found) {
                *worst = worst.max(found);
            }
        }
        let [m, c, k, g, f] = worst;
        println!(
            "| {file} | {} | {m:.1e} | {c:.1e} | {k:.1e} | {g:.1e} | {f:.1e} |",
            poses.len()
        );
        let bound = if SHARED.contains(&file.as_str()) {
            1e-4
        } else {
            CLOSE
        };
        for (found, what) in worst.iter().zip(["mass", "centre", "kinetic", "gravity"]) {
            assert!(*found < bound, "{file}: {what} is off by {found:e}");
        }
        assert!(f < CLOSE, "{file}: frames are off by {f:e}");
    }
}
