//! Smoothed natural maps: the laws with their corners rounded by a parameter that goes to zero.
//!
//! In scaled variables x̃ = w̄ (μ p_n, p_t) and w̃ = (u_n/μ + (1−λ) a + λ √(|u_t|² + δ²), u_t) Coulomb's law
//! (λ = 1, δ = 0) is x̃ = P(x̃ − w̃) with P the projection on the Lorentz cone. P is replaced by the spectral
//! map P_ε of p(l) = (l + √(l² + 4ε))/2 (Chen, Harker, Kanzow, Smale), so that x̃ ∘ z̃ = ε e: the central
//! path of interior-point methods. At λ = 0 the problem is convex, at λ = 1 it is the exact law.

use crate::problem::Law;
use crate::problem::law::{contact_vector, tangent};
use glam::{DMat3, DVec2, DVec3};

/// Parameters of the smoothed law and their rates along the path (for `F_theta`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Smoothing {
    /// ε, (m/s)².
    pub epsilon: f64,
    /// 1 − λ: how much of the slip term is replaced by the constant a.
    pub convexity: f64,
    /// a, m/s.
    pub a: f64,
    /// δ, m/s: rounding of |u_t| at zero.
    pub delta: f64,
    /// dε/dθ, d(1−λ)/dθ, dδ/dθ.
    pub rates: [f64; 3],
}

/// The smoothed law at one contact: F and its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SmoothedLaw {
    /// F, m/s.
    pub f: DVec3,
    /// dF/dp (at fixed u), 1/kg.
    pub a: DMat3,
    /// (dF/dp)⁻¹, from the spectral form.
    pub a_inverse: DMat3,
    /// dF/du (at fixed p).
    pub b: DMat3,
    /// dF/dθ.
    pub f_theta: DVec3,
}

/// p(l) = (l + √(l² + 4ε))/2 without cancellation for l < 0.
fn plus(l: f64, epsilon: f64) -> f64 {
    let root = (l * l + 4.0 * epsilon).sqrt();
    if l >= 0.0 {
        0.5 * (l + root)
    } else {
        2.0 * epsilon / (root - l)
    }
}

/// p'(l) without cancellation; 1 − p'(l) = p'(−l).
fn plus_slope(l: f64, epsilon: f64) -> f64 {
    let root = (l * l + 4.0 * epsilon).sqrt();
    if root == 0.0 {
        return 0.5;
    }
    if l >= 0.0 {
        0.5 * (1.0 + l / root)
    } else {
        2.0 * epsilon / (root * (root - l))
    }
}

/// ∂p/∂ε.
fn plus_rate(l: f64, epsilon: f64) -> f64 {
    1.0 / (l * l + 4.0 * epsilon).sqrt().max(1e-300)
}

/// Least eigenvalue allowed in I − P_ε', relative to 1.
const FLOOR: f64 = 1e-17;

/// F, A, B and dF/dθ of a law; None for pyramids and discs, which are not smoothed here.
#[must_use]
pub fn smoothed(law: &Law, p: DVec3, u: DVec3, w_bar: f64, s: &Smoothing) -> Option<SmoothedLaw> {
    // A contact that no body feels keeps its impulse scale 1.
    let w = if w_bar > 0.0 { w_bar } else { 1.0 };
    match law {
        Law::Cone { mu } if *mu > 0.0 => Some(cone(*mu, p, u, w, s)),
        Law::Cone { .. } | Law::Unilateral => {
            let infinite = DVec3::new(f64::INFINITY, 0.0, 0.0);
            Some(rows(DVec3::ZERO, infinite, p, u, w, s))
        }
        Law::Bounded { lo, hi } => Some(rows(*lo, *hi, p, u, w, s)),
        Law::Pyramid { .. } | Law::Disc { .. } | Law::Soft { .. } | Law::Moments { .. } => None,
    }
}

/// Has a law a smoothed form?
pub(crate) const fn is_smoothed(law: &Law) -> bool {
    matches!(
        law,
        Law::Cone { .. } | Law::Unilateral | Law::Bounded { .. }
    )
}

