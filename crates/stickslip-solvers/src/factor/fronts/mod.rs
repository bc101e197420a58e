//! Sparse LU of large matrices of small dense blocks by fronts (the multifrontal method of Duff and Reid, 1983).
//!
//! Nodes that are coupled to nearly the same later nodes are eliminated together ([`tree`]): their rows and columns make a
//! dense matrix, the front, whose first s block columns are factored ([`kernel`]); what it leaves for the others is added
//! to the front of their first node. Nearly all arithmetic is then a dense product.
//!
//! Branches of the tree need nothing of each other: they are factored on different threads, then the fronts above them one after the
//! other, their products by rows ([`job`]). What children leave is added in one order: the bits do not depend on the number of
//! threads.

mod job;
mod kernel;
mod tree;

use crate::factor::block_lu::Block;
use crate::factor::elimination::Pattern;
use crate::factor::fronts::job::{FrontWork, Job, Out};
use crate::factor::fronts::tree::FrontTree;
use std::ops::Range;

/// Factorisation of an n×n matrix of B×B blocks with a symmetric pattern; pattern and memory are kept between uses.
/// Rows are exchanged within a front's own nodes only: callers refine or test the answer where that may matter.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrontLu<const B: usize> {
    /// Pattern analysed last, and its fronts.
    pattern: Pattern,
    tree: FrontTree,
    blocks: Vec<Block<B>>,
    factors: Vec<f64>,
    /// Row k of a front's own was exchanged with this one.
    rows: Vec<usize>,
    work: FrontWork,
    x: Vec<[f64; B]>,
    y: Vec<f64>,
}

/// Some block rows of a matrix.
#[derive(Debug)]
pub(crate) struct FrontRows<'a, const B: usize> {
    pub(crate) rows: Range<usize>,
    pattern: &'a Pattern,
    blocks: &'a mut [Block<B>],
}

impl<const B: usize> FrontRows<'_, B> {
    /// Adds `block` at (row, column) = (i, j), which must be in the pattern and among these rows.
    pub(crate) fn add(&mut self, i: usize, j: usize, block: &Block<B>) {
        let start = self.pattern.starts[i];
        let Ok(at) = self.pattern.cols[start..self.pattern.starts[i + 1]].binary_search(&j) else {
            debug_assert!(false, "block ({i}, {j}) is not in the pattern");
            return;
        };
        let target = &mut self.blocks[start - self.pattern.starts[self.rows.start] + at];
        for (target, row) in target.iter_mut().zip(block) {
            for (t, v) in target.iter_mut().zip(row) {
                *t += v;
            }
        }
    }
}

/// a·b over the length of `a`, in eight sums that are added at the end.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const DOT_LANES: usize = 8;
    let mut sums = [0.0; DOT_LANES];
    let (a, a_rest) = a.as_chunks::<DOT_LANES>();
    let (b, b_rest) = b.split_at(a.len() * DOT_LANES);
    let (b, _) = b.as_chunks::<DOT_LANES>();
    for i in 0..a.len().min(b.len()) {
        for k in 0..DOT_LANES {
            sums[k] += a[i][k] * b[i][k];
        }
    }
    for (k, v) in a_rest.iter().enumerate() {
        sums[k] += v * b_rest[k];
    }
    ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
}

impl<const B: usize> FrontLu<B> {
    /// Prepares for a matrix with this pattern (rows compressed, each sorted; symmetric, with its diagonal) and sets it to
    /// zero. Cheap where the pattern is that of the last call.
    pub(crate) fn analyse(&mut self, starts: &[usize], cols: &[usize]) {
        if self.pattern.renew(starts, cols) {
            self.tree = FrontTree::find(&self.pattern);
            self.factors.clear();
            self.factors.resize(B * B * self.tree.factor_blocks, 0.0);
            self.rows.clear();
            self.rows.resize(B * self.tree.order.len(), 0);
        }
        self.blocks.clear();
        self.blocks.resize(self.pattern.cols.len(), [[0.0; B]; B]);
    }

    /// Forgets the pattern: the next analysis is made anew.
    pub(crate) fn forget(&mut self) {
        self.pattern.forget();
    }

    /// Adds `block` at (row, column) = (i, j), which must be in the pattern.
    pub(crate) fn add(&mut self, i: usize, j: usize, block: &Block<B>) {
        let mut all = FrontRows {
            rows: 0..self.tree.order.len(),
            pattern: &self.pattern,
            blocks: &mut self.blocks,
        };
        all.add(i, j, block);
    }

