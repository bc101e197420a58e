//! The document as a tree in which every key and value knows its place.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use super::error::SceneError;
use super::overrides::Override;
use super::slips::explained;
use crate::expression::{Expression, ExpressionError};

/// A place: bytes of the scene file (source 0) or of the value of an override (source 1, 2, …).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) source: usize,
    pub(super) span: Range<usize>,
}

/// What is wrong, and where: a `SceneError` before line and column are known.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) place: Place,
    pub(super) message: String,
    pub(super) help: Option<String>,
    /// Where in another file it is.
    pub(super) elsewhere: Option<stickslip_robots::Place>,
}

/// Faults are rare and travel far, so they are boxed.
pub(super) type Outcome<T> = Result<T, Box<Fault>>;

impl Fault {
    pub(super) fn new(place: &Place, message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            place: place.clone(),
            message: message.into(),
            help: None,
            elsewhere: None,
        })
    }

    /// What is wrong with a model that this place includes.
    pub(super) fn in_model(place: &Place, error: stickslip_robots::RobotError) -> Box<Self> {
        Box::new(Self {
            place: place.clone(),
            message: error.message,
            help: error.help,
            elsewhere: Some(error.place),
        })
    }

    pub(super) fn with_help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }

    /// With `did you mean …?` where a near name is known.
    pub(super) fn suggest(self: Box<Self>, meant: Option<&str>) -> Box<Self> {
        match meant {
            Some(meant) => self.with_help(format!("did you mean `{meant}`?")),
            None => self,
        }
    }
}

/// A value with its place.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) value: Value,
}

/// The value of a node.
#[derive(Debug)]
pub(super) enum Value {
    Number(f64),
    Text(Text),
    Bool(bool),
    Date,
    Array(Vec<Node>),
    Table(Vec<(Key, Node)>),
}

/// A key with its place.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) place: Place,
}

/// A string, with the formula it may hold, parsed at most once.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) text: String,
    /// Where the text itself begins, if every byte of it stands in the source as it is.
    begins: Option<usize>,
    formula: OnceCell<Result<Expression, ExpressionError>>,
}

impl Text {
    pub(super) fn formula(&self) -> Result<&Expression, &ExpressionError> {
        self.formula
            .get_or_init(|| Expression::parse(&self.text))
            .as_ref()
    }
}

impl Node {
    /// What the value is, for messages such as "expected a number, found a table".
    pub(super) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Number(_) => "a number",
            Value::Text(_) => "a string",
            Value::Bool(_) => "true or false",
            Value::Date => "a date or time",
            Value::Array(_) => "an array",
            Value::Table(_) => "a table",
        }
    }

    /// The place of a piece of this node's text, or of the whole node where the text has escapes.
    pub(super) fn place_in_text(&self, span: &Range<usize>) -> Place {
        match &self.value {
            Value::Text(Text {
                begins: Some(begins),
                ..
            }) => Place {
                source: self.place.source,
                span: begins + span.start..begins + span.end,
            },
            _ => self.place.clone(),
        }
    }

    /// A fault of the formula in this node.
    pub(super) fn formula_fault(&self, error: &ExpressionError) -> Box<Fault> {
        let place = self.place_in_text(&error.span);
        let fault = Fault::new(&place, error.message.clone());
        match &error.help {
            Some(help) => fault.with_help(help.clone()),
            None => fault,
        }
    }

    /// A string that was not quoted, such as the value of `--set step.solver=lemke`.
    pub(super) fn bare_text(text: &str, place: Place) -> Self {
        let begins = Some(place.span.start);
        Self {
            place,
            value: Value::Text(Text {
                text: text.to_owned(),
                begins,
                formula: OnceCell::new(),
            }),
        }
    }

    /// From the value of the TOML library; `text` is the whole source it came from.
    pub(super) fn from_toml(
        value: &DeValue<'_>,
        span: Range<usize>,
        source: usize,
        text: &str,
    ) -> Outcome<Self> {
        let place = Place { source, span };
        let value = match value {
            DeValue::Integer(integer) => {
                match i128::from_str_radix(integer.as_str(), integer.radix()) {
                    Ok(value) => Value::Number(value as f64),
                    Err(_) => return Err(Fault::new(&place, "this integer is too large")),
                }
            }
            DeValue::Float(float) => match float.as_str().parse::<f64>() {
                Ok(value) => Value::Number(value),
                Err(_) => return Err(Fault::new(&place, "this is not a number")),
            },
            DeValue::String(string) => Value::Text(Text {
                text: string.to_string(),
                begins: begins_verbatim(text, &place.span, string),
                formula: OnceCell::new(),
            }),
            DeValue::Boolean(value) => Value::Bool(*value),
            DeValue::Datetime(_) => Value::Date,
            DeValue::Array(items) => {
                let node = |item: &toml::Spanned<DeValue<'_>>| {
                    Self::from_toml(item.get_ref(), item.span(), source, text)
                };
                Value::Array(items.iter().map(node).collect::<Outcome<_>>()?)
            }
            DeValue::Table(table) => Value::Table(entries(table, source, text)?),
        };
        Ok(Self { place, value })
    }
}

