//! Path following for mixed LCPs, sparse: the fallback where pivoting is too long or ends on a ray.

use crate::factor::sparse::SparseMatrix;
use crate::lcp::contact::LcpContact;
use crate::lcp::lemke::{Lemke, LemkeSettings};
use crate::lcp::linear::NewtonMatrix;
use crate::lcp::{Lcp, LcpError, LcpSolution, MixedLcp};
use crate::limit;

/// Settings of [`LcpInterior`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LcpInteriorSettings {
    /// Most Newton steps for each start.
    pub iterations: usize,
    /// Residual ‖min(z, w)‖/‖q‖ to reach.
    pub tolerance: f64,
    /// Starts tried, of four.
    pub starts: usize,
}

/// First ε, over the square of the largest q.
const FIRST_EPSILONS: [f64; 4] = [1.0, 1e-2, 1e2, 1e-4];

/// From how many rows `auto` looks whether an LCP states a contact problem; smaller ones go to pivoting at once.
const RECOGNISED_FROM: usize = 300;

/// From how many rows `auto` tries path following before pivoting: a pivot costs time in proportion to the rows, and there are
/// about as many of them.
const PATHS_FIRST_FROM: usize = 1000;

impl Default for LcpInteriorSettings {
    fn default() -> Self {
        Self {
            iterations: 200,
            tolerance: 1e-9,
            starts: FIRST_EPSILONS.len(),
        }
    }
}

/// Newton on z_i − p_ε(z_i − w_i) = 0 (complementary rows) and w_i = 0 (free rows) while ε shrinks, then
/// on the min-map itself. p_ε(l) = (l + √(l² + 4ε))/2. Rows are scaled to a unit diagonal first; M that
/// is singular is regularised by a shift that shrinks with ε.
#[derive(Clone, Copy, Debug, Default)]
pub struct LcpInterior {
    /// Settings.
    pub settings: LcpInteriorSettings,
}

struct Scaled<'a> {
    problem: &'a MixedLcp,
    scale: Vec<f64>,
    q: Vec<f64>,
}

impl Scaled<'_> {
    /// w = S M S z + S q.
    fn w(&self, z: &[f64], out: &mut Vec<f64>) {
        let unscaled: Vec<f64> = z.iter().zip(&self.scale).map(|(z, s)| z * s).collect();
        self.problem.m.times(&unscaled, out);
        for ((w, s), q) in out.iter_mut().zip(&self.scale).zip(&self.q) {
            *w = *w * s + q;
        }
    }

    /// F and its norm.
    fn map(&self, z: &[f64], w: &[f64], epsilon: f64, f: &mut Vec<f64>) -> f64 {
        f.clear();
        let mut sum = 0.0;
        for i in 0..z.len() {
            let v = if i < self.problem.n_eq {
                w[i]
            } else {
                let l = z[i] - w[i];
                z[i] - 0.5 * (l + (l * l + 4.0 * epsilon).sqrt())
            };
            sum += v * v;
            f.push(v);
        }
        if sum.is_finite() {
            sum.sqrt()
        } else {
            f64::INFINITY
        }
    }

    /// d = p'(z − w), 1 on free rows.
    fn slopes(&self, z: &[f64], w: &[f64], epsilon: f64) -> Vec<f64> {
        let slope = |i: usize| {
            let l = z[i] - w[i];
            if i < self.problem.n_eq {
                1.0
            } else if epsilon == 0.0 {
                if l > 0.0 { 1.0 } else { 0.0 }
            } else if l < 0.0 {
                // Without cancellation.
                let root = (l * l + 4.0 * epsilon).sqrt();
                2.0 * epsilon / (root * (root - l))
            } else {
                0.5 * (1.0 + l / (l * l + 4.0 * epsilon).sqrt())
            }
        };
        (0..z.len()).map(slope).collect()
    }
}

/// A point of the path, with F and its norm; `trial_w` and `trial_f` are memory.
#[derive(Default)]
struct PathPoint {
    z: Vec<f64>,
    w: Vec<f64>,
    f: Vec<f64>,
    merit: f64,
    trial_w: Vec<f64>,
    trial_f: Vec<f64>,
}

