//! A particle carried round by the scaled circle motion: the exact cone and pyramids, fixed in the world and to
//! the plate.

use serde_json::Value;
use stickslip::prelude::*;
use stickslip_verify::{reference, run, world_of};

/// Where the particle is after 5 s, m.
fn end(cone: &str, h: f64) -> DVec2 {
    let set = [format!("step.cone={cone}"), format!("step.h={h}")];
    let (_, mut world) = world_of("scaled_circle.toml", &set);
    run(&mut world, 5.0);
    world.body("particle").unwrap().pose.position.truncate()
}

fn last(case: &Value) -> DVec2 {
    let at = |key: &str| {
        case[key]
            .as_array()
            .unwrap()
            .last()
            .unwrap()
            .as_f64()
            .unwrap()
    };
    DVec2::new(at("x"), at("y"))
}

/// The stored case of that many directions.
fn stored<'v>(circle: &'v Value, n: u64, frame: &str, turn: f64) -> &'v Value {
    let cases = circle["polyhedral"].as_array().unwrap();
    let is = |c: &&Value| {
        c["n"] == n && c["frame"] == frame && c["offset_sectors"].as_f64() == Some(turn)
    };
    cases.iter().find(is).expect("a stored case")
}

/// The end point at h = 1e-5 s within 2e-4 m, and extrapolated from there and 5e-6 s within 2e-5 m.
fn agrees(cone: &str, truth: DVec2) {
    let (coarse, fine) = (end(cone, 1e-5), end(cone, 5e-6));
    let extrapolated = fine * 2.0 - coarse;
    let [at_h, limit] = [coarse, extrapolated].map(|x| (x - truth).length());
    eprintln!("{cone:<22} error {at_h:.2e} m at h = 1e-5 s, extrapolated {limit:.2e} m");
    assert!(at_h < 2e-4, "{cone}: {at_h:.2e} m");
    assert!(limit < 2e-5, "{cone}: {limit:.2e} m");
}

fn circle() -> Option<Value> {
    Some(reference("r2_plate3d.json")?["cases"][0].clone())
}

#[test]
fn exact_cone_ends_where_the_reference_does() {
    let Some(circle) = circle() else { return };
    agrees("quadratic", last(&circle["circular_cone"]));
}

fn fan_agrees(circle: &Value, n: u64, frame: &str, turn: f64) {
    let name = if frame == "body" { "plate" } else { "world" };
    let truth = last(stored(circle, n, name, turn));
    agrees(&format!("pyramid:{n}:{frame}:{turn}"), truth);
}

/// Fans of that frame: (directions, turn in sectors). One of each frame, or with `STICKSLIP_FANS=all` all that
/// are stored (eighteen million steps).
fn fans(few: (u64, f64)) -> Vec<(u64, f64)> {
    if std::env::var_os("STICKSLIP_FANS").is_some_and(|v| v == "all") {
        let straight = [4, 8, 16, 32].map(|n| (n, 0.0));
        [&straight[..], &[(4, 0.5), (8, 0.5)]].concat()
    } else {
        vec![few]
    }
}

#[test]
fn fans_fixed_in_the_world() {
    let Some(circle) = circle() else { return };
    for (n, turn) in fans((8, 0.0)) {
        fan_agrees(&circle, n, "world", turn);
    }
}

#[test]
fn fans_fixed_to_the_plate_and_turned_ones() {
    let Some(circle) = circle() else { return };
    for (n, turn) in fans((8, 0.5)) {
        fan_agrees(&circle, n, "body", turn);
    }
}
