//! How far apart are two trajectories, over time?

use crate::error::RecordError;
use crate::states::{Snapshot, States};
use glam::DQuat;
use std::collections::BTreeMap;
use stickslip_geometry::pose::{exp, log};
use stickslip_model::BodyState;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Distance of the positions, m.
    Dist,
    /// Angle of the rotation from one orientation to the other, rad, at most π.
    Angle,
    /// Length of the difference of the velocities, m/s.
    Velocity,
    /// Length of the difference of the angular velocities, rad/s.
    Spin,
}

/// The largest value over the bodies at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Largest {
    /// In the metric's unit.
    pub value: f64,
    /// Index of the body into [`Comparison::names`].
    pub body: usize,
}

/// The two trajectories at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distances {
    /// Time, s.
    pub t: f64,
    /// One for each [`Metric`], in the order of [`Metric::ALL`].
    pub largest: [Largest; Metric::ALL.len()],
    /// Was the second trajectory interpolated, having no state at this very time?
    pub interpolated: bool,
}

/// The distance between two trajectories at every time of the first that the second one covers.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Bodies, in the order of the first trajectory.
    pub names: Vec<String>,
    /// In the order of time; never empty.
    pub rows: Vec<Distances>,
    /// States of the first trajectory outside the time of the second, left out.
    pub outside: u64,
}

impl Metric {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Dist, Self::Angle, Self::Velocity, Self::Spin];

    /// Name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dist => "dist",
            Self::Angle => "angle",
            Self::Velocity => "velocity",
            Self::Spin => "spin",
        }
    }

    /// SI unit.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Dist => "m",
            Self::Angle => "rad",
            Self::Velocity => "m/s",
            Self::Spin => "rad/s",
        }
    }

    /// The metric of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// Between two states of one body.
    #[must_use]
    pub fn between(self, a: &BodyState, b: &BodyState) -> f64 {
        match self {
            Self::Dist => (a.pose.position - b.pose.position).length(),
            Self::Angle => angle(a.pose.orientation, b.pose.orientation),
            Self::Velocity => (a.twist.linear - b.twist.linear).length(),
            Self::Spin => (a.twist.angular - b.twist.angular).length(),
        }
    }
}

impl Distances {
    /// The largest value of one metric.
    #[must_use]
    pub fn get(&self, metric: Metric) -> Largest {
        self.largest[metric as usize]
    }
}

impl Comparison {
    /// The row with the largest value of one metric; the earliest of equals.
    #[must_use]
    pub fn max(&self, metric: Metric) -> &Distances {
        let mut worst = &self.rows[0];
        for row in &self.rows {
            if row.get(metric).value > worst.get(metric).value {
                worst = row;
            }
        }
        worst
    }

    /// The row at the last common time.
    #[must_use]
    pub fn last(&self) -> &Distances {
        &self.rows[self.rows.len() - 1]
    }
}

/// Compares two trajectories at the times of the first.
///
/// Bodies are matched by name. Where the second trajectory has no state at the very time, one is
/// interpolated between its neighbours: linearly in position and velocities, by the shortest
/// rotation in orientation; the error of that is of the order of the square of its time step, so
/// give the finer trajectory second. Of the states before and after an impact, which have one time, those after it are compared. Two times closer than 1e-9 of a step count as the same.
///
/// # Errors
/// [`RecordError::DifferentBodies`], [`RecordError::NoCommonTime`], or what reading gives.
pub fn compare(a: States<'_>, b: States<'_>) -> Result<Comparison, RecordError> {
    let names = a.names.clone();
    let places = match_bodies(&names, &b.names)?;
    let mut track = Track::new(b)?;
    let mut rows = Vec::new();
    let (mut outside, mut span) = (0, None);
    let mut snapshots = a.peekable();
    while let Some(snapshot) = snapshots.next() {
        let Snapshot { t, bodies } = snapshot?;
        if matches!(snapshots.peek(), Some(Ok(next)) if next.t == t) {
            continue;
        }
        span = Some((span.map_or(t, |(first, _)| first), t));
        let Some(interpolated) = track.seek(t)? else {
            outside += 1;
            continue;
        };
        let mut largest = [Largest::default(); Metric::ALL.len()];
        for (i, state) in bodies.iter().enumerate() {
            let other = track.body(places[i]);
            for metric in Metric::ALL {
                let value = metric.between(state, &other);
                if value > largest[metric as usize].value {
                    largest[metric as usize] = Largest { value, body: i };
                }
            }
        }
        rows.push(Distances {
            t,
            largest,
            interpolated,
        });
    }
    if rows.is_empty() {
        return Err(RecordError::NoCommonTime {
            a: span.unwrap_or_default(),
            b: track.span(),
        });
    }
    Ok(Comparison {
        names,
        rows,
        outside,
    })
}

