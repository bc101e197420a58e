//! The top of the scene: version, title, gravity, parameters, `[step]` and `[material]`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::keys::{CONE, FRICTION, MATERIAL, ROOT, STEP};
use super::node::{Fault, Node, Outcome, Sources, Value};
use super::reader::{Reader, text};
use super::settings::{Cone, LATER_METHODS, METHODS, Method, SOLVERS, StepSettings};
use super::table::Table;
use super::{FORMAT, Friction, MAX_FILE, Material, Scene, overrides, read_body, read_pairs};
use crate::expression::{Scope, nearest, refused_as_parameter, resolve};

/// The most directions of a friction pyramid.
const MAX_DIRECTIONS: u32 = 4096;

/// The most parameters of a scene.
const MAX_PARAMETERS: usize = 1000;

/// Reads the whole scene.
pub(super) fn read_scene(sources: &Sources<'_>) -> Outcome<Scene> {
    if sources.text.len() > MAX_FILE {
        let message = format!("the file is too large: a scene may have {MAX_FILE} bytes");
        return Err(Fault::new(&Sources::in_file(0..0), message));
    }
    let mut document = sources.document()?;
    overrides::apply(&mut document, sources)?;
    let root = Table::open(&document, &ROOT)?;
    if let Some(node) = root.get("format") {
        check_format(node)?;
    }
    let title = match root.get("title") {
        Some(node) => text(node, "a string")?.to_owned(),
        None => String::new(),
    };
    let parameters = match root.get("parameters") {
        Some(node) => read_parameters(node)?,
        None => BTreeMap::new(),
    };
    let reader = Reader {
        scope: Scope::new(&parameters),
    };
    let gravity = reader.vector_or(&root, "gravity", Scene::GRAVITY)?;
    let step = read_step(&reader, root.need("step")?)?;
    let material = match root.get("material") {
        Some(node) => {
            let table = Table::open(node, &MATERIAL)?;
            read_material(&reader, &table, Material::default())?
        }
        None => Material::default(),
    };
    let bodies = read_body::read_bodies(&reader, &root, material, sources.text)?;
    let known = read_pairs::Names::new(&bodies);
    let contact_overrides = read_pairs::read_contacts(&reader, &root, &known, sources.text)?;
    let forces = read_pairs::read_forces(&reader, &root, &known)?;
    Ok(Scene {
        title,
        format: FORMAT,
        gravity,
        step,
        material,
        bodies,
        contact_overrides,
        forces,
        file: sources.file.to_owned(),
        text: Arc::from(sources.text),
        overrides: sources.overrides.to_vec(),
    })
}

fn check_format(node: &Node) -> Outcome<()> {
    match node.value {
        Value::Number(version) if version == f64::from(FORMAT) => Ok(()),
        Value::Number(version) => {
            let message =
                format!("the format is {version}, but this program reads format {FORMAT}");
            Err(Fault::new(&node.place, message))
        }
        _ => {
            let message = format!("expected the number {FORMAT}, found {}", node.kind());
            Err(Fault::new(&node.place, message))
        }
    }
}

fn read_parameters(node: &Node) -> Outcome<BTreeMap<String, f64>> {
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
            _ => crate::expression::Expression::constant(plain.number(node)?),
        };
        formulas.insert(key.name.clone(), formula);
        numbers.insert(key.name.as_str(), node);
    }
    resolve(&formulas).map_err(|(name, error)| match numbers.get(name.as_str()) {
        Some(node) => node.formula_fault(&error),
        None => Fault::new(&node.place, error.message),
    })
}

