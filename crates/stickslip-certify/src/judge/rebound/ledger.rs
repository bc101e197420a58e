//! What a pair of bodies took, step by step, and what of it is left to be given back for.

use std::collections::VecDeque;

/// What contacts took in a step, or in several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Took {
    /// Σ (p_n − r − p_F)₊, N s.
    pub(super) impulse: f64,
    /// How well that is known, N s.
    pub(super) impulse_rounding: f64,
    /// Σ of the energies taken, of those that are positive, J.
    pub(super) energy: f64,
    /// How well that is known, J.
    pub(super) energy_rounding: f64,
}

impl Took {
    /// The sum of both.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self {
            impulse: self.impulse + other.impulse,
            impulse_rounding: self.impulse_rounding + other.impulse_rounding,
            energy: self.energy + other.energy,
            energy_rounding: self.energy_rounding + other.energy_rounding,
        }
    }
}

/// What a pair took in the steps that count.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    /// By step, the oldest first: how many steps ago, and what.
    steps: VecDeque<(u32, Took)>,
    /// Does the impact of its island go on?
    pub(super) goes_on: bool,
}

/// Steps for which a compression is remembered: eight that it may last, and the one in which it ends.
const STEPS: u32 = 9;

impl Ledger {
    /// Another step begins.
    pub(super) fn grow_older(&mut self) {
        for (age, _) in &mut self.steps {
            *age += 1;
        }
        while self.steps.front().is_some_and(|(age, _)| *age > STEPS) {
            self.steps.pop_front();
        }
    }

    /// A contact takes something in the step at hand.
    pub(super) fn take(&mut self, took: &Took) {
        match self.steps.back_mut() {
            Some((0, sum)) => *sum = sum.and(took),
            _ => self.steps.push_back((0, *took)),
        }
    }

    /// All that is left.
    pub(super) fn left(&self) -> Took {
        let all = self.steps.iter();
        all.fold(Took::default(), |sum, (_, took)| sum.and(took))
    }

    /// An impulse was given back for so much of what was taken, N s. The oldest goes first: if what is given can be paid for by steps that were
    /// remembered when it was, it can be so.
    pub(super) fn use_up(&mut self, mut impulse: f64) {
        for (_, took) in &mut self.steps {
            let part = took.impulse.min(impulse);
            took.impulse -= part;
            impulse -= part;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Ledger, STEPS, Took};

    fn took(impulse: f64) -> Took {
        Took {
            impulse,
            ..Took::default()
        }
    }

    #[test]
    fn the_oldest_is_used_up_first_and_what_is_too_old_is_gone() {
        let mut ledger = Ledger::default();
        for impulse in [1.0, 2.0] {
            ledger.grow_older();
            ledger.take(&took(impulse));
            ledger.take(&took(impulse));
        }
        assert_eq!(ledger.left().impulse, 6.0);
        ledger.use_up(3.0);
        assert_eq!(ledger.left().impulse, 3.0);
        for _ in 0..STEPS {
            ledger.grow_older();
        }
        assert_eq!(ledger.left().impulse, 3.0, "all of it of the second step");
        ledger.grow_older();
        assert_eq!(ledger.left().impulse, 0.0);
        // More than there is: nothing is owed.
        ledger.take(&took(1.0));
        ledger.use_up(5.0);
        ledger.take(&took(0.5));
        assert_eq!(ledger.left().impulse, 0.5);
    }
}
