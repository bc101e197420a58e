//! Lemke's method for linear complementarity problems, with the lexicographic ratio test.

use crate::dense::DenseLu;
use crate::lcp::{Lcp, LcpError, LcpSolution};

/// v −= x times the column of a variable in w − M z − d z₀ = q, scaled.
fn subtract_column(
    lcp: &Lcp,
    scale: &[f64],
    cover: &[f64],
    variable: usize,
    x: f64,
    v: &mut [f64],
) {
    let n = scale.len();
    if variable < n {
        v[variable] -= x;
    } else if variable == 2 * n {
        for (v, d) in v.iter_mut().zip(cover) {
            *v += d * x;
        }
    } else {
        let j = variable - n;
        let s = scale[j] * x;
        for (i, m) in lcp.m.column(j) {
            v[i] += m * scale[i] * s;
        }
    }
}

/// (perturbation of q, shift of M's diagonal), both relative, in each attempt.
const ATTEMPTS: [(f64, f64); 4] = [(0.0, 0.0), (0.0, 1e-9), (1e-7, 1e-9), (1e-5, 1e-7)];

/// Settings of [`Lemke`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LemkeSettings {
    /// Most pivots, as a multiple of the size of the problem (plus 100).
    pub pivots_per_row: usize,
    /// Pivots between checks of the basic solution, which refine it or refactor the basis.
    pub check: usize,
    /// Residual ‖min(z, w)‖/‖q‖ at which a point counts as a solution.
    pub tolerance: f64,
    /// Covering vectors tried before giving up on a ray or a cycle.
    pub attempts: usize,
}

impl Default for LemkeSettings {
    fn default() -> Self {
        Self {
            pivots_per_row: 30,
            check: 10,
            tolerance: 1e-9,
            attempts: 4,
        }
    }
}

/// Lemke's complementary pivoting on w = M z + d z₀ + q from z₀ large, d > 0 the covering vector.
///
/// Ties in the ratio test are broken lexicographically on rows of the inverse basis, which forbids
/// cycling in exact arithmetic. The explicit inverse is updated by rank one and recomputed every
/// few pivots. Rows and columns are scaled by 1/√M_ii first (rows with zero diagonal to match), so
/// masses over many decades do not decide the pivots. References: Lemke 1965; Cottle, Pang, Stone
/// 1992, section 4.4 and 4.9.
#[derive(Clone, Debug, Default)]
pub struct Lemke {
    /// Settings.
    pub settings: LemkeSettings,
    n: usize,
    scale: Vec<f64>,
    cover: Vec<f64>,
    q: Vec<f64>,
    /// Variable in each row of the basis: w_i is i, z_i is n + i, z₀ is 2n.
    basis: Vec<usize>,
    inverse: Vec<f64>,
    x: Vec<f64>,
    column: Vec<f64>,
    y: Vec<f64>,
    ties: Vec<usize>,
    shift: f64,
    lu: DenseLu,
}

enum End {
    Solved,
    Ray(usize),
    Limit,
    Singular,
}

