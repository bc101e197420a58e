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
use crate::methods::Driver;
use crate::step::assemble::Assembly;
use crate::step::find::Contacts;
use crate::step::predict::Predicted;
use crate::step::task::{Plan, Task};
use crate::step::twist::from_problem;
use crate::world::{World, energy};
use glam::DVec3;
use stickslip_geometry::Pose;
use stickslip_model::{BodyState, Contact, Model, StepRecord, stored};
use stickslip_solvers::problem::Law;

/// Most repetitions; each leaves the square of the overlap, over the size of the bodies.
const ROUNDS: usize = 20;

/// A round is solved to this part of the deepest overlap; what is left is for the next one.
const OF_DEPTH: f64 = 1e-6;

/// No displacement is told from none below this, m: it is rounding for bodies of a metre.
const LEAST: f64 = 1e-16;

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

stored!(Projections {
    count,
    deepest,
    left,
    energy,
    exchanged
});

impl World {
    /// What projections have done so far, where the scene asks for them.
    #[must_use]
    pub fn projections(&self) -> Option<Projections> {
        let account = self.memory.progress().projections;
        self.settings.projection.then_some(account)
    }

    /// The states from which the last step started, where they are not those with which the one before it ended.
    #[must_use]
    pub fn started_from(&self) -> Option<&[BodyState]> {
        self.state.started().map(Vec::as_slice)
    }
}

/// What a projection came to.
pub(crate) struct Projected {
    /// What projections have done so far, this one included.
    pub(crate) account: Projections,
    /// The last record with bodies moved apart; `None` where nothing moved.
    pub(crate) moved: Option<StepRecord>,
}

impl Driver<'_> {
    /// Moves overlapping bodies apart. The world stays as it is: the step that is to follow starts from what is returned.
    pub(crate) fn project(&mut self) -> Result<Projected, StepError> {
        let mut account = self.progress.projections;
        let mut moved: Option<StepRecord> = None;
        let mut left = 0.0;
        for _ in 0..ROUNDS {
            let last = moved.as_ref().unwrap_or(self.last);
            let task = Task {
                last,
                ..self.task(Plan::now(last))
            };
            let (depth, poses) = self.moved_apart(&task)?;
            left = depth;
            if moved.is_none() {
                account.deepest = account.deepest.max(depth);
            }
            let Some(poses) = poses else {
                break;
            };
            let next = moved.get_or_insert_with(|| self.last.clone());
            for (state, pose) in next.bodies.iter_mut().zip(poses) {
                state.pose = pose;
            }
        }
        account.left = account.left.max(left);
        if let Some(moved) = &mut moved {
            let (model, gravity) = (&self.setup.model, self.settings.gravity);
            let of = |r: &StepRecord| energy(model, gravity, &r.bodies, &r.joints);
            moved.energy = of(moved);
            let change = moved.energy - of(self.last);
            account.count += 1;
            account.energy += change;
            account.exchanged += change.abs();
        }
        Ok(Projected { account, moved })
    }

    /// The deepest overlap, m, and where one linear projection moves the bodies; nowhere if nothing overlaps, or no solver has an
    /// answer.
    fn moved_apart(&mut self, task: &Task) -> Result<(f64, Option<Vec<Pose>>), StepError> {
        let underway = self.stepper.begin(task)?;
        let depth = overlap(task.model(), underway.contacts);
        if depth == 0.0 {
            return Ok((depth, None));
        }
        pose_projection(
            &underway.step,
            underway.contacts,
            &mut underway.trial.assembly,
        );
        let tolerance = (OF_DEPTH * depth).max(LEAST);
        let moved = underway.by_any_solver(|underway, solver| {
            let assembly = &underway.trial.assembly;
            let solved = solver.solve(&assembly.problem, None, tolerance)?;
            Ok(moved_by(task, assembly, &solved.impulses))
        });
        Ok((depth, moved.ok()))
    }
}

/// The projection as a problem of a step: no friction, no velocity, and lengths in place of speeds.
fn pose_projection(step: &Predicted, contacts: &Contacts, assembly: &mut Assembly) {
    assembly.add_contacts(step, contacts);
    let problem = &mut assembly.problem;
    for (block, contact) in problem.contacts.iter_mut().zip(&contacts.list) {
        block.law = Law::Unilateral;
        block.b = DVec3::new(contact.gap, 0.0, 0.0);
    }
    for nu in &mut problem.nu_free {
        (nu.linear, nu.angular) = (DVec3::ZERO, DVec3::ZERO);
    }
}

/// Where the displacement δ = M⁻¹W_n p takes the bodies.
fn moved_by(task: &Task, assembly: &Assembly, p: &[DVec3]) -> Vec<Pose> {
    let mut delta = Vec::new();
    assembly.problem.velocity_into(p, &mut delta);
    let poses = task.start().iter().enumerate().map(|(i, state)| {
        let slot = assembly.slot_of(i);
        slot.map_or(state.pose, |slot| {
            state.pose.moved(&from_problem(&delta[slot]), 1.0)
        })
    });
    poses.collect()
}

/// The deepest overlap of the contacts at hand beyond rounding, m.
fn overlap(model: &Model, contacts: &Contacts) -> f64 {
    let deep = |c: &Contact| -> f64 {
        let poses = c.bodies.map(|i| &contacts.placed[i]);
        if c.gap < -c.rounding(model, poses) {
            -c.gap
        } else {
            0.0
        }
    };
    contacts.list.iter().map(deep).fold(0.0, f64::max)
}
