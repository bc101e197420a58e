//! `stickslip bench cannonball`: the piles of Anitescu's table, on the exact cone and as LCPs.

use crate::stored::Budget;
use crate::stored::peers::{self, NoAnswer};
use serde_json::{Value, json};
use std::time::Instant;
use stickslip::prelude::{BodySpec, Cone, DVec3, Shape, World};
use stickslip::problems::stored::{StoredAnswer, StoredProblem};
use stickslip::solvers::problem::Twist;
use stickslip::solvers::problem::residual::of_step;
use stickslip::solvers::solver_by_name;
use stickslip_console::{Failure, Verdict, print, print_json, seconds};

/// The document's rows: balls in the lowest row (its 10, 21, 36, 55 and 210 bodies are triangular numbers),
/// μ, its contacts and its seconds.
pub(crate) const ROWS: [(usize, f64, usize, Option<f64>); 11] = [
    (4, 0.2, 21, Some(0.04)),
    (4, 0.8, 21, Some(0.03)),
    (6, 0.2, 52, Some(0.28)),
    (6, 0.8, 52, Some(0.20)),
    (8, 0.2, 93, Some(0.81)),
    (8, 0.8, 93, Some(0.82)),
    (10, 0.2, 146, Some(2.10)),
    (10, 0.8, 146, Some(2.07)),
    (20, 0.0, 574, Some(0.80)),
    (20, 0.2, 574, Some(174.29)),
    (20, 0.8, 574, None),
];

pub(crate) const CONES: [(&str, Cone); 3] = [
    ("quadratic", Cone::Quadratic),
    ("pyramid:4", Cone::Pyramid(4)),
    ("pyramid:8", Cone::Pyramid(8)),
];

/// Largest residual that counts as solved, m/s.
pub(crate) const TOLERANCE: f64 = 1e-10;

pub(crate) fn run(as_json: bool, alone: bool) -> Result<Verdict, Failure> {
    let mut rows = Vec::new();
    let mut absent: Vec<&'static str> = Vec::new();
    if !as_json {
        print(
            "Planar piles: balls of radius 0.1 m and 1 kg, rows of k, k - 1, ..., 1, each touching its neighbours,\n\
             on level ground; first step from rest, h = 0.05 s, solved from nothing by `auto`.\n\
             The document does not state its arrangement: its contacts stand beside ours.\n\n\
             bodies  contacts (document)    mu  document   cone            time   residual  iterations  motion",
        )?;
    }
    let mut good = true;
    for (base, mu, contacts, theirs) in ROWS {
        for (name, cone) in CONES {
            let row = solve(base, mu, cone)?;
            good &= row.residual <= TOLERANCE;
            if !as_json {
                print(&format!(
                    "{:>6}  {:>8} ({contacts:>8})  {mu:>4}  {:>8}   {name:<10} {:>9}   {:>8.1e}  {:>10}  {}",
                    base * (base + 1) / 2,
                    row.contacts,
                    theirs.map_or("FAIL".into(), |s| format!("{s} s")),
                    seconds(row.seconds),
                    row.residual,
                    row.iterations,
                    row.motion()
                ))?;
            }
            let mut json = row.json(base, mu, name, contacts, theirs);
            if !alone {
                for (peer, answer) in ask_peers(base, mu, cone, &mut absent)? {
                    let (words, value) = told(&answer);
                    if !as_json {
                        print(&format!("{:>39}   {peer:<10} {words}", ""))?;
                    }
                    json["peers"][peer] = value;
                }
            }
            rows.push(json);
        }
    }
    if as_json {
        print_json(&json!({ "tolerance": TOLERANCE, "rows": rows }))?;
    }
    Ok(Verdict::of(good))
}

/// Seconds for each of a peer's solvers.
const LIMIT: f64 = 20.0;

