//! Friction along a grain and across it: an elliptic cone.

use stickslip::prelude::*;
use stickslip_verify::{Ladder, cuboid, ground, run};

const MU: f64 = 0.4;
const RATIO: f64 = 0.35;

/// A block on a slope whose fall line is at `angle` to the grain of the slope, and whose gravity is `down` along it and `press` into it.
fn slope(h: f64, angle: f64, down: f64, press: f64, start: DVec3) -> World {
    let (sin, cos) = libm::sincos(angle);
    World::builder()
        .friction(MU)
        .time_step(h)
        .energy_check(true)
        .gravity(DVec3::new(down * cos, down * sin, -press))
        .body(ground().with_grain(DVec3::X, RATIO))
        .body(
            cuboid("block", DVec3::new(0.2, 0.2, 0.05), 1.0)
                .at(DVec3::Z * 0.025)
                .with_velocity(start, DVec3::ZERO),
        )
        .build()
        .expect("a world")
}

fn place(world: &World) -> DVec3 {
    world.body("block").expect("the block").pose.position
}

/// Friction over the normal force at a slip along (c, s): of the ellipse with half axes μ and κ μ the point that takes most energy,
/// −(μ² c, κ²μ² s)/|(μ c, κ μ s)|.
fn friction(c: f64, s: f64) -> [f64; 2] {
    let across = RATIO * MU;
    let length = libm::hypot(MU * c, across * s);
    [-MU * MU * c / length, -across * across * s / length]
}

/// The angle of the path from rest: along it the acceleration is, g + N f(φ) ∥ (cos φ, sin φ).
fn closed_form(angle: f64, down: f64, press: f64) -> f64 {
    let off = |phi: f64| {
        let (s, c) = libm::sincos(phi);
        let [fx, fy] = friction(c, s);
        let (ax, ay) = (
            down * libm::cos(angle) + press * fx,
            down * libm::sin(angle) + press * fy,
        );
        ax * s - ay * c
    };
    // From the fall line towards the side on which friction is less: one root.
    let (mut low, mut high) = (angle, std::f64::consts::FRAC_PI_2);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if off(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[test]
fn a_block_drifts_down_a_slope_along_the_closed_forms_angle() {
    for angle in [0.2, 0.7, 1.2] {
        let (down, press) = (6.0, 8.0);
        let mut world = slope(0.005, angle, down, press, DVec3::ZERO);
        run(&mut world, 0.5);
        let at = place(&world);
        let (drift, want) = (libm::atan2(at.y, at.x), closed_form(angle, down, press));
        assert!(
            want > angle + 0.02,
            "it leaves the fall line: {want} {angle}"
        );
        eprintln!("fall line {angle}: drifts along {drift:.12}, closed form {want:.12}");
        assert!((drift - want).abs() < 1e-8, "{angle}: {drift} {want}");
        let turned = world.body("block").expect("the block").pose.orientation;
        assert!((turned.w.abs() - 1.0).abs() < 1e-12, "it does not turn");
    }
}

/// On the ellipse |(g₁/μ, g₂/(κ μ))| = N it begins to slide.
#[test]
fn it_sticks_inside_the_ellipse_and_slides_outside() {
    for angle in [0.0, 0.3, 1.0, 1.5, 2.5] {
        let (sin, cos) = libm::sincos(angle);
        let press = 8.0;
        let critical = press / libm::hypot(cos / MU, sin / (RATIO * MU));
        for (part, sticks) in [(0.999, true), (1.001, false)] {
            let mut world = slope(0.01, angle, part * critical, press, DVec3::ZERO);
            run(&mut world, 0.2);
            let way = place(&world).truncate().length();
            assert_eq!(way < 1e-9, sticks, "{angle} {part}: {way:e} m");
        }
    }
}

/// A block pushed over the grain goes along a curve: against Runge and Kutta's.
#[test]
fn a_pushed_block_follows_its_curve_to_first_order() {
    let (start, press, until) = (DVec3::new(1.0, 1.5, 0.0), 9.81, 0.3);
    let reference = {
        let (mut x, mut v) = ([0.0; 2], [start.x, start.y]);
        let n = 3000;
        let h = until / f64::from(n);
        let acceleration = |v: [f64; 2]| {
            let speed = libm::hypot(v[0], v[1]);
            friction(v[0] / speed, v[1] / speed).map(|f| press * f)
        };
        for _ in 0..n {
            let along = |v: [f64; 2], a: [f64; 2], h: f64| [v[0] + h * a[0], v[1] + h * a[1]];
            let k1 = acceleration(v);
            let v2 = along(v, k1, 0.5 * h);
            let k2 = acceleration(v2);
            let v3 = along(v, k2, 0.5 * h);
            let k3 = acceleration(v3);
            let v4 = along(v, k3, h);
            let k4 = acceleration(v4);
            for k in 0..2 {
                x[k] += h / 6.0 * (v[k] + 2.0 * v2[k] + 2.0 * v3[k] + v4[k]);
                v[k] += h / 6.0 * (k1[k] + 2.0 * k2[k] + 2.0 * k3[k] + k4[k]);
            }
        }
        DVec3::new(x[0], x[1], 0.025)
    };
    Ladder::climb(0.01, 5, |h| {
        let mut world = slope(h, 0.0, 0.0, press, start);
        run(&mut world, until);
        (place(&world) - reference).length()
    })
    .assert_order(1.0, "place of a block that slides over a grain");
}

/// The direction turns with the body that carries it, and turning everything turns the motion.
#[test]
fn the_grain_turns_with_its_body() {
    let ends = [0.0, 0.4, 1.9].map(|turn| {
        let orientation = stickslip::geometry::pose::exp(DVec3::Z * turn);
        let shape = Shape::cuboid(DVec3::new(4.0, 4.0, 0.1)).expect("a box");
        let pose = |z: f64| Pose {
            position: DVec3::Z * z,
            orientation,
        };
        let mut world = World::builder()
            .friction(MU)
            .time_step(0.005)
            .body(
                BodySpec::fixed("board", shape)
                    .with_pose(pose(-0.05))
                    .with_grain(DVec3::new(2.0, 1.0, 0.0), RATIO),
            )
            .body(
                cuboid("block", DVec3::new(0.2, 0.2, 0.05), 1.0)
                    .with_pose(pose(0.025))
                    .with_velocity(orientation * DVec3::new(1.0, 0.3, 0.0), DVec3::ZERO),
            )
            .build()
            .expect("a world");
        run(&mut world, 0.2);
        orientation.conjugate() * place(&world)
    });
    assert!(ends[0].y.abs() > 1e-3, "not straight on");
    for end in &ends[1..] {
        assert!((*end - ends[0]).length() < 1e-9, "{end} {}", ends[0]);
    }
}

#[test]
fn pyramids_are_refused() {
    let world = World::builder()
        .cone(Cone::Pyramid(8))
        .body(ground().with_grain(DVec3::X, 0.5))
        .build();
    let error = world.err().expect("refused").to_string();
    assert!(error.contains("elliptic"), "{error}");
}
