//! Lemke's method for linear complementarity problems, plain and mixed.

use crate::factor::sparse::SparseMatrix;
use crate::lcp::basis::Basis;
use crate::lcp::start;
use crate::lcp::{LcpError, LcpSolution, MixedLcp};
use crate::limit;
use crate::random::Random;

/// One try: a covering vector, by how much q is moved (relative to the largest basic variable at the start), and how
/// many times the usual number of pivots it may take.
#[derive(Clone, Copy, Debug)]
struct Attempt {
    cover: Cover,
    perturbation: f64,
    patience: usize,
}

#[derive(Clone, Copy, Debug)]
enum Cover {
    /// Entries drawn from [1, 2) with this seed: unequal, so that symmetric problems, whose rows tie by the dozen
    /// under d = (1, …, 1), do not.
    Drawn(u64),
    /// d = (1, …, 1).
    Ones,
    /// max(−x, 0) and a little: the loads of the problem grow together.
    Load,
}

const fn attempt(cover: Cover, perturbation: f64, patience: usize) -> Attempt {
    Attempt {
        cover,
        perturbation,
        patience,
    }
}

/// The tries in their order; the last has the patience for the long paths of large piles.
const ATTEMPTS: [Attempt; 7] = [
    attempt(Cover::Drawn(0), 0.0, 1),
    attempt(Cover::Drawn(1), 1e-8, 1),
    attempt(Cover::Ones, 1e-6, 1),
    attempt(Cover::Load, 0.0, 1),
    attempt(Cover::Load, 1e-7, 1),
    attempt(Cover::Drawn(2), 1e-4, 1),
    attempt(Cover::Drawn(0), 0.0, 20),
];

/// Pivots between checks of the basic variables, and the error of B x = q, relative, that asks for new factors.
const CHECK: usize = 16;
const DRIFT: f64 = 1e-9;

/// A pivot that is smaller than this share of its column is believed on a refined column only; below the second it
/// is zero.
const SMALL_PIVOT: f64 = 1e-6;
const NO_PIVOT: f64 = 1e-9;

/// Differences of basic variables below this share of the largest are rounding.
const NOISE: f64 = 1e-13;

/// Most pivots of any path.
const MOST_PIVOTS: usize = 500_000;

/// Times that a path is taken up again from the basis it ended with.
const CORRECTIONS: usize = 3;

/// Settings of [`Lemke`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LemkeSettings {
    /// Most pivots of one path, as a multiple of the size of the problem (plus 100); the last path may take 20 times
    /// as many.
    pub pivots_per_row: usize,
    /// Most pivots between factorisations of the basis.
    pub refactor: usize,
    /// Residual ‖min(z, w)‖/‖q‖ at which a point counts as a solution.
    pub tolerance: f64,
    /// Paths tried, up to [`LemkeSettings::ALL`], before giving up on a ray or a cycle.
    pub attempts: usize,
}

impl LemkeSettings {
    /// Every path there is, the long one among them.
    pub const ALL: usize = ATTEMPTS.len();
}

impl Default for LemkeSettings {
    fn default() -> Self {
        Self {
            pivots_per_row: 10,
            refactor: 64,
            tolerance: 1e-9,
            attempts: Self::ALL - 1,
        }
    }
}

/// Lemke's complementary pivoting on w − M z − c z₀ = q from z₀ large.
///
/// It starts from a basis of free variables and one variable of each complementary pair (`lcp_start`); c = B d with
/// d > 0 on the pairs covers what is negative there. The basis is a sparse LU factorisation with a product of the
/// pivots since (`Basis`). Ties are broken by a second right-hand side B t, t > 0 drawn at random, as if q were
/// q + ε B t with ε → 0: the lexicographic rule with one column, which decides almost surely. Rows and columns are scaled
/// by powers of two. A path that ends on a ray or takes too long is tried again under another covering vector; what it
/// ends with is judged on the data as given. References: Lemke 1965; Cottle, Pang, Stone 1992, sections 4.4 and 4.9;
/// Harris 1973 for the ratio test.
#[derive(Clone, Debug, Default)]
pub struct Lemke {
    /// Settings.
    pub settings: LemkeSettings,
    n: usize,
    n_eq: usize,
    /// The scaled problem: M' = R M C, q' = R q, z = C z'.
    m: SparseMatrix,
    q: Vec<f64>,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    /// c, scaled.
    cover: Vec<f64>,
    /// Right-hand side that breaks ties.
    tie_side: Vec<f64>,
    /// Right-hand side of this path: q, perhaps moved a little.
    side: Vec<f64>,
    /// Variable of each column of the basis: w_i is i, z_i is n + i, z₀ is 2n.
    variables: Vec<usize>,
    basis: Basis,
    /// Values of the basic variables, and of their coefficients of ε.
    x: Vec<f64>,
    ties: Vec<f64>,
    y: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
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

