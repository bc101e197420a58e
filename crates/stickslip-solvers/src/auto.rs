//! The solver `auto`: the fastest method that the problem lets through, with fallbacks.
//!
//! | stage | method | when it ends the chain |
//! |---|---|---|
//! | 0 | no contact: nothing to do; one contact: the closed form | always, one contact |
//! | 1 | semismooth Newton from the guess | residual ≤ tolerance, polished to rounding |
//! | 2 | Lemke, for problems of pyramids and unilateral rows | residual ≤ tolerance, or a ray |
//! | 3 | Gauss-Seidel in growing portions, Newton after each | as stage 1 |
//!
//! Each stage starts from the best impulses so far. The residual that decides is that of the step's
//! own problem, recomputed from the impulses; a stage that does not reach the tolerance is never
//! passed off as an answer.

use crate::newton::Newton;
use crate::nsgs::Nsgs;
use crate::one_contact;
use crate::problem::{ContactProblem, Law, Twist};
use crate::pyramid::LemkeContact;
use crate::residual;
use crate::solver::{ContactSolver, Guarantee, SolveError, Solved, starting_impulses};
use glam::{DMat3, DVec3};

/// The solver to use unless there is a reason for another.
#[derive(Clone, Debug, Default)]
pub struct Auto {
    newton: Newton,
    nsgs: Nsgs,
    lemke: LemkeContact,
    nu: Vec<Twist>,
}

/// Sweeps of Gauss-Seidel in each portion of the last stages.
const PORTIONS: [usize; 5] = [10, 50, 200, 1000, 5000];

/// Best impulses so far.
struct Best {
    impulses: Vec<DVec3>,
    residual: f64,
    iterations: usize,
    solver: &'static str,
}

impl Best {
    fn consider(&mut self, p: &[DVec3], residual: f64, solver: &'static str) {
        if residual < self.residual {
            self.impulses.clear();
            self.impulses.extend_from_slice(p);
            self.residual = residual;
            self.solver = solver;
        }
    }
}

impl Auto {
    /// W_ii of a contact alone.
    fn block(problem: &ContactProblem, i: usize) -> DMat3 {
        let contact = &problem.contacts[i];
        let mut columns = [DVec3::ZERO; 3];
        for (column, d) in columns.iter_mut().zip(contact.frame) {
            for arm in contact.arms.iter().flatten() {
                let dv = arm.response(&problem.inverse_mass[arm.body], d);
                *column += contact.to_contact(arm.velocity(&dv));
            }
        }
        DMat3::from_cols(columns[0], columns[1], columns[2])
    }

    /// Runs the chain from `start`.
    fn chain(&mut self, problem: &ContactProblem, start: Vec<DVec3>, tolerance: f64) -> Best {
        let n_c = problem.contacts.len();
        let mut p = start;
        let mut best = Best {
            impulses: p.clone(),
            residual: f64::INFINITY,
            iterations: 0,
            solver: "newton",
        };
        if n_c == 0 {
            best.residual = 0.0;
            return best;
        }
        if n_c == 1 {
            let q = problem.contacts[0].velocity(&problem.nu_free);
            let w = Self::block(problem, 0);
            p[0] = one_contact::solve(&problem.contacts[0].law, &w, q);
            let (r, _) = residual::of_step(problem, &p, &mut self.nu);
            best.consider(&p, r, "one-contact");
            if r <= tolerance {
                return best;
            }
        }

        if self.try_newton(problem, &mut p, tolerance, &mut best) {
            return best;
        }
        let polyhedral = problem
            .contacts
            .iter()
            .all(|c| !matches!(c.law, Law::Cone { .. }));
        if polyhedral
            && n_c <= 60
            && let Ok(solved) = self.lemke.solve(problem, None, tolerance)
        {
            best.iterations += solved.iterations;
            best.consider(&solved.impulses, solved.residual, "lemke");
            // Newton from Lemke's answer takes it to rounding level.
            p.clone_from(&best.impulses);
            self.try_newton(problem, &mut p, tolerance, &mut best);
            return best;
        }
        let mut sweeps = best.impulses.clone();
        for portion in PORTIONS {
            self.nsgs.settings.sweeps = portion;
            let outcome = self.nsgs.solve_step(problem, &mut sweeps, tolerance);
            best.iterations += outcome.iterations;
            let (r, _) = residual::of_step(problem, &sweeps, &mut self.nu);
            best.consider(&sweeps, r, "nsgs");
            p.clone_from(&sweeps);
            if self.try_newton(problem, &mut p, tolerance, &mut best) {
                return best;
            }
        }
        best
    }

    /// Newton from `p`; true if the tolerance is met.
    fn try_newton(
        &mut self,
        problem: &ContactProblem,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        best: &mut Best,
    ) -> bool {
        let outcome = self.newton.solve_step(problem, p, tolerance);
        best.iterations += outcome.iterations;
        let (r, _) = residual::of_step(problem, p, &mut self.nu);
        best.consider(p, r, "newton");
        best.residual <= tolerance
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

    fn solve(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        let start = starting_impulses(self.name(), problem, guess)?;
        let best = self.chain(problem, start, tolerance);
        if best.residual <= tolerance {
            return Ok(Solved {
                impulses: best.impulses,
                iterations: best.iterations,
                solver: best.solver,
                residual: best.residual,
            });
        }
        // Where the law can be written as an LCP, a ray says more than a number.
        if let Err(ray @ SolveError::Ray { .. }) = self.lemke.solve(problem, None, tolerance) {
            return Err(ray);
        }
        Err(SolveError::NotConverged {
            solver: self.name(),
            residual: best.residual,
            tolerance,
            iterations: best.iterations,
            best: best.impulses,
        })
    }
}
