//! Contacts between the same two bodies, taken together. A body has six freedoms against another one: of the 3m velocities
//! of a patch of m contacts at most six are independent, and only as many sums of its impulses matter.
//!
//! A stored problem names no bodies, but D shows them: the contacts of a patch have the same neighbours, and their block
//! of D has rank six or less. Elimination with complete pivoting ([`low_rank`]) finds pivot rows I and pivot columns J, of
//! which all other rows and columns are combinations: D_pq = X_p D[I_p, J_q] Y_q. With s_p = Y_p δp and K = A⁻¹B the system
//! (A + B D) δp = g becomes
//!
//! ```text
//!   (I + K̂ Ω) s = Y A⁻¹ g,    K̂_p = Y_p K_p X_p,    Ω_pq = D[I_p, J_q],    δp = A⁻¹ (g − B X Ω s),
//! ```
//!
//! six unknowns for a patch instead of twelve for four contacts.

mod low_rank;

use crate::coupling::Linearised;
use crate::coupling::patches::low_rank::LowRank;
use crate::factor::block_lu::Block;
use crate::factor::node_lu::NodeLu;
use crate::problem::delassus::Delassus;
use glam::DVec3;

/// Freedoms of one body against another.
const SIX: usize = 6;
const NONE: usize = usize::MAX;

/// Patches of a Delassus matrix with their linear system; memory is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patches {
    /// Patch by patch, its contacts: `members[starts[p]..starts[p + 1]]`.
    members: Vec<usize>,
    starts: Vec<usize>,
    /// Patch of each contact.
    patch: Vec<usize>,
    /// Pivot rows (3 i + k) of D, of which the patch's other rows are combinations, and the rank of each patch.
    chosen: Vec<[usize; SIX]>,
    rank: Vec<usize>,
    /// Number of each column (3 j + k) of D among the pivot columns of its patch, or NONE.
    number: Vec<usize>,
    /// For each place in `members`: rows of X, and columns of Y.
    x: Vec<[[f64; SIX]; 3]>,
    y: Vec<[[f64; SIX]; 3]>,
    /// Ω by patches.
    omega_starts: Vec<usize>,
    omega_cols: Vec<usize>,
    omega: Vec<Block<SIX>>,
    lu: NodeLu<SIX>,
    s: Vec<[f64; SIX]>,
    work: LowRank,
}

impl Patches {
    /// Number of patches.
    pub(crate) fn len(&self) -> usize {
        self.rank.len()
    }

    /// Forgets the pattern of the last problem.
    pub(crate) fn forget(&mut self) {
        self.lu.forget();
    }

    /// Finds the patches of D.
    pub(crate) fn find(&mut self, delassus: &Delassus) {
        let n = delassus.len();
        self.members.clear();
        self.starts.clear();
        self.starts.push(0);
        self.patch.clear();
        self.patch.resize(n, NONE);
        self.chosen.clear();
        self.rank.clear();
        self.number.clear();
        self.number.resize(3 * n, NONE);
        self.x.clear();
        self.y.clear();
        let mut group = Vec::new();
        for first in 0..n {
            if self.patch[first] != NONE {
                continue;
            }
            let neighbours = delassus.row(first).0;
            let later = neighbours.partition_point(|&j| j <= first);
            group.clear();
            group.push(first);
            for &j in &neighbours[later..] {
                if self.patch[j] == NONE && delassus.row(j).0 == neighbours {
                    group.push(j);
                }
            }
            if self.add(delassus, &group) {
                continue;
            }
            // Several pairs of bodies whose contacts have the same neighbours: two points of one pair leave one
            // freedom of six open.
            let found = group.len();
            group.retain(|&j| {
                j == first
                    || self
                        .work
                        .eliminate(delassus, &[first, j])
                        .is_some_and(|r| r < SIX)
            });
            if group.len() == found || !self.add(delassus, &group) {
                self.add(delassus, &[first]);
            }
        }
        self.couple(delassus);
    }

