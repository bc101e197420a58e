//! Friction, restitution and moments.

use super::keys::FRICTION;
use super::node::{Fault, Node, Outcome, Value};
use super::reader::{Reader, items, shown};
use super::table::Table;
use super::{Curve, Material};
use crate::builder::MOST_FRICTION;
use stickslip_model::{Friction, Moments};

/// The friction, restitution and moments in a table, with those of `other` where they are absent.
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
        moments: Moments {
            torsion: read_length(reader, table, "torsion")?.unwrap_or(other.moments.torsion),
            rolling: read_length(reader, table, "rolling")?.unwrap_or(other.moments.rolling),
        },
    })
}

/// A length of moments, m.
pub(super) fn read_length(
    reader: &Reader<'_>,
    table: &Table<'_>,
    key: &'static str,
) -> Outcome<Option<f64>> {
    let node = table.get(key);
    node.map(|node| reader.not_negative(node, key)).transpose()
}

/// A coefficient of friction: not negative, and not beyond what a step can be certified with.
fn coefficient(reader: &Reader<'_>, node: &Node, what: &str) -> Outcome<f64> {
    let value = reader.not_negative(node, what)?;
    if value <= MOST_FRICTION {
        return Ok(value);
    }
    let message = format!(
        "{what} must be at most {MOST_FRICTION:e}, but is {}",
        shown(value)
    );
    let help = "what is to stick at any load sticks with 100 as well; what must not slide at all belongs on a joint";
    Err(Fault::new(&node.place, message).with_help(help))
}

/// Friction: one coefficient, or one for sticking and one for sliding.
pub(super) fn read_friction(reader: &Reader<'_>, node: &Node) -> Outcome<Friction> {
    let Value::Table(_) = node.value else {
        return coefficient(reader, node, "friction").map(Friction::same);
    };
    if let Some(curve) = read_curve(reader, node)? {
        return Ok(curve.at_rest());
    }
    let table = Table::open(node, &FRICTION)?;
    let stick = coefficient(reader, table.need("static")?, "static friction")?;
    let sliding = table.need("kinetic")?;
    let kinetic = coefficient(reader, sliding, "kinetic friction")?;
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

/// Friction by the speed of the slip, where that is what the value gives: Stribeck's curve by its speed, or a table.
pub(super) fn read_curve(reader: &Reader<'_>, node: &Node) -> Outcome<Option<Curve>> {
    let Value::Table(_) = node.value else {
        return Ok(None);
    };
    let table = Table::open(node, &FRICTION)?;
    if let Some(node) = table.get("speed") {
        return Ok(Some(Curve::Stribeck {
            stick: coefficient(reader, table.need("static")?, "static friction")?,
            slide: coefficient(reader, table.need("kinetic")?, "kinetic friction")?,
            speed: reader.positive(node, "the speed")?,
        }));
    }
    let Some(node) = table.get("speeds") else {
        if let Some(key) = table.first_of(&["values"]) {
            let message = "`values` are those at `speeds`, which are missing";
            return Err(Fault::new(&key.place, message));
        }
        return Ok(None);
    };
    if let Some(key) = table.first_of(&["static", "kinetic"]) {
        let message = format!("`{}` has no effect beside a table of speeds", key.name);
        return Err(Fault::new(&key.place, message));
    }
    let numbers = |node: &Node| -> Outcome<Vec<f64>> {
        let given = items(node, "an array of numbers")?;
        let number = |item| reader.not_negative(item, "a number of the table");
        given.iter().map(number).collect()
    };
    let (speeds, values) = (numbers(node)?, numbers(table.need("values")?)?);
    let rising = speeds.windows(2).all(|w| w[0] < w[1]);
    if speeds.len() != values.len() || speeds.first() != Some(&0.0) || !rising {
        let message = "a table of friction has rising speeds from 0, and as many values";
        return Err(Fault::new(&node.place, message));
    }
    Ok(Some(Curve::Table { speeds, values }))
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
