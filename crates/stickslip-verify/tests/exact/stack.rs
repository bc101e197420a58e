//! Ten boxes dropped from 15 m stand, and give one answer.

use stickslip::prelude::*;
use stickslip::record::StateHash;
use stickslip_verify::{run, world_of};

fn hash_of(world: &mut World, until: f64) -> String {
    let names: Vec<String> = world.model().body_names().map(Into::into).collect();
    let mut hash = StateHash::new(&names);
    while world.time() < until - 1e-9 {
        let step = world.step().expect("a certified step");
        hash.update(step.step, &step.bodies, &step.joints);
    }
    hash.hex()
}

#[test]
fn the_stack_stands() {
    let (scene, mut world) = world_of("box_stack.toml", &[]);
    let mut penetration: f64 = 0.0;
    let mut worst: f64 = 0.0;
    let mut economy: f64 = 0.0;
    for _ in 0..800 {
        let step = world.step().expect("a certified step");
        penetration = penetration.max(step.certificate.penetration);
        worst = worst.max(step.certificate.worst_of_law().1);
        let active = step.contacts.iter().filter(|c| c.impulse.x > 0.0).count();
        if step.t > 2.0 {
            economy = economy.max(step.contacts.len() as f64 / active as f64);
        }
    }
    assert!((world.time() - scene.step.until).abs() < 1e-12);
    assert!(penetration < 1e-9, "{penetration:e}");
    assert!(worst < 1e-10, "{worst:e}");
    assert!(
        economy <= 4.0,
        "{economy} candidates for each active contact"
    );
    for i in 0..10 {
        let state = world.body(&format!("box[{i}]")).expect("a box");
        let p = state.pose.position;
        assert!(
            p.x.abs() < 1e-9 && p.y.abs() < 1e-9,
            "box {i} stands off by {p}"
        );
        assert!((p.z - (0.5 + i as f64)).abs() < 1e-9);
        let tilt = stickslip::geometry::pose::log(state.pose.orientation).length();
        assert!(tilt < 1e-9, "box {i} is tilted by {tilt:e}");
    }
}

#[test]
fn one_answer_on_any_number_of_threads_and_in_any_order_of_bodies() {
    let first = hash_of(&mut world_of("box_stack.toml", &[]).1, 3.0);
    for threads in [1, 2, 8] {
        let (_, mut world) = world_of("box_stack.toml", &[]);
        world.set_threads(threads);
        assert_eq!(hash_of(&mut world, 3.0), first, "{threads} threads");
    }
    // The same bodies, each written out, in the reverse order in the file.
    let (mut scene, _) = world_of("box_stack.toml", &[]);
    scene.bodies.reverse();
    let reversed = Scene::parse(&scene.to_toml(), "reversed.toml", &[]).expect("a scene");
    let names: Vec<&str> = reversed.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!((names[0], names[10]), ("box[9]", "ground"));
    let mut world = World::from_scene(&reversed).expect("a world");
    assert_eq!(hash_of(&mut world, 3.0), first);
}

#[test]
fn a_wide_field_of_boxes_gives_the_same_bits_on_more_threads() {
    let build = || {
        let mut b = World::builder()
            .friction(0.5)
            .body(stickslip_verify::ground());
        for i in 0..700 {
            let place = DVec3::new(
                (i % 27) as f64 * 1.01,
                (i / 27) as f64 * 1.01,
                0.6 + 0.001 * i as f64,
            );
            let spin = DVec3::new(0.3, -0.2, 0.1 * (i % 5) as f64);
            b = b.body(
                stickslip_verify::cuboid(&format!("box[{i}]"), DVec3::splat(0.9), 1.0)
                    .at(place)
                    .with_velocity(DVec3::ZERO, spin),
            );
        }
        b.build().expect("a world")
    };
    let hash = |threads| {
        let mut world = build();
        world.set_threads(threads);
        hash_of(&mut world, 0.2)
    };
    assert_eq!(hash(1), hash(2));
    let mut world = build();
    run(&mut world, 0.2);
}
