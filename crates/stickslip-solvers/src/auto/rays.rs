//! Lemke as stages: for rows of an LCP, and for problems without an answer, whose rays say so.

use crate::auto::chain::{Chain, Verdict};
use crate::auto::plans::MAX_LEMKE_CONTACTS;
use crate::lcp::LcpError;
use crate::lcp::lemke::Lemke;
use crate::lcp::pyramid::ContactLcp;
use crate::limit;
use crate::problem::Law;
use crate::problem::Posed;
use crate::problem::local::LocalProblem;
use crate::solver::{ContactSolver, Effort, SolveError};
use glam::DVec3;

/// Terms that cancel to this part of what is added up are zero. (Chosen without measurement.)
const CANCELS: f64 = 1e-9;

impl Chain<'_> {
    /// Lemke, and Newton from his answer, which takes it to rounding level.
    pub(super) fn lemke(&mut self, p: &mut Vec<DVec3>) -> Verdict {
        let Posed::Step(step) = self.problem else {
            return Verdict::Next;
        };
        match self.kit.lemke.solve(step, None, self.tolerance) {
            Ok(solved) => {
                let pivots = Effort::of_iterations(solved.iterations);
                let found = self.judge(&solved.impulses, pivots, "lemke");
                p.clone_from(&solved.impulses);
                let newton = self.newton_settings();
                (self.newton(&newton, p) || found).into()
            }
            Err(ray @ SolveError::Ray { .. }) => Verdict::Ray(ray),
            Err(_) => Verdict::Next,
        }
    }

    /// A ray of the problem without friction, which allows every motion that the law allows.
    pub(super) fn infeasible(&mut self, _: &mut Vec<DVec3>) -> Verdict {
        let Posed::Step(step) = self.problem else {
            return Verdict::Next;
        };
        let mut frictionless = step.clone();
        for contact in &mut frictionless.contacts {
            if contact.law.friction() > 0.0 {
                contact.law = Law::Unilateral;
            }
        }
        match self.kit.lemke.solve(&frictionless, None, self.tolerance) {
            Err(ray @ SolveError::Ray { .. }) => Verdict::Ray(ray),
            Ok(solved) => {
                self.charge(Effort::of_iterations(solved.iterations));
                Verdict::Next
            }
            Err(_) => Verdict::Next,
        }
    }
}

/// The ray of a stored problem whose gaps cannot all stay open: Dᵀ(y, 0) = 0 with y ≥ 0 and q_n·y < 0, for then y·u_n = q_n·y
/// whatever p is. Lemke's ray on the normals has D_nnᵀ y ≤ 0; the rest follows where D is semidefinite, and is checked here.
pub(super) fn contradiction(problem: &LocalProblem) -> Option<SolveError> {
    if problem.len() > MAX_LEMKE_CONTACTS || limit::reached() {
        return None;
    }
    let mut normals = problem.clone();
    normals.laws.fill(Law::Unilateral);
    let lcp = ContactLcp::new(&normals).ok()?;
    match Lemke::default().solve(&lcp.mixed) {
        Err(LcpError::Ray {
            pivots,
            infeasible: true,
            direction,
            ..
        }) if no_impulse_helps(problem, &lcp.along(&direction)) => Some(SolveError::Ray {
            solver: "auto",
            iterations: pivots,
            contacts: lcp.contacts_on(&direction),
        }),
        _ => None,
    }
}

/// Is Dᵀy = 0, so that no impulse changes y·u?
fn no_impulse_helps(problem: &LocalProblem, y: &[DVec3]) -> bool {
    let mut sums = vec![(DVec3::ZERO, 0.0); problem.len()];
    for (i, y) in y.iter().enumerate() {
        let (columns, blocks) = problem.delassus.row(i);
        for (&j, block) in columns.iter().zip(blocks) {
            let part = block.transpose() * *y;
            sums[j].0 += part;
            sums[j].1 += part.length();
        }
    }
    let largest = sums.iter().fold(0.0, |m: f64, s| m.max(s.1));
    sums.iter().all(|s| s.0.length() <= CANCELS * largest)
}
