//! Motors whose force is given: applied forces along the gradient of their axis at the start of the step.

use crate::step::task::Task;
use stickslip_model::Wrench;
use stickslip_model::joint::{AXES, Goal, Motor, pose_of};

/// Adds the forces of all such motors at the time `t`, each within its largest one; the joint whose force is not finite is named.
pub(crate) fn apply_efforts(task: &Task, t: f64, wrench: &mut [Wrench]) -> Result<(), usize> {
    let (model, states) = (task.model(), task.start());
    for (k, joint) in model.joints.iter().enumerate() {
        let given = |motor: &Motor| motor.goal == Goal::Effort;
        if !joint
            .axes
            .iter()
            .any(|a| a.motor.as_ref().is_some_and(given))
        {
            continue;
        }
        let aims = task.setup.drives[k].aims(t);
        let mut efforts = [0.0; AXES];
        for i in 0..AXES {
            if let Some(motor) = joint.axes[i].motor.filter(given) {
                efforts[i] = aims.motor[i].clamp(-motor.force, motor.force);
            }
        }
        if !efforts.iter().all(|e| e.is_finite()) {
            return Err(k);
        }
        let placed = joint.placed(states);
        let (force, torque) = placed.wrench(&efforts);
        for (body, sign) in joint.bodies.into_iter().zip([-1.0, 1.0]) {
            if let Some(i) = body {
                let lever = placed.point - pose_of(states, body).position;
                wrench[i].force += force * sign;
                wrench[i].torque += (torque + lever.cross(force)) * sign;
            }
        }
    }
    Ok(())
}
