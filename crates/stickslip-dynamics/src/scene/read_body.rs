//! `[[body]]` entries.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::keys::BODY;
use super::node::{Fault, Node, Outcome, Value};
use super::read_mass::read_mass;
use super::read_material::{read_curve, read_material};
use super::read_mesh::without_volume;
use super::read_motion::read_motion;
use super::read_shape::{read_orientation, read_shape};
use super::read_surface::{read_grain, read_surfaces};
use super::reader::{Draws, Reader, flag, items, tables, text};
use super::table::Table;
use super::{Body, Curve, MAX_BODIES, Mass, Material, Mobility};
use crate::prescribed::at_time;
use stickslip_geometry::Shape;

/// What `[material]` says: coefficients, and friction by the speed of the slip if it gives that.
pub(super) type Defaults<'c> = (Material, Option<&'c Curve>);

/// The longest name of a body, in characters.
const MAX_NAME: usize = 100;

/// Reads all bodies, in the order of the file, counted ones numbered, after those of included models.
pub(super) fn read_bodies(
    reader: &Reader<'_>,
    root: &Table<'_>,
    material: Defaults<'_>,
    (source, seed): (&str, u64),
    included: Vec<Body>,
) -> Outcome<Vec<Body>> {
    let mut found = Found {
        names: included
            .iter()
            .map(|b| (b.name.clone(), b.span.start))
            .collect(),
        bodies: included,
        source,
    };
    let Some(node) = root.get("body") else {
        if !found.bodies.is_empty() {
            return Ok(found.bodies);
        }
        return Err(root
            .fault("the scene has no body")
            .with_help("add a [[body]] with a name, a shape, and a mass, a density or a motion"));
    };
    for entry in tables(node, "body")? {
        let table = Table::open(entry, &BODY)?;
        let name_node = table.need("name")?;
        let name = read_name(name_node)?;
        found.reserve(name, name_node)?;
        let mut texts = Vec::new();
        places_of_texts(entry, &mut texts);
        texts.sort_unstable();
        let draws = Draws {
            seed,
            texts: &texts,
        };
        let reader = &Reader {
            draws: Some(draws),
            ..*reader
        };
        match table.get("count") {
            None => found.push(
                read_one(reader, &table, name.to_owned(), material)?,
                name_node,
            )?,
            Some(count) => read_counted(
                reader,
                &table,
                (name, name_node),
                count,
                material,
                &mut found,
            )?,
        }
    }
    if found.bodies.is_empty() {
        return Err(Fault::new(&node.place, "the scene has no body"));
    }
    Ok(found.bodies)
}

/// Where the texts of an entry begin.
fn places_of_texts(node: &Node, places: &mut Vec<usize>) {
    match &node.value {
        Value::Text(_) => places.push(node.place.span.start),
        Value::Array(items) => items.iter().for_each(|item| places_of_texts(item, places)),
        Value::Table(entries) => entries
            .iter()
            .for_each(|(_, item)| places_of_texts(item, places)),
        _ => {}
    }
}

/// The bodies read so far, and where each name was first used.
struct Found<'s> {
    bodies: Vec<Body>,
    names: BTreeMap<String, usize>,
    source: &'s str,
}

impl Found<'_> {
    /// Takes a name for a body; each can be taken once.
    fn reserve(&mut self, name: &str, node: &Node) -> Outcome<()> {
        let Some(earlier) = self.names.insert(name.to_owned(), node.place.span.start) else {
            return Ok(());
        };
        let before = self.source.get(..earlier).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let message = format!("the name `{name}` is used twice");
        let help = format!("it was first used in line {line}");
        Err(Fault::new(&node.place, message).with_help(help))
    }

    /// Adds a body, while there is room.
    fn push(&mut self, body: Body, node: &Node) -> Outcome<()> {
        if self.bodies.len() == MAX_BODIES {
            let message = format!("the scene has more than {MAX_BODIES} bodies");
            return Err(Fault::new(&node.place, message));
        }
        self.bodies.push(body);
        Ok(())
    }
}

