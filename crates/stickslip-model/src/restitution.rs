//! Poisson's restitution at a fixed step, one problem a step: what a contact gives back, and when.
//!
//! A contact that had no load and takes one begins an impact of its island. While a contact of the island still closes
//! at the end of the step (its gap was open at the start, so that it ends the step touching but approaching), the island
//! compresses.
//! Each of its contacts adds up c, its impulses above the load it had before and above what the applied forces press. In the step after the last of these, the
//! contact gives back r = e c: that part of its impulse is given, and the law of the contact holds for the rest. A contact
//! at rest thus never bounces, and a bounce that one step of the applied forces undoes is none. Loads are impulses of a step: where
//! the next one is shorter, what the load was before the impact is less by the ratio of their lengths.
//!
//! A contact is known from step to step by its pair, pieces and features. Where those change (a ball passes an edge of a mesh, a rim's lowest point
//! moves on), what is remembered goes to the nearest contact of the pair that pushes the same way and has no memory of its
//! own, and where there is none, what is owed goes to the nearest of all: nothing is lost while the pair touches.

use crate::bytes::Stored;
use crate::islands::Islands;
use crate::model::Model;
use crate::step::{Contact, ContactImpulse};
use crate::stored;
use glam::DVec3;
use stickslip_geometry::Feature;

/// Which contact, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Key {
    bodies: [usize; 2],
    pieces: [u32; 2],
    feature: Feature,
    point: DVec3,
    normal: DVec3,
}

impl Key {
    const fn of(c: &Contact) -> Self {
        Self {
            bodies: c.bodies,
            pieces: c.pieces,
            feature: c.feature,
            point: c.point,
            normal: c.normal,
        }
    }

    fn is(&self, c: &Contact) -> bool {
        (self.bodies, self.pieces, self.feature) == (c.bodies, c.pieces, c.feature)
    }
}

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
    /// Length of the last step, s; zero before the first.
    h: f64,
    entries: Vec<(Key, Entry)>,
    old: Vec<(Key, Entry)>,
    /// What is remembered of each contact of the step at hand.
    before: Vec<Entry>,
    islands: Islands,
    /// By first body of the island: does it compress, does a contact of it still close?
    compresses: Vec<bool>,
    closes: Vec<bool>,
}

stored!(Key {
    bodies,
    pieces,
    feature,
    point,
    normal
});
stored!(Entry {
    load,
    base,
    compresses,
    compression,
    ended
});

/// Its memory is the entries and the length of their step; the rest is room to work in.
impl Stored for Restitution {
    fn put(&self, out: &mut Vec<u8>) {
        self.h.put(out);
        self.entries.put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(Self {
            h: f64::take(from)?,
            entries: Vec::take(from)?,
            ..Self::default()
        })
    }
}

impl Restitution {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.h = 0.0;
        self.entries.clear();
    }

    /// c of each contact of the next step whose compression has ended, N s: e c is to act in it. Contacts are sorted by bodies.
    pub fn ended<'c>(
        &self,
        contacts: impl Iterator<Item = &'c Contact> + Clone,
        ended: &mut Vec<f64>,
    ) {
        let mut before = Vec::new();
        carried(&self.entries, contacts, &mut before);
        ended.clear();
        ended.extend(before.iter().map(|e| e.ended));
    }

    /// Is nothing remembered that could act?
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.entries.iter().all(|(_, e)| e.ended == 0.0)
    }

    /// Takes note of an accepted step of length `h`, whose contacts are sorted by bodies and feature, and of what else is known
    /// of each.
    pub fn advance(&mut self, model: &Model, h: f64, contacts: &[ContactImpulse], seen: &[Seen]) {
        let longer = if self.h > 0.0 { h / self.h } else { 1.0 };
        self.h = h;
        std::mem::swap(&mut self.entries, &mut self.old);
        self.entries.clear();
        let n = model.bodies.len();
        self.islands.join(model, contacts);
        for marks in [&mut self.compresses, &mut self.closes] {
            marks.clear();
            marks.resize(n, false);
        }
        let mut all = std::mem::take(&mut self.before);
        carried(&self.old, contacts.iter().map(|c| &c.contact), &mut all);
        for ((c, seen), before) in contacts.iter().zip(seen).zip(&all) {
            let load = c.impulse.x - c.restituted;
            if let Some(root) = self.islands.of_contact(model, c.contact.bodies) {
                let new = load > 0.0 && before.load <= 0.0 && c.restituted == 0.0;
                self.compresses[root] |= new || before.compresses;
                self.closes[root] |= load > 0.0 && seen.closes;
            }
        }
        for ((c, seen), before) in contacts.iter().zip(seen).zip(&all) {
            let load = c.impulse.x - c.restituted;
            let mut entry = Entry {
                load,
                base: load,
                ..Entry::default()
            };
            if let Some(root) = self.islands.of_contact(model, c.contact.bodies)
                && self.compresses[root]
            {
                // The load before an impact is that of the last step in which none went on.
                entry.base = longer
                    * if before.compresses {
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
                self.entries.push((Key::of(&c.contact), entry));
            }
        }
        self.before = all;
    }
}

