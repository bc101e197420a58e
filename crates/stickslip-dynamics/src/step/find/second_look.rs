//! The second look: no contact may be missed on the motion that was solved for.

use super::finder::{Finder, Found, Looked, Paths, Sunk, collide, look_at, push};
use crate::settings::Settings;
use crate::setup::Frictions;
use stickslip_geometry::narrow_phase::{Rule, contacts_by, linear_gap, row_at_end};
use stickslip_geometry::path::{first_overlap, stays_apart, unseen};
use stickslip_geometry::pieces::piece_pairs;
use stickslip_geometry::separation::separation;
use stickslip_geometry::{Candidate, Moving};
use stickslip_model::{Contact, Model};

/// Second looks after which no contact waits for one that is met earlier: pairs that keep taking turns are then all
/// given their rows.
const PATIENCE: usize = 16;

/// Second looks after which rows of one feature do not replace each other any more: they stand side by side, so that
/// rows which drive each other out come to an end.
const SETTLED: usize = 4;

/// So many times what rows may leave unseen is too much for a better motion of the same step to mend.
const BEYOND: f64 = 1.25;
/// Overlaps of less than this part of the smaller one's radius are left to the answer.
const GROSS: f64 = 0.02;

/// Contacts that are met within this fraction of the step are met together.
const TOGETHER: f64 = 1e-6;

/// One of the second looks of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look<'a> {
    /// How many there were before.
    pub(super) number: usize,
    /// How far the tolerance lets a row of each body be broken, m.
    pub(super) within: &'a [f64],
    /// Rows that are not to be added.
    pub(super) struck: &'a [Contact],
    /// Is the motion a draft? Then rows of its own end are none of the step: what comes after it ends elsewhere.
    pub(super) draft: bool,
}

impl Finder {
    /// Looks at the motion that a solve came to: for pairs that overlap on it, at its end or before, the contacts of
    /// that motion are added where they are new. Returns how many rows were added or put in the place of others. From
    /// look [`PATIENCE`] on none waits for an earlier one.
    pub(super) fn add_missed(
        &mut self,
        paths: &Paths,
        frictions: &Frictions,
        settings: &Settings,
        look: Look,
        contacts: &mut Vec<Contact>,
    ) -> usize {
        self.search_overlaps(paths, frictions, settings, look, contacts);
        self.known.clear();
        self.known.extend_from_slice(contacts);
        let waits = self.first_come_first(paths.model, look.number, contacts);
        let new = self.new_rows(paths, contacts);
        if new > 0 || !waits {
            return new;
        }
        // What the others wait for is said by rows that are there, and comes again in every look: they would wait for ever.
        contacts.clone_from(&self.known);
        self.found.iter_mut().for_each(|found| found.meets = None);
        self.first_come_first(paths.model, look.number, contacts);
        self.new_rows(paths, contacts)
    }

    /// The contacts of pairs that overlap on the motion, which rows that are there, or were struck, do not tell of.
    fn search_overlaps(
        &mut self,
        paths: &Paths,
        frictions: &Frictions,
        settings: &Settings,
        look: Look,
        contacts: &[Contact],
    ) {
        self.sweep_paths(paths, settings.contact.touch());
        self.found.clear();
        let pairs = self
            .sweep
            .pairs(&self.bounds, |i, j| collide(paths.model, settings, i, j));
        let missed = Missed {
            paths,
            frictions,
            rule: settings.contact,
            look,
            contacts,
        };
        self.sunk = look_at(pairs, &mut self.looked, &mut self.found, |run, looked| {
            missed.at(run, looked);
        });
    }

    /// Drops rows that others imply; how many of the rest were not known before.
    fn new_rows(&mut self, paths: &Paths, contacts: &mut Vec<Contact>) -> usize {
        contacts.sort_by_key(Contact::key);
        self.drop_implied(paths, contacts);
        let new = |c: &&Contact| {
            let from = self.known.partition_point(|k| k.key() < c.key());
            let alike = self.known[from..].iter();
            !alike.take_while(|k| k.key() == c.key()).any(|k| k == *c)
        };
        contacts.iter().filter(new).count()
    }

    /// Adds what was found, but for pairs whose body meets something else before: is there any? A row of features that have one
    /// already takes its place; from look [`SETTLED`] on it stands beside it, under another number.
    fn first_come_first(
        &mut self,
        model: &Model,
        look: usize,
        contacts: &mut Vec<Contact>,
    ) -> bool {
        let (known, mut waits) = (contacts.len(), false);
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
                match replaced(&contacts[..known], contact) {
                    Some(k) if look < SETTLED => contacts[k] = *contact,
                    Some(_) => contacts.push(renumbered(contacts, contact)),
                    None => contacts.push(*contact),
                }
            } else {
                waits = true;
            }
        }
        waits
    }
}

/// Rows that are missing on a motion that was tried.
#[derive(Clone, Copy)]
struct Missed<'a> {
    paths: &'a Paths<'a>,
    frictions: &'a Frictions,
    rule: Rule,
    look: Look<'a>,
    /// The rows of its problem.
    contacts: &'a [Contact],
}

