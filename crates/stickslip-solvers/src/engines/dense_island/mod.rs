//! An island of few contacts on the exact cone, from nothing: two sweeps of Gauss-Seidel, then full Newton steps on the contacts that
//! are closed, all in dense rows of known length.
//!
//! The quick way in for small problems and for the islands of larger ones (`islands`): most are solved in two to four
//! steps. There is no line search and no guarantee: the caller looks at the residual and has other stages for
//! the rest. Map of Alart and Curnier, z = w̄ p − u:
//!
//! | contact | where | row of the linear system |
//! |---|---|---|
//! | open | z_n ≤ 0 | p⁺ = 0, eliminated |
//! | sticks | \|z_t\| ≤ μ z_n | D δp = −u |
//! | slides | else | u_n⁺ = 0, p_t⁺ on the disc of radius μ z_n, linearised |
//!
//! Everything is compiled for the widest vectors that the machine has; without fused products the bits are the same on all.

mod elimination;
mod one_cone;

use crate::problem::law::{contact_vector, tangent};
use crate::problem::local::LocalProblem;
use crate::problem::residual::{Squares, of_cone};
use crate::solver::Effort;
use elimination::{eliminate, eliminate_with_exchange};
use glam::{DMat3, DVec2, DVec3};
use one_cone::alone_to;

pub(crate) use one_cone::alone;

/// Largest island that is solved in dense rows: the widest row of those compiled below.
pub(crate) const MAX_CONTACTS: usize = 26;
/// Newton steps after which it is given up, and sweeps before the first.
const STEPS: usize = 12;
const SWEEPS: usize = 2;
/// Relative regularisation of D: redundant contacts need it, and it does not move the solution.
const EPSILON: f64 = 1e-10;
/// A pivot below this times w̄ is not trusted without exchange of rows: the regularisation leaves more.
const TRUSTED: f64 = 1e-12;

/// Last relative change of the ratio of slip to impulse in a sweep, whose impulses are a start only.
const COARSE: f64 = 0.1;

/// Numbers in a register.
const LANES: usize = 4;

/// The numbers of all contacts, padded: 3n of a vector, or a row of the linear system with its right-hand side behind.
type PaddedRow<const V: usize> = [[f64; LANES]; V];

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
        let mut island = Island::<V>::new(self.problem, self.members, self.memory);
        let found = island.solve(self.tolerance);
        for (k, &i) in self.members.iter().enumerate() {
            self.p[i] = at(&island.p, k);
        }
        found
    }
}

/// The contacts at hand.
struct Island<'a, const V: usize> {
    n: usize,
    /// D by rows and by columns: it need not be symmetric.
    rows: &'a [PaddedRow<V>],
    cols: &'a [PaddedRow<V>],
    diagonal: [DMat3; MAX_CONTACTS],
    mu: [f64; MAX_CONTACTS],
    w_bar: [f64; MAX_CONTACTS],
    q: PaddedRow<V>,
    p: PaddedRow<V>,
    u: PaddedRow<V>,
    /// The linear system with its right-hand side behind the last column.
    system: &'a mut [PaddedRow<V>],
}

