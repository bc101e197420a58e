//! The laws as sets: projections, the slip term that makes Coulomb's law associated, derivatives.
//!
//! Every law is written `K* ∋ ũ ⟂ p ∈ K` with ũ = u + μ σ(u_t) e_n, where σ is the slip speed: |u_t|
//! on the quadratic cone, max_j(−d_j·u_t) on the pyramid (De Saxcé's bipotential). Equivalently
//! p = P_K(p − ρ ũ) for any ρ > 0: the natural map, which all residuals and Newton methods here use.

use crate::problem::Law;
use glam::{DMat2, DMat3, DVec2, DVec3};

/// Direction d_j of a pyramid with `n_d` directions, in the tangent plane.
#[must_use]
pub fn direction(j: usize, n_d: usize) -> DVec2 {
    // Quarter turns are exact, so that a 4- or 8-sided pyramid is symmetric to the bit.
    let j = j % n_d;
    if (4 * j).is_multiple_of(n_d) {
        return [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y][4 * j / n_d];
    }
    let (s, c) = libm::sincos(2.0 * core::f64::consts::PI * j as f64 / n_d as f64);
    DVec2::new(c, s)
}

/// Numbers, rising, of the directions of a fan beside the angle of `t`: whatever is largest over all directions for a
/// function that falls away from `t` on both sides is largest among these.
fn beside(t: DVec2, n_d: usize) -> impl Iterator<Item = usize> {
    let turn = 2.0 * core::f64::consts::PI;
    let k = (libm::atan2(t.y, t.x) * n_d as f64 / turn).floor() as i64;
    let mut near = [-1, 0, 1, 2].map(|d| (k + d).rem_euclid(n_d as i64) as usize);
    near.sort_unstable();
    let all = n_d <= near.len();
    (0..if all { n_d } else { near.len() }).map(move |i| if all { i } else { near[i] })
}

/// Tangential part (t₁, t₂) of a contact vector (n, t₁, t₂).
#[must_use]
pub fn tangent(x: DVec3) -> DVec2 {
    DVec2::new(x.y, x.z)
}

/// Contact vector with normal part `n` and tangential part `t`.
#[must_use]
pub fn contact_vector(n: f64, t: DVec2) -> DVec3 {
    DVec3::new(n, t.x, t.y)
}

/// Projection on the quadratic cone {|t| ≤ μ n}.
#[must_use]
#[inline]
pub fn project_cone(mu: f64, x: DVec3) -> DVec3 {
    let t = tangent(x);
    let r = t.length();
    if mu * r <= -x.x {
        DVec3::ZERO
    } else if r <= mu * x.x {
        x
    } else {
        let s = (mu * r + x.x) / (1.0 + mu * mu);
        contact_vector(s, t * (mu * s / r))
    }
}

/// Derivative of [`project_cone`] at `x` (an element of it where it is not differentiable).
#[must_use]
pub fn project_cone_derivative(mu: f64, x: DVec3) -> DMat3 {
    let t = tangent(x);
    let r = t.length();
    if mu * r <= -x.x {
        return DMat3::ZERO;
    }
    if r <= mu * x.x {
        return DMat3::IDENTITY;
    }
    // P = s (1, μ d), s = (μ r + n)/(1+μ²), d = t/r:
    // dP = (1, μ d) ⊗ (1, μ d)/(1+μ²) + μ s/r · (0, I − d dᵀ).
    let d = t / r;
    let a = contact_vector(1.0, d * mu);
    let k = 1.0 / (1.0 + mu * mu);
    let g = mu * (mu * r + x.x) * k / r;
    let radial = DMat3::from_cols(a * (k * a.x), a * (k * a.y), a * (k * a.z));
    let turn = DMat3::from_cols(
        DVec3::ZERO,
        DVec3::new(0.0, g * (1.0 - d.x * d.x), -g * d.x * d.y),
        DVec3::new(0.0, -g * d.x * d.y, g * (1.0 - d.y * d.y)),
    );
    radial + turn
}

/// Face of a polyhedral cone on which a projection falls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Face {
    Apex,
    Ray(DVec3),
    Facet(DVec3),
    Inside,
}

