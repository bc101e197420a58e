//! Restitution at a fixed step: bounces converge at first order.

use stickslip::prelude::*;
use stickslip_verify::{Ladder, ball, ground, run};

/// A ball dropped from `drop` above the ground.
fn dropped(h: f64, drop: f64, e: f64) -> World {
    World::builder()
        .time_step(h)
        .restitution(e)
        .body(ground())
        .body(ball("ball", 0.1, 1.0).at(DVec3::Z * (0.1 + drop)))
        .build()
        .expect("a world")
}

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
    for (bounce, t) in [(1, 0.8), (2, 1.45), (3, 1.97)] {
        let ladder = Ladder::climb(4e-3, 6, |h| {
            let phases = (0..8).map(|k| {
                let drop = 1.0 + 4.43 * 4e-3 * f64::from(k) / 8.0;
                let mut world = dropped(h, drop, 0.8);
                run(&mut world, t);
                let z = world.body("ball").expect("the ball").pose.position.z - 0.1;
                (z - height(drop, 0.8, world.time())).abs()
            });
            phases.fold(0.0, f64::max)
        });
        ladder.assert_order(1.0, &format!("height in bounce {bounce}"));
    }
}

#[test]
fn a_bouncing_ball_comes_to_rest_at_a_fixed_step() {
    let mut world = dropped(0.002, 1.0, 0.8);
    run(&mut world, 4.5);
    let state = world.body("ball").expect("the ball");
    assert!((state.pose.position.z - 0.1).abs() < 1e-12, "{state:?}");
    assert_eq!(state.twist.linear.z, 0.0);
}
