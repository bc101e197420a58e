//! Methods with fixed steps, and the ladder that they go down where a step is not certified.
//!
//! ```text
//!   1  the solver of the scene, then `auto` if that is another    (`step/mod.rs`)
//!   2  the step again as two, four, … sixty-four shorter ones     each certified, a record of its own; as eight at most where
//!                                                                 an answer of rung 3 is at hand, and not at all where one
//!                                                                 is and the run has no patience left (`patience.rs`)
//!   3  an answer whose residual is within `accept`                recorded with that residual: approximate
//!   4  the step with overlaps left as they are, whole or shorter  certified, and recorded as what it is: leaving
//!   5  the whole step once more, with patience                    certified after all, or approximate
//!   6  stop, the world as it was
//! ```
//!
//! Shorter steps are steps like any other: forces in their middle, prescribed bodies at their end, gaps over their own length (but
//! overlaps that were there before over h: `Scheme::gap_rate`). After the hard one they grow again to h/8, and from the next grid point on they are
//! whole. On rung 3 the longest step that has such an answer is taken: residuals are velocities, so a shorter one is not better,
//! and there would be sixty-four of them.
//!
//! Rung 4 is for what overlaps and is locked by friction (`Scheme::Leaving`): the law has no answer there that undoes the overlap, in
//! steps of any length. After such a step the next ones begin with it, but for one in eight, which comes to it as soon as the whole step is refused.
//!
//! Methods whose steps end at events have no grid to divide: the event-driven one goes from rung 1 to 3, and the extrapolated
//! one, which chooses its steps by a wanted error and shortens those that are refused itself, stops.

use crate::error::StepError;
use crate::methods::Driver;
use crate::step::gate::Judged;
use crate::step::refuse::Refused;
use crate::step::task::{Plan, Task, Wish};
use stickslip_model::Scheme;
use stickslip_model::bytes::Stored;

/// Parts of a whole step: it is divided into so many at most. What a step of h/64 cannot resolve is no matter of its length.
const PARTS: u32 = 64;

/// Parts into which it is divided at most where an answer within `accept` is at hand. (What eight shorter steps do not resolve are
/// redundant contacts that contradict each other by less than that: a wall of a hundred bricks that is hit took two minutes for a
/// step of sixty-four parts, of which some were approximate too. With four, steps stay approximate that eight certify.)
const FEWER: u32 = 8;

/// Parts grow up to this length. Eight steps of h/8 take less than finding out, perhaps in vain, whether h/4 or h/2 would do.
const LONGEST_GROWN: u32 = PARTS / 8;

/// What is locked is not tried to be undone but every so many steps: to find out that it cannot be takes a hundred times as long as the step.
const LOCKED_FOR: u64 = 8;

/// Where a method with fixed steps stands, and how long its next step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    /// Grid points reached.
    reached: u64,
    /// Parts done since.
    done: u32,
    /// Parts that the next step is long: a power of two, of which `done` is a multiple.
    length: u32,
}

impl Stored for Grid {
    fn put(&self, out: &mut Vec<u8>) {
        (self.reached, (self.done, self.length)).put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let (reached, (done, length)) = Stored::take(from)?;
        let grid = Self {
            reached,
            done,
            length,
        };
        let is_part = (1..=PARTS).contains(&length) && length.is_power_of_two();
        (is_part && done < PARTS && done.is_multiple_of(length)).then_some(grid)
    }
}

impl Default for Grid {
    fn default() -> Self {
        Self {
            reached: 0,
            done: 0,
            length: PARTS,
        }
    }
}

impl Grid {
    /// At the part that is nearest to the time `t` (s), with steps of `h`; the next step is as long as it can be there.
    pub(crate) fn at(t: f64, h: f64) -> Self {
        let parts = (t / h * f64::from(PARTS)).round() as u64;
        let done = (parts % u64::from(PARTS)) as u32;
        Self {
            reached: parts / u64::from(PARTS),
            done,
            length: 1 << done.trailing_zeros().min(PARTS.ilog2()),
        }
    }

    /// Is there such a step on a grid of `h`, whole or a part?
    pub(crate) fn has(plan: &Plan, h: f64) -> bool {
        let end = (plan.t_next / h * f64::from(PARTS)).round() as u64;
        let lengths = (0..=PARTS.ilog2()).map(|k| 1 << k);
        lengths.into_iter().any(|length: u32| {
            let start = end.checked_sub(u64::from(length));
            start.is_some_and(|start| {
                let grid = Self {
                    reached: start / u64::from(PARTS),
                    done: (start % u64::from(PARTS)) as u32,
                    length,
                };
                grid.done.is_multiple_of(length) && Plan::on_grid(&grid, h, plan.scheme) == *plan
            })
        })
    }

    /// Grid points reached.
    pub(crate) const fn reached(&self) -> u64 {
        self.reached
    }

    /// Length of the next step, in units of h. Exact, as its end is: both are multiples of 1/64.
    pub(crate) fn share(&self) -> f64 {
        f64::from(self.length) / f64::from(PARTS)
    }

    /// Time at the end of the next step, in units of h: times are products, so that they carry no accumulated error.
    pub(crate) fn end(&self) -> f64 {
        self.reached as f64 + f64::from(self.done + self.length) / f64::from(PARTS)
    }

    /// Does the next step end at a grid point?
    pub(crate) const fn ends_whole(&self) -> bool {
        self.done + self.length == PARTS
    }

