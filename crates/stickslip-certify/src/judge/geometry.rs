//! Stored points, normals and gaps against the shapes.

use crate::flight::norm;
use crate::judge::Case;
use glam::DVec3;
use stickslip_model::{Certificate, ContactImpulse, Residual};

/// Are the stored point, normal and gap those of the shapes? The point must belong to one of the bodies, and
/// the gap must be its distance from the supporting plane of the other across the normal. Where an impulse
/// acts, the other body must be so near that the two can meet there within the step. Free bodies are taken at
/// the start of the step, prescribed ones at its end.
pub(super) fn judge_geometry(case: &Case, contact: &ContactImpulse, c: &mut Certificate) {
    let (model, h) = (case.model, case.given.grid);
    let ContactImpulse {
        contact, impulse, ..
    } = contact;
    let [i, j] = contact.bodies;
    let of = |k: usize| {
        let body = contact.bodies[k];
        let (shape, local) = model.bodies[body].shape.piece(contact.pieces[k])?;
        let pose = case.pose(body);
        Some((shape, pose.then(&local)))
    };
    let (Some((a, pose_a)), Some((b, pose_b))) = (of(0), of(1)) else {
        c.raise_equality(Residual::Geometry, f64::NAN, 1.0);
        return;
    };
    let (pose_a, pose_b) = (&pose_a, &pose_b);
    let (n, x) = (contact.normal, contact.point);
    let (from_a, from_b) = (a.distance(pose_a, x), b.distance(pose_b, x));
    let on_b = (n.dot(x) - a.support(pose_a, n) - contact.gap)
        .abs()
        .max(from_b);
    let on_a = (-b.support(pose_b, -n) - n.dot(x) - contact.gap)
        .abs()
        .max(from_a);
    let mut error = on_a.min(on_b).max(0.0);
    // The length of the normal has no unit: it is not held to the size of bodies, which may be points at the origin.
    let length_error = (n.length() - 1.0).abs();
    c.raise_equality(Residual::Geometry, length_error / h, 8.0 * f64::EPSILON / h);
    if *impulse != DVec3::ZERO {
        // What the bodies move, and a hundredth of the smaller one: where features pass each other, a row may stand
        // at the lowest point of one beside the other.
        let mut way = 0.01 * a.radius().min(b.radius());
        for k in [i, j] {
            way += reach(case, k);
        }
        error = error.max(from_a.max(from_b) - contact.gap.abs() - way);
    }
    if !(on_a.is_finite() || on_b.is_finite()) {
        error = f64::NAN;
    }
    let rounding = contact.rounding(model, [pose_a, pose_b]) / h;
    c.raise_equality(Residual::Geometry, error / h, 2.0 * rounding);
    if rounding > c.floor {
        c.floor = rounding;
    }
}

/// How far any point of a body may move within the step, m: by its velocities before and after, by the forces,
/// and by a millionth of its size, within which bodies touch.
fn reach(case: &Case, k: usize) -> f64 {
    let body = &case.model.bodies[k];
    let Some(mass) = body.mass else { return 0.0 };
    let (old, new, radius, h) = (
        &case.before[k].twist,
        &case.after[k].twist,
        body.shape.radius(),
        case.given.h,
    );
    let speed = old.linear.length() + new.linear.length();
    let spin = old.angular.length() + new.angular.length();
    let wrench = &case.given.wrench[k];
    let push = wrench.force.length() / mass.mass
        + norm(&body.inverse_inertia) * wrench.torque.length() * radius;
    h * (speed + spin * radius + h * push) + 1e-6 * radius
}
