//! The joints' part of a step: explicit springs, the rows, and the rounds until every joint is closed.

use crate::error::StepError;
use crate::joints::{StepView, last_phi};
use crate::refusal::Failure;
use crate::world::World;
use glam::DVec3;
use stickslip_solvers::problem::Twist;

/// Rounds of relinearisation so far.
#[derive(Default)]
pub(crate) struct Rounds {
    count: usize,
    /// Rounds since the misfit last halved.
    stalled: usize,
    best: f64,
}

/// Most rounds, and most without halving the misfit.
const ROUNDS: usize = 200;
const PATIENCE: usize = 20;

impl World {
    pub(crate) fn joint_view(&self) -> StepView<'_> {
        StepView {
            model: &self.model,
            h: self.settings.h,
            states: &self.last.bodies,
            inverse: &self.work.inverse,
            goal: &self.work.goal,
            last: &self.last.joints,
        }
    }

    /// Springs taken at the start of the step: −γφ − δ dφ/dt as a force like any other.
    pub(crate) fn apply_explicit_springs(&mut self) {
        let states = &self.last.bodies;
        for (k, spring) in self.model.springs.iter().enumerate() {
            if !spring.explicit {
                continue;
            }
            let near = last_phi(&self.model, &self.last.joints, k);
            let placed = spring.place(&self.model, states, near);
            let rates = placed.rates(states, states, |_| true);
            let f = placed.vector(-placed.phi * spring.stiffness - rates * spring.damping);
            for arm in placed.arms.iter().flatten() {
                let sum = &mut self.work.wrench[arm.body];
                let f = f * arm.sign;
                if placed.torque {
                    sum.torque += f;
                } else {
                    let lever = arm.point - states[arm.body].pose.position;
                    sum.force += f;
                    sum.torque += lever.cross(f);
                }
            }
        }
    }

    /// Adds the rows of joints and springs to the problem.
    pub(crate) fn assemble_joints(&mut self, guess: &mut Vec<DVec3>) -> Result<(), Failure> {
        if self.model.joints.is_empty() && self.model.springs.is_empty() {
            return Ok(());
        }
        let mut joints = std::mem::take(&mut self.work.joints);
        let mut problem = std::mem::take(&mut self.work.problem);
        let view = self.joint_view();
        joints.place(&view);
        let singular = joints.singular(&self.model);
        joints.assemble(&view, &mut problem, guess);
        self.work.joints = joints;
        self.work.problem = problem;
        match singular {
            Some(joint) => Err(self.step_failure(self.joint_singular(joint))),
            None => Ok(()),
        }
    }

    fn step_failure(&self, error: StepError) -> Failure {
        Failure::Step(Box::new(error))
    }

    /// After a solve: do the coordinates at the end of the step say what the rows said? Where not, the rows are
    /// set anew about the motion found, and the step is to be solved again.
    pub(crate) fn joints_closed(
        &mut self,
        nu: &[Twist],
        impulses: &[DVec3],
        rounds: &mut Rounds,
    ) -> Result<bool, Failure> {
        if self.model.joints.is_empty() && self.model.springs.is_empty() {
            return Ok(true);
        }
        let mut joints = std::mem::take(&mut self.work.joints);
        let mut problem = std::mem::take(&mut self.work.problem);
        joints.try_next(&self.work.next);
        let view = self.joint_view();
        joints.store(&view, impulses, &self.work.next);
        let (change, joint) = joints.linearise(&view, &mut problem, nu);
        let floor = joints.floor(&view);
        let trials = joints.needs_trials();
        self.work.joints = joints;
        self.work.problem = problem;
        // A tenth of what the judge allows, as for the solver. Long steps count as a second.
        let h = self.settings.h;
        let off = change * h.max(1.0);
        if !trials || off <= (0.05 * self.settings.tolerance).max(0.25 * floor) {
            return Ok(true);
        }
        rounds.count += 1;
        if rounds.count == 1 || off < 0.5 * rounds.best {
            rounds.best = off;
            rounds.stalled = 0;
        } else {
            rounds.stalled += 1;
        }
        if rounds.count >= ROUNDS || rounds.stalled >= PATIENCE || off.is_nan() {
            return Err(self.step_failure(self.joint_open(joint, change * h)));
        }
        Ok(false)
    }
}
