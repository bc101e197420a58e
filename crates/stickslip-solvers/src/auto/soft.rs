//! Islands with contacts that bear moments ([`crate::problem::soft`]).
//!
//! Only Newton on their own law takes them as they are, and it needs a good start. Where the guess is none, the other engines make one,
//! on problems that they can take:
//!
//! 1. **growth**: without moments the island is an ordinary one, answered by the tables. From there radius and rolling resistance
//!    grow by the factor θ from 0 to 1, with Newton at each: at once, then by steps of θ that are halved where it does not arrive;
//! 2. **bounds**: the moments as rows with fixed bounds, those that the last answer's normal impulses give; again, while Newton from
//!    there does not arrive;
//! 3. **proximal**: the problem made compliant about the last impulses, by less and less;
//! 4. **starts**: of few contacts, other starts, spread evenly.

use crate::auto::Auto;
use crate::auto::plans;
use crate::auto::steps::{Asked, IslandMemory};
use crate::engines::soft::SoftSettings;
use crate::limit::{self, WorkLimit};
use crate::problem::residual::w_bar;
use crate::problem::{ContactProblem, Law};
use crate::solver::{Effort, SolveError, Solved};
use crate::trace::Ran;
use glam::DVec3;

/// The table's name in traces.
const MOMENTS: &str = "moments";
/// Steps of θ: the first where the whole way at once leads nowhere, and the least.
const FIRST_GROWTH: f64 = 0.25;
const LEAST_GROWTH: f64 = 1.0 / 256.0;
/// Times that bounds are set anew.
const ROUNDS: usize = 12;
/// Centres of proximal steps, and their first compliance over w̄.
const CENTRES: usize = 60;
const COMPLIANCE: f64 = 1.0;
/// Starts that are tried of few contacts.
const STARTS: u32 = 60;

/// The best impulses so far.
struct Best {
    p: Vec<DVec3>,
    residual: f64,
    effort: Effort,
}

impl Auto {
    /// An island with moments, from the impulses of `guess`.
    pub(super) fn by_moments(
        &mut self,
        problem: &ContactProblem,
        guess: &[DVec3],
        asked: Asked<'_>,
        memory: &mut IslandMemory,
    ) -> Result<Solved, SolveError> {
        let contacts = problem.contacts.len();
        let work = asked
            .budgets
            .map(|budgets| asked.most.min(budgets * plans::budget(contacts)));
        let _limit = WorkLimit::of(work);
        let mut best = Best {
            p: guess.to_vec(),
            residual: f64::INFINITY,
            effort: Effort::default(),
        };
        let enough = asked.enough;
        let mut stage = "guess";
        self.try_newton(problem, guess.to_vec(), enough, &mut best, stage);
        if best.residual > enough && !limit::reached() {
            stage = "growth";
            self.grow(problem, asked, memory, &mut best);
        }
        if best.residual > enough && !limit::reached() {
            stage = "bounds";
            self.bound(problem, asked, memory, &mut best);
        }
        if best.residual > enough && !limit::reached() {
            stage = "proximal";
            self.about(problem, enough, &mut best);
        }
        if best.residual > enough && contacts <= 2 * plans::FEW && !limit::reached() {
            stage = "starts";
            self.spread(problem, enough, &mut best);
        }
        if best.residual > enough {
            return Err(SolveError::NotConverged {
                solver: "auto",
                residual: best.residual,
                tolerance: asked.tolerance,
                iterations: best.effort.iterations,
                best: best.p,
            });
        }
        Ok(Solved {
            impulses: best.p,
            iterations: best.effort.iterations,
            solver: "soft-newton",
            stage,
            residual: best.residual,
        })
    }

    /// Newton from `p`, by shortened steps, then by whole ones; did it arrive?
    fn try_newton(
        &mut self,
        problem: &ContactProblem,
        p: Vec<DVec3>,
        tolerance: f64,
        best: &mut Best,
        stage: &'static str,
    ) -> bool {
        let newton = &mut self.kit.soft;
        newton.take(problem);
        let mut ran = Effort::default();
        let mut least = f64::INFINITY;
        for whole in [false, true] {
            let settings = SoftSettings {
                steps: plans::NEWTON_STEPS,
                whole,
                aim: plans::AIM.min(tolerance),
            };
            let mut at = p.clone();
            let outcome = newton.improve(problem, &mut at, tolerance, settings);
            ran += outcome.effort;
            least = least.min(outcome.residual);
            if outcome.residual < best.residual {
                (best.p, best.residual) = (at, outcome.residual);
            }
            if least <= tolerance {
                break;
            }
        }
        best.effort += ran;
        self.kit.trace.push(Ran {
            table: MOMENTS,
            stage,
            islands: 1,
            contacts: problem.contacts.len(),
            effort: ran,
            residual: least,
            won: least <= tolerance,
            seconds: None,
        });
        least <= tolerance
    }

