//! S1: velocity fields of vibrating plates.

use super::entry::{Effort, Shown, Source, number};
use stickslip_plate::field::{Field, Place, Sampling};
use stickslip_plate::library::{self, Part};
use stickslip_plot::Sheet;

/// Mean of a measure of the arrows, weighted by nothing, over places where something moves.
fn mean(field: &Field, measure: impl Fn(&Place) -> f64) -> f64 {
    let moving: Vec<f64> = field
        .places
        .iter()
        .filter(|p| p.velocity.length() > 0.02 * field.fastest() && p.place.length() > 1e-3)
        .map(measure)
        .collect();
    moving.iter().sum::<f64>() / moving.len().max(1) as f64
}

pub(super) fn fields(effort: Effort) -> Result<Shown, String> {
    let mut shown = Shown::default();
    let names = effort.of(
        vec!["circle", "sink", "line-sink", "rocking"],
        vec![
            "circle",
            "sink",
            "whirlpool",
            "saddle",
            "line-sink",
            "rocking",
        ],
    );
    let mut sheet = Sheet::new("", 2);
    for name in names {
        let plate = library::by_name(name).ok_or_else(|| format!("no plate {name}"))?;
        let sampling = Sampling {
            cells: effort.of(11, 31),
            half: plate.half,
            steps: effort.of(120, 300),
            settle: 12,
            average: 2,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        };
        let scene = plate.scene(Part::Particle);
        let field =
            Field::measure(&scene, plate.period, &sampling, &|| ()).map_err(|e| e.to_string())?;
        let change = field.places.iter().map(|p| p.change).fold(0.0, f64::max);
        shown.about(&["S1-01"]);
        shown.claim(
            Source::Printed,
            &format!("{name}: does it change with time?"),
            "a velocity field independent of time",
            format!(
                "from a period to the next by {} of the fastest at most",
                number(change / field.fastest())
            ),
            change < 0.02 * field.fastest(),
        );
        // Cosine between the velocity and the way outwards or round.
        let outward = mean(&field, |p| {
            p.place.dot(p.velocity) / (p.place.length() * p.velocity.length())
        });
        let round = mean(&field, |p| {
            p.place.perp_dot(p.velocity) / (p.place.length() * p.velocity.length())
        });
        let to_line = mean(&field, |p| -(p.place.x * p.velocity.x).signum());
        shown.about(&["S1-03"]);
        let (printed, ours, holds) = match name {
            "circle" => (
                "parts go round",
                format!("mean cosine with the way round {}", number(round)),
                round.abs() > 0.95,
            ),
            "whirlpool" => (
                "parts spiral inwards",
                format!(
                    "mean cosine with the way round {}, outwards {}",
                    number(round),
                    number(outward)
                ),
                round.abs() > 0.3 && outward < -0.2,
            ),
            "saddle" => (
                "in along one axis, out along the other",
                format!("mean cosine with the way outwards {}", number(outward)),
                outward.abs() < 0.1,
            ),
            "sink" => (
                "parts gather in the middle",
                format!("mean cosine with the way outwards {}", number(outward)),
                outward < -0.95,
            ),
            _ => (
                "parts gather on a line",
                format!("{} % move towards it", number(50.0 + 50.0 * to_line)),
                to_line > 0.95,
            ),
        };
        // The paper has the circle; the others are named after what they do.
        let source = if name == "circle" {
            Source::Printed
        } else {
            Source::Derived
        };
        shown.claim(
            source,
            &format!("{name}: where parts go"),
            printed,
            ours,
            holds,
        );
        let share = |f: &dyn Fn(&Place) -> bool| {
            let count = field.places.iter().filter(|p| f(p)).count();
            number(100.0 * count as f64 / field.places.len() as f64)
        };
        shown.about(&["S1-07"]);
        shown.tell(
            &format!("{name}: modes"),
            "stick-slip and loss of contact observed",
            format!(
                "{} % of the places stick, {} % leave the plate for more than 2 % of the time",
                share(&|p| p.stick > 0.02),
                share(&|p| p.air > 0.02)
            ),
        );
        sheet = sheet.plot(&field.plot(&format!("{name}: {printed}")).size(500.0, 535.0));
    }
    shown.drawing(
        "Mean velocity a period from places all over the plate; cells are coloured where parts stick or leave it",
        &sheet.drawing(),
    );
    shown.notes.push("The paper matches fields of experiments by eye and prints no numbers of them (friction, mass, starts): the motions are ours, with μ = 0.3.".into());
    Ok(shown)
}
