//! How the smoothed problem depends on the parameter θ of a path.

use crate::coupling::Coupled;
use crate::engines::homotopy::PathStart;
use crate::problem::Law;
use crate::problem::law::{contact_vector, tangent};
use crate::problem::smoothed::{Smoothing, solved_pair};
use core::f64::consts::LN_10;
use glam::DVec3;

/// θ₀ and a/q of a relaxed path.
const RELAXED_UNTIL: f64 = 5.0;
const RELAXED_OFFSET: f64 = 1e-4;
/// δ/√ε on a path from impulses.
const GUESS_ROUNDING: f64 = 0.03;
/// A tangential impulse within this of the cone's edge is on it.
const ON_THE_EDGE: f64 = 1e-9;

/// The problems along a path.
#[derive(Clone, Debug)]
pub(super) enum Course {
    /// At the convex problem: ε = ε₀ q² 10^−θ, 1 − λ = 10^−θ, a = q; or 1 − λ = 1/(1 + 10^(θ − θ₀)), a = 1e-4 q.
    Convex(PathStart),
    /// At impulses: u + 10^−2θ s with s such that they solve the problem at θ = 0; ε = ε₀ q² 10^−θ.
    Guess { shift: Vec<DVec3>, epsilon: f64 },
}

impl Default for Course {
    fn default() -> Self {
        Self::Convex(PathStart::FIRST)
    }
}

impl Course {
    /// The course that begins at impulses near `guess`, written to `p`: they solve its first problem exactly. (`u` is memory.)
    pub(super) fn from_guess<S: Coupled>(
        system: &mut S,
        guess: &[DVec3],
        epsilon: f64,
        q: f64,
        p: &mut Vec<DVec3>,
        u: &mut Vec<DVec3>,
    ) -> Option<Self> {
        let mut shift = Vec::with_capacity(guess.len());
        let unshifted = Self::Guess {
            shift: Vec::new(),
            epsilon,
        };
        let s = unshifted.smoothing(0.0, q);
        system.velocities(guess, u);
        p.clear();
        for (i, (&p_i, &u)) in guess.iter().zip(&*u).enumerate() {
            let law = system.law(i);
            let lawful = lawful_velocity(law, p_i, u);
            let pair = solved_pair(law, p_i, lawful, system.w_bar(i), &s)?;
            p.push(pair.0);
            shift.push(pair.1);
        }
        system.velocities(p, u);
        for (s, u) in shift.iter_mut().zip(&*u) {
            *s -= *u;
        }
        Some(Self::Guess { shift, epsilon })
    }

    /// ε/q² at θ.
    pub(super) fn relative(&self, theta: f64) -> f64 {
        let first = match self {
            Self::Convex(start) => start.epsilon,
            Self::Guess { epsilon, .. } => *epsilon,
        };
        first * libm::pow(10.0, -theta)
    }

    pub(super) const fn is_convex(&self) -> bool {
        matches!(self, Self::Convex(_))
    }

    /// δ/√ε.
    const fn rounding(&self) -> f64 {
        match self {
            Self::Convex(start) => start.rounding,
            Self::Guess { .. } => GUESS_ROUNDING,
        }
    }

    /// Parameters at θ.
    pub(super) fn smoothing(&self, theta: f64, q: f64) -> Smoothing {
        let epsilon = q * q * self.relative(theta);
        let delta = self.rounding() * epsilon.sqrt();
        // 1 − λ, its rate over −ln 10, and a.
        let (convexity, rate, a) = match self {
            Self::Convex(start) if start.relaxed => {
                let past = libm::pow(10.0, theta - RELAXED_UNTIL);
                let convexity = 1.0 / (1.0 + past);
                (convexity, convexity * convexity * past, RELAXED_OFFSET * q)
            }
            Self::Convex(_) => {
                let convexity = libm::pow(10.0, -theta);
                (convexity, convexity, q)
            }
            Self::Guess { .. } => (0.0, 0.0, q),
        };
        Smoothing {
            epsilon,
            convexity,
            a,
            delta,
            rates: [-LN_10 * epsilon, -LN_10 * rate, -0.5 * LN_10 * delta],
        }
    }

    /// u += 10^−2θ s.
    pub(super) fn add_shift(&self, theta: f64, u: &mut [DVec3]) {
        if let Self::Guess { shift, .. } = self {
            let size = libm::pow(10.0, -2.0 * theta);
            for (u, s) in u.iter_mut().zip(shift) {
                *u += *s * size;
            }
        }
    }

    /// ∂u_i/∂θ.
    pub(super) fn shift_rate(&self, i: usize, theta: f64) -> DVec3 {
        match self {
            Self::Convex(_) => DVec3::ZERO,
            Self::Guess { shift, .. } => shift[i] * (-2.0 * LN_10 * libm::pow(10.0, -2.0 * theta)),
        }
    }
}

/// The velocity nearest to `u` (nearly) that obeys the law together with `p`, which is kept.
fn lawful_velocity(law: &Law, p: DVec3, u: DVec3) -> DVec3 {
    let row = |p: f64, u: f64, lo: f64, hi: f64| {
        if p <= lo {
            u.max(0.0)
        } else if p >= hi {
            u.min(0.0)
        } else {
            0.0
        }
    };
    let n = row(p.x, u.x, 0.0, f64::INFINITY);
    match law {
        Law::Cone { mu } if *mu > 0.0 && p.x > 0.0 => {
            let (t, size) = (tangent(p), tangent(p).length());
            if size < (1.0 - ON_THE_EDGE) * mu * p.x || size == 0.0 {
                return DVec3::ZERO;
            }
            let d = t / size;
            contact_vector(0.0, d * d.dot(tangent(u)).min(0.0))
        }
        Law::Bounded { lo, hi } => DVec3::new(
            row(p.x, u.x, lo.x, hi.x),
            row(p.y, u.y, lo.y, hi.y),
            row(p.z, u.z, lo.z, hi.z),
        ),
        _ => contact_vector(n, tangent(u)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_finite_differences() {
        let relaxed = PathStart::RELAXED;
        for (course, theta) in [
            (Course::Convex(PathStart::FIRST), 0.7),
            (Course::Convex(relaxed), 4.8),
        ] {
            let (q, step) = (0.3, 1e-6);
            let at = |theta: f64| {
                let s = course.smoothing(theta, q);
                [s.epsilon, s.convexity, s.delta]
            };
            let (before, after) = (at(theta - step), at(theta + step));
            let rates = course.smoothing(theta, q).rates;
            for k in 0..3 {
                let slope = (after[k] - before[k]) / (2.0 * step);
                assert!((slope - rates[k]).abs() <= 1e-7 * slope.abs(), "{k}");
            }
        }
    }

    #[test]
    fn lawful_velocities_obey_the_law() {
        let law = Law::Cone { mu: 0.5 };
        let open = DVec3::ZERO;
        let inside = DVec3::new(2.0, 0.3, 0.0);
        let on_the_edge = DVec3::new(2.0, 0.6, 0.8);
        for p in [open, inside, on_the_edge] {
            for u in [DVec3::new(-1.0, 2.0, 0.5), DVec3::new(1.0, -0.6, -0.8)] {
                let lawful = lawful_velocity(&law, p, u);
                let off = law.natural_map(p, lawful, 1.0).length();
                assert!(off <= 1e-15, "{p} {u}: {off:e}");
            }
        }
    }
}
