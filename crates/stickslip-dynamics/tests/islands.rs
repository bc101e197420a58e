//! Islands do not feel each other: neither their bounds nor their bits.

use glam::DVec3;
use stickslip_dynamics::{BodySpec, World};
use stickslip_geometry::Shape;
use stickslip_model::BodyState;

fn ground() -> BodySpec {
    BodySpec::fixed("ground", Shape::half_space(DVec3::Z, 0.0).expect("a plane"))
}

fn ball(name: &str, radius: f64, at: DVec3) -> BodySpec {
    BodySpec::free(name, Shape::ball(radius).expect("a ball"), 1.0).at(at)
}

fn cube(name: String, edge: f64, at: DVec3) -> BodySpec {
    let shape = Shape::cuboid(DVec3::splat(edge)).expect("a box");
    BodySpec::free(name, shape, 1.0).at(at)
}

/// Ten boxes at rest, and a ball at rest far away, whose gap is known to metres over h at most: the boxes stay at rest.
#[test]
fn a_ball_far_away_does_not_loosen_the_law_of_a_stack() {
    for (distance, h, steps) in [(5e6, 1e-5, 50), (1e11, 1e-3, 100), (1e12, 1e-2, 300)] {
        let mut builder = World::builder().time_step(h).friction(0.5).body(ground());
        for k in 0..10 {
            let at = DVec3::Z * (0.5 + f64::from(k));
            builder = builder.body(cube(format!("box {k}"), 1.0, at));
        }
        let far = ball("far", 0.5, DVec3::new(distance, 0.0, 0.5));
        let mut world = builder.body(far).build().expect("a world");
        for _ in 0..steps {
            world.step().expect("a step");
            for state in world.states() {
                let v = state.twist.linear.length() + state.twist.angular.length();
                assert!(v < 1e-12, "{v:e} m/s beside a ball at {distance:e} m");
            }
        }
    }
}

/// Boxes and balls that fall on each other, in two heaps, with or without others beside them.
fn heap(others: &[BodySpec], steps: usize) -> Vec<BodyState> {
    let mut builder = World::builder()
        .time_step(0.005)
        .friction(0.4)
        .body(ground());
    for k in 0..6 {
        let x = 0.03 * f64::from(k % 3);
        let at = DVec3::new(x, 0.02 * f64::from(k), 0.12 + 0.22 * f64::from(k));
        builder = builder.body(cube(format!("heap {k}"), 0.2, at));
        let beside = DVec3::new(1.0 + x, 0.01 * f64::from(k), 0.11 + 0.23 * f64::from(k));
        builder = builder.body(ball(&format!("row {k}"), 0.1, beside));
    }
    for other in others {
        builder = builder.body(other.clone());
    }
    let mut world = builder.build().expect("a heap");
    for _ in 0..steps {
        world.step().expect("a step");
    }
    let bodies = world.model().bodies.iter().zip(world.states());
    let of_heap = bodies.filter(|(b, _)| b.name.starts_with("heap") || b.name.starts_with("row"));
    of_heap.map(|(_, state)| *state).collect()
}

#[test]
fn bodies_elsewhere_change_no_bit_of_a_heap() {
    let alone = heap(&[], 120);
    let beside = [
        vec![ball("aside", 0.5, DVec3::new(1000.0, 0.0, 0.5))],
        vec![ball("z falls", 0.1, DVec3::new(-40.0, 0.0, 3.0))],
        vec![
            cube("a slides".into(), 0.3, DVec3::new(0.0, 30.0, 0.15))
                .with_velocity(DVec3::X * 3.0, DVec3::ZERO),
            ball("m bullet", 0.01, DVec3::new(0.0, -70.0, 5.0))
                .with_velocity(DVec3::Y * -400.0, DVec3::ZERO),
        ],
    ];
    for others in &beside {
        assert!(heap(others, 120) == alone, "{:?}", others[0].name);
    }
}
