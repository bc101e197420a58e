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
/// Parts of the work so far at which estimates are looked back at: before, there was little to tell them from; after, little has come since.
const HINDSIGHT: (f64, f64) = (0.25, 0.85);
/// How firmly it is believed that growth goes on, as the square of a logarithm: nine estimates that were off by 30 % each outweigh it.
const BELIEF: f64 = 0.8;

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
    /// its tangent: what is left takes (1 − x)(c + g c′(1 − x)/2), times the clock's seconds for a second of work of late. How much of the
    /// growth goes on, 0 ≤ g ≤ 1, is told by hindsight: with it the estimates made before would have been nearest to what the part from
    /// there to here took. (Balls that fill a bin go on as they began, g = 1; boxes get slower, then stay as slow as they are.)
    #[must_use]
    pub fn left(&self, work: f64) -> Option<f64> {
        let (clock, done) = self.now;
        let now = Sample { clock, work, done };
        let since = clock - (clock / 3.0).min(LATE);
        let late = self.samples.iter().rfind(|s| s.clock <= since)?;
        let slowness = (now.clock - late.clock) / (now.work - late.work);
        let left = self.growing(now)?.next(1.0 - done, self.goes_on(now)) * slowness;
        Some(left).filter(|left| left.is_finite())
    }

    /// Which part of the growth goes on, by hindsight.
    fn goes_on(&self, now: Sample) -> f64 {
        let start = self.samples.front().map_or(0.0, |s| s.done);
        let seen = |s: &Sample| {
            let part = s.work / now.work;
            HINDSIGHT.0 <= part && part <= HINDSIGHT.1
        };
        let before = self.pieces(start, now).into_iter().filter(seen);
        let told: Vec<(Growth, f64, f64)> = before
            .filter_map(|then| {
                Some((
                    self.growing(then)?,
                    now.done - then.done,
                    now.work - then.work,
                ))
            })
            .collect();
        let off = |g: f64| {
            let each = told.iter().map(|(growth, ahead, took)| {
                let ratio = libm::log(growth.next(*ahead, g) / took);
                ratio * ratio
            });
            each.sum::<f64>() + BELIEF * (1.0 - g) * (1.0 - g)
        };
        least(off, (0.0, 1.0))
    }

    /// Cost of a unit at a sample, and how fast it grows, told from what was before: those of W = a (x^q − x₀^q), whose power q fits the
    /// pieces of equal work best.
    fn growing(&self, now: Sample) -> Option<Growth> {
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
        let slope = ((q - 1.0) * cost / x).max(0.0);
        Some(Growth { cost, slope })
    }

    /// The first samples at or after each twelfth of the work until `now`, the last of them that.
    fn pieces(&self, start: f64, now: Sample) -> Vec<Sample> {
        let mut pieces: Vec<Sample> = Vec::with_capacity(PIECES);
        let mut passed = 0.0;
        let before = self.samples.iter().filter(|s| s.clock < now.clock);
        for sample in before.chain([&now]) {
            let piece = (sample.work / now.work * PIECES as f64).floor();
            if piece > passed && sample.done > start {
                pieces.push(*sample);
                passed = piece;
            }
        }
        pieces
    }
}

/// Work for each unit of the part done, s, and how fast that grows.
struct Growth {
    cost: f64,
    slope: f64,
}

impl Growth {
    /// Work for the next part, where so much of the growth goes on.
    fn next(&self, part: f64, goes_on: f64) -> f64 {
        let part = part.max(0.0);
        part * (self.cost + 0.5 * goes_on * self.slope * part)
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

    /// The same of boxes that fall one after the other: twenty-five, the last of which lie still at the end, and forty.
    const TWENTY_FIVE_BOXES: &[(f64, f64)] = &[
        (0.1625, 0.010),
        (0.2542, 0.020),
        (0.35, 0.060),
        (0.4187, 0.140),
        (0.4375, 0.220),
        (0.4813, 0.350),
        (0.4875, 0.430),
        (0.4938, 0.510),
        (0.5125, 0.590),
        (0.5604, 0.670),
        (0.5875, 0.750),
        (0.6083, 0.840),
        (0.6188, 0.960),
        (0.6292, 1.060),
        (0.6521, 1.150),
        (0.6583, 1.250),
        (0.6688, 1.330),
        (0.6938, 1.410),
        (0.7083, 1.490),
        (0.7271, 1.570),
        (0.7417, 1.650),
        (0.7542, 1.740),
        (0.7667, 1.820),
        (0.7812, 1.900),
        (0.7979, 1.980),
        (0.8271, 2.060),
        (0.8396, 2.140),
        (0.85, 2.230),
        (0.8646, 2.310),
        (0.875, 2.390),
        (0.8813, 2.470),
        (0.8917, 2.550),
        (0.9, 2.630),
        (0.9104, 2.720),
        (0.925, 2.800),
        (0.9375, 2.910),
        (0.9458, 2.990),
        (0.9667, 3.090),
        (0.9917, 3.170),
        (1.0, 3.200),
    ];
    const FORTY_BOXES: &[(f64, f64)] = &[
        (0.1581, 0.020),
        (0.2521, 0.040),
        (0.3397, 0.070),
        (0.4209, 0.140),
        (0.4957, 0.420),
        (0.5726, 0.670),
        (0.6346, 0.920),
        (0.6581, 1.180),
        (0.6816, 1.430),
        (0.6944, 1.690),
        (0.7073, 1.940),
        (0.7179, 2.250),
        (0.7222, 2.590),
        (0.7372, 2.850),
        (0.7447, 3.110),
        (0.7628, 3.370),
        (0.7799, 3.800),
        (0.7906, 4.070),
        (0.797, 4.320),
        (0.8013, 4.580),
        (0.8162, 4.850),
        (0.8312, 5.100),
        (0.8397, 5.350),
        (0.8547, 5.610),
        (0.8739, 5.860),
        (0.8889, 6.110),
        (0.8932, 6.460),
        (0.8996, 6.790),
        (0.9071, 7.100),
        (0.9167, 7.420),
        (0.9209, 7.730),
        (0.9359, 7.980),
        (0.9423, 8.230),
        (0.9573, 8.520),
        (0.9808, 8.780),
        (0.9861, 9.110),
        (0.9882, 9.560),
        (0.9915, 10.030),
        (0.9936, 10.360),
        (0.9979, 10.720),
        (1.0, 10.730),
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
        // Of a hundred estimates so many may be outside: a step that takes a second is not foreseen by those before it, nor is rest.
        for (recorded, allowed) in [
            (NINETY_BALLS, 5),
            (HALF_OF_TWO_HUNDRED, 5),
            (FORTY_BOXES, 10),
            (TWENTY_FIVE_BOXES, 12),
        ] {
            let factors = factors(between(recorded));
            let outside = factors.iter().filter(|f| **f > 2.0).count();
            assert!(factors.len() > 100, "{} estimates", factors.len());
            println!("{outside} of {} estimates outside", factors.len());
            assert!(
                outside * 100 <= allowed * factors.len(),
                "{outside} of {factors:?}"
            );
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
