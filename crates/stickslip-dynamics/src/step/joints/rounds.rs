//! The rounds until every joint is closed: after each solve the rows are set anew about the motion found. Each island has its own.

use super::islands::{Islands, Rows};
use super::linearise::Pace;
use super::middle::Mass;
use super::{Joints, joins_anything, raise_floors};
use crate::step::assemble::Assembly;
use crate::step::find::Contacts;
use crate::step::integrate::Motion;
use crate::step::predict::Predicted;
use crate::step::refuse::Failure;
use crate::step::rows::follow_displacements;
use stickslip_model::Along;
use stickslip_model::joint::Joint;
use stickslip_solvers::problem::Twist;
use stickslip_solvers::solver::Purpose;

/// Most rounds of one problem. Chains pulled nearly straight need some dozens; what needs more goes in a circle.
const MOST_ROUNDS: usize = 200;

/// Most rounds in a row without halving the misfit.
const PATIENCE: usize = 50;

/// A misfit so many times the best is that of another motion.
const ELSEWHERE: f64 = 100.0;

/// Stalled rounds from which a solver's failure is the joints' doing.
const STALLED: usize = 3;

/// The round at which an island goes on that was solved before with fewer rows: its impulses are nearly right.
const AGAIN: usize = 2;

/// A round may be solved to this part of how far the joints were off in the one before.
const COARSE: f64 = 1e-3;

/// Rounds of relinearisation of an island so far.
#[derive(Clone, Copy, Default)]
pub(super) struct Closing {
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
    /// Rounding over h of what its joints and springs hold, and of the gaps of their bodies, m/s.
    rounding: f64,
    /// The speed of its fastest body at the start of the step, m/s.
    fastest: f64,
    /// Do its rows depend on the motion?
    moves: bool,
    /// Do its joints act along the gradients of the middle of the step?
    middle: bool,
    /// Was it not to be closed?
    failed: bool,
    /// What was seen in the round at hand: by how much u is off, m/s, and whether a limit without a row is broken.
    seen: f64,
    missed: bool,
    ended: Option<Closed>,
}

/// The rounds of a step: those of its islands.
#[derive(Default)]
pub(crate) struct Rounds {
    now: Islands,
    /// Those of the problem before in this step.
    before: Islands,
    /// Has there been one?
    posed: bool,
    /// Rows that have settled, and by how much velocities of each island changed last, m/s or rad/s; negative where they have.
    settled: Rows,
    change: Vec<f64>,
    last: Vec<f64>,
}

impl Rounds {
    /// What was answered so far is forgotten.
    pub(crate) fn forget(&mut self) {
        self.posed = false;
    }

    /// The problem of a step with joints is posed, perhaps not for the first time. Islands whose rows are those of the time before have
    /// their answers in the assembly, and keep them.
    pub(crate) fn begin(
        &mut self,
        step: &Predicted,
        contacts: &Contacts,
        assembly: &mut Assembly,
        joints: &Joints,
    ) {
        if step.model().joints.is_empty() {
            return;
        }
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.find(assembly, step.model().bodies.len());
        self.measure(step, contacts, assembly);
        for (k, joint) in step.model().joints.iter().enumerate() {
            if joints.along_of(k) == Along::Middle {
                let island = self.of_joint(joint);
                self.now.progress[island].middle = true;
            }
        }
        if self.posed {
            self.now.take_over(&self.before);
            self.now.put_back(assembly);
        }
        self.posed = true;
    }

    /// Islands under way are gone on with, not begun.
    pub(super) fn go_on(&mut self) {
        for island in self.now.progress.iter_mut().filter(|p| !p.has_ended()) {
            island.since = AGAIN;
        }
    }

    /// Speed and rounding of each island.
    fn measure(&mut self, step: &Predicted, contacts: &Contacts, assembly: &Assembly) {
        for (slot, &body) in assembly.entered().iter().enumerate() {
            let island = self.now.of_slot(slot);
            let of_island = &mut self.now.progress[island];
            of_island.fastest = of_island.fastest.max(step.speed_before(body));
        }
        let mut joined = vec![false; step.model().bodies.len()];
        raise_floors(step, 1.0, |body, rounding| {
            joined[body] = true;
            let island = self.now.of_bodies([body]);
            let of_island = &mut self.now.progress[island];
            of_island.rounding = of_island.rounding.max(rounding);
        });
        for pair in step.model().joined() {
            let island = self.now.of_bodies(pair.into_iter().flatten());
            self.now.progress[island].moves = true;
        }
        for contact in &contacts.list {
            let island = self.now.of_bodies(contact.bodies);
            let of_island = &mut self.now.progress[island];
            // Where nothing is joined, gaps are all that there is.
            if !of_island.moves || contact.bodies.iter().any(|&k| joined[k]) {
                of_island.rounding = of_island.rounding.max(step.gap_rounding(contact));
            }
        }
    }

