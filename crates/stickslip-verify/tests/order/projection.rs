//! Projection onto the constraints, and its account of energy.

use stickslip::dynamics::methods::Method;
use stickslip::dynamics::simulate::{header, to_the_end};
use stickslip::prelude::*;
use stickslip::record::Trajectory;
use stickslip_verify::{Ladder, world_of};

/// A ball of 1 kg on a plate that goes up and down by 1 cm.
fn carried(method: Method, h: f64, projection: bool) -> (Scene, World) {
    let text = format!(
        "gravity = [0, 0, -9.81]\n[step]\nh = {h:?}\nuntil = 1.0\nmethod = \"{}\"\nprojection = {projection}\n\
         [[body]]\nname = \"plate\"\nshape = {{ half-space = {{ normal = [0, 0, 1] }} }}\n\
         motion = {{ position = [0, 0, \"0.01*sin(20*t)\"] }}\n\
         [[body]]\nname = \"ball\"\nshape = {{ ball = {{ radius = 0.1 }} }}\nmass = 1\nposition = [0, 0, 0.1]\n\
         velocity = [0, 0, 0.2]\n",
        method.name()
    );
    let scene = Scene::parse(&text, "carried.toml", &[]).unwrap_or_else(|e| panic!("{e}"));
    let world = World::from_scene(&scene).unwrap_or_else(|e| panic!("{e}"));
    (scene, world)
}

/// Deepest overlap in a run, and what the account of projections says.
fn deepest(method: Method, h: f64, projection: bool) -> (f64, Option<f64>) {
    let (_, mut world) = carried(method, h, projection);
    let mut depth: f64 = 0.0;
    while !world.reached(1.0) {
        let step = world.step().unwrap_or_else(|e| panic!("{e}"));
        depth = depth.max(step.certificate.penetration);
    }
    let account = world.projections();
    assert!(account.is_none_or(|a| a.left < 1e-14), "{account:?}");
    (depth, account.map(|a| a.energy))
}

#[test]
fn what_sinks_in_is_lifted_out() {
    // Anitescu's rows leave an overlap that was made; projected, none is older than a step.
    let (without, _) = deepest(Method::Anitescu, 1e-3, false);
    let (with, energy) = deepest(Method::Anitescu, 1e-3, true);
    eprintln!("overlap {without:.2e} m without, {with:.2e} m with projection; energy {energy:?} J");
    assert!(with < 0.2 * without, "{without:e} {with:e}");
    // The term ψ/h of Stewart and Trinkle's rows needs no projection here.
    let (term, _) = deepest(Method::StewartTrinkle, 1e-3, false);
    eprintln!("with the term ψ/h {term:.2e} m");
    assert!(term < 1e-12, "{term:e}");
    let ladder = Ladder::climb(4e-3, 4, |h| deepest(Method::Anitescu, h, true).0);
    ladder.assert_order(2.0, "overlap with projection");
}

#[test]
fn the_account_of_energy_is_that_of_the_states() {
    let (scene, mut world) = carried(Method::Anitescu, 1e-3, true);
    let mut memory = Trajectory::default();
    let header = header(&scene, &world);
    let outcome = simulate(&mut world, &header, 1.0, &mut memory, &mut to_the_end).expect("a run");
    assert!(outcome.certified());
    let account = outcome.projections.expect("an account");
    // From the record: the energy at the start of each step less that at the end of the one before.
    let number = world.index("ball").expect("a ball");
    let energy = |states: &[BodyState]| -> f64 {
        let ball = &states[number];
        0.5 * ball.twist.linear.length_squared() + 9.81 * ball.pose.position.z
    };
    let (mut sum, mut count) = (0.0, 0);
    for (k, frame) in memory.frames.iter().enumerate() {
        if let Some(start) = &frame.start {
            sum += energy(&start.bodies) - energy(&memory.frames[k - 1].step.bodies);
            count += 1;
        }
    }
    eprintln!("{count} projections, {sum:.6e} J; the account says {account:?}");
    assert_eq!(count, account.count);
    assert!(count > 100 && account.energy > 0.0);
    assert!((sum - account.energy).abs() < 1e-12);
    // `check` projects anew, and finds a start that is none.
    let report = stickslip::dynamics::check::check(&memory).expect("a report");
    assert!(report.valid(), "{report:?}");
    let moved = memory.frames.iter_mut().find_map(|f| f.start.as_mut());
    moved.expect("a projection").bodies[number].pose.position.z += 1e-9;
    let report = stickslip::dynamics::check::check(&memory).expect("a report");
    assert!(!report.valid());
}

#[test]
fn nothing_is_moved_where_nothing_overlaps() {
    let set = |on: bool| {
        [
            format!("step.projection={on}"),
            "step.until=2.0".to_string(),
        ]
    };
    let mut worlds = [true, false].map(|on| world_of("box_stack.toml", &set(on)).1);
    for world in &mut worlds {
        stickslip_verify::run(world, 2.0);
    }
    assert_eq!(worlds[0].projections().map(|p| p.count), Some(0));
    assert_eq!(worlds[0].states(), worlds[1].states());
}
