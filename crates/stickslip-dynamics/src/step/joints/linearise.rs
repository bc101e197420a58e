//! The right-hand side of the joints' rows about a trial motion.

use super::middle::Mass;
use super::rounds::Rounds;
use super::rows::Source;
use super::{Joints, set_velocities};
use crate::step::assemble::Assembly;
use crate::step::integrate::Motion;
use crate::step::predict::Predicted;
use glam::DVec3;
use stickslip_model::BodyState;
use stickslip_model::joint::AXES;
use stickslip_solvers::problem::{ContactBlock, Law, Twist};

/// How the next round is set up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Its number.
    pub(super) round: usize,
    /// Rounds that have stalled: so much further the compliance falls.
    pub(super) stalled: usize,
    /// How much of the change of b is made: less than all where the rounds go in a circle.
    pub(crate) relaxation: f64,
}

impl Pace {
    /// The first round of a step.
    pub(super) const FIRST: Self = Self {
        round: 0,
        stalled: 0,
        relaxation: 1.0,
    };
}

/// Compliance of a round, relative to w̄: large at first, so that contradictions of redundant rows leave little
/// behind, then ever smaller, so that p settles fast.
const FALLING: [f64; 10] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11];
/// The round from which on it falls no more, unless rounds stall.
const SETTLED: usize = 5;
/// By so many rounds joints without rings are ahead: their rows contradict nothing. (A hand that holds a ball was off by 5e-2 m/s after the first of eight rounds,
/// all of it compliance.)
const WITHOUT_RINGS: usize = 2;

impl Joints {
    /// Compliance of the rows of joint `k` in a round, relative to w̄.
    pub(super) fn compliance(&self, k: usize, pace: Pace) -> f64 {
        let ahead = if self.ringed[k] { 0 } else { WITHOUT_RINGS };
        let round = (pace.round + ahead).min(SETTLED) + pace.stalled;
        FALLING[round.min(FALLING.len() - 1)]
    }

    /// The first trial: the last iterate, or free bodies go on as they did and prescribed ones go where they must.
    pub(super) fn set_trial(&mut self, step: &Predicted, iterate: Option<&[BodyState]>) {
        self.trial.clear();
        if let Some(iterate) = iterate {
            self.trial.extend(iterate.iter().map(|s| s.pose));
            return;
        }
        let trial = step.start().iter().zip(&step.model().bodies).enumerate();
        self.trial.extend(trial.map(|(i, (state, body))| {
            if body.is_free() {
                state.pose.moved(&state.twist, step.plan.h)
            } else {
                step.goal[i].pose
            }
        }));
    }

    /// Takes the poses of `next` as the trial motion.
    pub(super) fn try_next(&mut self, next: &[BodyState]) {
        self.trial.clear();
        self.trial.extend(next.iter().map(|s| s.pose));
    }

    /// Sets b so that u = Wᵀν + b + C p is what the coordinates say at the trial motion `nu` (whose poses are in
    /// `trial`) with impulses `p`, C that of the next round, for the islands that have one. The rounds see by how much u was off.
    pub(super) fn linearise(
        &self,
        step: &Predicted,
        blocks: &mut [ContactBlock],
        nu: &[Twist],
        p: &[DVec3],
        rounds: &mut Rounds,
    ) {
        for n in 0..self.sources.len() {
            let place = self.first_block + n;
            if let Some(pace) = rounds.pace(place)
                && let Some((off, joint)) =
                    self.linearise_block(step, n, &mut blocks[place], (nu, p[place]), pace)
            {
                rounds.see(place, off, Some(joint));
            }
        }
    }

    /// The same before the first round: of all, without impulses.
    pub(super) fn linearise_first(
        &self,
        step: &Predicted,
        blocks: &mut [ContactBlock],
        nu: &[Twist],
    ) {
        for n in 0..self.sources.len() {
            let block = &mut blocks[self.first_block + n];
            self.linearise_block(step, n, block, (nu, DVec3::ZERO), Pace::FIRST);
        }
    }

    /// The step was posed and solved before, and rows have come in since. Where islands are under way because of them, their rounds are gone on with: from
    /// the impulses of the motion found, and about it.
    pub(crate) fn go_on(
        &mut self,
        step: &Predicted,
        assembly: &mut Assembly,
        found: &Motion,
        rounds: &mut Rounds,
    ) {
        if step.model().joints.is_empty() {
            return;
        }
        rounds.go_on();
        self.try_next(&found.bodies);
        for (n, source) in self.sources.iter().enumerate() {
            let place = self.first_block + n;
            if rounds.pace(place).is_some() {
                assembly.impulses[place] = self.impulse_of(source, step.model(), &found.joints);
            }
        }
        set_velocities(assembly, &found.bodies);
        if self.any_in_the_middle() {
            self.turn(step, assembly, Mass::Symmetric);
        }
        let (blocks, nu, p) = (
            &mut assembly.problem.contacts,
            &assembly.nu,
            &assembly.impulses,
        );
        self.linearise(step, blocks, nu, p, rounds);
    }

    /// The same of the nth block. Returns by how much u was off in the round before, m/s, and its joint; nothing for a spring.
    fn linearise_block(
        &self,
        step: &Predicted,
        n: usize,
        block: &mut ContactBlock,
        (nu, p): (&[Twist], DVec3),
        pace: Pace,
    ) -> Option<(f64, usize)> {
        match self.sources[n] {
            Source::Gear { gear } => {
                let gear = &step.model().gears[gear];
                let off = self.linearise_gear(step, (n, gear), block, (nu, p.x), pace);
                Some((off, gear.joints[1]))
            }
            Source::Joint { joint: k, .. } => {
                let to = self.tried(step, k);
                Some((self.linearise_joint(step, n, &to, block, (nu, p), pace), k))
            }
            Source::Spring { .. } => None,
        }
    }

    /// The same of the nth block, which is a joint's, whose coordinates at the trial motion are `to`.
    fn linearise_joint(
        &self,
        step: &Predicted,
        n: usize,
        to: &[f64; AXES],
        block: &mut ContactBlock,
        (nu, p): (&[Twist], DVec3),
        pace: Pace,
    ) -> f64 {
        let (
            Source::Joint {
                joint: k,
                first,
                row,
            },
            Law::Bounded { lo, hi },
        ) = (self.sources[n], &block.law)
        else {
            return 0.0;
        };
        let (lo, hi, joint) = (*lo, *hi, &step.model().joints[k]);
        let mut world = DVec3::ZERO;
        for arm in block.arms.iter().flatten() {
            world += arm.velocity(&nu[arm.body]);
        }
        let rates = block.to_contact(world);
        let said = rates + block.b + block.compliance * p;
        let old = block.b + block.compliance * p;
        let gives = self.gives[n];
        block.compliance = DVec3::splat(self.compliance(k, pace) * self.w_bar[n]) + gives;
        let mut worst = 0.0;
        for i in (0..3).filter(|&i| lo[i] != hi[i]) {
            let axis = first + i;
            let u = if step.plan.is_instant() {
                rates[i] - self.kept_rate(step, k, axis) * joint.scale(axis)
            } else {
                let wanted = self.wanted(step, k, axis, row);
                (to[axis] - wanted) / step.plan.h * joint.scale(axis) + gives[i] * p[i]
            };
            let off = (u - said[i]).abs();
            if off > worst || off.is_nan() {
                worst = off;
            }
            let new = old[i] + (u - rates[i] - old[i]) * pace.relaxation;
            block.b[i] = new - block.compliance[i] * p[i];
        }
        worst
    }
}
