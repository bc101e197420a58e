//! Restitution at a fixed step: bounces converge at first order.

use stickslip::dynamics::closed_forms;
use stickslip::dynamics::methods::Method;
use stickslip::prelude::*;
use stickslip_verify::{Ladder, dropped, run};

/// Height above the ground at time t of a ball dropped from `drop`.
fn height(drop: f64, e: f64, t: f64) -> f64 {
    let g = 9.81;
    let mut start = (2.0 * drop / g).sqrt();
    let mut speed = g * start;
    if t < start {
        return drop - 0.5 * g * t * t;
    }
    loop {
        speed *= e;
        let flight = 2.0 * speed / g;
        if t < start + flight {
            let s = t - start;
            return speed * s - 0.5 * g * s * s;
        }
        if flight < 1e-12 {
            return 0.0;
        }
        start += flight;
    }
}

#[test]
fn bounces_at_a_fixed_step_are_of_first_order() {
    // The worst of eight starts, since one alone may be lucky; near the top of the first three bounces.
    for (method, bounce, t) in [
        (Method::StewartTrinkle, 1, 0.8),
        (Method::StewartTrinkle, 2, 1.45),
        (Method::StewartTrinkle, 3, 1.97),
        (Method::Implicit, 2, 1.45),
        (Method::Anitescu, 2, 1.45),
    ] {
        let ladder = Ladder::climb(4e-3, 6, |h| {
            let phases = (0..8).map(|k| {
                let drop = 1.0 + 4.43 * 4e-3 * f64::from(k) / 8.0;
                let mut world = dropped(method, h, drop, 0.8);
                run(&mut world, t);
                let z = world.body("ball").expect("the ball").pose.position.z - 0.1;
                (z - height(drop, 0.8, world.time())).abs()
            });
            phases.fold(0.0, f64::max)
        });
        ladder.assert_order(
            1.0,
            &format!("{}: height in bounce {bounce}", method.name()),
        );
    }
}

#[test]
fn a_bouncing_ball_comes_to_rest_at_a_fixed_step() {
    let mut world = dropped(Method::StewartTrinkle, 0.002, 1.0, 0.8);
    run(&mut world, 4.5);
    let state = world.body("ball").expect("the ball");
    assert!((state.pose.position.z - 0.1).abs() < 1e-12, "{state:?}");
    assert_eq!(state.twist.linear.z, 0.0);
}

#[test]
fn sliding_to_rest_and_to_rolling_is_of_first_order() {
    // The worst of eight starts: the event falls elsewhere in its step each time.
    for (method, halvings) in [
        (Method::StewartTrinkle, 6),
        (Method::Implicit, 6),
        (Method::Anitescu, 3),
        (Method::EventDriven, 3),
    ] {
        for (name, case) in [
            (
                "box to rest",
                closed_forms::sliding as fn(f64, f64) -> closed_forms::Exact,
            ),
            ("ball to rolling", |v, mu| {
                closed_forms::rolling(v, -20.0, mu)
            }),
        ] {
            let ladder = Ladder::climb(0.02, halvings, |h| {
                let phases = (0..8).map(|k| {
                    let case = case(1.0 + 0.01 * f64::from(k), 0.3);
                    let mut scene = Scene::parse(&case.scene, "exact.toml", &[]).expect("a scene");
                    (scene.step.h, scene.step.method) = (h, method);
                    let mut world = World::from_scene(&scene).expect("a world");
                    run(&mut world, 1.0);
                    let x = world.body("body").expect("the body").pose.position.x;
                    (x - case.value).abs()
                });
                phases.fold(0.0, f64::max)
            });
            ladder.assert_order(1.0, &format!("{}: {name}", method.name()));
        }
    }
}
