//! Stages that look for rest: the convex relaxation, the quotient of a symmetric problem, and what a cold step does with an
//! answer that moves.

use crate::auto::best::{Aside, Best};
use crate::auto::chain::{Chain, Verdict};
use crate::auto::plans::{LARGE, LEAST_PATIENCE};
use crate::coupling::Quotient;
use crate::coupling::symmetries;
use crate::coupling::{Coupled, System};
use crate::engines::homotopy::HomotopySettings;
use crate::engines::newton::{Newton, NewtonSettings};
use crate::problem::Posed;
use crate::problem::rounded::Rounded;
use crate::solver::Effort;
use glam::DVec3;

/// How far the path of the relaxation is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follow {
    /// As long as its velocities fall: only a rest is looked for. (Always so in a large problem.)
    ToRest,
    /// To its end.
    ToTheEnd,
}

/// Velocities fall if each point of the path has at most this part of the speed before; after so many that do not there is no
/// rest at its end, and the interior point is the shorter way to a motion. (Chosen without measurement.)
const FALLS: f64 = 0.5;
const MOST_MOVES: usize = 2;
/// Everything rests where no contact is faster than so many tolerances. (Chosen without measurement.)
const RESTS: f64 = 1e3;

/// Newton from impulses on the path of the convex relaxation.
struct PathAttempts<'a> {
    newton: &'a mut Newton,
    settings: NewtonSettings,
    u: &'a mut Vec<DVec3>,
    p: &'a mut Vec<DVec3>,
    tolerance: f64,
    follow: Follow,
    speed: f64,
    moves: usize,
    effort: Effort,
}

impl PathAttempts<'_> {
    /// True where the path need not be followed further.
    fn attempt<S: Coupled>(&mut self, system: &mut S, start: &[DVec3]) -> bool {
        self.p.clear();
        self.p.extend_from_slice(start);
        if self.follow == Follow::ToRest || start.len() > LARGE {
            system.velocities(start, self.u);
            let now = self.u.iter().fold(0.0, |m, u| f64::max(m, u.length()));
            let falls = now <= FALLS * self.speed;
            self.speed = now;
            if !falls {
                self.moves += 1;
                return self.moves == MOST_MOVES;
            }
        }
        let (newton, settings) = (&mut *self.newton, &self.settings);
        let outcome = newton.improve_coupled(system, self.p, self.tolerance, settings);
        self.effort += outcome.effort;
        outcome.residual <= self.tolerance
    }
}

/// Attempts along a path, with the memory of a kit and the settings of a chain.
macro_rules! attempts {
    ($chain:expr, $follow:expr, $p:expr) => {
        PathAttempts {
            settings: NewtonSettings {
                patience: LEAST_PATIENCE,
                ..$chain.newton_settings()
            },
            newton: &mut $chain.kit.newton,
            u: &mut $chain.kit.u,
            p: $p,
            tolerance: $chain.inner,
            follow: $follow,
            speed: f64::INFINITY,
            moves: 0,
            effort: Effort::default(),
        }
    };
}

