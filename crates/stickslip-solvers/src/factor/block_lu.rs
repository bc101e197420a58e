//! Sparse LU of matrices of small dense blocks with a symmetric pattern: one node per body or
//! contact, minimum-degree order, pivoting inside the diagonal blocks only.
//!
//! Plain loops in a fixed order, so the bits do not depend on the machine. No pivoting between
//! blocks: callers refine or test the answer where that may matter.

use crate::factor::elimination::{EliminationOrder, Pattern};

/// Dense block, row-major.
pub(crate) type Block<const B: usize> = [[f64; B]; B];

/// Factorisation of an n×n matrix of B×B blocks; pattern and memory are kept between uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockLu<const B: usize> {
    /// Pattern analysed last.
    pattern: Pattern,
    elimination: EliminationOrder,
    diagonal: Vec<Block<B>>,
    pivots: Vec<Pivot<B>>,
    /// Blocks (later, k) and (k, later).
    lower: Vec<Block<B>>,
    upper: Vec<Block<B>>,
    x: Vec<[f64; B]>,
}

fn zero<const B: usize>() -> Block<B> {
    [[0.0; B]; B]
}

/// c −= a b.
fn subtract_product<const B: usize>(c: &mut Block<B>, a: &Block<B>, b: &Block<B>) {
    for r in 0..B {
        for k in 0..B {
            let l = a[r][k];
            for j in 0..B {
                c[r][j] -= l * b[k][j];
            }
        }
    }
}

/// P D = L U of one diagonal block, rows exchanged by size. Solves with it are backward stable, which
/// multiplying by an inverse is not: stiff and soft directions meet in one block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pivot<const B: usize> {
    lu: Block<B>,
    rows: [usize; B],
}

impl<const B: usize> Pivot<B> {
    const EMPTY: Self = Self {
        lu: [[0.0; B]; B],
        rows: [0; B],
    };

    /// None where singular.
    pub(crate) fn new(d: &Block<B>) -> Option<Self> {
        let mut lu = *d;
        let mut rows = [0; B];
        for (k, row) in rows.iter_mut().enumerate() {
            *row = k;
        }
        for k in 0..B {
            let mut pivot = k;
            for r in k + 1..B {
                if lu[r][k].abs() > lu[pivot][k].abs() {
                    pivot = r;
                }
            }
            if !(lu[pivot][k].abs() > 0.0 && lu[pivot][k].is_finite()) {
                return None;
            }
            lu.swap(k, pivot);
            rows.swap(k, pivot);
            let row = lu[k];
            for r in k + 1..B {
                let l = lu[r][k] / row[k];
                lu[r][k] = l;
                for j in k + 1..B {
                    lu[r][j] -= l * row[j];
                }
            }
        }
        Some(Self { lu, rows })
    }

    /// D⁻¹ v.
    pub(crate) fn solve(&self, v: &[f64; B]) -> [f64; B] {
        let mut x = [0.0; B];
        for r in 0..B {
            let mut s = v[self.rows[r]];
            for c in 0..r {
                s -= self.lu[r][c] * x[c];
            }
            x[r] = s;
        }
        for r in (0..B).rev() {
            let mut s = x[r];
            for c in r + 1..B {
                s -= self.lu[r][c] * x[c];
            }
            x[r] = s / self.lu[r][r];
        }
        x
    }

    /// A D⁻¹: X with X P⁻¹ L U = A, row by row.
    fn divide(&self, a: &Block<B>) -> Block<B> {
        let mut out = zero();
        for (row, target) in a.iter().zip(&mut out) {
            let mut y = *row;
            for j in 0..B {
                y[j] /= self.lu[j][j];
                for k in j + 1..B {
                    y[k] -= y[j] * self.lu[j][k];
                }
            }
            for j in (0..B).rev() {
                for k in 0..j {
                    y[k] -= y[j] * self.lu[j][k];
                }
            }
            for (j, v) in y.into_iter().enumerate() {
                target[self.rows[j]] = v;
            }
        }
        out
    }
}

impl<const B: usize> BlockLu<B> {
    /// Prepares for a matrix with this pattern (rows compressed; taken as symmetric, diagonal
    /// implied) and sets it to zero. Cheap where the pattern is that of the last call.
    pub(crate) fn analyse(&mut self, starts: &[usize], cols: &[usize]) {
        if self.pattern.renew(starts, cols) {
            self.elimination.find(starts, cols);
        }
        self.diagonal.clear();
        self.diagonal.resize(self.elimination.order.len(), zero());
        self.pivots.clear();
        self.pivots
            .resize(self.elimination.order.len(), Pivot::EMPTY);
        self.lower.clear();
        self.lower.resize(self.elimination.later.len(), zero());
        self.upper.clear();
        self.upper.resize(self.elimination.later.len(), zero());
    }

    /// Forgets the pattern: the next analysis is made anew.
    pub(crate) fn forget(&mut self) {
        self.pattern.forget();
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.elimination.order.len()
    }

