//! Seeded pseudo-random numbers, the same on every machine: for Lemke's ties, random problems, benchmarks and tests.
//!
//! There is one type, [`Random`], and nothing else in the project draws numbers.

use glam::DVec3;

/// A stream of numbers that its seed determines.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    SplitMix,
    Congruential,
}

impl Random {
    /// SplitMix64 (Steele, Lea and Flood 2014): small, seeded, and good enough to draw test problems.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            state: seed,
            kind: Kind::SplitMix,
        }
    }

    /// Knuth's linear congruential generator modulo 2⁶⁴. Only for tests and benchmarks whose figures stand on the pages
    /// and were measured on its sequences; all else uses [`Random::new`].
    #[must_use]
    pub fn congruential(seed: u64) -> Self {
        Self {
            state: seed,
            kind: Kind::Congruential,
        }
    }

    /// A seed with which a generator of the same kind goes on from here.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.state
    }

    /// Next 64 bits. Of the congruential kind the low ones are poor; all but [`Random::integer`] use the high ones.
    pub fn bits(&mut self) -> u64 {
        match self.kind {
            Kind::SplitMix => {
                self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = self.state;
                z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                z ^ (z >> 31)
            }
            Kind::Congruential => {
                self.state = self
                    .state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                self.state
            }
        }
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Uniform in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform among 0 .. n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    /// Uniform among the whole numbers from `low` to `high` − 1.
    pub fn integer(&mut self, low: i64, high: i64) -> i64 {
        low + (self.bits() % (high - low) as u64) as i64
    }

    /// One of several.
    ///
    /// # Panics
    /// Where there is none.
    pub fn pick<'a, T>(&mut self, among: &'a [T]) -> &'a T {
        &among[self.below(among.len())]
    }

    /// Of the normal distribution with mean 0 and standard deviation 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        // In (0, 1]: its logarithm is finite.
        let (first, second) = (1.0 - self.unit(), self.unit());
        libm::sqrt(-2.0 * libm::log(first)) * libm::cos(2.0 * std::f64::consts::PI * second)
    }

    /// Components uniform in [−1, 1).
    pub fn vec3(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    /// 10^x with x uniform in [lo, hi).
    pub fn decade(&mut self, lo: f64, hi: f64) -> f64 {
        libm::pow(10.0, lo + (hi - lo) * self.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// The first numbers of SplitMix64 from the seed 0, as its authors' program prints them, and Knuth's constants from
    /// a state of one and of zero.
    #[test]
    fn sequences_are_those_of_the_papers() {
        let mut random = Random::new(0);
        assert_eq!(random.bits(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(random.bits(), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(random.bits(), 0x06c4_5d18_8009_454f);
        assert_eq!(Random::congruential(0).bits(), 1_442_695_040_888_963_407);
        assert_eq!(
            Random::congruential(1).bits(),
            6_364_136_223_846_793_005 + 1_442_695_040_888_963_407
        );
    }

    /// Means of 10⁵ uniform numbers lie within five standard deviations, 5/√(12·10⁵), of the middle.
    #[test]
    fn numbers_are_uniform_in_their_ranges() {
        for mut random in [Random::new(3), Random::congruential(3)] {
            let n = 100_000;
            let (mut sum, mut counts) = (0.0, [0_usize; 4]);
            for _ in 0..n {
                let unit = random.unit();
                assert!((0.0..1.0).contains(&unit));
                sum += unit;
                let between = random.between(-2.0, 5.0);
                assert!((-2.0..5.0).contains(&between));
                counts[random.below(4)] += 1;
                assert!((0.1..100.0).contains(&random.decade(-1.0, 2.0)));
                assert!(random.vec3().abs().max_element() <= 1.0);
            }
            assert!((sum / f64::from(n) - 0.5).abs() < 0.0046);
            assert!(
                counts.iter().all(|&c| c.abs_diff(25_000) < 700),
                "{counts:?}"
            );
        }
    }

    /// Mean, variance and fourth moment of 10⁵ numbers within five standard deviations of 0, 1 and 3.
    #[test]
    fn normal_numbers_have_the_moments_of_their_distribution() {
        let (mut random, n) = (Random::new(5), 100_000);
        let mut sums = [0.0; 3];
        for _ in 0..n {
            let x = random.normal();
            assert!(x.is_finite());
            for (sum, power) in sums.iter_mut().zip([x, x * x, x * x * x * x]) {
                *sum += power / f64::from(n);
            }
        }
        // Deviations of the means: √(1/n), √(2/n), √(96/n).
        assert!(sums[0].abs() < 0.016, "{sums:?}");
        assert!((sums[1] - 1.0).abs() < 0.0224, "{sums:?}");
        assert!((sums[2] - 3.0).abs() < 0.155, "{sums:?}");
    }

    #[test]
    fn a_seed_goes_on_where_it_was_taken() {
        let mut random = Random::new(17);
        random.bits();
        let mut again = Random::new(random.seed());
        assert_eq!(random.bits(), again.bits());
    }
}
