//! Trajectories for the tests: a few bodies that move, turn, touch and rest.

use crate::account::Approximate;
use crate::header::{Header, Summary};
use crate::recorder::{Recorder, Start};
use crate::trajectory::Trajectory;
use glam::DVec3;
use stickslip_geometry::pose::exp;
use stickslip_geometry::{Feature, Pose, Twist};
use stickslip_model::joint::{AXES, Along};
use stickslip_model::{
    BodyState, Certificate, Cone, Contact, ContactImpulse, Friction, JointImpulse, Mode, Residual,
    StepRecord,
};
use stickslip_testing::Random;

/// The header of [`run`].
pub(crate) fn header(names: &[&str]) -> Header {
    Header {
        version: "0.1.0".into(),
        scene_file: "scenes/test.toml".into(),
        scene: "title = \"a test\" # µ, and a \u{1F980}\n".into(),
        files: vec![("part.stl".into(), "AAAA".into())],
        overrides: vec!["mu=0.5".into(), "body.a.mass=2".into()],

        bodies: names.iter().map(|n| (*n).to_owned()).collect(),
        joints: vec!["elbow".into(), "a,spring".into()],
        kinds: [1, 1, 0],
        h: 0.01,
        until: 1.0,
        every: 1,
        tolerance: 1e-10,
        accept: 1e-6,
        cone: Cone::Pyramid(8),
        method: "stewart-trinkle".into(),
        solver: "auto".into(),
    }
}

/// Plays `steps` steps of bodies that fall, turn and rest into `recorder`: not physics, but numbers
/// of the right kind, with awkward ones among them.
pub(crate) fn run(names: &[&str], steps: u64, recorder: &mut dyn Recorder) {
    let t = start(names, steps, steps, recorder);
    recorder.finish(&summary(steps, t)).unwrap();
}

/// The first `last` steps of the run of `steps` steps, which does not end; the time reached.
pub(crate) fn start(names: &[&str], steps: u64, last: u64, recorder: &mut dyn Recorder) -> f64 {
    let header = header(names);
    let mut random = Random::new(steps);
    let mut step = StepRecord {
        bodies: (0..names.len()).map(|_| first_state(&mut random)).collect(),
        ..StepRecord::default()
    };
    recorder.start(&header, &step).unwrap();
    for k in 1..=last {
        let next = next_step(&step, k, header.h, &mut random);
        let before = Start {
            t: step.t,
            bodies: &step.bodies,
        };
        recorder.record(before, &next).unwrap();
        step = next;
    }
    step.t
}

/// Plays a trajectory into a recorder until that fails, then ends it as a run does; how many steps were computed by then.
pub(crate) fn run_or_fail(
    run: &Trajectory,
    recorder: &mut dyn Recorder,
) -> (usize, Option<crate::RecordError>) {
    if let Err(error) = recorder.start(&run.header, &run.frames[0].step) {
        return (0, Some(error));
    }
    for (index, frame) in run.frames.iter().enumerate().skip(1) {
        let before = run.start_of(index).unwrap();
        if let Err(error) = recorder.record(before, &frame.step) {
            let _ = recorder.finish(&summary(frame.step.step, frame.step.t));
            return (index, Some(error));
        }
    }
    let last = run.frames.len() - 1;
    (last, recorder.finish(&summary(last as u64, 0.0)).err())
}

/// The summary of [`run`].
pub(crate) fn summary(steps: u64, t: f64) -> Summary {
    Summary {
        steps,
        t,
        certified: true,
        approximate: Approximate {
            count: 2,
            worst: 3.1e-7,
            t: 0.02,
        },
        divided: 1,
        leaving: 0,
        hash: "00ff".repeat(16),
        failure: None,
    }
}

/// The same in memory.
pub(crate) fn trajectory(names: &[&str], steps: u64) -> Trajectory {
    let mut trajectory = Trajectory::new();
    run(names, steps, &mut trajectory);
    trajectory
}

fn first_state(random: &mut Random) -> BodyState {
    BodyState {
        pose: Pose {
            position: random.vec3() * 10.0,
            orientation: exp(random.vec3()),
        },
        twist: Twist {
            linear: random.vec3(),
            angular: DVec3::new(-0.0, 1e-310, random.signed()),
        },
    }
}

/// One step of the bodies and of everything that belongs to it.
pub(crate) fn next_step(last: &StepRecord, k: u64, h: f64, random: &mut Random) -> StepRecord {
    let mut step = StepRecord {
        step: k,
        t: k as f64 * h,
        h,
        kind: stickslip_model::Kind::Step,
        bodies: last.bodies.clone(),
        energy: 100.0 + random.signed(),
        solver: if k.is_multiple_of(3) { "lemke" } else { "nsgs" }.into(),
        iterations: k % 7,
        certificate: Certificate {
            residuals: [(); Residual::ALL.len()].map(|()| 1e-13 * random.signed().abs()),
            penetration: 0.0,
            speed: 3.0,
            rounding: 0.125,
            floor: 1e-13,
            needs: 1e-12,
            allowed: 1e-9,
        },
        contacts: Vec::new(),
        joints: (0..2).map(|_| joint(random)).collect(),
    };
    for (i, body) in step.bodies.iter_mut().enumerate() {
        // Every other body rests.
        if i % 2 == 1 {
            body.twist.linear.z -= 9.81 * h;
            body.pose = body.pose.moved(&body.twist, h);
        }
    }
    for i in 1..step.bodies.len() {
        for feature in 0..(k % 4) as u32 {
            step.contacts.push(contact([i - 1, i], feature, random));
        }
    }
    step
}

fn joint(random: &mut Random) -> JointImpulse {
    let mut six = || [(); AXES].map(|()| random.signed());
    JointImpulse {
        along: Along::Middle,
        coordinates: six(),
        hold: six(),
        motor: six(),
        friction: [-0.0; AXES],
        linear: random.vec3(),
        angular: random.vec3(),
    }
}

fn contact(bodies: [usize; 2], feature: u32, random: &mut Random) -> ContactImpulse {
    let mode = [Mode::Open, Mode::Stick, Mode::Slide][random.below(3)];
    ContactImpulse {
        contact: Contact {
            bodies,
            pieces: [feature, 3],
            feature: Feature(feature.wrapping_sub(1)),
            point: random.vec3(),
            normal: exp(random.vec3()) * DVec3::Z,
            gap: 1e-6 * random.signed(),
            friction: Friction {
                stick: 0.5,
                slide: 0.4,
            },
        },
        impulse: if mode == Mode::Open {
            DVec3::ZERO
        } else {
            random.vec3()
        },
        moment: if mode == Mode::Open {
            DVec3::ZERO
        } else {
            random.vec3()
        },
        restituted: 0.0,
        directions: 0,
        mode,
    }
}
