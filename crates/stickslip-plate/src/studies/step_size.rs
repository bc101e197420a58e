//! The convergence with the step size that the paper's abstract claims: exact cone and pyramid.

use super::{Effort, Study, slope};
use crate::field::{FieldError, world_at};
use crate::library::{self, Part};
use stickslip::prelude::*;
use stickslip_plot::{Axis, Plot};

fn end(cone: Cone, h: f64) -> Result<DVec2, FieldError> {
    let Some(plate) = library::by_name("circle") else {
        return Err(FieldError::NoPlate("no circle".into()));
    };
    let mut scene = plate.scene(Part::Particle);
    scene.step.cone = cone;
    let start = DVec2::new(0.04, 0.0);
    let mut world = world_at(&scene, start, h)?;
    for _ in 0..(1.0 / h).round() as usize {
        world.step().map_err(|error| FieldError::Step {
            x: start.x,
            y: start.y,
            error,
        })?;
    }
    let part = world.body("part").copied().unwrap_or_default();
    Ok(part.pose.position.truncate())
}

/// The particle of figure 5 after 1 s, with steps halved again and again; errors against the limit extrapolated from the
/// two finest.
///
/// # Errors
/// A step that was not certified.
pub fn step_size(effort: Effort) -> Result<Study, FieldError> {
    let halvings = match effort {
        Effort::Quick => 4,
        Effort::Full => 7,
    };
    let cones = [Cone::Quadratic, Cone::Pyramid(8)];
    let mut errors = Vec::new();
    let sizes: Vec<f64> = (0..=halvings).map(|k| 4e-4 / f64::from(1 << k)).collect();
    for cone in cones {
        let ends = sizes
            .iter()
            .map(|&h| end(cone, h))
            .collect::<Result<Vec<_>, _>>()?;
        let limit = ends[halvings] * 2.0 - ends[halvings - 1];
        errors.push(
            ends.iter()
                .map(|e| (*e - limit).length())
                .collect::<Vec<_>>(),
        );
    }
    let rows: Vec<Vec<f64>> = sizes
        .iter()
        .enumerate()
        .map(|(k, &h)| vec![h, errors[0][k], errors[1][k]])
        .collect();
    let curve = |k: usize| -> Vec<(f64, f64)> { rows.iter().map(|r| (r[0], r[k])).collect() };
    let (exact, pyramid) = (curve(1), curve(2));
    let plot = Plot::new("Error of the particle's place after 1 s")
        .x(Axis::log("step h", "s"))
        .y(Axis::log("error", "m"))
        .line("exact cone", &exact)
        .line("8 directions", &pyramid)
        .line(
            "slope 1",
            &[
                (sizes[0], exact[0].1),
                (sizes[halvings], exact[0].1 * sizes[halvings] / sizes[0]),
            ],
        )
        .dashed();
    let mut study = Study {
        id: "plate-step-size",
        title: "Convergence with the step size on the scaled circle, 1 s",
        columns: vec![("h", "s"), ("exact cone", "m"), ("8 directions", "m")],
        rows,
        findings: Vec::new(),
        plots: vec![("step-size", plot)],
    };
    let order = |curve: &[(f64, f64)]| format!("{:.2}", slope(curve));
    study.find(
        "order with the exact cone",
        "convergence (in the abstract; no data)",
        order(&exact),
    );
    study.find(
        "order with 8 directions",
        "convergence (in the abstract; no data)",
        order(&pyramid),
    );
    Ok(study)
}
