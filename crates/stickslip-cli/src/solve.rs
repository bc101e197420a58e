//! `stickslip solve`: one stored complementarity or frictional contact problem, or a folder of them.

use crate::collection::Collection;
use crate::output::{Failure, Verdict, print, print_json, seconds};
use crate::peers::{self, NoAnswer};
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stickslip::prelude::DVec3;
use stickslip::problems::json::step::StepFile;
use stickslip::problems::prepared::Prepared;
use stickslip::problems::stored::{StoredAnswer, StoredProblem};
use stickslip::solvers::limit::Limit;
use stickslip::solvers::problem::local::LocalProblem;
use stickslip::solvers::problem::residual::{self, LawParts};

/// Solve a stored complementarity or frictional contact problem
///
/// Reads FCLIB files (.hdf5), LCPs, mixed LCPs and steps in JSON, and Matrix Market pairs (NAME_M.mtx, NAME_q.mtx).
/// The residual is recomputed from the answer: Siconos' scaling for contact, |min(z, w)|/|q| for
/// complementarity, m/s for a step. Exit 1 where it misses the tolerance.
///
/// With --all every problem of a folder is solved, by each solver of a list; where there are several, the
/// table ends in their performance profile: the share of problems that each solves within a factor of the
/// fastest. Solvers of other people count too, where they are installed: siconos (Debian's python3-siconos) and
/// path (gamspy from PyPI; LCPs only).
///
/// Example: stickslip solve problem.hdf5 --solver auto --tol 1e-8
///          stickslip solve --all problems --solver auto,lemke --plot profile.svg
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The problem file, or a folder with --all
    problem: PathBuf,
    /// The method: auto, newton, nsgs, interior-point, homotopy, proximal, admm, staggered, relaxation (contact);
    /// auto, lemke, interior-point, pgs (complementarity); those of a run (step); siconos, path; with --all a list such
    /// as auto,nsgs
    #[arg(long, value_name = "S", default_value = "auto")]
    solver: String,
    /// Largest residual that counts as solved
    #[arg(long, value_name = "T", default_value_t = 1e-8)]
    tol: f64,
    /// Seconds for a problem (with --all: for each problem and solver); what is not solved by then is told with the best
    /// residual. Without it there is no limit, but for 10 s to each method of a peer
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    limit: Option<f64>,
    /// Solve every problem of the folder and print a table
    #[arg(long)]
    all: bool,
    /// With --all: draw the performance profile (.svg or .png)
    #[arg(long, value_name = "FILE", requires = "all")]
    plot: Option<PathBuf>,
    /// Write the impulses r (or z) to this file, one number a line, in the problem's own order
    #[arg(long, value_name = "FILE", conflicts_with = "all")]
    impulses: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Is it a length of time?
pub(crate) fn check_limit(limit: Option<f64>) -> Result<(), Failure> {
    match limit {
        Some(limit) if !(limit > 0.0 && limit.is_finite()) => Err(Failure::Input(format!(
            "--limit {limit}: expected a positive number of seconds"
        ))),
        _ => Ok(()),
    }
}

impl Args {
    pub(crate) fn run(self) -> Result<Verdict, Failure> {
        if !(self.tol > 0.0 && self.tol.is_finite()) {
            return Err(Failure::Input(format!(
                "--tol {}: expected a positive number",
                self.tol
            )));
        }
        check_limit(self.limit)?;
        if self.all {
            Collection::read(&self.problem)?.solve(
                &self.solver,
                self.tol,
                self.limit,
                self.json,
                self.plot.as_deref(),
            )
        } else {
            self.solve_one()
        }
    }

    fn solve_one(&self) -> Result<Verdict, Failure> {
        let problem = read(&self.problem)?;
        let (answer, elapsed) = solve(&problem, &self.solver, self.tol, self.limit, Budget::ONCE)?;
        if let Some(path) = &self.impulses {
            let mut text = String::new();
            for x in &answer.values {
                // Writing to a String cannot fail.
                let _ = writeln!(text, "{x:?}");
            }
            std::fs::write(path, text).map_err(|e| {
                Failure::Input(format!("{}: cannot be written: {e}", path.display()))
            })?;
        }
        if self.json {
            print_json(&json_of(&problem, &answer, elapsed))?;
        } else {
            print(&format!(
                "{}\n  {}\n  {} by {} in {} ({} iterations)\n  residual {:.2e} (by |q|: {:.2e}) against {:.0e}",
                self.problem.display(),
                problem.describe(),
                answer.status,
                answer.solver,
                seconds(elapsed),
                answer.iterations,
                answer.residual,
                answer.residual_faf,
                self.tol
            ))?;
            if let Some(parts) = parts(&problem, &answer) {
                print(&format!(
                    "  the law at its worst contact: approach {:.1e} m/s, pull {:.1e} N s, open and pressed {:.1e} m/s,\n  \
                     outside the cone {:.1e} N s, dissipation lacking {:.1e} J (in the units of the file)",
                    parts.penetration_rate,
                    parts.pull,
                    parts.gap_with_impulse,
                    parts.cone_excess,
                    parts.dissipation_gap
                ))?;
            }
            if let Some(text) = of_step(&problem, &answer) {
                print(&text)?;
            }
            if !answer.note.is_empty() {
                print(&format!("  {}", answer.note))?;
            }
        }
        Ok(verdict(answer.status == "solved"))
    }
}

