//! Stored states of any engine, measured in one way: overlap by our exact geometry, speeds, energy, displacement.
//!
//! A file of states has a line `S step` for each sample, then a line for each free body in the order of the scene's JSON: position (m),
//! orientation (w, x, y, z), velocity (m/s), angular velocity (rad/s), world frame.

use super::ours::read;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use stickslip::dynamics::scene::Mobility;
use stickslip::geometry::broad_phase::{Bounds, Sweep};
use stickslip::geometry::separation::separation;
use stickslip::prelude::{BodyState, DQuat, DVec3, Scene, Shape, World};

/// What a run looked like at its samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quality {
    /// Deepest overlap at any sample, m.
    pub overlap: f64,
    /// Largest speed of a free body at each sample: of its centre, or of its rim by turning, m/s.
    pub speeds: Vec<f64>,
    /// Largest way of a body from start to end, in units of its radius.
    pub moved: f64,
    /// Time of each sample, s, and where the free bodies are, m, in the order of the JSON.
    pub places: Vec<(f64, Vec<DVec3>)>,
    /// Largest rise of the energy above what it was before, in units of `scale`.
    pub gain: f64,
    /// Is any number of it not finite?
    pub nonsense: bool,
}

impl Quality {
    /// Speed at the end, m/s.
    #[must_use]
    pub fn creep(&self) -> f64 {
        self.speeds.last().copied().unwrap_or(f64::NAN)
    }

    /// Do bodies rest from the start, but for a play that closes? Of a certified run that is a proof: its impulses hold them.
    #[must_use]
    pub fn rests(&self) -> bool {
        let tail = &self.speeds[self.speeds.len() / 2..];
        self.moved < 0.02 && tail.iter().all(|&v| v < 1e-6)
    }
}

/// Adds a sample of a world to a file of states; the bodies in the order of the model.
pub fn write_sample(out: &mut String, world: &World) {
    let _ = writeln!(out, "S {}", world.whole_steps());
    for (body, state) in world.model().bodies.iter().zip(world.states()) {
        if body.is_free() {
            let (pose, twist) = (&state.pose, &state.twist);
            let (p, q) = (pose.position, pose.orientation);
            let (v, w) = (twist.linear, twist.angular);
            let numbers = [
                p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z,
            ];
            let words = numbers.map(|x| format!("{x:?}"));
            let _ = writeln!(out, "{}", words.join(" "));
        }
    }
}

/// Measures a file of states of this scene.
///
/// # Errors
/// Where a file cannot be read or is not what it should be.
pub fn measure(toml: &Path, json: &Value, states: &Path) -> Result<Quality, String> {
    let (scene, world) = read(toml, &[])?;
    let text = std::fs::read_to_string(states).map_err(|e| format!("{}: {e}", states.display()))?;
    let free = free_bodies(&world, json)?;
    quality(&scene, world, &free, &text)
}

/// Numbers in the world of the free bodies of the JSON.
fn free_bodies(world: &World, json: &Value) -> Result<Vec<usize>, String> {
    let bodies = json["bodies"].as_array().ok_or("the scene has no bodies")?;
    let names = bodies.iter().filter(|b| !b["mass"].is_null());
    names
        .map(|b| {
            let name = b["name"].as_str().unwrap_or_default();
            let found = world.index(name);
            found.ok_or_else(|| format!("the scene file has no body `{name}`"))
        })
        .collect()
}

fn quality(scene: &Scene, mut world: World, free: &[usize], text: &str) -> Result<Quality, String> {
    let start = world.states().to_vec();
    let pairs = Pairs::of(scene, &world);
    let unit = scale(&world, free);
    let (mut found, mut lowest) = (Quality::default(), f64::INFINITY);
    let mut sweep = Sweep::default();
    // Each sample begins with its mark: before the first there is nothing, and anything else there is refused.
    for sample in text.split("S ").filter(|sample| !sample.is_empty()) {
        let (step, states) = sampled(&start, free, sample)?;
        let Some(states) = states else {
            found.nonsense = true;
            break;
        };
        let t = step as f64 * scene.step.h;
        world.restore(step, t, &states).map_err(|e| e.to_string())?;
        found.overlap = found.overlap.max(pairs.deepest(&world, &mut sweep));
        let bodies = &world.model().bodies;
        let speed = |&k: &usize| {
            let twist = &states[k].twist;
            (twist.linear.length()).max(twist.angular.length() * bodies[k].shape.radius())
        };
        found
            .speeds
            .push(free.iter().map(speed).fold(0.0, f64::max));
        let places = free.iter().map(|&k| states[k].pose.position).collect();
        found.places.push((t, places));
        let way = |&k: &usize| {
            let way = states[k].pose.position - start[k].pose.position;
            way.length() / bodies[k].shape.radius()
        };
        found.moved = free.iter().map(way).fold(0.0, f64::max);
        lowest = lowest.min(world.energy());
        found.gain = found.gain.max((world.energy() - lowest) / unit);
    }
    if found.speeds.is_empty() {
        found.nonsense = true;
    }
    Ok(found)
}

