//! Two ragdolls fall on stairs.

use stickslip::model::joint::Hold;
use stickslip_testing::setting;
use stickslip_verify::world_of;

/// How long they fall, s: until they rest when STICKSLIP_RAGDOLL_TIME says so.
fn until() -> f64 {
    setting("STICKSLIP_RAGDOLL_TIME", 0.8)
}

#[test]
fn two_ragdolls_fall_on_stairs() {
    let (_, mut world) = world_of("ragdolls.toml", &[]);
    let free = world.model().bodies.iter().filter(|b| b.is_free()).count();
    assert!(free >= 22, "{free} bodies");
    let (mut joint_error, mut depth, mut speed) = (0.0f64, 0.0f64, 0.0f64);
    let (last_second, mut then) = (until() - 1.0, None);
    while world.time() < until() {
        if then.is_none() && world.time() >= last_second {
            then = Some(world.states().to_vec());
        }
        let step = match world.step() {
            Ok(step) => step.clone(),
            Err(e) => panic!("{e}"),
        };
        for (joint, done) in world.model().joints.iter().zip(&step.joints) {
            for (k, axis) in joint.axes.iter().enumerate() {
                let c = done.coordinates[k];
                let off = match (axis.hold, axis.limits) {
                    (Hold::Locked, _) => c.abs(),
                    (_, Some([lo, hi])) => (lo - c).max(c - hi).max(0.0),
                    _ => 0.0,
                };
                joint_error = joint_error.max(off * joint.scale(k));
            }
        }
        depth = depth.max(step.certificate.penetration);
        speed = step.certificate.speed;
    }
    let moved = then.iter().flatten().zip(world.states());
    let moved = moved.map(|(a, b)| (a.pose.position - b.pose.position).length());
    let crept = moved.fold(0.0, f64::max);
    eprintln!(
        "{} s: joints off by {joint_error:.2e} m, penetration {depth:.2e} m, speed at the end {speed:.2e} m/s, \
         moved by {crept:.2e} m in the last second",
        world.time()
    );
    assert!(joint_error < 1e-6 && depth < 1e-6);
    if until() > 7.0 {
        assert!(speed < 1e-9 && crept < 1e-9, "still moving");
    }
}
