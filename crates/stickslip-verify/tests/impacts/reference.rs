//! Every case of the stored reference, to 1e-9.

use crate::rows::{Rows, block};
use serde_json::Value;
use stickslip::dynamics::impact::{Decompression, Impact, impact};
use stickslip::model::Reading;
use stickslip::prelude::*;
use stickslip::solvers::problem::{Action, Arm, ContactBlock, ContactProblem, InverseMass, Law};
use stickslip::solvers::solver_by_name;
use stickslip_verify::reference;

const TOLERANCE: f64 = 1e-9;

type Twist = stickslip::solvers::problem::Twist;

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("a list");
    list.iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn table(value: &Value) -> Vec<Vec<f64>> {
    value
        .as_array()
        .expect("rows")
        .iter()
        .map(numbers)
        .collect()
}

/// One restitution for all, or one for each.
fn restitution(value: &Value, count: usize) -> Vec<f64> {
    value
        .as_f64()
        .map_or_else(|| numbers(value), |e| vec![e; count])
}

fn resolve(problem: &ContactProblem, e: &[f64], reading: Reading) -> Impact {
    let mut solver = solver_by_name("auto").expect("auto");
    impact(problem, e, reading, solver.as_mut(), 1e-13).expect("an impact that can be solved")
}

#[track_caller]
fn near(found: &[f64], wanted: &[f64], what: &str) -> f64 {
    assert_eq!(found.len(), wanted.len(), "{what}");
    let worst = found.iter().zip(wanted).map(|(a, b)| (a - b).abs());
    let worst = worst.fold(0.0, f64::max);
    assert!(worst < TOLERANCE, "{what}: {found:?} for {wanted:?}");
    worst
}

/// Balls in a row along x, each touching the next.
fn cradle(masses: &[f64], v: &[f64]) -> ContactProblem {
    let contacts = (1..masses.len()).map(|k| {
        let arm = |body, sign| {
            Some(Arm {
                body,
                lever: DVec3::ZERO,
                sign,
                action: Action::Force,
            })
        };
        ContactBlock {
            arms: [arm(k - 1, -1.0), arm(k, 1.0)].into(),
            ..block(DVec3::X, DVec3::ZERO)
        }
    });
    ContactProblem {
        floors: Vec::new(),
        inverse_mass: masses
            .iter()
            .map(|m| InverseMass {
                mass: 1.0 / m,
                inertia: DMat3::ZERO,
            })
            .collect(),
        nu_free: v
            .iter()
            .map(|&v| Twist {
                linear: DVec3::X * v,
                angular: DVec3::ZERO,
            })
            .collect(),
        contacts: contacts.collect(),
    }
}

#[test]
fn cradles_follow_poisson() {
    let Some(reference) = reference("r6_impacts.json") else {
        return;
    };
    let mut worst: f64 = 0.0;
    for case in reference["cradle"].as_array().expect("cases") {
        let problem = cradle(&numbers(&case["masses"]), &numbers(&case["v_minus"]));
        let e = restitution(&case["e"], problem.contacts.len());
        let found = resolve(&problem, &e, Reading::default());
        let v = |nu: &[Twist]| nu.iter().map(|nu| nu.linear.x).collect::<Vec<_>>();
        worst = worst.max(near(&v(&found.nu_c), &numbers(&case["v_c"]), "v_c"));
        worst = worst.max(near(
            &v(&found.nu_plus),
            &numbers(&case["v_plus"]),
            "v_plus",
        ));
        let p: Vec<f64> = found.compression.iter().map(|p| p.x).collect();
        worst = worst.max(near(&p, &numbers(&case["c_compression"]), "c_c"));
        let extra = found.decompression.iter().zip(&found.restituted);
        let p: Vec<f64> = extra.map(|(p, r)| p.x - r).collect();
        worst = worst.max(near(&p, &numbers(&case["c_decompression_extra"]), "c_x"));
        let ledger = found.ledger;
        for (found, key) in [
            (ledger.before, "energy_minus"),
            (ledger.compressed, "energy_c"),
            (ledger.after, "energy_plus"),
        ] {
            near(&[found], &[case[key].as_f64().expect("an energy")], key);
        }
    }
    eprintln!("cradles: worst difference {worst:.1e}");
}

