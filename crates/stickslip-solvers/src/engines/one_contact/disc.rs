//! Friction of a given bound alone: a disc, or a polygon inside it.

use super::Tangential;
use crate::problem::Law;
use crate::problem::law::{contact_vector, direction, tangent};
use glam::{DMat2, DMat3, DVec2, DVec3};

/// Friction within a disc or polygon: p_t minimises ½ p_t·S p_t + p_t·q_t over it, S the tangential block.
///
/// On the disc p_t(λ) = −(S + λI)⁻¹ q_t with λ ≥ 0 and |p_t| = r where it slides; |p_t| falls with λ and 1/|p_t| is
/// nearly linear in it: Newton from below, which does not overshoot (the secular equation). On the polygon every
/// vertex and edge is tried.
pub(super) fn disc(radius: f64, directions: Option<usize>, w: &DMat3, q: DVec3) -> DVec3 {
    let t = Tangential {
        w_nn: 1.0,
        w_nt: DVec2::ZERO,
        q_n: 0.0,
        schur: DMat2::from_cols(tangent(w.y_axis), tangent(w.z_axis)),
        rhs: tangent(q),
    };
    // What is not finite comes of sweeps that diverge: whoever sweeps will see it.
    if radius == 0.0 || t.rhs == DVec2::ZERO || !t.rhs.is_finite() {
        return DVec3::ZERO;
    }
    let law = Law::Disc { radius, directions };
    let shift = 1e-15 * (w.y_axis.y + w.z_axis.z);
    let stick = t
        .shifted_solve(0.0, -t.rhs)
        .or_else(|| t.shifted_solve(shift, -t.rhs));
    if let Some(p_t) = stick
        && law.project(contact_vector(0.0, p_t), 1.0) == contact_vector(0.0, p_t)
    {
        return contact_vector(0.0, p_t);
    }
    if let Some(n_d) = directions {
        return polygon(&law, (radius, n_d), &t, w, q);
    }
    // |q_t| = |(S + λ)p_t| ≥ λ r bounds λ from above.
    let (mut lambda, highest) = (0.0_f64, t.rhs.length() / radius);
    let mut p_t = -t.rhs / t.rhs.length() * radius;
    for _ in 0..100 {
        let at = lambda.max(if stick.is_none() { shift } else { 0.0 });
        let Some(p) = t.shifted_solve(at, -t.rhs) else {
            break;
        };
        let Some(dp) = t.shifted_solve(at, -p) else {
            break;
        };
        p_t = p;
        let s = p.length();
        let step = (s / radius - 1.0) * s * s / -p.dot(dp);
        let next = (lambda + step).clamp(lambda, highest);
        // Squares of what is beyond 1e154 overflow.
        if next.is_nan() || next - lambda <= f64::EPSILON * next {
            break;
        }
        lambda = next;
    }
    contact_vector(0.0, p_t / p_t.length() * radius)
}

/// The same where it slides on the polygon of `n_d` corners: the best point of every edge, and of those the one that misses the law
/// least.
fn polygon(law: &Law, (radius, n_d): (f64, usize), t: &Tangential, w: &DMat3, q: DVec3) -> DVec3 {
    let w_bar = (w.x_axis.x + w.y_axis.y + w.z_axis.z) / 3.0;
    let mut best = (f64::INFINITY, DVec3::ZERO);
    for j in 0..n_d {
        let (a, b) = (direction(j, n_d) * radius, direction(j + 1, n_d) * radius);
        let edge = b - a;
        let curvature = edge.dot(t.schur * edge);
        let s = if curvature > 0.0 {
            (-edge.dot(t.schur * a + t.rhs) / curvature).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let p = contact_vector(0.0, a + edge * s);
        let r = law.natural_map(p, *w * p + q, w_bar).length();
        if r < best.0 {
            best = (r, p);
        }
    }
    best.1
}
