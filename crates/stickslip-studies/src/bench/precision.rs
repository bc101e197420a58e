//! `stickslip bench precision`: error against CPU time for every method.

use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;
use stickslip::dynamics::closed_forms::{self, Exact};
use stickslip::dynamics::converge::Quantity;
use stickslip::dynamics::methods::Method;
use stickslip::prelude::{Scene, World};
use stickslip_console::{Failure, Verdict, print_as, seconds};
use stickslip_plot::{Axis, Plot, Sheet};

struct PrecisionPoint {
    scene: String,
    method: Method,
    /// The step, s, or the wanted error, m.
    setting: f64,
    steps: u64,
    seconds: f64,
    error: f64,
}

pub(crate) fn run(json: bool, output: Option<&PathBuf>) -> Result<Verdict, Failure> {
    let cases = [
        closed_forms::sliding(2.0, 0.3),
        closed_forms::rolling(1.0, -40.0, 0.2),
        closed_forms::bounce(0.8, 1.0),
        closed_forms::driven(5.0, 7.0),
        closed_forms::collision(0.5, 2.0),
    ];
    let mut rows = Vec::new();
    for case in &cases {
        for method in Method::ALL {
            let settings: &[f64] = if method == Method::Extrapolated {
                &[1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8]
            } else {
                &[1e-2, 5e-3, 2.5e-3, 1.25e-3, 6.25e-4, 3.125e-4]
            };
            for &setting in settings {
                rows.push(measure(case, method, setting)?);
            }
        }
    }
    if let Some(path) = output {
        sheet_of(&cases, &rows)
            .write(path)
            .map_err(|e| Failure::Work(e.to_string()))?;
    }
    print_as(json, || json_of(&rows), || text_of(&rows))?;
    Ok(Verdict::Good)
}

fn measure(case: &Exact, method: Method, setting: f64) -> Result<PrecisionPoint, Failure> {
    let mut scene = Scene::parse(&case.scene, "exact.toml", &[])?;
    scene.step.method = method;
    if method == Method::Extrapolated {
        scene.step.error = setting;
        scene.step.h = 0.1;
    } else {
        // The end is a grid point.
        let until = scene.step.until;
        scene.step.h = until / (until / setting).ceil();
    }
    let quantity = Quantity::parse(case.quantity).map_err(|e| Failure::Input(e.to_string()))?;
    let (mut best, mut steps, mut error) = (f64::INFINITY, 0, 0.0);
    for _ in 0..3 {
        let mut world = World::from_scene(&scene)?;
        let start = Instant::now();
        while !world.reached(scene.step.until) {
            world.step().map_err(|e| Failure::Work(e.to_string()))?;
        }
        best = best.min(start.elapsed().as_secs_f64());
        let value = quantity
            .of(&world)
            .map_err(|e| Failure::Input(e.to_string()))?;
        error = (value - case.value).abs();
        steps = world.steps().max(world.inner_steps());
    }
    Ok(PrecisionPoint {
        scene: case.name.clone(),
        method,
        setting,
        steps,
        seconds: best,
        error,
    })
}

fn text_of(rows: &[PrecisionPoint]) -> String {
    let mut lines = vec![
        "Error against CPU time (best of 3), by method; h in s, or the wanted error of extrapolated in m".to_string(),
    ];
    let mut scene = "";
    for r in rows {
        if r.scene != scene {
            scene = &r.scene;
            lines.push(scene.to_string());
            lines.push(format!(
                "  {:<16} {:>10} {:>8} {:>12} {:>10}",
                "method", "h or error", "steps", "time", "error (m)"
            ));
        }
        lines.push(format!(
            "  {:<16} {:>10.2e} {:>8} {:>12} {:>10.2e}",
            r.method.name(),
            r.setting,
            r.steps,
            seconds(r.seconds),
            r.error
        ));
    }
    lines.join("\n")
}

fn sheet_of(cases: &[Exact], rows: &[PrecisionPoint]) -> Sheet {
    let mut sheet = Sheet::new("Error against CPU time", 3);
    for case in cases {
        let mut plot = Plot::new(case.name.clone())
            .x(Axis::log("CPU time", "s"))
            .y(Axis::log("error", "m"));
        for method in Method::ALL {
            let points: Vec<(f64, f64)> = rows
                .iter()
                .filter(|r| r.scene == case.name && r.method == method)
                // Rounding is drawn at its own level.
                .map(|r| (r.seconds, r.error.max(1e-16)))
                .collect();
            plot = plot.line(method.name(), &points);
        }
        sheet = sheet.plot(&plot);
    }
    sheet
}

fn json_of(rows: &[PrecisionPoint]) -> serde_json::Value {
    let rows: Vec<_> = rows
        .iter()
        .map(|r| {
            json!({ "scene": r.scene, "method": r.method.name(), "setting": r.setting,
                    "steps": r.steps, "seconds": r.seconds, "error": r.error })
        })
        .collect();
    json!({ "bench": "precision", "rows": rows })
}
