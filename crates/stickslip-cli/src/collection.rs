//! `stickslip solve --all`: a folder of problems, solved by one solver or compared over several.

use crate::output::{Failure, Verdict, print, print_json, seconds};
use crate::peers;
use crate::solve::{Budget, json_of, read, solve, verdict};
use serde_json::json;
use std::path::{Path, PathBuf};
use stickslip::problems::stored::{CONTACT_SOLVERS, LCP_SOLVERS, STEP_SOLVERS};
use stickslip_plot::{Axis, Plot};

/// The problem files of a folder, sorted.
pub(crate) struct Collection {
    paths: Vec<PathBuf>,
}

/// Each solver repeats a problem for this long, and the best of its times counts: a tenth of a second hides what else
/// the machine does, and memory is there as it is in a run.
const BUDGET: Budget = Budget(0.1);

/// Times of one solver on all problems, s; `None` where it did not solve one.
struct Column<'a> {
    solver: &'a str,
    times: Vec<Option<f64>>,
}

impl Collection {
    /// Finds the files by their endings; of a Matrix Market pair, its M.
    pub(crate) fn read(folder: &Path) -> Result<Self, Failure> {
        let fail = |e: std::io::Error| Failure::Input(format!("{}: {e}", folder.display()));
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            let part =
                |s: Option<&std::ffi::OsStr>| s.unwrap_or_default().to_string_lossy().into_owned();
            let (stem, ending) = (part(path.file_stem()), part(path.extension()));
            let is_problem = match ending.as_str() {
                "hdf5" | "h5" | "json" => true,
                "mtx" => stem.ends_with("_M"),
                _ => false,
            };
            if is_problem {
                paths.push(path);
            }
        }
        paths.sort();
        if paths.is_empty() {
            let folder = folder.display();
            return Err(Failure::Input(format!("{folder}: no problem files here")));
        }
        Ok(Self { paths })
    }

    /// The files.
    pub(crate) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Solves all by each solver of the list: a row for each problem and solver, then the account.
    pub(crate) fn solve(
        &self,
        solvers: &str,
        tolerance: f64,
        limit: Option<f64>,
        as_json: bool,
        plot: Option<&Path>,
    ) -> Result<Verdict, Failure> {
        let mut columns: Vec<Column> = solvers
            .split(',')
            .map(|solver| Column {
                solver: solver.trim(),
                times: Vec::new(),
            })
            .collect();
        let known = |name: &str| {
            CONTACT_SOLVERS.contains(&name)
                || LCP_SOLVERS.contains(&name)
                || STEP_SOLVERS.contains(&name)
                || peers::names().any(|n| n == name)
        };
        if let Some(unknown) = columns.iter().find(|c| !known(c.solver)) {
            let all: Vec<&str> = CONTACT_SOLVERS
                .iter()
                .chain(&LCP_SOLVERS)
                .chain(STEP_SOLVERS)
                .copied()
                .chain(peers::names())
                .collect();
            return Err(Failure::Input(format!(
                "--solver {}: expected names out of {}",
                unknown.solver,
                all.join(", ")
            )));
        }
        let mut rows = Vec::new();
        for path in &self.paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // A file that cannot be read is a row of the table, not the end of it.
            let problem = match read(path) {
                Ok(problem) => problem,
                Err(e) => {
                    if !as_json {
                        print(&format!("{name:<48} {:>13} {e}", "not read"))?;
                    }
                    rows.push(
                        json!({ "file": name, "status": "not read", "error": e.to_string() }),
                    );
                    for column in &mut columns {
                        column.times.push(None);
                    }
                    continue;
                }
            };
            let mut first = None;
            for (number, column) in columns.iter_mut().enumerate() {
                let (answer, elapsed) =
                    match solve(&problem, column.solver, tolerance, limit, BUDGET) {
                        Ok(answer) => answer,
                        // A peer that cannot take a problem, or a solver for another kind, leaves the others to theirs.
                        Err(Failure::Work(why) | Failure::Input(why)) => {
                            column.times.push(None);
                            if !as_json {
                                print(&format!("{name:<48} {:>13} {why}", "not solved"))?;
                            }
                            rows.push(
                                json!({ "file": name, "status": "not solved", "error": why }),
                            );
                            continue;
                        }
                        Err(e) => return Err(e),
                    };
                let solved = answer.status == "solved";
                column.times.push(solved.then_some(elapsed));
                if number == 0 && solved {
                    first = Some(elapsed);
                }
                // How many times the first solver's time.
                let ratio = first.filter(|_| number > 0 && solved).map(|t| elapsed / t);
                if !as_json {
                    let times = ratio.map_or(String::new(), |r| format!("  {r:.1} x"));
                    print(&format!(
                        "{name:<48} {:>13} {:>10} {:>9.1e} {:>7}  {}{times}",
                        answer.status,
                        seconds(elapsed),
                        answer.residual,
                        answer.iterations,
                        answer.solver
                    ))?;
                }
                let mut row = json_of(&problem, &answer, elapsed);
                row["file"] = json!(name);
                row["ratio"] = json!(ratio);
                rows.push(row);
            }
        }
        let all = self.paths.len();
        let solved = |column: &Column| column.times.iter().flatten().count();
        let profiles: Vec<_> = columns.iter().map(|c| profile(c, &columns)).collect();
        if as_json {
            let solvers: Vec<_> = columns
                .iter()
                .zip(&profiles)
                .map(|(c, p)| {
                    let ratios = ratios(c, &columns[0]);
                    json!({
                        "solver": c.solver, "solved": solved(c), "profile": p, "median_ratio": median(&ratios)
                    })
                })
                .collect();
            print_json(&json!({
                "solved": solved(&columns[0]), "problems": all, "solvers": solvers, "rows": rows
            }))?;
        } else {
            for column in &columns {
                let n = solved(column);
                print(&format!(
                    "{n} of {all} solved to {tolerance:.0e} by {}",
                    column.solver
                ))?;
            }
            for column in &columns[1..] {
                print(&compared(column, &columns[0]))?;
            }
            if columns.len() > 1 {
                print(&profile_table(&columns, &profiles))?;
            }
        }
        if let Some(path) = plot {
            let picture = columns.iter().zip(&profiles).fold(
                Plot::new(format!("{all} problems solved to {tolerance:.0e}"))
                    .x(Axis::log("time over that of the fastest", ""))
                    .y(Axis::linear("share of the problems", "").range(0.0, 1.0)),
                |plot, (column, profile)| plot.line(column.solver, &stairs(profile)),
            );
            picture
                .write(path)
                .map_err(|e| Failure::Work(e.to_string()))?;
        }
        Ok(verdict(columns.iter().all(|c| solved(c) == all)))
    }
}

