//! Painlevé's rod: where no force is legal the step has a finite impulse, and it is the reference's.

use serde_json::Value;
use stickslip::dynamics::methods::Method;
use stickslip::prelude::*;
use stickslip::solvers::SparseMatrix;
use stickslip::solvers::lcp::Lcp;
use stickslip::solvers::lcp::enumerate::all_solutions;
use stickslip::solvers::problem::{Action, Arm, ContactBlock, ContactProblem, InverseMass, Law};
use stickslip::solvers::solver_by_name;
use stickslip_verify::{cuboid, ground, reference};

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key}"))
}

/// A rod of 1 m and 1 kg in the plane x, z whose lower end slides on the ground: the reference's y is our z, and its turn
/// about z is ours about −y.
fn rod(state: &Value, h: f64, method: Method) -> World {
    let theta = number(state, "th_rad");
    let before: Vec<f64> = state["com_velocity_before"]
        .as_array()
        .expect("a velocity")
        .iter()
        .map(|x| x.as_f64().expect("a number"))
        .collect();
    // As thin as numbers let it be; the inertia is that of the line.
    let d = 1e-12;
    let (c, s) = (libm::cos(theta), libm::sin(theta));
    let pose = Pose {
        position: DVec3::new(0.5 * c - 0.5 * d * s, 0.0, 0.5 * s + 0.5 * d * c),
        orientation: stickslip::geometry::pose::exp(DVec3::Y * -theta),
    };
    World::builder()
        .method(method)
        .time_step(h)
        .friction(number(&state["state"], "mu"))
        .body(ground())
        .body(
            cuboid("rod", DVec3::new(1.0, d, d), 1.0)
                .with_inertia(DMat3::from_diagonal(DVec3::new(
                    1.0 / 24.0,
                    1.0 / 12.0,
                    1.0 / 12.0,
                )))
                .with_pose(pose)
                .with_velocity(DVec3::new(before[0], 0.0, before[1]), DVec3::Y * -before[2]),
        )
        .build()
        .expect("a world")
}

/// Sum of the impulses on the rod after one step: normal, along x; and its velocity as the reference writes it.
fn one_step(world: &mut World) -> ([f64; 2], [f64; 3]) {
    let step = world.step().unwrap_or_else(|e| panic!("{e}"));
    let mut sum = DVec3::ZERO;
    for c in &step.contacts {
        // The ground comes first, for it is not free: impulses are those on the rod.
        sum += c.world_impulse();
    }
    let twist = world.body("rod").expect("the rod").twist;
    (
        [sum.z, sum.x],
        [twist.linear.x, twist.linear.z, -twist.angular.y],
    )
}

#[test]
fn the_step_has_the_impulses_of_the_reference() {
    let Some(reference) = reference("r3_painleve.json") else {
        return;
    };
    let mut worst: f64 = 0.0;
    for state in reference["states"].as_array().expect("states") {
        for step in state["steps"].as_array().expect("steps") {
            let h = number(step, "h");
            let mut world = rod(state, h, Method::StewartTrinkle);
            let (p, v) = one_step(&mut world);
            let all = step["velocity_level_scheme"].as_array().expect("solutions");
            let distance = |s: &Value| {
                let wanted = s["v_com_after"].as_array().expect("a velocity");
                let dv = wanted
                    .iter()
                    .zip(v)
                    .map(|(w, v)| (w.as_f64().expect("v") - v).abs());
                dv.fold(0.0, f64::max)
                    .max((number(s, "cn") - p[0]).abs())
                    .max((number(s, "ct") - p[1]).abs())
            };
            let nearest = all.iter().map(distance).fold(f64::INFINITY, f64::min);
            worst = worst.max(nearest);
            assert!(
                nearest < 1e-9,
                "{} h = {h}: off by {nearest:e}",
                state["region"]
            );
        }
    }
    eprintln!("worst difference {worst:.1e}");
}