impl PathPoint {
    /// z = √ε on the complementary rows, where the map vanishes if w = z.
    fn start(scaled: &Scaled, epsilon: f64) -> Self {
        let n_eq = scaled.problem.n_eq;
        let own = |i: usize| if i < n_eq { 0.0 } else { epsilon.sqrt() };
        let mut out = Self {
            z: (0..scaled.q.len()).map(own).collect(),
            ..Self::default()
        };
        scaled.w(&out.z, &mut out.w);
        out.merit = scaled.map(&out.z, &out.w, epsilon, &mut out.f);
        out
    }

    /// Goes along `step`, halved until the norm of F falls; false where it does not.
    fn search(&mut self, scaled: &Scaled, step: &[f64], epsilon: f64) -> bool {
        let mut t = 1.0;
        for _ in 0..14 {
            let trial: Vec<f64> = self.z.iter().zip(step).map(|(z, d)| z + t * d).collect();
            scaled.w(&trial, &mut self.trial_w);
            let merit = scaled.map(&trial, &self.trial_w, epsilon, &mut self.trial_f);
            if merit <= (1.0 - 1e-2 * t) * self.merit {
                self.z = trial;
                std::mem::swap(&mut self.w, &mut self.trial_w);
                std::mem::swap(&mut self.f, &mut self.trial_f);
                self.merit = merit;
                return true;
            }
            t *= 0.5;
        }
        false
    }
}

impl LcpInterior {
    /// Solves a mixed LCP.
    ///
    /// # Errors
    /// [`LcpError::Limit`] with the best point where no start reaches the tolerance.
    pub fn solve(&self, problem: &MixedLcp) -> Result<LcpSolution, LcpError> {
        Lcp {
            m: problem.m.clone(),
            q: problem.q.clone(),
        }
        .validate()?;
        let n = problem.q.len();
        let mut scale = vec![1.0; n];
        for (i, j, v) in problem.m.entries() {
            if i == j && v > 0.0 {
                scale[i] = 1.0 / v.sqrt();
            }
        }
        let q: Vec<f64> = problem.q.iter().zip(&scale).map(|(q, s)| q * s).collect();
        let size = q.iter().fold(0.0f64, |m, v| m.max(v.abs())).max(1e-300);
        let mut matrix = NewtonMatrix::new(&problem.m, &scale)
            .ok_or_else(|| LcpError::Unsuitable("M is too large for the memory".into()))?;
        let scaled = Scaled { problem, scale, q };
        let mut best = (f64::INFINITY, vec![0.0; n]);
        let mut total = 0;
        for start in FIRST_EPSILONS.into_iter().take(self.settings.starts) {
            total += self.follow(&scaled, &mut matrix, start * size * size, size, &mut best);
            if best.0 <= self.settings.tolerance {
                return Ok(LcpSolution {
                    z: best.1,
                    residual: best.0,
                    iterations: total,
                });
            }
            if limit::reached() {
                break;
            }
        }
        Err(LcpError::Limit {
            iterations: total,
            z: best.1,
            residual: best.0,
        })
    }

    /// One path from ε; offers points of the min-map to `best`. Returns its Newton steps.
    fn follow(
        &self,
        scaled: &Scaled,
        matrix: &mut NewtonMatrix,
        mut epsilon: f64,
        size: f64,
        best: &mut (f64, Vec<f64>),
    ) -> usize {
        let n = scaled.q.len();
        let mut point = PathPoint::start(scaled, epsilon);
        let mut shift = 1e-10;
        let mut failures = 0;
        for iteration in 0..self.settings.iterations {
            // On the path: the next ε, and at zero the end.
            if point.merit <= 0.1 * (epsilon * n as f64).sqrt() || point.merit <= 1e-15 * size {
                let done = epsilon == 0.0;
                self.offer(scaled, &point.z, best);
                if best.0 <= 1e-14 || done {
                    return iteration;
                }
                epsilon = if epsilon < 1e-24 * size * size {
                    0.0
                } else {
                    0.04 * epsilon
                };
                point.merit = scaled.map(&point.z, &point.w, epsilon, &mut point.f);
                continue;
            }
            if limit::reached() {
                break;
            }
            // A Newton step; where the matrix is singular or no length helps, again with a larger shift.
            let d = scaled.slopes(&point.z, &point.w, epsilon);
            let Some(step) = matrix.solve(&d, &point.f, shift) else {
                shift *= 100.0;
                failures += 1;
                if failures > 4 {
                    return iteration;
                }
                continue;
            };
            if point.search(scaled, &step, epsilon) {
                shift = (shift * 0.1).max(1e-12);
            } else {
                self.offer(scaled, &point.z, best);
                shift *= 1000.0;
                failures += 1;
                if failures > 6 || shift > 1.0 {
                    return iteration;
                }
            }
        }
        self.offer(scaled, &point.z, best);
        self.settings.iterations
    }

