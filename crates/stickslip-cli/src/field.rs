//! `stickslip field`: the velocity field of a vibrating plate.

use crate::options::{overrides, unpainted, writable};
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stickslip::prelude::Scene;
use stickslip::record::files::replace;
use stickslip::record::parquet::write_numbers;
use stickslip_console::{Failure, Verdict, print, print_as, progress_bar, seconds};
use stickslip_plate::FieldError;
use stickslip_plate::field::{Field, Sampling, period_of};
use stickslip_plate::library::{self, LIBRARY, Part, PlateMotion};

/// Measure where a vibrating plate carries parts, from every place of a square grid
///
/// Each part starts at rest on the plate and settles, put back to its start after every period; then it is watched for
/// some periods: its mean velocity, its mean place in the plate's frame, and the fractions of time that it slides,
/// sticks and is in the air.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  stickslip field circle -o circle.svg -o circle.csv
  stickslip field my_plate.toml --half 0.1 --grid 21 --threads 8 -o field.parquet
  stickslip field --list
  stickslip field sink --print-scene > sink.toml

A scene has one body with a prescribed motion, the plate, and one free body, the part.
Exit status: 0, 1 where a step could not be certified, 2 for bad input.")]
pub(crate) struct Args {
    /// A named motion, or a scene file (TOML)
    #[arg(required_unless_present = "list")]
    plate: Option<String>,
    /// List the named motions
    #[arg(long)]
    list: bool,
    /// Print the scene of a named motion
    #[arg(long)]
    print_scene: bool,
    /// The part put on a named motion
    #[arg(long, value_name = "PART", value_parser = ["particle", "tripod"], default_value = "particle")]
    part: String,
    /// Starting places along a side
    #[arg(long, value_name = "N", default_value_t = 41)]
    grid: usize,
    /// Half of the side of the square, m
    #[arg(long, value_name = "M")]
    half: Option<f64>,
    /// Period of the plate, s; told by the motion if it is of sinusoids and tables
    #[arg(long, value_name = "T")]
    period: Option<f64>,
    /// Steps in a period
    #[arg(long, value_name = "N", default_value_t = 300)]
    steps: usize,
    /// Periods to settle
    #[arg(long, value_name = "N", default_value_t = 12)]
    settle: usize,
    /// Periods to average over
    #[arg(long, value_name = "N", default_value_t = 2)]
    average: usize,
    /// Threads; the answer does not depend on it (default: all there are)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Set a parameter of the scene or a key such as material.friction (may be repeated)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Write to this file: .csv or .parquet for the numbers, .svg or .png for the picture (may be repeated)
    #[arg(short, long = "output", value_name = "OUT")]
    output: Vec<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// No progress bar
    #[arg(long)]
    quiet: bool,
}

/// How the command ends where there is no field.
fn failure(error: FieldError) -> Failure {
    match error {
        FieldError::Scene(e) => Failure::Scene(e),
        FieldError::Step { .. } => Failure::Work(error.to_string()),
        FieldError::NoPlate(_) | FieldError::Sampling(_) => Failure::Input(error.to_string()),
    }
}

