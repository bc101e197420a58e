//! The scaled problem of Lemke's method with its present basis: columns, ratio test, pivots, and the point of a basis.

use crate::factor::sparse::SparseMatrix;
use crate::lcp::MixedLcp;
use crate::lcp::lemke::basis::Basis;

/// A pivot below this share of its column is zero.
const NO_PIVOT: f64 = 1e-9;

/// Differences of basic variables below this share of the largest are rounding.
const NOISE: f64 = 1e-13;

/// w − M z − c z₀ = q, scaled, and a basis of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pivoting {
    pub(crate) n: usize,
    pub(crate) n_eq: usize,
    /// The scaled problem: M' = R M C, q' = R q, z = C z'.
    pub(crate) m: SparseMatrix,
    pub(crate) q: Vec<f64>,
    pub(crate) row_scale: Vec<f64>,
    pub(crate) column_scale: Vec<f64>,
    /// c, scaled.
    pub(crate) cover: Vec<f64>,
    /// Right-hand side that breaks ties.
    pub(crate) tie_side: Vec<f64>,
    /// Right-hand side of this path: q, perhaps moved a little.
    pub(crate) side: Vec<f64>,
    /// Variable of each column of the basis: w_i is i, z_i is n + i, z₀ is 2n.
    pub(crate) variables: Vec<usize>,
    pub(crate) basis: Basis,
    /// Values of the basic variables, and of their coefficients of ε.
    pub(crate) x: Vec<f64>,
    pub(crate) ties: Vec<f64>,
    /// Column of the entering variable in the basis.
    pub(crate) y: Vec<f64>,
}

impl Pivoting {
    /// Takes a basis, with q as it is and neither cover nor ties. False where the basis is singular.
    pub(crate) fn begin(&mut self) -> bool {
        self.cover.clear();
        self.cover.resize(self.n, 0.0);
        self.tie_side.clear();
        self.tie_side.resize(self.n, 0.0);
        self.side.clone_from(&self.q);
        self.refactor()
    }

    /// Scales rows and columns towards entries of size one, by powers of two, so that nothing is rounded. The path is
    /// that of the problem as given under another covering vector.
    pub(crate) fn scale(&mut self, problem: &MixedLcp) {
        let n = problem.q.len();
        (self.n, self.n_eq) = (n, problem.n_eq);
        let (rows, columns) = balanced(&problem.m);
        self.m = problem.m.scaled(&rows, &columns);
        self.q.clear();
        self.q
            .extend(problem.q.iter().zip(&rows).map(|(q, s)| q * s));
        (self.row_scale, self.column_scale) = (rows, columns);
    }

    /// Whether the basic variable of this column must not be negative.
    pub(crate) fn is_bounded(&self, place: usize) -> bool {
        let v = self.variables[place];
        v == 2 * self.n || v % self.n >= self.n_eq
    }

    /// v += x times the column of a variable in w − M z − c z₀ = q.
    pub(crate) fn add_column(&self, variable: usize, x: f64, v: &mut [f64]) {
        let n = self.n;
        if variable < n {
            v[variable] += x;
        } else if variable == 2 * n {
            for (v, c) in v.iter_mut().zip(&self.cover) {
                *v -= c * x;
            }
        } else {
            for (i, m) in self.m.column(variable - n) {
                v[i] -= m * x;
            }
        }
    }

