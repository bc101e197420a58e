//! A problem on its contacts, as it is stored in a file: any answer will do, the quickest first.

use crate::auto::Auto;
use crate::auto::answered::ANSWERED;
use crate::auto::chain::{Chain, Verdict};
use crate::auto::plans::{
    LAST, LAST_IMPULSES, MAX_DENSE_CONTACTS, STORED, STORED_FIRST, TIGHTEN, WARM,
};
use crate::auto::rays::contradiction;
use crate::auto::steps::Asked;
use crate::engines::dense_island;
use crate::limit;
use crate::problem::Posed;
use crate::problem::local::LocalProblem;
use crate::problem::residual::{self, GlobalResidual};
use crate::solver::{ContactSolver, Effort, INNER, Laws, SolveError, Solved};
use crate::trace::Ran;
use glam::DVec3;

/// Part of the tolerance for each island, relative to itself: together they are then within it. (Chosen without measurement.)
const OWN: f64 = 0.5;

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
        self.kit.trace.begin();
        let solved = self.solve_on_contacts(problem, guess, tolerance);
        self.kit.trace.end();
        solved
    }

    fn solve_on_contacts(
        &mut self,
        problem: &LocalProblem,
        guess: &[DVec3],
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        let solver = self.name();
        let unsuitable = |reason: String| SolveError::Unsuitable { solver, reason };
        problem.validate().map_err(unsuitable)?;
        if !guess.is_empty() || !problem.laws.iter().all(|law| Laws::Cones.include(law)) {
            return self.solve_whole(problem, guess, tolerance);
        }
        let mut solved = self.by_islands(problem, tolerance);
        solved.residual = GlobalResidual::new(problem, &solved.impulses).against(tolerance);
        if solved.residual <= tolerance {
            return Ok(solved);
        }
        if limit::reached() {
            return Err(SolveError::NotConverged {
                solver,
                residual: solved.residual,
                tolerance,
                iterations: solved.iterations,
                best: solved.impulses,
            });
        }
        self.solve_whole(problem, &solved.impulses, tolerance)
            .map_err(|e| contradiction(problem).unwrap_or(e))
    }

    /// Island by island, cones from nothing: the quickest method that takes each. What it comes to is for the caller
    /// to judge.
    fn by_islands(&mut self, problem: &LocalProblem, tolerance: f64) -> Solved {
        let n_c = problem.len();
        let mut all = Solved {
            impulses: vec![DVec3::ZERO; n_c],
            iterations: 1,
            solver: "one-contact",
            stage: "one-contact",
            residual: f64::INFINITY,
        };
        let alone = |i: usize| {
            let (d_ii, mu) = (problem.delassus.diagonal(i), problem.laws[i].friction());
            dense_island::alone(mu, d_ii, problem.q[i])
        };
        if let [p] = &mut all.impulses[..] {
            *p = alone(0);
        }
        if n_c <= 1 {
            self.note_single(n_c, f64::INFINITY);
            return all;
        }
        let mut islands = std::mem::take(&mut self.islands);
        islands.find(&problem.delassus);
        let mut single = 0;
        for k in 0..islands.len() {
            match *islands.members(k) {
                [i] => {
                    all.impulses[i] = alone(i);
                    single += 1;
                }
                ref members => self.solve_members(problem, members, OWN * tolerance, &mut all),
            }
        }
        self.note_single(single, f64::INFINITY);
        self.islands = islands;
        all
    }

    /// An island of several contacts: by full Newton steps in dense rows, else by the tables.
    fn solve_members(
        &mut self,
        problem: &LocalProblem,
        members: &[usize],
        tolerance: f64,
        all: &mut Solved,
    ) {
        if members.len() <= MAX_DENSE_CONTACTS && self.solve_dense(problem, members, tolerance, all)
        {
            return;
        }
        let part;
        let island = if members.len() == problem.len() {
            problem
        } else {
            part = problem.island(members);
            &part
        };
        let (impulses, steps, by, stage) = match self.solve_whole(island, &[], tolerance) {
            Ok(solved) => (
                solved.impulses,
                solved.iterations,
                solved.solver,
                solved.stage,
            ),
            Err(SolveError::NotConverged {
                best, iterations, ..
            }) => (best, iterations, "newton", "none"),
            Err(_) => return,
        };
        all.iterations = all.iterations.max(steps);
        (all.solver, all.stage) = (by, stage);
        for (&i, impulse) in members.iter().zip(impulses) {
            all.impulses[i] = impulse;
        }
    }

    /// Full Newton steps in dense rows; false where they do not meet the tolerance.
    fn solve_dense(
        &mut self,
        problem: &LocalProblem,
        members: &[usize],
        tolerance: f64,
        all: &mut Solved,
    ) -> bool {
        let began = self.kit.trace.now();
        let found = dense_island::solve(
            problem,
            members,
            tolerance,
            &mut all.impulses,
            &mut self.dense,
        );
        self.kit.trace.push(Ran {
            table: ISLANDS,
            stage: "dense-newton",
            islands: 1,
            contacts: members.len(),
            effort: found.unwrap_or_default(),
            residual: f64::INFINITY,
            won: found.is_some(),
            seconds: began.map(|began| began.elapsed().as_secs_f64()),
        });
        if let Some(effort) = found {
            all.iterations = all.iterations.max(effort.iterations);
            (all.solver, all.stage) = ("newton", "dense-newton");
        }
        found.is_some()
    }

    /// Notes contacts that were solved each by itself, and their largest residual where it is known.
    pub(super) fn note_single(&mut self, contacts: usize, residual: f64) {
        if contacts > 0 {
            self.kit.trace.push(Ran {
                table: ISLANDS,
                stage: "one-contact",
                islands: contacts,
                contacts,
                effort: Effort::of_iterations(1),
                residual,
                won: true,
                seconds: None,
            });
        }
    }

    /// Notes an island of the last call that is the same.
    pub(super) fn note_answered(&mut self, contacts: usize, residual: f64) {
        self.kit.trace.push(Ran {
            table: ISLANDS,
            stage: ANSWERED,
            islands: 1,
            contacts,
            effort: Effort::default(),
            residual,
            won: true,
            seconds: None,
        });
    }

    /// Notes an island whose last impulses leave nothing to find.
    pub(super) fn note_as_they_are(&mut self, contacts: usize, residual: f64) {
        self.kit.trace.push(Ran {
            table: WARM.name,
            stage: LAST_IMPULSES,
            islands: 1,
            contacts,
            effort: Effort::default(),
            residual,
            won: true,
            seconds: None,
        });
    }

    /// The tables on a valid local problem as one.
    fn solve_whole(
        &mut self,
        problem: &LocalProblem,
        guess: &[DVec3],
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        let speed = problem.speed();
        let posed = Posed::Local(problem);
        let (memory, kit) = (&mut self.memory, &mut self.kit);
        let mut chain = Chain::new(posed, memory, kit, guess, Asked::whole(tolerance));
        if problem.is_empty() {
            return chain.report();
        }
        chain.kit.swept.clear();
        chain.kit.swept.resize(problem.len(), DVec3::ZERO);
        chain.inner = INNER * tolerance * speed;
        if matches!(chain.walk(&STORED_FIRST), Verdict::Answer) {
            return chain.report();
        }
        for tighten in TIGHTEN {
            if limit::reached() {
                break;
            }
            chain.inner = tolerance * tighten * speed;
            let done = [STORED, LAST]
                .iter()
                .any(|table| matches!(chain.walk(table), Verdict::Answer));
            let off = residual::of_local(problem, &chain.best.impulses).0;
            if done || off > chain.inner {
                break;
            }
        }
        chain.report()
    }
}

/// The name under which traces show what is done before the tables.
pub(super) const ISLANDS: &str = "islands";