    /// Keeps z (back in the problem's scale, negative dust removed) if it is the best so far.
    fn offer(&self, scaled: &Scaled, z: &[f64], best: &mut (f64, Vec<f64>)) {
        let n_eq = scaled.problem.n_eq;
        let z: Vec<f64> = z
            .iter()
            .zip(&scaled.scale)
            .enumerate()
            .map(|(i, (z, s))| if i < n_eq { z * s } else { (z * s).max(0.0) })
            .collect();
        let r = scaled.problem.residual(&z);
        if r < best.0 {
            *best = (r, z);
        }
    }
}

/// Solves a mixed LCP by whatever works: a large one as the contact problem that it states, if it does, or by path
/// following; otherwise Lemke; path following from all starts; Lemke again, with all its patience.
///
/// # Errors
/// The ray of Lemke's method where it ends on one, or the best point found.
pub fn solve_auto(problem: &MixedLcp, tolerance: f64) -> Result<LcpSolution, LcpError> {
    let mut best = None;
    if problem.q.len() > RECOGNISED_FROM
        && let Some(contact) = LcpContact::recognise(problem)
    {
        match contact.solve(problem, tolerance) {
            Err(e) => better(&mut best, e),
            solved => return solved,
        }
    }
    let mut interior = LcpInterior {
        settings: LcpInteriorSettings {
            tolerance,
            starts: 1,
            ..LcpInteriorSettings::default()
        },
    };
    if problem.q.len() > PATHS_FIRST_FROM {
        match interior.solve(problem) {
            Err(e) => better(&mut best, e),
            solved => return solved,
        }
    }
    let mut lemke = Lemke::new(LemkeSettings {
        tolerance,
        ..LemkeSettings::default()
    });
    if !limit::reached() {
        match lemke.solve(problem) {
            // Where there is no solution, nothing else will find one.
            Err(
                e @ (LcpError::Ray {
                    infeasible: true, ..
                }
                | LcpError::Unsuitable(_)),
            ) => return Err(e),
            Err(e) => better(&mut best, e),
            solved => return solved,
        }
    }
    interior.settings.starts = FIRST_EPSILONS.len();
    if !limit::reached() {
        match interior.solve(problem) {
            Err(e) => better(&mut best, e),
            solved => return solved,
        }
    }
    if !limit::reached() {
        lemke.settings.attempts = LemkeSettings::ALL;
        match lemke.solve(problem) {
            Err(LcpError::Limit { .. }) if limit::reached() => {}
            last => return last,
        }
    }
    Err(best.unwrap_or_else(|| LcpError::Unsuitable("no time was given".into())))
}

/// Keeps the failure with the smaller residual.
fn better(best: &mut Option<LcpError>, e: LcpError) {
    let residual = |e: &LcpError| match e {
        LcpError::Ray { residual, .. } | LcpError::Limit { residual, .. } => *residual,
        LcpError::Unsuitable(_) => f64::INFINITY,
    };
    if best.as_ref().is_none_or(|b| residual(&e) < residual(b)) {
        *best = Some(e);
    }
}

/// A plain LCP as a mixed one without free variables.
#[must_use]
pub fn mixed(lcp: &Lcp) -> MixedLcp {
    MixedLcp {
        m: SparseMatrix::clone(&lcp.m),
        q: lcp.q.clone(),
        n_eq: 0,
    }
}
