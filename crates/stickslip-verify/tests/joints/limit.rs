//! Stiffness to infinity: a spring of stiffness γ differs from the joint it turns into by O(1/γ).
//!
//! A spring row is linear in the step, φ + h∇φ·ν⁺, a joint is closed exactly at its end. Where φ is linear in the motion the
//! two limits are the same row, and the velocities of one step are compared. Where it is not, they are compared at
//! rest under a static load, where nothing moves within a step.

use stickslip::dynamics::scene::SpringEnds;
use stickslip::dynamics::{AxisSpec, HoldSpec, WorldBuilder};
use stickslip::prelude::*;
use stickslip_verify::{ball, cuboid, ground};

/// A spring of stiffness γ, or the joint that it is in the limit.
#[derive(Clone, Copy)]
enum Held {
    Spring(f64),
    Joint,
}

type Build = fn(Held) -> World;

fn spring(ends: SpringEnds, stiffness: f64) -> SpringSpec {
    SpringSpec {
        name: "spring".into(),
        ends,
        stiffness,
        damping: 0.0,
        inertance: 0.0,
        rest: Some(0.0),
        explicit: false,
    }
}

/// Adds `joint`, with its axis `axis` free and held by a spring, or locked.
fn axis(builder: WorldBuilder, joint: JointSpec, axis: usize, held: Held) -> WorldBuilder {
    match held {
        Held::Spring(stiffness) => {
            let ends = SpringEnds::Axis {
                joint: joint.name.clone(),
                axis,
            };
            let free = joint.axis(axis, |a| *a = AxisSpec::default());
            builder.joint(free).spring(spring(ends, stiffness))
        }
        Held::Joint => builder.joint(joint.axis(axis, |a| a.hold = HoldSpec::Locked)),
    }
}

/// A ball in the middle of a crate that slides on the ground, joined at their centres.
fn crate_with_ball(held: Held) -> World {
    let at = DVec3::Z * 0.2;
    let builder = World::builder()
        .friction(0.3)
        .time_step(1.0)
        .tolerance(1e-13)
        .ignore("crate", "ball")
        .body(ground())
        .body(
            cuboid("crate", DVec3::new(1.0, 0.8, 0.4), 2.0)
                .at(at)
                .with_velocity(DVec3::new(3.0, 1.0, 0.0), DVec3::ZERO),
        )
        .body(
            ball("ball", 0.15, 0.5)
                .at(at)
                .with_velocity(DVec3::new(-2.0, 5.0, 1.0), DVec3::new(0.3, 0.2, 0.5)),
        );
    let held = match held {
        Held::Spring(stiffness) => {
            let ends = SpringEnds::Points {
                bodies: ["crate".into(), "ball".into()],
                points: [DVec3::ZERO; 2],
            };
            builder.spring(spring(ends, stiffness))
        }
        Held::Joint => builder.joint(JointSpec::ball("joint", ["crate", "ball"], at)),
    };
    held.build().expect("a crate")
}

/// A carriage on a rail along the sled's axis, the sled sliding on the ground.
fn carriage(held: Held) -> World {
    let builder = World::builder()
        .friction(0.3)
        .time_step(1.0)
        .tolerance(1e-13)
        .body(ground())
        .body(cuboid("sled", DVec3::new(2.0, 0.8, 0.2), 2.0).at(DVec3::Z * 0.1))
        .body(
            cuboid("carriage", DVec3::splat(0.2), 1.0)
                .at(DVec3::Z * 0.3)
                .with_velocity(DVec3::X * 4.0, DVec3::ZERO),
        );
    let rail = JointSpec::slider("rail", ["sled", "carriage"], DVec3::Z * 0.3, DVec3::X);
    axis(builder, rail, 0, held).build().expect("a sled")
}

