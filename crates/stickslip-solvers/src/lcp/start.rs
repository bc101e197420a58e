//! The basis from which Lemke's method starts on a mixed LCP: every free variable in it, solved for from the equations.

use crate::factor::sparse::SparseMatrix;

/// Entries below this share of the largest of the matrix are rounding of zero.
const ZERO: f64 = 1e-11;

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

/// For each pair of a mixed LCP the variable in the basis: w_i is i, z_i is n + i.
///
/// Free variables are in. Where the equations do not determine them all, a complementary variable z_k that couples what
/// is left over to the equation that is left over comes in with it (a block of two pivots, so that the basis stays
/// complementary). An equation that depends on others stays out with the free variable that nothing determines: its w
/// is zero wherever the equations agree.
pub(crate) fn basis(m: &SparseMatrix, n_eq: usize) -> Vec<usize> {
    let n = m.n_rows();
    let mut variables: Vec<usize> = (0..n).collect();
    if n_eq == 0 {
        return variables;
    }
    let mut table = Tableau::new(m, &[]);
    let row_of = table.solve_free(n_eq);
    let mut rows: Vec<usize> = (0..n_eq).filter(|&i| !row_of.contains(&Some(i))).collect();
    let mut columns: Vec<usize> = (0..n_eq).filter(|&j| row_of[j].is_none()).collect();
    let mut partners: Vec<usize> = (n_eq..n).collect();
    let tiny = ZERO * table.size();
    while !rows.is_empty() {
        let mut best = (0, 0, 0, tiny);
        for (a, &i) in rows.iter().enumerate() {
            for (b, &j) in columns.iter().enumerate() {
                for (c, &k) in partners.iter().enumerate() {
                    let size = table.at(i, k).abs().min(table.at(k, j).abs());
                    if size > best.3 {
                        best = (a, b, c, size);
                    }
                }
            }
        }
        if best.3 <= tiny {
            break;
        }
        let (i, j) = (rows.swap_remove(best.0), columns.swap_remove(best.1));
        let k = partners.swap_remove(best.2);
        table.clear_column(i, k);
        table.clear_column(k, j);
        variables[k] = n + k;
    }
    // As many columns of free variables as rows of equations: the order in which they stand does not matter.
    let out: Vec<usize> = columns;
    let free = (0..n_eq).filter(|j| !out.contains(j)).map(|j| n + j);
    let places: Vec<usize> = free.chain(rows).collect();
    variables[..n_eq].copy_from_slice(&places);
    variables
}
