//! `stickslip bench`: the benchmarks.

use crate::output::{Failure, Verdict, print, print_json};
use serde_json::json;
use std::time::Instant;
use stickslip::dynamics::Stage;
use stickslip::prelude::{BodySpec, DVec3, Shape, World};

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
/// page: size, opening time and pictures a second of the page of a run, with 10 and with 1,000 bodies.
///
/// Example: stickslip bench step
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which benchmark
    #[arg(value_parser = ["step", "contacts", "plate", "cannonball", "small", "piles", "staggered", "page", "precision"])]
    name: String,
    /// Draw a plot: .svg or .png (precision)
    #[arg(short, long = "output", value_name = "OUT")]
    output: Option<std::path::PathBuf>,
    /// Do not ask other people's solvers, even where they are installed (cannonball)
    #[arg(long)]
    alone: bool,
    #[command(flatten)]
    piles: crate::bench_piles::Options,
    /// Problems to draw (small)
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(4..))]
    count: u32,
    /// The folder of problems (staggered)
    #[arg(long, value_name = "DIR", required_if_eq("name", "staggered"))]
    problems: Option<std::path::PathBuf>,
    /// Seconds: most for each problem, 10 unless told (staggered); a solver that took longer is not asked for less error
    /// or more contacts of that kind (piles)
    #[arg(long, value_name = "S")]
    limit: Option<f64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// One line of the table.
struct Row {
    boxes: usize,
    contacts: usize,
    active: usize,
    /// Best of several rounds, µs a step.
    micros: f64,
    stages: [f64; Stage::ALL.len()],
}

impl Args {
    pub(crate) fn run(self) -> Result<Verdict, Failure> {
        if self.output.is_some() && self.name != "precision" {
            return Err(Failure::Input("-o: only `precision` draws a plot".into()));
        }
        crate::solve::check_limit(self.limit)?;
        match self.name.as_str() {
            "contacts" => return crate::bench_contacts::run(self.json),
            "plate" => return crate::bench_plate::run(self.json),
            "page" => return crate::bench_page::run(self.json),
            "cannonball" => return crate::bench_cannonball::run(self.json, self.alone),
            "small" => return crate::bench_small::run(self.json, self.count as usize),
            "piles" => {
                return self
                    .piles
                    .run(self.json, self.limit.unwrap_or(f64::INFINITY));
            }
            "staggered" => {
                let folder = self.problems.unwrap_or_default();
                let limit = self.limit.unwrap_or(10.0);
                return crate::bench_staggered::run(self.json, &folder, limit);
            }
            "precision" => {
                return crate::bench_precision::run(self.json, self.output.as_ref());
            }
            _ => {}
        }
        let rows = [1, 10, 100]
            .into_iter()
            .map(boxes_at_rest)
            .collect::<Result<Vec<_>, _>>()?;
        if self.json {
            print_json(&json_of(&rows))?;
        } else {
            print(&text_of(&rows))?;
        }
        Ok(Verdict::Good)
    }
}

/// Stacks of up to ten unit boxes at rest on the ground, two metres apart.
fn boxes_at_rest(boxes: usize) -> Result<Row, Failure> {
    let bad = |e: &dyn std::error::Error| Failure::Input(e.to_string());
    let mut builder = World::builder().friction(0.5).body(BodySpec::fixed(
        "ground",
        Shape::half_space(DVec3::Z, 0.0).map_err(|e| bad(&e))?,
    ));
    let cube = Shape::cuboid(DVec3::ONE).map_err(|e| bad(&e))?;
    for i in 0..boxes {
        let place = DVec3::new(2.0 * (i / 10) as f64, 0.0, 0.5 + (i % 10) as f64);
        builder = builder.body(BodySpec::free(format!("box[{i}]"), cube.clone(), 1.0).at(place));
    }
    let mut world = builder.build()?;
    let many = |world: &mut World, steps: usize| -> Result<f64, Failure> {
        let start = Instant::now();
        for _ in 0..steps {
            world.step().map_err(|e| bad(&e))?;
        }
        Ok(start.elapsed().as_secs_f64() * 1e6 / steps as f64)
    };
    let steps = 2000 / boxes.max(10);
    many(&mut world, 50)?; // settle, and warm the memory
    let mut micros = f64::INFINITY;
    for _ in 0..7 {
        micros = micros.min(many(&mut world, steps)?);
    }
    world.measure();
    many(&mut world, steps)?;
    let last = world.last_step();
    Ok(Row {
        boxes,
        contacts: last.contacts.len(),
        active: last.contacts.iter().filter(|c| c.impulse.x > 0.0).count(),
        micros,
        stages: world
            .stopwatch()
            .spent
            .map(|d| d.as_secs_f64() * 1e6 / steps as f64),
    })
}

fn text_of(rows: &[Row]) -> String {
    let mut lines = vec![
        "Boxes at rest in stacks of up to ten: µs a step (best of 7 rounds), and by stage"
            .to_string(),
        format!(
            "{:>6} {:>9} {:>7} {:>10}   {}",
            "boxes",
            "contacts",
            "active",
            "µs/step",
            Stage::ALL.map(|s| format!("{:>11}", s.name())).join(" ")
        ),
    ];
    for r in rows {
        let stages = r.stages.map(|s| format!("{s:>11.2}")).join(" ");
        lines.push(format!(
            "{:>6} {:>9} {:>7} {:>10.2}   {stages}",
            r.boxes, r.contacts, r.active, r.micros
        ));
    }
    lines.join("\n")
}

fn json_of(rows: &[Row]) -> serde_json::Value {
    let rows: Vec<_> = rows
        .iter()
        .map(|r| {
            let stages: serde_json::Map<String, serde_json::Value> = Stage::ALL
                .iter()
                .zip(r.stages)
                .map(|(s, t)| (s.name().to_string(), json!(t)))
                .collect();
            json!({ "boxes": r.boxes, "contacts": r.contacts, "active": r.active,
                    "microseconds_per_step": r.micros, "stages": stages })
        })
        .collect();
    json!({ "bench": "step", "rows": rows })
}
