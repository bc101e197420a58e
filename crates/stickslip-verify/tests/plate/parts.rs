//! Many parts on one plate, and a feeder's gate.

use stickslip::prelude::*;
use stickslip_verify::{run, world_of};

/// Mean distance of the parts from the middle, m.
fn spread(world: &World) -> f64 {
    let parts = (0..12).map(|i| world.body(&format!("part[{i}]")).unwrap().pose.position);
    parts.map(|p| p.truncate().length()).sum::<f64>() / 12.0
}

#[test]
fn a_sink_gathers_many_parts_which_collide() {
    let (_, mut world) = world_of("plate_parts.toml", &[]);
    let before = spread(&world);
    let mut collisions = 0;
    while world.time() < 0.65 - 1e-9 {
        let step = world.step().unwrap_or_else(|e| panic!("{e}"));
        // The plate is the only body that is not free, and so the first.
        let pairs = step.contacts.iter().filter(|c| c.impulse.x > 0.0);
        collisions += pairs.filter(|c| c.contact.bodies[0] != 0).count();
    }
    let after = spread(&world);
    eprintln!(
        "mean distance from the middle {before:.4} m → {after:.4} m, {collisions} impulses between parts"
    );
    assert!(after < 0.75 * before);
    assert!(collisions > 10);
}

#[test]
fn the_gate_lets_flat_parts_pass_and_holds_the_standing_one() {
    let (_, mut world) = world_of("feeder_gate.toml", &[]);
    run(&mut world, 2.0);
    let x = |name: &str| world.body(name).unwrap().pose.position.x;
    let [a, b, standing] = ["flat[0]", "flat[1]", "standing"].map(x);
    eprintln!("flat parts at {a:.4} m and {b:.4} m, the standing one at {standing:.4} m");
    assert!(a > 0.035 && b > 0.035, "the flat ones are through");
    // The gate begins at 28 mm; half of the part is 7 mm.
    assert!(
        (standing - 0.021).abs() < 0.001,
        "the standing one rests at the gate"
    );
}
