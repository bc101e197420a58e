//! `stickslip solve`: one stored complementarity or frictional contact problem, or a folder of them.

use crate::collection::Collection;
use crate::options::short;
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use stickslip::problems::json::step::StepFile;
use stickslip::problems::stored::{
    CONTACT_SOLVERS, LCP_SOLVERS, STEP_SOLVERS, StoredAnswer, StoredProblem,
};
use stickslip::record::files::replace;
use stickslip::solvers::problem::Twist;
use stickslip::solvers::problem::local::LocalProblem;
use stickslip::solvers::problem::residual::{self, LawParts};
use stickslip::solvers::trace::{Trace, Watch};
use stickslip_console::{Failure, Verdict, print_as, seconds};
use stickslip_studies::stages::trace_json;
use stickslip_studies::stored::{Budget, check_limit, impulses, peers, read, solve};

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
    #[arg(long, value_name = "S", default_value = "auto", help = solver_help())]
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
    /// Show which stages of `auto` ran, what each took and reached, and which gave the answer
    #[arg(long, conflicts_with = "all")]
    trace: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What can be named, from the tables that are asked.
fn solver_help() -> String {
    format!(
        "The method: {} (contact); {} (complementarity); {} (step); other people's: {}; with --all a list such as auto,nsgs",
        CONTACT_SOLVERS.join(", "),
        LCP_SOLVERS.join(", "),
        STEP_SOLVERS.join(", "),
        peers::names().collect::<Vec<_>>().join(", ")
    )
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
        if !self.all {
            return self.solve_one();
        }
        let collection = Collection {
            folder: &self.problem,
            solvers: &self.solver,
            tolerance: self.tol,
            limit: self.limit,
            json: self.json,
            plot: self.plot.as_deref(),
        };
        collection.run()
    }

    fn solve_one(&self) -> Result<Verdict, Failure> {
        if self.problem.is_dir() {
            return Err(Failure::Input(format!(
                "{}: this is a folder; --all solves every problem in it",
                self.problem.display()
            )));
        }
        let problem = read(&self.problem)?;
        let watch = self.trace.then(Watch::start);
        let (answer, elapsed) = solve(&problem, &self.solver, self.tol, self.limit, Budget::ONCE)?;
        let traces = watch.map(|watch| watch.take());
        if let Some(path) = &self.impulses {
            write_values(path, &answer.values)?;
        }
        print_as(
            self.json,
            || {
                let mut json = json_of(&problem, &answer, elapsed);
                json["values"] = json!(answer.values);
                if let Some(traces) = &traces {
                    json["trace"] = traces.iter().map(trace_json).collect();
                }
                json
            },
            || {
                let mut text = self.text_of(&problem, &answer, elapsed);
                if let Some(traces) = &traces {
                    text.push_str(&traces_text(traces));
                }
                text
            },
        )?;
        Ok(Verdict::of(answer.status == "solved"))
    }

    fn text_of(&self, problem: &StoredProblem, answer: &StoredAnswer, elapsed: f64) -> String {
        let mut lines = vec![format!(
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
        )];
        lines.extend(parts(problem, answer).map(|parts| {
            format!(
                "  the law at its worst contact: approach {:.1e} m/s, pull {:.1e} N s, open and pressed {:.1e} m/s,\n  \
                 outside the cone {:.1e} N s, dissipation lacking {:.1e} J (in the units of the file)",
                parts.penetration_rate,
                parts.pull,
                parts.gap_with_impulse,
                parts.cone_excess,
                parts.dissipation_gap
            )
        }));
        lines.extend(of_step(problem, answer));
        lines.extend(values_text(problem, answer));
        if !answer.note.is_empty() {
            lines.push(format!("  {}", answer.note));
        }
        lines.join("\n")
    }
}

/// The answer itself, as much of it as fits a line.
fn values_text(problem: &StoredProblem, answer: &StoredAnswer) -> Option<String> {
    /// Two contacts.
    const MOST: usize = 6;
    let all = answer.values.len();
    if answer.status != "solved" || all == 0 {
        return None;
    }
    let first = answer.values.iter().take(MOST).map(|x| short(*x));
    let first = first.collect::<Vec<_>>().join(", ");
    let more = if all > MOST {
        format!(", … ({all} in all: --json or --impulses FILE)")
    } else {
        String::new()
    };
    let name = match problem {
        StoredProblem::Complementarity(_) => "z",
        StoredProblem::Contact(_) => "impulses of the contacts (normal, tangent, tangent)",
        StoredProblem::Step(_) => "impulses of the blocks",
    };
    Some(format!("  {name}: {first}{more}"))
}

/// The stages of each call, indented; a solver without stages has none.
fn traces_text(traces: &[Trace]) -> String {
    if traces.iter().all(|trace| trace.runs().is_empty()) {
        return "\n  no stages: only auto has them".into();
    }
    let mut text = String::new();
    for trace in traces {
        for line in trace.to_string().lines() {
            text.push_str("\n  ");
            text.push_str(line);
        }
    }
    text
}

/// One number a line.
fn write_values(path: &Path, values: &[f64]) -> Result<(), Failure> {
    let mut text = String::new();
    for x in values {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{x:?}");
    }
    replace(path, text.as_bytes()).map_err(|e| Failure::unwritten(path, e))
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
    Some(Own {
        residual,
        distance: Twist::largest_difference(&theirs, &ours),
    })
}

/// All that is known of an answer.
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
