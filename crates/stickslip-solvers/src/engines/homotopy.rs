//! Arclength continuation: the path of smoothed solutions followed round its folds.

use crate::coupling::{Coupled, Linearised, Refinement, System, SystemMemory};
use crate::engines::interior_point::{
    Finish, evaluate, finished_by, interior_start, speed_scale, take_better,
};
use crate::engines::newton::{Map, Newton, NewtonSettings};
use crate::limit;
use crate::problem::law::{contact_vector, tangent};
use crate::problem::smoothed::{SmoothedLaw, Smoothing, solved_pair};
use crate::problem::{ContactProblem, Law};
use crate::solver::{ContactSolver, Engine, Guarantee, Outcome, SolveError, Solved, solve_by};
use core::f64::consts::LN_10;
use glam::DVec3;

/// Where a path from the convex problem starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathStart {
    /// First ε/q².
    pub epsilon: f64,
    /// δ/√ε, the rounding of |u_t| at zero.
    pub rounding: f64,
    /// Begin with the relaxation and let go of it only where its answer is sharp (see [`Homotopy`]).
    pub relaxed: bool,
}

impl PathStart {
    /// The usual one.
    pub const FIRST: Self = Self::new(10.0, 0.03);

    const fn new(epsilon: f64, rounding: f64) -> Self {
        Self {
            epsilon,
            rounding,
            relaxed: false,
        }
    }

    /// The path that keeps the relaxation until it is sharp.
    pub const RELAXED: Self = Self {
        relaxed: true,
        ..Self::FIRST
    };

    /// Paths through different folds, the most hopeful first: where one turns back or is long, another may not.
    pub const ALL: [Self; 9] = [
        Self::FIRST,
        Self::new(1.0, 0.03),
        Self::new(10.0, 0.1),
        Self::new(1.0, 0.1),
        Self::new(3.0, 0.03),
        Self::new(10.0, 0.3),
        Self::new(0.3, 0.03),
        Self::new(100.0, 0.1),
        Self::RELAXED,
    ];

    /// The same on the quotient of a symmetric problem. There the slip term is all but whole while the smoothing is
    /// still large, and |u_t| is hardly rounded: of ten and twelve layers of balls, fewer folds than by any other
    /// start that was tried.
    pub const SYMMETRIC: [Self; 5] = [
        Self::new(100.0, 0.003),
        Self::new(30.0, 0.001),
        Self::new(1.0, 0.03),
        Self::FIRST,
        Self::RELAXED,
    ];
}

/// Settings of [`Homotopy`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HomotopySettings {
    /// Paths from the convex problem, tried in turn.
    pub starts: &'static [PathStart],
    /// Most predictor steps on each path.
    pub steps: usize,
    /// First and largest step in arclength.
    pub first_step: f64,
    /// Largest step in arclength.
    pub largest_step: f64,
    /// May the path meet branches, as symmetric problems have them? There the determinant changes its sign where the
    /// path goes straight on; elsewhere such a change means another path.
    pub branches: bool,
}

impl HomotopySettings {
    /// One path, for those who ask often.
    pub(crate) const ONE: Self = Self {
        starts: PathStart::ALL.split_at(1).0,
        steps: 300,
        first_step: 0.05,
        largest_step: 1e3,
        branches: true,
    };

    /// On the quotient of a symmetric problem.
    pub(crate) const SYMMETRIC: Self = Self {
        starts: &PathStart::SYMMETRIC,
        steps: 1500,
        branches: false,
        ..Self::ONE
    };

    /// The same for those who have other ways.
    pub(crate) const SYMMETRIC_SHORT: Self = Self {
        starts: PathStart::SYMMETRIC.split_at(2).0,
        steps: 300,
        ..Self::SYMMETRIC
    };
}

impl Default for HomotopySettings {
    fn default() -> Self {
        Self {
            starts: &PathStart::ALL,
            steps: 700,
            ..Self::ONE
        }
    }
}

/// Where a path begins: at the convex problem, or at impulses with ε/q².
#[derive(Clone, Copy)]
enum Origin<'a> {
    Convex(PathStart),
    Guess(&'a [DVec3], f64),
}

