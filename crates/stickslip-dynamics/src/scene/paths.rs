//! Every value of a scene by a path: `step.h`, `gravity.z`, `body.NAME.mass`, `body.NAME.position.x`, `joint.NAME.motor.velocity`,
//! `contact.A/B.friction`, `force.BODY.force.x`. Bodies, joints and springs go by their names, contacts by the names of both bodies, forces
//! by that of their body; all of them by number too, from 0: `force.1.torque.z`. A name may have dots in it.

use super::keys::{Kind, ROOT, SHAPE, TableSpec};
use super::node::{Node, Value};
use std::fmt;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stair {
    /// Of a table.
    Key(String),
    /// Of an array, and how many there are where it has to be made.
    Item(usize, usize),
}

/// From the root to a value.
pub(super) type Path = Vec<Stair>;

impl fmt::Display for Stair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(name) => f.write_str(name),
            Self::Item(at, _) => write!(f, "{at}"),
        }
    }
}

/// Names of the scene's parameters.
pub(super) fn parameters(document: &Node) -> Vec<&str> {
    match child(document, "parameters").map(|node| &node.value) {
        Some(Value::Table(entries)) => entries.iter().map(|(key, _)| key.name.as_str()).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn of_parameter(name: &str) -> Path {
    ["parameters", name].map(|k| Stair::Key(k.into())).into()
}

/// The path that a key means in this scene.
pub(super) fn find(document: &Node, key: &str) -> Option<Path> {
    in_table(&ROOT, Some(document), key)
}

/// All paths of one value each, for suggestions.
pub(super) fn all(document: &Node) -> Vec<String> {
    let mut known = Vec::new();
    list_table(&ROOT, Some(document), "", &mut known);
    known
}

fn child<'a>(node: &'a Node, name: &str) -> Option<&'a Node> {
    match &node.value {
        Value::Table(entries) => entries.iter().find(|(key, _)| key.name == name),
        _ => None,
    }
    .map(|(_, node)| node)
}

fn in_table(spec: &TableSpec, node: Option<&Node>, path: &str) -> Option<Path> {
    spec.keys.iter().find_map(|key| {
        let rest = path.strip_prefix(key.name)?;
        let within = node.and_then(|node| child(node, key.name));
        with(
            Stair::Key(key.name.into()),
            in_value(&key.kind, within, rest)?,
        )
    })
}

fn with(first: Stair, mut rest: Path) -> Option<Path> {
    rest.insert(0, first);
    Some(rest)
}

/// What follows a key: nothing, or a dot and a path within its value.
fn in_value(kind: &Kind, node: Option<&Node>, rest: &str) -> Option<Path> {
    if rest.is_empty() {
        // Bodies, joints and parameters are set one by one.
        let whole = !matches!(kind, Kind::Tables(_) | Kind::Parameters);
        return whole.then(Vec::new);
    }
    let path = rest.strip_prefix('.')?;
    match kind {
        Kind::Table(spec) => in_table(spec, node, path),
        Kind::Shape => in_table(&SHAPE, node, path),
        Kind::Tables(spec) => in_tables(spec, node?, path),
        Kind::Array(item, length) => in_array(item, *length, node, path),
        Kind::List(item) => in_array(item, items(node?).len(), node, path),
        Kind::Either(kinds) => kinds.iter().find_map(|kind| in_value(kind, node, rest)),
        Kind::Parameters => {
            let known = node.is_some_and(|node| child(node, path).is_some());
            known.then(|| vec![Stair::Key(path.into())])
        }
        _ => None,
    }
}

fn items(node: &Node) -> &[Node] {
    match &node.value {
        Value::Array(items) => items,
        _ => &[],
    }
}

