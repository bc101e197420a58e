//! XML as a tree in which every element and attribute knows its place, and whether anybody asked for it.

use crate::place::{Outcome, Place, RobotError, Source};
use glam::DVec3;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most nodes (elements, comments, pieces of text) of a file.
pub const MOST_NODES: u32 = 1_000_000;

/// How deep elements may be nested.
pub const DEEPEST: usize = 300;

/// The largest file, bytes.
pub const MOST_BYTES: usize = 64 << 20;

/// An attribute.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) place: Place,
    used: Cell<bool>,
}

/// An element.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) tag: String,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) children: Vec<Element>,
    pub(crate) place: Place,
    used: Cell<bool>,
}

/// The pairs (element, attribute) that were asked for: what a reader knows, wherever it stands.
pub(crate) type Asked = RefCell<BTreeSet<(String, String)>>;

/// Parses a file into its root element.
pub(crate) fn parse(file: &str, text: Arc<str>) -> Outcome<Element> {
    let source = Arc::new(Source {
        file: file.to_owned(),
        text: Arc::clone(&text),
    });
    let at = |span: std::ops::Range<usize>| Place {
        source: Arc::clone(&source),
        span,
    };
    if text.len() > MOST_BYTES {
        let message = format!("the file is too large: a model may have {MOST_BYTES} bytes");
        return Err(RobotError::new(&at(0..0), message));
    }
    let options = roxmltree::ParsingOptions {
        allow_dtd: false,
        nodes_limit: MOST_NODES,
        entity_resolver: None,
    };
    let document = roxmltree::Document::parse_with_options(&text, options).map_err(|error| {
        let start = offset(&text, error.pos());
        let fault = RobotError::new(&at(start..start + 1), format!("this is not XML: {error}"));
        match error {
            roxmltree::Error::NodesLimitReached => {
                let message = format!("the file has more than {MOST_NODES} elements");
                RobotError::new(&at(0..0), message)
            }
            roxmltree::Error::DtdDetected => {
                let message = "a document type with entities is not read";
                RobotError::new(&at(doctype(&text)), message)
                    .with_help("write out what the entities stand for")
            }
            _ => fault,
        }
    })?;
    Element::from_node(&document.root_element(), &source, 0)
}

/// Where the document type stands.
fn doctype(text: &str) -> std::ops::Range<usize> {
    const WORD: &str = "<!DOCTYPE";
    let start = text.find(WORD).unwrap_or(0);
    start..(start + WORD.len()).min(text.len())
}

/// The byte of a line and column (of characters, from 1).
fn offset(text: &str, pos: roxmltree::TextPos) -> usize {
    let row = (pos.row as usize).saturating_sub(1);
    let start: usize = text.split_inclusive('\n').take(row).map(str::len).sum();
    let column = (pos.col as usize).saturating_sub(1);
    let rest = &text[start.min(text.len())..];
    start + rest.chars().take(column).map(char::len_utf8).sum::<usize>()
}

impl Element {
    fn from_node(
        node: &roxmltree::Node<'_, '_>,
        source: &Arc<Source>,
        depth: usize,
    ) -> Outcome<Self> {
        let at = |span| Place {
            source: Arc::clone(source),
            span,
        };
        let (start, tag) = (node.range().start, node.tag_name().name());
        let place = at(start..(start + 1 + tag.len()).min(source.text.len()));
        if depth > DEEPEST {
            let message = format!("elements are nested more than {DEEPEST} deep");
            return Err(RobotError::new(&place, message));
        }
        let attributes = node.attributes().map(|a| Attribute {
            name: a.name().to_owned(),
            value: a.value().to_owned(),
            place: at(a.range()),
            used: Cell::new(false),
        });
        let inner = node.children().filter(roxmltree::Node::is_element);
        Ok(Self {
            tag: tag.to_owned(),
            attributes: attributes.collect(),
            children: inner
                .map(|child| Self::from_node(&child, source, depth + 1))
                .collect::<Outcome<_>>()?,
            place,
            used: Cell::new(false),
        })
    }

    /// An error at this element.
    pub(crate) fn error(&self, message: impl Into<String>) -> Box<RobotError> {
        RobotError::new(&self.place, message)
    }

    /// An attribute, without taking note that it was asked for.
    pub(crate) fn peek(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }

    /// An attribute.
    pub(crate) fn get(&self, name: &str) -> Option<&Attribute> {
        let found = self.peek(name)?;
        found.used.set(true);
        Some(found)
    }

