//! Predictor and corrector along a path of smoothed solutions.

use crate::coupling::{Coupled, Linearised, Refinement};
use crate::engines::homotopy::course::Course;
use crate::engines::homotopy::{HomotopySettings, PathStart};
use crate::engines::interior_point::{Finish, evaluate, interior_start, rows_of, speed_scale};
use crate::limit;
use crate::problem::Law;
use crate::problem::smoothed::SmoothedLaw;
use crate::solver::Effort;
use glam::DVec3;

/// Cosine from which a step counts as straight, and steps from which on a turn is taken as it comes.
const STRAIGHT: f64 = 0.95;
const LEAST_TURN: f64 = 1e-6;
/// A step that turns further than this cosine is taken again, shortened; one below `BENT` shortens the next.
const TURNED: f64 = 0.3;
const BENT: f64 = 0.8;
/// θ below which a path has gone too far back.
const LEAST_THETA: f64 = -2.0;
/// Factors on the step after a refused one, a bent one, an easy one (up to two corrections) and a hard one (from five).
const REFUSED_FACTOR: f64 = 0.4;
const BENT_FACTOR: f64 = 0.7;
const EASY_FACTOR: f64 = 1.7;
const HARD_FACTOR: f64 = 0.6;
/// Steps shorter than this lead nowhere.
const LEAST_STEP: f64 = 1e-9;
/// ε/q² below which Newton is first offered the point, and the part of it at each further offer.
const FIRST_OFFER: f64 = 1e-3;
const NEXT_OFFER: f64 = 0.2;
/// ε/q² at which a path is at its end.
const END: f64 = 1e-24;
/// Most corrections of a predicted point, and the largest change of θ in one.
const CORRECTIONS: usize = 8;
const LARGEST_CORRECTION: f64 = 2.0;
/// Newton steps on the convex problem, and the residuals (of q) at which it is solved, and solved well enough.
const CONVEX_STEPS: usize = 60;
const CONVEX_SOLVED: f64 = 1e-8;
const CONVEX_ENOUGH: f64 = 1e-6;
/// Most steps of GMRES on each linear system.
const REFINEMENTS: usize = 8;

/// Where a path begins: at the convex problem, or at impulses with ε/q².
#[derive(Clone, Copy)]
pub(super) enum Origin<'a> {
    Convex(PathStart),
    Guess(&'a [DVec3], f64),
}

/// A path, with its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    u: Vec<DVec3>,
    laws: Vec<SmoothedLaw>,
    rows: Vec<Linearised>,
    by_f: Vec<DVec3>,
    by_theta: Vec<DVec3>,
    tangent: Tangent,
    /// Sign of the determinant times that of the tangent's θ: kept along a path, round its folds too.
    orientation: Option<f64>,
    refinement: Refinement,
    scale: Vec<DVec3>,
    q: f64,
    course: Course,
    factorisations: usize,
}

/// The unit tangent of a path in (p, θ); empty before the first.
#[derive(Clone, Debug, Default)]
struct Tangent {
    p: Vec<DVec3>,
    theta: f64,
}

/// A point on a path.
#[derive(Clone, Debug, Default)]
struct Point {
    p: Vec<DVec3>,
    theta: f64,
}

/// What a step along the path came to.
struct Taken {
    /// Of the angle between the tangents before and after; −1 where there is none.
    cosine: f64,
    corrections: usize,
}

impl Path {
    /// Follows the path from impulses, or from the convex problem; `finish` is offered points on it.
    pub(super) fn follow<S: Coupled>(
        &mut self,
        system: &mut S,
        from: Origin,
        settings: &HomotopySettings,
        finish: &mut Finish<S>,
    ) -> Effort {
        self.factorisations = 0;
        let steps = match self.begin(system, from) {
            Some(mut at) => self.walk(system, &mut at, settings, finish),
            None => 0,
        };
        Effort {
            iterations: steps,
            factorisations: self.factorisations,
        }
    }

