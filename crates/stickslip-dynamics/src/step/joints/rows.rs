//! Which rows a joint has: their bounds, their directions, and the coordinate at which each is at rest.

use super::Joints;
use crate::step::assemble::Assembly;
use crate::step::predict::Predicted;
use glam::DVec3;
use stickslip_model::joint::{AXES, Hold};
use stickslip_model::{Joint, JointImpulse};
use stickslip_solvers::problem::{Action, Arm, ContactBlock, Law};

/// What a block of rows is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JointRow {
    /// Locked and driven axes, and lower limits.
    Hold,
    /// Upper limits.
    Upper,
    /// Motors.
    Motor,
    /// Dry friction.
    Friction,
}

pub(super) const JOINT_ROWS: [JointRow; 4] = [
    JointRow::Hold,
    JointRow::Upper,
    JointRow::Motor,
    JointRow::Friction,
];

/// Which rows a block of the problem holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// Axes `first` to `first + 2` of a joint.
    Joint {
        joint: usize,
        first: usize,
        row: JointRow,
    },
    /// A spring.
    Spring { spring: usize },
}

/// Rows whose bounds are (lo, hi), N s.
#[derive(Clone, Copy, Default)]
pub(super) struct Bounds {
    pub(super) lo: DVec3,
    pub(super) hi: DVec3,
}

impl Joints {
    /// The block of three axes of a joint: directions at the start of the step, angles counted as distances.
    pub(super) fn joint_block(
        &self,
        step: &Predicted,
        assembly: &Assembly,
        k: usize,
        first: usize,
        bounds: Bounds,
    ) -> ContactBlock {
        let (joint, placed) = (&step.model().joints[k], &self.placed[k]);
        let scale = joint.scale(first);
        // Absent rows have no direction; angles count as distances.
        let frame = [0, 1, 2].map(|i| {
            if bounds.lo[i] == bounds.hi[i] {
                DVec3::ZERO
            } else {
                placed.directions[first + i] * scale
            }
        });
        let action = if first == 0 {
            Action::Force
        } else {
            Action::Torque
        };
        let arm = |end: usize, sign: f64| {
            let body = joint.bodies[end].filter(|_| step.is_free(joint.bodies[end]))?;
            Some(Arm {
                body: assembly.slot_of(body)?,
                lever: placed.point - step.start()[body].pose.position,
                sign,
                action,
            })
        };
        ContactBlock {
            frame,
            arms: [arm(0, -1.0), arm(1, 1.0)],
            b: DVec3::ZERO,
            compliance: DVec3::ZERO,
            law: Law::Box {
                lo: bounds.lo / scale,
                hi: bounds.hi / scale,
            },
        }
    }

    /// The coordinate at the end of the step at which the row's u vanishes.
    pub(super) fn wanted(&self, step: &Predicted, k: usize, axis: usize, row: JointRow) -> f64 {
        let (spec, h) = (&step.model().joints[k].axes[axis], step.plan.h);
        let (aims, from) = (&step.aims[k], self.from[k][axis]);
        match row {
            JointRow::Hold => match (spec.hold, spec.limits) {
                (Hold::Free, Some([lo, _])) => lo,
                _ => aims.hold[axis],
            },
            JointRow::Upper => spec.limits.map_or(0.0, |[_, hi]| hi),
            JointRow::Motor => {
                let rate = spec
                    .motor
                    .map_or(0.0, |m| m.goal.rate(from, aims.motor[axis], h));
                from + h * rate
            }
            JointRow::Friction => from,
        }
    }

    /// The rate that an axis has after an impact as far as its free bodies go: a drive keeps its own; whatever is prescribed
    /// moves on.
    pub(super) fn kept_rate(&self, step: &Predicted, k: usize, axis: usize) -> f64 {
        let (joint, placed) = (&step.model().joints[k], &self.placed[k]);
        let mut rate = 0.0;
        if joint.axes[axis].hold == Hold::Driven {
            rate = joint.rates(placed, step.start())[axis];
        }
        let prescribed = joint.bodies.map(|b| b.filter(|_| !step.is_free(b)));
        if prescribed.iter().any(Option::is_some) {
            let carried = Joint {
                bodies: prescribed,
                ..joint.clone()
            };
            rate -= carried.rates(placed, step.start())[axis];
        }
        rate
    }
}

/// Bounds of the rows of one kind on three axes, N s or N m s; `None` where there are none.
pub(super) fn bounds(joint: &Joint, first: usize, row: JointRow, h: f64) -> Option<Bounds> {
    let inf = f64::INFINITY;
    let mut bounds = Bounds::default();
    let mut any = false;
    for i in 0..3 {
        let axis = &joint.axes[first + i];
        let free = axis.hold == Hold::Free;
        let (lo, hi) = match row {
            JointRow::Hold if !free => (-inf, inf),
            JointRow::Hold => match axis.limits {
                Some([lo, _]) if lo.is_finite() => (0.0, inf),
                _ => (0.0, 0.0),
            },
            JointRow::Upper => match axis.limits {
                Some([_, hi]) if hi.is_finite() => (-inf, 0.0),
                _ => (0.0, 0.0),
            },
            JointRow::Motor => axis
                .motor
                .map_or((0.0, 0.0), |m| (-h * m.force, h * m.force)),
            JointRow::Friction => (-h * axis.friction, h * axis.friction),
        };
        bounds.lo[i] = lo;
        bounds.hi[i] = hi;
        any |= lo != hi;
    }
    any.then_some(bounds)
}

/// The last step's impulses of a block, in the block's units.
pub(super) fn last_impulse(
    last: &JointImpulse,
    joint: &Joint,
    first: usize,
    row: JointRow,
) -> DVec3 {
    let of = |p: &[f64; AXES]| DVec3::from_slice(&p[first..]) / joint.scale(first);
    match row {
        JointRow::Hold => {
            let mut p = of(&last.hold);
            for i in 0..3 {
                let axis = &joint.axes[first + i];
                if axis.hold == Hold::Free {
                    p[i] = p[i].max(0.0);
                }
            }
            p
        }
        JointRow::Upper => of(&last.hold).min(DVec3::ZERO),
        JointRow::Motor => of(&last.motor),
        JointRow::Friction => of(&last.friction),
    }
}
