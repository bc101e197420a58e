//! Closed loops of joints: redundant in space, exact at every step.

use stickslip::prelude::*;
use stickslip_testing::setting;
use stickslip_verify::world_of;

/// How many steps the loops are run: a million when STICKSLIP_LOOP_STEPS says so.
fn steps() -> usize {
    setting("STICKSLIP_LOOP_STEPS", 3000)
}

/// The largest error of a locked axis, m (angles times the joint's length), over a run.
fn worst_error(world: &mut World, steps: usize, mut look: impl FnMut(&World)) -> f64 {
    let mut worst = 0.0f64;
    for _ in 0..steps {
        if let Err(e) = world.step() {
            panic!("{e}");
        }
        let joints = world.model().joints.iter().zip(&world.last_step().joints);
        for (joint, done) in joints {
            for k in 0..6 {
                if joint.axes[k].hold == stickslip::model::joint::Hold::Locked {
                    worst = worst.max(done.coordinates[k].abs() * joint.scale(k));
                }
            }
        }
        look(world);
    }
    worst
}

#[test]
fn a_slider_crank_follows_its_crank() {
    let (_, mut world) = world_of("slider_crank.toml", &[]);
    let mut off = 0.0f64;
    let error = worst_error(&mut world, steps(), |world| {
        // Crank 0.3 m and rod 1 m: x = 0.3 sin θ + √(1 − 0.09 cos²θ), θ from the vertical.
        let t = world.time();
        let angle = 2.0 * std::f64::consts::PI * t - libm::sin(2.0 * std::f64::consts::PI * t);
        let (s, c) = (libm::sin(angle), libm::cos(angle));
        let x = 0.3 * s + libm::sqrt(1.0 - 0.09 * c * c);
        let piston = world.body("piston").expect("piston").pose.position.x;
        off = off.max((piston - x).abs());
    });
    eprintln!("slider-crank: loop error {error:.2e} m, piston off by {off:.2e} m");
    assert!(error < 1e-8 && off < 1e-8);
}

#[test]
fn a_four_bar_stays_closed() {
    let (_, mut world) = world_of("four_bar.toml", &[]);
    let mut rate = 0.0f64;
    let error = worst_error(&mut world, steps(), |world| {
        let shaft = world.joint("crank shaft").expect("stepped");
        if world.time() > 1.0 && shaft.motor[3].abs() < 200.0 * 0.005 {
            let spin = world.body("crank").expect("crank").twist.angular.y;
            rate = rate.max((spin - 2.0 * std::f64::consts::PI).abs());
        }
    });
    eprintln!("four-bar: loop error {error:.2e} m, motor's rate off by {rate:.2e} rad/s");
    // A rate is known to the rounding of the angle over h: 1.4e-9 rad/s after the 5000 turns of a million steps.
    assert!(error < 1e-8 && rate < 1e-8);
}
