//! `[[joint]]` entries, and the names that they share with `[[spring]]` entries.

use std::collections::BTreeMap;

use glam::DQuat;
use stickslip_model::joint::{AXES, AXIS_NAMES};

use super::joint::{Anchor, Axes, AxisHold, JOINT_TYPES, Joint, JointAxis, JointType, Spring};
use super::keys::{JOINT, JOINT_AXIS, SPRING};
use super::node::{Fault, Node, Outcome, Value};
use super::read_body::read_name;
use super::read_motor::read_motor;
use super::read_pairs::Names;
use super::read_shape::read_orientation;
use super::read_spring::read_spring;
use super::reader::{Reader, choice, flag, items, shown, tables, text};
use super::table::Table;
use crate::builder::{BALL, HINGE, SLIDER, WORLD};
use crate::expression::nearest;

/// The names of joints, springs and gears, each used once.
#[derive(Default)]
pub(super) struct Taken {
    names: BTreeMap<String, usize>,
}

impl Taken {
    /// The given name, or one made from `made` and not used yet.
    pub(super) fn name(
        &mut self,
        given: Option<&Node>,
        index: Option<u32>,
        made: &str,
        source: &str,
    ) -> Outcome<String> {
        let Some(node) = given else {
            let mut name = made.to_owned();
            let mut count = 1;
            while self.names.contains_key(&name) {
                count += 1;
                name = format!("{made} {count}");
            }
            self.names.insert(name.clone(), 0);
            return Ok(name);
        };
        let name = match (read_name(node)?, index) {
            (name, Some(_)) if name.ends_with(']') => {
                let message = "a counted entry gets its numbers from `count`; its name has none";
                return Err(Fault::new(&node.place, message));
            }
            (name, Some(index)) => &*format!("{name}[{index}]"),
            (name, None) => name,
        };
        if let Some(earlier) = self.names.insert(name.to_owned(), node.place.span.start) {
            let before = source.get(..earlier).unwrap_or("");
            let line = before.matches('\n').count() + 1;
            let message = format!("the name `{name}` is used twice among joints and springs");
            let fault = Fault::new(&node.place, message);
            return Err(fault.with_help(format!("it was first used in line {line}")));
        }
        Ok(name.to_owned())
    }
}

/// Reads the `[[joint]]` and `[[spring]]` entries, after those of included models.
pub(super) fn read_joined(
    reader: &Reader<'_>,
    root: &Table<'_>,
    names: &Names<'_>,
    (taken, source): (&mut Taken, &str),
    included: (Vec<Joint>, Vec<Spring>),
) -> Outcome<(Vec<Joint>, Vec<Spring>)> {
    let (mut joints, mut springs) = included;
    for name in joints.iter().map(|j: &Joint| &j.name) {
        taken.names.insert(name.clone(), 0);
    }
    if let Some(node) = root.get("joint") {
        for entry in tables(node, "joint")? {
            let table = Table::open(entry, &JOINT)?;
            reader.counted(&table, |reader, index| {
                joints.push(read_joint(
                    reader,
                    &table,
                    names,
                    (&mut *taken, index),
                    source,
                )?);
                Ok(())
            })?;
        }
    }
    if let Some(node) = root.get("spring") {
        for entry in tables(node, "spring")? {
            let table = Table::open(entry, &SPRING)?;
            reader.counted(&table, |reader, index| {
                let taken = (&mut *taken, index);
                springs.push(read_spring(reader, &table, names, &joints, taken, source)?);
                Ok(())
            })?;
        }
    }
    Ok((joints, springs))
}

fn read_joint(
    reader: &Reader<'_>,
    table: &Table<'_>,
    names: &Names<'_>,
    (taken, index): (&mut Taken, Option<u32>),
    source: &str,
) -> Outcome<Joint> {
    let kind_node = table.need("type")?;
    let name = choice(kind_node, "joint", &JOINT_TYPES)?;
    let kinds = JointType::ALL.into_iter();
    let kind = kinds.into_iter().find(|k| k.name() == name);
    let kind = kind.unwrap_or(JointType::SixDof);
    let node = table.need("bodies")?;
    let two = items(node, "the names of two bodies")?;
    let [first, second] = two else {
        let message = format!("a joint is between two bodies, not {}", two.len());
        return Err(Fault::new(&node.place, message).with_help("\"world\" stands for the world"));
    };
    let bodies = [names.end(reader, first)?, names.end(reader, second)?];
    let made = format!("{} {} {}", kind.name(), bodies[0], bodies[1]);
    let name = taken.name(table.get("name"), index, &made, source)?;
    let of_joint = |mut fault: Box<Fault>| {
        fault.message = format!("{} (in joint `{name}`)", fault.message);
        fault
    };
    Ok(Joint {
        kind,
        bodies,
        anchor: read_anchor(reader, table).map_err(of_joint)?,
        frame: read_frame(reader, table, kind).map_err(of_joint)?,
        axes: read_axes(reader, table, kind).map_err(of_joint)?,
        collide: table.get("collide").map_or(Ok(false), flag)?,
        span: table.get("name").unwrap_or(kind_node).place.span.clone(),
        name,
    })
}

