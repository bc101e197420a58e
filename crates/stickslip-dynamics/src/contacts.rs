//! Which contacts may close within the step: broad phase, narrow phase, and the second look that makes
//! sure none was missed.
//!
//! Where the free space is not convex, a pair of pieces can be kept apart by more than one of their planes, and
//! at most one of them may push (the max-gap contact). Which one depends on where the other contacts send the
//! bodies. So a pair with several ways out waits for the second look, unless nothing else touches its bodies:
//! it gets no row where the motion without it passes by, else the plane that this motion breaks least. Of several
//! such pairs of a body, the one that is met first comes first.

use crate::settings::Settings;
use crate::setup::Frictions;
use stickslip_geometry::broad_phase::{Bounds, Sweep};
use stickslip_geometry::narrow_phase::{Rule, contacts_by, one_way_out};
use stickslip_geometry::path::{closest_on_the_way, first_overlap, unseen};
use stickslip_geometry::pieces::piece_pairs;
use stickslip_geometry::reduce::{Reducer, Row};
use stickslip_geometry::{Candidate, Moving, Pose};
use stickslip_model::{BodyState, Contact, Model};

/// Memory of the two phases, reused from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finder {
    bounds: Vec<Bounds>,
    sweep: Sweep,
    candidates: Vec<Candidate>,
    found: Vec<Found>,
    /// Of each free body: pairs of pieces with rows; or when its first new contact is met.
    rows: Vec<u32>,
    earliest: Vec<f64>,
    reducer: Reducer,
    reduced: Vec<Row>,
    keep: Vec<bool>,
    known: Vec<Contact>,
}

/// A contact that may become a row of the step.
#[derive(Clone, Copy, Debug)]
struct Found {
    contact: Contact,
    /// When its pieces meet, as a fraction of the step; `None` where there is only one way out.
    meets: Option<f64>,
}

/// The bodies' way through the step.
#[derive(Clone, Copy)]
pub(crate) struct Paths<'a> {
    pub(crate) model: &'a Model,
    /// At the start of the step.
    pub(crate) start: &'a [BodyState],
    /// Where gaps are measured.
    pub(crate) placed: &'a [Pose],
    /// At the end: given for prescribed bodies, predicted (or tried) for free ones.
    pub(crate) end: &'a [Pose],
}

impl<'a> Paths<'a> {
    fn moving(&self, i: usize) -> Moving<'a> {
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
        let chunk = pairs.len().div_ceil(settings.threads);
        let look = FirstLook {
            paths,
            frictions,
            rule: settings.contact,
        };
        if settings.threads == 1 || chunk < PAIRS_PER_THREAD {
            look.at(pairs, &mut self.candidates, &mut self.found);
        } else {
            // Each thread takes a run of consecutive pairs; the runs are joined in their order.
            std::thread::scope(|scope| {
                let runs: Vec<_> = pairs
                    .chunks(chunk)
                    .map(|run| {
                        scope.spawn(move || {
                            let (mut candidates, mut found) = (Vec::new(), Vec::new());
                            look.at(run, &mut candidates, &mut found);
                            found
                        })
                    })
                    .collect();
                for run in runs {
                    self.found.extend(
                        run.join()
                            .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                    );
                }
            });
        }
        self.count_rows(paths.model);
        contacts.clear();
        for found in &self.found {
            let alone = |&i: &usize| self.rows[i] <= 1;
            if found.meets.is_none() || found.contact.bodies.iter().all(alone) {
                contacts.push(found.contact);
            }
        }
        contacts.sort_by_key(Contact::key);
        self.drop_implied(paths.model, contacts);
    }

    /// Between bodies of several pieces many rows say the same.
    fn drop_implied(&mut self, model: &Model, contacts: &mut Vec<Contact>) {
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
                rows.extend(contacts[from..to].iter().map(|c| Row {
                    point: c.point,
                    normal: c.normal,
                    gap: c.gap,
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

    /// Looks at the motion the step would make: for pairs that overlap on it, at its end or on the way,
    /// the contacts of that motion are added where they are new. Returns how many. From round
    /// [`PATIENCE`] on none waits for an earlier one.
    pub(crate) fn add_missed(
        &mut self,
        paths: &Paths,
        frictions: &Frictions,
        settings: &Settings,
        round: usize,
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
                    let sure = round >= PATIENCE || one_way_out(a, b);
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

    /// Boxes around each body's start and end, with room for half its motion, its turn, and for
    /// touching.
    fn sweep_paths(&mut self, paths: &Paths, touch: f64) {
        self.bounds.clear();
        let all = 0..paths.model.bodies.len();
        self.bounds
            .extend(all.map(|i| paths.moving(i).bounds(touch)));
    }
}

/// Below this many pairs for each, threads cost more than they save (about 0.3 µs a pair, 30 µs a thread).
const PAIRS_PER_THREAD: usize = 256;

/// Second looks after which no contact waits for one that is met earlier.
const PATIENCE: usize = 16;

/// Contacts that are met within this fraction of the step are met together.
const TOGETHER: f64 = 1e-6;

/// The narrow phase of the predicted paths.
#[derive(Clone, Copy)]
struct FirstLook<'a> {
    paths: &'a Paths<'a>,
    frictions: &'a Frictions,
    rule: Rule,
}

impl FirstLook<'_> {
    fn at(&self, pairs: &[[usize; 2]], candidates: &mut Vec<Candidate>, found: &mut Vec<Found>) {
        for &[i, j] in pairs {
            let (a, b) = (self.paths.moving(i), self.paths.moving(j));
            piece_pairs(&a, &b, self.rule.touch(), &mut |pieces, a, b| {
                candidates.clear();
                contacts_by(self.rule, a, b, candidates);
                if !candidates.is_empty() {
                    let sure = self.rule == Rule::Conjunctive || one_way_out(a, b);
                    let meets = (!sure).then_some(0.0);
                    push(candidates, [i, j], pieces, meets, self.frictions, found);
                }
            });
        }
    }
}

/// May this pair collide at all?
fn collide(model: &Model, settings: &Settings, i: usize, j: usize) -> bool {
    model.may_collide(i, j) && settings.ignored.binary_search(&[i, j]).is_err()
}

fn push(
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
