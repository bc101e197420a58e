//! The whole scene, from the top: version, title, parameters, gravity, then the tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::keys::{MATERIAL, ROOT};
use super::node::{Fault, Node, Outcome, Sources, Value};
use super::read_body::read_bodies;
use super::read_frame::read_frames;
use super::read_gear::read_gears;
use super::read_include::read_includes;
use super::read_joint::{Taken, read_joined};
use super::read_material::{read_curve, read_material};
use super::read_motor::read_motors;
use super::read_pairs::{Names, read_contacts, read_forces, read_material_pairs};
use super::read_step::read_step;
use super::reader::{Reader, shown, text};
use super::table::Table;
use super::{Contents, Curve, FORMAT, Files, MAX_FILE, Material, Scene, overrides};
use crate::expression::{Expression, Scope, refused_as_parameter, resolve};

/// The most parameters of a scene.
const MAX_PARAMETERS: usize = 1000;

/// Reads the whole scene; also how many of its bodies, the first ones, are of included models.
pub(super) fn read_scene(sources: &Sources<'_>, files: &Files) -> Outcome<(Scene, usize)> {
    let document = read_document(sources)?;
    let root = Table::open(&document, &ROOT)?;
    root.get("format").map_or(Ok(()), check_format)?;
    let title = root.get("title").map_or(Ok(""), |n| text(n, "a string"))?;
    let parameters = match root.get("parameters") {
        Some(node) => read_parameters(node, files)?,
        None => BTreeMap::new(),
    };
    let reader = Reader {
        scope: Scope::new(&parameters),
        files,
        draws: None,
    };
    let gravity = reader.vector_or(&root, "gravity", Scene::GRAVITY)?;
    let step = read_step(&reader, root.need("step")?)?;
    let (material, curve) = read_default_material(&reader, &root)?;
    let included = read_includes(&reader, &root, material, curve.as_ref())?;
    let defaults = (material, curve.as_ref());
    let source = (sources.text, read_seed(&reader, &root)?);
    let of_models = included.bodies.len();
    let bodies = read_bodies(&reader, &root, defaults, source, included.bodies)?;
    let known = Names::new(&bodies);
    let mut contact_overrides = included.pairs;
    contact_overrides.extend(read_contacts(&reader, &root, &known, sources.text)?);
    let material_pairs = read_material_pairs(&reader, &root, &bodies)?;
    let forces = read_forces(&reader, &root, &known)?;
    let joined = (included.joints, Vec::new());
    let mut taken = Taken::default();
    let names = (&mut taken, sources.text);
    let (mut joints, springs) = read_joined(&reader, &root, &known, names, joined)?;
    let names = (&mut taken, sources.text);
    let gears = read_gears(&reader, &root, &joints, names, included.gears)?;
    read_motors(&reader, &root, &mut joints)?;
    let frames = read_frames(&reader, &root, &known, included.frames)?;
    let scene = Scene {
        title: title.to_owned(),
        format: FORMAT,
        gravity,
        step,
        material,
        curve,
        bodies,
        contact_overrides,
        material_pairs,
        forces,
        joints,
        springs,
        gears,
        frames,
        file: sources.file.to_owned(),
        text: Arc::from(sources.text),
        overrides: sources.overrides.to_vec(),
        files: Contents::new(),
        notes: Vec::new(),
        model_notes: included.notes,
    };
    Ok((scene, of_models))
}

/// The text as a tree, with what is set in place of what it says.
fn read_document(sources: &Sources<'_>) -> Outcome<Node> {
    if sources.text.len() > MAX_FILE {
        let message = format!("the file is too large: a scene may have {MAX_FILE} bytes");
        return Err(Fault::new(&Sources::in_file(0..0), message));
    }
    let mut document = sources.document()?;
    overrides::apply(&mut document, sources)?;
    Ok(document)
}

/// `seed`: the start of the random numbers of the scene.
fn read_seed(reader: &Reader<'_>, root: &Table<'_>) -> Outcome<u64> {
    let seed = root.get("seed");
    let seed = seed.map_or(Ok(0), |node| reader.whole(node, "the seed", 0, u32::MAX))?;
    Ok(u64::from(seed))
}

/// `[material]`: what bodies have that say nothing of their own.
fn read_default_material(
    reader: &Reader<'_>,
    root: &Table<'_>,
) -> Outcome<(Material, Option<Curve>)> {
    let Some(node) = root.get("material") else {
        return Ok((Material::default(), None));
    };
    let table = Table::open(node, &MATERIAL)?;
    let material = read_material(reader, &table, Material::default())?;
    let friction = table.get("friction");
    let curve = friction.map_or(Ok(None), |node| read_curve(reader, node))?;
    Ok((material, curve))
}

fn check_format(node: &Node) -> Outcome<()> {
    match node.value {
        Value::Number(version) if version == f64::from(FORMAT) => Ok(()),
        Value::Number(version) => {
            let given = shown(version);
            let message = format!("the format is {given}, but this program reads format {FORMAT}");
            Err(Fault::new(&node.place, message))
        }
        _ => {
            let message = format!("expected the number {FORMAT}, found {}", node.kind());
            Err(Fault::new(&node.place, message))
        }
    }
}

fn read_parameters(node: &Node, files: &Files) -> Outcome<BTreeMap<String, f64>> {
    let Value::Table(entries) = &node.value else {
        let message = format!("[parameters] must be a table, not {}", node.kind());
        return Err(Fault::new(&node.place, message));
    };
    if entries.len() > MAX_PARAMETERS {
        let message = format!(
            "{} parameters; a scene may have {MAX_PARAMETERS}",
            entries.len()
        );
        return Err(Fault::new(&node.place, message));
    }
    let nothing = BTreeMap::new();
    let plain = Reader {
        scope: Scope::new(&nothing),
        files,
        draws: None,
    };
    let mut numbers = BTreeMap::new();
    let mut formulas = BTreeMap::new();
    for (key, node) in entries {
        if let Some(why) = refused_as_parameter(&key.name) {
            let message = format!("`{}` cannot be the name of a parameter", key.name);
            return Err(Fault::new(&key.place, message).with_help(why));
        }
        let formula = match &node.value {
            Value::Text(text) => text
                .formula()
                .map_err(|error| node.formula_fault(error))?
                .clone(),
            _ => Expression::constant(plain.number(node)?),
        };
        formulas.insert(key.name.clone(), formula);
        numbers.insert(key.name.as_str(), node);
    }
    resolve(&formulas).map_err(|(name, error)| match numbers.get(name.as_str()) {
        Some(node) => node.formula_fault(&error),
        None => Fault::new(&node.place, error.message),
    })
}
