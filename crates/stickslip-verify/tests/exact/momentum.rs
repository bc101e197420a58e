//! Closed systems keep their momentum.

use stickslip::prelude::*;
use stickslip_testing::Random;
use stickslip_verify::{ball, cuboid};

/// Twenty-seven bodies on a grid, flying towards the middle, no gravity, no ground.
fn swarm(h: f64, boxes: bool) -> World {
    let mut random = Random::new(7);
    let mut builder = World::builder()
        .gravity(DVec3::ZERO)
        .friction(0.4)
        .time_step(h);
    for i in 0..27 {
        let grid = DVec3::new((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64) - DVec3::ONE;
        let mass = 1.0 + 0.5 * random.signed();
        let body = if boxes {
            cuboid(&format!("b{i:02}"), DVec3::new(0.5, 0.4, 0.6), mass)
        } else {
            ball(&format!("b{i:02}"), 0.3, mass)
        };
        let velocity = random.vec3() * 0.5 - grid;
        builder = builder.body(
            body.at(grid * 1.2)
                .with_velocity(velocity, random.vec3() * 2.0),
        );
    }
    builder.build().expect("a world")
}

/// Largest change of linear and angular momentum in one step, relative, and impacts seen.
fn drift(world: &mut World, until: f64) -> (f64, f64, usize) {
    let size: f64 = world
        .model()
        .bodies
        .iter()
        .zip(world.states())
        .map(|(b, s)| b.mass.map_or(0.0, |m| m.mass * s.twist.linear.length()))
        .sum();
    let (mut linear, mut angular, mut impacts): (f64, f64, usize) = (0.0, 0.0, 0);
    let mut last = world.momentum();
    while world.time() < until - 1e-9 {
        impacts += world
            .step()
            .expect("a certified step")
            .contacts
            .iter()
            .filter(|c| c.impulse.x > 0.0)
            .count();
        let now = world.momentum();
        linear = linear.max((now.0 - last.0).length() / size);
        angular = angular.max((now.1 - last.1).length() / size);
        last = now;
    }
    (linear, angular, impacts)
}

#[test]
fn balls_keep_linear_and_angular_momentum() {
    let (linear, angular, impacts) = drift(&mut swarm(0.01, false), 2.0);
    eprintln!("balls: linear {linear:.2e}, angular {angular:.2e} a step, {impacts} impulses");
    assert!(impacts > 50);
    assert!(linear < 1e-12 && angular < 1e-12, "{linear:e} {angular:e}");
}

#[test]
fn boxes_keep_linear_momentum_and_angular_momentum_as_h_falls() {
    let mut total = Vec::new();
    for h in [0.01, 0.005, 0.0025, 0.00125] {
        let mut world = swarm(h, true);
        let before = world.momentum().1;
        let (linear, angular, impacts) = drift(&mut world, 1.0);
        let change = (world.momentum().1 - before).length();
        eprintln!(
            "boxes, h = {h}: linear {linear:.2e} a step, angular {angular:.2e} a step, {change:.2e} in all, \
             {impacts} impulses"
        );
        assert!(impacts > 30);
        assert!(linear < 1e-12);
        total.push(change);
    }
    assert!(
        total[3] < 0.5 * total[0],
        "the change of angular momentum must fall with h: {total:?}"
    );
}
