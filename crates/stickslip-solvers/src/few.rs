//! Few contacts on the exact cone, from nothing: two sweeps of Gauss-Seidel, then full Newton steps on the contacts that
//! are closed, all in dense loops.
//!
//! The quick way in for small problems and for the islands of larger ones (`islands`): most are solved in two to four
//! steps. There is no line search and no guarantee: who calls it looks at the residual and has a chain of methods for
//! the rest. Map of Alart and Curnier, z = w̄ p − u:
//!
//! | contact | where | row of the linear system |
//! |---|---|---|
//! | open | z_n ≤ 0 | p⁺ = 0, eliminated |
//! | sticks | \|z_t\| ≤ μ z_n | W δp = −u |
//! | slides | else | u_n⁺ = 0, p_t⁺ on the disc of radius μ z_n, linearised |

use crate::law::{contact_vector, project_cone, tangent};
use crate::local::LocalProblem;
use glam::{DMat3, DVec2, DVec3};

/// Most contacts that are few.
pub(crate) const FEW: usize = 12;
/// Newton steps after which it is given up, and sweeps before the first.
const STEPS: usize = 12;
const SWEEPS: usize = 2;
/// Relative regularisation of W: redundant contacts need it, and it does not move the solution.
const EPSILON: f64 = 1e-10;

/// Memory of the solver.
#[derive(Clone, Debug, Default)]
pub(crate) struct Few {
    /// W of the contacts asked for, row-major in blocks: block (i, j) at i n + j.
    w: Vec<DMat3>,
    q: Vec<DVec3>,
    mu: Vec<f64>,
    w_bar: Vec<f64>,
    p: Vec<DVec3>,
    u: Vec<DVec3>,
    rows: Vec<Row>,
    /// Contacts that are not open.
    closed: Vec<usize>,
    /// The linear system with its right-hand side as the last column.
    system: Vec<f64>,
}

/// A contact's row: A δp + B δu = g with A = w̄ ((1 + ε) I − B).
#[derive(Clone, Copy, Debug)]
enum Row {
    Open,
    Sticks,
    Slides { b: DMat3, g: DVec3 },
}

/// F, the natural map with ρ = 1, and what it is divided by: squares.
#[derive(Clone, Copy, Debug, Default)]
struct Squares {
    f: f64,
    q: f64,
    p: f64,
    u: f64,
}

impl Few {
    /// Solves the contacts `members` of the problem, which touch no others, each a cone with friction `mu`. Their impulses
    /// go to `p`; the number of sweeps and steps, or `None` where the residual, relative to the
    /// largest of |q|, |p| and |u| of these contacts, does not meet the tolerance.
    pub(crate) fn solve(
        &mut self,
        problem: &LocalProblem,
        members: &[usize],
        tolerance: f64,
        p: &mut [DVec3],
    ) -> Option<usize> {
        self.load(problem, members);
        let n = members.len();
        let mut found = None;
        for sweep in 1..=SWEEPS {
            self.sweep();
            if self.measure() <= tolerance {
                found = Some(sweep);
                break;
            }
        }
        let mut step = 0;
        while found.is_none() && step < STEPS && self.step() {
            step += 1;
            if self.measure() <= tolerance {
                found = Some(SWEEPS + step);
            }
        }
        for k in 0..n {
            p[members[k]] = self.p[k];
        }
        found
    }

    fn load(&mut self, problem: &LocalProblem, members: &[usize]) {
        let n = members.len();
        self.w.clear();
        self.w.resize(n * n, DMat3::ZERO);
        self.q.clear();
        self.mu.clear();
        self.w_bar.clear();
        let w = &mut self.w;
        let block = |k: usize, l: usize, block: &DMat3| w[k * n + l] = *block;
        problem.delassus.for_blocks_of(members, block);
        for &i in members {
            self.q.push(problem.q[i]);
            self.mu.push(problem.laws[i].friction());
            self.w_bar.push(problem.delassus.w_bar(i));
        }
        self.p.clear();
        self.p.resize(n, DVec3::ZERO);
        self.u.clear();
        self.u.resize(n, DVec3::ZERO);
    }

    /// Velocity of contact `k`.
    fn velocity(&self, k: usize) -> DVec3 {
        let n = self.p.len();
        let row = &self.w[k * n..(k + 1) * n];
        row.iter()
            .zip(&self.p)
            .fold(self.q[k], |u, (w, p)| u + *w * *p)
    }

    fn sweep(&mut self) {
        let n = self.p.len();
        for k in 0..n {
            let w = self.w[k * n + k];
            let q = self.velocity(k) - w * self.p[k];
            self.p[k] = alone(self.mu[k], &w, q);
        }
    }

