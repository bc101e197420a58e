//! How long work still takes, told from how its cost has grown so far: never from the mean, which knows nothing of steps that get
//! slower.

use std::collections::VecDeque;

/// Wall-clock seconds that count as "of late", at most; before three times that have passed, the last third of what has.
const LATE: f64 = 60.0;
/// Samples kept; when there are more, every second one goes.
const MOST: usize = 512;
/// Pieces of equal work by which growth is measured: fewer do not see it, of more each is a few hard steps.
const PIECES: usize = 12;
/// Work grows as a power of the part done, between these.
const POWERS: (f64, f64) = (0.1, 16.0);

/// What there is at some moment.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    /// On the clock, s.
    clock: f64,
    /// On processors, s: what others do on the machine does not change it.
    work: f64,
    /// Part of all that is done, 0 to 1.
    done: f64,
}

/// Work against the part of it that is done (0 to 1).
#[derive(Debug, Default)]
pub struct Pace {
    samples: VecDeque<Sample>,
    /// Least time between samples, s.
    apart: f64,
    /// The latest moment, sampled or not, and its part.
    now: (f64, f64),
}

impl Pace {
    /// Work that starts now: at zero seconds, with this part of it done before (a run that goes on).
    #[must_use]
    pub fn from(done: f64) -> Self {
        let first = Sample {
            done,
            ..Sample::default()
        };
        Self {
            samples: VecDeque::from([first]),
            apart: 0.05,
            now: (0.0, done),
        }
    }

    /// After so many seconds this part is done; `work`, the seconds on processors, is asked for now and then.
    pub fn add(&mut self, clock: f64, done: f64, work: impl FnOnce() -> f64) {
        self.now = (clock, done);
        let last = self.samples.back().map_or(0.0, |s| s.clock);
        if clock - last < self.apart {
            return;
        }
        let work = work();
        self.samples.push_back(Sample { clock, work, done });
        if self.samples.len() > MOST {
            let mut keep = false;
            self.samples.retain(|_| {
                keep = !keep;
                keep
            });
            self.apart *= 2.0;
        }
    }

    /// Seconds until all is done, after so much work; `None` before there is anything to tell it from.
    ///
    /// With W the work for the part x, taken as a (x^q − x₀^q) over the whole run, its cost now is c = dW/dx, and goes on growing along
    /// its tangent: what is left takes (1 − x)(c + c′(1 − x)/2), times the clock's seconds for a second of work of late. (Of recorded bins
    /// that are filled to the end this was nearer than any mixture with the pace of late; one that was full at four fifths it
    /// overestimated more, by up to 3.4.)
    #[must_use]
    pub fn left(&self, work: f64) -> Option<f64> {
        let (clock, done) = self.now;
        let now = Sample { clock, work, done };
        let since = clock - (clock / 3.0).min(LATE);
        let late = self.samples.iter().rfind(|s| s.clock <= since)?;
        let slowness = (now.clock - late.clock) / (now.work - late.work);
        let rest = (1.0 - done).max(0.0);
        let (cost, slope) = self.growing(now)?;
        let left = rest * (cost + 0.5 * slope.max(0.0) * rest) * slowness;
        Some(left).filter(|left| left.is_finite())
    }

    /// Cost of a unit now, and how fast it grows: those of W = a (x^q − x₀^q), whose power q fits the pieces of equal work best.
    fn growing(&self, now: Sample) -> Option<(f64, f64)> {
        let start = self.samples.front()?.done;
        let pieces = self.pieces(start, now);
        if pieces.is_empty() {
            return None;
        }
        let part = |x: f64, q: f64| libm::pow(x, q) - libm::pow(start, q);
        let misfit = |q: f64| {
            let each = pieces.iter().map(|s| libm::log(s.work / part(s.done, q)));
            let (sum, squares) = each.fold((0.0, 0.0), |(a, b), r| (a + r, b + r * r));
            squares - sum * sum / pieces.len() as f64
        };
        // Of fewer nothing is told but their mean.
        let q = if pieces.len() < 3 {
            1.0
        } else {
            least(misfit, POWERS)
        };
        let x = now.done;
        let cost = now.work * q * libm::pow(x, q - 1.0) / part(x, q);
        Some((cost, (q - 1.0) * cost / x))
    }