    /// The block rows in so many parts of about the same size, for several threads to add to.
    pub(crate) fn parts(&mut self, parts: usize) -> Vec<FrontRows<'_, B>> {
        let (pattern, n) = (&self.pattern, self.tree.order.len());
        let mut left = &mut *self.blocks;
        let mut from = 0;
        let part = |k: usize| {
            let end = pattern.cols.len() * (k + 1) / parts;
            let to = pattern.starts[..=n].partition_point(|&start| start < end);
            let rows = from..to.max(from);
            from = rows.end;
            let blocks = pattern.starts[rows.end] - pattern.starts[rows.start];
            let (blocks, rest) = std::mem::take(&mut left).split_at_mut(blocks);
            left = rest;
            FrontRows {
                rows,
                pattern,
                blocks,
            }
        };
        (0..parts).map(part).collect()
    }

    /// Factors what was added. False where a pivot is zero.
    pub(crate) fn factor(&mut self) -> bool {
        let job = Job {
            tree: &self.tree,
            blocks: &self.blocks,
            arch: pulp::Arch::new(),
        };
        let out = Out {
            factors: &mut self.factors,
            rows: &mut self.rows,
        };
        job.run(out, &mut self.work)
    }

    /// Sign of the determinant of what was factored last.
    pub(crate) fn determinant_sign(&self) -> f64 {
        let mut negative = false;
        for front in &self.tree.fronts {
            let (own, n) = (B * front.own, B * front.size());
            let exchanged = &self.rows[B * front.first..][..own];
            for (k, &r) in exchanged.iter().enumerate() {
                negative ^= (r != k) ^ (self.factors[B * B * front.factors + k * n + k] < 0.0);
            }
        }
        if negative { -1.0 } else { 1.0 }
    }

    /// Solves A x = b in place.
    pub(crate) fn solve(&mut self, b: &mut [[f64; B]]) {
        self.x.clear();
        self.x.extend(self.tree.order.iter().map(|&i| b[i]));
        let x = self.x.as_flattened_mut();
        for front in &self.tree.fronts {
            let (own, n, first) = (B * front.own, B * front.size(), B * front.first);
            for (k, &r) in self.rows[first..][..own].iter().enumerate() {
                x.swap(first + k, first + r);
            }
            let (square, below) = self.factors[B * B * front.factors..].split_at(own * n);
            for r in 1..own {
                x[first + r] -= dot(&square[r * n..][..r], &x[first..]);
            }
            self.y.clear();
            self.y.extend_from_slice(&x[first..first + own]);
            for (&p, rows) in self.tree.later[front.later.clone()]
                .iter()
                .zip(below.chunks_exact(B * own))
            {
                for (x, row) in x[B * p..][..B].iter_mut().zip(rows.chunks_exact(own)) {
                    *x -= dot(row, &self.y);
                }
            }
        }
        for front in self.tree.fronts.iter().rev() {
            let (own, n, first) = (B * front.own, B * front.size(), B * front.first);
            self.y.clear();
            for &p in &self.tree.later[front.later.clone()] {
                self.y.extend_from_slice(&x[B * p..][..B]);
            }
            let square = &self.factors[B * B * front.factors..][..own * n];
            for r in (0..own).rev() {
                let row = &square[r * n..][..n];
                let known = dot(&row[own..], &self.y) + dot(&row[r + 1..own], &x[first + r + 1..]);
                x[first + r] = (x[first + r] - known) / row[r];
            }
        }
        for (x, &i) in self.x.iter().zip(&self.tree.order) {
            b[i] = *x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factor::block_lu::BlockLu;
    use crate::random::Random;

    /// Pattern of a square lattice with its diagonals, n by n.
    fn lattice(n: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut starts, mut cols) = (vec![0], Vec::new());
        for i in 0..n * n {
            let near = |j: &usize| (i % n).abs_diff(j % n) <= 1 && (i / n).abs_diff(j / n) <= 1;
            cols.extend((0..n * n).filter(near));
            starts.push(cols.len());
        }
        (starts, cols)
    }

    #[test]
    fn fronts_solve_what_blocks_solve() {
        let mut random = Random::new(8);
        let mut fronts = FrontLu::<6>::default();
        let mut blocks = BlockLu::<6>::default();
        for n in [1, 2, 3, 7, 16] {
            let (starts, cols) = lattice(n);
            fronts.analyse(&starts, &cols);
            blocks.analyse(&starts, &cols);
            let mut b = vec![[0.0; 6]; n * n];
            let x: Vec<[f64; 6]> = (0..n * n)
                .map(|_| std::array::from_fn(|_| random.signed()))
                .collect();
            for i in 0..n * n {
                for &j in &cols[starts[i]..starts[i + 1]] {
                    let mut block: Block<6> =
                        std::array::from_fn(|_| std::array::from_fn(|_| random.signed()));
                    if i == j {
                        for (k, row) in block.iter_mut().enumerate() {
                            row[k] += 12.0;
                        }
                    }
                    fronts.add(i, j, &block);
                    blocks.add(i, j, &block);
                    for r in 0..6 {
                        for c in 0..6 {
                            b[i][r] += block[r][c] * x[j][c];
                        }
                    }
                }
            }
            assert!(fronts.factor() && blocks.factor());
            let mut by_blocks = b.clone();
            fronts.solve(&mut b);
            blocks.solve(&mut by_blocks);
            for ((b, other), x) in b.iter().zip(&by_blocks).zip(&x) {
                for k in 0..6 {
                    assert!((b[k] - x[k]).abs() < 1e-11, "{n}: {} {}", b[k], x[k]);
                    assert!((b[k] - other[k]).abs() < 1e-11);
                }
            }
        }
    }

    /// Pattern of a cube of n nodes a side, each coupled to the 26 around it.
    fn cube(n: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut starts, mut cols) = (vec![0], Vec::new());
        for i in 0..n * n * n {
            let place = |k: usize| [k % n, k / n % n, k / n / n];
            let near = |j: &usize| {
                let mut both = place(i).into_iter().zip(place(*j));
                both.all(|(a, b)| a.abs_diff(b) <= 1)
            };
            cols.extend((0..n * n * n).filter(near));
            starts.push(cols.len());
        }
        (starts, cols)
    }

    /// A random matrix of a pattern, factored by so many threads: its factors, exchanges and the answer to a right-hand side.
    fn factored(
        fronts: &mut FrontLu<6>,
        (starts, cols): &(Vec<usize>, Vec<usize>),
        threads: usize,
    ) -> (Vec<f64>, Vec<usize>, Vec<[f64; 6]>) {
        let _allowed = stickslip_threads::Allowed::threads(threads);
        let mut random = Random::new(31);
        fronts.analyse(starts, cols);
        for i in 0..starts.len() - 1 {
            for &j in &cols[starts[i]..starts[i + 1]] {
                let mut block: Block<6> =
                    std::array::from_fn(|_| std::array::from_fn(|_| random.signed()));
                for (k, row) in block.iter_mut().enumerate() {
                    row[k] += if i == j { 9.0 } else { 0.0 };
                }
                fronts.add(i, j, &block);
            }
        }
        assert!(fronts.factor());
        let mut b: Vec<[f64; 6]> = (1..starts.len())
            .map(|_| std::array::from_fn(|_| random.signed()))
            .collect();
        fronts.solve(&mut b);
        (fronts.factors.clone(), fronts.rows.clone(), b)
    }

    #[test]
    fn the_bits_are_the_same_on_any_number_of_threads() {
        for pattern in [lattice(31), cube(8)] {
            let mut fronts = FrontLu::default();
            let wanted = factored(&mut fronts, &pattern, 1);
            assert!(216 * fronts.tree.products > 20_000_000);
            assert!(fronts.tree.branches.len() > 2);
            for threads in [2, 3, 4, 8, 2] {
                let found = factored(&mut fronts, &pattern, threads);
                assert!(found == wanted, "{threads} threads");
            }
        }
    }

    #[test]
    fn a_matrix_that_is_singular_in_a_branch_is_refused_by_several_threads() {
        let (starts, cols) = cube(8);
        let mut fronts = FrontLu::<6>::default();
        let _allowed = stickslip_threads::Allowed::threads(4);
        for singular in [None, Some(0), Some(200), Some(511)] {
            fronts.analyse(&starts, &cols);
            for i in 0..512 {
                let size = if singular == Some(i) { 0.0 } else { 1.0 };
                let block = std::array::from_fn(|r| {
                    std::array::from_fn(|c| size * f64::from(u8::from(r == c)))
                });
                fronts.add(i, i, &block);
            }
            assert_eq!(fronts.factor(), singular.is_none(), "{singular:?}");
        }
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        let (starts, cols) = lattice(3);
        let mut fronts = FrontLu::<3>::default();
        fronts.analyse(&starts, &cols);
        assert!(!fronts.factor());
    }

    #[test]
    fn rows_are_exchanged_within_a_node() {
        let mut fronts = FrontLu::<3>::default();
        fronts.analyse(&[0, 1], &[0]);
        fronts.add(0, 0, &[[0.0, 2.0, 0.0], [0.0, 0.0, 4.0], [8.0, 0.0, 0.0]]);
        assert!(fronts.factor());
        let mut b = [[2.0, 4.0, 8.0]];
        fronts.solve(&mut b);
        assert_eq!(b, [[1.0, 1.0, 1.0]]);
        assert!(fronts.determinant_sign() > 0.0);
        fronts.analyse(&[0, 1], &[0]);
        fronts.add(0, 0, &[[0.0, 2.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, 4.0]]);
        assert!(fronts.factor() && fronts.determinant_sign() < 0.0);
    }
}