/// Projection on the pyramid {t ∈ μ n conv(d_j)} and the face it falls on (ray direction, or unit
/// normal of the facet).
///
/// The pyramid is symmetric about each plane through its axis and a direction or a facet's middle,
/// so the nearest point lies in the sector of `x`: one facet and its two edges decide.
pub(crate) fn project_pyramid(mu: f64, n_d: usize, x: DVec3) -> (DVec3, Face) {
    let t = tangent(x);
    // The sector: the neighbouring pair of directions with the largest d_j·t + d_{j+1}·t.
    let mut best = (0, f64::NEG_INFINITY);
    for j in beside(t, n_d) {
        let v = (direction(j, n_d) + direction(j + 1, n_d)).dot(t);
        if v > best.1 {
            best = (j, v);
        }
    }
    let (d0, d1) = (direction(best.0, n_d), direction(best.0 + 1, n_d));
    let (e0, e1) = (contact_vector(1.0, d0 * mu), contact_vector(1.0, d1 * mu));
    // Outer normal of the facet spanned by e0 and e1.
    let mid = (d0 + d1) * 0.5;
    let apothem2 = mid.length_squared();
    let a = contact_vector(-mu * apothem2, mid);
    let excess = a.dot(x);
    if excess <= 0.0 && x.x >= 0.0 {
        return (x, Face::Inside);
    }
    if mu > 0.0 && excess > 0.0 {
        let y = x - a * (excess / a.length_squared());
        // y = α e0 + β e1, α + β = y_n.
        let side = d1 - d0;
        let beta = (tangent(y).dot(side) / (mu * side.length_squared())) + 0.5 * y.x;
        if beta >= 0.0 && beta <= y.x {
            return (y, Face::Facet(a / a.length()));
        }
    }
    let on_ray = |e: DVec3| (e, e.dot(x) / e.length_squared());
    let (e, s) = {
        let (r0, r1) = (on_ray(e0), on_ray(e1));
        if r0.1 >= r1.1 { r0 } else { r1 }
    };
    if s > 0.0 {
        (e * s, Face::Ray(e))
    } else {
        (DVec3::ZERO, Face::Apex)
    }
}

/// Projection on the disc, or on the polygon inscribed in it, and its derivative.
fn project_disc(radius: f64, directions: Option<usize>, t: DVec2) -> (DVec2, DMat2) {
    let inside = (t, DMat2::IDENTITY);
    if radius == 0.0 {
        return (DVec2::ZERO, DMat2::ZERO);
    }
    let Some(n_d) = directions else {
        let length = t.length();
        if length <= radius {
            return inside;
        }
        let d = t / length;
        let across = DMat2::IDENTITY - DMat2::from_cols(d * d.x, d * d.y);
        return (d * radius, across * (radius / length));
    };
    // The nearest point lies in the sector of t: its edge, or one of the edge's ends.
    let mut best = (0, f64::NEG_INFINITY);
    for j in 0..n_d {
        let v = (direction(j, n_d) + direction(j + 1, n_d)).dot(t);
        if v > best.1 {
            best = (j, v);
        }
    }
    let (a, b) = (
        direction(best.0, n_d) * radius,
        direction(best.0 + 1, n_d) * radius,
    );
    let middle = (a + b) * 0.5;
    if t.dot(middle) <= middle.length_squared() {
        return inside;
    }
    let edge = b - a;
    let s = (t - a).dot(edge) / edge.length_squared();
    if s > 0.0 && s < 1.0 {
        let e = edge / edge.length();
        (a + edge * s, DMat2::from_cols(e * e.x, e * e.y))
    } else {
        (if s >= 1.0 { b } else { a }, DMat2::ZERO)
    }
}

impl Law {
    /// P_K(x): the nearest point to `x` of the law's set, where `x` is an impulse times `w_bar`
    /// (so in m/s) and bounds are scaled likewise.
    #[must_use]
    pub fn project(&self, x: DVec3, w_bar: f64) -> DVec3 {
        match self {
            Self::Unilateral => DVec3::new(x.x.max(0.0), 0.0, 0.0),
            Self::Cone { mu } => project_cone(*mu, x),
            Self::Pyramid { mu, directions } => project_pyramid(*mu, *directions, x).0,
            Self::Box { lo, hi } => {
                let (lo, hi) = scaled_bounds(*lo, *hi, w_bar);
                x.max(lo).min(hi)
            }
            Self::Disc { radius, directions } => {
                contact_vector(0.0, project_disc(radius * w_bar, *directions, tangent(x)).0)
            }
        }
    }

    /// Derivative of [`Self::project`] with respect to `x`.
    #[must_use]
    pub fn project_derivative(&self, x: DVec3, w_bar: f64) -> DMat3 {
        match self {
            Self::Unilateral => {
                let on = if x.x > 0.0 { 1.0 } else { 0.0 };
                DMat3::from_diagonal(DVec3::new(on, 0.0, 0.0))
            }
            Self::Cone { mu } => project_cone_derivative(*mu, x),
            Self::Pyramid { mu, directions } => match project_pyramid(*mu, *directions, x).1 {
                Face::Apex => DMat3::ZERO,
                Face::Ray(e) => outer(e, e / e.length_squared()),
                Face::Facet(a) => DMat3::IDENTITY - outer(a, a),
                Face::Inside => DMat3::IDENTITY,
            },
            Self::Box { lo, hi } => {
                let (lo, hi) = scaled_bounds(*lo, *hi, w_bar);
                let on = |x: f64, lo: f64, hi: f64| if lo < x && x < hi { 1.0 } else { 0.0 };
                DMat3::from_diagonal(DVec3::new(
                    on(x.x, lo.x, hi.x),
                    on(x.y, lo.y, hi.y),
                    on(x.z, lo.z, hi.z),
                ))
            }
            Self::Disc { radius, directions } => {
                let d = project_disc(radius * w_bar, *directions, tangent(x)).1;
                DMat3::from_cols(
                    DVec3::ZERO,
                    contact_vector(0.0, d.x_axis),
                    contact_vector(0.0, d.y_axis),
                )
            }
        }
    }

