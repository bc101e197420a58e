//! The simulator and the enumeration of planar accelerations look at the same states.

use stickslip::dynamics::NotPlanar;
use stickslip::dynamics::alarm::Watch;
use stickslip::geometry::Piece;
use stickslip::planar::{Options, Solutions, Status, solve};
use stickslip::prelude::*;

fn answer(world: &World, body: &str) -> Solutions {
    let body = world.index(body).expect("the body");
    let view = world.planar_view(body).expect("a planar state");
    let options = Options {
        rest_speed: view.rest_speed(world.settings().h),
        ..Options::default()
    };
    solve(&view.state, &options).expect("a state")
}

fn modes(answer: &Solutions) -> Vec<&str> {
    answer.sets.iter().map(|s| s.mode.as_str()).collect()
}

/// Painlevé's rod slides on its lower end at tan θ = 2: where μ exceeds (4 + tan²θ)/(3 tan θ) = 4/3 and it does not
/// turn, no acceleration is legal; the step jams with the impulse of the closed form, and the motion stays planar.
#[test]
fn painleves_rod_is_seen_and_jams() {
    let rod = |mu: f64, h: f64| {
        let overrides = [format!("mu={mu}"), format!("step.h={h}")];
        stickslip_verify::world_of("painleve_rod.toml", &overrides).1
    };
    assert_eq!(answer(&rod(1.2, 1e-3), "rod").status(), Status::Unique);
    assert_eq!(answer(&rod(1.5, 1e-3), "rod").status(), Status::None);
    // The normal impulse does not vanish with h: c_n = 3/4 s c |v| = 0.3 for m = 1.
    for h in [1e-3, 1e-5, 1e-7] {
        let mut world = rod(1.5, h);
        world.step().expect("a certified step");
        let impulses = world.last_step().contacts.iter().map(|k| k.impulse.x);
        let p: f64 = impulses.sum();
        // The board is 1e-5 m thick.
        assert!((p - 0.3).abs() < 10.0 * h + 1e-5, "h = {h}: {p}");
        for _ in 0..20 {
            let view = world.planar_view(world.index("rod").expect("the rod"));
            let planar = matches!(view, Ok(_) | Err(NotPlanar::NoContact));
            assert!(planar, "h = {h}: {view:?}");
            world.step().expect("a certified step");
        }
    }
}

/// Static friction above kinetic, on a slope between the two angles: rest is among the accelerations of the box at
/// rest, and the box that slides keeps sliding.
#[test]
fn static_friction_holds_a_box_at_rest() {
    let (_, mut world) = stickslip_verify::world_of("static_and_kinetic.toml", &[]);
    stickslip_verify::run(&mut world, 1.0);
    assert_eq!(modes(&answer(&world, "resting")), ["ff", "rr"]);
    assert_eq!(modes(&answer(&world, "pushed")), ["rr"]);
}

/// Rounding errors in the velocity of a block at rest do not choose the plane.
#[test]
fn a_block_at_rest_is_planar_at_every_step() {
    let overrides = ["beta_deg=15", "height=1", "mu=0.8"].map(str::to_owned);
    let (scene, mut world) = stickslip_verify::world_of("block_on_incline.toml", &overrides);
    let mut watch = Watch::default();
    while !world.reached(scene.step.until) {
        world.step().expect("a certified step");
        watch.look(&world);
    }
    assert!(watch.looked_at > 100 && watch.passed_over.is_empty() && watch.alarms.is_empty());
}

/// A box on a floor of two blocks: the pieces are obstacles like any other, and a corner over the seam counts once.
#[test]
fn obstacles_of_several_pieces() {
    let block = |x: f64| {
        let shape = Shape::cuboid(DVec3::new(2.0, 2.0, 1.0)).expect("a box");
        let pose = Pose {
            position: DVec3::new(x, 0.0, -0.5),
            ..Pose::IDENTITY
        };
        Piece { shape, pose }
    };
    let floor = Shape::compound([block(-1.0), block(1.0)]).expect("a compound");
    let cube = Shape::cuboid(DVec3::splat(0.5)).expect("a box");
    for x in [0.0, 0.25, 0.1] {
        let world = World::builder()
            .friction(0.5)
            .time_step(1e-3)
            .body(BodySpec::fixed("floor", floor.clone()))
            .body(BodySpec::free("cube", cube.clone(), 1.0).with_pose(Pose {
                position: DVec3::new(x, 0.0, 0.25),
                ..Pose::IDENTITY
            }))
            .build()
            .expect("a world");
        let answer = answer(&world, "cube");
        let still = answer.sets.iter().all(|s| s.mode.chars().all(|c| c == 'f'));
        assert!(
            answer.sets.len() == 1 && still,
            "x = {x}: {:?}",
            answer.sets
        );
    }
}