/// The pair near (p, u) that solves the smoothed law exactly (λ = 1): x̃ = P_ε(z), w̃ = x̃ − z with z that of (p, u). None
/// where the law has no smoothed form.
pub(crate) fn solved_pair(
    law: &Law,
    p: DVec3,
    u: DVec3,
    w_bar: f64,
    s: &Smoothing,
) -> Option<(DVec3, DVec3)> {
    let f = smoothed(law, p, u, w_bar, s)?.f;
    let w = if w_bar > 0.0 { w_bar } else { 1.0 };
    match law {
        Law::Cone { mu } if *mu > 0.0 => {
            let slip = |t: DVec2| (t.length_squared() + s.delta * s.delta).sqrt();
            let u_t = tangent(u) - tangent(f);
            let w_n = u.x / mu + slip(tangent(u)) - f.x;
            Some((
                p - DVec3::new(f.x / mu, f.y, f.z) / w,
                contact_vector(mu * (w_n - slip(u_t)), u_t),
            ))
        }
        Law::Cone { .. } | Law::Unilateral => Some((
            DVec3::new(p.x - f.x / w, 0.0, 0.0),
            DVec3::new(u.x - f.x, u.y, u.z),
        )),
        Law::Bounded { lo, hi } => {
            // Absent rows have no say in u.
            Some((p - f / w, DVec3::select(lo.cmpeq(*hi), u, u - f)))
        }
        Law::Pyramid { .. } | Law::Disc { .. } | Law::Soft { .. } | Law::Moments { .. } => None,
    }
}

/// A vector z of the Lorentz cone's algebra by its eigenvalues z_n ± |z_t| and the direction e of its tangential part.
struct Spectral {
    e: DVec2,
    r: f64,
    axis: f64,
    l1: f64,
    l2: f64,
}

impl Spectral {
    #[inline]
    fn of(z: DVec3) -> Self {
        let t = tangent(z);
        let r = t.length();
        Self {
            e: if r > 0.0 { t / r } else { DVec2::X },
            r,
            axis: z.x,
            l1: z.x + r,
            l2: z.x - r,
        }
    }

    /// The vector with the eigenvalues f₁, f₂.
    #[inline]
    fn vector(&self, [f1, f2]: [f64; 2]) -> DVec3 {
        contact_vector(0.5 * (f1 + f2), self.e * (0.5 * (f1 - f2)))
    }

    /// The matrix that is g₁ and g₂ on the plane of the axis and e, and `across` perpendicular to it.
    #[inline]
    fn matrix(&self, g1: f64, g2: f64, across: f64) -> DMat3 {
        let e = self.e;
        let (sum, difference) = (0.5 * (g1 + g2), 0.5 * (g1 - g2));
        let column = |k: f64, c: DVec2| {
            // Image of the vector (k, c).
            let along = c.dot(e);
            contact_vector(
                sum * k + difference * along,
                e * (difference * k + (sum - across) * along) + c * across,
            )
        };
        DMat3::from_cols(
            column(1.0, DVec2::ZERO),
            column(0.0, DVec2::X),
            column(0.0, DVec2::Y),
        )
    }

    /// The eigenvalues of P_ε' and of I − P_ε' across e: (p(l₁) − p(l₂))/(l₁ − l₂) and its complement.
    #[inline]
    fn across(&self, [p1, p2]: [f64; 2], epsilon: f64) -> (f64, f64) {
        if self.r <= 1e-9 * epsilon.sqrt() {
            let axis = self.axis;
            return (plus_slope(axis, epsilon), plus_slope(-axis, epsilon));
        }
        // The complement from p(−l) = p(l) − l.
        let (m1, m2) = (plus(-self.l1, epsilon), plus(-self.l2, epsilon));
        ((p1 - p2) / (2.0 * self.r), (m2 - m1) / (2.0 * self.r))
    }
}

