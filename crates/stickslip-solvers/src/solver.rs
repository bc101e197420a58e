//! The one door to every solver: what it is asked, what it answers, and how an engine becomes one.

use crate::coupling::{System, SystemMemory};
use crate::problem::ContactProblem;
use crate::problem::Posed;
use crate::problem::local::LocalProblem;
use crate::problem::residual::{self, GlobalResidual};
use crate::trace::Trace;
use core::ops::AddAssign;
use glam::DVec3;

pub use crate::laws::Laws;

/// What is proved of a solver, and under which hypotheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guarantee {
    /// One sentence.
    pub claim: &'static str,
    /// The hypotheses it rests on.
    pub hypotheses: &'static str,
}

/// What an answer is for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Purpose<'a> {
    /// To see which contacts are missing: where an island is hard, a residual of so many m/s will do.
    Draft(f64),
    /// The same where it is known that some were missing, and more may be: what a few sweeps come to, if it is within so many m/s.
    Sketch(f64),
    /// To be the step.
    #[default]
    Answer,
    /// The problem of the call before with another right-hand side, as rounds of joints pose it: of an island the largest of its contacts'
    /// residuals here will do, m/s.
    Round(&'a [f64]),
    /// To be the step of a run that has spent its patience on others: where an island is hard, a residual of so many m/s will do.
    Easily(f64),
    /// To be the step where nothing else was: with more patience.
    LastResort,
}

/// Times the residual that is enough for a draft with which it still shows what is missing.
pub const ROUGH: f64 = 10.0;

impl Purpose<'_> {
    /// The residual at which methods stop where an island is hard, m/s.
    pub const fn enough(self, tolerance: f64) -> f64 {
        match self {
            Self::Draft(enough) | Self::Sketch(enough) | Self::Easily(enough) => {
                tolerance.max(enough)
            }
            Self::Answer | Self::Round(_) | Self::LastResort => tolerance,
        }
    }

    /// The largest residual with which an answer is of use, m/s.
    pub const fn worst(self, tolerance: f64) -> f64 {
        match self {
            Self::Draft(enough) | Self::Sketch(enough) => tolerance.max(ROUGH * enough),
            Self::Answer | Self::Round(_) | Self::Easily(_) | Self::LastResort => tolerance,
        }
    }
}

/// Impulses of a solved step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solved {
    /// p, N s, in each contact's frame (n, t₁, t₂).
    pub impulses: Vec<DVec3>,
    /// Iterations (sweeps, pivots or Newton steps) used.
    pub iterations: usize,
    /// Name of the engine that produced the impulses.
    pub solver: &'static str,
    /// Name of the stage of `auto` that did (`auto::plans`); that of the solver elsewhere.
    pub stage: &'static str,
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
                stage: solver,
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
    /// A new step begins: what was answered before is forgotten. Within a step, an island that is asked again as it was keeps its
    /// answer where the solver works by islands.
    fn begin_step(&mut self) {}
    /// Rounds of joints begin anew within a step: factors of those before are forgotten.
    fn begin_rounds(&mut self) {}
    /// Work since the step began, in contacts factored (a factorisation of a system of n contacts counts n): the same on every
    /// machine. Zero for a solver that does not count it. (`auto` counts what its tables take, but for regions that it mends; rounds by the
    /// factors of an earlier one, and Newton on contacts with moments, count nothing. Counting them would change which steps are divided.)
    fn work(&self) -> u64 {
        0
    }
    /// Solves to `tolerance` (m/s, largest residual over contacts, or what the problem's floors leave to an island; better where that is cheap; `auto` takes
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
    /// As [`Self::solve`], with the work that the answer is worth, where a solver's work is bounded.
    ///
    /// # Errors
    /// As [`Self::solve`].
    fn solve_for(
        &mut self,
        _: Purpose<'_>,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        self.solve(problem, guess, tolerance)
    }
    /// The stages that ran in the last call, of a solver that has stages.
    fn trace(&self) -> &Trace {
        Trace::NONE
    }
}

/// A method that solves a problem on its contacts (FCLIB's local form) from nothing.
pub trait StoredSolver: Send {
    /// Solves to `tolerance` in Siconos' scaling ([`GlobalResidual::against`]), from no impulses and with nothing kept of the
    /// problem before but memory.
    ///
    /// # Errors
    /// [`SolveError`] when the method fails.
    fn solve_stored(
        &mut self,
        problem: &LocalProblem,
        tolerance: f64,
    ) -> Result<Solved, SolveError>;
    /// The stages that ran in the last call, of a solver that has stages.
    fn trace(&self) -> &Trace {
        Trace::NONE
    }
}

