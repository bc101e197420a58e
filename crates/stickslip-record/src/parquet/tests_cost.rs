//! What a recorded step costs, in bytes and in time; printed, not judged.
//!
//! `cargo test --release -p stickslip-record cost -- --ignored --nocapture`

use super::*;
use crate::csv::CsvWriter;
use crate::hash::StateHash;
use crate::recorder::{Recorder, Start};
use crate::testing;
use crate::trajectory::Trajectory;
use glam::DVec3;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use stickslip_geometry::Feature;
use stickslip_model::{BodyState, Contact, ContactImpulse, Friction, Mode, Residual, StepRecord};

const STEPS: u64 = 2000;
const BODIES: usize = 11;

/// Ten boxes and the ground: at rest with four contacts each, or tumbling through the air.
fn run(moving: bool) -> Trajectory {
    let names: Vec<String> = (0..BODIES).map(|i| format!("box[{i}]")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let header = testing::header(&names);
    let mut step = StepRecord {
        bodies: vec![BodyState::default(); BODIES],
        ..StepRecord::default()
    };
    for (i, body) in step.bodies.iter_mut().enumerate() {
        body.pose.position = DVec3::new(0.0, 0.0, i as f64 + 0.5);
        if moving {
            body.twist.linear = DVec3::new(1.0, 0.1 * i as f64, 100.0);
            body.twist.angular = DVec3::new(0.3, 2.0, 0.1 * i as f64);
        }
    }
    let mut trajectory = Trajectory::new();
    trajectory.start(&header, &step).unwrap();
    for k in 1..=STEPS {
        let mut next = StepRecord {
            step: k,
            t: k as f64 * header.h,
            solver: "nsgs".into(),
            iterations: 3,
            ..step.clone()
        };
        next.certificate.residuals = [1e-17 * (k % 5) as f64; Residual::ALL.len()];
        next.contacts.clear();
        for (i, body) in next.bodies.iter_mut().enumerate() {
            if moving {
                body.twist.linear.z -= 9.81 * header.h;
                body.pose = body.pose.moved(&body.twist, header.h);
            } else if i > 0 {
                next.contacts
                    .extend((0..4).map(|corner| resting(i, corner)));
            }
        }
        let before = Start {
            t: step.t,
            bodies: &step.bodies,
        };
        trajectory.record(before, &next).unwrap();
        step = next;
    }
    trajectory.finish(&testing::summary(STEPS, step.t)).unwrap();
    trajectory
}

fn resting(i: usize, corner: u32) -> ContactImpulse {
    let x = if corner & 1 == 0 { 0.5 } else { -0.5 };
    let y = if corner & 2 == 0 { 0.5 } else { -0.5 };
    ContactImpulse {
        contact: Contact {
            bodies: [i - 1, i],
            pieces: [0, 0],
            feature: Feature(corner),
            point: DVec3::new(x, y, i as f64),
            normal: DVec3::Z,
            gap: 1e-17 * i as f64,
            friction: Friction {
                stick: 0.5,
                slide: 0.5,
            },
        },
        impulse: DVec3::new(0.0981 / 4.0 * (BODIES - i) as f64, 1e-18, -1e-18),
        moment: DVec3::ZERO,
        restituted: 0.0,
        directions: 0,
        mode: Mode::Stick,
    }
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}

fn per_step(time: Duration) -> f64 {
    1e6 * time.as_secs_f64() / STEPS as f64
}

#[test]
#[ignore = "prints figures"]
fn cost_of_a_recorded_step() {
    let folder = tempfile::tempdir().unwrap();
    let folder = std::env::var_os("STICKSLIP_KEEP").map_or(folder.path().to_path_buf(), Into::into);
    for (name, moving) in [("rest", false), ("tumble", true)] {
        let trajectory = run(moving);
        let path = folder.join(name).with_extension("parquet");
        let clock = Instant::now();
        trajectory.replay(&mut ParquetWriter::new(&path)).unwrap();
        let write = clock.elapsed();
        let bytes: Vec<u64> = Paths::new(&path).tables.iter().map(|p| size(p)).collect();
        let clock = Instant::now();
        let back = Trajectory::open(&path).unwrap();
        let read = clock.elapsed();
        assert_eq!(back, trajectory);
        let all: u64 = bytes.iter().sum();
        println!(
            "{name}: {BODIES} bodies, {} contacts: parquet {:.0} bytes/step (tables {bytes:?}), \
             write {:.1} us/step, read {:.1} us/step",
            trajectory.frames[1].step.contacts.len(),
            all as f64 / STEPS as f64,
            per_step(write),
            per_step(read),
        );
        let path = folder.join(name).with_extension("csv");
        let clock = Instant::now();
        trajectory.replay(&mut CsvWriter::new(&path)).unwrap();
        println!(
            "{name}: csv {:.0} bytes/step, write {:.1} us/step",
            size(&path) as f64 / STEPS as f64,
            per_step(clock.elapsed())
        );
        let clock = Instant::now();
        let mut hash = StateHash::new(&trajectory.header.bodies);
        for frame in &trajectory.frames {
            let step = &frame.step;
            hash.update(step.step, &step.bodies, &step.joints);
        }
        let _ = hash.hex();
        println!("{name}: hash {:.2} us/step", per_step(clock.elapsed()));
    }
}