fn cone(mu: f64, p: DVec3, u: DVec3, w: f64, s: &Smoothing) -> SmoothedLaw {
    let epsilon = s.epsilon;
    let x = DVec3::new(mu * p.x, p.y, p.z) * w;
    let u_t = tangent(u);
    let slip = (u_t.length_squared() + s.delta * s.delta).sqrt();
    let lambda = 1.0 - s.convexity;
    let t = if slip > 0.0 { u_t / slip } else { DVec2::ZERO };
    let w_n = u.x / mu + s.convexity * s.a + lambda * slip;
    let z = Spectral::of(x - contact_vector(w_n, u_t));
    let projected = [z.l1, z.l2].map(|l| plus(l, epsilon));
    let f = x - z.vector(projected);

    // P' on (axis, e) and across e; I − P' formed by p'(−l), not by subtraction.
    let (l1, l2) = (z.l1, z.l2);
    let (across, across_rest) = z.across(projected, epsilon);
    let d = z.matrix(plus_slope(l1, epsilon), plus_slope(l2, epsilon), across);
    let r1 = plus_slope(-l1, epsilon).max(FLOOR);
    let r2 = plus_slope(-l2, epsilon).max(FLOOR);
    let across_rest = across_rest.max(FLOOR);
    let rest = z.matrix(r1, r2, across_rest);
    let inverse = z.matrix(1.0 / r1, 1.0 / r2, 1.0 / across_rest);

    // Rows of A⁻¹ = diag(1/μ, 1, 1) (I − P')⁻¹/w.
    let unscale = |c: DVec3| DVec3::new(c.x / mu, c.y, c.z) / w;
    let [i_x, i_y, i_z] = [inverse.x_axis, inverse.y_axis, inverse.z_axis].map(unscale);
    // How w_n and P_ε move with θ.
    let [d_epsilon, d_convexity, d_delta] = s.rates;
    let slip_rate = if slip > 0.0 {
        s.delta * d_delta / slip
    } else {
        0.0
    };
    let w_rate = d_convexity * (s.a - slip) + lambda * slip_rate;
    let by_epsilon = z.vector([l1, l2].map(|l| plus_rate(l, epsilon)));
    SmoothedLaw {
        f,
        // A = w (I − P') diag(μ, 1, 1); B = P' C, C = [[1/μ, λ tᵀ], [0, I]].
        a: DMat3::from_cols(rest.x_axis * (w * mu), rest.y_axis * w, rest.z_axis * w),
        a_inverse: DMat3::from_cols(i_x, i_y, i_z),
        b: DMat3::from_cols(
            d.x_axis / mu,
            d.y_axis + d.x_axis * (lambda * t.x),
            d.z_axis + d.x_axis * (lambda * t.y),
        ),
        f_theta: d.x_axis * w_rate - by_epsilon * d_epsilon,
    }
}

