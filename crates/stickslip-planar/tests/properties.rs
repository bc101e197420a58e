//! Theorems and limits that must hold whatever the numbers.

mod common;

use common::simplex::Program;
use common::states::random_state;
use common::{Random, all, distance, scene, three_point};
use stickslip_planar::{
    Contact, ContactKind, Note, Options, Place, Solutions, State, Status, Verdict, solve,
};
use stickslip_testing::setting;

/// Which random states.
fn seed() -> u64 {
    setting("STICKSLIP_SEED", 1)
}

fn number_of_states() -> usize {
    setting("STICKSLIP_STATES", 5000)
}

/// Without friction and with generic contacts there is exactly one motion (section 5.3). Where the body moves, the second
/// variation constraints themselves can contradict each other; then there is none.
#[test]
fn frictionless_motion_is_unique() {
    let mut random = Random::new(19 + seed());
    let (mut one, mut none) = (0, 0);
    for _ in 0..number_of_states() {
        let mut state = random_state(&mut random);
        for (i, c) in state.contacts.iter_mut().enumerate() {
            c.mu = 0.0;
            // Grid states are not generic: shift their contacts off the grid while at rest.
            if state.velocity == [0.0; 3] {
                c.r[0] += random.between(-0.1, 0.1) + 1e-3 * i as f64;
            }
        }
        let answer = all(&state);
        if answer.notes.iter().any(|n| n.non_generic()) {
            continue;
        }
        if answer.sets.len() == 1 {
            assert_eq!(answer.status(), Status::Unique, "{state:?}");
            one += 1;
            continue;
        }
        assert!(answer.sets.is_empty(), "{state:?} {:#?}", answer.sets);
        assert_ne!(state.velocity, [0.0; 3]);
        none += 1;
        // No acceleration at all satisfies (5): unknowns are a = a⁺ - a⁻ and one slack for each contact.
        let k = answer.active.len();
        let mut program = Program::new(6 + k, 1e-10);
        for (slot, (&i, h)) in answer.active.iter().zip(&answer.h).enumerate() {
            let c = &state.contacts[i];
            let n_q = c.n[0] * c.r[1] - c.n[1] * c.r[0];
            let mut row = vec![c.n[0], c.n[1], n_q, -c.n[0], -c.n[1], -n_q];
            row.resize(6 + k, 0.0);
            row[6 + slot] = -1.0;
            program.equal(&row, -h);
        }
        assert!(!program.feasible(), "{state:?}");
    }
    println!("{one} states with one motion, {none} whose constraints contradict each other");
    assert!(one > 10 * none);
}

/// The composite cone holds a force if and only if a linear program can write it as a sum of edges.
#[test]
fn composite_cone_agrees_with_linear_programming() {
    let mut random = Random::new(21);
    let (mut inside, mut outside) = (0, 0);
    for _ in 0..number_of_states() {
        let state = random_state(&mut random);
        let cone = state.composite_cone();
        let edges: Vec<[f64; 3]> = state
            .contacts
            .iter()
            .flat_map(|c| c.frame(state.rho).cone_edges(c.mu))
            .collect();
        for _ in 0..20 {
            let force = [(); 3].map(|()| random.between(-1.0, 1.0));
            let mut program = Program::new(edges.len(), 1e-10);
            for i in 0..3 {
                let row: Vec<f64> = edges.iter().map(|e| e[i]).collect();
                program.equal(&row, force[i]);
            }
            let by_program = program.feasible();
            assert_eq!(
                cone.contains(force, 1e-9),
                by_program,
                "{state:?} {force:?}"
            );
            *if by_program {
                &mut inside
            } else {
                &mut outside
            } += 1;
        }
    }
    println!("{inside} forces inside, {outside} outside");
    assert!(inside > 100 && outside > 100);
}

/// Step 2 at rest: zero acceleration is legal if and only if the cone holds the opposite of the force.
#[test]
fn rest_is_legal_where_the_cone_holds_the_load() {
    let mut random = Random::new(22);
    for _ in 0..number_of_states() {
        let mut state = random_state(&mut random);
        state.velocity = [0.0; 3];
        let force = state.generalised_force();
        let size = force.iter().fold(1e-3_f64, |m, x| m.max(x.abs()));
        let balanced = state
            .composite_cone()
            .contains(force.map(|x| -x), 1e-9 * size);
        let at_rest = all(&state)
            .sets
            .iter()
            .any(|s| s.region.contains([0.0; 3], 1e-8 * size));
        assert_eq!(balanced, at_rest, "{state:?}");
    }
}

