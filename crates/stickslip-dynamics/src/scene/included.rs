//! An included model as bodies, joints, gears and frames of the scene.

use glam::DVec3;
use stickslip_geometry::Shape;
use stickslip_model::Friction;
use stickslip_model::joint::{AXES, Goal};
use stickslip_robots::{Coordinate, Coupling, Drive, Kind, Note, Place, Regard};

use super::joint::{Anchor, Axes, AxisHold, Frame, Gear, Joint, JointAxis, JointMotor, JointType};
use super::node::{Fault, Outcome};
use super::read_include::Model;
use super::{Body, ContactPair, Mass, Material, Mobility};
use crate::builder::WORLD;
use crate::expression::Function;

/// What the models of a scene bring with them.
#[derive(Default)]
pub(super) struct Included {
    pub(super) bodies: Vec<Body>,
    pub(super) joints: Vec<Joint>,
    pub(super) gears: Vec<Gear>,
    pub(super) pairs: Vec<ContactPair>,
    pub(super) frames: Vec<Frame>,
    pub(super) notes: Vec<Note>,
}

impl Model<'_> {
    /// Puts the model into the scene.
    pub(super) fn put(mut self, included: &mut Included) -> Outcome<()> {
        self.settle_overlaps()?;
        let bodies: Vec<Body> = (0..self.robot.bodies.len()).map(|k| self.body(k)).collect();
        let mut joints: Vec<Joint> = self.robot.joints.iter().map(|j| self.joint(j)).collect();
        self.drive(&mut joints)?;
        let span = self.file.place.span.clone();
        for pair in &self.robot.excluded {
            let bodies = pair.map(|k| &self.robot.bodies[k]);
            // A pair of which none is free, or which is of one group, never meets anyway.
            let grouped = !self.self_collision && !bodies.iter().any(|b| b.scenery);
            if bodies.iter().any(|b| b.is_free()) && !grouped {
                included.pairs.push(ContactPair {
                    bodies: pair.map(|k| self.named(&self.robot.bodies[k].name)),
                    collide: false,
                    friction: None,
                    restitution: None,
                    torsion: None,
                    rolling: None,
                    curve: None,
                    span: span.clone(),
                });
            }
        }
        let frame = |frame: &stickslip_robots::Frame| Frame {
            name: self.named(&frame.name),
            body: self.body_name(frame.body),
            pose: frame.pose,
            span: span.clone(),
        };
        included.frames.extend(self.robot.frames.iter().map(frame));
        self.check_names(&bodies, &joints, included)?;
        let gears: Vec<Option<Gear>> = self.robot.couplings.iter().map(|c| self.gear(c)).collect();
        for (coupling, gear) in self.robot.couplings.iter().zip(gears) {
            match gear {
                Some(gear) => included.gears.push(gear),
                None => self.robot.notes.push(Note {
                    place: coupling.place.clone(),
                    what: format!("equation `{}`", coupling.name),
                    why: "not held: the joint moves on its own".into(),
                    regard: Regard::NotUnderstood,
                }),
            }
        }
        included.bodies.extend(bodies);
        included.joints.extend(joints);
        included.notes.append(&mut self.robot.notes);
        Ok(())
    }

    /// q = offset + ratio·q_of, in the coordinates c = sign (q − zero) of the scene's joints; `None` where it holds one joint alone.
    fn gear(&self, coupling: &Coupling) -> Option<Gear> {
        let own = self.coordinate(&coupling.joint)?;
        let of = self.coordinate(coupling.of.as_ref()?)?;
        if coupling.ratio == 0.0 {
            return None;
        }
        let name = |at: &Coordinate| self.named(&self.robot.joints[at.joint].name);
        Some(Gear {
            name: self.named(&coupling.name),
            joints: [name(of), name(own)],
            axes: [of.axis, own.axis],
            ratio: own.sign * coupling.ratio * of.sign,
            offset: own.sign * (coupling.offset + coupling.ratio * of.zero - own.zero),
            span: self.file.place.span.clone(),
        })
    }

    /// A name as the scene has it.
    fn named(&self, name: &str) -> String {
        let clean = |c: char| match c {
            ',' | '"' | '\'' | '`' | '[' | ']' => '_',
            c if c.is_control() => '_',
            c => c,
        };
        let whole: String = self.prefix.chars().chain(name.chars().map(clean)).collect();
        whole.trim().to_owned()
    }

    fn body_name(&self, body: Option<usize>) -> String {
        match body {
            Some(k) => self.named(&self.robot.bodies[k].name),
            None => WORLD.to_owned(),
        }
    }

    fn body(&self, k: usize) -> Body {
        let body = &self.robot.bodies[k];
        let (shape, collide) = match (body.shape(), body.inertial) {
            (Some(shape), _) => (shape, true),
            (None, inertial) => (stand_in(inertial.map_or((1.0, 1.0), size)), false),
        };
        let most = |of: fn(&stickslip_robots::Geom) -> Option<f64>| {
            body.geoms.iter().filter_map(of).reduce(f64::max)
        };
        let (friction, restitution) = (most(|g| g.friction), most(|g| g.restitution));
        let groups = match self.self_collision || body.scenery {
            true => Vec::new(),
            false => vec![format!("{}{}", self.prefix, self.robot.name)],
        };
        Body {
            name: self.named(&body.name),
            shape,
            motion: if body.is_free() {
                Mobility::Free
            } else {
                Mobility::Fixed
            },
            mass: match body.inertial {
                None => Mass::Unneeded,
                Some(inertial) => Mass::Given {
                    mass: inertial.mass,
                    centre: DVec3::ZERO,
                    inertia: inertial.inertia,
                    any: self.any_inertia,
                },
            },
            position: body.pose.position,
            orientation: body.pose.orientation,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            groups,
            collide,
            surfaces: Vec::new(),
            grain: None,
            curve: None,
            colour: body.colour,
            made_of: None,
            material: Material {
                friction: friction.map_or(self.material.friction, Friction::same),
                restitution: restitution.unwrap_or(self.material.restitution),
                moments: self.material.moments,
            },
            span: self.file.place.span.clone(),
        }
    }

    fn joint(&self, joint: &stickslip_robots::Joint) -> Joint {
        let kind = match joint.kind {
            Kind::Ball => JointType::Ball,
            Kind::Hinge => JointType::Hinge,
            Kind::Slider => JointType::Slider,
            Kind::Fixed => JointType::Fixed,
            Kind::SixDof => JointType::SixDof,
        };
        let ball = joint.kind == Kind::Ball;
        let mut axes: [JointAxis; AXES] = Default::default();
        for (k, axis) in axes.iter_mut().enumerate() {
            *axis = match &joint.axes[k] {
                None if ball && k >= 3 => JointAxis::default(),
                None => JointAxis {
                    hold: AxisHold::Locked,
                    ..JointAxis::default()
                },
                Some(given) => JointAxis {
                    hold: AxisHold::Free,
                    limits: given.limits,
                    motor: None,
                    friction: self.dynamics.friction.unwrap_or(given.friction),
                    damping: self.dynamics.damping.unwrap_or(given.damping),
                    stiffness: given.stiffness,
                    rest: if given.stiffness > 0.0 {
                        given.rest
                    } else {
                        0.0
                    },
                    armature: self.dynamics.armature.unwrap_or(given.armature),
                },
            };
        }
        let frames = joint.frames;
        Joint {
            name: self.named(&joint.name),
            kind,
            bodies: joint.bodies.map(|b| self.body_name(b)),
            anchor: Anchor::Bodies(frames.map(|f| f.position)),
            frame: Axes::BodyFrames(frames.map(|f| f.orientation)),
            axes,
            collide: false,
            span: self.file.place.span.clone(),
        }
    }

    /// Puts actuators on their axes, and motors that hold on the others.
    fn drive(&self, joints: &mut [Joint]) -> Outcome<()> {
        for actuator in &self.robot.actuators {
            let Some(at) = self.coordinate(&actuator.joint) else {
                continue;
            };
            let axis = &mut joints[at.joint].axes[at.axis];
            let motor = JointMotor {
                target: Function::constant(match actuator.drive {
                    Drive::Effort | Drive::Velocity { .. } => at.sign * actuator.target,
                    Drive::Position { .. } => at.of_joint(actuator.target),
                }),
                goal: match actuator.drive {
                    Drive::Effort => Goal::Effort,
                    Drive::Velocity { damping } => Goal::Governor { damping },
                    Drive::Position { stiffness, damping } => Goal::Servo { stiffness, damping },
                },
                force: actuator.force,
            };
            axis.motor = match axis.motor.take() {
                None => Some(motor),
                Some(first) => Some(self.both(first, motor, &actuator.place)?),
            };
        }
        let Some(goal) = self.hold else {
            return Ok(());
        };
        let follows = |at: &&Coordinate| {
            let mut couplings = self.robot.couplings.iter();
            couplings.any(|c| c.joint == at.name && self.gear(c).is_some())
        };
        // What follows another joint is held by that.
        for at in self.robot.coordinates.iter().filter(|at| !follows(at)) {
            let effort =
                self.robot.joints[at.joint].axes[at.axis].map_or(f64::INFINITY, |a| a.effort);
            let axis = &mut joints[at.joint].axes[at.axis];
            if axis.motor.is_none() {
                axis.motor = Some(JointMotor {
                    target: Function::constant(at.of_joint(at.start)),
                    goal,
                    force: effort,
                });
            }
        }
        Ok(())
    }

    /// Two actuators on one axis: a position and a rate that is to be zero are one servo.
    fn both(&self, first: JointMotor, second: JointMotor, place: &Place) -> Outcome<JointMotor> {
        let still = |m: &JointMotor| m.target.as_constant() == Some(0.0);
        let free = first.force.is_infinite() && second.force.is_infinite();
        let pair = match (first.goal, second.goal) {
            (Goal::Servo { stiffness, damping }, Goal::Governor { damping: more })
                if still(&second) && free =>
            {
                Some((first.target, stiffness, damping + more))
            }
            (Goal::Governor { damping: more }, Goal::Servo { stiffness, damping })
                if still(&first) && free =>
            {
                Some((second.target, stiffness, damping + more))
            }
            _ => None,
        };
        let Some((target, stiffness, damping)) = pair else {
            let error = stickslip_robots::RobotError {
                place: place.clone(),
                message: "a second actuator on this joint".into(),
                help: Some(
                    "a position and a velocity that stays zero, both without limits, can be one"
                        .into(),
                ),
            };
            return Err(Fault::in_model(&self.file.place, error));
        };
        Ok(JointMotor {
            target,
            goal: Goal::Servo { stiffness, damping },
            force: f64::INFINITY,
        })
    }

    fn coordinate(&self, joint: &str) -> Option<&Coordinate> {
        self.robot.coordinates.iter().find(|c| c.name == joint)
    }
}

/// Mass and mean moment of inertia.
fn size(inertial: stickslip_robots::Inertial) -> (f64, f64) {
    let i = inertial.inertia;
    (inertial.mass, (i.x_axis.x + i.y_axis.y + i.z_axis.z) / 3.0)
}

/// What stands for a body that collides with nothing: the ball of its mass and mean moment, 2mr²/5.
fn stand_in((mass, moment): (f64, f64)) -> Shape {
    Shape::Ball {
        radius: libm::sqrt(2.5 * moment / mass),
    }
}
