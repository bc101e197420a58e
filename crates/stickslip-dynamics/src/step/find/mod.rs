//! Line 3, and line 7: which contacts may close within the step.
//!
//! | file | holds |
//! |---|---|
//! | [`finder`] | broad and narrow phase along predicted paths |
//! | [`remember`] | which contact of the last step is which of this one |
//! | [`second_look`] | contacts that the solved motion meets and the predicted one did not |
//! | [`touching`] | between events: which contacts are closed, which of them open, what a rebound is |

pub(crate) mod finder;
pub(crate) mod remember;
mod second_look;
pub(crate) mod touching;

use crate::step::predict::Predicted;
use finder::{Finder, Paths, Sunk};
use second_look::Look;
use stickslip_geometry::{Candidate, Pose};
use stickslip_model::{BodyState, Contact, ContactImpulse, Kind, Scheme};
use touching::Touch;

/// The contacts of the step at hand.
#[derive(Default)]
pub(crate) struct Contacts {
    /// Sorted by bodies, pieces and feature.
    pub(crate) list: Vec<Contact>,
    /// Where each body's gaps and levers are measured.
    pub(crate) placed: Vec<Pose>,
    pub(crate) finder: Finder,
    ends: Vec<Pose>,
    /// Rows of this step that the judge did not find in the shapes: none like them is added again.
    struck: Vec<Contact>,
    /// Is what was held in the last step not held at once, but found by second looks as everything else that has a choice?
    doubts: bool,
    /// The contacts that the step came to before that was doubted, those of second looks among them.
    doubted: Vec<Contact>,
}

impl Contacts {
    /// Finds all contacts that may close on the predicted paths.
    pub(crate) fn find(&mut self, step: &Predicted) {
        self.doubts = false;
        self.struck.clear();
        self.doubted.clear();
        self.find_on_paths(step);
    }

    /// Finds them anew, but for these and what was struck before.
    pub(crate) fn strike(&mut self, step: &Predicted, rows: &[Contact]) {
        self.struck.extend_from_slice(rows);
        self.find_on_paths(step);
    }

    /// Finds them anew, none held because it was in the last step; are there others, or fewer?
    pub(crate) fn doubt(&mut self, step: &Predicted) -> bool {
        self.doubted.clone_from(&self.list);
        self.doubts = false;
        self.find_on_paths(step);
        let held = std::mem::take(&mut self.list);
        self.doubts = true;
        self.find_on_paths(step);
        self.list != held
    }

    /// The contacts of the step, to be told of: where none is left without what was held, those that were.
    pub(crate) fn known(&self) -> &[Contact] {
        if self.list.is_empty() {
            &self.doubted
        } else {
            &self.list
        }
    }

    /// Do bodies overlap at one of them?
    pub(crate) fn any_overlap(&self) -> bool {
        let all = self.list.iter().chain(&self.doubted);
        all.into_iter().any(|c| c.gap < 0.0)
    }

    fn find_on_paths(&mut self, step: &Predicted) {
        self.search_paths(step);
        let struck = &self.struck;
        self.list
            .retain(|row| !struck.iter().any(|s| says_again(row, s)));
    }

    fn search_paths(&mut self, step: &Predicted) {
        self.place(step);
        if step.plan.kind == Kind::Decompression {
            // No time has passed: both phases of an impact have one list.
            self.list.clear();
            let compressed = &step.last.contacts;
            self.list.extend(compressed.iter().map(|c| c.contact));
            return;
        }
        let path = SearchPath::of(step);
        path.ends(step.goal, &mut self.ends);
        self.search(step, path.starts(step));
        if matches!(step.plan.scheme, Scheme::BetweenEvents | Scheme::Impact) {
            let touch = Touch::at(step, &self.placed);
            self.list.retain(|c| touch.stays_in_list(c));
        }
    }

