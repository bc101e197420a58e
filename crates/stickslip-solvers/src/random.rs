//! Seeded pseudo-random numbers for tests and problem generators: the same on every machine.

use glam::DVec3;

/// SplitMix64 (Steele, Lea and Flood 2014): small, seeded, and good enough to draw test problems.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Generator with the given seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Uniform among 0 .. n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
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
