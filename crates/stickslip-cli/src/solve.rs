//! `stickslip solve`: one stored complementarity or frictional contact problem, or a folder of them.

use crate::output::{Failure, Verdict, print, print_json, seconds};
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stickslip::solvers::stored::{StoredAnswer, StoredProblem};

/// Solve a stored complementarity or frictional contact problem
///
/// Reads FCLIB files (.hdf5), LCPs and mixed LCPs in JSON, and Matrix Market pairs (NAME_M.mtx, NAME_q.mtx).
/// The residual is recomputed from the answer: Siconos' scaling for contact, |min(z, w)|/|q| for
/// complementarity. Exit 1 where it misses the tolerance.
///
/// Example: stickslip solve problem.hdf5 --solver auto --tol 1e-8
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The problem file, or a folder with --all
    problem: PathBuf,
    /// The method: auto, newton, nsgs, interior-point, homotopy, proximal, admm, staggered (contact);
    /// auto, lemke, interior-point, pgs (complementarity)
    #[arg(long, value_name = "S", default_value = "auto")]
    solver: String,
    /// Largest residual that counts as solved
    #[arg(long, value_name = "T", default_value_t = 1e-8)]
    tol: f64,
    /// Solve every problem of the folder and print a table
    #[arg(long)]
    all: bool,
    /// Write the impulses r (or z) to this file, one number a line, in the problem's own order
    #[arg(long, value_name = "FILE")]
    impulses: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Verdict, Failure> {
        if !(self.tol > 0.0 && self.tol.is_finite()) {
            return Err(Failure::Input(format!(
                "--tol {}: expected a positive number",
                self.tol
            )));
        }
        if self.all {
            self.solve_folder()
        } else {
            self.solve_one()
        }
    }

    fn solve_one(&self) -> Result<Verdict, Failure> {
        let problem = read(&self.problem)?;
        let (answer, elapsed) = self.solve(&problem)?;
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
        }
        Ok(verdict(answer.status == "solved"))
    }

    fn solve(&self, problem: &StoredProblem) -> Result<(StoredAnswer, f64), Failure> {
        let start = Instant::now();
        let answer = problem.solve(&self.solver, self.tol).ok_or_else(|| {
            Failure::Input(format!(
                "--solver {}: for this kind of problem expected one of {}",
                self.solver,
                problem.solvers().join(", ")
            ))
        })?;
        Ok((answer, start.elapsed().as_secs_f64()))
    }

    fn solve_folder(&self) -> Result<Verdict, Failure> {
        let fail = |e: std::io::Error| Failure::Input(format!("{}: {e}", self.problem.display()));
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(&self.problem).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            let ending = path
                .extension()
                .and_then(|e| e.to_str())
                .unwrap_or_default();
            let m_of_pair = ending == "mtx"
                && path
                    .file_stem()
                    .is_some_and(|s| s.to_string_lossy().ends_with("_M"));
            if ["hdf5", "h5", "json"].contains(&ending) || m_of_pair {
                paths.push(path);
            }
        }
        paths.sort();
        if paths.is_empty() {
            return Err(Failure::Input(format!(
                "{}: no problem files here",
                self.problem.display()
            )));
        }
        let (mut solved, mut rows) = (0, Vec::new());
        for path in &paths {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            // A file that cannot be read is a row of the table, not the end of it.
            let row = match read(path).and_then(|problem| Ok((self.solve(&problem)?, problem))) {
                Ok(((answer, elapsed), problem)) => {
                    solved += usize::from(answer.status == "solved");
                    if !self.json {
                        print(&format!(
                            "{name:<48} {:>13} {:>10} {:>9.1e} {:>7}  {}",
                            answer.status,
                            seconds(elapsed),
                            answer.residual,
                            answer.iterations,
                            answer.solver
                        ))?;
                    }
                    let mut row = json_of(&problem, &answer, elapsed);
                    row["file"] = json!(name);
                    row
                }
                Err(e) => {
                    if !self.json {
                        print(&format!("{name:<48} {:>13} {e}", "not read"))?;
                    }
                    json!({ "file": name, "status": "not read", "error": e.to_string() })
                }
            };
            rows.push(row);
        }
        if self.json {
            print_json(&json!({ "solved": solved, "problems": paths.len(), "rows": rows }))?;
        } else {
            print(&format!(
                "{solved} of {} solved to {:.0e} by {}",
                paths.len(),
                self.tol,
                self.solver
            ))?;
        }
        Ok(verdict(solved == paths.len()))
    }
}

fn read(path: &Path) -> Result<StoredProblem, Failure> {
    StoredProblem::read(path).map_err(|e| Failure::Input(format!("{}: {e}", path.display())))
}

fn verdict(good: bool) -> Verdict {
    if good { Verdict::Good } else { Verdict::Bad }
}

fn json_of(problem: &StoredProblem, answer: &StoredAnswer, elapsed: f64) -> serde_json::Value {
    json!({
        "problem": problem.describe(),
        "status": answer.status,
        "solver": answer.solver,
        "residual": answer.residual,
        "residual_faf": answer.residual_faf,
        "iterations": answer.iterations,
        "seconds": elapsed,
    })
}
