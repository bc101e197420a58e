//! The exact solution of a problem with one contact: u = D p + q with D a 3×3 matrix (`w` in the code).

use crate::problem::Law;
use crate::problem::law::{contact_vector, direction, tangent};
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
        Law::Cone { mu } | Law::Soft { mu } => cone(*mu, w, q),
        Law::Pyramid { mu, directions } => pyramid(*mu, *directions, w, q),
        Law::Box { lo, hi } => boxed(*lo, *hi, w, q),
        Law::Disc { radius, directions } => disc(*radius, *directions, w, q),
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

/// Coulomb on the quadratic cone.
///
/// Sliding has u_t = −λ p_t with λ > 0, so p_t(λ) = −(S + λI)⁻¹ s and |p_t| = μ p_n: one equation for
/// λ. g(λ) = μ p_n(λ)/|p_t(λ)| − 1 is negative at λ = 0 (stick is outside the cone) and positive for
/// λ ≥ |s| (D_nn + μ|D_nt|)/(μ|q_n|), nearly linear in between: Newton inside a bracket.
fn cone(mu: f64, w: &DMat3, q: DVec3) -> DVec3 {
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

/// Coulomb on the pyramid: every mode tried (stick, slide on an edge, slide along a direction), the
/// one that violates the law least kept.
fn pyramid(mu: f64, n_d: usize, w: &DMat3, q: DVec3) -> DVec3 {
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

/// Friction within a disc or polygon: p_t minimises ½ p_t·S p_t + p_t·q_t over it, S the tangential block.
///
/// On the disc p_t(λ) = −(S + λI)⁻¹ q_t with λ ≥ 0 and |p_t| = r where it slides; |p_t| falls with λ and 1/|p_t| is
/// nearly linear in it: Newton from below, which does not overshoot (the secular equation). On the polygon every
/// vertex and edge is tried.
fn disc(radius: f64, directions: Option<usize>, w: &DMat3, q: DVec3) -> DVec3 {
    let t = Tangential {
        w_nn: 1.0,
        w_nt: DVec2::ZERO,
        q_n: 0.0,
        schur: DMat2::from_cols(tangent(w.y_axis), tangent(w.z_axis)),
        rhs: tangent(q),
    };
    if radius == 0.0 || t.rhs == DVec2::ZERO {
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
        if next - lambda <= f64::EPSILON * next {
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
        let law = Law::Box {
            lo: DVec3::new(f64::NEG_INFINITY, -1.0, 0.0),
            hi: DVec3::new(f64::INFINITY, 1.0, 0.0),
        };
        let p = solve(&law, &w, DVec3::new(3.0, -4.0, 5.0));
        assert_eq!(p, DVec3::new(-3.0, 1.0, 0.0));
        assert!(residual(&law, &w, DVec3::new(3.0, -4.0, 5.0), p) < 1e-15);
    }
}
