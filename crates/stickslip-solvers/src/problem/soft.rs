//! Contacts that bear moments: a block of forces and a block of moments under one law.
//!
//! With p = (p_n, p_t) the forces and (s, m) the moments, s = m_n/r about the normal and m = m_t/ℓ across it:
//!
//! ```text
//!   0 ≤ p_n ⟂ u_n ≥ 0
//!   |(p_t, s)| ≤ μ p_n,   (p_t, s) = −μ p_n (u_t, u_s)/|(u_t, u_s)|   where (u_t, u_s) = (u_t, r ω_n) ≠ 0
//!   |m| ≤ η p_n,          m = −η p_n u_m/|u_m|                         where u_m = ℓ ω_t ≠ 0
//! ```
//!
//! This is Coulomb's law on K = {|(p_t, s)| ≤ μ p_n, |m| ≤ η p_n}, and ũ = u + (μ|(u_t, u_s)| + η|u_m|) e_n lies in its dual cone
//! where it holds: one law for six rows.

use crate::problem::law::outer;
use crate::problem::{ContactBlock, ContactProblem, Law};
use glam::{DMat3, DVec3};

/// The law of a contact with moments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftLaw {
    /// Coefficient of friction μ.
    pub mu: f64,
    /// Does it resist a spin?
    pub spin: bool,
    /// η: coefficient of rolling resistance over ℓ.
    pub roll: f64,
}

/// F of both blocks and its derivatives: dF_a = Σ_b (by_x\[a\]\[b\] dx_b + by_u\[a\]\[b\] du_b) with x = w̄ p.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SoftLinear {
    pub(crate) f: [DVec3; 2],
    pub(crate) by_x: [[DMat3; 2]; 2],
    pub(crate) by_u: [[DMat3; 2]; 2],
}

/// Do blocks of the problem bear moments?
#[must_use]
pub fn any(problem: &ContactProblem) -> bool {
    problem.contacts.iter().any(|c| c.law.is_soft())
}

impl Law {
    /// Is it the law of one of the two blocks of a contact with moments?
    #[must_use]
    pub const fn is_soft(&self) -> bool {
        matches!(self, Self::Soft { .. } | Self::Moments { .. })
    }

    /// The same law where block `members[k]` has become block k.
    pub(crate) fn renumber(&mut self, members: &[usize]) {
        if let Self::Moments { of, .. } = self
            && let Ok(k) = members.binary_search(of)
        {
            *of = k;
        }
    }
}

/// Every block of moments names a soft contact before it, and every soft contact has one such block.
pub(super) fn validate(blocks: &[ContactBlock]) -> Result<(), String> {
    // Nearly every problem, many times in a step.
    if !blocks.iter().any(|block| block.law.is_soft()) {
        return Ok(());
    }
    let soft = |block: &ContactBlock| matches!(block.law, Law::Soft { .. });
    let mut waiting: Vec<bool> = blocks.iter().map(soft).collect();
    for (i, block) in blocks.iter().enumerate() {
        if let Law::Moments { of, .. } = block.law
            && (of >= i || !std::mem::replace(&mut waiting[of], false))
        {
            return Err(format!(
                "contact {i}: moments of contact {of}, which is no soft contact before it or has others"
            ));
        }
    }
    match waiting.iter().position(|&waits| waits) {
        Some(i) => Err(format!("contact {i}: no block has its moments")),
        None => Ok(()),
    }
}

/// Perpendicular rows, the last two of one length.
pub(super) fn validate_frame([n, t1, t2]: &[DVec3; 3]) -> Result<(), String> {
    let (r, l) = (n.length(), t1.length());
    let off = (n.dot(*t1).abs() + n.dot(*t2).abs()) / (r * l)
        + (t1.dot(*t2) / (l * l)).abs()
        + (t2.length() / l - 1.0).abs();
    if r > 0.0 && l > 0.0 && off <= 1e-6 {
        Ok(())
    } else {
        Err("rows of moments are not perpendicular, the last two of one length".into())
    }
}

/// (t₁, t₂ of the forces, s of the moments).
fn sliding(x: [DVec3; 2]) -> DVec3 {
    DVec3::new(x[0].y, x[0].z, x[1].x)
}

