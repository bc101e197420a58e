//! The solver `auto`: the fastest method that the problem lets through, with fallbacks.
//!
//! | stage | method | starts from |
//! |---|---|---|
//! | 0 | no contact: nothing to do; one contact: the closed form | |
//! | 1 | semismooth Newton | the guess (the last step's impulses), else zero |
//! | 2 | Gauss-Seidel, 30 sweeps, then Newton (up to 30 contacts) | best so far |
//! | 3 | convex relaxation, then Newton | scratch |
//! | 4 | interior point on the exact cone, finished by Newton | scratch |
//! | 5 | Lemke, for problems without quadratic cones | scratch |
//! | 6 | arclength homotopy, finished by Newton | scratch |
//! | 7 | Gauss-Seidel in growing portions, Newton after each | best so far |
//! | 8 | Lemke on pyramids of 8, 16 and 32 directions, Newton from each (up to 6 contacts) | scratch |
//! | 9 | every combination of open, stick and slide, Newton on each (up to 6 contacts) | scratch |
//!
//! The chain ends at the first stage whose residual meets the tolerance (Newton polishes it to
//! rounding level). The residual that decides is that of the problem as given, recomputed from the
//! impulses; a stage that does not reach the tolerance is never passed off as an answer.
//!
//! **Selection rule.** The law may have several solutions. Newton from the last step's impulses comes
//! first, so a solution continues as long as it exists: a pile that rests goes on resting. Where there
//! is nothing to continue, the convex relaxation decides: its velocity is unique, and it is rest
//! whenever rest is possible (impulses in the cones with u = 0 solve both problems). Only then come
//! the methods whose answer is the end of their path. Without a guess the answer depends on the
//! problem alone, not on the history of the solver.

use crate::homotopy::Homotopy;
use crate::interior_point::InteriorPoint;
use crate::local::LocalProblem;
use crate::modes;
use crate::newton::Newton;
use crate::nsgs::{Nsgs, Outcome};
use crate::one_contact;
use crate::problem::{ContactProblem, Law, Twist};
use crate::pyramid::{self, LemkeContact};
use crate::residual::{self, GlobalResidual};
use crate::solver::{ContactSolver, Guarantee, SolveError, Solved, starting_impulses};
use glam::DVec3;

/// The solver to use unless there is a reason for another.
#[derive(Clone, Debug, Default)]
pub struct Auto {
    engines: Engines,
    lemke: LemkeContact,
    local: LocalProblem,
    nu: Vec<Twist>,
}

/// The methods of the chain with their memory.
#[derive(Clone, Debug, Default)]
struct Engines {
    newton: Newton,
    nsgs: Nsgs,
    interior_point: InteriorPoint,
    homotopy: Homotopy,
}

/// Up to this many contacts Gauss-Seidel is cheap enough to try early.
const SMALL: usize = 30;
/// Newton steps of a first attempt, and of one from a good start.
const NEWTON_STEPS: usize = 40;
/// Sweeps of Gauss-Seidel in each portion of stage 7.
const PORTIONS: [usize; 4] = [50, 200, 1000, 5000];
/// Most contacts for which all modes are tried.
const MOST_MODES: usize = 6;

/// Best impulses so far.
#[derive(Clone, Debug)]
struct Best {
    impulses: Vec<DVec3>,
    residual: f64,
    iterations: usize,
    solver: &'static str,
}

/// A problem the chain can be run on.
trait Target {
    /// The residual the caller judges by.
    fn residual(&mut self, p: &[DVec3]) -> f64;
    /// The tolerance of the methods, m/s.
    fn inner_tolerance(&self) -> f64;
    fn newton(&mut self, engine: &mut Newton, p: &mut Vec<DVec3>) -> Outcome;
    fn nsgs(&mut self, engine: &mut Nsgs, p: &mut Vec<DVec3>) -> Outcome;
    fn relaxed(&mut self, engine: &mut InteriorPoint) -> (Vec<DVec3>, usize);
    fn interior_point(&mut self, engine: &mut InteriorPoint, p: &mut Vec<DVec3>) -> Outcome;
    fn homotopy(&mut self, engine: &mut Homotopy, p: &mut Vec<DVec3>) -> Outcome;
    /// Impulses of the problem with pyramids for cones, by Lemke; false where that fails.
    fn pyramid_start(&mut self, directions: usize, p: &mut Vec<DVec3>) -> bool;
    fn modes(&mut self, engine: &mut Newton, p: &mut Vec<DVec3>) -> Outcome;
}

