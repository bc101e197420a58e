//! Contacts between events: which of them are closed, which open, and which rebounds are none.
//!
//! Located impacts need a sharp answer to "does it touch?". A contact is closed where its gap is within rounding; between events also where
//! it bore a load in the last record. A rebound that the applied forces would return before it has risen above the
//! rounding of the gap is none: no state could show it.

use crate::step::predict::Predicted;
use stickslip_geometry::{Feature, Pose};
use stickslip_model::{BodyState, Contact, ContactImpulse, Model, Scheme};

/// Speeds below this are none to the judge, m/s.
pub(crate) fn speed_bound(model: &Model, states: &[BodyState], tolerance: f64) -> f64 {
    let speeds = states.iter().zip(&model.bodies);
    let speeds = speeds
        .filter(|(_, b)| b.is_free())
        .map(|(s, b)| s.twist.linear.length() + s.twist.angular.length() * b.shape.radius());
    tolerance * speeds.fold(1.0, f64::max)
}

/// A predicted step with bodies where its contacts are measured.
#[derive(Clone, Copy)]
pub(crate) struct Touch<'a> {
    step: &'a Predicted<'a>,
    placed: &'a [Pose],
    speed_bound: f64,
}

/// One body's part in a contact.
struct Side {
    /// Of nᵀM⁻¹n, 1/kg.
    w_nn: f64,
    /// Of the acceleration that presses it together, m/s².
    pressing: f64,
}

impl<'a> Touch<'a> {
    pub(crate) fn at(step: &'a Predicted<'a>, placed: &'a [Pose]) -> Self {
        let speed_bound = speed_bound(step.model(), step.start(), step.settings.still());
        Self {
            step,
            placed,
            speed_bound,
        }
    }

    /// Is the contact part of the step's problem? All that are closed, but for those that open between events.
    pub(crate) fn stays_in_list(&self, c: &Contact) -> bool {
        let between = self.step.plan.scheme == Scheme::BetweenEvents;
        self.is_closed(c) && !(between && self.leaves(c))
    }

    /// Does a contact close that no load has kept closed? That is an impact.
    pub(crate) fn collides(&self, c: &Contact) -> bool {
        !self.was_loaded(c.bodies, c.feature) && self.opening(c, self.step.goal) < -self.speed_bound
    }

    /// Does a closed contact open? Not where a step has kept it closed (an impact says what opens, a step's row decides
    /// for itself), nor where it would be back before it has risen above the rounding of the gap.
    fn leaves(&self, c: &Contact) -> bool {
        let kept = !self.step.last.kind.is_impact() && self.was_loaded(c.bodies, c.feature);
        let speed = self.opening(c, self.step.start());
        !kept && speed > self.speed_bound && !self.returns(c, speed)
    }

    /// How well the gap of a contact is known, m.
    pub(crate) fn rounding_of(&self, c: &Contact) -> f64 {
        let poses = c.bodies.map(|i| &self.placed[i]);
        c.rounding(self.step.model(), poses)
    }

    /// Does the contact touch? Between events what bore a load is kept closed, though it drifts open by second order in each step; but in
    /// an impact no time passes, and what is apart does not meet. It will, some moments later, in an impact of its own.
    fn is_closed(&self, c: &Contact) -> bool {
        let kept = self.step.plan.scheme != Scheme::Impact;
        c.gap <= self.rounding_of(c) || kept && self.was_loaded(c.bodies, c.feature)
    }

    /// Did the contact carry an impulse in the last record?
    fn was_loaded(&self, bodies: [usize; 2], feature: Feature) -> bool {
        let last = &self.step.last.contacts;
        let key = |c: &ContactImpulse| (c.contact.bodies, c.contact.feature);
        last.binary_search_by_key(&(bodies, feature), key)
            .is_ok_and(|k| last[k].impulse.x > 0.0)
    }

    /// The speed at which a contact opens, m/s; prescribed bodies move as they do at the end of the step.
    pub(crate) fn opening(&self, c: &Contact, states: &[BodyState]) -> f64 {
        let mut speed = 0.0;
        for (i, sign) in c.bodies.into_iter().zip([-1.0, 1.0]) {
            let free = self.step.model().bodies[i].is_free();
            let twist = if free { states[i] } else { self.step.goal[i] }.twist;
            let lever = c.point - self.placed[i].position;
            speed += sign * c.normal.dot(twist.at(lever));
        }
        speed
    }

