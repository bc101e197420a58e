//! The one door to every solver.

use crate::coupling::system::{Posed, System, SystemMemory};
use crate::problem::ContactProblem;
use glam::DVec3;

/// What is proved of a solver, and under which hypotheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guarantee {
    /// One sentence.
    pub claim: &'static str,
    /// The hypotheses it rests on.
    pub hypotheses: &'static str,
}

/// Impulses of a solved step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solved {
    /// p, N s, in each contact's frame (n, t₁, t₂).
    pub impulses: Vec<DVec3>,
    /// Iterations (sweeps, pivots or Newton steps) used.
    pub iterations: usize,
    /// Name of the solver that produced the impulses.
    pub solver: &'static str,
    /// Largest residual of the law over the contacts, m/s (see `residual`).
    pub residual: f64,
}

/// An honest failure of a method.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SolveError {
    /// The iteration limit came before the tolerance.
    #[error(
        "{solver} did not converge: residual {residual:.3e} m/s against {tolerance:.1e} m/s after {iterations} iterations"
    )]
    NotConverged {
        /// Which solver.
        solver: &'static str,
        /// Residual reached, m/s.
        residual: f64,
        /// Residual wanted, m/s.
        tolerance: f64,
        /// Iterations used.
        iterations: usize,
        /// Best impulses found.
        best: Vec<DVec3>,
    },
    /// The method ended on a ray: the problem may have no solution.
    #[error("{solver} ended on a ray after {iterations} pivots; contacts on it: {contacts:?}")]
    Ray {
        /// Which solver.
        solver: &'static str,
        /// Pivots done.
        iterations: usize,
        /// Contacts whose impulses grow along the ray.
        contacts: Vec<usize>,
    },
    /// The problem is not one this solver can take.
    #[error("{solver} cannot take this problem: {reason}")]
    Unsuitable {
        /// Which solver.
        solver: &'static str,
        /// Why.
        reason: String,
    },
}

impl SolveError {
    /// The best impulses of a method that missed its tolerance, with their residual, for those who may accept them.
    ///
    /// # Errors
    /// The failure itself where nothing of use was found.
    pub fn into_best(self) -> Result<Solved, Self> {
        match self {
            Self::NotConverged {
                solver,
                residual,
                iterations,
                best,
                ..
            } if residual < f64::INFINITY => Ok(Solved {
                impulses: best,
                iterations,
                solver,
                residual,
            }),
            other => Err(other),
        }
    }
}

/// A method that solves the contact problem of a step.
///
/// Memory lives in the solver and is reused from step to step; a solver never calls its own answer
/// certified, the judge does that.
pub trait ContactSolver: Send {
    /// Name used in scene files, reports and benches, such as "nsgs".
    fn name(&self) -> &'static str;
    /// What is proved for this solver, and under which hypotheses.
    fn guarantee(&self) -> Guarantee;
    /// Solves to `tolerance` (m/s, largest residual over contacts; better where that is cheap; `auto` takes
    /// the rounding of the impulses where that is larger, as the answer's residual says),
    /// starting from `guess` (impulses matched from the last step; zero where a contact is new).
    ///
    /// # Errors
    /// [`SolveError`] when the method fails; the world is untouched and another solver may be tried.
    fn solve(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
    ) -> Result<Solved, SolveError>;
}

/// What an iteration ended with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Largest residual over the contacts, m/s.
    pub residual: f64,
    /// Iterations used.
    pub iterations: usize,
}

impl Outcome {
    /// Nothing found yet.
    pub(crate) const NONE: Self = Self {
        residual: f64::INFINITY,
        iterations: 0,
    };
}

/// A method that improves impulses on a problem in either form.
pub trait Engine {
    /// Improves `p` until the residual (m/s) is at most `tolerance`; `p` ends as the best found.
    fn improve(&mut self, system: &mut System, p: &mut Vec<DVec3>, tolerance: f64) -> Outcome;

    /// Memory of the system, kept by the engine.
    fn memory(&mut self) -> &mut SystemMemory;

    /// As [`Engine::improve`], on a problem.
    fn improve_on(&mut self, problem: Posed, p: &mut Vec<DVec3>, tolerance: f64) -> Outcome {
        let mut memory = std::mem::take(self.memory());
        let outcome = self.improve(&mut memory.system(problem), p, tolerance);
        *self.memory() = memory;
        outcome
    }
}

/// Solves the problem of a step by an engine, judged by the residual of the problem as given.
pub(crate) fn solve_by(
    solver: &'static str,
    engine: &mut dyn Engine,
    problem: &ContactProblem,
    guess: Option<&[DVec3]>,
    tolerance: f64,
) -> Result<Solved, SolveError> {
    let mut p = starting_impulses(solver, problem, guess)?;
    let outcome = engine.improve_on(Posed::Step(problem), &mut p, tolerance);
    finish(solver, problem, p, outcome.iterations, tolerance)
}

/// The impulses to start from: the guess, put on each law's set, or zero.
///
/// # Errors
/// [`SolveError::Unsuitable`] for a problem that is not well posed or a guess of the wrong length.
pub(crate) fn starting_impulses(
    solver: &'static str,
    problem: &ContactProblem,
    guess: Option<&[DVec3]>,
) -> Result<Vec<DVec3>, SolveError> {
    let unsuitable = |reason: String| SolveError::Unsuitable { solver, reason };
    problem.validate().map_err(unsuitable)?;
    let n_c = problem.contacts.len();
    let Some(guess) = guess else {
        return Ok(vec![DVec3::ZERO; n_c]);
    };
    if guess.len() != n_c {
        return Err(unsuitable(format!(
            "{n_c} contacts but a guess for {}",
            guess.len()
        )));
    }
    Ok(problem
        .contacts
        .iter()
        .zip(guess)
        .map(|(contact, &p)| {
            if p.is_finite() {
                contact.law.project(p, 1.0)
            } else {
                DVec3::ZERO
            }
        })
        .collect())
}

/// Judges impulses by the residual of the step's own problem and wraps them.
pub(crate) fn finish(
    solver: &'static str,
    problem: &ContactProblem,
    impulses: Vec<DVec3>,
    iterations: usize,
    tolerance: f64,
) -> Result<Solved, SolveError> {
    let (residual, _) = crate::problem::residual::of_step(problem, &impulses, &mut Vec::new());
    if residual <= tolerance {
        Ok(Solved {
            impulses,
            iterations,
            solver,
            residual,
        })
    } else {
        Err(SolveError::NotConverged {
            solver,
            residual,
            tolerance,
            iterations,
            best: impulses,
        })
    }
}

/// Refuses problems with pyramids, for methods that smooth the cone.
pub(crate) fn refuse_pyramids(
    solver: &'static str,
    problem: &ContactProblem,
) -> Result<(), SolveError> {
    let is_pyramid = |c: &crate::problem::ContactBlock| {
        matches!(
            c.law,
            crate::problem::Law::Pyramid { .. } | crate::problem::Law::Disc { .. }
        )
    };
    match problem.contacts.iter().position(is_pyramid) {
        Some(i) => Err(SolveError::Unsuitable {
            solver,
            reason: format!("contact {i} has a pyramid or a disc; use newton, nsgs or auto"),
        }),
        None => Ok(()),
    }
}