/// Predictor-corrector continuation in (p, θ) on the smoothed laws with
/// ε = ε₀ q² 10^−θ, 1 − λ = 10^−θ, a = q, δ = 0.03 √ε, q the root mean square of the free velocity. Where such a path
/// turns back to its start, or is long, another is tried ([`PathStart::ALL`]).
///
/// With `relaxed`, 1 − λ = 1/(1 + 10^(θ − 5)) and a = 1e-4 q: ε shrinks by five decades while the problem stays convex,
/// where nothing folds. A pile that rests, but for overlaps far smaller than q, is at rest by then, and μ|u_t|
/// changes it little: 112 steps where the other path was given up after 6000.
///
/// From a guess p₀ (`improve_from`) the path begins elsewhere: ε = ε₀ q² 10^−θ, λ = 1, and u + 10^−2θ s in place of u,
/// where s makes the guess, moved by O(√ε), solve the smoothed problem of θ = 0 exactly. That is how the last
/// step's problem becomes this one.
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

/// Cosine from which a step counts as straight, and steps from which on a turn is taken as it comes.
const STRAIGHT: f64 = 0.95;
const LEAST_TURN: f64 = 1e-6;

#[derive(Clone, Debug, Default)]
struct Path {
    u: Vec<DVec3>,
    laws: Vec<SmoothedLaw>,
    rows: Vec<Linearised>,
    by_f: Vec<DVec3>,
    by_theta: Vec<DVec3>,
    tangent: Vec<DVec3>,
    tangent_theta: f64,
    /// Sign of the determinant times that of the tangent's θ: kept along a path, round its folds too.
    orientation: Option<f64>,
    refinement: Refinement,
    scale: Vec<DVec3>,
    q: f64,
    course: Course,
}

/// θ₀ and a/q of a relaxed path.
const RELAXED_UNTIL: f64 = 5.0;
const RELAXED_OFFSET: f64 = 1e-4;

/// Where a path begins.
#[derive(Clone, Debug)]
enum Course {
    /// At the convex problem: ε = ε₀ q² 10^−θ, 1 − λ = 10^−θ, a = q; or 1 − λ = 1/(1 + 10^(θ − θ₀)), a = 1e-4 q.
    Convex(PathStart),
    /// At impulses: u + 10^−2θ s with s such that they solve the problem at θ = 0; ε = ε₀ q² 10^−θ.
    Guess { shift: Vec<DVec3>, epsilon: f64 },
}

impl Default for Course {
    fn default() -> Self {
        Self::Convex(PathStart::FIRST)
    }
}

impl Course {
    /// ε/q² at θ.
    fn relative(&self, theta: f64) -> f64 {
        let first = match self {
            Self::Convex(start) => start.epsilon,
            Self::Guess { epsilon, .. } => *epsilon,
        };
        first * libm::pow(10.0, -theta)
    }

    const fn is_convex(&self) -> bool {
        matches!(self, Self::Convex(_))
    }

    /// δ/√ε.
    const fn rounding(&self) -> f64 {
        match self {
            Self::Convex(start) => start.rounding,
            Self::Guess { .. } => 0.03,
        }
    }

    /// Parameters at θ.
    fn smoothing(&self, theta: f64, q: f64) -> Smoothing {
        let epsilon = q * q * self.relative(theta);
        let delta = self.rounding() * epsilon.sqrt();
        // 1 − λ, its rate over −ln 10, and a.
        let (convexity, rate, a) = match self {
            Self::Convex(start) if start.relaxed => {
                let past = libm::pow(10.0, theta - RELAXED_UNTIL);
                let convexity = 1.0 / (1.0 + past);
                (convexity, convexity * convexity * past, RELAXED_OFFSET * q)
            }
            Self::Convex(_) => {
                let convexity = libm::pow(10.0, -theta);
                (convexity, convexity, q)
            }
            Self::Guess { .. } => (0.0, 0.0, q),
        };
        Smoothing {
            epsilon,
            convexity,
            a,
            delta,
            rates: [-LN_10 * epsilon, -LN_10 * rate, -0.5 * LN_10 * delta],
        }
    }

    /// u += 10^−2θ s.
    fn add_shift(&self, theta: f64, u: &mut [DVec3]) {
        if let Self::Guess { shift, .. } = self {
            let size = libm::pow(10.0, -2.0 * theta);
            for (u, s) in u.iter_mut().zip(shift) {
                *u += *s * size;
            }
        }
    }

