//! Where a solver starts: from the last step.

use super::Assembly;
use crate::step::find::Contacts;
use crate::step::predict::Predicted;
use crate::step::twist::to_problem;
use glam::DVec3;
use stickslip_model::{Contact, ContactImpulse, Mode};

impl Assembly {
    /// Impulses of the same contacts in the problem `earlier` in this step, or in the last step, for the length of this one; zero for new ones. A contact
    /// that slid in the last step goes on with kinetic friction, any other starts with static friction.
    pub(super) fn warm_start(
        &mut self,
        step: &Predicted,
        contacts: &Contacts,
        earlier: &[ContactImpulse],
    ) {
        let last = &step.last.contacts;
        self.impulses.clear();
        for (k, contact) in contacts.list.iter().enumerate() {
            let before = self.remembered.of(k).map(|found| &last[found]);
            let impulse = match (same_row(earlier, contact), before) {
                (Some(c), _) => self.to_problem(k, c.impulse),
                (None, Some(c)) => self.to_problem(k, c.impulse) * step.longer(),
                (None, None) => DVec3::ZERO,
            };
            self.impulses.push(impulse);
            if before.is_some_and(|c| c.mode == Mode::Slide) {
                let curve = step.model().curves.of(contact.bodies);
                let slide =
                    curve.map_or(contact.friction.slide, |c| c.at(self.slip_before(step, k)));
                self.set_mu(k, slide);
            }
        }
        let discs = self.discs.len();
        self.impulses
            .resize(self.impulses.len() + discs, DVec3::ZERO);
        for n in 0..self.moments.len() {
            let borne = self.moments[n];
            let key = contacts.list[borne.contact].key();
            let same = earlier.binary_search_by_key(&key, |c| c.contact.key());
            let before = self.remembered.of(borne.contact);
            self.impulses.push(match (same, before) {
                (Ok(found), _) => borne.to_problem(earlier[found].moment),
                (Err(_), Some(found)) => borne.to_problem(last[found].moment) * step.longer(),
                (Err(_), None) => DVec3::ZERO,
            });
        }
    }

    /// How fast the points of contact k slip at the start of the step, m/s.
    fn slip_before(&self, step: &Predicted, k: usize) -> f64 {
        let block = &self.problem.contacts[k];
        let arms = block.arms.iter().flatten();
        let velocity = arms.map(|arm| {
            let body = self.entered[arm.body];
            arm.velocity(&to_problem(&step.start()[body].twist))
        });
        let u = block.to_contact(velocity.sum()) + block.b;
        self.true_slip(k, u)
    }
}

/// The same row among those of an earlier problem of the step, sorted by their keys: of several with one key that which is the same to the
/// bit, else the first of them.
fn same_row<'a>(earlier: &'a [ContactImpulse], contact: &Contact) -> Option<&'a ContactImpulse> {
    let key = contact.key();
    let from = earlier.partition_point(|c| c.contact.key() < key);
    let mut alike = earlier[from..]
        .iter()
        .take_while(|c| c.contact.key() == key);
    let first = alike.clone().next();
    alike.find(|c| c.contact == *contact).or(first)
}
