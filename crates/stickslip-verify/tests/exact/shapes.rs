//! Cylinders, cones, capsules and prisms: tipping over, rolling down, coming to rest.

use stickslip::geometry::pose::exp;
use stickslip::prelude::*;
use stickslip_verify::{Ladder, ground, run, tilted_gravity};

/// Each shape that stands, with the height of its centre of mass and its reach along the slope where the body is
/// turned by `turn` about its axis: it tips when the slope is steeper than reach/height.
struct Standing {
    name: &'static str,
    shape: Shape,
    height: f64,
    reach: fn(f64) -> f64,
}

fn standing() -> [Standing; 3] {
    let corners: Vec<DVec3> = (0..24)
        .map(|k| {
            let (s, c) = libm::sincos(std::f64::consts::PI / 6.0 * f64::from(k % 12));
            DVec3::new(0.1 * c, 0.1 * s, if k < 12 { -0.2 } else { 0.2 })
        })
        .collect();
    [
        Standing {
            name: "cylinder",
            shape: Shape::cylinder(0.1, 0.4).expect("a cylinder"),
            height: 0.2,
            reach: |_| 0.1,
        },
        Standing {
            name: "cone",
            shape: Shape::cone(0.1, 0.8).expect("a cone"),
            height: 0.2,
            reach: |_| 0.1,
        },
        Standing {
            name: "prism",
            shape: Shape::hull(&corners).expect("a hull"),
            height: 0.2,
            // The twelve-gon's border at the angle −turn: its sides are 30° wide, their middles at 15°, 45°, …
            reach: |turn| {
                let side = std::f64::consts::PI / 6.0;
                let past = (turn / side - (turn / side).floor()) * side;
                0.1 * libm::cos(0.5 * side) / libm::cos(past - 0.5 * side)
            },
        },
    ]
}

/// What it stands on: the ground, or the top of a box.
fn floor(on_box: bool) -> BodySpec {
    if on_box {
        let top = Shape::cuboid(DVec3::new(3.0, 2.0, 1.0)).expect("a box");
        BodySpec::fixed("ground", top).at(DVec3::Z * -0.5)
    } else {
        ground()
    }
}

/// Angular speed after a few steps on a slope of the given steepness (its tangent). The law is kept to 1e-10 m/s: less than that is rest. A millionth past its angle it gathers some 5e-7 rad/s.
fn tips(standing: &Standing, turn: f64, tangent: f64, on_box: bool) -> f64 {
    let mut world = World::builder()
        .friction(2.0)
        .gravity(tilted_gravity(libm::atan(tangent)))
        .time_step(0.01)
        .body(floor(on_box))
        .body(
            BodySpec::free("part", standing.shape.clone(), 1.0).with_pose(Pose {
                position: DVec3::Z * standing.height,
                orientation: exp(DVec3::Z * turn),
            }),
        )
        .build()
        .expect("a world");
    run(&mut world, 0.05);
    world.body("part").expect("the part").twist.angular.length()
}

#[test]
fn what_stands_tips_at_the_right_angle_at_every_azimuth() {
    for part in standing() {
        for on_box in [false, true] {
            for k in 0..64 {
                let turn = std::f64::consts::TAU / 64.0 * f64::from(k);
                let tangent = (part.reach)(-turn) / part.height;
                let name = part.name;
                let below = tips(&part, turn, tangent * (1.0 - 1e-6), on_box);
                assert!(
                    below < 1e-10,
                    "{name} at {turn}: {below:e} rad/s below its angle"
                );
                let above = tips(&part, turn, tangent * (1.0 + 1e-6), on_box);
                assert!(
                    above > 1e-7,
                    "{name} at {turn}: {above:e} rad/s above its angle"
                );
            }
        }
    }
}

