//! A block of D of low rank as combinations of its pivot rows and columns.

use crate::coupling::patches::SIX;
use crate::problem::delassus::Delassus;

/// A pivot below this times the first is zero: D is known to rounding.
const ZERO_PIVOT: f64 = 1e-11;

/// The block of D between some contacts, eliminated with complete pivoting: P D Q = L U.
#[derive(Clone, Debug, Default)]
pub(crate) struct LowRank {
    /// Row-major, n×n: U on and above the diagonal of the first `rank` rows, L below.
    a: Vec<f64>,
    n: usize,
    /// Row and column of the block at each place in the order of elimination: the pivots first.
    pub(crate) rows: Vec<usize>,
    pub(crate) cols: Vec<usize>,
}

impl LowRank {
    /// The rank, or `None` where it is more than six.
    pub(crate) fn eliminate(&mut self, delassus: &Delassus, contacts: &[usize]) -> Option<usize> {
        self.load(delassus, contacts);
        let n = self.n;
        let mut first = 0.0;
        for k in 0..n {
            let (at, largest) = self.largest_from(k);
            if k == 0 {
                first = largest;
            }
            if largest <= ZERO_PIVOT * first {
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

    /// Copies the block of D between these contacts.
    fn load(&mut self, delassus: &Delassus, contacts: &[usize]) {
        let n = 3 * contacts.len();
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
    }

    /// Place and size of the largest entry that is left from row and column `k` on.
    fn largest_from(&self, k: usize) -> ((usize, usize), f64) {
        let n = self.n;
        let (mut at, mut largest) = ((k, k), 0.0);
        for r in k..n {
            for c in k..n {
                let v = self.a[r * n + c].abs();
                if v > largest {
                    (at, largest) = ((r, c), v);
                }
            }
        }
        (at, largest)
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

    /// Calls `visit` for each place in the order of elimination with its row of X = L L_rr⁻¹ and its column of
    /// Y = U_rr⁻¹ U, where rr are the first `rank` rows and columns.
    pub(crate) fn interpolate(
        &self,
        rank: usize,
        mut visit: impl FnMut(usize, [f64; SIX], [f64; SIX]),
    ) {
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
            visit(place, x, y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use glam::{DMat3, DVec3};

    /// Three contacts of one body with the ground: D_ij = J_i J_jᵀ with J_i of six columns has rank six of nine, and
    /// X D[I, J] Y is D again.
    #[test]
    fn a_block_is_rebuilt_from_its_pivots() {
        let mut random = Random::new(17);
        let jacobians: Vec<[[f64; 6]; 3]> = (0..3)
            .map(|_| std::array::from_fn(|_| std::array::from_fn(|_| random.signed())))
            .collect();
        let entry = |i: usize, j: usize, r: usize, c: usize| -> f64 {
            let (a, b) = (&jacobians[i][r], &jacobians[j][c]);
            a.iter().zip(b).map(|(a, b)| a * b).sum()
        };
        let block = |i: usize, j: usize| {
            let column = |c| DVec3::new(entry(i, j, 0, c), entry(i, j, 1, c), entry(i, j, 2, c));
            (i, j, DMat3::from_cols(column(0), column(1), column(2)))
        };
        let blocks = (0..9).map(|k| block(k / 3, k % 3)).collect();
        let delassus = Delassus::from_blocks(3, blocks);
        let mut low = LowRank::default();
        assert_eq!(low.eliminate(&delassus, &[0, 1, 2]), Some(6));
        let (mut x, mut y) = (vec![[0.0; SIX]; 9], vec![[0.0; SIX]; 9]);
        low.interpolate(6, |place, x_row, y_column| {
            x[low.rows[place]] = x_row;
            y[low.cols[place]] = y_column;
        });
        let at = |r: usize, c: usize| entry(r / 3, c / 3, r % 3, c % 3);
        for r in 0..9 {
            for c in 0..9 {
                let mut sum = 0.0;
                for k in 0..SIX {
                    for l in 0..SIX {
                        sum += x[r][k] * at(low.rows[k], low.cols[l]) * y[c][l];
                    }
                }
                assert!((sum - at(r, c)).abs() < 1e-12, "({r}, {c})");
            }
        }
        // One contact has rank three; a matrix of full rank 9 is no patch.
        assert_eq!(low.eliminate(&delassus, &[1]), Some(3));
        let unit = (0..3).map(|i| (i, i, DMat3::IDENTITY)).collect();
        assert_eq!(
            low.eliminate(&Delassus::from_blocks(3, unit), &[0, 1, 2]),
            None
        );
    }
}