/// For each body of the first its place in the second.
fn match_bodies(a: &[String], b: &[String]) -> Result<Vec<usize>, RecordError> {
    let places: BTreeMap<&String, usize> = b.iter().zip(0..).collect();
    let only_a: Vec<_> = a.iter().filter(|n| !places.contains_key(n)).collect();
    let ours: BTreeMap<&String, usize> = a.iter().zip(0..).collect();
    let only_b: Vec<_> = b.iter().filter(|n| !ours.contains_key(n)).collect();
    if only_a.is_empty() && only_b.is_empty() {
        return Ok(a.iter().map(|name| places[name]).collect());
    }
    let owned = |names: Vec<&String>| names.into_iter().cloned().collect();
    Err(RecordError::DifferentBodies {
        only_a: owned(only_a),
        only_b: owned(only_b),
    })
}

/// The second trajectory at a time that only moves forward.
struct Track<'a> {
    states: States<'a>,
    /// The last state not after the time sought, and the next one.
    before: Snapshot,
    after: Option<Snapshot>,
    first_t: f64,
    /// Where between the two, 0 to 1.
    s: f64,
}

impl<'a> Track<'a> {
    fn new(mut states: States<'a>) -> Result<Self, RecordError> {
        let before = states.next().transpose()?;
        let before = before.ok_or(RecordError::Empty("the second trajectory has no states"))?;
        let after = states.next().transpose()?;
        Ok(Self {
            states,
            first_t: before.t,
            before,
            after,
            s: 0.0,
        })
    }

    /// Moves to time t; `None` if there is no state there, else whether it is interpolated.
    fn seek(&mut self, t: f64) -> Result<Option<bool>, RecordError> {
        while let Some(after) = self.after.take_if(|after| after.t <= t) {
            self.before = after;
            self.after = self.states.next().transpose()?;
        }
        let ahead = t - self.before.t;
        let Some(after) = &self.after else {
            self.s = 0.0;
            // The last state: the same time but for rounding?
            return Ok((ahead.abs() <= 1e-9 * t.abs()).then_some(false));
        };
        let step = after.t - self.before.t;
        self.s = ahead / step;
        if self.s.abs() <= 1e-9 {
            self.s = 0.0;
        } else if (self.s - 1.0).abs() <= 1e-9 {
            self.s = 1.0;
        }
        let inside = (0.0..=1.0).contains(&self.s);
        Ok(inside.then_some(self.s != 0.0 && self.s != 1.0))
    }

    fn body(&self, i: usize) -> BodyState {
        match &self.after {
            Some(after) if self.s == 1.0 => after.bodies[i],
            Some(after) if self.s > 0.0 => {
                between(&self.before.bodies[i], &after.bodies[i], self.s)
            }
            _ => self.before.bodies[i],
        }
    }

    /// First and last time; reads on to the end.
    fn span(mut self) -> (f64, f64) {
        let mut last = self.after.as_ref().map_or(self.before.t, |after| after.t);
        for snapshot in self.states.by_ref().flatten() {
            last = snapshot.t;
        }
        (self.first_t, last)
    }
}

/// The state at s from a (0) to b (1).
fn between(a: &BodyState, b: &BodyState, s: f64) -> BodyState {
    let mut state = *a;
    state.pose.position += (b.pose.position - a.pose.position) * s;
    let turn = log(b.pose.orientation * a.pose.orientation.conjugate());
    state.pose.orientation = exp(turn * s) * a.pose.orientation;
    state.twist.linear += (b.twist.linear - a.twist.linear) * s;
    state.twist.angular += (b.twist.angular - a.twist.angular) * s;
    state
}