struct StepTarget<'a> {
    problem: &'a ContactProblem,
    local: &'a mut LocalProblem,
    nu: &'a mut Vec<Twist>,
    tolerance: f64,
}

impl Target for StepTarget<'_> {
    fn residual(&mut self, p: &[DVec3]) -> f64 {
        residual::of_step(self.problem, p, self.nu).0
    }

    fn inner_tolerance(&self) -> f64 {
        self.tolerance
    }

    fn newton(&mut self, engine: &mut Newton, p: &mut Vec<DVec3>) -> Outcome {
        engine.solve_step(self.problem, p, self.tolerance)
    }

    fn nsgs(&mut self, engine: &mut Nsgs, p: &mut Vec<DVec3>) -> Outcome {
        engine.solve_step(self.problem, p, self.tolerance)
    }

    fn relaxed(&mut self, engine: &mut InteriorPoint) -> (Vec<DVec3>, usize) {
        engine.solve_relaxed_step(self.problem)
    }

    fn interior_point(&mut self, engine: &mut InteriorPoint, p: &mut Vec<DVec3>) -> Outcome {
        engine.solve_step(self.problem, p, self.tolerance)
    }

    fn homotopy(&mut self, engine: &mut Homotopy, p: &mut Vec<DVec3>) -> Outcome {
        engine.solve_step(self.problem, p, self.tolerance)
    }

    fn pyramid_start(&mut self, directions: usize, p: &mut Vec<DVec3>) -> bool {
        self.local.assemble(self.problem);
        pyramid::start(self.local, directions, p)
    }

    fn modes(&mut self, engine: &mut Newton, p: &mut Vec<DVec3>) -> Outcome {
        self.local.assemble(self.problem);
        modes::search(self.local, engine, p, self.tolerance)
    }
}

struct LocalTarget<'a> {
    problem: &'a LocalProblem,
    inner: f64,
}

impl Target for LocalTarget<'_> {
    fn residual(&mut self, p: &[DVec3]) -> f64 {
        let r = GlobalResidual::new(self.problem, p).siconos();
        if r.is_finite() { r } else { f64::INFINITY }
    }

    fn inner_tolerance(&self) -> f64 {
        self.inner
    }

    fn newton(&mut self, engine: &mut Newton, p: &mut Vec<DVec3>) -> Outcome {
        engine.solve_local(self.problem, p, self.inner)
    }

    fn nsgs(&mut self, engine: &mut Nsgs, p: &mut Vec<DVec3>) -> Outcome {
        engine.solve_local(self.problem, p, self.inner)
    }

    fn relaxed(&mut self, engine: &mut InteriorPoint) -> (Vec<DVec3>, usize) {
        engine.solve_relaxed(self.problem)
    }

    fn interior_point(&mut self, engine: &mut InteriorPoint, p: &mut Vec<DVec3>) -> Outcome {
        engine.solve_local(self.problem, p, self.inner)
    }

    fn homotopy(&mut self, engine: &mut Homotopy, p: &mut Vec<DVec3>) -> Outcome {
        engine.solve_local(self.problem, p, self.inner)
    }

    fn pyramid_start(&mut self, directions: usize, p: &mut Vec<DVec3>) -> bool {
        pyramid::start(&mut self.problem.clone(), directions, p)
    }

    fn modes(&mut self, engine: &mut Newton, p: &mut Vec<DVec3>) -> Outcome {
        modes::search(self.problem, engine, p, self.inner)
    }
}

/// A run of the chain on one target.
struct Chain<'a, T: Target> {
    target: T,
    engines: &'a mut Engines,
    best: Best,
    tolerance: f64,
}

