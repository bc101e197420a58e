//! Springs: rows of those that are implicit, forces of those taken at the start of the step.

use super::Joints;
use crate::step::assemble::Assembly;
use crate::step::predict::Predicted;
use crate::step::task::Task;
use glam::DVec3;
use stickslip_model::{JointImpulse, Model, Wrench};
use stickslip_solvers::problem::{Action, Arm, ContactBlock, Law};

/// φ of a spring in a recorded step; in the initial state, that of its joint's coordinate within half a turn.
pub(crate) fn last_phi(model: &Model, last: &[JointImpulse], spring: usize) -> f64 {
    last.get(model.joints.len() + spring)
        .map_or(-model.springs[spring].rest, |done| done.coordinates[0])
}

/// Springs taken at the start of the step: −γφ − δ dφ/dt as a force like any other.
pub(crate) fn apply_explicit_springs(task: &Task, wrench: &mut [Wrench]) {
    let (model, states) = (task.model(), task.start());
    for (k, spring) in model.springs.iter().enumerate() {
        if !spring.explicit {
            continue;
        }
        let near = last_phi(model, &task.last.joints, k);
        let placed = spring.place(model, states, near);
        let rates = placed.rates(states, states, |_| true);
        let f = placed.vector(-placed.phi * spring.stiffness - rates * spring.damping);
        for arm in placed.arms.iter().flatten() {
            let sum = &mut wrench[arm.body];
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

impl Joints {
    /// ∇φ·ν of prescribed bodies at the end of the step less that of all bodies at its start.
    fn carried(&self, step: &Predicted, k: usize) -> DVec3 {
        let (placed, start) = (&self.springs[k], step.start());
        let prescribed = |i: usize| !step.model().bodies[i].is_free();
        placed.rates(step.goal, start, prescribed) - placed.rates(start, start, |_| true)
    }

    /// C p + ∇φ·ν + C(hγ φ + δ(φ − φ_start) − a ∇φ·ν_start) = 0, φ with prescribed bodies where they will be.
    pub(super) fn spring_block(
        &self,
        step: &Predicted,
        assembly: &Assembly,
        k: usize,
    ) -> Option<ContactBlock> {
        let (spring, placed, h) = (&step.model().springs[k], &self.springs[k], step.plan.h);
        // In an impact a compliance without bound: it does nothing.
        let compliance = spring.compliance(h)?;
        let mixed = |i: usize| {
            if step.model().bodies[i].is_free() {
                step.start()[i].pose
            } else {
                step.goal[i].pose
            }
        };
        let phi = spring
            .place_at(
                step.model(),
                &mixed,
                last_phi(step.model(), &step.last.joints, k),
            )
            .phi;
        let mut pull = phi * (h * spring.stiffness) + (phi - placed.phi) * spring.damping;
        if spring.inertance > 0.0 {
            pull += self.carried(step, k) * spring.inertance;
        }
        let present = [0, 1, 2].map(|i| i < placed.rows);
        let action = if placed.torque {
            Action::Torque
        } else {
            Action::Force
        };
        let arms = placed.arms.map(|arm| {
            let arm = arm.filter(|arm| step.is_free(Some(arm.body)))?;
            Some(Arm {
                body: assembly.slot_of(arm.body)?,
                lever: arm.point - step.start()[arm.body].pose.position,
                sign: arm.sign,
                action,
            })
        });
        let scale = placed.scale;
        Some(ContactBlock {
            frame: placed.directions.map(|d| d * scale),
            arms,
            b: pull * (compliance * scale),
            compliance: DVec3::splat(compliance * scale * scale),
            law: Law::bilateral(present),
        })
    }
}
