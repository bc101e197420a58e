//! Which limits have a row in the step, and which of those that have none turn out to be needed.

use super::Joints;
use super::rounds::Rounds;
use super::rows::{Bounds, JointRow, Source, bounds};
use crate::step::assemble::Assembly;
use crate::step::predict::Predicted;
use stickslip_geometry::Pose;
use stickslip_model::joint::Hold;
use stickslip_solvers::problem::Law;

/// A limit this many times as far away as the motions seen so far go may be reached, and has a row.
const REACH: f64 = 4.0;

/// So has one that is closer than this, m or rad, however slow the motion is.
const CLOSE: f64 = 1e-6;

impl Joints {
    /// Bounds of the rows of one kind on three axes, N s or N m s; `None` where there are none. Limits that the
    /// motion cannot reach have no row: far away their u is so large that it would drown the others.
    pub(super) fn bounds(
        &self,
        step: &Predicted,
        k: usize,
        first: usize,
        row: JointRow,
    ) -> Option<Bounds> {
        let joint = &step.model().joints[k];
        let mut bounds = bounds(joint, first, row, step.plan.h)?;
        if step.plan.is_instant() {
            return self.at_impact(step, k, first, row, bounds);
        }
        if !joint.axes[first..first + 3]
            .iter()
            .any(|a| a.limits.is_some())
        {
            return Some(bounds);
        }
        let from = &self.from[k];
        let at = |pose: &dyn Fn(usize) -> Pose| {
            let [a, b] = joint.bodies.map(|b| b.map_or(Pose::IDENTITY, pose));
            joint.place([&a, &b]).near(from)
        };
        let (trial, free) = (at(&|i| self.trial[i]), at(&|i| step.goal[i].pose));
        for i in 0..3 {
            let axis = first + i;
            let Some([lo, hi]) = joint.axes[axis].limits else {
                continue;
            };
            let limit = match row {
                JointRow::Hold => lo,
                JointRow::Upper => hi,
                JointRow::Motor | JointRow::Friction => continue,
            };
            let c = [from[axis], trial[axis], free[axis]];
            let moved = (c[1] - c[0]).abs() + (c[2] - c[0]).abs();
            let near = c.iter().any(|c| (c - limit).abs() <= REACH * moved + CLOSE)
                || c.iter().any(|c| *c < lo || *c > hi);
            if !near && !self.watched.contains(&(k, axis)) {
                bounds.lo[i] = 0.0;
                bounds.hi[i] = 0.0;
            }
        }
        (bounds.lo != bounds.hi).then_some(bounds)
    }

    /// The same in an impact: rows of limits that are reached only, and none with bounds on their force.
    fn at_impact(
        &self,
        step: &Predicted,
        k: usize,
        first: usize,
        row: JointRow,
        mut bounds: Bounds,
    ) -> Option<Bounds> {
        let joint = &step.model().joints[k];
        let side = match row {
            JointRow::Hold => 0,
            JointRow::Upper => 1,
            JointRow::Motor | JointRow::Friction => return None,
        };
        for i in 0..3 {
            let axis = &joint.axes[first + i];
            let rounding = joint.rounding(step.start()) / joint.scale(first + i);
            let reached = axis.at_limits(self.from[k][first + i], rounding)[side];
            if axis.hold == Hold::Free && !reached {
                bounds.lo[i] = 0.0;
                bounds.hi[i] = 0.0;
            }
        }
        (bounds.lo != bounds.hi).then_some(bounds)
    }

    /// Limits without a row that the trial motion breaks are given one, and the rounds of their islands end.
    pub(super) fn watch_limits(
        &mut self,
        step: &Predicted,
        assembly: &Assembly,
        rounds: &mut Rounds,
    ) {
        if step.plan.is_instant() {
            return;
        }
        for (k, joint) in step.model().joints.iter().enumerate() {
            if joint.axes.iter().all(|a| a.limits.is_none()) || !rounds.is_under_way(joint) {
                continue;
            }
            let [a, b] = joint
                .bodies
                .map(|b| b.map_or(Pose::IDENTITY, |i| self.trial[i]));
            let to = joint.place([&a, &b]).near(&self.from[k]);
            for (axis, spec) in joint.axes.iter().enumerate() {
                let Some([lo, hi]) = spec.limits else {
                    continue;
                };
                let row = if to[axis] < lo {
                    JointRow::Hold
                } else if to[axis] > hi {
                    JointRow::Upper
                } else {
                    continue;
                };
                if !self.has_row(assembly, k, axis, row) && !self.watched.contains(&(k, axis)) {
                    self.watched.push((k, axis));
                    rounds.miss(joint);
                }
            }
        }
    }

    /// Has this axis of joint `k` a row of this kind in the problem?
    fn has_row(&self, assembly: &Assembly, k: usize, axis: usize, row: JointRow) -> bool {
        let here = |source: &Source| {
            matches!(*source, Source::Joint { joint, first, row: of }
                if joint == k && first == 3 * (axis / 3) && of == row)
        };
        self.sources.iter().position(here).is_some_and(|n| {
            let block = &assembly.problem.contacts[self.first_block + n];
            matches!(block.law, Law::Bounded { lo, hi } if lo[axis % 3] != hi[axis % 3])
        })
    }
}
