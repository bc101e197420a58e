//! The dense kernel of a front: elimination of its first columns by panels, with the update of the rest as a product of tiles.
//!
//! Each element is computed by the same operations in the same order however wide the machine's vectors are, without
//! fused products: the bits do not depend on the machine.

/// Columns eliminated between two products.
const PANEL: usize = 48;
/// Rows and columns of the product that are held in registers.
pub(crate) const TILE: (usize, usize) = (4, 8);

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
    /// exchanged with `rows[k]`). False where a pivot is zero or not finite.
    #[inline(always)]
    fn eliminate_here(
        &mut self,
        own: usize,
        rows: &mut [usize],
        packed: &mut Vec<[f64; TILE.1]>,
    ) -> bool {
        for start in (0..own).step_by(PANEL) {
            let end = (start + PANEL).min(own);
            if !self.eliminate_panel(start, end, own, rows) {
                return false;
            }
            // U right of the panel.
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

    /// Eliminates the columns start..end within themselves.
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
            for r in k + 1..self.n {
                let (top, row) = self.two_rows(k, r);
                let l = row[k] / top[k];
                row[k] = l;
                subtract_multiple(&mut row[k + 1..end], l, &top[k + 1..end]);
            }
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

impl FrontMatrix {
    /// [`Self::eliminate_here`] on the widest vectors that the machine has.
    pub(crate) fn eliminate(
        &mut self,
        arch: pulp::Arch,
        own: usize,
        rows: &mut [usize],
        packed: &mut Vec<[f64; TILE.1]>,
    ) -> bool {
        arch.dispatch(Eliminate {
            matrix: self,
            own,
            rows,
            packed,
        })
    }
}

/// The elimination, compiled for the widest vectors that the machine has.
struct Eliminate<'a> {
    matrix: &'a mut FrontMatrix,
    own: usize,
    rows: &'a mut [usize],
    packed: &'a mut Vec<[f64; TILE.1]>,
}

impl pulp::WithSimd for Eliminate<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> bool {
        self.matrix.eliminate_here(self.own, self.rows, self.packed)
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
            assert!(front.eliminate(arch, own, &mut rows, &mut Vec::new()));
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
