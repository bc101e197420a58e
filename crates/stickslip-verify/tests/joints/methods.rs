//! Joints in every method: iterated as a whole, with located impacts, extrapolated.

use super::pendulum::hung_rod;
use stickslip::dynamics::methods::Method;
use stickslip::prelude::*;
use stickslip_verify::{Ladder, ball, cuboid, ground, run, world_of};

/// A rod of 1 m and 2 kg that turns about the z axis through its end at the origin, with the given spin.
fn rod(spin: f64) -> BodySpec {
    cuboid("rod", DVec3::new(1.0, 0.1, 0.1), 2.0)
        .at(DVec3::X * 0.5)
        .with_velocity(DVec3::Y * (0.5 * spin), DVec3::Z * spin)
}

/// I of the rod about its pin.
const INERTIA: f64 = 2.0 * (1.0 + 0.01) / 12.0 + 2.0 * 0.25;

fn pin() -> JointSpec {
    JointSpec::hinge("pin", ["world", "rod"], DVec3::ZERO, DVec3::Z)
}

#[test]
fn a_rod_on_a_pin_rebounds_from_a_stop() {
    // The stop's impulse is J = I(1 + e)ω/d, d its distance from the pin along the rod.
    let (spin, e, d, turn) = (1.5, 0.6, 0.8, 0.2);
    let (_, mut world) = world_of("struck_rod.toml", &[]);
    let (mut hinge, mut stop) = (DVec3::ZERO, DVec3::ZERO);
    let mut hit = None;
    let mut before = 0.0;
    while !world.reached(0.4) {
        let spin_before = world.body("rod").expect("rod").twist.angular.z;
        if let Err(e) = world.step() {
            panic!("{e}");
        }
        let step = world.last_step();
        if step.kind.is_impact() {
            if hit.is_none() {
                before = spin_before;
            }
            hit.get_or_insert(step.t);
            hinge += world.joint("pin").expect("stepped").linear;
            for c in &step.contacts {
                let sign = if world.model().bodies[c.contact.bodies[1]].is_free() {
                    1.0
                } else {
                    -1.0
                };
                stop += c.contact.normal * (sign * c.impulse.x);
            }
        }
    }
    // SHAKE turns by tan-like angles: the time of the stop is right to first order of h.
    let time = hit.expect("an impact");
    assert!((time - turn / spin).abs() < 2e-3, "{time}");
    let spin_after = world.body("rod").expect("rod").twist.angular.z;
    assert!(
        (spin_after + e * before).abs() < 1e-3,
        "{spin_after} after {before}"
    );
    let wall = INERTIA * (1.0 + e) * before / d;
    assert!(
        (stop.length() / wall - 1.0).abs() < 1e-3,
        "{stop} for {wall}"
    );
    // What the pin takes: the change of momentum less the wall's impulse.
    let momentum = 2.0 * 0.5 * (1.0 + e) * before;
    assert!(
        (hinge.length() - (wall - momentum).abs()).abs() < 1e-3 * wall,
        "{hinge}"
    );
}

#[test]
fn a_limit_holds_in_an_impact() {
    // A rod at the end of its hinge's range is hit by a ball: it does not move, and the ball bounces as from a wall.
    let (e, v) = (0.5, 2.0);
    let mut world = World::builder()
        .gravity(DVec3::ZERO)
        .time_step(0.01)
        .method(Method::EventDriven)
        .restitution(e)
        .friction(0.0)
        .body(rod(0.0))
        .body(
            ball("ball", 0.1, 1.0)
                .at(DVec3::new(0.7, 0.35, 0.0))
                .with_velocity(DVec3::Y * -v, DVec3::ZERO),
        )
        .joint(pin().axis(3, |axis| axis.limit([0.0, 1.0])))
        .build()
        .expect("a rod");
    run(&mut world, 0.3);
    let (rod, ball) = (
        world.body("rod").expect("rod").twist,
        world.body("ball").expect("ball").twist,
    );
    assert!((ball.linear.y - e * v).abs() < 1e-9, "{}", ball.linear);
    assert!(rod.angular.length() < 1e-9, "{}", rod.angular);
}

#[test]
fn a_pendulum_swings_in_every_method() {
    let angle = 1.2;
    let pendulum = |h: f64, method: Method| hung_rod(h, angle, method);
    let inertia = 2.0 * 1.01 / 12.0 + 0.5;
    let end = |mut world: World| {
        run(&mut world, 0.5);
        let rod = world.body("rod").expect("rod");
        let z = rod.pose.position.z;
        // ½ I ω² = m g (z₀ − z), whatever the time is.
        let drop = -0.5 * libm::cos(angle) - z;
        let spin = rod.twist.angular.length();
        (0.5 * inertia * spin * spin - 2.0 * 9.81 * drop).abs()
    };
    for method in [
        Method::StewartTrinkle,
        Method::Implicit,
        Method::EventDriven,
        Method::Extrapolated,
    ] {
        if method.has_fixed_step() {
            let ladder = Ladder::climb(0.02, 4, |h| end(pendulum(h, method)));
            ladder.assert_order(1.0, method.name());
        } else {
            let off = end(pendulum(0.005, method));
            assert!(off < 0.2, "{}: {off}", method.name());
        }
    }
}

#[test]
fn ragdolls_touch_the_stairs_in_the_implicit_method() {
    let overrides = ["step.method=\"implicit\"".to_owned()];
    let (_, mut world) = world_of("ragdolls.toml", &overrides);
    let mut depth = 0.0f64;
    let mut contacts = 0;
    while world.time() < 0.75 {
        match world.step() {
            Ok(step) => {
                depth = depth.max(step.certificate.penetration);
                contacts += step.contacts.len();
            }
            Err(e) => panic!("{e}"),
        }
    }
    eprintln!("implicit ragdolls: penetration {depth:.2e} m, {contacts} contacts");
    assert!(depth < 1e-6 && contacts > 10);
}

#[test]
fn the_next_problem_has_the_rows_of_joints() {
    let mut world = World::builder()
        .body(ground())
        .body(rod(1.0).at(DVec3::new(0.5, 0.0, 0.05)))
        .joint(JointSpec::hinge(
            "pin",
            ["world", "rod"],
            DVec3::Z * 0.05,
            DVec3::Z,
        ))
        .build()
        .expect("a rod");
    let problem = world.next_problem().expect("a problem");
    assert!(problem.validate().is_ok());
    // Four corners on the ground, and a block each for the pin's place and for its directions.
    assert_eq!(problem.contacts.len(), 6);
    assert!(problem.contacts.iter().all(|c| c.compliance == DVec3::ZERO));
}
