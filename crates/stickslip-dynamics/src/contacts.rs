//! Which contacts may close within the step: broad phase, narrow phase, and the second look that makes
//! sure none was missed.

use crate::world::{Frictions, Settings};
use stickslip_certify::{BodyState, Contact, Model};
use stickslip_geometry::broad_phase::{Bounds, Sweep};
use stickslip_geometry::narrow_phase::future_contacts;
use stickslip_geometry::path::{closest_on_the_way, unseen};
use stickslip_geometry::{Candidate, Moving, Pose};

/// Memory of the two phases, reused from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finder {
    bounds: Vec<Bounds>,
    sweep: Sweep,
    candidates: Vec<Candidate>,
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
        }
    }
}

impl Finder {
    /// All contacts that may close on the given paths, sorted by bodies and feature.
    pub(crate) fn find(
        &mut self,
        paths: &Paths,
        frictions: &Frictions,
        settings: &Settings,
        contacts: &mut Vec<Contact>,
    ) {
        contacts.clear();
        self.sweep_paths(paths);
        let pairs = self
            .sweep
            .pairs(&self.bounds, |i, j| collide(paths.model, settings, i, j));
        let chunk = pairs.len().div_ceil(settings.threads);
        if settings.threads == 1 || chunk < PAIRS_PER_THREAD {
            narrow(paths, pairs, frictions, &mut self.candidates, contacts);
        } else {
            // Each thread takes a run of consecutive pairs; the runs are joined in their order.
            std::thread::scope(|scope| {
                let runs: Vec<_> = pairs
                    .chunks(chunk)
                    .map(|run| {
                        scope.spawn(move || {
                            let (mut candidates, mut found) = (Vec::new(), Vec::new());
                            narrow(paths, run, frictions, &mut candidates, &mut found);
                            found
                        })
                    })
                    .collect();
                for run in runs {
                    contacts.extend(
                        run.join()
                            .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                    );
                }
            });
        }
        contacts.sort_by_key(|c| (c.bodies, c.feature));
    }

    /// The pairs whose swept bounds meet and that may collide.
    pub(crate) fn pairs(&mut self, paths: &Paths, settings: &Settings) -> &[[usize; 2]] {
        self.sweep_paths(paths);
        self.sweep
            .pairs(&self.bounds, |i, j| collide(paths.model, settings, i, j))
    }

    /// Looks at the motion the step would make: for pairs that overlap on it, at its end or on the way,
    /// the contacts of that motion are added where they are new. Returns how many.
    pub(crate) fn add_missed(
        &mut self,
        paths: &Paths,
        frictions: &Frictions,
        settings: &Settings,
        contacts: &mut Vec<Contact>,
    ) -> usize {
        self.sweep_paths(paths);
        let before = contacts.len();
        let pairs = self
            .sweep
            .pairs(&self.bounds, |i, j| collide(paths.model, settings, i, j));
        for &[i, j] in pairs {
            let (a, b) = (paths.moving(i), paths.moving(j));
            // A sixteenth of what the judge allows: the second look comes before a refusal.
            if closest_on_the_way(&a, &b).0 >= -unseen(&a, &b) / 16.0 {
                continue;
            }
            self.candidates.clear();
            future_contacts(&a, &b, &mut self.candidates);
            let known = &contacts[..before];
            let from = known.partition_point(|k| k.bodies < [i, j]);
            let to = known.partition_point(|k| k.bodies <= [i, j]);
            self.candidates.retain(|c| {
                !known[from..to]
                    .iter()
                    .any(|k| c.repeats(k.feature, k.normal, k.point))
            });
            push(&self.candidates, [i, j], frictions, contacts);
        }
        contacts.sort_by_key(|c| (c.bodies, c.feature));
        contacts.len() - before
    }

    /// Boxes around each body's start and end, with room for half its motion, its turn, and for
    /// touching.
    fn sweep_paths(&mut self, paths: &Paths) {
        self.bounds.clear();
        for i in 0..paths.model.bodies.len() {
            let m = paths.moving(i);
            let swept = Bounds::of(m.shape, &m.start).union(&Bounds::of(m.shape, &m.end));
            let motion = 0.5 * (m.end.position - m.start.position).length() + m.sweep();
            let touch = if m.shape.radius().is_finite() {
                1e-6 * m.shape.radius()
            } else {
                0.0
            };
            self.bounds.push(swept.grown(motion + touch));
        }
    }
}

/// Below this many pairs for each, threads cost more than they save (about 0.3 µs a pair, 30 µs a thread).
const PAIRS_PER_THREAD: usize = 256;

/// The narrow phase of some pairs.
fn narrow(
    paths: &Paths,
    pairs: &[[usize; 2]],
    frictions: &Frictions,
    candidates: &mut Vec<Candidate>,
    contacts: &mut Vec<Contact>,
) {
    for &[i, j] in pairs {
        candidates.clear();
        future_contacts(&paths.moving(i), &paths.moving(j), candidates);
        push(candidates, [i, j], frictions, contacts);
    }
}

/// May this pair collide at all?
fn collide(model: &Model, settings: &Settings, i: usize, j: usize) -> bool {
    (model.bodies[i].is_free() || model.bodies[j].is_free())
        && settings.ignored.binary_search(&[i, j]).is_err()
}

fn push(
    found: &[Candidate],
    bodies: [usize; 2],
    frictions: &Frictions,
    contacts: &mut Vec<Contact>,
) {
    for c in found {
        contacts.push(Contact {
            bodies,
            feature: c.feature,
            point: c.point,
            normal: c.normal,
            gap: c.gap,
            friction: frictions.of(bodies),
        });
    }
}