fn read_anchor(reader: &Reader<'_>, table: &Table<'_>) -> Outcome<Anchor> {
    match (table.get("anchor"), table.get("anchors")) {
        (Some(_), Some(both)) => Err(Fault::new(
            &both.place,
            "give `anchor` in the world or `anchors` on the bodies, not both",
        )),
        (None, Some(both)) => {
            let [a, b] = pair(both, "the anchors on the two bodies")?;
            Ok(Anchor::Bodies([reader.vector(a)?, reader.vector(b)?]))
        }
        (Some(anchor), None) => Ok(Anchor::World(reader.vector(anchor)?)),
        (None, None) => Err(table.fault("`anchor` is missing in [[joint]]").with_help(
            "where the bodies meet: `anchor` in the world, or `anchors` on the two bodies",
        )),
    }
}

fn read_frame(reader: &Reader<'_>, table: &Table<'_>, kind: JointType) -> Outcome<Axes> {
    let given = ["axis", "axes", "orientation", "orientations"];
    let present: Vec<&str> = given
        .into_iter()
        .filter(|k| table.get(k).is_some())
        .collect();
    if let (Some(key), JointType::Ball | JointType::Fixed) =
        (table.first_of(&["axis", "axes"]), kind)
    {
        let message = format!("`{}` has no effect on a {} joint", key.name, kind.name());
        return Err(Fault::new(&key.place, message));
    }
    if let (Some(key), JointType::Ball) = (table.first_of(&["orientation", "orientations"]), kind) {
        let message = format!("`{}` has no effect on a ball joint", key.name);
        return Err(Fault::new(&key.place, message));
    }
    match present.as_slice() {
        [] if kind.free_axis().is_some() => Err(table
            .fault(format!("`axis` is missing in this {}", kind.name()))
            .with_help("a direction in the world, or `axes` for one on each body")),
        [] => Ok(Axes::Frame(DQuat::IDENTITY)),
        ["axis"] => {
            let node = table.need("axis")?;
            Ok(Axes::Axis(reader.direction(node, "the axis")?))
        }
        ["axes"] => {
            let [a, b] = pair(table.need("axes")?, "the axes on the two bodies")?;
            let axis = |node| reader.direction(node, "the axis");
            Ok(Axes::BodyAxes([axis(a)?, axis(b)?]))
        }
        ["orientation"] => Ok(Axes::Frame(read_orientation(
            reader,
            table.get("orientation"),
        )?)),
        ["orientations"] => {
            let node = table.need("orientations")?;
            let [a, b] = pair(node, "the orientations on the two bodies")?;
            let turn = |node| read_orientation(reader, Some(node));
            Ok(Axes::BodyFrames([turn(a)?, turn(b)?]))
        }
        many => Err(table.fault(format!("give only one of `{}`", many.join("`, `")))),
    }
}

/// What the type of the joint and its keys say of the six axes.
fn read_axes(
    reader: &Reader<'_>,
    table: &Table<'_>,
    kind: JointType,
) -> Outcome<[JointAxis; AXES]> {
    let locked = match kind {
        JointType::Ball => BALL,
        JointType::Hinge => HINGE,
        JointType::Slider => SLIDER,
        JointType::Fixed | JointType::SixDof => [true; AXES],
    };
    let mut axes = locked.map(|locked| JointAxis {
        hold: if locked {
            AxisHold::Locked
        } else {
            AxisHold::Free
        },
        ..JointAxis::default()
    });
    if let Some(k) = kind.free_axis() {
        axes[k] = read_axis(reader, table, k)?;
    } else if let Some(key) = table.first_of(&OF_AN_AXIS) {
        let message = format!("`{}` has no effect on a {} joint", key.name, kind.name());
        let fault = Fault::new(&key.place, message);
        let help = "give it to an axis of a six-dof joint: rx = { limits = [-1, 1] }";
        return Err(fault.with_help(help));
    }
    if let (Some(key), false) = (table.first_of(&AXIS_NAMES), kind == JointType::SixDof) {
        let message = format!("`{}` has no effect on a {} joint", key.name, kind.name());
        let help = "the axes of a six-dof joint are given one by one";
        return Err(Fault::new(&key.place, message).with_help(help));
    }
    for (k, name) in AXIS_NAMES.into_iter().enumerate() {
        if let Some(node) = table.get(name) {
            axes[k] = match &node.value {
                Value::Text(_) => JointAxis {
                    hold: match choice(node, "axis", &["free", "locked"])? {
                        "free" => AxisHold::Free,
                        _ => AxisHold::Locked,
                    },
                    ..JointAxis::default()
                },
                _ => read_axis(reader, &Table::open(node, &JOINT_AXIS)?, k)?,
            };
        }
    }
    Ok(axes)
}

