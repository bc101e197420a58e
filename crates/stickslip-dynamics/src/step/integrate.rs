//! Line 6: next states from the velocities that the impulses give.

use crate::motion;
use crate::step::assemble::Assembly;
use crate::step::find::Contacts;
use crate::step::maps::{in_contact, in_flight};
use crate::step::predict::{Predicted, is_finite};
use crate::step::refuse::Failure;
use stickslip_model::islands::Islands;
use stickslip_model::{BodyState, ContactImpulse, JointImpulse, Scheme};
use stickslip_solvers::solver::Solved;

/// A motion through the step, with the impulses that make it.
#[derive(Debug, Default)]
pub(crate) struct Motion {
    /// States at the end of the step.
    pub(crate) bodies: Vec<BodyState>,
    /// Bodies that no impulse reaches.
    pub(crate) flies: Vec<bool>,
    pub(crate) contacts: Vec<ContactImpulse>,
    /// Joints, then springs.
    pub(crate) joints: Vec<JointImpulse>,
    /// What the solver said of its answer; its impulses are in the lists above.
    pub(crate) solved: Solved,
}

impl Motion {
    /// Next states under the velocities of `assembly`: islands without load fly by the second-order map, bodies in contact go
    /// by q ⊕ hν⁺. Where the flight would break an open row (the two maps differ by h²), the island goes by q ⊕ hν⁺ as well.
    pub(crate) fn integrate(
        &mut self,
        step: &Predicted,
        assembly: &Assembly,
        contacts: &Contacts,
        islands: &mut Islands,
    ) -> Result<(), Failure> {
        assembly.record_contacts(contacts, &mut self.contacts);
        islands.flying(step.model(), &self.contacts, &mut self.flies);
        let at_end = step.plan.scheme.at_end();
        if !at_end {
            self.advance(step, assembly)?;
        }
        // Rows measured at the end of the step hold for q ⊕ hν alone.
        if at_end || self.land(step, contacts, islands) {
            for (k, flies) in self.flies.iter_mut().enumerate() {
                *flies &= !at_end || assembly.velocity_of(k).is_none();
            }
            self.advance(step, assembly)?;
        }
        Ok(())
    }

    /// Islands whose flight would break an open row do not fly; are there any?
    fn land(&mut self, step: &Predicted, contacts: &Contacts, islands: &mut Islands) -> bool {
        let mut broken = self.contacts.iter().filter(|c| {
            let flies = c.contact.bodies.iter().any(|&k| self.flies[k]);
            flies && !self.open_row_holds(step, contacts, c)
        });
        let Some(first) = broken.next() else {
            return false;
        };
        let mut lands = vec![false; self.flies.len()];
        for c in std::iter::once(first).chain(broken) {
            if let Some(root) = islands.of_contact(step.model(), c.contact.bodies) {
                lands[root] = true;
            }
        }
        for (k, flies) in self.flies.iter_mut().enumerate() {
            *flies &= !lands[islands.root(k)];
        }
        lands.contains(&true)
    }

    fn advance(&mut self, step: &Predicted, assembly: &Assembly) -> Result<(), Failure> {
        self.bodies.clear();
        for (i, flies) in self.flies.iter().enumerate() {
            let next = next_state(step, assembly, i, *flies)?;
            if !is_finite(&next) {
                return Err(step.not_finite("the next state", i).into());
            }
            self.bodies.push(next);
        }
        Ok(())
    }

    /// Does the row of flying bodies stay open, by their velocity and by their displacement?
    fn open_row_holds(&self, step: &Predicted, contacts: &Contacts, c: &ContactImpulse) -> bool {
        let contact = &c.contact;
        let mut gap = contact.gap;
        for (k, sign) in contact.bodies.into_iter().zip([-1.0, 1.0]) {
            if step.model().bodies[k].is_free() {
                let (old, new) = (&step.start()[k], &self.bodies[k]);
                let lever = contact.point - old.pose.position;
                let turn = new.twist.angular.cross(lever) * step.plan.h;
                let shift = new.pose.position - old.pose.position;
                gap += sign * contact.normal.dot(shift + turn);
            }
        }
        let speed = step.row_at(&self.bodies, contact).x;
        if step.plan.scheme == Scheme::BetweenEvents {
            // Bodies that fall together touch to rounding.
            let slack = 0.1 * step.settings.still();
            let poses = contact.bodies.map(|i| &contacts.placed[i]);
            return gap >= -contact.rounding(step.model(), poses) && speed >= -slack;
        }
        gap >= 0.0 && speed >= 0.0
    }
}

/// The next state of body `i`.
fn next_state(
    step: &Predicted,
    assembly: &Assembly,
    i: usize,
    flies: bool,
) -> Result<BodyState, Failure> {
    let (state, h) = (&step.start()[i], step.plan.h);
    let nu = assembly.velocity_of(i);
    // No time passes in an impact: poses stay to the bit.
    if step.plan.kind.is_impact() {
        return Ok(BodyState {
            pose: state.pose,
            twist: nu.unwrap_or(state.twist),
        });
    }
    if matches!(step.setup.motions[i], motion::Motion::Prescribed(_)) {
        return Ok(step.goal[i]);
    }
    match nu {
        Some(nu) if step.plan.scheme == Scheme::Anitescu => Ok(BodyState {
            pose: step.goal[i].pose,
            twist: nu,
        }),
        Some(nu) if !flies => Ok(in_contact(&state.pose, nu, h)),
        _ => {
            let flight = in_flight(&step.model().bodies[i], state, &step.wrench[i], h);
            flight.ok_or_else(|| step.too_fast(i).into())
        }
    }
}