/// Step 2 in motion: only contacts with h = 0 count, only on the edge that opposes sliding, and h must not be negative.
#[test]
fn zero_net_force_in_motion() {
    let zero_net = |state: &State| {
        let answer = all(state);
        let found = answer
            .hypotheses
            .iter()
            .find(|h| h.pieces[0].place == Place::ZeroNetForce);
        matches!(
            found.expect("tried").pieces[0].verdict,
            Verdict::Solution(_)
        )
    };
    // Sliding to the right: friction to the left of exactly mu times the weight cancels this push, and no other.
    let mut state = three_point(0.25, 1.0, [0.25, -1.0, 0.0]);
    state.velocity = [1.0, 0.0, 0.0];
    assert!(zero_net(&state));
    state.force[0] = 0.2;
    assert!(!zero_net(&state));
    // At rest the same push is held by less than full friction.
    state.velocity = [0.0; 3];
    assert!(zero_net(&state));
    // Turning about a foot of type B below the centre of mass: h > 0, the contact opens and cannot push.
    let mut state = State::new(1.0, 1.0);
    state.contacts = vec![Contact::new([0.0, 1.0], [0.0, 1.0], 1.0)];
    state.velocity = [-1.0, 0.0, 1.0];
    state.force = [0.0, -1.0, 0.0];
    assert!(!zero_net(&state));
    // Hanging above it: h < 0, zero acceleration would go through the contact.
    state.contacts[0].r = [0.0, -1.0];
    state.velocity = [1.0, 0.0, 1.0];
    let answer = all(&state);
    assert!(answer.h[0] < 0.0);
    assert!(!zero_net(&state));
}

/// A rolling disc keeps its contact without any second-variation term, as its centre moves in a straight line.
#[test]
fn rolling_disc_is_an_arc() {
    let radius = 0.3;
    let mut state = State::new(1.0, radius / 2.0_f64.sqrt());
    state.contacts =
        vec![
            Contact::new([0.0, 1.0], [0.0, radius], 0.5).with_kind(ContactKind::Arc {
                body: 1.0 / radius,
                obstacle: 0.0,
            }),
        ];
    // On a slope of 20 degrees, in its own axes.
    let slope = 20.0_f64.to_radians();
    state.force = [9.81 * libm::sin(slope), -9.81 * libm::cos(slope), 0.0];
    state.velocity = [2.0, 0.0, -2.0 / radius];
    let answer = all(&state);
    assert!(answer.h[0].abs() < 1e-12);
    let a = answer.sets[0].acceleration().expect("unique");
    // A solid disc rolls with two thirds of g sin.
    let expected = 9.81 * libm::sin(slope) * 2.0 / 3.0;
    assert!(
        distance(a, [expected, 0.0, -expected / radius]) < 1e-9,
        "{a:?}"
    );
    assert_eq!(answer.sets[0].mode, "f");
}

/// Infinite friction is the limit of large friction.
#[test]
fn infinite_friction_is_a_limit() {
    let mut random = Random::new(23);
    let mut compared = 0;
    for _ in 0..2000 {
        let mut state = random_state(&mut random);
        state.contacts.truncate(2);
        let with = |mu: f64| {
            let mut state = state.clone();
            state.contacts.iter_mut().for_each(|c| c.mu = mu);
            all(&state)
        };
        let (large, larger, infinite) = (with(1e4), with(1e5), with(f64::INFINITY));
        // States that are singular in the limit have other solution sets near it.
        let comparable = [&large, &larger, &infinite].iter().all(|answer| {
            answer.status() != Status::Continuum && answer.sets.len() == infinite.sets.len()
        });
        if !comparable {
            continue;
        }
        compared += 1;
        let nearest = |answer: &Solutions, a: [f64; 3]| {
            let distances = answer.sets.iter().map(|s| distance(s.vertices[0], a));
            distances.fold(f64::INFINITY, f64::min)
        };
        for set in &infinite.sets {
            let limit = set.vertices[0];
            // The difference goes as 1/mu: ten times the friction, a tenth of it.
            let (far, near) = (nearest(&large, limit), nearest(&larger, limit));
            let size = limit.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            if size < 100.0 {
                assert!(near <= 0.2 * far + 1e-9 * size, "{state:?} {far} {near}");
            }
        }
    }
    println!("{compared} states compared");
    assert!(compared > 1500);
    let answer = all(&scene("rough-rod.toml"));
    let modes: Vec<&str> = answer.sets.iter().map(|s| s.mode.as_str()).collect();
    assert_eq!(modes, ["s", "f", "l"]);
}

/// Velocities of the size of rounding errors, as a simulation leaves them, change nothing below the rest speed.
#[test]
fn noise_below_the_rest_speed_is_rest() {
    let mut random = Random::new(24);
    let options = Options {
        rest_speed: 1e-8,
        ..Options::default()
    };
    for _ in 0..1000 {
        let mut state = random_state(&mut random);
        state.velocity = [0.0; 3];
        let plain = all(&state);
        state.velocity = [(); 3].map(|()| random.between(-1e-10, 1e-10));
        let noisy = solve(&state, &options).unwrap();
        assert_eq!(plain.sets, noisy.sets);
        // A body that slides for certain, with noise in its normal velocity.
        let mut sliding = three_point(0.25, 1.0, [0.0, -1.0, 0.0]);
        sliding.velocity = [
            1.0,
            random.between(-1e-9, 1e-9),
            random.between(-1e-9, 1e-9),
        ];
        let answer = solve(&sliding, &options).unwrap();
        assert_eq!(answer.sets.len(), 1);
        assert!(distance(answer.sets[0].vertices[0], [-0.25, 0.0, 0.0]) < 1e-12);
    }
}

