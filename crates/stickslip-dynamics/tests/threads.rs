//! Steps have the same bits on any number of threads.

use glam::DVec3;
use stickslip_dynamics::{BodySpec, World};
use stickslip_geometry::Shape;
use stickslip_model::StepRecord;

/// Boxes and balls that tumble into a bin, all of them in contact from the start, and some that fly by themselves.
fn heap() -> World {
    let wall = |name: &str, n: DVec3, offset: f64| {
        BodySpec::fixed(name, Shape::half_space(n, offset).expect("a plane"))
    };
    let mut builder =
        World::builder()
            .time_step(0.01)
            .friction(0.4)
            .body(wall("floor", DVec3::Z, 0.0));
    for (name, n) in [("left", DVec3::X), ("front", DVec3::Y)] {
        builder = builder.body(wall(name, n, -0.5));
    }
    for k in 0..108_u32 {
        let [i, j, layer] = [k % 6, k / 6 % 6, k / 36].map(f64::from);
        let shape = if k % 5 == 4 {
            Shape::ball(0.25)
        } else {
            Shape::cuboid(DVec3::splat(0.5))
        };
        let at = DVec3::new(0.501 * i, 0.502 * j, 0.25 + 0.5005 * layer);
        let at = at + DVec3::new(0.1, -0.05, 0.0) * (layer % 2.0);
        let body = BodySpec::free(format!("body {k}"), shape.expect("a shape"), 1.0);
        let (turn, wild) = (f64::from(k % 7) - 3.0, f64::from(k % 3) - 1.0);
        builder = builder.body(body.at(at).with_velocity(
            DVec3::new(-0.05, 0.02 * wild, -0.1),
            DVec3::new(0.02 * turn, 0.03 * wild, 0.01),
        ));
    }
    for k in 0..6_u32 {
        let ball = Shape::ball(0.2).expect("a ball");
        let at = DVec3::new(8.0 + f64::from(k), 8.0, 0.3);
        builder = builder.body(BodySpec::free(format!("ball {k}"), ball, 1.0).at(at));
    }
    builder.build().expect("a world")
}

/// The first steps of the heap.
fn steps(threads: usize) -> Vec<StepRecord> {
    let mut world = heap();
    world.set_threads(threads);
    (0..2)
        .map(|_| world.step().expect("a step").clone())
        .collect()
}

#[test]
fn a_heap_has_the_same_bits_on_any_number_of_threads() {
    let alone = steps(1);
    let most = alone.iter().map(|step| step.contacts.len()).max();
    assert!(most > Some(400), "{most:?} contacts: nothing is divided");
    // The first number of threads that is asked for decides how many helpers there are.
    for threads in [8, 2, 3, 4] {
        for (one, many) in alone.iter().zip(steps(threads)) {
            assert_eq!(one.bodies, many.bodies, "{threads} threads");
            assert_eq!(one.contacts, many.contacts, "{threads} threads");
            assert_eq!(one.certificate, many.certificate, "{threads} threads");
        }
    }
}
