//! The solver `auto`: the fastest method that the problem lets through, with fallbacks.
//!
//! | module | what |
//! |---|---|
//! | [`profile`] | what is known of an island before anything is tried, where a search stands, and the conditions on both |
//! | [`plans`] | the tables of stages: when each is tried, from where, why, and every number that chooses |
//! | `stages`, `rest`, `rays`, `last` | one function a stage |
//! | `swept` | many contacts in motion: sweeps, mended where they stall |
//! | `bearing` | the contacts that bear something, without the others |
//! | `mend` | impulses that fail at a few contacts of many, mended there |
//! | `chain` | the driver that walks a table |
//! | `best` | the judgement of each stage, the best so far, what is reported in the end |
//! | `kit` | memory of the stages |
//! | `answered` | islands that the last call has answered already |
//! | `round` | islands that differ from those of the last call by their right-hand sides |
//! | `soft` | islands with contacts that bear moments |
//! | `steps`, `stored` | the two doors: a step, island by island, and a problem on its contacts |
//! | [`selection`] | which of several answers is taken |
//!
//! A step is solved island by island, each by its own stages; its iterations are those of the island that takes most.
//! Stages on the smoothed cone see pyramids as the round cones inside them; Newton then finishes on the pyramids.
//!
//! The search ends at the first stage whose residual meets the tolerance (Newton polishes it to
//! rounding level), or is the rounding of the impulses, 16 ε w̄|p|, where that is larger. The residual that decides is that of the problem as given, recomputed from the
//! impulses; a stage that does not reach the tolerance is never passed off as an answer. Nothing of a problem changes the answer to another:
//! engines keep memory only, and settings come with every call. (The same problem with its own answer as guess has that answer.)
//!
//! **Selection rule.** Which of several answers is taken, see [`selection`]: the stages that the tables mark follow it. Stored
//! problems have no motion to go on: for them ([`Auto::solve_local`]) any answer will do, the quickest first; what decides is
//! [`GlobalResidual::against`](crate::problem::residual::GlobalResidual::against).
//!
//! **What ran** is kept in a [`Trace`], see [`ContactSolver::trace`].

mod answered;
mod bearing;
mod best;
mod chain;
mod kit;
mod last;
mod mend;
pub mod plans;
pub mod profile;
mod rays;
mod rest;
mod round;
pub mod selection;
mod soft;
mod stages;
mod steps;
mod stored;
mod swept;

use crate::auto::answered::Answers;
use crate::auto::kit::Kit;
use crate::auto::plans::PATIENT;
use crate::auto::steps::{Asked, IslandMemory};
use crate::coupling::SystemMemory;
use crate::engines::dense_island;
use crate::problem::ContactProblem;
use crate::problem::islands::{Islands, Part};
use crate::problem::local::LocalProblem;
use crate::solver::{ContactSolver, Guarantee, Purpose, SolveError, Solved, StoredSolver};
use crate::trace::Trace;
use glam::DVec3;

/// The solver to use unless there is a reason for another.
#[derive(Clone, Debug, Default)]
pub struct Auto {
    kit: Kit,
    /// Of a stored problem.
    memory: SystemMemory,
    dense: dense_island::Memory,
    islands: Islands,
    part: Part,
    /// How many budgets (`plans::budget`) may be spent on each island of a step; None: as much as it takes.
    budgets: Option<usize>,
    /// One for each island of a step.
    parts: Vec<IslandMemory>,
    answers: Answers,
    /// Contacts factored since the step began, as [`ContactSolver::work`] counts them.
    work: u64,
}

impl Auto {
    /// Leaves out stages, to see what they are worth: each is named by itself (in every table) or as `table/stage`.
    #[must_use]
    pub fn without(mut self, stages: &[&str]) -> Self {
        self.kit.without = stages.iter().map(ToString::to_string).collect();
        self
    }

    /// The stages that ran in the last call.
    #[must_use]
    pub const fn trace(&self) -> &Trace {
        &self.kit.trace
    }

    /// With bounded work on each island of a step, for runs: a step that takes more is better done in parts.
    #[must_use]
    pub fn bounded() -> Self {
        Self {
            budgets: Some(1),
            ..Self::default()
        }
    }

    /// Forgets what the last problem's pattern was, so that the next local problem costs what one never seen costs (but
    /// for fresh memory): for fair measurements.
    pub fn forget(&mut self) {
        self.memory.forget();
    }
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

    fn begin_step(&mut self) {
        self.answers.clear();
        self.begin_rounds();
        self.work = 0;
        if let Some(bearing) = &mut self.kit.bearing {
            bearing.begin_step();
        }
    }

    fn begin_rounds(&mut self) {
        for part in &mut self.parts {
            part.chord.forget();
        }
    }

    fn work(&self) -> u64 {
        self.work
    }

    fn solve(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        self.solve_for(Purpose::Answer, problem, guess, tolerance)
    }

    fn solve_for(
        &mut self,
        purpose: Purpose<'_>,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        self.kit.trace.begin();
        let asked = Asked {
            enough: purpose.enough(tolerance),
            purpose,
            budgets: match purpose {
                Purpose::Easily(_) | Purpose::LastResort => {
                    self.budgets.map(|budgets| budgets * PATIENT)
                }
                _ => self.budgets,
            },
            ..Asked::whole(tolerance)
        };
        let solved = self.solve_step(problem, guess, asked);
        self.kit.trace.end();
        self.kit.trace.keep(problem, guess, tolerance);
        solved
    }

    fn trace(&self) -> &Trace {
        self.trace()
    }
}

impl StoredSolver for Auto {
    fn solve_stored(
        &mut self,
        problem: &LocalProblem,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        self.forget();
        self.solve_local(problem, &[], tolerance)
    }

    fn trace(&self) -> &Trace {
        self.trace()
    }
}