    /// ∂u_i/∂θ.
    fn shift_rate(&self, i: usize, theta: f64) -> DVec3 {
        match self {
            Self::Convex(_) => DVec3::ZERO,
            Self::Guess { shift, .. } => shift[i] * (-2.0 * LN_10 * libm::pow(10.0, -2.0 * theta)),
        }
    }
}

/// The velocity nearest to `u` (nearly) that obeys the law together with `p`, which is kept.
fn lawful_velocity(law: &Law, p: DVec3, u: DVec3) -> DVec3 {
    let row = |p: f64, u: f64, lo: f64, hi: f64| {
        if p <= lo {
            u.max(0.0)
        } else if p >= hi {
            u.min(0.0)
        } else {
            0.0
        }
    };
    let n = row(p.x, u.x, 0.0, f64::INFINITY);
    match law {
        Law::Cone { mu } if *mu > 0.0 && p.x > 0.0 => {
            let (t, size) = (tangent(p), tangent(p).length());
            if size < (1.0 - 1e-9) * mu * p.x || size == 0.0 {
                return DVec3::ZERO;
            }
            let d = t / size;
            contact_vector(0.0, d * d.dot(tangent(u)).min(0.0))
        }
        Law::Box { lo, hi } => DVec3::new(
            row(p.x, u.x, lo.x, hi.x),
            row(p.y, u.y, lo.y, hi.y),
            row(p.z, u.z, lo.z, hi.z),
        ),
        _ => contact_vector(n, tangent(u)),
    }
}

impl Path {
    /// ‖F‖/(q √n) at (p, θ), laws left in `self.laws`.
    fn residual<S: Coupled>(&mut self, system: &mut S, p: &[DVec3], theta: f64) -> Option<f64> {
        system.velocities(p, &mut self.u);
        self.course.add_shift(theta, &mut self.u);
        let s = self.course.smoothing(theta, self.q);
        let merit = evaluate(system, p, &self.u, &s, &mut self.laws)?;
        Some(merit / (self.q * (p.len() as f64).sqrt()))
    }

