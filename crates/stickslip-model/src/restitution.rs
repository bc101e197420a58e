//! Poisson's restitution at a fixed step, one problem a step: what a contact gives back, and when.
//!
//! A contact that had no load and takes one begins an impact of its island. While a contact of the island still closes
//! at the end of the step (its gap was open at the start, so that it ends the step touching but approaching), the island
//! compresses. Each of its contacts adds up c, its impulses above the load it had before and above what the applied forces press, and
//! w, the energy it takes. In the step after the last of these, the contact gives back r = e c: that part of its impulse is given, and
//! the law of the contact holds for the rest. A contact
//! at rest thus never bounces, and a bounce that one step of the applied forces undoes is none. Loads are impulses of a step: where
//! the next one is shorter, what the load was before the impact is less by the ratio of their lengths.
//!
//! The compression of a contact lasts eight steps at most; what has only begun by then goes on. What the others push open again has ended, though they go on: soon there
//! will be no contact to give anything back. A contact that opened when it was pressed is closed by what is
//! given back, which turns all velocities round: what it bears then beside r begins another impact.
//!
//! No island is given more energy than its contacts have taken. In the step that gives, before anything else acts, r does the work
//! Σ r u + ½ rᵀD r, u being the opening speeds at its start; where that is more than Σ w, all r of the island are made smaller by one factor, for which it is not.
//! What the step has given is no part of what it takes: w is counted from the velocities that r leaves. Without friction and with the contacts at rest at the end of the compression,
//! Poisson's hypothesis gives back e² of Σ w. Where contacts jam, impulses that friction holds in balance count as
//! compression though nothing moves, and while a heap settles so do those that bear its weight: given back without the friction
//! they would throw apart what rests; and a contact that was compressed and has opened since is pushed where it goes. (Islands with joints or surfaces that move are given what Poisson
//! says: what their contacts take does not say what the impact took.)
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
use stickslip_geometry::{Feature, Twist};

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

/// What a compression comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Compression {
    /// c: impulses above the load before, N s.
    impulse: f64,
    /// w: energy that the contact has taken, J.
    energy: f64,
}

impl Compression {
    fn add(&mut self, other: Self) {
        self.impulse += other.impulse;
        self.energy += other.energy;
    }
}

/// What is remembered of one contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Entry {
    /// p_n − r of the last step, N s.
    load: f64,
    /// That of the last step in which no impact went on, N s.
    base: f64,
    /// Does it compress still?
    compresses: bool,
    /// Steps for which it has.
    steps: u64,
    /// Did it open when its compression began? Then what is given back closes it again, and that is the next impact.
    opened: bool,
    /// Since the impact began.
    taking: Compression,
    /// Of a compression that has ended: given back in the next step.
    ended: Compression,
}

/// What is known of a contact of a step beside its impulse.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seen {
    /// What the applied forces alone press into it within the step, N s.
    pub pressed: f64,
    /// Does it still close at the end of the step?
    pub closes: bool,
    /// Does it open by then?
    pub leaves: bool,
    /// Did it open at the start of the step, once what the step gives back had acted?
    pub opens: bool,
    /// e of the pair.
    pub restitution: f64,
    /// Energy that it took from its bodies, as seen from a prescribed one, J.
    pub taken: f64,
}

/// A body at the start of a step, and how impulses move it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mover {
    /// Its velocity; of a prescribed body that at the end of the step.
    pub twist: Twist,
    /// Its centre of mass, where the contacts are measured, m.
    pub position: DVec3,
    /// 1/m, 1/kg; zero where it is not free, like the next.
    pub inverse_mass: f64,
    /// I⁻¹, world frame, 1/(kg m²).
    pub inverse_inertia: DMat3,
}

impl Mover {
    /// Changes the velocity by an impulse (N s) at a point.
    pub fn push(&mut self, point: DVec3, impulse: DVec3) {
        let lever = point - self.position;
        self.twist.linear += impulse * self.inverse_mass;
        self.twist.angular += self.inverse_inertia * lever.cross(impulse);
    }

    fn velocity(&self, point: DVec3) -> DVec3 {
        self.twist.at(point - self.position)
    }
}

/// The speed at which a contact opens, m/s.
#[must_use]
pub fn opening(movers: &[Mover], c: &Contact) -> f64 {
    let [a, b] = c.bodies.map(|k| movers[k].velocity(c.point));
    c.normal.dot(b - a)
}

