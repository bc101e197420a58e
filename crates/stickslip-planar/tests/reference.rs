//! The independent reference solutions, case by case.

mod common;

use common::{all, distance, reference, rod};
use serde_json::Value;
use stickslip_planar::{Options, State, closed_modes, solve};

const TOLERANCE: f64 = 1e-7;

fn triple(value: &Value) -> [f64; 3] {
    let x: Vec<f64> = value
        .as_array()
        .expect("an array")
        .iter()
        .map(|x| x.as_f64().expect("a number"))
        .collect();
    [x[0], x[1], x[2]]
}

fn triples(value: &Value) -> Vec<[f64; 3]> {
    value
        .as_array()
        .map(|list| list.iter().map(triple).collect())
        .unwrap_or_default()
}

fn same_set(a: &[[f64; 3]], b: &[[f64; 3]]) -> bool {
    a.len() == b.len()
        && a.iter()
            .all(|x| b.iter().any(|y| distance(*x, *y) < TOLERANCE))
}

#[test]
fn every_class_of_all_cases() {
    let Some(text) = reference("r4_erdmann.json") else {
        return;
    };
    let data: Value = serde_json::from_str(&text).unwrap();
    let cases = data["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 36);
    let mut failures = Vec::new();
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let state = State::from_json(&case["input"].to_string()).unwrap();
        let answer = all(&state);
        let classes = case["classes"].as_array().unwrap();
        let mut ok = classes.len() == answer.sets.len();
        let mut used = vec![false; answer.sets.len()];
        for class in classes {
            let (vertices, rays) = (triples(&class["vertices"]), triples(&class["rays"]));
            let found = answer
                .sets
                .iter()
                .position(|s| same_set(&s.vertices, &vertices) && same_set(&s.rays, &rays));
            match found {
                Some(i) if !used[i] => {
                    used[i] = true;
                    let solution = &answer.sets[i];
                    if !answer.active.is_empty() {
                        let expected: Vec<&str> = class["modes"]
                            .as_array()
                            .unwrap()
                            .iter()
                            .map(|m| m.as_str().unwrap())
                            .collect();
                        let modes = closed_modes(&state, &Options::default(), solution);
                        if modes != expected {
                            failures
                                .push(format!("{name}: modes {modes:?}, expected {expected:?}"));
                        }
                        if let Some(strict) = class["strict_modes"].as_array() {
                            assert_eq!(strict[0].as_str().unwrap(), solution.mode, "{name}");
                        }
                    }
                }
                _ => ok = false,
            }
        }
        for key in ["active", "dropped_separating"] {
            let expected: Vec<usize> = case[key]
                .as_array()
                .unwrap()
                .iter()
                .map(|i| i.as_u64().unwrap() as usize)
                .collect();
            let ours = if key == "active" {
                &answer.active
            } else {
                &answer.separating
            };
            assert_eq!(&expected, ours, "{name}");
        }
        for (key, ours) in [("h", &answer.h), ("contact_vt", &answer.slip)] {
            for (x, y) in case[key].as_array().unwrap().iter().zip(ours) {
                assert!((x.as_f64().unwrap() - y).abs() < 1e-12, "{name} {key}");
            }
        }
        if !ok {
            failures.push(format!(
                "{name}: ours {:#?}\n theirs {classes:?}",
                answer.sets
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn painleve_regions() {
    let Some(text) = reference("r3_painleve.json") else {
        return;
    };
    let data: Value = serde_json::from_str(&text).unwrap();
    for entry in data["states"].as_array().unwrap() {
        let given = &entry["state"];
        let theta = given["th_deg"].as_f64().unwrap().to_radians();
        let mut state = rod(theta, given["mu"].as_f64().unwrap(), 1.0);
        let expected = entry["force_level_solutions"].as_array().unwrap();
        // The centre of mass moves so that the contact has velocity (vt, 0).
        state.velocity = triple(&entry["com_velocity_before"]);
        let answer = solve(&state, &Options::default()).unwrap();
        assert_eq!(answer.sets.len(), expected.len(), "{given}: {answer:#?}");
        println!("{} -> {}", entry["region"], answer.status().word());
    }
    // Onset of the paradox: K = 0 at the tabulated angles and coefficients.
    for entry in data["boundaries"]["by_theta"].as_array().unwrap() {
        let theta = entry["theta_deg"].as_f64().unwrap().to_radians();
        let mu_c = entry["mu_c"].as_f64().unwrap();
        for (factor, solutions) in [(1.0 - 1e-7, 1), (1.0 + 1e-7, 0)] {
            let mut state = rod(theta, mu_c * factor, 1.0);
            state.velocity = [-1.0, 0.0, 0.0];
            assert_eq!(all(&state).sets.len(), solutions, "{entry}");
        }
    }
    for entry in data["boundaries"]["by_mu"].as_array().unwrap() {
        let mu = entry["mu"].as_f64().unwrap();
        if entry["theta_lo_deg"] == entry["theta_hi_deg"] {
            // At the least mu with a paradox its angles shrink to one, where K only touches zero.
            continue;
        }
        for key in ["theta_lo_deg", "theta_hi_deg"] {
            let Some(edge) = entry[key].as_f64() else {
                continue;
            };
            let inward = if key == "theta_lo_deg" { 1.0 } else { -1.0 };
            for (step, solutions) in [(1e-6, 0), (-1e-6, 1)] {
                let mut state = rod((edge + inward * step).to_radians(), mu, 1.0);
                state.velocity = [-1.0, 0.0, 0.0];
                assert_eq!(all(&state).sets.len(), solutions, "{entry} {key}");
            }
        }
    }
}
