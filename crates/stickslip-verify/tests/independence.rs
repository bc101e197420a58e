//! What touches nothing changes no bit of the others: random mechanisms alone, and with bodies and mechanisms far away beside them.

use stickslip::model::Along;
use stickslip::prelude::*;
use stickslip_random::Random;
use stickslip_testing::setting;
use stickslip_verify::survey::Family;

/// Families of the generator with joints.
const JOINED: [&str; 9] = [
    "chain", "bridge", "wrecking", "ragdoll", "pendulum", "gears", "machine", "walker", "cart",
];

/// Steps of each run.
const STEPS: usize = 40;

/// What is seen of a step: its end, names and states of the scene's own bodies, and whether some joints, but not all, act along the
/// gradients of the middle.
struct Frame {
    t: f64,
    bodies: Vec<(String, BodyState)>,
    mixed: bool,
}

/// The steps of a run, or of its beginning where one is refused.
fn film(text: &str, title: &str) -> Vec<Frame> {
    let scene = Scene::parse(text, title, &[]).unwrap_or_else(|e| panic!("{title}: {e}\n{text}"));
    let mut world = World::from_scene(&scene).unwrap_or_else(|e| panic!("{title}: {e}"));
    let mut film = Vec::new();
    for _ in 0..STEPS {
        let Ok(record) = world.step() else {
            break;
        };
        let middle = record.joints.iter().map(|j| j.along == Along::Middle);
        let (some, all) = (middle.clone().any(|m| m), middle.clone().all(|m| m));
        let mixed = some && !all;
        let bodies = world.model().bodies.iter().zip(world.states());
        let own = bodies.filter(|(body, _)| !body.name.contains("far "));
        film.push(Frame {
            bodies: own.map(|(b, s)| (b.name.clone(), *s)).collect(),
            t: world.time(),
            mixed,
        });
    }
    film
}

/// One to three balls or boxes 50 m to 1 km away, each with a floor of its own: at rest on it, falling onto it, or sliding.
fn far_bodies(random: &mut Random) -> String {
    let mut text = String::new();
    for k in 0..=random.below(3) {
        let (angle, away) = (random.between(0.0, 6.2), random.between(50.0, 1000.0));
        let (x, y) = (away * libm::cos(angle), away * libm::sin(angle));
        let size = random.between(0.02, 0.5);
        let shape = match random.below(2) {
            0 => format!("ball = {{ radius = {size:?} }}"),
            _ => format!("box = {{ size = [{0:?}, {0:?}, {0:?}] }}", 2.0 * size),
        };
        let above = [0.0, random.between(0.0, 0.01)][random.below(2)];
        let speed = [0.0, random.between(-2.0, 2.0)][random.below(2)];
        // Names before, between and after those of the scene.
        let name = ["a far", "m far", "z far"][random.below(3)];
        text += &format!(
            r#"
[[body]]
name = "{name} floor {k}"
motion = "fixed"
shape = {{ box = {{ size = [9.0, 9.0, 1.0] }} }}
position = [{x:?}, {y:?}, 4.5]

[[body]]
name = "{name} {k}"
shape = {{ {shape} }}
density = 1000.0
position = [{x:?}, {y:?}, {z:?}]
velocity = [{speed:?}, 0.0, 0.0]
"#,
            z = 5.0 + size + above,
        );
    }
    text
}

/// A bead of 10 kg on a short link, far away: of a link so light, I = h² F r/8, joints pull too hard for the gradients of the start of a
/// step, (hΩ)² = 8, and not too hard for those of its middle.
fn far_pendulum(random: &mut Random, h: f64) -> String {
    let inertia = h * h * 98.1 * 0.01 / 8.0;
    let mass = 12.0 * inertia / (0.004 * 0.004 + 0.02 * 0.02);
    let (y, speed) = (random.between(50.0, 1000.0), random.between(0.1, 0.5));
    format!(
        r#"
[[body]]
name = "a far link"
shape = {{ box = {{ size = [0.004, 0.004, 0.02] }} }}
mass = {mass:?}
position = [0.0, {y:?}, 9.99]

[[body]]
name = "z far bead"
shape = {{ ball = {{ radius = 0.1 }} }}
mass = 10.0
position = [0.0, {y:?}, 9.88]
velocity = [{speed:?}, 0.0, 0.0]

[[joint]]
name = "a far nail"
type = "ball"
bodies = ["world", "a far link"]
anchor = [0.0, {y:?}, 10.0]

[[joint]]
name = "z far knot"
type = "ball"
bodies = ["a far link", "z far bead"]
anchor = [0.0, {y:?}, 9.98]
"#
    )
}

