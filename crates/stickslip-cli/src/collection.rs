//! `stickslip solve --all`: a folder of problems, solved by one solver or compared over several.

use crate::options::{paintable, unpainted};
use crate::solve::json_of;
use serde_json::{Value, json};
use std::path::Path;
use stickslip::problems::stored::{
    CONTACT_SOLVERS, LCP_SOLVERS, STEP_SOLVERS, StoredAnswer, StoredProblem,
};
use stickslip_console::{Failure, Verdict, print, print_as, seconds};
use stickslip_studies::profile::{self, Column, Profile};
use stickslip_studies::statistics::median;
use stickslip_studies::stored::folder::problem_files;
use stickslip_studies::stored::{Budget, peers, read, solve};

/// Each solver repeats a problem for this long, and the best of its times counts: a tenth of a second hides what else
/// the machine does, and memory is there as it is in a run.
const BUDGET: Budget = Budget(0.1);

/// What was asked for.
pub(crate) struct Collection<'a> {
    pub(crate) folder: &'a Path,
    /// Names with commas between.
    pub(crate) solvers: &'a str,
    pub(crate) tolerance: f64,
    /// Seconds for each problem and solver.
    pub(crate) limit: Option<f64>,
    pub(crate) json: bool,
    /// Where the profile is drawn.
    pub(crate) plot: Option<&'a Path>,
}

/// One problem and one solver.
struct Attempt {
    file: String,
    outcome: Outcome,
}

enum Outcome {
    /// The file holds no problem we can read.
    NotRead(String),
    /// A peer that cannot take this problem, or a solver for another kind.
    NotTaken(String),
    Answered {
        answer: StoredAnswer,
        seconds: f64,
        /// How many times the first solver's time.
        ratio: Option<f64>,
        /// All that is known of the answer.
        json: Value,
    },
}

impl Collection<'_> {
    /// Solves all by each solver of the list: a row for each problem and solver, then the account.
    pub(crate) fn run(&self) -> Result<Verdict, Failure> {
        self.plot.map_or(Ok(()), paintable)?;
        let paths = problem_files(self.folder)?;
        let mut columns = self.columns()?;
        let mut rows = Vec::new();
        for path in &paths {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            // A file that cannot be read is a row of the table, not the end of it.
            match read(path) {
                Ok(problem) => self.solve_one(&file, &problem, &mut columns, &mut rows)?,
                Err(e) => {
                    for column in &mut columns {
                        column.times.push(None);
                    }
                    self.add(&mut rows, &file, Outcome::NotRead(e.to_string()))?;
                }
            }
        }
        let profiles: Vec<Profile> = columns.iter().map(|c| c.profile(&columns)).collect();
        print_as(
            self.json,
            || json_of_all(&columns, &profiles, &rows),
            || self.account(&columns, &profiles),
        )?;
        if let Some(path) = self.plot {
            let title = format!("{} problems solved to {:.0e}", paths.len(), self.tolerance);
            profile::picture(&columns, &profiles, title)
                .write(path)
                .map_err(unpainted)?;
        }
        Ok(Verdict::of(
            columns.iter().all(|c| c.solved() == paths.len()),
        ))
    }

    /// An empty column for each solver of the list, all of them known.
    fn columns(&self) -> Result<Vec<Column<'_>>, Failure> {
        let all = (CONTACT_SOLVERS.iter())
            .chain(&LCP_SOLVERS)
            .chain(STEP_SOLVERS)
            .copied()
            .chain(peers::names());
        // Kinds of problems share solvers; each is named once.
        let mut known: Vec<&str> = Vec::new();
        for name in all {
            if !known.contains(&name) {
                known.push(name);
            }
        }
        let column = |name: &'_ str| {
            let solver = known.iter().find(|k| **k == name);
            let solver = solver.ok_or_else(|| {
                let known = known.join(", ");
                Failure::Input(format!("--solver {name}: expected names out of {known}"))
            })?;
            Ok(Column {
                solver,
                times: Vec::new(),
            })
        };
        self.solvers.split(',').map(|s| column(s.trim())).collect()
    }

    /// One problem by every solver.
    fn solve_one(
        &self,
        file: &str,
        problem: &StoredProblem,
        columns: &mut [Column],
        rows: &mut Vec<Attempt>,
    ) -> Result<(), Failure> {
        let mut first = None;
        for (number, column) in columns.iter_mut().enumerate() {
            let solved = solve(problem, column.solver, self.tolerance, self.limit, BUDGET);
            let (answer, seconds) = match solved {
                Ok(answer) => answer,
                Err(Failure::Work(why) | Failure::Input(why)) => {
                    column.times.push(None);
                    self.add(rows, file, Outcome::NotTaken(why))?;
                    continue;
                }
                Err(e) => return Err(e),
            };
            let time = (answer.status == "solved").then_some(seconds);
            column.times.push(time);
            let ratio = first
                .zip(time)
                .map(|(first, time): (f64, f64)| time / first);
            if number == 0 {
                first = time;
            }
            let json = json_of(problem, &answer, seconds);
            let outcome = Outcome::Answered {
                answer,
                seconds,
                ratio,
                json,
            };
            self.add(rows, file, outcome)?;
        }
        Ok(())
    }

    /// A row of the table, printed at once: the next may take long.
    fn add(&self, rows: &mut Vec<Attempt>, file: &str, outcome: Outcome) -> Result<(), Failure> {
        let file = file.to_owned();
        let row = Attempt { file, outcome };
        if !self.json {
            print(&row.text())?;
        }
        rows.push(row);
        Ok(())
    }

    /// What the table comes to.
    fn account(&self, columns: &[Column], profiles: &[Profile]) -> String {
        let mut lines = Vec::new();
        for column in columns {
            lines.push(format!(
                "{} of {} solved to {:.0e} by {}",
                column.solved(),
                column.times.len(),
                self.tolerance,
                column.solver
            ));
        }
        for column in &columns[1..] {
            lines.push(column.compared(&columns[0]));
        }
        if columns.len() > 1 {
            lines.push(profile::table(columns, profiles));
        }
        lines.join("\n")
    }
}

