//! `--set KEY=VALUE`: changes to a scene that are not in its file.

use std::fmt;
use std::ops::Range;

use toml::de::DeValue;

use super::keys::{Kind, MATERIAL, ROOT, STEP, TableSpec};
use super::node::{Fault, Key, Node, Outcome, Place, Sources, Value};
use crate::expression::nearest;

/// One change to a scene: a parameter by its name, or a value by its path, such as `step.h`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The name of a parameter, or a path such as `step.h`, `material.friction` or `gravity`.
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

/// The tables whose keys can be set by path.
const SETTABLE: [(&str, &TableSpec); 2] = [("step", &STEP), ("material", &MATERIAL)];

/// Applies the overrides to the document, in order.
pub(super) fn apply(document: &mut Node, sources: &Sources<'_>) -> Outcome<()> {
    for (k, option) in sources.overrides.iter().enumerate() {
        let source = k + 1;
        let path = path_of(document, option, source)?;
        set(document, &path, option.node(source)?, source, option);
    }
    Ok(())
}

/// The path of keys that an override means.
fn path_of(document: &Node, option: &Override, source: usize) -> Outcome<Vec<String>> {
    let parameters = parameter_names(document);
    let key = option.key.as_str();
    if parameters.contains(&key) {
        return Ok(vec!["parameters".to_owned(), key.to_owned()]);
    }
    let mut known: Vec<String> = Vec::new();
    known.extend(parameters.iter().map(|name| format!("parameters.{name}")));
    for spec in ROOT.keys {
        match spec.kind {
            Kind::Table(_) | Kind::Tables(_) | Kind::Parameters => {}
            _ => known.push(spec.name.to_owned()),
        }
    }
    for (table, spec) in SETTABLE {
        known.extend(spec.keys.iter().map(|key| format!("{table}.{}", key.name)));
    }
    if known.iter().any(|path| path == key) {
        return Ok(key.split('.').map(str::to_owned).collect());
    }
    let place = Place {
        source,
        span: option.key_span(),
    };
    let message = format!("nothing in the scene is called `{key}`");
    let fault = Fault::new(&place, message);
    // A bare `h` probably means `step.h`; otherwise the nearest of all names.
    let last_part = |path: &&String| path.rsplit('.').next() == Some(key);
    let meant = known.iter().find(last_part).map(String::as_str);
    let everything = parameters
        .into_iter()
        .chain(known.iter().map(String::as_str));
    Err(match meant.or_else(|| nearest(key, everything)) {
        Some(meant) => fault.suggest(Some(meant)),
        None => fault.with_help(
            "set one of the scene's [parameters] by name, or a value by path, such as step.h",
        ),
    })
}

fn parameter_names(document: &Node) -> Vec<&str> {
    let Value::Table(entries) = &document.value else {
        return Vec::new();
    };
    let parameters = entries.iter().find(|(key, _)| key.name == "parameters");
    match parameters.map(|(_, node)| &node.value) {
        Some(Value::Table(entries)) => entries.iter().map(|(key, _)| key.name.as_str()).collect(),
        _ => Vec::new(),
    }
}

/// Puts a value at a path, making the table on the way if it is missing. A table that is there but
/// is none is left alone: reading it will say so.
fn set(document: &mut Node, path: &[String], value: Node, source: usize, option: &Override) {
    let Some((name, rest)) = path.split_first() else {
        *document = value;
        return;
    };
    let Value::Table(entries) = &mut document.value else {
        return;
    };
    let place = Place {
        source,
        span: option.key_span(),
    };
    let at = match entries.iter().position(|(key, _)| key.name == *name) {
        Some(at) => at,
        None => {
            let key = Key {
                name: name.clone(),
                place: place.clone(),
            };
            let empty = Node {
                place,
                value: Value::Table(Vec::new()),
            };
            entries.push((key, empty));
            entries.len() - 1
        }
    };
    set(&mut entries[at].1, rest, value, source, option);
}
