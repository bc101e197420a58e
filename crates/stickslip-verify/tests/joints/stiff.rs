//! Stiff springs and dampers: the stored reference, the explicit scheme.

use serde_json::Value;
use stickslip::dynamics::scene::SpringEnds;
use stickslip::prelude::*;
use stickslip_verify::{Ladder, cuboid, reference, run, world_of};

fn numbers(value: &Value) -> Vec<f64> {
    let all = value.as_array().expect("an array");
    all.iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// Distance of the two bodies from the reference at t = 1 s, its mean over t = 1 … 10 s, and the largest speed.
fn distance(case: &Value, h: f64) -> (f64, f64, f64) {
    let get = |key: &str| case[key].as_f64().expect("a number");
    let overrides = [
        format!("stiffness={:?}", get("gamma")),
        format!("damping={:?}", get("delta")),
        format!("step.h={h:?}"),
    ];
    let (_, mut world) = world_of("stiff_damper.toml", &overrides);
    let (x1, x2) = (numbers(&case["x1"]), numbers(&case["x2"]));
    let (mut first, mut mean, mut speed) = (0.0, 0.0, 0.0f64);
    for k in 1..=10 {
        run(&mut world, k as f64);
        let at = |name: &str| world.body(name).expect("a body");
        let (a, b) = (at("left"), at("right"));
        let (da, db) = (a.pose.position.x - x1[k], b.pose.position.x - x2[k]);
        let off = da.abs().max(db.abs());
        mean += off / 10.0;
        if k == 1 {
            first = off;
        }
        speed = speed
            .max(a.twist.linear.length())
            .max(b.twist.linear.length());
    }
    (first, mean, speed)
}

#[test]
fn stiff_dampers_and_springs_follow_the_reference() {
    let Some(reference) = reference("r5_stiff.json") else {
        return;
    };
    for case in reference["runs"].as_array().expect("runs") {
        let name = format!("gamma {}, delta {}", case["gamma"], case["delta"]);
        // At h = 0.05 nothing grows, whatever the stiffness: the driven bodies reach 10 m/s at most.
        let mut means = Vec::new();
        // Without damping the scheme's own damping has to fall first.
        let damped = case["delta"].as_f64() != Some(0.0);
        let h = if damped { 0.05 } else { 0.05 / 8.0 };
        let ladder = Ladder::climb(h, 2, |h| {
            let (first, mean, speed) = distance(case, h);
            assert!(speed < 15.0, "{name}, h = {h}: {speed} m/s");
            means.push(mean);
            first
        });
        // Before the bodies first stop the error is of order one; later the phase of the stops in the steps
        // makes it ripple about that.
        let order = if damped { 1.0 } else { 0.85 };
        ladder.assert_order(order, &format!("{name}, at 1 s"));
        eprintln!("  mean over 10 s: {means:.3?}");
        assert!(means[2] < 0.8 * means[0], "{name}: {means:?}");
    }
}

/// Two bodies on a damper, without ground: what the relative velocity becomes in one step.
fn factor(delta: f64, explicit: bool) -> f64 {
    let mut world = World::builder()
        .gravity(DVec3::ZERO)
        .time_step(0.05)
        .body(cuboid("left", DVec3::splat(0.5), 1.0).with_velocity(DVec3::X, DVec3::ZERO))
        .body(cuboid("right", DVec3::splat(0.5), 1.0).at(DVec3::X * 3.0))
        .spring(SpringSpec {
            name: "damper".into(),
            ends: SpringEnds::Points {
                bodies: ["left".into(), "right".into()],
                points: [DVec3::ZERO; 2],
            },
            stiffness: 0.0,
            damping: delta,
            rest: None,
            inertance: 0.0,
            explicit,
        })
        .build()
        .expect("two bodies");
    world.step().expect("certified");
    let v = |name: &str| world.body(name).expect("a body").twist.linear.x;
    v("left") - v("right")
}

#[test]
fn the_explicit_damper_grows_nine_times_a_step_and_the_implicit_one_falls() {
    // 1 − 2hδ against 1/(1 + 2hδ) at h = 0.05.
    for (delta, explicit, implicit) in [(20.0, -1.0, 1.0 / 3.0), (100.0, -9.0, 1.0 / 11.0)] {
        assert!((factor(delta, true) - explicit).abs() < 1e-13);
        assert!((factor(delta, false) - implicit).abs() < 1e-15);
    }
}

#[test]
fn a_spring_without_contact_is_stable_at_any_step() {
    // ωh = 1e4: the elongation falls at once and stays.
    let mut world = hung(1e8, 0.0, 1.0);
    let mut speed = 0.0f64;
    for _ in 0..100 {
        world.step().expect("certified");
        speed = speed.max(world.body("weight").expect("weight").twist.linear.length());
    }
    assert!(speed < 20.0, "{speed}");
}

/// A weight of 1 kg on a spring below the origin, 1 m long, with a sideways push; h in s.
fn hung(stiffness: f64, damping: f64, h: f64) -> World {
    World::builder()
        .time_step(h)
        .body(
            cuboid("weight", DVec3::splat(0.2), 1.0)
                .at(DVec3::Z * -1.0)
                .with_velocity(DVec3::X, DVec3::ZERO),
        )
        .spring(SpringSpec {
            name: "string".into(),
            ends: SpringEnds::Points {
                bodies: ["world".into(), "weight".into()],
                points: [DVec3::ZERO; 2],
            },
            stiffness,
            damping,
            rest: Some(1.0),
            inertance: 0.0,
            explicit: false,
        })
        .build()
        .expect("a weight")
}

#[test]
fn a_torsional_spring_swings_a_wheel() {
    // θ'' = −(γ/I) θ: a turn of many radians, counted.
    let (gamma, inertia) = (0.3, 2.0 * (0.09 + 0.09) / 12.0);
    let omega = libm::sqrt(gamma / inertia);
    let (first, until) = (20.0, 1.3);
    let ladder = Ladder::climb(0.01, 4, |h| {
        let mut world = World::builder()
            .gravity(DVec3::ZERO)
            .time_step(h)
            .body(cuboid("wheel", DVec3::new(0.1, 0.3, 0.3), 2.0))
            .joint(JointSpec::hinge(
                "shaft",
                ["world", "wheel"],
                DVec3::ZERO,
                DVec3::X,
            ))
            .spring(SpringSpec {
                name: "coil".into(),
                ends: SpringEnds::Axis {
                    joint: "shaft".into(),
                    axis: 3,
                },
                stiffness: gamma,
                damping: 0.0,
                rest: Some(first),
                inertance: 0.0,
                explicit: false,
            })
            .build()
            .expect("a wheel");
        run(&mut world, until);
        let angle = world.joint("shaft").expect("stepped").coordinates[3];
        (angle - first * (1.0 - libm::cos(omega * until))).abs()
    });
    ladder.assert_order(1.0, "torsional spring");
}