    /// B x.
    pub(crate) fn times_basis(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.n];
        for (&variable, &x) in self.variables.iter().zip(x) {
            if x != 0.0 {
                self.add_column(variable, x, &mut out);
            }
        }
        out
    }

    /// y = B⁻¹ (column of the variable).
    pub(crate) fn load(&mut self, variable: usize) {
        let mut y = std::mem::take(&mut self.y);
        y.clear();
        y.resize(self.n, 0.0);
        self.add_column(variable, 1.0, &mut y);
        self.basis.solve(&mut y);
        self.y = y;
    }

    /// y += B⁻¹ (column of the variable − B y).
    pub(crate) fn refine_column(&mut self, variable: usize) {
        let mut rest = self.times_basis(&self.y);
        for r in &mut rest {
            *r = -*r;
        }
        self.add_column(variable, 1.0, &mut rest);
        self.basis.solve(&mut rest);
        for (y, d) in self.y.iter_mut().zip(&rest) {
            *y += d;
        }
    }

    /// Factors the basis and computes x and the ties from it. False where it is singular.
    pub(crate) fn refactor(&mut self) -> bool {
        let (n, variables, m, cover) = (self.n, &self.variables, &self.m, &self.cover);
        let factored = self.basis.factor(n, |lu| {
            for (place, &variable) in variables.iter().enumerate() {
                if variable < n {
                    lu.push(variable, place, 1.0);
                } else if variable == 2 * n {
                    for (i, c) in cover.iter().enumerate() {
                        lu.push(i, place, -c);
                    }
                } else {
                    for (i, v) in m.column(variable - n) {
                        lu.push(i, place, -v);
                    }
                }
            }
        });
        if !factored {
            return false;
        }
        self.x.clone_from(&self.side);
        self.basis.solve(&mut self.x);
        self.ties.clone_from(&self.tie_side);
        self.basis.solve(&mut self.ties);
        self.refine();
        self.x.iter().all(|v| v.is_finite())
    }

    /// x += B⁻¹ (q − B x); returns the largest entry of what was left, relative to q and x.
    pub(crate) fn refine(&mut self) -> f64 {
        let size = largest(&self.x).max(largest(&self.side));
        let mut rest = self.times_basis(&self.x);
        for (r, q) in rest.iter_mut().zip(&self.side) {
            *r = q - *r;
        }
        let error = largest(&rest);
        self.basis.solve(&mut rest);
        for (x, d) in self.x.iter_mut().zip(&rest) {
            *x += d;
        }
        error / size.max(f64::MIN_POSITIVE)
    }

    /// Row that leaves: least x_i/y_i over y_i > 0, z₀ first among equals, then the least ratio of the ties.
    pub(crate) fn ratio_test(&self) -> Option<usize> {
        let smallest = NO_PIVOT * largest(&self.y).max(f64::MIN_POSITIVE);
        let noise = NOISE * largest(&self.x);
        let may_leave = |&i: &usize| self.y[i] > smallest && self.is_bounded(i);
        let mut least = f64::INFINITY;
        for i in (0..self.n).filter(may_leave) {
            // Two passes: x_i may be negative by the noise.
            least = least.min((self.x[i].max(0.0) + noise) / self.y[i]);
        }
        let mut best: Option<(usize, f64)> = None;
        for i in (0..self.n).filter(may_leave) {
            if self.x[i].max(0.0) / self.y[i] <= least {
                if self.variables[i] == 2 * self.n {
                    return Some(i);
                }
                let tie = self.ties[i] / self.y[i];
                if best.is_none_or(|b| tie < b.1) {
                    best = Some((i, tie));
                }
            }
        }
        best.map(|b| b.0)
    }

    /// Brings `entering`, whose column in the basis is `self.y`, into row `r`.
    pub(crate) fn pivot(&mut self, r: usize, entering: usize) {
        for values in [&mut self.x, &mut self.ties] {
            let step = values[r] / self.y[r];
            for (v, y) in values.iter_mut().zip(&self.y) {
                *v -= step * y;
            }
            values[r] = step;
        }
        self.basis.replace(r, &self.y);
        self.variables[r] = entering;
    }

    /// z of the present basis for the true q, solved afresh and refined, negative dust removed.
    pub(crate) fn point(&mut self) -> Vec<f64> {
        let n = self.n;
        let mut z = vec![0.0; n];
        self.side.clone_from(&self.q);
        if !self.refactor() {
            return z;
        }
        let mut last = f64::INFINITY;
        for _ in 0..5 {
            let error = self.refine();
            if error.is_nan() || error >= 0.5 * last {
                break;
            }
            last = error;
        }
        for (&variable, &x) in self.variables.iter().zip(&self.x) {
            if variable >= n && variable < 2 * n {
                let i = variable - n;
                let x = x * self.column_scale[i];
                z[i] = if i < self.n_eq { x } else { x.max(0.0) };
            }
        }
        z
    }

    /// Direction of z along the ray of the entering variable, largest entry 1.
    pub(crate) fn direction(&mut self, entering: usize) -> Vec<f64> {
        let n = self.n;
        self.load(entering);
        let mut d = vec![0.0; n];
        if entering >= n && entering < 2 * n {
            d[entering - n] = self.column_scale[entering - n];
        }
        for (&variable, &y) in self.variables.iter().zip(&self.y) {
            if variable >= n && variable < 2 * n {
                let i = variable - n;
                let v = -y * self.column_scale[i];
                d[i] = if i < self.n_eq { v } else { v.max(0.0) };
            }
        }
        let size = largest(&d);
        if size > 0.0 {
            for v in &mut d {
                *v /= size;
            }
        }
        d
    }
}

/// Powers of two by which rows and columns are multiplied so that the largest entry of each is of size one.
fn balanced(m: &SparseMatrix) -> (Vec<f64>, Vec<f64>) {
    let n = m.n_rows();
    let (mut rows, mut columns) = (vec![1.0f64; n], vec![1.0f64; n]);
    for _ in 0..4 {
        let (mut row_top, mut column_top) = (vec![0.0f64; n], vec![0.0f64; n]);
        for j in 0..n {
            for (i, v) in m.column(j) {
                let v = (v * rows[i] * columns[j]).abs();
                row_top[i] = row_top[i].max(v);
                column_top[j] = column_top[j].max(v);
            }
        }
        for i in 0..n {
            if row_top[i] > 0.0 {
                rows[i] /= row_top[i].sqrt();
            }
            if column_top[i] > 0.0 {
                columns[i] /= column_top[i].sqrt();
            }
        }
    }
    for s in rows.iter_mut().chain(&mut columns) {
        *s = libm::exp2(libm::round(libm::log2(*s)));
    }
    (rows, columns)
}

/// Largest entry in magnitude.
pub(crate) fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, v| v.abs().max(m))
}
