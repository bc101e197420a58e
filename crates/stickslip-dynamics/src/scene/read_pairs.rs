//! `[[contact]]` and `[[force]]` entries, which name bodies.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use super::keys::{CONTACT, FORCE, PAIR};
use super::node::{Fault, Node, Outcome};
use super::read_material::{read_curve, read_friction, read_length, read_restitution};
use super::reader::{Reader, flag, items, tables, text};
use super::table::Table;
use super::{Body, ContactPair, Force, Mobility, PairOfMaterials};
use crate::expression::nearest;

/// The bodies by name, and whether each is free.
pub(super) struct Names<'b> {
    free: BTreeMap<&'b str, bool>,
}

impl<'b> Names<'b> {
    pub(super) fn new(bodies: &'b [Body]) -> Self {
        let entry = |body: &'b Body| (body.name.as_str(), body.motion == Mobility::Free);
        Self {
            free: bodies.iter().map(entry).collect(),
        }
    }

    /// Looks a body up; says whether it is free.
    pub(super) fn find(&self, reader: &Reader<'_>, node: &Node) -> Outcome<(String, bool)> {
        let name = &*reader.indexed(node, "the name of a body")?;
        if let Some(free) = self.free.get(name) {
            return Ok((name.to_owned(), *free));
        }
        let fault = Fault::new(&node.place, format!("unknown body `{name}`"));
        let numbered = format!("{name}[0]");
        if self.free.contains_key(numbered.as_str()) {
            let help = format!("`{name}` is counted: name one of them, such as `{numbered}`");
            return Err(fault.with_help(help));
        }
        Err(match nearest(name, self.free.keys().copied()) {
            Some(meant) => fault.suggest(Some(meant)),
            None => fault.with_help("bodies are named in [[body]]"),
        })
    }
}

/// Reads the `[[contact]]` entries.
pub(super) fn read_contacts(
    reader: &Reader<'_>,
    root: &Table<'_>,
    names: &Names<'_>,
    source: &str,
) -> Outcome<Vec<ContactPair>> {
    let Some(node) = root.get("contact") else {
        return Ok(Vec::new());
    };
    let mut pairs = Vec::new();
    let mut seen: BTreeMap<[String; 2], usize> = BTreeMap::new();
    for entry in tables(node, "contact")? {
        let table = Table::open(entry, &CONTACT)?;
        let node = table.need("bodies")?;
        let bodies = two_bodies(reader, node, names)?;
        let mut sorted = bodies.clone();
        sorted.sort();
        if let Some(earlier) = seen.insert(sorted, node.place.span.start) {
            let [a, b] = &bodies;
            let message = format!("the contact between `{a}` and `{b}` is given twice");
            let line = source.get(..earlier).map_or(0, |s| s.matches('\n').count()) + 1;
            let help = format!("it was first given in line {line}");
            return Err(Fault::new(&node.place, message).with_help(help));
        }
        let collide = read_collide(&table)?;
        let (friction, restitution) = (table.get("friction"), table.get("restitution"));
        let torsion = read_length(reader, &table, "torsion")?;
        let rolling = read_length(reader, &table, "rolling")?;
        let moments = torsion.is_some() || rolling.is_some();
        if friction.is_none() && restitution.is_none() && !moments && collide {
            let message = "the contact says nothing: `friction`, `restitution`, `torsion`, `rolling` or `collide` is missing";
            return Err(table.fault(message));
        }
        let curve = friction.map_or(Ok(None), |node| read_curve(reader, node))?;
        let friction = friction.map(|node| read_friction(reader, node));
        let restitution = restitution.map(|node| read_restitution(reader, node));
        pairs.push(ContactPair {
            bodies,
            collide,
            friction: friction.transpose()?,
            restitution: restitution.transpose()?,
            torsion,
            rolling,
            curve,
            span: node.place.span.clone(),
        });
    }
    Ok(pairs)
}

/// Reads the `[[pair]]` entries.
pub(super) fn read_material_pairs(
    reader: &Reader<'_>,
    root: &Table<'_>,
    bodies: &[Body],
) -> Outcome<Vec<PairOfMaterials>> {
    let Some(node) = root.get("pair") else {
        return Ok(Vec::new());
    };
    let known: BTreeSet<&str> = bodies.iter().filter_map(|b| b.made_of.as_deref()).collect();
    let mut pairs: Vec<PairOfMaterials> = Vec::new();
    for entry in tables(node, "pair")? {
        let table = Table::open(entry, &PAIR)?;
        let node = table.need("materials")?;
        let materials = two_materials(node, &known)?;
        let [a, b] = &materials;
        let same = |p: &&PairOfMaterials| {
            p.materials == materials || p.materials == [b.clone(), a.clone()]
        };
        if pairs.iter().find(same).is_some() {
            let message = format!("the pair of `{a}` and `{b}` is given twice");
            return Err(Fault::new(&node.place, message));
        }
        let friction = table.get("friction");
        let curve = friction.map_or(Ok(None), |node| read_curve(reader, node))?;
        let friction = friction
            .map(|node| read_friction(reader, node))
            .transpose()?;
        let restitution = table.get("restitution");
        let restitution = restitution
            .map(|node| read_restitution(reader, node))
            .transpose()?;
        let torsion = read_length(reader, &table, "torsion")?;
        let rolling = read_length(reader, &table, "rolling")?;
        if friction.is_none() && restitution.is_none() && torsion.is_none() && rolling.is_none() {
            let message = "the pair says nothing: `friction`, `restitution`, `torsion` or `rolling` is missing";
            return Err(table.fault(message));
        }
        pairs.push(PairOfMaterials {
            materials,
            friction,
            curve,
            restitution,
            torsion,
            rolling,
            span: node.place.span.clone(),
        });
    }
    Ok(pairs)
}

