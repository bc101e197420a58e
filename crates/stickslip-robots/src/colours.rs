//! Colours of links, for pictures: of the first shape that has one.

use crate::place::Outcome;
use crate::xml::{Attribute, Element};
use std::collections::BTreeMap;

/// Red, green and blue, each from 0 to 1.
pub type Colour = [f64; 3];

/// Colours by the names of materials.
#[derive(Default)]
pub(crate) struct Palette(BTreeMap<String, Colour>);

/// Red, green and blue of an `rgba`; how much is seen through is not asked.
pub(crate) fn colour(rgba: &Attribute) -> Outcome<Colour> {
    let numbers = rgba.numbers()?;
    match numbers.as_slice() {
        [r, g, b] | [r, g, b, _] if numbers.iter().all(|x| (0.0..=1.0).contains(x)) => {
            Ok([*r, *g, *b])
        }
        _ => Err(rgba.error("`rgba` has four numbers from 0 to 1")),
    }
}

fn inner<'e>(element: &'e Element, tag: &'e str) -> impl Iterator<Item = &'e Element> {
    element.children.iter().filter(move |c| c.tag == tag)
}

impl Palette {
    /// `<material name><color rgba>` of a URDF file: at its top, or where it is used first.
    pub(crate) fn urdf(root: &Element) -> Outcome<Self> {
        let mut palette = Self::default();
        let visuals = inner(root, "link").flat_map(|link| inner(link, "visual"));
        let used = visuals.flat_map(|visual| inner(visual, "material"));
        for material in inner(root, "material").chain(used) {
            let rgba = inner(material, "color").find_map(|c| c.peek("rgba"));
            if let (Some(name), Some(rgba)) = (material.peek("name"), rgba) {
                let name = name.value.clone();
                palette.0.entry(name).or_insert(colour(rgba)?);
            }
        }
        Ok(palette)
    }

    /// `<material name rgba>` of an MJCF file.
    pub(crate) fn mjcf(root: &Element) -> Outcome<Self> {
        let mut palette = Self::default();
        let assets = inner(root, "asset").flat_map(|asset| inner(asset, "material"));
        for material in assets {
            if let (Some(name), Some(rgba)) = (material.peek("name"), material.peek("rgba")) {
                palette.0.insert(name.value.clone(), colour(rgba)?);
            }
        }
        Ok(palette)
    }

    /// The colour of a material, if it has one.
    pub(crate) fn get(&self, material: &str) -> Option<Colour> {
        self.0.get(material).copied()
    }

    /// The colour of a URDF link: that of its first `<visual>` with one.
    pub(crate) fn of_link(&self, link: &Element) -> Outcome<Option<Colour>> {
        let mut materials = inner(link, "visual").flat_map(|visual| inner(visual, "material"));
        let found = materials.find_map(|material| {
            let own = inner(material, "color").find_map(|c| c.peek("rgba"));
            let named = || material.peek("name").and_then(|name| self.get(&name.value));
            match own {
                Some(rgba) => Some(colour(rgba)),
                None => named().map(Ok),
            }
        });
        found.transpose()
    }
}