    /// Does the contact touch at the end of the step and approach still, faster than what falls through the rounding of the gap? What rests is open by rounding now and
    /// then, in a heap somewhere in every step: no impact goes on for that. Where rows count displacements, a foot that stands and turns about its contact
    /// seems to approach by second order: there only what was open at the start can.
    pub(crate) fn still_closes(&self, c: &Contact, after: &[BodyState]) -> bool {
        let scheme = self.step.plan.scheme;
        let displaced = scheme.counts_displacements(self.step.model()) && !scheme.at_end();
        let (speed, rounding) = (-self.opening(c, after), self.rounding_of(c));
        let stands = displaced && c.gap <= rounding;
        let fallen = speed * speed <= 2.0 * self.acceleration(c) * rounding;
        !stands && speed > self.step.settings.still() && !fallen
    }

    /// The sum of what the applied forces accelerate the bodies of a contact by, m/s².
    fn acceleration(&self, c: &Contact) -> f64 {
        let free = |i: &usize| self.step.model().bodies[*i].is_free();
        let of_one = |i: usize| {
            let (start, goal) = (&self.step.start()[i].twist, &self.step.goal[i].twist);
            (goal.linear - start.linear).length()
        };
        let change: f64 = c.bodies.into_iter().filter(free).map(of_one).sum();
        change / self.step.plan.h
    }

    /// r = e p_n^c of a contact compressed in the impact at hand, N s; zero where the rebound would not leave the rounding of
    /// the gap before the applied forces return it.
    pub(crate) fn restitution_of(&self, c: &ContactImpulse) -> f64 {
        let r = self.step.setup.restitutions.of(c.contact.bodies) * c.impulse.x.max(0.0);
        let w_nn: f64 = self.sides(&c.contact).map(|s| s.w_nn).sum();
        if self.returns(&c.contact, r * w_nn) {
            0.0
        } else {
            r
        }
    }

    /// Is a contact that opens at this speed back before it has risen above the rounding of the gap? It rises by
    /// speed²/(2 a), a being what presses it together, m/s².
    fn returns(&self, c: &Contact, speed: f64) -> bool {
        let pressing: f64 = self.sides(c).map(|s| s.pressing).sum();
        speed * speed <= 2.0 * pressing * self.rounding_of(c)
    }

    /// What each body of a contact adds to it: free ones under the applied forces, prescribed ones as they are told to.
    fn sides(&self, c: &Contact) -> impl Iterator<Item = Side> {
        let (step, placed, c) = (self.step, self.placed, *c);
        c.bodies.into_iter().zip([-1.0, 1.0]).map(move |(i, sign)| {
            let lever = c.point - placed[i].position;
            let Some(mass) = step.model().bodies[i].mass else {
                let (h, goal) = (step.plan.h, step.goal[i].twist);
                let change = goal.at(lever) - step.start()[i].twist.at(lever);
                let rate = if h > 0.0 { 1.0 / h } else { 0.0 };
                return Side {
                    w_nn: 0.0,
                    pressing: -sign * rate * c.normal.dot(change),
                };
            };
            let (arm, inverse) = (lever.cross(c.normal), step.inverse[i]);
            let wrench = &step.wrench[i];
            let pushed = c.normal.dot(wrench.force) / mass.mass + arm.dot(inverse * wrench.torque);
            Side {
                w_nn: 1.0 / mass.mass + arm.dot(inverse * arm),
                pressing: -sign * pushed,
            }
        })
    }

    /// What the applied forces alone press into a contact within the step, N s.
    pub(crate) fn pressed(&self, contact: &Contact) -> f64 {
        let step = self.step;
        let (mut approach, mut w_nn) = (0.0, 0.0);
        for (i, sign) in contact.bodies.into_iter().zip([-1.0, 1.0]) {
            let Some(mass) = step.model().bodies[i].mass else {
                continue;
            };
            let (old, free) = (&step.start()[i].twist, &step.goal[i].twist);
            let lever = contact.point - self.placed[i].position;
            let change = free.at(lever) - old.at(lever);
            approach -= sign * contact.normal.dot(change);
            let arm = lever.cross(contact.normal);
            w_nn += 1.0 / mass.mass + arm.dot(step.inverse[i] * arm);
        }
        approach.max(0.0) / w_nn
    }
}
