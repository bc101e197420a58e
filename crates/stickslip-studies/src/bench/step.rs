//! `stickslip bench step`: boxes at rest, and where the time of a step goes.

use super::{StageTimes, stage_heads, stage_times, stages_json};
use serde_json::json;
use std::time::{Duration, Instant};
use stickslip::prelude::{BodySpec, DVec3, Shape, World};
use stickslip_console::{Failure, Verdict, print_as};

/// Rounds of steps; the fastest counts, with its own stages.
const ROUNDS: usize = 7;

/// One line of the table.
struct BoxTimes {
    boxes: usize,
    contacts: usize,
    active: usize,
    /// Of the fastest round, µs a step.
    micros: f64,
    /// Of the same round.
    stages: StageTimes,
}

pub(super) fn run(json: bool) -> Result<Verdict, Failure> {
    let rows = [1, 10, 100]
        .into_iter()
        .map(boxes_at_rest)
        .collect::<Result<Vec<_>, _>>()?;
    print_as(json, || json_of(&rows), || text_of(&rows))?;
    Ok(Verdict::Good)
}

/// Stacks of up to ten unit boxes at rest on the ground, two metres apart.
fn boxes_at_rest(boxes: usize) -> Result<BoxTimes, Failure> {
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
    round(&mut world, 50)?; // settle, and warm the memory
    let steps = 2000 / boxes.max(10);
    let mut best = round(&mut world, steps)?;
    for _ in 1..ROUNDS {
        let next = round(&mut world, steps)?;
        if next.0 < best.0 {
            best = next;
        }
    }
    let (micros, stages) = best;
    let last = world.last_step();
    Ok(BoxTimes {
        boxes,
        contacts: last.contacts.len(),
        active: last.contacts.iter().filter(|c| c.impulse.x > 0.0).count(),
        micros,
        stages,
    })
}

/// µs a step over so many, and those of each stage within the same steps: their sum is never more than the whole.
fn round(world: &mut World, steps: usize) -> Result<(f64, StageTimes), Failure> {
    world.measure();
    let start = Instant::now();
    for _ in 0..steps {
        world.step().map_err(|e| Failure::Input(e.to_string()))?;
    }
    let micros = |time: Duration| time.as_secs_f64() * 1e6 / steps as f64;
    let whole = micros(start.elapsed());
    Ok((whole, world.stopwatch().spent.map(micros)))
}

fn text_of(rows: &[BoxTimes]) -> String {
    let mut lines = vec![
        "Boxes at rest in stacks of up to ten: µs a step (the fastest of 7 rounds), and by stage in the same steps"
            .to_string(),
        format!(
            "{:>6} {:>9} {:>7} {:>10}   {}",
            "boxes",
            "contacts",
            "active",
            "µs/step",
            stage_heads()
        ),
    ];
    for r in rows {
        let stages = stage_times(&r.stages);
        lines.push(format!(
            "{:>6} {:>9} {:>7} {:>10.2}   {stages}",
            r.boxes, r.contacts, r.active, r.micros
        ));
    }
    lines.join("\n")
}

fn json_of(rows: &[BoxTimes]) -> serde_json::Value {
    let rows: Vec<_> = rows
        .iter()
        .map(|r| {
            json!({ "boxes": r.boxes, "contacts": r.contacts, "active": r.active,
                    "microseconds_per_step": r.micros, "stages": stages_json(&r.stages) })
        })
        .collect();
    json!({ "bench": "step", "rows": rows })
}