/// What is given back acts: the impulses `given` (N s) at their contacts.
pub fn give<'c>(movers: &mut [Mover], given: impl Iterator<Item = (&'c Contact, f64)>) {
    for (c, r) in given {
        movers[c.bodies[0]].push(c.point, c.normal * -r);
        movers[c.bodies[1]].push(c.point, c.normal * r);
    }
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
stored!(Compression { impulse, energy });
stored!(Entry {
    load,
    base,
    compresses,
    steps,
    opened,
    taking,
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

    /// r of each contact of the next step, N s: e c of those whose compression has ended, or as much of it as their island has taken energy for.
    /// Contacts are sorted by bodies; `restitution` is e of a pair, and `movers` are the bodies at the start of that step.
    pub fn given<'c>(
        &self,
        model: &Model,
        contacts: impl Iterator<Item = &'c Contact> + Clone,
        movers: &[Mover],
        restitution: impl Fn([usize; 2]) -> f64,
        given: &mut Vec<f64>,
    ) {
        let mut before = Vec::new();
        carried(&self.entries, contacts.clone(), &mut before);
        let owed = contacts.clone().zip(&before);
        given.clear();
        given.extend(owed.map(|(c, e)| restitution(c.bodies) * e.ended.impulse));
        let both = || contacts.clone().zip(given.iter().copied());
        let mut moved = movers.to_vec();
        give(&mut moved, both());
        let mut islands = Islands::default();
        islands.join_pairs(model, contacts.clone().map(|c| c.bodies));
        let mut accounts = vec![Account::default(); model.bodies.len()];
        for ((c, r), entry) in both().zip(&before) {
            if let Some(root) = islands.of_contact(model, c.bodies) {
                let (old, new) = (opening(movers, c), opening(&moved, c));
                accounts[root].speed += r * old;
                accounts[root].push += 0.5 * r * (new - old);
                accounts[root].taken += entry.ended.energy;
            }
        }
        for k in linked(model, contacts.clone().map(|c| c.bodies)) {
            accounts[islands.root(k)].open = true;
        }
        for (c, r) in contacts.zip(given.iter_mut()).filter(|(_, r)| **r != 0.0) {
            if let Some(root) = islands.of_contact(model, c.bodies) {
                *r *= accounts[root].share();
            }
        }
    }

    /// Is nothing remembered that could act?
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.entries.iter().all(|(_, e)| e.ended.impulse == 0.0)
    }

    /// Takes note of an accepted step of length `h`, whose contacts are sorted by bodies and feature, and of what else is known
    /// of each.
    pub fn advance(&mut self, model: &Model, h: f64, contacts: &[ContactImpulse], seen: &[Seen]) {
        let longer = if self.h > 0.0 { h / self.h } else { 1.0 };
        self.h = h;
        std::mem::swap(&mut self.entries, &mut self.old);
        self.entries.clear();
        self.islands.join(model, contacts);
        let mut all = std::mem::take(&mut self.before);
        carried(&self.old, contacts.iter().map(|c| &c.contact), &mut all);
        self.mark(model, contacts, seen, &all);
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
                entry.base = longer * before.base;
                if before.compresses || load > 0.0 {
                    entry.compress(before, seen, self.closes[root]);
                }
            }
            if entry != Entry::default() {
                self.entries.push((Key::of(&c.contact), entry));
            }
        }
        self.before = all;
    }

    /// Which islands compress, and in which of them a contact still closes.
    fn mark(
        &mut self,
        model: &Model,
        contacts: &[ContactImpulse],
        seen: &[Seen],
        remembered: &[Entry],
    ) {
        for marks in [&mut self.compresses, &mut self.closes] {
            marks.clear();
            marks.resize(model.bodies.len(), false);
        }
        for ((c, seen), before) in contacts.iter().zip(seen).zip(remembered) {
            let load = c.impulse.x - c.restituted;
            if let Some(root) = self.islands.of_contact(model, c.contact.bodies) {
                let new = match c.restituted == 0.0 {
                    true => before.load <= 0.0,
                    false => before.opened,
                };
                let new = new && load > 0.0;
                self.compresses[root] |= new || before.compresses;
                self.closes[root] |= load > 0.0 && seen.closes;
            }
        }
    }
}

impl Entry {
    /// A step of an impact: `before` is what was remembered; does the compression of the island go on?
    fn compress(&mut self, before: &Self, seen: &Seen, goes_on: bool) {
        let mut sum = before.taking;
        sum.add(Compression {
            impulse: (self.load - self.base.max(seen.pressed)).max(0.0),
            energy: seen.taken,
        });
        self.opened = if before.compresses {
            before.opened
        } else {
            seen.opens
        };
        // What goes on for longer is no impact, but a heap that settles, in which something closes in every step.
        if goes_on && !seen.leaves && before.steps < LONGEST {
            (self.compresses, self.taking) = (true, sum);
            self.steps = before.steps + 1;
        } else {
            self.ended = sum;
            if seen.restitution == 0.0 {
                self.ended.impulse = 0.0;
            }
        }
    }
}

/// What is to be given back to an island, and what there is for it.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    /// Σ r u, J.
    speed: f64,
    /// ½ rᵀD r, J.
    push: f64,
    /// Σ w, J.
    taken: f64,
    /// Is there no bound?
    open: bool,
}

impl Account {
    /// The largest s ≤ 1 for which s Σ r u + s² ½ rᵀD r is no more than was taken.
    fn share(&self) -> f64 {
        let (a, b, taken) = (self.speed, self.push, self.taken.max(0.0));
        if self.open || a + b <= (1.0 + SAME) * taken {
            return 1.0;
        }
        let root = (a * a + 4.0 * b * taken).sqrt();
        let share = if a < 0.0 {
            (root - a) / (2.0 * b)
        } else if taken > 0.0 {
            2.0 * taken / (root + a)
        } else {
            0.0
        };
        // Beyond what numbers can hold, nothing.
        if share.is_finite() {
            share.min(1.0)
        } else {
            0.0
        }
    }
}

/// Bodies upon which joints, springs or surfaces that move act too.
fn linked(
    model: &Model,
    pairs: impl Iterator<Item = [usize; 2]> + Clone,
) -> impl Iterator<Item = usize> {
    let moves = |k: &usize| model.surfaces.iter().any(|s| s.body == *k);
    let on_surfaces = pairs.filter(move |pair| pair.iter().any(moves)).flatten();
    let joined = model.joined().flatten().flatten();
    joined.chain(on_surfaces)
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
            sum.opened |= entry.opened;
            sum.taking.add(entry.taking);
            sum.ended.add(entry.ended);
        } else if let Some(k) = nearest(false) {
            let sum = &mut before[k];
            // Nothing is remembered for longer than a compression may last.
            sum.steps = sum.steps.max(entry.steps);
            sum.taking.add(entry.taking);
            sum.ended.add(entry.ended);
        }
    }
}

#[cfg(test)]
#[path = "restitution_tests.rs"]
mod tests;