    /// Solves a mixed LCP.
    ///
    /// # Errors
    /// [`LcpError::Ray`] when a ray ends the path for every covering vector tried,
    /// [`LcpError::Limit`] after too many pivots, [`LcpError::Unsuitable`] for data that are none.
    pub fn solve(&mut self, problem: &MixedLcp) -> Result<LcpSolution, LcpError> {
        problem.validate()?;
        self.scale(problem);
        let start = start::basis(&self.m, self.n_eq);
        self.variables.clone_from(&start);
        if let Some(direction) = self.contradiction(problem) {
            let z = self.point();
            return Err(LcpError::Ray {
                pivots: 0,
                infeasible: true,
                direction,
                residual: problem.residual(&z),
                z,
            });
        }
        let mut failure: Option<LcpError> = None;
        let mut total = 0;
        for attempt in &ATTEMPTS[..self.settings.attempts.clamp(1, ATTEMPTS.len())] {
            self.variables.clone_from(&start);
            let (end, pivots) = self.run(*attempt);
            total += pivots;
            let mut z = self.point();
            let mut residual = problem.residual(&z);
            // The last basis of a moved problem may need a few more pivots for the true one.
            for _ in 0..CORRECTIONS {
                if end != End::Solved || residual <= self.settings.tolerance {
                    break;
                }
                let (_, pivots) = self.run(Attempt {
                    perturbation: 0.0,
                    ..*attempt
                });
                total += pivots;
                z = self.point();
                residual = problem.residual(&z);
            }
            // A path that ends on a ray or in a cycle may do so at a solution: the residual judges.
            if residual <= self.settings.tolerance {
                return Ok(LcpSolution {
                    z,
                    residual,
                    iterations: total,
                });
            }
            let mut infeasible = false;
            let this = if let End::Ray(entering) = end {
                let direction = self.direction(entering);
                infeasible = problem.is_refuted_by(&direction);
                LcpError::Ray {
                    pivots: total,
                    infeasible,
                    direction,
                    z,
                    residual,
                }
            } else {
                LcpError::Limit {
                    iterations: total,
                    z,
                    residual,
                }
            };
            // The first ray is the one to report, and one that proves something before all others; a ray outranks a
            // limit, and of those the nearest to a solution is kept.
            let replace = match (&failure, &this) {
                (None, _) | (Some(LcpError::Limit { .. }), LcpError::Ray { .. }) => true,
                (
                    Some(LcpError::Limit { residual: old, .. }),
                    LcpError::Limit { residual: new, .. },
                ) => new < old,
                _ => infeasible,
            };
            if replace {
                failure = Some(this);
            }
            if infeasible || limit::reached() {
                break;
            }
        }
        let mut failure =
            failure.unwrap_or_else(|| LcpError::Unsuitable("no attempt was made".into()));
        if let LcpError::Ray { pivots: done, .. }
        | LcpError::Limit {
            iterations: done, ..
        } = &mut failure
        {
            *done = total;
        }
        Err(failure)
    }

    /// A combination of equations that reads 0 = something, from the w of dependent ones that stay in the basis at the
    /// start; None where they agree, or where disagreement is within the tolerance.
    fn contradiction(&mut self, problem: &MixedLcp) -> Option<Vec<f64>> {
        let n = self.n;
        let places: Vec<usize> = (0..n)
            .filter(|&place| self.variables[place] < self.n_eq)
            .collect();
        if places.is_empty() {
            return None;
        }
        self.cover.clear();
        self.cover.resize(n, 0.0);
        self.tie_side.clear();
        self.tie_side.resize(n, 0.0);
        self.side.clone_from(&self.q);
        if !self.refactor() {
            return None;
        }
        for place in places {
            let mut y = self.basis.inverse_row(place, n);
            for (y, scale) in y.iter_mut().zip(&self.row_scale) {
                *y *= scale;
            }
            let value: f64 = y.iter().zip(&problem.q).map(|(y, q)| y * q).sum();
            let size = largest(&y);
            if value.abs() > self.settings.tolerance * size * largest(&problem.q) {
                for y in &mut y {
                    *y *= -value.signum() / size;
                }
                if problem.is_refuted_by(&y) {
                    return Some(y);
                }
            }
        }
        None
    }

