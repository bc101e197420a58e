//! Proximal Newton: the problem made compliant about a centre, solved by Newton, and the centre moved.

use crate::coupling::{Coupled, Linearised, Shifted, System, SystemMemory};
use crate::engines::homotopy::{Homotopy, HomotopySettings};
use crate::engines::newton::{Map, Newton, NewtonSettings};
use crate::limit;
use crate::problem::ContactProblem;
use crate::solver::{ContactSolver, Engine, Guarantee, Outcome, SolveError, Solved, solve_by};
use glam::DVec3;

/// Settings of [`Proximal`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProximalSettings {
    /// Most outer iterations.
    pub iterations: usize,
    /// First τ; the inner problem has W + τ diag(w̄).
    pub tau: f64,
    /// Least and largest τ.
    pub tau_range: [f64; 2],
    /// Centres within which the residual must halve.
    pub patience: usize,
    /// Where Newton fails on an inner problem, follow its path.
    pub follow_paths: bool,
}

impl Default for ProximalSettings {
    fn default() -> Self {
        Self {
            iterations: 200,
            tau: 1.0,
            tau_range: [1e-12, 1e6],
            patience: 40,
            follow_paths: false,
        }
    }
}

/// Proximal point iteration p ← solution of the problem with u + τ w̄ (p − c), centre c the last p, each
/// solved by semismooth Newton. τ shrinks where Newton succeeds and grows where it does not.
///
/// What it is for: contacts that determine more than the bodies can do (a box on four corners, a bin of
/// balls) agree with each other only to second order in the motion. The impulses must then move far
/// along directions that change no velocity until some contact slides or opens, and a merit function of
/// velocities alone is flat there. Here the compliance gives each such move a finite size, (residual)/τ.
///
/// Without friction the outer iteration converges for every τ (Rockafellar 1976); with friction each
/// inner problem is closer to a contraction the larger τ is.
#[derive(Clone, Debug)]
pub struct Proximal {
    /// Settings.
    pub settings: ProximalSettings,
    /// The method of the inner problems.
    pub newton: Newton,
    homotopy: Homotopy,
    memory: SystemMemory,
    centre: Vec<DVec3>,
    trial: Vec<DVec3>,
    u: Vec<DVec3>,
    rows: Vec<Linearised>,
}

/// Largest residual over the contacts, m/s.
fn residual(system: &mut System, p: &[DVec3], u: &mut Vec<DVec3>) -> f64 {
    system.velocities(p, u);
    let of = |i: usize| system.law(i).natural_map(p[i], u[i], system.w_bar(i));
    (0..p.len()).fold(0.0, |worst, i| {
        let r = of(i).length();
        if r.is_finite() {
            r.max(worst)
        } else {
            f64::INFINITY
        }
    })
}

impl Default for Proximal {
    fn default() -> Self {
        Self {
            settings: ProximalSettings::default(),
            newton: Newton::new(NewtonSettings {
                map: Map::AlartCurnier,
                polish: false,
                ..NewtonSettings::default()
            }),
            homotopy: Homotopy::new(HomotopySettings::ONE),
            memory: SystemMemory::default(),
            centre: Vec::new(),
            trial: Vec::new(),
            u: Vec::new(),
            rows: Vec::new(),
        }
    }
}

impl Engine for Proximal {
    fn improve(&mut self, system: &mut System, p: &mut Vec<DVec3>, tolerance: f64) -> Outcome {
        let [least, largest] = self.settings.tau_range;
        let mut tau = self.settings.tau;
        let mut best = residual(system, p, &mut self.u);
        let mut now = best;
        let mut iterations = 0;
        self.centre.clone_from(p);
        let (mut mark, mut since) = (best, 0);
        for _ in 0..self.settings.iterations {
            if best <= tolerance || since >= self.settings.patience || limit::reached() {
                break;
            }
            since += 1;
            self.trial.clone_from(&self.centre);
            let inner = (0.05 * now).max(0.1 * tolerance);
            let mut shifted = Shifted::new(system, tau, &self.centre, &mut self.rows);
            let mut outcome = self
                .newton
                .improve_coupled(&mut shifted, &mut self.trial, inner);
            iterations += outcome.iterations;
            if outcome.residual > inner && self.settings.follow_paths {
                // The compliance bounds the stiffness, so that the path can be followed to its end.
                outcome = self
                    .homotopy
                    .improve_coupled(&mut shifted, &mut self.trial, inner);
                iterations += outcome.iterations;
            }
            let reached = residual(system, &self.trial, &mut self.u);
            if reached < best {
                best = reached;
                p.clone_from(&self.trial);
            }
            if best <= 0.5 * mark {
                (mark, since) = (best, 0);
            }
            if outcome.residual <= inner {
                std::mem::swap(&mut self.centre, &mut self.trial);
                // As stiff as Newton bears; a path bears more, where the centre moves too slowly.
                let slow = reached > 0.3 * now;
                now = reached;
                let factor = match outcome.iterations {
                    0..=5 => 0.1,
                    6..=10 => 0.3,
                    _ if slow && self.settings.follow_paths => 0.1,
                    _ => 1.0,
                };
                tau = (factor * tau).max(least);
            } else {
                tau *= 5.0;
                if tau > largest {
                    break;
                }
            }
        }
        Outcome {
            residual: best,
            iterations,
        }
    }

    fn memory(&mut self) -> &mut SystemMemory {
        &mut self.memory
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
        solve_by(self.name(), self, problem, guess, tolerance)
    }
}
