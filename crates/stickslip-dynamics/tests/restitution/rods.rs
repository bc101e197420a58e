//! Rods that lie along each other and rock: they give back at an end that has opened since it was struck.

use stickslip_dynamics::World;
use stickslip_dynamics::scene::Scene;
use stickslip_random::Random;

/// Radius, m.
const R: f64 = 0.03;

/// A rod at `at`, off the y axis by some 1e-5 to 1e-2 rad.
fn rod(random: &mut Random, name: &str, at: [f64; 3], how: &str) -> String {
    let mut angle = || {
        let size = random.decade(-5.0, -2.0);
        if random.below(2) == 0 { size } else { -size }
    };
    // About x by a right angle and `a`, then about z by `b`.
    let (a, b) = (0.5 * (std::f64::consts::FRAC_PI_2 + angle()), 0.5 * angle());
    let ((sa, ca), (sb, cb)) = (libm::sincos(a), libm::sincos(b));
    let [x, y, z] = at;
    format!(
        "[[body]]\nname = \"{name}\"\nshape = {{ cylinder = {{ radius = {R}, length = 0.4 }} }}\n{how}\n\
         position = [{x}, {y}, {z}]\norientation = [{}, {}, {}, {}]\n",
        ca * cb,
        sa * cb,
        sa * sb,
        ca * sb
    )
}

/// Three rods that are fixed beside each other, two that fall between them, and one upon these.
fn heap(random: &mut Random) -> String {
    let h = random.decade(-3.2, -2.2);
    let (e, friction) = (random.between(0.3, 1.0), random.between(0.1, 0.8));
    let mut text = format!(
        "gravity = [0, 0, -9.81]\nmaterial = {{ friction = {friction}, restitution = {e} }}\n\
         step = {{ h = {h}, until = {} }}\n",
        100.0 * h
    );
    let apart = 2.15 * R;
    for (k, at) in [-1.0, 0.0, 1.0].into_iter().enumerate() {
        let name = format!("fixed {k}");
        text += &rod(random, &name, [at * apart, 0.0, 0.0], "motion = \"fixed\"");
    }
    for (k, (at, high)) in [(-0.5, 1.8), (0.5, 1.8), (0.0, 3.7)]
        .into_iter()
        .enumerate()
    {
        let mass = format!("mass = {}", random.decade(-0.5, 0.5));
        let place = [at * apart, 0.02 * random.signed(), high * R + 0.004];
        text += &rod(random, &format!("rod {k}"), place, &mass);
    }
    text
}

/// The fifth was refused: what it gave back stood where the rods had touched one step before.
#[test]
fn rods_that_rock_along_each_other_come_to_their_end() {
    let mut random = Random::new(17);
    for number in 0..8 {
        let text = heap(&mut random);
        let scene = Scene::parse(&text, "rods", &[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let mut world = World::from_scene(&scene).expect("a world");
        while world.time() < scene.step.until {
            world
                .step()
                .unwrap_or_else(|e| panic!("heap {number}: {e}\n{text}"));
        }
    }
}
