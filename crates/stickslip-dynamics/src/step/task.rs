//! What a step is asked to be: where it starts, how long it is, and how its contacts are read.

use crate::methods::Grid;
use crate::settings::Settings;
use crate::setup::Setup;
use stickslip_model::{BodyState, Kind, Model, Restitution, Scheme, StepRecord};
use stickslip_solvers::solver::Purpose;

/// What kind of step is wanted, and how long it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Plan {
    /// Its length, s; zero for a phase of an impact.
    pub(crate) h: f64,
    /// Time at its end, s.
    pub(crate) t_next: f64,
    pub(crate) kind: Kind,
    pub(crate) scheme: Scheme,
}

impl Plan {
    /// The next step of a method with fixed steps of length `h`: from grid point to grid point, or a part of that.
    pub(crate) fn on_grid(grid: &Grid, h: f64, scheme: Scheme) -> Self {
        Self {
            h: grid.share() * h,
            t_next: grid.end() * h,
            kind: match (grid.ends_whole(), scheme) {
                (true, Scheme::Leaving) => Kind::Leaving,
                (false, Scheme::Leaving) => Kind::LeavingPart,
                (true, _) => Kind::Step,
                (false, _) => Kind::Part,
            },
            scheme,
        }
    }

    /// A phase of an impact at the time of `last`: velocities jump, no time passes.
    pub(crate) const fn phase(last: &StepRecord, kind: Kind) -> Self {
        Self {
            h: 0.0,
            t_next: last.t,
            kind,
            scheme: Scheme::Impact,
        }
    }

    /// No step at all: bodies and what touches, as they are at the time of `last`.
    pub(crate) const fn now(last: &StepRecord) -> Self {
        Self::phase(last, Kind::Step)
    }

    /// A step of this length between two events.
    pub(crate) fn between_events(last: &StepRecord, h: f64) -> Self {
        Self {
            h,
            t_next: last.t + h,
            kind: Kind::Step,
            scheme: Scheme::BetweenEvents,
        }
    }

    /// Does no time pass?
    pub(crate) const fn is_instant(&self) -> bool {
        self.h == 0.0
    }

    /// Do the contacts of such a step restitute in the next one? (Impacts that are located restitute at once.)
    pub(crate) const fn restitutes_later(&self) -> bool {
        !matches!(self.scheme, Scheme::BetweenEvents | Scheme::Impact)
    }
}

/// A step to be made. Every stage reads it, none can change it: a step that is refused leaves nothing behind.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) setup: &'a Setup,
    pub(crate) settings: &'a Settings,
    /// The record that the step goes on from: the states at its start, and contacts and joints from which it is warm
    /// started.
    pub(crate) last: &'a StepRecord,
    /// Compressions that are to be given back.
    pub(crate) restitution: &'a Restitution,
    pub(crate) plan: Plan,
    pub(crate) wish: Wish,
}

/// What is wanted of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Wish {
    /// A certified motion.
    #[default]
    Certified,
    /// The same, but where that is hard one that may be accepted will do: the run has no patience left.
    Easily,
    /// One that may be accepted, asked for once more and patiently.
    LastResort,
}

impl<'a> Task<'a> {
    /// What the answer of a solver is for.
    pub(crate) const fn purpose(&self) -> Purpose<'static> {
        match self.wish {
            Wish::Certified => Purpose::Answer,
            Wish::Easily => Purpose::Easily(self.acceptable()),
            Wish::LastResort => Purpose::LastResort,
        }
    }

    /// The largest residual of a step that may be accepted, m/s for velocities up to 1 m/s.
    pub(crate) const fn acceptable(&self) -> f64 {
        self.settings.tolerance.max(self.settings.accept)
    }

    /// The residual that solvers are to reach, m/s for velocities up to 1 m/s.
    pub(crate) fn wanted(&self) -> f64 {
        match self.wish {
            Wish::Certified | Wish::Easily => self.settings.tolerance,
            Wish::LastResort => self.acceptable(),
        }
    }

    pub(crate) const fn model(&self) -> &'a Model {
        &self.setup.model
    }

    /// The time over which rows divide gaps, s: that of the step itself; where steps end at events, that between grid points.
    pub(crate) const fn span(&self) -> f64 {
        match self.plan.scheme {
            Scheme::BetweenEvents | Scheme::Impact => self.settings.h,
            Scheme::StewartTrinkle | Scheme::Leaving | Scheme::Anitescu | Scheme::Implicit => {
                self.plan.h
            }
        }
    }

    /// How many times as long as the last step: so many times its impulses are a guess of those to come. (Events change
    /// forces, so there impulses are taken as they are.)
    pub(crate) fn longer(&self) -> f64 {
        match self.plan.scheme {
            Scheme::BetweenEvents | Scheme::Impact => 1.0,
            _ if self.last.h > 0.0 => self.plan.h / self.last.h,
            _ => 1.0,
        }
    }

    /// States at the start of the step.
    pub(crate) fn start(&self) -> &'a [BodyState] {
        &self.last.bodies
    }

    /// Is it a free body? (`None` is the world.)
    pub(crate) fn is_free(&self, body: Option<usize>) -> bool {
        body.is_some_and(|i| self.model().bodies[i].is_free())
    }

    /// The same step with its contacts read another way.
    pub(crate) const fn read_by(self, scheme: Scheme) -> Self {
        Self {
            plan: Plan {
                scheme,
                ..self.plan
            },
            ..self
        }
    }
}
