//! The factorised basis of a pivoting method: LU at the last factorisation, and each pivot since as a product.

use crate::lcp::lemke::sparse_lu::SparseLu;

/// B⁻¹ = E_k … E_1 (L U)⁻¹. Pivot k changed one column of B; E_k is the unit matrix but for that column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Basis {
    lu: SparseLu,
    /// Row and pivot entry of each elementary matrix; its other entries in `starts[k]..starts[k + 1]`.
    pivots: Vec<(usize, f64)>,
    starts: Vec<usize>,
    entries: Vec<(usize, f64)>,
}

impl Basis {
    /// Factors the n×n matrix whose entries `fill` pushes as (row, column, value). False where it is singular.
    pub(crate) fn factor(&mut self, n: usize, fill: impl FnOnce(&mut SparseLu)) -> bool {
        self.pivots.clear();
        self.entries.clear();
        self.starts.clear();
        self.starts.push(0);
        self.lu.clear(n);
        fill(&mut self.lu);
        self.lu.factor().is_ok()
    }

    /// x ← B⁻¹ x.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        self.lu.solve(x);
        for (k, &(row, pivot)) in self.pivots.iter().enumerate() {
            if x[row] != 0.0 {
                let v = x[row] / pivot;
                x[row] = v;
                for &(i, y) in &self.entries[self.starts[k]..self.starts[k + 1]] {
                    x[i] -= y * v;
                }
            }
        }
    }

    /// Row of B⁻¹, on fresh factors.
    pub(crate) fn inverse_row(&mut self, row: usize, n: usize) -> Vec<f64> {
        debug_assert!(self.pivots.is_empty());
        let mut y = vec![0.0; n];
        y[row] = 1.0;
        self.lu.solve_transposed(&mut y);
        y
    }

    /// The column of `row` becomes the one with B⁻¹ column = `y`.
    pub(crate) fn replace(&mut self, row: usize, y: &[f64]) {
        self.pivots.push((row, y[row]));
        let others = y.iter().copied().enumerate();
        self.entries
            .extend(others.filter(|&(i, v)| i != row && v != 0.0));
        self.starts.push(self.entries.len());
    }

    /// Pivots since the last factorisation.
    pub(crate) fn replaced(&self) -> usize {
        self.pivots.len()
    }

    /// Whether the products have grown larger than the factors, so that to factor again pays.
    pub(crate) fn is_long(&self) -> bool {
        self.entries.len() > 3 * self.lu.stored() && self.pivots.len() >= 16
    }
}
