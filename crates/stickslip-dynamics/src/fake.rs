//! Solvers for tests: they fail, lie or miss where they are told to.

use glam::DVec3;
use stickslip_solvers::problem::ContactProblem;
use stickslip_solvers::problem::residual::w_bar;
use stickslip_solvers::solver::{ContactSolver, Guarantee, SolveError, Solved};

/// What a fake solver does with the problem of a step; problems without a guess (projections) it solves.
pub(crate) enum Fake {
    /// Says that no impulse is needed, and that this solves the problem.
    Lies,
    /// Has no answer to the calls, counted from 0, of which this is true.
    Fails(Box<dyn Fn(usize) -> bool + Send>),
    /// Pushes every contact apart by so much, m/s, beyond the answer.
    Misses(f64),
    /// The same with so much work for each step, in contacts factored.
    Toils(f64, u64),
}

struct FakeSolver {
    fake: Fake,
    calls: usize,
    honest: Box<dyn ContactSolver>,
}

/// One solver that does so.
pub(crate) fn fakes(fake: Fake) -> Vec<Box<dyn ContactSolver>> {
    let honest = stickslip_solvers::selecting_solver_by_name("auto").expect("auto");
    vec![Box::new(FakeSolver {
        fake,
        calls: 0,
        honest,
    })]
}

impl ContactSolver for FakeSolver {
    fn name(&self) -> &'static str {
        "fake"
    }

    fn guarantee(&self) -> Guarantee {
        self.honest.guarantee()
    }

    fn work(&self) -> u64 {
        match self.fake {
            Fake::Toils(_, work) => work,
            Fake::Lies | Fake::Fails(_) | Fake::Misses(_) => 0,
        }
    }

    fn solve(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        if guess.is_none() {
            return self.honest.solve(problem, guess, tolerance);
        }
        let call = self.calls;
        self.calls += 1;
        match &self.fake {
            Fake::Lies => Ok(Solved {
                impulses: vec![DVec3::ZERO; problem.contacts.len()],
                solver: "fake",
                ..Solved::default()
            }),
            Fake::Fails(fails) if fails(call) => Err(SolveError::Unsuitable {
                solver: "fake",
                reason: "it takes none".into(),
            }),
            Fake::Fails(_) => self.honest.solve(problem, guess, tolerance),
            Fake::Misses(by) | Fake::Toils(by, _) => {
                let mut solved = self.honest.solve(problem, guess, tolerance)?;
                for (block, p) in problem.contacts.iter().zip(&mut solved.impulses) {
                    p.x += by / w_bar(block, &problem.inverse_mass);
                }
                Ok(solved)
            }
        }
    }
}
