//! `[[include]]`: models of other formats as bodies, joints and frames of the scene; and `[[frame]]`.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;
use stickslip_geometry::{Pose, Shape};
use stickslip_model::Friction;
use stickslip_model::joint::{AXES, Goal};
use stickslip_robots::{
    Coordinate, Drive, Kind, Note, Options, Overlap, Packages, Place, Regard, Robot, Start,
};

use super::files::Files;
use super::joint::{Anchor, Axes, AxisHold, Frame, Joint, JointAxis, JointMotor, JointType};
use super::keys::{FRAME, HOLD, INCLUDE};
use super::node::{Fault, Node, Outcome, Value};
use super::read_body::read_name;
use super::read_pairs::Names;
use super::read_shape::read_orientation;
use super::reader::{Reader, choice, flag, items, tables, text};
use super::table::Table;
use super::{Body, ContactPair, Mass, Material, Motion};
use crate::builder::WORLD;
use crate::expression::Function;

/// What the models of a scene bring with them.
#[derive(Default)]
pub(super) struct Included {
    pub(super) bodies: Vec<Body>,
    pub(super) joints: Vec<Joint>,
    pub(super) pairs: Vec<ContactPair>,
    pub(super) frames: Vec<Frame>,
    pub(super) notes: Vec<Note>,
}

/// Reads all `[[include]]` entries.
pub(super) fn read_includes(
    reader: &Reader<'_>,
    root: &Table<'_>,
    material: Material,
) -> Outcome<Included> {
    let mut included = Included::default();
    let Some(node) = root.get("include") else {
        return Ok(included);
    };
    for entry in tables(node, "include")? {
        let table = Table::open(entry, &INCLUDE)?;
        let model = Model::read(reader, &table, material)?;
        model.put(&mut included)?;
    }
    Ok(included)
}

/// Beside a model's file.
struct Beside<'f> {
    files: &'f Files,
    folder: String,
}

impl stickslip_robots::Files for Beside<'_> {
    fn bytes(&self, name: &str) -> Result<Arc<[u8]>, String> {
        let name = match self.folder.as_str() {
            "" => name.to_owned(),
            _ if name.starts_with('/') => name.to_owned(),
            folder => format!("{folder}/{name}"),
        };
        self.files.bytes(&name).map_err(|fault| match fault.help {
            Some(help) => format!("{} ({help})", fault.message),
            None => fault.message,
        })
    }
}

/// One model and how the scene wants it.
struct Model<'n> {
    robot: Robot,
    prefix: String,
    material: Material,
    file: &'n Node,
    /// Gains of motors that hold what no actuator drives.
    hold: Option<Goal>,
    ignore_overlaps: bool,
    self_collision: bool,
    any_inertia: bool,
}

impl<'n> Model<'n> {
    fn read(reader: &Reader<'_>, table: &Table<'n>, material: Material) -> Outcome<Self> {
        let file = table.need("file")?;
        let name = text(file, "the name of a file")?;
        let flag_of = |key: &str, other: bool| table.get(key).map_or(Ok(other), flag);
        let text_of = |key: &str, what: &str| -> Outcome<Option<String>> {
            let node = table.get(key);
            node.map(|n| text(n, what).map(str::to_owned)).transpose()
        };
        let any_inertia = flag_of("any-inertia", false)?;
        let options = Options {
            fixed_base: flag_of("fixed-base", false)?,
            any_inertia,
            packages: read_packages(table)?,
            srdf: text_of("srdf", "the name of an SRDF file")?,
            start: Start {
                pose: Pose {
                    position: reader.vector_or(table, "position", DVec3::ZERO)?,
                    orientation: read_orientation(reader, table.get("orientation"))?,
                },
                joints: read_starts(reader, table)?,
                key: text_of("key", "the name of a configuration")?,
            },
        };
        let bytes = reader.files.bytes(name).map_err(|e| {
            let fault = Fault::new(&file.place, e.message);
            match e.help {
                Some(help) => fault.with_help(help),
                None => fault,
            }
        })?;
        let source = String::from_utf8(bytes.to_vec())
            .map_err(|_| Fault::new(&file.place, format!("`{name}` is not text in UTF-8")))?;
        let beside = Beside {
            files: reader.files,
            folder: name.rsplit_once('/').map_or("", |(f, _)| f).to_owned(),
        };
        let robot = stickslip_robots::read(name, &source, &beside, &options)
            .map_err(|error| Fault::in_model(&file.place, *error))?;
        let overlaps = match table.get("overlaps") {
            Some(node) => choice(node, "way with overlaps", &["refuse", "ignore"])?,
            None => "refuse",
        };
        Ok(Self {
            robot,
            prefix: read_prefix(table)?,
            material,
            file,
            hold: read_hold(reader, table)?,
            ignore_overlaps: overlaps == "ignore",
            self_collision: flag_of("self-collision", true)?,
            any_inertia,
        })
    }

