//! What is legal and probably not meant, such as degrees where radians are read, and what happens without being asked for: said, and otherwise taken as
//! it stands.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use glam::DVec3;
use stickslip_geometry::mass::centre_of_mass;
use stickslip_geometry::{MassProperties, Shape};

use super::node::{Fault, Node, Sources, Value};
use super::reader::{Reader, shown};
use super::{Body, Mass, Mobility, Scene};

impl Reader<'_> {
    /// Keeps in mind something to say about a place; of a counted entry once.
    fn remark(&self, node: &Node, message: String) {
        let mut remarks = self.files.remarks.borrow_mut();
        if !remarks.iter().any(|(place, _)| *place == node.place) {
            remarks.push((node.place.clone(), message));
        }
    }

    /// An angle that is written as a plain number: beyond a whole turn it is probably in degrees.
    pub(super) fn remark_angle(&self, node: &Node) {
        if let Value::Number(angle) = node.value
            && angle.abs() > TAU
            && angle.is_finite()
        {
            let (given, turns) = (shown(angle), angle.abs() / TAU);
            self.remark(
                node,
                format!("this angle is {given} rad, {turns:.1} turns; degrees are written \"{given} deg\""),
            );
        }
    }

    /// A density as of a gas, where that of water in g/cm³ would be 1. Who writes 1 does not mind.
    pub(super) fn remark_density(&self, node: &Node) {
        /// From cork to lead in g/cm³, read as kg/m³; foams begin above.
        const OF_GASES: std::ops::Range<f64> = 0.1..12.0;
        if let Value::Number(density) = node.value
            && OF_GASES.contains(&density)
            && density != 1.0
        {
            let (given, meant) = (shown(density), shown(1000.0 * density));
            self.remark(
                node,
                format!("this density is {given} kg/m³, as of a gas; {given} g/cm³ is {meant}"),
            );
        }
    }
}

/// What was kept in mind while a file was read, each with its place.
pub(super) fn in_words(sources: &Sources<'_>, files: &super::Files) -> Vec<String> {
    let remarks = files.remarks.take();
    let words = remarks.into_iter().map(|(place, message)| {
        let error = sources.error(*Fault::new(&place, message));
        format!(
            "{}:{}:{}: {}",
            error.file, error.line, error.column, error.message
        )
    });
    words.collect()
}

/// What there is to say about the bodies of a scene's own file; those of models are about their centres of mass as a rule.
pub(super) fn of_bodies(scene: &Scene, included: usize) -> Vec<String> {
    let own = &scene.bodies[included.min(scene.bodies.len())..];
    let kinds: [fn(&Body) -> Option<String>; 2] = [moved_origin, odd_density];
    let mut words = Vec::new();
    for kind in kinds {
        // One line for a family: the first of it and how many more there are.
        let mut families: BTreeMap<&str, (usize, &Body, String)> = BTreeMap::new();
        for body in own {
            if let Some(what) = kind(body) {
                let family = body.name.split('[').next().unwrap_or_default();
                families.entry(family).or_insert((0, body, what)).0 += 1;
            }
        }
        words.extend(families.into_values().map(|(count, body, what)| {
            let more = match count {
                1 => String::new(),
                _ => format!(" and {} more", count - 1),
            };
            format!("\"{}\"{more}: {what}", body.name)
        }));
    }
    words
}

/// A free body whose origin is not that of the frame in which its shape is given.
fn moved_origin(body: &Body) -> Option<String> {
    if body.motion != Mobility::Free {
        return None;
    }
    let centre = match (body.mass, &body.shape) {
        (Mass::Given { centre, .. }, _) => centre,
        (_, Shape::Compound(_) | Shape::Hull(_) | Shape::Mesh(_)) => centre_of_mass(&body.shape)?,
        _ => return None,
    };
    // What is centred to the digits that people write needs no word.
    let digits = 1e-6 * body.shape.radius();
    (centre.abs().max_element() > digits).then(|| {
        let DVec3 { x, y, z } = centre;
        let [x, y, z] = [x, y, z].map(|c| short(c, digits));
        format!(
            "its centre of mass, at [{x}, {y}, {z}] m in the frame of its shape, is its origin: `position` is the place of that, and so are positions in tables and pages"
        )
    })
}

/// A body lighter than any gas or heavier than any metal: a length or a mass is probably in another unit.
fn odd_density(body: &Body) -> Option<String> {
    /// Neither hydrogen nor an empty box of paper is lighter, and osmium is not heavier, kg/m³.
    const ORDINARY: std::ops::Range<f64> = 0.01..25_000.0;
    let volume = MassProperties::with_density(&body.shape, 1.0)?.mass;
    let mass = match body.mass {
        Mass::Unneeded => return None,
        Mass::Density(density) => density * volume,
        Mass::Total { mass, .. } | Mass::Given { mass, .. } => mass,
    };
    let density = mass / volume;
    (density.is_finite() && !ORDINARY.contains(&density)).then(|| {
        format!("{mass:.2e} kg in {volume:.2e} m³ are {density:.1e} kg/m³: lengths are in m, masses in kg")
    })
}

/// A coordinate to four digits; what is nothing beside the body is 0.
fn short(x: f64, digits: f64) -> String {
    let rounded: f64 = format!("{x:.3e}").parse().unwrap_or(x);
    shown(if x.abs() > digits { rounded } else { 0.0 })
}
