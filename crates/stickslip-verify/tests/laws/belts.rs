//! Belts, turntables and rollers: surfaces that move along bodies that do not.

use stickslip::prelude::*;
use stickslip_verify::{Ladder, ball, cuboid, ground, run};

const MU: f64 = 0.5;
const G: f64 = 9.81;
const SPEED: f64 = 1.0;

/// A box of 0.2 × 0.2 × 0.1 m and 1 kg, put at rest on a belt.
fn on_a_belt(h: f64, friction: Friction, beside: bool) -> World {
    let belt = ground().with_moving_surface(DVec3::X * SPEED, DVec3::ZERO);
    let mut world = World::builder()
        .default_friction(friction)
        .time_step(h)
        .energy_check(true)
        .body(belt)
        .body(cuboid("box", DVec3::new(0.2, 0.2, 0.1), 1.0).at(DVec3::Z * 0.05));
    if beside {
        // A pendulum far away: with a joint in the scene contacts count displacements.
        let bob = ball("bob", 0.05, 0.3).at(DVec3::new(0.0, 5.0, 2.0));
        let hinge = DVec3::new(0.2, 5.0, 2.0);
        world = world.body(bob);
        world = world.joint(JointSpec::hinge("pin", ["world", "bob"], hinge, DVec3::Y));
    }
    world.build().expect("a world")
}

fn x(world: &World) -> f64 {
    world.body("box").expect("the box").pose.position.x
}

/// It slips for v/(μ g), and then it goes with the belt, v²/(2 μ g) behind it.
#[test]
fn a_box_slips_on_a_belt_for_as_long_as_the_closed_form_says() {
    for beside in [false, true] {
        let mut slipped = Vec::new();
        let behind = Ladder::climb(0.02, 6, |h| {
            let mut world = on_a_belt(h, Friction::same(MU), beside);
            let mut last_slip: f64 = 0.0;
            while !world.reached(0.5) {
                world.step().expect("certified");
                let record = world.last_step();
                if record.contacts.iter().any(|c| c.mode == Mode::Slide) {
                    last_slip = world.time();
                }
            }
            slipped.push((h, (last_slip - SPEED / (MU * G)).abs()));
            let speed = world.body("box").expect("the box").twist.linear.x;
            assert!((speed - SPEED).abs() < 1e-8, "{speed}");
            (x(&world) - (0.5 * SPEED - SPEED * SPEED / (2.0 * MU * G))).abs()
        });
        behind.assert_order(1.0, "place of a box on a belt");
        let slipped = Ladder { rungs: slipped };
        eprintln!("time of slip\n{}", slipped.table());
        for (h, off) in &slipped.rungs {
            assert!(off <= h, "slip ends {off} s off at h = {h}");
        }
    }
}

/// With kinetic friction it slips for v/(μ_k g), whatever the static one.
#[test]
fn sliding_on_a_belt_has_kinetic_friction() {
    let friction = Friction {
        stick: 0.9,
        slide: 0.3,
    };
    Ladder::climb(0.01, 4, |h| {
        let mut world = on_a_belt(h, friction, false);
        run(&mut world, 0.5);
        (x(&world) - (0.5 * SPEED - SPEED * SPEED / (2.0 * 0.3 * G))).abs()
    })
    .assert_order(1.0, "place of a box on a belt with kinetic friction");
}

/// Every method knows belts.
#[test]
fn all_methods_carry_the_box() {
    use stickslip::dynamics::methods::Method;
    for method in [
        Method::StewartTrinkle,
        Method::Implicit,
        Method::EventDriven,
        Method::Anitescu,
        Method::Extrapolated,
    ] {
        let mut world = World::builder()
            .friction(MU)
            .time_step(0.002)
            .error(1e-6, 0.5)
            .method(method)
            .body(ground().with_moving_surface(DVec3::X * SPEED, DVec3::ZERO))
            .body(cuboid("box", DVec3::new(0.2, 0.2, 0.1), 1.0).at(DVec3::Z * 0.05))
            .build()
            .expect("a world");
        run(&mut world, 0.5);
        let off = x(&world) - (0.5 * SPEED - SPEED * SPEED / (2.0 * MU * G));
        assert!(off.abs() < 0.003, "{}: {off}", method.name());
        if method == Method::Extrapolated {
            assert!(off.abs() < 1e-5, "of fourth order: {off}");
        }
    }
}

const SPIN: f64 = 3.0;

/// A coin that turns with a turntable, its middle at `radius`.
fn on_a_turntable(h: f64, radius: f64) -> World {
    let table = ground().with_moving_surface(DVec3::ZERO, DVec3::Z * SPIN);
    World::builder()
        .friction(MU)
        .time_step(h)
        .body(table)
        .body(
            cuboid("box", DVec3::new(0.02, 0.02, 0.002), 0.01)
                .at(DVec3::new(radius, 0.0, 0.001))
                .with_velocity(DVec3::Y * (SPIN * radius), DVec3::Z * SPIN),
        )
        .build()
        .expect("a world")
}

fn radius(world: &World) -> f64 {
    let place = world.body("box").expect("the box").pose.position;
    place.truncate().length()
}

