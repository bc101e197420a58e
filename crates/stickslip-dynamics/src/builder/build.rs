//! What was collected, checked and put together.

use super::WorldBuilder;
use super::body::BodySpec;
use super::build_joint::{build_gear, build_joint, build_spring};
use super::checks::{
    check_body, check_friction, check_gravity, check_length, check_restitution, check_state,
    radius_of_gyration, refuse_overlaps,
};
use super::joint::{JointSpec, WORLD};
use super::order::{sort_bodies, sort_gears, sort_joints, sort_springs};
use crate::error::BuildError;
use crate::setup::{AppliedForce, Drives, Frictions, Restitutions, Setup};
use crate::world::World;
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};
use stickslip_model::{
    Body, BodyState, Friction, Grain, Model, Moments, MovingSurface, NamedFrame, SlipCurve,
};
use stickslip_solvers::solver::ContactSolver;
use stickslip_solvers::{SOLVER_NAMES, selecting_solver_by_name};

/// The solver that is asked where the answer of a chosen one does not pass.
const FALLBACK: &str = "auto";

impl WorldBuilder {
    /// Checks everything and makes the world.
    ///
    /// # Errors
    /// [`BuildError`] names what cannot be: masses, names, numbers, bodies that overlap.
    pub fn build(mut self) -> Result<World, BuildError> {
        self.check_settings()?;
        self.refuse_equal_names()?;
        sort_bodies(&mut self.bodies);
        let made_of = self.bodies.iter().map(|b| b.material.clone());
        let made_of: Vec<Option<String>> = made_of.collect();
        let (mut setup, states) = self.take_bodies()?;
        setup.model.sort_names();
        self.add_material_pairs(&mut setup, &made_of)?;
        let apart = self.add_pairs(&mut setup)?;
        self.add_forces(&mut setup)?;
        self.add_frames(&mut setup)?;
        self.check_grains(&setup.model)?;
        setup.drives = self.join(&mut setup.model, &states)?;
        self.add_gears(&mut setup.model, &states)?;
        self.settings.ignored = uncolliding(&setup.model, &self.joints, apart);
        self.check_method(&setup.model)?;
        refuse_overlaps(&setup.model, &states, &self.settings.ignored)?;
        let solvers = solvers(&self.settings.solver)?;
        Ok(World::new(setup, self.settings, states, solvers))
    }

    fn check_settings(&self) -> Result<(), BuildError> {
        let s = &self.settings;
        let bad = |setting, reason: String| Err(BuildError::Setting { setting, reason });
        if !(s.h > 0.0 && s.h.is_finite()) {
            return bad("h", format!("must be a positive time, got {}", s.h));
        }
        if !(s.tolerance > 0.0 && s.tolerance.is_finite()) {
            return bad(
                "tolerance",
                format!("must be positive, got {}", s.tolerance),
            );
        }
        if !(s.accept >= 0.0 && s.accept.is_finite()) {
            return bad("accept", format!("must not be negative, got {}", s.accept));
        }
        check_gravity(s.gravity)?;
        if s.cone.directions().is_some_and(|n| n < 3) {
            return bad(
                "cone",
                "a pyramid needs at least 3 directions to span the plane".into(),
            );
        }
        if s.projection && !self.joints.is_empty() {
            return bad(
                "projection",
                "moves bodies one by one: it cannot be used with joints, which are closed in every step anyway".into(),
            );
        }
        check_friction("friction", self.friction)
    }

    fn refuse_equal_names(&self) -> Result<(), BuildError> {
        let mut names: Vec<&String> = self.bodies.iter().map(|b| &b.name).collect();
        names.sort_unstable();
        match names.windows(2).find(|w| w[0] == w[1]) {
            Some(w) => Err(BuildError::DuplicateName { name: w[0].clone() }),
            None => Ok(()),
        }
    }

