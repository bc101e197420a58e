//! S0: Painlevé's rod.

use super::entry::{Effort, Shown, Source, scene};
use stickslip::planar::{Contact, Options, State, solve};
use stickslip_plot::{Axis, Colour, Image, Plot, colour};

/// The rod of the document: length 1 m, mass 1 kg, its tip sliding on the ground at an angle (rad).
fn rod(angle: f64, mu: f64) -> State {
    let mut state = State::new(1.0, libm::sqrt(1.0 / 12.0));
    let tip = [0.5 * libm::cos(angle), 0.5 * libm::sin(angle)];
    state.contacts = vec![Contact::new([0.0, 1.0], tip, mu)];
    state.force = [0.0, -9.81, 0.0];
    state.velocity = [-1.0, 0.0, 0.0];
    state
}

pub(super) fn painleve(effort: Effort) -> Result<Shown, String> {
    let count = |angle: f64, mu: f64| -> Result<usize, String> {
        let answer = solve(&rod(angle, mu), &Options::default()).map_err(|e| e.to_string())?;
        Ok(answer.sets.len())
    };
    // Where the single solution is lost: by bisection on the enumeration alone.
    let onset = |degrees: f64| -> Result<f64, String> {
        let (mut low, mut high) = (1.0, 10.0);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if count(degrees.to_radians(), middle)? == 1 {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(low)
    };
    let mut shown = Shown::default();
    let formula = |degrees: f64| {
        let (s, c) = (
            libm::sin(degrees.to_radians()),
            libm::cos(degrees.to_radians()),
        );
        (1.0 + 3.0 * c * c) / (3.0 * s * c)
    };
    shown.compare(
        Source::Derived,
        "onset of μ at 72°, (1 + 3 cos²)/(3 sin cos)",
        formula(72.0),
        onset(72.0)?,
        1e-6,
        "",
    );
    shown.compare(
        Source::Derived,
        "smallest onset, at 63.435°",
        4.0 / 3.0,
        onset(63.434_948_822_922)?,
        1e-6,
        "",
    );
    for (file, text, expected) in [
        (
            scene!("planar/painleve-none").0,
            scene!("planar/painleve-none").1,
            0,
        ),
        (
            scene!("planar/painleve-one").0,
            scene!("planar/painleve-one").1,
            1,
        ),
        (
            scene!("planar/painleve-two").0,
            scene!("planar/painleve-two").1,
            2,
        ),
        (
            scene!("planar/painleve-three").0,
            scene!("planar/painleve-three").1,
            3,
        ),
    ] {
        let state = State::from_toml(text).map_err(|e| e.to_string())?;
        let found = solve(&state, &Options::default())
            .map_err(|e| e.to_string())?
            .sets
            .len();
        // The slides print the first; the others are states of the same rod with the counts of the theory.
        let source = if expected == 0 {
            Source::Printed
        } else {
            Source::Derived
        };
        shown.claim(
            source,
            file,
            &match expected {
                0 => "no classical solution".to_string(),
                n => format!("{n} accelerations"),
            },
            format!("{found} accelerations"),
            found == expected,
        );
    }
    let n = effort.of(60, 160);
    let mut cells = Vec::with_capacity(n * n);
    for j in 0..n {
        for i in 0..n {
            let angle = (i as f64 + 0.5) / n as f64 * 90.0;
            let mu = (j as f64 + 0.5) / n as f64 * 3.0;
            cells.push(if count(angle.to_radians(), mu)? == 0 {
                NONE
            } else {
                ONE
            });
        }
    }
    let curve: Vec<(f64, f64)> = (1..180)
        .map(|k| 0.5 * f64::from(k))
        .map(|d| (d, formula(d)))
        .filter(|p| p.1 <= 3.0)
        .collect();
    let plot = Plot::new("A rod whose tip slides: legal accelerations")
        .x(Axis::linear("angle of the rod", "°").range(0.0, 90.0))
        .y(Axis::linear("μ", "").range(0.0, 3.0))
        .image(Image {
            x: (0.0, 90.0),
            y: (0.0, 3.0),
            columns: n,
            cells,
        })
        .line("1 + 3 (cos² − μ sin cos) = 0", &curve)
        .coloured(colour::INK)
        .key("one acceleration", ONE)
        .key("none", NONE);
    shown.plot("Enumerated accelerations and the formula", &plot);
    Ok(shown)
}

const ONE: Colour = Colour::rgb(0xd6e6f2);
const NONE: Colour = Colour::rgb(0xe9a06b);