#[test]
fn impacts_at_many_contacts_without_friction() {
    let Some(reference) = reference("r6_impacts.json") else {
        return;
    };
    let (mut worst, mut closed, mut solved) = (0.0f64, 0, 0);
    for case in reference["frictionless_multi"].as_array().expect("cases") {
        let rows = Rows::new(
            &table(&case["M"]),
            &table(&case["N"]),
            &numbers(&case["v_minus"]),
        );
        let e = restitution(&case["e"], rows.problem.contacts.len());
        let found = resolve(&rows.problem, &e, Reading::default());
        let name = &case["name"].to_string();
        let v_c = rows.velocity(&found.nu_c[0]);
        let v_plus = rows.velocity(&found.nu_plus[0]);
        worst = worst.max(near(&v_c, &numbers(&case["v_c"]), name));
        worst = worst.max(near(&v_plus, &numbers(&case["v_plus"]), name));
        let scaled = found.compression.iter().zip(&rows.scale);
        let p: Vec<f64> = scaled.map(|(p, s)| p.x / s).collect();
        worst = worst.max(near(&p, &numbers(&case["c_c"]), name));
        // Where the closed form was used it is feasible; where it is not, the problem was solved.
        match found.how {
            Decompression::Closed => {
                closed += 1;
                assert_eq!(case["agrees_with_formula"], true, "{name}");
            }
            Decompression::Solved => solved += 1,
            Decompression::None => {}
        }
        let energies = numbers(&case["energies"]);
        near(&[found.ledger.before], &energies[..1], name);
        near(&[found.ledger.after], &energies[2..3], name);
        assert!(found.ledger.gain() <= 1e-12 * energies[0], "{name}");
    }
    eprintln!("multi-contact: worst {worst:.1e}; {closed} by the closed form, {solved} solved");
    assert!(closed > 0 && solved > 0);
}

/// A thin rod in the plane whose lower end strikes the ground y = 0; the angle is that of the rod above it.
fn rod(case: &Value) -> (ContactProblem, f64) {
    let number = |key: &str| case[key].as_f64().expect(key);
    let (l, m, theta) = (number("l"), number("m"), number("th_deg").to_radians());
    let v = numbers(&case["v_minus"]);
    let lever = DVec3::new(libm::cos(theta), libm::sin(theta), 0.0) * (-0.5 * l);
    let mu = number("mu");
    let law = if mu > 0.0 {
        Law::Cone { mu }
    } else {
        Law::Unilateral
    };
    let problem = ContactProblem {
        floors: Vec::new(),
        inverse_mass: vec![InverseMass {
            mass: 1.0 / m,
            inertia: DMat3::from_diagonal(DVec3::Z * (12.0 / (m * l * l))),
        }],
        nu_free: vec![Twist {
            linear: DVec3::new(v[0], v[1], 0.0),
            angular: DVec3::Z * v[2],
        }],
        contacts: vec![ContactBlock {
            law,
            ..block(DVec3::Y, lever)
        }],
    };
    (problem, number("e"))
}

#[test]
fn a_rod_strikes_the_ground_in_both_readings() {
    let Some(reference) = reference("r6_impacts.json") else {
        return;
    };
    let plane = |nu: &Twist| vec![nu.linear.x, nu.linear.y, nu.angular.z];
    let mut worst: f64 = 0.0;
    for case in reference["rod"].as_array().expect("cases") {
        let (problem, e) = rod(case);
        for (reading, key) in [
            (Reading::Literal, "seed_literal"),
            (Reading::Coupled, "coupled"),
        ] {
            let found = resolve(&problem, &[e], reading);
            let wanted = &case["compression_solutions"][0];
            worst = worst.max(near(
                &plane(&found.nu_c[0]),
                &numbers(&wanted["v_c"]),
                "v_c",
            ));
            let wanted = &wanted[key][0];
            worst = worst.max(near(
                &plane(&found.nu_plus[0]),
                &numbers(&wanted["v_plus"]),
                key,
            ));
            let after = wanted["energy_plus"].as_f64().expect("an energy");
            near(&[found.ledger.after], &[after], "energy");
            let sum =
                found.ledger.normal.iter().sum::<f64>() + found.ledger.friction.iter().sum::<f64>();
            near(&[found.ledger.gain()], &[sum], "the ledger's parts");
        }
    }
    eprintln!("rod: worst difference {worst:.1e}");
}
