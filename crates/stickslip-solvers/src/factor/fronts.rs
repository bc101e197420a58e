//! Sparse LU of large matrices of small dense blocks by fronts (the multifrontal method of Duff and Reid, 1983).
//!
//! Nodes that are coupled to nearly the same later nodes are eliminated together: their rows and columns make a dense
//! matrix, the front, whose first s block columns are factored; what it leaves for the others is added to the
//! front of their first node. Nearly all arithmetic is then a dense product.
//!
//! Each element of the factors is computed by the same operations in the same order however wide the
//! machine's vectors are, without fused products: the bits do not depend on the machine.

use crate::factor::block_lu::Block;
use crate::factor::elimination::{Elimination, Pattern};

/// Factorisation of an n×n matrix of B×B blocks with a symmetric pattern; pattern and memory are kept between uses.
/// Rows are exchanged within a front's own nodes only: callers refine or test the answer where that may matter.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrontLu<const B: usize> {
    /// Pattern analysed last.
    pattern: Pattern,
    blocks: Vec<Block<B>>,
    /// Node at each place of the order of elimination.
    order: Vec<usize>,
    /// In order of elimination, each after those it takes from.
    fronts: Vec<Front>,
    /// Places of the later rows of all fronts, and their indices in the parent's front.
    later: Vec<usize>,
    in_parent: Vec<usize>,
    /// The pattern's entries by front: (index in the pattern, row, column), the latter in blocks of the front.
    entries: Vec<(usize, usize, usize)>,
    factors: Vec<f64>,
    rows: Vec<usize>,
    work: Work,
    x: Vec<[f64; B]>,
    y: Vec<f64>,
}

/// Some nodes eliminated together.
#[derive(Clone, Debug, Default)]
struct Front {
    /// Its own nodes are at the places first..first + own.
    first: usize,
    own: usize,
    /// Its later rows: this part of `later`.
    later: core::ops::Range<usize>,
    /// Its part of the entries.
    entries: core::ops::Range<usize>,
    /// Fronts that leave something to this one, the last of those on the stack.
    children: Vec<usize>,
    /// Where its factors begin: own rows (U over all columns, L of the own square below it), then the own
    /// columns of the later rows.
    factors: usize,
}

impl Front {
    /// Block rows of the front.
    fn size(&self) -> usize {
        self.own + self.later.len()
    }
}

/// Columns eliminated between two products.
const PANEL: usize = 48;
/// Rows and columns of the product that are held in registers.
const TILE: (usize, usize) = (4, 8);

/// The dense matrix at hand and what fronts have left to others.
#[derive(Clone, Debug, Default)]
struct Work {
    dense: Dense,
    stack: Vec<f64>,
    packed: Vec<[f64; TILE.1]>,
}

/// A square matrix by rows, its rows and columns padded with zeros to whole tiles.
#[derive(Clone, Debug, Default)]
struct Dense {
    values: Vec<f64>,
    n: usize,
    stride: usize,
}

impl Dense {
    fn reset(&mut self, n: usize) {
        self.n = n;
        self.stride = n.next_multiple_of(TILE.1);
        self.values.clear();
        self.values
            .resize(n.next_multiple_of(TILE.0) * self.stride, 0.0);
    }

    #[inline(always)]
    fn row(&self, r: usize) -> &[f64] {
        &self.values[r * self.stride..][..self.n]
    }

    #[inline(always)]
    fn row_mut(&mut self, r: usize) -> &mut [f64] {
        &mut self.values[r * self.stride..][..self.n]
    }

    /// Rows `a` < `b`, the latter to change.
    #[inline(always)]
    fn two_rows(&mut self, a: usize, b: usize) -> (&[f64], &mut [f64]) {
        let (above, below) = self.values.split_at_mut(b * self.stride);
        (&above[a * self.stride..][..self.n], &mut below[..self.n])
    }

    #[inline(always)]
    fn swap_rows(&mut self, a: usize, b: usize) {
        if a != b {
            let (low, high) = (a.min(b), a.max(b));
            let (above, below) = self.values.split_at_mut(high * self.stride);
            above[low * self.stride..][..self.n].swap_with_slice(&mut below[..self.n]);
        }
    }

