//! `[[spring]]` entries.

use glam::DVec3;
use stickslip_model::joint::AXIS_NAMES;

use super::joint::{Joint, Spring, SpringEnds};
use super::keys::END;
use super::node::{Fault, Node, Outcome};
use super::read_joint::{Taken, find_joint, pair};
use super::read_motor::named_axis_of;
use super::read_pairs::Names;
use super::reader::{Reader, flag};
use super::table::Table;

/// One entry.
pub(super) fn read_spring(
    reader: &Reader<'_>,
    table: &Table<'_>,
    names: &Names<'_>,
    joints: &[Joint],
    (taken, index): (&mut Taken, Option<u32>),
    source: &str,
) -> Outcome<Spring> {
    let (ends, made, place) = match (table.get("between"), table.get("joint")) {
        (Some(node), None) => {
            let (ends, made) = read_spring_points(reader, table, node, names)?;
            (ends, made, node)
        }
        (None, Some(node)) => {
            let (ends, made) = read_spring_axis(reader, table, node, joints)?;
            (ends, made, node)
        }
        _ => {
            let message = "a spring is `between` two points or in a `joint`";
            return Err(table.fault(message));
        }
    };
    let number = |key: &str, what: &str| match table.get(key) {
        Some(node) => reader.not_negative(node, what),
        None => Ok(0.0),
    };
    let (stiffness, damping) = (
        number("stiffness", "the stiffness")?,
        number("damping", "the damping")?,
    );
    let inertance = number("inertance", "the inertance")?;
    if stiffness == 0.0 && damping == 0.0 && inertance == 0.0 {
        let message = "the spring does nothing: `stiffness` or `damping` is missing";
        return Err(table.fault(message));
    }
    let rest = match (table.get("length"), table.get("rest")) {
        (Some(node), _) => Some(reader.not_negative(node, "the length of a spring")?),
        (None, Some(node)) => Some(reader.number(node)?),
        (None, None) => None,
    };
    Ok(Spring {
        name: taken.name(table.get("name"), index, &made, source)?,
        ends,
        stiffness,
        damping,
        inertance,
        rest,
        explicit: read_explicit(table, inertance)?,
        span: table.get("name").unwrap_or(place).place.span.clone(),
    })
}

/// Is the spring taken at the start of each step?
fn read_explicit(table: &Table<'_>, inertance: f64) -> Outcome<bool> {
    let explicit = table.get("explicit").map_or(Ok(false), flag)?;
    match table.first_of(&["inertance"]) {
        Some(key) if explicit && inertance > 0.0 => {
            let message = "an inertance is always implicit: it has no place beside `explicit`";
            Err(Fault::new(&key.place, message))
        }
        _ => Ok(explicit),
    }
}

/// The two points of a spring between bodies, and the name it has unless it is given one.
fn read_spring_points(
    reader: &Reader<'_>,
    table: &Table<'_>,
    node: &Node,
    names: &Names<'_>,
) -> Outcome<(SpringEnds, String)> {
    if let Some(key) = table.first_of(&["axis", "rest"]) {
        let message = format!("`{}` has no effect on a spring between points", key.name);
        return Err(Fault::new(&key.place, message));
    }
    let two = pair(node, "the two ends { body, point }")?;
    let mut ends = [(String::new(), DVec3::ZERO), (String::new(), DVec3::ZERO)];
    for (end, node) in ends.iter_mut().zip(two) {
        let table = Table::open(node, &END)?;
        end.0 = names.end(reader, table.need("body")?)?;
        end.1 = reader.vector_or(&table, "point", DVec3::ZERO)?;
    }
    let [(a, p), (b, q)] = ends;
    let made = format!("spring {a} {b}");
    let (bodies, points) = ([a, b], [p, q]);
    Ok((SpringEnds::Points { bodies, points }, made))
}

/// The axis of the joint in which a spring sits, and the name it has unless it is given one.
fn read_spring_axis(
    reader: &Reader<'_>,
    table: &Table<'_>,
    node: &Node,
    joints: &[Joint],
) -> Outcome<(SpringEnds, String)> {
    if let Some(key) = table.first_of(&["length"]) {
        let message = "`length` has no effect on a spring in a joint: give `rest`";
        return Err(Fault::new(&key.place, message));
    }
    let joint = find_joint(reader, node, joints)?;
    let axis = named_axis_of(table.get("axis"), node, joint)?;
    let made = format!("spring {} {}", joint.name, AXIS_NAMES[axis]);
    let joint = joint.name.clone();
    Ok((SpringEnds::Axis { joint, axis }, made))
}
