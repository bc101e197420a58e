//! Interior point on the exact cone: Newton along the smoothed laws as the smoothing shrinks.

use crate::coupling::{CONTACTS, Coupled, Linearised, Refinement, System};
use crate::engines::compliant::{CENTRES, Compliant};
use crate::engines::newton::{Newton, NewtonSettings};
use crate::limit;
use crate::problem::Law;
use crate::problem::law::Map;
use crate::problem::smoothed::{SmoothedLaw, Smoothing, is_smoothed, smoothed};
use crate::solver::{Effort, Engine, Guarantee, Laws, Outcome};
use glam::DVec3;

/// Settings of [`InteriorPoint`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InteriorPointSettings {
    /// Most Newton steps for each start.
    pub iterations: usize,
    /// First values of ε/q², tried in turn.
    pub starts: &'static [f64],
    /// Factor on ε when a smoothed problem is solved at once; its root when it was hard.
    pub shrink: f64,
    /// The Newton that finishes.
    pub newton: NewtonSettings,
    /// Is it finished by proximal steps instead of by Newton? (Redundant contacts: of 419 hard steps proximal steps end 305 from
    /// scratch, Newton 217.)
    pub centres: bool,
}

impl InteriorPointSettings {
    /// The interior point by itself. The numbers were chosen without measurement.
    pub const ALONE: Self = Self {
        iterations: 120,
        starts: &[10.0, 1.0, 0.1],
        shrink: 0.05,
        newton: NewtonSettings::FINISH,
        centres: false,
    };
}

impl Default for InteriorPointSettings {
    fn default() -> Self {
        Self::ALONE
    }
}

/// ε/q² below which Newton is first offered the point, and the factor by which ε has then fallen at each further offer.
const FIRST_OFFER: f64 = 1e-3;
const NEXT_OFFER: f64 = 0.05;
/// ε/q² at which the path is at its end.
const END: f64 = 1e-26;
/// δ/√ε, the rounding of |u_t| at zero.
const ROUNDING: f64 = 0.03;
/// A smoothed problem is solved where its merit is this part of √(ε n), and was easy if that took so many steps.
const SOLVED: f64 = 0.1;
const EASY_STEPS: usize = 2;
/// Halvings of a step, and the part of the merit that a whole one must take off.
const HALVINGS: usize = 12;
const DESCENT: f64 = 0.1;
/// Most steps of GMRES on each linear system.
const REFINEMENTS: usize = 8;
/// First ε/q² on the path of the convex relaxation.
const RELAXED_START: f64 = 10.0;

/// Path following on the smoothed exact law; the Newton matrix holds the derivative of μ|u_t| and is
/// unsymmetric. Below ε/q² = 1e-3 semismooth Newton is tried, and again at each further factor 20. It keeps memory only.
///
/// The smoothing only shrinks, so a fold of the path stops it: `homotopy` goes round folds.
#[derive(Clone, Debug, Default)]
pub struct InteriorPoint {
    newton: Newton,
    compliant: Compliant,
    path: Path,
}

/// Memory of a path.
#[derive(Clone, Debug, Default)]
struct Path {
    p: Vec<DVec3>,
    u: Vec<DVec3>,
    dp: Vec<DVec3>,
    trial: Vec<DVec3>,
    trial_u: Vec<DVec3>,
    rows: Vec<Linearised>,
    laws: Vec<SmoothedLaw>,
    trial_laws: Vec<SmoothedLaw>,
    refinement: Refinement,
}

/// What is offered the impulses on a path: true where they lead to a solution.
pub(crate) type Finish<'a, S> = dyn FnMut(&mut S, &[DVec3]) -> bool + 'a;