/// Rows with bounds: the smoothed clamp lo + p(z − lo) − p(z − hi), z = w̄ p − u.
fn rows(lo: DVec3, hi: DVec3, p: DVec3, u: DVec3, w: f64, s: &Smoothing) -> SmoothedLaw {
    let epsilon = s.epsilon;
    let (mut f, mut f_theta) = (DVec3::ZERO, DVec3::ZERO);
    let (mut a, mut b) = (DVec3::ZERO, DVec3::ZERO);
    for k in 0..3 {
        let x = w * p[k];
        if lo[k] == hi[k] {
            f[k] = x - w * lo[k];
            a[k] = w;
            continue;
        }
        // rest = 1 − d ≥ 0 without cancellation.
        let z = x - u[k];
        let (low, high) = (z - w * lo[k], z - w * hi[k]);
        let (value, d, rest, rate) = match (lo[k].is_finite(), hi[k].is_finite()) {
            (false, false) => (z, 1.0, 0.0, 0.0),
            (true, false) => (
                w * lo[k] + plus(low, epsilon),
                plus_slope(low, epsilon),
                plus_slope(-low, epsilon),
                plus_rate(low, epsilon),
            ),
            (false, true) => (
                w * hi[k] - plus(-high, epsilon),
                plus_slope(-high, epsilon),
                plus_slope(high, epsilon),
                -plus_rate(high, epsilon),
            ),
            (true, true) => (
                w * lo[k] + plus(low, epsilon) - plus(high, epsilon),
                (plus_slope(low, epsilon) - plus_slope(high, epsilon)).max(0.0),
                plus_slope(-low, epsilon) + plus_slope(high, epsilon),
                plus_rate(low, epsilon) - plus_rate(high, epsilon),
            ),
        };
        f[k] = x - value;
        a[k] = w * rest.max(FLOOR);
        b[k] = d;
        f_theta[k] = -rate * s.rates[0];
    }
    SmoothedLaw {
        f,
        a: DMat3::from_diagonal(a),
        a_inverse: DMat3::from_diagonal(a.recip()),
        b: DMat3::from_diagonal(b),
        f_theta,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The path used in the tests: θ drives all parameters as in the homotopy.
    fn at(theta: f64) -> Smoothing {
        let s = libm::pow(10.0, -theta);
        let ln10 = core::f64::consts::LN_10;
        let delta = 0.03 * (10.0 * s).sqrt();
        Smoothing {
            epsilon: 10.0 * s,
            convexity: s,
            a: 1.0,
            delta,
            rates: [-ln10 * 10.0 * s, -ln10 * s, -0.5 * ln10 * delta],
        }
    }

    #[test]
    fn derivatives_match_differences() {
        let mut random = Random::new(21);
        let laws = [
            Law::Cone { mu: 0.4 },
            Law::Cone { mu: 5.0 },
            Law::Unilateral,
            Law::Bounded {
                lo: DVec3::new(-0.3, f64::NEG_INFINITY, 0.0),
                hi: DVec3::new(0.4, f64::INFINITY, f64::INFINITY),
            },
        ];
        for k in 0..1000 {
            let law = &laws[k % laws.len()];
            let (p, u, v) = (random.vec3(), random.vec3(), random.vec3());
            let theta = 3.0 * random.unit();
            let w = 0.5 + random.unit();
            let s = at(theta);
            let value = |p, u, s: &Smoothing| smoothed(law, p, u, w, s).expect("smooth").f;
            let here = smoothed(law, p, u, w, &s).expect("smooth");
            let h = 1e-6;
            let central = |plus: DVec3, minus: DVec3| (plus - minus) / (2.0 * h);
            let by_p = central(value(p + v * h, u, &s), value(p - v * h, u, &s));
            let by_u = central(value(p, u + v * h, &s), value(p, u - v * h, &s));
            let by_theta = central(value(p, u, &at(theta + h)), value(p, u, &at(theta - h)));
            assert!(
                (by_p - here.a * v).length() < 1e-6,
                "{law:?} p {by_p} {}",
                here.a * v
            );
            assert!((by_u - here.b * v).length() < 1e-6, "{law:?} u");
            assert!((by_theta - here.f_theta).length() < 1e-5, "{law:?} theta");
        }
    }

    #[test]
    fn a_pair_is_moved_onto_the_smoothed_law() {
        let mut random = Random::new(23);
        let laws = [
            Law::Cone { mu: 0.4 },
            Law::Cone { mu: 0.0 },
            Law::Unilateral,
            Law::Bounded {
                lo: DVec3::new(-0.3, f64::NEG_INFINITY, 0.0),
                hi: DVec3::new(0.4, f64::INFINITY, 0.0),
            },
        ];
        for k in 0..1000 {
            let law = &laws[k % laws.len()];
            let s = Smoothing {
                convexity: 0.0,
                ..at(3.0 * random.unit())
            };
            let w = 0.5 + random.unit();
            let (p, u) = solved_pair(law, random.vec3(), random.vec3(), w, &s).expect("smooth");
            let f = smoothed(law, p, u, w, &s).expect("smooth").f;
            assert!(f.length() < 1e-13, "{law:?} {f}");
        }
    }

    #[test]
    fn the_smoothed_law_tends_to_the_law() {
        let mut random = Random::new(22);
        for _ in 0..1000 {
            let law = Law::Cone { mu: 0.5 };
            let (p, u) = (random.vec3(), random.vec3());
            let s = Smoothing {
                epsilon: 1e-24,
                ..Smoothing::default()
            };
            let f = smoothed(&law, p, u, 1.0, &s).expect("smooth").f;
            let on_law = law.natural_map(p, u, 1.0).length() < 1e-12;
            assert_eq!(f.length() < 1e-9, on_law);
        }
    }
}