    /// The next step in two; is that possible?
    const fn halve(&mut self) -> bool {
        if self.length == 1 {
            return false;
        }
        self.length /= 2;
        true
    }

    /// After the next step: as long a one again; a whole one from a grid point. Very short ones are followed by one of twice the length
    /// where that is at a multiple of it: what is too hard for a longer step is often passed with a few of them.
    const fn after(self) -> Self {
        if self.ends_whole() {
            return Self {
                reached: self.reached + 1,
                done: 0,
                length: PARTS,
            };
        }
        let done = self.done + self.length;
        let grows = self.length < LONGEST_GROWN && done.is_multiple_of(2 * self.length);
        Self {
            done,
            length: if grows { 2 * self.length } else { self.length },
            ..self
        }
    }
}

impl Driver<'_> {
    /// The next step on the grid, whole or as much of it as the ladder comes to.
    pub(super) fn on_grid(&mut self, scheme: Scheme) -> Result<Judged, StepError> {
        let before = self.stepper.work();
        let judged = self.down_the_ladder(scheme, before);
        let work = self.stepper.work() - before;
        self.progress.patience = self.progress.patience.after(work);
        judged
    }

    /// The same, with `before` the work of the solvers when it was begun.
    fn down_the_ladder(&mut self, scheme: Scheme, before: u64) -> Result<Judged, StepError> {
        let mut grid = self.progress.grid;
        let mut wish = self.wish(before);
        let locked = self.last.kind.leaves_overlaps();
        if locked
            && !grid.reached.is_multiple_of(LOCKED_FOR)
            && let Some(judged) = self.leaving(scheme)
        {
            return Ok(judged);
        }
        let (mut first, mut nearest) = (None, None);
        let (goes_on, first) = loop {
            let Refused { error, approximate } = match self.of_length(grid, wish, scheme) {
                Ok(judged) => return Ok(judged),
                Err(refused) => refused,
            };
            let goes_on = error.may_pass_if_shorter();
            if locked
                && first.is_none()
                && goes_on
                && let Some(judged) = self.leaving(scheme)
            {
                return Ok(judged);
            }
            let error = first.unwrap_or(*error);
            nearest = nearest.or(approximate.map(|answer| (grid, answer)));
            let next = self.wish(before);
            let enough = next == Wish::Easily || self.is_divided_enough(&grid);
            if !goes_on || nearest.is_some() && enough {
                break (goes_on, error);
            }
            // Where patience ends, the step as it is once more, easily; else as a shorter one.
            if next == wish && !grid.halve() {
                break (goes_on, error);
            }
            (wish, first) = (next, Some(error));
        };
        if let Some((grid, answer)) = nearest {
            self.progress.grid = grid.after();
            return Ok(answer.accept());
        }
        let parts = self.progress.grid.length / grid.length;
        let may_leave = goes_on && !locked && self.stepper.meets_overlaps();
        let left = may_leave.then(|| self.leaving(scheme)).flatten();
        let patiently = || goes_on.then(|| self.patiently(scheme)).flatten();
        let found = left.or_else(patiently);
        found.ok_or_else(|| first.even_in_parts(parts))
    }

    /// The step with overlaps left as they are, as long as it is or shorter.
    fn leaving(&mut self, scheme: Scheme) -> Option<Judged> {
        if scheme != Scheme::StewartTrinkle {
            return None;
        }
        let mut grid = self.progress.grid;
        loop {
            match self.of_length(grid, Wish::Certified, Scheme::Leaving) {
                Ok(judged) => return Some(judged),
                Err(refused) if refused.error.may_pass_if_shorter() && grid.halve() => {}
                Err(_) => return None,
            }
        }
    }

    /// What is wanted of the next attempt at a step, after what this one has taken since `before`: an approximate answer will do where the run has
    /// no patience left and such answers may be accepted.
    fn wish(&self, before: u64) -> Wish {
        let work = self.stepper.work() - before;
        let may_accept = self.settings.accept > self.settings.tolerance;
        if may_accept && self.progress.patience.after(work).is_spent() {
            Wish::Easily
        } else {
            Wish::Certified
        }
    }

    /// Is the step divided so far that shorter ones are a poor bargain where an approximate answer is at hand?
    const fn is_divided_enough(&self, grid: &Grid) -> bool {
        FEWER * grid.length <= self.progress.grid.length
    }

    /// The whole step at last resort, certified or approximate.
    fn patiently(&mut self, scheme: Scheme) -> Option<Judged> {
        let grid = self.progress.grid;
        let plan = Plan::on_grid(&grid, self.settings.h, scheme);
        let task = Task {
            wish: Wish::LastResort,
            ..self.task(plan)
        };
        let judged = match self.stepper.step(&task) {
            Ok(judged) => judged,
            Err(refused) => refused.approximate?.accept(),
        };
        self.progress.grid = grid.after();
        Some(judged)
    }

    /// The step that is next at `grid`, certified.
    fn of_length(&mut self, grid: Grid, wish: Wish, scheme: Scheme) -> Result<Judged, Refused> {
        let plan = Plan::on_grid(&grid, self.settings.h, scheme);
        let task = Task {
            wish,
            ..self.task(plan)
        };
        let judged = self.stepper.step(&task)?;
        self.progress.grid = grid.after();
        Ok(judged)
    }
}

#[cfg(test)]
#[path = "fixed_tests.rs"]
mod tests;
