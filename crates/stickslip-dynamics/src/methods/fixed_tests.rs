//! The ladder: divided steps against closed forms, approximate ones by their residual, and both as `check` sees them.

use super::{Grid, PARTS};
use crate::BodySpec;
use crate::check::check;
use crate::error::StepError;
use crate::fake::{Fake, fakes};
use crate::scene::{Override, Scene};
use crate::simulate::{Outcome, simulate_in_memory};
use crate::world::World;
use glam::DVec3;
use stickslip_geometry::Shape;
use stickslip_model::Kind;
use stickslip_record::Trajectory;

const G: f64 = 9.81;
const H: f64 = 0.01;

#[test]
fn a_step_divided_anywhere_ends_at_its_grid_point() {
    let h = 0.1 + 0.2;
    for first in [1, 2, 8, 32] {
        let mut grid = Grid::at(7.0 * h, h);
        assert_eq!((grid.reached(), grid.share()), (7, 1.0));
        // Halved once more at every part until it cannot be.
        let (mut t, mut most) = (7.0, first);
        while grid.reached() == 7 {
            while grid.length > most {
                assert!(grid.halve());
            }
            most = (most / 2).max(1);
            assert_eq!(grid.end(), t + grid.share());
            assert_eq!(grid.done % grid.length, 0);
            t = grid.end();
            let after = grid.after();
            assert_eq!(Grid::at(t * h, h).done, after.done);
            grid = after;
        }
        assert_eq!((t, grid), (8.0, Grid::at(8.0 * h, h)));
        assert_eq!(grid.length, PARTS, "whole again");
    }
}

#[test]
fn after_the_hardest_part_the_others_grow_to_an_eighth() {
    let mut grid = Grid::default();
    while grid.halve() {}
    let mut lengths = Vec::new();
    while grid.reached() == 0 {
        lengths.push(grid.length);
        grid = grid.after();
    }
    assert_eq!(lengths, [1, 1, 2, 4, 8, 8, 8, 8, 8, 8, 8]);
}

/// A box that slides at 2 m/s, and a ball dropped from 0.2 m with restitution ½.
const SCENE: &str = r#"
format = 1
title = "divided"
[step]
h = 0.01
until = 0.4
[material]
friction = 0.3
[[body]]
name = "ground"
motion = "fixed"
shape.half-space = { normal = [0, 0, 1], offset = 0 }
[[body]]
name = "ball"
shape.ball = { radius = 0.1 }
mass = 1
position = [0, 0, 0.3]
[[body]]
name = "slider"
shape.box = { size = [0.2, 0.2, 0.2] }
mass = 2
position = [2, 0, 0.1]
velocity = [2, 0, 0]
[[contact]]
bodies = ["ball", "ground"]
restitution = 0.5
"#;

/// The scene, with a key of it changed where that is wanted, run with a fake solver.
fn played(change: Option<&str>, fake: Fake) -> (World, Trajectory, Outcome) {
    let changes: Vec<Override> = change.and_then(Override::from_option).into_iter().collect();
    let scene = Scene::parse(SCENE, "divided.toml", &changes).expect("a scene");
    let mut world = World::from_scene(&scene).expect("a world");
    world.stepper.solvers = fakes(fake);
    let (trajectory, outcome) = simulate_in_memory(&scene, &mut world).expect("a run");
    (world, trajectory, outcome)
}

fn valid(trajectory: &Trajectory, outcome: &Outcome) {
    let report = check(trajectory).expect("the scene in the file");
    assert!(report.valid(), "{:?}", report.findings);
    assert_eq!(report.account, outcome.account);
}

#[test]
fn a_divided_step_is_steps_like_any_other() {
    // Calls 0 to 2, 40 to 42, … have no answer: those steps are done in parts of h/8.
    let (world, trajectory, outcome) = played(None, Fake::Fails(Box::new(|call| call % 40 < 3)));
    assert!(outcome.certified() && outcome.reached_end());
    assert!(outcome.account.divided >= 2, "{:?}", outcome.account);
    valid(&trajectory, &outcome);
    // Every grid point is there, as a product, and the parts beside them.
    let steps = trajectory.frames.iter().skip(1).map(|f| &f.step);
    let whole: Vec<f64> = (steps.clone())
        .filter(|s| s.kind == Kind::Step)
        .map(|s| s.t)
        .collect();
    let grid: Vec<f64> = (1..=40).map(|k| f64::from(k) * H).collect();
    assert_eq!(whole, grid);
    for step in steps {
        assert!(step.h == H || step.h == H / 8.0, "{}", step.h);
    }
    // Friction takes μ g t, whatever t is made of; nothing turns or lifts.
    let slider = world.body("slider").expect("a slider").twist.linear;
    assert!((slider.x - (2.0 - 0.3 * G * 0.4)).abs() < 1e-10, "{slider}");
    assert!(slider.y.abs() < 1e-12 && slider.z.abs() < 1e-12);
}