    /// The bodies' part of the world, and where they start.
    fn take_bodies(&mut self) -> Result<(Setup, Vec<BodyState>), BuildError> {
        let mut setup = Setup {
            model: Model::default(),
            motions: Vec::new(),
            forces: Vec::new(),
            pushes: Vec::new(),
            frictions: Frictions::default(),
            restitutions: Restitutions::default(),
            drives: Vec::new(),
            surfaces: Vec::new(),
        };
        let mut states = Vec::new();
        let groups = group_bits(&self.bodies)?;
        for spec in std::mem::take(&mut self.bodies) {
            check_body(&spec)?;
            let bits = spec.groups.iter().fold(0, |bits, g| bits | groups[g]);
            let default = || self.curve.clone().filter(|_| spec.friction.is_none());
            let curve = spec.curve.clone().or_else(default);
            let friction = spec.friction.unwrap_or(self.friction);
            let friction = curve.as_ref().map_or(friction, at_rest);
            check_friction("friction at rest", friction)?;
            setup.model.curves.bodies.push((friction.stick, curve));
            setup.frictions.bodies.push(friction);
            let e = spec.restitution.unwrap_or(self.restitution);
            setup.restitutions.bodies.push(check_restitution(e)?);
            let moments = Moments {
                torsion: check_length("torsion", spec.torsion.unwrap_or(self.moments.torsion))?,
                rolling: check_length("rolling", spec.rolling.unwrap_or(self.moments.rolling))?,
            };
            let length = spec.mass.and_then(|mass| radius_of_gyration(&mass));
            let length = length.unwrap_or(f64::INFINITY);
            setup.model.moments.bodies.push((moments, length));
            let state = spec.start();
            check_state(&spec.name, &state)?;
            states.push(state);
            let body = match spec.mass {
                Some(mass) => Body::free(spec.name, spec.shape, mass),
                None => Body::prescribed(spec.name, spec.shape),
            };
            for (face, law) in spec.surfaces {
                let (body, face) = (setup.model.bodies.len(), unit(face));
                setup.model.surfaces.push(MovingSurface { body, face });
                setup.surfaces.push(law);
            }
            setup.model.bodies.push(Body {
                groups: bits,
                ghost: !spec.collide,
                grain: spec.grain.map(|grain| Grain {
                    direction: unit(Some(grain.direction)).unwrap_or(DVec3::X),
                    ..grain
                }),
                colour: spec.colour,
                ..body
            });
            setup.motions.push(spec.motion);
        }
        if setup.model.curves.bodies.iter().all(|(_, c)| c.is_none()) {
            setup.model.curves.bodies.clear();
        }
        Ok((setup, states))
    }

    /// Friction and restitution of pairs; returns the pairs that are to pass through each other.
    fn add_pairs(&self, setup: &mut Setup) -> Result<Vec<[usize; 2]>, BuildError> {
        let model = &setup.model;
        let pair = |[a, b]: &[String; 2]| -> Result<[usize; 2], BuildError> {
            let place = "a contact pair";
            let (i, j) = (index(model, a, place)?, index(model, b, place)?);
            Ok([i.min(j), i.max(j)])
        };
        let mut curves = Vec::new();
        for (names, friction) in &self.pairs {
            check_friction("pair friction", *friction)?;
            setup.frictions.pairs.push((pair(names)?, *friction));
            curves.push((pair(names)?, None));
        }
        for (names, curve) in &self.pair_curves {
            let friction = at_rest(curve);
            check_friction("pair friction", friction)?;
            setup.frictions.pairs.push((pair(names)?, friction));
            curves.push((pair(names)?, Some(curve.clone())));
        }
        setup.frictions.pairs.sort_by_key(|p| p.0);
        curves.sort_by_key(|p| p.0);
        for (names, e) in &self.pair_restitutions {
            let bodies = pair(names)?;
            let e = check_restitution(*e)?;
            setup.restitutions.pairs.push((bodies, e));
        }
        setup.restitutions.pairs.sort_by_key(|p| p.0);
        let ignored = self.ignored.iter().map(pair).collect();
        let mut moments = Vec::new();
        for (names, given) in &self.pair_moments {
            let bodies = pair(names)?;
            let both = model.moments.of_materials(bodies);
            let [torsion, rolling] = given;
            let torsion = check_length("torsion", torsion.unwrap_or(both.torsion))?;
            let rolling = check_length("rolling", rolling.unwrap_or(both.rolling))?;
            moments.push((bodies, Moments { torsion, rolling }));
        }
        moments.sort_by_key(|p| p.0);
        let any = curves.iter().any(|(_, c)| c.is_some());
        if any || !setup.model.curves.bodies.is_empty() {
            setup.model.curves.pairs = curves;
        }
        self.set_moments(setup, moments)?;
        ignored
    }