    /// Adds the contacts that the bodies meet on their way to `next` and that are not there yet; how many? The rows of a body are
    /// known to be `off` by so many m/s; a `draft` tells of features only.
    pub(crate) fn add_missed(
        &mut self,
        step: &Predicted,
        next: &[BodyState],
        (look, draft): (usize, bool),
        off: impl Fn(usize) -> f64,
    ) -> usize {
        let path = SearchPath::of(step);
        path.ends(next, &mut self.ends);
        let paths = Paths {
            model: step.model(),
            start: path.starts(step),
            placed: &self.placed,
            end: &self.ends,
            last: held(step, self.doubts),
            undone: undone(step),
        };
        let (frictions, settings) = (&step.setup.frictions, step.settings);
        let within: Vec<f64> = (0..next.len())
            .map(|i| (settings.tolerance * step.speed_before(i).max(1.0)).max(off(i)) * step.plan.h)
            .collect();
        let look = Look {
            struck: &self.struck,
            number: look,
            within: &within,
            draft,
        };
        self.finder
            .add_missed(&paths, frictions, settings, look, &mut self.list)
    }

    /// A pair that was deep inside each other at the end of the last motion looked at, where no row could be added for it.
    pub(crate) const fn sunk(&self) -> Option<Sunk> {
        self.finder.sunk
    }

    /// Measures contacts with the bodies at `places`, which are those of an iterate of the step's end. Looked for on to where
    /// bodies go without contacts: what is held apart or gives back is found there.
    pub(crate) fn measure_at(&mut self, step: &Predicted, places: &[BodyState]) {
        self.placed.clear();
        self.placed.extend(places.iter().map(|s| s.pose));
        self.ends.clear();
        self.ends.extend(step.goal.iter().map(|g| g.pose));
        self.search(step, step.start());
    }

    /// Places bodies where the scheme measures gaps and levers.
    pub(crate) fn place(&mut self, step: &Predicted) {
        let (scheme, model) = (step.plan.scheme, step.model());
        let places = (0..step.goal.len()).map(|i| *scheme.pose(model, step.start(), step.goal, i));
        self.placed.clear();
        self.placed.extend(places);
    }

    fn search(&mut self, step: &Predicted, start: &[BodyState]) {
        let paths = Paths {
            model: step.model(),
            start,
            placed: &self.placed,
            end: &self.ends,
            last: held(step, self.doubts),
            undone: undone(step),
        };
        let (frictions, settings) = (&step.setup.frictions, step.settings);
        self.finder
            .find(&paths, frictions, settings, &mut self.list);
    }
}

/// Is it a row of the same pieces and features, at the same place and along the same normal?
fn says_again(row: &Contact, other: &Contact) -> bool {
    let candidate = Candidate {
        feature: row.feature,
        point: row.point,
        normal: row.normal,
        gap: row.gap,
    };
    let pieces = |c: &Contact| (c.bodies, c.pieces);
    pieces(row) == pieces(other) && candidate.repeats(other.feature, other.normal, other.point)
}

/// The part of an overlap that rows undo in the step, [`Scheme::gap_rate`]: less than all where it is a part of a divided one.
fn undone(step: &Predicted) -> f64 {
    match step.plan.scheme {
        Scheme::StewartTrinkle => step.plan.h / step.settings.h,
        Scheme::Leaving => 0.0,
        Scheme::Implicit | Scheme::BetweenEvents | Scheme::Impact | Scheme::Anitescu => 1.0,
    }
}

/// The contacts of the last step that are held at once.
fn held<'a>(step: &Predicted<'a>, doubts: bool) -> &'a [ContactImpulse] {
    if doubts {
        &[]
    } else {
        &step.task.last.contacts
    }
}

/// The path on which contacts are looked for: that of the step itself; or, where bodies have reached the places at which
/// contacts are measured already, on from there.
#[derive(Clone, Copy)]
struct SearchPath {
    /// How long bodies go on from where they are measured, s.
    onward: Option<f64>,
}

impl SearchPath {
    fn of(step: &Predicted) -> Self {
        let onward = match step.plan.scheme {
            // Places have moved with the old velocity: the new one acts in the step to come.
            Scheme::Anitescu => Some(step.plan.h),
            // No time passes. Pairs that touch to rounding only are found because they meet soon after.
            Scheme::Impact => Some(step.settings.h),
            _ => None,
        };
        Self { onward }
    }

    const fn starts<'a>(self, step: &Predicted<'a>) -> &'a [BodyState] {
        if self.onward.is_some() {
            step.goal
        } else {
            step.task.last.bodies.as_slice()
        }
    }

    fn ends(self, states: &[BodyState], poses: &mut Vec<Pose>) {
        poses.clear();
        poses.extend(states.iter().map(|s| match self.onward {
            Some(h) => s.pose.moved(&s.twist, h),
            None => s.pose,
        }));
    }
}
