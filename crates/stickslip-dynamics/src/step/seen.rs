//! What restitution has to know of a step: which contacts still close, what presses them, and what the step has taken from the bodies.

use crate::step::find::touching::Touch;
use crate::step::integrate::Motion;
use crate::step::predict::Predicted;
use stickslip_geometry::{Pose, Twist};
use stickslip_model::restitution::{Seen, SeenBody, SeenContact};
use stickslip_model::{Body, BodyState, ContactImpulse};

/// What the contacts of a step are to give back in later ones, if they do so at all.
pub(crate) fn seen(step: &Predicted, placed: &[Pose], motion: &Motion) -> Option<Seen> {
    if !step.plan.restitutes_later() || !step.setup.restitutions.any() {
        return None;
    }
    let touch = Touch::at(step, placed);
    let contacts = motion.contacts.iter().map(|c| SeenContact {
        pressed: touch.pressed(&c.contact),
        closes: touch.still_closes(&c.contact, &motion.bodies),
        restitution: step.setup.restitutions.of(c.contact.bodies),
        work: work(step, c),
    });
    Some(Seen {
        contacts: contacts.collect(),
        bodies: bodies(step, placed, motion),
    })
}

fn bodies(step: &Predicted, placed: &[Pose], motion: &Motion) -> Vec<SeenBody> {
    let model = step.model();
    let each = model.bodies.iter().zip(&motion.bodies).enumerate();
    let each = each.map(|(k, (body, after))| SeenBody {
        lost: lost(body, &step.start()[k], &step.goal[k].twist, after),
        inverse_mass: body.mass.map_or(0.0, |mass| 1.0 / mass.mass),
        inverse_inertia: step.inverse[k],
        position: placed[k].position,
        linked: false,
    });
    let mut bodies: Vec<SeenBody> = each.collect();
    for k in model.joined().flatten().flatten() {
        bodies[k].linked = true;
    }
    for [a, b] in motion.contacts.iter().map(|c| c.contact.bodies) {
        if model.surfaces.iter().any(|s| [a, b].contains(&s.body)) {
            (bodies[a].linked, bodies[b].linked) = (true, true);
        }
    }
    bodies
}

/// Work that a prescribed body has done at a contact at most, J: −p·v at its place, for p acts on the other one; its velocity is that of the end of the
/// step, or less by as much as it has changed.
fn work(step: &Predicted, c: &ContactImpulse) -> f64 {
    let (model, p) = (step.model(), c.world_impulse());
    let mut work = 0.0;
    for (k, sign) in c.contact.bodies.into_iter().zip([-1.0, 1.0]) {
        if !model.bodies[k].is_free() {
            let at = |state: &BodyState| state.twist.at(c.contact.point - state.pose.position);
            let (before, after) = (at(&step.start()[k]), at(&step.goal[k]));
            work += p.length() * (after - before).length() - sign * p.dot(after);
        }
    }
    work
}

/// T(ν) + M ν·Δ − T(ν⁺) with ν the velocity at the start and Δ = ν_free − ν what the applied forces change, J: the first two are T(ν_free) − T(Δ).
/// What rests and stays at rest has lost nothing.
fn lost(body: &Body, start: &BodyState, free: &Twist, after: &BodyState) -> f64 {
    let Some(mass) = body.mass else { return 0.0 };
    let inertia = start.pose.turned(&mass.inertia);
    let kinetic = |twist: &Twist| {
        let (v, w) = (twist.linear, twist.angular);
        0.5 * (mass.mass * v.length_squared() + w.dot(inertia * w))
    };
    let change = Twist {
        linear: free.linear - start.twist.linear,
        angular: free.angular - start.twist.angular,
    };
    kinetic(free) - kinetic(&change) - kinetic(&after.twist)
}
