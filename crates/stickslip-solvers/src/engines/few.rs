//! Few contacts on the exact cone, from nothing: two sweeps of Gauss-Seidel, then full Newton steps on the contacts that
//! are closed, all in dense rows of known length.
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
//!
//! Everything is compiled for the widest vectors that the machine has; without fused products the bits are the same on all.

use crate::problem::law::{contact_vector, tangent};
use crate::problem::local::LocalProblem;
use crate::problem::residual::{Squares, of_cone};
use crate::solver::Effort;
use glam::{DMat3, DVec2, DVec3};

/// Most contacts that are few.
pub(crate) const FEW: usize = 26;
/// Newton steps after which it is given up, and sweeps before the first.
const STEPS: usize = 12;
const SWEEPS: usize = 2;
/// Relative regularisation of W: redundant contacts need it, and it does not move the solution.
const EPSILON: f64 = 1e-10;
/// A pivot below this times w̄ is not trusted without exchange of rows: the regularisation leaves more.
const TRUSTED: f64 = 1e-12;

/// Last relative change of the ratio of slip to impulse in a sweep, whose impulses are a start only.
const COARSE: f64 = 0.1;

/// Numbers in a register.
const LANES: usize = 4;

/// The numbers of all contacts, padded: 3n of a vector, or a row of the linear system with its right-hand side behind.
type Row<const V: usize> = [[f64; LANES]; V];

/// Memory of the matrices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    rows: Vec<[f64; LANES]>,
    cols: Vec<[f64; LANES]>,
    system: Vec<[f64; LANES]>,
}

/// Solves the contacts `members` of the problem, which touch no others, each a cone with its friction. Their impulses
/// go to `p`; the number of sweeps and steps, or `None` where the residual, relative to the
/// largest of |q|, |p| and |u| of these contacts, does not meet the tolerance.
pub(crate) fn solve(
    problem: &LocalProblem,
    members: &[usize],
    tolerance: f64,
    p: &mut [DVec3],
    memory: &mut Memory,
) -> Option<Effort> {
    macro_rules! wide {
        ($v:literal) => {
            pulp::Arch::new().dispatch(Solve::<$v> {
                problem,
                members,
                tolerance,
                p,
                memory,
            })
        };
    }
    // 3n + 1 numbers in a row.
    match members.len() {
        2 => wide!(2),
        3 => wide!(3),
        4 | 5 => wide!(4),
        6 => wide!(5),
        7 => wide!(6),
        8 | 9 => wide!(7),
        10 => wide!(8),
        11 => wide!(9),
        12 => wide!(10),
        13..=15 => wide!(12),
        16..=21 => wide!(16),
        22..=26 => wide!(20),
        _ => None,
    }
}

/// What is asked for.
struct Solve<'a, const V: usize> {
    problem: &'a LocalProblem,
    members: &'a [usize],
    tolerance: f64,
    p: &'a mut [DVec3],
    memory: &'a mut Memory,
}

impl<const V: usize> pulp::WithSimd for Solve<'_, V> {
    type Output = Option<Effort>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Option<Effort> {
        let mut few = Few::<V>::new(self.problem, self.members, self.memory);
        let found = few.solve(self.tolerance);
        for (k, &i) in self.members.iter().enumerate() {
            self.p[i] = at(&few.p, k);
        }
        found
    }
}

/// The contacts at hand.
struct Few<'a, const V: usize> {
    n: usize,
    /// W by rows and by columns: it need not be symmetric.
    rows: &'a [Row<V>],
    cols: &'a [Row<V>],
    diagonal: [DMat3; FEW],
    mu: [f64; FEW],
    w_bar: [f64; FEW],
    q: Row<V>,
    p: Row<V>,
    u: Row<V>,
    /// The linear system with its right-hand side behind the last column.
    system: &'a mut [Row<V>],
}

/// A contact's row: A δp + B δu = g with A = w̄ ((1 + ε) I − B).
#[derive(Clone, Copy, Debug)]
enum Law {
    Open,
    Sticks,
    /// B has the rows (1, 0, 0) and μe ⊗ (1, 0, 0) + k (0, I − e eᵀ).
    Slides {
        mu_e: DVec2,
        turn: [DVec2; 2],
        g: DVec3,
    },
}

#[inline(always)]
fn at<const V: usize>(row: &Row<V>, k: usize) -> DVec3 {
    let [x, y, z] = *row.as_flattened()[3 * k..]
        .first_chunk()
        .unwrap_or(&[0.0; 3]);
    DVec3::new(x, y, z)
}

#[inline(always)]
fn put<const V: usize>(row: &mut Row<V>, k: usize, v: DVec3) {
    if let Some(target) = row.as_flattened_mut()[3 * k..].first_chunk_mut() {
        *target = v.to_array();
    }
}

