//! Linear complementarity problems, plain and mixed.
//!
//! | module | what | used |
//! |---|---|---|
//! | [`lemke`] | complementary pivoting; a ray may prove that there is no solution | up to some thousand rows |
//! | [`interior`] | path following, and `solve_auto`, which chooses | large problems, and where pivoting fails |
//! | [`contact`] | LCPs that state a contact problem, solved as such | large problems of friction |
//! | [`pgs`] | projected Gauss-Seidel | positive definite M, moderate accuracy |
//! | [`pyramid`] | a contact problem with pyramids as a mixed LCP | the solver `lemke`, files |
//! | [`max_gap`] | a vertex against a convex piece | tests of the choice of faces |
//! | [`enumerate`] | all solutions of tiny problems | the oracle of tests |
//! | [`class`] | is M positive semidefinite, copositive? | tiny problems |
//! | `reduction`, `tableau` | elimination of free variables | methods for plain LCPs |
//! | `linear` | Newton's matrix, factored sparse | path following |

pub mod class;
pub mod contact;
pub mod enumerate;
pub mod interior;
pub mod lemke;
mod linear;
pub mod max_gap;
pub mod pgs;
pub mod pyramid;
mod reduction;
mod tableau;

use crate::factor::sparse::SparseMatrix;
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
        const FARKAS_ROUNDING: f64 = 1e-10;
        if y.len() != self.q.len() || y[self.n_eq..].iter().any(|&v| v < 0.0) {
            return false;
        }
        let vanishes = |j: usize| {
            let (mut sum, mut size) = (0.0f64, 0.0f64);
            for (i, v) in self.m.column(j) {
                sum += v * y[i];
                size += (v * y[i]).abs();
            }
            let bound = FARKAS_ROUNDING * size;
            sum <= bound && (j >= self.n_eq || sum >= -bound)
        };
        let products = self.q.iter().zip(y).map(|(q, y)| q * y);
        let size: f64 = products.clone().map(f64::abs).sum();
        products.sum::<f64>() < -FARKAS_ROUNDING * size && (0..y.len()).all(vanishes)
    }
}