/// The length of a step is shared: where a step is divided for the sake of what is far away, nothing is to be compared any more.
#[test]
fn bodies_elsewhere_change_no_bit_of_a_mechanism() {
    let mut random = Random::new(16);
    let (mut runs, mut divided, mut mixed) = (0, 0, 0);
    for seed in 0..setting("STICKSLIP_APART", 3) {
        for name in JOINED {
            let family = Family::named(name).expect("a family");
            let (title, text) = (family.title(seed), family.scene(seed));
            let h = Scene::parse(&text, &title, &[]).expect("drawn").step.h;
            let alone = film(&text, &title);
            let bodies = far_bodies(&mut random);
            for others in [bodies.clone(), bodies + &far_pendulum(&mut random, h)] {
                let beside = film(&format!("{text}{others}"), &title);
                runs += 1;
                for (step, (alone, beside)) in alone.iter().zip(&beside).enumerate() {
                    if alone.t != beside.t {
                        divided += 1;
                        break;
                    }
                    let same = alone.bodies == beside.bodies;
                    assert!(same, "{title}, step {}{others}", step + 1);
                    mixed += usize::from(beside.mixed);
                }
            }
        }
    }
    eprintln!("{runs} runs, {divided} divided otherwise, {mixed} steps along both gradients");
    assert!(6 * divided <= runs, "{divided} of {runs} runs divided");
    assert!(mixed > 0, "no step along both gradients");
}

/// Boxes that slide on each other, with friction by the speed of the slip: coefficients are found by rounds, and what is solved again for the sake of
/// others keeps its answer.
#[test]
fn bodies_elsewhere_change_no_bit_of_what_slides_by_a_curve() {
    let mut random = Random::new(17);
    let mut slid = 0;
    for _ in 0..setting("STICKSLIP_APART", 6) {
        let mut text = String::from(
            r#"
format = 1
step = { h = 0.004, until = 0.2 }
material = { friction = { static = 0.5, kinetic = 0.2, speed = 0.05 } }

[[body]]
name = "floor"
motion = "fixed"
shape = { box = { size = [9.0, 9.0, 1.0] } }
position = [0.0, 0.0, -0.5]
"#,
        );
        for k in 0..3 {
            let (speed, spin) = (random.between(-1.0, 1.0), random.between(-3.0, 3.0));
            text += &format!(
                r#"
[[body]]
name = "box {k}"
shape = {{ box = {{ size = [0.3, 0.2, 0.1] }} }}
density = 700.0
position = [0.0, 0.0, {z:?}]
velocity = [{speed:?}, 0.1, 0.0]
angular-velocity = [0.0, 0.0, {spin:?}]
"#,
                z = 0.05 + 0.1 * f64::from(k),
            );
        }
        let alone = film(&text, "alone");
        let beside = film(&format!("{text}{}", far_bodies(&mut random)), "beside");
        for (step, (alone, beside)) in alone.iter().zip(&beside).enumerate() {
            if alone.t != beside.t {
                break;
            }
            assert!(alone.bodies == beside.bodies, "step {}\n{text}", step + 1);
            slid += 1;
        }
    }
    assert!(slid > 100, "{slid} steps compared");
}

/// A ball that lands far away and slides is solved for twice, with friction at rest and with that of what slides: two wheels whose teeth touch, which are in
/// the same problem, keep their answer.
#[test]
fn a_ball_that_begins_to_slide_elsewhere_changes_no_bit_of_a_mechanism() {
    let family = Family::named("gears").expect("a family");
    let text = family.scene(2_119_476_360);
    let ball = r#"
[[body]]
name = "m far floor"
motion = "fixed"
shape = { box = { size = [9.0, 9.0, 1.0] } }
position = [35.0, -523.0, 4.5]

[[body]]
name = "m far ball"
shape = { ball = { radius = 0.433 } }
density = 1000.0
position = [35.0, -523.0, 5.43516]
velocity = [1.08, 0.0, 0.0]
"#;
    let (alone, beside) = (
        film(&text, "alone"),
        film(&format!("{text}{ball}"), "beside"),
    );
    assert_eq!(alone.len(), STEPS);
    for (step, (alone, beside)) in alone.iter().zip(&beside).enumerate() {
        assert!(alone.bodies == beside.bodies, "step {}", step + 1);
    }
}
