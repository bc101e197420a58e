//! Broad phase and narrow phase along predicted paths.
//!
//! Where the free space is not convex, a pair of pieces can be kept apart by more than one of their planes, and
//! at most one of them may push (the max-gap contact). Which one depends on where the other contacts send the
//! bodies. So a pair with several ways out waits for the second look, unless nothing else touches its bodies:
//! it gets no row where the motion without it passes by, else the plane that this motion breaks least. Of several
//! such pairs of a body, the one that is met first comes first. What was held apart in the last step is held by the same way.

use crate::settings::Settings;
use crate::setup::Frictions;
use stickslip_geometry::broad_phase::{Bounds, Sweep};
use stickslip_geometry::narrow_phase::{Rule, contacts_by, one_way_out};
use stickslip_geometry::pieces::piece_pairs;
use stickslip_geometry::reduce::{GapRow, Reducer};
use stickslip_geometry::{Candidate, Moving, Pose};
use stickslip_model::{BodyState, Contact, ContactImpulse, Model};

/// Cosine from which on a row pushes as another one did (2.5°).
const ALIKE: f64 = 0.999;

/// Memory of the two phases, reused from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finder {
    pub(super) bounds: Vec<Bounds>,
    pub(super) sweep: Sweep,
    /// One for each part of the pairs.
    pub(super) looked: Vec<Looked>,
    pub(super) found: Vec<Found>,
    /// Of each free body: pairs of pieces with rows; or when its first new contact is met.
    rows: Vec<u32>,
    pub(super) earliest: Vec<f64>,
    reducer: Reducer,
    reduced: Vec<GapRow>,
    keep: Vec<bool>,
    pub(super) known: Vec<Contact>,
    /// A pair that is deep inside each other at the end of the last motion looked at, and no row tells of it.
    pub(super) sunk: Option<Sunk>,
}

/// A pair that overlaps at the end of a motion by more than rows may leave unseen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sunk {
    pub(crate) pair: [usize; 2],
    /// By how much, and what rows may leave unseen, m.
    pub(crate) depth: f64,
    pub(crate) unseen: f64,
}

/// A contact that may become a row of the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) contact: Contact,
    /// When its pieces meet, as a fraction of the step; `None` where there is only one way out.
    pub(super) meets: Option<f64>,
}

/// What was seen at some pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct Looked {
    pub(super) candidates: Vec<Candidate>,
    pub(super) found: Vec<Found>,
    /// The first that is sunk.
    pub(super) sunk: Option<Sunk>,
}

/// Looks at all pairs, consecutive ones on one thread; what is found is put together in their order. The first that is sunk.
pub(super) fn look_at(
    pairs: &[[usize; 2]],
    looked: &mut Vec<Looked>,
    found: &mut Vec<Found>,
    look: impl Fn(&[[usize; 2]], &mut Looked) + Sync,
) -> Option<Sunk> {
    let parts = stickslip_threads::parts(pairs.len(), PAIRS);
    looked.resize_with(parts.max(looked.len()), Looked::default);
    let share = pairs.len().div_ceil(parts).max(1);
    let mut runs: Vec<_> = pairs.chunks(share).zip(&mut *looked).collect();
    stickslip_threads::each(&mut runs, |_, (run, looked)| {
        looked.found.clear();
        looked.sunk = None;
        look(run, looked);
    });
    let mut sunk = None;
    for (_, looked) in runs {
        found.append(&mut looked.found);
        sunk = sunk.or(looked.sunk);
    }
    sunk
}

/// The paths of the bodies through the step.
#[derive(Clone, Copy)]
pub(crate) struct Paths<'a> {
    pub(crate) model: &'a Model,
    /// At the start of the step.
    pub(crate) start: &'a [BodyState],
    /// Where gaps are measured.
    pub(crate) placed: &'a [Pose],
    /// At the end: given for prescribed bodies, predicted (or tried) for free ones.
    pub(crate) end: &'a [Pose],
    /// The contacts of the last step, sorted.
    pub(crate) last: &'a [ContactImpulse],
    /// The part of an overlap that rows undo in this step: all of it, but for parts of divided steps.
    pub(crate) undone: f64,
}

impl<'a> Paths<'a> {
    /// Is there no choice for the pair of pieces: has it one way out only, or was it held apart in the last step, by normals
    /// like those of its rows?
    pub(super) fn is_sure(
        &self,
        bodies: [usize; 2],
        pieces: [u32; 2],
        [a, b]: [&Moving; 2],
        rows: &[Candidate],
    ) -> bool {
        // Either will do; what was held is looked up in a tenth of the time.
        self.are_convex(bodies) && self.was_held(bodies, pieces, rows) || one_way_out(a, b)
    }

    /// A body of several pieces slides over the borders between them, where the way out changes hands.
    fn are_convex(&self, bodies: [usize; 2]) -> bool {
        let convex = |&i: &usize| self.model.bodies[i].shape.is_convex();
        bodies.iter().all(convex)
    }

    fn was_held(&self, bodies: [usize; 2], pieces: [u32; 2], rows: &[Candidate]) -> bool {
        let pair = |c: &ContactImpulse| (c.contact.bodies, c.contact.pieces);
        let from = (self.last).partition_point(|c| pair(c) < (bodies, pieces));
        let of_pair = self.last[from..].iter();
        let held = of_pair
            .take_while(|c| pair(c) == (bodies, pieces))
            .filter(|c| c.impulse.x > 0.0);
        rows.iter().all(|row| {
            let alike = |c: &ContactImpulse| c.contact.normal.dot(row.normal) > ALIKE;
            held.clone().any(alike)
        })
    }

