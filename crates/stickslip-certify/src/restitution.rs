//! Poisson's restitution at a fixed step, one problem a step: what a contact gives back, and when.
//!
//! A contact that had no load and takes one begins an impact of its island. While a contact of the island still closes
//! at the end of the step (its gap was open at the start, so that it ends the step touching but approaching), the island
//! compresses.
//! Each of its contacts adds up c, its impulses above the load it had before and above what the applied forces press. In the step after the last of these, the
//! contact gives back r = e c: that part of its impulse is given, and the law of the contact holds for the rest. A contact
//! at rest thus never bounces, and a bounce that one step of the applied forces undoes is none.

use crate::islands::Islands;
use crate::model::Model;
use crate::step::ContactImpulse;
use stickslip_geometry::Feature;

type Key = ([usize; 2], Feature);

/// What is remembered of one contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Entry {
    /// p_n − r of the last step, N s.
    load: f64,
    /// The load before the impact, N s.
    base: f64,
    /// Does its island compress still?
    compresses: bool,
    /// c: impulses above `base` since the impact began, N s.
    compression: f64,
    /// c of a compression that has ended: given back in the next step.
    ended: f64,
}

/// What is known of a contact of a step beside its impulse.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seen {
    /// What the applied forces alone press into it within the step, N s.
    pub pressed: f64,
    /// Does it still close at the end of the step?
    pub closes: bool,
}

/// The memory of restitution, from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restitution {
    entries: Vec<(Key, Entry)>,
    old: Vec<(Key, Entry)>,
    islands: Islands,
    /// By first body of the island: does it compress, does a contact of it still close?
    compresses: Vec<bool>,
    closes: Vec<bool>,
}

impl Restitution {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// c of a contact whose compression has ended, N s: e c is to act in the next step.
    #[must_use]
    pub fn ended(&self, bodies: [usize; 2], feature: Feature) -> f64 {
        find(&self.entries, (bodies, feature)).ended
    }

    /// Is nothing remembered that could act?
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.entries.iter().all(|(_, e)| e.ended == 0.0)
    }

    /// Takes note of an accepted step, whose contacts are sorted by bodies and feature, and of what else is known of each.
    pub fn advance(&mut self, model: &Model, contacts: &[ContactImpulse], seen: &[Seen]) {
        std::mem::swap(&mut self.entries, &mut self.old);
        self.entries.clear();
        let n = model.bodies.len();
        self.islands.join(model, contacts);
        for marks in [&mut self.compresses, &mut self.closes] {
            marks.clear();
            marks.resize(n, false);
        }
        for (c, seen) in contacts.iter().zip(seen) {
            let load = c.impulse.x - c.restituted;
            let before = find(&self.old, (c.contact.bodies, c.contact.feature));
            if let Some(root) = self.islands.of_contact(model, c.contact.bodies) {
                let new = load > 0.0 && before.load <= 0.0 && c.restituted == 0.0;
                self.compresses[root] |= new || before.compresses;
                self.closes[root] |= load > 0.0 && seen.closes;
            }
        }
        for (c, seen) in contacts.iter().zip(seen) {
            let key = (c.contact.bodies, c.contact.feature);
            let load = c.impulse.x - c.restituted;
            let before = find(&self.old, key);
            let mut entry = Entry {
                load,
                base: load,
                ..Entry::default()
            };
            if let Some(root) = self.islands.of_contact(model, c.contact.bodies)
                && self.compresses[root]
            {
                // The load before an impact is that of the last step in which none went on.
                entry.base = if before.compresses {
                    before.base
                } else {
                    before.load
                };
                let sum = before.compression + (load - entry.base.max(seen.pressed)).max(0.0);
                if self.closes[root] {
                    (entry.compresses, entry.compression) = (true, sum);
                } else {
                    entry.ended = sum;
                }
            }
            if entry != Entry::default() {
                self.entries.push((key, entry));
            }
        }
    }
}

fn find(entries: &[(Key, Entry)], key: Key) -> Entry {
    match entries.binary_search_by_key(&key, |e| e.0) {
        Ok(k) => entries[k].1,
        Err(_) => Entry::default(),
    }
}
