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

#[test]
fn fans_fixed_in_the_world() {
    let Some(circle) = circle() else { return };
    fan_agrees(&circle, 8, "world", 0.0);
}

#[test]
fn fans_fixed_to_the_plate_and_turned_ones() {
    let Some(circle) = circle() else { return };
    fan_agrees(&circle, 8, "body", 0.5);
}

#[test]
#[ignore = "eighteen million steps; run by hand"]
fn every_fan() {
    let Some(circle) = circle() else { return };
    for frame in ["world", "body"] {
        for n in [4, 8, 16, 32] {
            fan_agrees(&circle, n, frame, 0.0);
        }
        for n in [4, 8] {
            fan_agrees(&circle, n, frame, 0.5);
        }
    }
}
