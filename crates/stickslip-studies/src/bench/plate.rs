//! `stickslip bench plate`: the 5 s run of the plate paper, three contacts, h = 1e-4 s.

use super::{StageTimes, stage_heads, stage_times, stages_json};
use serde_json::json;
use std::time::Instant;
use stickslip::dynamics::simulate::to_the_end;
use stickslip::prelude::{Cone, DVec2, Outcome, Scene, World, simulate};
use stickslip::record::{Header, Trajectory};
use stickslip_console::{Failure, Verdict, print_as};
use stickslip_plate::field::world_at;
use stickslip_plate::library::{self, Part};

/// Steps of the run: 5 s.
const STEPS: u64 = 50_000;

/// What the paper's machine (Pentium M, 1.6 GHz) took, µs a step.
const PAPER: [(Cone, f64); 2] = [(Cone::Quadratic, 400.0), (Cone::Pyramid(32), 2400.0)];

struct ConeTimes {
    cone: Cone,
    /// Whole run, recorded in memory and certified: best of the rounds, µs a step.
    micros: f64,
    /// The same by the time this thread was on a processor, where the system tells: what others do on the machine
    /// does not count.
    on_cpu: Option<f64>,
    /// The bare steps by stage, µs a step.
    stages: StageTimes,
    worst: f64,
    iterations: f64,
    hash: String,
}

pub(crate) fn run(json: bool) -> Result<Verdict, Failure> {
    let mut rows = Vec::new();
    for cone in [
        Cone::Quadratic,
        Cone::Pyramid(4),
        Cone::Pyramid(8),
        Cone::Pyramid(16),
        Cone::Pyramid(32),
    ] {
        rows.push(measure(cone)?);
    }
    print_as(json, || json_of(&rows), || text_of(&rows))?;
    Ok(Verdict::Good)
}

fn tripod(cone: Cone) -> Result<World, Failure> {
    let plate = library::by_name("circle").ok_or_else(|| Failure::Work("no circle".into()))?;
    let mut scene: Scene = plate.scene(Part::Tripod);
    scene.step.cone = cone;
    let start = DVec2::new(0.04, 0.0);
    world_at(&scene, start, 1e-4).map_err(|e| Failure::Work(e.to_string()))
}

/// One run to a time, s: its outcome, and µs a step by the clock and on the processor.
fn timed(cone: Cone, until: f64) -> Result<(Outcome, f64, Option<f64>), Failure> {
    let mut world = tripod(cone)?;
    let header = Header {
        bodies: world.model().body_names().map(Into::into).collect(),
        h: 1e-4,
        until,
        tolerance: world.settings().tolerance,
        cone,
        every: 1,
        ..Header::default()
    };
    let mut memory = Trajectory::default();
    let (start, start_cpu) = (Instant::now(), nanoseconds_on_cpu());
    let outcome = simulate(&mut world, &header, until, &mut memory, &mut to_the_end)?;
    let steps = outcome.steps.max(1) as f64;
    let micros = start.elapsed().as_secs_f64() * 1e6 / steps;
    let on_cpu = match (start_cpu, nanoseconds_on_cpu()) {
        (Some(a), Some(b)) => Some((b - a) * 1e-3 / steps),
        _ => None,
    };
    if let Some(e) = &outcome.failure {
        return Err(Failure::Work(e.to_string()));
    }
    Ok((outcome, micros, on_cpu))
}

/// µs a step of a run to a time, s: on the processor where the system tells, else by the clock.
pub(crate) fn micros(cone: Cone, until: f64) -> Result<f64, Failure> {
    let (_, micros, on_cpu) = timed(cone, until)?;
    Ok(on_cpu.unwrap_or(micros))
}

fn measure(cone: Cone) -> Result<ConeTimes, Failure> {
    let rounds = if cone == Cone::Quadratic { 5 } else { 1 };
    let (mut micros, mut on_cpu, mut outcome) = (f64::INFINITY, None, None);
    for _ in 0..rounds {
        let (result, time, spent) = timed(cone, 5.0)?;
        micros = micros.min(time);
        if let Some(spent) = spent {
            on_cpu = Some(on_cpu.map_or(spent, |best: f64| best.min(spent)));
        }
        outcome = Some(result);
    }
    let outcome = outcome.ok_or_else(|| Failure::Work("no round was run".into()))?;
    let mut world = tripod(cone)?;
    world.measure();
    for _ in 0..STEPS {
        world.step().map_err(|e| Failure::Work(e.to_string()))?;
    }
    Ok(ConeTimes {
        cone,
        micros,
        on_cpu,
        stages: world
            .stopwatch()
            .spent
            .map(|d| d.as_secs_f64() * 1e6 / STEPS as f64),
        worst: outcome.worst.iter().map(|w| w.0).fold(0.0, f64::max),
        iterations: outcome.iterations as f64 / STEPS as f64,
        hash: outcome.hash,
    })
}

/// How long this thread has been on a processor, ns; only Linux tells.
pub(crate) fn nanoseconds_on_cpu() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

fn name(cone: Cone) -> String {
    stickslip::record::header::cone_to_string(cone)
}

fn paper(cone: Cone) -> Option<f64> {
    PAPER.iter().find(|p| p.0 == cone).map(|p| p.1)
}

fn text_of(rows: &[ConeTimes]) -> String {
    let mut lines = vec![
        "A tripod on the scaled circle, 5 s at h = 1e-4 s: 50,000 steps, 3 contacts, one thread.".to_string(),
        "µs a step: the whole run (recorded in memory, certified at 1e-10, hashed), then the bare step by stage"
            .to_string(),
        format!(
            "{:<12} {:>8} {:>8} {:>8}   {}",
            "cone",
            "run",
            "on CPU",
            "paper",
            stage_heads()
        ),
    ];
    for r in rows {
        let stages = stage_times(&r.stages);
        let paper = paper(r.cone).map_or_else(String::new, |p| format!("{p:.0}"));
        let on_cpu = r.on_cpu.map_or_else(String::new, |x| format!("{x:.2}"));
        lines.push(format!(
            "{:<12} {:>8.2} {on_cpu:>8} {paper:>8}   {stages}",
            name(r.cone),
            r.micros
        ));
    }
    lines.push(format!(
        "largest residual {:.1e} m/s; {:.2} solver iterations a step on the exact cone",
        rows.iter().map(|r| r.worst).fold(0.0, f64::max),
        rows[0].iterations
    ));
    lines.join("\n")
}

fn json_of(rows: &[ConeTimes]) -> serde_json::Value {
    let rows: Vec<_> = rows
        .iter()
        .map(|r| {
            json!({ "cone": name(r.cone), "microseconds_per_step": r.micros, "on_cpu": r.on_cpu, "paper": paper(r.cone),
                    "stages": stages_json(&r.stages), "worst_residual": r.worst, "iterations_per_step": r.iterations,
                    "hash": r.hash })
        })
        .collect();
    json!({ "bench": "plate", "steps": STEPS, "contacts": 3, "rows": rows })
}
