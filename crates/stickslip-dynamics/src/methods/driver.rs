//! What a method works with: the world to read, the stepper to use.

use crate::error::StepError;
use crate::methods::{Control, Grid, Loop, Method, Patience, Projections};
use crate::settings::Settings;
use crate::setup::Setup;
use crate::step::find::touching::Touch;
use crate::step::gate::Judged;
use crate::step::stepper::{Stepper, Underway};
use crate::step::task::{Plan, Task, Wish};
use crate::world::World;
use stickslip_model::{BodyState, Kind, Restitution, Scheme, StepRecord, stored};

/// What methods remember from record to record.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Progress {
    /// Where a method with fixed steps stands.
    pub(crate) grid: Grid,
    /// What is left of its patience with hard steps.
    pub(crate) patience: Patience,
    /// Where the event loop stands.
    pub(crate) events: Loop,
    /// The step size control of the extrapolated method.
    pub(crate) control: Control,
    /// What projections have done.
    pub(crate) projections: Projections,
}

stored!(Progress {
    grid,
    patience,
    events,
    control,
    projections
});

impl Progress {
    /// At the time `t` (s) with steps of `h`, and with nothing remembered.
    pub(crate) fn at(t: f64, h: f64) -> Self {
        let grid = Grid::at(t, h);
        Self {
            grid,
            events: Loop::at(grid.reached()),
            ..Self::default()
        }
    }
}

/// What is to be accepted next.
pub(crate) struct Next {
    pub(crate) judged: Judged,
    pub(crate) progress: Progress,
    /// Where the step started, if bodies had been moved before it.
    pub(crate) started: Option<Vec<BodyState>>,
}

/// A world whose next record is being made. Only the stepper's memory can be written.
pub(crate) struct Driver<'w> {
    pub(crate) setup: &'w Setup,
    pub(crate) settings: &'w Settings,
    /// The record to go on from.
    pub(crate) last: &'w StepRecord,
    pub(crate) restitution: &'w Restitution,
    pub(crate) progress: Progress,
    pub(crate) stepper: &'w mut Stepper,
}

impl<'w> Driver<'w> {
    pub(crate) const fn of(world: &'w mut World) -> Self {
        Self {
            setup: &world.setup,
            settings: &world.settings,
            last: world.state.last(),
            restitution: world.memory.restitution(),
            progress: *world.memory.progress(),
            stepper: &mut world.stepper,
        }
    }

    /// The next record of the world's method, after a projection where the scene asks for one. Between the phases of an impact
    /// nothing moves.
    pub(crate) fn next(mut self) -> Result<Next, StepError> {
        if !self.settings.projection || self.last.kind.is_impact() {
            return self.next_record(None);
        }
        let projected = self.project()?;
        self.progress.projections = projected.account;
        match &projected.moved {
            None => self.next_record(None),
            Some(moved) => {
                let driver = Driver {
                    last: moved,
                    stepper: &mut *self.stepper,
                    ..self
                };
                driver.next_record(Some(moved.bodies.clone()))
            }
        }
    }

    fn next_record(mut self, started: Option<Vec<BodyState>>) -> Result<Next, StepError> {
        let judged = match self.settings.method {
            Method::StewartTrinkle => self.on_grid(Scheme::StewartTrinkle)?,
            Method::Implicit => self.on_grid(Scheme::Implicit)?,
            Method::Anitescu => self.on_grid(Scheme::Anitescu)?,
            Method::EventDriven => self.event_driven()?,
            Method::Extrapolated => self.extrapolated()?,
        };
        Ok(Next {
            judged,
            progress: self.progress,
            started,
        })
    }

    /// A step as planned, from the record to go on from.
    pub(crate) const fn task(&self, plan: Plan) -> Task<'w> {
        Task {
            setup: self.setup,
            settings: self.settings,
            last: self.last,
            restitution: self.restitution,
            plan,
            wish: Wish::Certified,
        }
    }

    /// The phase of an impact that is due now, if any: decompression after a compression that has something to give back,
    /// compression where a contact touches and closes.
    pub(super) fn impact_due(&mut self) -> Result<Option<Plan>, StepError> {
        let due = match self.last.kind {
            Kind::Compression => Kind::Decompression,
            Kind::Decompression => return Ok(None),
            Kind::Step | Kind::Part | Kind::Leaving | Kind::LeavingPart | Kind::Extrapolated => {
                Kind::Compression
            }
        };
        let plan = Plan::phase(self.last, due);
        let task = self.task(plan);
        let Underway { step, contacts, .. } = self.stepper.begin(&task)?;
        let touch = Touch::at(&step, &contacts.placed);
        let is_due = match due {
            Kind::Decompression => {
                let compressed = &step.last.contacts;
                compressed.iter().any(|c| touch.restitution_of(c) > 0.0)
            }
            _ => contacts.list.iter().any(|c| touch.collides(c)),
        };
        Ok(is_due.then_some(plan))
    }
}
