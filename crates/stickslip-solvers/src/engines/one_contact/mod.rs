//! The exact solution of a problem with one contact: u = D p + q with D a 3×3 matrix (`w` in the code).
//!
//! A file for each law with friction; what they share, the tangential problem, is here.

mod cone;
mod disc;
mod pyramid;

use crate::problem::Law;
use crate::problem::law::tangent;
use glam::{DMat2, DMat3, DVec2, DVec3};

/// Impulse that solves the contact alone: u = `w` p + `q` and the law.
///
/// For `w` positive definite and Coulomb's law a solution exists for every μ ≥ 0. Where several
/// exist (possible when μ couples strongly with the normal) the order is: open if q_n ≥ 0, else
/// stick if stick is possible, else the slide with the smallest ratio λ = |u_t|/|p_t| found.
#[must_use]
pub fn solve(law: &Law, w: &DMat3, q: DVec3) -> DVec3 {
    match law {
        Law::Unilateral => unilateral(w, q),
        Law::Cone { mu } | Law::Soft { mu } => cone::cone(*mu, w, q),
        Law::Pyramid { mu, directions } => pyramid::pyramid(*mu, *directions, w, q),
        Law::Bounded { lo, hi } => boxed(*lo, *hi, w, q),
        Law::Disc { radius, directions } => disc::disc(*radius, *directions, w, q),
        // Without their contact they have no bound: methods that go block by block do not take them.
        Law::Moments { .. } => DVec3::ZERO,
    }
}

fn unilateral(w: &DMat3, q: DVec3) -> DVec3 {
    let w_nn = w.x_axis.x;
    if q.x >= 0.0 || w_nn <= 0.0 {
        return DVec3::ZERO;
    }
    DVec3::new(-q.x / w_nn, 0.0, 0.0)
}

/// The normal eliminated by u_n = 0: p_n = −(q_n + D_nt·p_t)/D_nn leaves u_t = S p_t + s.
struct Tangential {
    w_nn: f64,
    w_nt: DVec2,
    q_n: f64,
    schur: DMat2,
    rhs: DVec2,
}

impl Tangential {
    fn new(w: &DMat3, q: DVec3) -> Self {
        let w_nn = w.x_axis.x;
        let w_nt = DVec2::new(w.y_axis.x, w.z_axis.x);
        let w_tn = tangent(w.x_axis);
        let column = |c: DVec3| tangent(c) - w_tn * (c.x / w_nn);
        Self {
            w_nn,
            w_nt,
            q_n: q.x,
            schur: DMat2::from_cols(column(w.y_axis), column(w.z_axis)),
            rhs: tangent(q) - w_tn * (q.x / w_nn),
        }
    }

    fn normal(&self, p_t: DVec2) -> f64 {
        -(self.q_n + self.w_nt.dot(p_t)) / self.w_nn
    }

    /// (S + λI)⁻¹ v by elimination with row pivoting; None where singular.
    fn shifted_solve(&self, lambda: f64, v: DVec2) -> Option<DVec2> {
        let (a, b) = (self.schur.x_axis.x + lambda, self.schur.y_axis.x);
        let (c, d) = (self.schur.x_axis.y, self.schur.y_axis.y + lambda);
        let ((a, b, v0), (c, d, v1)) = if a.abs() >= c.abs() {
            ((a, b, v.x), (c, d, v.y))
        } else {
            ((c, d, v.y), (a, b, v.x))
        };
        if a == 0.0 {
            return None;
        }
        let l = c / a;
        let pivot = d - l * b;
        // Below rounding of what it was computed from, the pivot is zero.
        if pivot.abs() <= 4.0 * f64::EPSILON * (d.abs() + (l * b).abs()) {
            return None;
        }
        let y = (v1 - l * v0) / pivot;
        let x = DVec2::new((v0 - b * y) / a, y);
        x.is_finite().then_some(x)
    }
}