impl Attempt {
    fn text(&self) -> String {
        let file = &self.file;
        match &self.outcome {
            Outcome::NotRead(why) => format!("{file:<48} {:>13} {why}", "not read"),
            Outcome::NotTaken(why) => format!("{file:<48} {:>13} {why}", "not solved"),
            Outcome::Answered {
                answer,
                seconds: elapsed,
                ratio,
                ..
            } => {
                let times = ratio.map_or(String::new(), |r| format!("  {r:.1} x"));
                format!(
                    "{file:<48} {:>13} {:>10} {:>9.1e} {:>7}  {}{times}",
                    answer.status,
                    seconds(*elapsed),
                    answer.residual,
                    answer.iterations,
                    answer.solver
                )
            }
        }
    }

    fn json(&self) -> Value {
        let file = &self.file;
        match &self.outcome {
            Outcome::NotRead(why) => json!({ "file": file, "status": "not read", "error": why }),
            Outcome::NotTaken(why) => json!({ "file": file, "status": "not solved", "error": why }),
            Outcome::Answered { json, ratio, .. } => {
                let mut row = json.clone();
                row["file"] = json!(file);
                row["ratio"] = json!(ratio);
                row
            }
        }
    }
}

fn json_of_all(columns: &[Column], profiles: &[Profile], rows: &[Attempt]) -> Value {
    let solvers: Vec<_> = columns
        .iter()
        .zip(profiles)
        .map(|(c, profile)| {
            let ratio = median(&c.ratios(&columns[0]));
            json!({
                "solver": c.solver, "solved": c.solved(), "profile": profile, "median_ratio": ratio
            })
        })
        .collect();
    let rows: Vec<_> = rows.iter().map(Attempt::json).collect();
    json!({
        "solved": columns[0].solved(), "problems": columns[0].times.len(), "solvers": solvers, "rows": rows
    })
}