    /// Eliminates the first `own` columns, rows exchanged among the first `own` (recorded in `rows`: row k was
    /// exchanged with `rows[k]`). False where a pivot is zero or not finite.
    #[inline(always)]
    fn eliminate(
        &mut self,
        own: usize,
        rows: &mut [usize],
        packed: &mut Vec<[f64; TILE.1]>,
    ) -> bool {
        for start in (0..own).step_by(PANEL) {
            let end = (start + PANEL).min(own);
            for k in start..end {
                let mut pivot = k;
                for r in k + 1..own {
                    if self.row(r)[k].abs() > self.row(pivot)[k].abs() {
                        pivot = r;
                    }
                }
                let size = self.row(pivot)[k].abs();
                if !(size > 0.0 && size.is_finite()) {
                    return false;
                }
                rows[k] = pivot;
                self.swap_rows(k, pivot);
                for r in k + 1..self.n {
                    let (top, row) = self.two_rows(k, r);
                    let l = row[k] / top[k];
                    row[k] = l;
                    subtract_multiple(&mut row[k + 1..end], l, &top[k + 1..end]);
                }
            }
            for r in start + 1..end {
                for k in start..r {
                    let (top, row) = self.two_rows(k, r);
                    let l = row[k];
                    subtract_multiple(&mut row[end..], l, &top[end..]);
                }
            }
            self.subtract_product(start, end, packed);
        }
        true
    }

    /// C −= A U: A the columns start..end of the rows from `end` on, U the rows start..end, C what is right of A.
    #[inline(always)]
    fn subtract_product(&mut self, start: usize, end: usize, packed: &mut Vec<[f64; TILE.1]>) {
        const ROWS: usize = TILE.0;
        const COLS: usize = TILE.1;
        let (stride, depth) = (self.stride, end - start);
        if end >= self.n {
            return;
        }
        // U by tiles of columns; zero left of `end`, where C is not to change.
        let first_tile = end / COLS;
        let tiles = stride / COLS - first_tile;
        packed.clear();
        packed.resize(tiles * depth, [0.0; COLS]);
        for k in 0..depth {
            let row = &self.values[(start + k) * stride + first_tile * COLS..][..tiles * COLS];
            for tile in 0..tiles {
                let target = &mut packed[tile * depth + k];
                for j in 0..COLS {
                    target[j] = row[tile * COLS + j];
                }
            }
            for j in 0..end % COLS {
                packed[k][j] = 0.0;
            }
        }
        let mut a = [[0.0; ROWS]; PANEL];
        let first_row = end / ROWS * ROWS;
        for (group, c) in self.values[first_row * stride..]
            .chunks_exact_mut(ROWS * stride)
            .enumerate()
        {
            for r in 0..ROWS {
                let above = first_row + group * ROWS + r < end;
                let row = &c[r * stride + start..][..depth];
                for k in 0..depth {
                    a[k][r] = if above { 0.0 } else { row[k] };
                }
            }
            for tile in 0..tiles {
                let u = &packed[tile * depth..(tile + 1) * depth];
                product_tile(&a, u, &mut c[(first_tile + tile) * COLS..], stride);
            }
        }
    }
}

/// The elimination, compiled for the widest vectors that the machine has.
struct Eliminate<'a> {
    dense: &'a mut Dense,
    own: usize,
    rows: &'a mut [usize],
    packed: &'a mut Vec<[f64; TILE.1]>,
}

impl pulp::WithSimd for Eliminate<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> bool {
        self.dense.eliminate(self.own, self.rows, self.packed)
    }
}

/// a·b over the length of `a`, in eight sums that are added at the end.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.split_at(a.len() * LANES);
    let (b, _) = b.as_chunks::<LANES>();
    for i in 0..a.len().min(b.len()) {
        for k in 0..LANES {
            sums[k] += a[i][k] * b[i][k];
        }
    }
    for (k, v) in a_rest.iter().enumerate() {
        sums[k] += v * b_rest[k];
    }
    ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
}