/// Times of `column` over those of `first` on the problems that both solve, rising.
fn ratios(column: &Column, first: &Column) -> Vec<f64> {
    let pairs = column.times.iter().zip(&first.times);
    let mut ratios: Vec<f64> = pairs.filter_map(|(t, f)| Some((*t)? / (*f)?)).collect();
    ratios.sort_by(f64::total_cmp);
    ratios
}

pub(crate) fn median(sorted: &[f64]) -> Option<f64> {
    let n = sorted.len();
    (n > 0).then(|| 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]))
}

/// One sentence on how much faster the first solver is than another.
fn compared(column: &Column, first: &Column) -> String {
    let ratios = ratios(column, first);
    let Some(median) = median(&ratios) else {
        return format!(
            "{} and {} solve no problem in common",
            first.solver, column.solver
        );
    };
    let faster = ratios.iter().filter(|r| **r > 1.0).count();
    format!(
        "{} is faster than {} on {faster} of {} that both solve: {median:.1} times in the median, from {:.2} to {:.0}",
        first.solver,
        column.solver,
        ratios.len(),
        ratios[0],
        ratios[ratios.len() - 1]
    )
}

/// Dolan and Moré's profile: (factor τ, share of all problems solved within τ of the fastest), τ rising.
fn profile(column: &Column, all: &[Column]) -> Vec<(f64, f64)> {
    let n = column.times.len();
    let mut factors: Vec<f64> = (0..n)
        .filter_map(|k| {
            let fastest = all
                .iter()
                .filter_map(|c| c.times[k])
                .fold(f64::INFINITY, f64::min);
            column.times[k].map(|t| t / fastest)
        })
        .collect();
    factors.sort_by(f64::total_cmp);
    factors
        .iter()
        .enumerate()
        .map(|(k, &factor)| (factor, (k + 1) as f64 / n as f64))
        .collect()
}

/// The share solved within the factor `tau`.
fn share(profile: &[(f64, f64)], tau: f64) -> f64 {
    let within = profile.partition_point(|p| p.0 <= tau);
    within.checked_sub(1).map_or(0.0, |k| profile[k].1)
}

fn profile_table(columns: &[Column], profiles: &[Vec<(f64, f64)>]) -> String {
    const FACTORS: [f64; 6] = [1.0, 2.0, 5.0, 10.0, 100.0, f64::INFINITY];
    let mut lines = vec!["share solved within a factor of the fastest".to_string()];
    let heads = FACTORS.map(|f| format!("{f:>7}"));
    lines.push(format!("{:<16}{}", "", heads.concat()));
    for (column, profile) in columns.iter().zip(profiles) {
        let cells = FACTORS.map(|f| format!("{:>7.2}", share(profile, f)));
        lines.push(format!("{:<16}{}", column.solver, cells.concat()));
    }
    lines.join("\n")
}

/// The profile as a line with steps, from the factor 1.
fn stairs(profile: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut line = vec![(1.0, 0.0)];
    for &(factor, share) in profile {
        let last = line[line.len() - 1].1;
        line.push((factor, last));
        line.push((factor, share));
    }
    line
}
