//! Equations between joints: gears, racks, fingers that close together.

use stickslip::dynamics::GearSpec;
use stickslip::model::joint::AXES;
use stickslip::prelude::*;
use stickslip_random::Random;
use stickslip_verify::{Ladder, cuboid, run};

/// x of a slider, rx of a hinge.
const X: usize = 0;
const RX: usize = 3;

fn coordinate(world: &World, joint: &str, axis: usize) -> f64 {
    let names: Vec<&str> = world.model().joint_names().collect();
    let k = names.iter().position(|n| *n == joint).expect("a joint");
    world.last_step().joints[k].coordinates[axis]
}

/// A hinge of the world through `point`, about x.
fn axle(name: &str, wheel: &str, point: DVec3) -> JointSpec {
    JointSpec::hinge(name, ["world", wheel], point, DVec3::X)
}

/// Two wheels on axles of the world, the second at `ratio` times the angle of the first; a torque on the first.
fn wheels(h: f64, ratio: f64) -> World {
    let wheel = |name: &str, x: f64, mass: f64| {
        cuboid(name, DVec3::new(0.02, 0.2, 0.3), mass).at(DVec3::X * x)
    };
    World::builder()
        .time_step(h)
        .gravity(DVec3::ZERO)
        .energy_check(true)
        .body(wheel("a", 0.0, 2.0))
        .body(wheel("b", 1.0, 0.7))
        .joint(axle("first", "a", DVec3::ZERO))
        .joint(axle("second", "b", DVec3::X))
        .gear(GearSpec::new("gear", ["first", "second"], [RX, RX], ratio))
        .force("a", |_, _| Wrench {
            force: DVec3::ZERO,
            torque: DVec3::X * 0.05,
        })
        .build()
        .expect("a world")
}

/// θ̈ = τ/(I_a + ratio² I_b); the impulse of the gear is ratio I_b θ̈ h.
#[test]
fn geared_wheels_turn_as_one_inertia() {
    let inertia = |m: f64| m * (0.2 * 0.2 + 0.3 * 0.3) / 12.0;
    for ratio in [-2.5, -1.0, 0.3, 1.0, 4.0] {
        let rate = 0.05 / (inertia(2.0) + ratio * ratio * inertia(0.7));
        Ladder::climb(0.02, 4, |h| {
            let mut world = wheels(h, ratio);
            run(&mut world, 1.0);
            let (a, b) = (
                coordinate(&world, "first", RX),
                coordinate(&world, "second", RX),
            );
            assert!((b - ratio * a).abs() < 1e-12, "{ratio}: {a} {b}");
            let p = world.last_step().joints[2].hold[0];
            assert!((p / h - ratio * inertia(0.7) * rate).abs() < 1e-9, "{p}");
            (a - 0.5 * rate).abs()
        })
        .assert_order(1.0, "angle of geared wheels");
    }
}