/// A peer's name and what it came to.
type Asked = (&'static str, Result<(StoredAnswer, f64), NoAnswer>);

/// Other people's solvers on the same pile, but for those in `absent`: once is enough to say that a peer is not here.
fn ask_peers(
    base: usize,
    mu: f64,
    cone: Cone,
    absent: &mut Vec<&'static str>,
) -> Result<Vec<Asked>, Failure> {
    let mut world = pile(base, mu, cone)?;
    let problem = world
        .next_problem()
        .map_err(|e| Failure::Work(e.to_string()))?;
    let stored = StoredProblem::of_step(problem).map_err(Failure::Work)?;
    let mut answers = Vec::new();
    for peer in peers::names_for(&stored) {
        if absent.contains(&peer) {
            continue;
        }
        let answer = peers::solve(&stored, peer, TOLERANCE, LIMIT, Budget::ONCE);
        let Some(answer) = answer else {
            continue;
        };
        if matches!(answer, Err(NoAnswer::Absent(_))) {
            absent.push(peer);
        }
        answers.push((peer, answer));
    }
    Ok(answers)
}

/// What a peer came to, for people and as JSON. Its residual is relative to the data, as its makers measure it.
fn told(answer: &Result<(StoredAnswer, f64), NoAnswer>) -> (String, Value) {
    match answer {
        Ok((a, elapsed)) => (
            format!(
                "{:>9}   {:>8.1e}  {:>10}  {} ({})",
                seconds(*elapsed),
                a.residual,
                a.iterations,
                a.status,
                a.solver
            ),
            json!({ "seconds": elapsed, "residual": a.residual, "status": a.status, "solver": a.solver }),
        ),
        Err(NoAnswer::Absent(why) | NoAnswer::Failed(why)) => {
            (why.clone(), json!({ "status": "no answer", "why": why }))
        }
    }
}

pub(crate) struct PileStep {
    pub(crate) contacts: usize,
    pub(crate) seconds: f64,
    /// Of the law, m/s.
    pub(crate) residual: f64,
    iterations: usize,
    /// Of the fastest ball at the end of the step, m/s.
    speed: f64,
}

impl PileStep {
    pub(crate) fn motion(&self) -> &'static str {
        if self.residual > TOLERANCE {
            "not solved"
        } else if self.speed <= 10.0 * TOLERANCE {
            "rests"
        } else {
            "collapses"
        }
    }

    fn json(
        &self,
        base: usize,
        mu: f64,
        cone: &str,
        contacts: usize,
        theirs: Option<f64>,
    ) -> Value {
        json!({
            "bodies": base * (base + 1) / 2, "contacts": self.contacts, "mu": mu, "cone": cone,
            "seconds": self.seconds, "residual": self.residual, "iterations": self.iterations,
            "motion": self.motion(), "document": { "contacts": contacts, "seconds": theirs },
        })
    }
}

/// The first step's problem, solved from nothing.
pub(crate) fn solve(base: usize, mu: f64, cone: Cone) -> Result<PileStep, Failure> {
    let mut world = pile(base, mu, cone)?;
    let problem = world
        .next_problem()
        .map_err(|e| Failure::Work(e.to_string()))?;
    let Some(mut solver) = solver_by_name("auto") else {
        return Err(Failure::Work("there is no solver `auto`".into()));
    };
    let start = Instant::now();
    let result = solver.solve(problem, None, 0.1 * TOLERANCE);
    let seconds = start.elapsed().as_secs_f64();
    let (p, iterations) = match result {
        Ok(solved) => (solved.impulses, solved.iterations),
        Err(_) => (vec![DVec3::ZERO; problem.contacts.len()], 0),
    };
    let mut nu: Vec<Twist> = Vec::new();
    let (residual, _) = of_step(problem, &p, &mut nu);
    Ok(PileStep {
        contacts: problem.contacts.len(),
        seconds,
        residual,
        iterations,
        speed: nu.iter().map(|t| t.linear.length()).fold(0.0, f64::max),
    })
}

/// Rows of base, base - 1, …, 1 balls in the x-z plane.
pub(crate) fn pile(base: usize, mu: f64, cone: Cone) -> Result<World, Failure> {
    let r = 0.1;
    let fail = |e: &dyn std::error::Error| Failure::Work(e.to_string());
    let ground = Shape::half_space(DVec3::Z, 0.0).map_err(|e| fail(&e))?;
    let ball = Shape::ball(r).map_err(|e| fail(&e))?;
    let mut builder = World::builder()
        .friction(mu)
        .time_step(0.05)
        .cone(cone)
        .body(BodySpec::fixed("ground", ground));
    for level in 0..base {
        for k in 0..base - level {
            let x = r * (2 * k + level) as f64;
            let z = r * (1.0 + level as f64 * 3.0_f64.sqrt());
            let name = format!("ball[{level}][{k}]");
            builder =
                builder.body(BodySpec::free(name, ball.clone(), 1.0).at(DVec3::new(x, 0.0, z)));
        }
    }
    Ok(builder.build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows that take longest in the document, 210 balls that collapse: one of them was once left unsolved, and nobody saw it.
    #[test]
    fn the_largest_pile_is_solved_on_every_cone() {
        for (name, cone) in CONES {
            let row = solve(20, 0.2, cone).expect("a pile");
            assert!(row.residual <= TOLERANCE, "{name}: {:e}", row.residual);
            assert_eq!(row.motion(), "collapses", "{name}");
        }
    }
}
