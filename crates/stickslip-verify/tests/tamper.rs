//! `check` accepts what was computed and rejects what was changed: one number larger than 1e-3 in SI units,
//! altered by 1e-6 of itself, with every derived column and checksum made to fit.

use stickslip::dynamics::check::{Judgement, Report, check};
use stickslip::dynamics::simulate::simulate_in_memory;
use stickslip::model::{ContactImpulse, Kind};
use stickslip::prelude::*;
use stickslip::record::{Frame, Trajectory};
use stickslip_testing::{Random, setting};
use stickslip_verify::world_of;

/// Scenes, and how long they run here.
const SCENES: [(&str, &[&str]); 16] = [
    ("bouncing_ball.toml", &["step.until=1.3"]),
    (
        "bouncing_ball.toml",
        &["step.until=1.3", "step.method=event-driven"],
    ),
    (
        "sliding_box.toml",
        &["step.until=0.5", "step.method=implicit"],
    ),
    (
        "sliding_box.toml",
        &["step.until=0.5", "step.method=anitescu"],
    ),
    ("box_stack.toml", &["step.until=2.2"]),
    ("sliding_box.toml", &["step.until=0.8"]),
    ("incline_stick.toml", &["step.until=0.5"]),
    ("incline_slip.toml", &["step.until=0.5"]),
    ("spinning_sphere.toml", &["step.until=0.6"]),
    (
        "sliding_box.toml",
        &["step.until=0.5", "step.cone=pyramid:6"],
    ),
    ("static_and_kinetic.toml", &["step.until=0.5"]),
    ("billiard.toml", &["step.until=1.0"]),
    ("plate.toml", &["step.until=0.1"]),
    ("double_pendulum.toml", &["step.until=0.5"]),
    ("lifts.toml", &["step.until=0.3"]),
    ("stiff_damper.toml", &["step.until=2.0", "stiffness=1e4"]),
];

fn trajectory(scene: &str, overrides: &[&str]) -> Trajectory {
    // Nothing approximate: what is altered by less than `accept` would be that.
    let strict = ["step.accept=0"];
    let overrides: Vec<String> = (overrides.iter().chain(&strict))
        .map(ToString::to_string)
        .collect();
    let (scene, mut world) = world_of(scene, &overrides);
    let (trajectory, outcome) =
        simulate_in_memory(&scene, &mut world).expect("a recorder in memory");
    assert!(outcome.certified(), "{}: {:?}", scene.file, outcome.failure);
    trajectory
}

/// All the state and impulse numbers of a frame that may be changed.
fn numbers<'a>(
    bodies: &'a mut [BodyState],
    contacts: &'a mut [ContactImpulse],
    joints: &'a mut [JointImpulse],
) -> Vec<&'a mut f64> {
    let mut all: Vec<&mut f64> = Vec::new();
    for b in bodies {
        let (p, q) = (&mut b.pose.position, &mut b.pose.orientation);
        let (v, w) = (&mut b.twist.linear, &mut b.twist.angular);
        all.extend([
            &mut p.x, &mut p.y, &mut p.z, &mut q.x, &mut q.y, &mut q.z, &mut q.w,
        ]);
        all.extend([&mut v.x, &mut v.y, &mut v.z, &mut w.x, &mut w.y, &mut w.z]);
    }
    for c in contacts {
        all.extend([&mut c.impulse.x, &mut c.impulse.y, &mut c.impulse.z]);
    }
    for j in joints {
        let (p, l) = (&mut j.linear, &mut j.angular);
        all.extend([&mut p.x, &mut p.y, &mut p.z, &mut l.x, &mut l.y, &mut l.z]);
        for part in [
            &mut j.coordinates,
            &mut j.hold,
            &mut j.motor,
            &mut j.friction,
        ] {
            all.extend(part);
        }
    }
    all.retain(|x| x.abs() > 1e-3);
    all
}

/// Findings that are not about derived columns, which a forger would make fit.
fn physical(report: &Report) -> usize {
    let derived = [
        "stored certificate",
        "stored energy",
        "the energy",
        "state hash",
        "its mode",
    ];
    report
        .findings
        .iter()
        .filter(|f| !derived.iter().any(|d| f.what.contains(d)))
        .count()
}

#[test]
fn what_was_computed_is_valid() {
    for (scene, overrides) in SCENES {
        let report = check(&trajectory(scene, overrides)).expect("a scene");
        assert!(report.valid(), "{scene}: {:?}", report.findings);
        assert!(report.account.steps > 0);
    }
}

#[test]
fn what_was_changed_is_rejected() {
    let count = setting("STICKSLIP_TAMPER", 1000);
    let mut random = Random::new(20_261_115);
    let mut tried = 0;
    for (k, (scene, overrides)) in SCENES.into_iter().enumerate() {
        let honest = trajectory(scene, overrides);
        while tried < count * (k + 1) / SCENES.len() {
            let mut forged = honest.clone();
            let frame = random.below(forged.frames.len());
            let step = &mut forged.frames[frame].step;
            let mut all = numbers(&mut step.bodies, &mut step.contacts, &mut step.joints);
            if all.is_empty() {
                continue;
            }
            let which = random.below(all.len());
            let before = *all[which];
            *all[which] *= if random.below(2) == 0 {
                1.0 + 1e-6
            } else {
                1.0 - 1e-6
            };
            let report = check(&forged).expect("a scene");
            assert!(
                physical(&report) > 0,
                "{scene}, frame {frame}: number {which} ({before}) was changed and passed: {:?}",
                report.findings
            );
            tried += 1;
        }
    }
    eprintln!("{tried} forgeries, all rejected");
}

/// Extrapolated steps are judged by their inner steps, made again: what was computed comes out to the bit, a hair's breadth
/// elsewhere is not judged, and elsewhere by more than the wanted error is not valid.
#[test]
fn extrapolated_steps_come_out_of_their_inner_steps() {
    for (scene, until) in [
        ("bouncing_ball.toml", "step.until=0.8"),
        ("sliding_box.toml", "step.until=0.5"),
        ("pendulum.toml", "step.until=0.3"),
    ] {
        let honest = trajectory(scene, &[until, "step.method=extrapolated"]);
        let report = check(&honest).expect("a scene");
        assert_eq!(report.judgement(), Judgement::Valid, "{scene}: {report:?}");
        let is_extrapolated = |f: &Frame| f.step.kind == Kind::Extrapolated;
        let places: Vec<usize> = (0..honest.frames.len())
            .filter(|&k| is_extrapolated(&honest.frames[k]))
            .collect();
        assert!(places.len() > 10, "{scene}: {}", places.len());
        let k = places[places.len() / 2];
        let free = |trajectory: &Trajectory| {
            let (a, b) = (&trajectory.frames[0], &trajectory.frames[k]);
            let mut pairs = a.step.bodies.iter().zip(&b.step.bodies);
            pairs.position(|(a, b)| a.pose != b.pose).expect("a body")
        };
        for (by, judgement) in [(1e-12, None), (-97.0, Some(Judgement::NotValid))] {
            let mut forged = honest.clone();
            let body = free(&forged);
            forged.frames[k].step.bodies[body].pose.position.z += by;
            let found = check(&forged).expect("a scene").judgement();
            assert_ne!(found, Judgement::Valid, "{scene}: {by}");
            assert!(judgement.is_none_or(|j| j == found), "{scene}: {found:?}");
        }
    }
}
