//! Halve h and look at the slope: the orders that the documents promise.

mod bars;
mod bouncing;
mod extrapolated;
mod projection;

use serde_json::Value;
use stickslip::prelude::*;
use stickslip_verify::{Ladder, ball, ground, reference, run, tilted_gravity};

fn number(case: &Value, key: &str) -> f64 {
    case[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} is a number"))
}

fn vector(case: &Value, key: &str) -> Vec<f64> {
    case[key]
        .as_array()
        .expect("a vector")
        .iter()
        .map(|x| x.as_f64().expect("a number"))
        .collect()
}

/// A ball of 1 kg rolling or sliding on level ground.
fn rolling(h: f64, radius: f64, mu: f64, v: DVec3, w: DVec3) -> World {
    World::builder()
        .friction(mu)
        .time_step(h)
        .body(ground())
        .body(
            ball("ball", radius, 1.0)
                .at(DVec3::Z * radius)
                .with_velocity(v, w),
        )
        .build()
        .expect("a world")
}

#[test]
fn a_ball_with_backspin_goes_over_to_rolling() {
    let Some(reference) = reference("r7_statics_rolling.json") else {
        return;
    };
    for case in reference["backspin"].as_array().expect("cases") {
        let (radius, t_roll, v_final) = (
            number(case, "R"),
            number(case, "t_roll"),
            number(case, "v_final"),
        );
        // Some time after it began to roll; rolling is uniform.
        let until = t_roll * 1.5;
        let x_exact = |t: f64| number(case, "x_at_t_roll") + v_final * (t - t_roll);
        let ladder = Ladder::climb(until / 64.0, 5, |h| {
            let spin = DVec3::Y * -number(case, "backspin");
            let mut world = rolling(
                h,
                radius,
                number(case, "mu"),
                DVec3::X * number(case, "v0"),
                spin,
            );
            run(&mut world, until);
            let state = world.body("ball").expect("the ball");
            let omega = number(case, "omega_final_forward");
            (state.pose.position.x - x_exact(world.time())).abs()
                + (state.twist.linear.x - v_final).abs()
                + (state.twist.angular.y - omega).abs() * radius
        });
        ladder.assert_order(1.0, &format!("backspin {}", number(case, "backspin")));
    }
}

#[test]
fn a_ball_with_any_spin_goes_over_to_rolling() {
    let Some(reference) = reference("r7_statics_rolling.json") else {
        return;
    };
    for case in reference["sphere3d"].as_array().expect("cases") {
        let (v0, w0) = (vector(case, "v0"), vector(case, "w0"));
        let (v1, w1, x1) = (
            vector(case, "v_final"),
            vector(case, "w_final"),
            vector(case, "x_at_t_roll"),
        );
        let (radius, t_roll) = (number(case, "R"), number(case, "t_roll"));
        let until = t_roll * 1.25;
        let ladder = Ladder::climb(until / 64.0, 5, |h| {
            let v = DVec3::new(v0[0], v0[1], 0.0);
            let mut world = rolling(h, radius, number(case, "mu"), v, DVec3::from_slice(&w0));
            run(&mut world, until);
            let state = world.body("ball").expect("the ball");
            let rest = world.time() - t_roll;
            let x = DVec3::new(x1[0] + v1[0] * rest, x1[1] + v1[1] * rest, radius);
            (state.pose.position - x).length()
                + (state.twist.linear - DVec3::new(v1[0], v1[1], 0.0)).length()
                + (state.twist.angular - DVec3::from_slice(&w1)).length() * radius
        });
        ladder.assert_order(1.0, &format!("ball with spin {w0:?}"));
    }
}

#[test]
fn balls_roll_and_slip_down_slopes() {
    let Some(reference) = reference("r7_statics_rolling.json") else {
        return;
    };
    for case in reference["incline"].as_array().expect("cases") {
        if case["shape"].as_str() != Some("solid sphere") {
            continue; // cylinders come with their shape
        }
        let radius = number(case, "R");
        let ladder = Ladder::climb(1.0 / 64.0, 5, |h| {
            let mut world = World::builder()
                .friction(number(case, "mu"))
                .gravity(tilted_gravity(number(case, "beta_deg").to_radians()))
                .time_step(h)
                .body(ground())
                .body(ball("ball", radius, 1.0).at(DVec3::Z * radius))
                .build()
                .expect("a world");
            run(&mut world, 1.0);
            let state = world.body("ball").expect("the ball");
            (state.pose.position.x - number(case, "distance_at_1s")).abs()
                + (state.twist.linear.x - number(case, "acceleration")).abs()
                + (state.twist.angular.y - number(case, "angular_acceleration")).abs() * radius
        });
        ladder.assert_order(
            1.0,
            &format!("slope of {} degrees", number(case, "beta_deg")),
        );
    }
}

/// A free body with the given principal moments, no gravity.
fn top(h: f64, case: &Value) -> World {
    let (moments, omega, q) = (
        vector(case, "inertia"),
        vector(case, "omega0_body"),
        vector(case, "q0"),
    );
    let orientation = DQuat::from_xyzw(q[1], q[2], q[3], q[0]);
    World::builder()
        .gravity(DVec3::ZERO)
        .time_step(h)
        .body(
            ball("top", 1.0, 1.0)
                .with_inertia(DMat3::from_diagonal(DVec3::from_slice(&moments)))
                .with_pose(Pose {
                    position: DVec3::ZERO,
                    orientation,
                })
                .with_velocity(DVec3::ZERO, orientation * DVec3::from_slice(&omega)),
        )
        .build()
        .expect("a world")
}

#[test]
fn free_tops_turn_at_second_order() {
    let Some(reference) = reference("r8_tops.json") else {
        return;
    };
    for case in reference["free"].as_array().expect("cases") {
        let times = vector(case, "t");
        let k = times.iter().position(|&t| t == 10.0).expect("t = 10 s");
        let q: Vec<f64> = case["q"][k]
            .as_array()
            .expect("q")
            .iter()
            .map(|x| x.as_f64().expect("x"))
            .collect();
        let want = DQuat::from_xyzw(q[1], q[2], q[3], q[0]);
        let ladder = Ladder::climb(0.02, 4, |h| {
            let mut world = top(h, case);
            run(&mut world, 10.0);
            let found = world.body("top").expect("the top").pose.orientation;
            (found - want).length().min((found + want).length())
        });
        ladder.assert_order(2.0, &format!("free top {}", case["omega0_body"]));
    }
}

#[test]
fn free_tops_keep_energy_and_angular_momentum() {
    let Some(reference) = reference("r8_tops.json") else {
        return;
    };
    for case in reference["free"].as_array().expect("cases") {
        let mut world = top(0.01, case);
        let (energy, momentum) = (world.energy(), world.momentum().1);
        let (mut de, mut dl): (f64, f64) = (0.0, 0.0);
        while world.time() < 100.0 {
            world.step().expect("a certified step");
            de = de.max((world.energy() / energy - 1.0).abs());
            dl = dl.max((world.momentum().1 - momentum).length() / momentum.length());
        }
        eprintln!(
            "free top {}: energy {de:.2e}, momentum {dl:.2e} in 100 s",
            case["omega0_body"]
        );
        assert!(
            de < 1e-4 && dl < 1e-12,
            "{case}: energy {de:e}, momentum {dl:e}"
        );
    }
}
