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

    fn factorisations(&self) -> usize {
        self.system.factorisations()
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
