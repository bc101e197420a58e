//! Stored problems against the clock: read, solved by a name, repeated, judged.

pub mod folder;
pub mod peers;

use peers::NoAnswer;
use std::path::Path;
use std::time::Instant;
use stickslip::prelude::DVec3;
use stickslip::problems::prepared::{Attempt, Prepared};
use stickslip::problems::stored::{StoredAnswer, StoredProblem};
use stickslip::solvers::limit::Limit;
use stickslip::solvers::problem::residual;
use stickslip_console::Failure;

/// Seconds within which a solve is repeated, five times at least unless that takes ten times as long: what is told is the
/// best of its times, the first of which also pays for fresh memory.
#[derive(Clone, Copy)]
pub struct Budget(pub f64);

impl Budget {
    /// One solve.
    pub const ONCE: Self = Self(0.0);
}

/// Reads a problem file of any known kind.
pub fn read(path: &Path) -> Result<StoredProblem, Failure> {
    StoredProblem::read(path).map_err(|e| Failure::Input(format!("{}: {e}", path.display())))
}

/// Is it a length of time?
pub fn check_limit(limit: Option<f64>) -> Result<(), Failure> {
    match limit {
        Some(limit) if !(limit > 0.0 && limit.is_finite()) => Err(Failure::Input(format!(
            "--limit {limit}: expected a positive number of seconds"
        ))),
        _ => Ok(()),
    }
}

/// Values as impulses.
#[must_use]
pub fn impulses(values: &[f64]) -> Vec<DVec3> {
    values.chunks_exact(3).map(DVec3::from_slice).collect()
}

/// The answer of a solver, ours or a peer, and the seconds it took.
pub fn solve(
    problem: &StoredProblem,
    solver: &str,
    tolerance: f64,
    limit: Option<f64>,
    budget: Budget,
) -> Result<(StoredAnswer, f64), Failure> {
    // Seconds for each of a peer's own solvers.
    const LIMIT: f64 = 10.0;
    let for_peers = limit.unwrap_or(LIMIT);
    if let Some(answer) = peers::solve(problem, solver, tolerance, for_peers, budget) {
        return answer.map_err(|no| match no {
            NoAnswer::Absent(why) | NoAnswer::Failed(why) => {
                Failure::Work(format!("--solver {solver}: {why}"))
            }
        });
    }
    let mut prepared =
        Prepared::new(problem, solver).ok_or_else(|| unknown_solver(problem, solver))?;
    let clock = limit.map(Limit::seconds);
    let late = || clock.as_ref().is_some_and(Limit::is_reached);
    let (attempt, seconds) = repeat(&mut prepared, tolerance, budget, &late);
    let mut answer = attempt.judge(problem, tolerance).ok_or_else(|| {
        Failure::Work(format!(
            "--solver {solver}: its answer has the wrong length"
        ))
    })?;
    if let Some(limit) = limit.filter(|_| late() && answer.status == "not converged") {
        answer.status = "out of time";
        answer.note = format!(
            "not solved: limit of {limit} s reached, best residual {:.2e}",
            answer.residual
        );
    }
    if answer.status == "solved"
        && let Some(text) = off_in_velocities(problem, &answer.values)
    {
        answer.note = text;
    }
    Ok((answer, seconds))
}

fn unknown_solver(problem: &StoredProblem, solver: &str) -> Failure {
    let names: Vec<&str> = problem
        .solvers()
        .iter()
        .copied()
        .chain(peers::names())
        .collect();
    Failure::Input(format!(
        "--solver {solver}: for this kind of problem expected one of {}",
        names.join(", ")
    ))
}

/// Solves until the budget is spent or it is late; the answer and the best time, s.
fn repeat(
    prepared: &mut Prepared,
    tolerance: f64,
    budget: Budget,
    late: &dyn Fn() -> bool,
) -> (Attempt, f64) {
    let (mut spent, mut best, mut runs) = (0.0, f64::INFINITY, 0);
    let mut first = None;
    loop {
        let start = Instant::now();
        let attempt = prepared.attempt(tolerance);
        let elapsed = start.elapsed().as_secs_f64();
        // A repetition that the limit cut short says nothing.
        if late()
            && let Some(first) = first
        {
            return (first, best);
        }
        spent += elapsed;
        best = elapsed.min(best);
        runs += 1;
        if late() || spent >= budget.0 && (runs >= 5 || spent >= 10.0 * budget.0) {
            return (attempt, best);
        }
        first.get_or_insert(attempt);
    }
}

/// What the scaling of the collections does not see: where bodies are light, impulses are small beside |q|, and an answer within
/// the tolerance may be far off in velocities.
fn off_in_velocities(problem: &StoredProblem, values: &[f64]) -> Option<String> {
    const NOTABLE: f64 = 1e-4;
    let StoredProblem::Contact(local) = problem else {
        return None;
    };
    let (off, at) = residual::of_local(local, &impulses(values));
    let speed = local.q.iter().fold(0.0, |m: f64, q| m.max(q.length()));
    (off > NOTABLE * speed).then(|| {
        format!(
            "contact {at} is off by {off:.1e} m/s, where velocities are up to {speed:.1e}: this scaling says little of light bodies. \
             Ask for a smaller --tol; steps of `run --dump-blocks` are judged in m/s"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip::prelude::DMat3;
    use stickslip::solvers::problem::Law;
    use stickslip::solvers::problem::delassus::Delassus;
    use stickslip::solvers::problem::local::LocalProblem;

    #[test]
    fn velocities_that_the_scaling_hides_are_told() {
        // A microgram: an impulse that is a hundredth too large is 1e-11 N s off, and 1e-2 m/s.
        let w = DMat3::IDENTITY * 1e9;
        let problem = StoredProblem::Contact(LocalProblem {
            delassus: Delassus::from_blocks(1, vec![(0, 0, w)]),
            q: vec![DVec3::NEG_X],
            laws: vec![Law::Cone { mu: 0.5 }],
        });
        let told = |p: f64| off_in_velocities(&problem, &[p, 0.0, 0.0]);
        assert_eq!(told(1e-9), None);
        let note = told(1.01e-9).expect("a word");
        assert!(note.starts_with("contact 0 is off by 1.0e-2 m/s"), "{note}");
    }

    /// docs/solvers.md has a row for every solver, in the order of the registry, with the laws it takes.
    #[test]
    fn the_page_of_solvers_lists_them_all() {
        const PAGE: &str = include_str!("../../../../docs/solvers.md");
        let rows = PAGE
            .lines()
            .skip_while(|line| !line.starts_with("| name | takes |"));
        let rows = rows.skip(2).take_while(|line| line.starts_with('|'));
        let told: Vec<String> = rows
            .map(|line| line.split(" | ").take(2).collect::<Vec<_>>().join(" | "))
            .collect();
        let row = |e: &stickslip::solvers::registry::Entry| format!("| `{}` | {}", e.name, e.takes);
        let known: Vec<String> = stickslip::solvers::registry::SOLVERS
            .iter()
            .map(row)
            .collect();
        assert_eq!(told, known);
    }
}
