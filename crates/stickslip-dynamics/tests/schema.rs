//! The JSON Schema and the parser know the same keys, and agree on what is a scene.

mod support;

use serde_json::Value;
use stickslip_dynamics::scene::{Files, Scene, schema};
use support::json_schema;

/// A scene in which every table of the format appears once.
const WHOLE: &str = r#"
format = 1
title = "everything"
gravity = [0, 0, -9.81]
seed = 1

[parameters]
a = 1

[step]
h = 0.01
until = 1.0
method = "stewart-trinkle"
cone = { pyramid = 8, fan = "body", turn = 0.5 }
contact = "conjunctive"
solver = "auto"
tolerance = 1e-10
energy-check = false

[material]
friction = { static = 0.5, kinetic = 0.4 }
restitution = 0
torsion = 0
rolling = 0

[[body]]
name = "ground"
motion = "fixed"
shape = { half-space = { normal = [0, 0, 1], offset = 0 } }
surface = { velocity = ["t", 0, 0], angular-velocity = [0, 0, 1], face = [0, 0, 1] }
grain = { direction = [1, 0, 0], ratio = 2 }

[[body]]
name = "ball"
shape = { ball = { radius = 1 } }
count = 2
mass = 1
inertia = [1, 1, 1]
position = [0, 0, 0]
orientation = { rpy = [0, 0, 0] }
velocity = [0, 0, 0]
angular-velocity = [0, 0, 0]
friction = { static = 0.5, kinetic = 0.4 }
restitution = 0
torsion = 0
rolling = 0
material = "steel"

[[body]]
name = "box"
shape = { box = { size = [1, 1, 1] } }
density = 1
groups = ["a"]
surface = { velocity = [1, 0, 0], angular-velocity = [0, 0, "t"], face = [0, 0, 1] }
grain = { direction = [1, 0, 0], ratio = 2 }
orientation = { axis = [0, 0, 1], angle = 1 }

[[body]]
name = "plate"
shape = { box = { size = [1, 1, 1] } }
motion = { position = ["t", 0, 0], axis = [0, 0, 1], angle = "t", rotation = [0, "t", 0] }

[[body]]
name = "shaker"
shape = { box = { size = [1, 1, 1] } }

[body.motion]
accelerations = [
  { along = [0, 0, 1], amplitude = 1, frequency = 33, phase = 0 },
  { about = [0, 0, 1], amplitude = 1, frequency = 33 },
]

[body.motion.table]
t = [0, 1, 2, 3]
x = [0, 1, 2, 0]
y = [0, 1, 2, 0]
z = [0, 1, 2, 0]
rx = [0, 1, 2, 0]
ry = [0, 1, 2, 0]
rz = [0, 1, 2, 0]

[[body]]
name = "tripod"
shape = { points = { at = [[1, 0, 0], [-1, 1, 0], [0, -1, 0]] } }
mass = 1

[[body]]
name = "cylinder"
shape = { cylinder = { radius = 1, length = 1 } }
mass = 1

[[body]]
name = "cone"
shape = { cone = { radius = 1, length = 1 } }
mass = 1

[[body]]
name = "capsule"
shape = { capsule = { radius = 1, length = 1 } }
mass = 1

[[body]]
name = "hull"
shape = { hull = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] } }
mass = 1

[[body]]
name = "mesh"
motion = "fixed"
shape = { mesh = { vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles = [[0, 1, 2]] } }

[[body]]
name = "field"
motion = "fixed"
shape = { height-field = { heights = [[0, 0], [0, 1]], spacing = [1, 1], scale = 1 } }

[[body]]
name = "compound"
density = 1
[[body.shape.compound]]
shape = { box = { size = [1, 1, 1] } }
position = [0, 0, 0]
orientation = { axis = [0, 0, 1], angle = 1 }

[[pair]]
materials = ["steel", "steel"]
friction = { static = 0.5, kinetic = 0.4 }
restitution = 0

[[contact]]
bodies = ["ground", "box"]
friction = { static = 0.5, kinetic = 0.4 }
restitution = 0

[[force]]
body = "box"
force = [1, 0, 0]
torque = [1, 0, 0]
point = [0, 0, 0]

