//! The stage of `auto` for large symmetric problems, and what it shares with the stage for all: Newton along the path of the
//! convex relaxation.

use crate::auto::selection::LARGE;
use crate::auto::{Chain, NEWTON_STEPS};
use crate::coupling::Coupled;
use crate::coupling::Quotient;
use crate::coupling::symmetries;
use crate::engines::homotopy::HomotopySettings;
use crate::engines::newton::Newton;
use crate::limit;
use crate::problem::Posed;
use glam::DVec3;

impl Chain<'_> {
    /// The symmetric answers of a large symmetric problem, found on its quotient: rest, then the interior point, then the
    /// homotopy; Newton finishes on the problem as given. Where the last step is known (not `cold`) there are other ways,
    /// and the homotopy is kept short.
    pub(crate) fn symmetric(&mut self, smooth: bool, cold: bool, p: &mut Vec<DVec3>) -> bool {
        let Posed::Step(step) = self.problem else {
            return false;
        };
        if !smooth || step.contacts.len() <= LARGE || limit::reached() {
            return false;
        }
        let group = symmetries(step);
        if group.is_empty() {
            return false;
        }
        let mut quotient = Quotient::new(step, &group);
        let (engines, inner) = (&mut *self.engines, self.inner);
        let mut reduced = vec![DVec3::ZERO; quotient.len()];
        let mut attempts = Attempts::new(
            &mut engines.newton,
            &mut self.scratch.u,
            inner,
            &mut reduced,
        );
        let relaxation = &mut engines.interior_point;
        let mut iterations = relaxation
            .follow_relaxed(&mut quotient, &mut |q: &mut Quotient, start: &[DVec3]| {
                attempts.attempt(q, start)
            });
        iterations += attempts.end();
        engines.interior_point.newton.settings.iterations = NEWTON_STEPS;
        engines.homotopy.newton.settings.iterations = NEWTON_STEPS;
        engines.homotopy.settings = if cold {
            HomotopySettings::SYMMETRIC
        } else {
            HomotopySettings::SYMMETRIC_SHORT
        };
        let mut solver = "newton";
        let mut reached = quotient.residual(&reduced, &mut self.scratch.u);
        if reached > inner {
            let engine = &mut engines.interior_point;
            let outcome = engine.improve_coupled(&mut quotient, &mut reduced, inner);
            (solver, reached) = ("interior-point", outcome.residual);
            iterations += outcome.iterations;
        }
        if reached > inner {
            let engine = &mut engines.homotopy;
            let outcome = engine.improve_coupled(&mut quotient, &mut reduced, inner);
            (solver, reached) = ("homotopy", outcome.residual);
            iterations += outcome.iterations;
        }
        engines.homotopy.settings = HomotopySettings::default();
        if reached > inner {
            self.best.iterations += iterations;
            return false;
        }
        quotient.expand(&reduced, p);
        // Where data are symmetric but for more than rounding, Newton leads from the symmetric problem to the true one.
        self.judge(p, iterations, solver) || self.newton(p)
    }
}

/// Newton from impulses on the path of the convex relaxation. Of a large problem, or where only a rest is looked for, the
/// path is left where its velocities no longer fall: there is no rest at its end, and the interior point is the
/// shorter way to a motion.
pub(crate) struct Attempts<'a> {
    newton: &'a mut Newton,
    u: &'a mut Vec<DVec3>,
    p: &'a mut Vec<DVec3>,
    inner: f64,
    pub(crate) to_rest: bool,
    speed: f64,
    moves: usize,
    steps: usize,
}

impl<'a> Attempts<'a> {
    pub(crate) fn new(
        newton: &'a mut Newton,
        u: &'a mut Vec<DVec3>,
        inner: f64,
        p: &'a mut Vec<DVec3>,
    ) -> Self {
        newton.settings.iterations = NEWTON_STEPS;
        newton.settings.patience = 6;
        Self {
            newton,
            u,
            p,
            inner,
            to_rest: false,
            speed: f64::INFINITY,
            moves: 0,
            steps: 0,
        }
    }

    /// True where the path need not be followed further.
    pub(crate) fn attempt<S: Coupled>(&mut self, system: &mut S, start: &[DVec3]) -> bool {
        self.p.clear();
        self.p.extend_from_slice(start);
        if self.to_rest || start.len() > LARGE {
            system.velocities(start, self.u);
            let now = self.u.iter().fold(0.0, |m, u| f64::max(m, u.length()));
            let falls = now <= 0.5 * self.speed;
            self.speed = now;
            if !falls {
                self.moves += 1;
                return self.moves == 2;
            }
        }
        let outcome = self.newton.improve_coupled(system, self.p, self.inner);
        self.steps += outcome.iterations;
        outcome.residual <= self.inner
    }

    /// Newton's steps.
    pub(crate) fn end(self) -> usize {
        self.newton.settings.patience = 12;
        self.steps
    }
}
