//! How a world is stepped.
//!
//! What residuals and speeds are held to, in m/s for velocities up to 1 m/s:
//!
//! | what | by default | who holds what to it |
//! |---|---|---|
//! | [`Settings::tolerance`] | 1e-8 | the judge a certified step |
//! | [`Settings::accept`] | 1e-6 | the judge an approximate one, where the step cannot be certified |
//! | `Task::wanted` | 1e-8 | the tolerance; at last resort what may be accepted |
//! | `Task::asked`, a half of that | 5e-9 | the step its solver; islands whose gaps or speeds are known no better get floors |
//! | `Purpose::enough` | 1e-3 or 1e-2 | a solver hard islands, as long as contacts may be missing (`step/trial.rs`); what may be accepted, of a run without patience |
//! | `Purpose::worst` | ten times that | the step such an answer; beyond it the solver has failed |
//! | `SHOWN_TO_JUDGE`, ten times what may be accepted | 1e-5 | the step an answer that missed: it is shown to the judge all the same |
//! | `auto::plans::AIM_OF_FEW` | 1e-11 | `auto` islands of up to ten contacts |
//! | `auto::plans::AIM` | 5e-14 | `auto` itself, where that is cheap |
//! | [`Settings::still`] | 1e-10 | the step slip and closing speeds: less is rounding, no motion |

use crate::methods::Method;
use glam::DVec3;
use stickslip_geometry::narrow_phase::Rule;
use stickslip_model::{Cone, Reading};

/// How a world is stepped.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Length of a step, s.
    pub h: f64,
    /// How time is stepped.
    pub method: Method,
    /// Wanted error at the end of the run, m, of the method that controls it; infinite for steps of h alone.
    pub error: f64,
    /// End of the run, s, for which the error is wanted.
    pub until: f64,
    /// What bounds friction beside a restitution impulse.
    pub reading: Reading,
    /// The friction cone.
    pub cone: Cone,
    /// Name of the solver tried first.
    pub solver: String,
    /// Largest residual of the law in a certified step, m/s for velocities up to 1 m/s.
    pub tolerance: f64,
    /// Largest residual of a step that is accepted as an approximate one, where it cannot be certified however short it is, m/s
    /// for velocities up to 1 m/s; zero where none is.
    pub accept: f64,
    /// Uniform gravity, m/s².
    pub gravity: DVec3,
    /// Is the energy inequality checked in every step?
    pub energy_check: bool,
    /// Are overlapping bodies moved apart before every step?
    pub projection: bool,
    /// Contact where the free space is not convex.
    pub contact: Rule,
    /// Pairs of bodies that do not collide (sorted, first smaller).
    pub ignored: Vec<[usize; 2]>,
    /// Threads that may be used; the answer does not depend on it.
    pub threads: usize,
}

impl Settings {
    /// The tolerance where none is given, m/s: a hundredth of a micrometre a second. Contacts that stick redundantly contradict
    /// each other by second order in the motion, 1e-8 m/s and more: there a smaller residual tells nothing.
    pub const TOLERANCE: f64 = 1e-8;

    /// What is accepted as an approximate step where nothing is said, m/s: a micrometre a second.
    pub const ACCEPT: f64 = 1e-6;

    /// The part of the tolerance, and the least speed, m/s, below which [`Settings::still`] tells nothing.
    const STILL: f64 = 1e-2;
    const LEAST_STILL: f64 = 1e-10;

    /// A contact that slips or closes more slowly than this does not, m/s: 1e-10 at the default tolerance, more with a looser one,
    /// and at most the tolerance. Nothing is stopped by it; it is what an answer does not tell from zero.
    #[must_use]
    pub const fn still(&self) -> f64 {
        let still = (Self::STILL * self.tolerance).max(Self::LEAST_STILL);
        still.min(self.tolerance)
    }
}

impl Default for Settings {
    /// h = 0.01 s, gravity 9.81 m/s² down, the exact cone, the solver `auto`, tolerance 1e-8, approximate
    /// steps up to 1e-6.
    fn default() -> Self {
        Self {
            h: 0.01,
            method: Method::default(),
            error: f64::INFINITY,
            until: 0.0,
            reading: Reading::default(),
            cone: Cone::Quadratic,
            solver: "auto".into(),
            tolerance: Self::TOLERANCE,
            accept: Self::ACCEPT,
            gravity: DVec3::new(0.0, 0.0, -9.81),
            energy_check: false,
            projection: false,
            contact: Rule::default(),
            ignored: Vec::new(),
            threads: 1,
        }
    }
}