/// Rows with bounds: projected Gauss-Seidel on the 3×3 block, which converges for symmetric
/// positive semidefinite `w`.
fn boxed(lo: DVec3, hi: DVec3, w: &DMat3, q: DVec3) -> DVec3 {
    let mut p = DVec3::ZERO.max(lo).min(hi);
    for _ in 0..200 {
        let before = p;
        for k in 0..3 {
            let w_kk = w.col(k)[k];
            if w_kk <= 0.0 || lo[k] == hi[k] {
                continue;
            }
            let u = w.row(k).dot(p) + q[k];
            p[k] = (p[k] - u / w_kk).max(lo[k]).min(hi[k]);
        }
        if (p - before).abs().max_element() <= f64::EPSILON * p.abs().max_element() {
            break;
        }
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::law::outer;
    use crate::random::Random;

    fn residual(law: &Law, w: &DMat3, q: DVec3, p: DVec3) -> f64 {
        let w_bar = (w.x_axis.x + w.y_axis.y + w.z_axis.z) / 3.0;
        law.natural_map(p, *w * p + q, w_bar).length()
    }

    #[test]
    fn point_mass_on_a_plane_has_the_textbook_answers() {
        // W = I/m: stick if |q_t| ≤ μ|q_n|, else slide with p_t = −μ p_n q_t/|q_t|.
        let (m, mu) = (2.5, 0.5);
        let w = DMat3::IDENTITY * (1.0 / m);
        let law = Law::Cone { mu };
        assert_eq!(solve(&law, &w, DVec3::new(0.3, 1.0, 0.0)), DVec3::ZERO);
        let stick = solve(&law, &w, DVec3::new(-2.0, 0.3, -0.4));
        assert!((stick - DVec3::new(2.0, -0.3, 0.4) * m).length() < 1e-15 * m);
        let slide = solve(&law, &w, DVec3::new(-2.0, 3.0, -4.0));
        assert!((slide - DVec3::new(2.0, -0.6, 0.8) * m).length() < 1e-15 * m);
    }

    /// Sweeps that diverge come to such numbers before anybody looks at their residual.
    #[test]
    fn numbers_without_measure_stop_nothing() {
        let mut random = Random::new(4);
        let (radius, mu) = (1.0, 0.5);
        let laws = [
            Law::Cone { mu },
            Law::Pyramid { mu, directions: 5 },
            Law::Disc {
                radius,
                directions: None,
            },
            Law::Disc {
                radius,
                directions: Some(5),
            },
        ];
        for size in [1e100, 1e160, 1e229, 1e300, f64::INFINITY, f64::NAN] {
            for law in &laws {
                for _ in 0..100 {
                    let (a, b, c) = (random.vec3(), random.vec3(), random.vec3());
                    let w = outer(a, a) + outer(b, b) + outer(c, c);
                    let p = solve(law, &w, random.vec3() * size);
                    // Where squares can be measured the answer obeys its bounds all the same.
                    if p.length().is_finite() {
                        let off = (law.project(p, 1.0) - p).length();
                        assert!(off <= 1e-9 * p.length(), "{law:?} {p} at {size:e}");
                    }
                }
            }
        }
    }

    #[test]
    fn any_positive_definite_block_is_solved_to_rounding() {
        let mut random = Random::new(3);
        for k in 0..100_000 {
            let (a, b, c) = (random.vec3(), random.vec3(), random.vec3());
            let floor = random.decade(-4.0, 0.0);
            let w = (outer(a, a) + outer(b, b) + outer(c, c) + DMat3::IDENTITY * floor)
                * random.decade(-6.0, 6.0);
            let q = random.vec3() * random.decade(-3.0, 3.0);
            let mu = match k % 4 {
                0 => 0.0,
                1 => random.unit(),
                2 => random.decade(-3.0, 1.0),
                _ => 10.0 * random.unit(),
            };
            for law in [
                Law::Cone { mu },
                Law::Unilateral,
                Law::Pyramid { mu, directions: 4 },
                Law::Pyramid { mu, directions: 7 },
                Law::Disc {
                    radius: mu,
                    directions: None,
                },
                Law::Disc {
                    radius: mu,
                    directions: Some(7),
                },
            ] {
                let p = solve(&law, &w, q);
                let r = residual(&law, &w, q, p);
                // W_tt p_t may cancel by the condition number (up to 1e5 here) times μ.
                let scale = q.length() + (w * p).length().max(p.length() * w.x_axis.x);
                assert!(
                    r <= 1e-12 * scale,
                    "{k} {law:?} {w:?} {q}: {p} {r:e} of {scale}"
                );
            }
        }
    }

    #[test]
    fn singular_blocks_are_solved() {
        // One direction without inertia: a body that cannot be moved along t₂.
        let w = DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0));
        for q in [DVec3::new(-1.0, 0.1, 0.0), DVec3::new(-1.0, 3.0, 0.5)] {
            let law = Law::Cone { mu: 0.5 };
            let p = solve(&law, &w, q);
            assert!(residual(&law, &w, q, p) < 1e-14, "{p}");
        }
    }

    #[test]
    fn bounded_rows_saturate() {
        let w = DMat3::from_diagonal(DVec3::new(1.0, 2.0, 4.0));
        let law = Law::Bounded {
            lo: DVec3::new(f64::NEG_INFINITY, -1.0, 0.0),
            hi: DVec3::new(f64::INFINITY, 1.0, 0.0),
        };
        let p = solve(&law, &w, DVec3::new(3.0, -4.0, 5.0));
        assert_eq!(p, DVec3::new(-3.0, 1.0, 0.0));
        assert!(residual(&law, &w, DVec3::new(3.0, -4.0, 5.0), p) < 1e-15);
    }
}
