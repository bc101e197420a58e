//! Maps that vanish where a law holds, with their derivatives.

use crate::problem::Law;
use crate::problem::law::{contact_vector, outer, project_cone, tangent};
use glam::{DMat3, DVec3};

impl Law {
    /// Natural map of the law at impulse `p` and velocity `u`, in m/s:
    /// F = x − P(x − ũ), x = w̄ p, with w̄ = tr(D_ii)/3 the inverse of the effective mass.
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

/// F = x − P and its derivatives: dF = (I − P') dx + P_u du.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    /// F, m/s.
    pub f: DVec3,
    /// P', the derivative of the projection.
    pub d: DMat3,
    /// P_u: P' times the derivative of ũ.
    pub by_u: DMat3,
}

impl Law {
    /// The natural map with its derivatives: P_u = P' (I + e_n ∇(μσ)ᵀ).
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

    /// The map of the convex relaxation K* ∋ u ⟂ p ∈ K (no slip term) with its derivatives: F = x − P(x − u),
    /// P_u = P'.
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
        self.alart_curnier_weighted(p, u, w_bar, 1.0)
    }

    /// The same with slip weighed by s = ρ_t w̄ against impulses: the friction is that of x_t − s u_t. The weight moves no zero.
    #[must_use]
    pub fn alart_curnier_weighted(&self, p: DVec3, u: DVec3, w_bar: f64, s: f64) -> Linear {
        let Self::Cone { mu } = self else {
            return self.linearised(p, u, w_bar);
        };
        let x = p * w_bar;
        let slip = DVec3::new(1.0, s, s);
        let z = x - u * slip;
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
                f: u * slip,
                d: DMat3::IDENTITY,
                by_u: DMat3::from_diagonal(slip),
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
            by_u: DMat3::from_cols(d.x_axis, d.y_axis * s, d.z_axis * s),
        }
    }
}

/// x − P(z) with z = x − ũ. What the projection leaves alone is ũ itself: where x is large, as under a heavy
/// body, the difference would lose it.
pub(crate) fn moved(x: DVec3, shifted: DVec3, z: DVec3, projected: DVec3) -> DVec3 {
    DVec3::select(projected.cmpeq(z), shifted, x - projected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A contact that sticks, one that slides (p_t against u_t at the bound), one that is open: all maps vanish; and a
    /// slip along the friction is no solution of any.
    #[test]
    fn the_maps_vanish_where_the_law_holds() {
        let law = Law::Cone { mu: 0.5 };
        let cases = [
            (DVec3::new(1.0, 0.2, 0.1), DVec3::ZERO),
            (DVec3::new(2.0, -0.6, 0.8), DVec3::new(0.0, 3.0, -4.0)),
            (DVec3::ZERO, DVec3::new(0.3, 1.0, 2.0)),
        ];
        for (p, u) in cases {
            for w_bar in [0.1, 1.0, 30.0] {
                assert!(law.natural_map(p, u, w_bar).length() < 1e-14);
                assert!(law.linearised(p, u, w_bar).f.length() < 1e-14);
                assert!(law.alart_curnier(p, u, w_bar).f.length() < 1e-14);
            }
        }
        let (p, u) = (DVec3::new(2.0, 0.6, -0.8), DVec3::new(0.0, 3.0, -4.0));
        assert!(law.natural_map(p, u, 1.0).length() > 0.1);
        assert!(law.alart_curnier(p, u, 1.0).f.length() > 0.1);
    }

    type Map = fn(&Law, DVec3, DVec3, f64) -> Linear;

    /// dF = w̄ (I − P') dp + P_u du against differences, away from kinks.
    #[test]
    fn derivatives_match_differences() {
        let mut random = Random::new(12);
        let h = 1e-7;
        for k in 0..600 {
            let (p, u, v) = (random.vec3(), random.vec3(), random.vec3());
            let law = [
                Law::Cone { mu: 0.6 },
                Law::Pyramid {
                    mu: 0.6,
                    directions: 5,
                },
                Law::Unilateral,
            ][k % 3]
                .clone();
            let maps: [Map; 3] = [Law::linearised, Law::relaxed, Law::alart_curnier];
            for map in maps {
                let w_bar = 0.7;
                let at = |p, u| map(&law, p, u, w_bar).f;
                let here = map(&law, p, u, w_bar);
                let by_p = (DMat3::IDENTITY - here.d) * v * w_bar;
                for (up, down, exact) in [
                    (at(p + v * h, u), at(p - v * h, u), by_p),
                    (at(p, u + v * h), at(p, u - v * h), here.by_u * v),
                ] {
                    let (up, down) = ((up - here.f) / h, (here.f - down) / h);
                    if up.distance(down) < 1e-5 {
                        assert!(up.distance(exact) < 1e-4, "{law:?} {p} {u}: {up} {exact}");
                    }
                }
            }
        }
    }
}
