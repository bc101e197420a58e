//! The law made compliant, and the compliance taken away: paths along which redundant contacts agree.
//!
//! Contacts that stick redundantly contradict each other by second order in the motion, 1e-8 to 1e-6 m/s; exact Newton then goes
//! far for nothing. With u + ε_i (p − centre) in place of u, ε_i = e w̄_i, every contradiction is carried by a finite impulse,
//! and what is left of the law is e w̄ |p − centre|: within the tolerance it is an answer to the law itself.
//!
//! - `Compliant::path`: e falls from stage to stage, each solved by whole Newton steps from the last one's end, extrapolated.
//! - `Compliant::centres`: e stays, and the centre follows (proximal steps): what a path is finished with.

mod whole;

use crate::coupling::{Coupled, System};
use crate::engines::interior_point::speed_scale;
use crate::limit;
use crate::random::Random;
use crate::solver::{Engine, Guarantee, Outcome};
use glam::DVec3;
use whole::{End, Goal, Whole};

/// Settings of [`Compliant`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompliantSettings {
    /// First e of a path.
    pub start: f64,
    /// Is a path centred on the impulses that it begins at: those given, then the best so far? Else on zero, and it begins there.
    pub near: bool,
    /// Factor on e above which a path is given up: the stages have become too short.
    pub give_up: f64,
    /// Paths, each with other weights of ε_i.
    pub paths: u32,
    /// Does the first have drawn weights too? Else they are one.
    pub weighted: bool,
    /// e below which centres are first tried on a path.
    pub centres_from: f64,
    /// Most factorisations in all.
    pub budget: usize,
}

impl CompliantSettings {
    /// About the last impulses: a selection rule too, the answer nearest to them. (Of 646 islands of hard steps above ten contacts
    /// 233 end here, after 32 factorisations in the median.)
    pub const NEAR: Self = Self {
        start: 1e-3,
        near: true,
        give_up: 0.9,
        paths: 1,
        weighted: false,
        centres_from: FIRST_CENTRES,
        budget: 100,
    };
    /// The same among many contacts in motion, where centres that fail take forty factorisations: they are tried at the end of the path
    /// only, and what is then left is mended. (Of 102 hard problems of bins as many are solved, in a twelfth to a quarter less time. With 30 or 50
    /// factorisations, or with centres from 1e-4, 1e-6 or 1e-7 on, it took longer.)
    pub const NEAR_OF_MANY: Self = Self {
        centres_from: 1e-5,
        budget: 60,
        ..Self::NEAR
    };
    /// Around impulses that are nearly right: each path is centred on the best of those before it. (What the interior point
    /// leaves at 1e-5 m/s; of the 58 hardest steps 54 end with the first start of that and these paths. Of the first four paths each ended one in three of 65 hard steps, of the next four one in fourteen:
    /// another start is the better investment.)
    pub const AROUND: Self = Self {
        start: 1e-2,
        give_up: 0.8,
        paths: 4,
        budget: 1000,
        ..Self::NEAR
    };
    /// From nothing.
    pub const FROM_ZERO: Self = Self {
        start: 0.1,
        near: false,
        give_up: 0.9,
        paths: 1,
        weighted: false,
        centres_from: FIRST_CENTRES,
        budget: 200,
    };
    /// From nothing, with all patience: lengths of paths are heavy-tailed, so that restarts beat longer paths.
    pub const RESTARTED: Self = Self {
        give_up: 0.97,
        paths: 6,
        weighted: true,
        budget: 1000,
        ..Self::FROM_ZERO
    };
}

impl Default for CompliantSettings {
    fn default() -> Self {
        Self::RESTARTED
    }
}

/// Factor on e while no stage is solved yet, and the largest e.
const FIRST_SOFTER: f64 = 10.0;
const SOFTEST: f64 = 1e3;
/// Whole steps of a stage, and those within which its residual must find a new least.
const STAGE_STEPS: usize = 12;
const STAGE_PATIENCE: usize = 5;
/// Part of e q at which a stage is solved, with q the speed of the problem.
const STAGE_TARGET: f64 = 1e-6;
/// First factor on e; after an easy stage it is squared, down to the least; after a failure its root is taken.
const FIRST_FACTOR: f64 = 0.1;
const LEAST_FACTOR: f64 = 0.03;
const EASY_STEPS: usize = 4;
/// e below which centres are tried on most paths, and the factor on e between tries.
const FIRST_CENTRES: f64 = 1e-3;
const NEXT_CENTRES: f64 = 0.03;
/// e at which a path has nothing more to give.
const LAST: f64 = 1e-13;

