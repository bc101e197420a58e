//! Nothing passes through anything: fast bodies against thin plates, and a box of bodies flying about.

use stickslip::geometry::pose::exp;
use stickslip::prelude::*;
use stickslip_testing::{Random, setting};
use stickslip_verify::{Ladder, run};

/// Eight places of a closed box with sides of 1 m.
fn place(k: usize) -> DVec3 {
    DVec3::new(
        0.5 * (k % 2) as f64 - 0.25,
        0.5 * (k / 2 % 2) as f64 - 0.25,
        0.5 * (k / 4) as f64 - 0.25,
    )
}

/// Parts that fly about in that box.
fn flying(random: &mut Random, parts: Vec<(&str, Shape)>, h: f64) -> World {
    let mut builder = World::builder().friction(0.2).time_step(h);
    for (k, axis) in DVec3::AXES.into_iter().enumerate() {
        for side in [-1.0, 1.0] {
            let wall = Shape::half_space(axis * side, -0.5).expect("a wall");
            builder = builder.body(BodySpec::fixed(format!("wall {k} {side}"), wall));
        }
    }
    for (k, (name, shape)) in parts.into_iter().enumerate() {
        let pose = Pose {
            position: place(k),
            orientation: exp(random.vec3() * 3.0),
        };
        let (v, w) = (random.vec3() * 5.0, random.vec3() * 5.0);
        let part = BodySpec::free(format!("{name} {k}"), shape, 1.0);
        builder = builder.body(part.with_pose(pose).with_velocity(v, w));
    }
    builder.build().expect("a world")
}

/// One of each kind, about 1 cm in size times `scale`.
fn parts(scale: f64) -> Vec<(&'static str, Shape)> {
    let s = 0.01 * scale;
    let corners = [
        DVec3::new(0.0, 0.0, s),
        DVec3::new(s, 0.0, -s),
        DVec3::new(-s, s, -s),
        DVec3::new(-s, -s, -s),
        DVec3::new(0.3 * s, 0.6 * s, 0.2 * s),
    ];
    // A free hull has its centre of mass at the origin.
    let middle = match Shape::hull(&corners).expect("a hull") {
        Shape::Hull(hull) => hull.centroid(),
        _ => DVec3::ZERO,
    };
    let corners = corners.map(|p| p - middle);
    [
        ("ball", Shape::ball(s)),
        ("box", Shape::cuboid(DVec3::splat(2.0 * s))),
        ("cylinder", Shape::cylinder(s, 2.0 * s)),
        ("cone", Shape::cone(s, 2.0 * s)),
        ("capsule", Shape::capsule(s, 2.0 * s)),
        ("hull", Shape::hull(&corners)),
    ]
    .into_iter()
    .map(|(name, shape)| (name, shape.expect("a shape")))
    .collect()
}

#[test]
fn what_flies_at_a_kilometre_a_second_does_not_pass_a_plate_of_a_millimetre() {
    let plate = Shape::cuboid(DVec3::new(2.0, 2.0, 0.001)).expect("a plate");
    // A hull's lowest point is not below its centre: it would spin by a thousand radians a step.
    for (name, shape) in parts(1.0).into_iter().filter(|p| p.0 != "hull") {
        for start in [0.03, 0.5, 3.0] {
            let mut world = World::builder()
                .time_step(0.01)
                .body(BodySpec::fixed("plate", plate.clone()))
                .body(
                    BodySpec::free("part", shape.clone(), 0.01)
                        .with_pose(Pose {
                            position: DVec3::new(0.1, 0.2, start),
                            orientation: exp(DVec3::Z * 0.3),
                        })
                        .with_velocity(DVec3::Z * -1000.0, DVec3::ZERO),
                )
                .build()
                .expect("a world");
            run(&mut world, 0.05);
            let z = world.body("part").expect("the part").pose.position.z;
            assert!(z > 0.0, "{name} from {start} m is at {z} m");
            assert!(world.last_step().certificate.penetration < 1e-3, "{name}");
        }
    }
}

/// Parts that fly about in a closed box, bounce off nothing and slide along everything. A pair that was missed
/// would overlap by more than the judge allows, and the step would be refused. `STICKSLIP_STEPS` sets how many
/// steps are made.
#[test]
fn no_pair_is_missed_in_a_box_of_flying_parts() {
    let steps: usize = setting("STICKSLIP_STEPS", 3_000);
    let mut random = Random::congruential(3);
    let (mut done, mut candidates, mut refused) = (0, 0, Vec::new());
    while done < steps {
        let mut world = flying(&mut random, parts(10.0), 0.001);
        for _ in 0..100 {
            if let Err(e) = world.step() {
                refused.push(e.to_string());
                break;
            }
            done += 1;
            candidates += world.last_step().contacts.len();
        }
        if refused.len() > 20 {
            break;
        }
    }
    println!(
        "{done} steps, {candidates} candidates, {} refused: {refused:#?}",
        refused.len()
    );
    assert!(refused.is_empty());
}

/// Deepest penetration of any step while parts of these kinds fly about for 0.1 s, m: the mean of 24 times, since which parts
/// meet on an edge is chance.
fn deepest(kinds: &[&str], h: f64) -> f64 {
    const TIMES: u32 = 24;
    let mut random = Random::congruential(5);
    let mut sum = 0.0;
    for _ in 0..TIMES {
        let chosen = (0..8).map(|k| kinds[k % kinds.len()]);
        let all = chosen.filter_map(|kind| parts(10.0).into_iter().find(|p| p.0 == kind));
        let mut world = flying(&mut random, all.collect(), h);
        let mut deepest = 0.0_f64;
        while !world.reached(0.1) {
            let record = world.step().unwrap_or_else(|e| panic!("h = {h}: {e}"));
            deepest = deepest.max(record.certificate.penetration);
        }
        sum += deepest;
    }
    sum / f64::from(TIMES)
}

/// What rows cannot see is the product of turn and way: it falls with the square of h, for round bodies and for those
/// with edges, whose pairs have max-gap contacts.
#[test]
fn penetration_falls_with_the_square_of_the_step() {
    for kinds in [
        &["capsule", "ball"][..],
        &["cylinder", "capsule"],
        &["box", "hull"],
    ] {
        let ladder = Ladder::climb(0.002, 3, |h| deepest(kinds, h));
        ladder.assert_order(2.0, &format!("{kinds:?}"));
    }
}