/// row += s other.
#[inline(always)]
fn add_multiple<const V: usize>(row: &mut Row<V>, s: f64, other: &Row<V>) {
    for v in 0..V {
        for j in 0..LANES {
            row[v][j] += s * other[v][j];
        }
    }
}

/// x − l y.
#[inline(always)]
fn subtract(mut x: [f64; LANES], l: f64, y: &[f64; LANES]) -> [f64; LANES] {
    for j in 0..LANES {
        x[j] -= l * y[j];
    }
    x
}

impl<'a, const V: usize> Few<'a, V> {
    #[inline(always)]
    fn new(problem: &LocalProblem, members: &[usize], memory: &'a mut Memory) -> Self {
        let n = members.len();
        for matrix in [&mut memory.rows, &mut memory.cols] {
            matrix.clear();
            matrix.resize(3 * n * V, [0.0; LANES]);
        }
        memory.system.resize(3 * n * V, [0.0; LANES]);
        let (rows, _) = memory.rows.as_chunks_mut::<V>();
        let (cols, _) = memory.cols.as_chunks_mut::<V>();
        let (system, _) = memory.system.as_chunks_mut::<V>();
        problem.delassus.for_blocks_of(members, |k, l, block| {
            let columns = [block.x_axis, block.y_axis, block.z_axis];
            let [x, y, z] = columns;
            for (a, row) in rows[3 * k..3 * k + 3].iter_mut().enumerate() {
                put(row, l, DVec3::new(x[a], y[a], z[a]));
            }
            for (column, col) in columns.into_iter().zip(&mut cols[3 * l..3 * l + 3]) {
                put(col, k, column);
            }
        });
        let mut few = Self {
            n,
            rows,
            cols,
            diagonal: [DMat3::ZERO; FEW],
            mu: [0.0; FEW],
            w_bar: [0.0; FEW],
            q: [[0.0; LANES]; V],
            p: [[0.0; LANES]; V],
            u: [[0.0; LANES]; V],
            system,
        };
        for (k, &i) in members.iter().enumerate() {
            few.diagonal[k] = *problem.delassus.diagonal(i);
            few.mu[k] = problem.laws[i].friction();
            few.w_bar[k] = problem.delassus.w_bar(i);
            put(&mut few.q, k, problem.q[i]);
        }
        few.u = few.q;
        few
    }

    #[inline(always)]
    fn solve(&mut self, tolerance: f64) -> Option<Effort> {
        for sweep in 1..=SWEEPS {
            self.sweep();
            if self.residual() <= tolerance {
                return Some(Effort::of_iterations(sweep));
            }
        }
        for step in 1..=STEPS {
            if !self.step() {
                return None;
            }
            if self.residual() <= tolerance {
                return Some(Effort {
                    iterations: SWEEPS + step,
                    factorisations: step,
                });
            }
        }
        None
    }

    #[inline(always)]
    fn sweep(&mut self) {
        for k in 0..self.n {
            let (w, old) = (&self.diagonal[k], at(&self.p, k));
            let p = alone_to(COARSE, self.mu[k], w, at(&self.u, k) - *w * old);
            self.add(k, p - old);
            put(&mut self.p, k, p);
        }
    }

    /// u += W δp for δp of contact `k`.
    #[inline(always)]
    fn add(&mut self, k: usize, dp: DVec3) {
        if dp != DVec3::ZERO {
            let cols = &self.cols[3 * k..3 * k + 3];
            for (s, col) in dp.to_array().into_iter().zip(cols) {
                add_multiple(&mut self.u, s, col);
            }
        }
    }

    #[inline(always)]
    fn residual(&self) -> f64 {
        let mut squares = Squares::default();
        for k in 0..self.n {
            let (q, p, u) = (at(&self.q, k), at(&self.p, k), at(&self.u, k));
            squares.add(of_cone(self.mu[k], p, u), q, p, u);
        }
        squares.norms().siconos()
    }

    /// One full Newton step; false where the system is singular or the impulses are not finite.
    #[inline(always)]
    fn step(&mut self) -> bool {
        let mut laws = [Law::Open; FEW];
        let mut closed = [0; FEW];
        let mut m = 0;
        for k in 0..self.n {
            laws[k] = linearised(self.mu[k], self.w_bar[k], at(&self.p, k), at(&self.u, k));
            if !matches!(laws[k], Law::Open) {
                closed[m] = k;
                m += 1;
            }
        }
        let closed = &closed[..m];
        let mut scales = [0.0; FEW];
        for (scale, &k) in scales.iter_mut().zip(closed) {
            *scale = TRUSTED * self.w_bar[k];
        }
        let scales = &scales[..m];
        self.assemble(&laws, closed);
        if !eliminate(self.system, scales) {
            self.assemble(&laws, closed);
            if !eliminate_with_exchange(self.system, 3 * m) {
                return false;
            }
        }
        for k in 0..self.n {
            if matches!(laws[k], Law::Open) {
                put(&mut self.p, k, DVec3::ZERO);
            }
        }
        for (a, &k) in closed.iter().enumerate() {
            let system = &self.system[3 * a..3 * a + 3];
            let x = |r: usize| system[r].as_flattened()[3 * m];
            let p = at(&self.p, k) + DVec3::new(x(0), x(1), x(2));
            put(&mut self.p, k, p);
        }
        self.u = self.q;
        let mut finite = true;
        for k in 0..self.n {
            let p = at(&self.p, k);
            finite &= p.is_finite();
            self.add(k, p);
        }
        finite
    }

