//! Projected Gauss-Seidel for LCPs with positive diagonal.

use crate::lcp::{Lcp, LcpError, LcpSolution};
use crate::limit;

/// Sweeps z_i ← max(0, z_i − ω (M z + q)_i/M_ii) until ‖min(z, w)‖/‖q‖ ≤ `tolerance`.
///
/// Converges for M symmetric positive definite and 0 < ω < 2 (Cottle, Pang, Stone 1992, section 5.3);
/// on the LCPs of friction, whose rows of σ have no diagonal, it is refused.
///
/// # Errors
/// [`LcpError::Unsuitable`] for a diagonal that is not positive, [`LcpError::Limit`] with the last z
/// after `sweeps` sweeps.
pub fn solve(
    lcp: &Lcp,
    omega: f64,
    sweeps: usize,
    tolerance: f64,
) -> Result<LcpSolution, LcpError> {
    lcp.validate()?;
    let n = lcp.q.len();
    if !(omega > 0.0 && omega < 2.0) {
        return Err(LcpError::Unsuitable(format!(
            "relaxation {omega} outside (0, 2)"
        )));
    }
    let rows = MatrixRows::of(lcp);
    if let Some(i) = rows.diagonal.iter().position(|&d| d <= 0.0) {
        return Err(LcpError::Unsuitable(format!(
            "M has {} on its diagonal in row {i}; projected Gauss-Seidel needs a positive one",
            rows.diagonal[i]
        )));
    }
    let mut z = vec![0.0; n];
    for sweep in 0..=sweeps {
        if sweep % 10 == 0 || sweep == sweeps {
            let residual = lcp.residual(&z);
            if residual <= tolerance {
                return Ok(LcpSolution {
                    z,
                    residual,
                    iterations: sweep,
                });
            }
            if sweep == sweeps || !residual.is_finite() || limit::reached() {
                return Err(LcpError::Limit {
                    iterations: sweep,
                    z,
                    residual,
                });
            }
        }
        for i in 0..n {
            let products = rows.row(i).iter().map(|&(j, v)| v * z[j]);
            let w = products.sum::<f64>() + lcp.q[i];
            z[i] = (z[i] - omega * w / rows.diagonal[i]).max(0.0);
        }
    }
    Err(LcpError::Unsuitable("no sweep was allowed".into()))
}

/// Rows of M, compressed, with the diagonal apart.
struct MatrixRows {
    starts: Vec<usize>,
    entries: Vec<(usize, f64)>,
    diagonal: Vec<f64>,
}

impl MatrixRows {
    fn of(lcp: &Lcp) -> Self {
        let n = lcp.q.len();
        let mut starts = vec![0usize; n + 1];
        let mut diagonal = vec![0.0; n];
        for (i, j, v) in lcp.m.entries() {
            if i == j {
                diagonal[i] = v;
            }
            starts[i + 1] += 1;
        }
        for i in 0..n {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0usize, 0.0); starts[n]];
        for (i, j, v) in lcp.m.entries() {
            entries[next[i]] = (j, v);
            next[i] += 1;
        }
        Self {
            starts,
            entries,
            diagonal,
        }
    }

    fn row(&self, i: usize) -> &[(usize, f64)] {
        &self.entries[self.starts[i]..self.starts[i + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factor::sparse::SparseMatrix;
    use crate::lcp::enumerate;
    use crate::random::Random;

    #[test]
    fn positive_definite_problems_have_one_solution_and_it_is_found() {
        let mut random = Random::new(41);
        for n in 1..10 {
            let a: Vec<f64> = (0..n * n).map(|_| random.signed()).collect();
            let mut m = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    m[i * n + j] = (0..n).map(|k| a[i * n + k] * a[j * n + k]).sum();
                }
                m[i * n + i] += 0.3;
            }
            let lcp = Lcp {
                m: SparseMatrix::from_dense(n, n, &m),
                q: (0..n).map(|_| random.signed()).collect(),
            };
            let z = solve(&lcp, 1.0, 100_000, 1e-13).expect("converges").z;
            let all = enumerate::all_solutions(&lcp, 1e-10).expect("small");
            assert_eq!(all.len(), 1);
            for (a, b) in z.iter().zip(&all[0]) {
                assert!((a - b).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn a_zero_diagonal_is_refused() {
        let lcp = Lcp {
            m: SparseMatrix::from_dense(2, 2, &[1.0, 1.0, -1.0, 0.0]),
            q: vec![-1.0, 0.5],
        };
        assert!(matches!(
            solve(&lcp, 1.0, 10, 1e-8),
            Err(LcpError::Unsuitable(_))
        ));
    }
}
