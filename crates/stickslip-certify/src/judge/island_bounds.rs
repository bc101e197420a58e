//! Bounds belong to an island: rounding and speed of bodies that feel each other, and of nobody else.
//!
//! Rows that contradict each other by rounding (a part wedged between walls) share what is missed among the rows of their
//! bodies, so a bound is that of an island, and no narrower.

use crate::judge::Case;
use stickslip_model::islands::Islands;
use stickslip_model::{Bound, Certificate};

/// The bound of each island of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct IslandBounds {
    islands: Islands,
    /// By the island's first body.
    bounds: Vec<Bound>,
}

impl IslandBounds {
    /// Finds the islands of a step, and notes the widest bound.
    pub(super) fn find(&mut self, case: &Case, c: &mut Certificate) {
        let model = case.model;
        self.islands.join_linked(model, case.contacts);
        self.bounds.clear();
        self.bounds.resize(model.bodies.len(), Bound::default());
        // Before the step and after it: what an impact brings is stopped by impulses of that size.
        for states in [case.before, case.after] {
            for (i, (body, state)) in model.bodies.iter().zip(states).enumerate() {
                let twist = &state.twist;
                let speed = twist.linear.length() + twist.angular.length() * body.shape.radius();
                if body.is_free() {
                    self.widen(case, [Some(i)], Bound { speed, floor: 0.0 });
                }
            }
        }
        self.take_floors(case);
        for bound in &self.bounds {
            c.widen(bound);
        }
    }

    /// Rounding of gaps and of the coordinates of joints and springs, over h.
    fn take_floors(&mut self, case: &Case) {
        let (model, h, grid) = (case.model, case.given.h, case.given.grid);
        let floor = |rounding: f64, per: f64| Bound {
            speed: 0.0,
            floor: rounding / per,
        };
        for contact in case.contacts {
            let contact = &contact.contact;
            let rounding = contact.rounding(model, contact.bodies.map(|k| case.pose(k)));
            self.widen(case, contact.bodies.map(Some), floor(rounding, grid));
        }
        // Lengths become velocities by the step asked for where no time passes.
        let per = if h > 0.0 { h } else { grid };
        for joint in &model.joints {
            self.widen(case, joint.bodies, floor(joint.rounding(case.after), per));
        }
        for spring in &model.springs {
            let rounding = spring.rounding(model, case.after);
            self.widen(case, spring.bodies(&model.joints), floor(rounding, per));
        }
        for gear in &model.gears {
            let rounding = gear.rounding(model, case.after);
            self.widen(case, gear.bodies(&model.joints), floor(rounding, per));
        }
    }

    fn widen<const N: usize>(&mut self, case: &Case, bodies: [Option<usize>; N], by: Bound) {
        for k in free(case, bodies) {
            let root = self.islands.root(k);
            self.bounds[root].widen(&by);
        }
    }

    /// The bound of what acts between these bodies.
    pub(crate) fn of<const N: usize>(&mut self, case: &Case, bodies: [Option<usize>; N]) -> Bound {
        let mut bound = Bound::default();
        for k in free(case, bodies) {
            let root = self.islands.root(k);
            bound.widen(&self.bounds[root]);
        }
        bound
    }
}

/// Those among them that are free.
fn free<const N: usize>(case: &Case, bodies: [Option<usize>; N]) -> impl Iterator<Item = usize> {
    let is_free = |k: &usize| case.model.bodies[*k].is_free();
    bodies.into_iter().flatten().filter(is_free)
}
