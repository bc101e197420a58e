//! The law of gears: c = ratio·c_of + offset at the end of the step, and the impulses of its two axes, −ratio·p and p.

use crate::judge::Case;
use glam::DVec3;
use stickslip_model::joint::{AXES, SINGULAR, pose_of};
use stickslip_model::{Gear, JointImpulse};

/// Misfits are divided by one second, as those of joints.
const SECOND: f64 = 1.0;

/// An impulse on one body, about its centre of mass.
pub(crate) struct Push {
    pub(crate) body: usize,
    pub(crate) linear: DVec3,
    pub(crate) angular: DVec3,
    /// Σ|r||p|, for its rounding, N m s.
    pub(crate) size: f64,
}

/// What the gear does to the bodies of its joints, by the gradients of the start of the step.
pub(crate) fn pushes(case: &Case, gear: &Gear, done: &JointImpulse) -> Vec<Push> {
    let mut all = Vec::new();
    let parts = [-gear.ratio * done.hold[0], done.hold[0]];
    for ((number, axis), p) in gear.joints.into_iter().zip(gear.axes).zip(parts) {
        let joint = &case.model.joints[number];
        let placed = joint.placed(case.before);
        let d = placed.directions[axis] * p;
        for (body, sign) in joint.bodies.into_iter().zip([-1.0, 1.0]) {
            let Some(body) = body else { continue };
            let lever = placed.point - pose_of(case.before, Some(body)).position;
            let (linear, angular) = match axis {
                0..3 => (d * sign, lever.cross(d * sign)),
                _ => (DVec3::ZERO, d * sign),
            };
            let size = if axis < 3 { lever.length() } else { 1.0 } * d.length();
            all.push(Push {
                body,
                linear,
                angular,
                size,
            });
        }
    }
    all
}

/// The misfit of a gear at the end of the step, m or rad, by the coordinates that the states give.
pub(crate) fn misfit(case: &Case, gear: &Gear) -> f64 {
    let at = |k: usize| -> [f64; AXES] {
        let turns = case.joints.get(k).map_or([0.0; AXES], |d| d.coordinates);
        case.model.joints[k].placed(case.after).near(&turns)
    };
    at(gear.joints[1])[gear.axes[1]] - gear.ratio * at(gear.joints[0])[gear.axes[0]] - gear.offset
}

/// The residual of one gear, m/s: its misfit; in an impact the rate at which it grows. Not a number where an angle cannot be told.
pub(crate) fn gear_residual(case: &Case, number: usize, done: &JointImpulse) -> f64 {
    let gear = &case.model.gears[number];
    let scale = gear.scale(case.model);
    let off = if case.given.h > 0.0 {
        misfit(case, gear) / SECOND
    } else {
        let rate = |k: usize| {
            let joint = &case.model.joints[gear.joints[k]];
            joint.rates(&joint.placed(case.before), case.after)[gear.axes[k]]
        };
        rate(1) - gear.ratio * rate(0)
    };
    let others = done.hold[1..]
        .iter()
        .chain(&done.motor)
        .chain(&done.friction);
    let ends = gear.joints.into_iter().zip(gear.axes);
    let told = |(k, axis): (usize, usize)| {
        axis < 3 || case.model.joints[k].placed(case.before).regular >= SINGULAR
    };
    let idle = others.into_iter().all(|p| *p == 0.0);
    if !(done.hold[0].is_finite() && idle && ends.into_iter().all(told)) {
        return f64::NAN;
    }
    (off * scale).abs()
}
