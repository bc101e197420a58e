//! A box that slides to rest: distance, drift, creep, turned scenes, pyramids.

use stickslip::prelude::*;
use stickslip_verify::{Ladder, ball, cuboid, ground, reference, run};

const MU: f64 = 0.5;
const SPEED: f64 = 2.0;

/// 1 kg, 0.4 × 0.4 × 0.2 m, at 2 m/s in direction `heading`, the box turned by `turn` about z.
fn sliding(h: f64, heading: f64, turn: f64, mu: f64, cone: Cone) -> World {
    let (s, c) = libm::sincos(heading);
    let pose = Pose {
        position: DVec3::new(0.0, 0.0, 0.1),
        orientation: stickslip::geometry::pose::exp(DVec3::Z * turn),
    };
    World::builder()
        .friction(mu)
        .time_step(h)
        .cone(cone)
        .body(ground())
        .body(
            cuboid("box", DVec3::new(0.4, 0.4, 0.2), 1.0)
                .with_pose(pose)
                .with_velocity(DVec3::new(c, s, 0.0) * SPEED, DVec3::ZERO),
        )
        .build()
        .expect("a world")
}

fn position(world: &World) -> DVec3 {
    world.body("box").expect("the box").pose.position
}

fn exact_distance(mu: f64) -> f64 {
    SPEED * SPEED / (2.0 * mu * 9.81)
}

const THIRTY: f64 = std::f64::consts::FRAC_PI_6;

#[test]
fn the_stopping_distance_converges_at_first_order() {
    let ladder = Ladder::climb(0.02, 6, |h| {
        let mut world = sliding(h, THIRTY, 0.0, MU, Cone::Quadratic);
        run(&mut world, 0.6);
        (position(&world).truncate().length() - exact_distance(MU)).abs()
    });
    ladder.assert_order(1.0, "stopping distance of the sliding box");
    assert!(ladder.rungs[0].1 < 0.03);
}

#[test]
fn in_a_plane_the_pyramid_is_the_cone() {
    // Everything moves in the plane y = 0, along a direction of the pyramid: then it says what the cone says.
    let thrown = |cone: Cone, spin: f64| {
        let mut world = World::builder()
            .friction(0.4)
            .time_step(0.005)
            .cone(cone)
            .body(ground())
            .body(
                cuboid("box", DVec3::new(0.4, 0.4, 0.2), 1.0)
                    .at(DVec3::new(0.0, 0.0, 0.3))
                    .with_velocity(DVec3::new(1.5, 0.0, -0.5), DVec3::Y * spin),
            )
            .body(
                ball("ball", 0.1, 0.5)
                    .at(DVec3::new(-1.0, 0.0, 0.1))
                    .with_velocity(DVec3::new(1.0, 0.0, 0.0), DVec3::Y * -spin),
            )
            .build()
            .expect("a world");
        let mut states = Vec::new();
        while !world.reached(0.6) {
            world.step().expect("certified");
            states.extend_from_slice(world.states());
        }
        states
    };
    for spin in [0.0, 2.0, -7.0] {
        let on_cone = thrown(Cone::Quadratic, spin);
        for directions in [4, 8, 12] {
            let on_pyramid = thrown(Cone::Pyramid(directions), spin);
            for (a, b) in on_cone.iter().zip(&on_pyramid) {
                let off = (a.twist.linear - b.twist.linear).length()
                    + (a.twist.angular - b.twist.angular).length();
                assert!(
                    off < 1e-9,
                    "{directions} directions, spin {spin}: {off:e} m/s"
                );
            }
        }
    }
}

#[test]
fn it_does_not_drift_and_does_not_creep() {
    let mut world = sliding(0.01, THIRTY, 0.0, MU, Cone::Quadratic);
    run(&mut world, 1.0);
    let stopped = position(&world);
    let across = stopped.x * libm::sin(THIRTY) - stopped.y * libm::cos(THIRTY);
    assert!(across.abs() < 1e-10, "sideways {across:e} m");
    run(&mut world, 11.0);
    let creep = (position(&world) - stopped).length();
    assert!(creep < 1e-12, "creep {creep:e} m in 10 s");
}

