//! What restitution has to know of a step: which contacts still close, what presses them, the energy that each has taken, and how impulses
//! move the bodies.

use crate::step::find::touching::Touch;
use crate::step::integrate::Motion;
use crate::step::predict::Predicted;
use glam::{DMat3, DVec3};
use std::borrow::Cow;
use stickslip_geometry::{Pose, Twist};
use stickslip_model::restitution::{Mover, Seen, give, opening};
use stickslip_model::{Contact, ContactImpulse, Scheme};

/// What the contacts of a step are to give back in later ones, if they do so at all.
pub(crate) fn seen(step: &Predicted, placed: &[Pose], motion: &Motion) -> Option<Vec<Seen>> {
    if !step.plan.restitutes_later() || !step.setup.restitutions.any() {
        return None;
    }
    let placed = &measured(step, placed, motion)[..];
    let touch = Touch::at(step, placed);
    let mut before = movers(step, placed);
    let contacts = motion.contacts.iter();
    give(&mut before, contacts.map(|c| (&c.contact, c.restituted)));
    let taken = taken(step, &before, motion);
    let contacts = motion.contacts.iter().zip(taken).map(|(c, taken)| Seen {
        pressed: touch.pressed(&c.contact),
        closes: touch.still_closes(&c.contact, &motion.bodies),
        leaves: touch.opening(&c.contact, &motion.bodies) > step.settings.still(),
        opens: opening(&before, &c.contact) > step.settings.still(),
        restitution: step.setup.restitutions.of(c.contact.bodies),
        taken,
    });
    Some(contacts.collect())
}

/// Where the bodies are for what a motion's contacts have to give back: where the scheme places them; of an implicit step at its end, which the last iterate, in
/// which contacts were measured, has met to rounding. So what is remembered depends on the recorded motion alone.
pub(crate) fn measured<'p>(
    step: &Predicted,
    placed: &'p [Pose],
    motion: &Motion,
) -> Cow<'p, [Pose]> {
    match step.plan.scheme {
        Scheme::Implicit => motion.bodies.iter().map(|s| s.pose).collect(),
        _ => Cow::Borrowed(placed),
    }
}

/// The bodies at the start of the step, prescribed ones as they move at its end.
fn movers(step: &Predicted, placed: &[Pose]) -> Vec<Mover> {
    let bodies = step.model().bodies.iter().zip(placed).enumerate();
    let each = bodies.map(|(k, (body, pose))| match body.mass {
        Some(mass) => Mover {
            twist: step.start()[k].twist,
            position: pose.position,
            inverse_mass: 1.0 / mass.mass,
            inverse_inertia: step.inverse[k],
        },
        None => Mover {
            twist: step.goal[k].twist,
            position: pose.position,
            inverse_mass: 0.0,
            inverse_inertia: DMat3::ZERO,
        },
    });
    each.collect()
}

/// r of each contact of the step, N s: what compressions that ended in the last one have left.
pub(crate) fn given_back<'c>(
    step: &Predicted,
    contacts: impl Iterator<Item = &'c Contact> + Clone,
    placed: &[Pose],
    given: &mut Vec<f64>,
) {
    if step.restitution.is_idle() {
        given.clear();
        return given.extend(contacts.map(|_| 0.0));
    }
    let of = |pair| step.setup.restitutions.of(pair);
    let movers = movers(step, placed);
    step.restitution
        .given(step.model(), contacts, &movers, of, given);
}

/// The energy that each contact has taken, J: −p·v̄ of what acts in it beside r, with v̄ the mean of its velocities at the start (`before`: r has
/// acted) and at the end.
///
/// Over all contacts and with the work hF·v̄ of the applied forces F these are what the bodies have lost. Bodies in contact go by
/// q ⊕ hν⁺, so that the forces do the work hF·ν⁺: the difference, ½ hF·(ν⁺ − ν), belongs to the contacts of the body, each as it pushes.
fn taken(step: &Predicted, before: &[Mover], motion: &Motion) -> Vec<f64> {
    let contacts = motion.contacts.iter();
    let mut pushed = vec![0.0; before.len()];
    for c in contacts.clone() {
        for k in c.contact.bodies {
            pushed[k] += own(c).length();
        }
    }
    let mut more = vec![0.0; before.len()];
    for (k, old) in before.iter().enumerate() {
        if step.model().bodies[k].is_free() && pushed[k] > 0.0 {
            let (new, wrench) = (&motion.bodies[k].twist, &step.wrench[k]);
            let work = wrench.force.dot(new.linear - old.twist.linear)
                + wrench.torque.dot(new.angular - old.twist.angular);
            more[k] = 0.5 * step.plan.h * work / pushed[k];
        }
    }
    let mean = |k: usize| {
        let (old, new) = (&before[k].twist, &motion.bodies[k].twist);
        match step.model().bodies[k].is_free() {
            true => Twist {
                linear: 0.5 * (old.linear + new.linear),
                angular: 0.5 * (old.angular + new.angular),
            },
            false => *old,
        }
    };
    let of_one = |c: &ContactImpulse| {
        let (p, moment) = (own(c), c.world_moment());
        let mut taken = 0.0;
        for (k, sign) in c.contact.bodies.into_iter().zip([1.0, -1.0]) {
            let twist = mean(k);
            let velocity = twist.at(c.contact.point - before[k].position);
            taken += sign * (p.dot(velocity) + moment.dot(twist.angular)) + more[k] * p.length();
        }
        taken
    };
    contacts.map(of_one).collect()
}

/// The impulse of a contact without what it gives back, N s.
fn own(c: &ContactImpulse) -> DVec3 {
    c.world_impulse() - c.contact.normal * c.restituted
}
