//! Many contacts in motion: conjugate sweeps, mended where they stall.
//!
//! In a heap that falls, collapses or is stirred some contact is struck in every step, and all impulses change: the last ones are
//! no good start for Newton, who takes 20 to 60 factorisations where he arrives at all. Sweeps made conjugate
//! ([`crate::engines::conjugate`]) come to 1e-3 m/s in 40 to 90, whatever the size of the heap, and to the tolerance in 150 to 400 unless
//! they stall, at 1e-4 to 1e-7 m/s. Where they stall it is at loops of three to six contacts that stick around a few bodies and
//! contradict each other by their gaps: impulses grow along the loop by little in each sweep, until one of them slips. The contacts of those bodies by
//! themselves, solved from nothing, slip at once; then sweeps go on.

use crate::auto::chain::{Chain, Verdict};
use crate::auto::mend::WORST;
use crate::auto::plans::{AIM, FEW, MANY, NEARLY_RIGHT, POLISH, TO_TOLERANCE};
use crate::auto::profile::Form;
use crate::engines::conjugate::ConjugateSettings;
use crate::limit;
use glam::DVec3;

// Of 25 heaps of 100 to 1,000 balls 18 are solved with these numbers without a factorisation of the whole, 12 to 17 with others that were
// tried (100 sweeps after mending, regions about what fails by a tenth or a half of the worst, from the best impulses so far, four rings).

/// Sweeps from the last impulses, and after mending.
const FIRST: ConjugateSettings = ConjugateSettings {
    sweeps: 300,
    patience: 60,
};
const AGAIN: ConjugateSettings = ConjugateSettings {
    sweeps: 300,
    patience: 150,
};
/// Rounds of mending at most, and rings of bodies around those that fail.
const ROUNDS: usize = 4;
const RINGS: usize = 2;
/// Residual above which nothing is mended, m/s: no few contacts are to blame.
const BEYOND_MENDING: f64 = 1e-2;
/// Part of the least residual so far below which a round has got somewhere.
const GAIN: f64 = 0.9;

impl Chain<'_> {
    /// Sweeps as far as the caller needs them, mended where they stall unless a sketch will do.
    pub(super) fn sweep_and_mend(&mut self, p: &mut Vec<DVec3>) -> Verdict {
        if self.conjugate(&FIRST, p) {
            return Verdict::Answer;
        }
        let mut rings = 0;
        for _ in 0..ROUNDS {
            let before = self.best.residual;
            if self.is_sketch() || before > BEYOND_MENDING || limit::reached() {
                break;
            }
            // From where the sweeps are, which need not be the best so far: what was mended takes a while to spread.
            let above = WORST * self.residual(p);
            let mended = self.mend_worst(above.max(self.inner), rings, p);
            if mended > 0 && self.conjugate(&AGAIN, p) {
                return Verdict::Answer;
            }
            if self.best.residual <= GAIN * before {
                rings = 0;
            } else if rings < RINGS {
                rings += 1;
            } else {
                break;
            }
        }
        Verdict::Next
    }

    /// Conjugate sweeps from `p`; true where they come to what the caller needs.
    fn conjugate(&mut self, settings: &ConjugateSettings, p: &mut Vec<DVec3>) -> bool {
        let goal = self.inner.max(self.enough);
        let engine = &mut self.kit.conjugate;
        let outcome = engine.improve(&self.system, p, goal, settings);
        self.judge(p, outcome.effort, "conjugate") || self.best.residual <= self.enough
    }

    /// So many conjugate sweeps at most, as far as a sketch needs them.
    pub(super) fn conjugate_sketch(&mut self, sweeps: usize, p: &mut Vec<DVec3>) -> Verdict {
        let settings = ConjugateSettings {
            sweeps,
            patience: sweeps,
        };
        self.conjugate(&settings, p).into()
    }

    /// Conjugate sweeps, without mending.
    pub(super) fn sketch_by_sweeps(&mut self, p: &mut Vec<DVec3>) -> Verdict {
        self.conjugate(&FIRST, p).into()
    }

    /// An answer taken towards rounding (or towards the tolerance, where less was enough) by proximal steps, which bound how far
    /// the impulses of redundant contacts go for it. Many lone contacts that are in motion are left at the tolerance: nothing
    /// there is to stay as it is.
    pub(super) fn polish(&mut self) {
        let (aim, centres) = if self.best.residual <= self.asked_for {
            (AIM.min(self.tolerance), POLISH)
        } else {
            (self.asked_for, TO_TOLERANCE)
        };
        let redundant = self.profile.form == Form::Step && self.profile.contacts > FEW;
        let many = self.profile.lone && self.profile.contacts > MANY;
        if many && self.from_guess > NEARLY_RIGHT && self.best.residual <= self.asked_for {
            return;
        }
        if !redundant || self.is_hard_sketch() || self.best.residual <= aim || limit::reached() {
            return;
        }
        let mut p = self.best.impulses.clone();
        let engine = &mut self.kit.compliant;
        let outcome = engine.finish(&mut self.system, &mut p, aim, centres);
        let solver = self.best.solver;
        self.judge(&p, outcome.effort, solver);
    }
}
