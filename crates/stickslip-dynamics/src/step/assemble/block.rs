//! One contact's block of rows.

use super::NONE;
use glam::{DVec2, DVec3};
use stickslip_geometry::Pose;
use stickslip_geometry::frame::contact_frame;
use stickslip_model::{Cone, Contact, Fan, Given};
use stickslip_solvers::problem::{Action, Arm, ContactBlock, Law};

/// (p_n, p_t turned by the angle whose (cos, sin) is given).
pub(super) fn turned(by: DVec2, p: DVec3) -> DVec3 {
    let t = by.rotate(DVec2::new(p.y, p.z));
    DVec3::new(p.x, t.x, t.y)
}

/// Turns a block's tangents, so that the first one is where the fan starts.
pub(super) fn turn(block: &mut ContactBlock, first: DVec2) {
    let [n, t1, t2] = block.frame;
    block.frame = [n, t1 * first.x + t2 * first.y, t2 * first.x - t1 * first.y];
    block.b = turned(DVec2::new(first.x, -first.y), block.b);
}

/// b_n is the gap's part of the normal row by the method, `gap_rate` (ψ/h), b_t = −(velocity of a prescribed body at the point), the latter
/// at t_{l+1}.
pub(super) fn block(
    slot: &[usize],
    placed: &[Pose],
    given: &Given,
    contact: &Contact,
    gap_rate: f64,
    cone: Cone,
) -> ContactBlock {
    let frame = contact_frame(contact.normal);
    let mut b = DVec3::new(gap_rate, 0.0, 0.0);
    let mut arms = [None; 2];
    for (k, (i, sign)) in contact.bodies.into_iter().zip([-1.0, 1.0]).enumerate() {
        let lever = contact.point - placed[i].position;
        if slot[i] == NONE {
            let carried = given.prescribed[i].twist.at(lever) * sign;
            if given.scheme.counts(false) {
                b.x += frame[0].dot(carried);
            }
            b.y += frame[1].dot(carried);
            b.z += frame[2].dot(carried);
        } else {
            arms[k] = Some(Arm {
                body: slot[i],
                lever,
                sign,
                action: Action::Force,
            });
        }
    }
    let mu = contact.friction.stick;
    let law = match cone {
        _ if mu == 0.0 => Law::Unilateral,
        Cone::Quadratic | Cone::Budget(_) => Law::Cone { mu },
        Cone::Pyramid(directions) | Cone::Fan(Fan { directions, .. }) => {
            Law::Pyramid { mu, directions }
        }
    };
    ContactBlock {
        frame,
        arms,
        b,
        compliance: DVec3::ZERO,
        law,
    }
}