impl<T: Target> Chain<'_, T> {
    /// Judges `p`; true when the tolerance is met.
    fn judge(&mut self, p: &[DVec3], iterations: usize, solver: &'static str) -> bool {
        self.best.iterations += iterations;
        let r = self.target.residual(p);
        if r < self.best.residual {
            self.best.impulses.clear();
            self.best.impulses.extend_from_slice(p);
            self.best.residual = r;
            self.best.solver = solver;
        }
        self.best.residual <= self.tolerance
    }

    fn newton(&mut self, p: &mut Vec<DVec3>) -> bool {
        let outcome = self.target.newton(&mut self.engines.newton, p);
        self.judge(p, outcome.iterations, "newton")
    }

    fn nsgs(&mut self, sweeps: usize, p: &mut Vec<DVec3>) -> bool {
        self.engines.nsgs.settings.sweeps = sweeps;
        let outcome = self.target.nsgs(&mut self.engines.nsgs, p);
        self.judge(p, outcome.iterations, "nsgs")
    }

    /// Stages 1 to 4.
    fn first_stages(&mut self, p: &mut Vec<DVec3>, smooth: bool) -> bool {
        // On large problems a start that does not halve the merit at once is given up early: the
        // relaxation is the better investment.
        self.engines.newton.settings.iterations = NEWTON_STEPS;
        self.engines.newton.settings.patience = if p.len() <= SMALL { 12 } else { 8 };
        let found = self.newton(p);
        self.engines.newton.settings.patience = 12;
        if found {
            return true;
        }
        p.clone_from(&self.best.impulses);
        if p.len() <= SMALL && (self.nsgs(30, p) || self.newton(p)) {
            // Gauss-Seidel's answer is polished; the better of the two is kept.
            if self.best.solver == "nsgs" {
                p.clone_from(&self.best.impulses);
                self.newton(p);
            }
            return true;
        }
        if smooth {
            let engine = &mut self.engines.interior_point;
            let (relaxed, iterations) = self.target.relaxed(engine);
            self.best.iterations += iterations;
            p.clone_from(&relaxed);
            if self.newton(p) {
                return true;
            }
            let engine = &mut self.engines.interior_point;
            engine.newton.settings.iterations = NEWTON_STEPS;
            let outcome = self.target.interior_point(engine, p);
            return self.judge(p, outcome.iterations, "interior-point");
        }
        false
    }

    /// Stages 6 to 9.
    fn last_stages(&mut self, smooth: bool) -> bool {
        let n_c = self.best.impulses.len();
        let mut p = self.best.impulses.clone();
        if smooth {
            let engine = &mut self.engines.homotopy;
            engine.newton.settings.iterations = NEWTON_STEPS;
            let outcome = self.target.homotopy(engine, &mut p);
            if self.judge(&p, outcome.iterations, "homotopy") {
                return true;
            }
        }
        let mut sweeps = self.best.impulses.clone();
        for portion in PORTIONS {
            if self.nsgs(portion, &mut sweeps) {
                p.clone_from(&sweeps);
                self.newton(&mut p);
                return true;
            }
            p.clone_from(&sweeps);
            if self.newton(&mut p) {
                return true;
            }
        }
        if smooth && n_c <= MOST_MODES {
            for directions in [8, 16, 32] {
                if self.target.pyramid_start(directions, &mut p) && self.newton(&mut p) {
                    return true;
                }
            }
            p.clone_from(&self.best.impulses);
            let outcome = self.target.modes(&mut self.engines.newton, &mut p);
            return self.judge(&p, outcome.iterations, "modes");
        }
        false
    }
}

fn best_of(p: &[DVec3]) -> Best {
    Best {
        impulses: p.to_vec(),
        residual: f64::INFINITY,
        iterations: 0,
        solver: "newton",
    }
}

/// Whether every law has a smoothed form (no pyramids), and whether none is a quadratic cone.
fn kinds<'a>(laws: impl Iterator<Item = &'a Law>) -> (bool, bool) {
    laws.fold((true, true), |(smooth, polyhedral), law| {
        (
            smooth && !matches!(law, Law::Pyramid { .. }),
            polyhedral && !matches!(law, Law::Cone { .. }),
        )
    })
}

