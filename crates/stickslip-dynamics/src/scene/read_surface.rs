//! Surfaces of bodies that move along them, and grains.

use super::SurfaceMotion;
use super::keys::{GRAIN, SURFACE};
use super::node::{Fault, Node, Outcome, Value};
use super::reader::{Reader, shown};
use super::table::Table;
use crate::builder::RATIOS;
use stickslip_model::Grain;

/// The `surface` of a body: one table, or several with a face each.
pub(super) fn read_surfaces(reader: &Reader<'_>, body: &Table<'_>) -> Outcome<Vec<SurfaceMotion>> {
    let Some(node) = body.get("surface") else {
        return Ok(Vec::new());
    };
    let entries = match &node.value {
        Value::Array(items) if items.is_empty() => {
            return Err(Fault::new(&node.place, "there is no surface here"));
        }
        Value::Array(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let several = entries.len() > 1;
    entries
        .iter()
        .map(|entry| read_surface(reader, entry, several))
        .collect()
}

fn read_surface(reader: &Reader<'_>, entry: &Node, several: bool) -> Outcome<SurfaceMotion> {
    let table = Table::open(entry, &SURFACE)?;
    if table.first_of(&["velocity", "angular-velocity"]).is_none() {
        let message = "the surface says nothing: `velocity` or `angular-velocity` is missing";
        return Err(table.fault(message));
    }
    let face = table.get("face");
    if several && face.is_none() {
        let message = "of several surfaces that move each needs its `face`";
        return Err(table.fault(message));
    }
    let face = face.map(|node| reader.direction(node, "the face"));
    Ok(SurfaceMotion {
        face: face.transpose()?,
        velocity: reader.functions(&table, "velocity")?,
        angular_velocity: reader.functions(&table, "angular-velocity")?,
    })
}

/// The `grain` of a body.
pub(super) fn read_grain(reader: &Reader<'_>, body: &Table<'_>) -> Outcome<Option<Grain>> {
    let Some(node) = body.get("grain") else {
        return Ok(None);
    };
    let table = Table::open(node, &GRAIN)?;
    let given = table.need("ratio")?;
    let ratio = reader.positive(given, "the ratio")?;
    if !RATIOS.contains(&ratio) {
        let (least, most) = (RATIOS.start(), RATIOS.end());
        let ratio = shown(ratio);
        let message = format!("the ratio must be from {least} to {most}, but is {ratio}");
        return Err(Fault::new(&given.place, message));
    }
    let direction = reader.direction(table.need("direction")?, "the direction")?;
    Ok(Some(Grain { direction, ratio }))
}
