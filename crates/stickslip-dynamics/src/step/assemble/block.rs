//! One contact's block of rows.

use super::NONE;
use glam::DVec3;
use stickslip_geometry::Pose;
use stickslip_geometry::frame::contact_frame;
use stickslip_model::{Cone, Contact, Fan, Given};
use stickslip_solvers::problem::{Action, Arm, ContactBlock, Law};

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
        arms: arms.into(),
        b,
        compliance: DVec3::ZERO,
        law,
    }
}
