//! The joints' part of a step: explicit springs, the rows, and the rounds until every joint is closed.

use crate::error::StepError;
use crate::joints::{Pace, StepView, last_phi};
use crate::refusal::Failure;
use crate::world::World;
use glam::DVec3;
use stickslip_model::Scheme;
use stickslip_solvers::problem::Twist;

/// Rounds of relinearisation so far.
#[derive(Default)]
pub(crate) struct Rounds {
    count: usize,
    /// Rounds since the motion was another one.
    since: usize,
    /// Rounds since the misfit last halved.
    stalled: usize,
    best: f64,
    /// By how much u was off in the last round, m/s, and the joint where.
    off: f64,
    joint: usize,
}

impl Rounds {
    /// The residual that will do for the next round, m/s: a thousandth of how far the joints were off.
    pub(crate) fn coarse(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            1e-3 * self.off
        }
    }

    /// Where rows nearly depend on each other, impulses grow by what is off over the compliance: it goes on falling, so that
    /// the load is found at which something gives way. Rounds that only go in a circle (a limit or a contact that opens
    /// and closes) are slowed down.
    fn pace(&self) -> Pace {
        Pace {
            round: (self.since + 1).min(5) + self.stalled.saturating_sub(2),
            relaxation: match self.stalled {
                0..12 => 1.0,
                12..24 => 0.5,
                24..36 => 0.25,
                _ => 0.1,
            },
        }
    }

    /// Takes note of how far u was off, m/s.
    fn note(&mut self, off: f64) {
        self.count += 1;
        self.since += 1;
        self.off = off;
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

/// What a round of the joints came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    /// Every coordinate is what its row says.
    Yes,
    /// Solve again with the rows as they are now.
    NotYet,
    /// A limit that had no row is broken: assemble again, with it.
    LimitMissed,
}

/// Most rounds, and most without halving the misfit.
const ROUNDS: usize = 200;
const PATIENCE: usize = 50;

/// A misfit so many times the best is that of another motion.
const ELSEWHERE: f64 = 100.0;

/// How far rounding may break the energy inequality, relative to its size.
const ENERGY_ROUNDING: f64 = 1e-12;

impl World {
    pub(crate) fn joint_view(&self) -> StepView<'_> {
        StepView {
            model: &self.model,
            h: self.work.plan.h,
            grid: self.settings.h,
            states: &self.last.bodies,
            inverse: &self.work.inverse,
            goal: &self.work.goal,
            last: &self.last.joints,
            iterate: (self.work.plan.scheme == Scheme::Implicit).then_some(&self.work.next),
        }
    }

    /// Where asked: the energy inequality of the step, to 1e-12 of its size.
    pub(crate) fn check_energy(&mut self) -> Result<(), StepError> {
        if !self.settings.energy_check {
            return Ok(());
        }
        let (judge, case) = self.judge_and_case();
        let (left, size) = judge.energy_slack(&case);
        let relative = if size > 0.0 { left / size } else { 0.0 };
        if relative < -ENERGY_ROUNDING || relative.is_nan() {
            return Err(StepError::EnergyGain {
                step: self.last.step + 1,
                t: self.t_next(),
                gain: -relative,
            });
        }
        self.energy_slack = Some(relative);
        Ok(())
    }

    /// Springs taken at the start of the step: −γφ − δ dφ/dt as a force like any other.
    pub(crate) fn apply_explicit_springs(&mut self) {
        let states = &self.last.bodies;
        for (k, spring) in self.model.springs.iter().enumerate() {
            if !spring.explicit {
                continue;
            }
            let near = last_phi(&self.model, &self.last.joints, k);
            let placed = spring.place(&self.model, states, near);
            let rates = placed.rates(states, states, |_| true);
            let f = placed.vector(-placed.phi * spring.stiffness - rates * spring.damping);
            for arm in placed.arms.iter().flatten() {
                let sum = &mut self.work.wrench[arm.body];
                let f = f * arm.sign;
                if placed.torque {
                    sum.torque += f;
                } else {
                    let lever = arm.point - states[arm.body].pose.position;
                    sum.force += f;
                    sum.torque += lever.cross(f);
                }
            }
        }
    }

    /// Adds the rows of joints and springs to the problem.
    pub(crate) fn assemble_joints(&mut self, guess: &mut Vec<DVec3>) -> Result<(), Failure> {
        if self.model.joints.is_empty() && self.model.springs.is_empty() {
            return Ok(());
        }
        let mut joints = std::mem::take(&mut self.work.joints);
        let mut problem = std::mem::take(&mut self.work.problem);
        let view = self.joint_view();
        joints.place(&view);
        let singular = joints.singular(&self.model);
        joints.assemble(&view, &mut problem, guess);
        self.work.joints = joints;
        self.work.problem = problem;
        match singular {
            Some(joint) => Err(self.step_failure(self.joint_singular(joint))),
            None => Ok(()),
        }
    }

    /// What a solver's failure in one of the rounds is. Where the rounds had stalled, impulses grow without bound: no impulse
    /// along the joints' gradients closes them.
    pub(crate) fn in_rounds(&self, failure: Failure, rounds: &Rounds) -> Failure {
        match failure {
            Failure::Solver(_) if rounds.stalled >= 3 => {
                let misfit = rounds.off * self.work.plan.h.min(1.0);
                self.step_failure(self.joint_open(rounds.joint, misfit))
            }
            other => other,
        }
    }

    fn step_failure(&self, error: StepError) -> Failure {
        Failure::Step(Box::new(error))
    }

    /// After a solve: do the coordinates at the end of the step say what the rows said? Where not, the rows are
    /// set anew about the motion found, and the step is to be solved again.
    pub(crate) fn joints_closed(
        &mut self,
        nu: &[Twist],
        impulses: &[DVec3],
        rounds: &mut Rounds,
    ) -> Result<Closed, Failure> {
        if self.model.joints.is_empty() && self.model.springs.is_empty() {
            return Ok(Closed::Yes);
        }
        let mut joints = std::mem::take(&mut self.work.joints);
        let mut problem = std::mem::take(&mut self.work.problem);
        joints.try_next(&self.work.next);
        let view = self.joint_view();
        joints.store(&view, impulses, &self.work.next);
        let pace = rounds.pace();
        let (change, joint) = joints.linearise(&view, &mut problem, nu, impulses, pace);
        let missed = joints.watch_limits(&view, &problem);
        let trials = joints.needs_trials();
        self.work.joints = joints;
        self.work.problem = problem;
        if missed > 0 {
            return Ok(Closed::LimitMissed);
        }
        let off_rows = self.follow_displacements(nu, pace.relaxation);
        let change = if off_rows > change || off_rows.is_nan() {
            off_rows
        } else {
            change
        };
        let floor = self.gap_floor();
        // Long steps count as a second.
        let h = self.work.plan.h;
        let off = change * h.max(1.0);
        rounds.note(off);
        rounds.joint = joint;
        // Closed to rounding, so that nothing creeps; or well within the tolerance where that is not reached.
        let enough = rounds.stalled > 0 && off <= 0.05 * self.settings.tolerance;
        if !(trials || off_rows > 0.0) || off <= 0.25 * floor || enough {
            return Ok(Closed::Yes);
        }
        if rounds.count >= ROUNDS || rounds.stalled >= PATIENCE || off.is_nan() {
            // A chain pulled straight is closed slowly: the judge's own bound, 1e-10 m, will do.
            if change * h <= 0.5 * self.settings.tolerance {
                return Ok(Closed::Yes);
            }
            return Err(self.step_failure(self.joint_open(joint, change * h)));
        }
        Ok(Closed::NotYet)
    }
}
