//! Proximal Newton: the problem made compliant about a centre, solved by Newton, and the centre moved.

use crate::coupling::{Coupled, Linearised, Shifted, System};
use crate::engines::homotopy::{Homotopy, HomotopySettings};
use crate::engines::newton::{Newton, NewtonSettings};
use crate::limit;
use crate::solver::{Effort, Engine, Guarantee, Outcome};
use glam::DVec3;

/// Settings of [`Proximal`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProximalSettings {
    /// Most outer iterations.
    pub iterations: usize,
    /// First τ; the inner problem has D + τ diag(w̄).
    pub tau: f64,
    /// Least and largest τ.
    pub tau_range: [f64; 2],
    /// Centres within which the residual must halve.
    pub patience: usize,
    /// The Newton of the inner problems.
    pub newton: NewtonSettings,
    /// The path that is followed where Newton fails on an inner problem; None: it is given up.
    pub paths: Option<HomotopySettings>,
}

impl ProximalSettings {
    /// The proximal method by itself. The numbers were chosen without measurement.
    pub const ALONE: Self = Self {
        iterations: 200,
        tau: 1.0,
        tau_range: [1e-12, 1e6],
        patience: 40,
        newton: NewtonSettings {
            polish: false,
            ..NewtonSettings::FINISH
        },
        paths: None,
    };
}

impl Default for ProximalSettings {
    fn default() -> Self {
        Self::ALONE
    }
}

/// Part of the residual now to which an inner problem is solved, and of the tolerance at least.
const INNER: f64 = 0.05;
const INNER_LEAST: f64 = 0.1;
/// A centre is slow where it leaves this part of the residual.
const SLOW: f64 = 0.3;
/// Factor on τ where Newton fails.
const SOFTER: f64 = 5.0;

/// Proximal point iteration p ← solution of the problem with u + τ w̄ (p − c), centre c the last p, each
/// solved by semismooth Newton. τ shrinks where Newton succeeds and grows where it does not. It keeps memory only.
///
/// What it is for: contacts that determine more than the bodies can do (a box on four corners, a bin of
/// balls) agree with each other only to second order in the motion. The impulses must then move far
/// along directions that change no velocity until some contact slides or opens, and a merit function of
/// velocities alone is flat there. Here the compliance gives each such move a finite size, (residual)/τ.
///
/// Without friction the outer iteration converges for every τ (Rockafellar 1976); with friction each
/// inner problem is closer to a contraction the larger τ is.
#[derive(Clone, Debug, Default)]
pub struct Proximal {
    newton: Newton,
    homotopy: Homotopy,
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

impl Proximal {
    /// The problem made compliant about the centre, solved to `inner` from there into `trial`: what the method that ended
    /// it came to, and the effort of all.
    fn solve_inner(
        &mut self,
        system: &mut System,
        tau: f64,
        inner: f64,
        settings: &ProximalSettings,
    ) -> (Outcome, Effort) {
        self.trial.clone_from(&self.centre);
        let mut shifted = Shifted::new(system, tau, &self.centre, &mut self.rows);
        let (newton, trial) = (&mut self.newton, &mut self.trial);
        let outcome = newton.improve_coupled(&mut shifted, trial, inner, &settings.newton);
        let mut effort = outcome.effort;
        let Some(paths) = settings.paths.filter(|_| outcome.residual > inner) else {
            return (outcome, effort);
        };
        // The compliance bounds the stiffness, so that the path can be followed to its end.
        let outcome = self
            .homotopy
            .improve_coupled(&mut shifted, trial, inner, &paths);
        effort += outcome.effort;
        (outcome, effort)
    }
}

impl Engine for Proximal {
    type Settings = ProximalSettings;
    const NAME: &'static str = "proximal";
    const GUARANTEE: Guarantee = Guarantee {
        claim: "converges to a solution",
        hypotheses: "no friction and exact inner solutions; with friction none is proved",
    };

    fn improve(
        &mut self,
        system: &mut System,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &ProximalSettings,
    ) -> Outcome {
        let [least, largest] = settings.tau_range;
        let mut tau = settings.tau;
        let mut best = residual(system, p, &mut self.u);
        let mut now = best;
        let mut effort = Effort::default();
        self.centre.clone_from(p);
        let (mut mark, mut since) = (best, 0);
        for _ in 0..settings.iterations {
            if best <= tolerance || since >= settings.patience || limit::reached() {
                break;
            }
            since += 1;
            let inner = (INNER * now).max(INNER_LEAST * tolerance);
            let (outcome, taken) = self.solve_inner(system, tau, inner, settings);
            effort += taken;
            // The best impulses are kept, and patience begins anew where they halve the residual.
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
                let slow = reached > SLOW * now;
                now = reached;
                let factor = match outcome.effort.iterations {
                    0..=5 => 0.1,
                    6..=10 => 0.3,
                    _ if slow && settings.paths.is_some() => 0.1,
                    _ => 1.0,
                };
                tau = (factor * tau).max(least);
            } else {
                tau *= SOFTER;
                if tau > largest {
                    break;
                }
            }
        }
        Outcome {
            residual: best,
            effort,
        }
    }
}
