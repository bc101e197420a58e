//! Where a solver starts: from the last step.

use super::Assembly;
use crate::step::find::Contacts;
use crate::step::predict::Predicted;
use glam::DVec3;
use stickslip_model::{ContactImpulse, Mode};

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
            let same = earlier.binary_search_by_key(&contact.key(), |c| c.contact.key());
            let impulse = match (same, before) {
                (Ok(found), _) => self.to_problem(k, earlier[found].impulse),
                (Err(_), Some(c)) => self.to_problem(k, c.impulse) * step.longer(),
                (Err(_), None) => DVec3::ZERO,
            };
            self.impulses.push(impulse);
            if before.is_some_and(|c| c.mode == Mode::Slide) {
                self.set_mu(k, contact.friction.slide);
            }
        }
        let discs = self.discs.len();
        self.impulses
            .resize(self.impulses.len() + discs, DVec3::ZERO);
    }
}
