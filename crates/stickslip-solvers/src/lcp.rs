//! Linear complementarity problems, plain and mixed.

use crate::residual::divided;
use crate::sparse::SparseMatrix;

/// Linear complementarity problem: find z with 0 ≤ z ⟂ w = M z + q ≥ 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lcp {
    /// M, square.
    pub m: SparseMatrix,
    /// q.
    pub q: Vec<f64>,
}

/// Mixed linear complementarity problem in the variables [free (n_eq); complementary]:
/// w = M z + q, w = 0 on the first `n_eq` rows, 0 ≤ z ⟂ w ≥ 0 on the others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MixedLcp {
    /// M, square.
    pub m: SparseMatrix,
    /// q.
    pub q: Vec<f64>,
    /// Number of free variables and equations.
    pub n_eq: usize,
}

/// Why an LCP was not solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LcpError {
    /// The method ended on a ray: along `direction` (≥ 0, scaled to largest entry 1) the problem
    /// may be infeasible.
    #[error("secondary ray after {pivots} pivots (residual {residual:.2e})")]
    Ray {
        /// Pivots done.
        pivots: usize,
        /// Direction of z along the ray.
        direction: Vec<f64>,
        /// The best point found, which may still be good enough.
        z: Vec<f64>,
        /// Residual of that point.
        residual: f64,
    },
    /// The iteration limit came first.
    #[error("not solved after {iterations} iterations (residual {residual:.2e})")]
    Limit {
        /// Iterations done.
        iterations: usize,
        /// Best point found.
        z: Vec<f64>,
        /// Its residual.
        residual: f64,
    },
    /// Data that are no problem: sizes that disagree, numbers that are not finite.
    #[error("not an LCP this method can take: {0}")]
    Unsuitable(String),
}

/// Solution of an LCP.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LcpSolution {
    /// z.
    pub z: Vec<f64>,
    /// ‖min(z, w)‖₂/‖q‖₂, recomputed from z.
    pub residual: f64,
    /// Pivots or iterations.
    pub iterations: usize,
}

impl Lcp {
    /// Residual of `z`: ‖min(z, M z + q)‖₂/‖q‖₂ (Siconos' lcp_compute_error).
    #[must_use]
    pub fn residual(&self, z: &[f64]) -> f64 {
        let mut w = Vec::new();
        self.m.times(z, &mut w);
        let (mut r2, mut q2) = (0.0, 0.0);
        for ((w, q), z) in w.iter().zip(&self.q).zip(z) {
            let r = z.min(w + q);
            r2 += r * r;
            q2 += q * q;
        }
        divided(r2.sqrt(), q2.sqrt())
    }

    /// Checks sizes and finite numbers.
    ///
    /// # Errors
    /// [`LcpError::Unsuitable`] with one sentence.
    pub fn validate(&self) -> Result<(), LcpError> {
        validate(&self.m, &self.q)
    }
}

fn validate(m: &SparseMatrix, q: &[f64]) -> Result<(), LcpError> {
    let n = q.len();
    if m.n_rows() != n || m.n_cols() != n {
        return Err(LcpError::Unsuitable(format!(
            "M is {} x {} but q has {n} entries",
            m.n_rows(),
            m.n_cols()
        )));
    }
    if !m.is_finite() || q.iter().any(|v| !v.is_finite()) {
        return Err(LcpError::Unsuitable(
            "an entry of M or q is not finite".into(),
        ));
    }
    Ok(())
}

/// What eliminating the free variables leaves, and how to get them back.
struct Elimination {
    /// Reduced problem; its variables are the complementary ones, then pairs (y⁺, y⁻) for free
    /// variables that no equation determines.
    lcp: Lcp,
    /// Row-major table of the pivoted free variables: y = table·z + constant.
    table: Vec<f64>,
    constant: Vec<f64>,
    /// Free variable of each table row; free variables left over.
    pivoted: Vec<usize>,
    left: Vec<usize>,
}