/// v −= l t.
#[inline(always)]
fn subtract_multiple(v: &mut [f64], l: f64, t: &[f64]) {
    let n = v.len().min(t.len());
    let (v, t) = (&mut v[..n], &t[..n]);
    for i in 0..n {
        v[i] -= l * t[i];
    }
}

/// One tile of C −= A U, by rows `stride` apart, held in registers.
#[inline(always)]
fn product_tile(a: &[[f64; TILE.0]; PANEL], u: &[[f64; TILE.1]], c: &mut [f64], stride: usize) {
    let mut sum = [[0.0; TILE.1]; TILE.0];
    for r in 0..TILE.0 {
        if let Some(row) = c[r * stride..].first_chunk() {
            sum[r] = *row;
        }
    }
    for k in 0..u.len().min(PANEL) {
        let (a, u) = (&a[k], &u[k]);
        for r in 0..TILE.0 {
            for j in 0..TILE.1 {
                sum[r][j] -= a[r] * u[j];
            }
        }
    }
    for r in 0..TILE.0 {
        if let Some(row) = c[r * stride..].first_chunk_mut() {
            *row = sum[r];
        }
    }
}

/// Nodes gathered into one front while the fronts are sought; places are those of the elimination.
struct Gathered {
    nodes: Vec<usize>,
    /// The last of its nodes: its later places are those of the front.
    top: usize,
    /// Entries of the factor's lower half that are zero although they are stored.
    zeros: usize,
    children: Vec<usize>,
}

/// May a front of `s` nodes, so many blocks in the lower half of its factor and so many of them zero, be?
fn worth_while(s: usize, zeros: usize, size: usize) -> bool {
    let percent = match s {
        0..=2 => 60,
        3..=6 => 25,
        7..=12 => 10,
        _ => 4,
    };
    100 * zeros <= percent * size
}

impl<const B: usize> FrontLu<B> {
    /// Prepares for a matrix with this pattern (rows compressed, each sorted; symmetric, with its diagonal) and sets it to
    /// zero. Cheap where the pattern is that of the last call.
    pub(crate) fn analyse(&mut self, starts: &[usize], cols: &[usize]) {
        if self.pattern.renew(starts, cols) {
            self.find_fronts();
        }
        self.blocks.clear();
        self.blocks.resize(self.pattern.cols.len(), [[0.0; B]; B]);
    }

    /// Forgets the pattern: the next analysis is made anew.
    pub(crate) fn forget(&mut self) {
        self.pattern.forget();
    }

    fn find_fronts(&mut self) {
        let mut elimination = Elimination::default();
        elimination.find(&self.pattern.starts, &self.pattern.cols);
        let n = elimination.order.len();
        // Bottom up, each node takes in the fronts of its children where few zeros come of it.
        let mut gathered: Vec<Option<Gathered>> = Vec::with_capacity(n);
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut roots = Vec::new();
        for k in 0..n {
            let m = elimination.later(k).len();
            let mut front = Gathered {
                nodes: vec![k],
                top: k,
                zeros: 0,
                children: Vec::new(),
            };
            let mut below = std::mem::take(&mut children[k]);
            below.sort_by_key(|&c| (usize::MAX - elimination.later(c).len(), c));
            for c in below {
                let Some(child) = &gathered[c] else { continue };
                let s = front.nodes.len() + child.nodes.len();
                let extra = child.nodes.len()
                    * (front.nodes.len() + m - elimination.later(child.top).len());
                let zeros = front.zeros + child.zeros + extra;
                if worth_while(s, zeros, s * (s + 1) / 2 + s * m)
                    && let Some(mut child) = gathered[c].take()
                {
                    child.nodes.append(&mut front.nodes);
                    front.nodes = child.nodes;
                    front.zeros = zeros;
                    front.children.append(&mut child.children);
                } else {
                    front.children.push(c);
                }
            }
            gathered.push(Some(front));
            match elimination.later(k).first() {
                Some(&parent) => children[parent].push(k),
                None => roots.push(k),
            }
        }
        self.number(&elimination, &mut gathered, roots);
    }