[[joint]]
name = "shaft"
type = "hinge"
bodies = ["world", "box"]
anchor = [0, 0, 0]
axis = [0, 0, 1]
limits = [-1, 1]
motor = { velocity = "t", force = 1 }
friction = 1
collide = false

[[gear]]
name = "teeth"
joints = ["shaft", "slide"]
axes = ["rx", "x"]
ratio = 2
offset = 1

[[joint]]
name = "slide"
type = "six-dof"
bodies = ["ball[0]", "ball[1]"]
anchors = [[0, 0, 0], [0, 0, 0]]
orientation = { rpy = [0, 0, 0] }
x = "free"
y = { limits = [-1, 1] }
z = { motor = { position = "t", speed = 1, force = 1 } }
rx = { friction = 1 }
ry = { motion = 0 }
rz = "locked"

[[spring]]
name = "string"
between = [{ body = "world", point = [0, 0, 0] }, { body = "box", point = [0, 0, 0] }]
stiffness = 1
damping = 1
length = 1
explicit = false

[[spring]]
joint = "shaft"
axis = "rx"
stiffness = 1
rest = 0

[[motor]]
joint = "shaft"
axis = "rx"
position = { t = [0, 1], value = [0, 0], repeat = true }
stiffness = 1
damping = 1
force = 1

[[frame]]
name = "tip"
body = "box"
position = [0, 0, 1]
orientation = { rpy = [0, 0, 0] }

[[include]]
file = "robots/arm.urdf"
prefix = "arm/"
position = [100, 0, 0]
orientation = { rpy = [0, 0, 0] }
fixed-base = true
joints = { elbow = 0.5 }
hold = { stiffness = 1, damping = 1 }
dynamics = { friction = 1, damping = 1, armature = 1 }
"#;

fn whole() -> toml::Table {
    WHOLE.parse().expect("a TOML document")
}

fn parse(document: &toml::Table) -> Result<Scene, String> {
    let text = toml::to_string(document).expect("a document can be written");
    // Models are beside the scenes.
    let scenes = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/any.toml");
    let files = Files::beside(std::path::Path::new(scenes));
    Scene::parse_with(&text, "whole.toml", &[], files).map_err(|error| error.message)
}

/// A path into the document: keys, and numbers for the items of arrays.
type Path = Vec<String>;

fn at<'d>(document: &'d mut toml::Value, path: &[String]) -> &'d mut toml::Value {
    path.iter().fold(document, |value, step| match value {
        toml::Value::Array(items) => &mut items[step.parse::<usize>().expect("a number")],
        other => other.get_mut(step).expect("a key of the document"),
    })
}

/// All tables of the document with the schemas that may describe them.
fn tables(value: &toml::Value, schema: &Value, path: &Path, found: &mut Vec<(Path, Value)>) {
    for option in json_schema::options(schema) {
        match value {
            toml::Value::Table(table) if option.get("properties").is_some() => {
                found.push((path.clone(), option.clone()));
                for (key, inner) in table {
                    if let Some(inner_schema) = option["properties"].get(key) {
                        let mut longer = path.clone();
                        longer.push(key.clone());
                        tables(inner, inner_schema, &longer, found);
                    }
                }
            }
            toml::Value::Array(items) => {
                if let Some(item_schema) = option.get("items") {
                    for (k, item) in items.iter().enumerate() {
                        let mut longer = path.clone();
                        longer.push(k.to_string());
                        tables(item, item_schema, &longer, found);
                    }
                }
            }
            _ => {}
        }
    }
}

fn all_tables() -> Vec<(Path, Value)> {
    let mut found = Vec::new();
    let document = toml::Value::Table(whole());
    tables(&document, &schema(), &Vec::new(), &mut found);
    found
}

#[test]
fn the_whole_document_is_a_scene() {
    parse(&whole()).expect("every key is accepted");
}