/// Centres: how many, their first e, its factor after so few steps, and after a failure.
pub(crate) const CENTRES: usize = 5;
const CENTRE_START: f64 = 1e-4;
const CENTRE_STEPS: usize = 8;
const CENTRE_EASY: usize = 3;
const STIFFER: f64 = 0.3;
const SOFTER: f64 = 4.0;
/// Part of the residual at a centre to which the law about it is solved, and steps within which that must find a new least.
const CENTRE_PART: f64 = 0.05;
const CENTRE_PATIENCE: usize = 3;
/// Weights of ε_i are drawn between 1/WEIGHTS and WEIGHTS in further paths.
const WEIGHTS: f64 = core::f64::consts::E;

/// Paths of the compliant law. It keeps memory only.
#[derive(Clone, Debug, Default)]
pub struct Compliant {
    whole: Whole,
    compliance: Vec<f64>,
    weights: Vec<f64>,
    centre: Vec<DVec3>,
    /// The point at hand, the last solved and the one before it.
    p: Vec<DVec3>,
    last: Vec<DVec3>,
    before: Vec<DVec3>,
    moving: Vec<DVec3>,
}

impl Compliant {
    /// Improves `p` on any coupled system: to an answer, or to the best that was passed.
    pub(crate) fn improve_coupled<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &CompliantSettings,
    ) -> Outcome {
        self.whole.begin();
        self.weights.clear();
        self.weights.resize(system.len(), 1.0);
        let mut random = Random::new(1);
        for path in 0..settings.paths {
            if path > 0 || settings.weighted {
                let draw = |_: &f64| libm::pow(WEIGHTS, 2.0 * random.unit() - 1.0);
                self.weights = self.weights.iter().map(draw).collect();
            }
            if self.path(system, p, tolerance, settings) || self.spent(settings.budget) {
                break;
            }
            if settings.near && !self.whole.best.is_empty() {
                p.clone_from(&self.whole.best);
            }
        }
        self.end(p)
    }

    /// So many centres at most from `p`, to an answer or to the best that was passed.
    pub(crate) fn finish<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        most: usize,
    ) -> Outcome {
        self.whole.begin();
        self.weights.clear();
        self.weights.resize(system.len(), 1.0);
        self.p.clone_from(p);
        self.centres(system, most, tolerance);
        self.end(p)
    }

    fn end(&mut self, p: &mut Vec<DVec3>) -> Outcome {
        if !self.whole.best.is_empty() {
            p.clone_from(&self.whole.best);
        }
        Outcome {
            residual: self.whole.residual,
            effort: self.whole.effort,
        }
    }

    fn spent(&self, budget: usize) -> bool {
        self.whole.effort.factorisations >= budget || limit::reached()
    }

    /// One path; true where it found an answer.
    fn path<S: Coupled>(
        &mut self,
        system: &mut S,
        start: &[DVec3],
        tolerance: f64,
        settings: &CompliantSettings,
    ) -> bool {
        let n = system.len();
        let speed = speed_scale(system, &mut self.p);
        self.centre.clear();
        self.centre.resize(n, DVec3::ZERO);
        if settings.near {
            self.centre.copy_from_slice(start);
        }
        self.p.clone_from(&self.centre);
        let (mut e, mut factor, mut offer) = (settings.start, FIRST_FACTOR, settings.centres_from);
        // e of the last stage solved and of the one before it.
        let (mut solved, mut earlier) = (None, None);
        while e > LAST && !self.spent(settings.budget) {
            let (end, steps) = self.stage(system, e, STAGE_TARGET * e * speed, tolerance);
            match end {
                End::Answer => return true,
                End::Target => {
                    (earlier, solved) = (solved, Some(e));
                    std::mem::swap(&mut self.before, &mut self.last);
                    self.last.clone_from(&self.p);
                    if steps <= EASY_STEPS {
                        factor = (factor * factor).max(LEAST_FACTOR);
                    }
                    if e <= offer {
                        if self.centres(system, CENTRES, tolerance) {
                            return true;
                        }
                        offer = NEXT_CENTRES * e;
                    }
                }
                End::Short => {
                    factor = factor.sqrt();
                    if factor > settings.give_up {
                        return false;
                    }
                }
            }
            let Some(last) = solved else {
                // Not even the first: softer.
                e *= FIRST_SOFTER;
                self.p.clone_from(&self.centre);
                if e > SOFTEST {
                    return false;
                }
                continue;
            };
            e = last * factor;
            self.extrapolate(e, last, earlier);
        }
        false
    }

    /// Whole steps at this e about the centre from `self.p`.
    fn stage<S: Coupled>(
        &mut self,
        system: &mut S,
        e: f64,
        target: f64,
        tolerance: f64,
    ) -> (End, usize) {
        self.soften(system, e);
        let goal = Goal {
            compliance: &self.compliance,
            centre: &self.centre,
            target,
            part: 0.0,
            tolerance,
            steps: STAGE_STEPS,
            patience: STAGE_PATIENCE,
        };
        self.whole.run(system, &goal, &mut self.p)
    }

    /// ε_i = e w̄_i times its weight.
    fn soften<S: Coupled>(&mut self, system: &S, e: f64) {
        self.compliance.clear();
        let weights = self.weights.iter().enumerate();
        self.compliance
            .extend(weights.map(|(i, weight)| e * weight * system.w_bar(i)));
    }

    /// The point at e on the line through the last two solved ones, or the last.
    fn extrapolate(&mut self, e: f64, last: f64, earlier: Option<f64>) {
        self.p.clone_from(&self.last);
        let Some(earlier) = earlier else { return };
        let t = (e - last) / (last - earlier);
        for (p, before) in self.p.iter_mut().zip(&self.before) {
            *p += (*p - *before) * t;
        }
    }

    /// Proximal steps from `self.p`, which stays: the compliant law about a centre, which moves to each solution.
    fn centres<S: Coupled>(&mut self, system: &mut S, most: usize, tolerance: f64) -> bool {
        let mut centre = std::mem::take(&mut self.moving);
        centre.clone_from(&self.p);
        let mut trial = centre.clone();
        let mut e = CENTRE_START;
        let mut found = false;
        for _ in 0..most {
            self.soften(system, e);
            let goal = Goal {
                compliance: &self.compliance,
                centre: &centre,
                target: 0.0,
                part: CENTRE_PART,
                tolerance,
                steps: CENTRE_STEPS,
                patience: CENTRE_PATIENCE,
            };
            let (end, steps) = self.whole.run(system, &goal, &mut trial);
            match end {
                End::Answer => {
                    found = true;
                    break;
                }
                End::Target => {
                    centre.clone_from(&trial);
                    if steps <= CENTRE_EASY {
                        e *= STIFFER;
                    }
                }
                End::Short => {
                    trial.clone_from(&centre);
                    e *= SOFTER;
                }
            }
            if limit::reached() {
                break;
            }
        }
        self.moving = centre;
        found
    }
}

