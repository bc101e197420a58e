//! `[[include]]`: models of other formats, and how the scene wants them.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;
use stickslip_geometry::Pose;
use stickslip_model::joint::Goal;
use stickslip_robots::{Options, Packages, Robot, Start};

use super::files::Files;
use super::included::Included;
use super::keys::{DYNAMICS, HOLD, INCLUDE};
use super::node::{Fault, Node, Outcome, Value};
use super::read_shape::read_orientation;
use super::reader::{Reader, choice, flag, items, tables, text};
use super::table::Table;
use super::{Body, Curve, Material};

/// Reads all `[[include]]` entries.
pub(super) fn read_includes(
    reader: &Reader<'_>,
    root: &Table<'_>,
    material: Material,
    curve: Option<&Curve>,
) -> Outcome<Included> {
    let mut included = Included::default();
    let Some(node) = root.get("include") else {
        return Ok(included);
    };
    for entry in tables(node, "include")? {
        let table = Table::open(entry, &INCLUDE)?;
        let model = Model::read(reader, &table, material)?;
        model.put(&mut included)?;
    }
    // Links without friction of their own have that of the material, whatever it is.
    let plain = |body: &&mut Body| body.material.friction == material.friction;
    for body in included.bodies.iter_mut().filter(plain) {
        body.curve = curve.cloned();
    }
    Ok(included)
}

/// Beside a model's file.
struct Beside<'f> {
    files: &'f Files,
    folder: String,
}

impl stickslip_robots::Files for Beside<'_> {
    fn bytes(&self, name: &str) -> Result<Arc<[u8]>, String> {
        let name = match self.folder.as_str() {
            "" => name.to_owned(),
            _ if name.starts_with('/') => name.to_owned(),
            folder => format!("{folder}/{name}"),
        };
        self.files.bytes(&name).map_err(|fault| match fault.help {
            Some(help) => format!("{} ({help})", fault.message),
            None => fault.message,
        })
    }
}

/// Of the free axes of all joints of a model, in place of what its file says.
#[derive(Clone, Copy, Default)]
pub(super) struct Dynamics {
    /// Dry friction, N or N m.
    pub(super) friction: Option<f64>,
    /// N s/m or N m s/rad.
    pub(super) damping: Option<f64>,
    /// kg or kg m².
    pub(super) armature: Option<f64>,
}

/// One model and how the scene wants it.
pub(super) struct Model<'n> {
    pub(super) robot: Robot,
    pub(super) prefix: String,
    pub(super) material: Material,
    pub(super) file: &'n Node,
    /// Gains of motors that hold what no actuator drives.
    pub(super) hold: Option<Goal>,
    /// What takes the place of the file's on every free axis.
    pub(super) dynamics: Dynamics,
    pub(super) ignore_overlaps: bool,
    pub(super) self_collision: bool,
    pub(super) any_inertia: bool,
}