    /// Puts the gathered fronts in an order in which each comes after its children, and notes where everything is.
    fn number(
        &mut self,
        elimination: &Elimination,
        gathered: &mut [Option<Gathered>],
        roots: Vec<usize>,
    ) {
        let n = elimination.order.len();
        let mut order = Vec::new();
        let mut open = roots;
        while let Some(k) = open.pop() {
            if let Some(front) = &gathered[k] {
                open.extend_from_slice(&front.children);
                order.push(k);
            }
        }
        order.reverse();
        // New places, by fronts; the front of each.
        let mut place = vec![0; n];
        let mut front_of = vec![0; n];
        let mut number_of = vec![0; n];
        self.order.clear();
        self.fronts.clear();
        for (number, &k) in order.iter().enumerate() {
            number_of[k] = number;
            let Some(front) = &gathered[k] else { continue };
            self.fronts.push(Front {
                first: self.order.len(),
                own: front.nodes.len(),
                children: front.children.clone(),
                ..Front::default()
            });
            for &node in &front.nodes {
                place[node] = self.order.len();
                front_of[self.order.len()] = number;
                self.order.push(elimination.order[node]);
            }
        }
        self.later.clear();
        let mut factors = 0;
        for (front, &k) in self.fronts.iter_mut().zip(&order) {
            let start = self.later.len();
            let later = elimination.later(k).iter().map(|&p| place[p]);
            self.later.extend(later);
            self.later[start..].sort_unstable();
            front.later = start..self.later.len();
            for c in &mut front.children {
                *c = number_of[*c];
            }
            front.children.sort_unstable();
            front.factors = factors;
            factors += B * B * front.own * (front.size() + front.later.len());
        }
        self.factors.clear();
        self.factors.resize(factors, 0.0);
        self.rows.clear();
        self.rows.resize(n * B, 0);
        self.in_parent.clear();
        self.in_parent.resize(self.later.len(), 0);
        let fronts = &self.fronts;
        let local = |later: &[usize], front: &Front, p: usize| {
            if p < front.first + front.own {
                p - front.first
            } else {
                let places = &later[front.later.clone()];
                front.own + places.binary_search(&p).unwrap_or(0)
            }
        };
        for front in fronts {
            for &c in &front.children {
                for at in fronts[c].later.clone() {
                    self.in_parent[at] = local(&self.later, front, self.later[at]);
                }
            }
        }
        // Each entry belongs to the front of the earlier of its row and column.
        let mut new_place = vec![0; n];
        for (p, &node) in self.order.iter().enumerate() {
            new_place[node] = p;
        }
        let mut entries = Vec::with_capacity(self.pattern.cols.len());
        for i in 0..n {
            for at in self.pattern.starts[i]..self.pattern.starts[i + 1] {
                let (a, b) = (new_place[i], new_place[self.pattern.cols[at]]);
                let front = front_of[a.min(b)];
                let place = |p| local(&self.later, &fronts[front], p);
                entries.push((front, at, place(a), place(b)));
            }
        }
        entries.sort_unstable();
        self.entries.clear();
        self.entries
            .extend(entries.iter().map(|&(_, at, r, c)| (at, r, c)));
        let mut start = 0;
        for (number, front) in self.fronts.iter_mut().enumerate() {
            let count = entries[start..].partition_point(|e| e.0 == number);
            front.entries = start..start + count;
            start += count;
        }
    }

    /// Adds `block` at (row, column) = (i, j), which must be in the pattern.
    pub(crate) fn add(&mut self, i: usize, j: usize, block: &Block<B>) {
        let start = self.pattern.starts[i];
        let Ok(at) = self.pattern.cols[start..self.pattern.starts[i + 1]].binary_search(&j) else {
            debug_assert!(false, "block ({i}, {j}) is not in the pattern");
            return;
        };
        let target = &mut self.blocks[start + at];
        for (target, row) in target.iter_mut().zip(block) {
            for (t, v) in target.iter_mut().zip(row) {
                *t += v;
            }
        }
    }

