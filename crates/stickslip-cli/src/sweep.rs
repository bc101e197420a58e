//! `stickslip sweep`: one scene with many settings.

use crate::options::{overrides, paintable, unpainted};
use crate::signals::Signals;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use stickslip::dynamics::scene::Files;
use stickslip::prelude::Scene;
use stickslip_console::progress::Progress as Told;
use stickslip_console::{Failure, Verdict, positive_seconds, print_as, seconds};
use stickslip_sweep::{
    Choice, Folder, Keep, Look, Origin, Part, Progress, RunRow, State, Stored, Sweep, SweepError,
    first_rows, json_rows, parse_parameter, plot, work,
};

/// Run a scene for many settings, on all cores
///
/// Each parameter is KEY=RANGE: FROM:TO:COUNT, FROM:TO:COUNT:log (equal ratios), a list A,B,C, or FROM:TO (every number between) with --random or
/// --lhs. A key is the name of one of the scene's parameters or a path such as step.h, material.friction, body.NAME.mass, body.NAME.position.x,
/// joint.NAME.motor.velocity.
///
/// DIR/runs.csv is the table, and runs.parquet the same for other programs: parameters, state (certified, approximate, stopped, refused input), steps, worst, hash, seconds, results,
/// why. A sweep can be killed and started again with the same command: each run is done once. Ctrl-C ends it with what is there.
///
/// Example: stickslip sweep scenes/sliding_box.toml mu=0.1:0.8:15 --of box.x -o slides --plot slides.svg
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The scene file (TOML); not needed where only --plot is wanted of a sweep that is there
    scene: Option<PathBuf>,
    /// What changes: KEY=RANGE
    #[arg(value_name = "KEY=RANGE")]
    parameters: Vec<String>,
    /// The folder of the sweep
    #[arg(short, long = "output", value_name = "DIR")]
    output: PathBuf,
    /// A result, in the words of `series`, with .last (unless given), .max, .min or .mean (may be repeated)
    #[arg(long, value_name = "NAME")]
    of: Vec<String>,
    /// Set a key in every run (may be repeated)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Points at random, as many as --samples
    #[arg(long, conflicts_with = "lhs", requires = "samples")]
    random: bool,
    /// A Latin hypercube of --samples points
    #[arg(long, requires = "samples")]
    lhs: bool,
    /// How many points; a Latin hypercube unless --random
    #[arg(long, value_name = "N")]
    samples: Option<usize>,
    /// Seed of the points
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Do the Kth of N parts only; all parts may share the folder, or be copied into one
    #[arg(long, value_name = "K/N", value_parser = Part::parse)]
    part: Option<Part>,
    /// Trajectories to keep in DIR/trajectories: all, failed or none
    #[arg(long, value_name = "WHICH", default_value = "none", value_parser = ["all", "failed", "none"])]
    keep: String,
    /// Stop a run after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds)]
    limit: Option<Duration>,
    /// Runs at once; all cores unless given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Draw the sweep: a result against one parameter, or a map over two (.svg, .png)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// With --plot: which result; the first of --of unless given
    #[arg(long, value_name = "NAME", requires = "plot")]
    draw: Option<String>,
    /// With --plot: one or two parameters; the first that change unless given
    #[arg(long, value_name = "KEY", requires = "plot")]
    over: Vec<String>,
    /// Search for the values that make a formula of results least, such as "abs(box.x.last - 0.3)", by Optuna: needs the
    /// Python package (STICKSLIP_PYTHON or python3). Parameters are FROM:TO, FROM:TO:log or a list
    #[arg(long, value_name = "FORMULA", conflicts_with_all = ["of", "samples", "part", "plot", "keep"])]
    minimize: Option<String>,
    /// With --minimize: how many runs
    #[arg(long, value_name = "N", default_value_t = 100, requires = "minimize")]
    trials: u64,
    /// Read meshes and height fields also outside the scene's folder
    #[arg(long)]
    allow_outside: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Where standard error is no terminal: seconds between lines of progress
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = positive_seconds)]
    progress: Duration,
    /// No progress
    #[arg(long)]
    quiet: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Verdict, Failure> {
        self.plot.as_deref().map_or(Ok(()), paintable)?;
        let verdict = match &self.scene {
            Some(scene) if self.minimize.is_some() => return self.search(scene),
            Some(scene) => self.work(scene)?,
            None if self.plot.is_some() => Verdict::Good,
            None => return Err(Failure::Input("no scene (or --plot of a sweep)".into())),
        };
        if let Some(path) = &self.plot {
            let stored = Stored::read(&self.output).map_err(failure)?;
            let look = Look {
                of: self.draw.clone(),
                over: self.over.clone(),
            };
            let drawn = plot(&stored, &look).map_err(failure)?;
            drawn.write(path).map_err(unpainted)?;
        }
        Ok(verdict)
    }

    fn work(&self, scene: &Path) -> Result<Verdict, Failure> {
        let sweep = self.sweep(scene)?;
        let folder = Folder::open(&self.output, &sweep).map_err(failure)?;
        let signals = Signals::watch()?;
        let start = Instant::now();
        let told = Mutex::new(Told::new(self.progress, self.quiet || self.json));
        let hear = |p: Progress| {
            if let Ok(mut told) = told.lock() {
                told.at(p.done as f64 / p.of as f64, || words(p));
            }
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.map_or(cores, |n| n as usize);
        let how = (self.part.unwrap_or(Part::WHOLE), self.keep(), threads);
        let (rows, done) =
            work(&sweep, &folder, how, &hear, &|| signals.came()).map_err(halfway)?;
        if let Ok(mut told) = told.lock() {
            told.end();
        }
        let table = folder.write_table(&sweep, &rows).map_err(halfway)?;
        let account = Account {
            done,
            rows: &rows,
            runs: sweep.points().len(),
            table: &table,
            sweep: &sweep,
            seconds: start.elapsed().as_secs_f64(),
        };
        print_as(self.json, || account.json(), || account.text())?;
        // One that is refused beside others that run is a result; where all are, the command is wrong.
        if let Some(RunRow { why: Some(why), .. }) = rows.first()
            && rows.iter().all(|row| row.state == State::Refused)
        {
            return Err(Failure::Input(format!("every run was refused: {why}")));
        }
        Ok(if signals.came() && done.done < done.of {
            Verdict::Interrupted
        } else {
            Verdict::Good
        })
    }

    fn sweep(&self, file: &Path) -> Result<Sweep, Failure> {
        let files = Files::beside(file).anywhere(self.allow_outside);
        let scene = Scene::read_with(file, &overrides(&self.set, &[])?, files)?;
        for note in &scene.notes {
            eprintln!("note: {note}");
        }
        let parameters = self.parameters.iter().map(|text| parse_parameter(text));
        let parameters = parameters.collect::<Result<Vec<_>, _>>().map_err(failure)?;
        let choice = match (self.samples, self.random) {
            (None, _) => Choice::Grid,
            (Some(samples), true) => Choice::Random(samples, self.seed),
            (Some(samples), false) => Choice::LatinHypercube(samples, self.seed),
        };
        let origin = Origin::File(file.to_path_buf(), self.allow_outside);
        Sweep::new(scene, origin, parameters, choice, &self.of, self.limit).map_err(failure)
    }

    /// Hands the search to the Python package, which has it from a library.
    fn search(&self, scene: &Path) -> Result<Verdict, Failure> {
        let pairs = |texts: &[String]| {
            let pairs = texts.iter().map(|text| {
                let (key, value) = text.split_once('=').ok_or_else(|| {
                    Failure::Input(format!("{text}: expected KEY=VALUE or KEY=RANGE"))
                })?;
                Ok((key.trim().to_owned(), Value::from(value.trim())))
            });
            pairs.collect::<Result<serde_json::Map<_, _>, Failure>>()
        };
        for text in &self.parameters {
            parse_parameter(text).map_err(failure)?;
        }
        let asked = json!({
            "scene": scene,
            "set": pairs(&self.set)?,
            "parameters": pairs(&self.parameters)?,
            "objective": self.minimize,
            "trials": self.trials,
            "folder": self.output,
            "seed": self.seed,
            "limit": self.limit.map(|limit| limit.as_secs_f64()),
            "quiet": self.quiet,
        });
        let python = std::env::var("STICKSLIP_PYTHON").unwrap_or_else(|_| "python3".into());
        let python = python.split(':').next().unwrap_or("python3").to_owned();
        let failed = |e: std::io::Error| Failure::Input(format!("--minimize: {python}: {e}"));
        let mut child = Command::new(&python)
            .args(["-m", "stickslip.search"])
            .stdin(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        if let Some(mut input) = child.stdin.take() {
            // Where it has ended already, its exit code says so.
            let _ = input.write_all(asked.to_string().as_bytes());
        }
        match child.wait().map_err(failed)?.code() {
            Some(0) => Ok(Verdict::Good),
            Some(2) => Ok(Verdict::Refused),
            _ => Err(Failure::Work(format!(
                "--minimize: the search by {python} (with the package stickslip and Optuna) did not end well"
            ))),
        }
    }

    fn keep(&self) -> Keep {
        match self.keep.as_str() {
            "all" => Keep::All,
            "failed" => Keep::Failed,
            _ => Keep::Nothing,
        }
    }
}

fn failure(error: SweepError) -> Failure {
    match error {
        SweepError::Scene(e) => Failure::Scene(e),
        SweepError::Build(e) => Failure::Build(e),
        SweepError::Record(e) => Failure::Record(e),
        SweepError::Differs { .. } => Failure::Work(error.to_string()),
        other => Failure::Input(other.to_string()),
    }
}

/// What ended a sweep that had begun: a full disk, as a rule.
fn halfway(error: SweepError) -> Failure {
    match error {
        SweepError::Differs { .. } => failure(error),
        other => Failure::Work(format!(
            "{other}; runs that are done are kept, and the same command goes on"
        )),
    }
}

fn words(p: Progress) -> String {
    let Progress {
        done, of, failed, ..
    } = p;
    format!("{done} of {of} runs, {failed} stopped or refused")
}

struct Account<'a> {
    done: Progress,
    rows: &'a [RunRow],
    runs: usize,
    table: &'a Path,
    sweep: &'a Sweep,
    seconds: f64,
}