    /// Scales rows and columns towards entries of size one, by powers of two, so that nothing is rounded. The path is
    /// that of the problem as given under another covering vector.
    fn scale(&mut self, problem: &MixedLcp) {
        let n = problem.q.len();
        (self.n, self.n_eq) = (n, problem.n_eq);
        let (mut rows, mut columns) = (vec![1.0f64; n], vec![1.0f64; n]);
        for _ in 0..4 {
            let (mut row_top, mut column_top) = (vec![0.0f64; n], vec![0.0f64; n]);
            for j in 0..n {
                for (i, v) in problem.m.column(j) {
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
        self.m = problem.m.scaled(&rows, &columns);
        self.q.clear();
        self.q
            .extend(problem.q.iter().zip(&rows).map(|(q, s)| q * s));
        (self.row_scale, self.column_scale) = (rows, columns);
    }

    /// Whether the basic variable of this column must not be negative.
    fn is_bounded(&self, place: usize) -> bool {
        let v = self.variables[place];
        v == 2 * self.n || v % self.n >= self.n_eq
    }

    /// v += x times the column of a variable in w − M z − c z₀ = q.
    fn add_column(&self, variable: usize, x: f64, v: &mut [f64]) {
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
    fn times_basis(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.n];
        for (&variable, &x) in self.variables.iter().zip(x) {
            if x != 0.0 {
                self.add_column(variable, x, &mut out);
            }
        }
        out
    }

    /// y = B⁻¹ (column of the variable).
    fn load(&mut self, variable: usize) {
        let mut y = std::mem::take(&mut self.y);
        y.clear();
        y.resize(self.n, 0.0);
        self.add_column(variable, 1.0, &mut y);
        self.basis.solve(&mut y);
        self.y = y;
    }

    /// y += B⁻¹ (column of the variable − B y).
    fn refine_column(&mut self, variable: usize) {
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
    fn refactor(&mut self) -> bool {
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
    fn refine(&mut self) -> f64 {
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

    fn run(&mut self, attempt: Attempt) -> (End, usize) {
        let n = self.n;
        self.cover.clear();
        self.cover.resize(n, 0.0);
        self.side.clone_from(&self.q);
        self.tie_side.clear();
        self.tie_side.resize(n, 0.0);
        if !self.refactor() {
            return (End::Singular, 0);
        }
        let mut random = Random::new(0x5eed);
        let bounded: Vec<bool> = (0..n).map(|i| self.is_bounded(i)).collect();
        let drawn = |random: &mut Random| -> Vec<f64> {
            let draw = |&b: &bool| if b { 1.0 + random.unit() } else { 0.0 };
            bounded.iter().map(draw).collect()
        };
        self.ties = drawn(&mut random);
        self.tie_side = self.times_basis(&self.ties);
        if attempt.perturbation > 0.0 {
            let size = attempt.perturbation * largest(&self.x);
            let shift: Vec<f64> = drawn(&mut random).iter().map(|v| v * size).collect();
            let moved = self.times_basis(&shift);
            for (q, d) in self.side.iter_mut().zip(&moved) {
                *q += d;
            }
            for (x, d) in self.x.iter_mut().zip(&shift) {
                *x += d;
            }
        }
        let cover: Vec<f64> = match attempt.cover {
            Cover::Drawn(seed) => drawn(&mut Random::new(seed)),
            Cover::Ones => bounded.iter().map(|&b| f64::from(u8::from(b))).collect(),
            Cover::Load => {
                let size = 1e-3 * largest(&self.x);
                let load = |(&b, &x): (&bool, &f64)| if b { (-x).max(0.0) + size } else { 0.0 };
                bounded.iter().zip(&self.x).map(load).collect()
            }
        };
        // z₀ enters where x/d is least.
        let mut row = usize::MAX;
        for i in (0..n).filter(|&i| bounded[i] && self.x[i] < 0.0) {
            let ratio = |k: usize| (self.x[k] / cover[k], self.ties[k] / cover[k]);
            if row == usize::MAX || ratio(i) < ratio(row) {
                row = i;
            }
        }
        if row == usize::MAX {
            return (End::Solved, 0);
        }
        self.cover = self.times_basis(&cover);
        self.y = cover.iter().map(|d| -d).collect();
        let mut out = self.variables[row];
        self.pivot(row, 2 * n);

        let most = (attempt.patience * self.settings.pivots_per_row * n + 100).min(MOST_PIVOTS);
        for pivots in 1..=most {
            if limit::reached() {
                return (End::Limit, pivots);
            }
            let replaced = self.basis.replaced();
            let stale = replaced >= self.settings.refactor
                || self.basis.is_long()
                || replaced > 0 && replaced.is_multiple_of(CHECK) && self.refine() > DRIFT;
            if stale && !self.refactor() {
                return (End::Singular, pivots);
            }
            // The complement of what left enters.
            let entering = if out < n { out + n } else { out - n };
            self.load(entering);
            let mut row = self.ratio_test();
            // A small pivot is believed on a refined column only, a ray on fresh factors.
            if row.is_some_and(|r| self.y[r] < SMALL_PIVOT * largest(&self.y)) {
                self.refine_column(entering);
                row = self.ratio_test();
            }
            if row.is_none() && self.basis.replaced() > 0 {
                if !self.refactor() {
                    return (End::Singular, pivots);
                }
                self.load(entering);
                row = self.ratio_test();
            }
            let Some(row) = row else {
                return (End::Ray(entering), pivots);
            };
            out = self.variables[row];
            self.pivot(row, entering);
            if out == 2 * n {
                return (End::Solved, pivots);
            }
        }
        (End::Limit, most)
    }

    /// Row that leaves: least x_i/y_i over y_i > 0, z₀ first among equals, then the least ratio of the ties.
    fn ratio_test(&self) -> Option<usize> {
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
    fn pivot(&mut self, r: usize, entering: usize) {
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
    fn point(&mut self) -> Vec<f64> {
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
    fn direction(&mut self, entering: usize) -> Vec<f64> {
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

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, v| v.abs().max(m))
}