#[test]
fn a_divided_impact_restitutes_what_a_whole_one_does() {
    // √(2 g 0.2) is reached after 0.2019 s; half of it is left after the impact, but for what gravity does in a step or two.
    let fall = (2.0 * G * 0.2_f64).sqrt();
    // Two to five calls without an answer, before, in and after the impact: parts of h/4 to h/32.
    for first in 17..26 {
        let fails = move |call: usize| (first..first + 2 + first % 4).contains(&call);
        let (world, trajectory, outcome) = played(None, Fake::Fails(Box::new(fails)));
        assert!(outcome.reached_end() && outcome.account.divided == 1);
        valid(&trajectory, &outcome);
        let number = world.index("ball").expect("a ball");
        let ball = |f: &stickslip_record::Frame| f.step.bodies[number].twist.linear.z;
        let fastest = trajectory.frames.iter().map(ball).fold(0.0, f64::max);
        assert!((fastest - 0.5 * fall).abs() < 2.0 * G * H, "{fastest}");
    }
}

#[test]
fn an_answer_that_misses_is_accepted_as_approximate_and_never_called_certified() {
    let miss = || Fake::Misses(3e-7);
    let (_, trajectory, outcome) = played(None, miss());
    assert!(outcome.reached_end() && !outcome.certified());
    let account = outcome.account;
    assert_eq!(
        (account.divided, account.steps),
        (0, 40),
        "the longest step is taken"
    );
    let worst = account.approximate.worst;
    assert!(account.approximate.count > 0 && worst > 1e-8 && worst < 1e-6);
    let summary = trajectory.summary.as_ref().expect("it ended");
    assert!(!summary.certified && summary.approximate == account.approximate);
    valid(&trajectory, &outcome);
    // Nothing is accepted where nothing is to be, nor what misses by more.
    for accept in ["step.accept=0", "step.accept=3e-8"] {
        let (_, _, outcome) = played(Some(accept), miss());
        let error = outcome.failure.expect("refused");
        assert!(matches!(error.cause(), StepError::NotCertified { .. }));
        let said = error.to_string();
        assert!(said.contains("first part of 64"), "{said}");
    }
}

#[test]
fn a_run_without_patience_takes_an_approximate_step_at_once() {
    // Steps are tried whole, in two, in four and in eight before the whole one is accepted: 1,000,000 each, less what is modest in a step.
    let work = 1_000_000;
    let (world, trajectory, outcome) = played(None, Fake::Toils(3e-7, work));
    assert!(outcome.reached_end() && outcome.account.approximate.count > 0);
    assert_eq!((outcome.account.divided, outcome.account.steps), (0, 40));
    valid(&trajectory, &outcome);
    let tries = world.stepper.work() / work;
    // Some six steps of four tries, and one of each after them; four of all where patience has no end.
    let (_, _, patient) = played(None, Fake::Misses(3e-7));
    let hard = patient.account.approximate.count;
    assert!(hard >= 30, "{hard}");
    assert!((40..2 * 40).contains(&tries), "{tries} tries of 40 steps");
    // Where nothing is accepted there is nothing to be had by less patience.
    let (world, _, outcome) = played(Some("step.accept=0"), Fake::Toils(3e-7, 30 * work));
    assert!(outcome.failure.is_some());
    assert_eq!(
        world.stepper.work() / (30 * work) % 8,
        0,
        "whole, seven times divided, patiently"
    );
}

#[test]
fn a_part_of_a_step_undoes_an_overlap_at_the_pace_of_the_whole() {
    let ball = Shape::ball(0.1).expect("a ball");
    let ground = Shape::half_space(DVec3::Z, 0.0).expect("a plane");
    let mut world = World::builder()
        .body(BodySpec::fixed("ground", ground))
        .body(BodySpec::free("ball", ball, 1.0).at(DVec3::Z * 0.2))
        .gravity(DVec3::ZERO)
        .time_step(H)
        .build()
        .expect("a world");
    let mut states = world.states().to_vec();
    states[0].pose.position.z = 0.099;
    world.restore(0, 0.0, &states).expect("two bodies");
    world.stepper.solvers = fakes(Fake::Fails(Box::new(|call| call < 3)));
    for _ in 0..8 {
        let depth = 0.1 - world.body("ball").expect("a ball").pose.position.z;
        let step = world.step().expect("a part");
        assert_eq!(step.h, H / 8.0);
        // ψ/H, and not ψ/h, which is eight times that: what is left of the overlap then is 7/8.
        let v = world.body("ball").expect("a ball").twist.linear.z;
        let pace = (depth / H).max(0.0);
        assert!(v >= pace - 1e-12 && v < 0.1 + 1e-12, "{v} {pace}");
    }
}
