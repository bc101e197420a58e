//! `stickslip bench`: the benchmarks, a file for each.

pub(crate) mod cannonball;
mod contacts;
mod page;
mod piles;
pub(crate) mod plate;
mod precision;
mod small;
mod stages;
mod staggered;
mod step;

use crate::stored::check_limit;
use serde_json::json;
use stickslip::dynamics::Lap;
use stickslip_console::{Failure, Verdict, positive_count};

/// Run a benchmark
///
/// step: microseconds per step for 1, 10 and 100 boxes at rest, and where the time goes.
/// precision: error against CPU time for every method on five scenes with closed forms.
/// cannonball: Anitescu's table of planar piles, first step from rest, on the exact cone and as LCPs; PATH and Siconos
/// on the same problems, where they are installed.
/// contacts: microseconds per pair of shapes, and both phases for 1,000 and 10,000 bodies.
/// plate: the 5 s run of a tripod on a vibrating plate, for the exact cone and for pyramids.
/// small: random problems of one to four contacts: how many stay unsolved, median and slowest hundredth, cold and warm.
/// piles: square pyramids of balls and walls of bricks by solver: time to 1e-4, 1e-6, 1e-8 and its growth.
/// staggered: the scheme of normal and friction QPs in turn on a folder of contact problems: its rate of convergence and
/// its distance from the exact law.
/// stages: what each stage of `auto` is worth on scenes and stored problems: tries, answers, share of the time, and what only it
/// solves.
/// page: size, opening time and pictures a second of the page of a run, with 10 and with 1,000 bodies.
///
/// Example: stickslip bench step
#[derive(clap::Args)]
pub struct Args {
    /// Which benchmark
    #[arg(value_parser = ["step", "contacts", "plate", "cannonball", "small", "piles", "staggered", "stages", "page", "precision"])]
    name: String,
    /// Draw a plot: .svg or .png (precision)
    #[arg(short, long = "output", value_name = "OUT")]
    output: Option<std::path::PathBuf>,
    /// Do not ask other people's solvers, even where they are installed (cannonball)
    #[arg(long)]
    alone: bool,
    #[command(flatten)]
    piles: piles::Options,
    /// Problems to draw (small, stages)
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(4..))]
    count: u32,
    /// The folder of problems (staggered)
    #[arg(long, value_name = "DIR", required_if_eq("name", "staggered"))]
    problems: Option<std::path::PathBuf>,
    /// Scenes, problems and folders of them (stages)
    #[arg(long = "of", value_name = "PLACE", required_if_eq("name", "stages"))]
    of: Vec<std::path::PathBuf>,
    /// Contacts factored for each scene or problem (stages): the same work on every machine
    #[arg(long, value_name = "CONTACTS", default_value_t = 300_000, value_parser = positive_count)]
    work: u64,
    /// Seconds: most for each problem, 10 unless told (staggered); a solver that took longer is not asked for less error or more contacts of that
    /// kind (piles)
    #[arg(long, value_name = "S")]
    limit: Option<f64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Measures, and prints the table.
    pub fn run(self) -> Result<Verdict, Failure> {
        if self.output.is_some() && self.name != "precision" {
            return Err(Failure::Input("-o: only `precision` draws a plot".into()));
        }
        check_limit(self.limit)?;
        let json = self.json;
        match self.name.as_str() {
            "contacts" => contacts::run(json),
            "plate" => plate::run(json),
            "page" => page::run(json),
            "cannonball" => cannonball::run(json, self.alone),
            "small" => small::run(json, self.count as usize),
            "piles" => self.piles.run(json, self.limit.unwrap_or(f64::INFINITY)),
            "staggered" => {
                let folder = self.problems.unwrap_or_default();
                staggered::run(json, &folder, self.limit.unwrap_or(10.0))
            }
            "stages" => stages::run(
                json,
                &stages::Options {
                    places: &self.of,
                    work: self.work as usize,
                    random: self.count as usize,
                },
            ),
            "precision" => precision::run(json, self.output.as_ref()),
            _ => step::run(json),
        }
    }
}

/// µs of each stage of a step.
type StageTimes = [f64; Lap::ALL.len()];

/// Names of the stages of a step, as heads of a table.
fn stage_heads() -> String {
    Lap::ALL.map(|s| format!("{:>11}", s.name())).join(" ")
}

/// Times of the stages below [`stage_heads`].
fn stage_times(stages: &StageTimes) -> String {
    stages.map(|s| format!("{s:>11.2}")).join(" ")
}

fn stages_json(stages: &StageTimes) -> serde_json::Value {
    let stages = Lap::ALL.iter().zip(stages);
    stages
        .map(|(s, t)| (s.name().to_string(), json!(t)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}