impl SoftLaw {
    /// By how much impulses and velocities of both blocks miss the law, m/s: Signorini on the normal, and maximal dissipation in
    /// the ball and the disc whose radii are those of the normal impulse.
    #[must_use]
    pub fn residual(&self, p: [DVec3; 2], u: [DVec3; 2], w_bar: f64) -> f64 {
        let x = p.map(|p| p * w_bar);
        let pressed = x[0].x.max(0.0);
        let normal = x[0].x.min(u[0].x);
        let (mut x_s, mut u_s) = (sliding(x), sliding(u));
        let mut lost = 0.0;
        if !self.spin {
            lost = x_s.z;
            (x_s.z, u_s.z) = (0.0, 0.0);
        }
        let slip = Projected::new(x_s - u_s, self.mu, pressed).moved(x_s, u_s);
        let [x_m, u_m] = [x[1], u[1]].map(|v| DVec3::new(0.0, v.y, v.z));
        let roll = Projected::new(x_m - u_m, self.roll, pressed).moved(x_m, u_m);
        let squares = normal * normal + slip.length_squared() + lost * lost + roll.length_squared();
        if squares.is_finite() {
            squares.sqrt()
        } else {
            f64::INFINITY
        }
    }

    /// The map of Alart and Curnier for all six rows, m/s: zero where the law holds. Radii are those of x_n − u_n.
    pub(crate) fn linearised(&self, p: [DVec3; 2], u: [DVec3; 2], w_bar: f64) -> SoftLinear {
        let x = p.map(|p| p * w_bar);
        let z = [x[0] - u[0], x[1] - u[1]];
        let (one, none) = (DMat3::IDENTITY, DMat3::ZERO);
        let mut out = SoftLinear {
            f: x,
            by_x: [[one, none], [none, one]],
            by_u: [[none; 2]; 2],
        };
        if z[0].x <= 0.0 {
            return out;
        }
        out.f[0].x = u[0].x;
        out.by_x[0][0].x_axis.x = 0.0;
        out.by_u[0][0].x_axis.x = 1.0;
        let s = if self.spin { 1.0 } else { 0.0 };
        // Rows (t₁, t₂, s), whose projection P(z) on the ball has the derivatives J by z and e μ by z_n.
        let y = sliding(z) * DVec3::new(1.0, 1.0, s);
        let ball = Projected::new(y, self.mu, z[0].x);
        let f = ball.moved(sliding(x), sliding(u));
        out.put_sliding(f, &ball, self.spin);
        let y = DVec3::new(0.0, z[1].y, z[1].z);
        let disc = Projected::new(y, self.roll, z[0].x);
        let f = disc.moved(x[1], u[1]);
        (out.f[1].y, out.f[1].z) = (f.y, f.z);
        out.put_rolling(&disc);
        out
    }
}

/// The projection of y on the ball of radius `ratio` z_n, with its derivatives.
struct Projected {
    inside: bool,
    point: DVec3,
    by_y: DMat3,
    by_n: DVec3,
}

impl Projected {
    fn new(y: DVec3, ratio: f64, z_n: f64) -> Self {
        let (radius, length) = (ratio * z_n, y.length());
        if length <= radius {
            return Self {
                inside: true,
                point: y,
                by_y: DMat3::IDENTITY,
                by_n: DVec3::ZERO,
            };
        }
        let e = y / length;
        Self {
            inside: false,
            point: e * radius,
            by_y: (DMat3::IDENTITY - outer(e, e)) * (radius / length),
            by_n: e * ratio,
        }
    }

    /// x − P(x − u); u itself where the projection leaves it alone, which a difference of large impulses would lose.
    fn moved(&self, x: DVec3, u: DVec3) -> DVec3 {
        if self.inside { u } else { x - self.point }
    }
}

impl SoftLinear {
    /// Rows t₁, t₂ of the forces and s of the moments.
    fn put_sliding(&mut self, f: DVec3, ball: &Projected, spin: bool) {
        // Where row k of the ball stands: block and row.
        let place = [(0, 1), (0, 2), (1, 0)];
        let rows = if spin { 3 } else { 2 };
        for (r, &(a, i)) in place.iter().enumerate().take(rows) {
            self.f[a][i] = f[r];
            self.by_x[a][0].col_mut(0)[i] = -ball.by_n[r];
            self.by_u[a][0].col_mut(0)[i] = ball.by_n[r];
            for (c, &(b, j)) in place.iter().enumerate().take(rows) {
                let d = ball.by_y.col(c)[r];
                let own = if r == c { 1.0 } else { 0.0 };
                self.by_x[a][b].col_mut(j)[i] = own - d;
                self.by_u[a][b].col_mut(j)[i] = d;
            }
        }
    }

