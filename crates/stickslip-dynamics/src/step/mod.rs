//! One step, read from top to bottom. [`World::step`] asks the [`Driver`] for the next record, which the method of the scene makes by
//! [`Stepper::step`], once for each length that it tries: there [`Stepper::begin`] is lines 1 to 3, [`trial::Trial::motion`] lines 4 to 7
//! and [`gate::Gate::judge`] line 8. [`World::accept`] is line 9. The loops among them are listed in [`trial`].
//!
//! | line | what | where |
//! |---|---|---|
//! | 1, 2 | applied forces, predicted paths | [`predict`], [`maps`] |
//! | 3, 7 | contacts that may close; those that were missed | [`find`] |
//! | 4 | the problem M⁻¹, W, ν_free, b and its laws | [`assemble`], [`joints`]; of the implicit method [`implicit`] |
//! | 5 | impulses, kinetic friction where contacts slide | [`solve`] |
//! | 6 | next states, until every joint is closed | [`integrate`], [`joints::rounds`], [`rows`] |
//! | 8, 9 | the judge, and acceptance | [`gate`] |
//! | | or why not | [`refuse`] |

pub(crate) mod assemble;
pub(crate) mod find;
pub(crate) mod gate;
mod implicit;
pub(crate) mod integrate;
pub(crate) mod joints;
mod maps;
pub(crate) mod predict;
pub(crate) mod refuse;
mod rows;
pub(crate) mod seen;
mod solve;
pub(crate) mod stepper;
pub(crate) mod task;
pub(crate) mod trial;
pub(crate) mod twist;
mod untouched;

use crate::error::StepError;
use crate::methods::Driver;
use crate::stopwatch::Lap;
use crate::world::World;
use gate::Judged;
use refuse::Refused;
use stepper::Stepper;
use stickslip_model::StepRecord;
use stickslip_threads::Allowed;
use task::Task;

impl World {
    /// Advances by one record of the method: a step of length h, or what comes first of its events. Where such a step cannot be
    /// certified, a shorter one; where that cannot be either, an approximate one within the settings' `accept`
    /// ([`crate::methods`]).
    ///
    /// Nothing changes until the step is accepted, so a refused step can be tried again with other settings.
    ///
    /// # Errors
    /// [`StepError`] with time, bodies and residual when no solver's answer can be accepted.
    pub fn step(&mut self) -> Result<&StepRecord, StepError> {
        self.stepper.trial.stopwatch.start();
        let _allowed = Allowed::threads(self.settings.threads);
        let next = Driver::of(self).next();
        // 9: accept.
        let accepted = next.map(|next| self.accept(next));
        let stopwatch = &mut self.stepper.trial.stopwatch;
        stopwatch.lap(Lap::Accept);
        stopwatch.stop();
        accepted?;
        Ok(self.last_step())
    }
}

impl Stepper {
    /// The step of `task`: tried with each solver until the judge certifies a motion.
    pub(crate) fn step(&mut self, task: &Task) -> Result<Judged, Refused> {
        // 1: applied forces, 2: predicted paths, 3: contacts that may close on them.
        let underway = self.begin(task)?;
        underway.by_any_solver(|underway, solver| {
            // 4: assemble, 5: solve, 6: integrate until joints are closed, 7: look again until no contact is missed.
            let motion = underway.motion(solver);
            // 8: judge.
            let judged = motion.and_then(|motion| underway.judge(motion));
            underway.trial.stopwatch.lap(Lap::Judge);
            underway.without_unfounded(judged, solver)
        })
    }
}