/// ‖F‖₂ of the smoothed laws at (p, u); None where a law has no smoothed form.
pub(crate) fn evaluate<S: Coupled>(
    system: &S,
    p: &[DVec3],
    u: &[DVec3],
    s: &Smoothing,
    laws: &mut Vec<SmoothedLaw>,
) -> Option<f64> {
    let at = |i: usize| smoothed(system.law(i), p[i], u[i], system.w_bar(i), s);
    if !(0..p.len()).all(|i| is_smoothed(system.law(i))) {
        return None;
    }
    stickslip_threads::fill(laws, p.len(), CONTACTS, |i| at(i).unwrap_or_default());
    let squares = laws.iter().map(|law| law.f.length_squared());
    let sum = squares.fold(0.0, |sum, square| sum + square);
    Some(if sum.is_finite() {
        sum.sqrt()
    } else {
        f64::INFINITY
    })
}

/// The smoothed laws as rows of the coupled system, with −F on the right.
pub(crate) fn rows_of(laws: &[SmoothedLaw], rows: &mut Vec<Linearised>) {
    rows.clear();
    rows.extend(laws.iter().map(|l| Linearised {
        a: l.a,
        a_inverse: l.a_inverse,
        b: l.b,
        g: -l.f,
    }));
}

/// q: root mean square of the velocities without impulses, m/s.
pub(crate) fn speed_scale<S: Coupled>(system: &mut S, u: &mut Vec<DVec3>) -> f64 {
    let n = system.len();
    let zero = vec![DVec3::ZERO; n];
    system.velocities(&zero, u);
    let sum: f64 = u.iter().map(|u| u.length_squared()).sum();
    (sum / n.max(1) as f64).sqrt().max(1e-300)
}

/// p with x̃ = √ε e: p_n = √ε/(μ w̄) on cones, √ε/w̄ on unilateral rows, 0 elsewhere.
pub(crate) fn interior_start<S: Coupled>(system: &S, epsilon: f64, p: &mut Vec<DVec3>) {
    p.clear();
    for i in 0..system.len() {
        let w = system.w_bar(i);
        let size = if w > 0.0 { epsilon.sqrt() / w } else { 0.0 };
        p.push(match system.law(i) {
            Law::Cone { mu } if *mu > 0.0 => DVec3::X * (size / mu),
            Law::Cone { .. } | Law::Unilateral | Law::Pyramid { .. } => DVec3::X * size,
            Law::Bounded { lo, hi } => DVec3::ZERO.max(*lo).min(*hi),
            Law::Disc { .. } | Law::Soft { .. } | Law::Moments { .. } => DVec3::ZERO,
        });
    }
}

/// Which problem a path follows.
#[derive(Clone, Copy)]
struct Course {
    /// First ε/q².
    start: f64,
    /// 1 − λ: 0 with the slip term, 1 without it (the convex relaxation).
    convexity: f64,
}

impl Course {
    fn at(self, epsilon: f64) -> Smoothing {
        Smoothing {
            epsilon,
            delta: ROUNDING * epsilon.sqrt(),
            convexity: self.convexity,
            ..Smoothing::default()
        }
    }
}

impl Path {
    /// Follows the path from ε = start·q²; `finish` is offered the impulses on the way.
    fn follow<S: Coupled>(
        &mut self,
        system: &mut S,
        course: Course,
        settings: &InteriorPointSettings,
        finish: &mut Finish<S>,
    ) -> Effort {
        let n = system.len();
        let q = speed_scale(system, &mut self.u);
        let mut epsilon = course.start * q * q;
        let mut next_offer = FIRST_OFFER;
        let mut effort = Effort::default();
        let mut steps_here = 0;
        interior_start(system, epsilon, &mut self.p);
        system.velocities(&self.p, &mut self.u);
        let Some(mut merit) = self.merit(system, &course.at(epsilon)) else {
            return effort;
        };
        while effort.iterations < settings.iterations {
            if limit::reached() {
                finish(system, &self.p);
                return effort;
            }
            if merit > SOLVED * (epsilon * n as f64).sqrt() {
                // Not there yet: a Newton step at this ε.
                let Some(m) = self.step(system, &course.at(epsilon), merit, &mut effort) else {
                    return effort;
                };
                merit = m;
                steps_here += 1;
            } else {
                // Solved at this ε: offer the point, then shrink.
                if epsilon <= next_offer * q * q {
                    if finish(system, &self.p) {
                        return effort;
                    }
                    next_offer = NEXT_OFFER * epsilon / (q * q);
                }
                if epsilon <= END * q * q {
                    return effort;
                }
                epsilon *= if steps_here <= EASY_STEPS {
                    settings.shrink
                } else {
                    settings.shrink.sqrt()
                };
                steps_here = 0;
                let Some(m) = self.merit(system, &course.at(epsilon)) else {
                    return effort;
                };
                merit = m;
            }
            effort.iterations += 1;
        }
        effort
    }