/// A gripper: two fingers on a hand that is free in space close by one motor on a box. Their ways are equal, the squeeze is half the motor's force
/// on either side, and momentum is kept.
#[test]
fn a_free_hand_grips_by_one_motor() {
    let finger = |name: &str, y: f64| {
        cuboid(name, DVec3::new(0.02, 0.01, 0.06), 0.1).at(DVec3::new(0.0, y, -0.08))
    };
    let slider = |name: &str, finger: &str, y: f64| {
        JointSpec::slider(
            name,
            ["hand", finger],
            DVec3::new(0.0, y, -0.05),
            DVec3::Y * -y.signum(),
        )
    };
    let mut left = slider("left", "one", 0.05);
    left.axes[X].motor = Some(stickslip::dynamics::MotorSpec {
        target: std::sync::Arc::new(|_| 1.0),
        goal: stickslip::model::joint::Goal::Velocity,
        force: 6.0,
    });
    let mut world = World::builder()
        .time_step(0.002)
        .gravity(DVec3::ZERO)
        .friction(0.8)
        .body(cuboid("hand", DVec3::new(0.1, 0.2, 0.04), 0.7).at(DVec3::Z * -0.02))
        .body(finger("one", 0.05))
        .body(finger("two", -0.05))
        .body(cuboid("box", DVec3::splat(0.04), 0.2).at(DVec3::new(0.0, 0.006, -0.09)))
        .joint(left)
        .joint(slider("right", "two", -0.05))
        .gear(GearSpec::new("both", ["left", "right"], [X, X], 1.0))
        .build()
        .expect("a world");
    while !world.reached(0.6) {
        world.step().expect("certified");
        let (a, b) = (
            coordinate(&world, "left", X),
            coordinate(&world, "right", X),
        );
        assert!((a - b).abs() < 1e-11, "{a} {b}");
        let mut momentum = DVec3::ZERO;
        for (body, state) in world.model().bodies.iter().zip(world.states()) {
            momentum += state.twist.linear * body.mass.expect("free").mass;
        }
        assert!(momentum.length() < 1e-11, "{momentum}");
    }
    // Closed: 0.05 − 0.005 − 0.02 on either side, the box in the middle of the hand's fingers.
    let way = coordinate(&world, "left", X);
    assert!((way - 0.025).abs() < 1e-9, "{way}");
    let mut pressed = 0.0;
    for c in &world.last_step().contacts {
        pressed += c.impulse.x / 0.002;
    }
    assert!((pressed - 6.0).abs() < 1e-6, "3 N on each side: {pressed}");
}

/// A rack and its pinion under gravity, and chains of gears: energy is kept to first order, equations to rounding.
#[test]
fn a_weight_on_a_rack_turns_a_train_of_wheels() {
    let fall = |h: f64| {
        let mut world = World::builder()
            .time_step(h)
            .body(cuboid("rack", DVec3::new(0.05, 0.05, 0.5), 1.5).at(DVec3::X * 2.0))
            .body(cuboid("a", DVec3::new(0.02, 0.2, 0.2), 1.0))
            .body(cuboid("b", DVec3::new(0.02, 0.3, 0.3), 0.5).at(DVec3::X))
            .joint(JointSpec::slider(
                "rail",
                ["world", "rack"],
                DVec3::X * 2.0,
                -DVec3::Z,
            ))
            .joint(axle("first", "a", DVec3::ZERO))
            .joint(axle("second", "b", DVec3::X))
            .gear(GearSpec::new(
                "pinion",
                ["rail", "first"],
                [X, RX],
                1.0 / 0.08,
            ))
            .gear(GearSpec::new("wheel", ["first", "second"], [RX, RX], -0.5))
            .build()
            .expect("a world");
        run(&mut world, 0.5);
        let (z, a, b) = (
            coordinate(&world, "rail", X),
            coordinate(&world, "first", RX),
            coordinate(&world, "second", RX),
        );
        assert!((a * 0.08 - z).abs() < 1e-11, "{a} {z}");
        assert!((b + 0.5 * a).abs() < 1e-11, "{a} {b}");
        z
    };
    // m z̈ = m g − (I_a + I_b/4) z̈/r².
    let (ia, ib) = (0.04 * 2.0 / 12.0, 0.5 * 0.09 * 2.0 / 12.0);
    let rate = 1.5 * 9.81 / (1.5 + (ia + 0.25 * ib) / 0.0064);
    Ladder::climb(0.02, 4, |h| (fall(h) - 0.125 * rate).abs())
        .assert_order(1.0, "way of a rack that turns wheels");
}

