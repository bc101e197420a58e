//! Sliders and six-dof joints: closed forms.

use stickslip::prelude::*;
use stickslip_verify::{Ladder, cuboid, run, tilted_gravity};

const MASS: f64 = 2.0;

/// A block on a slider along x, with dry friction `force` in it, on a slope of `angle`.
fn slope(h: f64, angle: f64, force: f64) -> World {
    World::builder()
        .gravity(tilted_gravity(angle))
        .time_step(h)
        .body(cuboid("block", DVec3::new(0.3, 0.2, 0.1), MASS))
        .joint(
            JointSpec::slider(
                "rail",
                ["world", "block"],
                DVec3::new(0.1, 0.0, 0.2),
                DVec3::X,
            )
            .axis(0, |axis| axis.friction = force),
        )
        .build()
        .expect("a slider")
}

#[test]
fn a_block_slides_down_a_rail() {
    let angle = 0.5;
    for force in [0.0, 4.0] {
        let a = 9.81 * libm::sin(angle) - force / MASS;
        let ladder = Ladder::climb(0.02, 4, |h| {
            let mut world = slope(h, angle, force);
            run(&mut world, 1.0);
            let x = world.joint("rail").expect("stepped").coordinates[0];
            // The scheme's own closed form: x = a h² n(n + 1)/2.
            assert!((x - 0.5 * a * (1.0 + h)).abs() < 1e-11, "{x}");
            (x - 0.5 * a).abs()
        });
        ladder.assert_order(1.0, &format!("slider with {force} N of friction"));
    }
    // More friction than the slope pulls: it stays where it is, and says with what force.
    let mut world = slope(0.01, angle, 20.0);
    run(&mut world, 1.0);
    let rail = world.joint("rail").expect("stepped");
    assert!(rail.coordinates[0].abs() < 1e-13, "{rail:?}");
    let held = rail.friction[0] / 0.01;
    assert!(
        (held + MASS * 9.81 * libm::sin(angle)).abs() < 1e-10,
        "{held}"
    );
}

#[test]
fn a_spinning_six_dof_body_stops_at_its_limits() {
    // Free to move along x up to 0.7 m and to turn about z by at most 2.5 rad, with dry friction in the turn.
    let (v, spin, torque) = (1.0, 6.0, 0.05);
    let size = DVec3::new(0.2, 0.3, 0.1);
    let inertia = MASS * (size.x * size.x + size.y * size.y) / 12.0;
    let build = |h: f64, limit: f64| {
        World::builder()
            .gravity(DVec3::ZERO)
            .time_step(h)
            .body(cuboid("block", size, MASS).with_velocity(DVec3::X * v, DVec3::Z * spin))
            .joint(
                JointSpec::fixed("guide", ["world", "block"], DVec3::ZERO)
                    .axis(0, |axis| {
                        *axis = Default::default();
                        axis.limit([-1.0, 0.7]);
                    })
                    .axis(5, |axis| {
                        *axis = Default::default();
                        axis.limit([-limit, limit]);
                        axis.friction = torque;
                    }),
            )
            .build()
            .expect("a guide")
    };
    // Without reaching its limit the turn ends at I ω²/(2τ).
    let stop = inertia * spin * spin / (2.0 * torque);
    let ladder = Ladder::climb(0.02, 4, |h| {
        let mut world = build(h, 100.0);
        run(&mut world, 3.0);
        let c = world.joint("guide").expect("stepped").coordinates;
        assert!((c[0] - 0.7).abs() < 1e-11, "x {}", c[0]);
        let spin = world.body("block").expect("block").twist.angular.length();
        assert!(spin < 1e-12, "{spin}");
        (c[5] - stop).abs()
    });
    ladder.assert_order(1.0, "turn against dry friction");
    // The limit stops it there, and takes its spin as an impulse.
    let mut world = build(0.01, 2.5);
    let mut taken = 0.0;
    for _ in 0..100 {
        world.step().expect("certified");
        taken += world.joint("guide").expect("stepped").hold[5];
    }
    let c = world.joint("guide").expect("stepped").coordinates;
    assert!((c[5] - 2.5).abs() < 1e-12 || c[5] < 2.5, "rz {}", c[5]);
    assert!(taken < 0.0 && taken > -inertia * spin);
    assert!(world.body("block").expect("block").twist.angular.length() < 1e-12);
}
