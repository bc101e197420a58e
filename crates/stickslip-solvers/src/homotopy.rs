//! Arclength continuation: the path of smoothed solutions followed round its folds.

use crate::interior_point::{Finish, evaluate, interior_start, speed_scale, take_better};
use crate::newton::{Map, Newton, NewtonSettings};
use crate::problem::{ContactProblem, Law};
use crate::smoothing::{SmoothedLaw, Smoothing};
use crate::solver::{ContactSolver, Engine, Guarantee, Outcome, SolveError, Solved, solve_by};
use crate::system::{Coupled, Linearised, Refinement, System, SystemMemory};
use glam::DVec3;

/// Settings of [`Homotopy`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HomotopySettings {
    /// Most predictor steps.
    pub steps: usize,
    /// First and largest step in arclength.
    pub first_step: f64,
    /// Largest step in arclength.
    pub largest_step: f64,
}

impl Default for HomotopySettings {
    fn default() -> Self {
        Self {
            steps: 300,
            first_step: 0.05,
            largest_step: 1e3,
        }
    }
}

/// Predictor-corrector continuation in (p, θ) on the smoothed laws with
/// ε = 10 q² 10^−θ, 1 − λ = 10^−θ, a = q, δ = 0.03 √ε, q the root mean square of the free velocity.
///
/// At θ = 0 the problem is convex and damped Newton finds its solution; θ may fall as well as rise on
/// the way, so folds that stop an interior-point method are passed. Below ε/q² = 1e-3, and at each
/// further factor 5, semismooth Newton is offered the point.
#[derive(Clone, Debug)]
pub struct Homotopy {
    /// Settings.
    pub settings: HomotopySettings,
    /// The method that finishes.
    pub newton: Newton,
    memory: SystemMemory,
    path: Path,
}

#[derive(Clone, Debug, Default)]
struct Path {
    u: Vec<DVec3>,
    laws: Vec<SmoothedLaw>,
    rows: Vec<Linearised>,
    by_f: Vec<DVec3>,
    by_theta: Vec<DVec3>,
    tangent: Vec<DVec3>,
    tangent_theta: f64,
    refinement: Refinement,
    scale: Vec<DVec3>,
    q: f64,
}

/// Parameters at θ.
fn smoothing(theta: f64, q: f64) -> Smoothing {
    let s = libm::pow(10.0, -theta);
    let ln10 = core::f64::consts::LN_10;
    let epsilon = 10.0 * q * q * s;
    let delta = 0.03 * epsilon.sqrt();
    Smoothing {
        epsilon,
        convexity: s,
        a: q,
        delta,
        rates: [-ln10 * epsilon, -ln10 * s, -0.5 * ln10 * delta],
    }
}

impl Path {
    /// ‖F‖/(q √n) at (p, θ), laws left in `self.laws`.
    fn residual<S: Coupled>(&mut self, system: &mut S, p: &[DVec3], theta: f64) -> Option<f64> {
        system.velocities(p, &mut self.u);
        let s = smoothing(theta, self.q);
        let merit = evaluate(system, p, &self.u, &s, &mut self.laws)?;
        Some(merit / (self.q * (p.len() as f64).sqrt()))
    }

    /// Solves for δp by −F (into `by_f`) and by −F_θ (into `by_theta`) at the laws evaluated last.
    fn solve_both<S: Coupled>(&mut self, system: &mut S) -> bool {
        self.rows.clear();
        self.rows.extend(self.laws.iter().map(|l| Linearised {
            a: l.a,
            a_inverse: l.a_inverse,
            b: l.b,
            g: -l.f,
        }));
        if !system.factor(&self.rows) {
            return false;
        }
        system.refined_solve(&mut self.rows, 8, &mut self.by_f, &mut self.refinement);
        for (row, law) in self.rows.iter_mut().zip(&self.laws) {
            row.g = -law.f_theta;
        }
        system.refined_solve(&mut self.rows, 8, &mut self.by_theta, &mut self.refinement);
        self.by_f
            .iter()
            .chain(&self.by_theta)
            .all(|v| v.is_finite())
    }

    /// Inner product of impulses in the scaled variables x̃/(q √n).
    fn dot(&self, a: &[DVec3], b: &[DVec3]) -> f64 {
        let sum: f64 = a
            .iter()
            .zip(b)
            .zip(&self.scale)
            .map(|((a, b), s)| (*a * *s).dot(*b * *s))
            .sum();
        sum / a.len() as f64
    }

    /// Unit tangent from `by_theta`, pointing as the last one (or to larger θ at first). Returns the
    /// cosine between the two.
    fn turn(&mut self) -> f64 {
        let length = (self.dot(&self.by_theta, &self.by_theta) + 1.0).sqrt();
        let theta = 1.0 / length;
        let mut cosine = if self.tangent.is_empty() {
            1.0
        } else {
            self.dot(&self.tangent, &self.by_theta) / length + self.tangent_theta * theta
        };
        let sign = if cosine < 0.0 { -1.0 } else { 1.0 };
        cosine *= sign;
        self.tangent.clear();
        self.tangent
            .extend(self.by_theta.iter().map(|v| *v * (sign / length)));
        self.tangent_theta = sign * theta;
        cosine
    }