    /// Rows t₁, t₂ of the moments.
    fn put_rolling(&mut self, disc: &Projected) {
        for i in 1..3 {
            self.by_x[1][0].col_mut(0)[i] = -disc.by_n[i];
            self.by_u[1][0].col_mut(0)[i] = disc.by_n[i];
            for j in 1..3 {
                let d = disc.by_y.col(j)[i];
                let own = if i == j { 1.0 } else { 0.0 };
                self.by_x[1][1].col_mut(j)[i] = own - d;
                self.by_u[1][1].col_mut(j)[i] = d;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const LAW: SoftLaw = SoftLaw {
        mu: 0.5,
        spin: true,
        roll: 0.1,
    };

    /// Open, sticking, sliding and spinning with friction against both, rolling with the moment against it; and each of them broken.
    #[test]
    fn the_map_and_the_residual_vanish_where_the_law_holds() {
        let zero = DVec3::ZERO;
        let lawful = [
            (
                [zero; 2],
                [DVec3::new(0.3, 1.0, 2.0), DVec3::new(3.0, 4.0, 5.0)],
            ),
            (
                [DVec3::new(1.0, 0.2, 0.1), DVec3::new(0.3, 0.05, -0.02)],
                [zero; 2],
            ),
            (
                // |(3, −4, 12)| = 13: friction 0.5 · 2 against it.
                [
                    DVec3::new(2.0, -3.0, 4.0) / DVec3::new(1.0, 13.0, 13.0),
                    DVec3::new(-12.0 / 13.0, 0.1, 0.0),
                ],
                [DVec3::new(0.0, 3.0, -4.0), DVec3::new(12.0, 0.0, 0.0)],
            ),
            (
                [DVec3::new(2.0, 0.0, 0.0), DVec3::new(0.0, -0.16, 0.12)],
                [zero, DVec3::new(0.0, 4.0, -3.0)],
            ),
        ];
        for (p, u) in lawful {
            for w in [0.1, 1.0, 30.0] {
                assert!(LAW.residual(p, u, w) < 1e-14, "{p:?} {u:?}");
                let f = LAW.linearised(p, u, w).f;
                assert!(f[0].length() + f[1].length() < 1e-13, "{p:?} {u:?}");
            }
        }
        let [_, stick, slide, roll] = lawful;
        let beyond = [DVec3::new(1.0, 0.2, 0.1), DVec3::new(0.5, 0.0, 0.0)];
        let broken = [
            // Within μ p_n one by one, but not together.
            (beyond, [zero; 2]),
            (stick.0, slide.1),
            ([slide.0[0], -slide.0[1]], slide.1),
            ([roll.0[0], -roll.0[1]], roll.1),
            ([stick.0[0], DVec3::new(0.0, 0.11, 0.0)], [zero; 2]),
        ];
        for (p, u) in broken {
            assert!(LAW.residual(p, u, 1.0) > 0.009, "{p:?} {u:?}");
        }
        // A contact that does not resist a spin has no moment about its normal.
        let free = SoftLaw { spin: false, ..LAW };
        assert!(free.residual(stick.0, [zero; 2], 1.0) > 0.2);
    }

    /// dF against differences, away from kinks.
    #[test]
    fn derivatives_match_differences() {
        let mut random = Random::new(21);
        let (h, w) = (1e-7, 0.7);
        let mut compared = 0;
        for k in 0..600 {
            let law = SoftLaw {
                spin: k % 3 > 0,
                ..LAW
            };
            let p = [random.vec3() + DVec3::X, random.vec3() * 0.3];
            let (u, v) = (
                [random.vec3(), random.vec3()],
                [random.vec3(), random.vec3()],
            );
            let here = law.linearised(p, u, w);
            for by_u in [false, true] {
                let at = |t: f64| {
                    let moved = |a: [DVec3; 2]| [a[0] + v[0] * t, a[1] + v[1] * t];
                    let (p, u) = if by_u { (p, moved(u)) } else { (moved(p), u) };
                    law.linearised(p, u, w).f
                };
                let (up, down) = (at(h), at(-h));
                for a in 0..2 {
                    let (up, down) = ((up[a] - here.f[a]) / h, (here.f[a] - down[a]) / h);
                    let exact = if by_u {
                        here.by_u[a][0] * v[0] + here.by_u[a][1] * v[1]
                    } else {
                        (here.by_x[a][0] * v[0] + here.by_x[a][1] * v[1]) * w
                    };
                    if up.distance(down) < 1e-5 {
                        compared += 1;
                        assert!(up.distance(exact) < 1e-4, "{p:?} {u:?}: {up} {exact}");
                    }
                }
            }
        }
        assert!(compared > 2000, "{compared}");
    }
}
