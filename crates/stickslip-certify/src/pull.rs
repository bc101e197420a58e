//! What a joint does to its bodies, by the gradients that its record names: those of the start of the step, or of its middle.
//! Written for the judge alone.

use crate::judge::Case;
use glam::DVec3;
use stickslip_geometry::Pose;
use stickslip_model::joint::{Hold, pose_of};
use stickslip_model::{Along, Joint, JointImpulse};

/// The impulse of a joint on its bodies in a step.
pub(crate) struct Pull {
    /// On the second body, N s, world frame; the opposite on the first.
    pub(crate) force: DVec3,
    /// The torque's part, N m s, world frame, as the record states it.
    pub(crate) torque: DVec3,
    /// Angular impulse on the first and on the second body about its centre of mass, N m s, at the start of the step.
    pub(crate) moments: [DVec3; 2],
    /// Σ|r||p| of what the moments are made of, N m s: for their rounding.
    pub(crate) sizes: [f64; 2],
}

impl Pull {
    /// What joint `number` did by its record `done`.
    pub(crate) fn of(case: &Case, number: usize, done: &JointImpulse) -> Self {
        let joint = &case.model.joints[number];
        let [before, after] =
            [case.before, case.after].map(|states| joint.bodies.map(|body| pose_of(states, body)));
        match done.along {
            Along::Start => Self::at_start(joint, &before, done),
            Along::Middle => Self::in_the_middle(joint, &before, &after, done),
        }
    }

    /// Both bodies feel the force at the origin of the second frame.
    fn at_start(joint: &Joint, at: &[Pose; 2], done: &JointImpulse) -> Self {
        let placed = joint.place([&at[0], &at[1]]);
        let (force, torque) = placed.wrench(&done.total());
        let levers = [0, 1].map(|end| placed.point - at[end].position);
        Self::with(force, torque, levers, |_, moment| moment)
    }

    /// Directions are those of bodies halfway. Each body feels the force at a point of its own: the second at its anchor, the
    /// first at its own one too, shifted along axes that are not locked by the mean of both ends of the step. A torque acts on the spin at the start as if carried back with
    /// its body, by R R_m⁻¹.
    fn in_the_middle(
        joint: &Joint,
        before: &[Pose; 2],
        after: &[Pose; 2],
        done: &JointImpulse,
    ) -> Self {
        let middle = [0, 1].map(|end| halfway(&before[end], &after[end]));
        let placed = joint.place([&middle[0], &middle[1]]);
        let (force, torque) = placed.wrench(&done.total());
        let [from, to] = [before, after].map(|at| joint.place([&at[0], &at[1]]).coordinates);
        let mut shift = DVec3::ZERO;
        for axis in 0..3 {
            if joint.axes[axis].hold != Hold::Locked {
                shift[axis] = 0.5 * (from[axis] + to[axis]);
            }
        }
        let points = [joint.anchors[0] + joint.frames[0] * shift, joint.anchors[1]];
        let levers = [0, 1].map(|end| middle[end].orientation * points[end]);
        Self::with(force, torque, levers, |end, moment| {
            before[end].orientation * (middle[end].orientation.conjugate() * moment)
        })
    }

    /// Force and torque on the second body, the opposite on the first, at these levers; `carry` takes a body's moment to the
    /// start of the step.
    fn with(
        force: DVec3,
        torque: DVec3,
        levers: [DVec3; 2],
        carry: impl Fn(usize, DVec3) -> DVec3,
    ) -> Self {
        let moment = |end: usize, sign: f64| {
            let moment = levers[end].cross(force * sign) + torque * sign;
            carry(end, moment)
        };
        Self {
            force,
            torque,
            moments: [moment(0, -1.0), moment(1, 1.0)],
            sizes: levers.map(|lever| lever.length() * force.length() + torque.length()),
        }
    }
}

/// The pose halfway between two that are less than half a turn apart.
fn halfway(a: &Pose, b: &Pose) -> Pose {
    let near = if a.orientation.dot(b.orientation) < 0.0 {
        -b.orientation
    } else {
        b.orientation
    };
    let sum = a.orientation + near;
    Pose {
        position: (a.position + b.position) * 0.5,
        orientation: sum / sum.length(),
    }
}