    /// From the answer without moments, as they grow.
    fn grow(
        &mut self,
        problem: &ContactProblem,
        asked: Asked<'_>,
        memory: &mut IslandMemory,
        best: &mut Best,
    ) {
        let mut at = vec![DVec3::ZERO; problem.contacts.len()];
        let Some(start) = self.with_bounds(problem, &at, asked, memory) else {
            return;
        };
        at = start;
        if limit::reached() || self.try_newton(problem, at.clone(), asked.enough, best, "growth") {
            return;
        }
        let (mut theta, mut step) = (0.0, FIRST_GROWTH);
        while !limit::reached() {
            let next = f64::min(1.0, theta + step);
            if next == 1.0 {
                if self.try_newton(problem, at.clone(), asked.enough, best, "growth") {
                    return;
                }
            } else {
                let mut reached = Best {
                    p: at.clone(),
                    residual: f64::INFINITY,
                    effort: Effort::default(),
                };
                let part = grown(problem, next);
                let done = self.try_newton(&part, at.clone(), asked.enough, &mut reached, "growth");
                best.effort += reached.effort;
                if done {
                    (at, theta) = (reached.p, next);
                    continue;
                }
            }
            step *= 0.5;
            if step < LEAST_GROWTH {
                return;
            }
        }
    }

    /// The moments as rows with bounds that are set anew.
    fn bound(
        &mut self,
        problem: &ContactProblem,
        asked: Asked<'_>,
        memory: &mut IslandMemory,
        best: &mut Best,
    ) {
        let mut at = best.p.clone();
        for _ in 0..ROUNDS {
            let Some(found) = self.with_bounds(problem, &at, asked, memory) else {
                return;
            };
            at = found;
            let done = self.try_newton(problem, at.clone(), asked.enough, best, "bounds");
            if done || limit::reached() {
                return;
            }
        }
    }

    /// Proximal steps: u + C (p − p_k) in place of u, with C = β w̄ that falls where Newton arrives and grows where it does not.
    fn about(&mut self, problem: &ContactProblem, tolerance: f64, best: &mut Best) {
        let mut at = vec![DVec3::ZERO; problem.contacts.len()];
        let mut beta = COMPLIANCE;
        for _ in 0..CENTRES {
            if limit::reached() {
                return;
            }
            let mut near = problem.clone();
            for (i, block) in problem.contacts.iter().enumerate() {
                let of = match block.law {
                    Law::Moments { of, .. } => of,
                    _ => i,
                };
                let c = beta * w_bar(&problem.contacts[of], &problem.inverse_mass);
                near.contacts[i].compliance += DVec3::splat(c);
                near.contacts[i].b -= at[i] * c;
            }
            let mut reached = Best {
                p: at.clone(),
                residual: f64::INFINITY,
                effort: Effort::default(),
            };
            let done = self.try_newton(&near, at.clone(), tolerance, &mut reached, "proximal");
            best.effort += reached.effort;
            if !done {
                beta *= 4.0;
                continue;
            }
            at = reached.p;
            beta *= 0.5;
            if self.try_newton(problem, at.clone(), tolerance, best, "proximal") {
                return;
            }
        }
    }

    /// Newton from normal impulses that are spread evenly between none and twice what stops the contact alone.
    fn spread(&mut self, problem: &ContactProblem, tolerance: f64, best: &mut Best) {
        /// Multiples of this spread most evenly.
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        for k in 1..=STARTS {
            let mut start = Vec::new();
            let mut place = f64::from(k) * GOLDEN;
            for block in &problem.contacts {
                place = (place * 1.754_877_666_246_693 + GOLDEN).fract();
                let w = w_bar(block, &problem.inverse_mass);
                let speed = block.velocity(&problem.nu_free).length();
                start.push(match block.law {
                    Law::Soft { .. } | Law::Cone { .. } | Law::Unilateral if w > 0.0 => {
                        DVec3::X * (2.0 * place * speed / w)
                    }
                    _ => DVec3::ZERO,
                });
            }
            let done = self.try_newton(problem, start, tolerance, best, "starts");
            if done || limit::reached() {
                return;
            }
        }
    }

    /// The answer with moments that are bounded by the normal impulses of `p`; None where there is none.
    fn with_bounds(
        &mut self,
        problem: &ContactProblem,
        p: &[DVec3],
        asked: Asked<'_>,
        memory: &mut IslandMemory,
    ) -> Option<Vec<DVec3>> {
        let mut other = problem.clone();
        for block in &mut other.contacts {
            if let Law::Moments { of, spin, roll } = block.law {
                let law = &problem.contacts[of].law;
                let pressed = p[of].x.max(0.0);
                let most = law.friction() * pressed;
                let left = most * most - p[of].y * p[of].y - p[of].z * p[of].z;
                let twist = if spin { left.max(0.0).sqrt() } else { 0.0 };
                let hi = DVec3::new(twist, roll * pressed, roll * pressed);
                block.law = Law::Bounded { lo: -hi, hi };
            }
        }
        for block in &mut other.contacts {
            if let Law::Soft { mu } = block.law {
                block.law = if mu > 0.0 {
                    Law::Cone { mu }
                } else {
                    Law::Unilateral
                };
            }
        }
        // An answer that misses the tolerance is a start as well.
        let found = self.solve_island(&other, p, asked, memory);
        found
            .or_else(SolveError::into_best)
            .ok()
            .map(|s| s.impulses)
    }
}

/// The problem with moments of the part θ > 0: radius and rolling resistance times θ.
fn grown(problem: &ContactProblem, theta: f64) -> ContactProblem {
    let mut other = problem.clone();
    for block in &mut other.contacts {
        if let Law::Moments { roll, .. } = &mut block.law {
            *roll *= theta;
            block.frame[0] *= theta;
            block.b.x *= theta;
        }
    }
    other
}
