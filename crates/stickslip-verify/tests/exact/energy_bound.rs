//! The bound on the energy of a step.

use stickslip::prelude::*;
use stickslip_verify::{ball, ground};

/// Ten balls of different masses, thrown at each other and at the ground.
fn thrown(h: f64) -> World {
    let mut builder = World::builder()
        .gravity(DVec3::NEG_Z * 9.81)
        .friction(0.4)
        .time_step(h)
        .body(ground());
    for i in 0..10 {
        let k = f64::from(i);
        let place = DVec3::new(0.25 * (k - 5.0), 0.05 * (k % 3.0), 0.15 + 0.1 * (k % 4.0));
        let velocity = DVec3::new(0.5 * (5.0 - k), 0.3 - 0.1 * k, 0.4 * (k % 2.0));
        let spin = DVec3::new(k, 3.0 - k, 2.0 * (k % 3.0));
        builder = builder.body(
            ball(&format!("ball{i}"), 0.1, 0.5 + 0.3 * k)
                .at(place)
                .with_velocity(velocity, spin),
        );
    }
    builder.build().expect("a world")
}

/// ½ νᵀMν, J, of balls of radius 0.1 m whose velocities are changed by `dv`.
fn kinetic(world: &World, states: &[BodyState], dv: DVec3) -> f64 {
    let each = |(body, state): (&stickslip::model::model::Body, &BodyState)| {
        let mass = body.mass?.mass;
        let (v, w) = (state.twist.linear + dv, state.twist.angular);
        Some(0.5 * mass * (v.length_squared() + 0.4 * 0.01 * w.length_squared()))
    };
    let bodies = world.model().bodies.iter().zip(states);
    bodies.filter_map(each).sum()
}

#[test]
fn tr3_a_step_has_no_more_energy_than_its_free_motion() {
    // ν⁺ᵀMν⁺ ≤ wᵀMw with w = ν + h M⁻¹k, whatever the number of the step; equal where nothing touches.
    let h = 0.005;
    let mut world = thrown(h);
    let (mut free, mut in_contact, mut lost) = (0, 0, 0.0);
    while world.time() < 1.5 {
        let bound = kinetic(&world, world.states(), DVec3::NEG_Z * (9.81 * h));
        let loaded = world.step().expect("a certified step").contacts.iter();
        let loaded = loaded.filter(|c| c.impulse.x > 0.0).count();
        let after = kinetic(&world, world.states(), DVec3::ZERO);
        assert!(after <= bound * (1.0 + 1e-12), "{after} above {bound}");
        if loaded == 0 {
            assert!((after - bound).abs() <= 1e-13 * bound, "{after} {bound}");
            free += 1;
        } else {
            in_contact += 1;
            lost += bound - after;
        }
    }
    eprintln!("{free} steps of free flight, {in_contact} in contact, {lost:.3} J lost there");
    assert!(free > 5 && in_contact > 100 && lost > 1.0);
}
