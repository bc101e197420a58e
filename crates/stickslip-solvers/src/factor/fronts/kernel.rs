//! The dense kernel of a front: elimination of its first columns by panels, with the update of the rest as a product of tiles.
//!
//! Each element is computed by the same operations in the same order however wide the machine's vectors are, without
//! fused products, and whoever does the rows: the bits depend neither on the machine nor on the number of threads.

/// Columns eliminated between two products.
const PANEL: usize = 48;
/// Rows and columns of the product that are held in registers.
const TILE: (usize, usize) = (4, 8);
/// From this many products of a panel on its update is divided among threads (a fifth of a millisecond; a helper wakes in some 20 µs).
const DIVIDED: usize = 1_000_000;
/// Runs of rows for each thread: whoever has done one takes the next.
const RUNS: usize = 4;

/// A square matrix by rows, its rows and columns padded with zeros to whole tiles.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrontMatrix {
    values: Vec<f64>,
    n: usize,
    stride: usize,
}

impl FrontMatrix {
    pub(crate) fn reset(&mut self, n: usize) {
        self.n = n;
        self.stride = n.next_multiple_of(TILE.1);
        self.values.clear();
        self.values
            .resize(n.next_multiple_of(TILE.0) * self.stride, 0.0);
    }

    #[inline(always)]
    pub(crate) fn row(&self, r: usize) -> &[f64] {
        &self.values[r * self.stride..][..self.n]
    }

    #[inline(always)]
    pub(crate) fn row_mut(&mut self, r: usize) -> &mut [f64] {
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
    /// exchanged with `rows[k]`). False where a pivot is zero or not finite. On several threads where that pays.
    pub(crate) fn eliminate(
        &mut self,
        arch: pulp::Arch,
        own: usize,
        rows: &mut [usize],
        packed: &mut Packed,
    ) -> bool {
        for start in (0..own).step_by(PANEL) {
            let end = (start + PANEL).min(own);
            let (matrix, rows, packed) = (&mut *self, &mut *rows, &mut *packed);
            let found = arch.dispatch(Pivots {
                matrix,
                own,
                rows,
                packed,
                panel: [start, end],
            });
            if !found {
                return false;
            }
            self.update(arch, own, packed);
        }
        true
    }

    /// What is below and right of the panel that was packed.
    fn update(&mut self, arch: pulp::Arch, own: usize, packed: &Packed) {
        let (stride, n) = (self.stride, self.n);
        if packed.end >= n {
            return;
        }
        let first = packed.end / TILE.0 * TILE.0;
        let below = &mut self.values[first * stride..];
        let groups = below.len() / (TILE.0 * stride);
        let products = packed.tiles.len() * groups * TILE.0 * TILE.1;
        let run = |(first, rows): (usize, &mut [f64])| {
            arch.dispatch(Update {
                rows,
                first,
                n,
                own,
                stride,
                packed,
            });
        };
        let threads = if products < DIVIDED {
            1
        } else {
            stickslip_threads::allowed()
        };
        if threads == 1 {
            return run((first, below));
        }
        let share = TILE.0 * groups.div_ceil(RUNS * threads);
        let runs = below.chunks_mut(share * stride).enumerate();
        let mut runs: Vec<_> = runs.map(|(k, rows)| (first + k * share, rows)).collect();
        stickslip_threads::each(&mut runs, |_, (first, rows)| run((*first, rows)));
    }

    /// Eliminates the columns start..end of the rows up to `own` within themselves.
    #[inline(always)]
    fn eliminate_panel(
        &mut self,
        start: usize,
        end: usize,
        own: usize,
        rows: &mut [usize],
    ) -> bool {
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
            for r in k + 1..own {
                let (top, row) = self.two_rows(k, r);
                let l = row[k] / top[k];
                row[k] = l;
                subtract_multiple(&mut row[k + 1..end], l, &top[k + 1..end]);
            }
        }
        // U right of the panel.
        for r in start + 1..end {
            for k in start..r {
                let (top, row) = self.two_rows(k, r);
                let l = row[k];
                subtract_multiple(&mut row[end..], l, &top[end..]);
            }
        }
        true
    }

    /// Copies the rows of a panel that was eliminated.
    #[inline(always)]
    fn pack(&self, start: usize, end: usize, packed: &mut Packed) {
        const COLS: usize = TILE.1;
        let (stride, depth) = (self.stride, end - start);
        let first_tile = end / COLS;
        (packed.start, packed.end) = (start, end);
        packed.square.clear();
        packed.square.resize(depth * depth, 0.0);
        // By tiles of columns; zero left of `end`, where C is not to change.
        let tiles = stride / COLS - first_tile;
        packed.tiles.clear();
        packed.tiles.resize(tiles * depth, [0.0; COLS]);
        for k in 0..depth {
            let row = &self.values[(start + k) * stride..][..stride];
            packed.square[k * depth..][..depth].copy_from_slice(&row[start..end]);
            let row = &row[first_tile * COLS..];
            for tile in 0..tiles {
                let target = &mut packed.tiles[tile * depth + k];
                for j in 0..COLS {
                    target[j] = row[tile * COLS + j];
                }
            }
            for j in 0..end % COLS {
                packed.tiles[k][j] = 0.0;
            }
        }
    }
}

