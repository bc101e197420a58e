//! Figure 4: the simulated velocity of a particle on the rocking plate against the theory's.

use super::{Effort, Study};
use crate::field::{FieldError, world_at};
use crate::library::{self, Part};
use stickslip::prelude::*;
use stickslip_plot::{Axis, Plot};

/// α, rad/s²; T, s; d, m; μ; g, m/s².
const ALPHA: f64 = 180.0;
const T: f64 = 0.03;
const D: f64 = 0.05;
const MU: f64 = 0.3;
const G: f64 = 9.81;

/// b and c of v = b r + c r³, to leading order: the particle's place frozen, N = g + θ'' r, four constant accelerations
/// a period.
#[must_use]
fn leading_order() -> (f64, f64) {
    let b = -(T * MU / 8.0) * (3.0 * ALPHA - MU * MU * G * G / (ALPHA * D * D));
    let c = -T * MU * MU * MU * ALPHA / (8.0 * D * D);
    (b, c)
}

/// A particle drifts from 5 cm left of the middle to it; its mean velocity in each period beside b r + c r³ at its mean place.
///
/// # Errors
/// A step that was not certified.
pub fn steady_velocity(effort: Effort) -> Result<Study, FieldError> {
    let steps = match effort {
        Effort::Quick => 300,
        Effort::Full => 3000,
    };
    let Some(plate) = library::by_name("rocking") else {
        return Err(FieldError::NoPlate("no rocking plate".into()));
    };
    // At rest on the plate, which moves towards the middle there: much faster than it will be.
    let start = DVec2::new(-0.05, 0.0);
    let mut world = world_at(&plate.scene(Part::Particle), start, T / f64::from(steps))?;
    let place = |world: &World| {
        let [plate, part] = ["plate", "part"].map(|name| world.body(name).copied());
        let (plate, part) = (plate.unwrap_or_default(), part.unwrap_or_default());
        plate.pose.to_body(part.pose.position).x
    };
    let (b, c) = leading_order();
    let mut rows = Vec::new();
    let mut x = place(&world);
    for period in 0..100 {
        let (before, mut sum) = (x, 0.0);
        for _ in 0..steps {
            world.step().map_err(|error| FieldError::Step {
                x: start.x,
                y: start.y,
                error,
            })?;
            let next = place(&world);
            sum += 0.5 * (x + next);
            x = next;
        }
        let r = sum / f64::from(steps);
        let theory = b * r + c * r * r * r;
        rows.push(vec![
            (f64::from(period) + 0.5) * T,
            r,
            (x - before) / T,
            theory,
        ]);
    }
    let mut study = Study {
        id: "plate-fig4",
        title: "Velocity of a particle on the rocking plate, period by period",
        columns: vec![
            ("t", "s"),
            ("r", "m"),
            ("simulated", "m/s"),
            ("b r + c r^3", "m/s"),
        ],
        plots: vec![("fig4", plot(&rows))],
        rows,
        findings: Vec::new(),
    };
    let (first, settled) = (&study.rows[0], &study.rows[20]);
    let ratio = |row: &[f64]| format!("{:.3} of the formula", row[2] / row[3]);
    let (first, settled) = (ratio(first), ratio(settled));
    study.find("first period", "much larger than predicted", first);
    study.find("after 20 periods", "converges to the formula", settled);
    study.find(
        "b and c",
        format!(
            "{b:.4} 1/s and {c:.3} 1/(m² s) to leading order (our derivation; the paper cites them)"
        ),
        "the true motion has b = -0.5775 1/s, c = -7.041 1/(m² s): the formula is 1.4 % off in b",
    );
    Ok(study)
}

fn plot(rows: &[Vec<f64>]) -> Plot {
    let column =
        |k: usize| -> Vec<(f64, f64)> { rows.iter().map(|r| (r[0], r[k] * 1e3)).collect() };
    Plot::new("Simulated and theoretical velocity on the rocking plate")
        .x(Axis::linear("t", "s"))
        .y(Axis::linear("mean velocity in a period", "mm/s"))
        .points("simulated", &column(2))
        .line("b r + c r³ (leading order)", &column(3))
}