/// Number of the step and the states of a sample; no states where a number is not finite.
fn sampled(
    start: &[BodyState],
    free: &[usize],
    sample: &str,
) -> Result<(u64, Option<Vec<BodyState>>), String> {
    let mut lines = sample.lines();
    let step = lines.next().and_then(|l| l.trim().parse().ok());
    let step = step.ok_or("a sample without the number of its step")?;
    let mut states = start.to_vec();
    for &k in free {
        let line = lines.next().ok_or("a sample with too few bodies")?;
        let numbers: Vec<f64> = line
            .split_whitespace()
            .map(|word| word.parse().unwrap_or(f64::NAN))
            .collect();
        let Ok(v) = <[f64; 13]>::try_from(numbers) else {
            return Err("a body's line that has not 13 numbers".into());
        };
        let turn = DQuat::from_xyzw(v[4], v[5], v[6], v[3]);
        if !(v.iter().all(|x| x.is_finite()) && turn.length() > 0.5) {
            return Ok((step, None));
        }
        states[k].pose.position = DVec3::new(v[0], v[1], v[2]);
        states[k].pose.orientation = turn * (1.0 / turn.length());
        states[k].twist.linear = DVec3::new(v[7], v[8], v[9]);
        states[k].twist.angular = DVec3::new(v[10], v[11], v[12]);
    }
    Ok((step, Some(states)))
}

/// Energy by which gains are told, J: that of motion at the start, and of lifting every body by its own radius.
fn scale(world: &World, free: &[usize]) -> f64 {
    let gravity = world.settings().gravity.length();
    let of = |&k: &usize| {
        let (body, state) = (&world.model().bodies[k], &world.states()[k]);
        let mass = body.mass.map_or(0.0, |m| m.mass);
        0.5 * mass * state.twist.linear.length_squared() + mass * gravity * body.shape.radius()
    };
    free.iter().map(of).sum::<f64>().max(f64::MIN_POSITIVE)
}

/// Which bodies may overlap: all that may collide, but those that move by formulas, whose place here is that at the start.
struct Pairs {
    moving: Vec<bool>,
}

impl Pairs {
    fn of(scene: &Scene, world: &World) -> Self {
        let moves = |name: &str| {
            let is = |b: &&stickslip::dynamics::scene::Body| b.name == name;
            let body = scene.bodies.iter().find(is);
            body.is_some_and(|b| matches!(b.motion, Mobility::Prescribed(_)))
        };
        let bodies = &world.model().bodies;
        Self {
            moving: bodies.iter().map(|b| moves(&b.name)).collect(),
        }
    }

    fn deepest(&self, world: &World, sweep: &mut Sweep) -> f64 {
        let (model, states) = (world.model(), world.states());
        let placed = model.bodies.iter().zip(states);
        let bounds: Vec<Bounds> = placed.map(|(b, s)| Bounds::of(&b.shape, &s.pose)).collect();
        let wanted = |i, j| model.may_collide(i, j) && !self.moving[i] && !self.moving[j];
        let of = |k: usize| -> (&Shape, _) { (&model.bodies[k].shape, &states[k].pose) };
        let pairs = sweep.pairs(&bounds, wanted);
        pairs
            .iter()
            .map(|&[i, j]| {
                let ((a, at), (b, bt)) = (of(i), of(j));
                -separation(a, at, b, bt)
            })
            .fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = "[step]\nh = 0.01\nuntil = 0.1\n\
        [[body]]\nname = \"ground\"\nmotion = \"fixed\"\nshape = { half-space = { normal = [0, 0, 1] } }\n\
        [[body]]\nname = \"ball\"\nshape = { ball = { radius = 0.5 } }\nmass = 2.0\nposition = [0, 0, 0.5]\n";

    fn found(text: &str) -> Result<Quality, String> {
        let scene = Scene::parse(SCENE, "ball", &[]).expect("a scene");
        let world = World::from_scene(&scene).expect("a world");
        let free = vec![world.index("ball").expect("the ball")];
        quality(&scene, world, &free, text)
    }

    #[test]
    fn overlap_speed_way_and_energy_of_known_states() {
        let text = "S 0\n0 0 0.5 1 0 0 0 0 0 0 0 0 0\nS 5\n0 0 0.4 1 0 0 0 0 0 0 0 0 0\n\
                    S 10\n0.3 0 0.6 1 0 0 0 0.3 0 -0.4 0 0 0\n";
        let q = found(text).expect("states");
        assert!((q.overlap - 0.1).abs() < 1e-15);
        assert!((q.creep() - 0.5).abs() < 1e-15);
        assert!((q.moved - 0.1f64.sqrt() / 0.5).abs() < 1e-14);
        // Lifted by 0.2 m and at 0.5 m/s, in units of m g r: 0.2/0.5 + ½ 0.5²/(g 0.5).
        assert!((q.gain - (0.4 + 0.25 / 9.81)).abs() < 1e-14, "{}", q.gain);
        assert!(!q.rests() && !q.nonsense);
    }

    #[test]
    fn what_is_not_a_state_is_told() {
        let q = found("S 0\n0 0 nan 1 0 0 0 0 0 0 0 0 0\n").expect("a sample");
        assert!(q.nonsense);
        assert!(found("S 0\n0 0 1\n").is_err());
        assert!(found("S 0\n").is_err());
    }

    #[test]
    fn a_sample_that_is_written_is_read_again() {
        let scene = Scene::parse(SCENE, "ball", &[]).expect("a scene");
        let mut world = World::from_scene(&scene).expect("a world");
        let mut text = String::new();
        for _ in 0..3 {
            write_sample(&mut text, &world);
            world.step().expect("a step");
        }
        let q = found(&text).expect("states");
        assert!(q.rests() && q.overlap < 1e-15 && q.gain < 1e-12, "{q:?}");
    }
}
