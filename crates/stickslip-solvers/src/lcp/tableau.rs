//! Gauss-Jordan pivots on a dense table: what the equations of a mixed LCP say of its free variables.

use crate::factor::sparse::SparseMatrix;

/// Row-major table of y = T x, whose rows and columns exchange their roles by Gauss-Jordan pivots.
pub(crate) struct Tableau {
    width: usize,
    entries: Vec<f64>,
    pivot_row: Vec<f64>,
}

impl Tableau {
    /// M, with the vectors of `more` as further columns.
    pub(crate) fn new(m: &SparseMatrix, more: &[&[f64]]) -> Self {
        let n = m.n_rows();
        let width = m.n_cols() + more.len();
        let mut entries = vec![0.0; n * width];
        for (i, j, v) in m.entries() {
            entries[i * width + j] = v;
        }
        for (k, column) in more.iter().enumerate() {
            for (i, v) in column.iter().enumerate() {
                entries[i * width + m.n_cols() + k] = *v;
            }
        }
        Self {
            width,
            entries,
            pivot_row: Vec::new(),
        }
    }

    /// Entry.
    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.width + column]
    }

    /// Row.
    pub(crate) fn row(&self, row: usize) -> &[f64] {
        &self.entries[row * self.width..(row + 1) * self.width]
    }

    /// Largest entry in magnitude.
    pub(crate) fn size(&self) -> f64 {
        self.entries.iter().fold(0.0, |m, v| v.abs().max(m))
    }

    /// Divides the row by its entry in `column` and clears that column from all other rows.
    pub(crate) fn clear_column(&mut self, row: usize, column: usize) {
        let width = self.width;
        let inverse = 1.0 / self.at(row, column);
        self.pivot_row.clear();
        self.pivot_row.extend(
            self.entries[row * width..(row + 1) * width]
                .iter()
                .map(|v| v * inverse),
        );
        for (i, target) in self.entries.chunks_exact_mut(width).enumerate() {
            if i == row {
                target.copy_from_slice(&self.pivot_row);
            } else if target[column] != 0.0 {
                let l = target[column];
                for (x, &y) in target.iter_mut().zip(&self.pivot_row) {
                    *x -= l * y;
                }
                target[column] = 0.0;
            }
        }
    }

    /// Solves the first `n_eq` rows for as many of the first `n_eq` columns as they determine, the largest entry
    /// first. Row of each column that was solved for.
    pub(crate) fn solve_free(&mut self, n_eq: usize) -> Vec<Option<usize>> {
        let mut row_of = vec![None; n_eq];
        let mut used = vec![false; n_eq];
        let scale = (0..n_eq)
            .flat_map(|i| self.row(i)[..n_eq].iter())
            .fold(0.0f64, |m, v| v.abs().max(m));
        for _ in 0..n_eq {
            let mut best = (0, 0, 0.0);
            for i in (0..n_eq).filter(|&i| !used[i]) {
                for j in (0..n_eq).filter(|&j| row_of[j].is_none()) {
                    if self.at(i, j).abs() > best.2 {
                        best = (i, j, self.at(i, j).abs());
                    }
                }
            }
            let (row, column, size) = best;
            if size <= 1e-12 * scale {
                break;
            }
            used[row] = true;
            row_of[column] = Some(row);
            self.clear_column(row, column);
        }
        row_of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2a + b = 1 − c and a + b = c, solved for (a, b): a = 1 − 2c, b = 3c − 1.
    #[test]
    fn free_variables_are_solved_for() {
        let m = SparseMatrix::from_dense(2, 3, &[2.0, 1.0, 1.0, 1.0, 1.0, -1.0]);
        let mut table = Tableau::new(&m, &[&[-1.0, 0.0]]);
        let rows = table.solve_free(2);
        let [Some(a), Some(b)] = rows[..] else {
            panic!("{rows:?}");
        };
        // Each row reads: its variable + coefficient · c + constant = 0.
        assert_eq!(&table.row(a)[2..], [2.0, -1.0]);
        assert_eq!(&table.row(b)[2..], [-3.0, 1.0]);
    }
}