/// The entries of a table, in the order of the file.
fn entries(table: &DeTable<'_>, source: usize, text: &str) -> Outcome<Vec<(Key, Node)>> {
    let mut found = Vec::with_capacity(table.len());
    for (key, value) in table {
        let place = Place {
            source,
            span: key.span(),
        };
        let name = key.get_ref().to_string();
        let node = Node::from_toml(value.get_ref(), value.span(), source, text)?;
        found.push((Key { name, place }, node));
    }
    found.sort_by_key(|(key, _)| key.place.span.start);
    Ok(found)
}

/// Where the text of a quoted string begins in the source, if it stands there without escapes.
fn begins_verbatim(source: &str, span: &Range<usize>, text: &str) -> Option<usize> {
    let quoted = source.get(span.clone())?;
    for quote in ["\"\"\"", "'''", "\"", "'"] {
        let inner = quoted
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            let skipped = inner.len().checked_sub(text.len())?;
            return inner
                .ends_with(text)
                .then(|| span.start + quote.len() + skipped);
        }
    }
    None
}

/// The texts that places point into: the scene file and the values of the overrides.
pub(super) struct Sources<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
    pub(super) overrides: &'a [Override],
}

impl<'a> Sources<'a> {
    pub(super) fn new(file: &'a str, text: &'a str, overrides: &'a [Override]) -> Self {
        Self {
            file,
            text,
            overrides,
        }
    }

    /// A place in the scene file.
    pub(super) fn in_file(span: Range<usize>) -> Place {
        Place { source: 0, span }
    }

    /// Finds line and column of a fault.
    pub(super) fn error(&self, fault: Fault) -> SceneError {
        let Fault {
            place,
            message,
            help,
            elsewhere,
        } = fault;
        if let Some(there) = elsewhere {
            let (file, text) = (&there.source.file, &there.source.text);
            return SceneError::at(file, text, there.span, message, help);
        }
        match place
            .source
            .checked_sub(1)
            .and_then(|k| self.overrides.get(k))
        {
            None => {
                let text = Arc::from(self.text);
                SceneError::at(self.file, &text, place.span, message, help)
            }
            Some(option) => {
                let text = Arc::from(option.to_string());
                SceneError::at("the command line", &text, place.span, message, help)
            }
        }
    }

    /// Parses the scene file into a tree.
    pub(super) fn document(&self) -> Outcome<Node> {
        let parsed = DeTable::parse(self.text).map_err(|error| {
            let end = self.text.len();
            let span = error.span().unwrap_or(end..end);
            let (message, help) = explained(self.text, &span, error.message().trim_end());
            let fault = Fault::new(&Self::in_file(span), message);
            match help {
                Some(help) => fault.with_help(help),
                None => fault,
            }
        })?;
        Ok(Node {
            place: Self::in_file(0..0),
            value: Value::Table(entries(parsed.get_ref(), 0, self.text)?),
        })
    }
}

impl Place {
    /// Moves the place by so many bytes.
    pub(super) fn shift(&mut self, by: usize) {
        self.span = self.span.start + by..self.span.end + by;
    }
}

impl Node {
    /// Moves the node and all in it by so many bytes.
    pub(super) fn shift(&mut self, by: usize) {
        self.place.shift(by);
        match &mut self.value {
            Value::Text(text) => text.begins = text.begins.map(|begins| begins + by),
            Value::Array(items) => items.iter_mut().for_each(|item| item.shift(by)),
            Value::Table(entries) => {
                for (key, node) in entries {
                    key.place.shift(by);
                    node.shift(by);
                }
            }
            Value::Number(_) | Value::Bool(_) | Value::Date => {}
        }
    }
}