    /// Adds a patch, if its rank is at most six.
    fn add(&mut self, delassus: &Delassus, contacts: &[usize]) -> bool {
        let Some(rank) = self.work.eliminate(delassus, contacts) else {
            return false;
        };
        let p = self.rank.len();
        let mut chosen = [NONE; SIX];
        for k in 0..rank {
            let (row, col) = (self.work.rows[k], self.work.cols[k]);
            chosen[k] = 3 * contacts[row / 3] + row % 3;
            self.number[3 * contacts[col / 3] + col % 3] = k;
        }
        self.chosen.push(chosen);
        self.rank.push(rank);
        let base = self.x.len();
        self.x.resize(base + contacts.len(), [[0.0; SIX]; 3]);
        self.y.resize(base + contacts.len(), [[0.0; SIX]; 3]);
        self.work.interpolate(rank, |place, x, y| {
            let (row, col) = (self.work.rows[place], self.work.cols[place]);
            self.x[base + row / 3][row % 3] = x;
            self.y[base + col / 3][col % 3] = y;
        });
        for &i in contacts {
            self.patch[i] = p;
        }
        self.members.extend_from_slice(contacts);
        self.starts.push(self.members.len());
        true
    }

    /// Ω: the entries of D where pivot rows and pivot columns meet.
    fn couple(&mut self, delassus: &Delassus) {
        self.omega_starts.clear();
        self.omega_starts.push(0);
        self.omega_cols.clear();
        self.omega.clear();
        for p in 0..self.len() {
            let first = self.members[self.starts[p]];
            let start = self.omega_cols.len();
            let neighbours = delassus.row(first).0;
            self.omega_cols
                .extend(neighbours.iter().map(|&j| self.patch[j]));
            self.omega_cols[start..].sort_unstable();
            let mut kept = start;
            for at in start..self.omega_cols.len() {
                if kept == start || self.omega_cols[kept - 1] != self.omega_cols[at] {
                    self.omega_cols[kept] = self.omega_cols[at];
                    kept += 1;
                }
            }
            self.omega_cols.truncate(kept);
            self.omega.resize(kept, [[0.0; SIX]; SIX]);
            for k in 0..self.rank[p] {
                let row = self.chosen[p][k];
                let (cols, blocks) = delassus.row(row / 3);
                for (&j, block) in cols.iter().zip(blocks) {
                    let numbers = [0, 1, 2].map(|b| self.number[3 * j + b]);
                    if numbers == [NONE; 3] {
                        continue;
                    }
                    let Ok(at) = self.omega_cols[start..].binary_search(&self.patch[j]) else {
                        continue;
                    };
                    for (b, l) in numbers.into_iter().enumerate() {
                        if l != NONE {
                            self.omega[start + at][k][l] = block.col(b)[row % 3];
                        }
                    }
                }
            }
            self.omega_starts.push(kept);
        }
    }

    /// Factors the system with these rows; false where singular.
    pub(crate) fn factor(&mut self, rows: &[Linearised]) -> bool {
        self.lu.analyse(&self.omega_starts, &self.omega_cols);
        for p in 0..self.len() {
            let mut k_hat = [[0.0; SIX]; SIX];
            for place in self.starts[p]..self.starts[p + 1] {
                let row = &rows[self.members[place]];
                let k = row.a_inverse * row.b;
                let (x, y) = (&self.x[place], &self.y[place]);
                for a in 0..3 {
                    // (K X) row a, then its part of Y K X.
                    let k_row = k.row(a);
                    for c in 0..SIX {
                        let kx = k_row.x * x[0][c] + k_row.y * x[1][c] + k_row.z * x[2][c];
                        for r in 0..SIX {
                            k_hat[r][c] += y[a][r] * kx;
                        }
                    }
                }
            }
            for at in self.omega_starts[p]..self.omega_starts[p + 1] {
                let q = self.omega_cols[at];
                let mut block = product(&k_hat, &self.omega[at]);
                if p == q {
                    for (k, row) in block.iter_mut().enumerate() {
                        row[k] += 1.0;
                    }
                }
                self.lu.add(p, q, &block);
            }
        }
        self.lu.factor()
    }

