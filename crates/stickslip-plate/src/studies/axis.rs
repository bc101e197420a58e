//! An axis nearer to the plate, and places farther from the axis: sticking and loss of contact.

use super::{Effort, Study};
use crate::field::{Field, FieldError, Sampling};
use crate::library::{self, Part};
use stickslip::dynamics::scene::Override;
use stickslip::prelude::*;
use stickslip_plot::{Axis, Plot};

const ALPHA: f64 = 180.0;
const MU: f64 = 0.3;
const G: f64 = 9.81;

fn steps(effort: Effort) -> usize {
    match effort {
        Effort::Quick => 300,
        Effort::Full => 3000,
    }
}

/// Settled behaviour on the rocking plate: the particle at x = ±half, its axis `d` below.
fn watched(d: f64, half: f64, steps: usize) -> Result<crate::field::Place, FieldError> {
    let Some(plate) = library::by_name("rocking") else {
        return Err(FieldError::NoPlate("no rocking plate".into()));
    };
    let nearer = Override::from_option(&format!("surface={d}"));
    let scene = Scene::parse(
        &plate.scene_text(Part::Particle),
        plate.name,
        nearer.as_slice(),
    )?;
    let sampling = Sampling {
        cells: 2,
        half,
        steps,
        settle: 8,
        average: 1,
        threads: 1,
    };
    let field = Field::measure(&scene, plate.period, &sampling, &|| ())?;
    Ok(field.places[1].clone())
}

/// The particle 2 cm from the foot of the axis, with the axis at depths from 5 cm to 0.5 cm.
///
/// # Errors
/// A step that was not certified.
pub fn nearer_axis(effort: Effort) -> Result<Study, FieldError> {
    let mut rows = Vec::new();
    let mut first = f64::NAN;
    for k in 0..46 {
        let d = 0.05 - 0.001 * f64::from(k);
        let place = watched(d, 0.02, steps(effort))?;
        let r = place.place.x.abs();
        let bound = MU * (G + ALPHA * r) / ALPHA;
        // A reversal of the slip shows as a step or two of stick.
        let sticks = place.stick * steps(effort) as f64 > 4.0;
        if first.is_nan() && sticks {
            first = d;
        }
        rows.push(vec![
            d,
            r,
            bound,
            place.stick,
            place.slide,
            place.velocity.x,
        ]);
    }
    let predicted = rows
        .iter()
        .find(|r| r[0] <= r[2])
        .map_or(f64::NAN, |r| r[0]);
    let column =
        |k: usize| -> Vec<(f64, f64)> { rows.iter().map(|r| (r[0] * 1e3, r[k])).collect() };
    let plot = Plot::new("A particle 2 cm from the foot of the axis")
        .x(Axis::linear("depth of the axis", "mm"))
        .y(Axis::linear("fraction of the time", ""))
        .line("sticks", &column(3))
        .line("slides", &column(4));
    let mut study = Study {
        id: "plate-nearer-axis",
        title: "The axis nearer to the plate: sticking",
        columns: vec![
            ("d", "m"),
            ("r", "m"),
            ("bound on d", "m"),
            ("sticks", ""),
            ("slides", ""),
            ("v", "m/s"),
        ],
        rows,
        findings: Vec::new(),
        plots: vec![("nearer-axis", plot)],
    };
    study.find(
        "axis closer to the plate",
        "the particle sticks during portions of each cycle; no number",
        format!("sticks from d = {first:.3} m down, where the bound mu (g + alpha |r|)/alpha says {predicted:.3} m (steps of 1 mm)"),
    );
    Ok(study)
}

/// Particles at 4 to 8 cm from the foot of the axis, which is 5 cm below.
///
/// # Errors
/// A step that was not certified.
pub fn lift_off(effort: Effort) -> Result<Study, FieldError> {
    let mut rows = Vec::new();
    let mut first = f64::NAN;
    for k in 0..41 {
        let place = watched(0.05, 0.04 + 0.001 * f64::from(k), steps(effort))?;
        if first.is_nan() && place.air > 0.0 {
            first = place.place.x.abs();
        }
        rows.push(vec![
            place.place.x.abs(),
            place.air,
            place.slide,
            place.velocity.x,
        ]);
    }
    let column =
        |k: usize| -> Vec<(f64, f64)> { rows.iter().map(|r| (r[0] * 1e3, r[k])).collect() };
    let plot = Plot::new("Far from the axis the plate throws particles off")
        .x(Axis::linear("distance from the foot of the axis", "mm"))
        .y(Axis::linear("fraction of the time", ""))
        .line("in the air", &column(1))
        .line("slides", &column(2));
    let mut study = Study {
        id: "plate-lift-off",
        title: "Loss of contact far from the axis",
        columns: vec![("r", "m"), ("in the air", ""), ("slides", ""), ("v", "m/s")],
        rows,
        findings: Vec::new(),
        plots: vec![("lift-off", plot)],
    };
    study.find(
        "loss of contact",
        "observed; no number",
        format!("from |r| = {first:.4} m; g/alpha = {:.4} m", G / ALPHA),
    );
    Ok(study)
}
