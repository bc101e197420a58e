//! A solver by its name, ready to solve a stored problem: its memory is kept between attempts.

use crate::step_json::StepFile;
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
        let mut solver = self.name;
        let (mut ray, mut note) = (false, String::new());
        let (found, iterations) = match &mut self.method {
            Method::Auto(problem, auto) => {
                auto.forget();
                let told = Told::of(auto.solve_local(problem, &[], tolerance), |contacts| {
                    let numbers = contacts.iter().map(ToString::to_string);
                    format!("contacts {}", numbers.collect::<Vec<_>>().join(", "))
                });
                (solver, ray, note) = (told.solver.unwrap_or(solver), told.ray, told.note);
                let p = told
                    .impulses
                    .unwrap_or_else(|| vec![DVec3::ZERO; problem.len()]);
                (Found::Impulses(p), told.iterations)
            }
            Method::Step(file, method) => {
                let told = Told::of(method.solve(&file.problem, None, tolerance), |contacts| {
                    let mut names: Vec<String> =
                        contacts.iter().map(|&i| file.block_name(i)).collect();
                    names.dedup();
                    names.join(", ")
                });
                (solver, ray, note) = (told.solver.unwrap_or(solver), told.ray, told.note);
                let p = told
                    .impulses
                    .unwrap_or_else(|| vec![DVec3::ZERO; file.problem.contacts.len()]);
                (Found::Impulses(p), told.iterations)
            }
            Method::Engine(problem, engine) => {
                let mut p = vec![DVec3::ZERO; problem.len()];
                let inner = speed(problem, tolerance);
                let outcome = engine.improve_on(Posed::Local(problem), &mut p, inner);
                (Found::Impulses(p), outcome.iterations)
            }
            Method::Staggered(problem, staggered) => {
                let mut p = vec![DVec3::ZERO; problem.len()];
                let iterations = match staggered::refuse(&problem.laws) {
                    Err(e) => {
                        note = e.to_string();
                        0
                    }
                    Ok(()) => {
                        let inner = speed(problem, tolerance);
                        staggered.solve_local(problem, &mut p, inner).iterations
                    }
                };
                (Found::Impulses(p), iterations)
            }
            Method::Relaxation(problem) => {
                let relaxed = relaxation::solve(problem, speed(problem, tolerance));
                note = format!(
                    "the convex relaxation, its own law to {:.1e} m/s: what slides takes off by up to {:.1e} m/s, which Coulomb's \
                     law does not let it",
                    relaxed.residual, relaxed.artefact
                );
                (Found::Impulses(relaxed.impulses), relaxed.iterations)
            }
            Method::Complementarity(problem) => {
                // The name was tested when this was made.
                let result = solve_lcp(problem, self.name, tolerance)
                    .unwrap_or_else(|| Err(LcpError::Unsuitable(self.name.into())));
                (ray, note) = match &result {
                    Err(LcpError::Ray {
                        direction,
                        infeasible,
                        ..
                    }) => (true, ray_in_words(direction, *infeasible)),
                    Err(e @ LcpError::Unsuitable(_)) => (false, e.to_string()),
                    _ => (false, String::new()),
                };
                let (z, iterations) = match result {
                    Ok(LcpSolution { z, iterations, .. })
                    | Err(LcpError::Limit { z, iterations, .. }) => (z, iterations),
                    Err(LcpError::Ray { z, pivots, .. }) => (z, pivots),
                    Err(LcpError::Unsuitable(_)) => (vec![0.0; problem.q.len()], 0),
                };
                (Found::Variables(z), iterations)
            }
        };
        Attempt {
            found,
            asked: self.name,
            solver,
            iterations,
            ray,
            note,
        }
    }
}

/// What a solver of contact problems says.
#[derive(Default)]
struct Told {
    impulses: Option<Vec<DVec3>>,
    solver: Option<&'static str>,
    iterations: usize,
    ray: bool,
    note: String,
}

impl Told {
    /// `names` gives the contacts of a ray theirs.
    fn of(result: Result<Solved, SolveError>, names: impl Fn(&[usize]) -> String) -> Self {
        match result {
            Ok(solved) => Self {
                impulses: Some(solved.impulses),
                solver: Some(solved.solver),
                iterations: solved.iterations,
                ..Self::default()
            },
            Err(SolveError::NotConverged {
                best, iterations, ..
            }) => Self {
                impulses: Some(best),
                iterations,
                ..Self::default()
            },
            Err(SolveError::Ray { contacts, .. }) => Self {
                ray: true,
                note: format!(
                    "there is no solution: no motion keeps {} open together",
                    names(&contacts)
                ),
                ..Self::default()
            },
            Err(e @ SolveError::Unsuitable { .. }) => Self {
                note: e.to_string(),
                ..Self::default()
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

/// A tenth of the tolerance in velocity units, those of the data: what the engines take.
fn speed(problem: &LocalProblem, tolerance: f64) -> f64 {
    0.1 * tolerance * problem.speed()
}
