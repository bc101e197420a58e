//! Shapes and orientations.

use glam::{DQuat, DVec3};

use super::keys::{
    BALL, BOX, CAPSULE, CONE_SHAPE, CYLINDER, HALF_SPACE, HULL, ORIENTATION, PIECE, POINTS, SHAPE,
    SYNONYMS, TableSpec,
};
use super::node::{Fault, Node, Outcome, Value};
use super::read_mesh::{read_height_field, read_mesh};
use super::reader::{Reader, is_positive, is_unit, items, shown};
use super::table::Table;
use crate::expression::nearest;
use stickslip_geometry::shape::MAX_POINTS;
use stickslip_geometry::{Piece, Pose, Shape};

/// How far the norm of a quaternion may be from 1.
const UNIT: f64 = 1e-6;

/// A shape: a table with one key, its kind, or the word `point`.
pub(super) fn read_shape(reader: &Reader<'_>, node: &Node) -> Outcome<Shape> {
    if let Value::Text(text) = &node.value {
        return match text.text.as_str() {
            "point" => Ok(Shape::point()),
            name => Err(shape_without_dimensions(node, name)),
        };
    }
    let table = Table::open(node, &SHAPE)?;
    let Some((kind, node)) = table.only() else {
        return Err(table.fault("the shape is empty"));
    };
    match kind {
        "half-space" => read_half_space(reader, node),
        "ball" => {
            let table = Table::open(node, &BALL)?;
            let radius = reader.positive(table.need("radius")?, "the radius")?;
            Ok(Shape::Ball { radius })
        }
        "compound" => read_compound(reader, node),
        "mesh" => read_mesh(reader, node),
        "height-field" => read_height_field(reader, node),
        "cylinder" => {
            let (radius, length) = along_z(reader, node, &CYLINDER)?;
            let half = 0.5 * length;
            Ok(Shape::Cylinder { radius, half })
        }
        "cone" => {
            let (radius, length) = along_z(reader, node, &CONE_SHAPE)?;
            Ok(Shape::Cone { radius, length })
        }
        "capsule" => {
            let (radius, length) = along_z(reader, node, &CAPSULE)?;
            let half = 0.5 * length;
            Ok(Shape::Capsule { radius, half })
        }
        "hull" => {
            let table = Table::open(node, &HULL)?;
            let node = table.need("points")?;
            let points = read_points(reader, node)?;
            Shape::hull(&points).map_err(|e| Fault::new(&node.place, e.to_string()))
        }
        "points" => {
            let table = Table::open(node, &POINTS)?;
            let node = table.need("at")?;
            let points = read_points(reader, node)?;
            Shape::points(points).map_err(|e| Fault::new(&node.place, e.to_string()))
        }
        _ => read_box(reader, node),
    }
}

/// What is wrong with a name where a table was expected, and what to write.
fn shape_without_dimensions(node: &Node, name: &str) -> Box<Fault> {
    let kinds = SHAPE.keys.iter().map(|key| key.name);
    let message = if kinds.clone().any(|kind| kind == name) {
        format!("the shape \"{name}\" needs its dimensions")
    } else {
        format!("unknown shape \"{name}\"")
    };
    let synonym = SYNONYMS.iter().find(|(theirs, _)| *theirs == name);
    let meant = synonym
        .map(|(_, ours)| *ours)
        .or_else(|| nearest(name, kinds));
    let help = match meant.unwrap_or("box") {
        "half-space" => "write shape = { half-space = { normal = [0, 0, 1] } }",
        "ball" => "write shape = { ball = { radius = 0.1 } }",
        "cylinder" => "write shape = { cylinder = { radius = 0.1, length = 0.3 } }",
        "cone" => "write shape = { cone = { radius = 0.1, length = 0.3 } }",
        "capsule" => "write shape = { capsule = { radius = 0.1, length = 0.3 } }",
        "hull" => {
            "write shape = { hull = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] } }"
        }
        "points" => "write shape = { points = { at = [[0, 0, 0]] } }",
        _ => "write shape = { box = { size = [1, 1, 1] } }",
    };
    Fault::new(&node.place, message).with_help(help)
}

fn read_half_space(reader: &Reader<'_>, node: &Node) -> Outcome<Shape> {
    let table = Table::open(node, &HALF_SPACE)?;
    let normal = reader.direction(table.need("normal")?, "the normal")?;
    let offset = table.get("offset").map(|node| reader.number(node));
    Ok(Shape::HalfSpace {
        normal,
        offset: offset.unwrap_or(Ok(0.0))?,
    })
}

fn read_box(reader: &Reader<'_>, node: &Node) -> Outcome<Shape> {
    let table = Table::open(node, &BOX)?;
    let node = table.need("size")?;
    let size = reader.vector(node)?;
    if is_positive(size.min_element()) {
        return Ok(Shape::Box { half: size * 0.5 });
    }
    let [x, y, z] = size.to_array().map(shown);
    let message = format!("every edge of a box must be positive, but they are {x}, {y}, {z}");
    Err(Fault::new(&node.place, message))
}

