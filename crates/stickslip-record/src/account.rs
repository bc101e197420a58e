//! How the steps of a run came to be accepted: certified, approximate, divided, with overlaps left.

use serde::{Deserialize, Serialize};
use stickslip_model::{StepRecord, stored};

/// How the steps of a run came to be accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Account {
    /// Records: steps, parts of divided ones, phases of impacts; the initial state does not count.
    pub steps: u64,
    /// Those among them that are not certified.
    pub approximate: Approximate,
    /// Steps of the scene's length that were done in shorter ones.
    pub divided: u64,
    /// Records that leave overlaps as they find them.
    pub leaving: u64,
    /// Is the last record a part of one that is not at its end?
    within: bool,
}

/// The steps that missed their tolerance and were accepted nevertheless.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Approximate {
    /// How many.
    pub count: u64,
    /// The largest residual of one, m/s.
    pub worst: f64,
    /// When that was, s.
    pub t: f64,
}

stored!(Approximate { count, worst, t });
stored!(Account {
    steps,
    approximate,
    divided,
    leaving,
    within
});

impl Account {
    /// Counts a record, whose certificate was to hold to `tolerance` (m/s).
    pub fn add(&mut self, step: &StepRecord, tolerance: f64) {
        self.steps += 1;
        if !step.certificate.holds(tolerance) {
            let (_, residual) = step.certificate.worst();
            let approximate = &mut self.approximate;
            approximate.count += 1;
            if residual > approximate.worst || residual.is_nan() {
                (approximate.worst, approximate.t) = (residual, step.t);
            }
        }
        self.leaving += u64::from(step.kind.leaves_overlaps());
        let within = step.kind.is_part();
        self.divided += u64::from(within && !self.within);
        self.within = within;
    }

    /// Is every step certified?
    #[must_use]
    pub const fn certified(&self) -> bool {
        self.approximate.count == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_model::{Bound, Kind, Residual};

    #[test]
    fn steps_are_counted_by_what_their_certificates_say_and_divided_ones_once() {
        let mut account = Account::default();
        let mut add = |kind: Kind, residual: f64, t: f64| {
            let mut step = StepRecord {
                kind,
                t,
                ..StepRecord::default()
            };
            step.certificate
                .raise_law(Residual::Cone, residual, &Bound::default());
            account.add(&step, 1e-8);
        };
        add(Kind::Step, 1e-9, 1.0);
        // One step in three parts, one in two.
        add(Kind::Part, 0.0, 1.25);
        add(Kind::Part, 2e-7, 1.5);
        add(Kind::Step, 0.0, 2.0);
        add(Kind::Part, 3e-8, 2.5);
        add(Kind::Step, 0.0, 3.0);
        add(Kind::LeavingPart, 0.0, 3.5);
        add(Kind::Leaving, 0.0, 4.0);
        assert_eq!((account.steps, account.divided, account.leaving), (8, 3, 2));
        let worst = Approximate {
            count: 2,
            worst: 2e-7,
            t: 1.5,
        };
        assert_eq!(account.approximate, worst);
        assert!(!account.certified());
    }
}
