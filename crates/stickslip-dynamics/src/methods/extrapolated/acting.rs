//! What pairs of bodies do in an inner step: a change of it is an event.

use crate::settings::Settings;
use crate::setup::Setup;
use crate::step::find::touching::speed_bound;
use glam::DVec3;
use stickslip_model::{BodyState, Contact, Mode, Model, StepRecord};

/// Loads that change a velocity by less than this part of what the judge can tell are rounding.
const ROUNDING: f64 = 1e-3;

/// The modes that a step goes through, and whether they stay the same.
pub(super) struct Modes<'a> {
    model: &'a Model,
    tolerance: f64,
    first: Option<Vec<Acting>>,
    same: bool,
}

impl<'a> Modes<'a> {
    /// Those in which `last` ended: an event in the first inner steps shows against them. The initial state has none.
    pub(super) fn after(last: &StepRecord, setup: &'a Setup, settings: &Settings) -> Self {
        let (model, tolerance) = (&setup.model, settings.still());
        Self {
            model,
            tolerance,
            first: (last.step > 0).then(|| acting(model, last, tolerance)),
            same: true,
        }
    }

    /// Looks at one inner step.
    pub(super) fn see(&mut self, record: &StepRecord) {
        let now = acting(self.model, record, self.tolerance);
        match &self.first {
            Some(first) => self.same &= continue_all(&now, first),
            None => self.first = Some(now),
        }
    }

    pub(super) const fn are_the_same(&self) -> bool {
        self.same
    }
}

/// What a pair of bodies does in one inner step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Acting {
    bodies: [usize; 2],
    mode: Mode,
    /// Sum of the friction impulses, N s, world frame.
    friction: DVec3,
    /// Sum of their sizes, N s.
    size: f64,
}

impl Acting {
    /// The same pair in the same mode, and not sliding back.
    fn continues(&self, before: &Self) -> bool {
        // Friction that mostly cancels (a spin) has no direction.
        let straight = |a: &Self| a.friction.length() > 0.5 * a.size;
        let back = self.mode == Mode::Slide
            && straight(self)
            && straight(before)
            && self.friction.dot(before.friction) < 0.0;
        (self.bodies, self.mode) == (before.bodies, before.mode) && !back
    }
}

/// Do all pairs that act go on as before?
fn continue_all(now: &[Acting], before: &[Acting]) -> bool {
    now.len() == before.len() && now.iter().zip(before).all(|(a, b)| a.continues(b))
}

/// What each pair of bodies does: it slides if one of its contacts does. Which of several contacts bear a load that one would
/// bear as well is no event; nor is a load that is mere rounding.
fn acting(model: &Model, record: &StepRecord, tolerance: f64) -> Vec<Acting> {
    let mut pairs: Vec<Acting> = Vec::new();
    let least = ROUNDING * speed_bound(model, &record.bodies, tolerance);
    for c in &record.contacts {
        let speed = c.impulse.x * w_nn(model, &record.bodies, &c.contact);
        if c.mode == Mode::Open || speed <= least {
            continue;
        }
        let normal = c.contact.normal;
        let impulse = c.world_impulse();
        let friction = impulse - normal * normal.dot(impulse);
        let size = friction.length();
        match pairs.last_mut() {
            Some(last) if last.bodies == c.contact.bodies => {
                if c.mode == Mode::Slide {
                    last.mode = Mode::Slide;
                }
                last.friction += friction;
                last.size += size;
            }
            _ => pairs.push(Acting {
                bodies: c.contact.bodies,
                mode: c.mode,
                friction,
                size,
            }),
        }
    }
    pairs
}

/// nᵀM⁻¹n of a contact's free bodies, 1/kg: what an impulse along the normal changes of the gap's rate.
fn w_nn(model: &Model, states: &[BodyState], c: &Contact) -> f64 {
    let of_body = |&i: &usize| {
        let (body, pose) = (&model.bodies[i], &states[i].pose);
        let arm = (c.point - pose.position).cross(c.normal);
        let inverse = pose.turned(&body.inverse_inertia);
        body.mass
            .map_or(0.0, |m| 1.0 / m.mass + arm.dot(inverse * arm))
    };
    c.bodies.iter().map(of_body).sum()
}