    /// The residual that will do for each block in the next round, m/s: a thousandth of how far its island was off.
    pub(crate) fn coarse(&self) -> &[f64] {
        if self.posed { &self.now.coarse } else { &[] }
    }

    /// What the next round's answer is for. Its problem is that of the round before with another right-hand side; the first round's is
    /// near that of the last step.
    pub(crate) fn purpose<'a>(&'a self, purpose: Purpose<'a>) -> Purpose<'a> {
        match purpose {
            Purpose::Answer if self.posed => Purpose::Round(self.coarse()),
            other => other,
        }
    }

    /// What a solver's failure in one of the rounds is. Where the rounds of an island had stalled or diverged, impulses grow without bound:
    /// no impulse along the joints' gradients closes them.
    pub(crate) fn blame(&mut self, failure: Failure, step: &Predicted) -> Failure {
        let under_way = self.now.progress.iter_mut().filter(|p| !p.has_ended());
        let worst = under_way
            .filter(|p| p.stalled >= STALLED || p.diverged())
            .max_by(|a, b| a.off.total_cmp(&b.off));
        match (failure, worst) {
            (Failure::Solver(_), Some(island)) if self.posed => {
                island.failed = true;
                let misfit = island.off * step.plan.h.min(1.0);
                step.joint_open(island.joint, misfit).into()
            }
            (other, _) => other,
        }
    }

    /// Islands that are closed keep their answers, whatever the solver has made of them.
    pub(crate) fn put_back(&self, assembly: &mut Assembly) {
        if self.posed {
            self.now.put_back(assembly);
        }
    }

    /// How the next round of a block's island is set up; nothing where it has ended.
    pub(crate) fn pace(&self, block: usize) -> Option<Pace> {
        let island = &self.now.progress[self.now.of_block(block)];
        (!island.has_ended()).then(|| island.pace())
    }

    /// A block is off by so many m/s; of this joint, if it is one's.
    pub(crate) fn see(&mut self, block: usize, off: f64, joint: Option<usize>) {
        let island = self.now.of_block(block);
        let island = &mut self.now.progress[island];
        if off > island.seen || off.is_nan() {
            island.seen = off;
            island.joint = joint.unwrap_or(island.joint);
        }
    }

    /// The joints of the islands that were not to be closed.
    pub(crate) fn failed(&self, step: &Predicted) -> Vec<bool> {
        let joints = step.model().joints.iter();
        let failed = joints.map(|joint| self.now.progress[self.of_joint(joint)].failed);
        failed.collect()
    }

    pub(super) fn islands(&self) -> usize {
        self.now.len()
    }

    pub(super) fn of_joint(&self, joint: &Joint) -> usize {
        self.now.of_bodies(joint.bodies.into_iter().flatten())
    }

    pub(super) fn of_block(&self, block: usize) -> usize {
        self.now.of_block(block)
    }

    pub(super) fn of_slot(&self, slot: usize) -> usize {
        self.now.of_slot(slot)
    }

    /// Do the joints of a block's island act along the gradients of the middle?
    pub(super) fn is_in_the_middle(&self, block: usize) -> bool {
        self.now.progress[self.now.of_block(block)].middle
    }

    /// Is the island of a joint under way?
    pub(super) fn is_under_way(&self, joint: &Joint) -> bool {
        let island = self.of_joint(joint);
        !self.now.progress[island].has_ended()
    }

    /// A limit of this joint has no row and is broken.
    pub(super) fn miss(&mut self, joint: &Joint) {
        let island = self.of_joint(joint);
        self.now.progress[island].missed = true;
    }

    /// Velocities are to settle, those of each island for itself, where joints act along the gradients of the middle.
    pub(super) fn settle(&mut self, assembly: &Assembly) {
        self.now.room(&mut self.settled, assembly);
        self.change.clear();
        self.change.resize(self.now.len(), 0.0);
        self.last.clear();
        let islands = self.now.progress.iter();
        self.last.extend(islands.map(|island| match island.middle {
            true => f64::INFINITY,
            false => -1.0,
        }));
    }

