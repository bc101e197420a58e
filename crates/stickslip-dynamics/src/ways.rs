//! Contact rows beside joints: b such that u is what the contact's ways say, `stickslip_certify::way`.

use crate::world::World;
use stickslip_certify::way::counts_ways;
use stickslip_solvers::problem::Twist;

impl World {
    /// Sets b of each contact so that u = Wᵀν + b is the law's at the motion found, whose velocities are `nu`; `relaxation`
    /// of the change is made. Returns by how much u was off, m/s.
    pub(crate) fn count_ways(&mut self, nu: &[Twist], relaxation: f64) -> f64 {
        let scheme = self.work.plan.scheme;
        if !counts_ways(&self.model, scheme) {
            return 0.0;
        }
        let mut worst: f64 = 0.0;
        for k in 0..self.work.impulses.len() {
            let contact = &self.work.impulses[k];
            if contact.contact.bodies.iter().any(|&i| self.work.flies[i]) {
                continue;
            }
            let u = self.law_of(&self.work.next, contact).u;
            let block = &self.work.problem.problem.contacts[k];
            let mut change = u - block.velocity(nu);
            if !scheme.counts(true) {
                // Measured at the end: the method's own iteration sees to it.
                change.x = 0.0;
            }
            let off = change.abs().max_element();
            if off > worst || off.is_nan() {
                worst = off;
            }
            self.work.problem.shift(k, change * relaxation);
        }
        worst
    }
}
