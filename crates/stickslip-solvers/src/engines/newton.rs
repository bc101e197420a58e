//! Regularised semismooth Newton on the natural map of the exact law.

use crate::coupling::{Coupled, Linearised, Refinement, System, linearised_rows};
use crate::limit;
use crate::problem::law::Map;
use crate::solver::{Effort, Engine, Guarantee, Outcome};
use glam::DVec3;

/// A residual of so many units in the last place of the largest speed in play is rounding. (Each body adds up a dozen
/// impulses: eight boxes of a stack at rest leave 7.5.)
const ROUNDED_ULPS: f64 = 10.0;
/// So many are rounding if a Newton step does not halve them.
const STALLED_ULPS: f64 = 64.0;
/// Regularisation of the first whole step; each further one has a tenth.
const FIRST_WHOLE: f64 = 1e-5;
/// Most steps of GMRES on each linear system.
const REFINEMENTS: usize = 4;
/// Part of the merit that a whole step must take off (Armijo's rule).
const DESCENT: f64 = 1e-4;

/// Settings of [`Newton`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonSettings {
    /// Most Newton steps.
    pub iterations: usize,
    /// Relative regularisation of D: each step solves with D + ε w̄ I, which redundant contacts need
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

impl NewtonSettings {
    /// Newton by itself. The numbers were chosen without measurement.
    pub const ALONE: Self = Self {
        iterations: 60,
        regularisation: 1e-9,
        halvings: 8,
        patience: 12,
        memory: 4,
        whole_steps: 0,
        map: Map::Natural,
        polish: true,
    };

    /// Newton from points of a path, where contacts slide and open: Alart and Curnier's map gets on there.
    pub const FINISH: Self = Self {
        map: Map::AlartCurnier,
        ..Self::ALONE
    };
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self::ALONE
    }
}

/// Semismooth Newton on F_i = x_i − P_i(x_i − ũ_i), x = w̄ p, ũ = u + μσ(u_t) e_n (or [`Map::AlartCurnier`]). It keeps memory
/// only.
///
/// With P' the derivative and C = I + e_n ∇(μσ)ᵀ each contact gives w̄ (I − P' + ε I) δp + P' C δu = −F. Merit ‖F‖₂
/// with a nonmonotone line search; ε grows a hundredfold where no step is found. Quadratic near a
/// solution with strict complementarity; no global guarantee, which is why `auto` has a chain.
/// References: Alart and Curnier 1991; Qi and Sun 1993.
#[derive(Clone, Debug, Default)]
pub struct Newton {
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

/// Where one run of Newton is.
struct Run {
    now: Measure,
    /// Least of the largest |F_i| so far.
    best: f64,
    /// Steps since `best` was halved, once the tolerance is met.
    stalled: usize,
    /// Merit when patience was last asked for.
    mark: f64,
    /// Regularisation of the next step.
    epsilon: f64,
    /// Are whole steps that do not pass the line search over, or not wanted?
    cautious: bool,
    /// Whole steps taken and systems factored.
    whole: usize,
    factorisations: usize,
}

impl Run {
    fn new(now: Measure, settings: &NewtonSettings) -> Self {
        Self {
            best: now.worst,
            stalled: 0,
            mark: f64::INFINITY,
            epsilon: settings.regularisation,
            // What is far from any answer is not on its way to the next kink.
            cautious: settings.whole_steps == 0 || now.worst > now.speed,
            whole: 0,
            factorisations: 0,
            now,
        }
    }