/// Values as impulses.
fn impulses(values: &[f64]) -> Vec<DVec3> {
    values.chunks_exact(3).map(DVec3::from_slice).collect()
}

/// The parts of the law for a contact problem.
fn parts(problem: &StoredProblem, answer: &StoredAnswer) -> Option<LawParts> {
    let p = impulses(&answer.values);
    match problem {
        StoredProblem::Contact(problem) => Some(LawParts::largest(problem, &p)),
        StoredProblem::Step(file) => {
            let mut local = LocalProblem::default();
            local.assemble(&file.problem);
            Some(LawParts::largest(&local, &p))
        }
        StoredProblem::Complementarity(_) => None,
    }
}

/// Of a step: where its residual is largest, and what the impulses of its file are worth.
fn of_step(problem: &StoredProblem, answer: &StoredAnswer) -> Option<String> {
    let StoredProblem::Step(file) = problem else {
        return None;
    };
    let mut nu = Vec::new();
    let (_, worst) = residual::of_step(&file.problem, &impulses(&answer.values), &mut nu);
    let mut lines = Vec::new();
    if !file.problem.contacts.is_empty() {
        lines.push(format!("  worst: {}", file.block_name(worst)));
    }
    if let Some(own) = own(file, answer) {
        lines.push(format!(
            "  the file's own impulses: residual {:.2e} m/s, velocities {:.1e} from these",
            own.residual, own.distance
        ));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What the impulses of a step's file are worth.
struct Own {
    /// m/s.
    residual: f64,
    /// Largest difference of a body's velocities from those of the answer, m/s or rad/s.
    distance: f64,
}

fn own(file: &StepFile, answer: &StoredAnswer) -> Option<Own> {
    if file.impulses.is_empty() {
        return None;
    }
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    let (residual, _) = residual::of_step(&file.problem, &file.impulses, &mut theirs);
    file.problem
        .velocity_into(&impulses(&answer.values), &mut ours);
    let distance = theirs.iter().zip(&ours).map(|(a, b)| {
        let (v, w) = (a.linear - b.linear, a.angular - b.angular);
        v.length().max(w.length())
    });
    Some(Own {
        residual,
        distance: distance.fold(0.0, f64::max),
    })
}

/// Seconds within which a solve is repeated, five times at least unless that takes ten times as long: what is told is the
/// best of its times, the first of which also pays for fresh memory.
#[derive(Clone, Copy)]
pub(crate) struct Budget(pub(crate) f64);

impl Budget {
    /// One solve.
    pub(crate) const ONCE: Self = Self(0.0);
}

/// The answer and the seconds it took.
pub(crate) fn solve(
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
    let unknown = || {
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
    };
    let mut prepared = Prepared::new(problem, solver).ok_or_else(unknown)?;
    let (mut spent, mut best, mut runs) = (0.0, f64::INFINITY, 0);
    let clock = limit.map(Limit::seconds);
    let late = || clock.as_ref().is_some_and(Limit::is_reached);
    let mut first = None;
    let attempt = loop {
        let start = Instant::now();
        let attempt = prepared.attempt(tolerance);
        let elapsed = start.elapsed().as_secs_f64();
        // A repetition that the limit cut short says nothing.
        if late()
            && let Some(first) = first
        {
            break first;
        }
        spent += elapsed;
        best = elapsed.min(best);
        runs += 1;
        if late() || spent >= budget.0 && (runs >= 5 || spent >= 10.0 * budget.0) {
            break attempt;
        }
        first.get_or_insert(attempt);
    };
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
    Ok((answer, best))
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

pub(crate) fn read(path: &Path) -> Result<StoredProblem, Failure> {
    StoredProblem::read(path).map_err(|e| Failure::Input(format!("{}: {e}", path.display())))
}

pub(crate) fn verdict(good: bool) -> Verdict {
    if good { Verdict::Good } else { Verdict::Bad }
}

pub(crate) fn json_of(
    problem: &StoredProblem,
    answer: &StoredAnswer,
    elapsed: f64,
) -> serde_json::Value {
    let parts = parts(problem, answer).map(|p| {
        json!({
            "penetration_rate": p.penetration_rate, "pull": p.pull, "gap_with_impulse": p.gap_with_impulse,
            "cone_excess": p.cone_excess, "dissipation_gap": p.dissipation_gap,
        })
    });
    let own = match problem {
        StoredProblem::Step(file) => own(file, answer),
        _ => None,
    };
    let own = own.map(|o| json!({ "residual": o.residual, "distance": o.distance }));
    json!({
        "problem": problem.describe(),
        "file_impulses": own,
        "law_parts": parts,
        "status": answer.status,
        "solver": answer.solver,
        "residual": answer.residual,
        "residual_faf": answer.residual_faf,
        "iterations": answer.iterations,
        "note": answer.note,
        "seconds": elapsed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip::prelude::DMat3;
    use stickslip::solvers::problem::Law;
    use stickslip::solvers::problem::delassus::Delassus;

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
}
