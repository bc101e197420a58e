//! Restitution at a fixed step: impacts that meet, that last, and those that are none.

mod judged;
mod overlapping;
mod random;
mod rods;

use glam::{DQuat, DVec3};
use stickslip_dynamics::{BodySpec, Snapshot, World};
use stickslip_geometry::{Pose, Shape};
use stickslip_model::BodyState;

fn ground() -> BodySpec {
    BodySpec::fixed("ground", Shape::half_space(DVec3::Z, 0.0).expect("a plane"))
}

/// A ball of 0.1 m and 1 kg.
fn ball(name: &str, at: DVec3) -> BodySpec {
    BodySpec::free(name, Shape::ball(0.1).expect("a ball"), 1.0).at(at)
}

fn cuboid(name: &str, size: DVec3) -> BodySpec {
    BodySpec::free(name, Shape::cuboid(size).expect("a box"), 1.0)
}

fn run(world: &mut World, until: f64) {
    while world.time() < until {
        world.step().unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Velocities along x of the bodies with these names, m/s.
fn along_x(world: &World, names: &[&str]) -> Vec<f64> {
    let of = |name: &&str| world.body(name).expect("the body").twist.linear.x;
    names.iter().map(of).collect()
}

/// Neither body has e of its own: with e = 0 beside a ball that bounces, a box at rest has nothing to be divided by.
#[test]
fn what_rests_without_restitution_rests_beside_what_bounces() {
    let build = |with_box: bool| {
        let mut builder = World::builder()
            .time_step(0.01)
            .pair_restitution("ball", "ground", 0.8)
            .body(ground())
            .body(ball("ball", DVec3::new(3.0, 0.0, 0.3)));
        if with_box {
            let flat = cuboid("box", DVec3::new(0.4, 0.4, 0.1));
            builder = builder.body(flat.at(DVec3::Z * 0.05));
        }
        builder.build().expect("a world")
    };
    let (mut alone, mut beside) = (build(false), build(true));
    let mut highest: f64 = 0.0;
    for _ in 0..200 {
        alone.step().expect("a step");
        beside.step().expect("a step");
        let [one, other] = [&alone, &beside].map(|w| *w.body("ball").expect("the ball"));
        assert_eq!(one, other);
        if one.twist.linear.z > 0.0 {
            highest = highest.max(one.pose.position.z);
        }
        let rests = beside.body("box").expect("the box");
        assert!(rests.twist.linear.length() < 1e-12, "{rests:?}");
    }
    // e² of 0.2 m, to first order.
    assert!((highest - 0.1 - 0.128).abs() < 0.02, "{highest}");
}

/// A box whose far edge lands while the near one rebounds: without friction, with e = 1, on a plane.
#[test]
fn a_tilted_box_keeps_its_energy() {
    let mut count = 0;
    for h in [0.005, 0.002] {
        for tilt in [0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2] {
            for k in 0..5 {
                let z = 0.3 + 0.2 * h * f64::from(k);
                let pose = Pose {
                    position: DVec3::Z * z,
                    orientation: DQuat::from_xyzw(
                        0.0,
                        libm::sin(tilt / 2.0),
                        0.0,
                        libm::cos(tilt / 2.0),
                    ),
                };
                let flat = cuboid("box", DVec3::new(0.4, 0.3, 0.1));
                let mut world = World::builder()
                    .time_step(h)
                    .gravity(DVec3::ZERO)
                    .friction(0.0)
                    .restitution(1.0)
                    .body(ground())
                    .body(
                        flat.with_pose(pose)
                            .with_velocity(DVec3::NEG_Z, DVec3::ZERO),
                    )
                    .build()
                    .expect("a world");
                run(&mut world, 0.6);
                let kept = world.energy() / 0.5;
                assert!(kept > 1.0 - 6.0 * h, "{h} {tilt} {z}: {kept}");
                assert!(kept < 1.0 + 1e-9, "{h} {tilt} {z}: {kept}");
                count += 1;
            }
        }
    }
    assert_eq!(count, 70);
}

/// Boxes and balls in two heaps and a cradle.
fn heaps(others: &[BodySpec]) -> World {
    let mut builder = World::builder()
        .time_step(0.005)
        .friction(0.4)
        .restitution(0.6)
        .body(ground());
    for k in 0..5 {
        let k_f = f64::from(k);
        let at = DVec3::new(0.03 * f64::from(k % 3), 0.02 * k_f, 0.12 + 0.22 * k_f);
        let cube = cuboid(&format!("heap {k}"), DVec3::splat(0.2));
        let beside = DVec3::new(1.0 + 0.02 * k_f, 0.01 * k_f, 0.11 + 0.23 * k_f);
        builder = builder
            .body(cube.at(at))
            .body(ball(&format!("row {k}"), beside));
    }
    for other in others {
        builder = builder.body(other.clone());
    }
    builder.build().expect("heaps")
}

fn of_heaps(world: &World) -> Vec<BodyState> {
    let bodies = world.model().bodies.iter().zip(world.states());
    let of_heap = bodies.filter(|(b, _)| b.name.starts_with("heap") || b.name.starts_with("row"));
    of_heap.map(|(_, state)| *state).collect()
}

#[test]
fn what_bounces_elsewhere_changes_no_bit_of_a_heap() {
    let other = ball("other", DVec3::new(9.0, 0.0, 0.31));
    let rolls = ball("rolls", DVec3::new(-9.0, 0.0, 0.1));
    let rolls = rolls.with_velocity(DVec3::X, DVec3::ZERO);
    let (mut alone, mut beside) = (heaps(&[]), heaps(&[other, rolls]));
    for step in 0..150 {
        alone.step().expect("a step");
        beside.step().expect("a step");
        assert!(of_heaps(&alone) == of_heaps(&beside), "step {step}");
    }
}

/// Whatever an impact is at: what was saved there goes on to the same bits.
#[test]
fn a_run_goes_on_from_within_an_impact_to_the_same_bits() {
    let mut first = heaps(&[]);
    let mut impacts = 0;
    for step in 0..60 {
        let bytes = first.snapshot().to_bytes();
        let mut second = heaps(&[]);
        let saved = Snapshot::from_bytes(&bytes).expect("a snapshot");
        second.resume(&saved).expect("the same scene");
        for _ in 0..12 {
            second.step().expect("a step");
        }
        let mut third = first.duplicate();
        for _ in 0..12 {
            third.step().expect("a step");
        }
        assert_eq!(
            second.snapshot().to_bytes(),
            third.snapshot().to_bytes(),
            "from step {step}"
        );
        first.step().expect("a step");
        let contacts = first.last_step().contacts.iter();
        impacts += contacts.filter(|c| c.restituted > 0.0).count();
    }
    assert!(impacts > 10, "{impacts}");
}