    /// δp for the right-hand sides of `rows`, with the last factors.
    pub(crate) fn back_solve(&mut self, rows: &[Linearised], dp: &mut Vec<DVec3>) {
        self.s.clear();
        self.s.resize(self.len(), [0.0; SIX]);
        for p in 0..self.len() {
            for place in self.starts[p]..self.starts[p + 1] {
                let row = &rows[self.members[place]];
                let g = (row.a_inverse * row.g).to_array();
                for (y, g) in self.y[place].iter().zip(g) {
                    for (s, y) in self.s[p].iter_mut().zip(y) {
                        *s += y * g;
                    }
                }
            }
        }
        self.lu.solve(&mut self.s);
        dp.clear();
        dp.resize(rows.len(), DVec3::ZERO);
        for p in 0..self.len() {
            let mut u_hat = [0.0; SIX];
            for at in self.omega_starts[p]..self.omega_starts[p + 1] {
                let s = &self.s[self.omega_cols[at]];
                for (u, row) in u_hat.iter_mut().zip(&self.omega[at]) {
                    *u += row.iter().zip(s).map(|(w, s)| w * s).sum::<f64>();
                }
            }
            for place in self.starts[p]..self.starts[p + 1] {
                let i = self.members[place];
                let du = self.x[place].map(|x| x.iter().zip(&u_hat).map(|(x, u)| x * u).sum());
                dp[i] = rows[i].a_inverse * (rows[i].g - rows[i].b * DVec3::from_array(du));
            }
        }
    }
}

fn product(a: &Block<SIX>, b: &Block<SIX>) -> Block<SIX> {
    let mut out = [[0.0; SIX]; SIX];
    for (row, out) in a.iter().zip(&mut out) {
        for (&v, b) in row.iter().zip(b) {
            for (o, b) in out.iter_mut().zip(b) {
                *o += v * b;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::inverse;
    use crate::coupling::tests::{dense_step, random_rows};
    use crate::random::Random;
    use glam::DMat3;

    /// D of bodies in a row with `m` contacts between neighbours, and of the first with the ground.
    fn row_of_bodies(random: &mut Random, bodies: usize, m: usize) -> Delassus {
        // Rows of Wᵀ: 6 numbers for the lower body of a patch, their negative for the upper.
        let wrench = |random: &mut Random| {
            let (d, r) = (random.vec3(), random.vec3());
            let c = r.cross(d);
            [d.x, d.y, d.z, c.x, c.y, c.z]
        };
        let rows: Vec<[[f64; 6]; 3]> = (0..bodies * m)
            .map(|_| [wrench(random), wrench(random), wrench(random)])
            .collect();
        let mut entries = Vec::new();
        for i in 0..bodies * m {
            for j in 0..bodies * m {
                let shared = match (i / m).abs_diff(j / m) {
                    0 if i / m == 0 => 1.0,
                    0 => 2.0,
                    1 => -1.0,
                    _ => continue,
                };
                let entry = |a: usize, b: usize| {
                    let dot: f64 = rows[i][a].iter().zip(&rows[j][b]).map(|(x, y)| x * y).sum();
                    shared * dot
                };
                let column = |b: usize| DVec3::new(entry(0, b), entry(1, b), entry(2, b));
                entries.push((i, j, DMat3::from_cols(column(0), column(1), column(2))));
            }
        }
        Delassus::from_blocks(bodies * m, entries)
    }

    #[test]
    fn patches_are_found_and_solve_the_same_system() {
        let mut random = Random::new(11);
        let mut patches = Patches::default();
        for (bodies, m) in [(5, 4), (3, 7), (6, 3), (4, 1), (4, 2)] {
            let d = row_of_bodies(&mut random, bodies, m);
            patches.find(&d);
            assert_eq!(patches.len(), bodies, "{m} contacts each");
            assert!(patches.rank.iter().all(|&r| r == SIX.min(3 * m)));
            let mut rows = random_rows(&mut random, &d);
            for row in rows.iter_mut().step_by(2) {
                // Contacts that stick have a small A.
                row.a *= 1e-3;
                row.a_inverse = inverse(&row.a);
            }
            let mut dp = Vec::new();
            assert!(patches.factor(&rows));
            patches.back_solve(&rows, &mut dp);
            let x = dense_step(&d, &rows);
            let largest = x.iter().fold(0.0f64, |m, v| m.max(v.length()));
            for (dp, x) in dp.iter().zip(&x) {
                assert!(dp.distance(*x) <= 1e-9 * largest);
            }
        }
    }
}
