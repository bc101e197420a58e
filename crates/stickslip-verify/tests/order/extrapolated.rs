//! Extrapolation: order two and higher between events, and a wanted error that is met across them.

use serde_json::Value;
use stickslip::dynamics::methods::Method;
use stickslip::prelude::*;
use stickslip_verify::{Ladder, ball, ground, reference, run};

/// A ball of 1 kg and radius 0.1 m thrown along the ground, μ = 0.3.
fn thrown(h: f64, v: DVec3, w: DVec3, error: f64, until: f64) -> World {
    World::builder()
        .method(Method::Extrapolated)
        .error(error, until)
        .friction(0.3)
        .time_step(h)
        .body(ground())
        .body(
            ball("ball", 0.1, 1.0)
                .at(DVec3::Z * 0.1)
                .with_velocity(v, w),
        )
        .build()
        .expect("a world")
}

/// While it slides the slip decays along a straight line: v = v₀ − μ g t d, rolling from t = 2|u|/(7 μ g).
fn exact(v: DVec3, w: DVec3, t: f64) -> DVec3 {
    let (mu, g, r) = (0.3, 9.81, 0.1);
    let slip = v + w.cross(DVec3::Z * -r);
    let roll = 2.0 * slip.length() / (7.0 * mu * g);
    let a = slip * (-mu * g / slip.length());
    let s = t.min(roll);
    v * s + a * (0.5 * s * s) + (v + a * s) * (t - s)
}

#[test]
fn a_sliding_ball_is_of_order_two_or_more_between_events() {
    let (v, w) = (DVec3::new(2.0, 0.5, 0.0), DVec3::new(3.0, -20.0, 5.0));
    // Sliding only: the ball rolls after 0.39 s.
    let ladder = Ladder::climb(0.05, 3, |h| {
        let mut world = thrown(h, v, w, f64::INFINITY, 0.2);
        run(&mut world, 0.2);
        let state = world.body("ball").expect("the ball");
        (state.pose.position - DVec3::Z * 0.1 - exact(v, w, world.time())).length()
    });
    ladder.assert_order(2.0, "sliding ball, extrapolated");
}

#[test]
fn a_wanted_error_is_met_across_events() {
    let (v, w) = (DVec3::new(2.0, 0.5, 0.0), DVec3::new(3.0, -20.0, 5.0));
    for error in [1e-4, 1e-6, 1e-8] {
        let mut world = thrown(0.1, v, w, error, 1.0);
        run(&mut world, 1.0);
        let state = world.body("ball").expect("the ball");
        let found = (state.pose.position - DVec3::Z * 0.1 - exact(v, w, world.time())).length();
        eprintln!(
            "wanted {error:e}: error {found:.2e} with {} steps, {} inner",
            world.steps(),
            world.inner_steps()
        );
        assert!(found <= 2.0 * error);
    }
}

#[test]
fn a_spinning_top_in_flight_is_of_high_order() {
    let top = |h: f64| {
        let mut world = World::builder()
            .method(Method::Extrapolated)
            .gravity(DVec3::ZERO)
            .time_step(h)
            .body(
                ball("top", 1.0, 1.0)
                    .with_inertia(DMat3::from_diagonal(DVec3::new(1.0, 2.0, 2.5)))
                    .with_velocity(DVec3::ZERO, DVec3::new(1.0, 1.0, 1.0)),
            )
            .build()
            .expect("a world");
        run(&mut world, 2.0);
        world.body("top").expect("the top").pose.orientation
    };
    let truth = top(1.0 / 256.0);
    let ladder = Ladder::climb(0.25, 3, |h| (top(h) - truth).length());
    ladder.assert_order(3.0, "free top, extrapolated");
}

/// A heavy top: fixed point at the origin, centre of mass at l e₃ with m = 1 kg, l = 0.5 m, g = 2 m/s², so that m g l = 1.
fn heavy_top(h: f64, case: &Value) -> World {
    let number = |key: &str| case[key].as_f64().expect(key);
    let list = |key: &str| -> Vec<f64> {
        let list = case[key].as_array().expect("a list");
        list.iter().map(|x| x.as_f64().expect("a number")).collect()
    };
    let (q, w) = (list("q0"), list("omega0_body"));
    let orientation = DQuat::from_xyzw(q[1], q[2], q[3], q[0]);
    let arm = orientation * DVec3::new(0.0, 0.0, 0.5);
    let omega = orientation * DVec3::from_slice(&w);
    // The moments of the reference are about the fixed point.
    let across = number("I1") - 0.25;
    World::builder()
        .method(Method::Extrapolated)
        .gravity(DVec3::new(0.0, 0.0, -2.0))
        .time_step(h)
        .body(
            ball("top", 0.1, 1.0)
                .with_inertia(DMat3::from_diagonal(DVec3::new(
                    across,
                    across,
                    number("I3"),
                )))
                .with_pose(Pose {
                    position: arm,
                    orientation,
                })
                .with_velocity(omega.cross(arm), omega),
        )
        .joint(JointSpec::ball("pivot", ["world", "top"], DVec3::ZERO))
        .build()
        .expect("a top")
}

#[test]
fn the_heavy_top_is_of_order_two_or_more() {
    let Some(reference) = reference("r8_tops.json") else {
        return;
    };
    let case = &reference["heavy"][0];
    let q: Vec<f64> = case["states"][0]["q"]
        .as_array()
        .expect("q")
        .iter()
        .map(|x| x.as_f64().expect("a number"))
        .collect();
    let want = DQuat::from_xyzw(q[1], q[2], q[3], q[0]);
    let ladder = Ladder::climb(0.05, 3, |h| {
        let mut world = heavy_top(h, case);
        run(&mut world, 1.0);
        let found = world.body("top").expect("the top").pose.orientation;
        (found - want).length().min((found + want).length())
    });
    ladder.assert_order(2.0, "heavy top, extrapolated");
}

/// Two rods of 1 m, hinged at the origin and to each other, let go at right angles.
fn double_pendulum(h: f64) -> World {
    let rod = DVec3::new(0.05, 0.05, 1.0);
    let down = stickslip::geometry::pose::exp(DVec3::Y * 0.9);
    let first = down * DVec3::new(0.0, 0.0, -0.5);
    let second = stickslip::geometry::pose::exp(DVec3::Y * -0.4);
    let pose = |position: DVec3, orientation: DQuat| Pose {
        position,
        orientation,
    };
    World::builder()
        .method(Method::Extrapolated)
        .time_step(h)
        .body(stickslip_verify::cuboid("a", rod, 1.0).with_pose(pose(first, down)))
        .body(stickslip_verify::cuboid("b", rod, 1.0).with_pose(pose(
            2.0 * first + second * DVec3::new(0.0, 0.0, -0.5),
            second,
        )))
        .joint(JointSpec::hinge(
            "pin",
            ["world", "a"],
            DVec3::ZERO,
            DVec3::Y,
        ))
        .joint(JointSpec::hinge("elbow", ["a", "b"], 2.0 * first, DVec3::Y))
        .build()
        .expect("a double pendulum")
}

#[test]
fn the_double_pendulum_is_of_order_two_or_more() {
    let end = |h: f64| {
        let mut world = double_pendulum(h);
        run(&mut world, 1.0);
        world.body("b").expect("the second rod").pose.position
    };
    let truth = end(1.0 / 640.0);
    let ladder = Ladder::climb(0.05, 3, |h| (end(h) - truth).length());
    ladder.assert_order(2.0, "double pendulum, extrapolated");
}
