//! Linear complementarity problems, plain and mixed.

mod basis;
pub mod class;
pub mod contact;
pub mod enumerate;
pub mod interior;
pub mod lemke;
mod linear;
pub mod max_gap;
pub mod pgs;
pub mod pyramid;
mod sparse_lu;
mod start;

use crate::factor::sparse::SparseMatrix;
use crate::lcp::start::Tableau;
use crate::problem::residual::divided;

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
    /// The method ended on a ray: along `direction` (≥ 0 where complementary, scaled to largest entry 1) the problem
    /// may be infeasible.
    #[error("secondary ray after {pivots} pivots (residual {residual:.2e}){}", if *infeasible { "; it proves that no z ≥ 0 has w ≥ 0" } else { "" })]
    Ray {
        /// Pivots done.
        pivots: usize,
        /// Whether the direction proves that there is no solution ([`MixedLcp::is_refuted_by`]).
        infeasible: bool,
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
        residual(&self.m, &self.q, 0, z)
    }

    /// Checks sizes and finite numbers.
    ///
    /// # Errors
    /// [`LcpError::Unsuitable`] with one sentence.
    pub fn validate(&self) -> Result<(), LcpError> {
        validate(&self.m, &self.q)
    }
}

/// sqrt(‖w_eq‖² + ‖min(z_c, w_c)‖²)/‖q‖, infinite where w is no number.
fn residual(m: &SparseMatrix, q: &[f64], n_eq: usize, z: &[f64]) -> f64 {
    let mut r = Vec::new();
    m.times(z, &mut r);
    for (i, ((r, q), z)) in r.iter_mut().zip(q).zip(z).enumerate() {
        *r += q;
        // `min` would take z for a w that is no number.
        if i >= n_eq && !r.is_nan() {
            *r = z.min(*r);
        }
    }
    let residual = divided(norm(&r), norm(q));
    if residual.is_nan() {
        f64::INFINITY
    } else {
        residual
    }
}

/// ‖v‖₂, also where the squares overflow or vanish.
fn norm(v: &[f64]) -> f64 {
    let sum: f64 = v.iter().map(|x| x * x).sum();
    let size = v.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if sum.is_normal() || size == 0.0 || !size.is_finite() {
        return sum.sqrt();
    }
    let sum: f64 = v.iter().map(|x| (x / size) * (x / size)).sum();
    size * sum.sqrt()
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
    let wrong = |what: String, v: f64| Err(LcpError::Unsuitable(format!("{what} is {v}")));
    if let Some((i, j, v)) = m.entries().find(|e| !e.2.is_finite()) {
        return wrong(format!("M({i}, {j})"), v);
    }
    if let Some((i, &v)) = q.iter().enumerate().find(|e| !e.1.is_finite()) {
        return wrong(format!("q({i})"), v);
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

/// Most rows of a mixed problem whose free variables are eliminated in a dense tableau (800 MB).
const MOST_MIXED: usize = 10_000;

impl MixedLcp {
    /// Residual of `z`: sqrt(‖w_eq‖² + ‖min(z_c, w_c)‖²)/‖q‖.
    #[must_use]
    pub fn residual(&self, z: &[f64]) -> f64 {
        residual(&self.m, &self.q, self.n_eq, z)
    }

    /// Checks sizes and finite numbers.
    ///
    /// # Errors
    /// [`LcpError::Unsuitable`] with one sentence.
    pub fn validate(&self) -> Result<(), LcpError> {
        validate(&self.m, &self.q)?;
        if self.n_eq > self.q.len() {
            return Err(LcpError::Unsuitable(format!(
                "{} equations in {} rows",
                self.n_eq,
                self.q.len()
            )));
        }
        Ok(())
    }

    /// Whether y proves that no z ≥ 0 has w = M z + q ≥ 0 (w = 0 on the free rows): with y ≥ 0 and Mᵀy ≤ 0 on the
    /// complementary variables, Mᵀy = 0 on the free ones and qᵀy < 0, yᵀw would be negative (Farkas). For positive
    /// semidefinite M the ray of Lemke's method is such a y. All up to rounding.
    #[must_use]
    pub fn is_refuted_by(&self, y: &[f64]) -> bool {
        const ROUNDING: f64 = 1e-10;
        if y.len() != self.q.len() || y[self.n_eq..].iter().any(|&v| v < 0.0) {
            return false;
        }
        let vanishes = |j: usize| {
            let (mut sum, mut size) = (0.0f64, 0.0f64);
            for (i, v) in self.m.column(j) {
                sum += v * y[i];
                size += (v * y[i]).abs();
            }
            let bound = ROUNDING * size;
            sum <= bound && (j >= self.n_eq || sum >= -bound)
        };
        let products = self.q.iter().zip(y).map(|(q, y)| q * y);
        let size: f64 = products.clone().map(f64::abs).sum();
        products.sum::<f64>() < -ROUNDING * size && (0..y.len()).all(vanishes)
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
        self.validate()?;
        if self.n_eq == 0 {
            return solve(&Lcp {
                m: self.m.clone(),
                q: self.q.clone(),
            });
        }
        if self.q.len() > MOST_MIXED {
            return Err(LcpError::Unsuitable(format!(
                "{} rows of a mixed problem are beyond the {MOST_MIXED} that are eliminated",
                self.q.len()
            )));
        }
        let elimination = self.eliminate();
        match solve(&elimination.lcp) {
            Ok(solution) => {
                let z = self.recover(&elimination, &solution.z);
                let residual = self.residual(&z);
                Ok(LcpSolution {
                    z,
                    residual,
                    iterations: solution.iterations,
                })
            }
            Err(LcpError::Limit { iterations, z, .. }) => {
                let z = self.recover(&elimination, &z);
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
        let mut a = Tableau::new(&self.m, &[&self.q]);
        let row_of = a.solve_free(n_eq);
        let pivoted: Vec<usize> = (0..n_eq).filter(|&j| row_of[j].is_some()).collect();
        // Left-over equations and variables pair up in order; those that vanish are dropped.
        let free: Vec<usize> = (0..n_eq).filter(|&j| row_of[j].is_none()).collect();
        let loose: Vec<usize> = (0..n_eq).filter(|&i| !row_of.contains(&Some(i))).collect();
        let tiny = 1e-10 * a.size();
        let mut pairs = Vec::new();
        for (&i, &j) in loose.iter().zip(&free) {
            let row_vanishes = (n_eq..=n).all(|k| a.at(i, k).abs() <= tiny);
            let column_vanishes = (n_eq..n).all(|k| a.at(k, j).abs() <= tiny);
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
            let row = a.row(i);
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
        for row in row_of.iter().flatten() {
            let row = a.row(*row);
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

    /// Variables of the mixed problem from those of the reduced one .
    fn recover(&self, elimination: &Elimination, z: &[f64]) -> Vec<f64> {
        let n_c = self.q.len() - self.n_eq;
        let mut out = vec![0.0; self.q.len()];
        out[self.n_eq..].copy_from_slice(&z[..n_c]);
        for (k, &j) in elimination.left.iter().enumerate() {
            out[j] = z[n_c + 2 * k] - z[n_c + 2 * k + 1];
        }
        for (k, &j) in elimination.pivoted.iter().enumerate() {
            let row = &elimination.table[k * z.len()..(k + 1) * z.len()];
            out[j] = elimination.constant[k] + row.iter().zip(z).map(|(a, b)| a * b).sum::<f64>();
        }
        out
    }
}
