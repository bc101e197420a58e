//! Friction directions chosen contact by contact within a budget of work.

use stickslip::prelude::*;
use stickslip_verify::{run, world_of};

/// End of the runs, s; steps of 1e-4 s.
const UNTIL: f64 = 0.06;

/// The tripod with this cone and solver.
fn tripod(cone: &str, solver: &str) -> World {
    let set = [format!("step.cone={cone}"), format!("step.solver={solver}")];
    world_of("budget.toml", &set).1
}

fn end(world: &mut World) -> DVec2 {
    run(world, UNTIL);
    world.body("tripod").unwrap().pose.position.truncate()
}

#[test]
fn a_larger_budget_buys_a_smaller_error() {
    let exact = end(&mut tripod("quadratic", "auto"));
    let mut before = f64::INFINITY;
    // Four directions on each of three feet are 18 rows, eight are 30, sixteen are 54.
    for rows in [18_u64, 30, 60] {
        let budget = rows * rows * rows;
        let mut world = tripod(&format!("budget:{budget}"), "lemke");
        let (mut expected, mut most, mut fewest) = (0.0_f64, 0, u32::MAX);
        while !world.reached(UNTIL) {
            world.step().unwrap_or_else(|e| panic!("{e}"));
            let chosen = world.chosen_cones().expect("a choice");
            assert!(chosen.work <= budget && !chosen.over, "{chosen:?}");
            expected = expected.max(chosen.error);
            (fewest, most) = (
                fewest.min(chosen.directions.0),
                most.max(chosen.directions.1),
            );
        }
        let place = world.body("tripod").unwrap().pose.position.truncate();
        let off = (place - exact).length();
        eprintln!(
            "work {budget}: {fewest} to {most} directions, expected error {expected:.1e} m/s, {off:.2e} m from the exact cone"
        );
        assert!(expected < before, "{expected} {before}");
        before = expected;
        if rows == 30 {
            // As with eight directions on every foot.
            assert_eq!(place, end(&mut tripod("pyramid:8", "lemke")));
        }
    }
}

#[test]
fn a_solver_that_takes_the_exact_cone_is_given_it() {
    let mut chosen = tripod("budget:1000", "auto");
    let mut exact = tripod("quadratic", "auto");
    assert_eq!(end(&mut chosen), end(&mut exact));
    let cones = chosen.chosen_cones().unwrap();
    assert_eq!(
        (cones.directions, cones.work, cones.error),
        ((0, 0), 729, 0.0)
    );
}

#[test]
fn a_budget_that_covers_nothing_is_said_to() {
    let mut world = tripod("budget:100", "lemke");
    world.step().unwrap();
    let cones = world.chosen_cones().unwrap();
    assert!(cones.over);
    assert_eq!(cones.directions, (4, 4));
}
