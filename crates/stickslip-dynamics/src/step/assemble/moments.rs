//! The moments of contacts that bear them: a block of rows beside that of the forces.

use super::{Assembly, NONE};
use crate::step::find::Contacts;
use crate::step::predict::Predicted;
use glam::DVec3;
use stickslip_geometry::frame::contact_frame;
use stickslip_model::Contact;
use stickslip_solvers::problem::residual::w_bar;
use stickslip_solvers::problem::{Action, Arm, ContactBlock, Law};

/// A contact that bears moments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Borne {
    /// Its number.
    pub(super) contact: usize,
    /// r, ℓ and ℓ: the problem's impulses are moments over these, m.
    lengths: DVec3,
    /// Does it resist a spin?
    spin: bool,
}

impl Borne {
    /// Impulses of the problem, N s, of moments, N m s.
    pub(super) fn to_problem(self, moment: DVec3) -> DVec3 {
        moment / self.lengths
    }
}

impl Assembly {
    /// The blocks of moments, for contacts that have friction to resist a spin, or resist rolling.
    pub(super) fn add_moments(&mut self, step: &Predicted, contacts: &Contacts) {
        self.moments.clear();
        self.first_moment = self.problem.contacts.len();
        for (number, contact) in contacts.list.iter().enumerate() {
            let Some((moments, length)) = step.model().moments.of(contact.bodies) else {
                continue;
            };
            let mu = self.problem.contacts[number].law.friction();
            let spin = moments.torsion > 0.0 && mu > 0.0;
            if !spin && moments.rolling == 0.0 {
                continue;
            }
            let radius = if moments.torsion > 0.0 {
                moments.torsion
            } else {
                length
            };
            let borne = Borne {
                contact: number,
                lengths: DVec3::new(radius, length, length),
                spin,
            };
            self.problem.contacts[number].law = Law::Soft { mu };
            let law = Law::Moments {
                of: number,
                spin,
                roll: moments.rolling / length,
            };
            let block = self.moment_block(step, contacts, contact, borne, law);
            self.problem.contacts.push(block);
            self.moments.push(borne);
        }
    }

    /// Rows of torques along (r n, ℓ t₁, ℓ t₂); b is what bodies that move by themselves, and surfaces that turn along theirs, add to the
    /// angular velocity of the second body seen from the first.
    fn moment_block(
        &self,
        step: &Predicted,
        contacts: &Contacts,
        contact: &Contact,
        borne: Borne,
        law: Law,
    ) -> ContactBlock {
        let given = step.given();
        let mut carried = DVec3::ZERO;
        let mut arms = [None; 2];
        for (k, (i, sign)) in contact.bodies.into_iter().zip([-1.0, 1.0]).enumerate() {
            if self.slot[i] == NONE {
                carried += given.prescribed[i].twist.angular * sign;
            } else {
                arms[k] = Some(Arm {
                    body: self.slot[i],
                    lever: DVec3::ZERO,
                    sign,
                    action: Action::Torque,
                });
            }
            let turn = contacts.placed[i].orientation;
            let outward = turn.conjugate() * (contact.normal * -sign);
            if let Some(surface) = step.model().moving_surface(i, outward) {
                carried += turn * step.surfaces[surface].angular * sign;
            }
        }
        let [n, t1, t2] = contact_frame(contact.normal);
        let lengths = borne.lengths;
        let mut block = ContactBlock {
            frame: [n * lengths.x, t1 * lengths.y, t2 * lengths.z],
            arms: arms.into(),
            b: DVec3::ZERO,
            compliance: DVec3::ZERO,
            law,
        };
        block.b = block.to_contact(carried);
        block
    }

    /// Where the block of a contact's moments is; `None` for a contact without any.
    fn moments_of(&self, contact: usize) -> Option<usize> {
        self.moments
            .binary_search_by_key(&contact, |borne| borne.contact)
            .ok()
    }

    /// The block by which the whole law of a contact is judged.
    pub(crate) fn judged_block(&self, contact: usize) -> usize {
        let moments = self.moments_of(contact);
        moments.map_or(contact, |k| self.first_moment + k)
    }

    /// (m_n, m_t1, m_t2) of a contact, N m s.
    pub(super) fn moment_of(&self, contact: usize) -> DVec3 {
        self.moments_of(contact).map_or(DVec3::ZERO, |k| {
            self.impulses[self.first_moment + k] * self.moments[k].lengths
        })
    }

    /// r ω_n of a contact that resists a spin, m/s; 0 for others.
    pub(crate) fn spin_of(&self, contact: usize) -> f64 {
        match self.moments_of(contact) {
            Some(k) if self.moments[k].spin => {
                let block = &self.problem.contacts[self.first_moment + k];
                block.velocity(&self.nu).x
            }
            _ => 0.0,
        }
    }

    /// The contacts that bear moments, in the order of their blocks.
    pub(crate) fn bearing_moments(&self) -> impl Iterator<Item = usize> {
        self.moments.iter().map(|borne| borne.contact)
    }

    /// Moments of contacts that carry nothing are dropped with what rounding left of their forces.
    pub(crate) fn clear_moments(&mut self, negligible: f64) {
        for (k, borne) in self.moments.iter().enumerate() {
            let place = self.first_moment + k;
            let p = self.impulses[place];
            if self.impulses[borne.contact] != DVec3::ZERO || p == DVec3::ZERO {
                continue;
            }
            let block = &self.problem.contacts[place];
            if p.length() * w_bar(block, &self.problem.inverse_mass) <= negligible {
                self.problem.add_impulse(block, -p, &mut self.nu);
                self.impulses[place] = DVec3::ZERO;
            }
        }
    }
}