    /// Rows of the closed contacts: A δp_i + B Σ_j W_ij δp_j = g, with δp_j = −p_j of the open ones on the right.
    #[inline(always)]
    fn assemble(&mut self, laws: &[Law; FEW], closed: &[usize]) {
        let size = 3 * closed.len();
        let all = closed.len() == self.n;
        let w = self.rows;
        let system = &mut *self.system;
        for (a, &i) in closed.iter().enumerate() {
            let w = &w[3 * i..3 * i + 3];
            let rows = &mut system[3 * a..3 * a + 3];
            let mut g = -at(&self.u, i);
            for r in 0..3 {
                if all {
                    rows[r] = w[r];
                    continue;
                }
                rows[r] = [[0.0; LANES]; V];
                for (c, &j) in closed.iter().enumerate() {
                    put(&mut rows[r], c, at(&w[r], j));
                }
                for j in 0..self.n {
                    if matches!(laws[j], Law::Open) {
                        g[r] += at(&w[r], j).dot(at(&self.p, j));
                    }
                }
            }
            let w_bar = self.w_bar[i];
            if let Law::Slides { mu_e, turn, g: own } = &laws[i] {
                // g holds W p of what opens, and −u, which is not multiplied by B but part of its own.
                let lost = g + at(&self.u, i);
                let [normal, first, second] = [rows[0], rows[1], rows[2]];
                for (r, (mu_e, turn)) in mu_e.to_array().into_iter().zip(turn).enumerate() {
                    for v in 0..V {
                        for j in 0..LANES {
                            rows[1 + r][v][j] =
                                mu_e * normal[v][j] + turn.x * first[v][j] + turn.y * second[v][j];
                        }
                    }
                    let places = &mut rows[1 + r].as_flattened_mut()[3 * a..3 * a + 3];
                    places[0] -= w_bar * mu_e;
                    places[1] -= w_bar * turn.x;
                    places[2] -= w_bar * turn.y;
                    places[1 + r] += w_bar;
                }
                g = *own
                    + DVec3::new(
                        lost.x,
                        mu_e.x * lost.x + turn[0].dot(tangent(lost)),
                        mu_e.y * lost.x + turn[1].dot(tangent(lost)),
                    );
            }
            for (r, g) in g.to_array().into_iter().enumerate() {
                let row = rows[r].as_flattened_mut();
                row[3 * a + r] += EPSILON * w_bar;
                row[size] = g;
            }
        }
    }
}

#[inline(always)]
fn linearised(mu: f64, w_bar: f64, p: DVec3, u: DVec3) -> Law {
    let x = p * w_bar;
    let z = x - u;
    if z.x <= 0.0 {
        return Law::Open;
    }
    let (t, radius) = (tangent(z), mu * z.x);
    let length = t.length();
    if length <= radius {
        return Law::Sticks;
    }
    let over = 1.0 / length;
    let e = t * over;
    let k = radius * over;
    let cross = -k * e.x * e.y;
    Law::Slides {
        mu_e: e * mu,
        turn: [
            DVec2::new(k * (1.0 - e.x * e.x), cross),
            DVec2::new(cross, k * (1.0 - e.y * e.y)),
        ],
        g: -contact_vector(u.x, tangent(x) - e * radius),
    }
}