fn read_step(reader: &Reader<'_>, node: &Node) -> Outcome<StepSettings> {
    let table = Table::open(node, &STEP)?;
    let h = reader.positive(table.need("h")?, "the step size `h`")?;
    let end = table.need("until")?;
    let until = reader.positive(end, "the end `until`")?;
    if h > until {
        let message = format!("the run ends at {until} s, before the first step of {h} s");
        return Err(Fault::new(&end.place, message));
    }
    if until / h > 1e12 {
        let message = format!(
            "{:e} steps of h = {h} are too many; 1e12 is the limit",
            until / h
        );
        return Err(Fault::new(&end.place, message));
    }
    let method = table.get("method").map_or(Ok(Method::default()), method)?;
    let cone = match table.get("cone") {
        Some(node) => read_cone(reader, node)?,
        None => Cone::default(),
    };
    let solver = match table.get("solver") {
        Some(node) => choice(node, "solver", &SOLVERS)?,
        None => SOLVERS[0],
    };
    let tolerance = match table.get("tolerance") {
        Some(node) => reader.positive(node, "the tolerance")?,
        None => StepSettings::TOLERANCE,
    };
    Ok(StepSettings {
        h,
        until,
        method,
        cone,
        solver: solver.to_owned(),
        tolerance,
    })
}

fn method(node: &Node) -> Outcome<Method> {
    let name = text(node, "the name of a method")?;
    if LATER_METHODS.contains(&name) {
        let message = format!("the method \"{name}\" is not supported yet");
        let help = format!("use \"{}\"", METHODS[0]);
        return Err(Fault::new(&node.place, message).with_help(help));
    }
    choice(node, "method", &METHODS)?;
    Ok(Method::StewartTrinkle)
}

/// One of a list of names.
pub(super) fn choice(node: &Node, what: &str, known: &[&'static str]) -> Outcome<&'static str> {
    let name = text(node, &format!("the name of a {what}"))?;
    if let Some(found) = known.iter().find(|candidate| **candidate == name) {
        return Ok(found);
    }
    let fault = Fault::new(&node.place, format!("unknown {what} \"{name}\""));
    Err(match nearest(name, known.iter().copied()) {
        Some(meant) => fault.with_help(format!("did you mean \"{meant}\"?")),
        None => fault.with_help(format!("known are \"{}\"", known.join("\", \""))),
    })
}

fn read_cone(reader: &Reader<'_>, node: &Node) -> Outcome<Cone> {
    const WHAT: &str = "the number of directions of a pyramid";
    if let Value::Table(_) = node.value {
        let table = Table::open(node, &CONE)?;
        let count = reader.whole(table.need("pyramid")?, WHAT, 3, MAX_DIRECTIONS)?;
        return Ok(Cone::Pyramid(count));
    }
    let name = text(node, "\"quadratic\" or { pyramid = 8 }")?;
    if name == "quadratic" {
        return Ok(Cone::Quadratic);
    }
    if let Some(count) = name.strip_prefix("pyramid:") {
        let within = count.parse().ok();
        let within = within.filter(|count| (3..=MAX_DIRECTIONS).contains(count));
        return within.map(Cone::Pyramid).ok_or_else(|| {
            let message = format!(
                "{WHAT} must be a whole number from 3 to {MAX_DIRECTIONS}, but is `{count}`"
            );
            Fault::new(&node.place, message)
        });
    }
    let fault = Fault::new(&node.place, format!("unknown cone \"{name}\""));
    Err(match nearest(name, ["quadratic"]) {
        Some(meant) => fault.with_help(format!("did you mean \"{meant}\"?")),
        None => fault.with_help("use \"quadratic\", \"pyramid:8\" or { pyramid = 8 }"),
    })
}

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
    let static_ = reader.not_negative(table.need("static")?, "static friction")?;
    let sliding = table.need("kinetic")?;
    let kinetic = reader.not_negative(sliding, "kinetic friction")?;
    if kinetic > static_ {
        let message =
            format!("kinetic friction {kinetic} must not be larger than static friction {static_}");
        return Err(Fault::new(&sliding.place, message));
    }
    Ok(Friction { static_, kinetic })
}

/// Restitution: from 0 to 1, of which only 0 is supported now.
pub(super) fn read_restitution(reader: &Reader<'_>, node: &Node) -> Outcome<f64> {
    let value = reader.number(node)?;
    if !(0.0..=1.0).contains(&value) {
        let message = format!("restitution must be from 0 to 1, but is {value}");
        return Err(Fault::new(&node.place, message));
    }
    if value != 0.0 {
        let message = format!("restitution other than 0 is not supported yet, but is {value}");
        return Err(Fault::new(&node.place, message));
    }
    Ok(value)
}