    /// Factors what was added. False where a pivot is zero.
    pub(crate) fn factor(&mut self) -> bool {
        let arch = pulp::Arch::new();
        let Work {
            dense,
            stack,
            packed,
        } = &mut self.work;
        stack.clear();
        for front in &self.fronts {
            let (own, n) = (B * front.own, B * front.size());
            dense.reset(n);
            for &(at, r, c) in &self.entries[front.entries.clone()] {
                for (k, row) in self.blocks[at].iter().enumerate() {
                    dense.row_mut(B * r + k)[B * c..][..B].copy_from_slice(row);
                }
            }
            for &c in front.children.iter().rev() {
                let child = &self.fronts[c];
                let places = &self.in_parent[child.later.clone()];
                let m = B * places.len();
                let left = &stack[stack.len() - m * m..];
                for (r, row) in left.chunks_exact(m.max(1)).enumerate() {
                    let target = dense.row_mut(B * places[r / B] + r % B);
                    for (k, &c) in places.iter().enumerate() {
                        let (target, values) = (&mut target[B * c..][..B], &row[B * k..][..B]);
                        for j in 0..B {
                            target[j] += values[j];
                        }
                    }
                }
                stack.truncate(stack.len() - m * m);
            }
            let eliminated = arch.dispatch(Eliminate {
                dense,
                own,
                rows: &mut self.rows[B * front.first..][..own],
                packed,
            });
            if !eliminated {
                return false;
            }
            let mut at = front.factors;
            for r in 0..n {
                let row = &dense.row(r)[..if r < own { n } else { own }];
                self.factors[at..at + row.len()].copy_from_slice(row);
                at += row.len();
            }
            for r in own..n {
                stack.extend_from_slice(&dense.row(r)[own..]);
            }
        }
        true
    }

    /// Sign of the determinant of what was factored last.
    pub(crate) fn determinant_sign(&self) -> f64 {
        let mut negative = false;
        for front in &self.fronts {
            let (own, n) = (B * front.own, B * front.size());
            let exchanged = &self.rows[B * front.first..][..own];
            for (k, &r) in exchanged.iter().enumerate() {
                negative ^= (r != k) ^ (self.factors[front.factors + k * n + k] < 0.0);
            }
        }
        if negative { -1.0 } else { 1.0 }
    }

    /// Solves A x = b in place.
    pub(crate) fn solve(&mut self, b: &mut [[f64; B]]) {
        self.x.clear();
        self.x.extend(self.order.iter().map(|&i| b[i]));
        let x = self.x.as_flattened_mut();
        for front in &self.fronts {
            let (own, n, first) = (B * front.own, B * front.size(), B * front.first);
            for (k, &r) in self.rows[first..][..own].iter().enumerate() {
                x.swap(first + k, first + r);
            }
            let (square, below) = self.factors[front.factors..].split_at(own * n);
            for r in 1..own {
                x[first + r] -= dot(&square[r * n..][..r], &x[first..]);
            }
            self.y.clear();
            self.y.extend_from_slice(&x[first..first + own]);
            for (&p, rows) in self.later[front.later.clone()]
                .iter()
                .zip(below.chunks_exact(B * own))
            {
                for (x, row) in x[B * p..][..B].iter_mut().zip(rows.chunks_exact(own)) {
                    *x -= dot(row, &self.y);
                }
            }
        }
        for front in self.fronts.iter().rev() {
            let (own, n, first) = (B * front.own, B * front.size(), B * front.first);
            self.y.clear();
            for &p in &self.later[front.later.clone()] {
                self.y.extend_from_slice(&x[B * p..][..B]);
            }
            let square = &self.factors[front.factors..][..own * n];
            for r in (0..own).rev() {
                let row = &square[r * n..][..n];
                let known = dot(&row[own..], &self.y) + dot(&row[r + 1..own], &x[first + r + 1..]);
                x[first + r] = (x[first + r] - known) / row[r];
            }
        }
        for (x, &i) in self.x.iter().zip(&self.order) {
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
