//! `<default>`: classes of attributes, and the look from an element through its class to those above.

use crate::place::Outcome;
use crate::xml::{Asked, Attribute, Element};
use std::collections::BTreeMap;

/// The class of all that have none.
pub(crate) const MAIN: usize = 0;

/// One class.
struct Class<'e> {
    parent: Option<usize>,
    elements: Vec<&'e Element>,
}

/// All classes of a file.
pub(crate) struct Defaults<'e> {
    classes: Vec<Class<'e>>,
    names: BTreeMap<&'e str, usize>,
    asked: &'e Asked,
}

impl<'e> Defaults<'e> {
    pub(crate) fn new(asked: &'e Asked) -> Self {
        Self {
            classes: vec![Class {
                parent: None,
                elements: Vec::new(),
            }],
            names: BTreeMap::from([("main", MAIN)]),
            asked,
        }
    }

    /// Takes a `<default>` at the top of the file over.
    pub(crate) fn read(&mut self, element: &'e Element) -> Outcome<()> {
        self.fill(element, MAIN)?;
        if let Some(name) = element.get("class") {
            self.names.insert(name.value.as_str(), MAIN);
        }
        Ok(())
    }

    fn fill(&mut self, element: &'e Element, class: usize) -> Outcome<()> {
        for inner in &element.children {
            inner.known();
            if inner.tag != "default" {
                self.classes[class].elements.push(inner);
                continue;
            }
            let name = inner.need("class")?;
            let number = self.classes.len();
            if self.names.insert(name.value.as_str(), number).is_some() {
                return Err(name.error(format!("a second class has the name `{}`", name.value)));
            }
            self.classes.push(Class {
                parent: Some(class),
                elements: Vec::new(),
            });
            self.fill(inner, number)?;
        }
        Ok(())
    }

    /// The class that an attribute names.
    pub(crate) fn find(&self, name: &Attribute) -> Outcome<usize> {
        let found = self.names.get(name.value.as_str()).copied();
        found.ok_or_else(|| name.error(format!("there is no class `{}`", name.value)))
    }

    /// The look from an element: its own class, else that of the bodies around it.
    pub(crate) fn look<'d>(&'d self, element: &Element, around: usize) -> Outcome<Look<'d, 'e>> {
        let class = match element.get("class") {
            Some(name) => self.find(name)?,
            None => around,
        };
        Ok(Look {
            defaults: self,
            class,
        })
    }
}

/// A look through the classes.
pub(crate) struct Look<'d, 'e> {
    defaults: &'d Defaults<'e>,
    class: usize,
}

impl<'e> Look<'_, 'e> {
    /// An attribute of an element, else of its tag in its class, else in those above it.
    pub(crate) fn get<'a>(&self, element: &'a Element, name: &str) -> Option<&'a Attribute>
    where
        'e: 'a,
    {
        self.get_as(element, &[&element.tag], name)
    }

    /// The same for an element whose defaults stand under other tags.
    pub(crate) fn get_as<'a>(
        &self,
        element: &'a Element,
        tags: &[&str],
        name: &str,
    ) -> Option<&'a Attribute>
    where
        'e: 'a,
    {
        let mut asked = self.defaults.asked.borrow_mut();
        for tag in tags {
            asked.insert(((*tag).to_owned(), name.to_owned()));
        }
        drop(asked);
        if let Some(own) = element.get(name) {
            return Some(own);
        }
        let mut class = Some(self.class);
        while let Some(k) = class {
            let here = &self.defaults.classes[k];
            let those = here.elements.iter().rev();
            let mut found = those
                .filter(|e| tags.contains(&e.tag.as_str()))
                .filter_map(|e| e.get(name));
            if let Some(found) = found.next() {
                return Some(found);
            }
            class = here.parent;
        }
        None
    }
}