/// A panel that was eliminated: what the rows below it need.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packed {
    start: usize,
    end: usize,
    /// Its rows in its own columns.
    square: Vec<f64>,
    /// U right of it, by tiles of columns.
    tiles: Vec<[f64; TILE.1]>,
}

/// A panel's own rows, compiled for the widest vectors that the machine has.
struct Pivots<'a> {
    matrix: &'a mut FrontMatrix,
    own: usize,
    rows: &'a mut [usize],
    packed: &'a mut Packed,
    panel: [usize; 2],
}

impl pulp::WithSimd for Pivots<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> bool {
        let [start, end] = self.panel;
        let found = self.matrix.eliminate_panel(start, end, self.own, self.rows);
        if found {
            self.matrix.pack(start, end, self.packed);
        }
        found
    }
}

/// Some rows below a panel, compiled likewise.
struct Update<'a> {
    /// Whole groups of rows, the first of them row `first` of the matrix.
    rows: &'a mut [f64],
    first: usize,
    n: usize,
    own: usize,
    stride: usize,
    packed: &'a Packed,
}

impl pulp::WithSimd for Update<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self {
            rows,
            first,
            n,
            own,
            stride,
            packed,
        } = self;
        let mut first = first;
        for group in rows.chunks_exact_mut(TILE.0 * stride) {
            packed.eliminate_below(
                group,
                stride,
                [own.max(first), n.min(first + TILE.0)],
                first,
            );
            packed.subtract_product(group, stride, first);
            first += TILE.0;
        }
    }
}

impl Packed {
    /// L of the rows from..to of a group, whose first row is `first`.
    #[inline(always)]
    fn eliminate_below(
        &self,
        group: &mut [f64],
        stride: usize,
        [from, to]: [usize; 2],
        first: usize,
    ) {
        let depth = self.end - self.start;
        for k in 0..depth {
            let top = &self.square[k * depth..][..depth];
            for r in from..to {
                let row = &mut group[(r - first) * stride + self.start..][..depth];
                let l = row[k] / top[k];
                row[k] = l;
                subtract_multiple(&mut row[k + 1..], l, &top[k + 1..]);
            }
        }
    }

    /// C −= A U on a group of rows, the first of them row `first`: A the panel's columns, U its rows right of it, C what is right of A.
    #[inline(always)]
    fn subtract_product(&self, group: &mut [f64], stride: usize, first: usize) {
        const ROWS: usize = TILE.0;
        const COLS: usize = TILE.1;
        let (start, end) = (self.start, self.end);
        let depth = end - start;
        let mut a = [[0.0; ROWS]; PANEL];
        for r in 0..ROWS {
            let above = first + r < end;
            let row = &group[r * stride + start..][..depth];
            for k in 0..depth {
                a[k][r] = if above { 0.0 } else { row[k] };
            }
        }
        let first_tile = end / COLS;
        for tile in 0..stride / COLS - first_tile {
            let u = &self.tiles[tile * depth..(tile + 1) * depth];
            product_tile(&a, u, &mut group[(first_tile + tile) * COLS..], stride);
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// P A = L U, multiplied out again: what is left of a front after its own columns is the Schur complement.
    #[test]
    fn a_front_is_factored_and_leaves_its_schur_complement() {
        let mut random = Random::new(9);
        let arch = pulp::Arch::new();
        for (n, own) in [(1, 1), (7, 3), (13, 13), (60, 50), (120, 97)] {
            let given: Vec<Vec<f64>> = (0..n)
                .map(|_| (0..n).map(|_| random.signed()).collect())
                .collect();
            let mut front = FrontMatrix::default();
            front.reset(n);
            for (r, row) in given.iter().enumerate() {
                front.row_mut(r).copy_from_slice(row);
            }
            let mut rows = vec![0; own];
            assert!(front.eliminate(arch, own, &mut rows, &mut Packed::default()));
            let mut exchanged = given;
            for (k, &r) in rows.iter().enumerate() {
                exchanged.swap(k, r);
            }
            // A = L U + (0, S): U has rows below `own` only, S what is left behind it.
            for (r, wanted) in exchanged.iter().enumerate() {
                for (c, &wanted) in wanted.iter().enumerate() {
                    let l = |k: usize| if k == r { 1.0 } else { front.row(r)[k] };
                    let last = r.min(c).min(own - 1);
                    let product: f64 = (0..=last).map(|k| l(k) * front.row(k)[c]).sum();
                    let left = if r.min(c) >= own {
                        front.row(r)[c]
                    } else {
                        0.0
                    };
                    assert!(
                        (product + left - wanted).abs() < 1e-9,
                        "{n} {own}: ({r}, {c})"
                    );
                }
            }
        }
    }
}