impl Chain<'_> {
    /// Newton from impulses on the path of the convex relaxation (of the cones inside the pyramids).
    pub(super) fn relaxation(&mut self, follow: Follow, p: &mut Vec<DVec3>) -> Verdict {
        self.by_relaxation(follow, p).into()
    }

    fn by_relaxation(&mut self, follow: Follow, p: &mut Vec<DVec3>) -> bool {
        let settings = self.interior_settings();
        let mut attempts = attempts!(self, follow, p);
        let (system, path) = (&mut self.system, &mut self.kit.interior_point);
        let mut effort = if self.profile.smooth {
            path.follow_relaxed(system, &settings, &mut |s: &mut System, start: &[DVec3]| {
                attempts.attempt(s, start)
            })
        } else {
            let rounded = Rounded::of(self.problem);
            let mut cones = self.kit.cones.system(rounded.posed());
            let mut on_pyramids = |_: &mut System, start: &[DVec3]| attempts.attempt(system, start);
            path.follow_relaxed(&mut cones, &settings, &mut on_pyramids)
        };
        effort += attempts.effort;
        self.judge(p, effort, "newton")
    }

    /// The symmetric answers of a symmetric problem, found on its quotient: rest, then the interior point, then the
    /// homotopy along `paths`; Newton finishes on the problem as given.
    pub(super) fn quotient(&mut self, paths: &HomotopySettings, p: &mut Vec<DVec3>) -> Verdict {
        let Posed::Step(step) = self.problem else {
            return Verdict::Next;
        };
        let group = symmetries(step);
        if group.is_empty() {
            return Verdict::Next;
        }
        let mut quotient = Quotient::new(step, &group);
        let mut reduced = vec![DVec3::ZERO; quotient.len()];
        let Some((effort, solver)) = self.on_quotient(&mut quotient, paths, &mut reduced) else {
            return Verdict::Next;
        };
        quotient.expand(&reduced, p);
        // Where data are symmetric but for more than rounding, Newton leads from the symmetric problem to the true one.
        let newton = self.newton_settings();
        (self.judge(p, effort, solver) || self.newton(&newton, p)).into()
    }

    /// Solves the quotient: what that took and the method that did it; None, and the effort charged, where none does.
    fn on_quotient(
        &mut self,
        quotient: &mut Quotient,
        paths: &HomotopySettings,
        reduced: &mut Vec<DVec3>,
    ) -> Option<(Effort, &'static str)> {
        let interior = self.interior_settings();
        let homotopy = self.homotopy_settings(paths);
        let inner = self.inner;
        let mut attempts = attempts!(self, Follow::ToTheEnd, reduced);
        let engine = &mut self.kit.interior_point;
        let mut effort = engine.follow_relaxed(
            quotient,
            &interior,
            &mut |q: &mut Quotient, start: &[DVec3]| attempts.attempt(q, start),
        );
        effort += attempts.effort;
        if quotient.residual(reduced, &mut self.kit.u) <= inner {
            return Some((effort, "newton"));
        }
        let outcome = engine.improve_coupled(quotient, reduced, inner, &interior);
        effort += outcome.effort;
        if outcome.residual <= inner {
            return Some((effort, "interior-point"));
        }
        let engine = &mut self.kit.homotopy;
        let outcome = engine.improve_coupled(quotient, reduced, inner, &homotopy);
        effort += outcome.effort;
        if outcome.residual <= inner {
            return Some((effort, "homotopy"));
        }
        self.charge(effort);
        None
    }
}

// A cold step: what can rest, rests.

impl Chain<'_> {
    /// Newton from zero. An answer that moves is set aside, for there may be rest.
    pub(super) fn newton_to_rest(&mut self, p: &mut Vec<DVec3>) -> Verdict {
        let newton = self.newton_settings();
        let solved = self.newton(&newton, p);
        let slides = self.profile.start == crate::auto::profile::Start::Sliding;
        if solved && (slides || self.rests(p)) {
            return Verdict::Answer;
        }
        let best = std::mem::replace(&mut self.best, Best::start(p));
        self.aside = Some(Aside { best, solved });
        Verdict::Next
    }

    /// [`Self::relaxation`]; where an answer is known that moves, only a rest is better.
    pub(super) fn relaxation_to_rest(&mut self, p: &mut Vec<DVec3>) -> Verdict {
        let found = self.by_relaxation(Follow::ToTheEnd, p);
        (found && (!self.answer_is_known() || self.rests(p))).into()
    }

    /// What was set aside is taken up again.
    pub(super) fn first_answer(&mut self, _: &mut Vec<DVec3>) -> Verdict {
        self.take_up().into()
    }

    /// Is an answer set aside?
    pub(super) fn answer_is_known(&self) -> bool {
        self.aside.as_ref().is_some_and(|aside| aside.solved)
    }

    /// Is every contact at rest, or none loaded?
    fn rests(&mut self, p: &[DVec3]) -> bool {
        if p.iter().all(|p| p.x == 0.0) {
            return true;
        }
        let u = &mut self.kit.u;
        self.system.velocities(p, u);
        u.iter().all(|u| u.length() <= RESTS * self.inner)
    }
}
