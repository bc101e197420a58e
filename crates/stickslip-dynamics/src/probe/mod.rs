//! What can be read off a recorded step, by name: `box.x`, `energy`, `force on box`, `force on box from ground.z`, `torque on box.x`,
//! `hinge.torque`, `hinge.rx`, `hinge.motor.rx`. The same names in the program, in Python, in sweeps and on the page.
//!
//! Forces and torques are means over the step: impulse by length. A record without length (a phase of an impact, the initial state)
//! has none.

mod names;

use self::names::{of_bodies, of_one};
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
            _ => of_bodies(name, model).unwrap_or_else(|| of_one(name, model)),
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
            What::State(_, component) => COMPONENTS[component].1,
            What::Force(..) | What::Joint(_, Load::Force, _) => "N",
            What::Torque(..) | What::Joint(_, Load::Torque, _) => "N m",
            What::Coordinate(_, axis) => ["m", "rad"][axis / 3],
            What::Axis(_, _, axis) => ["N", "N m"][axis / 3],
        }
    }

    /// Its value at the end of a step, or its mean over it; `None` where a force is asked for and the record has no length, or a gap
    /// where there is no contact.
    #[must_use]
    pub fn of(&self, model: &Model, step: &StepRecord) -> Option<f64> {
        let per_time = |impulse: f64| (step.h > 0.0).then(|| impulse / step.h);
        match self.what {
            What::Energy => Some(step.energy),
            What::Kinetic(body) => Some(kinetic(model, &step.bodies, body)),
            What::Potential => Some(step.energy - kinetic(model, &step.bodies, None)),
            What::State(body, component) => Some(component_of(&step.bodies[body], component)),
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
            What::Coordinate(joint, axis) => Some(step.joints.get(joint)?.coordinates[axis]),
            What::Axis(joint, row, axis) => per_time(row.of(step.joints.get(joint)?)[axis]),
        }
    }
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

/// Impulse of each contact on the body, N s, world frame, and where; from one other body if that is given.
fn impulses(
    step: &StepRecord,
    on: usize,
    from: Option<usize>,
) -> impl Iterator<Item = (DVec3, DVec3, f64)> {
    step.contacts.iter().filter_map(move |c| {
        let [a, b] = c.contact.bodies;
        let (sign, other) = match () {
            () if b == on => (1.0, a),
            () if a == on => (-1.0, b),
            () => return None,
        };
        let wanted = from.is_none_or(|from| from == other);
        wanted.then(|| (sign * c.world_impulse(), c.contact.point, c.impulse.x))
    })
}

fn force(step: &StepRecord, on: usize, from: Option<usize>, part: Part) -> f64 {
    let all = impulses(step, on, from);
    match part {
        Part::Normal => all.map(|(_, _, normal)| normal).sum(),
        Part::Friction => all
            .map(|(p, _, n)| (p.length_squared() - n * n).max(0.0).sqrt())
            .sum(),
        _ => part.of(all.map(|(p, ..)| p).sum()),
    }
}

fn torque(step: &StepRecord, on: usize, from: Option<usize>) -> DVec3 {
    let origin = step.bodies[on].pose.position;
    let all = impulses(step, on, from);
    all.map(|(p, point, _)| (point - origin).cross(p)).sum()
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
            probe.of(world.model(), world.last_step()).expect(name)
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
        assert_eq!(force.of(world.model(), &initial), None, "no time, no force");
    }

    #[test]
    fn what_the_scene_has_not_is_told() {
        let world = world();
        for (name, word) in [
            ("force on cop", "did you mean `cup`?"),
            ("force on cup from sky", "no body `sky`"),
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
