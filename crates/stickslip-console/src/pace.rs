//! How long work still takes, from the pace of late: never from the mean, which knows nothing of steps that get slower.

use std::collections::VecDeque;

/// Wall-clock seconds that count as "of late", at most; before three times that have passed, the last third of what has.
const LATE: f64 = 60.0;
/// Samples kept; when there are more, every second one goes.
const MOST: usize = 512;

/// Seconds passed against the part of the work that is done (0 to 1).
#[derive(Debug, Default)]
pub struct Pace {
    samples: VecDeque<(f64, f64)>,
    /// Least time between samples, s.
    apart: f64,
    /// The latest, sampled or not.
    now: (f64, f64),
}

impl Pace {
    /// Work that starts now: at zero seconds, with this part of it done before (a run that goes on).
    #[must_use]
    pub fn from(done: f64) -> Self {
        Self {
            samples: VecDeque::from([(0.0, done)]),
            apart: 0.05,
            now: (0.0, done),
        }
    }

    /// After so many seconds this part is done.
    pub fn add(&mut self, seconds: f64, done: f64) {
        self.now = (seconds, done);
        let last = self.samples.back().map_or(0.0, |s| s.0);
        if seconds - last < self.apart {
            return;
        }
        self.samples.push_back((seconds, done));
        if self.samples.len() > MOST {
            let mut keep = false;
            self.samples.retain(|_| {
                keep = !keep;
                keep
            });
            self.apart *= 2.0;
        }
    }

    /// Seconds until all is done; `None` before there is anything to tell it from.
    ///
    /// With u the seconds that a unit of work takes of late: what is left, at u if the pace stays, and at u as it will be in the
    /// middle of what is left if the pace goes on changing as it did. The estimate is the mean of the two.
    #[must_use]
    pub fn left(&self) -> Option<f64> {
        let (first, last) = (*self.samples.front()?, self.now);
        let since = last.0 - ((last.0 - first.0) / 3.0).min(LATE);
        let late = *self.samples.iter().rfind(|s| s.0 <= since)?;
        let late_cost = cost(late, last)?;
        let left = (1.0 - last.1).max(0.0);
        let slope =
            cost(first, late).map_or(0.0, |early| 2.0 * (late_cost - early) / (last.1 - first.1));
        // From the middle of the late work to the middle of what is left.
        let ahead = 0.5 * (1.0 + last.1) - 0.5 * (late.1 + last.1);
        let changed = (late_cost + slope * ahead).max(0.0);
        Some(left * 0.5 * (late_cost + changed))
    }
}

/// Seconds for a unit of work between two samples; `None` where none was done.
fn cost(a: (f64, f64), b: (f64, f64)) -> Option<f64> {
    (b.1 > a.1).then(|| (b.0 - a.0) / (b.1 - a.1))
}

/// A time for people who wait: `50 s`, `12 min`, `3 h 10 min`, `2 d 3 h`.
#[must_use]
pub fn waiting(seconds: f64) -> String {
    let s = seconds.max(0.0);
    if s < 90.0 {
        format!("{s:.0} s")
    } else if s < 90.0 * 60.0 {
        format!("{:.0} min", s / 60.0)
    } else if s < 48.0 * 3600.0 {
        let minutes = (s / 60.0) as u64;
        format!("{} h {} min", minutes / 60, minutes % 60)
    } else {
        let hours = (s / 3600.0) as u64;
        format!("{} d {} h", hours / 24, hours % 24)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest factor by which an estimate is off after the first fifth of work whose seconds are `clock(done)`.
    fn worst(clock: impl Fn(f64) -> f64) -> f64 {
        let mut pace = Pace::from(0.0);
        let mut worst: f64 = 1.0;
        for k in 1..2000 {
            let done = f64::from(k) / 2000.0;
            pace.add(clock(done), done);
            if done > 0.2 && done < 0.99 {
                let left = clock(1.0) - clock(done);
                let ratio = pace.left().expect("an estimate") / left;
                worst = worst.max(ratio).max(1.0 / ratio);
            }
        }
        worst
    }

    #[test]
    fn the_estimate_follows_steps_that_get_slower_or_faster() {
        assert!(worst(|x| 100.0 * x) < 1.01, "an even pace");
        assert!(
            worst(|x| 100.0 * x * x) < 2.0,
            "in proportion to what is there"
        );
        assert!(worst(|x| 3000.0 * x * x) < 2.0, "the same over an hour");
        // Slower until all has come to rest in the middle.
        assert!(
            worst(|x| if x < 0.5 {
                100.0 * x * x
            } else {
                25.0 + 100.0 * (x - 0.5)
            }) < 2.0
        );
        assert!(worst(|x| 100.0 * (x - 0.3 * x * x)) < 2.0, "faster");
    }

    #[test]
    fn nothing_is_told_from_nothing() {
        assert_eq!(Pace::default().left(), None);
        let mut pace = Pace::from(0.25);
        assert_eq!(pace.left(), None);
        // A run that goes on knows its pace from its own steps.
        for k in 0..=10 {
            pace.add(f64::from(k), 0.25 + 0.05 * f64::from(k));
        }
        assert!((pace.left().expect("an estimate") - 5.0).abs() < 1e-9);
    }

    #[test]
    fn waiting_is_told_in_words() {
        let words = [12.3, 100.0, 4000.0, 7300.0, 200_000.0].map(waiting);
        assert_eq!(words, ["12 s", "2 min", "67 min", "2 h 1 min", "2 d 7 h"]);
    }
}