/// The angle of the rotation between two orientations; exactly 0 for equal ones, and exact for
/// small angles, where an arc cosine would lose half the digits.
fn angle(a: DQuat, b: DQuat) -> f64 {
    let length = |q: DQuat| q.dot(q).sqrt();
    // |a − b| = 2 sin(θ/4) and |a + b| = 2 cos(θ/4); q and −q are the same rotation.
    let (x, y) = (length(a - b), length(a + b));
    4.0 * libm::atan2(x.min(y), x.max(y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use glam::DVec3;

    fn states(names: &[&str], times: &[f64], state: impl Fn(f64) -> BodyState) -> States<'static> {
        let snapshots: Vec<_> = times
            .iter()
            .map(|&t| {
                Ok(Snapshot {
                    t,
                    bodies: vec![state(t); names.len()],
                })
            })
            .collect();
        States {
            names: names.iter().map(|n| (*n).to_owned()).collect(),
            source: Box::new(snapshots.into_iter()),
        }
    }

    /// Moves along x at 2 m/s and turns about z at 0.5 rad/s.
    fn screw(t: f64) -> BodyState {
        let mut state = BodyState::default();
        state.pose.position.x = 2.0 * t;
        state.pose.orientation = exp(DVec3::Z * (0.5 * t));
        state.twist.linear.x = 2.0;
        state.twist.angular.z = 0.5;
        state
    }

    #[test]
    fn a_trajectory_is_at_no_distance_from_itself() {
        let run = testing::trajectory(&["a", "b", "c"], 40);
        let found = compare(States::of(&run), States::of(&run)).unwrap();
        assert_eq!(found.rows.len(), 41);
        for metric in Metric::ALL {
            assert_eq!(found.max(metric).get(metric).value, 0.0);
        }
        assert!(found.rows.iter().all(|row| !row.interpolated));
    }

    #[test]
    fn a_uniform_motion_is_interpolated_without_error() {
        let fine: Vec<f64> = (0..=10).map(|i| 0.1 * f64::from(i)).collect();
        let a = states(&["a"], &[0.0, 0.25, 0.5, 0.77, 1.0, 1.5], screw);
        let found = compare(a, states(&["a"], &fine, screw)).unwrap();
        assert_eq!((found.rows.len(), found.outside), (5, 1));
        assert!(found.rows[1].interpolated && !found.rows[0].interpolated);
        for metric in Metric::ALL {
            assert!(found.max(metric).get(metric).value < 1e-15, "{metric:?}");
        }
    }

    #[test]
    fn the_largest_difference_is_found_with_its_body_and_time() {
        let run = testing::trajectory(&["a", "b", "c"], 10);
        let mut other = run.clone();
        other.frames[4].step.bodies[2].pose.position.y += 0.125;
        other.frames[7].step.bodies[0].twist.linear.x -= 3.0;
        let turned = &mut other.frames[10].step.bodies[1].pose.orientation;
        *turned = -(exp(DVec3::X * 1e-9) * *turned);
        let found = compare(States::of(&run), States::of(&other)).unwrap();
        let dist = found.max(Metric::Dist);
        assert_eq!((dist.t, dist.get(Metric::Dist).body), (0.04, 2));
        assert!((dist.get(Metric::Dist).value - 0.125).abs() < 1e-15);
        assert_eq!(found.max(Metric::Velocity).get(Metric::Velocity).body, 0);
        // A small angle keeps its digits, and the sign of a quaternion means nothing.
        let last = found.last().get(Metric::Angle);
        assert!((last.value - 1e-9).abs() < 1e-15 && last.body == 1);
    }

    #[test]
    fn bodies_are_matched_by_name_and_strangers_are_named() {
        let times = [0.0, 1.0];
        let both = compare(
            states(&["a", "b"], &times, screw),
            states(&["b", "a"], &times, screw),
        );
        assert_eq!(both.unwrap().max(Metric::Dist).get(Metric::Dist).value, 0.0);
        let error = compare(
            states(&["a", "b", "d"], &times, screw),
            states(&["b", "c"], &times, screw),
        )
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "the trajectories have different bodies: only in the first: a, d; only in the second: c"
        );
        let error = compare(
            states(&["a"], &[0.0, 1.0], screw),
            states(&["a"], &[2.0, 3.0], screw),
        )
        .unwrap_err();
        assert!(error.to_string().contains("0..1 s and 2..3 s"), "{error}");
    }

    #[test]
    fn trajectories_without_states_or_bodies_are_errors() {
        let full = || states(&["a"], &[0.0, 1.0], screw);
        let empty = || states(&["a"], &[], screw);
        assert!(compare(full(), empty()).is_err());
        assert!(compare(empty(), full()).is_err());
        let mut run = testing::trajectory(&["a"], 2);
        run.frames[1].step.bodies.clear();
        let error = compare(states(&["a"], &[0.0], screw), States::of(&run)).unwrap_err();
        assert!(
            error.to_string().contains("0 states for 1 bodies"),
            "{error}"
        );
    }
}
