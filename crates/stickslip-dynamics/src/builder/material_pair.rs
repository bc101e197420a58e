//! What pairs of materials have.

use super::WorldBuilder;
use super::checks::{check_friction, check_length, check_restitution};
use crate::error::BuildError;
use crate::setup::Setup;
use std::collections::BTreeMap;
use stickslip_model::{Friction, SlipCurve};

/// What holds between bodies of two materials; what is `None` is as the bodies say.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialPair {
    /// Names of the materials; the same twice for bodies of one material.
    pub materials: [String; 2],
    /// Friction.
    pub friction: Option<Friction>,
    /// Friction by the speed of the slip, in place of the other.
    pub curve: Option<SlipCurve>,
    /// Restitution, from 0 to 1.
    pub restitution: Option<f64>,
    /// Radius of torsional friction, m.
    pub torsion: Option<f64>,
    /// Rolling resistance, m.
    pub rolling: Option<f64>,
}

impl MaterialPair {
    /// A pair of which nothing is said yet.
    #[must_use]
    pub fn of(a: impl Into<String>, b: impl Into<String>) -> Self {
        Self {
            materials: [a.into(), b.into()],
            friction: None,
            curve: None,
            restitution: None,
            torsion: None,
            rolling: None,
        }
    }
}

impl WorldBuilder {
    /// Adds what holds between bodies of two materials. A pair of bodies with an entry of its own goes before it.
    #[must_use]
    pub fn material_pair(mut self, pair: MaterialPair) -> Self {
        self.material_pairs.push(pair);
        self
    }

    /// Numbers the materials of the bodies, given by name in the model's order, and puts the pairs of materials into the tables.
    pub(super) fn add_material_pairs(
        &self,
        setup: &mut Setup,
        made_of: &[Option<String>],
    ) -> Result<(), BuildError> {
        if self.material_pairs.is_empty() {
            return Ok(());
        }
        let names: BTreeMap<&str, usize> = {
            let mut all: Vec<&str> = made_of.iter().flatten().map(String::as_str).collect();
            all.sort_unstable();
            all.dedup();
            all.into_iter()
                .enumerate()
                .map(|(k, name)| (name, k))
                .collect()
        };
        let bodies = made_of.iter().map(|m| names.get(m.as_deref()?).copied());
        let bodies: Vec<Option<usize>> = bodies.collect();
        setup.frictions.materials.bodies.clone_from(&bodies);
        setup.restitutions.materials.bodies.clone_from(&bodies);
        setup.model.curves.materials.bodies.clone_from(&bodies);
        setup.model.moments.materials.bodies = bodies;
        let mut seen = Vec::new();
        for pair in &self.material_pairs {
            let find = |name: &String| {
                names
                    .get(name.as_str())
                    .copied()
                    .ok_or_else(|| BuildError::Setting {
                        setting: "material pair",
                        reason: format!("no body is made of `{name}`"),
                    })
            };
            let (a, b) = (find(&pair.materials[0])?, find(&pair.materials[1])?);
            let key = [a.min(b), a.max(b)];
            if seen.contains(&key) {
                let [a, b] = &pair.materials;
                return Err(BuildError::Setting {
                    setting: "material pair",
                    reason: format!("`{a}` and `{b}` are given twice"),
                });
            }
            seen.push(key);
            put(setup, key, pair)?;
        }
        setup.frictions.materials.pairs.sort_by_key(|p| p.0);
        setup.restitutions.materials.pairs.sort_by_key(|p| p.0);
        setup.model.moments.materials.pairs.sort_by_key(|p| p.0);
        let curves = &mut setup.model.curves;
        curves.materials.pairs.sort_by_key(|p| p.0);
        if curves.bodies.is_empty() && curves.materials.pairs.iter().all(|p| p.1.is_none()) {
            curves.materials.pairs.clear();
        }
        Ok(())
    }
}

/// Puts one pair into the tables.
fn put(setup: &mut Setup, key: [usize; 2], pair: &MaterialPair) -> Result<(), BuildError> {
    let at_rest = |curve: &SlipCurve| Friction::same(curve.at(0.0));
    if let Some(friction) = pair.curve.as_ref().map(at_rest).or(pair.friction) {
        check_friction("pair friction", friction)?;
        setup.frictions.materials.pairs.push((key, friction));
        let curves = &mut setup.model.curves.materials;
        curves.pairs.push((key, pair.curve.clone()));
    }
    if let Some(e) = pair.restitution {
        let e = check_restitution(e)?;
        setup.restitutions.materials.pairs.push((key, e));
    }
    let lengths = [("torsion", pair.torsion), ("rolling", pair.rolling)];
    for (setting, length) in lengths {
        length.map_or(Ok(0.0), |length| check_length(setting, length))?;
    }
    if pair.torsion.is_some() || pair.rolling.is_some() {
        let moments = &mut setup.model.moments.materials;
        moments.pairs.push((key, [pair.torsion, pair.rolling]));
    }
    Ok(())
}
