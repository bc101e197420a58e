//! The event loop: collision times, impacts in two phases, bounces that come to rest.

use stickslip::dynamics::methods::Method;
use stickslip::model::Kind;
use stickslip::prelude::*;
use stickslip_verify::{ball, cuboid, dropped, ground, reference, run};

fn numbers(value: &serde_json::Value) -> Vec<f64> {
    let list = value.as_array().expect("a list");
    list.iter().map(|x| x.as_f64().expect("a number")).collect()
}

#[test]
fn bounce_times_and_heights_are_those_of_the_closed_form() {
    let Some(reference) = reference("r6_impacts.json") else {
        return;
    };
    for case in reference["bounce"].as_array().expect("cases") {
        let number = |key: &str| case[key].as_f64().expect(key);
        let (e, zeno) = (
            number("e"),
            case["zeno_time"].as_f64().unwrap_or(f64::INFINITY),
        );
        let mut world = dropped(Method::EventDriven, 0.01, number("h0"), e);
        let (mut times, mut speeds, mut heights) = (Vec::new(), Vec::new(), Vec::new());
        let (mut records, mut before) = (0, 0.0);
        // The law is elastic or accumulates: stop after the listed bounces, or at rest.
        let until = if e < 1.0 { zeno + 0.2 } else { 10.0 };
        while world.time() < until {
            let old = *world.body("ball").expect("the ball");
            let step = world.step().unwrap_or_else(|e| panic!("{e}"));
            records += 1;
            let kind = step.kind;
            if kind == Kind::Compression {
                times.push(step.t);
                speeds.push(-old.twist.linear.z);
                before = step.t;
            } else if kind == Kind::Decompression {
                let v = world.body("ball").expect("the ball").twist.linear.z;
                heights.push(v * v / (2.0 * 9.81));
            }
        }
        assert!(before <= zeno + 1e-9);
        let state = world.body("ball").expect("the ball");
        let listed = numbers(&case["impact_times"]);
        let count = if e == 0.0 {
            1
        } else {
            listed.len().min(times.len())
        };
        assert!(
            e == 0.0 || count == listed.len() || e == 1.0,
            "{} bounces",
            times.len()
        );
        let worst = |found: &[f64], wanted: &[f64]| {
            let both = found.iter().zip(wanted).take(count);
            both.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let in_time = worst(&times, &listed);
        let in_speed = worst(&speeds, &numbers(&case["impact_speeds"]));
        let in_height = worst(&heights, &numbers(&case["apex_heights"]));
        eprintln!(
            "e = {e}: {} bounces, {records} records; times {in_time:.1e} s, speeds {in_speed:.1e} m/s, heights {in_height:.1e} m",
            times.len()
        );
        assert!(in_time < 1e-9 && in_speed < 1e-9 && in_height < 1e-9);
        if e < 1.0 {
            assert!((state.pose.position.z - 0.1).abs() < 1e-13, "{state:?}");
            assert!(state.twist.linear.z.abs() < 1e-12, "{state:?}");
            assert!(times.len() < 200);
        }
    }
}

/// Five balls in a row, the first on its way.
#[test]
fn a_cradle_of_bodies_follows_the_law_of_the_reference() {
    for (e, wanted) in [
        (0.0, [0.2, 0.2, 0.2, 0.2, 0.2]),
        (0.5, [-0.2, 0.3, 0.3, 0.3, 0.3]),
        (1.0, [-0.6, 0.4, 0.4, 0.4, 0.4]),
    ] {
        for method in [Method::EventDriven, Method::StewartTrinkle] {
            let mut builder = World::builder()
                .method(method)
                .gravity(DVec3::ZERO)
                .time_step(0.01)
                .restitution(e);
            for k in 0..5 {
                let x = f64::from(k) * 0.25;
                let body = ball(&format!("ball{k}"), 0.125, 1.0);
                builder = builder.body(if k == 0 {
                    body.at(DVec3::X * -0.123)
                        .with_velocity(DVec3::X, DVec3::ZERO)
                } else {
                    body.at(DVec3::X * x)
                });
            }
            let mut world = builder.build().expect("a world");
            run(&mut world, 0.3);
            let found: Vec<f64> = world.states().iter().map(|s| s.twist.linear.x).collect();
            for (a, b) in found.iter().zip(wanted) {
                assert!((a - b).abs() < 1e-9, "{method:?} e = {e}: {found:?}");
            }
        }
    }
}

#[test]
fn a_box_falls_flat_tips_and_comes_to_rest() {
    for (name, tilt, e) in [("flat", 0.0, 0.4), ("tilted", 0.3, 0.3)] {
        let mut world = World::builder()
            .method(Method::EventDriven)
            .time_step(0.01)
            .friction(0.5)
            .restitution(e)
            .body(ground())
            .body(
                cuboid("box", DVec3::new(0.4, 0.3, 0.2), 1.0).with_pose(Pose {
                    position: DVec3::Z * 0.5,
                    orientation: stickslip::geometry::pose::exp(DVec3::Y * tilt),
                }),
            )
            .build()
            .expect("a world");
        let mut impacts = 0;
        let mut energy = world.energy();
        while world.time() < 2.0 {
            let kind = world.step().unwrap_or_else(|e| panic!("{name}: {e}")).kind;
            impacts += usize::from(kind == Kind::Compression);
            if kind == Kind::Compression || kind == Kind::Decompression {
                continue;
            }
            assert!(world.energy() <= energy + 1e-6, "{name}: energy grows");
            energy = world.energy();
        }
        let state = world.body("box").expect("the box");
        eprintln!(
            "{name}: {impacts} impacts, at rest at {:.6}",
            state.pose.position.z
        );
        assert!(
            (state.pose.position.z - 0.1).abs() < 1e-9,
            "{name} {state:?}"
        );
        assert!(state.twist.linear.length() < 1e-9, "{name} {state:?}");
    }
}