/// The step's problem written by hand, without shapes: at h = 1e-8 s the rounding of a gap, over h, is larger than what
/// gravity does in the step.
fn problem(state: &Value, h: f64) -> ContactProblem {
    let theta = number(state, "th_rad");
    let v = |k: usize| state["com_velocity_before"][k].as_f64().expect("v");
    let lever = DVec3::new(libm::cos(theta), 0.0, libm::sin(theta)) * -0.5;
    ContactProblem {
        floors: Vec::new(),
        inverse_mass: vec![InverseMass {
            mass: 1.0,
            inertia: DMat3::from_diagonal(DVec3::new(24.0, 12.0, 12.0)),
        }],
        nu_free: vec![stickslip::solvers::problem::Twist {
            linear: DVec3::new(v(0), 0.0, v(1) - 9.81 * h),
            angular: DVec3::Y * -v(2),
        }],
        contacts: vec![ContactBlock {
            frame: stickslip::geometry::frame::contact_frame(DVec3::Z),
            arms: [
                Some(Arm {
                    body: 0,
                    lever,
                    sign: 1.0,
                    action: Action::Force,
                }),
                None,
            ]
            .into(),
            b: DVec3::ZERO,
            compliance: DVec3::ZERO,
            law: Law::Cone {
                mu: number(&state["state"], "mu"),
            },
        }],
    }
}

#[test]
fn the_impulse_stays_finite_as_h_falls_and_tends_to_the_jam() {
    let Some(reference) = reference("r3_painleve.json") else {
        return;
    };
    for state in reference["states"].as_array().expect("states") {
        let jam = &state["jam_limit_h0"];
        if state["region"] != "inconsistent" || jam["valid"] != true {
            continue;
        }
        let mut table = Vec::new();
        for k in 2..=8 {
            let h = libm::pow(10.0, -f64::from(k));
            let mut solver = solver_by_name("auto").expect("auto");
            let solved = solver.solve(&problem(state, h), None, 1e-13);
            let p = solved.expect("a solution").impulses[0];
            let off = (p.x - number(jam, "cn")).abs() + (p.y - number(jam, "ct")).abs();
            table.push((h, p.x, off));
        }
        for pair in table.windows(2) {
            // Falls as h: a tenth each time.
            let ratio = pair[1].2 / pair[0].2;
            assert!((0.09..0.11).contains(&ratio), "{table:?}");
        }
        eprintln!("h, c_n, distance from the jam: {table:.3?}");
    }
}

/// All solutions (c_n, c_t) of one step of a planar contact: u = A p + b with p = (c_n, β₁, β₂), slip along ±x, by the 16 bases.
fn solutions([nn, nt, tt]: [f64; 3], mu: f64, free: [f64; 2]) -> Vec<[f64; 2]> {
    let m = [
        nn, nt, -nt, 0.0, //
        nt, tt, -tt, 1.0, //
        -nt, -tt, tt, 1.0, //
        mu, -1.0, -1.0, 0.0,
    ];
    let lcp = Lcp {
        m: SparseMatrix::from_dense(4, 4, &m),
        q: vec![free[0], free[1], -free[1], 0.0],
    };
    // A stick has several bases with the same net friction.
    let mut found: Vec<[f64; 2]> = Vec::new();
    for z in all_solutions(&lcp, 1e-12).expect("a small LCP") {
        let p = [z[0], z[1] - z[2]];
        let same = |q: &[f64; 2]| (p[0] - q[0]).abs() + (p[1] - q[1]).abs() < 1e-9;
        if !found.iter().any(same) {
            found.push(p);
        }
    }
    found
}

fn count(state: &Value, free: [f64; 2]) -> usize {
    let a = [0, 1, 2].map(|k| state["A_nn_nt_tt"][k].as_f64().expect("A"));
    solutions(a, number(&state["state"], "mu"), free).len()
}

