//! The staggered scheme: normal problem with friction held, friction problem with normals held.

use crate::engines::newton::Newton;
use crate::engines::nsgs::Nsgs;
use crate::limit;
use crate::problem::Posed;
use crate::problem::law::{contact_vector, tangent};
use crate::problem::local::LocalProblem;
use crate::problem::residual;
use crate::problem::{ContactProblem, Law};
use crate::solver::{ContactSolver, Engine, Guarantee, Outcome, SolveError, Solved};
use glam::{DMat2, DVec2, DVec3};

/// Settings of [`Staggered`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaggeredSettings {
    /// Most exchanges between the two problems.
    pub exchanges: usize,
    /// Most sweeps of each friction problem, and of a normal problem that Newton does not solve.
    pub sweeps: usize,
}

impl Default for StaggeredSettings {
    fn default() -> Self {
        Self {
            exchanges: 500,
            sweeps: 200,
        }
    }
}

/// Staggered quadratic programs: (1) 0 ≤ p_n ⟂ u_n ≥ 0 with p_t fixed; (2) min ½ p_tᵀ W_tt p_t + … over the
/// discs |p_t,i| ≤ μ p_n,i with p_n fixed; repeated until neither moves.
///
/// Each half is convex and solved well; their alternation need not converge (it is a fixed-point
/// iteration with no contraction for large μ), and a fixed point satisfies Coulomb's law exactly. The
/// answer is judged by the law, so a run that does not settle is reported as such. Reference: section
/// 5 of the dvc3d document; Kaufman and others 2008.
#[derive(Clone, Debug, Default)]
pub struct Staggered {
    /// Settings.
    pub settings: StaggeredSettings,
    newton: Newton,
    sweeps: Nsgs,
    local: LocalProblem,
}

impl Staggered {
    /// Improves `p` on a local problem of cones and unilateral contacts until the residual (m/s) is
    /// at most `tolerance`.
    pub fn solve_local(
        &mut self,
        problem: &LocalProblem,
        p: &mut Vec<DVec3>,
        tolerance: f64,
    ) -> Outcome {
        self.solve_watched(problem, p, tolerance, &mut |_| {})
    }

    /// As [`Self::solve_local`]; `go_on` is told the residual (m/s) after each exchange and may end it.
    pub fn solve_watched(
        &mut self,
        problem: &LocalProblem,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        watch: &mut dyn FnMut(f64),
    ) -> Outcome {
        let n = problem.len();
        let mut normal = problem.clone();
        let mut best = (residual::of_local(problem, p).0, p.clone());
        let mut stuck = 0;
        for exchange in 1..=self.settings.exchanges {
            // Normal problem: rows t₁, t₂ held at their impulses.
            for i in 0..n {
                normal.laws[i] = Law::Box {
                    lo: DVec3::new(0.0, p[i].y, p[i].z),
                    hi: DVec3::new(f64::INFINITY, p[i].y, p[i].z),
                };
            }
            let within = 0.01 * tolerance;
            let posed = Posed::Local(&normal);
            if self.newton.improve_on(posed, p, within).residual > within {
                // Gauss-Seidel gets somewhere from everywhere, for the problem is convex.
                self.sweeps.settings.sweeps = self.settings.sweeps;
                self.sweeps.improve_on(posed, p, within);
                self.newton.improve_on(posed, p, within);
            }
            for p_i in p.iter_mut() {
                p_i.x = p_i.x.max(0.0);
            }
            self.friction(problem, p, 0.01 * tolerance);
            let r = residual::of_local(problem, p).0;
            stuck = if r < 0.99 * best.0 { 0 } else { stuck + 1 };
            if r < best.0 {
                best = (r, p.clone());
            }
            watch(r);
            let over = stuck > 50 || limit::reached();
            if over || best.0 <= tolerance || !r.is_finite() {
                p.clone_from(&best.1);
                return Outcome {
                    residual: best.0,
                    iterations: exchange,
                };
            }
        }
        p.clone_from(&best.1);
        Outcome {
            residual: best.0,
            iterations: self.settings.exchanges,
        }
    }

    /// Gauss-Seidel on the discs, each solved exactly.
    fn friction(&self, problem: &LocalProblem, p: &mut [DVec3], tolerance: f64) {
        for _ in 0..self.settings.sweeps {
            if limit::reached() {
                return;
            }
            let mut change = 0.0f64;
            for i in 0..p.len() {
                let radius = problem.laws[i].friction() * p[i].x;
                let w = problem.delassus.diagonal(i);
                let block = DMat2::from_cols(tangent(w.y_axis), tangent(w.z_axis));
                let u = tangent(problem.velocity(i, p));
                let rest = u - block * tangent(p[i]);
                let next = disc(&block, rest, radius);
                change = change.max((next - tangent(p[i])).length() * problem.delassus.w_bar(i));
                p[i] = contact_vector(p[i].x, next);
            }
            if change <= tolerance {
                return;
            }
        }
    }
}

/// p_t with |p_t| ≤ r that minimises ½ pᵀ B p + s·p: −B⁻¹s if inside, else −(B + λI)⁻¹s with |p| = r.
fn disc(block: &DMat2, s: DVec2, r: f64) -> DVec2 {
    if r <= 0.0 {
        return DVec2::ZERO;
    }
    let at = |lambda: f64| -> DVec2 {
        let m = *block + DMat2::IDENTITY * lambda;
        -(m.inverse() * s)
    };
    let free = at(0.0);
    if free.is_finite() && free.length() <= r {
        return free;
    }
    // |p(λ)| falls; 1/|p| is nearly linear and bends so that Newton, from the left, does not pass the root.
    let mut lambda = if free.is_finite() {
        0.0
    } else {
        1e-12 * (block.x_axis.x + block.y_axis.y)
    };
    let mut p = at(lambda);
    for _ in 0..60 {
        let length = p.length();
        let slope = -p.dot((*block + DMat2::IDENTITY * lambda).inverse() * p) / length;
        let next = lambda - (length / slope) * (length - r) / r;
        if next <= lambda || next.is_nan() {
            break;
        }
        lambda = next;
        p = at(lambda);
    }
    let length = p.length();
    if length > 0.0 && length.is_finite() {
        p * (r / length)
    } else {
        DVec2::ZERO
    }
}

/// Refuses laws that are neither quadratic cones nor unilateral.
///
/// # Errors
/// [`SolveError::Unsuitable`] with the first contact that has another law.
pub fn refuse(laws: &[Law]) -> Result<(), SolveError> {
    let unsuited = |law: &Law| !matches!(law, Law::Cone { .. } | Law::Unilateral);
    match laws.iter().position(unsuited) {
        Some(i) => Err(SolveError::Unsuitable {
            solver: "staggered",
            reason: format!("contact {i} is neither a quadratic cone nor unilateral"),
        }),
        None => Ok(()),
    }
}

impl ContactSolver for Staggered {
    fn name(&self) -> &'static str {
        "staggered"
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee {
            claim: "a fixed point of the exchange satisfies the law; that it is reached is not proved",
            hypotheses: "quadratic cones and unilateral contacts",
        }
    }

    fn solve(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        let solver = self.name();
        let mut p = crate::solver::starting_impulses(solver, problem, guess)?;
        let mut local = std::mem::take(&mut self.local);
        local.assemble(problem);
        refuse(&local.laws)?;
        let outcome = self.solve_local(&local, &mut p, tolerance);
        self.local = local;
        crate::solver::finish(solver, problem, p, outcome.iterations, tolerance)
    }
}
