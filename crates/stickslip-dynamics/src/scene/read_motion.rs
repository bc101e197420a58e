//! The `motion` of a body.

use glam::DVec3;

use super::keys::{ACCELERATION, MOTION, TABLE};
use super::node::{Fault, Node, Outcome, Value};
use super::reader::{Reader, choice, items, tables};
use super::table::Table;
use super::{Mobility, Prescribed};
use crate::expression::Function;
use crate::prescribed::Sinusoid;
use crate::spline::{COLUMNS, PeriodicTable};

/// What other programs call a motion that is prescribed.
const MOVED: [&str; 4] = ["prescribed", "kinematic", "moving", "driven"];

pub(super) fn read_motion(reader: &Reader<'_>, node: &Node) -> Outcome<Mobility> {
    match &node.value {
        Value::Text(word) if MOVED.contains(&word.text.as_str()) => {
            let message = format!("unknown motion \"{}\"", word.text);
            Err(Fault::new(&node.place, message).with_help(
                "a motion that is prescribed is a table of formulas of the time, such as { position = [\"0.1*sin(2*pi*t)\", 0, 0] }",
            ))
        }
        Value::Text(_) => Ok(match choice(node, "motion", &["free", "fixed"])? {
            "fixed" => Mobility::Fixed,
            _ => Mobility::Free,
        }),
        Value::Table(_) => {
            let table = Table::open(node, &MOTION)?;
            read_prescribed(reader, &table).map(|given| Mobility::Prescribed(Box::new(given)))
        }
        _ => {
            let message = format!(
                "expected \"free\", \"fixed\" or a table with `position`, `axis`, `angle`, found {}",
                node.kind()
            );
            Err(Fault::new(&node.place, message))
        }
    }
}

fn read_prescribed(reader: &Reader<'_>, table: &Table<'_>) -> Outcome<Prescribed> {
    let position = reader.functions(table, "position")?;
    let rotation = reader.functions(table, "rotation")?;
    let accelerations = match table.get("accelerations") {
        Some(node) => read_accelerations(reader, node)?,
        None => Vec::new(),
    };
    let rows = table
        .get("table")
        .map(|node| read_table(reader, node))
        .transpose()?;
    let others = ["position", "rotation", "accelerations", "table"];
    let (axis, angle) = match (table.get("axis"), table.get("angle")) {
        (Some(axis), Some(angle)) => {
            reader.remark_angle(angle);
            (reader.direction(axis, "the axis")?, reader.function(angle)?)
        }
        (None, None) if table.first_of(&others).is_none() => {
            let message = "the motion says nothing: `position` or `angle` is missing";
            return Err(table
                .fault(message)
                .with_help("a body at rest is \"fixed\""));
        }
        (None, None) => (DVec3::Z, Function::constant(0.0)),
        (None, Some(angle)) => {
            let message = "`angle` needs an `axis` to turn about";
            return Err(Fault::new(&angle.place, message));
        }
        (Some(axis), None) => {
            let message = "`axis` has no effect without an `angle`";
            return Err(Fault::new(&axis.place, message));
        }
    };
    Ok(Prescribed {
        position,
        axis,
        angle,
        rotation,
        accelerations,
        table: rows,
    })
}

/// Sinusoidal accelerations, each along or about a direction.
fn read_accelerations(reader: &Reader<'_>, node: &Node) -> Outcome<Vec<Sinusoid>> {
    let mut terms = Vec::new();
    for entry in tables(node, "body.motion.accelerations")? {
        let table = Table::open(entry, &ACCELERATION)?;
        let (direction, about) = match (table.get("along"), table.get("about")) {
            (Some(along), None) => (along, false),
            (None, Some(about)) => (about, true),
            _ => {
                let message = "an acceleration is `along` or `about` a direction, one of them";
                return Err(table.fault(message));
            }
        };
        let phase = table.get("phase").map(|node| reader.number(node));
        terms.push(Sinusoid {
            direction: reader.direction(direction, "the direction")?,
            about,
            amplitude: reader.number(table.need("amplitude")?)?,
            frequency: reader.positive(table.need("frequency")?, "the frequency")?,
            phase: phase.unwrap_or(Ok(0.0))?,
        });
    }
    if terms.is_empty() {
        return Err(Fault::new(&node.place, "there is no acceleration here"));
    }
    Ok(terms)
}

/// A periodic motion as a table.
fn read_table(reader: &Reader<'_>, node: &Node) -> Outcome<PeriodicTable> {
    let table = Table::open(node, &TABLE)?;
    let numbers = |node: &Node| -> Outcome<Vec<f64>> {
        let given = items(node, "an array of numbers")?;
        given.iter().map(|item| reader.number(item)).collect()
    };
    let times = numbers(table.need("t")?)?;
    let mut columns: [Vec<f64>; 6] = Default::default();
    for (column, name) in columns.iter_mut().zip(COLUMNS) {
        if let Some(node) = table.get(name) {
            *column = numbers(node)?;
        }
    }
    if columns.iter().all(Vec::is_empty) {
        return Err(table.fault("the table has no column but `t`"));
    }
    PeriodicTable::new(times, columns).map_err(|message| table.fault(message))
}