    /// Follows the path; `finish` is offered points on it. Returns steps taken.
    fn follow<S: Coupled>(
        &mut self,
        system: &mut S,
        settings: &HomotopySettings,
        finish: &mut Finish<S>,
    ) -> usize {
        let n = system.len();
        self.q = speed_scale(system, &mut self.u);
        self.scale.clear();
        for i in 0..n {
            let mu = match system.law(i) {
                Law::Cone { mu } if *mu > 0.0 => *mu,
                _ => 1.0,
            };
            self.scale
                .push(DVec3::new(mu, 1.0, 1.0) * (system.w_bar(i) / self.q));
        }
        let mut p = Vec::new();
        let mut theta = 0.0;
        interior_start(system, smoothing(theta, self.q).epsilon, &mut p);
        if !self.solve_convex(system, &mut p) {
            return 0;
        }
        self.tangent.clear();
        if !self.solve_both(system) {
            return 0;
        }
        self.turn();
        let mut step = settings.first_step;
        let mut next_try = 1e-3;
        let mut trial = Vec::new();
        for count in 1..=settings.steps {
            let (old_tangent, old_theta) = (self.tangent.clone(), self.tangent_theta);
            trial.clear();
            trial.extend(p.iter().zip(&self.tangent).map(|(&p, &t)| p + t * step));
            let mut trial_theta = theta + step * self.tangent_theta;
            let corrected = self.correct(system, &mut trial, &mut trial_theta);
            let cosine = match corrected {
                Some(_) if self.solve_both(system) => self.turn(),
                _ => -1.0,
            };
            if cosine < 0.3 || trial_theta < -2.0 {
                (self.tangent, self.tangent_theta) = (old_tangent, old_theta);
                step *= 0.4;
                if step < 1e-9 {
                    return count;
                }
                continue;
            }
            std::mem::swap(&mut p, &mut trial);
            theta = trial_theta;
            let iterations = corrected.unwrap_or(8);
            if cosine < 0.8 {
                step *= 0.7;
            } else if iterations <= 2 {
                step = (1.7 * step).min(settings.largest_step);
            } else if iterations >= 5 {
                step *= 0.6;
            }
            let relative = 10.0 * libm::pow(10.0, -theta);
            if relative <= next_try {
                if finish(system, &p) {
                    return count;
                }
                next_try = relative / 5.0;
            }
            if relative < 1e-24 {
                return count;
            }
        }
        settings.steps
    }

    /// Damped Newton at θ = 0, where the problem is convex.
    fn solve_convex<S: Coupled>(&mut self, system: &mut S, p: &mut Vec<DVec3>) -> bool {
        let Some(mut merit) = self.residual(system, p, 0.0) else {
            return false;
        };
        for _ in 0..60 {
            if merit <= 1e-8 {
                return true;
            }
            if !self.solve_both(system) {
                return false;
            }
            let step = self.by_f.clone();
            let mut t = 1.0;
            loop {
                let trial: Vec<DVec3> = p.iter().zip(&step).map(|(&p, &d)| p + d * t).collect();
                let Some(m) = self.residual(system, &trial, 0.0) else {
                    return false;
                };
                if m <= (1.0 - 0.1 * t) * merit {
                    *p = trial;
                    merit = m;
                    break;
                }
                t *= 0.5;
                if t < 1e-6 {
                    return merit <= 1e-6;
                }
            }
        }
        merit <= 1e-6
    }

    /// Newton orthogonal to the tangent; Some(iterations) when on the path, laws evaluated there.
    fn correct<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut [DVec3],
        theta: &mut f64,
    ) -> Option<usize> {
        let mut last = f64::INFINITY;
        for iteration in 0..=8 {
            let f = self.residual(system, p, *theta)?;
            let relative = 10.0 * libm::pow(10.0, -*theta);
            if f < (1e-3 * relative).min(1e-6) {
                return Some(iteration);
            }
            if f > 1e3 * last || !f.is_finite() || iteration == 8 {
                return None;
            }
            last = f;
            if !self.solve_both(system) {
                return None;
            }
            // t·(δp, δθ) = 0 with δp = by_f + δθ by_theta.
            let along_f = self.dot(&self.tangent, &self.by_f);
            let along_theta = self.dot(&self.tangent, &self.by_theta) + self.tangent_theta;
            if along_theta == 0.0 {
                return None;
            }
            let d_theta = -along_f / along_theta;
            if d_theta.abs() > 2.0 {
                return None;
            }
            for ((p, f), t) in p.iter_mut().zip(&self.by_f).zip(&self.by_theta) {
                *p += *f + *t * d_theta;
            }
            *theta += d_theta;
        }
        None
    }
}

impl Default for Homotopy {
    fn default() -> Self {
        Self {
            settings: HomotopySettings::default(),
            newton: Newton::new(NewtonSettings {
                map: Map::AlartCurnier,
                ..NewtonSettings::default()
            }),
            memory: SystemMemory::default(),
            path: Path::default(),
        }
    }
}

impl Homotopy {
    /// From scratch on any coupled system: of `p` only the length matters.
    pub(crate) fn improve_coupled<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        tolerance: f64,
    ) -> Outcome {
        let mut best = Outcome::NONE;
        let newton = &mut self.newton;
        let mut finish = |system: &mut S, trial: &[DVec3]| {
            let mut trial = trial.to_vec();
            let outcome = newton.improve_coupled(system, &mut trial, tolerance);
            take_better(&mut best, p, outcome, trial);
            best.residual <= tolerance
        };
        let n = self.path.follow(system, &self.settings, &mut finish);
        best.iterations += n;
        best
    }
}

impl Engine for Homotopy {
    fn improve(&mut self, system: &mut System, p: &mut Vec<DVec3>, tolerance: f64) -> Outcome {
        self.improve_coupled(system, p, tolerance)
    }

    fn memory(&mut self) -> &mut SystemMemory {
        &mut self.memory
    }
}

impl ContactSolver for Homotopy {
    fn name(&self) -> &'static str {
        "homotopy"
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee {
            claim: "the path from the convex problem leads to a solution",
            hypotheses: "the path is regular and bounded (no proof with friction in general)",
        }
    }

    fn solve(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        crate::solver::refuse_pyramids(self.name(), problem)?;
        solve_by(self.name(), self, problem, guess, tolerance)
    }
}
