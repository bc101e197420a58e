//! `stickslip bench step`: boxes at rest, and where the time of a step goes.

use super::{StageTimes, stage_heads, stage_times, stages_json};
use serde_json::json;
use std::time::Instant;
use stickslip::prelude::{BodySpec, DVec3, Shape, World};
use stickslip_console::{Failure, Verdict, print_as};

/// One line of the table.
struct BoxTimes {
    boxes: usize,
    contacts: usize,
    active: usize,
    /// Best of several rounds, µs a step.
    micros: f64,
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
    Ok(BoxTimes {
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

fn text_of(rows: &[BoxTimes]) -> String {
    let mut lines = vec![
        "Boxes at rest in stacks of up to ten: µs a step (best of 7 rounds), and by stage"
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
