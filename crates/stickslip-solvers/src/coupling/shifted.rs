//! A system made compliant about a centre, the inner problem of proximal methods.

use crate::coupling::system::System;
use crate::coupling::{Coupled, Linearised, inverse};
use crate::problem::Law;
use glam::DVec3;

/// A system with the compliance τ w̄ about a centre c: u = D p + q + τ w̄ (p − c).
#[derive(Debug)]
pub(crate) struct Shifted<'a, 'b> {
    system: &'a mut System<'b>,
    tau: f64,
    centre: &'a [DVec3],
    rows: &'a mut Vec<Linearised>,
}

impl<'a, 'b> Shifted<'a, 'b> {
    /// The system with compliance `tau` (relative to w̄) about `centre`; `rows` is memory.
    pub(crate) fn new(
        system: &'a mut System<'b>,
        tau: f64,
        centre: &'a [DVec3],
        rows: &'a mut Vec<Linearised>,
    ) -> Self {
        Self {
            system,
            tau,
            centre,
            rows,
        }
    }

    /// τ w̄_i.
    fn compliance(&self, i: usize) -> f64 {
        self.tau * self.system.w_bar(i)
    }
}

impl Coupled for Shifted<'_, '_> {
    fn len(&self) -> usize {
        self.system.len()
    }

    fn law(&self, i: usize) -> &Law {
        self.system.law(i)
    }

    fn w_bar(&self, i: usize) -> f64 {
        self.system.w_bar(i)
    }

    fn velocities(&mut self, p: &[DVec3], u: &mut Vec<DVec3>) {
        self.system.velocities(p, u);
        for (i, u) in u.iter_mut().enumerate() {
            *u += (p[i] - self.centre[i]) * self.compliance(i);
        }
    }

    fn response(&mut self, dp: &[DVec3], du: &mut Vec<DVec3>) {
        self.system.response(dp, du);
        for (i, du) in du.iter_mut().enumerate() {
            *du += dp[i] * self.compliance(i);
        }
    }

    fn factor(&mut self, rows: &[Linearised]) -> bool {
        // A δp + B (δu + c δp) = g.
        self.rows.clear();
        self.rows.extend_from_slice(rows);
        for i in 0..rows.len() {
            let compliance = self.compliance(i);
            self.rows[i].a += rows[i].b * compliance;
            if !self.direct() {
                self.rows[i].a_inverse = inverse(&self.rows[i].a);
            }
        }
        self.system.factor(self.rows)
    }

    fn direct(&self) -> bool {
        self.system.direct()
    }

    fn back_solve(&mut self, rows: &[Linearised], dp: &mut Vec<DVec3>) {
        self.system.back_solve(rows, dp);
    }

    fn determinant_sign(&self) -> Option<f64> {
        self.system.determinant_sign()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::system::SystemMemory;
    use crate::coupling::tests::{dense_step, difference, random_rows, random_step};
    use crate::problem::Posed;
    use crate::problem::delassus::Delassus;
    use crate::random::Random;
    use glam::DMat3;

    /// Against the problem whose Delassus matrix is D + τ w̄ I and whose q is q − τ w̄ c.
    #[test]
    fn a_shifted_system_is_a_compliant_problem() {
        let mut random = Random::new(50);
        let (mut memory, mut scratch) = (SystemMemory::default(), Vec::new());
        for n_c in [3, 9, 20] {
            let (step, local) = random_step(&mut random, n_c);
            let (tau, d) = (0.3, &local.delassus);
            let softened = (0..n_c).map(|i| (i, i, DMat3::IDENTITY * (tau * d.w_bar(i))));
            let rigid =
                (0..n_c).flat_map(|i| d.row(i).0.iter().map(move |&j| (i, j, d.find(i, j))));
            let compliant = Delassus::from_blocks(n_c, rigid.chain(softened).collect());
            let [p, centre] = [(); 2].map(|()| (0..n_c).map(|_| random.vec3()).collect::<Vec<_>>());
            let rows = random_rows(&mut random, d);
            for posed in [Posed::Step(&step), Posed::Local(&local)] {
                let mut system = memory.system(posed);
                let mut shifted = Shifted::new(&mut system, tau, &centre, &mut scratch);
                let (mut u, mut du, mut dp) = (Vec::new(), Vec::new(), Vec::new());
                shifted.velocities(&p, &mut u);
                let velocity = |i: usize| {
                    compliant.row_times(i, &p) + local.q[i] - centre[i] * (tau * d.w_bar(i))
                };
                let wanted: Vec<DVec3> = (0..n_c).map(velocity).collect();
                assert!(difference(&u, &wanted) < 1e-12);
                shifted.response(&p, &mut du);
                let mut wanted = Vec::new();
                compliant.times(&p, &mut wanted);
                assert!(difference(&du, &wanted) < 1e-12);
                assert!(shifted.factor(&rows));
                shifted.back_solve(&rows, &mut dp);
                assert!(difference(&dp, &dense_step(&compliant, &rows)) < 1e-9);
            }
        }
    }
}
