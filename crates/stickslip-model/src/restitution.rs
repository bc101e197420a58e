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
//! A compression lasts eight steps at most. No island is given more energy than it has lost: r is made smaller by one factor for all of its contacts where ½ rᵀD r is more than the kinetic energy that its
//! compression has taken. Without friction Poisson's hypothesis gives back e² of that, exactly. Where contacts jam, impulses that friction holds in balance count as
//! compression though nothing moves, and while a heap settles so do those that bear its weight: given back without the friction
//! they would throw apart what rests. (Islands with joints or surfaces that move are given what Poisson says: what their bodies
//! have lost does not say what the impact took.)
//!
//! A contact is known from step to step by its pair, pieces and features. Where those change (a ball passes an edge of a mesh, a rim's lowest point
//! moves on), what is remembered goes to the nearest contact of the pair that pushes the same way and has no memory of its
//! own, and where there is none, what is owed goes to the nearest of all: nothing is lost while the pair touches.

use crate::bytes::Stored;
use crate::islands::Islands;
use crate::model::Model;
use crate::step::{Contact, ContactImpulse};
use crate::stored;
use glam::{DMat3, DVec3};
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
    /// Steps for which it has.
    steps: u64,
    /// c: impulses above `base` since the impact began, N s.
    compression: f64,
    /// c of a compression that has ended: given back in the next step.
    ended: f64,
}

/// What is known of a step beside its impulses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Of each of its contacts.
    pub contacts: Vec<SeenContact>,
    /// Of each body.
    pub bodies: Vec<SeenBody>,
}

/// What is known of a contact of a step beside its impulse.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeenContact {
    /// What the applied forces alone press into it within the step, N s.
    pub pressed: f64,
    /// Does it still close at the end of the step?
    pub closes: bool,
    /// e of the pair.
    pub restitution: f64,
    /// Work that a prescribed body of the pair has done through it at most, J.
    pub work: f64,
}

/// What a step has taken from a body, and how impulses move it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeenBody {
    /// Its kinetic energy at the start, with the work of the applied forces at the velocity that it had then, less that at the end, J.
    pub lost: f64,
    /// 1/m, 1/kg; zero where it is not free, like the next.
    pub inverse_mass: f64,
    /// I⁻¹, world frame, 1/(kg m²).
    pub inverse_inertia: DMat3,
    /// Its centre of mass, m.
    pub position: DVec3,
    /// Do joints, springs or surfaces that move act on it too?
    pub linked: bool,
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
    /// What the compression at hand has taken from each body, J.
    taken: Vec<f64>,
    /// Impulse and angular impulse that each body is to be given back, N s and N m s.
    given: Vec<[DVec3; 2]>,
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
    steps,
    compression,
    ended
});

/// Its memory is the entries and the length of their step; the rest is room to work in.
impl Stored for Restitution {
    fn put(&self, out: &mut Vec<u8>) {
        self.h.put(out);
        self.entries.put(out);
        self.taken.put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(Self {
            h: f64::take(from)?,
            entries: Vec::take(from)?,
            taken: Vec::take(from)?,
            ..Self::default()
        })
    }
}

