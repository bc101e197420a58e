//! The number of friction directions of each contact, or the exact cone, within a budget of work.
//!
//! Work is counted, not timed, so that the choice is the same on every machine. A contact has 3 rows on the exact cone and n + 2
//! with a fan of n directions (the normal, the directions, the slip speed); a step whose contacts have R rows together costs R³,
//! as a dense factorisation does. The time of one solve for three contacts (`stickslip reproduce plate-fig6`) follows that:
//!
//! | | rows | R³ | measured | per unit |
//! |---|---|---|---|---|
//! | exact cone | 9 | 729 | 4.7 µs | 6.4 ns |
//! | 3 directions | 15 | 3375 | 28 µs | 8.3 ns |
//! | 8 directions | 30 | 27000 | 220 µs | 8.1 ns |
//! | 32 directions | 102 | 1061208 | 5.4 ms | 5.1 ns |
//!
//! So the exact cone costs less than any fan and has no error: a solver that takes it is given it everywhere. A solver of linear
//! complementarity problems (`lemke`) takes fans only. All contacts then start with the fewest directions, and the one whose
//! expected error falls most for each row that is added gets more, until the budget is used up. The expected error of a contact is what a
//! fan of n directions changes of its friction impulse, as a velocity:
//!
//! ```text
//!   sliding   μ p_n/m · 2 sin(π/2n)      friction is up to π/n off the direction of the slip
//!   sticking  μ p_n/m · (1 − cos(π/n))   what the polygon leaves out of the disc
//! ```
//!
//! with p_n and the mode that the contact had in the last step.

use std::f64::consts::PI;
use stickslip_model::{Mode, stored};

/// The numbers of directions that a contact can be given.
pub const FANS: [u32; 5] = [4, 8, 16, 32, 64];

/// Names of the solvers that take fans only.
const LINEAR: [&str; 1] = ["lemke"];

/// What is known of a contact before the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Load {
    /// μ p_n/m of the last step, m/s; `None` for a new contact.
    pub(crate) friction: Option<f64>,
    /// Did it slide? New ones may.
    pub(crate) mode: Mode,
}

/// What was chosen in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Chosen {
    /// The fewest and the most directions of a contact; 0 is the exact cone.
    pub directions: (u32, u32),
    /// R³.
    pub work: u64,
    /// The largest expected error of a contact, m/s, with the impulses that were found.
    pub error: f64,
    /// Is the work more than the budget, though every contact has the fewest directions?
    pub over: bool,
}

stored!(Chosen {
    directions,
    work,
    error,
    over
});

/// Rows of a contact with that many directions; 0 is the exact cone.
#[must_use]
pub const fn rows(directions: u32) -> u64 {
    if directions == 0 {
        3
    } else {
        directions as u64 + 2
    }
}

/// The expected error of a contact, m/s, for a friction impulse bound of μ p_n/m.
#[must_use]
pub fn expected(friction: f64, mode: Mode, directions: u32) -> f64 {
    if directions == 0 || mode == Mode::Open {
        return 0.0;
    }
    let sector = PI / f64::from(directions);
    let part = match mode {
        Mode::Slide => 2.0 * libm::sin(0.5 * sector),
        _ => 1.0 - libm::cos(sector),
    };
    friction * part
}

/// The work of a step.
pub(crate) fn work(directions: &[u32]) -> u64 {
    let sum: u64 = directions.iter().map(|&n| rows(n)).sum();
    sum.saturating_mul(sum).saturating_mul(sum)
}

/// The choice for each contact.
pub(crate) fn choose(loads: &[Load], budget: u64, solver: &str, chosen: &mut Vec<u32>) {
    chosen.clear();
    if !LINEAR.contains(&solver) {
        chosen.resize(loads.len(), 0);
        return;
    }
    chosen.resize(loads.len(), FANS[0]);
    // A new contact may slide under as much as the heaviest that is known.
    let known = loads.iter().filter_map(|l| l.friction).fold(0.0, f64::max);
    let unknown = if known > 0.0 { known } else { 1.0 };
    let error = |k: usize, n: u32| {
        let Load { friction, mode } = loads[k];
        match friction {
            Some(friction) => expected(friction, mode, n),
            None => expected(unknown, Mode::Slide, n),
        }
    };
    loop {
        // The largest gain for each row that fits; the first of equals.
        let mut best: Option<(f64, usize, u32)> = None;
        for k in 0..loads.len() {
            let Some(&more) = FANS.iter().find(|&&n| n > chosen[k]) else {
                continue;
            };
            let gain = (error(k, chosen[k]) - error(k, more)) / f64::from(more - chosen[k]);
            if gain <= best.map_or(0.0, |b| b.0) {
                continue;
            }
            let before = std::mem::replace(&mut chosen[k], more);
            let fits = work(chosen) <= budget;
            chosen[k] = before;
            if fits {
                best = Some((gain, k, more));
            }
        }
        let Some((_, k, more)) = best else {
            return;
        };
        chosen[k] = more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(friction: f64, mode: Mode) -> Load {
        Load {
            friction: Some(friction),
            mode,
        }
    }

    fn chosen(loads: &[Load], budget: u64, solver: &str) -> Vec<u32> {
        let mut all = Vec::new();
        choose(loads, budget, solver, &mut all);
        all
    }

    #[test]
    fn a_solver_that_takes_it_gets_the_exact_cone() {
        let loads = [load(1.0, Mode::Slide); 3];
        assert_eq!(chosen(&loads, 1, "auto"), [0, 0, 0]);
    }

    #[test]
    fn directions_go_where_they_gain_most() {
        // One slides under a load, one sticks, one is open.
        let loads = [
            load(1.0, Mode::Slide),
            load(1.0, Mode::Stick),
            load(0.0, Mode::Open),
        ];
        let all = chosen(&loads, 60 * 60 * 60, "lemke");
        assert!(all[0] > all[1] && all[1] > all[2], "{all:?}");
        assert!(work(&all) <= 60 * 60 * 60);
        assert_eq!(all[2], FANS[0], "nothing is gained there");
    }

    #[test]
    fn no_more_is_spent_than_the_budget_and_never_less_than_the_fewest() {
        let loads = [load(1.0, Mode::Slide); 4];
        for budget in [0, 20_000, 100_000, 1_000_000, u64::MAX] {
            let all = chosen(&loads, budget, "lemke");
            let least = work(&[FANS[0]; 4]);
            assert!(work(&all) <= budget.max(least), "{budget}: {all:?}");
        }
        assert_eq!(chosen(&loads, u64::MAX, "lemke"), [64; 4]);
    }

    #[test]
    fn more_directions_are_never_expected_to_be_worse() {
        for mode in [Mode::Stick, Mode::Slide] {
            let errors = FANS.map(|n| expected(1.0, mode, n));
            assert!(errors.windows(2).all(|w| w[1] < w[0]));
        }
        assert_eq!(expected(1.0, Mode::Slide, 0), 0.0);
    }
}
