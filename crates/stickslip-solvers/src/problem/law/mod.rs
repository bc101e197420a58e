//! The laws as sets: projections, the slip term that makes Coulomb's law associated, derivatives.
//!
//! Every law is written `K* ∋ ũ ⟂ p ∈ K` with ũ = u + μ σ(u_t) e_n, where σ is the slip speed: |u_t|
//! on the quadratic cone, max_j(−d_j·u_t) on the pyramid (De Saxcé's bipotential). Equivalently
//! p = P_K(p − ρ ũ) for any ρ > 0: the natural map, which all residuals and Newton methods here use. (Contacts with moments are two
//! blocks under one law: [`super::soft`]. Seen alone, the block of their forces is a cone here, and that of their moments has no bound.)
//!
//! | module | what |
//! |---|---|
//! | `sets` | projections on cone, pyramid, disc and polygon, with their derivatives |
//! | `maps` | maps that vanish where a law holds: natural, relaxed, Alart and Curnier's |

mod map;
mod maps;
mod sets;

pub use map::Map;
pub use maps::Linear;
pub(crate) use maps::moved;
pub use sets::{direction, project_cone, project_cone_derivative};

use crate::problem::Law;
use glam::{DMat3, DVec2, DVec3};
use sets::{Face, beside, project_disc, project_pyramid};

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

impl Law {
    /// P_K(x): the nearest point to `x` of the law's set, where `x` is an impulse times `w_bar`
    /// (so in m/s) and bounds are scaled likewise.
    #[must_use]
    pub fn project(&self, x: DVec3, w_bar: f64) -> DVec3 {
        match self {
            Self::Unilateral => DVec3::new(x.x.max(0.0), 0.0, 0.0),
            Self::Cone { mu } | Self::Soft { mu } => project_cone(*mu, x),
            // Their bound is the contact's to say.
            Self::Moments { .. } => x,
            Self::Pyramid { mu, directions } => project_pyramid(*mu, *directions, x).0,
            Self::Bounded { lo, hi } => {
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
            Self::Cone { mu } | Self::Soft { mu } => project_cone_derivative(*mu, x),
            Self::Moments { .. } => DMat3::IDENTITY,
            Self::Pyramid { mu, directions } => match project_pyramid(*mu, *directions, x).1 {
                Face::Apex => DMat3::ZERO,
                Face::Ray(e) => outer(e, e / e.length_squared()),
                Face::Facet(a) => DMat3::IDENTITY - outer(a, a),
                Face::Inside => DMat3::IDENTITY,
            },
            Self::Bounded { lo, hi } => {
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
            Self::Unilateral | Self::Bounded { .. } | Self::Disc { .. } | Self::Moments { .. } => {
                (0.0, DVec3::ZERO)
            }
            Self::Cone { mu } | Self::Soft { mu } => {
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
    use crate::random::Random;

    fn laws(mu: f64) -> Vec<Law> {
        vec![
            Law::Unilateral,
            Law::Cone { mu },
            Law::Pyramid { mu, directions: 4 },
            Law::Pyramid { mu, directions: 5 },
            Law::Pyramid { mu, directions: 8 },
            Law::Bounded {
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