impl Lemke {
    /// Solver with the given settings.
    #[must_use]
    pub fn new(settings: LemkeSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Solves the LCP.
    ///
    /// # Errors
    /// [`LcpError::Ray`] when a ray ends the path for every covering vector tried,
    /// [`LcpError::Limit`] after too many pivots, [`LcpError::Unsuitable`] for data that are none.
    pub fn solve_lcp(&mut self, lcp: &Lcp) -> Result<LcpSolution, LcpError> {
        lcp.validate()?;
        self.n = lcp.q.len();
        if lcp.q.iter().all(|&q| q >= 0.0) {
            return Ok(LcpSolution {
                z: vec![0.0; self.n],
                residual: 0.0,
                iterations: 0,
            });
        }
        self.set_scale(lcp);
        let mut failure: Option<LcpError> = None;
        let mut total = 0;
        for attempt in 0..self.settings.attempts.max(1) {
            self.set_cover(attempt);
            // The first attempt leaves ties to the lexicographic rule alone; later ones shift the
            // diagonal (singular M) and move q a little; the basis they end with is judged on the
            // true data.
            let (perturbation, shift) = ATTEMPTS[attempt.min(ATTEMPTS.len() - 1)];
            self.shift = shift;
            self.perturb(lcp, perturbation);
            let (end, pivots) = self.run(lcp);
            total += pivots;
            self.perturb(lcp, 0.0);
            let z = self.point(lcp);
            let residual = lcp.residual(&z);
            // A path that ends on a ray or in a cycle may do so at a solution: the residual judges.
            if residual <= self.settings.tolerance {
                return Ok(LcpSolution {
                    z,
                    residual,
                    iterations: total,
                });
            }
            let this = match end {
                End::Ray(entering) => LcpError::Ray {
                    pivots: total,
                    direction: self.direction(entering),
                    z,
                    residual,
                },
                _ => LcpError::Limit {
                    iterations: total,
                    z,
                    residual,
                },
            };
            // The first ray is the one to report; a ray outranks a limit.
            let replace = matches!(
                (&failure, &this),
                (None, _) | (Some(LcpError::Limit { .. }), LcpError::Ray { .. })
            );
            if replace {
                failure = Some(this);
            }
        }
        Err(failure.unwrap_or_else(|| LcpError::Unsuitable("no attempt was made".into())))
    }

    /// Sets the scaled q, each entry raised by a random share of `size` times the largest.
    fn perturb(&mut self, lcp: &Lcp, size: f64) {
        let mut random = crate::random::Random::new(0x5eed);
        self.q.clear();
        self.q
            .extend(lcp.q.iter().zip(&self.scale).map(|(q, s)| q * s));
        if size > 0.0 {
            let largest = self.q.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            for q in &mut self.q {
                *q += size * largest * random.unit();
            }
        }
    }

    /// s_i = 1/√M_ii where the diagonal is positive; other rows take the geometric mean of what
    /// makes their entries one. The scaled problem has M'_ij = s_i M_ij s_j, q' = s q, z = s z'.
    fn set_scale(&mut self, lcp: &Lcp) {
        let n = self.n;
        self.scale.clear();
        self.scale.resize(n, 0.0);
        for (i, j, v) in lcp.m.entries() {
            if i == j && v > 0.0 {
                self.scale[i] = 1.0 / v.sqrt();
            }
        }
        // (product of logs, count) over entries that couple an unscaled row to a scaled one.
        let mut log = vec![(0.0, 0usize); n];
        for (i, j, v) in lcp.m.entries() {
            if v != 0.0 && i != j {
                if self.scale[i] == 0.0 && self.scale[j] > 0.0 {
                    log[i].0 -= libm::log(v.abs() * self.scale[j]);
                    log[i].1 += 1;
                }
                if self.scale[j] == 0.0 && self.scale[i] > 0.0 {
                    log[j].0 -= libm::log(v.abs() * self.scale[i]);
                    log[j].1 += 1;
                }
            }
        }
        for i in 0..n {
            if self.scale[i] == 0.0 {
                let (sum, count) = log[i];
                self.scale[i] = if count > 0 {
                    libm::exp(sum / count as f64)
                } else {
                    1.0
                };
            }
        }
    }

    /// Deterministic vectors with entries in [1, 2): unequal, so that symmetric problems, whose rows
    /// tie by the dozen under d = (1, …, 1), do not.
    fn set_cover(&mut self, attempt: usize) {
        let mut random = crate::random::Random::new(attempt as u64);
        self.cover.clear();
        self.cover.extend((0..self.n).map(|_| 1.0 + random.unit()));
    }

    /// Column of a variable in w − M z − d z₀ = q, into `self.column`; rows that are not zero only.
    fn load_column(&mut self, lcp: &Lcp, variable: usize) {
        let n = self.n;
        self.column.clear();
        self.column.resize(n, 0.0);
        if variable < n {
            self.column[variable] = 1.0;
        } else if variable == 2 * n {
            for (c, d) in self.column.iter_mut().zip(&self.cover) {
                *c = -d;
            }
        } else {
            let j = variable - n;
            for (i, v) in lcp.m.column(j) {
                self.column[i] = -v * self.scale[i] * self.scale[j];
            }
            self.column[j] -= self.shift;
        }
    }

    fn run(&mut self, lcp: &Lcp) -> (End, usize) {
        let n = self.n;
        self.basis.clear();
        self.basis.extend(0..n);
        self.inverse.clear();
        self.inverse.resize(n * n, 0.0);
        for i in 0..n {
            self.inverse[i * n + i] = 1.0;
        }
        self.x.clone_from(&self.q);

        // z₀ enters at the row of the most negative q_i/d_i; the lexicographic rule takes the last
        // of equals (rows of the unit matrix decrease).
        let mut leaving = 0;
        for i in 1..n {
            if self.x[i] / self.cover[i] <= self.x[leaving] / self.cover[leaving] {
                leaving = i;
            }
        }
        self.load_column(lcp, 2 * n);
        self.y.clone_from(&self.column);
        let mut out = self.basis[leaving];
        self.pivot(leaving, 2 * n);

        let limit = self.settings.pivots_per_row * n + 100;
        let mut since_refactor = 0usize;
        for pivots in 1..=limit {
            // The complement of what left enters.
            let entering = if out < n { out + n } else { out - n };
            self.load_column(lcp, entering);
            self.multiply_inverse();
            let Some(row) = self.ratio_test() else {
                if since_refactor > 0 {
                    // Judge a ray on a fresh factorisation only.
                    if !self.refactor(lcp) {
                        return (End::Singular, pivots);
                    }
                    since_refactor = 0;
                    self.load_column(lcp, entering);
                    self.multiply_inverse();
                    if let Some(row) = self.ratio_test() {
                        out = self.basis[row];
                        self.pivot(row, entering);
                        if out == 2 * n {
                            return (End::Solved, pivots);
                        }
                        continue;
                    }
                }
                return (End::Ray(entering), pivots);
            };
            out = self.basis[row];
            self.pivot(row, entering);
            if out == 2 * n {
                return (End::Solved, pivots);
            }
            since_refactor += 1;
            if since_refactor.is_multiple_of(self.settings.check)
                && !self.refresh(lcp, &mut since_refactor)
            {
                return (End::Singular, pivots);
            }
        }
        (End::Limit, limit)
    }

    /// y = B⁻¹ column.
    fn multiply_inverse(&mut self) {
        let n = self.n;
        self.y.clear();
        self.y.extend(self.inverse.chunks_exact(n).map(|row| {
            row.iter()
                .zip(&self.column)
                .map(|(a, b)| a * b)
                .sum::<f64>()
        }));
    }

    /// Row that leaves: least x_i/y_i over y_i > 0, z₀ first among equals, then the
    /// lexicographically least row of [x, B⁻¹]/y.
    fn ratio_test(&mut self) -> Option<usize> {
        let n = self.n;
        let largest = self.y.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let smallest_pivot = 1e-9 * largest.max(1e-30);
        let size = self.x.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        // Rounding in x below this is no difference between rows.
        let noise = 1e-13 * size;
        let mut least = f64::INFINITY;
        for i in 0..n {
            if self.y[i] > smallest_pivot {
                // Two-pass (Harris) test: let x_i be negative by the noise.
                least = least.min((self.x[i].max(0.0) + noise) / self.y[i]);
            }
        }
        if least == f64::INFINITY {
            return None;
        }
        self.ties.clear();
        for i in 0..n {
            if self.y[i] > smallest_pivot && self.x[i].max(0.0) / self.y[i] <= least {
                self.ties.push(i);
            }
        }
        if let Some(&row) = self.ties.iter().find(|&&i| self.basis[i] == 2 * n) {
            return Some(row);
        }
        // Lexicographic comparison column by column, dropping the rows that are larger.
        for k in 0..n {
            if self.ties.len() <= 1 {
                break;
            }
            let value = |i: usize| self.inverse[i * n + k] / self.y[i];
            let mut lowest = f64::INFINITY;
            let mut magnitude = 0.0f64;
            for &i in &self.ties {
                lowest = lowest.min(value(i));
                magnitude = magnitude.max(value(i).abs());
            }
            let bound = lowest + 1e-12 * magnitude;
            let (y, inverse) = (&self.y, &self.inverse);
            self.ties.retain(|&i| inverse[i * n + k] / y[i] <= bound);
        }
        self.ties.first().copied()
    }

    /// Brings `entering`, whose column in the basis is `self.y`, into row `r`.
    fn pivot(&mut self, r: usize, entering: usize) {
        let n = self.n;
        let inverse_pivot = 1.0 / self.y[r];
        for v in &mut self.inverse[r * n..(r + 1) * n] {
            *v *= inverse_pivot;
        }
        self.x[r] *= inverse_pivot;
        let x_r = self.x[r];
        // The pivot row is lent out so that the other rows can be changed.
        self.column.clear();
        self.column
            .extend_from_slice(&self.inverse[r * n..(r + 1) * n]);
        for (i, row) in self.inverse.chunks_exact_mut(n).enumerate() {
            let l = self.y[i];
            if i != r && l != 0.0 {
                for (v, p) in row.iter_mut().zip(&self.column) {
                    *v -= l * p;
                }
                self.x[i] -= l * x_r;
            }
        }
        self.basis[r] = entering;
    }

    /// Checks B x = q: refines x with the inverse at hand, refactors where that is not enough.
    fn refresh(&mut self, lcp: &Lcp, since_refactor: &mut usize) -> bool {
        let size = self
            .x
            .iter()
            .chain(&self.q)
            .fold(0.0f64, |m, v| m.max(v.abs()));
        for refinement in 0..2 {
            // column ← q − B x.
            self.column.clone_from(&self.q);
            for r in 0..self.n {
                let (variable, x) = (self.basis[r], self.x[r]);
                subtract_column(lcp, &self.scale, &self.cover, variable, x, &mut self.column);
                if variable >= self.n && variable < 2 * self.n {
                    self.column[variable - self.n] += self.shift * x;
                }
            }
            let error = self.column.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            if error <= 1e-14 * size {
                return true;
            }
            if error > 1e-9 * size || refinement == 1 && error > 1e-12 * size {
                *since_refactor = 0;
                return self.refactor(lcp);
            }
            self.multiply_inverse();
            for (x, d) in self.x.iter_mut().zip(&self.y) {
                *x += d;
            }
        }
        true
    }

    /// Recomputes B⁻¹ and x from the basis. False if the basis is singular.
    fn refactor(&mut self, lcp: &Lcp) -> bool {
        let n = self.n;
        if !self.factor_basis(lcp) {
            return false;
        }
        for j in 0..n {
            self.column.clear();
            self.column.resize(n, 0.0);
            self.column[j] = 1.0;
            self.lu.solve(&mut self.column);
            for i in 0..n {
                self.inverse[i * n + j] = self.column[i];
            }
        }
        self.x.clone_from(&self.q);
        self.lu.solve(&mut self.x);
        self.x.iter().all(|v| v.is_finite())
    }

    fn factor_basis(&mut self, lcp: &Lcp) -> bool {
        let n = self.n;
        self.lu.matrix(n);
        for r in 0..n {
            self.load_column(lcp, self.basis[r]);
            let column = std::mem::take(&mut self.column);
            let matrix = self.lu.entries();
            for i in 0..n {
                matrix[i * n + r] = column[i];
            }
            self.column = column;
        }
        self.lu.factor_in_place()
    }

    /// z of the present basis, solved afresh and refined, negative dust removed.
    fn point(&mut self, lcp: &Lcp) -> Vec<f64> {
        let n = self.n;
        let mut z = vec![0.0; n];
        if !self.factor_basis(lcp) {
            return z;
        }
        // Refinement against the true columns: with a shifted diagonal this converges to a solution
        // of the unshifted system where that is consistent.
        self.x.clear();
        self.x.resize(n, 0.0);
        let mut last = f64::INFINITY;
        for _ in 0..30 {
            let mut rest = self.q.clone();
            for r in 0..n {
                let (variable, x) = (self.basis[r], self.x[r]);
                subtract_column(lcp, &self.scale, &self.cover, variable, x, &mut rest);
            }
            let error = rest.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            if error.is_nan() || error >= 0.5 * last {
                break;
            }
            last = error;
            self.lu.solve(&mut rest);
            for (x, d) in self.x.iter_mut().zip(&rest) {
                *x += d;
            }
        }
        for r in 0..n {
            let variable = self.basis[r];
            if variable >= n && variable < 2 * n {
                z[variable - n] = (self.x[r] * self.scale[variable - n]).max(0.0);
            }
        }
        z
    }

    /// Direction of z along the ray of the entering variable, largest entry 1.
    fn direction(&self, entering: usize) -> Vec<f64> {
        let n = self.n;
        let mut d = vec![0.0; n];
        if entering >= n && entering < 2 * n {
            d[entering - n] = self.scale[entering - n];
        }
        for r in 0..n {
            let variable = self.basis[r];
            if variable >= n && variable < 2 * n {
                d[variable - n] = (-self.y[r] * self.scale[variable - n]).max(0.0);
            }
        }
        let largest = d.iter().fold(0.0f64, |m, v| m.max(*v));
        if largest > 0.0 {
            for v in &mut d {
                *v /= largest;
            }
        }
        d
    }
}
