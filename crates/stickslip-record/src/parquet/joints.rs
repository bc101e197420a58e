//! The joints' table: one row for each joint and spring at each recorded step.

use super::bodies::{same, unsigned};
use super::columns::{Column, Kind, Value};
use super::decode::TableReader;
use crate::error::RecordError;
use glam::DVec3;
use parquet::data_type::ByteArray;
use stickslip_model::StepRecord;
use stickslip_model::joint::{AXES, Along, JointImpulse};

const fn real(name: &'static str, unit: &'static str) -> Column {
    Column {
        name,
        kind: Kind::Real,
        unit,
    }
}

/// Coordinates, then the impulses of holds and limits, motors and friction, then all of it in the world, then along which
/// gradients it acts.
pub(super) const JOINT_COLUMNS: [Column; 34] = [
    Column {
        name: "step",
        kind: Kind::Int,
        unit: "",
    },
    real("t", "s"),
    Column {
        name: "joint",
        kind: Kind::Text,
        unit: "",
    },
    real("x", "m"),
    real("y", "m"),
    real("z", "m"),
    real("rx", "rad"),
    real("ry", "rad"),
    real("rz", "rad"),
    real("hold_x", "N s"),
    real("hold_y", "N s"),
    real("hold_z", "N s"),
    real("hold_rx", "N m s"),
    real("hold_ry", "N m s"),
    real("hold_rz", "N m s"),
    real("motor_x", "N s"),
    real("motor_y", "N s"),
    real("motor_z", "N s"),
    real("motor_rx", "N m s"),
    real("motor_ry", "N m s"),
    real("motor_rz", "N m s"),
    real("friction_x", "N s"),
    real("friction_y", "N s"),
    real("friction_z", "N s"),
    real("friction_rx", "N m s"),
    real("friction_ry", "N m s"),
    real("friction_rz", "N m s"),
    real("px", "N s"),
    real("py", "N s"),
    real("pz", "N s"),
    real("lx", "N m s"),
    real("ly", "N m s"),
    real("lz", "N m s"),
    Column {
        name: "middle",
        kind: Kind::Flag,
        unit: "",
    },
];

/// First column of numbers.
const FIRST: usize = 3;
/// How many numbers a row has.
const NUMBERS: usize = 30;
/// The flag after them.
const MIDDLE: usize = FIRST + NUMBERS;

/// The numbers of a joint, in the order of the columns.
pub(crate) fn numbers(done: &JointImpulse) -> [f64; NUMBERS] {
    let mut out = [0.0; NUMBERS];
    let parts = [done.coordinates, done.hold, done.motor, done.friction];
    for (slot, part) in out.chunks_exact_mut(AXES).zip(parts) {
        slot.copy_from_slice(&part);
    }
    out[24..27].copy_from_slice(&done.linear.to_array());
    out[27..30].copy_from_slice(&done.angular.to_array());
    out
}

/// One row.
pub(super) fn row<'a>(
    step: i64,
    t: f64,
    name: &'a ByteArray,
    done: &JointImpulse,
) -> impl Iterator<Item = Value<'a>> {
    let first = [Value::Int(step), Value::Real(t), Value::Text(name)];
    let middle = Value::Flag(done.along == Along::Middle);
    first
        .into_iter()
        .chain(numbers(done).map(Value::Real))
        .chain([middle])
}

/// Refuses joints that are not those of the header, or not finite.
pub(crate) fn check_joints(names: &[String], step: &StepRecord) -> Result<(), RecordError> {
    let found = step.joints.len();
    if found != names.len() && (step.step > 0 || found > 0) {
        return Err(RecordError::Inconsistent {
            step: step.step,
            reason: format!("{found} joints for {} in the header", names.len()),
        });
    }
    for (name, done) in names.iter().zip(&step.joints) {
        if let Some(k) = numbers(done).iter().position(|x| !x.is_finite()) {
            return Err(RecordError::NotFinite {
                step: step.step,
                column: JOINT_COLUMNS[FIRST + k].name.into(),
                owner: format!("joint `{name}`"),
            });
        }
    }
    Ok(())
}

/// Reads the joints of one step, in the order of the header.
pub(super) fn read(
    table: &mut TableReader,
    names: &[String],
    step: &mut StepRecord,
) -> Result<(), RecordError> {
    let number = step.step;
    let wrong = |reason: &str| RecordError::Inconsistent {
        step: number,
        reason: reason.into(),
    };
    while let Some((rows, i)) = table.row()? {
        if unsigned(rows.int(0, i), number, "step")? != number {
            break;
        }
        if !same(rows.real(1, i), step.t) {
            return Err(wrong("its joints have another time"));
        }
        let name = names.get(step.joints.len()).map(|n| n.as_bytes());
        if name != Some(rows.text(2, i)) {
            return Err(wrong(
                "its joints are not those of the header, in their order",
            ));
        }
        let six = |k: usize| std::array::from_fn(|j| rows.real(FIRST + AXES * k + j, i));
        let vector = |c: usize| {
            let at = FIRST + c;
            DVec3::new(rows.real(at, i), rows.real(at + 1, i), rows.real(at + 2, i))
        };
        step.joints.push(JointImpulse {
            along: if rows.flag(MIDDLE, i) {
                Along::Middle
            } else {
                Along::Start
            },
            coordinates: six(0),
            hold: six(1),
            motor: six(2),
            friction: six(3),
            linear: vector(24),
            angular: vector(27),
        });
        table.advance();
    }
    Ok(())
}
