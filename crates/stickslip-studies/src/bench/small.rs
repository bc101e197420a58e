//! `stickslip bench small`: problems of one to four contacts, cold and warm.

use crate::statistics::quantile;
use serde_json::json;
use std::fmt::Write as _;
use std::time::Instant;
use stickslip::prelude::DVec3;
use stickslip::solvers::auto::Auto;
use stickslip::solvers::problem::generate::{random_mu, random_problem};
use stickslip::solvers::problem::{ContactProblem, Law, Twist};
use stickslip::solvers::solver::ContactSolver as _;
use stickslip_console::{Failure, Verdict, print_as};
use stickslip_random::Random;

/// Decades of mass: a dust grain of a milligram on a tonne.
const DECADES: f64 = 12.0;
/// Tolerance, m/s.
const TOLERANCE: f64 = 1e-10;
/// From one step to the next the free velocities change by this much of themselves.
const CHANGE: f64 = 0.01;
/// A time is the best of so many: what else goes on in the machine does not count.
const ROUNDS: usize = 3;

/// One number of contacts.
#[derive(Default)]
struct SizeTimes {
    contacts: usize,
    problems: usize,
    unsolved: usize,
    /// µs, sorted.
    cold: Vec<f64>,
    warm: Vec<f64>,
}

pub(crate) fn run(json: bool, count: usize) -> Result<Verdict, Failure> {
    let mut rows: Vec<SizeTimes> = (1..=4)
        .map(|contacts| SizeTimes {
            contacts,
            ..SizeTimes::default()
        })
        .collect();
    let mut random = Random::new(5);
    let mut auto = Auto::default();
    for k in 0..count {
        let row = &mut rows[k % 4];
        let mut law = |r: &mut Random| Law::Cone { mu: random_mu(r) };
        let mut problem = random_problem(&mut random, row.contacts, DECADES, &mut law);
        row.problems += 1;
        let Some((micros, impulses)) = timed(&mut auto, &problem, None) else {
            row.unsolved += 1;
            continue;
        };
        row.cold.push(micros);
        for nu in &mut problem.nu_free {
            let factor = 1.0 + CHANGE * random.signed();
            *nu = Twist {
                linear: nu.linear * factor,
                angular: nu.angular * factor,
            };
        }
        match timed(&mut auto, &problem, Some(&impulses)) {
            Some((micros, _)) => row.warm.push(micros),
            None => row.unsolved += 1,
        }
    }
    for row in &mut rows {
        row.cold.sort_by(f64::total_cmp);
        row.warm.sort_by(f64::total_cmp);
    }
    print_as(json, || json_of(&rows), || text_of(&rows))?;
    Ok(Verdict::of(rows.iter().all(|r| r.unsolved == 0)))
}

/// µs and impulses; None where it is not solved.
fn timed(
    auto: &mut Auto,
    problem: &ContactProblem,
    guess: Option<&[DVec3]>,
) -> Option<(f64, Vec<DVec3>)> {
    let mut best = f64::INFINITY;
    let mut impulses = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let solved = auto.solve(problem, guess, TOLERANCE).ok()?;
        best = best.min(start.elapsed().as_secs_f64() * 1e6);
        impulses = solved.impulses;
    }
    Some((best, impulses))
}

fn text_of(rows: &[SizeTimes]) -> String {
    let mut out = String::from(
        "Random problems by `auto`: open, sticking, sliding and doubled contacts, friction from 0 to 10, masses over 12\n\
         decades, to 1e-10 m/s. Warm: free velocities changed by up to 1 %, started from the impulses before.\n\n\
         contacts  problems  unsolved   cold median      p99   warm median      p99\n",
    );
    for row in rows {
        let _ = writeln!(
            out,
            "{:8}  {:8}  {:8}  {:9.2} µs  {:6.1}  {:9.2} µs  {:6.1}",
            row.contacts,
            row.problems,
            row.unsolved,
            quantile(&row.cold, 0.5),
            quantile(&row.cold, 0.99),
            quantile(&row.warm, 0.5),
            quantile(&row.warm, 0.99),
        );
    }
    out
}

fn json_of(rows: &[SizeTimes]) -> serde_json::Value {
    let times = |t: &[f64]| json!({"median_us": quantile(t, 0.5), "p99_us": quantile(t, 0.99)});
    let rows: Vec<_> = rows
        .iter()
        .map(|r| {
            json!({
                "contacts": r.contacts, "problems": r.problems, "unsolved": r.unsolved,
                "cold": times(&r.cold), "warm": times(&r.warm),
            })
        })
        .collect();
    json!({"small": rows})
}
