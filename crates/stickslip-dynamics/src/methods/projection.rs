//! Projection onto the constraints, with an account of what it does to the energy.
//!
//! Before a step, bodies that overlap are moved apart by the least displacement δ in the metric of their masses, velocities
//! unchanged:
//!
//! ```text
//!   min ½ δᵀMδ   with   ψ + W_nᵀδ ≥ 0,      that is      Mδ = W_n p,   0 ≤ p ⟂ ψ + W_nᵀδ ≥ 0
//! ```
//!
//! which is a step's problem without friction and velocity. It is repeated with the contacts of the new places until overlaps are at
//! rounding. Stewart and Trinkle's rows give overlaps a velocity instead, ψ/h; Anitescu's leave them. What energy the
//! displacement brings or takes (bodies are lifted, mostly) is counted; no step's certificate knows of it.

use crate::error::StepError;
use crate::world::{World, energy};
use glam::DVec3;
use stickslip_geometry::Twist;
use stickslip_model::{BodyState, Kind};
use stickslip_solvers::problem::Law;

/// Most repetitions; each leaves the square of the overlap, over the size of the bodies.
const ROUNDS: usize = 20;

/// What projections have done in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Projections {
    /// How many moved something.
    pub count: u64,
    /// The deepest overlap before one, m.
    pub deepest: f64,
    /// The deepest overlap that one left, m: where walls leave no room, or no solver has an answer.
    pub left: f64,
    /// The sum of the changes of energy, J.
    pub energy: f64,
    /// The sum of their sizes, J.
    pub exchanged: f64,
}

impl World {
    /// What projections have done so far, where the scene asks for them.
    #[must_use]
    pub fn projections(&self) -> Option<Projections> {
        self.settings.projection.then_some(self.projections)
    }

    /// The states from which the last step started, where they are not those with which the one before it ended.
    #[must_use]
    pub fn started_from(&self) -> Option<&[BodyState]> {
        self.started.as_deref()
    }

    /// Projects before a step, if the scene asks for it. Between the phases of an impact nothing moves.
    pub(crate) fn project_before_step(&mut self) -> Result<(), StepError> {
        self.started = None;
        if self.settings.projection && !self.last.kind.is_impact() && self.project()? {
            self.started = Some(self.last.bodies.clone());
        }
        Ok(())
    }

    /// Moves overlapping bodies apart; did anything move?
    pub(crate) fn project(&mut self) -> Result<bool, StepError> {
        let before = self.energy();
        let (mut moved, mut left) = (false, 0.0);
        for _ in 0..ROUNDS {
            self.prepare(self.phase(Kind::Compression))?;
            self.find_contacts();
            let depth = self.overlap();
            left = depth;
            if depth == 0.0 {
                break;
            }
            if !moved {
                self.projections.deepest = self.projections.deepest.max(depth);
            }
            if !self.move_apart(depth) {
                break;
            }
            moved = true;
        }
        self.projections.left = self.projections.left.max(left);
        if moved {
            let gravity = self.settings.gravity;
            let last = &mut self.last;
            last.energy = energy(&self.model, gravity, &last.bodies, &last.joints);
            let change = last.energy - before;
            self.projections.count += 1;
            self.projections.energy += change;
            self.projections.exchanged += change.abs();
        }
        Ok(moved)
    }

    /// The deepest overlap of the contacts at hand beyond rounding, m.
    fn overlap(&self) -> f64 {
        let deep = |c| -> f64 {
            let contact: &stickslip_model::Contact = c;
            if contact.gap < -self.rounding_of(contact) {
                -contact.gap
            } else {
                0.0
            }
        };
        self.work.contacts.iter().map(deep).fold(0.0, f64::max)
    }

    /// One linear projection; `false` where no solver has an answer.
    fn move_apart(&mut self, depth: f64) -> bool {
        self.assemble();
        let work = &mut self.work;
        let problem = &mut work.problem.problem;
        for (block, contact) in problem.contacts.iter_mut().zip(&work.contacts) {
            block.law = Law::Unilateral;
            block.b = DVec3::new(contact.gap, 0.0, 0.0);
        }
        for nu in &mut problem.nu_free {
            (nu.linear, nu.angular) = (DVec3::ZERO, DVec3::ZERO);
        }
        // Lengths in place of speeds; what is left is for the next round.
        let tolerance = (1e-6 * depth).max(1e-16);
        let mut delta = Vec::new();
        for solver in self.solvers.iter_mut().flatten() {
            let Ok(solved) = solver.solve(problem, None, tolerance) else {
                continue;
            };
            problem.velocity_into(&solved.impulses, &mut delta);
            for (i, state) in self.last.bodies.iter_mut().enumerate() {
                if let Some(slot) = work.problem.slot_of(i) {
                    let by = Twist {
                        linear: delta[slot].linear,
                        angular: delta[slot].angular,
                    };
                    state.pose = state.pose.moved(&by, 1.0);
                }
            }
            return true;
        }
        false
    }
}