    /// Is there nothing more to gain, or no time left?
    fn ends(&mut self, iteration: usize, tolerance: f64, settings: &NewtonSettings) -> bool {
        let now = &self.now;
        // A stall within a few units in the last place is rounding: one is enough. Otherwise convergence may only be
        // slow: three are allowed.
        let ulps = now.worst / (f64::EPSILON * now.speed);
        let stall = if ulps <= STALLED_ULPS { 1 } else { 3 };
        let enough = self.best <= tolerance && (self.stalled >= stall || !settings.polish);
        if ulps <= ROUNDED_ULPS || now.worst == 0.0 || enough || limit::reached() {
            return true;
        }
        // No factor of two in so many steps: this start leads nowhere.
        if iteration % settings.patience == settings.patience - 1 {
            if now.merit > 0.5 * self.mark && self.best > tolerance {
                return true;
            }
            self.mark = now.merit;
        }
        false
    }

    /// Goes on to the next point; true where it is the best so far.
    fn take(&mut self, next: Measure, tolerance: f64) -> bool {
        self.now = next;
        let worst = self.now.worst;
        self.stalled = if worst < 0.5 * self.best {
            0
        } else {
            self.stalled + 1
        };
        let better = worst < self.best;
        if better {
            self.best = worst;
        }
        if self.best > tolerance {
            self.stalled = 0;
        }
        better
    }
}

impl Newton {
    /// Improves `p` on any coupled system until the residual (m/s) is at most `tolerance`.
    pub(crate) fn improve_coupled<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &NewtonSettings,
    ) -> Outcome {
        system.velocities(p, &mut self.u);
        self.best.clone_from(p);
        self.merits.clear();
        let mut run = Run::new(measure(system, settings.map, p, &self.u), settings);
        for iteration in 0..settings.iterations {
            if run.ends(iteration, tolerance, settings) {
                return self.end(p, &run, iteration);
            }
            let Some(next) = self.advance(system, p, tolerance, &mut run, settings) else {
                return self.end(p, &run, iteration);
            };
            if run.take(next, tolerance) {
                self.best.clone_from(p);
            }
        }
        self.end(p, &run, settings.iterations)
    }

    fn end(&self, p: &mut Vec<DVec3>, run: &Run, iterations: usize) -> Outcome {
        p.clone_from(&self.best);
        Outcome {
            residual: run.best,
            effort: Effort {
                iterations: iterations + run.whole,
                factorisations: run.factorisations,
            },
        }
    }

    /// One step of any kind from `p`; None where no step is found.
    fn advance<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        run: &mut Run,
        settings: &NewtonSettings,
    ) -> Option<Measure> {
        // Polishing: only steps down, with the least regularisation.
        if run.best <= tolerance {
            self.merits.clear();
            run.epsilon = settings.regularisation;
            run.cautious = true;
        }
        // The largest merit of the last steps is what a new one must beat.
        if self.merits.len() >= settings.memory {
            self.merits.remove(0);
        }
        self.merits.push(run.now.merit);
        let reference = self.merits.iter().fold(0.0f64, |m, v| m.max(*v));
        let next = self.step(system, p, reference, run, settings);
        if next.is_some() || run.cautious {
            return next;
        }
        run.cautious = true;
        self.whole_steps(system, p, tolerance, run, settings)
            .or_else(|| self.step(system, p, reference, run, settings))
    }

    /// Whole steps from `p` on Alart and Curnier's map, ε falling to that of the settings. Where
    /// redundant contacts stick, impulses must go far before one gives, and there the merit is larger than on either side: a
    /// line search stops at the first such kink. Some where the tolerance is met; else `p` stays.
    fn whole_steps<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        run: &mut Run,
        settings: &NewtonSettings,
    ) -> Option<Measure> {
        let mut epsilon = FIRST_WHOLE;
        self.trial.clone_from(p);
        self.trial_u.clone_from(&self.u);
        for _ in 0..settings.whole_steps {
            if limit::reached() {
                return None;
            }
            run.whole += 1;
            let (rows, map) = (&mut self.rows, Map::AlartCurnier);
            linearised_rows(system, map, &self.trial, &self.trial_u, epsilon, rows);
            run.factorisations += 1;
            if !system.factor(&self.rows) {
                return None;
            }
            system.refined_solve(
                &mut self.rows,
                REFINEMENTS,
                &mut self.dp,
                &mut self.refinement,
            );
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

    /// One step with line search; raises ε while none is found. None when even that fails, or, unless the run is cautious,
    /// where the whole step does not pass.
    fn step<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        reference: f64,
        run: &mut Run,
        settings: &NewtonSettings,
    ) -> Option<Measure> {
        let first = run.epsilon;
        while run.epsilon <= 1.0 {
            linearised_rows(
                system,
                settings.map,
                p,
                &self.u,
                run.epsilon,
                &mut self.rows,
            );
            run.factorisations += 1;
            if system.factor(&self.rows) {
                system.refined_solve(
                    &mut self.rows,
                    REFINEMENTS,
                    &mut self.dp,
                    &mut self.refinement,
                );
                let mut t = 1.0;
                for _ in 0..=settings.halvings {
                    self.trial.clear();
                    self.trial
                        .extend(p.iter().zip(&self.dp).map(|(&p, &d)| p + d * t));
                    system.velocities(&self.trial, &mut self.trial_u);
                    let next = measure(system, settings.map, &self.trial, &self.trial_u);
                    if next.merit <= (1.0 - DESCENT * t) * reference {
                        std::mem::swap(p, &mut self.trial);
                        std::mem::swap(&mut self.u, &mut self.trial_u);
                        if run.epsilon == first {
                            run.epsilon = (run.epsilon * 0.1).max(settings.regularisation);
                        }
                        return Some(next);
                    }
                    if !run.cautious {
                        return None;
                    }
                    t *= 0.5;
                }
            }
            run.epsilon *= 100.0;
        }
        run.epsilon = 1.0;
        None
    }
}

