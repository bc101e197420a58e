//! Arclength continuation: the path of smoothed solutions followed round its folds.
//!
//! `course`: how the smoothed problem depends on the path's parameter θ; `path`: predictor and corrector along it.

mod course;
mod path;

use crate::coupling::{Coupled, System};
use crate::engines::interior_point::{finished_by, take_better};
use crate::engines::newton::{Newton, NewtonSettings};
use crate::limit;
use crate::solver::{Engine, Guarantee, Laws, Outcome};
use glam::DVec3;
use path::{Origin, Path};

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

    /// Paths through different folds, the most hopeful first: where one turns back or is long, another may not. (The
    /// first three by measurement, on a pile of 633 contacts; the others were chosen without.)
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
    /// First step in arclength.
    pub first_step: f64,
    /// Largest step in arclength.
    pub largest_step: f64,
    /// May the path meet branches, as symmetric problems have them? There the determinant changes its sign where the
    /// path goes straight on; elsewhere such a change means another path.
    pub branches: bool,
    /// The Newton that finishes.
    pub newton: NewtonSettings,
}

impl HomotopySettings {
    /// Every path, each followed for long: the homotopy by itself. (Steps were chosen without measurement.)
    pub const ALL_PATHS: Self = Self {
        starts: &PathStart::ALL,
        steps: 700,
        first_step: 0.05,
        largest_step: 1e3,
        branches: true,
        newton: NewtonSettings::FINISH,
    };

    /// One path, for stages that have others after them.
    pub const ONE_PATH: Self = Self {
        starts: PathStart::ALL.split_at(1).0,
        steps: 300,
        ..Self::ALL_PATHS
    };

    /// On the quotient of a symmetric problem, from nothing.
    pub const SYMMETRIC: Self = Self {
        starts: &PathStart::SYMMETRIC,
        steps: 1500,
        branches: false,
        ..Self::ALL_PATHS
    };

    /// The same, shortened: for steps with a guess, which have other stages.
    pub const SYMMETRIC_SHORT: Self = Self {
        starts: PathStart::SYMMETRIC.split_at(2).0,
        steps: 300,
        ..Self::SYMMETRIC
    };
}

impl Default for HomotopySettings {
    fn default() -> Self {
        Self::ALL_PATHS
    }
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
/// further factor 5, semismooth Newton is offered the point. It keeps memory only.
#[derive(Clone, Debug, Default)]
pub struct Homotopy {
    newton: Newton,
    path: Path,
}

impl Homotopy {
    /// From scratch on any coupled system: of `p` only the length matters.
    pub(crate) fn improve_coupled<S: Coupled>(
        &mut self,
        system: &mut S,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &HomotopySettings,
    ) -> Outcome {
        let mut best = Outcome::NONE;
        for &start in settings.starts {
            let mut trial = p.clone();
            let from = Origin::Convex(start);
            let outcome = self.along(system, from, &mut trial, tolerance, settings);
            take_better(&mut best, p, outcome, trial);
            if best.residual <= tolerance || limit::reached() {
                break;
            }
        }
        best
    }

    /// From impulses that were right a step ago: the problem is changed so that they solve it, smoothed by
    /// `epsilon` (relative to q²), and changed back along the path.
    pub(crate) fn improve_from<S: Coupled>(
        &mut self,
        system: &mut S,
        epsilon: f64,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &HomotopySettings,
    ) -> Outcome {
        let guess = p.clone();
        let from = Origin::Guess(&guess, epsilon);
        self.along(system, from, p, tolerance, settings)
    }

    fn along<S: Coupled>(
        &mut self,
        system: &mut S,
        from: Origin,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &HomotopySettings,
    ) -> Outcome {
        let mut best = Outcome::NONE;
        let mut finish = finished_by(&mut self.newton, &settings.newton, &mut best, p, tolerance);
        let effort = self.path.follow(system, from, settings, &mut finish);
        drop(finish);
        best.effort += effort;
        best
    }
}

impl Engine for Homotopy {
    type Settings = HomotopySettings;
    const NAME: &'static str = "homotopy";
    const LAWS: Laws = Laws::Smooth;
    const GUARANTEE: Guarantee = Guarantee {
        claim: "the path from the convex problem leads to a solution",
        hypotheses: "the path is regular and bounded (no proof with friction in general)",
    };

    fn improve(
        &mut self,
        system: &mut System,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &HomotopySettings,
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
    fn every_path_leads_a_sliding_point_to_its_answer() {
        let problem = sliding_point();
        let mut memory = SystemMemory::default();
        let mut engine = Homotopy::default();
        for start in &PathStart::ALL {
            let settings = HomotopySettings {
                starts: std::slice::from_ref(start),
                ..HomotopySettings::ALL_PATHS
            };
            let mut system = memory.system(Posed::Local(&problem));
            let mut p = vec![DVec3::ZERO];
            let outcome = engine.improve(&mut system, &mut p, 1e-12, &settings);
            assert!(outcome.residual <= 1e-12, "{start:?}");
            assert!((p[0] - sliding_point_answer()).length() < 1e-12, "{p:?}");
            assert!(outcome.effort.factorisations >= outcome.effort.iterations);
        }
    }

    #[test]
    fn the_last_problem_becomes_this_one() {
        // The point was at rest on the plane, pressed as now.
        let problem = sliding_point();
        let mut memory = SystemMemory::default();
        let mut system = memory.system(Posed::Local(&problem));
        let mut p = vec![DVec3::new(0.1, 0.0, 0.0)];
        let settings = HomotopySettings::ONE_PATH;
        let mut engine = Homotopy::default();
        let outcome = engine.improve_from(&mut system, 1e-3, &mut p, 1e-12, &settings);
        assert!(outcome.residual <= 1e-12, "{outcome:?}");
        assert!((p[0] - sliding_point_answer()).length() < 1e-12, "{p:?}");
    }

    #[test]
    fn a_path_of_no_steps_offers_nothing() {
        let problem = sliding_point();
        let mut memory = SystemMemory::default();
        let mut system = memory.system(Posed::Local(&problem));
        let mut p = vec![DVec3::X];
        let settings = HomotopySettings {
            steps: 0,
            ..HomotopySettings::ONE_PATH
        };
        let outcome = Homotopy::default().improve(&mut system, &mut p, 1e-12, &settings);
        assert_eq!((p[0], outcome.residual), (DVec3::X, f64::INFINITY));
    }
}
