//! The two methods agree: configuration-space cones against mode enumeration with linear programming.
//!
//! `STICKSLIP_STATES` sets the number of random states (100000 for the full check), `STICKSLIP_SEED` which ones.

mod common;

use common::second::Second;
use common::states::{directions, random_state};
use common::{Random, all};
use stickslip_planar::{Options, State, Status, solve};
use stickslip_testing::setting;

fn number_of_states() -> usize {
    setting("STICKSLIP_STATES", 3000) as usize
}

#[test]
fn same_sets_by_both_methods() {
    let mut random = Random::new(setting("STICKSLIP_SEED", 1));
    compare(number_of_states(), || random_state(&mut random));
}

/// Contacts that stand still may have more friction than sliding ones; twice as much is on the grid's boundaries.
#[test]
fn same_sets_with_static_friction() {
    let mut random = Random::new(setting("STICKSLIP_SEED", 1) + 100);
    compare(number_of_states() / 3, || {
        let mut state = random_state(&mut random);
        for contact in &mut state.contacts {
            let factor = match random.integer(0, 3) {
                0 => 1.0,
                1 => 2.0,
                _ => random.between(1.0, 2.0),
            };
            contact.mu_static = Some(factor * contact.mu);
        }
        state
    });
}

fn compare(n: usize, mut next: impl FnMut() -> State) {
    let directions = directions();
    let mut counts = std::collections::BTreeMap::new();
    let mut failures = 0;
    for number in 0..n {
        let state = next();
        let answer = all(&state);
        *counts.entry(answer.status().word()).or_insert(0) += 1;
        assert_ne!(answer.status(), Status::Collision, "{state:?}");
        let differences = Second::new(&state).differences(&answer, &directions);
        if !differences.is_empty() {
            failures += 1;
            if failures <= 5 {
                println!(
                    "state {number}: {state:?}\n{:#?}\nours {:#?}\n",
                    differences, answer.sets
                );
            }
        }
    }
    println!("{n} states: {counts:?}, {failures} differences");
    assert_eq!(failures, 0);
}

/// Trying every subset, as the document does, finds the same accelerations as the closed subsets alone. It may list
/// them in more pieces: a contact outside the subset does not split a set by the way it slides.
#[test]
fn nothing_is_lost_by_pruning() {
    let mut random = Random::new(setting("STICKSLIP_SEED", 2));
    let exhaustive = Options {
        exhaustive: true,
        ..Options::default()
    };
    for _ in 0..number_of_states() {
        let state = random_state(&mut random);
        let (few, many) = (all(&state), solve(&state, &exhaustive).unwrap());
        let size = few.sets.iter().flat_map(|s| s.vertices.iter().flatten());
        let slack = 1e-6 * size.fold(1.0_f64, |m, x| m.max(x.abs()));
        for set in &few.sets {
            assert!(
                many.sets
                    .iter()
                    .any(|s| s.region.covers(&set.region, slack)),
                "{state:?}\n{:#?}\n{:#?}",
                few.sets,
                many.sets
            );
        }
        for set in &many.sets {
            // Convex combinations of the corners, and steps along the rays.
            for _ in 0..20 {
                let mut point = [0.0; 3];
                let weights: Vec<f64> = set
                    .region
                    .vertices
                    .iter()
                    .map(|_| random.between(0.0, 1.0))
                    .collect();
                let total: f64 = weights.iter().sum();
                for (v, w) in set.region.vertices.iter().zip(&weights) {
                    (0..3).for_each(|i| point[i] += v[i] * w / total);
                }
                for r in &set.region.rays {
                    let step = random.between(0.0, 10.0);
                    (0..3).for_each(|i| point[i] += r[i] * step);
                }
                assert!(
                    few.sets.iter().any(|s| s.region.contains(point, slack)),
                    "{state:?}\n{:#?}\n{:#?}",
                    few.sets,
                    many.sets
                );
            }
        }
        assert!(few.subsets.tried <= many.subsets.tried);
        assert_eq!(Some(many.subsets.tried as u64), many.subsets.total());
    }
}
