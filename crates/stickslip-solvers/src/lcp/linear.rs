//! Newton's matrix of a mixed LCP: (1 − d_i + shift) on the diagonal and d_i times the rows of M, factored sparse.
//!
//! Its pattern is that of M whatever d is, so the order of elimination is found once. Where M is symmetric the rows are divided by d_i:
//! what is left, M + (1 − d + shift)/d, is symmetric too and positive definite where M is, and Cholesky's factorisation
//! has far less fill than LU. Where that fails the matrix is factored by LU from then on.

use crate::factor::sparse::SparseMatrix;
use faer::Side;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, Lu, SymbolicLlt, SymbolicLu};
use faer::sparse::{SparseColMat, SparseColMatRef, Triplet};

/// The least d: where a row is not in play at all, its step is −f.
const LEAST: f64 = 1e-30;

/// Entries of a scaled M that differ by less are rounding.
const SYMMETRY_ROUNDING: f64 = 1e-12;

/// Newton's matrix, by its pattern and the scaled M.
pub(crate) struct NewtonMatrix {
    /// S M S with its diagonal stored, zeros too.
    m: SparseColMat<usize, f64>,
    values: Vec<f64>,
    cholesky: Option<SymbolicLlt<usize>>,
    lu: Option<SymbolicLu<usize>>,
}

impl NewtonMatrix {
    /// For S M S, S = diag(scale). None where there is not the memory.
    pub(crate) fn new(m: &SparseMatrix, scale: &[f64]) -> Option<Self> {
        let n = scale.len();
        let diagonal = (0..n).map(|i| Triplet::new(i, i, 0.0));
        let entries = m.entries();
        let entries = entries.map(|(i, j, v)| Triplet::new(i, j, v * scale[i] * scale[j]));
        let all: Vec<_> = diagonal.chain(entries).collect();
        let m = SparseColMat::try_new_from_triplets(n, n, &all).ok()?;
        let symbolic = || SymbolicLlt::try_new(m.symbolic(), Side::Lower).ok();
        let cholesky = is_symmetric(&m).then(symbolic).flatten();
        Some(Self {
            values: vec![0.0; m.val().len()],
            m,
            cholesky,
            lu: None,
        })
    }

    /// δ with (diag(1 − d + shift) + diag(d) M) δ = −f; None where that is singular.
    pub(crate) fn solve(&mut self, d: &[f64], f: &[f64], shift: f64) -> Option<Vec<f64>> {
        if let Some(symbolic) = self.cholesky.clone() {
            let least = |i: usize| d[i].max(LEAST);
            self.set(|_| 1.0, |i| (1.0 - d[i] + shift) / least(i));
            let matrix = SparseColMatRef::new(self.m.symbolic(), &self.values);
            if let Ok(factors) = Llt::try_new_with_symbolic(symbolic, matrix, Side::Lower) {
                let x = factors.solve(&faer::Col::from_fn(d.len(), |i| -f[i] / least(i)));
                let x: Vec<f64> = x.iter().copied().collect();
                if x.iter().all(|v| v.is_finite()) {
                    return Some(x);
                }
            }
            self.cholesky = None;
        }
        self.set(|i| d[i], |i| 1.0 - d[i] + shift);
        if self.lu.is_none() {
            self.lu = SymbolicLu::try_new(self.m.symbolic()).ok();
        }
        let matrix = SparseColMatRef::new(self.m.symbolic(), &self.values);
        let factors = Lu::try_new_with_symbolic(self.lu.clone()?, matrix).ok()?;
        let x = factors.solve(&faer::Col::from_fn(d.len(), |i| -f[i]));
        let x: Vec<f64> = x.iter().copied().collect();
        x.iter().all(|v| v.is_finite()).then_some(x)
    }

    /// Row i times `row(i)`, plus `diagonal(i)`.
    fn set(&mut self, row: impl Fn(usize) -> f64, diagonal: impl Fn(usize) -> f64) {
        let symbolic = self.m.symbolic();
        for j in 0..self.m.ncols() {
            for k in symbolic.col_range(j) {
                let i = symbolic.row_idx()[k];
                let own = if i == j { diagonal(i) } else { 0.0 };
                self.values[k] = row(i) * self.m.val()[k] + own;
            }
        }
    }
}

/// Is a matrix with sorted columns symmetric, with a positive diagonal?
fn is_symmetric(m: &SparseColMat<usize, f64>) -> bool {
    let symbolic = m.symbolic();
    // Row i of the lower triangle is met in the order of its columns, as column i of the upper one is stored.
    let mut next: Vec<usize> = (0..m.ncols())
        .map(|j| symbolic.col_range(j).start)
        .collect();
    for j in 0..m.ncols() {
        for k in symbolic.col_range(j) {
            let (i, v) = (symbolic.row_idx()[k], m.val()[k]);
            if i == j && v <= 0.0 {
                return false;
            }
            if i <= j {
                continue;
            }
            let at = next[i];
            if at >= symbolic.col_range(i).end
                || symbolic.row_idx()[at] != j
                || (m.val()[at] - v).abs() > SYMMETRY_ROUNDING
            {
                return false;
            }
            next[i] += 1;
        }
        // What is left above the diagonal has no partner.
        let at = next[j];
        if at < symbolic.col_range(j).end && symbolic.row_idx()[at] < j {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(dense: &[f64], n: usize, symmetric: bool) {
        let m = SparseMatrix::from_dense(n, n, dense);
        let mut matrix = NewtonMatrix::new(&m, &vec![1.0; n]).unwrap();
        assert_eq!(matrix.cholesky.is_some(), symmetric, "{dense:?}");
        let d: Vec<f64> = (0..n).map(|i| [1.0, 0.5, 0.0, 1e-20][i % 4]).collect();
        let f: Vec<f64> = (0..n).map(|i| i as f64 - 1.3).collect();
        let x = matrix.solve(&d, &f, 0.0).unwrap();
        for i in 0..n {
            let row: f64 = (0..n).map(|j| dense[i * n + j] * x[j]).sum();
            let left = (1.0 - d[i]) * x[i] + d[i] * row + f[i];
            assert!(left.abs() < 1e-12, "{dense:?}: row {i}: {left:e}");
        }
    }

    #[test]
    fn both_factorisations_solve_the_same_system() {
        let symmetric = [
            4.0, -1.0, 0.0, 1.0, -1.0, 3.0, 0.5, 0.0, 0.0, 0.5, 2.0, 0.0, 1.0, 0.0, 0.0, 5.0,
        ];
        check(&symmetric, 4, true);
        let mut other = symmetric;
        other[1] = -1.1;
        check(&other, 4, false);
        other[1] = 0.0;
        check(&other, 4, false);
        other = symmetric;
        other[2] = 0.3;
        check(&other, 4, false);
        // Symmetric and not definite: Cholesky fails, LU does it.
        let indefinite = [1.0, 3.0, 3.0, 1.0];
        check(&indefinite, 2, true);
    }
}
