//! `--set KEY=VALUE`: changes to a scene that are not in its file.

use std::fmt;
use std::ops::Range;

use toml::de::DeValue;

use super::Scene;
use super::node::{Fault, Key, Node, Outcome, Place, Sources, Value};
use super::paths::{self, Path, Stair};
use crate::expression::nearest;

/// One change to a scene: a parameter by its name, or a value by its path, such as `step.h`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The name of a parameter, or a path such as `step.h`, `gravity.z`, `body.box.mass` or `joint.hinge.motor.velocity`.
    pub key: String,
    /// The value as it would stand in the file; quotes around strings and formulas may be left out.
    pub value: String,
    /// The option it was given by, such as `--h`, if that is not `--set`.
    pub flag: Option<String>,
}

impl Override {
    /// A change of `key` to `value`.
    pub fn new(key: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            value: value.into(),
            flag: None,
        }
    }

    /// A change given by an option of its own: `--h 0.01` sets `step.h`.
    pub fn by_flag(
        flag: impl Into<String>,
        key: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        Self {
            flag: Some(flag.into()),
            ..Self::new(key, value)
        }
    }

    /// From the text `KEY=VALUE`; nothing if there is no `=`.
    #[must_use]
    pub fn from_option(option: &str) -> Option<Self> {
        let (key, value) = option.split_once('=')?;
        Some(Self::new(key.trim(), value.trim()))
    }

    /// Where the key, or the flag that stands for it, is in the option as it is displayed.
    fn key_span(&self) -> Range<usize> {
        match &self.flag {
            None => SET.len()..SET.len() + self.key.len(),
            Some(flag) => 0..flag.len(),
        }
    }

    /// The value as a node; what is no TOML value is taken as a string or formula without quotes.
    fn node(&self, source: usize) -> Outcome<Node> {
        let start = self.key_span().end + 1;
        let span = start..start + self.value.len();
        match DeValue::parse(&self.value) {
            Ok(parsed) => {
                let mut node =
                    Node::from_toml(parsed.get_ref(), parsed.span(), source, &self.value);
                match &mut node {
                    Ok(node) => node.shift(start),
                    Err(fault) => fault.place.shift(start),
                }
                node
            }
            Err(_) => Ok(Node::bare_text(&self.value, Place { source, span })),
        }
    }
}

/// How an option that has no flag of its own begins.
const SET: &str = "--set ";

/// The option as it stands on the command line.
impl fmt::Display for Override {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.flag {
            None => write!(f, "{SET}{}={}", self.key, self.value),
            Some(flag) => write!(f, "{flag} {}", self.value),
        }
    }
}

/// Applies the overrides to the document, in order.
pub(super) fn apply(document: &mut Node, sources: &Sources<'_>) -> Outcome<()> {
    for (k, option) in sources.overrides.iter().enumerate() {
        let source = k + 1;
        let path = path_of(document, option, source)?;
        let value = option.node(source)?;
        let place = Place {
            source,
            span: option.key_span(),
        };
        set(document, &path, value, &place, "the scene")?;
    }
    Ok(())
}

/// The path that an override means.
fn path_of(document: &Node, option: &Override, source: usize) -> Outcome<Path> {
    let key = option.key.as_str();
    let parameters = paths::parameters(document);
    if parameters.contains(&key) {
        return Ok(paths::of_parameter(key));
    }
    if let Some(path) = paths::find(document, key) {
        return Ok(path);
    }
    let place = Place {
        source,
        span: option.key_span(),
    };
    let message = format!("nothing in the scene is called `{key}`");
    let fault = Fault::new(&place, message);
    // A bare `h` probably means `step.h`, and `box.mass` the mass of a body; otherwise the nearest of all names.
    let known = paths::all(document);
    let ends_so = |path: &&String| {
        let before = path.strip_suffix(key);
        !key.is_empty() && before.is_some_and(|before| before.ends_with('.'))
    };
    let within = ["body", "joint", "spring"].map(|table| format!("{table}.{key}"));
    let within = within
        .iter()
        .find(|path| paths::find(document, path).is_some());
    let meant = known.iter().find(ends_so).or(within).map(String::as_str);
    let everything = parameters
        .into_iter()
        .chain(known.iter().map(String::as_str));
    Err(match meant.or_else(|| nearest(key, everything)) {
        Some(meant) => fault.suggest(Some(meant)),
        None => fault.with_help(
            "set one of the scene's [parameters] by name, or a value by path, such as step.h or body.NAME.mass",
        ),
    })
}

/// Puts a value at a path; tables and arrays that are missing on the way are made. What is of another kind is refused.
fn set(node: &mut Node, path: &[Stair], value: Node, place: &Place, called: &str) -> Outcome<()> {
    let Some((stair, rest)) = path.split_first() else {
        *node = value;
        return Ok(());
    };
    let kind = node.kind();
    let next = match (stair, &mut node.value) {
        (Stair::Key(name), Value::Table(entries)) => {
            let at = entries.iter().position(|(key, _)| key.name == *name);
            let at = at.unwrap_or_else(|| {
                let key = Key {
                    name: name.clone(),
                    place: place.clone(),
                };
                entries.push((key, missing(name, rest, place)));
                entries.len() - 1
            });
            &mut entries[at].1
        }
        (Stair::Item(at, _), Value::Array(items)) if *at < items.len() => &mut items[*at],
        _ => {
            let message = format!("`{called}` is {kind}, which has no `{stair}`");
            return Err(Fault::new(place, message));
        }
    };
    set(next, rest, value, place, &stair.to_string())
}

/// What is made where something is missing: room for the rest of the path, with what it would be if it were left out.
fn missing(name: &str, rest: &[Stair], place: &Place) -> Node {
    let number = |x: f64| Node {
        place: place.clone(),
        value: Value::Number(x),
    };
    let value = match rest.first() {
        Some(Stair::Item(_, 3)) if name == "gravity" => {
            Value::Array(Scene::GRAVITY.to_array().map(number).into())
        }
        // A quaternion, scalar first: no turn.
        Some(Stair::Item(_, 4)) => Value::Array([1.0, 0.0, 0.0, 0.0].map(number).into()),
        Some(Stair::Item(_, length)) => Value::Array((0..*length).map(|_| number(0.0)).collect()),
        _ => Value::Table(Vec::new()),
    };
    Node {
        place: place.clone(),
        value,
    }
}