/// Random pairs of six-dof joints between four tumbling bodies, any axes: equations hold, momentum and spin are kept.
#[test]
fn any_two_axes_of_free_bodies_can_be_geared() {
    let mut random = Random::new(77);
    for number in 0..60 {
        let mut world = World::builder()
            .time_step(0.005)
            .gravity(DVec3::ZERO)
            .tolerance(1e-8)
            .accept(0.0);
        for k in 0..4 {
            let place = DVec3::X * f64::from(k);
            let body = cuboid(
                &format!("{k}"),
                DVec3::new(0.2, 0.3, 0.25),
                random.between(0.5, 2.0),
            )
            .at(place)
            .with_velocity(random.vec3() * 0.3, random.vec3() * 0.5);
            world = world.body(body);
        }
        let mut axes = [0; 2];
        for (k, (pair, axis)) in [["0", "1"], ["2", "3"]]
            .into_iter()
            .zip(&mut axes)
            .enumerate()
        {
            *axis = random.below(AXES);
            let anchor = DVec3::X * (2.0 * k as f64 + 0.5);
            let frame = stickslip::dynamics::scene::Axes::Frame(stickslip::geometry::pose::exp(
                random.vec3(),
            ));
            let name = ["first", "second"][k];
            world = world.joint(JointSpec::new(name, pair, anchor, frame, [false; AXES]));
        }
        let ratio = random.between(-2.0, 2.0);
        let gear = GearSpec::new("gear", ["first", "second"], axes, ratio);
        let mut world = world.gear(gear).build().expect("a world");
        let momentum = |world: &World| {
            let (mut p, mut l) = (DVec3::ZERO, DVec3::ZERO);
            for (body, state) in world.model().bodies.iter().zip(world.states()) {
                let mass = body.mass.expect("free");
                let v = state.twist.linear * mass.mass;
                p += v;
                l += state.pose.position.cross(v)
                    + state.pose.turned(&mass.inertia) * state.twist.angular;
            }
            (p, l)
        };
        let (p, _) = momentum(&world);
        for _ in 0..40 {
            if let Err(e) = world.step() {
                panic!("{number}, axes {axes:?}: {e}");
            }
            let of = coordinate(&world, "first", axes[0]);
            let own = coordinate(&world, "second", axes[1]);
            assert!((own - ratio * of).abs() < 1e-9, "{number} {axes:?}");
            assert!((momentum(&world).0 - p).length() < 1e-11);
        }
    }
}

#[test]
fn gears_that_cannot_be_are_named() {
    let refused = |gear: GearSpec| match wheels_with(gear) {
        Ok(_) => panic!("it was built"),
        Err(e) => e.to_string(),
    };
    let gear = |joints: [&str; 2], axes: [usize; 2], ratio: f64, offset: f64| GearSpec {
        offset,
        ..GearSpec::new("other", joints, axes, ratio)
    };
    for (gear, word) in [
        (
            gear(["first", "none"], [RX, RX], 1.0, 0.0),
            "no joint \"none\"",
        ),
        (gear(["first", "second"], [X, RX], 1.0, 0.0), "is not free"),
        (gear(["first", "first"], [RX, RX], 1.0, 0.0), "to itself"),
        (gear(["first", "second"], [RX, RX], 0.0, 0.0), "not zero"),
        (gear(["first", "second"], [RX, RX], f64::NAN, 0.0), "finite"),
        (gear(["first", "second"], [RX, RX], 1.0, 0.1), "starts"),
        (gear(["first", "second"], [RX, 17], 1.0, 0.0), "is not free"),
        (
            GearSpec::new("first", ["first", "second"], [RX, RX], 1.0),
            "this name",
        ),
    ] {
        let said = refused(gear);
        assert!(said.contains(word), "{word}: {said}");
    }
}

fn wheels_with(gear: GearSpec) -> Result<World, BuildError> {
    World::builder()
        .body(cuboid("a", DVec3::splat(0.1), 1.0))
        .body(cuboid("b", DVec3::splat(0.1), 1.0).at(DVec3::X))
        .joint(axle("first", "a", DVec3::ZERO))
        .joint(axle("second", "b", DVec3::X))
        .gear(gear)
        .build()
}