    /// μ σ(u_t), in m/s, and its gradient with respect to u: what turns u into ũ.
    #[must_use]
    pub fn slip(&self, u: DVec3) -> (f64, DVec3) {
        match self {
            Self::Unilateral | Self::Box { .. } | Self::Disc { .. } => (0.0, DVec3::ZERO),
            Self::Cone { mu } => {
                let t = tangent(u);
                let s = t.length();
                let d = if s > 0.0 { t / s } else { DVec2::ZERO };
                (mu * s, contact_vector(0.0, d * *mu))
            }
            Self::Pyramid { mu, directions } => {
                let t = tangent(u);
                let (mut s, mut d_best) = (0.0, DVec2::ZERO);
                for j in beside(-t, *directions) {
                    let d = direction(j, *directions);
                    if -d.dot(t) > s {
                        (s, d_best) = (-d.dot(t), d);
                    }
                }
                (mu * s, contact_vector(0.0, d_best * -mu))
            }
        }
    }

    /// Natural map of the law at impulse `p` and velocity `u`, in m/s:
    /// F = x − P(x − ũ), x = w̄ p, with w̄ = tr(W_ii)/3 the inverse of the effective mass.
    #[must_use]
    pub fn natural_map(&self, p: DVec3, u: DVec3, w_bar: f64) -> DVec3 {
        let x = p * w_bar;
        if let Self::Cone { mu } = self {
            let shifted = u + DVec3::X * (mu * tangent(u).length());
            let z = x - shifted;
            return moved(x, shifted, z, project_cone(*mu, z));
        }
        let shifted = u + DVec3::X * self.slip(u).0;
        let z = x - shifted;
        moved(x, shifted, z, self.project(z, w_bar))
    }
}

/// F = x − P and its derivatives: dF = (I − D) dx + D_u du.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    /// F, m/s.
    pub f: DVec3,
    /// D.
    pub d: DMat3,
    /// D_u.
    pub by_u: DMat3,
}

impl Law {
    /// The natural map with its derivatives: D = P', D_u = D C with C = I + e_n ∇(μσ)ᵀ.
    #[must_use]
    pub fn linearised(&self, p: DVec3, u: DVec3, w_bar: f64) -> Linear {
        let x = p * w_bar;
        let (shift, gradient) = self.slip(u);
        let z = x - u - DVec3::X * shift;
        let d = self.project_derivative(z, w_bar);
        Linear {
            f: moved(x, u + DVec3::X * shift, z, self.project(z, w_bar)),
            d,
            by_u: d + outer(d.x_axis, gradient),
        }
    }

    /// The map of the convex relaxation K* ∋ u ⟂ p ∈ K (no slip term) with its derivatives: F = x − P(x − u), D_u = D = P'.
    #[must_use]
    pub fn relaxed(&self, p: DVec3, u: DVec3, w_bar: f64) -> Linear {
        let x = p * w_bar;
        let z = x - u;
        let d = self.project_derivative(z, w_bar);
        Linear {
            f: moved(x, u, z, self.project(z, w_bar)),
            d,
            by_u: d,
        }
    }

    /// Map of Alart and Curnier at impulse `p` and velocity `u`, m/s, with derivatives: Signorini on the
    /// normal, and friction projected on the disc of radius μ (x_n − u_n)₊. Zero where the natural map is.
    #[must_use]
    pub fn alart_curnier(&self, p: DVec3, u: DVec3, w_bar: f64) -> Linear {
        let x = p * w_bar;
        let z = x - u;
        let Self::Cone { mu } = self else {
            return self.linearised(p, u, w_bar);
        };
        if z.x <= 0.0 {
            return Linear {
                f: x,
                d: DMat3::ZERO,
                by_u: DMat3::ZERO,
            };
        }
        let (t, radius) = (tangent(z), mu * z.x);
        let length = t.length();
        if length <= radius {
            return Linear {
                f: u,
                d: DMat3::IDENTITY,
                by_u: DMat3::IDENTITY,
            };
        }
        let e = t / length;
        let k = radius / length;
        let d = DMat3::from_cols(
            contact_vector(1.0, e * *mu),
            DVec3::new(0.0, k * (1.0 - e.x * e.x), -k * e.x * e.y),
            DVec3::new(0.0, -k * e.x * e.y, k * (1.0 - e.y * e.y)),
        );
        Linear {
            f: contact_vector(u.x, tangent(x) - e * radius),
            d,
            by_u: d,
        }
    }
}

