//! Friction and restitution.

use super::Material;
use super::keys::FRICTION;
use super::node::{Fault, Node, Outcome, Value};
use super::reader::{Reader, shown};
use super::table::Table;
use stickslip_model::Friction;

/// The friction and restitution in a table, with those of `other` where they are absent.
pub(super) fn read_material(
    reader: &Reader<'_>,
    table: &Table<'_>,
    other: Material,
) -> Outcome<Material> {
    let friction = table
        .get("friction")
        .map(|node| read_friction(reader, node));
    let restitution = table.get("restitution");
    let restitution = restitution.map(|node| read_restitution(reader, node));
    Ok(Material {
        friction: friction.unwrap_or(Ok(other.friction))?,
        restitution: restitution.unwrap_or(Ok(other.restitution))?,
    })
}

/// Friction: one coefficient, or one for sticking and one for sliding.
pub(super) fn read_friction(reader: &Reader<'_>, node: &Node) -> Outcome<Friction> {
    let Value::Table(_) = node.value else {
        return reader.not_negative(node, "friction").map(Friction::same);
    };
    let table = Table::open(node, &FRICTION)?;
    let stick = reader.not_negative(table.need("static")?, "static friction")?;
    let sliding = table.need("kinetic")?;
    let kinetic = reader.not_negative(sliding, "kinetic friction")?;
    if kinetic > stick {
        let (slides, sticks) = (shown(kinetic), shown(stick));
        let message =
            format!("kinetic friction {slides} must not be larger than static friction {sticks}");
        return Err(Fault::new(&sliding.place, message));
    }
    Ok(Friction {
        stick,
        slide: kinetic,
    })
}

/// Restitution: from 0 to 1.
pub(super) fn read_restitution(reader: &Reader<'_>, node: &Node) -> Outcome<f64> {
    let value = reader.number(node)?;
    if !(0.0..=1.0).contains(&value) {
        let message = format!("restitution must be from 0 to 1, but is {}", shown(value));
        return Err(Fault::new(&node.place, message));
    }
    Ok(value)
}