    /// An attribute that must be there.
    pub(crate) fn need(&self, name: &str) -> Outcome<&Attribute> {
        self.get(name)
            .ok_or_else(|| self.error(format!("<{}> needs `{name}`", self.tag)))
    }

    /// The children of this name.
    pub(crate) fn all<'e>(&'e self, tag: &'e str) -> impl Iterator<Item = &'e Self> + 'e {
        let those = self.children.iter().filter(move |c| c.tag == tag);
        those.inspect(|c| c.used.set(true))
    }

    /// The one child of this name; two are an error.
    pub(crate) fn one(&self, tag: &str) -> Outcome<Option<&Self>> {
        let mut those = self
            .children
            .iter()
            .filter(|c| c.tag == tag)
            .inspect(|c| c.used.set(true));
        let first = those.next();
        match those.next() {
            Some(second) => {
                let message = format!("a second <{tag}> in <{}>", self.tag);
                Err(second.error(message))
            }
            None => Ok(first),
        }
    }

    /// Marks the element as known.
    pub(crate) fn known(&self) {
        self.used.set(true);
    }

    /// Marks attributes as known.
    pub(crate) fn know(&self, names: &[&str]) {
        for name in names {
            let _ = self.get(name);
        }
    }

    /// Everything nobody asked for, from the top: an element that is not known stands for all in it. `known` tells of attributes
    /// that were asked for elsewhere.
    pub(crate) fn unasked<'e>(
        &'e self,
        known: &dyn Fn(&Self, &Attribute) -> bool,
        found: &mut Vec<(&'e Self, Option<&'e Attribute>)>,
    ) {
        for attribute in &self.attributes {
            if !(attribute.used.get() || known(self, attribute)) {
                found.push((self, Some(attribute)));
            }
        }
        for child in &self.children {
            if child.used.get() {
                child.unasked(known, found);
            } else {
                found.push((child, None));
            }
        }
    }
}

impl Attribute {
    /// An error at this attribute.
    pub(crate) fn error(&self, message: impl Into<String>) -> Box<RobotError> {
        RobotError::new(&self.place, message)
    }

    /// Finite numbers between spaces.
    pub(crate) fn numbers(&self) -> Outcome<Vec<f64>> {
        let words = self.value.split_whitespace();
        words
            .map(|word| match word.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(number),
                _ => {
                    let word: String = word.chars().take(30).collect();
                    let message = format!("`{word}` in `{}` is no finite number", self.name);
                    Err(self.error(message))
                }
            })
            .collect()
    }

    /// So many numbers.
    pub(crate) fn exactly<const N: usize>(&self) -> Outcome<[f64; N]> {
        let numbers = self.numbers()?;
        let count = numbers.len();
        numbers.try_into().map_err(|_| {
            let s = if N == 1 { "" } else { "s" };
            let message = format!("`{}` has {N} number{s}, not {count}", self.name);
            self.error(message)
        })
    }

    /// One number.
    pub(crate) fn number(&self) -> Outcome<f64> {
        self.exactly::<1>().map(|[x]| x)
    }

    /// A number at or above zero.
    pub(crate) fn not_negative(&self) -> Outcome<f64> {
        let value = self.number()?;
        if value >= 0.0 {
            return Ok(value);
        }
        let message = format!("`{}` must not be negative, but is {value}", self.name);
        Err(self.error(message))
    }

    /// A number above zero.
    pub(crate) fn positive(&self) -> Outcome<f64> {
        let value = self.number()?;
        if value >= f64::MIN_POSITIVE {
            return Ok(value);
        }
        let message = format!("`{}` must be positive, but is {value}", self.name);
        Err(self.error(message))
    }

    /// Three numbers.
    pub(crate) fn vector(&self) -> Outcome<DVec3> {
        self.exactly::<3>().map(DVec3::from_array)
    }

    /// A direction: three numbers, not all zero, made a unit vector.
    pub(crate) fn direction(&self) -> Outcome<DVec3> {
        let given = self.vector()?;
        let largest = given.abs().max_element();
        let unit = (given / largest).try_normalize();
        match unit.filter(|_| largest > 0.0) {
            Some(unit) => Ok(unit),
            None => Err(self.error(format!("`{}` must not be zero", self.name))),
        }
    }

    /// `true` or `false`.
    pub(crate) fn flag(&self) -> Outcome<bool> {
        match self.value.trim() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.error(format!(
                "`{}` is `true` or `false`, not `{}`",
                self.name, self.value
            ))),
        }
    }
}