/// x − P(z) with z = x − ũ. What the projection leaves alone is ũ itself: where x is large, as under a heavy
/// body, the difference would lose it.
pub(crate) fn moved(x: DVec3, shifted: DVec3, z: DVec3, projected: DVec3) -> DVec3 {
    DVec3::select(projected.cmpeq(z), shifted, x - projected)
}

/// Bounds on w̄ p; an infinite or absent bound stays what it is (0·∞ must not become NaN).
fn scaled_bounds(lo: DVec3, hi: DVec3, w_bar: f64) -> (DVec3, DVec3) {
    let scale = |b: f64| if b.is_finite() { b * w_bar } else { b };
    (
        DVec3::new(scale(lo.x), scale(lo.y), scale(lo.z)),
        DVec3::new(scale(hi.x), scale(hi.y), scale(hi.z)),
    )
}

/// a bᵀ.
#[must_use]
pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directions_beside_an_angle_hold_the_largest() {
        for n_d in 3..40 {
            for k in 0..997 {
                let (s, c) = libm::sincos(0.0063 * f64::from(k));
                // On a direction and half way between two as well.
                let exact =
                    direction(k as usize, n_d) + direction(k as usize + (k % 2) as usize, n_d);
                for t in [DVec2::new(c, s), exact] {
                    let best = |all: &mut dyn Iterator<Item = usize>| {
                        let mut best = (usize::MAX, f64::NEG_INFINITY);
                        for j in all {
                            let v = direction(j, n_d).dot(t);
                            if v > best.1 {
                                best = (j, v);
                            }
                        }
                        best
                    };
                    assert_eq!(best(&mut beside(t, n_d)), best(&mut (0..n_d)), "{n_d} {t}");
                }
            }
        }
    }
    use crate::random::Random;

    fn laws(mu: f64) -> Vec<Law> {
        vec![
            Law::Unilateral,
            Law::Cone { mu },
            Law::Pyramid { mu, directions: 4 },
            Law::Pyramid { mu, directions: 5 },
            Law::Pyramid { mu, directions: 8 },
            Law::Box {
                lo: DVec3::new(-1.0, 0.0, f64::NEG_INFINITY),
                hi: DVec3::new(0.5, 0.0, f64::INFINITY),
            },
            Law::Disc {
                radius: 0.7,
                directions: None,
            },
            Law::Disc {
                radius: 0.7,
                directions: Some(5),
            },
        ]
    }

    #[test]
    fn projections_are_idempotent_and_nonexpansive() {
        let mut random = Random::new(7);
        for _ in 0..2000 {
            let mu = [0.0, 0.1, 0.5, 1.0, 10.0][random.below(5)];
            let (x, y) = (random.vec3() * 2.0, random.vec3() * 2.0);
            for law in laws(mu) {
                let (a, b) = (law.project(x, 1.0), law.project(y, 1.0));
                assert!((law.project(a, 1.0) - a).length() < 1e-13, "{law:?} {x}");
                assert!(
                    (a - b).length() <= (x - y).length() * (1.0 + 1e-12),
                    "{law:?}"
                );
                // Variational inequality of the projection: (x − P x)·(k − P x) ≤ 0 for k in K.
                assert!((x - a).dot(b - a) <= 1e-12, "{law:?} {x} {y}");
            }
        }
    }

    #[test]
    fn derivatives_match_differences() {
        let mut random = Random::new(8);
        let eps = 1e-7;
        for _ in 0..500 {
            let mu = [0.1, 0.5, 1.0, 10.0][random.below(4)];
            let (x, v) = (random.vec3(), random.vec3());
            for law in laws(mu) {
                // Skip the few points within eps of a kink: one-sided differences disagree there.
                let up = (law.project(x + v * eps, 1.0) - law.project(x, 1.0)) / eps;
                let down = (law.project(x, 1.0) - law.project(x - v * eps, 1.0)) / eps;
                if (up - down).length() < 1e-5 {
                    let exact = law.project_derivative(x, 1.0) * v;
                    assert!((up - exact).length() < 1e-4, "{law:?} {x}: {up} {exact}");
                }
                let slope = (law.slip(x + v * eps).0 - law.slip(x - v * eps).0) / (2.0 * eps);
                let exact = law.slip(x).1.dot(v);
                let other = law.slip(x + v * eps).1.dot(v);
                if (exact - other).abs() < 1e-4 {
                    assert!((slope - exact).abs() < 1e-4, "{law:?}");
                }
            }
        }
    }
}
