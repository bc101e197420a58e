//! The velocity of a contact's points, as the law reads it.
//!
//! In a scene without joints it is that of the twist, ν⁺ at the lever: linear, as Stewart and Trinkle write it. Joints are
//! closed at the end of the step exactly, and bodies that joints and sticking contacts hold together in a ring
//! turn as one: rows linear in the step would contradict the joints by h ω² r. So where there are joints, a contact counts
//! ways over the step, divided by h: the change of its gap, and the way of its material points along the tangents. The gap of a
//! corner or of a round body over a face is then exact at the end of the step.

use crate::judge::{Given, Start};
use crate::model::Model;
use crate::scheme::Scheme;
use crate::step::{BodyState, Contact};
use glam::DVec3;
use stickslip_geometry::leg::{Leg, gap_change};

/// Do the contacts of such a step count ways instead of velocities?
#[must_use]
pub fn counts_ways(model: &Model, scheme: Scheme) -> bool {
    let moves = !matches!(scheme, Scheme::Impact | Scheme::Anitescu);
    moves && !model.joints.is_empty()
}

/// Velocity of the point of body `k` that is at `point` where the scheme measures the body, m/s.
#[must_use]
pub fn velocity_at(
    start: &Start,
    given: &Given,
    after: &[BodyState],
    k: usize,
    point: DVec3,
) -> DVec3 {
    let (old, new) = (&start.states[k].pose, &after[k]);
    let at = given.scheme.pose(start.model, start.states, after, k);
    let lever = point - at.position;
    if !counts_ways(start.model, given.scheme) {
        return new.twist.at(lever);
    }
    let arm = at.orientation.conjugate() * lever;
    let turned = new.pose.orientation * arm - old.orientation * arm;
    (new.pose.position - old.position + turned) / given.h
}

/// u_n of a contact, m/s: the gap's part of the row, and the rate at which the gap grows by the bodies that the scheme counts.
pub(crate) fn normal_row(
    start: &Start,
    given: &Given,
    after: &[BodyState],
    contact: &Contact,
) -> f64 {
    let scheme = given.scheme;
    let counted = |k: usize| scheme.counts(start.model.bodies[k].is_free());
    let mut rate = scheme.gap_rate(contact.gap, given.h, given.grid);
    if !counts_ways(start.model, scheme) {
        for (k, sign) in contact.bodies.into_iter().zip([-1.0, 1.0]) {
            if counted(k) {
                let velocity = velocity_at(start, given, after, k, contact.point);
                rate += sign * contact.normal.dot(velocity);
            }
        }
        return rate;
    }
    let piece = |end: usize| {
        let k = contact.bodies[end];
        let (shape, local) = start.model.bodies[k].shape.piece(contact.pieces[end])?;
        let from = scheme.pose(start.model, start.states, after, k);
        let to = if counted(k) { &after[k].pose } else { from };
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
    rate += gap_change(&a, &b, contact.point, contact.normal) / given.h;
    rate
}
