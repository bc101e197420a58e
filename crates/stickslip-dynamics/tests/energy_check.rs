//! The energy inequality is checked in every record: steps between events and both phases of impacts included.

use glam::DVec3;
use stickslip_dynamics::methods::Method;
use stickslip_dynamics::{BodySpec, World};
use stickslip_geometry::Shape;
use stickslip_model::Kind;

const G: f64 = 9.81;

/// A ball thrown along the ground from a height of 1 m, with friction.
fn thrown(e: f64) -> World {
    World::builder()
        .body(BodySpec::fixed(
            "ground",
            Shape::half_space(DVec3::Z, 0.0).expect("a plane"),
        ))
        .body(
            BodySpec::free("ball", Shape::ball(0.1).expect("a ball"), 2.0)
                .at(DVec3::new(0.0, 0.0, 1.1))
                .with_velocity(DVec3::X, DVec3::ZERO),
        )
        .friction(0.3)
        .restitution(e)
        .method(Method::EventDriven)
        .energy_check(true)
        .build()
        .expect("a world")
}

#[test]
fn a_bouncing_ball_passes_the_check_in_every_record() {
    for e in [0.0, 0.5, 1.0] {
        let mut world = thrown(e);
        let (mut kinds, mut after_first) = (Vec::new(), None);
        while !world.reached(1.5) {
            world
                .step()
                .unwrap_or_else(|error| panic!("e = {e}: {error}"));
            let slack = world.energy_slack().expect("checked in every record");
            assert!(slack >= -1e-12, "e = {e}: {slack:e}");
            let step = world.last_step();
            kinds.push(step.kind);
            let ends = step.kind
                == if e > 0.0 {
                    Kind::Decompression
                } else {
                    Kind::Compression
                };
            if ends && after_first.is_none() {
                after_first = world.body("ball").copied();
            }
        }
        assert!(kinds.contains(&Kind::Step) && kinds.contains(&Kind::Compression));
        assert_eq!(kinds.contains(&Kind::Decompression), e > 0.0);
        // v_n⁺ = e √(2 g), and friction 0.3 (1 + e) √(2 g) is more than the 2/7 m/s that make it roll.
        let v = after_first.expect("an impact").twist;
        assert!(
            (v.linear.z - e * (2.0 * G).sqrt()).abs() < 1e-9,
            "e = {e}: {v:?}"
        );
        assert!((v.linear.x - 5.0 / 7.0).abs() < 1e-9, "e = {e}: {v:?}");
    }
}

#[test]
fn without_being_asked_for_it_is_not_checked() {
    let mut world = thrown(0.5);
    assert_eq!(world.energy_slack(), None, "no step yet");
    world.step().expect("a step");
    assert!(world.energy_slack().is_some());
    let mut plain = World::builder()
        .body(BodySpec::free(
            "ball",
            Shape::ball(0.1).expect("a ball"),
            2.0,
        ))
        .build()
        .expect("a world");
    plain.step().expect("a step");
    assert_eq!(plain.energy_slack(), None);
}
