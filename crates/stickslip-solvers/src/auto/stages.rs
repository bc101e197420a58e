//! The stages of `auto`: each takes impulses, lets one method or two improve them with settings of its own, and judges them.

use crate::auto::chain::{Chain, Verdict};
use crate::auto::plans::{
    AIM, AS_THEY_ARE, CENTRES, CONTINUATION_STEPS, FEW, LARGE, LAST_IMPULSES, LESS_PATIENCE,
    NEWTON_STEPS, PATIENCE, SHORT_STEPS, SLOW_CENTRES, SMALL, STORED_STARTS, WARM_CENTRES,
};
use crate::auto::profile::Form;
use crate::engines::compliant::CompliantSettings;
use crate::engines::homotopy::HomotopySettings;
use crate::engines::interior_point::InteriorPointSettings;
use crate::engines::newton::NewtonSettings;
use crate::engines::nsgs::NsgsSettings;
use crate::engines::one_contact;
use crate::engines::proximal::ProximalSettings;
use crate::limit;
use crate::problem::Posed;
use crate::problem::law::Map;
use crate::problem::rounded::Rounded;
use crate::solver::{Effort, Engine, ROUGH};
use glam::DVec3;

// Settings, as the problem at hand has them.

impl Chain<'_> {
    /// Newton as a stage: stored problems are not taken further than the tolerance, nor are redundant contacts that have
    /// impulses already, which would go far for the last digits ([`Chain::polish`] does that).
    pub(super) fn newton_settings(&self) -> NewtonSettings {
        NewtonSettings {
            iterations: NEWTON_STEPS,
            patience: PATIENCE,
            regularisation: self.regularisation,
            polish: self.profile.form == Form::Step
                && (self.profile.contacts <= FEW || self.profile.is_cold()),
            ..NewtonSettings::ALONE
        }
    }

    /// Newton at the end of a path.
    fn finish_settings(&self) -> NewtonSettings {
        NewtonSettings {
            iterations: NEWTON_STEPS,
            regularisation: self.regularisation,
            ..NewtonSettings::FINISH
        }
    }

    pub(super) fn interior_settings(&self) -> InteriorPointSettings {
        let mut settings = InteriorPointSettings {
            newton: self.finish_settings(),
            centres: self.profile.form == Form::Step && self.profile.contacts > FEW,
            ..InteriorPointSettings::ALONE
        };
        if self.profile.form == Form::Stored {
            settings.starts = STORED_STARTS;
        }
        settings
    }

    /// A compliant path about impulses at hand.
    pub(super) fn near(&self) -> CompliantSettings {
        if self.goes_otherwise() && !self.profile.lone {
            CompliantSettings::NEAR_OF_MANY
        } else {
            CompliantSettings::NEAR
        }
    }

    pub(super) fn homotopy_settings(&self, paths: &HomotopySettings) -> HomotopySettings {
        HomotopySettings {
            newton: self.finish_settings(),
            ..*paths
        }
    }

    pub(super) fn proximal_settings(&self, tau: f64) -> ProximalSettings {
        let large = self.profile.contacts > SLOW_CENTRES;
        ProximalSettings {
            iterations: CENTRES,
            tau,
            patience: if large { CENTRES / 4 } else { CENTRES },
            newton: NewtonSettings {
                iterations: NEWTON_STEPS,
                regularisation: self.regularisation,
                ..ProximalSettings::ALONE.newton
            },
            ..ProximalSettings::ALONE
        }
    }
}

// Methods on the problem as it is, judged.

