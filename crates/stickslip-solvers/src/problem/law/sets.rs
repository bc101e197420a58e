//! Projections on the sets of the laws, with their derivatives.

use crate::problem::law::{contact_vector, tangent};
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
pub(crate) fn beside(t: DVec2, n_d: usize) -> impl Iterator<Item = usize> {
    let turn = 2.0 * core::f64::consts::PI;
    let k = (libm::atan2(t.y, t.x) * n_d as f64 / turn).floor() as i64;
    let mut near = [-1, 0, 1, 2].map(|d| (k + d).rem_euclid(n_d as i64) as usize);
    near.sort_unstable();
    let all = n_d <= near.len();
    (0..if all { n_d } else { near.len() }).map(move |i| if all { i } else { near[i] })
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

/// The sector of `t` among those that start at the directions of `candidates`: the neighbouring pair of directions with the
/// largest d_j·t + d_{j+1}·t.
fn sector(t: DVec2, n_d: usize, candidates: impl Iterator<Item = usize>) -> (DVec2, DVec2) {
    let mut best = (0, f64::NEG_INFINITY);
    for j in candidates {
        let v = (direction(j, n_d) + direction(j + 1, n_d)).dot(t);
        if v > best.1 {
            best = (j, v);
        }
    }
    (direction(best.0, n_d), direction(best.0 + 1, n_d))
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
    let (d0, d1) = sector(t, n_d, beside(t, n_d));
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
pub(crate) fn project_disc(radius: f64, directions: Option<usize>, t: DVec2) -> (DVec2, DMat2) {
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
    let (a, b) = sector(t, n_d, 0..n_d);
    let (a, b) = (a * radius, b * radius);
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

    /// On the pyramid with four directions and μ = 1: inside, on a facet, on an edge, at the apex.
    #[test]
    fn a_pyramid_has_its_faces() {
        let face = |x, y, z| project_pyramid(1.0, 4, DVec3::new(x, y, z));
        let inside = DVec3::new(1.0, 0.2, 0.3);
        assert_eq!(face(1.0, 0.2, 0.3), (inside, Face::Inside));
        // The facet y + z = x: its nearest point to (0, 1, 1) is (2/3, 1/3, 1/3).
        let (p, on) = face(0.0, 1.0, 1.0);
        assert!(p.distance(DVec3::new(2.0, 1.0, 1.0) / 3.0) < 1e-15);
        assert!(matches!(on, Face::Facet(_)));
        // The edge (1, 1, 0): half of (0, 1, 0) projected on it.
        assert_eq!(
            face(0.0, 1.0, 0.0),
            (
                DVec3::new(0.5, 0.5, 0.0),
                Face::Ray(DVec3::new(1.0, 1.0, 0.0))
            )
        );
        assert_eq!(face(-1.0, 0.1, 0.0), (DVec3::ZERO, Face::Apex));
    }
}
