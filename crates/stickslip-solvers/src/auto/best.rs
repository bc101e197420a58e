//! The judgement of stages: the residual of what each came to, the best so far, and what is reported in the end.

use crate::auto::chain::Chain;
use crate::auto::profile::Form;
use crate::coupling::{Coupled, System};
use crate::problem::Posed;
use crate::problem::residual::{self, GlobalResidual};
use crate::solver::{Effort, SolveError, Solved};
use glam::DVec3;

/// A residual of so many roundings of w̄|p| is that of the impulses: no method gets below. (Chosen without measurement; of
/// 100,000 random problems with masses over twelve decades some 120 need it.)
const ROUNDINGS: f64 = 16.0;

/// Best impulses so far.
#[derive(Clone, Debug)]
pub(super) struct Best {
    pub(super) impulses: Vec<DVec3>,
    pub(super) residual: f64,
    pub(super) iterations: usize,
    /// The engine that gave them, and the stage.
    pub(super) solver: &'static str,
    pub(super) stage: &'static str,
}

impl Best {
    pub(super) fn start(p: &[DVec3]) -> Self {
        Self {
            impulses: p.to_vec(),
            residual: f64::INFINITY,
            iterations: 0,
            solver: "newton",
            stage: "none",
        }
    }
}

/// See [`Chain::aside`].
pub(super) struct Aside {
    pub(super) best: Best,
    /// Does it meet the tolerance?
    pub(super) solved: bool,
}

impl Chain<'_> {
    /// Counts what was taken without an offer.
    pub(super) fn charge(&mut self, effort: Effort) {
        self.effort += effort;
        self.factorisations += effort.factorisations;
        self.best.iterations += effort.iterations;
    }

    /// Judges `p`; true when the tolerance is met.
    pub(super) fn judge(&mut self, p: &[DVec3], effort: Effort, solver: &'static str) -> bool {
        self.charge(effort);
        let r = self.residual(p);
        self.reached = self.reached.min(r);
        if r < self.best.residual {
            self.best.impulses.clear();
            self.best.impulses.extend_from_slice(p);
            self.best.residual = r;
            self.best.solver = solver;
            self.best.stage = self.stage;
        }
        self.best.residual <= self.allowed()
    }

    /// The residual the caller judges by.
    pub(super) fn residual(&mut self, p: &[DVec3]) -> f64 {
        match self.problem {
            Posed::Step(step) => residual::of_step(step, p, &mut self.kit.nu).0,
            Posed::Local(local) => {
                let r = GlobalResidual::new(local, p).against(self.tolerance);
                if r.is_finite() { r } else { f64::INFINITY }
            }
        }
    }

    pub(super) fn allowed(&self) -> f64 {
        self.tolerance.max(self.rounding())
    }

    /// What the rounding of the best impulses leaves of a step's residual, m/s: no method gets below. Velocities
    /// can (see [`crate::engines::velocity`]), so the caller may still make something of it.
    fn rounding(&self) -> f64 {
        if self.profile.form == Form::Stored {
            return 0.0;
        }
        rounding(largest_scaled(&self.system, &self.best.impulses))
    }

    /// Takes up what was set aside, if it is an answer or better than what came after it; true where it is an answer. (Of a
    /// failure that is left the iterations are not counted.)
    pub(super) fn take_up(&mut self) -> bool {
        let Some(aside) = self.aside.take() else {
            return false;
        };
        if aside.solved || aside.best.residual < self.best.residual {
            let iterations = self.best.iterations;
            self.best = aside.best;
            self.best.iterations += iterations;
        }
        aside.solved
    }

    /// The best answer, accepted at the tolerance or at the rounding of its impulses.
    pub(super) fn report(mut self) -> Result<Solved, SolveError> {
        if self.best.residual <= self.allowed() {
            // Found while something was set aside, which took its iterations too.
            let aside = self.aside.take();
            self.best.iterations += aside.map_or(0, |aside| aside.best.iterations);
        } else {
            self.take_up();
        }
        let (allowed, tolerance) = (self.allowed().max(self.enough), self.asked_for);
        let best = self.best;
        if best.residual <= allowed {
            return Ok(Solved {
                impulses: best.impulses,
                iterations: best.iterations,
                solver: best.solver,
                stage: best.stage,
                residual: best.residual,
            });
        }
        Err(SolveError::NotConverged {
            solver: "auto",
            residual: best.residual,
            tolerance,
            iterations: best.iterations,
            best: best.impulses,
        })
    }
}

/// What the rounding of impulses with a largest w̄|p| of `scaled` leaves of a residual, m/s.
pub(super) fn rounding(scaled: f64) -> f64 {
    ROUNDINGS * f64::EPSILON * scaled
}

/// Largest w̄|p| of a contact, m/s.
pub(super) fn largest_scaled(system: &System, p: &[DVec3]) -> f64 {
    let sizes = p.iter().enumerate();
    let sizes = sizes.map(|(i, p)| system.w_bar(i) * p.length());
    sizes.fold(0.0, f64::max)
}
