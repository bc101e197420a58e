//! Which answer is taken where the law has several: the same whichever solver ran.
//!
//! 1. What moves on goes on: Newton from the last step's impulses, as long as it arrives. A pile that rests goes on resting.
//! 2. Where there is nothing to continue, the convex relaxation tells whether rest is possible: its velocity is unique, and it
//!    is rest whenever rest is (impulses in the cones with u = 0 solve both problems). What can rest, rests. What slides already
//!    takes the answer that Newton finds from zero, near the smallest impulses: it does not jam where it need not.
//! 3. Else the end of the relaxation's or the interior point's path, finished by Newton. Both depend on the problem alone.
//!    A large pile that is symmetric falls symmetrically, if the homotopy finds how: these three on its quotient come first.
//! 4. Where none of these arrives, the end of the solver's own path.
//!
//! Each island of a step follows the rule by itself: what else there is does not change its answer.
//!
//! `auto` goes this way by itself. Any other solver of a run stands in a [`Selecting`]: it solves on its own, and where it
//! ends in another motion than that of 1 to 3 the latter is taken and called [`RULE`]. A solver that fails has failed,
//! whatever the rule would say.

use crate::auto::Auto;
use crate::problem::ContactProblem;
use crate::solver::{ContactSolver, Guarantee, SolveError, Solved};
use crate::trace::Trace;
use glam::DVec3;

/// Named as the solver of an answer that the rule took in place of the solver's own.
pub const RULE: &str = "rule";

/// Contact velocities within so many tolerances are the same motion: residuals at the tolerance leave velocities of redundant
/// contacts some tens of tolerances apart. (Chosen without measurement.)
const SAME_MOTION_TOLERANCES: f64 = 1e3;
/// They are never the same if they differ by more than this, m/s, however loose the tolerance is: what is left of rest in each
/// step adds up. (Chosen without measurement.)
const SAME_MOTION_SPEED: f64 = 1e-9;

/// A solver whose answers follow the selection rule.
pub struct Selecting {
    solver: Box<dyn ContactSolver>,
    rule: Auto,
}

impl Selecting {
    /// Makes a solver follow the rule.
    #[must_use]
    pub fn new(solver: Box<dyn ContactSolver>) -> Self {
        Self {
            solver,
            rule: Auto::default(),
        }
    }
}

impl ContactSolver for Selecting {
    fn name(&self) -> &'static str {
        self.solver.name()
    }

    fn guarantee(&self) -> Guarantee {
        self.solver.guarantee()
    }

    fn begin_step(&mut self) {
        self.solver.begin_step();
        self.rule.begin_step();
    }

    fn begin_rounds(&mut self) {
        self.solver.begin_rounds();
        self.rule.begin_rounds();
    }

    /// That of both.
    fn work(&self) -> u64 {
        self.solver.work() + self.rule.work()
    }

    fn solve(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        match self.solver.solve(problem, guess, tolerance) {
            Ok(own) => Ok(self.select(problem, guess, tolerance, own)),
            // What is not converged may be near enough for the judge: then it is that of the rule too.
            Err(SolveError::NotConverged {
                solver,
                residual,
                tolerance,
                iterations,
                best,
            }) => {
                let own = Solved {
                    impulses: best,
                    iterations,
                    solver,
                    stage: solver,
                    residual,
                };
                Err(SolveError::NotConverged {
                    solver,
                    residual,
                    tolerance,
                    iterations,
                    best: self.select(problem, guess, tolerance, own).impulses,
                })
            }
            Err(other) => Err(other),
        }
    }

    /// That of the solver, or that of the rule where the solver has none.
    fn trace(&self) -> &Trace {
        let own = self.solver.trace();
        if own.runs().is_empty() {
            self.rule.trace()
        } else {
            own
        }
    }
}

impl Selecting {
    /// The rule's answer where it has one and it is another motion than the solver's own.
    fn select(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
        own: Solved,
    ) -> Solved {
        let Some(mut selected) = self.rule.by_rule(problem, guess, tolerance, &own) else {
            return own;
        };
        let apart = distance(problem, &own.impulses, &selected.impulses);
        if apart <= (SAME_MOTION_TOLERANCES * tolerance).min(SAME_MOTION_SPEED) {
            return own;
        }
        selected.iterations += own.iterations;
        selected.solver = RULE;
        selected
    }
}

/// Largest difference of a contact's velocity under two sets of impulses, m/s.
fn distance(problem: &ContactProblem, a: &[DVec3], b: &[DVec3]) -> f64 {
    let (mut nu_a, mut nu_b) = (Vec::new(), Vec::new());
    problem.velocity_into(a, &mut nu_a);
    problem.velocity_into(b, &mut nu_b);
    let apart = problem.contacts.iter().zip(a.iter().zip(b));
    let apart = apart.map(|(c, (&a, &b))| c.velocity_at(&nu_a, a) - c.velocity_at(&nu_b, b));
    apart.fold(0.0, |m, d| m.max(d.length()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auto::mend::tests::row_of_blocks;
    use crate::engines::newton::Newton;
    use crate::solver::ByEngine;

    #[test]
    fn what_the_rule_takes_counts_and_ends_with_the_step() {
        let mut solver = Selecting::new(Box::new(ByEngine::<Newton>::default()));
        solver.begin_step();
        let problem = row_of_blocks(4);
        solver.solve(&problem, None, 1e-9).expect("an answer");
        assert!(solver.work() > 0, "newton counts nothing, the rule does");
        solver.begin_step();
        assert_eq!(solver.work(), 0);
    }
}
