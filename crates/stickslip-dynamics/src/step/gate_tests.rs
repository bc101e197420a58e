//! Nothing passes the gate that the judge refuses, and what is refused leaves no trace.

use super::Judged;
use crate::error::StepError;
use crate::fake::{Fake, fakes};
use crate::methods::{Driver, Method, Progress};
use crate::step::find::finder::Sunk;
use crate::step::refuse::{Failure, Refusal, Why};
use crate::step::task::{Plan, Task};
use crate::world::World;
use crate::{BodySpec, Settings};
use glam::DVec3;
use stickslip_geometry::Shape;
use stickslip_model::{
    BodyState, Certificate, Friction, Kind, Residual, Restitution, Scheme, StepRecord,
};

/// Everything that a step may change.
#[derive(Clone, Debug, PartialEq)]
struct Everything {
    last: StepRecord,
    started: Option<Vec<BodyState>>,
    energy_slack: Option<f64>,
    restitution: Restitution,
    progress: Progress,
    settings: Settings,
}

fn everything(world: &World) -> Everything {
    Everything {
        last: world.state.last().clone(),
        started: world.state.started().cloned(),
        energy_slack: world.state.energy_slack(),
        restitution: world.memory.restitution().clone(),
        progress: *world.memory.progress(),
        settings: world.settings.clone(),
    }
}

/// A ball that has just been dropped onto the ground beside one that slides.
fn world(method: Method) -> World {
    let ball = || Shape::ball(0.1).expect("a ball");
    let ground = Shape::half_space(DVec3::Z, 0.0).expect("a plane");
    World::builder()
        .body(BodySpec::fixed("ground", ground))
        .body(BodySpec::free("dropped", ball(), 1.0).at(DVec3::new(0.0, 0.0, 0.102)))
        .body(
            BodySpec::free("sliding", ball(), 2.0)
                .at(DVec3::new(1.0, 0.0, 0.1))
                .with_velocity(DVec3::X, DVec3::ZERO),
        )
        .default_friction(Friction::same(0.4))
        .restitution(0.5)
        .method(method)
        .energy_check(true)
        .error(1e-3, 1.0)
        .build()
        .expect("a world")
}

fn steps(world: &mut World, n: usize) {
    for _ in 0..n {
        world.step().expect("a step");
    }
}

#[test]
fn an_answer_that_only_its_solver_believes_is_refused() {
    for method in [Method::StewartTrinkle, Method::Implicit, Method::Anitescu] {
        let mut world = world(method);
        steps(&mut world, 5);
        let before = everything(&world);
        world.stepper.solvers = fakes(Fake::Lies);
        let error = world.step().expect_err("bodies fall through the ground");
        assert!(
            matches!(error.cause(), StepError::NotCertified { .. }),
            "{error}"
        );
        let said = error.to_string();
        assert!(said.contains("fake (refused by the judge: gap "), "{said}");
        assert!(said.contains("\"ground\""), "it names the bodies: {said}");
        assert_eq!(everything(&world), before);
    }
}

#[test]
fn a_refused_step_leaves_the_world_as_it_was_to_the_bit() {
    for method in Method::ALL {
        for n in [0, 1, 2, 3, 7] {
            let (mut refused, mut undisturbed) = (world(method), world(method));
            steps(&mut refused, n);
            steps(&mut undisturbed, n);
            let before = everything(&refused);
            let honest = std::mem::replace(
                &mut refused.stepper.solvers,
                fakes(Fake::Fails(Box::new(|_| true))),
            );
            refused.step().expect_err("there is no solver");
            assert_eq!(everything(&refused), before, "{}, {n}", method.name());
            refused.stepper.solvers = honest;
            steps(&mut refused, 3);
            steps(&mut undisturbed, 3);
            let (a, b) = (everything(&refused), everything(&undisturbed));
            assert_eq!(
                a,
                b,
                "{}, {n}: another motion than without it",
                method.name()
            );
        }
    }
}

#[test]
fn a_step_refused_after_a_projection_leaves_the_bodies_where_they_were() {
    let overlapping = || {
        let mut world = world(Method::StewartTrinkle);
        world.settings.projection = true;
        let mut states = world.states().to_vec();
        for (name, z) in [("dropped", 0.0999), ("sliding", 0.0998)] {
            states[world.index(name).expect("a ball")].pose.position.z = z;
        }
        world.restore(4, 0.04, &states).expect("three bodies");
        world
    };
    let (mut refused, mut undisturbed) = (overlapping(), overlapping());
    let before = everything(&refused);
    let honest = std::mem::replace(
        &mut refused.stepper.solvers,
        fakes(Fake::Fails(Box::new(|_| true))),
    );
    refused.step().expect_err("there is no solver");
    assert_eq!(everything(&refused), before);
    refused.stepper.solvers = honest;
    steps(&mut refused, 1);
    steps(&mut undisturbed, 1);
    assert_eq!(everything(&refused), everything(&undisturbed));
    let account = refused.projections().expect("asked for");
    assert_eq!(account.count, 1);
    assert!((account.deepest - 2e-4).abs() < 1e-12, "{account:?}");
    let start = refused.started_from().expect("bodies were moved");
    let sliding = refused.index("sliding").expect("a ball");
    assert!((start[sliding].pose.position.z - 0.1).abs() < 1e-12);
}