impl Engine for Compliant {
    type Settings = CompliantSettings;
    const NAME: &'static str = "compliant";
    const GUARANTEE: Guarantee = Guarantee {
        claim: "an answer where a path of compliant laws leads to one",
        hypotheses: "none is proved; without friction each law on the path has one solution",
    };

    fn improve(
        &mut self,
        system: &mut System,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &CompliantSettings,
    ) -> Outcome {
        self.improve_coupled(system, p, tolerance, settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupling::SystemMemory;
    use crate::engines::tests::{sliding_point, sliding_point_answer};
    use crate::problem::Law;
    use crate::problem::Posed;
    use crate::problem::delassus::Delassus;
    use crate::problem::local::LocalProblem;
    use glam::DMat3;

    fn solve(problem: &LocalProblem, settings: &CompliantSettings) -> (Vec<DVec3>, Outcome) {
        let mut memory = SystemMemory::default();
        let mut p = vec![DVec3::ZERO; problem.len()];
        let mut system = memory.system(Posed::Local(problem));
        let outcome = Compliant::default().improve(&mut system, &mut p, 1e-9, settings);
        (p, outcome)
    }

    #[test]
    fn a_sliding_point_is_solved_to_the_tolerance_along_each_path() {
        let all = [
            CompliantSettings::NEAR,
            CompliantSettings::FROM_ZERO,
            CompliantSettings::RESTARTED,
        ];
        for settings in all {
            let (p, outcome) = solve(&sliding_point(), &settings);
            assert!(outcome.residual <= 1e-9, "{outcome:?}");
            assert!((p[0] - sliding_point_answer()).length() < 1e-8, "{p:?}");
            assert!(outcome.effort.factorisations <= settings.budget);
        }
    }

    /// One body of 1 kg held by two contacts at the same place, which disagree on its free velocity by 1e-10 m/s: no answer is
    /// exact with both closed, the load is shared within the tolerance, and no impulse goes far.
    #[test]
    fn contacts_that_contradict_each_other_within_the_tolerance_share_the_load() {
        let all = (0..4).map(|k| (k / 2, k % 2, DMat3::IDENTITY));
        let problem = LocalProblem {
            delassus: Delassus::from_blocks(2, all.collect()),
            q: vec![
                DVec3::new(-0.1, 0.01, 0.0),
                DVec3::new(-0.1 + 1e-10, 0.01, 0.0),
            ],
            laws: vec![Law::Cone { mu: 0.5 }; 2],
        };
        let (p, outcome) = solve(&problem, &CompliantSettings::FROM_ZERO);
        assert!(outcome.residual <= 1e-9, "{outcome:?}");
        let sum = p[0] + p[1];
        assert!((sum - DVec3::new(0.1, -0.01, 0.0)).length() < 2e-9, "{sum}");
        assert!(p.iter().all(|p| p.length() < 0.2), "{p:?}");
    }

    #[test]
    fn a_budget_is_kept() {
        let settings = CompliantSettings {
            budget: 0,
            ..CompliantSettings::FROM_ZERO
        };
        let (p, outcome) = solve(&sliding_point(), &settings);
        assert_eq!((p[0], outcome.effort.factorisations), (DVec3::ZERO, 0));
    }
}
