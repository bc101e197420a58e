//! The selection rule in a run: piles that can rest do, whichever solver is asked for.

use std::collections::BTreeMap;

use stickslip_dynamics::World;
use stickslip_dynamics::scene::{Files, Scene};
use stickslip_dynamics::simulate::{Outcome, simulate_in_memory};

/// A planar pile of ten balls on the ground, μ = 0.8, and how fast it is at the end.
fn pile(solver: &str, cone: &str, tolerance: f64) -> (Outcome, f64) {
    let mut text = format!(
        "title = \"Ten balls\"\n[step]\nh = 0.01\nuntil = 0.2\nsolver = \"{solver}\"\ncone = \"{cone}\"\n\
         tolerance = {tolerance:?}\n\
         [material]\nfriction = 0.8\n[[body]]\nname = \"ground\"\nmotion = \"fixed\"\n\
         shape = {{ half-space = {{ normal = [0, 0, 1] }} }}\n"
    );
    for row in 0..4 {
        for k in 0..4 - row {
            let x = f64::from(k) + 0.5 * f64::from(row);
            let z = 0.5 + f64::from(row) * 0.75f64.sqrt();
            text += &format!(
                "[[body]]\nname = \"ball {row} {k}\"\nshape = {{ ball = {{ radius = 0.5 }} }}\nmass = 1\n\
                 position = [{x:?}, 0, {z:?}]\n"
            );
        }
    }
    let files = Files::copies(BTreeMap::new());
    let scene = Scene::parse_with(&text, "pile.toml", &[], files).unwrap_or_else(|e| panic!("{e}"));
    let mut world = World::from_scene(&scene).unwrap_or_else(|e| panic!("{e}"));
    let (_, outcome) = simulate_in_memory(&scene, &mut world).expect("a run");
    let speeds = world.states().iter().map(|s| s.twist.linear.length());
    (outcome, speeds.fold(0.0, f64::max))
}

#[test]
fn a_resting_pile_stays_at_rest_under_every_solver() {
    let mut by_rule = 0;
    for (solver, cone) in [
        ("auto", "quadratic"),
        ("homotopy", "quadratic"),
        ("interior-point", "quadratic"),
        ("nsgs", "quadratic"),
        ("auto", "pyramid:4"),
        ("lemke", "pyramid:4"),
        ("lemke", "pyramid:8"),
        ("newton", "pyramid:4"),
    ] {
        let (outcome, fastest) = pile(solver, cone, 1e-10);
        assert!(
            outcome.certified(),
            "{solver}, {cone}: {:?}",
            outcome.failure
        );
        assert!(fastest < 1e-8, "{solver}, {cone}: {fastest:e} m/s");
        println!(
            "{solver}, {cone}: {} of {} steps by the rule",
            outcome.by_rule, outcome.steps
        );
        by_rule += outcome.by_rule;
        assert!(solver != "auto" || outcome.by_rule == 0);
    }
    assert!(
        by_rule > 0,
        "no solver ever ended in another motion: the rule was not at work"
    );
}

#[test]
fn a_loose_tolerance_does_not_let_it_creep() {
    for (solver, cone, tolerance) in [
        ("proximal", "quadratic", 1e-6),
        ("homotopy", "quadratic", 1e-3),
        ("lemke", "pyramid:4", 1e-3),
    ] {
        let (outcome, fastest) = pile(solver, cone, tolerance);
        assert!(outcome.certified(), "{solver}: {:?}", outcome.failure);
        assert!(fastest < 1e-7, "{solver} at {tolerance:e}: {fastest:e} m/s");
    }
}