    fn add_forces(&mut self, setup: &mut Setup) -> Result<(), BuildError> {
        for (name, law) in std::mem::take(&mut self.forces) {
            let body = index(&setup.model, &name, "a force")?;
            setup.forces.push(AppliedForce { body, law });
        }
        setup.forces.sort_by_key(|force| force.body);
        Ok(())
    }

    /// Builds joints and springs into the model; returns the joints' functions of time.
    fn join(&self, model: &mut Model, states: &[BodyState]) -> Result<Vec<Drives>, BuildError> {
        let mut names: Vec<&str> = self.joints.iter().map(|j| j.name.as_str()).collect();
        names.extend(self.springs.iter().map(|s| s.name.as_str()));
        names.sort_unstable();
        if let Some(w) = names.windows(2).find(|w| w[0] == w[1]) {
            return Err(named_twice(w[0]));
        }
        let mut built = Vec::new();
        for spec in &self.joints {
            built.push(build_joint(spec, model, states)?);
        }
        sort_joints(&mut built);
        let (joints, drives) = built.into_iter().unzip();
        model.joints = joints;
        for spec in &self.springs {
            let spring = build_spring(spec, model, states)?;
            model.springs.push(spring);
        }
        sort_springs(&mut model.springs, &model.joints);
        Ok(drives)
    }

    fn add_gears(&self, model: &mut Model, states: &[BodyState]) -> Result<(), BuildError> {
        for spec in &self.gears {
            let taken = model.joint_names().any(|name| name == spec.name);
            if taken {
                return Err(named_twice(&spec.name));
            }
            let gear = build_gear(spec, model, states)?;
            model.gears.push(gear);
        }
        sort_gears(&mut model.gears);
        Ok(())
    }

    fn add_frames(&mut self, setup: &mut Setup) -> Result<(), BuildError> {
        for (name, body, pose) in std::mem::take(&mut self.frames) {
            let body = match body.as_str() {
                WORLD => None,
                name => Some(index(&setup.model, name, "a frame")?),
            };
            setup.model.frames.push(NamedFrame { name, body, pose });
        }
        setup.model.frames.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(())
    }
}

/// Number of the body of that name; `place` says who asks.
fn index(model: &Model, name: &str, place: &str) -> Result<usize, BuildError> {
    model.index(name).ok_or_else(|| BuildError::UnknownBody {
        name: name.into(),
        place: place.into(),
    })
}

fn named_twice(name: &str) -> BuildError {
    BuildError::Joint {
        what: "joint",
        joint: name.into(),
        reason: "two joints or springs have this name".into(),
    }
}

