//! One contact on the quadratic cone: stick, or the root of one equation in the ratio of slip to friction.

use super::{Tangential, unilateral};
use crate::problem::law::contact_vector;
use glam::{DMat3, DVec2, DVec3};

/// Coulomb on the quadratic cone.
///
/// Sliding has u_t = −λ p_t with λ > 0, so p_t(λ) = −(S + λI)⁻¹ s and |p_t| = μ p_n: one equation for
/// λ. g(λ) = μ p_n(λ)/|p_t(λ)| − 1 is negative at λ = 0 (stick is outside the cone) and positive for
/// λ ≥ |s| (D_nn + μ|D_nt|)/(μ|q_n|), nearly linear in between: Newton inside a bracket.
pub(super) fn cone(mu: f64, w: &DMat3, q: DVec3) -> DVec3 {
    let w_nn = w.x_axis.x;
    if q.x >= 0.0 || w_nn <= 0.0 {
        return DVec3::ZERO;
    }
    if mu == 0.0 {
        return unilateral(w, q);
    }
    let t = Tangential::new(w, q);
    // A singular S (a direction without inertia) sticks too where s is in its range: a tiny shift
    // finds that solution.
    let shift = 1e-15 * (w.y_axis.y + w.z_axis.z);
    let stick = t
        .shifted_solve(0.0, -t.rhs)
        .or_else(|| t.shifted_solve(shift, -t.rhs));
    if let Some(p_t) = stick {
        let p_n = t.normal(p_t);
        if p_t.length() <= mu * p_n {
            return contact_vector(p_n, p_t);
        }
    }
    if t.rhs == DVec2::ZERO {
        // Nothing drives the tangent (and S is singular): p_t = 0 sticks.
        return contact_vector(t.normal(DVec2::ZERO), DVec2::ZERO);
    }
    let p_t = Slide { mu, t: &t }.impulse(w, q);
    // The direction is what the root find gives well; with it p_n follows from u_n = 0 exactly.
    let s = p_t.length();
    if s == 0.0 {
        return contact_vector(t.normal(p_t), p_t);
    }
    let d = p_t / s;
    let denominator = w_nn + mu * t.w_nt.dot(d);
    let p_n = if denominator > 1e-3 * w_nn {
        -q.x / denominator
    } else {
        s / mu
    };
    contact_vector(p_n, d * (mu * p_n))
}

/// The equation g(λ) = μ p_n(λ)/|p_t(λ)| − 1 = 0 of a slide.
struct Slide<'a> {
    mu: f64,
    t: &'a Tangential,
}

impl Slide<'_> {
    /// g, its slope and p_t at λ; None where S + λI is singular.
    fn evaluate(&self, lambda: f64) -> Option<(f64, f64, DVec2)> {
        let Self { mu, t } = self;
        let p_t = t.shifted_solve(lambda, -t.rhs)?;
        let dp_t = t.shifted_solve(lambda, -p_t)?;
        let (n, s) = (t.normal(p_t), p_t.length());
        let (dn, ds) = (-t.w_nt.dot(dp_t) / t.w_nn, p_t.dot(dp_t) / s);
        let g = mu * n / s - 1.0;
        let slope = mu * (dn - n * ds / s) / s;
        Some((g, slope, p_t))
    }

    /// λ at which g is not negative: the right end of the bracket.
    fn upper_end(&self, q: DVec3) -> f64 {
        let Self { mu, t } = self;
        let mut hi = t.rhs.length() * (t.w_nn + mu * t.w_nt.length()) / (mu * -q.x);
        for _ in 0..60 {
            match self.evaluate(hi) {
                Some((g, _, _)) if g >= 0.0 => break,
                _ => hi *= 4.0,
            }
        }
        hi
    }

    /// p_t at the root: Newton inside a bracket.
    fn impulse(&self, w: &DMat3, q: DVec3) -> DVec2 {
        let (mut lo, mut hi) = (0.0, self.upper_end(q));
        let mut lambda = (0.5 * (w.y_axis.y + w.z_axis.z)).min(0.5 * hi);
        let mut p_t = DVec2::ZERO;
        for _ in 0..120 {
            let Some((g, slope, p)) = self.evaluate(lambda) else {
                lo = lambda.max(f64::MIN_POSITIVE);
                lambda = (lo * hi).sqrt();
                continue;
            };
            p_t = p;
            if g == 0.0 {
                break;
            }
            if g < 0.0 {
                lo = lambda;
            } else {
                hi = lambda;
            }
            let mut next = lambda - g / slope;
            if !(next > lo && next < hi) {
                // Geometric once the bracket is away from zero: λ ranges over decades.
                next = if lo > 0.0 {
                    (lo * hi).sqrt()
                } else {
                    hi * 1e-3
                };
            }
            if (next - lambda).abs() <= f64::EPSILON * lambda || hi - lo <= f64::EPSILON * hi {
                break;
            }
            lambda = next;
        }
        p_t
    }
}