/// A body at rest always has an acceleration: without sliding velocities friction cannot be inconsistent. States a hair
/// away from every kind of coincidence must not fall between the tolerances.
#[test]
fn rest_is_never_inconsistent() {
    let mut random = Random::new(25);
    let mut empty = 0;
    let n = 4 * number_of_states();
    for _ in 0..n {
        let mut state = random_state(&mut random);
        state.velocity = [0.0; 3];
        let size = libm::exp2(-random.between(17.0, 50.0));
        for c in &mut state.contacts {
            c.r = c.r.map(|x| x + size * random.between(-1.0, 1.0));
            let turn = size * random.between(-1.0, 1.0);
            let n = [c.n[0] - turn * c.n[1], c.n[1] + turn * c.n[0]];
            let length = libm::hypot(n[0], n[1]);
            c.n = n.map(|x| x / length);
            if c.mu > 0.0 {
                c.mu += size * random.between(0.0, 1.0);
            }
        }
        state.force = state.force.map(|x| x + size * random.between(-1.0, 1.0));
        let answer = all(&state);
        if answer.sets.is_empty() {
            empty += 1;
            if empty < 4 {
                println!("size {size:e}: {state:?}");
            }
        }
    }
    println!("{n} states, {empty} without an acceleration");
    assert_eq!(empty, 0);
}

/// A block on a slope between the two friction angles: at rest it may stay or start, pushed it slides; below the kinetic
/// angle it stays, above the static one it starts.
#[test]
fn static_friction_above_kinetic() {
    let modes = |slope: f64, velocity: f64| -> Vec<String> {
        let mut state = State::new(1.0, 0.3);
        state.contacts = [-0.4, 0.4]
            .map(|x| Contact::new([0.0, 1.0], [x, 0.1], 0.4).with_static_friction(0.6))
            .to_vec();
        state.force = [9.81 * libm::sin(slope), -9.81 * libm::cos(slope), 0.0];
        state.velocity = [velocity, 0.0, 0.0];
        let answer = all(&state);
        let speeds = answer.sets.iter().filter(|s| s.mode == "rr");
        for a in speeds.map(|s| s.acceleration().expect("a point")) {
            let expected = 9.81 * (libm::sin(slope) - 0.4 * libm::cos(slope));
            assert!(distance(a, [expected, 0.0, 0.0]) < 1e-9, "{a:?}");
        }
        let noted = answer.notes.contains(&Note::StaticFriction(0));
        assert_eq!(noted, velocity == 0.0);
        answer.sets.iter().map(|s| s.mode.clone()).collect()
    };
    assert_eq!(modes(libm::atan(0.3), 0.0), ["ff"]);
    assert_eq!(modes(libm::atan(0.5), 0.0), ["ff", "rr"]);
    assert_eq!(modes(libm::atan(0.7), 0.0), ["rr"]);
    assert_eq!(modes(libm::atan(0.5), 0.1), ["rr"]);
}

/// Friction of any size: a body at rest keeps an acceleration, and very large coefficients are the infinite one.
#[test]
fn huge_friction_is_infinite_friction() {
    let mut rod = State::new(1.0, 0.2887);
    rod.contacts = vec![Contact::new([0.0, 1.0], [0.25, 0.433], 0.0)];
    rod.force = [-3.0, 0.1, 0.0];
    let block = three_point(0.0, 1.0, [0.6, -1.0, 0.0]);
    for (state, mode) in [(block, "fff"), (rod, "f")] {
        let with = |mu: f64| {
            let mut state = state.clone();
            state.contacts.iter_mut().for_each(|c| c.mu = mu);
            all(&state)
        };
        let infinite = with(f64::INFINITY);
        assert!(infinite.sets.iter().any(|s| s.mode == mode));
        for exponent in [4, 6, 7, 9, 10, 11, 12, 13, 16, 30, 100, 154, 200, 300] {
            let answer = with(libm::pow(10.0, f64::from(exponent)));
            let modes = |a: &Solutions| a.sets.iter().map(|s| s.mode.clone()).collect::<Vec<_>>();
            assert_eq!(modes(&answer), modes(&infinite), "1e{exponent}");
            let noted = answer
                .notes
                .iter()
                .any(|n| matches!(n, Note::TakenAsInfinite(_)));
            assert_eq!(noted, exponent > 8, "1e{exponent}");
        }
    }
    let mut random = Random::new(26);
    for _ in 0..3000 {
        let mut state = random_state(&mut random);
        state.velocity = [0.0; 3];
        for c in &mut state.contacts {
            c.mu = libm::exp10(random.between(3.0, 20.0));
        }
        assert_ne!(all(&state).status(), Status::None, "{state:?}");
    }
}