    /// Puts the model into the scene.
    fn put(mut self, included: &mut Included) -> Outcome<()> {
        if self.self_collision {
            self.settle_overlaps()?;
        }
        let bodies: Vec<Body> = (0..self.robot.bodies.len()).map(|k| self.body(k)).collect();
        let mut joints: Vec<Joint> = self.robot.joints.iter().map(|j| self.joint(j)).collect();
        self.drive(&mut joints)?;
        let span = self.file.place.span.clone();
        for pair in self.robot.excluded.iter().filter(|_| self.self_collision) {
            // A pair of which none is free never meets anyway.
            if pair.iter().any(|&k| self.robot.bodies[k].is_free()) {
                included.pairs.push(ContactPair {
                    bodies: pair.map(|k| self.named(&self.robot.bodies[k].name)),
                    collide: false,
                    friction: None,
                    restitution: None,
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
        let unheld = self.robot.couplings.iter().map(|c| Note {
            place: c.place.clone(),
            what: format!("equation `{}`", c.name),
            why: "not held: the two joints move on their own".into(),
            regard: Regard::NotUnderstood,
        });
        let unheld: Vec<Note> = unheld.collect();
        self.robot.notes.extend(unheld);
        included.bodies.extend(bodies);
        included.joints.extend(joints);
        included.notes.append(&mut self.robot.notes);
        Ok(())
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
        let groups = match self.self_collision {
            true => Vec::new(),
            false => vec![format!("{}{}", self.prefix, self.robot.name)],
        };
        Body {
            name: self.named(&body.name),
            shape,
            motion: if body.is_free() {
                Motion::Free
            } else {
                Motion::Fixed
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
            material: Material {
                friction: friction.map_or(self.material.friction, Friction::same),
                restitution: restitution.unwrap_or(self.material.restitution),
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
                    friction: given.friction,
                    damping: given.damping,
                    stiffness: given.stiffness,
                    rest: if given.stiffness > 0.0 {
                        given.rest
                    } else {
                        0.0
                    },
                    armature: given.armature,
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
        for at in &self.robot.coordinates {
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

    /// Links that overlap at the start: an error that names them all, or pairs that pass through each other.
    fn settle_overlaps(&mut self) -> Outcome<()> {
        let overlaps = self.robot.overlaps();
        let own = |o: &&Overlap| o.bodies.iter().all(|&k| self.is_jointed(k));
        let overlaps: Vec<Overlap> = overlaps.iter().filter(own).copied().collect();
        let Some(first) = overlaps.first() else {
            return Ok(());
        };
        let name = |k: usize| self.robot.bodies[k].name.as_str();
        let word = |o: &Overlap| {
            let [a, b] = o.bodies.map(name);
            format!("`{a}` and `{b}` by {:.2e} m", o.depth)
        };
        if !self.ignore_overlaps {
            let all: Vec<String> = overlaps.iter().map(word).collect();
            let error = stickslip_robots::RobotError {
                place: self.robot.bodies[first.bodies[1]].place.clone(),
                message: format!("links overlap where the model starts: {}", all.join(", ")),
                help: Some(
                    "let such pairs pass through each other: --ignore-overlaps, `overlaps = \"ignore\"`; or start elsewhere, or use an SRDF file"
                        .into(),
                ),
            };
            return Err(Fault::in_model(&self.file.place, error));
        }
        let notes: Vec<Note> = overlaps
            .iter()
            .map(|o| Note {
                place: self.robot.bodies[o.bodies[1]].place.clone(),
                what: format!("overlap of {}", word(o)),
                why: "they pass through each other".into(),
                regard: Regard::Changed,
            })
            .collect();
        self.robot.notes.extend(notes);
        self.robot
            .excluded
            .extend(overlaps.iter().map(|o| o.bodies));
        Ok(())
    }

    /// Is the body part of a chain (and not one that moves by itself)?
    fn is_jointed(&self, body: usize) -> bool {
        let joints = self.robot.joints.iter();
        joints.flat_map(|j| j.bodies).any(|b| b == Some(body))
    }

    /// Each name can be taken once, also among models.
    fn check_names(&self, bodies: &[Body], joints: &[Joint], so_far: &Included) -> Outcome<()> {
        let mut taken: BTreeMap<&str, ()> = BTreeMap::new();
        let all = so_far.bodies.iter().chain(bodies).map(|b| b.name.as_str());
        for name in all {
            if taken.insert(name, ()).is_some() {
                return Err(self.twice("body", name));
            }
        }
        taken.clear();
        let all = so_far.joints.iter().chain(joints).map(|j| j.name.as_str());
        for name in all {
            if taken.insert(name, ()).is_some() {
                return Err(self.twice("joint", name));
            }
        }
        Ok(())
    }

    fn twice(&self, what: &str, name: &str) -> Box<Fault> {
        let message = format!("a second {what} has the name `{name}`");
        Fault::new(&self.file.place, message).with_help("give each model a `prefix`")
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

fn read_prefix(table: &Table<'_>) -> Outcome<String> {
    let Some(node) = table.get("prefix") else {
        return Ok(String::new());
    };
    let prefix = text(node, "a prefix")?;
    let odd = |c: char| c.is_control() || matches!(c, ',' | '"' | '\'' | '`' | '[' | ']');
    if prefix.contains(odd) || prefix.len() > 50 {
        let message = "a prefix has at most 50 characters, and no commas, quotes or brackets";
        return Err(Fault::new(&node.place, message));
    }
    Ok(prefix.to_owned())
}

fn read_packages(table: &Table<'_>) -> Outcome<Packages> {
    let Some(node) = table.get("packages") else {
        return Ok(Packages::default());
    };
    let mut packages = Vec::new();
    for item in items(node, "folders, or \"PREFIX=FOLDER\"")? {
        let entry = text(item, "a folder, or \"PREFIX=FOLDER\"")?;
        let (prefix, folder) = entry.split_once('=').unwrap_or(("", entry));
        packages.push((prefix.trim_matches('/').to_owned(), folder.to_owned()));
    }
    Ok(Packages(packages))
}

fn read_starts(reader: &Reader<'_>, table: &Table<'_>) -> Outcome<BTreeMap<String, f64>> {
    let Some(node) = table.get("joints") else {
        return Ok(BTreeMap::new());
    };
    let Value::Table(entries) = &node.value else {
        let message = format!("`joints` is a table of coordinates, not {}", node.kind());
        return Err(Fault::new(&node.place, message));
    };
    let entries = entries.iter();
    entries
        .map(|(key, node)| Ok((key.name.clone(), reader.number(node)?)))
        .collect()
}

fn read_hold(reader: &Reader<'_>, table: &Table<'_>) -> Outcome<Option<Goal>> {
    let Some(node) = table.get("hold") else {
        return Ok(None);
    };
    let table = Table::open(node, &HOLD)?;
    let stiffness = reader.positive(table.need("stiffness")?, "the stiffness")?;
    let damping = match table.get("damping") {
        Some(node) => reader.not_negative(node, "the damping")?,
        None => 0.0,
    };
    Ok(Some(Goal::Servo { stiffness, damping }))
}

/// Reads the `[[frame]]` entries, after those of included models.
pub(super) fn read_frames(
    reader: &Reader<'_>,
    root: &Table<'_>,
    names: &Names<'_>,
    included: Vec<Frame>,
) -> Outcome<Vec<Frame>> {
    let mut frames = included;
    let Some(node) = root.get("frame") else {
        return Ok(frames);
    };
    for entry in tables(node, "frame")? {
        let table = Table::open(entry, &FRAME)?;
        let name_node = table.need("name")?;
        let name = read_name(name_node)?.to_owned();
        if frames.iter().any(|f| f.name == name) {
            let message = format!("a second frame has the name `{name}`");
            return Err(Fault::new(&name_node.place, message));
        }
        frames.push(Frame {
            name,
            body: names.end(reader, table.need("body")?)?,
            pose: Pose {
                position: reader.vector_or(&table, "position", DVec3::ZERO)?,
                orientation: read_orientation(reader, table.get("orientation"))?,
            },
            span: name_node.place.span.clone(),
        });
    }
    Ok(frames)
}
