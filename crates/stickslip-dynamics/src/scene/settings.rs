//! How a scene is stepped through time.

use crate::methods::Method;
use crate::settings::Settings;
use stickslip_geometry::narrow_phase::Rule;
use stickslip_model::{Cone, Reading};

/// The names of the solvers a scene may ask for.
pub const SOLVERS: &[&str] = stickslip_solvers::SOLVER_NAMES;

/// The names of the rules of contact where the free space is not convex.
pub(super) const CONTACTS: [&str; 2] = ["max-gap", "conjunctive"];

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
    /// The error wanted at the end, m, of the method "extrapolated".
    pub error: f64,
    /// What bounds friction beside a restitution impulse.
    pub impact_friction: Reading,
    /// Contact where the free space is not convex.
    pub contact: Rule,
    /// The solver's name, one of [`SOLVERS`].
    pub solver: String,
    /// The largest residual of a certified step, relative to max(1 m/s, |nu|).
    pub tolerance: f64,
    /// The largest residual of a step that is accepted as approximate where it cannot be certified, relative to max(1 m/s, |nu|).
    pub accept: f64,
    /// Is the energy inequality checked in every step?
    pub energy_check: bool,
    /// Are overlapping bodies moved apart before every step?
    pub projection: bool,
}

impl StepSettings {
    /// The wanted error of a scene that gives none, m.
    pub const ERROR: f64 = 1e-6;

    /// Steps of `h` seconds until the time `until`, with the defaults of the scene format for the rest.
    #[must_use]
    pub fn new(h: f64, until: f64) -> Self {
        Self {
            h,
            until,
            method: Method::default(),
            cone: Cone::default(),
            error: Self::ERROR,
            impact_friction: Reading::default(),
            contact: Rule::default(),
            solver: SOLVERS[0].to_owned(),
            tolerance: Settings::TOLERANCE,
            accept: Settings::ACCEPT,
            energy_check: false,
            projection: false,
        }
    }
}
