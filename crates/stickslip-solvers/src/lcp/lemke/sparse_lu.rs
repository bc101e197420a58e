//! Sparse LU factorisation of one square matrix after another, for pivoting methods.
//!
//! Plain loops in a fixed order, so the bits do not depend on the machine.

/// An entry must be at least this share of the largest of its row to be a pivot.
const THRESHOLD: f64 = 0.1;

/// Rows of least count whose entries are looked at for each pivot.
const CANDIDATES: usize = 4;

/// A row whose entries have all fallen to this share of what they were is a combination of others.
const DEPENDENT: f64 = 1e-14;

const NONE: usize = usize::MAX;

/// LU with Markowitz' rule: among entries that are large in their row, one with the least fill is the pivot.
/// Columns and rows with a single entry go first and cost nothing, as the unit columns of a basis do.
#[derive(Clone, Debug, Default)]
pub(crate) struct SparseLu {
    n: usize,
    /// Row, column and value of each pivot, in order.
    pivots: Vec<(usize, usize, f64)>,
    /// `x[row] −= factor · x[pivot row]`, the operations of pivot k in `lower_starts[k]..`.
    lower: Vec<(usize, f64)>,
    lower_starts: Vec<usize>,
    /// The other entries (column, value) of the pivot rows.
    upper: Vec<(usize, f64)>,
    upper_starts: Vec<usize>,
    // Memory of the factorisation.
    rows: Vec<Vec<(usize, f64)>>,
    column_rows: Vec<Vec<usize>>,
    column_count: Vec<usize>,
    row_done: Vec<bool>,
    column_done: Vec<bool>,
    size: Vec<f64>,
    place: Vec<usize>,
    singletons: Vec<usize>,
    scratch: Vec<f64>,
}

impl SparseLu {
    /// Forgets the last matrix and makes room for one of `n` rows and columns.
    pub(crate) fn clear(&mut self, n: usize) {
        self.n = n;
        self.rows.resize_with(n, Vec::new);
        self.column_rows.resize_with(n, Vec::new);
        for list in &mut self.rows {
            list.clear();
        }
        for list in &mut self.column_rows {
            list.clear();
        }
    }

    /// Adds an entry; each place at most once.
    pub(crate) fn push(&mut self, row: usize, column: usize, value: f64) {
        if value != 0.0 {
            self.rows[row].push((column, value));
            self.column_rows[column].push(row);
        }
    }

    /// Factors what was pushed. Err(row) where the matrix is singular to rounding: a row that depends on the rest.
    pub(crate) fn factor(&mut self) -> Result<(), usize> {
        let n = self.n;
        self.pivots.clear();
        self.lower.clear();
        self.upper.clear();
        self.lower_starts.clear();
        self.upper_starts.clear();
        for flags in [&mut self.row_done, &mut self.column_done] {
            flags.clear();
            flags.resize(n, false);
        }
        self.place.clear();
        self.place.resize(n, NONE);
        self.column_count.clear();
        self.column_count
            .extend(self.column_rows[..n].iter().map(Vec::len));
        self.size.clear();
        self.size.extend(self.rows[..n].iter().map(|r| largest(r)));
        self.singletons.clear();
        self.singletons
            .extend((0..n).filter(|&c| self.column_count[c] == 1));
        for _ in 0..n {
            let (row, column) = self.choose()?;
            self.eliminate(row, column);
        }
        self.lower_starts.push(self.lower.len());
        self.upper_starts.push(self.upper.len());
        Ok(())
    }

    /// The next pivot: (row, column).
    fn choose(&mut self) -> Result<(usize, usize), usize> {
        while let Some(column) = self.singletons.pop() {
            if !self.column_done[column] && self.column_count[column] == 1 {
                let row = self.column_rows[column]
                    .iter()
                    .copied()
                    .find(|&r| !self.row_done[r]);
                if let Some(row) = row {
                    let value = entry(&self.rows[row], column);
                    if value.abs() > DEPENDENT * self.size[row] {
                        return Ok((row, column));
                    }
                }
            }
        }
        let mut candidates = [NONE; CANDIDATES];
        let count = |r: usize| if r == NONE { NONE } else { self.rows[r].len() };
        for r in 0..self.n {
            if self.row_done[r] {
                continue;
            }
            // Insertion into the short sorted list; of equals the first stays.
            let mut new = r;
            for slot in &mut candidates {
                if count(new) < count(*slot) || *slot == NONE {
                    std::mem::swap(&mut new, slot);
                    if new == NONE {
                        break;
                    }
                }
            }
            if candidates[0] == r && self.rows[r].len() <= 1 {
                break;
            }
        }
        let mut best = (NONE, NONE, NONE, 0.0);
        for &r in candidates.iter().filter(|&&r| r != NONE) {
            let top = largest(&self.rows[r]);
            if !(top > DEPENDENT * self.size[r] && top.is_finite()) {
                return Err(r);
            }
            for &(c, v) in &self.rows[r] {
                if v.abs() >= THRESHOLD * top {
                    let fill = (self.rows[r].len() - 1) * (self.column_count[c] - 1);
                    if fill < best.2 || fill == best.2 && v.abs() > best.3 {
                        best = (r, c, fill, v.abs());
                    }
                }
            }
        }
        Ok((best.0, best.1))
    }

