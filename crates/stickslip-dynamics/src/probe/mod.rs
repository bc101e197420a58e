//! What can be read off a recorded step, by name: `box.x`, `energy`, `force on box`, `force on box from ground.z`, `torque on box.x`,
//! `hinge.torque`, `hinge.rx`, `hinge.rate.rx`, `hinge.motor.rx`, `frame hand.x`, `frame hand.ax`. The same names in the program, in Python, in sweeps and on the page.
//!
//! Forces and torques are means over the step: impulse by length. A record without length (a phase of an impact, the initial state)
//! has none.

mod names;

use self::names::{of_bodies, of_frame, of_one};
use crate::converge::quantity::{COMPONENTS, component_of};
use glam::DVec3;
use stickslip_model::joint::AXES;
use stickslip_model::{BodyState, JointImpulse, Model, StepRecord};

/// One number of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    name: String,
    what: What,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    Energy,
    /// Of one body, or of all.
    Kinetic(Option<usize>),
    Potential,
    /// One of [`COMPONENTS`] of a body.
    State(usize, usize),
    /// One of [`COMPONENTS`] of a frame.
    Frame(usize, usize),
    /// Mean acceleration over the step of a body's origin.
    Acceleration(usize, usize),
    /// The same of a frame's.
    FrameAcceleration(usize, usize),
    /// Of the contacts on a body, from another one where that is given.
    Force(usize, Option<usize>, Part),
    /// The torque of the same about the body's origin.
    Torque(usize, Option<usize>, Part),
    /// The least gap of the contacts of two bodies.
    Gap(usize, usize),
    /// Of a joint or spring, on its second body.
    Joint(usize, Load, Part),
    /// A coordinate of a joint.
    Coordinate(usize, usize),
    /// Its rate at the end of the step.
    Rate(usize, usize),
    /// What acts along one axis of a joint.
    Axis(usize, AxisPart, usize),
}

