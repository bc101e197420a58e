//! Interior point on the exact cone: Newton along the smoothed laws as the smoothing shrinks.

use crate::coupling::{Coupled, Linearised, Refinement, System, SystemMemory};
use crate::engines::newton::{Map, Newton, NewtonSettings};
use crate::limit;
use crate::problem::ContactProblem;
use crate::problem::smoothed::{SmoothedLaw, Smoothing, smoothed};
use crate::solver::{ContactSolver, Engine, Guarantee, Outcome, SolveError, Solved, solve_by};
use glam::DVec3;

/// Settings of [`InteriorPoint`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InteriorPointSettings {
    /// Most Newton steps for each start.
    pub iterations: usize,
    /// First values of ε/q², tried in turn.
    pub starts: [f64; 3],
    /// Factor on ε when a smoothed problem is solved at once; its root when it was hard.
    pub shrink: f64,
}

impl Default for InteriorPointSettings {
    fn default() -> Self {
        Self {
            iterations: 120,
            starts: [10.0, 1.0, 0.1],
            shrink: 0.05,
        }
    }
}

/// Path following on the smoothed exact law; the Newton matrix holds the derivative of μ|u_t| and is
/// unsymmetric. Below ε/q² = 1e-3 semismooth Newton is tried, and again at each further factor 20.
///
/// The smoothing only shrinks, so a fold of the path stops it: `homotopy` goes round folds.
#[derive(Clone, Debug)]
pub struct InteriorPoint {
    /// Settings.
    pub settings: InteriorPointSettings,
    /// The method that finishes.
    pub newton: Newton,
    memory: SystemMemory,
    work: Work,
}

#[derive(Clone, Debug, Default)]
struct Work {
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
    laws.clear();
    let mut sum = 0.0;
    for i in 0..p.len() {
        let law = smoothed(system.law(i), p[i], u[i], system.w_bar(i), s)?;
        sum += law.f.length_squared();
        laws.push(law);
    }
    Some(if sum.is_finite() {
        sum.sqrt()
    } else {
        f64::INFINITY
    })
}

/// Root mean square of the velocities without impulses, and the impulses x̃ = √ε e to start from.
pub(crate) fn speed_scale<S: Coupled>(system: &mut S, u: &mut Vec<DVec3>) -> f64 {
    let n = system.len();
    let zero = vec![DVec3::ZERO; n];
    system.velocities(&zero, u);
    let sum: f64 = u.iter().map(|u| u.length_squared()).sum();
    (sum / n.max(1) as f64).sqrt().max(1e-300)
}

/// p with x̃ = √ε e: p_n = √ε/(μ w̄) on cones, √ε/w̄ on unilateral rows, 0 elsewhere.
pub(crate) fn interior_start<S: Coupled>(system: &S, epsilon: f64, p: &mut Vec<DVec3>) {
    use crate::problem::Law;
    p.clear();
    for i in 0..system.len() {
        let w = system.w_bar(i);
        let size = if w > 0.0 { epsilon.sqrt() / w } else { 0.0 };
        p.push(match system.law(i) {
            Law::Cone { mu } if *mu > 0.0 => DVec3::X * (size / mu),
            Law::Cone { .. } | Law::Unilateral | Law::Pyramid { .. } => DVec3::X * size,
            Law::Box { lo, hi } => DVec3::ZERO.max(*lo).min(*hi),
            Law::Disc { .. } => DVec3::ZERO,
        });
    }
}

impl Work {
    /// Follows the path from ε = start·q², with the slip term (`convexity` 0) or without it (1); `finish` is offered the impulses on the way.
    fn follow<S: Coupled>(
        &mut self,
        system: &mut S,
        start: f64,
        convexity: f64,
        settings: &InteriorPointSettings,
        finish: &mut Finish<S>,
    ) -> usize {
        let n = system.len();
        let q = speed_scale(system, &mut self.u);
        let mut p = Vec::new();
        let mut epsilon = start * q * q;
        interior_start(system, epsilon, &mut p);
        let mut next_try = 1e-3;
        let at = |epsilon: f64| Smoothing {
            epsilon,
            delta: 0.03 * epsilon.sqrt(),
            convexity,
            ..Smoothing::default()
        };
        system.velocities(&p, &mut self.u);
        let mut steps_here = 0;
        let Some(mut merit) = evaluate(system, &p, &self.u, &at(epsilon), &mut self.laws) else {
            return 0;
        };
        for iteration in 0..settings.iterations {
            if limit::reached() {
                finish(system, &p);
                return iteration;
            }
            if merit <= 0.1 * (epsilon * n as f64).sqrt() {
                if epsilon <= next_try * q * q {
                    if finish(system, &p) {
                        return iteration;
                    }
                    next_try = 0.05 * epsilon / (q * q);
                }
                if epsilon <= 1e-26 * q * q {
                    return iteration;
                }
                epsilon *= if steps_here <= 2 {
                    settings.shrink
                } else {
                    settings.shrink.sqrt()
                };
                steps_here = 0;
                let Some(m) = evaluate(system, &p, &self.u, &at(epsilon), &mut self.laws) else {
                    return iteration;
                };
                merit = m;
                continue;
            }
            self.rows.clear();
            self.rows.extend(self.laws.iter().map(|l| Linearised {
                a: l.a,
                a_inverse: l.a_inverse,
                b: l.b,
                g: -l.f,
            }));
            if !system.factor(&self.rows) {
                return iteration;
            }
            system.refined_solve(&mut self.rows, 8, &mut self.dp, &mut self.refinement);
            let mut t = 1.0;
            let mut accepted = false;
            for _ in 0..12 {
                self.trial.clear();
                self.trial
                    .extend(p.iter().zip(&self.dp).map(|(&p, &d)| p + d * t));
                system.velocities(&self.trial, &mut self.trial_u);
                let Some(m) = evaluate(
                    system,
                    &self.trial,
                    &self.trial_u,
                    &at(epsilon),
                    &mut self.trial_laws,
                ) else {
                    return iteration;
                };
                if m <= (1.0 - 0.1 * t) * merit {
                    merit = m;
                    accepted = true;
                    break;
                }
                t *= 0.5;
            }
            if !accepted {
                return iteration;
            }
            std::mem::swap(&mut p, &mut self.trial);
            std::mem::swap(&mut self.u, &mut self.trial_u);
            std::mem::swap(&mut self.laws, &mut self.trial_laws);
            steps_here += 1;
        }
        settings.iterations
    }
}

