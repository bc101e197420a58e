//! Contacts between the same two bodies, taken together: of the 3m velocities of a patch of m contacts six tell the
//! others, and so do six sums of its impulses, for a rigid body has no more freedoms.
//!
//! A stored problem has no bodies, but W shows them: the contacts of a patch have the same neighbours, and their block of W
//! has rank six or less. Elimination with complete pivoting finds rows I and columns J with W_pq = X_p W[I_p, J_q] Y_q. With
//! s_p = Y_p δp and K = A⁻¹B the system (A + B W) δp = g becomes
//!
//! ```text
//!   (I + K̂ Ω) s = Y A⁻¹ g,    K̂_p = Y_p K_p X_p,    Ω_pq = W[I_p, J_q],    δp = A⁻¹ (g − B X Ω s),
//! ```
//!
//! six unknowns for a patch instead of twelve for four contacts.

use crate::coupling::Linearised;
use crate::factor::block_lu::Block;
use crate::factor::node_lu::NodeLu;
use crate::problem::delassus::Delassus;
use glam::DVec3;

/// Freedoms of one body against another.
const SIX: usize = 6;
/// A pivot below this times the first is zero: W is known to rounding.
const ZERO: f64 = 1e-11;
const NONE: usize = usize::MAX;

/// Patches of a Delassus matrix with their linear system; memory is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patches {
    /// Patch by patch, its contacts: `members[starts[p]..starts[p + 1]]`.
    members: Vec<usize>,
    starts: Vec<usize>,
    /// Patch of each contact.
    patch: Vec<usize>,
    /// Rows (3 i + k) of W that tell the others, and the rank of each patch.
    chosen: Vec<[usize; SIX]>,
    rank: Vec<usize>,
    /// Number of each column (3 j + k) among those that tell the others, or NONE.
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
    work: Elimination,
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

    /// Finds the patches of W.
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

    /// Ω.
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

/// W of some contacts eliminated with complete pivoting: P W Q = L U.
#[derive(Clone, Debug, Default)]
struct Elimination {
    /// Row-major, n×n: U on and above the diagonal of the first `rank` rows, L below.
    a: Vec<f64>,
    n: usize,
    rows: Vec<usize>,
    cols: Vec<usize>,
}

impl Elimination {
    /// The rank, or `None` where it is more than six.
    fn eliminate(&mut self, delassus: &Delassus, contacts: &[usize]) -> Option<usize> {
        let m = contacts.len();
        let n = 3 * m;
        self.n = n;
        self.a.clear();
        self.a.resize(n * n, 0.0);
        for (r, &i) in contacts.iter().enumerate() {
            let (cols, blocks) = delassus.row(i);
            for (c, j) in contacts.iter().enumerate() {
                let Ok(at) = cols.binary_search(j) else {
                    continue;
                };
                for b in 0..3 {
                    let column = blocks[at].col(b);
                    for a in 0..3 {
                        self.a[(3 * r + a) * n + 3 * c + b] = column[a];
                    }
                }
            }
        }
        self.rows.clear();
        self.rows.extend(0..n);
        self.cols.clear();
        self.cols.extend(0..n);
        let mut first = 0.0;
        for k in 0..n {
            let (mut at, mut largest) = ((k, k), 0.0);
            for r in k..n {
                for c in k..n {
                    let v = self.a[r * n + c].abs();
                    if v > largest {
                        (at, largest) = ((r, c), v);
                    }
                }
            }
            if k == 0 {
                first = largest;
            }
            if largest <= ZERO * first {
                return Some(k);
            }
            if k == SIX {
                return None;
            }
            self.exchange(k, at);
            let inverse = 1.0 / self.a[k * n + k];
            for r in k + 1..n {
                let l = self.a[r * n + k] * inverse;
                self.a[r * n + k] = l;
                for c in k + 1..n {
                    self.a[r * n + c] -= l * self.a[k * n + c];
                }
            }
        }
        Some(n)
    }

    fn exchange(&mut self, k: usize, (r, c): (usize, usize)) {
        let n = self.n;
        self.rows.swap(k, r);
        self.cols.swap(k, c);
        for j in 0..n {
            self.a.swap(k * n + j, r * n + j);
        }
        for i in 0..n {
            self.a.swap(i * n + k, i * n + c);
        }
    }

    /// Tells for each place in the order of elimination its row of X = L L_rr⁻¹ and its column of Y = U_rr⁻¹ U.
    fn interpolate(&self, rank: usize, mut tell: impl FnMut(usize, [f64; SIX], [f64; SIX])) {
        let n = self.n;
        let l = |r: usize, c: usize| match r.cmp(&c) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Greater => self.a[r * n + c],
        };
        for place in 0..n {
            let (mut x, mut y) = ([0.0; SIX], [0.0; SIX]);
            if place < rank {
                x[place] = 1.0;
                y[place] = 1.0;
            } else {
                // x L_rr = l: from the last; U_rr y = u: from the last.
                for k in (0..rank).rev() {
                    let (mut sx, mut sy) = (l(place, k), self.a[k * n + place]);
                    for j in k + 1..rank {
                        sx -= x[j] * l(j, k);
                        sy -= self.a[k * n + j] * y[j];
                    }
                    x[k] = sx;
                    y[k] = sy / self.a[k * n + k];
                }
            }
            tell(place, x, y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::inverse;
    use crate::factor::dense::DenseLu;
    use crate::random::Random;
    use glam::DMat3;

    /// W of bodies in a row with `m` contacts between neighbours, and of the first with the ground.
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
            let w = row_of_bodies(&mut random, bodies, m);
            patches.find(&w);
            assert_eq!(patches.len(), bodies, "{m} contacts each");
            assert!(patches.rank.iter().all(|&r| r == SIX.min(3 * m)));
            let n_c = w.len();
            let rows: Vec<Linearised> = (0..n_c)
                .map(|i| {
                    let scale = w.w_bar(i) * [1.0, 1e-3][i % 2];
                    let a = DMat3::IDENTITY * scale;
                    Linearised {
                        a,
                        a_inverse: inverse(&a),
                        b: DMat3::IDENTITY,
                        g: random.vec3(),
                    }
                })
                .collect();
            let mut dp = Vec::new();
            assert!(patches.factor(&rows));
            patches.back_solve(&rows, &mut dp);
            let n = 3 * n_c;
            let mut dense = vec![0.0; n * n];
            for i in 0..n_c {
                for j in 0..n_c {
                    let mut block = rows[i].b * w.find(i, j);
                    if i == j {
                        block += rows[i].a;
                    }
                    for (r, c) in (0..9).map(|k| (k / 3, k % 3)) {
                        dense[(3 * i + r) * n + 3 * j + c] = block.col(c)[r];
                    }
                }
            }
            let mut lu = DenseLu::default();
            let mut x: Vec<f64> = rows.iter().flat_map(|r| r.g.to_array()).collect();
            lu.matrix(n).copy_from_slice(&dense);
            assert!(lu.factor_in_place());
            lu.solve(&mut x);
            let largest = x.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            for (d, x) in dp.iter().zip(x.chunks_exact(3)) {
                assert!((*d - DVec3::from_slice(x)).length() <= 1e-9 * largest);
            }
        }
    }
}
