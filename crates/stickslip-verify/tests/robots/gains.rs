//! Motors with gains, dampers and rotors on a hinge: each step is the one of its equation, whatever the gains and the step.

use stickslip::dynamics::scene::Scene;
use stickslip::prelude::World;

/// A box of 2 kg, 0.3 m by 0.3 m, on a hinge through its middle along z, without gravity.
fn world(h: f64, joint: &str) -> World {
    let text = format!(
        r#"
gravity = [0, 0, 0]
[step]
h = {h}
until = 100
[[body]]
name = "box"
shape = {{ box = {{ size = [0.3, 0.3, 0.1] }} }}
mass = 2
[[joint]]
name = "hinge"
type = "hinge"
bodies = ["world", "box"]
anchor = [0, 0, 0]
axis = [0, 0, 1]
{joint}
"#
    );
    let scene = Scene::parse(&text, "hinge", &[]).unwrap_or_else(|e| panic!("{e}"));
    World::from_scene(&scene).unwrap_or_else(|e| panic!("{e}"))
}

/// kg m².
const INERTIA: f64 = 2.0 * (0.09 + 0.09) / 12.0;

fn angle(world: &World) -> f64 {
    world.joint("hinge").map_or(0.0, |j| j.coordinates[3])
}

fn rate(world: &World) -> f64 {
    world.states()[0].twist.angular.z
}

#[test]
fn a_servo_is_implicit_at_every_step_and_gain() {
    for h in [0.001, 0.002, 0.005, 0.01] {
        for stiffness in [10.0, 1e3, 1e5, 1e9] {
            let damping = 0.02 * stiffness;
            let joint = format!(
                "motor = {{ position = 0.5, stiffness = {stiffness}, damping = {damping} }}"
            );
            let mut world = world(h, &joint);
            let (mut c, mut w) = (0.0, 0.0);
            for _ in 0..200 {
                let certified = world.step().expect("a step").certificate;
                assert!(certified.worst().1 <= 1e-8, "{certified:?}");
                // I(ω⁺ − ω) = −h(γ(c⁺ − r) + δ ω⁺), c⁺ = c + h ω⁺.
                let pull = stiffness * (c - 0.5);
                w = (INERTIA * w - h * pull) / (INERTIA + h * h * stiffness + h * damping);
                c += h * w;
                assert!(
                    (angle(&world) - c).abs() < 1e-9,
                    "{h} {stiffness}: {} {c}",
                    angle(&world)
                );
                assert!(
                    (rate(&world) - w).abs() < 1e-7 * (1.0 + w.abs()),
                    "{h} {stiffness}"
                );
            }
        }
    }
}

#[test]
fn a_servo_pushes_no_harder_than_it_can() {
    let mut world = world(
        0.01,
        "motor = { position = 1, stiffness = 1e5, force = 0.06 }",
    );
    for k in 1..=10 {
        world.step().expect("a step");
        let wanted = 0.06 / INERTIA * 0.01 * f64::from(k);
        assert!(
            (rate(&world) - wanted).abs() < 1e-10,
            "{} {wanted}",
            rate(&world)
        );
    }
}

#[test]
fn a_governor_draws_the_rate_to_its_target() {
    let mut world = world(0.01, "motor = { velocity = 3, damping = 0.5 }");
    let mut w = 0.0;
    for _ in 0..50 {
        world.step().expect("a step");
        w = (INERTIA * w + 0.01 * 0.5 * 3.0) / (INERTIA + 0.01 * 0.5);
        assert!((rate(&world) - w).abs() < 1e-9);
    }
}

#[test]
fn an_effort_turns_box_and_rotor() {
    // 0.2 N m on the box and on a rotor that turns with it; dry friction takes 0.05 N m, a damper δ ω⁺.
    let joint = "motor = { effort = 0.2 }\narmature = 0.07\ndamping = 0.01\nfriction = 0.05";
    let mut world = world(0.01, joint);
    let mut w = 0.0;
    for _ in 0..50 {
        world.step().expect("a step");
        w = ((INERTIA + 0.07) * w + 0.01 * (0.2 - 0.05)) / (INERTIA + 0.07 + 0.01 * 0.01);
        assert!((rate(&world) - w).abs() < 1e-9, "{} {w}", rate(&world));
    }
    let energy = 0.5 * (INERTIA + 0.07) * w * w;
    assert!((world.energy() - energy).abs() < 1e-9 * energy);
}

#[test]
fn an_effort_is_held_to_its_largest_force() {
    let mut world = world(0.01, "motor = { effort = 5, force = 0.3 }");
    world.step().expect("a step");
    assert!((rate(&world) - 0.01 * 0.3 / INERTIA).abs() < 1e-12);
}

#[test]
fn targets_by_table_are_followed() {
    let target = "{ t = [0, 0.1, 0.3, 0.4], value = [0, 0.2, -0.2, 0], repeat = true }";
    let joint = format!("motor = {{ position = {target}, stiffness = 1e9, damping = 0 }}");
    let mut world = world(0.01, &joint);
    for k in 1..=100 {
        world.step().expect("a step");
        let t = 0.01 * f64::from(k) % 0.4;
        let wanted = match t {
            t if t < 0.1 => 2.0 * t,
            t if t < 0.3 => 0.2 - 2.0 * (t - 0.1),
            t => -0.2 + 2.0 * (t - 0.3),
        };
        assert!(
            (angle(&world) - wanted).abs() < 1e-4,
            "{k}: {} {wanted}",
            angle(&world)
        );
    }
}

#[test]
fn scenes_with_all_of_it_are_written_and_read_to_the_bit() {
    let text = r#"
[step]
h = 0.01
until = 1
[[body]]
name = "a"
shape = { compound = [
  { shape = { ball = { radius = 0.1 } }, density = 500 },
  { shape = { box = { size = [0.1, 0.2, 0.1] } }, position = [0.2, 0, 0], density = 2000 },
] }
[[body]]
name = "b"
shape = { ball = { radius = 0.1 } }
mass = 1
inertia = [[0.02, 0.001, 0], [0.001, 0.03, 0], [0, 0, 0.04]]
center-of-mass = [0, 0.01, -0.02]
position = [0, 1, 0]
collide = false
[[joint]]
name = "j"
type = "six-dof"
bodies = ["a", "b"]
anchor = [0, 0.5, 0]
rx = { damping = 0.1, stiffness = 2, rest = 0.1, armature = 0.01, motor = { position = "sin(t)", stiffness = 10, damping = 1, force = 3 } }
ry = { motor = { velocity = 1, damping = 2 } }
rz = { motor = { effort = { t = [0, 1, 2], value = [0, 1, 0], repeat = true } } }
[[spring]]
joint = "j"
axis = "rz"
inertance = 0.2
[[frame]]
name = "tip"
body = "b"
position = [0, 0, 0.1]
orientation = { axis = [1, 0, 0], angle = 0.3 }
"#;
    let scene = Scene::parse(text, "all", &[]).unwrap_or_else(|e| panic!("{e}"));
    let written = scene.to_toml();
    let again = Scene::parse(&written, "again", &[]).unwrap_or_else(|e| panic!("{e}\n{written}"));
    assert_eq!(again.to_toml(), written);
    let [mut one, mut two] = [&scene, &again].map(|s| World::from_scene(s).expect("a world"));
    for _ in 0..20 {
        one.step().expect("a step");
        two.step().expect("a step");
        assert_eq!(one.states(), two.states());
    }
    assert_eq!(one.frame("tip"), two.frame("tip"));
}