/// One of an array of tables: the one with the longest name that fits.
fn in_tables(spec: &TableSpec, node: &Node, path: &str) -> Option<Path> {
    let all = items(node);
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, label) in labels(all) {
        if path
            .strip_prefix(&label)
            .is_some_and(|rest| rest.starts_with('.'))
        {
            found.push((label.len(), at));
        }
    }
    let (length, at) = found.into_iter().max()?;
    let rest = in_table(spec, Some(&all[at]), &path[length + 1..])?;
    with(Stair::Item(at, all.len()), rest)
}

/// What items of an array of tables are called; a name that two have is none.
fn labels(all: &[Node]) -> Vec<(usize, String)> {
    let mut labels: Vec<(usize, String)> = Vec::new();
    for (at, node) in all.iter().enumerate() {
        labels.push((at, at.to_string()));
        labels.extend(own_labels(node).into_iter().map(|label| (at, label)));
    }
    let count = |label: &str| labels.iter().filter(|(_, other)| other == label).count();
    let once: Vec<bool> = labels.iter().map(|(_, label)| count(label) == 1).collect();
    let mut once = once.into_iter();
    labels.retain(|_| once.next().unwrap_or(false));
    labels
}

fn own_labels(node: &Node) -> Vec<String> {
    let text = |node: &Node| match &node.value {
        Value::Text(text) => Some(text.text.clone()),
        _ => None,
    };
    if let Some(name) = child(node, "name").or_else(|| child(node, "body")) {
        return text(name).into_iter().collect();
    }
    let bodies = child(node, "bodies").map_or(&[][..], items);
    match bodies
        .iter()
        .filter_map(text)
        .collect::<Vec<_>>()
        .as_slice()
    {
        [a, b] => vec![format!("{a}/{b}"), format!("{b}/{a}")],
        _ => Vec::new(),
    }
}

/// One of an array: `x`, `y`, `z` of a vector, `s` before them of a quaternion, or its number.
fn in_array(item: &Kind, length: usize, node: Option<&Node>, path: &str) -> Option<Path> {
    let name = path.split('.').next()?;
    let letter = match length {
        3 => ["x", "y", "z"].iter().position(|c| *c == name),
        4 => ["s", "x", "y", "z"].iter().position(|c| *c == name),
        _ => None,
    };
    let at = letter.or_else(|| name.parse().ok())?;
    let within = node.and_then(|node| items(node).get(at));
    let rest = in_value(item, within, &path[name.len()..])?;
    (at < length).then(|| with(Stair::Item(at, length), rest))?
}

fn list_table(spec: &TableSpec, node: Option<&Node>, before: &str, known: &mut Vec<String>) {
    for key in spec.keys {
        let within = node.and_then(|node| child(node, key.name));
        list(&key.kind, within, &format!("{before}{}", key.name), known);
    }
}

