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

use crate::auto::{Auto, Chain, NEWTON_STEPS, best_of};
use crate::coupling::Coupled;
use crate::engines::interior_point::InteriorPointSettings;
use crate::engines::newton::NewtonSettings;
use crate::engines::one_contact;
use crate::problem::ContactProblem;
use crate::solver::{ContactSolver, Guarantee, SolveError, Solved};
use glam::{DVec2, DVec3};

/// Named as the solver of an answer that the rule took in place of the solver's own.
pub const RULE: &str = "rule";

/// Contact velocities that differ by more than so many tolerances are other motions (residuals at the tolerance leave
/// velocities of redundant contacts some tens of tolerances apart), and those that differ by more than so many m/s however loose
/// the tolerance is: what is left of rest in each step adds up.
const OTHER: f64 = 1e3;
const OTHER_SPEED: f64 = 1e-9;

/// Beyond this many contacts Newton does not get far from zero, and the interior point takes as many steps as it takes
/// for few contacts. (A local problem: contacts of one island.)
pub(crate) const LARGE: usize = 200;

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
        if apart <= (OTHER * tolerance).min(OTHER_SPEED) {
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

impl Chain<'_> {
    /// The rule's answer to a step from the impulses `p`; false where neither continuing nor the paths from nothing arrive.
    pub(crate) fn selected(
        &mut self,
        step: &ContactProblem,
        smooth: bool,
        p: &mut Vec<DVec3>,
    ) -> bool {
        let n_c = p.len();
        if n_c == 0 {
            self.best.residual = 0.0;
            return true;
        }
        if n_c == 1 {
            let q = step.contacts[0].velocity(&step.nu_free);
            let w = step.contacts[0].diagonal(&step.inverse_mass);
            let exact = one_contact::solve(&step.contacts[0].law, &w, q);
            if self.judge(&[exact], 1, "one-contact") {
                return true;
            }
        }
        self.engines.newton.settings.polish = true;
        self.engines.interior_point.settings.starts = InteriorPointSettings::default().starts;
        self.engines
            .regularise(NewtonSettings::default().regularisation);
        let cold = p.iter().all(|&p| p == DVec3::ZERO);
        if cold {
            self.starts_at_rest(smooth, p) || self.interior(smooth, p) || self.continued(p)
        } else {
            self.continued(p)
                || self.symmetric(smooth, false, p)
                || self.relaxed(smooth, true, p)
                || self.interior(smooth, p)
        }
    }

    /// From nothing: what can rest, rests, although other answers may be as lawful and sooner found.
    fn starts_at_rest(&mut self, smooth: bool, p: &mut Vec<DVec3>) -> bool {
        self.engines.newton.settings.iterations = NEWTON_STEPS;
        let slides = self.slides(p);
        // Newton does not find its way into a large pile from zero.
        let found = (slides || p.len() <= LARGE) && self.newton(p);
        if found && (slides || self.nothing_moves(p)) {
            return true;
        }
        let first = std::mem::replace(&mut self.best, best_of(p));
        if !found && self.symmetric(smooth, true, p) {
            self.best.iterations += first.iterations;
            return true;
        }
        if self.relaxed(smooth, false, p) && (!found || self.nothing_moves(p)) {
            self.best.iterations += first.iterations;
            return true;
        }
        if found || first.residual < self.best.residual {
            let iterations = self.best.iterations;
            self.best = first;
            self.best.iterations += iterations;
        }
        found
    }

    /// Does a contact slide on its own, faster by far than what the step's forces give it? From rest, velocities along
    /// and across contacts are both of the size of acceleration times step. (`p` is zero.)
    fn slides(&mut self, p: &[DVec3]) -> bool {
        const FAR: f64 = 10.0;
        let u = &mut self.scratch.u;
        self.system.velocities(p, u);
        let across = u.iter().fold(0.0, |m, u| f64::max(m, u.x.abs()));
        u.iter()
            .any(|u| DVec2::new(u.y, u.z).length() > FAR * across)
    }

    /// Is every contact at rest, or none loaded?
    fn nothing_moves(&mut self, p: &[DVec3]) -> bool {
        if p.iter().all(|p| p.x == 0.0) {
            return true;
        }
        let u = &mut self.scratch.u;
        self.system.velocities(p, u);
        u.iter().all(|u| u.length() <= 1e3 * self.inner)
    }
}