    /// One round of it: `nu` are velocities about those of the assembly. Islands whose velocities change no more, or no less, have settled;
    /// have all?
    pub(super) fn settled(&mut self, assembly: &mut Assembly, nu: &[Twist]) -> bool {
        self.change.fill(0.0);
        let (of_slot, last) = (|slot| self.now.of_slot(slot), &self.last);
        for (slot, new) in nu.iter().enumerate() {
            let (island, old) = (of_slot(slot), &mut assembly.nu[slot]);
            if last[island] < 0.0 {
                continue;
            }
            let change = Twist::largest_difference(&[*new], &[*old]);
            self.change[island] = self.change[island].max(change);
            *old = *new;
        }
        for island in 0..self.now.len() {
            let (change, last) = (self.change[island], self.last[island]);
            if last < 0.0 {
                continue;
            }
            self.last[island] = change;
            if change == 0.0 || change >= last {
                self.last[island] = -1.0;
                self.now.keep(&mut self.settled, assembly, island);
            }
        }
        self.last.iter().all(|&last| last < 0.0)
    }

    /// Rows that have settled stay as they are.
    pub(super) fn put_back_settled(&self, assembly: &mut Assembly) {
        let settled = |island: usize| self.last[island] < 0.0;
        self.now.put(&self.settled, assembly, settled);
    }
}

impl Closing {
    /// Is there no round to come?
    pub(super) const fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Has it ended with every joint closed?
    pub(super) fn is_closed(&self) -> bool {
        self.ended == Some(Closed::Yes)
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

    /// A misfit far beyond that of the first round and faster than any body moves is that of no motion: there is no solution.
    fn diverged(&self) -> bool {
        self.off > ELSEWHERE * self.first && self.off > self.fastest.max(1.0)
    }

    /// Takes note of how far u was off, m/s.
    fn note(&mut self, off: f64) {
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
        assembly: &mut Assembly,
        motion: &mut Motion,
        rounds: &mut Rounds,
    ) -> Result<Closed, Failure> {
        if !joins_anything(step.model()) {
            return Ok(Closed::Yes);
        }
        self.try_next(&motion.bodies);
        self.store(step, assembly, motion);
        if step.model().joints.is_empty() {
            // Rows of springs do not depend on the motion.
            return Ok(Closed::Yes);
        }
        rounds.now.note(assembly);
        if self.any_in_the_middle() {
            self.turn(step, assembly, Mass::Symmetric);
        }
        for island in &mut rounds.now.progress {
            (island.seen, island.missed) = (0.0, false);
        }
        let (blocks, nu, p) = (
            &mut assembly.problem.contacts,
            &assembly.nu,
            &assembly.impulses,
        );
        self.linearise(step, blocks, nu, p, rounds);
        self.watch_limits(step, assembly, rounds);
        follow_displacements(step, assembly, motion, rounds);
        self.unsettled(assembly, rounds);
        rounds.verdict(step, assembly)
    }
}

impl Rounds {
    /// What becomes of the islands under way.
    fn verdict(&mut self, step: &Predicted, assembly: &mut Assembly) -> Result<Closed, Failure> {
        let mut all = Closed::Yes;
        for island in &mut self.now.progress {
            if !island.has_ended() {
                let closed = island.verdict(step);
                island.failed = closed.is_err();
                let closed = closed?;
                island.ended = (closed != Closed::NotYet).then_some(closed);
            }
            all = match (all, island.ended) {
                (_, None | Some(Closed::NotYet)) | (Closed::NotYet, _) => Closed::NotYet,
                (Closed::LimitMissed, _) | (_, Some(Closed::LimitMissed)) => Closed::LimitMissed,
                (Closed::Yes, Some(Closed::Yes)) => Closed::Yes,
            };
        }
        self.now.set_coarse(|island| COARSE * island.off);
        if all == Closed::NotYet {
            self.now.put_back(assembly);
        }
        Ok(all)
    }
}

impl Closing {
    /// Closed to rounding, so that nothing creeps; or well within the tolerance where that is not reached. Rows that do not depend on the
    /// motion need one round.
    fn verdict(&mut self, step: &Predicted) -> Result<Closed, Failure> {
        if self.missed {
            return Ok(Closed::LimitMissed);
        }
        let change = self.seen;
        // Long steps count as a second.
        self.note(change * step.plan.h.max(1.0));
        let (off, moves) = (self.off, self.moves || change > 0.0);
        let enough = self.stalled > 0 && off <= 0.05 * step.settings.still();
        if !moves || off <= 0.25 * self.rounding || enough {
            return Ok(Closed::Yes);
        }
        let goes_on = self.stalled < PATIENCE && !self.diverged();
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
