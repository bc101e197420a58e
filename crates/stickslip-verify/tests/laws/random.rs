//! Small random scenes with all the laws at once: every step is certified.

use stickslip::model::SlipCurve;
use stickslip::prelude::*;
use stickslip_random::Random;

fn direction(random: &mut Random) -> DVec3 {
    loop {
        let d = random.vec3();
        if d.length() > 0.1 {
            return d;
        }
    }
}

/// A body of any of the usual shapes, resting or falling beside the others.
fn body(random: &mut Random, k: u32) -> BodySpec {
    let shape = match random.below(4) {
        0 => Shape::ball(random.between(0.05, 0.1)),
        1 => Shape::cuboid(DVec3::new(0.2, 0.15, random.between(0.05, 0.2))),
        2 => Shape::cylinder(random.between(0.05, 0.1), 0.1),
        _ => Shape::capsule(0.06, 0.1),
    }
    .expect("a shape");
    let high = 0.25 * f64::from(k) + random.between(0.16, 0.2);
    let spec = BodySpec::free(format!("body {k}"), shape, random.decade(-1.0, 1.0))
        .at(DVec3::new(
            0.03 * random.signed(),
            0.03 * random.signed(),
            high,
        ))
        .with_velocity(random.vec3(), random.vec3() * 5.0);
    furnished(spec, random)
}

/// With a grain, a belt, both or neither.
fn furnished(mut spec: BodySpec, random: &mut Random) -> BodySpec {
    if random.below(2) == 0 {
        spec = spec.with_grain(direction(random), random.decade(-1.3, 1.3));
    }
    match random.below(3) {
        0 => spec.with_moving_surface(random.vec3() * 2.0, random.vec3() * 3.0),
        1 => {
            let (face, v) = (direction(random), random.vec3());
            spec.with_surface(Some(face), move |t| Twist {
                linear: v * (1.0 + t),
                angular: DVec3::ZERO,
            })
        }
        _ => spec,
    }
}

/// 10,000 steps of 250 scenes.
#[test]
fn small_random_scenes_are_certified() {
    let mut random = Random::new(2020);
    let mut contacts = 0;
    for number in 0..250 {
        let friction = random.between(0.0, 1.2);
        let mut world = World::builder().friction(friction);
        if random.below(3) == 0 {
            let (slide, speed) = (friction * random.unit(), random.decade(-2.0, 0.0));
            world = world.slip_curve(SlipCurve::stribeck(friction, slide, speed));
        }
        let mut world = world
            .restitution(if random.below(3) == 0 { 0.4 } else { 0.0 })
            .time_step(random.decade(-3.0, -1.7))
            .accept(0.0)
            .energy_check(true)
            .body(furnished(stickslip_verify::ground(), &mut random));
        for k in 0..1 + random.below(3) {
            world = world.body(body(&mut random, k as u32));
        }
        let mut world = world.build().expect("a world");
        for _ in 0..40 {
            if let Err(e) = world.step() {
                panic!("scene {number}: {e}");
            }
            contacts += world.last_step().contacts.len();
        }
    }
    eprintln!("{contacts} contacts");
    assert!(contacts > 5_000);
}
