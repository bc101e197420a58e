//! Steps of runs as files: what is written, read and solved is what the run solved.

use std::path::Path;

use glam::DVec3;
use stickslip_dynamics::scene::{Override, Scene};
use stickslip_dynamics::{StepError, World};
use stickslip_problems::json::step;
use stickslip_problems::stored::{StoredProblem, file_of_step};
use stickslip_solvers::problem::residual::of_step;
use stickslip_solvers::problem::{ContactProblem, Twist};

fn world(scene: &str, settings: &[&str]) -> World {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{scene}.toml"));
    let settings: Vec<Override> = settings
        .iter()
        .map(|s| Override::from_option(s).expect("a setting"))
        .collect();
    let scene = Scene::read(&path, &settings).unwrap_or_else(|e| panic!("{e}"));
    World::from_scene(&scene).unwrap_or_else(|e| panic!("{e}"))
}

fn velocities(problem: &ContactProblem, p: &[DVec3]) -> Vec<Twist> {
    let mut nu = Vec::new();
    problem.velocity_into(p, &mut nu);
    nu
}

/// Ragdolls with limits on stairs, four bars, a crank, springs and dampers, lifts with motors and stops, restitution: each step
/// comes back bit for bit, and solved from its file it has the run's residual, velocities and, where rows are independent, impulses.
#[test]
fn steps_with_joints_are_solved_from_their_files() {
    let cases: [(&str, &[&str], &[u64], bool); 8] = [
        ("ragdolls", &[], &[1, 60, 70, 130], false),
        ("ragdolls", &["step.cone=pyramid:6"], &[70], false),
        ("four_bar", &[], &[1, 40], true),
        ("slider_crank", &[], &[2, 30], true),
        ("stiff_damper", &[], &[1], false),
        ("lifts", &[], &[5, 60, 210], false),
        ("double_pendulum", &[], &[20], true),
        ("colliding_boxes", &[], &[20, 60], false),
    ];
    let mut in_own_form = 0;
    for (scene, settings, steps, independent) in cases {
        let mut world = world(scene, settings);
        for n in 1..=*steps.last().expect("a step") {
            world.step().unwrap_or_else(|e| panic!("{scene}: {e}"));
            if !steps.contains(&n) || world.problem().contacts.is_empty() {
                continue;
            }
            let place = format!("{scene} {settings:?}, step {n}");
            let step = world.problem_file("a step".into(), place.clone());
            let text = step.write().unwrap_or_else(|e| panic!("{place}: {e}"));
            let read = step::read(&text).unwrap_or_else(|e| panic!("{place}: {e}"));
            assert_eq!(read.write().expect("written"), text, "{place}");
            assert_eq!(read.bodies.len(), read.problem.nu_free.len());
            assert!(read.blocks.iter().all(|name| !name.is_empty()), "{place}");

            // The run's own impulses, by the file alone.
            assert_eq!(read.impulses.len(), read.problem.contacts.len(), "{place}");
            let (residual, worst) = of_step(&read.problem, &read.impulses, &mut Vec::new());
            let block = read.block_name(worst);
            assert!(residual < 1e-10, "{place}: {residual:e} at {block}");

            // Solved from nothing.
            let theirs = velocities(&read.problem, &read.impulses);
            let stored = StoredProblem::Step(read.clone());
            let answer = stored.solve("auto", 1e-11).expect("a solver");
            assert_eq!(answer.status, "solved", "{place}: {answer:?}");
            let p: Vec<DVec3> = answer
                .values
                .chunks_exact(3)
                .map(DVec3::from_slice)
                .collect();
            let d = Twist::largest_difference(&theirs, &velocities(&read.problem, &p));
            assert!(d < 1e-8, "{place}: velocities differ by {d:e}");
            if independent {
                for (own, p) in read.impulses.iter().zip(&p) {
                    assert!(
                        (*own - *p).length() < 1e-7 * (1.0 + p.length()),
                        "{place}: {own} {p}"
                    );
                }
            }
            let (_, bytes) = file_of_step(&step).unwrap_or_else(|e| panic!("{place}: {e}"));
            in_own_form += usize::from(bytes.starts_with(b"{\"type\": \"step\""));
        }
    }
    assert!(in_own_form >= 4, "{in_own_form} steps need their own form");
}

/// A refused step is written with what it was started from, and its file names the jaws.
#[test]
fn a_refused_step_names_its_contacts() {
    let mut world = world("refused/vice", &[]);
    let error = loop {
        if let Err(e) = world.step() {
            break e;
        }
    };
    assert!(
        matches!(error.cause(), StepError::NotSolved { .. }),
        "{error}"
    );
    let step = world.problem_file(String::new(), String::new());
    let answer = StoredProblem::Step(step)
        .solve("auto", 1e-8)
        .expect("a solver");
    assert_eq!(answer.status, "ray");
    for pair in ["\"left jaw\" with \"part\"", "\"right jaw\" with \"part\""] {
        assert!(answer.note.contains(pair), "{}", answer.note);
    }
}
