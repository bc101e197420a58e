//! The rounds until every joint is closed: after each solve the rows are set anew about the motion found.

use super::linearise::{AGAIN, Pace};
use super::middle::Mass;
use super::{Joints, joins_anything, rounding_over_h};
use crate::step::assemble::Assembly;
use crate::step::find::Contacts;
use crate::step::integrate::Motion;
use crate::step::predict::Predicted;
use crate::step::refuse::Failure;
use crate::step::rows::follow_displacements;
use stickslip_model::Along;
use stickslip_solvers::solver::Purpose;

/// Most rounds of one problem. Chains pulled nearly straight need some dozens; what needs more goes in a circle.
const MOST_ROUNDS: usize = 200;

/// Most rounds in a row without halving the misfit.
const PATIENCE: usize = 50;

/// A misfit so many times the best is that of another motion.
const ELSEWHERE: f64 = 100.0;

/// Stalled rounds from which a solver's failure is the joints' doing.
const STALLED: usize = 3;

/// A round may be solved to this part of how far the joints were off in the one before.
const COARSE: f64 = 1e-3;

/// Rounds of relinearisation so far.
#[derive(Default)]
pub(crate) struct Rounds {
    count: usize,
    /// Rounds since the motion was another one.
    since: usize,
    /// Rounds since the misfit last halved.
    stalled: usize,
    best: f64,
    /// By how much u was off in the first round, m/s.
    first: f64,
    /// By how much u was off in the last round, m/s, and the joint where.
    off: f64,
    joint: usize,
}

impl Rounds {
    /// Those of a problem that was solved before with fewer rows.
    pub(crate) fn again() -> Self {
        Self {
            since: AGAIN,
            ..Self::default()
        }
    }

    /// The residual that will do for the next round, m/s: a thousandth of how far the joints were off.
    pub(crate) fn coarse(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            COARSE * self.off
        }
    }

    /// What the next round's answer is for. Its problem is that of the round before with another right-hand side; the first round's is
    /// near that of the last step.
    pub(crate) fn purpose(&self, purpose: Purpose, joints: bool) -> Purpose {
        match purpose {
            Purpose::Answer if joints => Purpose::Round(self.coarse()),
            other => other,
        }
    }

    /// Where rows nearly depend on each other, impulses grow by what is off over the compliance: it goes on falling, so that
    /// the load is found at which something gives way. Rounds that only go in a circle (a limit or a contact that opens
    /// and closes) are slowed down.
    fn pace(&self) -> Pace {
        Pace {
            round: self.since + 1,
            stalled: self.stalled.saturating_sub(2),
            relaxation: match self.stalled {
                0..12 => 1.0,
                12..24 => 0.5,
                24..36 => 0.25,
                _ => 0.1,
            },
        }
    }

    /// What a solver's failure in one of the rounds is. Where the rounds had stalled or diverged, impulses grow without bound: no impulse
    /// along the joints' gradients closes them.
    pub(crate) fn blame(&self, failure: Failure, step: &Predicted) -> Failure {
        match failure {
            Failure::Solver(_) if self.stalled >= STALLED || self.diverged(step) => {
                let misfit = self.off * step.plan.h.min(1.0);
                step.joint_open(self.joint, misfit).into()
            }
            other => other,
        }
    }

    /// A misfit far beyond that of the first round and faster than any body moves is that of no motion: there is no solution.
    fn diverged(&self, step: &Predicted) -> bool {
        let fastest = step.last.certificate.speed.max(1.0);
        self.off > ELSEWHERE * self.first && self.off > fastest
    }

    /// Takes note of how far u was off, m/s, and of the joint where.
    fn note(&mut self, off: f64, joint: usize) {
        self.joint = joint;
        self.count += 1;
        self.since += 1;
        self.off = off;
        if self.count == 1 {
            self.first = off;
        }
        if self.count == 1 || off < 0.5 * self.best {
            self.best = off;
            self.stalled = 0;
        } else if off > ELSEWHERE * self.best {
            // Something gave way: from here on it is another motion.
            self.best = off;
            (self.stalled, self.since) = (0, 1);
        } else {
            self.stalled += 1;
        }
    }
}

/// How a round of the joints ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    /// Every coordinate is what its row says.
    Yes,
    /// Solve again with the rows as they are now.
    NotYet,
    /// A limit that had no row is broken: assemble again, with it.
    LimitMissed,
}

impl Joints {
    /// After a solve: do the coordinates at the end of `motion` say what the rows said? Where not, the rows are set anew
    /// about it, and the problem is to be solved again. What joints and springs did is stored in the motion.
    pub(crate) fn close(
        &mut self,
        step: &Predicted,
        contacts: &Contacts,
        assembly: &mut Assembly,
        motion: &mut Motion,
        rounds: &mut Rounds,
    ) -> Result<Closed, Failure> {
        if !joins_anything(step.model()) {
            return Ok(Closed::Yes);
        }
        self.try_next(&motion.bodies);
        self.store(step, assembly, motion);
        let pace = rounds.pace();
        if self.along == Along::Middle {
            self.turn(step, assembly, Mass::Symmetric);
        }
        let (blocks, nu, p) = (
            &mut assembly.problem.contacts,
            &assembly.nu,
            &assembly.impulses,
        );
        let (off_joints, joint) = self.linearise(step, blocks, nu, p, pace);
        if self.watch_limits(step, assembly) > 0 {
            return Ok(Closed::LimitMissed);
        }
        let off_rows = follow_displacements(step, assembly, motion, pace.relaxation);
        let change = [off_rows, self.unsettled(assembly)]
            .into_iter()
            .fold(off_joints, larger);
        // Long steps count as a second.
        rounds.note(change * step.plan.h.max(1.0), joint);
        let moves = self.needs_trials() || off_rows > 0.0;
        rounds.verdict(step, contacts, change, moves)
    }
}

/// The larger of two; not a number if one is not.
fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

impl Rounds {
    /// Closed to rounding, so that nothing creeps; or well within the tolerance where that is not reached. `change` is by how
    /// much the rows were off, m/s; rows that do not depend on the motion (`moves`) need one round.
    fn verdict(
        &self,
        step: &Predicted,
        contacts: &Contacts,
        change: f64,
        moves: bool,
    ) -> Result<Closed, Failure> {
        let off = self.off;
        let enough = self.stalled > 0 && off <= 0.05 * step.settings.aim();
        if !moves || off <= 0.25 * rounding_over_h(step, &contacts.list) || enough {
            return Ok(Closed::Yes);
        }
        let goes_on = self.stalled < PATIENCE && !self.diverged(step);
        if self.count < MOST_ROUNDS && goes_on && !off.is_nan() {
            return Ok(Closed::NotYet);
        }
        // A chain pulled straight is closed slowly: the judge decides where half of what may be accepted is reached.
        let misfit = change * step.plan.h;
        if misfit <= 0.5 * step.settings.tolerance.max(step.settings.accept) {
            return Ok(Closed::Yes);
        }
        Err(step.joint_open(self.joint, misfit).into())
    }
}