    /// Adds `block` at (row, column) = (i, j), which must be in the pattern.
    pub(crate) fn add(&mut self, i: usize, j: usize, block: &Block<B>) {
        let (a, b) = (self.elimination.place[i], self.elimination.place[j]);
        let target = if a == b {
            &mut self.diagonal[a]
        } else {
            let k = a.min(b);
            let range = self.elimination.starts[k]..self.elimination.starts[k + 1];
            let Ok(at) = self.elimination.later[range].binary_search(&a.max(b)) else {
                debug_assert!(false, "block ({i}, {j}) is not in the pattern");
                return;
            };
            let at = self.elimination.starts[k] + at;
            if a < b {
                &mut self.upper[at]
            } else {
                &mut self.lower[at]
            }
        };
        for r in 0..B {
            for c in 0..B {
                target[r][c] += block[r][c];
            }
        }
    }

    /// Factors what was added. False where a diagonal block is singular.
    pub(crate) fn factor(&mut self) -> bool {
        for k in 0..self.elimination.order.len() {
            let Some(pivot) = Pivot::new(&self.diagonal[k]) else {
                return false;
            };
            self.pivots[k] = pivot;
            let range = self.elimination.starts[k]..self.elimination.starts[k + 1];
            for at in range.clone() {
                self.lower[at] = pivot.divide(&self.lower[at]);
            }
            // What is changed lies behind what it is changed by.
            let end = range.end;
            let (lower, later_lower) = self.lower.split_at_mut(end);
            let (upper, later_upper) = self.upper.split_at_mut(end);
            for a in range {
                let i = self.elimination.later[a];
                let (l_ik, u_ki) = (&lower[a], &upper[a]);
                subtract_product(&mut self.diagonal[i], l_ik, u_ki);
                // Later places of k after i are all later places of i: walk both lists.
                let mut t = self.elimination.starts[i];
                for b in a + 1..end {
                    let j = self.elimination.later[b];
                    while self.elimination.later[t] < j {
                        t += 1;
                    }
                    subtract_product(&mut later_upper[t - end], l_ik, &upper[b]);
                    subtract_product(&mut later_lower[t - end], &lower[b], u_ki);
                }
            }
        }
        true
    }

    /// Solves A x = b in place.
    pub(crate) fn solve(&mut self, b: &mut [[f64; B]]) {
        let n = self.elimination.order.len();
        self.x.clear();
        self.x.extend(self.elimination.order.iter().map(|&i| b[i]));
        for k in 0..n {
            let v = self.x[k];
            for at in self.elimination.starts[k]..self.elimination.starts[k + 1] {
                let target = &mut self.x[self.elimination.later[at]];
                for r in 0..B {
                    for c in 0..B {
                        target[r] -= self.lower[at][r][c] * v[c];
                    }
                }
            }
        }
        for k in (0..n).rev() {
            let mut v = self.x[k];
            for at in self.elimination.starts[k]..self.elimination.starts[k + 1] {
                let y = self.x[self.elimination.later[at]];
                for r in 0..B {
                    for c in 0..B {
                        v[r] -= self.upper[at][r][c] * y[c];
                    }
                }
            }
            self.x[k] = self.pivots[k].solve(&v);
        }
        for (k, &i) in self.elimination.order.iter().enumerate() {
            b[i] = self.x[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn random_sparse_systems_are_solved() {
        let mut random = Random::new(5);
        let mut lu = BlockLu::<3>::default();
        for n in 1..40 {
            let mut entries = Vec::new();
            for i in 0..n {
                for j in 0..n {
                    if i == j || random.below(n) < 3 {
                        entries.push((i, j));
                        entries.push((j, i));
                    }
                }
            }
            entries.sort_unstable();
            entries.dedup();
            let mut starts = vec![0];
            let mut cols = Vec::new();
            for i in 0..n {
                cols.extend(entries.iter().filter(|e| e.0 == i).map(|e| e.1));
                starts.push(cols.len());
            }
            let blocks: Vec<Block<3>> = entries
                .iter()
                .map(|&(i, j)| {
                    let mut b = [[0.0; 3]; 3];
                    for row in &mut b {
                        for v in row.iter_mut() {
                            *v = random.signed();
                        }
                    }
                    if i == j {
                        for (k, row) in b.iter_mut().enumerate() {
                            row[k] += 10.0;
                        }
                    }
                    b
                })
                .collect();
            let x: Vec<[f64; 3]> = (0..n).map(|_| random.vec3().to_array()).collect();
            let mut b = vec![[0.0; 3]; n];
            lu.analyse(&starts, &cols);
            for (&(i, j), block) in entries.iter().zip(&blocks) {
                lu.add(i, j, block);
                for r in 0..3 {
                    for c in 0..3 {
                        b[i][r] += block[r][c] * x[j][c];
                    }
                }
            }
            assert!(lu.factor());
            lu.solve(&mut b);
            for (b, x) in b.iter().zip(&x) {
                for k in 0..3 {
                    assert!((b[k] - x[k]).abs() < 1e-11);
                }
            }
        }
    }
}
