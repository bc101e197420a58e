//! Figure 6: the time of one solve against the number of friction directions, for a block on three points.

use super::{Effort, Study};
use crate::field::FieldError;
use std::time::Instant;
use stickslip::geometry::frame::contact_frame;
use stickslip::prelude::*;
use stickslip::solvers::lcp::pyramid::ContactLcp;
use stickslip::solvers::problem::local::LocalProblem;
use stickslip::solvers::problem::{
    Action, Arm, ContactBlock, ContactProblem, InverseMass, Law, Twist,
};
use stickslip::solvers::solver_by_name;
use stickslip_plot::{Axis, Plot};

/// Numbers of directions that are timed.
const DIRECTIONS: [usize; 10] = [3, 4, 5, 6, 8, 12, 16, 24, 32, 48];

/// A block of 1 kg on three points of a plane, sliding towards the given angle with some spin: the problem of a step of
/// 1e-3 s.
fn block(angle: f64, law: &Law) -> ContactProblem {
    let h = 1e-3;
    let (sin, cos) = libm::sincos(angle);
    let feet = [0.0, 1.0, 2.0].map(|k| {
        let (s, c) = libm::sincos(2.0 * std::f64::consts::PI * k / 3.0);
        DVec3::new(0.1 * c, 0.1 * s, -0.05)
    });
    ContactProblem {
        floors: Vec::new(),
        inverse_mass: vec![InverseMass {
            mass: 1.0,
            inertia: DMat3::from_diagonal(DVec3::new(250.0, 250.0, 150.0)),
        }],
        nu_free: vec![Twist {
            linear: DVec3::new(cos, sin, -9.81 * h),
            angular: DVec3::new(0.0, 0.0, 0.3),
        }],
        contacts: feet
            .iter()
            .map(|&lever| ContactBlock {
                frame: contact_frame(DVec3::Z),
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
                law: law.clone(),
            })
            .collect(),
    }
}

/// Size of the mixed LCP with the six velocities kept, as the paper counts.
fn size(directions: usize) -> Result<usize, FieldError> {
    let law = Law::Pyramid {
        mu: 0.3,
        directions,
    };
    let mut local = LocalProblem::default();
    local.assemble(&block(0.0, &law));
    let lcp = ContactLcp::new(&local).map_err(FieldError::Sampling)?;
    Ok(6 + lcp.mixed.q.len())
}

/// Mean time of one solve over directions of sliding all round, µs; the best of several rounds.
fn micros(solver: &str, law: &Law, rounds: usize) -> Result<f64, FieldError> {
    let failed = |what: String| FieldError::Sampling(format!("{solver}: {what}"));
    let mut solver = solver_by_name(solver).ok_or_else(|| failed("unknown".into()))?;
    const ANGLES: usize = 64;
    let problems: Vec<ContactProblem> = (0..ANGLES)
        .map(|k| {
            block(
                0.01 + k as f64 * 2.0 * std::f64::consts::PI / ANGLES as f64,
                law,
            )
        })
        .collect();
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let start = Instant::now();
        for problem in &problems {
            let solved = solver.solve(problem, None, 1e-10);
            solved.map_err(|e| failed(e.to_string()))?;
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e6 / ANGLES as f64);
    }
    Ok(best)
}

/// Lemke's method on the LCP with 3 to 48 directions, and Newton's on the exact cone, both from nothing.
///
/// # Errors
/// A solver that failed.
pub fn solve_time(effort: Effort) -> Result<Study, FieldError> {
    let rounds = match effort {
        Effort::Quick => 3,
        Effort::Full => 20,
    };
    let exact = micros("auto", &Law::Cone { mu: 0.3 }, rounds)?;
    let mut rows = Vec::new();
    for directions in DIRECTIONS {
        let law = Law::Pyramid {
            mu: 0.3,
            directions,
        };
        let lcp = micros("lemke", &law, rounds)?;
        rows.push(vec![
            directions as f64,
            size(directions)? as f64,
            lcp,
            exact,
        ]);
    }
    let crossover = rows.iter().find(|r| r[2] > r[3]).map_or(f64::NAN, |r| r[0]);
    let column = |k: usize| -> Vec<(f64, f64)> { rows.iter().map(|r| (r[0], r[k])).collect() };
    let plot = Plot::new("Time of one solve: a block on three points")
        .x(Axis::linear("number of directions", ""))
        .y(Axis::log("time", "µs"))
        .line("LCP (Lemke)", &column(2))
        .line("exact cone (Newton)", &column(3));
    let mut study = Study {
        id: "plate-fig6",
        title: "Time of one solve against the number of directions",
        columns: vec![
            ("d", ""),
            ("size of the LCP", ""),
            ("LCP", "µs"),
            ("exact cone", "µs"),
        ],
        rows,
        findings: Vec::new(),
        plots: vec![("fig6", plot)],
    };
    let as_printed = study.rows.iter().all(|r| r[1] == 12.0 + 3.0 * r[0]);
    study.find(
        "size of the LCP",
        "12 + 3d",
        if as_printed {
            "12 + 3d for every d"
        } else {
            "another"
        },
    );
    study.find(
        "crossover",
        "about 8 directions",
        format!("{crossover} directions"),
    );
    Ok(study)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lcp_has_twelve_and_three_for_each_direction() {
        for d in [4, 8, 16, 32] {
            assert_eq!(size(d).unwrap(), 12 + 3 * d);
        }
    }

    #[test]
    fn exact_cone_and_many_directions_agree() {
        let solve = |name: &str, law: Law| {
            let problem = block(0.7, &law);
            let solved = solver_by_name(name)
                .unwrap()
                .solve(&problem, None, 1e-10)
                .unwrap();
            let mut nu = Vec::new();
            problem.velocity_into(&solved.impulses, &mut nu);
            nu[0].linear
        };
        let exact = solve("auto", Law::Cone { mu: 0.3 });
        let law = Law::Pyramid {
            mu: 0.3,
            directions: 32,
        };
        assert!((solve("lemke", law) - exact).length() < 3e-4);
    }
}