    /// Sets the velocities; the residual.
    fn measure(&mut self) -> f64 {
        let mut s = Squares::default();
        for k in 0..self.p.len() {
            let u = self.velocity(k);
            self.u[k] = u;
            s.add(self.mu[k], self.p[k], u, self.q[k]);
        }
        s.relative()
    }

    /// One full Newton step; false where the system is singular or the impulses are not finite.
    fn step(&mut self) -> bool {
        let n = self.p.len();
        self.rows.clear();
        self.closed.clear();
        for k in 0..n {
            let row = linearised(self.mu[k], self.w_bar[k], self.p[k], self.u[k]);
            if !matches!(row, Row::Open) {
                self.closed.push(k);
            }
            self.rows.push(row);
        }
        let size = 3 * self.closed.len();
        self.assemble(size);
        if !eliminate(&mut self.system, size) {
            return false;
        }
        for (k, row) in self.rows.iter().enumerate() {
            if matches!(row, Row::Open) {
                self.p[k] = DVec3::ZERO;
            }
        }
        for (a, &k) in self.closed.iter().enumerate() {
            let at = |r: usize| self.system[(3 * a + r) * width(size) + size];
            self.p[k] += DVec3::new(at(0), at(1), at(2));
        }
        self.p.iter().all(|p| p.is_finite())
    }

    /// Rows of the closed contacts: A δp_i + B Σ_j W_ij δp_j = g, with δp_j = −p_j of the open ones on the right.
    fn assemble(&mut self, size: usize) {
        let n = self.p.len();
        let width = width(size);
        self.system.clear();
        self.system.resize(size * width, 0.0);
        for (a, &i) in self.closed.iter().enumerate() {
            let mut lost = DVec3::ZERO;
            for (j, row) in self.rows.iter().enumerate() {
                if matches!(row, Row::Open) && self.p[j] != DVec3::ZERO {
                    lost += self.w[i * n + j] * self.p[j];
                }
            }
            let (b, g) = match self.rows[i] {
                Row::Slides { b, g } => (Some(b), g + b * lost),
                _ => (None, lost - self.u[i]),
            };
            for (c, &j) in self.closed.iter().enumerate() {
                let w = self.w[i * n + j];
                let mut block = b.map_or(w, |b| b * w);
                if i == j {
                    let w_bar = self.w_bar[i];
                    block += DMat3::from_diagonal(DVec3::splat(EPSILON * w_bar));
                    if let Some(b) = b {
                        block += (DMat3::IDENTITY - b) * w_bar;
                    }
                }
                for (col, column) in [block.x_axis, block.y_axis, block.z_axis]
                    .into_iter()
                    .enumerate()
                {
                    let at = 3 * a * width + 3 * c + col;
                    self.system[at] = column.x;
                    self.system[at + width] = column.y;
                    self.system[at + 2 * width] = column.z;
                }
            }
            let at = 3 * a * width + size;
            self.system[at] = g.x;
            self.system[at + width] = g.y;
            self.system[at + 2 * width] = g.z;
        }
    }
}

impl Squares {
    fn add(&mut self, mu: f64, p: DVec3, u: DVec3, q: DVec3) {
        let mut z = p - u;
        z.x -= mu * tangent(u).length();
        self.f += (p - project_cone(mu, z)).length_squared();
        self.q += q.length_squared();
        self.p += p.length_squared();
        self.u += u.length_squared();
    }

    fn relative(&self) -> f64 {
        let scale = self.q.max(self.p).max(self.u).sqrt();
        crate::residual::divided(self.f.sqrt(), scale)
    }
}

fn linearised(mu: f64, w_bar: f64, p: DVec3, u: DVec3) -> Row {
    let x = p * w_bar;
    let z = x - u;
    if z.x <= 0.0 {
        return Row::Open;
    }
    let (t, radius) = (tangent(z), mu * z.x);
    let length = t.length();
    if length <= radius {
        return Row::Sticks;
    }
    let e = t / length;
    let k = radius / length;
    Row::Slides {
        b: DMat3::from_cols(
            contact_vector(1.0, e * mu),
            DVec3::new(0.0, k * (1.0 - e.x * e.x), -k * e.x * e.y),
            DVec3::new(0.0, -k * e.x * e.y, k * (1.0 - e.y * e.y)),
        ),
        g: -contact_vector(u.x, tangent(x) - e * radius),
    }
}

/// Columns of a row of a system of size `n` with its right-hand side in column n: even, which suits registers.
const fn width(n: usize) -> usize {
    (n + 2) & !1
}