/// The bodies `name[0]`, `name[1]`, … of an entry with `count`.
fn read_counted(
    reader: &Reader<'_>,
    table: &Table<'_>,
    (name, name_node): (&str, &Node),
    count: &Node,
    material: Defaults<'_>,
    found: &mut Found<'_>,
) -> Outcome<()> {
    if name.ends_with(']') {
        let message = "a counted body gets its numbers from `count`; its name has none";
        return Err(Fault::new(&name_node.place, message));
    }
    for index in 0..reader.whole(count, "`count`", 1, MAX_BODIES as u32)? {
        let reader = Reader {
            scope: reader.scope.with_index(f64::from(index)),
            ..*reader
        };
        let numbered = format!("{name}[{index}]");
        found.reserve(&numbered, name_node)?;
        let body = read_one(&reader, table, numbered, material).map_err(|mut fault| {
            fault.message = format!("{} (in `{name}[{index}]`)", fault.message);
            fault
        })?;
        found.push(body, count)?;
    }
    Ok(())
}

/// A name that can stand in records and messages without quotes.
pub(super) fn read_name(node: &Node) -> Outcome<&str> {
    let name = text(node, "a name")?;
    let fault = |message: &str| Err(Fault::new(&node.place, message));
    if name.is_empty() {
        return fault("the name is empty");
    }
    if name.chars().count() > MAX_NAME {
        return fault("the name is longer than 100 characters");
    }
    if name == "world" {
        return fault("the name `world` stands for the world itself");
    }
    let base = name.strip_suffix(']').and_then(|rest| rest.split_once('['));
    let plain = match base {
        Some((base, number)) if is_number(number) && !base.is_empty() => base,
        _ => name,
    };
    if plain.contains(['[', ']']) {
        let message = "brackets in a name hold the number of a counted body, as in `box[3]`";
        let help = "use `count` to make name[0], name[1], …";
        return Err(Fault::new(&node.place, message).with_help(help));
    }
    let odd = |c: char| c.is_control() || matches!(c, ',' | '"' | '\'' | '`');
    if name.contains(odd) || name.trim() != name {
        return fault("a name has no commas, quotes, line ends, or spaces around it");
    }
    Ok(name)
}

/// True for a whole number as it is written without leading zeros.
fn is_number(text: &str) -> bool {
    text.parse::<u32>()
        .is_ok_and(|number| number.to_string() == text)
}

/// One body, with the index in the reader's scope if it is counted.
fn read_one(
    reader: &Reader<'_>,
    table: &Table<'_>,
    name: String,
    material: Defaults<'_>,
) -> Outcome<Body> {
    let reader = &Reader {
        draws: reader.draws.map(|draws| draws.of(&name)),
        ..*reader
    };
    let shape_node = table.need("shape")?;
    let shape = read_shape(reader, shape_node)?;
    let motion = match table.get("motion") {
        Some(node) => read_motion(reader, node)?,
        None => Mobility::Free,
    };
    check_used(table, &motion)?;
    // A free body's origin is its centre of mass.
    let given = table.get("center-of-mass").is_some();
    let shape = match (&motion, shape) {
        (Mobility::Free, Shape::Hull(hull)) if !given => Shape::Hull(Arc::new(hull.centred().0)),
        (_, shape) => shape,
    };
    if matches!(motion, Mobility::Free) {
        check_free(table, shape_node, &shape)?;
    }
    let position = match &motion {
        Mobility::Prescribed(given) => at_time(given, DQuat::IDENTITY, 0.0).pose.position,
        Mobility::Free | Mobility::Fixed => reader.vector_or(table, "position", DVec3::ZERO)?,
    };
    let mass = match &motion {
        Mobility::Free => read_mass(reader, table, shape_node, &shape)?,
        Mobility::Fixed | Mobility::Prescribed(_) => Mass::Unneeded,
    };
    Ok(Body {
        name,
        shape,
        mass,
        position,
        orientation: read_orientation(reader, table.get("orientation"))?,
        velocity: reader.vector_or(table, "velocity", DVec3::ZERO)?,
        angular_velocity: reader.vector_or(table, "angular-velocity", DVec3::ZERO)?,
        groups: read_groups(table)?,
        collide: table.get("collide").map_or(Ok(true), flag)?,
        surfaces: read_surfaces(reader, table)?,
        grain: read_grain(reader, table)?,
        material: read_material(reader, table, material.0)?,
        made_of: (table.get("material").map(read_name).transpose()?).map(str::to_owned),
        curve: match table.get("friction") {
            Some(node) => read_curve(reader, node)?,
            None => material.1.cloned(),
        },
        colour: read_colour(reader, table)?,
        motion,
        span: table.need("name")?.place.span.clone(),
    })
}