#[test]
fn both_schemes_have_as_many_solutions_as_the_reference_counts() {
    let Some(reference) = reference("r3_painleve.json") else {
        return;
    };
    for state in reference["states"].as_array().expect("states") {
        let vt = state["contact_velocity_before_t_n"][0].as_f64().expect("v");
        for step in state["steps"].as_array().expect("steps") {
            let h = number(step, "h");
            // Normals at q ⊕ hν see the centripetal term; at q they do not.
            for (key, b) in [
                ("with_centripetal", number(state, "b_n")),
                ("velocity_level_scheme", -9.81),
            ] {
                let omega = number(&state["state"], "om");
                let theta = number(state, "th_rad");
                let slip = if key == "with_centripetal" {
                    // The contact's tangential velocity changes with the lever too.
                    vt + h * 0.5 * omega * omega * libm::cos(theta)
                } else {
                    vt
                };
                let found = count(state, [h * b, slip]);
                let wanted = step[key].as_array().expect("solutions").len();
                assert_eq!(found, wanted, "{} {key} h = {h}", state["region"]);
            }
        }
    }
}

#[test]
fn anitescu_and_stewart_trinkle_agree_as_h_falls() {
    let Some(reference) = reference("r3_painleve.json") else {
        return;
    };
    for state in reference["states"].as_array().expect("states") {
        if state["region"] != "inconsistent" {
            continue;
        }
        for k in 2..=6 {
            let h = libm::pow(10.0, -f64::from(k));
            let (p, _) = one_step(&mut rod(state, h, Method::StewartTrinkle));
            let (q, _) = one_step(&mut rod(state, h, Method::Anitescu));
            let off = (p[0] - q[0]).abs() + (p[1] - q[1]).abs();
            assert!(off < 20.0 * h, "h = {h}: {p:?} {q:?}");
        }
    }
}

/// The rows of Anitescu's step, written by hand: everything at q ⊕ hν, an open gap over h beside the velocity.
fn anitescu_solutions(state: &Value, h: f64) -> Vec<[f64; 2]> {
    let theta = number(state, "th_rad");
    let [vx, vy, omega] = [0, 1, 2].map(|k| state["com_velocity_before"][k].as_f64().expect("v"));
    let (s, c) = (libm::sin(theta + h * omega), libm::cos(theta + h * omega));
    let gap = 0.5 * libm::sin(theta) + h * vy - 0.5 * s;
    let a = [1.0 + 3.0 * c * c, -3.0 * s * c, 1.0 + 3.0 * s * s];
    let normal = gap.max(0.0) / h + vy - 9.81 * h - 0.5 * c * omega;
    let mu = number(&state["state"], "mu");
    solutions(a, mu, [normal, vx + 0.5 * s * omega])
}

#[test]
fn anitescu_steps_to_one_of_its_own_solutions() {
    let Some(reference) = reference("r3_painleve.json") else {
        return;
    };
    let (mut worst, mut three): (f64, usize) = (0.0, 0);
    for state in reference["states"].as_array().expect("states") {
        for step in state["steps"].as_array().expect("steps") {
            let h = number(step, "h");
            let own = anitescu_solutions(state, h);
            let stored = step["with_centripetal"].as_array().expect("solutions");
            // The reference counts them to first order in h: a turn by h ω = 0.1 can leave the region where there are three.
            if h < 5e-3 {
                assert_eq!(own.len(), stored.len(), "{} h = {h}", state["region"]);
            }
            three += usize::from(own.len() == 3);
            let (p, _) = one_step(&mut rod(state, h, Method::Anitescu));
            let off = |q: [f64; 2]| (p[0] - q[0]).abs() + (p[1] - q[1]).abs();
            let nearest = own.iter().map(|q| off(*q)).fold(f64::INFINITY, f64::min);
            assert!(nearest < 1e-9, "{} h = {h}: {nearest:e}", state["region"]);
            worst = worst.max(nearest);
            // Without a turn both documents' steps are the same problem.
            if number(&state["state"], "om") == 0.0 {
                let of = |s: &Value| off([number(s, "cn"), number(s, "ct")]);
                let nearest = stored.iter().map(of).fold(f64::INFINITY, f64::min);
                assert!(nearest < 1e-9, "h = {h}: {nearest:e}");
            }
        }
    }
    eprintln!("worst difference {worst:.1e}; {three} steps with three solutions");
}