    /// Solves for δp by −F (into `by_f`) and by −F_θ (into `by_theta`) at the laws evaluated last, at θ.
    fn solve_both<S: Coupled>(&mut self, system: &mut S, theta: f64) -> bool {
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
        for (i, (row, law)) in self.rows.iter_mut().zip(&self.laws).enumerate() {
            row.g = -law.f_theta - law.b * self.course.shift_rate(i, theta);
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

    /// The orientation by the factors and the tangent at hand.
    fn orientation_now<S: Coupled>(&self, system: &S) -> Option<f64> {
        let sign = system.determinant_sign()?;
        Some(sign * self.tangent_theta.signum())
    }

    /// Follows the path from impulses, or from the convex problem; `finish` is offered points on it. Returns steps
    /// taken.
    fn follow<S: Coupled>(
        &mut self,
        system: &mut S,
        from: Origin,
        settings: &HomotopySettings,
        finish: &mut Finish<S>,
    ) -> usize {
        let n = system.len();
        self.q = speed_scale(system, &mut self.u);
        let mut p = Vec::new();
        self.course = match from {
            Origin::Convex(start) => {
                interior_start(system, start.epsilon * self.q * self.q, &mut p);
                Course::Convex(start)
            }
            Origin::Guess(guess, epsilon) => {
                let Some(course) = self.course_from(system, guess, epsilon, &mut p) else {
                    return 0;
                };
                course
            }
        };
        self.scale.clear();
        for i in 0..n {
            let mu = match system.law(i) {
                Law::Cone { mu } if *mu > 0.0 => *mu,
                _ => 1.0,
            };
            self.scale
                .push(DVec3::new(mu, 1.0, 1.0) * (system.w_bar(i) / self.q));
        }
        let mut theta = 0.0;
        if self.course.is_convex() && !self.solve_convex(system, &mut p) {
            return 0;
        }
        if self.residual(system, &p, theta).is_none() {
            return 0;
        }
        self.tangent.clear();
        if !self.solve_both(system, theta) {
            return 0;
        }
        self.turn();
        self.orientation = self.orientation_now(system);
        let mut step = settings.first_step;
        let mut next_try = (0.2 * self.course.relative(theta)).min(1e-3);
        let mut trial = Vec::new();
        for count in 1..=settings.steps {
            if limit::reached() {
                finish(system, &p);
                return count;
            }
            let (old_tangent, old_theta) = (self.tangent.clone(), self.tangent_theta);
            trial.clear();
            trial.extend(p.iter().zip(&self.tangent).map(|(&p, &t)| p + t * step));
            let mut trial_theta = theta + step * self.tangent_theta;
            let corrected = self.correct(system, &mut trial, &mut trial_theta);
            let cosine = match corrected {
                Some(_) if self.solve_both(system, trial_theta) => self.turn(),
                _ => -1.0,
            };
            // Another orientation is a way back, unless a branch was passed straight on.
            let orientation = self.orientation_now(system);
            let reversed = (cosine < STRAIGHT || !settings.branches)
                && step > LEAST_TURN
                && orientation != self.orientation;
            if cosine < 0.3 || trial_theta < -2.0 || reversed {
                (self.tangent, self.tangent_theta) = (old_tangent, old_theta);
                step *= 0.4;
                if step < 1e-9 {
                    return count;
                }
                continue;
            }
            self.orientation = orientation;
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
            let relative = self.course.relative(theta);
            if relative <= next_try {
                if finish(system, &p) {
                    return count;
                }
                next_try = relative / 5.0;
            }
            // The convex problem has one answer: whoever is there again has turned round.
            if relative < 1e-24 || self.course.is_convex() && theta < 0.0 {
                return count;
            }
        }
        settings.steps
    }

    /// The course that begins at impulses near `guess`, written to `p`: they solve its first problem exactly.
    fn course_from<S: Coupled>(
        &mut self,
        system: &mut S,
        guess: &[DVec3],
        epsilon: f64,
        p: &mut Vec<DVec3>,
    ) -> Option<Course> {
        let mut course = Course::Guess {
            shift: Vec::new(),
            epsilon,
        };
        let s = course.smoothing(0.0, self.q);
        system.velocities(guess, &mut self.u);
        let mut wanted = Vec::with_capacity(guess.len());
        for (i, (&p_i, &u)) in guess.iter().zip(&self.u).enumerate() {
            let law = system.law(i);
            let lawful = lawful_velocity(law, p_i, u);
            let pair = solved_pair(law, p_i, lawful, system.w_bar(i), &s)?;
            p.push(pair.0);
            wanted.push(pair.1);
        }
        system.velocities(p, &mut self.u);
        if let Course::Guess { shift, .. } = &mut course {
            shift.extend(wanted.iter().zip(&self.u).map(|(w, u)| *w - *u));
        }
        Some(course)
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
            if limit::reached() || !self.solve_both(system, 0.0) {
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
            let relative = self.course.relative(*theta);
            if f < (1e-3 * relative).min(1e-6) {
                return Some(iteration);
            }
            if f > 1e3 * last || !f.is_finite() || iteration == 8 {
                return None;
            }
            last = f;
            if !self.solve_both(system, *theta) {
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
    /// Solver with the given settings.
    #[must_use]
    pub fn new(settings: HomotopySettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// From scratch on any coupled system: of `p` only the length matters.
    pub(crate) fn improve_coupled<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        tolerance: f64,
    ) -> Outcome {
        let mut best = Outcome::NONE;
        for &start in self.settings.starts {
            let mut trial = p.clone();
            let outcome = self.along(system, Origin::Convex(start), &mut trial, tolerance);
            take_better(&mut best, p, outcome, trial);
            if best.residual <= tolerance || limit::reached() {
                break;
            }
        }
        best
    }

    /// From impulses that were right a step ago: the problem is changed so that they solve it, smoothed by
    /// `epsilon` (relative to q²), and changed back along the path.
    pub(crate) fn improve_from(
        &mut self,
        system: &mut System,
        epsilon: f64,
        p: &mut Vec<DVec3>,
        tolerance: f64,
    ) -> Outcome {
        let guess = p.clone();
        self.along(system, Origin::Guess(&guess, epsilon), p, tolerance)
    }

    fn along<S: Coupled>(
        &mut self,
        system: &mut S,
        from: Origin,
        p: &mut Vec<DVec3>,
        tolerance: f64,
    ) -> Outcome {
        let mut best = Outcome::NONE;
        let mut finish = finished_by(&mut self.newton, &mut best, p, tolerance);
        let n = self.path.follow(system, from, &self.settings, &mut finish);
        drop(finish);
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