impl Missed<'_> {
    fn at(&self, pairs: &[[usize; 2]], looked: &mut Looked) {
        for &[i, j] in pairs {
            let from = self.contacts.partition_point(|k| k.bodies < [i, j]);
            let to = self.contacts.partition_point(|k| k.bodies <= [i, j]);
            let known = &self.contacts[from..to];
            let (a, b) = (self.paths.moving(i), self.paths.moving(j));
            piece_pairs(&a, &b, self.rule.touch(), &mut |pieces, a, b| {
                self.at_pieces([i, j], pieces, [a, b], known, looked);
            });
        }
    }

    /// The rows of a pair of pieces that those `known` of its bodies, or struck, do not tell of.
    fn at_pieces(
        &self,
        [i, j]: [usize; 2],
        pieces: [u32; 2],
        [a, b]: [&Moving; 2],
        known: &[Contact],
        looked: &mut Looked,
    ) {
        let Look {
            number,
            within,
            struck,
            draft,
        } = self.look;
        let Looked {
            candidates,
            found,
            sunk,
        } = looked;
        let within = within[i].max(within[j]);
        // A part of what the judge allows: the second look comes before a refusal.
        let allowed = unseen(a, b) / 8.0 + within / 2.0;
        if stays_apart(a, b, allowed) {
            return;
        }
        candidates.clear();
        let struck = struck.iter().filter(|k| k.bodies == [i, j]);
        let known = known.iter().chain(struck);
        let known = known.filter(|k| k.pieces == pieces);
        news(self.rule, [a, b], within, known, candidates);
        if candidates.is_empty() && sunk.is_none() {
            *sunk = sinks([i, j], [a, b], within);
        }
        if draft {
            candidates.retain(|c| !c.feature.is_of_the_end());
        }
        if !candidates.is_empty() {
            let sure = number >= PATIENCE || self.paths.is_sure([i, j], pieces, [a, b], candidates);
            let meets = (!sure).then(|| first_overlap(a, b));
            push(candidates, [i, j], pieces, meets, self.frictions, found);
        }
    }
}

/// The rows of a pair of pieces that overlaps on the motion tried and that are not `known` to its problem: those of
/// other features, and those of features that have a row already where the motion breaks the new one (their place has
/// moved). Where none of them is broken, all rows hold and the pieces overlap all the same: then the row of their
/// distance at the end of the motion.
fn news<'a>(
    rule: Rule,
    [a, b]: [&Moving; 2],
    within: f64,
    known: impl Iterator<Item = &'a Contact> + Clone,
    candidates: &mut Vec<Candidate>,
) {
    // Less than the overlap at which the second look begins; rows of the problem hold far better.
    let allowed = unseen(a, b) / 64.0 + within / 4.0;
    let broken = |c: &Candidate| linear_gap(a, b, c) < -allowed;
    let known = || known.clone();
    let repeats = |c: &Candidate| known().any(|k| c.repeats(k.feature, k.normal, k.point));
    contacts_by(rule, a, b, candidates);
    candidates.retain(|c| {
        let moved = known().any(|k| k.feature.numbered(0) == c.feature);
        !repeats(c) && (!moved || broken(c))
    });
    if !candidates.iter().any(broken) {
        candidates.extend(row_at_end(a, b).filter(|c| !repeats(c) && broken(c)));
    }
}

/// Does a pair overlap at the end of a motion by more than rows may leave unseen, as far as the motion is known?
fn sinks(pair: [usize; 2], [a, b]: [&Moving; 2], within: f64) -> Option<Sunk> {
    let depth = -separation(a.shape, &a.end, b.shape, &b.end);
    let unseen = unseen(a, b);
    let gross = GROSS * a.shape.radius().min(b.shape.radius());
    (depth > (BEYOND * unseen + 2.0 * within).max(gross)).then_some(Sunk {
        pair,
        depth,
        unseen,
    })
}

/// The row of the same features that is most like a new one.
fn replaced(contacts: &[Contact], new: &Contact) -> Option<usize> {
    let from = contacts.partition_point(|c| c.key() < new.key());
    let alike = contacts[from..]
        .iter()
        .take_while(|c| c.key() == new.key())
        .map(|c| c.normal.dot(new.normal) - (c.point - new.point).length());
    alike
        .enumerate()
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(k, _)| from + k)
}

/// The row under the first number that no row of its features has (the last one, if all sixteen are taken).
fn renumbered(contacts: &[Contact], new: &Contact) -> Contact {
    let taken = |number: &u32| {
        let numbered = new.feature.numbered(*number);
        let same = |c: &Contact| c.bodies == new.bodies && c.pieces == new.pieces;
        contacts.iter().any(|c| same(c) && c.feature == numbered)
    };
    let number = (0..16).find(|n| !taken(n)).unwrap_or(15);
    Contact {
        feature: new.feature.numbered(number),
        ..*new
    }
}