impl Chain<'_> {
    pub(super) fn newton(&mut self, settings: &NewtonSettings, p: &mut Vec<DVec3>) -> bool {
        let engine = &mut self.kit.newton;
        let outcome = engine.improve(&mut self.system, p, self.inner, settings);
        self.judge(p, outcome.effort, "newton")
    }

    fn nsgs(&mut self, settings: &NsgsSettings, p: &mut Vec<DVec3>) -> bool {
        let engine = &mut self.kit.nsgs;
        let outcome = engine.improve(&mut self.system, p, self.inner, settings);
        self.kit.swept.clone_from(p);
        self.judge(p, outcome.effort, "nsgs")
    }

    /// The closed form of a stored problem of one contact.
    pub(super) fn one_contact(&mut self, _: &mut Vec<DVec3>) -> Verdict {
        let Posed::Local(local) = self.problem else {
            return Verdict::Next;
        };
        let exact = one_contact::solve(&local.laws[0], local.delassus.diagonal(0), local.q[0]);
        self.judge(&[exact], Effort::of_iterations(1), "one-contact")
            .into()
    }

    /// The impulses as they are, where they already solve the problem as well as any method would.
    pub(super) fn as_they_are(&mut self, p: &mut [DVec3]) -> Verdict {
        self.judge(p, Effort::default(), LAST_IMPULSES);
        self.from_guess = self.best.residual;
        (self.best.residual <= (AS_THEY_ARE * AIM).min(self.tolerance)).into()
    }

    /// Newton from impulses that may be nearly right; the best so far are left in `p` where it fails.
    pub(super) fn newton_from_guess(
        &mut self,
        map: Map,
        whole_steps: usize,
        p: &mut Vec<DVec3>,
    ) -> Verdict {
        // On large problems a start that does not halve the merit at once is given up early: the
        // relaxation is the better investment.
        let settings = NewtonSettings {
            map,
            whole_steps,
            patience: if p.len() <= SMALL {
                PATIENCE
            } else {
                LESS_PATIENCE
            },
            ..self.newton_settings()
        };
        let found = self.newton(&settings, p);
        if !found {
            p.clone_from(&self.best.impulses);
        }
        found.into()
    }

    /// Newton for a short while.
    pub(super) fn newton_short(&mut self, p: &mut Vec<DVec3>) -> Verdict {
        let settings = NewtonSettings {
            iterations: SHORT_STEPS,
            ..self.newton_settings()
        };
        self.newton(&settings, p).into()
    }

    /// So many sweeps, then Newton for a short while; what sweeps solve is not polished.
    pub(super) fn newton_from_sweeps(&mut self, sweeps: usize, p: &mut Vec<DVec3>) -> Verdict {
        let settings = NsgsSettings {
            sweeps,
            polish: 0.0,
            ..NsgsSettings::ALONE
        };
        if sweeps > 0 && self.nsgs(&settings, p) {
            return Verdict::Answer;
        }
        let settings = NewtonSettings {
            iterations: SHORT_STEPS,
            patience: LESS_PATIENCE,
            ..self.newton_settings()
        };
        self.newton(&settings, p).into()
    }

    /// The interior point, as far as a sketch needs it: from its next start only where an end shows nothing.
    pub(super) fn sketch_from_scratch(&mut self, p: &mut Vec<DVec3>) -> Verdict {
        let settings = self.interior_settings();
        for start in settings.starts.chunks(1) {
            let settings = InteriorPointSettings {
                starts: start,
                ..settings
            };
            let engine = &mut self.kit.interior_point;
            let outcome = engine.improve(&mut self.system, p, self.enough, &settings);
            self.judge(p, outcome.effort, "interior-point");
            if self.best.residual <= ROUGH * self.enough {
                return Verdict::Answer;
            }
            if limit::reached() {
                break;
            }
        }
        Verdict::Next
    }

    /// So many sweeps, then Newton, which polishes what they solve.
    pub(super) fn sweeps_then_newton(&mut self, sweeps: usize, p: &mut Vec<DVec3>) -> Verdict {
        let settings = NsgsSettings {
            sweeps,
            ..NsgsSettings::ALONE
        };
        let swept = self.nsgs(&settings, p);
        let newton = self.newton_settings();
        let found = self.newton(&newton, p);
        (swept || found).into()
    }

    /// From scratch, by the interior point (of the cones inside the pyramids), finished by Newton.
    pub(super) fn interior(&mut self, p: &mut Vec<DVec3>) -> Verdict {
        let settings = self.interior_settings();
        if self.profile.smooth && settings.centres {
            return self.interior_and_around(&settings, p).into();
        }
        let engine = &mut self.kit.interior_point;
        if self.profile.smooth {
            let outcome = engine.improve(&mut self.system, p, self.inner, &settings);
            return self.judge(p, outcome.effort, "interior-point").into();
        }
        let rounded = Rounded::of(self.problem);
        let mut cones = self.kit.cones.system(rounded.posed());
        let outcome = engine.improve(&mut cones, p, self.inner, &settings);
        self.charge(outcome.effort);
        let newton = self.newton_settings();
        self.newton(&newton, p).into()
    }

    /// From each start of the interior point: its end is mended, and where there are few contacts followed by compliant paths around the best so far.
    fn interior_and_around(
        &mut self,
        settings: &InteriorPointSettings,
        p: &mut Vec<DVec3>,
    ) -> bool {
        for start in settings.starts.chunks(1) {
            let settings = InteriorPointSettings {
                starts: start,
                ..*settings
            };
            let engine = &mut self.kit.interior_point;
            let outcome = engine.improve(&mut self.system, p, self.inner, &settings);
            let found = self.judge(p, outcome.effort, "interior-point");
            if found || !self.is_sketch() && (self.mend(p) || self.mend_around(p)) {
                return true;
            }
            if limit::reached() {
                break;
            }
        }
        false
    }

    /// Compliant paths around the best so far, and what they leave mended. Of nine steps of 300 balls that came here they
    /// solved one, for some 700 factorisations each: so many contacts are better solved in shorter steps.
    fn mend_around(&mut self, p: &mut Vec<DVec3>) -> bool {
        if self.profile.lone && self.profile.contacts > LARGE {
            return false;
        }
        p.clone_from(&self.best.impulses);
        self.path_about(&CompliantSettings::AROUND, p) || self.mend(p)
    }

    /// Compliant paths from `p`, judged at their end.
    pub(super) fn path_about(&mut self, settings: &CompliantSettings, p: &mut Vec<DVec3>) -> bool {
        let engine = &mut self.kit.compliant;
        let outcome = engine.improve(&mut self.system, p, self.inner, settings);
        self.judge(p, outcome.effort, "compliant")
    }

    /// From the guess along the path on which the last step's problem, smoothed by ε/q², becomes this one.
    pub(super) fn continuation(&mut self, epsilon: f64, p: &mut Vec<DVec3>) -> Verdict {
        let settings = HomotopySettings {
            steps: CONTINUATION_STEPS,
            ..self.homotopy_settings(&HomotopySettings::ONE_PATH)
        };
        let engine = &mut self.kit.homotopy;
        let outcome = engine.improve_from(&mut self.system, epsilon, p, self.inner, &settings);
        self.judge(p, outcome.effort, "homotopy").into()
    }

    /// Along compliant laws, see [`Compliant`](crate::engines::compliant::Compliant).
    pub(super) fn compliant(
        &mut self,
        settings: &CompliantSettings,
        p: &mut Vec<DVec3>,
    ) -> Verdict {
        self.path_about(settings, p).into()
    }

    /// Proximal steps about the impulses given, where they are nearly right.
    pub(super) fn centres(&mut self, p: &mut Vec<DVec3>) -> Verdict {
        let engine = &mut self.kit.compliant;
        let outcome = engine.finish(&mut self.system, p, self.inner, WARM_CENTRES);
        self.judge(p, outcome.effort, "compliant").into()
    }

    /// The homotopy from the convex problem.
    pub(super) fn homotopy(&mut self, paths: &HomotopySettings, p: &mut Vec<DVec3>) -> Verdict {
        let settings = self.homotopy_settings(paths);
        let engine = &mut self.kit.homotopy;
        let outcome = engine.improve(&mut self.system, p, self.inner, &settings);
        self.judge(p, outcome.effort, "homotopy").into()
    }

    /// The proximal method with first compliance `tau`, polished by Newton.
    pub(super) fn proximal(&mut self, tau: f64, p: &mut Vec<DVec3>) -> Verdict {
        let settings = self.proximal_settings(tau);
        self.proximal_by(&settings, p)
    }

    /// The same with paths of inner problems followed where Newton fails on them, and all its patience.
    pub(super) fn proximal_with_paths(&mut self, tau: f64, p: &mut Vec<DVec3>) -> Verdict {
        let settings = ProximalSettings {
            patience: CENTRES,
            paths: Some(HomotopySettings::ONE_PATH),
            ..self.proximal_settings(tau)
        };
        self.proximal_by(&settings, p)
    }

    fn proximal_by(&mut self, settings: &ProximalSettings, p: &mut Vec<DVec3>) -> Verdict {
        let engine = &mut self.kit.proximal;
        let outcome = engine.improve(&mut self.system, p, self.inner, settings);
        let found = self.judge(p, outcome.effort, "proximal");
        if found {
            let newton = self.newton_settings();
            self.newton(&newton, p);
        }
        found.into()
    }
}