/// "#rrggbb", or red, green and blue from 0 to 1.
fn read_colour(reader: &Reader<'_>, table: &Table<'_>) -> Outcome<Option<[f64; 3]>> {
    let Some(node) = table.get("color") else {
        return Ok(None);
    };
    let colour = match &node.value {
        Value::Text(given) => hex(&given.text),
        _ => Some(reader.vector(node)?.to_array()),
    };
    match colour.filter(|c| c.iter().all(|x| (0.0..=1.0).contains(x))) {
        Some(colour) => Ok(Some(colour)),
        None => {
            let message = "a colour is \"#rrggbb\", or three numbers from 0 to 1";
            Err(Fault::new(&node.place, message))
        }
    }
}

/// Red, green and blue of "#rrggbb", each from 0 to 1.
fn hex(text: &str) -> Option<[f64; 3]> {
    let digits = text.strip_prefix('#').filter(|d| d.len() == 6)?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    Some([16, 8, 0].map(|shift| f64::from(number >> shift & 0xff) / 255.0))
}

/// Refuses keys that mean nothing for a body of this motion.
fn check_used(table: &Table<'_>, motion: &Mobility) -> Outcome<()> {
    let unused: (&[&str], &str) = match motion {
        Mobility::Free => (&[], ""),
        Mobility::Fixed => (
            &[
                "mass",
                "density",
                "inertia",
                "center-of-mass",
                "any-inertia",
                "velocity",
                "angular-velocity",
            ],
            "a fixed body",
        ),
        Mobility::Prescribed(_) => (
            &[
                "mass",
                "density",
                "inertia",
                "center-of-mass",
                "any-inertia",
                "position",
                "velocity",
                "angular-velocity",
            ],
            "a body with a prescribed motion",
        ),
    };
    if let Some(key) = table.first_of(unused.0) {
        let message = format!("`{}` has no effect on {}", key.name, unused.1);
        let fault = Fault::new(&key.place, message);
        return Err(match key.name.as_str() {
            "position" => fault.with_help("give the position inside `motion`"),
            _ => fault.with_help("remove it, or make the body free"),
        });
    }
    Ok(())
}

/// Refuses shapes that cannot move freely.
fn check_free(table: &Table<'_>, node: &Node, shape: &Shape) -> Outcome<()> {
    if table.get("inertia").is_none()
        && let Some(message) = without_volume(shape)
    {
        let help = "close it, or give `mass` and `inertia` (then the origin is the centre of mass)";
        return Err(Fault::new(&node.place, message).with_help(help));
    }
    if matches!(shape, Shape::HalfSpace { .. }) {
        let message = "a half-space cannot move freely: it has no end and no mass";
        let help = "add motion = \"fixed\"";
        return Err(Fault::new(&node.place, message).with_help(help));
    }
    Ok(())
}

/// The names of the groups a body is in.
fn read_groups(table: &Table<'_>) -> Outcome<Vec<String>> {
    let Some(node) = table.get("groups") else {
        return Ok(Vec::new());
    };
    let names = items(node, "the names of groups")?.iter();
    names
        .map(|node| text(node, "the name of a group").map(str::to_owned))
        .collect()
}
