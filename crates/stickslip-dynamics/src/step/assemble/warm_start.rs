//! Where a solver starts: from the last step.

use super::Assembly;
use crate::step::find::{Contacts, remembered};
use crate::step::predict::Predicted;
use glam::DVec3;
use stickslip_model::Mode;

impl Assembly {
    /// Impulses of the same contacts in the last step, for the length of this one; zero for new ones. A contact that slid goes on with kinetic
    /// friction, any other starts with static friction.
    pub(super) fn warm_start(&mut self, step: &Predicted, contacts: &Contacts) {
        let last = &step.last.contacts;
        self.impulses.clear();
        for (k, contact) in contacts.list.iter().enumerate() {
            let Some(found) = remembered(last, contact) else {
                self.impulses.push(DVec3::ZERO);
                continue;
            };
            let impulse = self.to_problem(k, last[found].impulse) * step.longer();
            self.impulses.push(impulse);
            if last[found].mode == Mode::Slide {
                self.set_mu(k, contact.friction.slide);
            }
        }
        let discs = self.discs.len();
        self.impulses
            .resize(self.impulses.len() + discs, DVec3::ZERO);
    }
}