#[test]
fn a_world_put_into_a_recorded_state_remembers_nothing() {
    for method in Method::ALL {
        let (mut used, mut new) = (world(method), world(method));
        steps(&mut used, 9);
        let states = used.states().to_vec();
        for world in [&mut used, &mut new] {
            world.restore(9, 0.09, &states).expect("three bodies");
        }
        assert_eq!(everything(&used), everything(&new), "{}", method.name());
        assert_eq!(used.energy_slack(), None);
    }
}

#[test]
fn a_gain_of_energy_asks_the_next_solver_and_comes_before_answers_that_miss_the_law() {
    let mut world = world(Method::StewartTrinkle);
    world.stepper.solvers = (0..3).flat_map(|_| fakes(Fake::Lies)).collect();
    let driver = Driver::of(&mut world);
    let task = driver.task(Plan::on_grid(
        &driver.progress.grid,
        0.01,
        Scheme::StewartTrinkle,
    ));
    let underway = driver.stepper.begin(&task).expect("a step");
    let mut asked = 0;
    let refused = underway.by_any_solver(|underway, _| -> Result<(), Failure> {
        let off = |residual: f64| {
            let mut certificate = Certificate::default();
            certificate.raise(Residual::Gap, residual);
            let place = format!(", {residual}");
            Why::Law { certificate, place }
        };
        asked += 1;
        let (solver, why) = match asked {
            1 => ("first", off(1e-3)),
            2 => ("second", Why::Energy(0.25)),
            _ => ("last", off(1e-4)),
        };
        assert_eq!(underway.step.number(), 1);
        let approximate = None;
        Err(Failure::Gate(Box::new(Refusal {
            solver,
            why,
            approximate,
            unfounded: Vec::new(),
        })))
    });
    let said = refused.expect_err("none passed").error.to_string();
    assert_eq!(asked, 3, "every solver is asked");
    assert!(said.contains("energy inequality by 2.500e-1"), "{said}");
    let tried = "tried first (refused by the judge: gap 1.0e-3 m/s); second (gains 2.5e-1 of the energy); last";
    assert!(said.contains(tried), "{said}");
}

#[test]
fn steps_in_a_row_keep_the_worst_certificate_and_the_least_energy_slack() {
    let mut world = world(Method::StewartTrinkle);
    let driver = Driver::of(&mut world);
    let plan = Plan::between_events(driver.last, 0.01);
    let task = driver.task(plan);
    let first = driver
        .stepper
        .step(&task)
        .map_err(|r| r.error)
        .expect("a step");
    let last = first.record().clone();
    let next = Task {
        last: &last,
        ..driver.task(Plan::between_events(&last, 0.01))
    };
    let second = driver
        .stepper
        .step(&next)
        .map_err(|r| r.error)
        .expect("a step");
    let (a, b) = (first.record.certificate, second.record.certificate);
    let slacks = [&first, &second].map(|s| s.energy_slack.expect("checked"));
    let whole = driver.task(Plan::between_events(driver.last, 0.02));
    let both = Judged::extrapolated(&whole, second, &[first], None);
    let joined = both.record.certificate;
    for k in 0..a.residuals.len() {
        assert_eq!(joined.residuals[k], a.residuals[k].max(b.residuals[k]));
    }
    assert_eq!(joined.speed, a.speed.max(b.speed));
    assert_eq!(both.energy_slack, Some(slacks[0].min(slacks[1])));
    assert_eq!((both.record.step, both.record.h), (1, 0.02));
    assert_eq!(both.record.kind, Kind::Extrapolated);
}

#[test]
fn extrapolated_steps_pass_the_gate_as_all_others_do() {
    let mut world = world(Method::Extrapolated);
    steps(&mut world, 12);
    let certificate = world.last_step().certificate;
    assert!(certificate.holds(world.settings.tolerance));
    assert!(world.inner_steps() >= 10, "ten inner steps or more each");
    assert!(world.energy_slack().expect("checked") >= -1e-12);
}

#[test]
fn what_the_judge_does_not_find_in_the_shapes_is_not_found_again() {
    let mut world = world(Method::StewartTrinkle);
    steps(&mut world, 5);
    let driver = Driver::of(&mut world);
    let plan = Plan::on_grid(&driver.progress.grid, 0.01, Scheme::StewartTrinkle);
    let task = driver.task(plan);
    let underway = driver.stepper.begin(&task).expect("a path");
    let (step, contacts) = (&underway.step, underway.contacts);
    let row = contacts.list[0];
    let rest = contacts.list[1..].to_vec();
    contacts.strike(step, &[row]);
    assert_eq!(contacts.list, rest);
    // Without it the body falls through the ground: the look at that motion does not bring the row back.
    contacts.add_missed(step, step.goal, (0, false), |_| 0.0);
    assert!(!contacts.list.contains(&row));
    contacts.find(step);
    assert!(contacts.list.contains(&row), "in the next step");
}

#[test]
fn a_step_that_is_too_long_says_who_would_overlap() {
    let mut world = world(Method::StewartTrinkle);
    let driver = Driver::of(&mut world);
    let plan = Plan::on_grid(&driver.progress.grid, 0.01, Scheme::StewartTrinkle);
    let sunk = Sunk {
        pair: [0, 1],
        depth: 2e-3,
        unseen: 1e-4,
    };
    let error = driver.task(plan).too_long(&sunk);
    let [a, b] = [0, 1].map(|i| driver.setup.model.bodies[i].name.clone());
    let said = format!(
        "step 1 at t = 0.01 s is too long: \"{a}\" and \"{b}\" would overlap by 2.0e-3 m, and at their turn linear rows may leave \
         1.0e-4 m unseen"
    );
    assert_eq!(error.to_string(), said);
    assert!(error.may_pass_if_shorter());
}
