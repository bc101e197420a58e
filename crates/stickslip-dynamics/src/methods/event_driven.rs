//! The event loop: steps between events, collision times located, impacts in two phases.
//!
//! ```text
//!   compression done, something to give back   decompression: Poisson's second phase
//!   a contact touches and closes               compression of all contacts that touch, no time passes
//!   else                                       a step to the next grid point, or to the first collision before it
//! ```
//!
//! Each of them is one record with its own certificate. The contact list of a step: those that touch (gap within its
//! rounding, or loaded in the last step) and do not open. Both phases of an impact have the same list: all whose gap is within
//! rounding (`step/find/touching.rs`).
//!
//! Bounces come to an end. A rebound that the applied forces would return before it has risen above the rounding of
//! the gap is none: no state could show it. So a ball with e = 0.8 rests after some seventy bounces.

use crate::error::StepError;
use crate::methods::Driver;
use crate::step::gate::Judged;
use crate::step::integrate::Motion;
use crate::step::refuse::{Failure, Refused, stalled};
use crate::step::task::Plan;
use stickslip_model::stored;

/// Where the event loop stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Loop {
    /// Grid points reached.
    grid: u64,
    /// Records since the last grid point.
    records: usize,
}

stored!(Loop { grid, records });

impl Loop {
    /// At a grid point.
    pub(crate) const fn at(grid: u64) -> Self {
        Self { grid, records: 0 }
    }
}

/// More records than this between two grid points are a stall.
const MOST_RECORDS: usize = 100_000;

/// An event this close to a grid point, relative to h, has reached it.
const AT_GRID: f64 = 1e-12;

impl Driver<'_> {
    /// The next record of the event loop.
    pub(super) fn event_driven(&mut self) -> Result<Judged, StepError> {
        self.progress.events.records += 1;
        if self.progress.events.records > MOST_RECORDS {
            return Err(stalled(&self.setup.model, self.last, MOST_RECORDS));
        }
        match self.impact_due()? {
            Some(phase) => self
                .stepper
                .step(&self.task(phase))
                .or_else(Refused::accepted),
            None => self.between_events(),
        }
    }

    /// A step to the next grid point, or to the first collision before it.
    fn between_events(&mut self) -> Result<Judged, StepError> {
        let grid_time = self.next_grid_time();
        let to_grid = Plan {
            t_next: grid_time,
            ..Plan::between_events(self.last, grid_time - self.last.t)
        };
        let motion = self.stepper.attempt(&self.task(to_grid))?;
        let Some(h) = self.first_event(to_grid, &motion.bodies)? else {
            self.progress.events = Loop::at(self.progress.events.grid + 1);
            return self.judged(to_grid, motion);
        };
        // A pair that parts and meets again at once: time goes on all the same.
        let least = self.last.t.next_up() - self.last.t;
        let to_event = Plan::between_events(self.last, h.max(least));
        let motion = self.stepper.attempt(&self.task(to_event))?;
        self.judged(to_event, motion)
    }

    /// The motion of the attempt just made, if it is certified; else the step with one solver after the other, and at last an
    /// answer that is accepted as approximate.
    fn judged(&mut self, plan: Plan, motion: Motion) -> Result<Judged, StepError> {
        let task = self.task(plan);
        match self.stepper.judge(&task, motion) {
            Ok(judged) => Ok(judged),
            Err(Failure::Step(e)) => Err(*e),
            Err(Failure::Gate(_) | Failure::Solver(_)) => {
                self.stepper.step(&task).or_else(Refused::accepted)
            }
        }
    }

    /// Time of the next grid point, s. An event may have fallen on one itself.
    fn next_grid_time(&mut self) -> f64 {
        let (h, events) = (self.settings.h, &mut self.progress.events);
        loop {
            let time = (events.grid + 1) as f64 * h;
            if time - self.last.t > AT_GRID * h {
                return time;
            }
            events.grid += 1;
        }
    }
}