/// A contact's row: A δp + B δu = g with A = w̄ ((1 + ε) I − B).
#[derive(Clone, Copy, Debug)]
enum Mode {
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
fn at<const V: usize>(row: &PaddedRow<V>, k: usize) -> DVec3 {
    let [x, y, z] = *row.as_flattened()[3 * k..]
        .first_chunk()
        .unwrap_or(&[0.0; 3]);
    DVec3::new(x, y, z)
}

#[inline(always)]
fn put<const V: usize>(row: &mut PaddedRow<V>, k: usize, v: DVec3) {
    if let Some(target) = row.as_flattened_mut()[3 * k..].first_chunk_mut() {
        *target = v.to_array();
    }
}

/// row += s other.
#[inline(always)]
fn add_multiple<const V: usize>(row: &mut PaddedRow<V>, s: f64, other: &PaddedRow<V>) {
    for v in 0..V {
        for j in 0..LANES {
            row[v][j] += s * other[v][j];
        }
    }
}

impl<'a, const V: usize> Island<'a, V> {
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
        let mut island = Self {
            n,
            rows,
            cols,
            diagonal: [DMat3::ZERO; MAX_CONTACTS],
            mu: [0.0; MAX_CONTACTS],
            w_bar: [0.0; MAX_CONTACTS],
            q: [[0.0; LANES]; V],
            p: [[0.0; LANES]; V],
            u: [[0.0; LANES]; V],
            system,
        };
        for (k, &i) in members.iter().enumerate() {
            island.diagonal[k] = *problem.delassus.diagonal(i);
            island.mu[k] = problem.laws[i].friction();
            island.w_bar[k] = problem.delassus.w_bar(i);
            put(&mut island.q, k, problem.q[i]);
        }
        island.u = island.q;
        island
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
            let (d, old) = (&self.diagonal[k], at(&self.p, k));
            let p = alone_to(COARSE, self.mu[k], d, at(&self.u, k) - *d * old);
            self.add(k, p - old);
            put(&mut self.p, k, p);
        }
    }

    /// u += D δp for δp of contact `k`.
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
        let mut modes = [Mode::Open; MAX_CONTACTS];
        let mut closed = [0; MAX_CONTACTS];
        let mut m = 0;
        for k in 0..self.n {
            modes[k] = linearised(self.mu[k], self.w_bar[k], at(&self.p, k), at(&self.u, k));
            if !matches!(modes[k], Mode::Open) {
                closed[m] = k;
                m += 1;
            }
        }
        let closed = &closed[..m];
        let mut scales = [0.0; MAX_CONTACTS];
        for (scale, &k) in scales.iter_mut().zip(closed) {
            *scale = TRUSTED * self.w_bar[k];
        }
        let scales = &scales[..m];
        self.assemble(&modes, closed);
        if !eliminate(self.system, scales) {
            self.assemble(&modes, closed);
            if !eliminate_with_exchange(self.system, 3 * m) {
                return false;
            }
        }
        for k in 0..self.n {
            if matches!(modes[k], Mode::Open) {
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

    /// Rows of the closed contacts: A δp_i + B Σ_j D_ij δp_j = g, with δp_j = −p_j of the open ones on the right.
    #[inline(always)]
    fn assemble(&mut self, modes: &[Mode; MAX_CONTACTS], closed: &[usize]) {
        let size = 3 * closed.len();
        let all = closed.len() == self.n;
        for (a, &i) in closed.iter().enumerate() {
            let d = &self.rows[3 * i..3 * i + 3];
            let rows = &mut self.system[3 * a..3 * a + 3];
            let mut g = -at(&self.u, i);
            // D of the closed contacts, and D p of what opens.
            for r in 0..3 {
                if all {
                    rows[r] = d[r];
                    continue;
                }
                rows[r] = [[0.0; LANES]; V];
                for (c, &j) in closed.iter().enumerate() {
                    put(&mut rows[r], c, at(&d[r], j));
                }
                for j in 0..self.n {
                    if matches!(modes[j], Mode::Open) {
                        g[r] += at(&d[r], j).dot(at(&self.p, j));
                    }
                }
            }
            let w_bar = self.w_bar[i];
            if let Mode::Slides { mu_e, turn, g: own } = &modes[i] {
                // −u is not multiplied by B but part of its own right-hand side.
                let lost = g + at(&self.u, i);
                g = *own + slide_rows(rows, a, *mu_e, turn, w_bar, lost);
            }
            for (r, g) in g.to_array().into_iter().enumerate() {
                let row = rows[r].as_flattened_mut();
                row[3 * a + r] += EPSILON * w_bar;
                row[size] = g;
            }
        }
    }
}

/// B D + w̄ (I − B) in place of the rows D of closed contact `a`, which slides; B `lost`.
#[inline(always)]
fn slide_rows<const V: usize>(
    rows: &mut [PaddedRow<V>],
    a: usize,
    mu_e: DVec2,
    turn: &[DVec2; 2],
    w_bar: f64,
    lost: DVec3,
) -> DVec3 {
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
    DVec3::new(
        lost.x,
        mu_e.x * lost.x + turn[0].dot(tangent(lost)),
        mu_e.y * lost.x + turn[1].dot(tangent(lost)),
    )
}

#[inline(always)]
fn linearised(mu: f64, w_bar: f64, p: DVec3, u: DVec3) -> Mode {
    let x = p * w_bar;
    let z = x - u;
    if z.x <= 0.0 {
        return Mode::Open;
    }
    let (t, radius) = (tangent(z), mu * z.x);
    let length = t.length();
    if length <= radius {
        return Mode::Sticks;
    }
    let over = 1.0 / length;
    let e = t * over;
    let k = radius * over;
    let cross = -k * e.x * e.y;
    Mode::Slides {
        mu_e: e * mu,
        turn: [
            DVec2::new(k * (1.0 - e.x * e.x), cross),
            DVec2::new(cross, k * (1.0 - e.y * e.y)),
        ],
        g: -contact_vector(u.x, tangent(x) - e * radius),
    }
}

#[cfg(test)]
mod tests;