#[test]
fn turning_the_scene_turns_the_trajectory() {
    let mut straight = sliding(0.01, THIRTY, 0.0, MU, Cone::Quadratic);
    for turn in [0.1, 0.7, 1.0, 2.5, -1.3] {
        let mut turned = sliding(0.01, THIRTY + turn, turn, MU, Cone::Quadratic);
        let (s, c) = libm::sincos(turn);
        while turned.time() < 0.6 {
            turned.step().expect("a certified step");
            if straight.time() < turned.time() {
                straight.step().expect("a certified step");
            }
        }
        let (p, q) = (position(&straight), position(&turned));
        let back = DVec3::new(c * q.x + s * q.y, -s * q.x + c * q.y, q.z);
        assert!(
            (back - p).length() < 1e-9,
            "turned by {turn}: {:e}",
            (back - p).length()
        );
    }
}

#[test]
fn four_directions_at_45_degrees_stop_sqrt_2_too_late() {
    let ladder = Ladder::climb(0.01, 4, |h| {
        let mut world = sliding(h, std::f64::consts::FRAC_PI_4, 0.0, MU, Cone::Pyramid(4));
        run(&mut world, 1.0);
        let ratio = position(&world).truncate().length() / exact_distance(MU);
        (ratio - 2.0_f64.sqrt()).abs()
    });
    ladder.assert_order(
        1.0,
        "stopping distance with 4 directions at 45 degrees, over sqrt 2",
    );
}

#[test]
fn pyramids_stop_where_the_reference_says() {
    let Some(reference) = reference("r7_statics_rolling.json") else {
        return;
    };
    for case in reference["pyramid"].as_array().expect("cases") {
        let number = |key: &str| case[key].as_f64().expect("a number");
        let n = case["n"].as_u64().expect("a count") as usize;
        let (mu, phi) = (number("mu"), number("phi_deg").to_radians());
        for (cone, want) in [
            (Cone::Pyramid(n), &case["polygon"]),
            (Cone::Quadratic, &case["exact_cone"]),
        ] {
            let stop: Vec<f64> = want["stop_xy"]
                .as_array()
                .expect("a place")
                .iter()
                .map(|x| x.as_f64().expect("x"))
                .collect();
            let ladder = Ladder::climb(0.01, 4, |h| {
                let mut world = sliding(h, phi, 0.0, mu, cone);
                run(&mut world, 1.2);
                (position(&world).truncate() - place(&stop)).length()
            });
            ladder.assert_order(
                1.0,
                &format!("stop with {n} directions from {phi:.3} rad, {cone:?}"),
            );
        }
    }
}

fn place(v: &[f64]) -> DVec2 {
    DVec2::new(v[0], v[1])
}

#[test]
fn static_friction_holds_more_than_kinetic() {
    // Pushed with 0.55 of its weight: held by μ_s = 0.6; once sliding, μ_k = 0.4 does not stop it.
    let pushed = |speed: f64| {
        let mut world = World::builder()
            .default_friction(Friction {
                stick: 0.6,
                slide: 0.4,
            })
            .body(ground())
            .body(
                cuboid("box", DVec3::new(0.4, 0.4, 0.2), 1.0)
                    .at(DVec3::new(0.0, 0.0, 0.1))
                    .with_velocity(DVec3::X * speed, DVec3::ZERO),
            )
            .force("box", |_, _| Wrench {
                force: DVec3::X * (0.55 * 9.81),
                torque: DVec3::ZERO,
            })
            .build()
            .expect("a world");
        run(&mut world, 1.0);
        *world.body("box").expect("the box")
    };
    assert!(pushed(0.0).pose.position.x.abs() < 1e-12);
    // Tipping does not interfere: 0.55 · 0 lever at the centre of mass, friction 0.4 · 0.1 < 0.2.
    let v = pushed(0.5).twist.linear.x;
    assert!((v - (0.5 + 0.15 * 9.81)).abs() < 1e-9, "{v}");
}