/// What a method took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Iterations: sweeps, pivots, Newton steps, or steps along a path.
    pub iterations: usize,
    /// Coupled linear systems factored.
    pub factorisations: usize,
}

impl Effort {
    /// Without linear algebra.
    pub(crate) const fn of_iterations(iterations: usize) -> Self {
        Self {
            iterations,
            factorisations: 0,
        }
    }
}

impl AddAssign for Effort {
    fn add_assign(&mut self, other: Self) {
        self.iterations += other.iterations;
        self.factorisations += other.factorisations;
    }
}

/// What an iteration ended with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Largest residual over the contacts, m/s.
    pub residual: f64,
    /// What it took.
    pub effort: Effort,
}

impl Outcome {
    /// Nothing found yet.
    pub(crate) const NONE: Self = Self {
        residual: f64::INFINITY,
        effort: Effort {
            iterations: 0,
            factorisations: 0,
        },
    };
}

/// A method that improves impulses on a problem in either form. An engine keeps memory only: settings come with every call.
pub trait Engine: Default + Send {
    /// What may be chosen.
    type Settings: Copy + Default + Send;
    /// Name in scene files, reports and benches.
    const NAME: &'static str;
    /// What is proved of it.
    const GUARANTEE: Guarantee;
    /// The laws it takes.
    const LAWS: Laws = Laws::Blocks;

    /// Improves `p` until the residual (m/s) is at most `tolerance`; `p` ends as the best found.
    fn improve(
        &mut self,
        system: &mut System,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &Self::Settings,
    ) -> Outcome;
}

/// An engine as a solver of its own, with settings that are fixed when it is made.
#[derive(Clone, Debug)]
pub struct ByEngine<E: Engine> {
    name: &'static str,
    settings: E::Settings,
    engine: E,
    memory: SystemMemory,
}

impl<E: Engine> ByEngine<E> {
    /// With these settings.
    #[must_use]
    pub fn new(settings: E::Settings) -> Self {
        Self::named(E::NAME, settings)
    }

    /// With these settings, under a name of its own.
    #[must_use]
    pub fn named(name: &'static str, settings: E::Settings) -> Self {
        Self {
            name,
            settings,
            engine: E::default(),
            memory: SystemMemory::default(),
        }
    }

    fn improve(&mut self, problem: Posed, p: &mut Vec<DVec3>, tolerance: f64) -> Outcome {
        let mut system = self.memory.system(problem);
        self.engine
            .improve(&mut system, p, tolerance, &self.settings)
    }
}

impl<E: Engine> Default for ByEngine<E> {
    fn default() -> Self {
        Self::new(E::Settings::default())
    }
}

impl<E: Engine> ContactSolver for ByEngine<E> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn guarantee(&self) -> Guarantee {
        E::GUARANTEE
    }

    fn solve(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        E::LAWS.refuse_others(self.name, problem.contacts.iter().map(|c| &c.law))?;
        let mut p = starting_impulses(self.name, problem, guess)?;
        let outcome = self.improve(Posed::Step(problem), &mut p, tolerance);
        finish(self.name, problem, p, outcome.effort.iterations, tolerance)
    }
}

impl<E: Engine> StoredSolver for ByEngine<E> {
    fn solve_stored(
        &mut self,
        problem: &LocalProblem,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        let solver = self.name;
        E::LAWS.refuse_others(solver, problem.laws.iter())?;
        let mut p = vec![DVec3::ZERO; problem.len()];
        let inner = INNER * tolerance * problem.speed();
        let outcome = self.improve(Posed::Local(problem), &mut p, inner);
        let residual = GlobalResidual::new(problem, &p).against(tolerance);
        judged(solver, p, outcome.effort.iterations, residual, tolerance)
    }
}

/// Engines measure in m/s and stored problems relative to their data: the tolerance asked for, times the speed of the data, times
/// this. (Chosen without measurement: the two residuals differ by norms as well.)
pub const INNER: f64 = 0.1;

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
    let (residual, _) = residual::of_step(problem, &impulses, &mut Vec::new());
    judged(solver, impulses, iterations, residual, tolerance)
}

/// Impulses with their residual: solved where it meets the tolerance.
fn judged(
    solver: &'static str,
    impulses: Vec<DVec3>,
    iterations: usize,
    residual: f64,
    tolerance: f64,
) -> Result<Solved, SolveError> {
    if residual <= tolerance {
        Ok(Solved {
            impulses,
            iterations,
            solver,
            stage: solver,
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