impl MixedLcp {
    /// Residual of `z`: sqrt(‖w_eq‖² + ‖min(z_c, w_c)‖²)/‖q‖.
    #[must_use]
    pub fn residual(&self, z: &[f64]) -> f64 {
        let mut w = Vec::new();
        self.m.times(z, &mut w);
        let (mut r2, mut q2) = (0.0, 0.0);
        for (i, ((w, q), z)) in w.iter().zip(&self.q).zip(z).enumerate() {
            let r = if i < self.n_eq { w + q } else { z.min(w + q) };
            r2 += r * r;
            q2 += q * q;
        }
        divided(r2.sqrt(), q2.sqrt())
    }

    /// Solves by eliminating the free variables (complete pivoting) and `solve` on what is left.
    ///
    /// Equations that depend on others and agree with them are dropped, as redundant joints give;
    /// free variables that no equation determines become differences of two nonnegative ones.
    ///
    /// # Errors
    /// What `solve` returns, with z in the variables of the mixed problem.
    pub fn solve_with(
        &self,
        mut solve: impl FnMut(&Lcp) -> Result<LcpSolution, LcpError>,
    ) -> Result<LcpSolution, LcpError> {
        validate(&self.m, &self.q)?;
        if self.n_eq > self.q.len() {
            return Err(LcpError::Unsuitable(format!(
                "{} equations in {} rows",
                self.n_eq,
                self.q.len()
            )));
        }
        let elimination = self.eliminate();
        match solve(&elimination.lcp) {
            Ok(solution) => {
                let z = self.recover(&elimination, &solution.z, true);
                let residual = self.residual(&z);
                Ok(LcpSolution {
                    z,
                    residual,
                    iterations: solution.iterations,
                })
            }
            Err(LcpError::Ray {
                pivots,
                direction,
                z,
                ..
            }) => {
                let z = self.recover(&elimination, &z, true);
                let direction = self.recover(&elimination, &direction, false);
                let residual = self.residual(&z);
                Err(LcpError::Ray {
                    pivots,
                    direction,
                    z,
                    residual,
                })
            }
            Err(LcpError::Limit { iterations, z, .. }) => {
                let z = self.recover(&elimination, &z, true);
                let residual = self.residual(&z);
                Err(LcpError::Limit {
                    iterations,
                    z,
                    residual,
                })
            }
            Err(other) => Err(other),
        }
    }