    /// ‖F‖₂ at the point, laws left in `self.laws`.
    fn merit<S: Coupled>(&mut self, system: &S, s: &Smoothing) -> Option<f64> {
        evaluate(system, &self.p, &self.u, s, &mut self.laws)
    }

    /// A Newton step with line search; the new merit, or None where there is none.
    fn step<S: Coupled>(
        &mut self,
        system: &mut S,
        s: &Smoothing,
        merit: f64,
        effort: &mut Effort,
    ) -> Option<f64> {
        rows_of(&self.laws, &mut self.rows);
        effort.factorisations += 1;
        if !system.factor(&self.rows) {
            return None;
        }
        system.refined_solve(
            &mut self.rows,
            REFINEMENTS,
            &mut self.dp,
            &mut self.refinement,
        );
        let mut t = 1.0;
        for _ in 0..HALVINGS {
            self.trial.clear();
            let both = self.p.iter().zip(&self.dp);
            self.trial.extend(both.map(|(&p, &d)| p + d * t));
            system.velocities(&self.trial, &mut self.trial_u);
            let laws = &mut self.trial_laws;
            let m = evaluate(system, &self.trial, &self.trial_u, s, laws)?;
            if m <= (1.0 - DESCENT * t) * merit {
                std::mem::swap(&mut self.p, &mut self.trial);
                std::mem::swap(&mut self.u, &mut self.trial_u);
                std::mem::swap(&mut self.laws, &mut self.trial_laws);
                return Some(m);
            }
            t *= 0.5;
        }
        None
    }
}

impl InteriorPoint {
    /// Impulses of the convex relaxation (no slip term) and what they took.
    pub(crate) fn solve_relaxed(
        &mut self,
        system: &mut System,
        tolerance: f64,
        settings: &InteriorPointSettings,
    ) -> (Vec<DVec3>, Effort) {
        let relaxed = NewtonSettings {
            map: Map::Relaxed,
            ..NewtonSettings::ALONE
        };
        let mut newton = Newton::default();
        let (mut p, mut best) = (vec![DVec3::ZERO; system.len()], Outcome::NONE);
        let mut finish = finished_by(&mut newton, &relaxed, &mut best, &mut p, tolerance);
        let mut effort = self.follow_relaxed(system, settings, &mut finish);
        drop(finish);
        effort += best.effort;
        (p, effort)
    }

    /// Follows the path of the convex relaxation, which has no folds; `finish` is offered impulses on the way.
    pub(crate) fn follow_relaxed<S: Coupled>(
        &mut self,
        system: &mut S,
        settings: &InteriorPointSettings,
        finish: &mut Finish<S>,
    ) -> Effort {
        let course = Course {
            start: RELAXED_START,
            convexity: 1.0,
        };
        self.path.follow(system, course, settings, finish)
    }