/// The two materials of a pair: those that bodies are made of.
fn two_materials(node: &Node, known: &BTreeSet<&str>) -> Outcome<[String; 2]> {
    let two = items(node, "the names of two materials")?;
    let [first, second] = two else {
        let message = format!("a pair is of two materials, not {}", two.len());
        return Err(Fault::new(&node.place, message));
    };
    let name = |node: &Node| {
        let name = text(node, "the name of a material")?;
        if known.contains(name) {
            return Ok(name.to_owned());
        }
        let fault = Fault::new(&node.place, format!("no body is made of `{name}`"));
        Err(match nearest(name, known.iter().copied()) {
            Some(meant) => fault.suggest(Some(meant)),
            None => fault.with_help("bodies say what they are made of with `material`"),
        })
    };
    Ok([name(first)?, name(second)?])
}

/// The two bodies of a contact: different ones, and one of them free.
fn two_bodies(reader: &Reader<'_>, node: &Node, names: &Names<'_>) -> Outcome<[String; 2]> {
    let two = items(node, "the names of two bodies")?;
    let [first, second] = two else {
        let message = format!("a contact is between two bodies, not {}", two.len());
        return Err(Fault::new(&node.place, message));
    };
    let ((a, a_free), (b, b_free)) = (names.find(reader, first)?, names.find(reader, second)?);
    if a == b {
        let message = format!("a contact of `{a}` with itself");
        return Err(Fault::new(&second.place, message));
    }
    if !a_free && !b_free {
        let message = format!("neither `{a}` nor `{b}` is free: this contact has no effect");
        return Err(Fault::new(&node.place, message));
    }
    Ok([a, b])
}

/// May the two collide? Nothing else may be said of those that may not.
fn read_collide(table: &Table<'_>) -> Outcome<bool> {
    let Some(node) = table.get("collide") else {
        return Ok(true);
    };
    if flag(node)? {
        let message = "`collide = true` has no effect: bodies collide unless said otherwise";
        return Err(Fault::new(&node.place, message));
    }
    if let Some(key) = table.first_of(&["friction", "restitution", "torsion", "rolling"]) {
        let message = format!("`{}` has no effect beside `collide = false`", key.name);
        return Err(Fault::new(&key.place, message));
    }
    Ok(false)
}

/// Reads the `[[force]]` entries.
pub(super) fn read_forces(
    reader: &Reader<'_>,
    root: &Table<'_>,
    names: &Names<'_>,
) -> Outcome<Vec<Force>> {
    let Some(node) = root.get("force") else {
        return Ok(Vec::new());
    };
    let mut forces = Vec::new();
    for entry in tables(node, "force")? {
        let table = Table::open(entry, &FORCE)?;
        reader.counted(&table, |reader, _| {
            forces.push(read_force(reader, &table, names)?);
            Ok(())
        })?;
    }
    Ok(forces)
}

fn read_force(reader: &Reader<'_>, table: &Table<'_>, names: &Names<'_>) -> Outcome<Force> {
    let node = table.need("body")?;
    let (body, free) = names.find(reader, node)?;
    if !free {
        let message = format!("`{body}` is not free: a force has no effect on it");
        return Err(Fault::new(&node.place, message));
    }
    if table.first_of(&["force", "torque"]).is_none() {
        let message = "the entry says nothing: `force` or `torque` is missing";
        return Err(table.fault(message));
    }
    if let (Some(point), None) = (table.first_of(&["point"]), table.get("force")) {
        let message = "`point` has no effect without a `force`";
        return Err(Fault::new(&point.place, message));
    }
    let of_state = Reader {
        scope: reader.scope.with_state(),
        ..*reader
    };
    Ok(Force {
        body,
        force: of_state.functions(table, "force")?,
        torque: of_state.functions(table, "torque")?,
        point: reader.vector_or(table, "point", DVec3::ZERO)?,
        span: node.place.span.clone(),
    })
}