    /// The first samples at or after each twelfth of the work, the last of them now.
    fn pieces(&self, start: f64, now: Sample) -> Vec<Sample> {
        let mut pieces: Vec<Sample> = Vec::with_capacity(PIECES);
        let mut passed = 0.0;
        for sample in self.samples.iter().chain([&now]) {
            let piece = (sample.work / now.work * PIECES as f64).floor();
            if piece > passed && sample.done > start {
                pieces.push(*sample);
                passed = piece;
            }
        }
        pieces
    }
}

/// Where a function of one valley is least, by the golden section.
fn least(f: impl Fn(f64) -> f64, (mut a, mut b): (f64, f64)) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    for _ in 0..32 {
        let width = GOLDEN * (b - a);
        let (left, right) = (b - width, a + width);
        if f(left) < f(right) {
            b = right;
        } else {
            a = left;
        }
    }
    0.5 * (a + b)
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

    /// Part of all that was done, and seconds on a processor: ninety balls that fall into a bin one after the other, and two hundred of
    /// which some half had fallen. Cost of a step grows a thousandfold, and single steps take a second.
    const NINETY_BALLS: &[(f64, f64)] = &[
        (0.0123, 0.011),
        (0.0767, 0.017),
        (0.1534, 0.029),
        (0.2147, 0.037),
        (0.2914, 0.049),
        (0.362, 0.065),
        (0.4233, 0.085),
        (0.4847, 0.130),
        (0.546, 0.250),
        (0.6074, 0.468),
        (0.6595, 0.801),
        (0.6902, 1.599),
        (0.7117, 2.390),
        (0.7255, 3.231),
        (0.7577, 3.997),
        (0.773, 5.135),
        (0.785, 5.608),
        (0.8098, 6.388),
        (0.8252, 7.351),
        (0.8282, 8.010),
        (0.8497, 8.893),
        (0.865, 9.554),
        (0.8896, 10.519),
        (0.8957, 11.189),
        (0.9018, 12.393),
        (0.908, 12.814),
        (0.911, 13.691),
        (0.9141, 14.490),
        (0.9264, 15.318),
        (0.9279, 17.831),
        (0.9325, 19.694),
        (0.9356, 20.046),
        (0.9417, 21.513),
        (0.9479, 22.673),
        (0.954, 23.528),
        (0.9601, 24.040),
        (0.9632, 24.762),
        (0.9724, 25.630),
        (0.9785, 26.439),
        (0.9847, 27.971),
        (0.9893, 29.586),
        (0.9908, 30.238),
        (0.9969, 31.089),
        (1.0, 31.789),
    ];
    const HALF_OF_TWO_HUNDRED: &[(f64, f64)] = &[
        (0.0092, 0.011),
        (0.0765, 0.033),
        (0.1437, 0.059),
        (0.211, 0.081),
        (0.2722, 0.106),
        (0.3394, 0.129),
        (0.4037, 0.169),
        (0.4648, 0.206),
        (0.526, 0.272),
        (0.5872, 0.351),
        (0.6483, 0.479),
        (0.6514, 0.518),
        (0.7125, 0.937),
        (0.7187, 1.057),
        (0.7462, 1.549),
        (0.7676, 2.087),
        (0.7737, 2.798),
        (0.7798, 3.079),
        (0.7859, 3.626),
        (0.8135, 4.112),
        (0.841, 4.827),
        (0.8471, 5.136),
        (0.8654, 5.650),
        (0.8869, 6.182),
        (0.896, 6.760),
        (0.9052, 7.205),
        (0.9113, 7.922),
        (0.9205, 8.360),
        (0.9235, 8.869),
        (0.9327, 9.342),
        (0.9388, 9.783),
        (0.945, 10.519),
        (0.948, 12.386),
        (0.9511, 13.212),
        (0.9526, 15.161),
        (0.9541, 15.640),
        (0.9572, 15.951),
        (0.9664, 16.607),
        (0.9694, 16.926),
        (0.9755, 17.556),
        (0.9847, 18.034),
        (0.9878, 18.544),
        (0.9939, 19.028),
        (1.0, 20.506),
    ];

    /// Between two recorded points in proportion.
    fn between(recorded: &'static [(f64, f64)]) -> impl Fn(f64) -> f64 {
        move |x| {
            let after = recorded.iter().position(|p| p.0 >= x);
            let after = after.unwrap_or(recorded.len() - 1);
            let (x1, t1) = recorded[after];
            let (x0, t0) = if after > 0 {
                recorded[after - 1]
            } else {
                (0.0, 0.0)
            };
            t0 + (t1 - t0) * ((x - x0) / (x1 - x0)).clamp(0.0, 1.0)
        }
    }

    /// The factors by which estimates are off over the last four fifths of the time, for work whose seconds are `clock(done)`, in the order
    /// of size.
    fn factors(clock: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut pace = Pace::from(0.0);
        let (mut factors, mut told) = (Vec::new(), 0.2 * clock(1.0));
        for k in 1..4000 {
            let done = f64::from(k) / 4000.0;
            let now = clock(done);
            pace.add(now, done, || now);
            // Lines at equal times.
            if now >= told && now < 0.99 * clock(1.0) {
                told += 0.004 * clock(1.0);
                let ratio = pace.left(now).expect("an estimate") / (clock(1.0) - now);
                factors.push(ratio.max(1.0 / ratio));
            }
        }
        factors.sort_by(f64::total_cmp);
        factors
    }

    fn worst(clock: impl Fn(f64) -> f64) -> f64 {
        *factors(clock).last().expect("some estimates")
    }

    #[test]
    fn the_estimate_follows_steps_that_get_slower_or_faster() {
        assert!(worst(|x| 100.0 * x) < 1.01, "an even pace");
        assert!(
            worst(|x| 100.0 * x * x) < 1.3,
            "in proportion to what is there"
        );
        assert!(worst(|x| 3000.0 * x * x) < 1.5, "the same over an hour");
        assert!(worst(|x| 100.0 * libm::pow(x, 4.6)) < 1.6, "steeply");
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
    fn the_estimate_is_within_a_factor_of_two_while_a_bin_is_filled() {
        for recorded in [NINETY_BALLS, HALF_OF_TWO_HUNDRED] {
            let factors = factors(between(recorded));
            let outside = factors.iter().filter(|f| **f > 2.0).count();
            assert!(factors.len() > 100, "{} estimates", factors.len());
            // A step that takes a second is not foreseen by those before it.
            assert!(outside * 20 <= factors.len(), "{outside} of {factors:?}");
        }
    }

    #[test]
    fn what_others_do_on_the_machine_is_no_growth() {
        // Even work; from its middle on the machine is shared, and the clock goes three times as fast.
        let clock = |x: f64| 100.0 * x.min(0.5) + 300.0 * (x - 0.5).max(0.0);
        let mut pace = Pace::from(0.0);
        for k in 1..2000 {
            let done = f64::from(k) / 2000.0;
            pace.add(clock(done), done, || 100.0 * done);
            if done > 0.65 && done < 0.99 {
                let ratio =
                    pace.left(100.0 * done).expect("an estimate") / (clock(1.0) - clock(done));
                assert!((0.6..1.01).contains(&ratio), "{ratio} at {done}");
            }
        }
    }

    #[test]
    fn nothing_is_told_from_nothing() {
        assert_eq!(Pace::default().left(0.0), None);
        let mut pace = Pace::from(0.25);
        assert_eq!(pace.left(0.0), None);
        // A run that goes on knows its pace from its own steps.
        for k in 0..=10 {
            let seconds = f64::from(k);
            pace.add(seconds, 0.25 + 0.05 * seconds, || seconds);
        }
        let left = pace.left(10.0).expect("an estimate");
        assert!((left - 5.0).abs() < 1e-3, "{left}");
    }

    #[test]
    fn what_was_slow_before_a_run_went_on_is_not_counted_twice() {
        // W = 100 x², from x = 0.5 on.
        let mut pace = Pace::from(0.5);
        for k in 1..=300 {
            let done = 0.5 + f64::from(k) / 1000.0;
            let seconds = 100.0 * (done * done - 0.25);
            pace.add(seconds, done, || seconds);
        }
        let left = pace.left(100.0 * (0.64 - 0.25)).expect("an estimate");
        assert!((left / 36.0 - 1.0).abs() < 0.1, "{left}");
    }

    #[test]
    fn waiting_is_told_in_words() {
        let words = [12.3, 100.0, 4000.0, 7300.0, 200_000.0].map(waiting);
        assert_eq!(words, ["12 s", "2 min", "67 min", "2 h 1 min", "2 d 7 h"]);
    }
}