impl<'n> Model<'n> {
    fn read(reader: &Reader<'_>, table: &Table<'n>, material: Material) -> Outcome<Self> {
        let file = table.need("file")?;
        let name = text(file, "the name of a file")?;
        let flag_of = |key: &str, other: bool| table.get(key).map_or(Ok(other), flag);
        let text_of = |key: &str, what: &str| -> Outcome<Option<String>> {
            let node = table.get(key);
            node.map(|n| text(n, what).map(str::to_owned)).transpose()
        };
        let any_inertia = flag_of("any-inertia", false)?;
        let options = Options {
            fixed_base: flag_of("fixed-base", false)?,
            any_inertia,
            packages: read_packages(table)?,
            srdf: text_of("srdf", "the name of an SRDF file")?,
            start: Start {
                pose: Pose {
                    position: reader.vector_or(table, "position", DVec3::ZERO)?,
                    orientation: read_orientation(reader, table.get("orientation"))?,
                },
                joints: read_starts(reader, table)?,
                key: text_of("key", "the name of a configuration")?,
            },
        };
        let bytes = reader.files.bytes(name).map_err(|e| {
            let fault = Fault::new(&file.place, e.message);
            match e.help {
                Some(help) => fault.with_help(help),
                None => fault,
            }
        })?;
        let source = String::from_utf8(bytes.to_vec())
            .map_err(|_| Fault::new(&file.place, format!("`{name}` is not text in UTF-8")))?;
        let beside = Beside {
            files: reader.files,
            folder: name.rsplit_once('/').map_or("", |(f, _)| f).to_owned(),
        };
        let robot = stickslip_robots::read(name, &source, &beside, &options)
            .map_err(|error| Fault::in_model(&file.place, *error))?;
        let overlaps = match table.get("overlaps") {
            Some(node) => choice(node, "way with overlaps", &["refuse", "ignore"])?,
            None => "refuse",
        };
        Ok(Self {
            robot,
            prefix: read_prefix(table)?,
            material,
            file,
            hold: read_hold(reader, table)?,
            dynamics: read_dynamics(reader, table)?,
            ignore_overlaps: overlaps == "ignore",
            self_collision: flag_of("self-collision", true)?,
            any_inertia,
        })
    }
}

fn read_prefix(table: &Table<'_>) -> Outcome<String> {
    let Some(node) = table.get("prefix") else {
        return Ok(String::new());
    };
    let prefix = text(node, "a prefix")?;
    let odd = |c: char| c.is_control() || matches!(c, ',' | '"' | '\'' | '`' | '[' | ']');
    if prefix.contains(odd) || prefix.len() > 50 {
        let message = "a prefix has at most 50 characters, and no commas, quotes or brackets";
        return Err(Fault::new(&node.place, message));
    }
    Ok(prefix.to_owned())
}

fn read_packages(table: &Table<'_>) -> Outcome<Packages> {
    let Some(node) = table.get("packages") else {
        return Ok(Packages::default());
    };
    let mut packages = Vec::new();
    for item in items(node, "folders, or \"PREFIX=FOLDER\"")? {
        let entry = text(item, "a folder, or \"PREFIX=FOLDER\"")?;
        let (prefix, folder) = entry.split_once('=').unwrap_or(("", entry));
        packages.push((prefix.trim_matches('/').to_owned(), folder.to_owned()));
    }
    Ok(Packages(packages))
}

fn read_starts(reader: &Reader<'_>, table: &Table<'_>) -> Outcome<BTreeMap<String, f64>> {
    let Some(node) = table.get("joints") else {
        return Ok(BTreeMap::new());
    };
    let Value::Table(entries) = &node.value else {
        let message = format!("`joints` is a table of coordinates, not {}", node.kind());
        return Err(Fault::new(&node.place, message));
    };
    let entries = entries.iter();
    entries
        .map(|(key, node)| Ok((key.name.clone(), reader.number(node)?)))
        .collect()
}

fn read_hold(reader: &Reader<'_>, table: &Table<'_>) -> Outcome<Option<Goal>> {
    let Some(node) = table.get("hold") else {
        return Ok(None);
    };
    let table = Table::open(node, &HOLD)?;
    let stiffness = reader.positive(table.need("stiffness")?, "the stiffness")?;
    let damping = match table.get("damping") {
        Some(node) => reader.not_negative(node, "the damping")?,
        None => 0.0,
    };
    Ok(Some(Goal::Servo { stiffness, damping }))
}

fn read_dynamics(reader: &Reader<'_>, table: &Table<'_>) -> Outcome<Dynamics> {
    let Some(node) = table.get("dynamics") else {
        return Ok(Dynamics::default());
    };
    let table = Table::open(node, &DYNAMICS)?;
    let read = |key: &str| {
        let what = format!("the {key}");
        let node = table.get(key);
        node.map(|n| reader.not_negative(n, &what)).transpose()
    };
    Ok(Dynamics {
        friction: read("friction")?,
        damping: read("damping")?,
        armature: read("armature")?,
    })
}
