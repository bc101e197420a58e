//! A solver by its name, ready to solve a stored problem: its memory is kept between attempts.

use crate::json::step::StepFile;
use crate::stored::{StoredAnswer, StoredProblem, ray_in_words, solve_lcp};
use glam::DVec3;
use stickslip_solvers::engines::relaxation;
use stickslip_solvers::lcp::{LcpError, LcpSolution, MixedLcp};
use stickslip_solvers::problem::local::LocalProblem;
use stickslip_solvers::registry;
use stickslip_solvers::solver::{ContactSolver, INNER, SolveError, Solved, StoredSolver};
use stickslip_solvers::trace::Trace;

/// A solver and the problem it was asked for.
pub struct Prepared<'a> {
    method: Method<'a>,
    name: &'static str,
}

enum Method<'a> {
    Contact(&'a LocalProblem, Box<dyn StoredSolver>),
    Relaxation(&'a LocalProblem),
    Complementarity(&'a MixedLcp),
    Step(&'a StepFile, Box<dyn ContactSolver>),
}

/// What a solver returned, not yet judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    found: Found,
    /// The solver that was asked, and the one of its methods that answered.
    asked: &'static str,
    solver: &'static str,
    iterations: usize,
    /// What a ray says, where it ended on one, or why it cannot take the problem.
    ray: bool,
    note: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Found {
    Impulses(Vec<DVec3>),
    Variables(Vec<f64>),
}

impl<'a> Prepared<'a> {
    /// `None` for a solver's name that is not in [`StoredProblem::solvers`].
    #[must_use]
    pub fn new(problem: &'a StoredProblem, solver: &str) -> Option<Self> {
        let name = problem.solvers().iter().copied().find(|n| *n == solver)?;
        let method = match problem {
            StoredProblem::Contact(problem) => match registry::entry(name) {
                Some(entry) => Method::Contact(problem, (entry.make_stored?)()),
                None => Method::Relaxation(problem),
            },
            StoredProblem::Complementarity(problem) => Method::Complementarity(problem),
            StoredProblem::Step(file) => Method::Step(file, registry::solver_by_name(name)?),
        };
        Some(Self { method, name })
    }

    /// Solves the problem from nothing, with the memory of the last attempt but nothing of what it found.
    #[must_use]
    pub fn attempt(&mut self, tolerance: f64) -> Attempt {
        let asked = self.name;
        match &mut self.method {
            Method::Contact(problem, method) => {
                let result = method.solve_stored(problem, tolerance);
                Attempt::of_contact(asked, problem.len(), result, |contacts| {
                    let numbers = contacts.iter().map(ToString::to_string);
                    format!("contacts {}", numbers.collect::<Vec<_>>().join(", "))
                })
            }
            Method::Step(file, method) => {
                let result = method.solve(&file.problem, None, tolerance);
                Attempt::of_contact(asked, file.problem.contacts.len(), result, |contacts| {
                    let mut names: Vec<String> =
                        contacts.iter().map(|&i| file.block_name(i)).collect();
                    names.dedup();
                    names.join(", ")
                })
            }
            Method::Relaxation(problem) => {
                let relaxed = relaxation::solve(problem, INNER * tolerance * problem.speed());
                let note = format!(
                    "the convex relaxation, its own law to {:.1e} m/s: what slides takes off by up to {:.1e} m/s, which Coulomb's \
                     law does not let it",
                    relaxed.residual, relaxed.artefact
                );
                Attempt {
                    iterations: relaxed.iterations,
                    note,
                    ..Attempt::new(asked, Found::Impulses(relaxed.impulses))
                }
            }
            Method::Complementarity(problem) => {
                // The name was tested when this was made.
                let result = solve_lcp(problem, asked, tolerance)
                    .unwrap_or_else(|| Err(LcpError::Unsuitable(asked.into())));
                Attempt::of_lcp(asked, problem.q.len(), result)
            }
        }
    }

    /// The stages that ran in the last attempt, of a solver that has stages.
    #[must_use]
    pub fn trace(&self) -> &Trace {
        match &self.method {
            Method::Contact(_, solver) => solver.trace(),
            Method::Step(_, solver) => solver.trace(),
            Method::Relaxation(_) | Method::Complementarity(_) => Trace::NONE,
        }
    }
}

impl Attempt {
    fn new(asked: &'static str, found: Found) -> Self {
        Self {
            found,
            asked,
            solver: asked,
            iterations: 0,
            ray: false,
            note: String::new(),
        }
    }

    /// What a solver of contact problems says; `names` gives the contacts of a ray theirs.
    fn of_contact(
        asked: &'static str,
        contacts: usize,
        result: Result<Solved, SolveError>,
        names: impl Fn(&[usize]) -> String,
    ) -> Self {
        let with = |p: Vec<DVec3>| Self::new(asked, Found::Impulses(p));
        let nothing = || with(vec![DVec3::ZERO; contacts]);
        match result {
            Ok(solved) => Self {
                solver: solved.solver,
                iterations: solved.iterations,
                ..with(solved.impulses)
            },
            Err(SolveError::NotConverged {
                best, iterations, ..
            }) => Self {
                iterations,
                ..with(best)
            },
            Err(SolveError::Ray { contacts, .. }) => Self {
                ray: true,
                note: format!(
                    "there is no solution: no motion keeps {} open together",
                    names(&contacts)
                ),
                ..nothing()
            },
            Err(e @ SolveError::Unsuitable { .. }) => Self {
                note: e.to_string(),
                ..nothing()
            },
        }
    }

    /// What a solver of `n` complementary variables says.
    fn of_lcp(asked: &'static str, n: usize, result: Result<LcpSolution, LcpError>) -> Self {
        let with = |z: Vec<f64>, iterations: usize| Self {
            iterations,
            ..Self::new(asked, Found::Variables(z))
        };
        match result {
            Ok(LcpSolution { z, iterations, .. }) | Err(LcpError::Limit { z, iterations, .. }) => {
                with(z, iterations)
            }
            Err(LcpError::Ray {
                z,
                pivots,
                direction,
                infeasible,
                ..
            }) => Self {
                ray: true,
                note: ray_in_words(&direction, infeasible),
                ..with(z, pivots)
            },
            Err(e @ LcpError::Unsuitable(_)) => Self {
                note: e.to_string(),
                ..with(vec![0.0; n], 0)
            },
        }
    }
}

impl Attempt {
    /// What it is worth by the problem's own residual; `None` where the problem is not the one it was made for.
    #[must_use]
    pub fn judge(self, problem: &StoredProblem, tolerance: f64) -> Option<StoredAnswer> {
        let name = if self.solver == self.asked {
            self.asked.to_string()
        } else {
            format!("{} ({})", self.asked, self.solver)
        };
        let values = match self.found {
            Found::Impulses(p) => p.iter().flat_map(|p| p.to_array()).collect(),
            Found::Variables(z) => z,
        };
        let mut answer = problem.judge(values, &name, self.iterations, tolerance)?;
        // The residual decides, not the method's own word: a ray may end on a solution.
        if answer.status != "solved" {
            answer.note = self.note;
            if self.ray {
                answer.status = "ray";
            }
        }
        Some(answer)
    }
}
