//! How much work a run spends on steps that are hard.
//!
//! A step that no stage solves at once is done as shorter ones, and each of them may be as hard: walls and towers that are struck have
//! hundreds of such steps in a row. So a run has a store of patience, in contacts factored, one answer on every machine. What a step takes
//! beyond a modest share is taken from it, and every record gives a little back. Where it is spent, an answer within `accept` is
//! taken as soon as it is at hand, recorded as what it is, instead of looking for shorter steps that are certified.

use stickslip_model::bytes::Stored;

/// The whole store: what some ten hard steps take, or fifteen seconds of a core.
const WHOLE: u64 = 6_000_000;
/// Debts are not larger than this: patience comes back within sixty easy records.
const DEBT: u64 = 3_000_000;
/// Work of a record that takes nothing from the store: what a solver may spend on one island, or nearly.
const MODEST: u64 = 300_000;
/// What each record gives back.
const BACK: u64 = 50_000;

/// What was spent and has not come back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Patience {
    spent: u64,
}

impl Patience {
    /// What is left after a record that took so much work.
    pub(crate) const fn after(self, work: u64) -> Self {
        let spent = self.spent.saturating_add(work.saturating_sub(MODEST));
        let spent = spent.saturating_sub(BACK);
        let most = WHOLE + DEBT;
        Self {
            spent: if spent < most { spent } else { most },
        }
    }

    /// Is nothing left?
    pub(crate) const fn is_spent(self) -> bool {
        self.spent >= WHOLE
    }
}

impl Stored for Patience {
    fn put(&self, out: &mut Vec<u8>) {
        self.spent.put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let spent = Stored::take(from)?;
        (spent <= WHOLE + DEBT).then_some(Self { spent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn easy_records_cost_nothing_and_hard_ones_are_paid_back_in_time() {
        let fresh = Patience::default();
        assert_eq!(fresh.after(MODEST), fresh);
        let mut patience = fresh.after(MODEST + WHOLE + BACK);
        assert!(patience.is_spent());
        patience = patience.after(u64::MAX);
        assert_eq!(patience.spent, WHOLE + DEBT);
        let mut records = 0;
        while patience.is_spent() {
            patience = patience.after(0);
            records += 1;
        }
        assert_eq!(records, DEBT / BACK + 1);
    }

    #[test]
    fn what_is_stored_comes_back_and_nonsense_does_not() {
        let patience = Patience::default().after(1_234_567);
        let mut bytes = Vec::new();
        patience.put(&mut bytes);
        assert_eq!(Patience::take(&mut &*bytes), Some(patience));
        bytes.clear();
        (WHOLE + DEBT + 1).put(&mut bytes);
        assert_eq!(Patience::take(&mut &*bytes), None);
    }
}
