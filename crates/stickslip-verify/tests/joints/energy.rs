//! The energy inequality, step by step, over random scenes of springs and contacts.

use stickslip::dynamics::scene::SpringEnds;
use stickslip::prelude::*;
use stickslip_testing::{Random, setting};
use stickslip_verify::{ball, cuboid, ground};

/// Steps in all: a million when STICKSLIP_ENERGY_STEPS says so.
fn steps() -> u64 {
    setting("STICKSLIP_ENERGY_STEPS", 3000)
}

/// Boxes and balls above the ground, springs of all kinds between them.
fn scene(random: &mut Random, h: f64, boxes: f64) -> World {
    let n = 3 + (random.unit() * 4.0) as usize;
    let mut builder = World::builder()
        .friction(random.unit())
        .time_step(h)
        .energy_check(true)
        .body(ground());
    let name = |k: usize| format!("b{k}");
    for k in 0..n {
        let place = DVec3::new(k as f64, 0.0, 0.6 + random.unit());
        let body = if random.unit() < boxes {
            cuboid(
                &name(k),
                DVec3::new(0.4, 0.3, 0.5),
                random.decade(-1.0, 1.0),
            )
        } else {
            ball(&name(k), 0.3, random.decade(-1.0, 1.0))
        };
        let spin = random.vec3() * 1.5;
        builder = builder.body(body.at(place).with_velocity(random.vec3() * 2.0, spin));
    }
    for k in 0..n {
        let ends = SpringEnds::Points {
            bodies: [
                name(k),
                if k + 1 < n {
                    name(k + 1)
                } else {
                    "world".into()
                },
            ],
            points: [random.vec3() * 0.15, random.vec3() * 0.15],
        };
        let stiffness = if random.unit() < 0.2 {
            0.0
        } else {
            random.decade(0.0, 9.0)
        };
        // One that pulls its ends together is soft: a stiff one would shoot bodies through each other.
        let pulls = stiffness < 100.0 && random.unit() < 0.5;
        builder = builder.spring(SpringSpec {
            name: format!("s{k}"),
            ends,
            stiffness,
            damping: if random.unit() < 0.5 {
                0.0
            } else {
                random.decade(-1.0, 5.0)
            } + 1e-3,
            rest: pulls.then_some(0.0),
            inertance: 0.0,
            explicit: false,
        });
    }
    builder.build().expect("a scene")
}

#[test]
fn no_step_of_springs_and_contacts_gains_energy() {
    let mut random = Random::congruential(7);
    let (mut least, mut done, mut contacts) = (f64::INFINITY, 0, 0);
    while done < steps() {
        let mut world = scene(&mut random, 0.01, 0.5);
        for _ in 0..500 {
            if let Err(e) = world.step() {
                panic!("{e}");
            }
            least = least.min(world.energy_slack().expect("checked"));
            contacts += world.contact_forces().count();
            done += 1;
        }
    }
    eprintln!("{done} steps, {contacts} contact forces, least slack {least:.2e}");
    assert!(least > -1e-12 && contacts > 1000);
}

#[test]
fn velocities_stay_bounded_for_as_long_as_it_goes_on() {
    // Balls (a constant mass matrix), linear springs and contacts: the energy of the start bounds every velocity, since no
    // ball can fall below the ground.
    let mut world = scene(&mut Random::congruential(9), 0.01, 0.0);
    let bound = world.energy().max(0.0) + 1e-9;
    let (mut fastest, mut most) = (0.0f64, 0.0f64);
    for _ in 0..steps() {
        if let Err(e) = world.step() {
            panic!("{e}");
        }
        let bodies = world.model().bodies.iter().zip(world.states());
        for (body, state) in bodies {
            let Some(mass) = body.mass else { continue };
            let speed = state.twist.linear.length();
            fastest = fastest.max(speed);
            most = most.max(0.5 * mass.mass * speed * speed);
        }
    }
    eprintln!(
        "{} steps: at most {fastest} m/s, {most} J of {bound} J",
        steps()
    );
    assert!(most <= bound, "{most} J, from {bound} J");
}

#[test]
fn springs_and_contacts_are_solvable_at_any_step() {
    let mut random = Random::congruential(8);
    let (mut passed_through, mut done) = (0, 0);
    for h in [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0] {
        for k in 0..20 {
            let mut world = scene(&mut random, h, 0.5);
            // Spinning bodies turn too far in long steps: those start at rest.
            if h > 0.05 {
                let mut states = world.states().to_vec();
                states.iter_mut().for_each(|s| s.twist = Twist::default());
                world.restore(0, 0.0, &states).expect("states");
            }
            for _ in 0..5 {
                match world.step() {
                    Ok(_) => done += 1,
                    // Solved, but a box that turns by 2 rad in the step is where linear gaps do not see it.
                    Err(e @ StepError::NotCertified { .. }) if h >= 1.0 => {
                        eprintln!("h = {h}, scene {k}: {e}");
                        passed_through += 1;
                        break;
                    }
                    Err(e) => panic!("h = {h}, scene {k}: {e}"),
                }
            }
        }
    }
    eprintln!("{done} steps, {passed_through} scenes ended by a body that turns into another");
    assert!(passed_through <= 1);
}
