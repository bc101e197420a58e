//! Pendulums: one with its closed form, two against an integrator of another kind.

use stickslip::prelude::*;
use stickslip_verify::{Ladder, cuboid, run};

const G: f64 = 9.81;
/// A rod of 1 m and 2 kg.
const ROD: DVec3 = DVec3::new(0.1, 0.1, 1.0);
const MASS: f64 = 2.0;

/// A rod hung by its upper end at the origin, turned by `angle` about y.
fn pendulum(h: f64, angle: f64) -> World {
    let turn = DQuat::from_rotation_y(angle);
    let pose = Pose {
        position: turn * DVec3::new(0.0, 0.0, -0.5),
        orientation: turn,
    };
    World::builder()
        .time_step(h)
        .body(cuboid("rod", ROD, MASS).with_pose(pose))
        .joint(JointSpec::hinge(
            "pin",
            ["world", "rod"],
            DVec3::ZERO,
            DVec3::Y,
        ))
        .build()
        .expect("a pendulum")
}

/// Complete elliptic integral of the first kind K(k) by the arithmetic-geometric mean.
fn elliptic_k(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, libm::sqrt(1.0 - k * k));
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), libm::sqrt(a * b));
    }
    std::f64::consts::PI / (2.0 * a)
}

#[test]
fn a_rod_swings_with_its_period() {
    // I about the pin: m(l² + w²)/12 + m l²/4; T = 4 √(I/(m g l/2)) K(sin θ/2).
    let inertia = MASS * (1.0 + 0.01) / 12.0 + MASS * 0.25;
    let angle = 1.2;
    let omega = libm::sqrt(MASS * G * 0.5 / inertia);
    let period = 4.0 / omega * elliptic_k(libm::sin(0.5 * angle));
    let ladder = Ladder::climb(period / 128.0, 5, |h| {
        let mut world = pendulum(h, angle);
        run(&mut world, period);
        let pin = world.joint("pin").expect("stepped").coordinates;
        assert!(pin[..3].iter().all(|c| c.abs() < 1e-12), "{pin:?}");
        // Back where it was, at rest.
        let turn = world.body("rod").expect("rod").twist.angular.length();
        pin[3].abs() + turn / omega
    });
    ladder.assert_order(1.0, "pendulum after one period");
}
