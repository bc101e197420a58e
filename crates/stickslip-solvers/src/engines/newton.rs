//! Regularised semismooth Newton on the natural map of the exact law.

use crate::coupling::{Coupled, Linearised, Refinement, System, SystemMemory, linearised_rows};
use crate::limit;
use crate::problem::law::Linear;
use crate::problem::{ContactProblem, Law};
use crate::solver::{ContactSolver, Engine, Guarantee, Outcome, SolveError, Solved, solve_by};
use glam::DVec3;

/// The equations whose zeros are the solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Map {
    /// F = x − P_K(x − ũ), with the slip term in ũ.
    Natural,
    /// Alart and Curnier's: the normal and the friction disc apart. Where the one is stuck the other may
    /// not be.
    AlartCurnier,
    /// F = x − P_K(x − u): the convex relaxation, without the slip term. Not Coulomb's law.
    Relaxed,
}

impl Map {
    fn value(self, law: &Law, p: DVec3, u: DVec3, w_bar: f64) -> DVec3 {
        match self {
            Self::Natural => law.natural_map(p, u, w_bar),
            Self::AlartCurnier => law.alart_curnier(p, u, w_bar).f,
            Self::Relaxed => law.relaxed(p, u, w_bar).f,
        }
    }

    pub(crate) fn at(self, law: &Law, p: DVec3, u: DVec3, w_bar: f64) -> Linear {
        match self {
            Self::Natural => law.linearised(p, u, w_bar),
            Self::AlartCurnier => law.alart_curnier(p, u, w_bar),
            Self::Relaxed => law.relaxed(p, u, w_bar),
        }
    }
}

/// A residual of so many units in the last place of the largest speed in play is rounding. (Each body adds up a dozen
/// impulses: eight boxes of a stack at rest leave 7.5.)
const ROUNDED_ULPS: f64 = 10.0;
/// So many are rounding if a Newton step does not halve them.
const STALLED_ULPS: f64 = 64.0;
/// Regularisation of the first whole step; each further one has a tenth.
const FIRST_WHOLE: f64 = 1e-5;

/// Settings of [`Newton`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonSettings {
    /// Most Newton steps.
    pub iterations: usize,
    /// Relative regularisation of W: each step solves with W + ε w̄ I, which redundant contacts need
    /// and which does not move the solution (the residual is that of the exact problem).
    pub regularisation: f64,
    /// Halvings of a step before the regularisation is raised.
    pub halvings: usize,
    /// Steps within which the merit must halve.
    pub patience: usize,
    /// Steps whose largest merit a new one must beat (nonmonotone line search).
    pub memory: usize,
    /// Where a whole step does not pass the line search: so many of them are taken all the same, on Alart and
    /// Curnier's map and with falling regularisation, before the line search goes on from where they began.
    pub whole_steps: usize,
    /// The equations.
    pub map: Map,
    /// Go on to rounding level once the tolerance is met.
    pub polish: bool,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self {
            iterations: 60,
            regularisation: 1e-9,
            halvings: 8,
            patience: 12,
            memory: 4,
            whole_steps: 0,
            map: Map::Natural,
            polish: true,
        }
    }
}

/// Semismooth Newton on F_i = x_i − P_i(x_i − ũ_i), x = w̄ p, ũ = u + μσ(u_t) e_n (or [`Map::AlartCurnier`]).
///
/// With D = P' and C = I + e_n ∇(μσ)ᵀ each contact gives w̄ (I − D + ε I) δp + D C δu = −F. Merit ‖F‖₂
/// with a nonmonotone line search; ε grows a hundredfold where no step is found. Quadratic near a
/// solution with strict complementarity; no global guarantee, which is why `auto` has a chain.
/// References: Alart and Curnier 1991; Qi and Sun 1993.
#[derive(Clone, Debug, Default)]
pub struct Newton {
    /// Settings.
    pub settings: NewtonSettings,
    memory: SystemMemory,
    work: Work,
}