    fn eliminate(&self) -> Elimination {
        let (n, n_eq) = (self.q.len(), self.n_eq);
        let n_c = n - n_eq;
        // Row-major [M | q]; Gauss-Jordan on the free columns with complete pivoting.
        let width = n + 1;
        let mut a = vec![0.0; n * width];
        for (i, j, v) in self.m.entries() {
            a[i * width + j] = v;
        }
        for i in 0..n {
            a[i * width + n] = self.q[i];
        }
        let scale: f64 = (0..n_eq)
            .flat_map(|i| (0..n_eq).map(move |j| (i, j)))
            .map(|(i, j)| a[i * width + j].abs())
            .fold(0.0, f64::max);
        let (mut row_of, mut used) = (vec![usize::MAX; n_eq], vec![false; n_eq]);
        let mut pivot_row = vec![0.0; width];
        for _ in 0..n_eq {
            let mut best = (0, 0, 0.0);
            for i in (0..n_eq).filter(|&i| !used[i]) {
                for j in (0..n_eq).filter(|&j| row_of[j] == usize::MAX) {
                    if a[i * width + j].abs() > best.2 {
                        best = (i, j, a[i * width + j].abs());
                    }
                }
            }
            let (r, c, size) = best;
            if size <= 1e-12 * scale {
                break;
            }
            used[r] = true;
            row_of[c] = r;
            let inverse = 1.0 / a[r * width + c];
            pivot_row.copy_from_slice(&a[r * width..(r + 1) * width]);
            for v in &mut pivot_row {
                *v *= inverse;
            }
            for i in 0..n {
                let row = &mut a[i * width..(i + 1) * width];
                if i == r {
                    row.copy_from_slice(&pivot_row);
                } else if row[c] != 0.0 {
                    let l = row[c];
                    for (x, &y) in row.iter_mut().zip(&pivot_row) {
                        *x -= l * y;
                    }
                    row[c] = 0.0;
                }
            }
        }
        let pivoted: Vec<usize> = (0..n_eq).filter(|&j| row_of[j] != usize::MAX).collect();
        // Left-over equations and variables pair up in order; those that vanish are dropped.
        let free: Vec<usize> = (0..n_eq).filter(|&j| row_of[j] == usize::MAX).collect();
        let loose: Vec<usize> = (0..n_eq).filter(|&i| !used[i]).collect();
        let size = a.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let tiny = |v: f64| v.abs() <= 1e-10 * size;
        let mut pairs = Vec::new();
        for (&i, &j) in loose.iter().zip(&free) {
            let row_vanishes = (n_eq..=n).all(|k| tiny(a[i * width + k]));
            let column_vanishes = (n_eq..n).all(|k| tiny(a[k * width + j]));
            if !(row_vanishes && column_vanishes) {
                pairs.push((i, j));
            }
        }
        let left: Vec<usize> = pairs.iter().map(|p| p.1).collect();
        let n_r = n_c + 2 * pairs.len();
        // Rows of the reduced problem over the complementary columns and (y⁺, y⁻).
        let mut entries = Vec::new();
        let mut q = Vec::with_capacity(n_r);
        let mut push_row = |r: usize, i: usize, sign: f64, entries: &mut Vec<_>| {
            let row = &a[i * width..(i + 1) * width];
            for k in 0..n_c {
                if row[n_eq + k] != 0.0 {
                    entries.push((r, k, sign * row[n_eq + k]));
                }
            }
            for (k, &j) in left.iter().enumerate() {
                if row[j] != 0.0 {
                    entries.push((r, n_c + 2 * k, sign * row[j]));
                    entries.push((r, n_c + 2 * k + 1, -sign * row[j]));
                }
            }
            q.push(sign * row[n]);
        };
        for k in 0..n_c {
            push_row(k, n_eq + k, 1.0, &mut entries);
        }
        for (k, &(i, _)) in pairs.iter().enumerate() {
            push_row(n_c + 2 * k, i, 1.0, &mut entries);
            push_row(n_c + 2 * k + 1, i, -1.0, &mut entries);
        }
        // Pivoted rows read y + row·(z, y_left) + constant = 0.
        let mut table = Vec::with_capacity(pivoted.len() * n_r);
        let mut constant = Vec::with_capacity(pivoted.len());
        for &j in &pivoted {
            let row = &a[row_of[j] * width..(row_of[j] + 1) * width];
            table.extend(row[n_eq..n].iter().map(|v| -v));
            for &l in &left {
                table.push(-row[l]);
                table.push(row[l]);
            }
            constant.push(-row[n]);
        }
        let m = SparseMatrix::from_triplets(n_r, n_r, &entries).unwrap_or_default();
        Elimination {
            lcp: Lcp { m, q },
            table,
            constant,
            pivoted,
            left,
        }
    }

    /// Variables of the mixed problem from those of the reduced one (`affine`), or a direction.
    fn recover(&self, elimination: &Elimination, z: &[f64], affine: bool) -> Vec<f64> {
        let n_c = self.q.len() - self.n_eq;
        let mut out = vec![0.0; self.q.len()];
        out[self.n_eq..].copy_from_slice(&z[..n_c]);
        for (k, &j) in elimination.left.iter().enumerate() {
            out[j] = z[n_c + 2 * k] - z[n_c + 2 * k + 1];
        }
        for (k, &j) in elimination.pivoted.iter().enumerate() {
            let row = &elimination.table[k * z.len()..(k + 1) * z.len()];
            let constant = if affine { elimination.constant[k] } else { 0.0 };
            out[j] = constant + row.iter().zip(z).map(|(a, b)| a * b).sum::<f64>();
        }
        out
    }
}