/// Solves the n×n system whose right-hand side is in column n, in place; false where singular.
fn eliminate(a: &mut [f64], n: usize) -> bool {
    match n {
        3 => eliminate_fixed::<3, { width(3) }>(a),
        6 => eliminate_fixed::<6, { width(6) }>(a),
        9 => eliminate_fixed::<9, { width(9) }>(a),
        12 => eliminate_fixed::<12, { width(12) }>(a),
        15 => eliminate_fixed::<15, { width(15) }>(a),
        18 => eliminate_fixed::<18, { width(18) }>(a),
        _ => eliminate_any(a, n),
    }
}

/// As [`eliminate_any`] for a size N known at compile time, M its width: whole rows are updated, for loops of known
/// length are the faster ones.
fn eliminate_fixed<const N: usize, const M: usize>(a: &mut [f64]) -> bool {
    let (rows, _) = a.as_chunks_mut::<M>();
    let Some(a) = rows.first_chunk_mut::<N>() else {
        return false;
    };
    for k in 0..N {
        let (mut pivot, mut largest) = (k, a[k][k].abs());
        for r in k + 1..N {
            let v = a[r][k].abs();
            if v > largest {
                (pivot, largest) = (r, v);
            }
        }
        if largest == 0.0 {
            return false;
        }
        if pivot != k {
            a.swap(k, pivot);
        }
        let row = a[k];
        let inverse = 1.0 / row[k];
        for other in &mut a[k + 1..] {
            let l = other[k] * inverse;
            for c in 0..M {
                other[c] -= l * row[c];
            }
        }
    }
    for k in (0..N).rev() {
        let x = a[k][N] / a[k][k];
        a[k][N] = x;
        for r in 0..k {
            a[r][N] -= a[r][k] * x;
        }
    }
    true
}

fn eliminate_any(a: &mut [f64], n: usize) -> bool {
    let m = width(n);
    for k in 0..n {
        let (mut pivot, mut largest) = (k, a[k * m + k].abs());
        for r in k + 1..n {
            let v = a[r * m + k].abs();
            if v > largest {
                (pivot, largest) = (r, v);
            }
        }
        if largest == 0.0 {
            return false;
        }
        let (top, bottom) = a.split_at_mut((k + 1) * m);
        let row = &mut top[k * m..];
        if pivot != k {
            let at = (pivot - k - 1) * m;
            row.swap_with_slice(&mut bottom[at..at + m]);
        }
        let row = &row[k..];
        let inverse = 1.0 / row[0];
        for other in bottom.chunks_exact_mut(m) {
            let other = &mut other[k..];
            let l = other[0] * inverse;
            if l != 0.0 {
                for (x, &y) in other.iter_mut().zip(row) {
                    *x -= l * y;
                }
            }
        }
    }
    for k in (0..n).rev() {
        let x = a[k * m + n] / a[k * m + k];
        a[k * m + n] = x;
        for r in 0..k {
            a[r * m + n] -= a[r * m + k] * x;
        }
    }
    true
}

