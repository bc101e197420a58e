//! The last stages: another scale of impulses, pyramids, and other problems on the way to the true one.

use crate::auto::best::largest_scaled;
use crate::auto::chain::{Chain, Verdict};
use crate::auto::kit::Kit;
use crate::auto::plans::{CHANGES, NEAR};
use crate::coupling::{System, SystemMemory};
use crate::engines::homotopy::HomotopySettings;
use crate::engines::interior_point::InteriorPointSettings;
use crate::engines::newton::NewtonSettings;
use crate::engines::nsgs::NsgsSettings;
use crate::lcp::pyramid;
use crate::limit;
use crate::problem::Posed;
use crate::problem::local::LocalProblem;
use crate::problem::{ContactProblem, Law};
use crate::solver::{Effort, Engine, Outcome};
use glam::DVec3;

impl Chain<'_> {
    /// Newton with impulses measured by the heavy bodies.
    pub(super) fn newton_by_heavy_bodies(&mut self, p: &mut Vec<DVec3>) -> Verdict {
        let settings = self.newton_settings();
        self.by_heavy_bodies(p, |kit, system, p, tolerance| {
            kit.newton.improve(system, p, tolerance, &settings)
        })
    }

    /// The proximal method with impulses measured by the heavy bodies.
    pub(super) fn proximal_by_heavy_bodies(&mut self, p: &mut Vec<DVec3>) -> Verdict {
        let settings = self.proximal_settings(NEAR);
        self.by_heavy_bodies(p, |kit, system, p, tolerance| {
            kit.proximal.improve(system, p, tolerance, &settings)
        })
    }

    /// The interior point with impulses measured by the heavy bodies.
    pub(super) fn interior_by_heavy_bodies(&mut self, p: &mut Vec<DVec3>) -> Verdict {
        let settings = self.interior_settings();
        self.by_heavy_bodies(p, |kit, system, p, tolerance| {
            kit.interior_point.improve(system, p, tolerance, &settings)
        })
    }

    /// The homotopy with impulses measured by the heavy bodies.
    pub(super) fn homotopy_by_heavy_bodies(&mut self, p: &mut Vec<DVec3>) -> Verdict {
        let settings = self.homotopy_settings(&HomotopySettings::ONE_PATH);
        self.by_heavy_bodies(p, |kit, system, p, tolerance| {
            kit.homotopy.improve(system, p, tolerance, &settings)
        })
    }

    /// A method on another scale, its answer taken to rounding by Newton on the natural one.
    fn by_heavy_bodies(
        &mut self,
        p: &mut Vec<DVec3>,
        method: impl FnOnce(&mut Kit, &mut System, &mut Vec<DVec3>, f64) -> Outcome,
    ) -> Verdict {
        let w_heavy = self.profile.w_heavy;
        let (kit, inner) = (&mut *self.kit, self.inner);
        let outcome = (self.system).measured_by(w_heavy, |system| method(kit, system, p, inner));
        self.charge(outcome.effort);
        let newton = self.newton_settings();
        self.newton(&newton, p).into()
    }
}

/// Directions of the pyramids that stand for cones.
const DIRECTIONS: usize = 8;

impl Chain<'_> {
    /// The problem on its contacts.
    fn local(&self) -> LocalProblem {
        match self.problem {
            Posed::Step(step) => {
                let mut local = LocalProblem::default();
                local.assemble(step);
                local
            }
            Posed::Local(local) => local.clone(),
        }
    }

    /// Newton from Lemke's answer on pyramids.
    pub(super) fn pyramids(&mut self, p: &mut Vec<DVec3>) -> Verdict {
        let newton = self.newton_settings();
        let Some(pivots) = pyramid::start(&mut self.local(), DIRECTIONS, p) else {
            return Verdict::Next;
        };
        self.charge(Effort::of_iterations(pivots));
        self.newton(&newton, p).into()
    }
}

/// Of each problem on the way: roundings of w̄|p| that its residual may have, ε/q² of the path from the problem before, and
/// sweeps where neither Newton nor the path arrives. (Chosen without measurement.)
const WAY_ROUNDINGS: f64 = 256.0;
const WAY_SMOOTHING: f64 = 1e-5;
const WAY_SWEEPS: usize = 1000;

/// Settings of the methods on each problem on the way.
struct WaySettings {
    newton: NewtonSettings,
    homotopy: HomotopySettings,
    interior_point: InteriorPointSettings,
}

impl Chain<'_> {
    /// Steep cones, from μ = 1 to their own: each problem on the way is solved from the last one's impulses.
    pub(super) fn by_friction(&mut self, p: &mut Vec<DVec3>) -> Verdict {
        let Posed::Step(step) = self.problem else {
            return Verdict::Next;
        };
        let settings = WaySettings {
            newton: self.newton_settings(),
            homotopy: self.homotopy_settings(&HomotopySettings::ONE_PATH),
            interior_point: self.interior_settings(),
        };
        let mut problem = step.clone();
        let mut memory = SystemMemory::default();
        for k in 0..=CHANGES {
            if limit::reached() {
                return Verdict::Next;
            }
            let steepest = libm::pow(self.profile.steepest, f64::from(k) / f64::from(CHANGES));
            cap_friction(step, steepest, &mut problem);
            let mut system = memory.system(Posed::Step(&problem));
            // On the way no more than the rounding of impulses allows.
            let inner = if k == CHANGES {
                self.inner
            } else {
                let size = largest_scaled(&system, p);
                self.inner.max(WAY_ROUNDINGS * f64::EPSILON * size)
            };
            let outcome = self.on_the_way(&mut system, inner, k, &settings, p);
            self.charge(outcome.effort);
            if outcome.residual > inner && k < CHANGES {
                return Verdict::Next;
            }
        }
        self.judge(p, Effort::default(), "newton").into()
    }

    /// Problem `k` on the way, from the impulses of the one before: what the method that ended it came to, and the effort of all.
    fn on_the_way(
        &mut self,
        system: &mut System,
        inner: f64,
        k: u32,
        settings: &WaySettings,
        p: &mut Vec<DVec3>,
    ) -> Outcome {
        let before = p.clone();
        let kit = &mut *self.kit;
        let mut outcome = kit.newton.improve(system, p, inner, &settings.newton);
        let mut effort = outcome.effort;
        if outcome.residual > inner && k > 0 {
            p.clone_from(&before);
            let (engine, along) = (&mut kit.homotopy, &settings.homotopy);
            outcome = engine.improve_from(system, WAY_SMOOTHING, p, inner, along);
            effort += outcome.effort;
        }
        if outcome.residual > inner {
            p.clone_from(&before);
            let sweeps = NsgsSettings {
                sweeps: WAY_SWEEPS,
                ..NsgsSettings::ALONE
            };
            effort += kit.nsgs.improve(system, p, inner, &sweeps).effort;
            outcome = kit.newton.improve(system, p, inner, &settings.newton);
            effort += outcome.effort;
        }
        if outcome.residual > inner {
            let (engine, along) = (&mut kit.interior_point, &settings.interior_point);
            outcome = engine.improve(system, p, inner, along);
            effort += outcome.effort;
        }
        Outcome { effort, ..outcome }
    }
}

/// The laws of `step` in `problem`, with no cone steeper than `steepest`.
fn cap_friction(step: &ContactProblem, steepest: f64, problem: &mut ContactProblem) {
    for (contact, own) in problem.contacts.iter_mut().zip(&step.contacts) {
        if let (Law::Cone { mu }, Law::Cone { mu: own }) = (&mut contact.law, &own.law) {
            *mu = own.min(steepest);
        }
    }
}
