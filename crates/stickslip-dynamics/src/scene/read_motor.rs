//! Motors: `motor` of a joint, and `[[motor]]` entries for joints that stand elsewhere.

use stickslip_model::joint::{AXIS_NAMES, Goal};

use super::joint::{AxisHold, Joint, JointMotor};
use super::keys::{MOTOR, MOTOR_ENTRY, TARGET_TABLE};
use super::node::{Fault, Node, Outcome, Value};
use super::read_joint::find_joint;
use super::reader::{Reader, choice, flag, items, tables};
use super::table::Table;
use crate::expression::{Function, Table as Rows};

/// A motor of a joint.
pub(super) fn read_motor(reader: &Reader<'_>, node: &Node) -> Outcome<JointMotor> {
    motor(reader, &Table::open(node, &MOTOR)?)
}

/// `[[motor]]` entries: each takes the place of what drives its axis.
pub(super) fn read_motors(
    reader: &Reader<'_>,
    root: &Table<'_>,
    joints: &mut [Joint],
) -> Outcome<()> {
    let Some(node) = root.get("motor") else {
        return Ok(());
    };
    let mut done: Vec<(String, usize)> = Vec::new();
    for entry in tables(node, "motor")? {
        let table = Table::open(entry, &MOTOR_ENTRY)?;
        let name = table.need("joint")?;
        let found = find_joint(reader, name, joints)?;
        let axis = axis_of(&table, name, found)?;
        let place = (found.name.clone(), axis);
        if done.contains(&place) {
            let message = format!("a second motor on {} of `{}`", AXIS_NAMES[axis], place.0);
            return Err(Fault::new(&name.place, message));
        }
        let motor = motor(reader, &table)?;
        if let Some(joint) = joints.iter_mut().find(|j| j.name == place.0) {
            joint.axes[axis].motor = Some(motor);
        }
        done.push(place);
    }
    Ok(())
}

/// The axis that an entry is about.
fn axis_of(table: &Table<'_>, place: &Node, joint: &Joint) -> Outcome<usize> {
    free_axis_of(table.get("axis"), place, joint)
}

/// The axis of a joint that is named, or the only one its type leaves free.
pub(super) fn named_axis_of(named: Option<&Node>, place: &Node, joint: &Joint) -> Outcome<usize> {
    match (named, joint.kind.free_axis()) {
        (Some(node), _) => {
            let name = choice(node, "axis", &AXIS_NAMES)?;
            Ok(AXIS_NAMES.iter().position(|a| *a == name).unwrap_or(0))
        }
        (None, Some(axis)) => Ok(axis),
        (None, None) => {
            let message = format!("`axis` is missing: joint `{}` has several", joint.name);
            Err(Fault::new(&place.place, message))
        }
    }
}

/// The same, which must be free.
pub(super) fn free_axis_of(named: Option<&Node>, place: &Node, joint: &Joint) -> Outcome<usize> {
    let axis = named_axis_of(named, place, joint)?;
    if joint.axes[axis].hold != AxisHold::Free {
        let message = format!(
            "axis {} of joint `{}` is not free",
            AXIS_NAMES[axis], joint.name
        );
        return Err(Fault::new(&place.place, message));
    }
    Ok(axis)
}

fn motor(reader: &Reader<'_>, table: &Table<'_>) -> Outcome<JointMotor> {
    let (aim, node) = aim(table)?;
    let limit = |key: &str, what: &str| match table.get(key) {
        Some(node) if matches!(node.value, Value::Number(x) if x == f64::INFINITY) => {
            Ok(f64::INFINITY)
        }
        Some(node) => reader.not_negative(node, what),
        None => Ok(f64::INFINITY),
    };
    let gain = |key: &str, what: &str| match table.get(key) {
        Some(node) => reader.not_negative(node, what).map(Some),
        None => Ok(None),
    };
    let force = limit("force", "the largest force of a motor")?;
    let speed = limit("speed", "the largest speed of a motor")?;
    let stiffness = gain("stiffness", "the stiffness of a motor")?;
    let damping = gain("damping", "the damping of a motor")?;
    let goal = match (aim, stiffness, damping) {
        ("velocity", _, None) => Goal::Velocity,
        ("velocity", _, Some(damping)) => Goal::Governor { damping },
        ("effort", _, _) => Goal::Effort,
        (_, None, None) => Goal::Position { speed },
        _ => Goal::Servo {
            stiffness: stiffness.unwrap_or(0.0),
            damping: damping.unwrap_or(0.0),
        },
    };
    let idle: &[&str] = match goal {
        Goal::Velocity | Goal::Governor { .. } => &["speed", "stiffness"],
        Goal::Effort => &["speed", "stiffness", "damping"],
        Goal::Servo { .. } => &["speed"],
        Goal::Position { .. } => &[],
    };
    if let Some(key) = table.first_of(idle) {
        let beside = match goal {
            Goal::Servo { .. } => "gains".to_owned(),
            _ => format!("a `{aim}`"),
        };
        let message = format!("`{}` has no effect on a motor with {beside}", key.name);
        return Err(Fault::new(&key.place, message));
    }
    let still = match goal {
        Goal::Servo { stiffness, .. } => stiffness == 0.0,
        Goal::Governor { damping } => damping == 0.0,
        _ => false,
    };
    if still {
        let message = "the motor does nothing: the gain of what it aims at is zero";
        return Err(table.fault(message));
    }
    Ok(JointMotor {
        target: read_target(reader, node)?,
        goal,
        force,
    })
}

/// What a motor aims at: exactly one of the three.
fn aim<'n>(table: &Table<'n>) -> Outcome<(&'static str, &'n Node)> {
    let mut found = ["velocity", "position", "effort"]
        .into_iter()
        .filter_map(|key| Some((key, table.get(key)?)));
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        _ => {
            let message = "a motor has one of `velocity`, `position` and `effort`";
            Err(table.fault(message))
        }
    }
}

/// A target: a function of time, or a table of values.
fn read_target(reader: &Reader<'_>, node: &Node) -> Outcome<Function> {
    let Value::Table(_) = &node.value else {
        return reader.function(node);
    };
    let table = Table::open(node, &TARGET_TABLE)?;
    let numbers = |key: &str| -> Outcome<Vec<f64>> {
        let list = items(table.need(key)?, "an array of numbers")?;
        list.iter().map(|n| reader.number(n)).collect()
    };
    let rows = Rows {
        times: numbers("t")?,
        values: numbers("value")?,
        repeats: table.get("repeat").map_or(Ok(false), flag)?,
    };
    if rows.repeats && rows.values.first() != rows.values.last() {
        let message = "a table that repeats has its first value again at its end";
        return Err(table.fault(message));
    }
    let message = "a table has two or more rising times `t`, and as many values";
    Function::table(rows).ok_or_else(|| table.fault(message))
}