    /// The first point, with its tangent; None where there is none.
    fn begin<S: Coupled>(&mut self, system: &mut S, from: Origin) -> Option<Point> {
        self.q = speed_scale(system, &mut self.u);
        let mut at = Point::default();
        self.course = match from {
            Origin::Convex(start) => {
                interior_start(system, start.epsilon * self.q * self.q, &mut at.p);
                Course::Convex(start)
            }
            Origin::Guess(guess, epsilon) => {
                let u = &mut self.u;
                Course::from_guess(system, guess, epsilon, self.q, &mut at.p, u)?
            }
        };
        self.set_scale(system);
        if self.course.is_convex() && !self.solve_convex(system, &mut at.p) {
            return None;
        }
        self.residual(system, &at)?;
        self.tangent.p.clear();
        if !self.solve_both(system, at.theta) {
            return None;
        }
        self.turn();
        self.orientation = self.orientation_now(system);
        Some(at)
    }

    /// x̃/q = scale·p.
    fn set_scale<S: Coupled>(&mut self, system: &S) {
        self.scale.clear();
        for i in 0..system.len() {
            let mu = match system.law(i) {
                Law::Cone { mu } if *mu > 0.0 => *mu,
                _ => 1.0,
            };
            self.scale
                .push(DVec3::new(mu, 1.0, 1.0) * (system.w_bar(i) / self.q));
        }
    }

    /// Goes along the path from its first point; the number of steps.
    fn walk<S: Coupled>(
        &mut self,
        system: &mut S,
        at: &mut Point,
        settings: &HomotopySettings,
        finish: &mut Finish<S>,
    ) -> usize {
        let mut step = settings.first_step;
        let mut next_offer = (NEXT_OFFER * self.course.relative(at.theta)).min(FIRST_OFFER);
        let mut trial = Point::default();
        for count in 1..=settings.steps {
            if limit::reached() {
                finish(system, &at.p);
                return count;
            }
            let before = self.tangent.clone();
            let taken = self.predict_and_correct(system, at, step, &mut trial);
            // Another orientation is a way back, unless a branch was passed straight on.
            let orientation = self.orientation_now(system);
            let reversed = (taken.cosine < STRAIGHT || !settings.branches)
                && step > LEAST_TURN
                && orientation != self.orientation;
            if taken.cosine < TURNED || trial.theta < LEAST_THETA || reversed {
                self.tangent = before;
                step *= REFUSED_FACTOR;
                if step < LEAST_STEP {
                    return count;
                }
                continue;
            }
            self.orientation = orientation;
            std::mem::swap(at, &mut trial);
            step = next_step(step, &taken, settings);
            // Below each offer's ε Newton is shown the point.
            let relative = self.course.relative(at.theta);
            if relative <= next_offer {
                if finish(system, &at.p) {
                    return count;
                }
                next_offer = relative / 5.0;
            }
            // The convex problem has one answer: whoever is there again has turned round.
            if relative < END || self.course.is_convex() && at.theta < 0.0 {
                return count;
            }
        }
        settings.steps
    }

    /// The point at arclength `step` along the tangent, brought back to the path; its tangent is taken.
    fn predict_and_correct<S: Coupled>(
        &mut self,
        system: &mut S,
        at: &Point,
        step: f64,
        trial: &mut Point,
    ) -> Taken {
        trial.p.clear();
        let both = at.p.iter().zip(&self.tangent.p);
        trial.p.extend(both.map(|(&p, &t)| p + t * step));
        trial.theta = at.theta + step * self.tangent.theta;
        let corrected = self.correct(system, trial);
        let cosine = match corrected {
            Some(_) if self.solve_both(system, trial.theta) => self.turn(),
            _ => -1.0,
        };
        Taken {
            cosine,
            corrections: corrected.unwrap_or(CORRECTIONS),
        }
    }

    /// ‖F‖/(q √n) at a point, laws left in `self.laws`.
    fn residual<S: Coupled>(&mut self, system: &mut S, at: &Point) -> Option<f64> {
        system.velocities(&at.p, &mut self.u);
        self.course.add_shift(at.theta, &mut self.u);
        let s = self.course.smoothing(at.theta, self.q);
        let merit = evaluate(system, &at.p, &self.u, &s, &mut self.laws)?;
        Some(merit / (self.q * (at.p.len() as f64).sqrt()))
    }