    pub(super) fn moving(&self, i: usize) -> Moving<'a> {
        let body = &self.model.bodies[i];
        Moving {
            shape: &body.shape,
            start: self.start[i].pose,
            pose: self.placed[i],
            end: self.end[i],
            arm: 0.0,
        }
    }
}

impl Finder {
    /// All contacts that may close on the given paths, sorted by bodies, pieces and feature, but for those
    /// that wait for the second look.
    pub(crate) fn find(
        &mut self,
        paths: &Paths,
        frictions: &Frictions,
        settings: &Settings,
        contacts: &mut Vec<Contact>,
    ) {
        self.sweep_paths(paths, settings.contact.touch());
        self.found.clear();
        let pairs = self
            .sweep
            .pairs(&self.bounds, |i, j| collide(paths.model, settings, i, j));
        let look = FirstLook {
            paths,
            frictions,
            rule: settings.contact,
        };
        look_at(pairs, &mut self.looked, &mut self.found, |run, looked| {
            look.at(run, looked);
        });
        self.count_rows(paths.model);
        contacts.clear();
        for found in &self.found {
            let alone = |&i: &usize| self.rows[i] <= 1;
            if found.meets.is_none() || found.contact.bodies.iter().all(alone) {
                contacts.push(found.contact);
            }
        }
        contacts.sort_by_key(Contact::key);
        self.drop_implied(paths, contacts);
    }

    /// Between bodies of several pieces many rows say the same. Rows are compared by what they ask for: where overlaps are undone
    /// in part only, a row between one of them and a gap is not implied by the two.
    pub(super) fn drop_implied(&mut self, paths: &Paths, contacts: &mut Vec<Contact>) {
        let Paths { model, undone, .. } = *paths;
        let convex = |c: &Contact| c.bodies.iter().all(|&i| model.bodies[i].shape.is_convex());
        if contacts.iter().all(convex) {
            return;
        }
        let (rows, keep) = (&mut self.reduced, &mut self.keep);
        let mut kept = 0;
        let mut from = 0;
        while from < contacts.len() {
            let pair = contacts[from].bodies;
            let to = from + contacts[from..].partition_point(|c| c.bodies == pair);
            keep.clear();
            keep.resize(to - from, true);
            if !convex(&contacts[from]) {
                rows.clear();
                rows.extend(contacts[from..to].iter().map(|c| GapRow {
                    point: c.point,
                    normal: c.normal,
                    gap: c.gap.max(0.0) + undone * c.gap.min(0.0),
                }));
                self.reducer.mark(rows, keep);
            }
            for k in from..to {
                if keep[k - from] {
                    contacts[kept] = contacts[k];
                    kept += 1;
                }
            }
            from = to;
        }
        contacts.truncate(kept);
    }

    /// How many pairs of pieces each free body has rows with.
    fn count_rows(&mut self, model: &Model) {
        self.rows.clear();
        self.rows.resize(model.bodies.len(), 0);
        let mut last = None;
        for Found { contact, .. } in &self.found {
            let pair = (contact.bodies, contact.pieces);
            if last.replace(pair) != Some(pair) {
                for i in contact.bodies {
                    self.rows[i] += u32::from(model.bodies[i].is_free());
                }
            }
        }
    }

    /// The pairs whose swept bounds meet and that may collide.
    pub(crate) fn pairs(&mut self, paths: &Paths, settings: &Settings) -> &[[usize; 2]] {
        self.sweep_paths(paths, settings.contact.touch());
        self.sweep
            .pairs(&self.bounds, |i, j| collide(paths.model, settings, i, j))
    }

    /// Boxes around each body's start and end, with room for half its motion, its turn, and for
    /// touching.
    pub(super) fn sweep_paths(&mut self, paths: &Paths, touch: f64) {
        self.bounds.clear();
        let all = 0..paths.model.bodies.len();
        self.bounds
            .extend(all.map(|i| paths.moving(i).bounds(touch)));
    }
}

/// Below this many pairs a part is not worth a thread (0.3 to 2 µs a pair, 20 µs to wake a thread).
const PAIRS: usize = 64;

/// The narrow phase of the predicted paths.
#[derive(Clone, Copy)]
struct FirstLook<'a> {
    paths: &'a Paths<'a>,
    frictions: &'a Frictions,
    rule: Rule,
}

impl FirstLook<'_> {
    fn at(&self, pairs: &[[usize; 2]], looked: &mut Looked) {
        let Looked {
            candidates, found, ..
        } = looked;
        for &[i, j] in pairs {
            let (a, b) = (self.paths.moving(i), self.paths.moving(j));
            piece_pairs(&a, &b, self.rule.touch(), &mut |pieces, a, b| {
                candidates.clear();
                contacts_by(self.rule, a, b, candidates);
                if !candidates.is_empty() {
                    let sure = self.rule == Rule::Conjunctive
                        || self.paths.is_sure([i, j], pieces, [a, b], candidates);
                    let meets = (!sure).then_some(0.0);
                    push(candidates, [i, j], pieces, meets, self.frictions, found);
                }
            });
        }
    }
}

/// May this pair collide at all?
pub(super) fn collide(model: &Model, settings: &Settings, i: usize, j: usize) -> bool {
    model.may_collide(i, j) && settings.ignored.binary_search(&[i, j]).is_err()
}

pub(super) fn push(
    candidates: &[Candidate],
    bodies: [usize; 2],
    pieces: [u32; 2],
    meets: Option<f64>,
    frictions: &Frictions,
    found: &mut Vec<Found>,
) {
    found.extend(candidates.iter().map(|c| Found {
        contact: Contact {
            bodies,
            pieces,
            feature: c.feature,
            point: c.point,
            normal: c.normal,
            gap: c.gap,
            friction: frictions.of(bodies),
        },
        meets,
    }));
}