impl Auto {
    /// Solves a local problem to `tolerance` in Siconos' scaling; `guess` may be empty.
    ///
    /// # Errors
    /// [`SolveError`] with the best impulses where no stage reaches the tolerance.
    pub fn solve_local(
        &mut self,
        problem: &LocalProblem,
        guess: &[DVec3],
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        let solver = self.name();
        let unsuitable = |reason: String| SolveError::Unsuitable { solver, reason };
        problem.validate().map_err(unsuitable)?;
        let n_c = problem.len();
        let start = if guess.len() == n_c {
            guess.to_vec()
        } else {
            vec![DVec3::ZERO; n_c]
        };
        let squares: f64 = problem.q.iter().map(|q| q.length_squared()).sum();
        let speed = (squares / n_c.max(1) as f64).sqrt();
        let (smooth, _) = kinds(problem.laws.iter());
        // The two residuals differ by units and norms: tighten the inner one where it was met and
        // the outer one was not.
        let mut best = best_of(&start);
        for tighten in [1e-1, 1e-4, 1e-7] {
            let mut chain = Chain {
                target: LocalTarget {
                    problem,
                    inner: tolerance * tighten * speed,
                },
                engines: &mut self.engines,
                best: best.clone(),
                tolerance,
            };
            let mut p = chain.best.impulses.clone();
            let done = chain.first_stages(&mut p, smooth) || chain.last_stages(smooth);
            let inner = chain.target.inner_tolerance();
            best = chain.best;
            if done || residual::of_local(problem, &best.impulses).0 > inner {
                break;
            }
        }
        report(solver, best, tolerance)
    }
}

fn report(solver: &'static str, best: Best, tolerance: f64) -> Result<Solved, SolveError> {
    if best.residual <= tolerance {
        return Ok(Solved {
            impulses: best.impulses,
            iterations: best.iterations,
            solver: best.solver,
            residual: best.residual,
        });
    }
    Err(SolveError::NotConverged {
        solver,
        residual: best.residual,
        tolerance,
        iterations: best.iterations,
        best: best.impulses,
    })
}

impl ContactSolver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee {
            claim: "an answer is returned only if its residual, recomputed, meets the tolerance",
            hypotheses: "none",
        }
    }

    fn solve(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        let mut p = starting_impulses(self.name(), problem, guess)?;
        let n_c = problem.contacts.len();
        let (smooth, polyhedral) = kinds(problem.contacts.iter().map(|c| &c.law));
        let mut chain = Chain {
            target: StepTarget {
                problem,
                local: &mut self.local,
                nu: &mut self.nu,
                tolerance,
            },
            engines: &mut self.engines,
            best: best_of(&p),
            tolerance,
        };
        if n_c == 0 {
            chain.best.residual = 0.0;
            return report("auto", chain.best, tolerance);
        }
        if n_c == 1 {
            let q = problem.contacts[0].velocity(&problem.nu_free);
            let w = problem.contacts[0].diagonal(&problem.inverse_mass);
            let exact = one_contact::solve(&problem.contacts[0].law, &w, q);
            if chain.judge(&[exact], 1, "one-contact") {
                return report("auto", chain.best, tolerance);
            }
        }
        if chain.first_stages(&mut p, smooth) {
            return report("auto", chain.best, tolerance);
        }
        if polyhedral && n_c <= 100 {
            match self.lemke.solve(problem, None, tolerance) {
                Ok(solved) => {
                    // Newton from Lemke's answer takes it to rounding level.
                    chain.judge(&solved.impulses, solved.iterations, "lemke");
                    p.clone_from(&solved.impulses);
                    chain.newton(&mut p);
                    return report("auto", chain.best, tolerance);
                }
                // The problem may have no solution: a ray says more than a number.
                Err(ray @ SolveError::Ray { .. }) => return Err(ray),
                Err(_) => {}
            }
        }
        chain.last_stages(smooth);
        report("auto", chain.best, tolerance)
    }
}