/// Impulse that solves one contact alone, u = W p + q, quickly: on the exact cone with `mu`, W near symmetric and
/// positive definite. Where that does not hold the answer may be none; it is tested by who asks. (`one_contact` is
/// the careful one.)
///
/// With the normal eliminated, u_t = S p_t + s; sliding, p_t = −(S + λI)⁻¹ s = −(a + λ s)/det, a = adj(S) s. On the cone's
/// boundary μ p_n = |p_t|, which times det is c₀ + c₁ λ + c₂ λ² = |a + λ s|: negative on the left minus the right at
/// λ = 0, where stick is outside the cone, and rising without bound.
pub(crate) fn alone(mu: f64, w: &DMat3, q: DVec3) -> DVec3 {
    let w_nn = w.x_axis.x;
    if q.x >= 0.0 || w_nn <= 0.0 {
        return DVec3::ZERO;
    }
    let over = 1.0 / w_nn;
    if mu == 0.0 {
        return DVec3::new(-q.x * over, 0.0, 0.0);
    }
    let w_nt = DVec2::new(w.y_axis.x, w.z_axis.x);
    let w_tn = tangent(w.x_axis) * over;
    let (sx, sy) = (
        tangent(w.y_axis) - w_tn * w_nt.x,
        tangent(w.z_axis) - w_tn * w_nt.y,
    );
    let s = tangent(q) - w_tn * q.x;
    let det = sx.x * sy.y - sx.y * sy.x;
    // adj(S) s, S = (sx sy) by columns.
    let a = DVec2::new(sy.y * s.x - sy.x * s.y, sx.x * s.y - sx.y * s.x);
    let k = mu * over;
    let c0 = k * (w_nt.dot(a) - q.x * det);
    let a2 = a.length_squared();
    if c0 >= 0.0 && c0 * c0 >= a2 && det > 0.0 {
        let p_t = -a / det;
        return contact_vector(-(q.x + w_nt.dot(p_t)) * over, p_t);
    }
    let c1 = k * (w_nt.dot(s) - q.x * (sx.x + sy.y));
    let c2 = -k * q.x;
    let (ab, b2) = (a.dot(s), s.length_squared());
    // From the right the function is convex enough: Newton falls to the largest root without passing it. There
    // c₂ λ² + c₁ λ + c₀ ≥ |a| + λ |s|.
    let (a1, b1) = (a2.sqrt(), b2.sqrt());
    let half = 0.5 * (b1 - c1) / c2;
    let mut lambda = half + (half * half + ((a1 - c0) / c2).max(0.0)).sqrt();
    for _ in 0..30 {
        let root = (a2 + lambda * (2.0 * ab + lambda * b2)).sqrt();
        let f = c0 + lambda * (c1 + lambda * c2) - root;
        let slope = c1 + 2.0 * lambda * c2 - (ab + lambda * b2) / root;
        let change = f / slope;
        if change >= lambda || change.is_nan() {
            break;
        }
        lambda -= change;
        // Convergence is quadratic: the next change would be rounding.
        if change.abs() <= 1e-8 * lambda {
            break;
        }
    }
    let e = a + s * lambda;
    let e = e / e.length();
    // The direction is what the root gives well; with it p_n follows from u_n = 0.
    let p_n = -q.x / (w_nn - mu * w_nt.dot(e));
    contact_vector(p_n, e * (-mu * p_n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delassus::Delassus;
    use crate::one_contact;
    use crate::problem::Law;
    use crate::random::Random;
    use crate::residual::GlobalResidual;

    /// R Rᵀ + δI, blocks of a random 3n×6 R: contacts of one body, made a little compliant.
    fn random_problem(random: &mut Random, n: usize, mu: f64) -> LocalProblem {
        let r: Vec<[DVec3; 2]> = (0..3 * n).map(|_| [random.vec3(), random.vec3()]).collect();
        let entry = |a: usize, b: usize| {
            let shift = if a == b { 0.1 } else { 0.0 };
            r[a][0].dot(r[b][0]) + r[a][1].dot(r[b][1]) + shift
        };
        let mut entries = Vec::new();
        for i in 0..n {
            for j in 0..n {
                let column = |c: usize| {
                    let at = |a: usize| entry(3 * i + a, 3 * j + c);
                    DVec3::new(at(0), at(1), at(2))
                };
                entries.push((i, j, DMat3::from_cols(column(0), column(1), column(2))));
            }
        }
        LocalProblem {
            delassus: Delassus::from_blocks(n, entries),
            q: (0..n).map(|_| random.vec3()).collect(),
            laws: vec![Law::Cone { mu }; n],
        }
    }

    #[test]
    fn one_contact_is_solved_as_by_the_careful_solver() {
        let mut random = Random::new(3);
        for k in 0..5000 {
            let mu = [0.0, 0.1, 0.5, 1.0, 3.0][k % 5];
            let problem = random_problem(&mut random, 1, mu);
            let (w, q) = (problem.delassus.diagonal(0), problem.q[0]);
            let p = alone(mu, w, q);
            let r = GlobalResidual::new(&problem, &[p]).siconos();
            assert!(r <= 1e-13, "{mu} {w} {q}: {r:e}");
            let careful = one_contact::solve(&Law::Cone { mu }, w, q);
            // With strong coupling there may be two slides: both are answers.
            if mu <= 0.1 {
                assert!((p - careful).length() <= 1e-11 * (1.0 + p.length()));
            }
        }
    }

    #[test]
    fn what_is_called_solved_is_solved() {
        let mut random = Random::new(4);
        let mut few = Few::default();
        let mut solved = 0;
        for k in 0..600 {
            let n = 2 + k % (FEW - 1);
            let problem = random_problem(&mut random, n, [0.1, 0.3, 0.8][k % 3]);
            let members: Vec<usize> = (0..n).collect();
            let mut p = vec![DVec3::ZERO; n];
            if few.solve(&problem, &members, 1e-10, &mut p).is_some() {
                solved += 1;
                let r = GlobalResidual::new(&problem, &p).siconos();
                assert!(r <= 1e-10, "{n}: {r:e}");
            }
        }
        // Without a line search some are left to the chain.
        assert!(solved >= 500, "{solved} of 600");
    }
}
