//! Parts that a plate carries along: slip is relative to the plate, and gaps are measured where the plate will be.

use stickslip::prelude::*;

/// A particle at `start` on a plate that moves and turns steadily, moving with it.
fn on_a_plate(velocity: DVec3, spin: f64, start: DVec3, h: f64) -> World {
    let path = move |t: f64| BodyState {
        pose: Pose {
            position: velocity * t,
            orientation: stickslip::geometry::pose::exp(DVec3::Z * (spin * t)),
        },
        twist: Twist {
            linear: velocity,
            angular: DVec3::Z * spin,
        },
    };
    let plate = Shape::half_space(DVec3::Z, 0.0).unwrap();
    let carried = velocity + (DVec3::Z * spin).cross(start);
    World::builder()
        .friction(0.5)
        .time_step(h)
        .body(BodySpec::prescribed("plate", plate, path))
        .body(
            BodySpec::free("particle", Shape::point(), 0.1)
                .at(start)
                .with_velocity(carried, DVec3::ZERO),
        )
        .build()
        .unwrap()
}

#[test]
fn a_uniformly_moving_plate_carries_without_slip_or_friction() {
    let mut world = on_a_plate(DVec3::new(0.3, -0.1, 0.0), 0.0, DVec3::ZERO, 0.01);
    for _ in 0..100 {
        let step = world.step().unwrap();
        let p = step.contacts[0].impulse;
        assert!((p.x - 0.1 * 9.81 * 0.01).abs() < 1e-15);
        assert!(p.y.abs() + p.z.abs() < 1e-15, "friction {p}");
        assert_eq!(step.contacts[0].mode, Mode::Stick);
    }
    let [plate, particle] = ["plate", "particle"].map(|n| world.body(n).unwrap().pose.position);
    assert!((plate - particle).length() < 1e-14);
}

#[test]
fn a_rising_plate_keeps_its_part_on_its_surface() {
    // With the plate where it was at the start of the step, the part would hang behind by h v = 2 mm.
    let mut world = on_a_plate(DVec3::new(0.0, 0.0, 0.2), 0.0, DVec3::ZERO, 0.01);
    for _ in 0..100 {
        world.step().unwrap();
        let [plate, particle] = ["plate", "particle"].map(|n| world.body(n).unwrap().pose.position);
        assert!((plate.z - particle.z).abs() < 1e-15);
    }
}

#[test]
fn a_turning_plate_carries_round_at_its_own_rate() {
    // ω² r is a fiftieth of μ g: it is held. A velocity taken through the map of quaternions is four times too small.
    for h in [1e-2, 1e-3] {
        let mut world = on_a_plate(DVec3::ZERO, 1.0, DVec3::X * 0.1, h);
        while world.time() < 1.0 - 0.5 * h {
            world.step().unwrap();
        }
        let place = world.body("particle").unwrap().pose.position;
        let angle = libm::atan2(place.y, place.x);
        assert!((angle - 1.0).abs() < h, "{angle}");
        assert!((place.length() - 0.1).abs() < 0.1 * h);
    }
}

#[test]
fn a_particle_at_the_origin_is_judged_by_no_length() {
    // All lengths are zero here: nothing but the rounding of the normal is left, on a plate that turns.
    let mut world = on_a_plate(DVec3::ZERO, 3.0, DVec3::ZERO, 0.01);
    for _ in 0..1000 {
        world.step().unwrap();
    }
    assert!(world.body("particle").unwrap().pose.position.length() < 1e-15);
}
