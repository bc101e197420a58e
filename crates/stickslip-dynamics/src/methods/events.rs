//! When the next collision is: the first time at which a pair that is not in the contact list overlaps.

use crate::error::StepError;
use crate::methods::Driver;
use crate::step::find::finder::Paths;
use crate::step::task::Plan;
use stickslip_geometry::Pose;
use stickslip_geometry::path::closest_on_the_way;
use stickslip_geometry::separation::separation;
use stickslip_geometry::{Feature, Moving};
use stickslip_model::BodyState;

/// A pair to be watched, with the features of it that are in the contact list.
struct Watched {
    pair: [usize; 2],
    listed: Vec<Feature>,
}

/// Steps of Illinois' method at most; it gains a digit and a half in each.
const ILLINOIS: usize = 200;

impl Driver<'_> {
    /// The length of the step after which the first pair collides, given that an attempt at the whole step `plan` has just
    /// been made and leads to `end`; `None` where nothing does.
    pub(super) fn first_event(
        &mut self,
        plan: Plan,
        end: &[BodyState],
    ) -> Result<Option<f64>, StepError> {
        let mut first: Option<f64> = None;
        for watched in self.watched(end) {
            let rounding = self.pair_rounding(watched.pair);
            let (gap, s) = self.closest(&watched, &self.last.bodies, end);
            if gap >= -rounding {
                continue;
            }
            let h = self.collision(plan, &watched, s * plan.h, rounding)?;
            if first.is_none_or(|f| h < f) {
                first = Some(h);
            }
        }
        Ok(first)
    }

    /// All pairs whose swept bounds meet.
    fn watched(&mut self, end: &[BodyState]) -> Vec<Watched> {
        let ends: Vec<Pose> = end.iter().map(|s| s.pose).collect();
        let contacts = &mut self.stepper.contacts;
        let paths = Paths {
            model: &self.setup.model,
            start: &self.last.bodies,
            placed: &contacts.placed,
            end: &ends,
            last: &[],
            undone: 1.0,
        };
        let list = &contacts.list;
        let pairs = contacts.finder.pairs(&paths, self.settings);
        let watch = pairs.iter().map(|&pair| Watched {
            pair,
            listed: list
                .iter()
                .filter(|c| c.bodies == pair)
                .map(|c| c.feature)
                .collect(),
        });
        watch.collect()
    }

    fn moving<'a>(&'a self, i: usize, start: &[BodyState], end: &[BodyState]) -> Moving<'a> {
        Moving {
            shape: &self.setup.model.bodies[i].shape,
            start: start[i].pose,
            pose: start[i].pose,
            end: end[i].pose,
            arm: 0.0,
        }
    }

    /// The smallest gap of the pair on the way, and where; of features beside the listed ones, at the end of the way.
    fn closest(&self, watched: &Watched, start: &[BodyState], end: &[BodyState]) -> (f64, f64) {
        let [i, j] = watched.pair;
        if watched.listed.is_empty() {
            let (a, b) = (self.moving(i, start, end), self.moving(j, start, end));
            let closest = closest_on_the_way(&a, &b);
            return (closest.on_the_way, closest.at);
        }
        (self.gap(watched, end), 1.0)
    }

    /// The gap of the pair, or of those of its features that are not listed, with bodies at `states`, m.
    fn gap(&self, watched: &Watched, states: &[BodyState]) -> f64 {
        let [a, b] = watched.pair.map(|i| self.moving(i, states, states));
        if watched.listed.is_empty() {
            return separation(a.shape, &a.start, b.shape, &b.start);
        }
        let mut candidates = Vec::new();
        stickslip_geometry::narrow_phase::future_contacts(&a, &b, &mut candidates);
        let new = candidates
            .iter()
            .filter(|c| !watched.listed.contains(&c.feature));
        let size = a.shape.radius().min(b.shape.radius());
        new.map(|c| c.gap).fold(1e-6 * size, f64::min)
    }

    /// How well the gap of a pair is known, m.
    fn pair_rounding(&self, pair: [usize; 2]) -> f64 {
        let size: f64 = pair
            .into_iter()
            .map(|i| {
                let radius = self.setup.model.bodies[i].shape.radius();
                let size = if radius.is_finite() { radius } else { 0.0 };
                self.last.bodies[i].pose.position.length() + size
            })
            .sum();
        16.0 * f64::EPSILON * size
    }

    /// The gap of a pair after a step of length h, by an attempt at it.
    fn gap_after(&mut self, plan: Plan, watched: &Watched, h: f64) -> Result<f64, StepError> {
        let plan = Plan {
            h,
            t_next: self.last.t + h,
            ..plan
        };
        let motion = self.stepper.attempt(&self.task(plan))?;
        Ok(self.gap(watched, &motion.bodies))
    }

    /// The time of a collision known to lie before `late`: Illinois' method on the gap, each value by an attempt at a step.
    fn collision(
        &mut self,
        plan: Plan,
        watched: &Watched,
        late: f64,
        rounding: f64,
    ) -> Result<f64, StepError> {
        let (mut high, mut gap_high) = (late, self.gap_after(plan, watched, late)?);
        let mut low = 0.0;
        let mut gap_low = self.gap(watched, &self.last.bodies);
        // A pair that parts just now: go back from the overlap to a time at which it is apart.
        if gap_low <= rounding {
            (low, gap_low) = (high, gap_high);
            while gap_low <= 0.0 && low > f64::EPSILON * plan.h {
                (high, gap_high) = (low, gap_low);
                low *= 0.5;
                gap_low = self.gap_after(plan, watched, low)?;
            }
            if gap_low <= 0.0 {
                return Ok(low);
            }
        }
        // Illinois: where the same end moves twice, the other's value is halved, so that both close in.
        let (mut a, mut b, mut moved) = (gap_low, gap_high, 0);
        for _ in 0..ILLINOIS {
            if gap_high >= -0.25 * rounding || high - low <= 2.0 * f64::EPSILON * high {
                break;
            }
            let mut middle = low + (high - low) * (a / (a - b));
            if !(middle > low && middle < high) {
                middle = 0.5 * (low + high);
            }
            let gap = self.gap_after(plan, watched, middle)?;
            if gap <= 0.0 {
                (high, gap_high, b) = (middle, gap, gap);
                a *= if moved == 1 { 0.5 } else { 1.0 };
                moved = 1;
            } else {
                (low, a) = (middle, gap);
                b *= if moved == -1 { 0.5 } else { 1.0 };
                moved = -1;
            }
        }
        Ok(high)
    }
}