fn list(kind: &Kind, node: Option<&Node>, path: &str, known: &mut Vec<String>) {
    match kind {
        Kind::Tables(spec) => {
            let all = node.map_or(&[][..], items);
            for (at, label) in labels(all) {
                if label != at.to_string() {
                    list_table(spec, Some(&all[at]), &format!("{path}.{label}."), known);
                }
            }
        }
        Kind::Parameters => {
            let node = node.into_iter();
            let names = node.flat_map(|node| match &node.value {
                Value::Table(entries) => entries.as_slice(),
                _ => &[],
            });
            known.extend(names.map(|(key, _)| format!("{path}.{}", key.name)));
        }
        // Of shapes only what is there: there are many.
        Kind::Table(spec) if !spec.one_key || node.is_some() => {
            known.push(path.to_owned());
            let there = |name: &str| node.is_some_and(|node| child(node, name).is_some());
            for key in spec.keys.iter().filter(|k| !spec.one_key || there(k.name)) {
                let within = node.and_then(|node| child(node, key.name));
                list(&key.kind, within, &format!("{path}.{}", key.name), known);
            }
        }
        Kind::Either(kinds) => kinds.iter().for_each(|kind| list(kind, node, path, known)),
        _ if known.last().is_some_and(|last| last == path) => {}
        _ => known.push(path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use crate::scene::{Override, Scene};

    const SCENE: &str = r#"
format = 1
[parameters]
mu = 0.3
[step]
h = 0.01
until = 1.0
[material]
friction = { static = 0.5, kinetic = 0.4 }
[[body]]
name = "ground"
motion = "fixed"
shape = { half-space = { normal = [0, 0, 1] } }
[[body]]
name = "a"
shape = { ball = { radius = 0.5 } }
mass = 1.0
position = [0, 0, 3]
[[body]]
name = "a.b"
shape = { box = { size = [1, 1, 1] } }
mass = 2.0
position = [5, 0, 3]
[[contact]]
bodies = ["a", "ground"]
friction = 0.1
[[force]]
body = "a"
force = [1, 0, 0]
[[force]]
body = "a"
torque = [0, 1, 0]
[[joint]]
name = "pin"
type = "hinge"
bodies = ["world", "a.b"]
anchor = [5, 0, 3]
axis = [0, 1, 0]
motor = { velocity = 1.0, force = 10 }
"#;

    fn with(settings: &[&str]) -> Result<Scene, String> {
        let overrides: Vec<Override> = settings
            .iter()
            .map(|text| Override::from_option(text).expect("KEY=VALUE"))
            .collect();
        Scene::parse(SCENE, "scene.toml", &overrides).map_err(|e| e.to_string())
    }

    #[test]
    fn every_value_has_a_path() {
        let scene = with(&[
            "body.a.mass=7",
            "body.a.b.mass=8",
            "body.a.position.z=4",
            "body.a.velocity.x=2",
            "body.a.shape.ball.radius=0.25",
            "body.2.friction=0.9",
            "contact.ground/a.friction=0.7",
            "force.0.force.y=6",
            "joint.pin.motor.velocity=3",
            "gravity.x=1",
            "material.friction.static=0.6",
            "parameters.mu=0.2",
        ])
        .expect("all of them");
        let body = |name: &str| {
            scene
                .bodies
                .iter()
                .find(|b| b.name == name)
                .expect("a body")
        };
        let text = format!("{:?}", scene);
        assert_eq!(body("a").position.z, 4.0);
        assert_eq!(body("a").velocity.x, 2.0);
        assert_eq!(body("a").velocity.y, 0.0, "made with zeros");
        assert_eq!(scene.gravity.to_array(), [1.0, 0.0, -9.81]);
        for value in ["7.0", "8.0", "0.25", "0.9", "0.7", "0.6"] {
            assert!(text.contains(value), "{value}");
        }
        // One after the other, as a file would have it.
        let twice = with(&["body.a.mass=7", "body.a.mass=9"]).expect("the last counts");
        assert_ne!(format!("{twice:?}"), text);
    }

    #[test]
    fn what_is_not_there_is_told_and_never_passed_over() {
        for (setting, word) in [
            ("body.c.mass=1", "did you mean `body.a.mass`?"),
            ("body.a.masss=1", "did you mean `body.a.mass`?"),
            ("body.a=1", "nothing in the scene is called"),
            ("body=1", "nothing in the scene is called"),
            ("force.a.force.x=1", "nothing in the scene is called"),
            ("body.7.mass=1", "nothing in the scene is called"),
            ("body.a.position.w=1", "nothing in the scene is called"),
            ("body.a.position.3=1", "nothing in the scene is called"),
            ("contact.a/b.friction=1", "nothing in the scene is called"),
            (
                "contact.a/ground.friction.static=1",
                "`friction` is a number, which has no `static`",
            ),
            ("parameters.nu=1", "did you mean `parameters.mu`?"),
            ("=1", "nothing in the scene is called"),
            ("body.=1", "nothing in the scene is called"),
            (".=1", "nothing in the scene is called"),
            ("body.a.mass=-1", "mass"),
        ] {
            let error = with(&[setting]).expect_err(setting);
            assert!(error.contains(word), "{setting}: {error}");
        }
    }
}
