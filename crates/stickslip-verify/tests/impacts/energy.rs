//! Kinetic energy over random impacts: never grows without friction; with friction it is searched for growth.

use stickslip::dynamics::impact::{Impact, impact};
use stickslip::model::Reading;
use stickslip::prelude::*;
use stickslip::solvers::problem::{Action, Arm, ContactBlock, ContactProblem, InverseMass, Law};
use stickslip::solvers::solver_by_name;
use stickslip_testing::{Random, setting};

/// One to four bodies of random mass and inertia, up to six random contacts among them and with the world.
fn random_impact(random: &mut Random, friction: Option<f64>) -> ContactProblem {
    let n_b = 1 + random.below(4);
    let positive = |random: &mut Random| random.decade(-1.0, 1.0);
    let (mut inverse_mass, mut nu_free) = (Vec::new(), Vec::new());
    for _ in 0..n_b {
        // Principal moments of three masses on the axes: the triangle inequality holds.
        let (a, b, c) = (positive(random), positive(random), positive(random));
        let moments = DVec3::new(b + c, c + a, a + b);
        inverse_mass.push(InverseMass {
            mass: 1.0 / positive(random),
            inertia: DMat3::from_diagonal(moments.recip()),
        });
        nu_free.push(stickslip::solvers::problem::Twist {
            linear: random.vec3(),
            angular: random.vec3(),
        });
    }
    let contacts = (0..1 + random.below(6)).map(|_| {
        let normal = random.vec3().normalize_or(DVec3::Z);
        let first = random.below(n_b);
        let second = random.below(n_b + 1);
        let mut arm = |body, sign| {
            Some(Arm {
                body,
                lever: random.vec3(),
                sign,
                action: Action::Force,
            })
        };
        let other = (second < n_b && second != first).then(|| arm(second, 1.0));
        ContactBlock {
            frame: stickslip::geometry::frame::contact_frame(normal),
            arms: [arm(first, -1.0), other.flatten()].into(),
            b: DVec3::ZERO,
            compliance: DVec3::ZERO,
            law: friction.map_or(Law::Unilateral, |mu| Law::Cone { mu }),
        }
    });
    let contacts = contacts.collect();
    ContactProblem {
        floors: Vec::new(),
        inverse_mass,
        nu_free,
        contacts,
    }
}

fn resolve(problem: &ContactProblem, e: &[f64], reading: Reading) -> Option<Impact> {
    let mut solver = solver_by_name("auto").expect("auto");
    impact(problem, e, reading, solver.as_mut(), 1e-10).ok()
}

fn count(default: usize) -> usize {
    setting("STICKSLIP_IMPACT_COUNT", default)
}

#[test]
fn without_friction_no_impact_gains_energy() {
    let mut random = Random::new(41);
    let (mut worst, mut own) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for k in 0..count(10_000) {
        let problem = random_impact(&mut random, None);
        let e = random.unit();
        let equal = vec![e; problem.contacts.len()];
        let found = resolve(&problem, &equal, Reading::default())
            .unwrap_or_else(|| panic!("impact {k} is not solved"));
        worst = worst.max(found.ledger.gain() / found.ledger.before);
        // Every contact with its own coefficient: no theorem, but looked at.
        let mixed: Vec<f64> = equal.iter().map(|_| random.unit()).collect();
        if let Some(found) = resolve(&problem, &mixed, Reading::default()) {
            own = own.max(found.ledger.gain() / found.ledger.before);
        }
    }
    eprintln!("largest relative gain {worst:.1e}; with coefficients of their own {own:.1e}");
    assert!(worst < 1e-12, "kinetic energy grew by {worst:e}");
}

#[test]
fn friction_is_searched_for_impacts_that_gain_energy() {
    let mut random = Random::new(42);
    for reading in Reading::ALL {
        let (mut gains, mut solved, mut unsolved, mut worst) = (0, 0, 0, f64::NEG_INFINITY);
        for _ in 0..count(4_000) {
            let mu = random.decade(-1.0, 0.5);
            let problem = random_impact(&mut random, Some(mu));
            let e = vec![random.unit(); problem.contacts.len()];
            let Some(found) = resolve(&problem, &e, reading) else {
                unsolved += 1;
                continue;
            };
            solved += 1;
            let gain = found.ledger.gain() / found.ledger.before;
            gains += usize::from(gain > 1e-9);
            worst = f64::max(worst, gain);
            // Compression alone never gains, with or without friction.
            assert!(found.ledger.compressed <= found.ledger.before * (1.0 + 1e-9));
        }
        eprintln!(
            "{}: {gains} of {solved} impacts gain energy, at most {worst:.2e} of what there was; {unsolved} unsolved",
            reading.name()
        );
        assert!(unsolved * 100 <= solved, "{unsolved} unsolved");
    }
}