impl Engine for Newton {
    type Settings = NewtonSettings;
    const NAME: &'static str = "newton";
    const GUARANTEE: Guarantee = Guarantee {
        claim: "converges quadratically from a start near enough to a solution",
        hypotheses: "strict complementarity and a regular Jacobian (up to redundant contacts)",
    };

    fn improve(
        &mut self,
        system: &mut System,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &NewtonSettings,
    ) -> Outcome {
        self.improve_coupled(system, p, tolerance, settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::SystemMemory;
    use crate::engines::tests::{sliding_point, sliding_point_answer};
    use crate::problem::Posed;

    fn solve(settings: &NewtonSettings) -> (Vec<DVec3>, Outcome) {
        let problem = sliding_point();
        let mut memory = SystemMemory::default();
        let mut p = vec![DVec3::ZERO];
        let mut system = memory.system(Posed::Local(&problem));
        let outcome = Newton::default().improve(&mut system, &mut p, 1e-12, settings);
        (p, outcome)
    }

    #[test]
    fn a_sliding_point_is_solved_to_rounding_on_both_maps() {
        for settings in [NewtonSettings::ALONE, NewtonSettings::FINISH] {
            let (p, outcome) = solve(&settings);
            assert!((p[0] - sliding_point_answer()).length() < 1e-15, "{p:?}");
            assert!(outcome.residual < 1e-14);
            let Effort {
                iterations,
                factorisations,
            } = outcome.effort;
            assert!((1..=10).contains(&iterations), "{iterations}");
            assert!(factorisations >= iterations);
        }
    }

    #[test]
    fn no_steps_are_taken_beyond_those_allowed() {
        let (p, outcome) = solve(&NewtonSettings {
            iterations: 0,
            ..NewtonSettings::ALONE
        });
        assert_eq!((p[0], outcome.effort), (DVec3::ZERO, Effort::default()));
        // F = −P(−ũ) at p = 0, with −ũ = (−0.2, −0.6, −0.8) outside the cone: (μ|ũ_t| − ũ_n)/√(1 + μ²).
        let expected = (0.3 - 0.2) / 1.09f64.sqrt();
        assert!((outcome.residual - expected).abs() < 1e-15);
    }
}
