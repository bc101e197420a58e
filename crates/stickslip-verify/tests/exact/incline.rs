//! A box on a slope just below and just above the angle of friction.

use stickslip::prelude::*;
use stickslip_verify::{cuboid, run};

/// A box on a plane of the given slope; down the slope is +x of the plane.
fn on_slope(slope: f64, h: f64) -> (World, DVec3) {
    let (s, c) = libm::sincos(slope);
    let (normal, down) = (DVec3::new(s, 0.0, c), DVec3::new(c, 0.0, -s));
    let pose = Pose {
        position: normal * 0.1,
        orientation: stickslip::geometry::pose::exp(DVec3::Y * slope),
    };
    let world = World::builder()
        .friction(0.5)
        .time_step(h)
        .body(BodySpec::fixed(
            "slope",
            Shape::half_space(normal, 0.0).expect("a plane"),
        ))
        .body(cuboid("box", DVec3::new(0.4, 0.4, 0.2), 1.0).with_pose(pose))
        .build()
        .expect("a world");
    (world, down)
}

#[test]
fn just_below_the_angle_of_friction_it_does_not_move() {
    let (mut world, _) = on_slope(libm::atan(0.99 * 0.5), 0.01);
    let start = world.body("box").expect("the box").pose.position;
    run(&mut world, 5.0);
    let moved = (world.body("box").expect("the box").pose.position - start).length();
    assert!(moved < 1e-12, "moved {moved:e} m in 5 s");
}

#[test]
fn just_above_it_slides_with_the_right_acceleration() {
    let slope = libm::atan(1.01 * 0.5);
    let (mut world, down) = on_slope(slope, 0.01);
    run(&mut world, 2.0);
    let v = world.body("box").expect("the box").twist.linear;
    let exact = 9.81 * (libm::sin(slope) - 0.5 * libm::cos(slope));
    let a = v.dot(down) / 2.0;
    assert!((a / exact - 1.0).abs() < 1e-6, "{a} against {exact}");
    assert!((v - down * v.dot(down)).length() < 1e-10);
}
