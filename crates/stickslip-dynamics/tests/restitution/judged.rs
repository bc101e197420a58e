//! What is given back stands before the judge too: by bounds of his own, whatever the stepper's memory says.

use stickslip_dynamics::World;
use stickslip_dynamics::check::{Report, check};
use stickslip_dynamics::scene::Scene;
use stickslip_dynamics::simulate::simulate_in_memory;
use stickslip_random::Random;
use stickslip_record::Trajectory;

const METHODS: [&str; 4] = ["stewart-trinkle", "anitescu", "implicit", "event-driven"];

/// Balls and boxes that fall on the ground and each other, as the text of a scene; balls side by side where impacts are located in time, for what rocks or is squeezed to rest
/// has no last one.
fn text(method: &str, e: f64, random: &mut Random) -> String {
    let h = random.decade(-2.7, -2.0);
    let mut text = format!(
        "gravity = [0, 0, -9.81]\nmaterial = {{ friction = 0.4, restitution = {e} }}\n\
         step = {{ h = {h}, until = {}, method = \"{method}\" }}\n\
         [[body]]\nname = \"ground\"\nmotion = \"fixed\"\nshape = {{ half-space = {{ normal = [0, 0, 1] }} }}\n",
        120.0 * h
    );
    for k in 0..4 {
        let shape = match random.below(2) {
            _ if method == "event-driven" => "ball = { radius = 0.1 }",
            0 => "ball = { radius = 0.1 }",
            _ => "box = { size = [0.2, 0.3, 0.1] }",
        };
        let [mut x, y] = [random.signed(), random.signed()].map(|x| 0.05 * x);
        if method == "event-driven" {
            x += 0.5 * f64::from(k);
        }
        let (z, v) = (0.2 + 0.37 * f64::from(k), -2.0 * random.unit());
        text += &format!(
            "[[body]]\nname = \"{k}\"\nmass = {}\nshape = {{ {shape} }}\nposition = [{x}, {y}, {z}]\nvelocity = [0, 0, {v}]\n",
            random.decade(-0.5, 0.5)
        );
    }
    text
}

fn run(text: &str) -> Trajectory {
    let scene = Scene::parse(text, "falls", &[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut world = World::from_scene(&scene).expect("a world");
    let (trajectory, outcome) = simulate_in_memory(&scene, &mut world).expect("a run");
    // The implicit iteration may end: what it came to is judged all the same.
    let ended = outcome.failure.is_none() || text.contains("implicit");
    assert!(ended, "{:?}\n{text}", outcome.failure);
    trajectory
}

/// Steps in which something is given back.
fn rebounds(trajectory: &Trajectory) -> usize {
    let steps = trajectory.frames.iter().map(|f| &f.step.contacts);
    steps
        .filter(|contacts| contacts.iter().any(|c| c.restituted > 0.0))
        .count()
}

/// What is found by the bounds, not by the replay.
fn by_bounds(report: &Report) -> usize {
    let said = report.findings.iter();
    said.filter(|f| f.what.contains("give back") || f.what.contains("it lost"))
        .count()
}

#[test]
fn what_was_computed_keeps_the_bounds() {
    let mut random = Random::new(41);
    for method in METHODS {
        for _ in 0..6 {
            let e = random.unit();
            let trajectory = run(&text(method, e, &mut random));
            assert!(rebounds(&trajectory) > 0, "{method}, e = {e}");
            let report = check(&trajectory).expect("a scene");
            assert!(report.valid(), "{method}, e = {e}: {:?}", report.findings);
        }
    }
}

/// A run whose law gives back by another e than that of the scene in its file.
#[test]
fn more_than_e_is_given_back_before_the_judges_eyes() {
    let mut random = Random::new(43);
    for method in METHODS {
        for (own, said) in [(0.8, 0.79), (0.8, 0.3), (0.5, 0.0)] {
            let mut trajectory = run(&text(method, own, &mut random));
            let scene = &mut trajectory.header.scene;
            *scene = scene.replace(
                &format!("restitution = {own}"),
                &format!("restitution = {said}"),
            );
            let report = check(&trajectory).expect("a scene");
            assert!(
                by_bounds(&report) > 0,
                "{method}, {own} for {said}: {:?}",
                report.findings
            );
        }
    }
}