impl Restitution {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.h = 0.0;
        self.entries.clear();
        self.taken.clear();
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
    pub fn advance(&mut self, model: &Model, h: f64, contacts: &[ContactImpulse], seen: &Seen) {
        let longer = if self.h > 0.0 { h / self.h } else { 1.0 };
        self.h = h;
        std::mem::swap(&mut self.entries, &mut self.old);
        self.entries.clear();
        self.islands.join(model, contacts);
        let mut all = std::mem::take(&mut self.before);
        carried(&self.old, contacts.iter().map(|c| &c.contact), &mut all);
        self.mark(model, contacts, seen, &all);
        self.take(model, contacts, seen);
        for ((c, seen), before) in contacts.iter().zip(&seen.contacts).zip(&all) {
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
                    entry.steps = before.steps + 1;
                } else {
                    entry.ended = sum;
                }
            }
            if entry != Entry::default() {
                self.entries.push((Key::of(&c.contact), entry));
            }
        }
        self.before = all;
        self.give_no_more_than_was_taken(model, contacts, seen);
    }

    /// Which islands compress, and in which of them a contact still closes.
    fn mark(
        &mut self,
        model: &Model,
        contacts: &[ContactImpulse],
        seen: &Seen,
        remembered: &[Entry],
    ) {
        for marks in [&mut self.compresses, &mut self.closes] {
            marks.clear();
            marks.resize(model.bodies.len(), false);
        }
        for ((c, seen), before) in contacts.iter().zip(&seen.contacts).zip(remembered) {
            let load = c.impulse.x - c.restituted;
            if let Some(root) = self.islands.of_contact(model, c.contact.bodies) {
                let new = load > 0.0 && before.load <= 0.0 && c.restituted == 0.0;
                self.compresses[root] |= new || before.compresses;
                self.closes[root] |= load > 0.0 && seen.closes;
            }
        }
        // What goes on for longer is no impact, but a heap that settles, in which something closes in every step.
        let long = contacts.iter().zip(remembered);
        for (c, _) in long.filter(|(_, before)| before.steps >= LONGEST) {
            if let Some(root) = self.islands.of_contact(model, c.contact.bodies) {
                self.closes[root] = false;
            }
        }
    }

    /// Adds up what the step has taken from the bodies of islands that compress; from others nothing is to be given back.
    fn take(&mut self, model: &Model, contacts: &[ContactImpulse], seen: &Seen) {
        self.taken.resize(model.bodies.len(), 0.0);
        for (k, body) in seen.bodies.iter().enumerate() {
            let compresses = self.compresses[self.islands.root(k)];
            self.taken[k] = if compresses {
                self.taken[k] + body.lost
            } else {
                0.0
            };
        }
        for (c, seen) in contacts.iter().zip(&seen.contacts) {
            let root = self.islands.of_contact(model, c.contact.bodies);
            if let Some(root) = root.filter(|&root| self.compresses[root]) {
                self.taken[root] += seen.work;
            }
        }
    }

    /// Makes what the islands whose compression has ended are to give back smaller, where it is more energy than was taken; the account of
    /// these is closed.
    fn give_no_more_than_was_taken(
        &mut self,
        model: &Model,
        contacts: &[ContactImpulse],
        seen: &Seen,
    ) {
        if self.is_idle() {
            return;
        }
        let n = model.bodies.len();
        self.given.clear();
        self.given.resize(n, [DVec3::ZERO; 2]);
        let mut owed = self.entries.iter();
        for (c, seen_contact) in contacts.iter().zip(&seen.contacts) {
            // Entries stand in the order of contacts; those without memory have none.
            let own = owed.as_slice().first().filter(|e| e.0.is(&c.contact));
            let Some((_, entry)) = own else { continue };
            owed.next();
            let impulse = c.contact.normal * (seen_contact.restitution * entry.ended);
            for (k, sign) in c.contact.bodies.into_iter().zip([-1.0, 1.0]) {
                let lever = c.contact.point - seen.bodies[k].position;
                self.given[k][0] += impulse * sign;
                self.given[k][1] += lever.cross(impulse * sign);
            }
        }
        let (mut energy, mut taken, mut linked) = (vec![0.0; n], vec![0.0; n], vec![false; n]);
        for (k, body) in seen.bodies.iter().enumerate() {
            let root = self.islands.root(k);
            let [impulse, turn] = self.given[k];
            energy[root] += 0.5
                * (impulse.length_squared() * body.inverse_mass
                    + turn.dot(body.inverse_inertia * turn));
            taken[root] += self.taken[k];
            linked[root] |= body.linked;
        }
        for (key, entry) in self.entries.iter_mut().filter(|e| e.1.ended > 0.0) {
            if let Some(root) = self.islands.of_contact(model, key.bodies)
                && energy[root] > (1.0 + SAME) * taken[root]
                && !linked[root]
            {
                entry.ended *= (taken[root].max(0.0) / energy[root]).sqrt();
            }
        }
        for k in 0..n {
            let root = self.islands.root(k);
            if self.compresses[root] && !self.closes[root] {
                self.taken[k] = 0.0;
            }
        }
    }
}

/// Steps of a compression at most. A gap that closes takes two, and what is struck through others as many more.
const LONGEST: u64 = 8;
/// Energies that differ by this part are the same.
const SAME: f64 = 1e-9;

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
            sum.steps = sum.steps.max(entry.steps);
            sum.compression += entry.compression;
            sum.ended += entry.ended;
        } else if let Some(k) = nearest(false) {
            before[k].compression += entry.compression;
            before[k].ended += entry.ended;
        }
    }
}

#[cfg(test)]
#[path = "restitution_tests.rs"]
mod tests;