/// What can be said of one axis: a given motion first, then what such a motion makes idle.
const OF_AN_AXIS: [&str; 8] = [
    "motion",
    "limits",
    "motor",
    "friction",
    "damping",
    "stiffness",
    "rest",
    "armature",
];

/// A free axis, the kth, and what acts on it.
fn read_axis(reader: &Reader<'_>, table: &Table<'_>, k: usize) -> Outcome<JointAxis> {
    // The first three are lengths.
    if k >= AXES / 2
        && let Some(limits) = table.get("limits")
    {
        let both = pair(limits, "the least and the largest coordinate")?;
        both.into_iter()
            .for_each(|limit| reader.remark_angle(limit));
    }
    let hold = match table.get("motion") {
        Some(node) => AxisHold::Driven(reader.function(node)?),
        None => AxisHold::Free,
    };
    if let (Some(key), AxisHold::Driven(_)) = (table.first_of(&OF_AN_AXIS[1..]), &hold) {
        let message = format!("`{}` has no effect beside a given `motion`", key.name);
        return Err(Fault::new(&key.place, message));
    }
    let number = |key: &str, what: &str| match table.get(key) {
        Some(node) => reader.not_negative(node, what),
        None => Ok(0.0),
    };
    let stiffness = number("stiffness", "the stiffness of a joint")?;
    if let (Some(key), 0.0) = (table.first_of(&["rest"]), stiffness) {
        return Err(Fault::new(
            &key.place,
            "`rest` has no effect without `stiffness`",
        ));
    }
    Ok(JointAxis {
        hold,
        damping: number("damping", "the damping of a joint")?,
        stiffness,
        rest: table
            .get("rest")
            .map_or(Ok(0.0), |node| reader.number(node))?,
        armature: number("armature", "the armature of a joint")?,
        limits: match table.get("limits") {
            Some(node) => Some(read_limits(reader, node)?),
            None => None,
        },
        motor: match table.get("motor") {
            Some(node) => Some(read_motor(reader, node)?),
            None => None,
        },
        friction: match table.get("friction") {
            Some(node) => reader.not_negative(node, "the friction of a joint")?,
            None => 0.0,
        },
    })
}

fn read_limits(reader: &Reader<'_>, node: &Node) -> Outcome<[f64; 2]> {
    let [lo, hi] = pair(node, "the least and the largest coordinate")?;
    // TOML writes -inf and inf where there is no limit.
    let number = |node: &Node| match node.value {
        Value::Number(x) if x.is_infinite() => Ok(x),
        _ => reader.number(node),
    };
    let limits = [number(lo)?, number(hi)?];
    let [lo, hi] = limits;
    if lo < hi {
        return Ok(limits);
    }
    let (lo, hi) = (shown(lo), shown(hi));
    let message = if lo == hi {
        format!("the limits leave no room: both are {lo}")
    } else {
        format!("the limits are reversed: {lo} is above {hi}")
    };
    Err(Fault::new(&node.place, message))
}

pub(super) fn find_joint<'j>(
    reader: &Reader<'_>,
    node: &Node,
    joints: &'j [Joint],
) -> Outcome<&'j Joint> {
    let name = &*reader.indexed(node, "the name of a joint")?;
    if let Some(found) = joints.iter().find(|j| j.name == name) {
        return Ok(found);
    }
    let fault = Fault::new(&node.place, format!("unknown joint `{name}`"));
    Err(
        match nearest(name, joints.iter().map(|j| j.name.as_str())) {
            Some(meant) => fault.suggest(Some(meant)),
            None => fault.with_help("joints are named in [[joint]]"),
        },
    )
}

/// The two items of an array.
pub(super) fn pair<'n>(node: &'n Node, expected: &str) -> Outcome<[&'n Node; 2]> {
    let both = items(node, expected)?;
    match both {
        [a, b] => Ok([a, b]),
        _ => {
            let message = format!("expected {expected}, found {}", both.len());
            Err(Fault::new(&node.place, message))
        }
    }
}

impl Names<'_> {
    /// A body, or the world.
    pub(super) fn end(&self, reader: &Reader<'_>, node: &Node) -> Outcome<String> {
        match text(node, "the name of a body")? {
            WORLD => Ok(WORLD.to_owned()),
            _ => self.find(reader, node).map(|(name, _)| name),
        }
    }
}
