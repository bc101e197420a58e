//! Grippers that lift things.

use std::path::Path;
use stickslip::dynamics::scene::{Files, Scene};
use stickslip::prelude::*;
use stickslip_testing::shared;

pub(crate) fn world(folder: &Path, text: &str) -> World {
    let files = Files::beside(&folder.join("any.toml"));
    let scene = Scene::parse_with(text, "scene", &[], files).unwrap_or_else(|e| panic!("{e}"));
    World::from_scene(&scene).unwrap_or_else(|e| panic!("{e}"))
}

/// Steps to `time`, every step certified.
pub(crate) fn certified(world: &mut World, time: f64) {
    while !world.reached(time) {
        let record = world.step().unwrap_or_else(|e| panic!("{e}"));
        let worst = record.certificate.worst().1;
        assert!(worst < 1e-8, "residual {worst:e} m/s at {} s", record.t);
    }
}

fn coordinate(world: &World, joint: &str, axis: usize) -> f64 {
    let names: Vec<&str> = world.model().joint_names().collect();
    let k = names.iter().position(|n| *n == joint).expect("a joint");
    world.last_step().joints[k].coordinates[axis]
}

/// The Panda in its ready pose, its hand pointing down; `more` stands behind it in the scene.
fn panda(folder: &Path, more: &str) -> World {
    let text = format!(
        r#"
[step]
h = 0.004
until = 10
[material]
friction = 0.8
[[include]]
file = "panda/panda_collision.urdf"
fixed-base = true
self-collision = false
joints = {{ panda_joint2 = "-pi/4", panda_joint4 = "-3*pi/4", panda_joint6 = "pi/2", panda_joint7 = "pi/4", panda_finger_joint1 = 0.04 }}
hold = {{ stiffness = 5000, damping = 300 }}
{more}
"#
    );
    world(folder, &text)
}

/// One motor closes both fingers, through the mimic joint, and the arm lifts what is between them.
#[test]
fn the_panda_grips_a_cube_through_its_mimic_joint_and_lifts_it() {
    let Some(folder) = shared("robots") else {
        return;
    };
    let tcp = panda(&folder, "").frame("panda_hand_tcp").expect("a frame");
    let at = tcp.position;
    assert!(
        (tcp.orientation * DVec3::Z + DVec3::Z).length() < 1e-6,
        "downwards"
    );
    let (side, low) = (0.05, at.z - 0.025 - 0.005);
    // Off the middle by 6 mm, so that one finger meets it first and moves it.
    let more = format!(
        r#"
[[body]]
name = "table"
motion = "fixed"
shape = {{ box = {{ size = [0.3, 0.3, 0.1] }} }}
position = [{}, {}, {}]
[[body]]
name = "cube"
shape = {{ box = {{ size = [{side}, {side}, {side}] }} }}
mass = 0.2
position = [{}, {}, {}]
[[motor]]
joint = "panda_finger_joint1"
effort = "-20*min(t/0.2, 1)"
[[motor]]
joint = "panda_joint2"
position = {{ t = [0, 0.4, 1], value = ["-pi/4", "-pi/4", -1.05] }}
stiffness = 5000
damping = 300
force = 87
"#,
        at.x,
        at.y,
        low - 0.05,
        at.x,
        at.y + 0.006,
        low + 0.5 * side,
    );
    let mut world = panda(&folder, &more);
    certified(&mut world, 0.4);
    let cube = |world: &World| world.body("cube").expect("the cube").pose.position;
    let gripped = cube(&world);
    let [one, two] = [1, 2].map(|k| coordinate(&world, &format!("panda_finger_joint{k}"), 0));
    assert!((one - two).abs() < 1e-8, "{one} {two}");
    assert!((one - 0.5 * side).abs() < 1e-4, "{one}");
    certified(&mut world, 1.2);
    let [one, two] = [1, 2].map(|k| coordinate(&world, &format!("panda_finger_joint{k}"), 0));
    assert!((one - two).abs() < 1e-8, "{one} {two}");
    let (lifted, hand) = (
        cube(&world),
        world.frame("panda_hand_tcp").expect("a frame"),
    );
    assert!(lifted.z > gripped.z + 0.03, "{gripped} {lifted}");
    assert!((lifted - hand.position).length() < 0.02, "{lifted}");
    eprintln!(
        "lifted by {:.4} m, fingers at {one:.6} and {two:.6}",
        lifted.z - gripped.z
    );
}

const ALLEGRO: &str = include_str!("allegro.toml");
const BALL: &str = "ball = { radius = 0.03 }";

/// The Allegro hand closes on a thing, lifts it by 0.1 m and holds it there.
fn the_allegro_lifts(thing: &str) {
    let Some(folder) = shared("robots") else {
        return;
    };
    assert!(ALLEGRO.contains(BALL));
    let mut world = world(&folder, &ALLEGRO.replace(BALL, thing));
    let at = |world: &World, name: &str| world.body(name).expect("a body").pose.position;
    certified(&mut world, 0.8);
    let before = at(&world, "thing") - at(&world, "palm_link");
    certified(&mut world, 1.6);
    let after = at(&world, "thing") - at(&world, "palm_link");
    let height = at(&world, "thing").z - 0.03;
    assert!(
        (after - before).length() < 0.01,
        "it slips: {before} {after}"
    );
    assert!(height > 0.09, "{height}");
    // Thumb and fingers carry its weight, and nothing else does.
    let weight = 0.1 * 9.81;
    let force = world.contact_force_on("thing").expect("a body");
    assert!((force - DVec3::Z * weight).length() < 1e-6, "{force}");
    let name = |k: usize| world.model().bodies[k].name.clone();
    let mut holders = Vec::new();
    for (contact, force) in world.contact_forces() {
        let [a, b] = contact.contact.bodies.map(name);
        if (a == "thing" || b == "thing") && force.length() > 0.01 * weight {
            holders.push(if a == "thing" { b } else { a });
        }
    }
    holders.sort();
    holders.dedup();
    eprintln!("{thing}: lifted by {height:.4} m, held by {holders:?}");
    let of = |link: &str| holders.iter().any(|h| h == link);
    assert!(of("link_15.0"), "the thumb: {holders:?}");
    let fingers = ["link_3.0", "link_7.0", "link_11.0"];
    assert!(fingers.iter().filter(|f| of(f)).count() >= 2, "{holders:?}");
    assert!(!of("table"), "{holders:?}");
}

#[test]
fn the_allegro_hand_lifts_a_ball() {
    the_allegro_lifts(BALL);
}

#[test]
fn the_allegro_hand_lifts_a_box() {
    the_allegro_lifts("box = { size = [0.06, 0.08, 0.06] }");
}