/// What is remembered of each of `contacts`; both are sorted by bodies.
fn carried<'c>(
    entries: &[(Key, Entry)],
    contacts: impl Iterator<Item = &'c Contact> + Clone,
    before: &mut Vec<Entry>,
) {
    before.clear();
    before.extend(contacts.clone().map(|_| Entry::default()));
    if entries.is_empty() {
        return;
    }
    let position = |key: &Key| contacts.clone().position(|c| key.is(c));
    let mut known = vec![false; before.len()];
    for (key, entry) in entries {
        if let Some(k) = position(key) {
            (before[k], known[k]) = (*entry, true);
        }
    }
    for (key, entry) in entries.iter().filter(|e| position(&e.0).is_none()) {
        let nearest = |free: bool| {
            let alike = contacts.clone().enumerate().filter(|(k, c)| {
                c.bodies == key.bodies && c.normal.dot(key.normal) > 0.5 && !(free && known[*k])
            });
            let far = |c: &Contact| (c.point - key.point).length_squared();
            alike
                .min_by(|a, b| far(a.1).total_cmp(&far(b.1)))
                .map(|(k, _)| k)
        };
        if let Some(k) = nearest(true) {
            // Several may meet in one that is new.
            let sum = &mut before[k];
            sum.load += entry.load;
            sum.base += entry.base;
            sum.compresses |= entry.compresses;
            sum.compression += entry.compression;
            sum.ended += entry.ended;
        } else if let Some(k) = nearest(false) {
            before[k].compression += entry.compression;
            before[k].ended += entry.ended;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(bodies: [usize; 2], feature: Feature, x: f64) -> Contact {
        Contact {
            bodies,
            feature,
            point: DVec3::X * x,
            normal: DVec3::Z,
            pieces: [0; 2],
            gap: 0.0,
            friction: crate::Friction::default(),
        }
    }

    #[test]
    fn what_is_owed_goes_to_the_nearest_contact_of_the_pair() {
        let feature = Feature;
        let owed = |ended: f64| Entry {
            load: 1.0,
            ended,
            ..Entry::default()
        };
        let entries = [
            (Key::of(&contact([0, 1], feature(1), 0.0)), owed(1.0)),
            (Key::of(&contact([0, 1], feature(2), 1.0)), owed(2.0)),
            (Key::of(&contact([0, 2], feature(1), 0.0)), owed(4.0)),
        ];
        let found = |contacts: &[Contact]| -> Vec<(f64, f64)> {
            let mut before = Vec::new();
            carried(&entries, contacts.iter(), &mut before);
            before.iter().map(|e| (e.ended, e.load)).collect()
        };
        // The same features: each its own, wherever they are now.
        let same = [
            contact([0, 1], feature(1), 1.0),
            contact([0, 1], feature(2), 0.0),
        ];
        assert_eq!(found(&same), [(1.0, 1.0), (2.0, 1.0)]);
        // One feature is new: it takes over from the one that vanished.
        let moved = [
            contact([0, 1], feature(2), 1.0),
            contact([0, 1], feature(7), 0.1),
        ];
        assert_eq!(found(&moved), [(2.0, 1.0), (1.0, 1.0)]);
        // One is left: it owes for both, but bore only its own load.
        assert_eq!(found(&moved[..1]), [(3.0, 1.0)]);
        // Another pair, or one that pushes the other way, owes nothing.
        let mut other = contact([0, 1], feature(9), 0.0);
        other.normal = DVec3::NEG_Z;
        assert_eq!(found(&[other]), [(0.0, 0.0)]);
        assert_eq!(found(&[contact([1, 2], feature(1), 0.0)]), [(0.0, 0.0)]);
    }
}