/// A list of points, m.
fn read_points(reader: &Reader<'_>, node: &Node) -> Outcome<Vec<DVec3>> {
    let given = items(node, "an array of points [x, y, z]")?;
    if given.len() > MAX_POINTS {
        let message = format!("{} points: at most {MAX_POINTS} can be used", given.len());
        return Err(Fault::new(&node.place, message));
    }
    given.iter().map(|p| reader.vector(p)).collect()
}

/// A compound: a list of pieces, each with a shape and a place.
fn read_compound(reader: &Reader<'_>, node: &Node) -> Outcome<Shape> {
    let mut pieces = Vec::new();
    for entry in items(node, "a list of pieces { shape, position, orientation }")? {
        let table = Table::open(entry, &PIECE)?;
        let shape_node = table.need("shape")?;
        let shape = read_shape(reader, shape_node)?;
        if matches!(shape, Shape::HalfSpace { .. }) {
            let message = "a half-space cannot be a piece of a compound: it has no end";
            return Err(Fault::new(&shape_node.place, message).with_help("use a large box"));
        }
        pieces.push(Piece {
            shape,
            pose: Pose {
                position: reader.vector_or(&table, "position", DVec3::ZERO)?,
                orientation: read_orientation(reader, table.get("orientation"))?,
            },
        });
    }
    Shape::compound(pieces).map_err(|error| Fault::new(&node.place, error.to_string()))
}

/// Radius and length of a shape along z.
fn along_z(reader: &Reader<'_>, node: &Node, spec: &'static TableSpec) -> Outcome<(f64, f64)> {
    let table = Table::open(node, spec)?;
    let radius = reader.positive(table.need("radius")?, "the radius")?;
    let length = reader.positive(table.need("length")?, "the length")?;
    Ok((radius, length))
}

/// An orientation: a unit quaternion with the scalar first, axis and angle, or roll, pitch and yaw.
pub(super) fn read_orientation(reader: &Reader<'_>, node: Option<&Node>) -> Outcome<DQuat> {
    let Some(node) = node else {
        return Ok(DQuat::IDENTITY);
    };
    match &node.value {
        Value::Array(_) => read_quaternion(reader, node),
        Value::Table(_) => {
            let table = Table::open(node, &ORIENTATION)?;
            match (table.get("rpy"), table.get("axis"), table.get("angle")) {
                (Some(rpy), None, None) => {
                    let DVec3 { x, y, z } = reader.vector(rpy)?;
                    items(rpy, "three angles")?
                        .iter()
                        .for_each(|angle| reader.remark_angle(angle));
                    let turns = [(DVec3::Z, z), (DVec3::Y, y), (DVec3::X, x)];
                    let [yaw, pitch, roll] = turns.map(|(axis, angle)| rotation(axis, angle));
                    Ok(unit(yaw * pitch * roll))
                }
                (None, Some(axis), Some(angle)) => {
                    let axis = reader.direction(axis, "the axis")?;
                    reader.remark_angle(angle);
                    Ok(unit(rotation(axis, reader.number(angle)?)))
                }
                _ => {
                    let message = "an orientation is { axis, angle } or { rpy }";
                    Err(table.fault(message))
                }
            }
        }
        _ => {
            let message = format!(
                "expected a quaternion [s, x, y, z], {{ axis, angle }} or {{ rpy }}, found {}",
                node.kind()
            );
            Err(Fault::new(&node.place, message))
        }
    }
}

fn read_quaternion(reader: &Reader<'_>, node: &Node) -> Outcome<DQuat> {
    let given = items(node, "a quaternion [s, x, y, z]")?;
    let [s, x, y, z] = given else {
        let message = format!(
            "a quaternion has four numbers [s, x, y, z], not {}",
            given.len()
        );
        let fault = Fault::new(&node.place, message);
        return Err(match given.len() {
            3 => fault.with_help(
                "three angles are { rpy = [\"0 deg\", \"0 deg\", \"30 deg\"] }, about x, y and z in this order",
            ),
            _ => fault,
        });
    };
    let [s, x, y, z] = [s, x, y, z].map(|item| reader.number(item));
    let quaternion = DQuat::from_xyzw(x?, y?, z?, s?);
    let norm = quaternion.length();
    if (norm - 1.0).abs() <= UNIT {
        return Ok(unit(quaternion));
    }
    let given = shown(norm);
    let message = format!("the quaternion must have norm 1, but has norm {given}");
    let fault = Fault::new(&node.place, message);
    Err(if norm == 0.0 {
        fault.with_help("no rotation is [1, 0, 0, 0]: the scalar comes first")
    } else {
        fault.with_help("divide by the norm, or give { axis, angle }")
    })
}

/// The rotation about a unit axis by an angle.
fn rotation(axis: DVec3, angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(0.5 * angle);
    let v = axis * sin;
    DQuat::from_xyzw(v.x, v.y, v.z, cos)
}

/// Takes the rounding out of a quaternion whose norm is nearly 1. One that has been through this before
/// keeps its bits.
fn unit(quaternion: DQuat) -> DQuat {
    if is_unit(quaternion.length_squared()) {
        return quaternion;
    }
    quaternion * (1.0 / quaternion.length())
}