    /// From scratch on any coupled system: of `p` only the length matters.
    pub(crate) fn improve_coupled<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &InteriorPointSettings,
    ) -> Outcome {
        let mut best = Outcome::NONE;
        for &start in settings.starts {
            let course = Course {
                start,
                convexity: 0.0,
            };
            let mut trial = p.clone();
            let outcome = self.ended(system, course, &mut trial, tolerance, settings);
            take_better(&mut best, p, outcome, trial);
            if best.residual <= tolerance || limit::reached() {
                break;
            }
        }
        best
    }

    /// One path, each of the impulses that it offers finished by proximal steps or by Newton; the best are left in `p`.
    fn ended<S: Coupled>(
        &mut self,
        system: &mut S,
        course: Course,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &InteriorPointSettings,
    ) -> Outcome {
        let mut best = Outcome::NONE;
        let (newton, compliant) = (&mut self.newton, &mut self.compliant);
        let effort = if settings.centres {
            let mut finish = |system: &mut S, trial: &[DVec3]| {
                let mut trial = trial.to_vec();
                let outcome = compliant.finish(system, &mut trial, tolerance, CENTRES);
                take_better(&mut best, p, outcome, trial);
                best.residual <= tolerance
            };
            self.path.follow(system, course, settings, &mut finish)
        } else {
            let mut finish = finished_by(newton, &settings.newton, &mut best, p, tolerance);
            self.path.follow(system, course, settings, &mut finish)
        };
        best.effort += effort;
        best
    }
}

/// What finishes a path: Newton from each of the impulses that it offers; the best are left in `p`.
pub(crate) fn finished_by<S: Coupled>(
    newton: &mut Newton,
    settings: &NewtonSettings,
    best: &mut Outcome,
    p: &mut Vec<DVec3>,
    tolerance: f64,
) -> impl FnMut(&mut S, &[DVec3]) -> bool {
    move |system, trial| {
        let mut trial = trial.to_vec();
        let outcome = newton.improve_coupled(system, &mut trial, tolerance, settings);
        take_better(best, p, outcome, trial);
        best.residual <= tolerance
    }
}

/// Takes `trial` for `found` where its outcome is better; efforts add up.
pub(crate) fn take_better(
    best: &mut Outcome,
    found: &mut Vec<DVec3>,
    outcome: Outcome,
    trial: Vec<DVec3>,
) {
    best.effort += outcome.effort;
    if outcome.residual < best.residual {
        best.residual = outcome.residual;
        *found = trial;
    }
}

impl Engine for InteriorPoint {
    type Settings = InteriorPointSettings;
    const NAME: &'static str = "interior-point";
    const LAWS: Laws = Laws::Smooth;
    const GUARANTEE: Guarantee = Guarantee {
        claim: "follows the central path to a solution",
        hypotheses: "no friction or small friction, an interior point, no fold of the path",
    };

    fn improve(
        &mut self,
        system: &mut System,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &InteriorPointSettings,
    ) -> Outcome {
        self.improve_coupled(system, p, tolerance, settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::SystemMemory;
    use crate::engines::tests::{sliding_point, sliding_point_answer};
    use crate::problem::Posed;

    #[test]
    fn a_sliding_point_is_found_from_scratch_and_takes_off_in_the_relaxation() {
        let problem = sliding_point();
        let mut memory = SystemMemory::default();
        let mut system = memory.system(Posed::Local(&problem));
        let mut engine = InteriorPoint::default();
        let settings = InteriorPointSettings::ALONE;
        let mut p = vec![DVec3::ONE];
        let outcome = engine.improve(&mut system, &mut p, 1e-12, &settings);
        assert!(outcome.residual <= 1e-12);
        assert!((p[0] - sliding_point_answer()).length() < 1e-12, "{p:?}");
        // Without the slip term u_n = μ|u_t|: the impulse is larger, and the point leaves the plane.
        let (relaxed, effort) = engine.solve_relaxed(&mut system, 1e-12, &settings);
        assert!(relaxed[0].x > p[0].x + 0.1);
        assert!(effort.iterations > 0 && effort.factorisations > 0);
    }
}
