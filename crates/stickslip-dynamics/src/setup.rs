//! What a world is made of and never changes: bodies and what joins them, what moves them, and the coefficients of
//! their contacts.

use crate::motion::{ForceLaw, Motion, SurfaceLaw, TimeFunction};
use std::cmp::Ordering;
use stickslip_model::joint::AXES;
use stickslip_model::{Aims, BodyState, Friction, MaterialTable, Model, Wrench};

/// The constant part of a world; what is set from outside between steps changes it in `control.rs` alone.
#[derive(Clone)]
pub(crate) struct Setup {
    /// Bodies, joints and springs.
    pub(crate) model: Model,
    /// How each body moves.
    pub(crate) motions: Vec<Motion>,
    /// Forces of the scene, sorted by body.
    pub(crate) forces: Vec<AppliedForce>,
    /// Forces from outside, one on a body at most.
    pub(crate) pushes: Vec<AppliedForce>,
    pub(crate) frictions: Frictions,
    pub(crate) restitutions: Restitutions,
    /// The functions of time of each joint.
    pub(crate) drives: Vec<Drives>,
    /// How each moving surface of the model moves.
    pub(crate) surfaces: Vec<SurfaceLaw>,
}

/// Coefficients of friction by pair of bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Frictions {
    /// Of each body's own material.
    pub(crate) bodies: Vec<Friction>,
    /// Pairs with an entry of their own, sorted.
    pub(crate) pairs: Vec<([usize; 2], Friction)>,
    /// Pairs of materials likewise.
    pub(crate) materials: MaterialTable<Friction>,
}

impl Frictions {
    /// The pair's own entry, else that of its materials, else the larger of the two bodies'.
    pub(crate) fn of(&self, bodies: [usize; 2]) -> Friction {
        if let Ok(k) = self.pairs.binary_search_by_key(&bodies, |p| p.0) {
            return self.pairs[k].1;
        }
        if let Some(own) = self.materials.of(bodies) {
            return *own;
        }
        let [a, b] = bodies.map(|i| self.bodies[i]);
        Friction {
            stick: a.stick.max(b.stick),
            slide: a.slide.max(b.slide),
        }
    }
}

/// Coefficients of restitution by pair of bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Restitutions {
    /// Of each body's own material.
    pub(crate) bodies: Vec<f64>,
    /// Pairs with an entry of their own, sorted.
    pub(crate) pairs: Vec<([usize; 2], f64)>,
    /// Pairs of materials likewise.
    pub(crate) materials: MaterialTable<f64>,
}

impl Restitutions {
    /// Does any pair restitute?
    pub(crate) fn any(&self) -> bool {
        self.bodies.iter().any(|&e| e > 0.0)
            || self.pairs.iter().any(|p| p.1 > 0.0)
            || self.materials.pairs.iter().any(|p| p.1 > 0.0)
    }

    /// The pair's own entry, else that of its materials, else the larger of the two bodies'.
    pub(crate) fn of(&self, bodies: [usize; 2]) -> f64 {
        match self.pairs.binary_search_by_key(&bodies, |p| p.0) {
            Ok(k) => self.pairs[k].1,
            Err(_) => match self.materials.of(bodies) {
                Some(own) => *own,
                None => self.bodies[bodies[0]].max(self.bodies[bodies[1]]),
            },
        }
    }
}

/// A force on one body.
#[derive(Clone)]
pub(crate) struct AppliedForce {
    pub(crate) body: usize,
    pub(crate) law: ForceLaw,
}

impl Setup {
    /// Adds to the wrench on each body that forces act on, in states at time `t`; `several` is memory.
    ///
    /// # Errors
    /// The body on which one is not finite.
    pub(crate) fn add_forces(
        &self,
        t: f64,
        states: &[BodyState],
        several: &mut Vec<Wrench>,
        sums: &mut [Wrench],
    ) -> Result<(), usize> {
        let on_each = self.forces.chunk_by(|a, b| a.body == b.body);
        for forces in on_each.chain(self.pushes.chunks(1)) {
            let body = forces[0].body;
            several.clear();
            several.extend(forces.iter().map(|f| (f.law)(t, &states[body])));
            let finite = |w: &Wrench| w.force.is_finite() && w.torque.is_finite();
            if !several.iter().all(finite) {
                return Err(body);
            }
            add_up(several, &mut sums[body]);
        }
        Ok(())
    }
}

/// Adds wrenches to a sum in the order of their values: places in a file decide no last digit.
pub(crate) fn add_up(several: &mut [Wrench], sum: &mut Wrench) {
    let numbers = |w: &Wrench| w.force.to_array().into_iter().chain(w.torque.to_array());
    several.sort_unstable_by(|a, b| {
        let mut compared = numbers(a).zip(numbers(b)).map(|(x, y)| x.total_cmp(&y));
        let differs = compared.find(|order| order.is_ne());
        differs.unwrap_or(Ordering::Equal)
    });
    for w in several {
        sum.force += w.force;
        sum.torque += w.torque;
    }
}

/// The functions of time in a joint.
#[derive(Clone, Default)]
pub(crate) struct Drives {
    pub(crate) hold: [Option<TimeFunction>; AXES],
    pub(crate) motor: [Option<TimeFunction>; AXES],
}

impl Drives {
    /// Their values at time t.
    pub(crate) fn aims(&self, t: f64) -> Aims {
        let at = |f: &Option<TimeFunction>| f.as_ref().map_or(0.0, |f| f(t));
        Aims {
            hold: self.hold.each_ref().map(at),
            motor: self.motor.each_ref().map(at),
        }
    }
}