#[derive(Clone, Debug, Default)]
struct Work {
    u: Vec<DVec3>,
    dp: Vec<DVec3>,
    trial: Vec<DVec3>,
    trial_u: Vec<DVec3>,
    best: Vec<DVec3>,
    rows: Vec<Linearised>,
    merits: Vec<f64>,
    refinement: Refinement,
}

/// ‖F‖₂, largest |F_i| and the largest speed of a loaded contact.
struct Measure {
    merit: f64,
    worst: f64,
    speed: f64,
}

fn measure<S: Coupled>(system: &S, map: Map, p: &[DVec3], u: &[DVec3]) -> Measure {
    let (mut sum, mut worst, mut speed) = (0.0, 0.0f64, 0.0f64);
    for (i, (&p, &u)) in p.iter().zip(u).enumerate() {
        let w_bar = system.w_bar(i);
        let f_i = map.value(system.law(i), p, u, w_bar);
        let r2 = f_i.length_squared();
        sum += r2;
        worst = worst.max(r2);
        // Gaps over the step, of contacts far from closing, are no speed in play.
        if p != DVec3::ZERO {
            speed = speed
                .max(u.length_squared())
                .max(p.length_squared() * w_bar * w_bar);
        }
    }
    if sum.is_nan() {
        sum = f64::INFINITY;
        worst = f64::INFINITY;
    }
    Measure {
        merit: sum.sqrt(),
        worst: worst.sqrt(),
        speed: speed.sqrt(),
    }
}

impl Newton {
    /// Solver with the given settings.
    #[must_use]
    pub fn new(settings: NewtonSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Improves `p` on any coupled system until the residual (m/s) is at most `tolerance`.
    pub(crate) fn improve_coupled<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        tolerance: f64,
    ) -> Outcome {
        self.work.solve(system, p, tolerance, &self.settings)
    }
}

impl Engine for Newton {
    fn improve(&mut self, system: &mut System, p: &mut Vec<DVec3>, tolerance: f64) -> Outcome {
        self.improve_coupled(system, p, tolerance)
    }

    fn memory(&mut self) -> &mut SystemMemory {
        &mut self.memory
    }
}