/// Solves the n×n system whose right-hand side is in column n, in place, rows in their order: the regularised W of contacts
/// that stick is positive definite, and rows that slide have w̄ on their diagonal. False where a pivot is not larger than
/// what is `trusted` for its contact.
#[inline(always)]
fn eliminate<const V: usize>(system: &mut [Row<V>], trusted: &[f64]) -> bool {
    let n = 3 * trusted.len();
    let a = &mut system[..n];
    let mut inverses = [[0.0; LANES]; V];
    // As many columns at once as a register holds: the rows below are read and written once for all of them.
    for (panel, inverses) in inverses.iter_mut().enumerate() {
        let first = LANES * panel;
        if first >= n {
            break;
        }
        let (above, below) = a.split_at_mut((first + LANES).min(n));
        let own = &mut above[first..];
        for k in 0..own.len() {
            let pivot = own[k][panel][k];
            if pivot.abs() <= trusted[(first + k) / 3] {
                return false;
            }
            inverses[k] = 1.0 / pivot;
            let (row, others) = own[k..].split_at_mut(1);
            for other in others {
                let l = other[panel][k] * inverses[k];
                for v in panel..V {
                    other[v] = subtract(other[v], l, &row[0][v]);
                }
            }
        }
        let [r0, r1, r2, r3] = own else { break };
        for other in below {
            let c = other[panel];
            let l0 = c[0] * inverses[0];
            let l1 = (c[1] - l0 * r0[panel][1]) * inverses[1];
            let l2 = (c[2] - l0 * r0[panel][2] - l1 * r1[panel][2]) * inverses[2];
            let l3 = c[3] - l0 * r0[panel][3] - l1 * r1[panel][3] - l2 * r2[panel][3];
            let l3 = l3 * inverses[3];
            for v in panel + 1..V {
                let x = subtract(other[v], l0, &r0[v]);
                let x = subtract(x, l1, &r1[v]);
                let x = subtract(x, l2, &r2[v]);
                other[v] = subtract(x, l3, &r3[v]);
            }
        }
    }
    for k in (0..n).rev() {
        let (above, row) = a.split_at_mut(k);
        let x = row[0].as_flattened()[n] * inverses.as_flattened()[k];
        row[0].as_flattened_mut()[n] = x;
        for other in above {
            let other = other.as_flattened_mut();
            other[n] -= other[k] * x;
        }
    }
    true
}

/// The same with exchange of rows.
fn eliminate_with_exchange<const V: usize>(a: &mut [Row<V>], n: usize) -> bool {
    for k in 0..n {
        let size = |r: usize| a[r].as_flattened()[k].abs();
        let pivot = (k + 1..n).fold(k, |best, r| if size(r) > size(best) { r } else { best });
        if size(pivot) == 0.0 {
            return false;
        }
        a.swap(k, pivot);
        let (above, below) = a.split_at_mut(k + 1);
        let row = above[k];
        let inverse = 1.0 / row.as_flattened()[k];
        for other in &mut below[..n - k - 1] {
            let l = other.as_flattened()[k] * inverse;
            for (x, y) in other.iter_mut().flatten().zip(row.as_flattened()) {
                *x -= l * y;
            }
        }
    }
    for k in (0..n).rev() {
        let (above, row) = a.split_at_mut(k);
        let row = row[0].as_flattened_mut();
        let x = row[n] / row[k];
        row[n] = x;
        for other in above {
            let other = other.as_flattened_mut();
            other[n] -= other[k] * x;
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
#[inline]
pub(crate) fn alone(mu: f64, w: &DMat3, q: DVec3) -> DVec3 {
    // Convergence is quadratic: the next change would be rounding.
    alone_to(1e-8, mu, w, q)
}

/// [`alone`] with a last relative change of λ.
#[inline(always)]
fn alone_to(last: f64, mu: f64, w: &DMat3, q: DVec3) -> DVec3 {
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
    let highest = half + (half * half + ((a1 - c0) / c2).max(0.0)).sqrt();
    // First from the root for S isotropic, which is near where there is one body.
    let near = (b1 - k * w_nt.dot(s)) / c2 - 0.5 * (sx.x + sy.y);
    let mut lambda = if near > 0.0 && near < highest {
        near
    } else {
        highest
    };
    for _ in 0..30 {
        let root = (a2 + lambda * (2.0 * ab + lambda * b2)).sqrt();
        let f = c0 + lambda * (c1 + lambda * c2) - root;
        let slope = c1 + 2.0 * lambda * c2 - (ab + lambda * b2) / root;
        let change = f / slope;
        let next = lambda - change;
        if !(slope > 0.0 && next > 0.0 && next <= highest) {
            if lambda == highest {
                break;
            }
            lambda = highest;
            continue;
        }
        lambda = next;
        if change.abs() <= last * lambda {
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
    use crate::engines::one_contact;
    use crate::problem::Law;
    use crate::problem::delassus::Delassus;
    use crate::problem::residual::GlobalResidual;
    use crate::random::Random;

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
        let mut memory = Memory::default();
        let mut solved = 0;
        for k in 0..600 {
            let n = 2 + k % (FEW - 1);
            let problem = random_problem(&mut random, n, [0.1, 0.3, 0.8][k % 3]);
            let members: Vec<usize> = (0..n).collect();
            let mut p = vec![DVec3::ZERO; n];
            if solve(&problem, &members, 1e-10, &mut p, &mut memory).is_some() {
                solved += 1;
                let r = GlobalResidual::new(&problem, &p).siconos();
                assert!(r <= 1e-10, "{n}: {r:e}");
            }
        }
        // Without a line search some are left to the chain.
        assert!(solved >= 500, "{solved} of 600");
    }
}
