//! A solver by its name, ready to solve a stored problem: its memory is kept between attempts.

use crate::json::step::StepFile;
use crate::stored::{StoredAnswer, StoredProblem, ray_in_words, solve_lcp};
use glam::DVec3;
use stickslip_solvers::auto::Auto;
use stickslip_solvers::engines::admm::Admm;
use stickslip_solvers::engines::homotopy::Homotopy;
use stickslip_solvers::engines::interior_point::InteriorPoint;
use stickslip_solvers::engines::newton::Newton;
use stickslip_solvers::engines::nsgs::Nsgs;
use stickslip_solvers::engines::proximal::Proximal;
use stickslip_solvers::engines::relaxation;
use stickslip_solvers::engines::staggered::{self, Staggered};
use stickslip_solvers::lcp::{LcpError, LcpSolution, MixedLcp};
use stickslip_solvers::problem::Posed;
use stickslip_solvers::problem::local::LocalProblem;
use stickslip_solvers::registry::solver_by_name;
use stickslip_solvers::solver::{ContactSolver, Engine, SolveError, Solved};

/// A solver and the problem it was asked for.
pub struct Prepared<'a> {
    method: Method<'a>,
    name: &'static str,
}

enum Method<'a> {
    Auto(&'a LocalProblem, Box<Auto>),
    Engine(&'a LocalProblem, Box<dyn Engine>),
    Staggered(&'a LocalProblem, Box<Staggered>),
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
            StoredProblem::Contact(problem) => {
                let with = |engine: Box<dyn Engine>| Method::Engine(problem, engine);
                match name {
                    "auto" => Method::Auto(problem, Box::default()),
                    "newton" => with(Box::<Newton>::default()),
                    "nsgs" => with(Box::<Nsgs>::default()),
                    "interior-point" => with(Box::<InteriorPoint>::default()),
                    "homotopy" => with(Box::<Homotopy>::default()),
                    "proximal" => with(Box::<Proximal>::default()),
                    "admm" => with(Box::<Admm>::default()),
                    "staggered" => Method::Staggered(problem, Box::default()),
                    "relaxation" => Method::Relaxation(problem),
                    _ => return None,
                }
            }
            StoredProblem::Complementarity(problem) => Method::Complementarity(problem),
            StoredProblem::Step(file) => Method::Step(file, solver_by_name(name)?),
        };
        Some(Self { method, name })
    }

    /// Solves the problem from nothing, with the memory of the last attempt but nothing of what it found.
    #[must_use]
    pub fn attempt(&mut self, tolerance: f64) -> Attempt {
        let name = self.name;
        match &mut self.method {
            Method::Auto(problem, auto) => {
                auto.forget();
                let result = auto.solve_local(problem, &[], tolerance);
                Attempt::of_solver(name, problem.len(), result, |contacts| {
                    let numbers = contacts.iter().map(ToString::to_string);
                    format!("contacts {}", numbers.collect::<Vec<_>>().join(", "))
                })
            }
            Method::Step(file, solver) => {
                let result = solver.solve(&file.problem, None, tolerance);
                let n = file.problem.contacts.len();
                Attempt::of_solver(name, n, result, |contacts| {
                    let mut names: Vec<_> = contacts.iter().map(|&i| file.block_name(i)).collect();
                    names.dedup();
                    names.join(", ")
                })
            }
            Method::Engine(problem, engine) => {
                let mut p = vec![DVec3::ZERO; problem.len()];
                let inner = inner_tolerance(problem, tolerance);
                let outcome = engine.improve_on(Posed::Local(problem), &mut p, inner);
                Attempt::of_impulses(name, p, outcome.iterations, String::new())
            }
            Method::Staggered(problem, solver) => {
                let mut p = vec![DVec3::ZERO; problem.len()];
                if let Err(e) = staggered::refuse(&problem.laws) {
                    return Attempt::of_impulses(name, p, 0, e.to_string());
                }
                let inner = inner_tolerance(problem, tolerance);
                let outcome = solver.solve_local(problem, &mut p, inner);
                Attempt::of_impulses(name, p, outcome.iterations, String::new())
            }
            Method::Relaxation(problem) => {
                let relaxed = relaxation::solve(problem, inner_tolerance(problem, tolerance));
                let note = format!(
                    "the convex relaxation, its own law to {:.1e} m/s: what slides takes off by up to {:.1e} m/s, which Coulomb's \
                     law does not let it",
                    relaxed.residual, relaxed.artefact
                );
                Attempt::of_impulses(name, relaxed.impulses, relaxed.iterations, note)
            }
            Method::Complementarity(problem) => Attempt::of_lcp(problem, name, tolerance),
        }
    }
}

impl Attempt {
    /// Impulses of the solver that was asked.
    fn of_impulses(name: &'static str, p: Vec<DVec3>, iterations: usize, note: String) -> Self {
        Self {
            found: Found::Impulses(p),
            asked: name,
            solver: name,
            iterations,
            ray: false,
            note,
        }
    }

    /// What a solver of `n` contacts says; `names` gives the contacts of a ray theirs.
    fn of_solver(
        name: &'static str,
        n: usize,
        result: Result<Solved, SolveError>,
        names: impl Fn(&[usize]) -> String,
    ) -> Self {
        let none = || vec![DVec3::ZERO; n];
        match result {
            Ok(solved) => Self {
                solver: solved.solver,
                ..Self::of_impulses(name, solved.impulses, solved.iterations, String::new())
            },
            Err(SolveError::NotConverged {
                best, iterations, ..
            }) => Self::of_impulses(name, best, iterations, String::new()),
            Err(SolveError::Ray { contacts, .. }) => {
                let note = format!(
                    "there is no solution: no motion keeps {} open together",
                    names(&contacts)
                );
                Self {
                    ray: true,
                    ..Self::of_impulses(name, none(), 0, note)
                }
            }
            Err(e @ SolveError::Unsuitable { .. }) => {
                Self::of_impulses(name, none(), 0, e.to_string())
            }
        }
    }

    /// What the solver of that name, tested when it was prepared, makes of an LCP.
    fn of_lcp(problem: &MixedLcp, name: &'static str, tolerance: f64) -> Self {
        let result = solve_lcp(problem, name, tolerance)
            .unwrap_or_else(|| Err(LcpError::Unsuitable(name.into())));
        let (ray, note) = match &result {
            Err(LcpError::Ray {
                direction,
                infeasible,
                ..
            }) => (true, ray_in_words(direction, *infeasible)),
            Err(e @ LcpError::Unsuitable(_)) => (false, e.to_string()),
            _ => (false, String::new()),
        };
        let (z, iterations) = match result {
            Ok(LcpSolution { z, iterations, .. }) | Err(LcpError::Limit { z, iterations, .. }) => {
                (z, iterations)
            }
            Err(LcpError::Ray { z, pivots, .. }) => (z, pivots),
            Err(LcpError::Unsuitable(_)) => (vec![0.0; problem.q.len()], 0),
        };
        Self {
            found: Found::Variables(z),
            asked: name,
            solver: name,
            iterations,
            ray,
            note,
        }
    }

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

/// A tenth of the tolerance in velocity units, those of the data: what the engines take.
fn inner_tolerance(problem: &LocalProblem, tolerance: f64) -> f64 {
    0.1 * tolerance * problem.speed()
}
