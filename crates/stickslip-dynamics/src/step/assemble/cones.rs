//! The friction directions of each contact, where the scene gives a budget for them.

use super::Assembly;
use crate::budget::{self, Chosen, Load, choose};
use crate::step::find::Contacts;
use crate::step::predict::Predicted;
use stickslip_model::{BodyState, Cone, ContactImpulse, Mode};

impl Assembly {
    /// Chooses the directions of each contact by its load in the last step.
    pub(super) fn choose_directions(&mut self, step: &Predicted, contacts: &Contacts) {
        let Cone::Budget(budget) = step.settings.cone else {
            return;
        };
        let last = &step.last.contacts;
        let loads: Vec<Load> = (0..contacts.list.len())
            .map(|k| match self.remembered.of(k) {
                Some(k) => Load {
                    friction: Some(friction_speed(step, step.start(), &last[k])),
                    mode: last[k].mode,
                },
                None => Load {
                    friction: None,
                    mode: Mode::Slide,
                },
            })
            .collect();
        choose(&loads, budget, &step.settings.solver, &mut self.directions);
    }
}

/// What was chosen in a step with these contacts and end states, and what error is expected of it; `None` without a
/// budget.
pub(crate) fn chosen_cones(
    step: &Predicted,
    next: &[BodyState],
    contacts: &[ContactImpulse],
) -> Option<Chosen> {
    let Cone::Budget(budget) = step.settings.cone else {
        return None;
    };
    let all: Vec<u32> = contacts.iter().map(|c| c.directions).collect();
    let work = budget::work(&all);
    let error = contacts.iter().map(|c| {
        let speed = friction_speed(step, next, c);
        budget::expected(speed, c.mode, c.directions)
    });
    Some(Chosen {
        directions: (
            all.iter().copied().min().unwrap_or(0),
            all.iter().copied().max().unwrap_or(0),
        ),
        work,
        error: error.fold(0.0, f64::max),
        over: work > budget,
    })
}

/// μ p_n/m of a contact, m/s.
fn friction_speed(step: &Predicted, states: &[BodyState], c: &ContactImpulse) -> f64 {
    c.contact.friction.stick * c.impulse.x / step.effective_mass(states, &c.contact)
}