/// Pairs of bodies that a joint keeps from colliding, sorted.
fn uncolliding(model: &Model, joints: &[JointSpec], mut pairs: Vec<[usize; 2]>) -> Vec<[usize; 2]> {
    let colliding = joints.iter().filter(|j| j.collide).map(|j| &j.name);
    let colliding: BTreeSet<&String> = colliding.collect();
    for joint in &model.joints {
        if let ([Some(a), Some(b)], false) = (joint.bodies, colliding.contains(&joint.name)) {
            pairs.push([a.min(b), a.max(b)]);
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The coefficients of a curve at rest; how a contact that slips goes on is the curve's.
fn at_rest(curve: &SlipCurve) -> Friction {
    Friction::same(curve.at(0.0))
}

/// A direction that was checked, of unit length.
fn unit(direction: Option<DVec3>) -> Option<DVec3> {
    let direction = direction?;
    (direction / direction.abs().max_element()).try_normalize()
}

/// A bit for each group.
fn group_bits(bodies: &[BodySpec]) -> Result<BTreeMap<String, u64>, BuildError> {
    let names: BTreeSet<&String> = bodies.iter().flat_map(|b| &b.groups).collect();
    if names.len() > 64 {
        let reason = format!("a world may have 64, this one has {}", names.len());
        return Err(BuildError::Setting {
            setting: "groups",
            reason,
        });
    }
    let bits = names.into_iter().enumerate();
    Ok(bits.map(|(k, name)| (name.clone(), 1 << k)).collect())
}

/// The chosen solver, then [`FALLBACK`] if that is another.
pub(crate) fn solvers(chosen: &str) -> Result<Vec<Box<dyn ContactSolver>>, BuildError> {
    let first = selecting_solver_by_name(chosen).ok_or_else(|| BuildError::Setting {
        setting: "solver",
        reason: format!("\"{chosen}\" is not one of {}", SOLVER_NAMES.join(", ")),
    })?;
    let other = (chosen != FALLBACK).then(|| selecting_solver_by_name(FALLBACK));
    Ok(std::iter::once(first).chain(other.flatten()).collect())
}

#[cfg(test)]
mod tests {
    use crate::{BodySpec, BuildError, JointSpec, World, WorldBuilder};
    use glam::{DMat3, DVec3};
    use stickslip_geometry::Shape;
    use stickslip_model::{Friction, Wrench};

    fn ball(name: &str, x: f64) -> BodySpec {
        let shape = Shape::ball(0.1).expect("a ball");
        BodySpec::free(name, shape, 1.0).at(DVec3::X * x)
    }

    fn two() -> WorldBuilder {
        World::builder().body(ball("b", 1.0)).body(ball("a", 0.0))
    }

    fn refused(builder: WorldBuilder) -> String {
        match builder.build() {
            Ok(_) => panic!("it was built"),
            Err(e) => e.to_string(),
        }
    }

    #[test]
    fn bodies_stand_by_their_places_and_pairs_find_them_in_either_order() {
        let world = two()
            .friction(0.2)
            .pair_friction("b", "a", Friction::same(0.7))
            .pair_restitution("b", "a", 0.5)
            .ignore("b", "a")
            .build()
            .expect("a world");
        assert_eq!(world.index("a"), Some(0), "first along x");
        assert_eq!(world.states()[1].pose.position.x, 1.0);
        let setup = &world.setup;
        assert_eq!(setup.frictions.of([0, 1]), Friction::same(0.7));
        assert_eq!(setup.restitutions.of([0, 1]), 0.5);
        assert_eq!(world.settings.ignored, [[0, 1]]);
    }

    #[test]
    fn without_an_entry_the_larger_coefficient_of_the_two_bodies_counts() {
        let world = World::builder()
            .body(ball("a", 0.0).with_friction(Friction::same(0.1)))
            .body(ball("b", 1.0).with_restitution(0.4))
            .friction(0.3)
            .build()
            .expect("a world");
        assert_eq!(world.setup.frictions.of([0, 1]), Friction::same(0.3));
        assert_eq!(world.setup.restitutions.of([0, 1]), 0.4);
    }

    #[test]
    fn what_cannot_be_is_named() {
        assert!(matches!(
            two().body(ball("a", 3.0)).build(),
            Err(BuildError::DuplicateName { name }) if name == "a"
        ));
        let force = |_: f64, _: &_| Wrench::default();
        assert!(refused(two().force("c", force)).contains("\"c\""));
        assert!(refused(two().time_step(0.0)).contains("positive time"));
        assert!(refused(two().restitution(1.5)).contains("from 0 to 1"));
        assert!(refused(two().solver("guess")).contains("is not one of"));
        assert!(refused(two().body(ball("c", 0.05))).contains("overlap"));
        // No body has moments 1, 1, 3: the triangle inequality.
        let flat = DMat3::from_diagonal(DVec3::new(1.0, 1.0, 3.0));
        let body = ball("c", 3.0).with_inertia(flat);
        assert!(refused(two().body(body)).contains("triangle inequality"));
    }

    #[test]
    fn a_joint_keeps_its_bodies_from_colliding_unless_it_says_otherwise() {
        let joint = || JointSpec::ball("between", ["a", "b"], DVec3::X * 0.5);
        let world = two().joint(joint()).build().expect("a world");
        assert_eq!(world.settings.ignored, [[0, 1]]);
        let mut colliding = joint();
        colliding.collide = true;
        let world = two().joint(colliding).build().expect("a world");
        assert!(world.settings.ignored.is_empty());
        let method = crate::methods::Method::Anitescu;
        assert!(refused(two().joint(joint()).method(method)).contains("knows no joints"));
    }
}