/// A wheel on a shaft in the world that turns.
fn wheel(held: Held) -> World {
    let builder = World::builder()
        .time_step(1.0)
        .tolerance(1e-13)
        .body(cuboid("wheel", DVec3::new(2.0, 2.0, 0.1), 3.0).with_velocity(DVec3::ZERO, DVec3::Z));
    let shaft = JointSpec::hinge("shaft", ["world", "wheel"], DVec3::ZERO, DVec3::Z);
    axis(builder, shaft, 3, held).build().expect("a wheel")
}

/// Asserts that the distance from `rigid` falls tenfold with each decade of γ from 1e2 to 1e12.
fn assert_falls(what: &str, mut off: impl FnMut(Held) -> f64) {
    let mut last: Option<f64> = None;
    for k in 2..=12 {
        let now = off(Held::Spring(libm::pow(10.0, f64::from(k))));
        eprintln!("{what}: gamma 1e{k}: {now:.4e}");
        if let Some(last) = last {
            let slope = libm::log10(now / last);
            assert!((slope + 1.0).abs() < 0.02, "{what}: slope {slope} to 1e{k}");
        }
        last = Some(now);
    }
}

#[test]
fn the_velocity_with_a_stiff_spring_tends_to_that_with_the_joint() {
    let scenes: [(&str, Build); 3] = [
        ("point to point", crate_with_ball),
        ("along a slider", carriage),
        ("about a hinge", wheel),
    ];
    for (what, build) in scenes {
        let after_a_step = |held: Held| {
            let mut world = build(held);
            if let Err(e) = world.step() {
                panic!("{e}");
            }
            world.states().to_vec()
        };
        let rigid = after_a_step(Held::Joint);
        assert_falls(what, |held| {
            let soft = after_a_step(held);
            let apart = soft.iter().zip(&rigid).map(|(a, b)| {
                (a.twist.linear - b.twist.linear).length()
                    + (a.twist.angular - b.twist.angular).length()
            });
            apart.sum()
        });
    }
}

/// Two bars hinged to the world at their feet, leaning on each other, held together at their tops; dampers in the feet.
fn frame(held: Held) -> World {
    let (half, height) = (0.6, 0.8);
    let mut builder = World::builder()
        .time_step(0.1)
        .tolerance(1e-13)
        .ignore("left", "right");
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let foot = DVec3::X * (side * half);
        let turn = DQuat::from_rotation_arc(DVec3::Z, DVec3::new(-side * half, 0.0, height));
        let pose = Pose {
            position: foot + turn * (DVec3::Z * 0.5),
            orientation: turn,
        };
        let hinge = format!("{name} foot");
        builder = builder
            .body(cuboid(name, DVec3::new(0.05, 0.1, 1.0), 0.1).with_pose(pose))
            .joint(JointSpec::hinge(&hinge, ["world", name], foot, DVec3::Y))
            .spring(SpringSpec {
                name: format!("{name} damper"),
                ends: SpringEnds::Axis {
                    joint: hinge,
                    axis: 3,
                },
                stiffness: 0.0,
                damping: 1.0,
                rest: Some(0.0),
                inertance: 0.0,
                explicit: false,
            });
    }
    let held = match held {
        Held::Spring(stiffness) => {
            let ends = SpringEnds::Points {
                bodies: ["left".into(), "right".into()],
                points: [DVec3::Z * 0.5; 2],
            };
            builder.spring(spring(ends, stiffness))
        }
        Held::Joint => builder.joint(JointSpec::ball("top", ["left", "right"], DVec3::Z * height)),
    };
    held.build().expect("a frame")
}

#[test]
fn a_loaded_frame_with_a_stiff_spring_tends_to_that_with_the_joint() {
    let at_rest = |held: Held| {
        let mut world = frame(held);
        stickslip_verify::run(&mut world, 60.0);
        world.states().to_vec()
    };
    let rigid = at_rest(Held::Joint);
    assert_falls("A-frame", |held| {
        let soft = at_rest(held);
        let apart = soft.iter().zip(&rigid).map(|(a, b)| {
            assert!(
                a.twist.linear.length() < 1e-13,
                "at rest: {}",
                a.twist.linear
            );
            (a.pose.position - b.pose.position).length()
        });
        apart.sum()
    });
}