impl Work {
    fn solve<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &NewtonSettings,
    ) -> Outcome {
        system.velocities(p, &mut self.u);
        let mut now = measure(system, settings.map, p, &self.u);
        self.best.clone_from(p);
        let mut best = now.worst;
        self.merits.clear();
        let mut epsilon = settings.regularisation;
        let mut stalled = 0;
        let mut mark = f64::INFINITY;
        // What is far from any answer is not on its way to the next kink.
        let mut cautious = settings.whole_steps == 0 || now.worst > now.speed;
        let mut whole = 0;
        for iteration in 0..settings.iterations {
            // What stalls is rounding if it is as small as that; else it may be slow, and what is left creeps.
            let ulps = now.worst / (f64::EPSILON * now.speed);
            let stall = if ulps <= STALLED_ULPS { 1 } else { 3 };
            let enough = best <= tolerance && (stalled >= stall || !settings.polish);
            if ulps <= ROUNDED_ULPS || now.worst == 0.0 || enough || limit::reached() {
                return self.end(p, best, iteration + whole);
            }
            // No factor of two in so many steps: this start leads nowhere.
            if iteration % settings.patience == settings.patience - 1 {
                if now.merit > 0.5 * mark && best > tolerance {
                    return self.end(p, best, iteration + whole);
                }
                mark = now.merit;
            }
            // Polishing: only steps down, with the least regularisation.
            if best <= tolerance {
                self.merits.clear();
                epsilon = settings.regularisation;
            }
            if self.merits.len() >= settings.memory {
                self.merits.remove(0);
            }
            self.merits.push(now.merit);
            let reference = self.merits.iter().fold(0.0f64, |m, v| m.max(*v));
            if best <= tolerance {
                cautious = true;
            }
            let mut next = self.step(system, p, &mut epsilon, reference, cautious, settings);
            if next.is_none() && !cautious {
                cautious = true;
                let found = self.whole_steps(system, p, tolerance, settings, &mut whole);
                next =
                    found.or_else(|| self.step(system, p, &mut epsilon, reference, true, settings));
            }
            let Some(next) = next else {
                return self.end(p, best, iteration + whole);
            };
            now = next;
            stalled = if now.worst < 0.5 * best {
                0
            } else {
                stalled + 1
            };
            if now.worst < best {
                best = now.worst;
                self.best.clone_from(p);
            }
            if best > tolerance {
                stalled = 0;
            }
        }
        self.end(p, best, settings.iterations + whole)
    }

    fn end(&self, p: &mut Vec<DVec3>, residual: f64, iterations: usize) -> Outcome {
        p.clone_from(&self.best);
        Outcome {
            residual,
            iterations,
        }
    }

    /// Whole steps from `p` on Alart and Curnier's map, ε falling to that of the settings, `count` of them counted. Where
    /// redundant contacts stick, impulses must go far before one gives, and there the merit is larger than on either side: a
    /// line search stops at the first such kink. Some where the tolerance is met; else `p` stays.
    fn whole_steps<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &NewtonSettings,
        count: &mut usize,
    ) -> Option<Measure> {
        let mut epsilon = FIRST_WHOLE;
        self.trial.clone_from(p);
        self.trial_u.clone_from(&self.u);
        for _ in 0..settings.whole_steps {
            if limit::reached() {
                return None;
            }
            *count += 1;
            let (rows, map) = (&mut self.rows, Map::AlartCurnier);
            linearised_rows(system, map, &self.trial, &self.trial_u, epsilon, rows);
            if !system.factor(&self.rows) {
                return None;
            }
            system.refined_solve(&mut self.rows, 4, &mut self.dp, &mut self.refinement);
            for (p, d) in self.trial.iter_mut().zip(&self.dp) {
                *p += *d;
            }
            system.velocities(&self.trial, &mut self.trial_u);
            let next = measure(system, settings.map, &self.trial, &self.trial_u);
            if next.worst <= tolerance {
                std::mem::swap(p, &mut self.trial);
                std::mem::swap(&mut self.u, &mut self.trial_u);
                return Some(next);
            }
            if next.worst == f64::INFINITY {
                return None;
            }
            epsilon = (0.1 * epsilon).max(settings.regularisation);
        }
        None
    }

    /// One step with line search; raises ε while none is found. None when even that fails, or, unless `cautious`, where the
    /// whole step does not pass.
    fn step<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        epsilon: &mut f64,
        reference: f64,
        cautious: bool,
        settings: &NewtonSettings,
    ) -> Option<Measure> {
        let first = *epsilon;
        while *epsilon <= 1.0 {
            linearised_rows(system, settings.map, p, &self.u, *epsilon, &mut self.rows);
            if system.factor(&self.rows) {
                system.refined_solve(&mut self.rows, 4, &mut self.dp, &mut self.refinement);
                let mut t = 1.0;
                for _ in 0..=settings.halvings {
                    self.trial.clear();
                    self.trial
                        .extend(p.iter().zip(&self.dp).map(|(&p, &d)| p + d * t));
                    system.velocities(&self.trial, &mut self.trial_u);
                    let next = measure(system, settings.map, &self.trial, &self.trial_u);
                    if next.merit <= (1.0 - 1e-4 * t) * reference {
                        std::mem::swap(p, &mut self.trial);
                        std::mem::swap(&mut self.u, &mut self.trial_u);
                        if *epsilon == first {
                            *epsilon = (*epsilon * 0.1).max(settings.regularisation);
                        }
                        return Some(next);
                    }
                    if !cautious {
                        return None;
                    }
                    t *= 0.5;
                }
            }
            *epsilon *= 100.0;
        }
        *epsilon = 1.0;
        None
    }
}

impl ContactSolver for Newton {
    fn name(&self) -> &'static str {
        "newton"
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee {
            claim: "converges quadratically from a start near enough to a solution",
            hypotheses: "strict complementarity and a regular Jacobian (up to redundant contacts)",
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
