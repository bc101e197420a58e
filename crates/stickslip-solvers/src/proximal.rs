//! Proximal Newton: the regularised problem solved by Newton, again and again.

use crate::local::LocalProblem;
use crate::newton::Newton;
use crate::nsgs::Outcome;
use crate::problem::ContactProblem;
use crate::solver::{ContactSolver, Guarantee, SolveError, Solved};
use glam::DVec3;

/// Settings of [`Proximal`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProximalSettings {
    /// Most outer iterations.
    pub iterations: usize,
    /// First τ; the outer problem has W + τ diag(w̄).
    pub tau: f64,
    /// Least τ.
    pub least_tau: f64,
}

impl Default for ProximalSettings {
    fn default() -> Self {
        Self {
            iterations: 200,
            tau: 1.0,
            least_tau: 1e-6,
        }
    }
}

/// Proximal point iteration p ← solution of the problem with W + τ w̄ I and q − τ w̄ p, each solved by
/// semismooth Newton. τ shrinks tenfold where Newton succeeds and grows where it does not.
///
/// Without friction the outer iteration converges for every τ (Rockafellar 1976); with friction each
/// inner problem is closer to a contraction the larger τ is.
#[derive(Clone, Debug, Default)]
pub struct Proximal {
    /// Settings.
    pub settings: ProximalSettings,
    newton: Newton,
    local: LocalProblem,
}

impl Proximal {
    /// Improves `p` on a local problem until the residual (m/s) is at most `tolerance`.
    pub fn solve_local(
        &mut self,
        problem: &LocalProblem,
        p: &mut Vec<DVec3>,
        tolerance: f64,
    ) -> Outcome {
        let mut tau = self.settings.tau;
        let mut shifted = problem.clone();
        let mut best = (crate::residual::of_local(problem, p).0, p.clone());
        let mut centre = p.clone();
        let mut iterations = 0;
        for _ in 0..self.settings.iterations {
            for i in 0..problem.len() {
                let shift = tau * problem.delassus.w_bar(i);
                shifted.delassus.set_diagonal(i, problem, shift);
                shifted.q[i] = problem.q[i] - centre[i] * shift;
            }
            let mut trial = centre.clone();
            let inner = (0.01 * best.0).max(0.1 * tolerance);
            let outcome = self.newton.solve_local(&shifted, &mut trial, inner);
            iterations += outcome.iterations;
            let residual = crate::residual::of_local(problem, &trial).0;
            if outcome.residual <= inner.max(1e-3 * best.0) {
                centre.clone_from(&trial);
                tau = (0.1 * tau).max(self.settings.least_tau);
            } else {
                tau *= 30.0;
                if tau > 1e6 {
                    break;
                }
            }
            if residual < best.0 {
                best = (residual, trial);
            }
            if best.0 <= tolerance {
                break;
            }
        }
        p.clone_from(&best.1);
        Outcome {
            residual: best.0,
            iterations,
        }
    }
}

impl ContactSolver for Proximal {
    fn name(&self) -> &'static str {
        "proximal"
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee {
            claim: "converges to a solution",
            hypotheses: "no friction and exact inner solutions; with friction none is proved",
        }
    }

    fn solve(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        let mut p = crate::solver::starting_impulses(self.name(), problem, guess)?;
        let mut local = std::mem::take(&mut self.local);
        local.assemble(problem);
        let outcome = self.solve_local(&local, &mut p, tolerance);
        self.local = local;
        crate::solver::finish(self.name(), problem, p, outcome.iterations, tolerance)
    }
}