impl Args {
    pub(crate) fn run(self) -> Result<Verdict, Failure> {
        if self.list {
            let lines: Vec<String> = LIBRARY
                .iter()
                .map(|plate| format!("{:<14} {}", plate.name, plate.says))
                .collect();
            print(&lines.join("\n"))?;
            return Ok(Verdict::Good);
        }
        let name = self.plate.as_deref().unwrap_or_default();
        let known = library::by_name(name);
        if self.print_scene {
            let plate = known.ok_or_else(|| unknown(name))?;
            print(plate.scene_text(self.part()).trim_end())?;
            return Ok(Verdict::Good);
        }
        for path in &self.output {
            ending(path)?;
            writable(path)?;
        }
        let scene = self.scene(name, known)?;
        let period = match (self.period, known) {
            (Some(period), _) => period,
            (None, Some(plate)) => plate.period,
            (None, None) => period_of(&scene)
                .map_err(|e| Failure::Input(format!("{name}: {e}: give it with --period")))?,
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let sampling = Sampling {
            cells: self.grid,
            half: self.half.unwrap_or(known.map_or(0.06, |plate| plate.half)),
            steps: self.steps,
            settle: self.settle,
            average: self.average,
            threads: self.threads.map_or(cores, |n| n as usize),
        };
        let places = (self.grid * self.grid) as u64;
        let bar = progress_bar(places, "place", self.quiet || self.json);
        let start = Instant::now();
        let field = Field::measure(&scene, period, &sampling, &|| bar.inc(1)).map_err(failure)?;
        bar.finish_and_clear();
        let elapsed = start.elapsed().as_secs_f64();
        let title = if scene.title.is_empty() {
            name
        } else {
            &scene.title
        };
        for path in &self.output {
            write(path, &field, title)?;
        }
        print_as(
            self.json,
            || json_of(&field, elapsed),
            || self.text_of(&field, title, elapsed),
        )?;
        Ok(Verdict::Good)
    }

    fn part(&self) -> Part {
        if self.part == "tripod" {
            Part::Tripod
        } else {
            Part::Particle
        }
    }

    fn scene(&self, name: &str, known: Option<&PlateMotion>) -> Result<Scene, Failure> {
        let overrides = overrides(&self.set, &[])?;
        match known {
            Some(plate) => {
                let text = plate.scene_text(self.part());
                Ok(Scene::parse(&text, plate.name, &overrides)?)
            }
            None if Path::new(name).exists() => Ok(Scene::read(Path::new(name), &overrides)?),
            None => Err(unknown(name)),
        }
    }

    fn text_of(&self, field: &Field, title: &str, elapsed: f64) -> String {
        let s = &field.sampling;
        let steps = s.cells * s.cells * (s.settle + s.average) * s.steps;
        let share = |f: &dyn Fn(&stickslip_plate::field::Place) -> bool| {
            let count = field.places.iter().filter(|p| f(p)).count();
            100.0 * count as f64 / field.places.len() as f64
        };
        let change = field.places.iter().map(|p| p.change).fold(0.0, f64::max);
        let mut lines = vec![
            title.to_string(),
            format!(
                "  {} x {} places, {steps} certified steps in {} ({} a step)",
                s.cells,
                s.cells,
                seconds(elapsed),
                seconds(elapsed / steps as f64)
            ),
            format!("  fastest      {:.3} mm/s", field.fastest() * 1e3),
            format!(
                "  modes        {:.1} % of the places slide only; {:.1} % stick, {:.1} % leave the plate for more than 2 % of the time",
                share(&|p| p.stick <= 0.02 && p.air <= 0.02),
                share(&|p| p.stick > 0.02),
                share(&|p| p.air > 0.02)
            ),
            format!(
                "  settled      mean velocities of the last two periods differ by {:.1e} m/s at most",
                change
            ),
        ];
        for path in &self.output {
            lines.push(format!("  written      {}", path.display()));
        }
        lines.join("\n")
    }
}

fn unknown(name: &str) -> Failure {
    let known: Vec<&str> = LIBRARY.iter().map(|plate| plate.name).collect();
    Failure::Input(format!(
        "\"{name}\" is neither a scene file nor one of the named motions: {}",
        known.join(", ")
    ))
}

/// The kinds of file that can be written.
fn ending(path: &Path) -> Result<&'static str, Failure> {
    let given = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    ["csv", "parquet", "svg", "png"]
        .into_iter()
        .find(|e| given.eq_ignore_ascii_case(e))
        .ok_or_else(|| {
            Failure::Input(format!(
                "{}: what to write is told by the ending, which must be .csv, .parquet, .svg or .png",
                path.display()
            ))
        })
}

fn write(path: &Path, field: &Field, title: &str) -> Result<(), Failure> {
    match ending(path)? {
        "csv" => {
            let names: Vec<&str> = Field::columns().iter().map(|c| c.0).collect();
            let mut text = names.join(",") + "\n";
            for place in &field.places {
                let numbers = Field::row(place).map(|x| format!("{x:?}"));
                let _ = writeln!(text, "{}", numbers.join(","));
            }
            replace(path, text.as_bytes()).map_err(|e| Failure::unwritten(path, e))
        }
        "parquet" => {
            let rows: Vec<[f64; 10]> = field.places.iter().map(Field::row).collect();
            let rows = rows.iter().map(|r| &r[..]);
            let notes = [
                ("title", title.to_string()),
                ("period", format!("{:?}", field.period)),
            ];
            Ok(write_numbers(path, &Field::columns(), rows, &notes)?)
        }
        _ => field.plot(title).write(path).map_err(unpainted),
    }
}

fn json_of(field: &Field, elapsed: f64) -> serde_json::Value {
    let places: Vec<serde_json::Value> = field
        .places
        .iter()
        .map(|place| {
            let pairs = Field::columns().into_iter().zip(Field::row(place));
            pairs
                .map(|((name, _), x)| (name.to_string(), json!(x)))
                .collect()
        })
        .collect();
    json!({ "period": field.period, "cells": field.sampling.cells, "half": field.sampling.half,
            "fastest": field.fastest(), "seconds": elapsed, "places": places })
}
