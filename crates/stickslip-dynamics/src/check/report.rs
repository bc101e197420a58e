//! What a check came to.

use stickslip_model::{Certificate, Residual, StepRecord};
use stickslip_record::{Account, Header, Summary};

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
    /// Largest overlap allowed to a pair that does overlap, m, and when.
    pub allowed: (f64, f64),
    /// Widest bound of a residual of the law, m/s, and when.
    pub bound: (f64, f64),
    /// What is wrong, in order of time; at most [`MAX_FINDINGS`].
    pub findings: Vec<Finding>,
    /// Findings beyond those listed.
    pub more: usize,
    /// Records of the file that could not be judged: why, and how many.
    pub unjudged: Vec<(&'static str, u64)>,
    /// Steps of the run that are not in the file.
    pub absent: u64,
    /// What the file says and nothing in it can show.
    pub unchecked: Vec<&'static str>,
    /// What is odd about the file: a run that died, or stopped early.
    pub notes: Vec<String>,
    /// Where the run ended that was to go on, s.
    pub early: Option<f64>,
    /// Is it unknown what contacts have compressed, since steps before are not in the file?
    pub(super) cut: bool,
}

/// In one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// All that is in the file is so.
    Valid,
    /// Something is not.
    NotValid,
    /// Nothing is wrong as far as can be seen, but not every step in the file can be judged, or there is none.
    NotJudged,
}

/// So many findings are listed; the rest are counted.
pub const MAX_FINDINGS: usize = 100;

impl Report {
    /// Is everything in the file so?
    #[must_use]
    pub fn valid(&self) -> bool {
        self.findings.is_empty()
    }

    /// What it came to.
    #[must_use]
    pub fn judgement(&self) -> Judgement {
        if !self.valid() {
            Judgement::NotValid
        } else if self.judged() == 0 || !self.unjudged.is_empty() {
            Judgement::NotJudged
        } else {
            Judgement::Valid
        }
    }

    /// How many steps were judged.
    #[must_use]
    pub fn judged(&self) -> u64 {
        let unjudged: u64 = self.unjudged.iter().map(|(_, count)| count).sum();
        self.account.steps.saturating_sub(unjudged)
    }

    /// A step that is in the file and in the account, but cannot be judged.
    pub(super) fn pass_over(&mut self, why: &'static str) {
        match self.unjudged.iter_mut().find(|(known, _)| *known == why) {
            Some((_, count)) => *count += 1,
            None => self.unjudged.push((why, 1)),
        }
    }

    /// Lists what no check can show.
    pub(super) fn add_unchecked(&mut self, header: &Header, summary: Option<&Summary>) {
        self.unchecked.extend([
            "the names of the version and of the scene's file",
            "by which solver and in how many iterations the impulses of a step were found",
        ]);
        if header.every > 1 {
            self.unchecked
                .push("the steps between, and with them state hash and counts of the whole run");
        }
        if summary.is_some_and(|s| s.failure.is_some()) {
            self.unchecked.push("why the run stopped");
        }
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
        raise(&mut self.allowed, found.allowed);
        raise(&mut self.bound, found.bound(tolerance));
    }
}
