//! Sparse matrices, compressed by columns.

/// Sparse matrix compressed by columns, rows sorted in each column, no duplicates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseMatrix {
    n_rows: usize,
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
}

impl SparseMatrix {
    /// Matrix from (row, column, value) entries; duplicates are added in the order given.
    ///
    /// # Errors
    /// An entry outside the matrix.
    pub fn from_triplets(
        n_rows: usize,
        n_cols: usize,
        entries: &[(usize, usize, f64)],
    ) -> Result<Self, String> {
        if let Some(&(i, j, _)) = entries.iter().find(|e| e.0 >= n_rows || e.1 >= n_cols) {
            return Err(format!("entry ({i}, {j}) of a {n_rows} x {n_cols} matrix"));
        }
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by_key(|&k| (entries[k].1, entries[k].0));
        let mut out = Self {
            n_rows,
            starts: vec![0],
            rows: Vec::with_capacity(entries.len()),
            values: Vec::with_capacity(entries.len()),
        };
        for k in order {
            let (i, j, v) = entries[k];
            while out.starts.len() <= j {
                out.starts.push(out.rows.len());
            }
            let start = out.starts[j];
            if out.rows.len() > start && out.rows.last() == Some(&i) {
                let last = out.values.len() - 1;
                out.values[last] += v;
            } else {
                out.rows.push(i);
                out.values.push(v);
            }
        }
        while out.starts.len() <= n_cols {
            out.starts.push(out.rows.len());
        }
        Ok(out)
    }

    /// Matrix from dense row-major values; exact zeros are not stored.
    #[must_use]
    pub fn from_dense(n_rows: usize, n_cols: usize, dense: &[f64]) -> Self {
        let mut out = Self {
            n_rows,
            starts: vec![0],
            ..Self::default()
        };
        for j in 0..n_cols {
            for i in 0..n_rows {
                let v = dense[i * n_cols + j];
                if v != 0.0 {
                    out.rows.push(i);
                    out.values.push(v);
                }
            }
            out.starts.push(out.rows.len());
        }
        out
    }

    /// Number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    #[must_use]
    pub fn n_cols(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of stored entries.
    #[must_use]
    pub fn stored(&self) -> usize {
        self.rows.len()
    }

    /// (row, value) of the entries of column `j`.
    pub fn column(&self, j: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[j]..self.starts[j + 1];
        self.rows[range.clone()]
            .iter()
            .copied()
            .zip(self.values[range].iter().copied())
    }

    /// (row, column, value) of all entries, column by column.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.n_cols()).flat_map(move |j| self.column(j).map(move |(i, v)| (i, j, v)))
    }

    /// Entry (i, j) times `rows[i]` times `columns[j]`.
    #[must_use]
    pub fn scaled(&self, rows: &[f64], columns: &[f64]) -> Self {
        let mut out = self.clone();
        for (j, c) in columns.iter().enumerate() {
            for k in self.starts[j]..self.starts[j + 1] {
                out.values[k] *= rows[self.rows[k]] * c;
            }
        }
        out
    }

    /// out = A x.
    pub fn times(&self, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.n_rows, 0.0);
        for j in 0..self.n_cols() {
            if x[j] != 0.0 {
                for (i, v) in self.column(j) {
                    out[i] += v * x[j];
                }
            }
        }
    }

    /// out = Aᵀ x.
    pub fn transposed_times(&self, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend((0..self.n_cols()).map(|j| self.column(j).map(|(i, v)| v * x[i]).sum::<f64>()));
    }

    /// Whether every stored entry is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.values.iter().all(|v| v.is_finite())
    }
}
