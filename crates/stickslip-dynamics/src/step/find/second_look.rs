//! The second look: no contact may be missed on the motion that was solved for.

use super::finder::{Finder, Found, Paths, collide, push};
use crate::settings::Settings;
use crate::setup::Frictions;
use stickslip_geometry::narrow_phase::{contacts_by, one_way_out};
use stickslip_geometry::path::{closest_on_the_way, first_overlap, unseen};
use stickslip_geometry::pieces::piece_pairs;
use stickslip_model::{Contact, Model};

/// Second looks after which no contact waits for one that is met earlier: pairs that keep taking turns are then all
/// given their rows.
const PATIENCE: usize = 16;

/// Contacts that are met within this fraction of the step are met together.
const TOGETHER: f64 = 1e-6;

impl Finder {
    /// Looks at the motion that a solve came to: for pairs that overlap on it, at its end or before, the contacts of
    /// that motion are added where they are new. Returns how many. From look [`PATIENCE`] on none waits for an
    /// earlier one.
    pub(crate) fn add_missed(
        &mut self,
        paths: &Paths,
        frictions: &Frictions,
        settings: &Settings,
        look: usize,
        contacts: &mut Vec<Contact>,
    ) -> usize {
        self.sweep_paths(paths, settings.contact.touch());
        self.found.clear();
        let pairs = self
            .sweep
            .pairs(&self.bounds, |i, j| collide(paths.model, settings, i, j));
        let (candidates, found) = (&mut self.candidates, &mut self.found);
        for &[i, j] in pairs {
            let from = contacts.partition_point(|k| k.bodies < [i, j]);
            let to = contacts.partition_point(|k| k.bodies <= [i, j]);
            let known = &contacts[from..to];
            let (a, b) = (paths.moving(i), paths.moving(j));
            piece_pairs(&a, &b, settings.contact.touch(), &mut |pieces, a, b| {
                // An eighth of what the judge allows: the second look comes before a refusal.
                if closest_on_the_way(a, b).on_the_way >= -unseen(a, b) / 8.0 {
                    return;
                }
                candidates.clear();
                contacts_by(settings.contact, a, b, candidates);
                candidates.retain(|c| {
                    !known
                        .iter()
                        .any(|k| k.pieces == pieces && c.repeats(k.feature, k.normal, k.point))
                });
                if !candidates.is_empty() {
                    let sure = look >= PATIENCE || one_way_out(a, b);
                    let meets = (!sure).then(|| first_overlap(a, b));
                    push(candidates, [i, j], pieces, meets, frictions, found);
                }
            });
        }
        self.known.clear();
        self.known.extend_from_slice(contacts);
        self.first_come_first(paths.model, contacts);
        contacts.sort_by_key(Contact::key);
        self.drop_implied(paths.model, contacts);
        let new = |c: &&Contact| {
            self.known
                .binary_search_by_key(&c.key(), Contact::key)
                .is_err()
        };
        contacts.iter().filter(new).count()
    }

    /// Adds what was found, but for pairs whose body meets something else before.
    fn first_come_first(&mut self, model: &Model, contacts: &mut Vec<Contact>) {
        self.earliest.clear();
        self.earliest.resize(model.bodies.len(), f64::INFINITY);
        for Found { contact, meets } in &self.found {
            for i in contact.bodies {
                if model.bodies[i].is_free() {
                    self.earliest[i] = self.earliest[i].min(meets.unwrap_or(f64::NEG_INFINITY));
                }
            }
        }
        for Found { contact, meets } in &self.found {
            let earliest = contact.bodies.map(|i| self.earliest[i]);
            if meets.is_none_or(|s| earliest.iter().all(|e| s <= e + TOGETHER)) {
                contacts.push(*contact);
            }
        }
    }
}