/// A coin stays where μ g > ω² r, and slides where it is not.
#[test]
fn a_turntable_keeps_what_is_inside_its_radius() {
    let critical = MU * G / (SPIN * SPIN);
    let turn = 2.0 * std::f64::consts::PI / SPIN;
    // A step leads a little outwards, by ½(ω h)² r: near the limit it has to be short.
    for (part, h) in [(0.2, 0.008), (0.8, 0.008), (0.95, 0.001)] {
        Ladder::climb(h, 3, |h| {
            let mut world = on_a_turntable(h, part * critical);
            run(&mut world, turn);
            let outwards = radius(&world) - part * critical;
            assert!(outwards < 0.6 * SPIN * SPIN * h * turn * critical);
            outwards.abs()
        })
        .assert_order(1.0, "radius of a coin on a turntable after a turn");
    }
    for part in [1.05, 1.5] {
        let mut world = on_a_turntable(0.0005, part * critical);
        run(&mut world, turn);
        let outwards = radius(&world) / (part * critical);
        assert!(outwards > 1.3, "{part}: {outwards}");
    }
}

/// Rollers of 0.05 m at 20 rad/s bring a plate to 1 m/s.
#[test]
fn rollers_carry_a_plate() {
    let spin = 20.0;
    let world_at = |h: f64| {
        let mut world = World::builder().friction(MU).time_step(h);
        for k in 0..12 {
            let shape = Shape::cylinder(0.05, 0.4).expect("a cylinder");
            let pose = Pose {
                position: DVec3::new(0.15 * f64::from(k), 0.0, -0.05),
                orientation: stickslip::geometry::pose::exp(DVec3::X * std::f64::consts::FRAC_PI_2),
            };
            // Turned so that its own z is −y of the world: the top goes along +x.
            let roller = BodySpec::fixed(format!("roller {k:02}"), shape)
                .with_pose(pose)
                .with_moving_surface(DVec3::ZERO, DVec3::Z * -spin);
            world = world.body(roller);
        }
        let plate = cuboid("box", DVec3::new(0.5, 0.3, 0.02), 2.0).at(DVec3::new(0.3, 0.0, 0.01));
        world.body(plate).build().expect("a world")
    };
    let speed: f64 = spin * 0.05;
    Ladder::climb(0.01, 3, |h| {
        let mut world = world_at(h);
        run(&mut world, 0.8);
        let place = 0.3 + 0.8 * speed - speed * speed / (2.0 * MU * G);
        (x(&world) - place).abs()
    })
    .assert_order(1.0, "place of a plate on rollers");
}

/// A slab with a belt on it lies on ice, a box on the belt: momentum is kept, and in the end the belt's speed is between them.
#[test]
fn a_belt_on_a_free_body_pushes_back() {
    let (slab, load) = (3.0, 1.0);
    let mut world = World::builder()
        .friction(MU)
        .pair_friction("ground", "slab", Friction::same(0.0))
        .time_step(0.005)
        .energy_check(true)
        .body(ground())
        .body(
            cuboid("slab", DVec3::new(2.0, 0.5, 0.1), slab)
                .at(DVec3::Z * 0.05)
                .with_surface(Some(DVec3::Z), |t| Twist {
                    linear: DVec3::X * (1.0f64).min(4.0 * t),
                    angular: DVec3::ZERO,
                }),
        )
        .body(cuboid("box", DVec3::new(0.2, 0.2, 0.1), load).at(DVec3::Z * 0.15))
        .build()
        .expect("a world");
    while !world.reached(0.6) {
        world.step().expect("certified");
        let speed = |name: &str| world.body(name).expect("a body").twist.linear.x;
        let sum = slab * speed("slab") + load * speed("box");
        assert!(sum.abs() < 1e-10, "momentum {sum:e}");
    }
    let speed = |name: &str| world.body(name).expect("a body").twist.linear.x;
    assert!((speed("box") - 0.75).abs() < 1e-7, "{}", speed("box"));
    assert!((speed("slab") + 0.25).abs() < 1e-7, "{}", speed("slab"));
}

/// Only the face that was named moves: a box against the side of a block whose top is a belt stays.
#[test]
fn other_faces_do_not_move() {
    let block = BodySpec::fixed("block", Shape::cuboid(DVec3::ONE).expect("a box"))
        .at(DVec3::Z * 0.5)
        .with_surface(Some(DVec3::Z), |_| Twist {
            linear: DVec3::Y,
            angular: DVec3::ZERO,
        });
    let mut world = World::builder()
        .friction(MU)
        .time_step(0.005)
        .body(ground())
        .body(block)
        .body(cuboid("beside", DVec3::splat(0.2), 1.0).at(DVec3::new(0.6, 0.0, 0.1)))
        .force("beside", |_, _| Wrench {
            force: DVec3::X * -20.0,
            torque: DVec3::ZERO,
        })
        .body(cuboid("box", DVec3::splat(0.2), 1.0).at(DVec3::new(0.0, -0.3, 1.1)))
        .build()
        .expect("a world");
    run(&mut world, 0.3);
    let y = |name: &str| world.body(name).expect("a body").pose.position.y;
    assert!(y("beside").abs() < 1e-9, "{:e}", y("beside"));
    assert!(y("box") > -0.15, "{}", y("box"));
}