/// What rolls: shape, how it lies, and I/(m R²) about its axis; the radius is 0.1.
fn rolling() -> [(&'static str, Shape, DQuat, f64); 3] {
    let lying = exp(DVec3::X * std::f64::consts::FRAC_PI_2);
    // A capsule: a cylinder and a ball, by volume.
    let share = 0.3 / (0.3 + 4.0 / 3.0 * 0.1);
    [
        (
            "ball",
            Shape::ball(0.1).expect("a ball"),
            DQuat::IDENTITY,
            0.4,
        ),
        (
            "cylinder",
            Shape::cylinder(0.1, 0.3).expect("a cylinder"),
            lying,
            0.5,
        ),
        (
            "capsule",
            Shape::capsule(0.1, 0.3).expect("a capsule"),
            lying,
            0.5 * share + 0.4 * (1.0 - share),
        ),
    ]
}

fn lying(shape: &Shape, orientation: DQuat) -> BodySpec {
    BodySpec::free("part", shape.clone(), 1.0).with_pose(Pose {
        position: DVec3::Z * 0.1,
        orientation,
    })
}

#[test]
fn round_shapes_roll_down_slopes() {
    let slope = 0.4;
    for (name, shape, orientation, k) in rolling() {
        for on_box in [false, true] {
            let exact = 9.81 * libm::sin(slope) / (1.0 + k);
            let ladder = Ladder::climb(1.0 / 64.0, 4, |h| {
                let mut world = World::builder()
                    .friction(0.5)
                    .gravity(tilted_gravity(slope))
                    .time_step(h)
                    .body(floor(on_box))
                    .body(lying(&shape, orientation))
                    .build()
                    .expect("a world");
                run(&mut world, 0.75);
                let part = world.body("part").expect("the part");
                let (t, v) = (world.time(), part.twist);
                // Velocities are exact, positions to first order.
                assert!(
                    (v.linear - DVec3::X * exact * t).length() < 1e-9,
                    "{name} {v:?}"
                );
                assert!((v.angular.y - exact * t / 0.1).abs() < 1e-8, "{name} {v:?}");
                assert!(
                    (part.pose.position.z - 0.1).abs() < 1e-12,
                    "{name} lifts off"
                );
                (part.pose.position.x - 0.5 * exact * t * t).abs()
            });
            ladder.assert_order(1.0, &format!("{name} rolls down"));
        }
    }
}

#[test]
fn what_is_launched_sliding_goes_over_to_rolling() {
    let (v0, mu) = (1.0, 0.3);
    for (name, shape, orientation, k) in rolling() {
        // v = v₀ − μgt, Rω = μgt/k until they meet.
        let t_roll = v0 / (mu * 9.81 * (1.0 + 1.0 / k));
        if name == "ball" {
            assert!((t_roll - 2.0 * v0 / (7.0 * mu * 9.81)).abs() < 1e-15);
        }
        let v_final = v0 / (1.0 + k);
        let ladder = Ladder::climb(t_roll / 16.3, 4, |h| {
            let mut world = World::builder()
                .friction(mu)
                .time_step(h)
                .body(ground())
                .body(lying(&shape, orientation).with_velocity(DVec3::X * v0, DVec3::ZERO))
                .build()
                .expect("a world");
            run(&mut world, 2.0 * t_roll);
            let part = world.body("part").expect("the part");
            assert!((part.twist.linear.x - v_final).abs() < 1e-10, "{name}");
            let exact =
                v0 * t_roll - 0.5 * mu * 9.81 * t_roll * t_roll + v_final * (world.time() - t_roll);
            (part.pose.position.x - exact).abs()
        });
        ladder.assert_order(1.0, &format!("{name} launched sliding"));
    }
}

/// A cone lying on its side rolls around its apex: the axis turns about the vertical through the apex at Ω, and
/// the energy of that motion is that of the height lost on a slope. At rest on level ground it stays.
#[test]
fn a_cone_on_its_side_rests_and_rolls_about_its_apex() {
    let (r, l) = (0.1_f64, 0.4_f64);
    let cone = Shape::cone(r, l).expect("a cone");
    let half_angle = libm::atan(r / l);
    let q = exp(DVec3::Y * (std::f64::consts::FRAC_PI_2 + half_angle));
    // Height of the centre of mass, on the axis at 3l/4 from the apex.
    let height = 0.75 * l * libm::sin(half_angle);
    let spin = 2.0;
    // Rolling without slip: ω along the line of contact, |ω| = Ω cot(half angle).
    let axis = q * DVec3::Z;
    let flat = DVec3::new(axis.x, axis.y, 0.0);
    let along = flat / flat.length();
    for (omega, name) in [(0.0, "rests"), (spin, "rolls")] {
        let w = along * (omega / libm::tan(half_angle));
        let apex = DVec3::Z * height + axis * (0.75 * l);
        let v = w.cross(DVec3::Z * height - apex);
        let ladder = Ladder::climb(1.0 / 100.0, 3, |h| {
            let mut world = World::builder()
                .friction(1.0)
                .time_step(h)
                .body(ground())
                .body(
                    BodySpec::free("cone", cone.clone(), 1.0)
                        .with_pose(Pose {
                            position: DVec3::Z * height,
                            orientation: q,
                        })
                        .with_velocity(v, w),
                )
                .build()
                .expect("a world");
            run(&mut world, 0.5);
            let state = world.body("cone").expect("the cone");
            assert!(
                (state.pose.position.z - height).abs() < 1e-3,
                "{name} lifts off"
            );
            // The apex turns on the spot.
            let end = state.pose.position + state.pose.orientation * (DVec3::Z * 0.75 * l);
            let turned = state.twist.angular.length() - w.length();
            (end - apex).length() + turned.abs() * 0.01
        });
        ladder.assert_order(0.9, &format!("a cone on its side {name}"));
    }
}