/// Which number of a vector.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Size,
    Component(usize),
    /// Along the normals, each contact by itself.
    Normal,
    /// Across them.
    Friction,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Load {
    Force,
    Torque,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum AxisPart {
    Hold,
    Motor,
    Friction,
}

/// A name that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}`: {reason}")]
pub struct ProbeError {
    text: String,
    reason: String,
}

impl Probe {
    /// Reads a name.
    ///
    /// # Errors
    /// Where the model has no such body or joint, or that no such number.
    pub fn parse(text: &str, model: &Model) -> Result<Self, ProbeError> {
        let name = text.trim();
        let what = match name {
            "energy" => Ok(What::Energy),
            "kinetic energy" => Ok(What::Kinetic(None)),
            "potential energy" => Ok(What::Potential),
            _ => (of_frame(name, model).or_else(|| of_bodies(name, model)))
                .unwrap_or_else(|| of_one(name, model)),
        };
        what.map_err(|reason| ProbeError {
            text: name.into(),
            reason,
        })
        .map(|what| Self {
            name: name.into(),
            what,
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its unit; empty where it has none.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        match self.what {
            What::Energy | What::Kinetic(_) | What::Potential => "J",
            What::Gap(..) => "m",
            What::State(_, component) | What::Frame(_, component) => COMPONENTS[component].1,
            What::Acceleration(..) | What::FrameAcceleration(..) => "m/s²",
            What::Rate(_, axis) => ["m/s", "rad/s"][axis / 3],
            What::Force(..) | What::Joint(_, Load::Force, _) => "N",
            What::Torque(..) | What::Joint(_, Load::Torque, _) => "N m",
            What::Coordinate(_, axis) => ["m", "rad"][axis / 3],
            What::Axis(_, _, axis) => ["N", "N m"][axis / 3],
        }
    }

    /// Does it need the states before the step?
    #[must_use]
    pub const fn looks_back(&self) -> bool {
        matches!(
            self.what,
            What::Acceleration(..) | What::FrameAcceleration(..)
        )
    }

    /// Its value at the end of a step, or its mean over it; `None` where a force or an acceleration is asked for and the record has no
    /// length (or the states before it are not known), or a gap where there is no contact.
    #[must_use]
    pub fn of(
        &self,
        model: &Model,
        before: Option<&[BodyState]>,
        step: &StepRecord,
    ) -> Option<f64> {
        let change = |state: &dyn Fn(&[BodyState]) -> BodyState, axis: usize| {
            let (old, new) = (state(before?), state(&step.bodies));
            let change = new.twist.linear - old.twist.linear;
            (step.h > 0.0).then(|| change[axis] / step.h)
        };
        let per_time = |impulse: f64| (step.h > 0.0).then(|| impulse / step.h);
        match self.what {
            What::Energy => Some(step.energy),
            What::Kinetic(body) => Some(kinetic(model, &step.bodies, body)),
            What::Potential => Some(step.energy - kinetic(model, &step.bodies, None)),
            What::State(body, component) => Some(component_of(&step.bodies[body], component)),
            What::Frame(frame, component) => {
                let state = model.frames[frame].state(&step.bodies);
                Some(component_of(&state, component))
            }
            What::Acceleration(body, axis) => change(&|states| states[body], axis),
            What::FrameAcceleration(frame, axis) => {
                change(&|states| model.frames[frame].state(states), axis)
            }
            What::Rate(joint, axis) => {
                let joint = model.joints.get(joint)?;
                let placed = joint.placed(&step.bodies);
                Some(joint.rates(&placed, &step.bodies)[axis])
            }
            What::Force(on, from, part) => per_time(force(step, on, from, part)),
            What::Torque(on, from, part) => per_time(part.of(torque(step, on, from))),
            What::Gap(a, b) => gap(step, [a, b]),
            What::Joint(joint, load, part) => {
                let done = step.joints.get(joint)?;
                per_time(part.of(match load {
                    Load::Force => done.linear,
                    Load::Torque => done.angular,
                }))
            }
            What::Coordinate(joint, axis) => coordinate(model, step, joint, axis),
            What::Axis(joint, row, axis) => per_time(row.of(step.joints.get(joint)?)[axis]),
        }
    }
}

/// A joint's coordinate as it was recorded; at the start, where no step has recorded any, from where the bodies are.
fn coordinate(model: &Model, step: &StepRecord, joint: usize, axis: usize) -> Option<f64> {
    let at = match step.joints.get(joint) {
        Some(done) => done.coordinates,
        None => model.joints.get(joint)?.placed(&step.bodies).coordinates,
    };
    // Not -0 at the start of a joint that stands at zero.
    Some(at[axis] + 0.0)
}

impl Part {
    fn of(self, vector: DVec3) -> f64 {
        match self {
            Self::Component(k) => vector.to_array()[k],
            _ => vector.length(),
        }
    }
}

impl AxisPart {
    const fn of(self, done: &JointImpulse) -> [f64; AXES] {
        match self {
            Self::Hold => done.hold,
            Self::Motor => done.motor,
            Self::Friction => done.friction,
        }
    }
}

/// The least gap of the contacts of two bodies, m.
fn gap(step: &StepRecord, [a, b]: [usize; 2]) -> Option<f64> {
    let contacts = step.contacts.iter().map(|c| &c.contact);
    let own = contacts.filter(|c| c.bodies == [a, b] || c.bodies == [b, a]);
    own.map(|c| c.gap).min_by(f64::total_cmp)
}

/// ½ Σ m v² + ω·I ω of one body or of all, J.
fn kinetic(model: &Model, states: &[BodyState], only: Option<usize>) -> f64 {
    let all = model.bodies.iter().zip(states).enumerate();
    let meant = all.filter(|(k, _)| only.is_none_or(|only| only == *k));
    let each = meant.filter_map(|(_, (body, state))| {
        let mass = body.mass?;
        let (v, w) = (state.twist.linear, state.twist.angular);
        let spin = state.pose.turned(&mass.inertia) * w;
        Some(0.5 * (mass.mass * v.length_squared() + w.dot(spin)))
    });
    each.sum()
}

/// What one contact does to a body, world frame.
struct Pushed {
    /// N s.
    impulse: DVec3,
    /// Beside that of the impulse, N m s.
    moment: DVec3,
    at: DVec3,
    normal: f64,
}

/// What each contact does to the body; from one other body if that is given.
fn impulses(step: &StepRecord, on: usize, from: Option<usize>) -> impl Iterator<Item = Pushed> {
    step.contacts.iter().filter_map(move |c| {
        let [a, b] = c.contact.bodies;
        let (sign, other) = match () {
            () if b == on => (1.0, a),
            () if a == on => (-1.0, b),
            () => return None,
        };
        let wanted = from.is_none_or(|from| from == other);
        wanted.then(|| Pushed {
            impulse: sign * c.world_impulse(),
            moment: sign * c.world_moment(),
            at: c.contact.point,
            normal: c.impulse.x,
        })
    })
}

fn force(step: &StepRecord, on: usize, from: Option<usize>, part: Part) -> f64 {
    let all = impulses(step, on, from);
    match part {
        Part::Normal => all.map(|one| one.normal).sum(),
        Part::Friction => all
            .map(|one| {
                (one.impulse.length_squared() - one.normal * one.normal)
                    .max(0.0)
                    .sqrt()
            })
            .sum(),
        _ => part.of(all.map(|one| one.impulse).sum()),
    }
}

fn torque(step: &StepRecord, on: usize, from: Option<usize>) -> DVec3 {
    let origin = step.bodies[on].pose.position;
    let forces =
        impulses(step, on, from).map(|one| (one.at - origin).cross(one.impulse) + one.moment);
    forces.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use crate::world::World;

    /// A pendulum that hangs and carries a ball in a cup; names with dots, and one that begins like another.
    const HANGING: &str = r#"
format = 1
[step]
h = 0.01
until = 1.0
[[body]]
name = "cup"
shape = { box = { size = [0.4, 0.4, 0.1] } }
mass = 3.0
[[body]]
name = "cup.ball"
shape = { ball = { radius = 0.1 } }
mass = 1.0
position = [0, 0, 0.15]
[[joint]]
name = "cup.pin"
type = "hinge"
bodies = ["world", "cup"]
anchor = [0, 0, 0]
axis = [0, 1, 0]
"#;

    fn world() -> World {
        let scene = Scene::parse(HANGING, "hanging.toml", &[]).expect("a scene");
        let mut world = World::from_scene(&scene).expect("a world");
        world.step().expect("a step");
        world
    }

    #[test]
    fn names_with_dots_mean_the_longest_that_fits_and_loads_are_those_of_statics() {
        let world = world();
        let read = |name: &str| {
            let probe = Probe::parse(name, world.model()).expect(name);
            probe
                .of(world.model(), None, world.last_step())
                .expect(name)
        };
        for (name, expected) in [
            ("cup.ball.z", 0.15),
            ("cup.z", 0.0),
            ("force on cup.ball.z", 9.81),
            ("force on cup.ball from cup.normal", 9.81),
            ("force between cup and cup.ball.z", -9.81),
            ("force on cup.ball.friction", 0.0),
            ("torque on cup.ball", 0.0),
            ("cup.pin.force.z", 4.0 * 9.81),
            ("cup.pin.force", 4.0 * 9.81),
            ("cup.pin.rx", 0.0),
            ("kinetic energy", 0.0),
            ("kinetic energy of cup.ball", 0.0),
            ("gap between cup.ball and cup", 0.0),
            ("potential energy", 0.15 * 9.81),
        ] {
            assert!(
                (read(name) - expected).abs() < 1e-9,
                "{name}: {}",
                read(name)
            );
        }
        let initial = StepRecord {
            h: 0.0,
            ..world.last_step().clone()
        };
        let force = Probe::parse("force on cup", world.model()).expect("a force");
        assert_eq!(
            force.of(world.model(), None, &initial),
            None,
            "no time, no force"
        );
    }

    /// A wheel that turns by itself at 3 rad/s about y under a motor, with a frame on its rim: what sensors tell is what circles have.
    #[test]
    fn frames_and_joints_tell_how_they_move() {
        let text = r#"
format = 1
step = { h = 0.0001, until = 1 }
gravity = [0, 0, 0]
[[body]]
name = "wheel"
shape = { cylinder = { radius = 0.5, length = 0.1 } }
mass = 2
angular-velocity = [0, 3, 0]
orientation = { axis = [1, 0, 0], angle = "90 deg" }
[[joint]]
name = "axle"
type = "hinge"
bodies = ["world", "wheel"]
anchor = [0, 0, 0]
axis = [0, 1, 0]
[[frame]]
name = "rim"
body = "wheel"
position = [0.5, 0, 0]
"#;
        let scene = Scene::parse(text, "wheel.toml", &[]).expect("a scene");
        let mut world = World::from_scene(&scene).expect("a world");
        // Before any step a joint stands somewhere and has no force.
        let at_start = |name: &str| {
            let probe = Probe::parse(name, world.model()).expect(name);
            probe.of(world.model(), None, world.last_step())
        };
        assert!(at_start("axle.rx").is_some_and(|angle| angle.abs() < 1e-12));
        assert_eq!(at_start("axle.force"), None);
        for _ in 0..100 {
            world.step().expect("a step");
        }
        let before = world.states().to_vec();
        world.step().expect("a step");
        let read = |name: &str| {
            let probe = Probe::parse(name, world.model()).expect(name);
            let value = probe.of(world.model(), Some(&before), world.last_step());
            (value.expect(name), probe.unit())
        };
        let (speed, unit) = read("frame rim.speed");
        assert!((speed - 1.5).abs() < 1e-6, "{speed}");
        assert_eq!(unit, "m/s");
        let axis = ["rx", "ry", "rz"].map(|axis| read(&format!("axle.rate.{axis}")).0);
        let rate = DVec3::from_array(axis).length();
        assert!((rate - 3.0).abs() < 1e-6, "{rate}");
        assert!((read("frame rim.wy").0 - 3.0).abs() < 1e-6);
        // v²/R towards the axle.
        let [x, z] = ["x", "z"].map(|k| read(&format!("frame rim.{k}")).0);
        let [ax, az] = ["ax", "az"].map(|k| read(&format!("frame rim.{k}")).0);
        assert!((libm::hypot(ax, az) - 4.5).abs() < 1e-2, "{ax} {az}");
        assert!((ax * x + az * z + 4.5 * 0.5).abs() < 1e-2, "inwards");
        assert_eq!(read("frame rim.ax").1, "m/s²");
        assert!(read("wheel.ax").0.abs() < 1e-9, "its middle stays");
        let probe = Probe::parse("frame rim.ax", world.model()).expect("a name");
        assert_eq!(probe.of(world.model(), None, world.last_step()), None);
        let error = Probe::parse("frame rin.x", world.model()).expect_err("no such frame");
        assert!(error.to_string().contains("did you mean `rim`?"), "{error}");
        let error = Probe::parse("frame rim.q", world.model()).expect_err("no such number");
        assert!(
            error.to_string().contains("the frame `rim` has x, y"),
            "{error}"
        );
    }

    #[test]
    fn what_the_scene_has_not_is_told() {
        let world = world();
        for (name, word) in [
            ("force on cop", "did you mean `cup`?"),
            ("force on cup from sky", "no body `sky`"),
            ("force on cup from cup.x", "no contacts with itself"),
            ("gap between cup and cup", "no contacts with itself"),
            ("force between cup", "expected `force between A and B`"),
            ("gap between cup", "expected `gap between A and B`"),
            ("kinetic energy of cop", "did you mean `cup`?"),
            ("cup.pin.motor.q", "the joint `cup.pin` has x, y"),
            ("cup.height", "the body `cup` has x, y"),
            ("energies", "no body or joint `energies`"),
            ("", "no body or joint"),
            (".", "no body or joint"),
            ("torque on cup.normal", "no body `cup.normal`"),
        ] {
            let error = Probe::parse(name, world.model())
                .expect_err(name)
                .to_string();
            assert!(error.contains(word), "{name}: {error}");
        }
    }
}