/// A value that no key accepts is refused wherever it stands, so no key is accepted and ignored, and
/// none that the schema lists is unknown to the parser.
#[test]
fn the_parser_reads_every_key_of_the_schema() {
    let date: toml::Value = "x = 1979-05-27".parse::<toml::Table>().expect("a date")["x"].clone();
    let mut tried = 0;
    for (path, table) in all_tables() {
        for key in table["properties"].as_object().expect("properties").keys() {
            let mut document = toml::Value::Table(whole());
            let place = at(&mut document, &path).as_table_mut().expect("a table");
            if table.get("maxProperties").is_some() {
                place.clear();
            }
            place.insert(key.clone(), date.clone());
            let toml::Value::Table(document) = document else {
                unreachable!("the root is a table");
            };
            let message = parse(&document).expect_err("a date is never right");
            let place = format!("{} {key}: {message}", path.join("."));
            assert!(!message.contains("unknown key"), "{place}");
            tried += 1;
        }
    }
    assert!(tried >= 60, "{tried} keys tried");
}

#[test]
fn the_parser_refuses_what_the_schema_does_not_list() {
    for (path, _) in all_tables() {
        let mut document = toml::Value::Table(whole());
        let place = at(&mut document, &path).as_table_mut().expect("a table");
        place.insert("zzzzzzzz".to_owned(), toml::Value::Integer(1));
        let toml::Value::Table(document) = document else {
            unreachable!("the root is a table");
        };
        let message = parse(&document).expect_err("an unknown key");
        assert!(message.contains("unknown key `zzzzzzzz`"), "{message}");
    }
}

#[test]
fn every_table_of_the_schema_is_in_the_document() {
    let mut in_schema = std::collections::BTreeSet::new();
    collect_descriptions(&schema(), &mut in_schema);
    let described: std::collections::BTreeSet<String> = all_tables()
        .iter()
        .map(|(_, table)| table["properties"].to_string())
        .collect();
    assert_eq!(in_schema, described);
}

fn collect_descriptions(schema: &Value, found: &mut std::collections::BTreeSet<String>) {
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        found.insert(schema["properties"].to_string());
        properties
            .values()
            .for_each(|inner| collect_descriptions(inner, found));
    }
    for option in json_schema::options(schema) {
        if !std::ptr::eq(option, schema) {
            collect_descriptions(option, found);
        }
    }
    if let Some(items) = schema.get("items") {
        collect_descriptions(items, found);
    }
}

/// What the parser accepts the schema accepts, for every scene of the repository.
#[test]
fn every_scene_fits_the_schema() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut documents = vec![(WHOLE.to_owned(), "the whole document".to_owned())];
    for entry in std::fs::read_dir(folder).expect("the folder of scenes") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let text = std::fs::read_to_string(&path).expect("a scene");
            documents.push((text, path.display().to_string()));
        }
    }
    let schema = schema();
    for (text, name) in documents {
        let document: toml::Table = text.parse().expect("a TOML document");
        let document = json_of(&toml::Value::Table(document));
        if let Err(why) = json_schema::validate(&document, &schema, &schema) {
            panic!("{name}: {why}");
        }
    }
}

#[test]
fn the_schema_refuses_wrong_keys_and_types() {
    let schema = schema();
    for (right, wrong) in [
        ("title = \"everything\"", "titel = \"everything\""),
        ("title = \"everything\"", "title = 3"),
        ("h = 0.01", "h = true"),
        ("gravity = [0, 0, -9.81]", "gravity = [0, -9.81]"),
        ("solver = \"auto\"", "solver = \"fast\""),
        ("{ ball = { radius = 1 } }", "{ bal = { radius = 1 } }"),
        (
            "cone = { pyramid = 8, fan = \"body\", turn = 0.5 }",
            "cone = \"pyramid:\"",
        ),
        ("format = 1", "format = 2"),
    ] {
        assert!(WHOLE.contains(right));
        let text = WHOLE.replacen(right, wrong, 1);
        let document: toml::Table = text.parse().expect("a TOML document");
        let document = serde_json::to_value(document).expect("JSON");
        let verdict = json_schema::validate(&document, &schema, &schema);
        assert!(verdict.is_err(), "accepted {wrong}");
    }
}

/// TOML as JSON; infinite numbers, which JSON does not have, as large ones.
fn json_of(value: &toml::Value) -> serde_json::Value {
    match value {
        toml::Value::Float(x) if x.is_infinite() => f64::MAX.copysign(*x).into(),
        toml::Value::Array(list) => list.iter().map(json_of).collect(),
        toml::Value::Table(table) => table
            .iter()
            .map(|(key, value)| (key.clone(), json_of(value)))
            .collect(),
        other => serde_json::to_value(other).expect("JSON"),
    }
}
