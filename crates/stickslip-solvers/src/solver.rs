//! The one door to every solver.

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

/// A method that solves the contact problem of a step.
///
/// Memory lives in the solver and is reused from step to step; a solver never calls its own answer
/// certified, the judge does that.
pub trait ContactSolver: Send {
    /// Name used in scene files, reports and benches, such as "nsgs".
    fn name(&self) -> &'static str;
    /// What is proved for this solver, and under which hypotheses.
    fn guarantee(&self) -> Guarantee;
    /// Solves to `tolerance` (m/s, largest residual over contacts; better where that is cheap),
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