impl InteriorPoint {
    /// Impulses of the convex relaxation (no slip term) and the Newton steps taken.
    pub(crate) fn solve_relaxed(
        &mut self,
        system: &mut System,
        tolerance: f64,
    ) -> (Vec<DVec3>, usize) {
        let mut newton = Newton::new(NewtonSettings {
            map: Map::Relaxed,
            ..NewtonSettings::default()
        });
        let (mut p, mut best) = (vec![DVec3::ZERO; system.len()], Outcome::NONE);
        let mut finish = finished_by(&mut newton, &mut best, &mut p, tolerance);
        let steps = self.follow_relaxed(system, &mut finish);
        drop(finish);
        (p, steps + best.iterations)
    }

    /// Follows the path of the convex relaxation, which has no folds; `finish` is offered impulses on the way.
    pub(crate) fn follow_relaxed<S: Coupled>(
        &mut self,
        system: &mut S,
        finish: &mut Finish<S>,
    ) -> usize {
        self.work.follow(system, 10.0, 1.0, &self.settings, finish)
    }
}

impl Default for InteriorPoint {
    fn default() -> Self {
        Self {
            settings: InteriorPointSettings::default(),
            newton: Newton::new(NewtonSettings {
                map: Map::AlartCurnier,
                ..NewtonSettings::default()
            }),
            memory: SystemMemory::default(),
            work: Work::default(),
        }
    }
}

impl InteriorPoint {
    /// From scratch on any coupled system: of `p` only the length matters.
    pub(crate) fn improve_coupled<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        tolerance: f64,
    ) -> Outcome {
        let mut best = Outcome::NONE;
        let (newton, settings) = (&mut self.newton, self.settings);
        for start in settings.starts {
            let mut finish = finished_by(newton, &mut best, p, tolerance);
            let n = self.work.follow(system, start, 0.0, &settings, &mut finish);
            drop(finish);
            best.iterations += n;
            if best.residual <= tolerance || limit::reached() {
                break;
            }
        }
        best
    }
}

impl Engine for InteriorPoint {
    fn improve(&mut self, system: &mut System, p: &mut Vec<DVec3>, tolerance: f64) -> Outcome {
        self.improve_coupled(system, p, tolerance)
    }

    fn memory(&mut self) -> &mut SystemMemory {
        &mut self.memory
    }
}

/// What finishes a path: Newton from each of the impulses that it offers; the best are left in `p`.
pub(crate) fn finished_by<S: Coupled>(
    newton: &mut Newton,
    best: &mut Outcome,
    p: &mut Vec<DVec3>,
    tolerance: f64,
) -> impl FnMut(&mut S, &[DVec3]) -> bool {
    move |system, trial| {
        let mut trial = trial.to_vec();
        let outcome = newton.improve_coupled(system, &mut trial, tolerance);
        take_better(best, p, outcome, trial);
        best.residual <= tolerance
    }
}

pub(crate) fn take_better(
    best: &mut Outcome,
    found: &mut Vec<DVec3>,
    outcome: Outcome,
    trial: Vec<DVec3>,
) {
    best.iterations += outcome.iterations;
    if outcome.residual < best.residual {
        best.residual = outcome.residual;
        *found = trial;
    }
}

impl ContactSolver for InteriorPoint {
    fn name(&self) -> &'static str {
        "interior-point"
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee {
            claim: "follows the central path to a solution",
            hypotheses: "no friction or small friction, an interior point, no fold of the path",
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