    fn eliminate(&mut self, row: usize, column: usize) {
        let mut pivot_row = std::mem::take(&mut self.rows[row]);
        let at = pivot_row.iter().position(|e| e.0 == column).unwrap_or(0);
        let (_, pivot) = pivot_row.swap_remove(at);
        self.row_done[row] = true;
        self.column_done[column] = true;
        self.pivots.push((row, column, pivot));
        self.lower_starts.push(self.lower.len());
        self.upper_starts.push(self.upper.len());
        self.upper.extend_from_slice(&pivot_row);
        for &(c, _) in &pivot_row {
            self.column_count[c] -= 1;
        }
        let in_column = std::mem::take(&mut self.column_rows[column]);
        for &i in &in_column {
            if self.row_done[i] {
                continue;
            }
            let target = &mut self.rows[i];
            let Some(at) = target.iter().position(|e| e.0 == column) else {
                continue;
            };
            let (_, value) = target.swap_remove(at);
            let factor = value / pivot;
            if factor == 0.0 {
                continue;
            }
            self.lower.push((i, factor));
            for (k, e) in target.iter().enumerate() {
                self.place[e.0] = k;
            }
            let before = target.len();
            for &(c, v) in &pivot_row {
                let k = self.place[c];
                if k == NONE {
                    target.push((c, -factor * v));
                    self.column_rows[c].push(i);
                    self.column_count[c] += 1;
                } else {
                    target[k].1 -= factor * v;
                }
            }
            for e in &target[..before] {
                self.place[e.0] = NONE;
            }
        }
        self.column_rows[column] = in_column;
        for &(c, _) in &pivot_row {
            if self.column_count[c] == 1 {
                self.singletons.push(c);
            }
        }
        self.rows[row] = pivot_row;
    }

    /// Solves A x = b in place.
    pub(crate) fn solve(&mut self, b: &mut [f64]) {
        for (k, &(row, _, _)) in self.pivots.iter().enumerate() {
            let x = b[row];
            if x != 0.0 {
                for &(i, factor) in &self.lower[self.lower_starts[k]..self.lower_starts[k + 1]] {
                    b[i] -= factor * x;
                }
            }
        }
        self.scratch.resize(self.n, 0.0);
        let x = &mut self.scratch;
        for (k, &(row, column, pivot)) in self.pivots.iter().enumerate().rev() {
            let mut s = b[row];
            for &(c, v) in &self.upper[self.upper_starts[k]..self.upper_starts[k + 1]] {
                s -= v * x[c];
            }
            x[column] = s / pivot;
        }
        b.copy_from_slice(x);
    }

    /// Solves Aᵀ x = b in place.
    pub(crate) fn solve_transposed(&mut self, b: &mut [f64]) {
        self.scratch.resize(self.n, 0.0);
        let x = &mut self.scratch;
        for (k, &(row, column, pivot)) in self.pivots.iter().enumerate() {
            let v = b[column] / pivot;
            x[row] = v;
            for &(c, u) in &self.upper[self.upper_starts[k]..self.upper_starts[k + 1]] {
                b[c] -= u * v;
            }
        }
        for (k, &(row, _, _)) in self.pivots.iter().enumerate().rev() {
            for &(i, factor) in &self.lower[self.lower_starts[k]..self.lower_starts[k + 1]] {
                x[row] -= factor * x[i];
            }
        }
        b.copy_from_slice(x);
    }

    /// Entries of both factors.
    pub(crate) fn stored(&self) -> usize {
        self.lower.len() + self.upper.len() + self.pivots.len()
    }
}

fn largest(row: &[(usize, f64)]) -> f64 {
    row.iter().fold(0.0, |m, e| e.1.abs().max(m))
}

fn entry(row: &[(usize, f64)], column: usize) -> f64 {
    row.iter().find(|e| e.0 == column).map_or(0.0, |e| e.1)
}

#[cfg(test)]
mod tests {
    use super::SparseLu;
    use crate::random::Random;

    #[test]
    fn solves_what_was_multiplied() {
        let mut random = Random::new(5);
        let mut lu = SparseLu::default();
        for n in [1, 2, 7, 40, 150] {
            let mut entries = Vec::new();
            for i in 0..n {
                for j in 0..n {
                    if i == (j + 1) % n || random.below(n) < 4 {
                        entries.push((i, j, random.signed()));
                    }
                }
            }
            lu.clear(n);
            let x: Vec<f64> = (0..n).map(|_| random.signed()).collect();
            let (mut b, mut transposed) = (vec![0.0; n], vec![0.0; n]);
            for &(i, j, v) in &entries {
                lu.push(i, j, v);
                b[i] += v * x[j];
                transposed[j] += v * x[i];
            }
            assert_eq!(lu.factor(), Ok(()));
            lu.solve(&mut b);
            lu.solve_transposed(&mut transposed);
            for ((b, t), x) in b.iter().zip(&transposed).zip(&x) {
                assert!((b - x).abs() < 1e-8, "n = {n}: {b} for {x}");
                assert!((t - x).abs() < 1e-8, "n = {n}: {t} for {x}");
            }
        }
    }

    #[test]
    fn names_a_row_that_depends_on_the_others() {
        let mut lu = SparseLu::default();
        lu.clear(3);
        for (i, row) in [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [5.0, 7.0, 9.0]]
            .iter()
            .enumerate()
        {
            for (j, &v) in row.iter().enumerate() {
                lu.push(i, j, v);
            }
        }
        assert!(lu.factor().is_err());
    }
}
