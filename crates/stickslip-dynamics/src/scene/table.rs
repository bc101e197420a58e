//! Tables whose keys have been checked.

use super::keys::{BODY, Kind, ROOT, SHAPE, SYNONYMS, TableSpec};
use super::node::{Fault, Key, Node, Outcome, Place, Value};
use crate::expression::nearest;

/// A table of the document in which every key is known and every required one is there.
#[derive(Clone, Copy)]
pub(super) struct Table<'n> {
    spec: &'static TableSpec,
    place: &'n Place,
    entries: &'n [(Key, Node)],
}

impl<'n> Table<'n> {
    /// Checks that a node is a table with the keys of `spec`.
    pub(super) fn open(node: &'n Node, spec: &'static TableSpec) -> Outcome<Self> {
        let Value::Table(entries) = &node.value else {
            let message = format!("{} must be a table, not {}", spec.name, node.kind());
            return Err(Fault::new(&node.place, message).with_help(form_of(spec)));
        };
        let table = Self {
            spec,
            place: &node.place,
            entries,
        };
        for (key, _) in entries {
            table.check_key(key)?;
        }
        for key in spec.keys {
            if key.required && table.get(key.name).is_none() {
                let message = format!("`{}` is missing in {}", key.name, spec.name);
                let help = match key.kind {
                    Kind::Table(inner) => format!("{} {}", key.doc, form_of(inner)),
                    _ => key.doc.to_owned(),
                };
                return Err(Fault::new(&node.place, message).with_help(help));
            }
        }
        if spec.one_key && entries.len() != 1 {
            let message = format!("{} needs exactly one of {}", spec.name, list_of(spec));
            return Err(Fault::new(&node.place, message));
        }
        Ok(table)
    }

    fn check_key(&self, key: &Key) -> Outcome<()> {
        let spec = self.spec;
        if spec.keys.iter().any(|known| known.name == key.name) {
            return Ok(());
        }
        let message = format!("unknown key `{}` in {}", key.name, spec.name);
        let fault = Fault::new(&key.place, message);
        let known = spec.keys.iter().map(|known| known.name);
        let ours = SYNONYMS.iter().filter(|(theirs, _)| *theirs == key.name);
        let synonym = ours
            .map(|(_, ours)| *ours)
            .find(|ours| known.clone().any(|k| k == *ours));
        if let (None, Some(help)) = (synonym, stands_elsewhere(&key.name, spec)) {
            return Err(fault.with_help(help));
        }
        Err(match synonym.or_else(|| nearest(&key.name, known)) {
            Some(meant) => fault.suggest(Some(meant)),
            None => fault.with_help(format!("the keys are {}", list_of(spec))),
        })
    }

    /// The value of a key, if it is there.
    pub(super) fn get(&self, name: &str) -> Option<&'n Node> {
        debug_assert!(
            self.spec.keys.iter().any(|key| key.name == name),
            "the parser asks for `{name}`, which is not listed for {}",
            self.spec.name
        );
        let mut entries = self.entries.iter();
        entries
            .find(|(key, _)| key.name == name)
            .map(|(_, node)| node)
    }

    /// The value of a required key.
    pub(super) fn need(&self, name: &str) -> Outcome<&'n Node> {
        let missing = || {
            let message = format!("`{name}` is missing in {}", self.spec.name);
            Fault::new(self.place, message)
        };
        self.get(name).ok_or_else(missing)
    }

    /// The first of these keys that is there, with its place.
    pub(super) fn first_of(&self, names: &[&str]) -> Option<&'n Key> {
        let mut entries = self.entries.iter().map(|(key, _)| key);
        entries.find(|key| names.contains(&key.name.as_str()))
    }

    /// The one entry of a table that must have exactly one.
    pub(super) fn only(&self) -> Option<(&'n str, &'n Node)> {
        self.entries
            .first()
            .map(|(key, node)| (key.name.as_str(), node))
    }

    /// The place of the table itself.
    pub(super) fn place(&self) -> &'n Place {
        self.place
    }

    /// A fault at the table itself.
    pub(super) fn fault(&self, message: impl Into<String>) -> Box<Fault> {
        Fault::new(self.place, message)
    }
}

/// Where a key stands that is none of this table's: people forget that a table goes on until the next one begins, and that sizes belong to shapes.
fn stands_elsewhere(key: &str, spec: &'static TableSpec) -> Option<String> {
    let has = |spec: &TableSpec| spec.keys.iter().any(|known| known.name == key);
    let inner = |kind: &Kind| match kind {
        Kind::Table(inner) => Some(*inner),
        _ => None,
    };
    let tables = || {
        ROOT.keys
            .iter()
            .filter_map(|k| Some((k.name, inner(&k.kind)?)))
    };
    let is_root = std::ptr::eq(spec, &raw const ROOT);
    let own = ROOT.keys.iter().find(|known| known.name == key);
    if own.is_some_and(|own| !is_root && !matches!(own.kind, Kind::Table(_) | Kind::Tables(_))) {
        return Some(format!(
            "`{key}` stands at the top of the file, before the first [table]"
        ));
    }
    if is_root || tables().any(|(_, table)| std::ptr::eq(table, spec)) {
        let (name, _) = tables().find(|(_, table)| has(table))?;
        return Some(format!("`{key}` stands under [{name}]"));
    }
    if std::ptr::eq(spec, &raw const BODY) {
        let shapes = SHAPE.keys.iter();
        let shape = shapes.filter_map(|k| Some((k.name, inner(&k.kind)?)));
        let (name, _) = shape.into_iter().find(|(_, shape)| has(shape))?;
        return Some(format!(
            "`{key}` belongs to a shape, such as shape = {{ {name} = {{ {key} = … }} }}"
        ));
    }
    None
}

/// The keys of a table as a list for messages.
fn list_of(spec: &TableSpec) -> String {
    let names: Vec<String> = spec.keys.iter().map(|k| format!("`{}`", k.name)).collect();
    names.join(", ")
}

/// What a table looks like, for messages.
fn form_of(spec: &TableSpec) -> String {
    let wanted: Vec<&str> = spec
        .keys
        .iter()
        .filter(|key| key.required || spec.one_key)
        .map(|key| key.name)
        .collect();
    let keys = if wanted.is_empty() {
        list_of(spec)
    } else {
        let between = if spec.one_key { "` or `" } else { "` and `" };
        format!("`{}`", wanted.join(between))
    };
    format!("{} is a table with {keys}", spec.name)
}
