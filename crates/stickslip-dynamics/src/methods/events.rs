//! When the next collision is: the first time at which a pair that is not in the contact list overlaps.

use crate::contacts::Paths;
use crate::error::StepError;
use crate::world::{Plan, World};
use stickslip_geometry::path::closest_on_the_way;
use stickslip_geometry::separation::separation;
use stickslip_geometry::{Feature, Moving};
use stickslip_model::BodyState;

/// A pair to be watched, with the features of it that are in the contact list.
struct Watched {
    pair: [usize; 2],
    listed: Vec<Feature>,
}

impl World {
    /// The length of the step after which the first pair collides, given that a trial of the whole step `plan` is in
    /// the workspace; `None` where nothing does.
    pub(super) fn first_event(&mut self, plan: Plan) -> Result<Option<f64>, StepError> {
        let start = self.last.bodies.clone();
        let end = self.work.next.clone();
        let mut first: Option<f64> = None;
        for watched in self.watched(&end) {
            let rounding = self.pair_rounding(watched.pair);
            let (gap, s) = self.closest(&watched, &start, &end);
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
        let work = &mut self.work;
        work.end_poses.clear();
        work.end_poses.extend(end.iter().map(|s| s.pose));
        let paths = Paths {
            model: &self.model,
            start: &self.last.bodies,
            placed: &work.placed,
            end: &work.end_poses,
        };
        let contacts = &work.contacts;
        let pairs = work.finder.pairs(&paths, &self.settings);
        let watch = pairs.iter().map(|&pair| Watched {
            pair,
            listed: contacts
                .iter()
                .filter(|c| c.bodies == pair)
                .map(|c| c.feature)
                .collect(),
        });
        watch.collect()
    }

    fn moving<'a>(&'a self, i: usize, start: &[BodyState], end: &[BodyState]) -> Moving<'a> {
        Moving {
            shape: &self.model.bodies[i].shape,
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
                let radius = self.model.bodies[i].shape.radius();
                let size = if radius.is_finite() { radius } else { 0.0 };
                self.last.bodies[i].pose.position.length() + size
            })
            .sum();
        16.0 * f64::EPSILON * size
    }

    /// The time of a collision known to lie before `late`: Illinois' method on the gap, each value by a trial step.
    fn collision(
        &mut self,
        plan: Plan,
        watched: &Watched,
        late: f64,
        rounding: f64,
    ) -> Result<f64, StepError> {
        let at = |world: &mut Self, h: f64| -> Result<f64, StepError> {
            world.trial(Plan {
                h,
                t_next: world.last.t + h,
                ..plan
            })?;
            let states = std::mem::take(&mut world.work.next);
            let gap = world.gap(watched, &states);
            world.work.next = states;
            Ok(gap)
        };
        let (mut high, mut gap_high) = (late, at(self, late)?);
        let mut low = 0.0;
        let states = self.last.bodies.clone();
        let mut gap_low = self.gap(watched, &states);
        // A pair that parts just now: go back from the overlap to a time at which it is apart.
        if gap_low <= rounding {
            low = high;
            gap_low = gap_high;
            while gap_low <= 0.0 && low > f64::EPSILON * plan.h {
                (high, gap_high) = (low, gap_low);
                low *= 0.5;
                gap_low = at(self, low)?;
            }
            if gap_low <= 0.0 {
                return Ok(low);
            }
        }
        // Illinois: where the same end moves twice, the other's value is halved, so that both close in.
        let (mut a, mut b, mut moved) = (gap_low, gap_high, 0);
        for _ in 0..200 {
            if gap_high >= -0.25 * rounding || high - low <= 2.0 * f64::EPSILON * high {
                break;
            }
            let mut middle = low + (high - low) * (a / (a - b));
            if !(middle > low && middle < high) {
                middle = 0.5 * (low + high);
            }
            let gap = at(self, middle)?;
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