impl Account<'_> {
    fn states(&self) -> Vec<(&'static str, usize)> {
        let mut counts: Vec<(&'static str, usize)> = Vec::new();
        for row in self.rows {
            let name = row.state.name();
            match counts.iter_mut().find(|(n, _)| *n == name) {
                Some((_, count)) => *count += 1,
                None => counts.push((name, 1)),
            }
        }
        counts.sort_unstable();
        counts
    }

    fn text(&self) -> String {
        let p = self.done;
        let mut lines = Vec::new();
        if p.done < p.of {
            lines.push(format!(
                "INTERRUPTED  {} of {} runs are done; the same command goes on",
                p.done, p.of
            ));
        }
        let states = self.states();
        let states: Vec<String> = states
            .iter()
            .map(|(name, n)| format!("{n} {name}"))
            .collect();
        lines.push(format!(
            "{} of {} runs in the table: {}",
            self.rows.len(),
            self.runs,
            states.join(", ")
        ));
        let found = match p.found {
            0 => String::new(),
            n => format!("; {n} were done before"),
        };
        lines.push(format!(
            "  {} runs in {}{found}",
            p.done - p.found,
            seconds(self.seconds)
        ));
        self.add_rows(&mut lines);
        for path in [&self.csv(), self.table] {
            lines.push(format!("  written      {}", path.display()));
        }
        lines.join("\n")
    }

    /// The same table as text.
    fn csv(&self) -> PathBuf {
        self.table.with_extension("csv")
    }

    /// As much of the table as a glance takes in.
    fn add_rows(&self, lines: &mut Vec<String>) {
        /// More are in the file.
        const MOST: usize = 20;
        if self.rows.is_empty() {
            return;
        }
        lines.extend(first_rows(self.sweep, self.rows, MOST));
        if let Some(more) = self.rows.len().checked_sub(MOST + 1) {
            lines.push(format!("   … and {} more rows", more + 1));
        }
    }

    fn json(&self) -> Value {
        let p = self.done;
        let states: serde_json::Map<String, Value> = self
            .states()
            .into_iter()
            .map(|(name, n)| (name.to_owned(), json!(n)))
            .collect();
        json!({
            "runs": self.runs,
            "rows": self.rows.len(),
            "done": p.done,
            "found": p.found,
            "of": p.of,
            "states": states,
            "table": self.table,
            "csv": self.csv(),
            "results": json_rows(self.sweep, self.rows),
            "seconds": self.seconds,
        })
    }
}
