//! What a check came to.

use stickslip_model::{Certificate, Residual, StepRecord};
use stickslip_record::Account;

/// Something in the file that is not so.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// In which step (0 is the initial state).
    pub step: u64,
    /// Time at its end, s.
    pub t: f64,
    /// What is wrong, with the bodies concerned.
    pub what: String,
}

/// What the check came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The steps judged, and how they came to be accepted.
    pub account: Account,
    /// Largest residual of each kind, m/s, and when.
    pub worst: [(f64, f64); Residual::ALL.len()],
    /// Largest equality residual in units of its rounding bound, and when.
    pub rounding: (f64, f64),
    /// Deepest penetration, m, and when.
    pub penetration: (f64, f64),
    /// What is wrong, in order of time; at most [`MAX_FINDINGS`].
    pub findings: Vec<Finding>,
    /// Findings beyond those listed.
    pub more: usize,
    /// What the file leaves open: a run that died, steps that were thinned away.
    pub notes: Vec<String>,
}

/// So many findings are listed; the rest are counted.
pub const MAX_FINDINGS: usize = 100;

impl Report {
    /// Is everything in the file so?
    #[must_use]
    pub fn valid(&self) -> bool {
        self.findings.is_empty()
    }

    pub(super) fn find(&mut self, step: &StepRecord, what: String) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(Finding {
                step: step.step,
                t: step.t,
                what,
            });
        } else {
            self.more += 1;
        }
    }

    /// Counts a step that was judged, and raises the largest residuals.
    pub(super) fn add(&mut self, step: &StepRecord, found: &Certificate, tolerance: f64) {
        self.account.add(step, tolerance);
        let raise = |worst: &mut (f64, f64), value: f64| {
            if value > worst.0 || value.is_nan() {
                *worst = (value, step.t);
            }
        };
        for (worst, &value) in self.worst.iter_mut().zip(&found.residuals) {
            raise(worst, value);
        }
        raise(&mut self.rounding, found.rounding);
        raise(&mut self.penetration, found.penetration);
    }
}
