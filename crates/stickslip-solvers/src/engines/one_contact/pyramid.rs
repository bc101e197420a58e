//! One contact on a pyramid: stick, and every face and edge on which it can slide.

use super::{Tangential, unilateral};
use crate::problem::Law;
use crate::problem::law::{contact_vector, direction, tangent};
use glam::{DMat3, DVec2, DVec3};

/// Coulomb on the pyramid: every mode tried (stick, slide on an edge, slide along a direction), the
/// one that violates the law least kept.
pub(super) fn pyramid(mu: f64, n_d: usize, w: &DMat3, q: DVec3) -> DVec3 {
    let w_nn = w.x_axis.x;
    if q.x >= 0.0 || w_nn <= 0.0 {
        return DVec3::ZERO;
    }
    if mu == 0.0 {
        return unilateral(w, q);
    }
    let law = Law::Pyramid {
        mu,
        directions: n_d,
    };
    let w_bar = (w.x_axis.x + w.y_axis.y + w.z_axis.z) / 3.0;
    let mut best = (f64::INFINITY, DVec3::ZERO);
    let mut consider = |p: DVec3, u: DVec3| {
        let r = law.natural_map(p, u, w_bar).length();
        if r < best.0 {
            best = (r, p);
        }
    };
    let t = Tangential::new(w, q);
    if let Some(p_t) = t.shifted_solve(0.0, -t.rhs) {
        let p = contact_vector(t.normal(p_t), p_t);
        consider(p, *w * p + q);
    }
    slides(mu, n_d, w, q, &mut consider);
    best.1
}

/// Impulses of a pyramid along each of its directions and between two of them, with the velocities they give; those that dissipate less
/// than another are passed over.
fn slides(mu: f64, n_d: usize, w: &DMat3, q: DVec3, consider: &mut impl FnMut(DVec3, DVec3)) {
    // A slide that misses maximal dissipation by more than this is not worth a closer look.
    let w_bar = (w.x_axis.x + w.y_axis.y + w.z_axis.z) / 3.0;
    let slack = 1e-9 * (q.length() + w_bar * q.x.abs() / w.x_axis.x);
    let w_n = DVec3::new(w.x_axis.x, w.y_axis.x, w.z_axis.x);
    let mut fan = [n_d - 1, 0, 1].map(|j| direction(j, n_d));
    for j in 0..n_d {
        let [d_last, d0, d1] = fan;
        fan = [d0, d1, direction(j + 2, n_d)];
        // Along d_j: p = p_n (1, μ d_j), u_n = 0.
        let e0 = contact_vector(1.0, d0 * mu);
        let e1 = contact_vector(1.0, d1 * mu);
        let a0 = w_n.dot(e0);
        if a0 > 0.0 {
            let p = e0 * (-q.x / a0);
            let u = *w * p + q;
            let along = |d: DVec2| -d.dot(tangent(u));
            if along(d0) + slack >= along(d_last).max(along(d1)).max(0.0) {
                consider(p, u);
            }
        }
        // Between d_j and d_{j+1}: p = α e0 + β e1, u_n = 0 and no slip along the edge d_{j+1} − d_j.
        let side = contact_vector(0.0, d1 - d0);
        let (a1, b0, b1) = (w_n.dot(e1), side.dot(*w * e0), side.dot(*w * e1));
        let det = a0 * b1 - a1 * b0;
        if det != 0.0 {
            let (r0, r1) = (-q.x, -side.dot(q));
            let alpha = (r0 * b1 - a1 * r1) / det;
            let beta = (a0 * r1 - b0 * r0) / det;
            if alpha >= 0.0 && beta >= 0.0 {
                let p = e0 * alpha + e1 * beta;
                let u = *w * p + q;
                if -d0.dot(tangent(u)) + slack >= 0.0 {
                    consider(p, u);
                }
            }
        }
    }
}