    /// Solves for δp by −F (into `by_f`) and by −F_θ (into `by_theta`) at the laws evaluated last, at θ.
    fn solve_both<S: Coupled>(&mut self, system: &mut S, theta: f64) -> bool {
        rows_of(&self.laws, &mut self.rows);
        self.factorisations += 1;
        if !system.factor(&self.rows) {
            return false;
        }
        let (rows, memory) = (&mut self.rows, &mut self.refinement);
        system.refined_solve(rows, REFINEMENTS, &mut self.by_f, memory);
        for (i, (row, law)) in rows.iter_mut().zip(&self.laws).enumerate() {
            row.g = -law.f_theta - law.b * self.course.shift_rate(i, theta);
        }
        system.refined_solve(rows, REFINEMENTS, &mut self.by_theta, memory);
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
        let mut cosine = if self.tangent.p.is_empty() {
            1.0
        } else {
            self.dot(&self.tangent.p, &self.by_theta) / length + self.tangent.theta * theta
        };
        let sign = if cosine < 0.0 { -1.0 } else { 1.0 };
        cosine *= sign;
        let by_theta = self.by_theta.iter();
        self.tangent.p.clear();
        self.tangent
            .p
            .extend(by_theta.map(|v| *v * (sign / length)));
        self.tangent.theta = sign * theta;
        cosine
    }

    /// The orientation by the factors and the tangent at hand.
    fn orientation_now<S: Coupled>(&self, system: &S) -> Option<f64> {
        let sign = system.determinant_sign()?;
        Some(sign * self.tangent.theta.signum())
    }

    /// Damped Newton at θ = 0, where the problem is convex.
    fn solve_convex<S: Coupled>(&mut self, system: &mut S, p: &mut Vec<DVec3>) -> bool {
        let mut trial = Point {
            p: p.clone(),
            theta: 0.0,
        };
        let Some(mut merit) = self.residual(system, &trial) else {
            return false;
        };
        for _ in 0..CONVEX_STEPS {
            if merit <= CONVEX_SOLVED {
                return true;
            }
            if limit::reached() || !self.solve_both(system, 0.0) {
                return false;
            }
            // Halved until the merit falls.
            let mut t = 1.0;
            loop {
                trial.p.clear();
                let both = p.iter().zip(&self.by_f);
                trial.p.extend(both.map(|(&p, &d)| p + d * t));
                let Some(m) = self.residual(system, &trial) else {
                    return false;
                };
                if m <= (1.0 - 0.1 * t) * merit {
                    p.clone_from(&trial.p);
                    merit = m;
                    break;
                }
                t *= 0.5;
                if t < 1e-6 {
                    return merit <= CONVEX_ENOUGH;
                }
            }
        }
        merit <= CONVEX_ENOUGH
    }

    /// Newton orthogonal to the tangent; Some(corrections) when on the path, laws evaluated there.
    fn correct<S: Coupled>(&mut self, system: &mut S, at: &mut Point) -> Option<usize> {
        let mut last = f64::INFINITY;
        for correction in 0..=CORRECTIONS {
            let f = self.residual(system, at)?;
            let relative = self.course.relative(at.theta);
            if f < (1e-3 * relative).min(1e-6) {
                return Some(correction);
            }
            if f > 1e3 * last || !f.is_finite() || correction == CORRECTIONS {
                return None;
            }
            last = f;
            if !self.solve_both(system, at.theta) {
                return None;
            }
            // t·(δp, δθ) = 0 with δp = by_f + δθ by_theta.
            let along_f = self.dot(&self.tangent.p, &self.by_f);
            let along_theta = self.dot(&self.tangent.p, &self.by_theta) + self.tangent.theta;
            if along_theta == 0.0 {
                return None;
            }
            let d_theta = -along_f / along_theta;
            if d_theta.abs() > LARGEST_CORRECTION {
                return None;
            }
            for ((p, f), t) in at.p.iter_mut().zip(&self.by_f).zip(&self.by_theta) {
                *p += *f + *t * d_theta;
            }
            at.theta += d_theta;
        }
        None
    }
}

/// The length of the next step after one that was taken.
fn next_step(step: f64, taken: &Taken, settings: &HomotopySettings) -> f64 {
    if taken.cosine < BENT {
        BENT_FACTOR * step
    } else if taken.corrections <= 2 {
        (EASY_FACTOR * step).min(settings.largest_step)
    } else if taken.corrections >= 5 {
        HARD_FACTOR * step
    } else {
        step
    }
}
