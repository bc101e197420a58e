//! The velocity of a contact's points, as the law reads it: that of the twist, or, beside joints, the displacement over the step
//! divided by h ([`stickslip_model::Scheme::counts_displacements`]).

use crate::judge::Case;
use glam::DVec3;
use stickslip_geometry::Pose;
use stickslip_geometry::leg::{Leg, gap_change};
use stickslip_model::{Contact, Scheme};

/// Velocity of the point of body `k` that is at `point` where the scheme measures the body, m/s.
pub(crate) fn velocity_at(case: &Case, k: usize, point: DVec3) -> DVec3 {
    let (old, new) = (&case.before[k].pose, &case.after[k]);
    let at = case.pose(k);
    let lever = point - at.position;
    if !case.given.scheme.counts_displacements(case.model) {
        return new.twist.at(lever);
    }
    let arm = at.orientation.conjugate() * lever;
    let turned = new.pose.orientation * arm - old.orientation * arm;
    (new.pose.position - old.position + turned) / case.given.h
}

/// What surfaces that move along their bodies add to a contact's slip, m/s, world frame: the velocity of each body's surface where it is
/// touched, seen from the body, the second's minus the first's.
pub(crate) fn surface_slip(case: &Case, contact: &Contact) -> DVec3 {
    if case.model.surfaces.is_empty() {
        return DVec3::ZERO;
    }
    let of = |body: usize, outward: DVec3| {
        let Pose {
            position,
            orientation,
        } = *case.pose(body);
        let touched = (case.model).moving_surface(body, orientation.inverse() * outward);
        touched.map_or(DVec3::ZERO, |k| {
            let surface = &case.given.surfaces[k];
            let spin = orientation * surface.angular;
            orientation * surface.linear + spin.cross(contact.point - position)
        })
    };
    let [a, b] = contact.bodies;
    of(b, -contact.normal) - of(a, contact.normal)
}

/// The gap's part of a contact's normal row, m/s.
pub(crate) fn gap_rate(case: &Case, contact: &Contact) -> f64 {
    let given = &case.given;
    let mut told = 0.0;
    // Where none can have been driven in, or all of it counts alike, the scheme does not ask.
    let in_part = given.h < given.grid || given.scheme == Scheme::Leaving;
    let asked = contact.gap < 0.0 && in_part;
    for (k, sign) in contact.bodies.into_iter().zip([-1.0, 1.0]) {
        if asked && !case.model.bodies[k].is_free() {
            let (old, new) = (&case.before[k].pose, &case.after[k].pose);
            let came = contact.point - old.to_world(new.to_body(contact.point));
            told -= sign * contact.normal.dot(came);
        }
    }
    (given.scheme).gap_rate(contact.gap, told, given.h, given.grid)
}

/// u_n of a contact, m/s: the gap's part of the row, and the rate at which the gap grows by the bodies that the scheme counts.
pub(crate) fn normal_row(case: &Case, contact: &Contact) -> f64 {
    let (scheme, h) = (case.given.scheme, case.given.h);
    let counted = |k: usize| scheme.counts(case.model.bodies[k].is_free());
    let mut rate = gap_rate(case, contact);
    if !scheme.counts_displacements(case.model) {
        for (k, sign) in contact.bodies.into_iter().zip([-1.0, 1.0]) {
            if counted(k) {
                let velocity = velocity_at(case, k, contact.point);
                rate += sign * contact.normal.dot(velocity);
            }
        }
        return rate;
    }
    let piece = |end: usize| {
        let k = contact.bodies[end];
        let (shape, local) = case.model.bodies[k].shape.piece(contact.pieces[end])?;
        let from = case.pose(k);
        let to = if counted(k) {
            &case.after[k].pose
        } else {
            from
        };
        Some((shape, from.then(&local), to.then(&local)))
    };
    let (Some(a), Some(b)) = (piece(0), piece(1)) else {
        return f64::NAN;
    };
    let [a, b] = [&a, &b].map(|(shape, from, to)| Leg {
        shape,
        from: *from,
        to: *to,
    });
    rate + gap_change(&a, &b, contact.point, contact.normal) / h
}
