//! Neither names nor places in a file decide a bit: random scenes, and the same with other names in another order.

use stickslip::dynamics::scene::SpringEnds;
use stickslip::prelude::*;
use stickslip_random::Random;
use stickslip_testing::setting;
use stickslip_verify::survey::{FAMILIES, scenes};

fn shuffle<T>(list: &mut [T], random: &mut Random) {
    for k in (1..list.len()).rev() {
        list.swap(k, random.below(k + 1));
    }
}

/// What each of these is called from now on: one of the same names.
struct Renamed {
    old: Vec<String>,
    new: Vec<String>,
}

impl Renamed {
    fn draw(old: Vec<String>, random: &mut Random) -> Self {
        let mut new = old.clone();
        shuffle(&mut new, random);
        Self { old, new }
    }

    /// The new name; the world, and nothing else, keeps its own.
    fn of(&self, name: &str) -> String {
        let found = self.old.iter().position(|n| n == name);
        found.map_or_else(|| name.into(), |k| self.new[k].clone())
    }
}

/// The scene with other names for bodies and joints, in another order; and how bodies are called now.
fn renamed(scene: &Scene, random: &mut Random) -> (Scene, Renamed) {
    let mut scene = scene.clone();
    let names = scene.bodies.iter().map(|b| b.name.clone()).collect();
    let bodies = Renamed::draw(names, random);
    let names = scene.joints.iter().map(|j| j.name.clone()).collect();
    let joints = Renamed::draw(names, random);
    let names = scene.springs.iter().map(|s| s.name.clone()).collect();
    let springs = Renamed::draw(names, random);
    let names = scene.gears.iter().map(|g| g.name.clone()).collect();
    let gears = Renamed::draw(names, random);
    for body in &mut scene.bodies {
        body.name = bodies.of(&body.name);
    }
    for pair in &mut scene.contact_overrides {
        pair.bodies = pair.bodies.each_ref().map(|n| bodies.of(n));
    }
    for force in &mut scene.forces {
        force.body = bodies.of(&force.body);
    }
    for frame in &mut scene.frames {
        frame.body = bodies.of(&frame.body);
    }
    for joint in &mut scene.joints {
        joint.name = joints.of(&joint.name);
        joint.bodies = joint.bodies.each_ref().map(|n| bodies.of(n));
    }
    for spring in &mut scene.springs {
        spring.name = springs.of(&spring.name);
        match &mut spring.ends {
            SpringEnds::Points { bodies: ends, .. } => {
                *ends = ends.each_ref().map(|n| bodies.of(n))
            }
            SpringEnds::Axis { joint, .. } => *joint = joints.of(joint),
        }
    }
    for gear in &mut scene.gears {
        gear.name = gears.of(&gear.name);
        gear.joints = gear.joints.each_ref().map(|n| joints.of(n));
    }
    for body in &mut scene.bodies {
        shuffle(&mut body.surfaces, random);
    }
    shuffle(&mut scene.forces, random);
    shuffle(&mut scene.bodies, random);
    shuffle(&mut scene.contact_overrides, random);
    shuffle(&mut scene.joints, random);
    shuffle(&mut scene.springs, random);
    shuffle(&mut scene.gears, random);
    (scene, bodies)
}

/// The bits of a state, signs of zeros included.
fn bits(state: &BodyState) -> [u64; 13] {
    let (x, q) = (state.pose.position, state.pose.orientation);
    let (v, w) = (state.twist.linear, state.twist.angular);
    let numbers = [
        x.x, x.y, x.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z,
    ];
    numbers.map(f64::to_bits)
}

/// The first step, if any, in which a body and the one that has its place in the other world differ.
fn parting(one: &mut World, other: &mut World, called: &Renamed) -> Option<String> {
    for _ in 0..setting("STICKSLIP_RENAMED_STEPS", 10) {
        let (a, b) = (one.step().is_ok(), other.step().is_ok());
        if a != b {
            return Some(format!("step {}: one is refused", one.steps() + 1));
        }
        for name in &called.old {
            let there = other.body(&called.of(name)).expect("renamed");
            if bits(one.body(name).expect("its own")) != bits(there) {
                return Some(format!("step {}: `{name}`", one.steps()));
            }
        }
        if !a {
            break;
        }
    }
    None
}

/// Several forces on each body, and two bodies that start at one place; what survey scenes have not.
const PUSHED: &str = r#"
format = 1
[step]
h = 0.01
until = 1
[parameters]
a = 0.1
[[body]]
name = "floor"
motion = "fixed"
shape = { half-space = { normal = [0, 0, 1] } }
friction = 0.5
[[body]]
name = "belt"
motion = "fixed"
position = [0, 4, 0.5]
shape = { box = { size = [1, 1, 1] } }
surface = [
    { face = [0, 0, 1], velocity = [1, 0, 0] },
    { face = [1, 0, 0], velocity = [0, 0, 2] },
    { face = [-1, 0, 0], velocity = [0, 0, -2] },
]
[[body]]
name = "ball"
shape = { ball = { radius = 0.1 } }
mass = 1.3
position = [0, 0, 0.1]
friction = { static = 0.5, kinetic = 0.2, speed = 0.05 }
[[body]]
name = "box"
shape = { box = { size = [0.3, 0.3, 0.2] } }
mass = 0.7
position = [0, 4, 1.1]
friction = { static = 0.5, kinetic = 0.1, speed = 0.05 }
[[body]]
name = "ghost"
shape = { ball = { radius = 0.1 } }
mass = 1
position = [1, 1, 1]
collide = false
velocity = [0.00009, 0, 0]
[[body]]
name = "spirit"
shape = { ball = { radius = 0.1 } }
mass = 1
position = [1, 1, 1]
collide = false
velocity = [0.0001, 0, 0]
[[force]]
body = "ball"
force = [0.1, "0.1*sin(t)", 0]
[[force]]
body = "ball"
force = [0.2, 0, 0]
[[force]]
body = "ball"
force = [0.3, "0.7", 0]
[[force]]
body = "box"
force = [0.1, 0, 0]
point = [0, 0.1, 0]
[[force]]
body = "box"
force = [0.7, 0, 0]
[[force]]
body = "box"
force = [1.1, 0.1, 0]
"#;

#[test]
fn neither_do_places_of_forces_and_surfaces() {
    let scene = Scene::parse(PUSHED, "pushed", &[]).expect("a scene");
    let mut random = Random::new(3);
    for k in 0..6 {
        let (other, called) = renamed(&scene, &mut random);
        let [mut one, mut two] = [&scene, &other].map(|s| World::from_scene(s).expect("a world"));
        assert_eq!(parting(&mut one, &mut two, &called), None, "{k}");
    }
}

#[test]
fn names_and_places_in_the_file_change_no_bit() {
    let count = setting("STICKSLIP_RENAMED", FAMILIES.len());
    let seed = setting("STICKSLIP_RENAMED_SEED", 16);
    let mut random = Random::new(seed);
    let mut parted = Vec::new();
    for (family, seed) in scenes(seed, count, None) {
        let (title, text) = (family.title(seed), family.scene(seed));
        let scene = Scene::parse(&text, &title, &[]).expect("drawn");
        let (other, called) = renamed(&scene, &mut random);
        let mut worlds = [&scene, &other]
            .map(|s| World::from_scene(s).unwrap_or_else(|e| panic!("{title}: {e}")));
        let [one, two] = &mut worlds;
        if let Some(place) = parting(one, two, &called) {
            eprintln!("{title}: {place}");
            parted.push(title);
        }
    }
    assert!(parted.is_empty(), "{} of {count}: {parted:?}", parted.len());
}
