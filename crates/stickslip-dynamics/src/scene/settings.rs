//! How a scene is stepped through time.

use stickslip_certify::Cone;
use stickslip_geometry::narrow_phase::Rule;

/// The names of the time-stepping methods that can be used.
pub const METHODS: [&str; 1] = ["stewart-trinkle"];

/// The names of methods that are planned and refused for now.
pub const LATER_METHODS: [&str; 4] = ["implicit", "event-driven", "anitescu", "extrapolated"];

/// The names of the solvers a scene may ask for.
pub const SOLVERS: &[&str] = stickslip_solvers::SOLVER_NAMES;

/// The names of the rules of contact where the free space is not convex.
pub(super) const CONTACTS: [&str; 2] = ["max-gap", "conjunctive"];

/// A time-stepping method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Stewart and Trinkle's: contact frames at the start of the step, velocities at its end.
    #[default]
    StewartTrinkle,
}

impl Method {
    /// The name used in scene files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::StewartTrinkle => METHODS[0],
        }
    }
}

/// The `[step]` table: step size, end, and the choice of methods.
#[derive(Clone, Debug, PartialEq)]
pub struct StepSettings {
    /// The step size, s.
    pub h: f64,
    /// The time at which the run ends, s.
    pub until: f64,
    /// The time-stepping method.
    pub method: Method,
    /// The friction cone.
    pub cone: Cone,
    /// Contact where the free space is not convex.
    pub contact: Rule,
    /// The solver's name, one of [`SOLVERS`].
    pub solver: String,
    /// The largest residual of a step that is accepted, relative to max(1 m/s, |nu|).
    pub tolerance: f64,
}

impl StepSettings {
    /// The tolerance of a scene that gives none.
    pub const TOLERANCE: f64 = 1e-10;

    /// Steps of `h` seconds until the time `until`, with the defaults of the scene format for the rest.
    #[must_use]
    pub fn new(h: f64, until: f64) -> Self {
        Self {
            h,
            until,
            method: Method::default(),
            cone: Cone::default(),
            contact: Rule::default(),
            solver: SOLVERS[0].to_owned(),
            tolerance: Self::TOLERANCE,
        }
    }
}
