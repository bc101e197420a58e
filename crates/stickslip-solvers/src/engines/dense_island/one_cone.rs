//! One contact on the exact cone by itself, in a tenth of a microsecond.

use crate::problem::law::{contact_vector, tangent};
use glam::{DMat3, DVec2, DVec3};

/// Last relative change of λ: convergence is quadratic, and the next change would be rounding.
const LAST_CHANGE: f64 = 1e-8;
/// Most Newton steps for λ.
const ROOT_STEPS: usize = 30;

/// Impulse that solves one contact alone, u = D p + q, quickly: on the exact cone with `mu`, D near symmetric and
/// positive definite. Where that does not hold the answer may be wrong: the caller checks its residual. (`one_contact` is
/// the careful one.)
///
/// With the normal eliminated, u_t = S p_t + s; sliding, p_t = −(S + λI)⁻¹ s = −(a + λ s)/det, a = adj(S) s. On the cone's
/// boundary μ p_n = |p_t|, which times det is c₀ + c₁ λ + c₂ λ² = |a + λ s|: negative on the left minus the right at
/// λ = 0, where stick is outside the cone, and rising without bound.
#[inline]
pub(crate) fn alone(mu: f64, d: &DMat3, q: DVec3) -> DVec3 {
    alone_to(LAST_CHANGE, mu, d, q)
}

/// [`alone`] with a last relative change of λ.
#[inline(always)]
pub(super) fn alone_to(last: f64, mu: f64, d: &DMat3, q: DVec3) -> DVec3 {
    let d_nn = d.x_axis.x;
    if q.x >= 0.0 || d_nn <= 0.0 {
        return DVec3::ZERO;
    }
    let over = 1.0 / d_nn;
    if mu == 0.0 {
        return DVec3::new(-q.x * over, 0.0, 0.0);
    }
    // The normal eliminated: S = (sx sy) by columns, and s.
    let d_nt = DVec2::new(d.y_axis.x, d.z_axis.x);
    let d_tn = tangent(d.x_axis) * over;
    let (sx, sy) = (
        tangent(d.y_axis) - d_tn * d_nt.x,
        tangent(d.z_axis) - d_tn * d_nt.y,
    );
    let s = tangent(q) - d_tn * q.x;
    let det = sx.x * sy.y - sx.y * sy.x;
    // a = adj(S) s.
    let a = DVec2::new(sy.y * s.x - sy.x * s.y, sx.x * s.y - sx.y * s.x);
    let k = mu * over;
    let c0 = k * (d_nt.dot(a) - q.x * det);
    let a2 = a.length_squared();
    // Sticks.
    if c0 >= 0.0 && c0 * c0 >= a2 && det > 0.0 {
        let p_t = -a / det;
        return contact_vector(-(q.x + d_nt.dot(p_t)) * over, p_t);
    }
    // Slides.
    let trace = sx.x + sy.y;
    let slide = Slide {
        c: [c0, k * (d_nt.dot(s) - q.x * trace), -k * q.x],
        a2,
        ab: a.dot(s),
        b2: s.length_squared(),
        along: k * d_nt.dot(s),
        half_trace: 0.5 * trace,
    };
    let e = a + s * slide.ratio(last);
    let e = e / e.length();
    // The direction is what the root gives well; with it p_n follows from u_n = 0.
    let p_n = -q.x / (d_nn - mu * d_nt.dot(e));
    contact_vector(p_n, e * (-mu * p_n))
}

/// The equation c₀ + c₁ λ + c₂ λ² = |a + λ s| of a slide, with |a|², a·s and |s|².
struct Slide {
    c: [f64; 3],
    a2: f64,
    ab: f64,
    b2: f64,
    /// (μ/D_nn) D_nt·s, and half the trace of S: they give the root for S isotropic.
    along: f64,
    half_trace: f64,
}

impl Slide {
    /// Its largest root λ, the ratio of slip to impulse, to a last relative change.
    #[inline(always)]
    fn ratio(&self, last: f64) -> f64 {
        let &Self { c, a2, ab, b2, .. } = self;
        // From the right the function is convex enough: Newton falls to the largest root without passing it. There
        // c₂ λ² + c₁ λ + c₀ ≥ |a| + λ |s|.
        let (a1, b1) = (a2.sqrt(), b2.sqrt());
        let half = 0.5 * (b1 - c[1]) / c[2];
        let highest = half + (half * half + ((a1 - c[0]) / c[2]).max(0.0)).sqrt();
        // First from the root for S isotropic, which is near where there is one body.
        let near = (b1 - self.along) / c[2] - self.half_trace;
        let mut lambda = if near > 0.0 && near < highest {
            near
        } else {
            highest
        };
        for _ in 0..ROOT_STEPS {
            let root = (a2 + lambda * (2.0 * ab + lambda * b2)).sqrt();
            let f = c[0] + lambda * (c[1] + lambda * c[2]) - root;
            let slope = c[1] + 2.0 * lambda * c[2] - (ab + lambda * b2) / root;
            let change = f / slope;
            let next = lambda - change;
            if !(slope > 0.0 && next > 0.0 && next <= highest) {
                if lambda == highest {
                    break;
                }
                lambda = highest;
                continue;
            }
            lambda = next;
            if change.abs() <= last * lambda {
                break;
            }
        }
        lambda
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::dense_island::tests::random_problem;
    use crate::engines::one_contact;
    use crate::problem::Law;
    use crate::problem::residual::GlobalResidual;
    use crate::random::Random;

    #[test]
    fn one_contact_is_solved_as_by_the_careful_solver() {
        let mut random = Random::new(3);
        for k in 0..5000 {
            let mu = [0.0, 0.1, 0.5, 1.0, 3.0][k % 5];
            let problem = random_problem(&mut random, 1, mu);
            let (d, q) = (problem.delassus.diagonal(0), problem.q[0]);
            let p = alone(mu, d, q);
            let r = GlobalResidual::new(&problem, &[p]).siconos();
            assert!(r <= 1e-13, "{mu} {d} {q}: {r:e}");
            let careful = one_contact::solve(&Law::Cone { mu }, d, q);
            // With strong coupling there may be two slides: both are answers.
            if mu <= 0.1 {
                assert!((p - careful).length() <= 1e-11 * (1.0 + p.length()));
            }
        }
    }
}
