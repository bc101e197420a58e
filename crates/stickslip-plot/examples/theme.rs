//! Draws one sheet with every kind of mark: `cargo run -p stickslip-plot --example theme -- theme.png`.

use stickslip_plot::{Arrow, Axis, Image, Plot, Sheet, colour};

fn main() -> Result<(), stickslip_plot::PlotError> {
    let out = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "theme.svg".into());
    let halved = |first: f64, k: i32| first / f64::from(1 << k);
    let order = |scale: f64| {
        (0..6)
            .map(|k| (halved(0.05, k), scale * halved(0.05, k)))
            .collect::<Vec<_>>()
    };
    let convergence = Plot::new("Error against the step")
        .x(Axis::log("step h", "s"))
        .y(Axis::log("error of the stop", "m"))
        .line("quadratic cone", &order(0.3))
        .points("", &order(0.3))
        .like(0)
        .line("pyramid, 8 directions", &order(1.1))
        .points("", &order(1.1))
        .like(1)
        .line("slope 1", &[(0.002, 0.0002), (0.05, 0.005)])
        .coloured(colour::GREY)
        .dashed()
        .note("A note says what the reader should know.");
    let curve: Vec<(f64, f64)> = (0..200)
        .map(|k| 0.05 * f64::from(k))
        .map(|t| (t, libm::exp(-0.2 * t) * libm::sin(2.0 * t)))
        .collect();
    let band: Vec<(f64, f64, f64)> = curve
        .iter()
        .map(|&(t, _)| (t, -libm::exp(-0.2 * t), libm::exp(-0.2 * t)))
        .collect();
    let motion = Plot::new("A damped motion")
        .x(Axis::linear("t", "s"))
        .y(Axis::linear("displacement", "mm"))
        .band("envelope", &band)
        .line("measured", &curve)
        .error_bars(
            "samples",
            &[
                (1.0, 0.7, 0.1),
                (3.0, -0.2, 0.15),
                (5.5, -0.3, 0.1),
                (8.0, 0.0, 0.2),
            ],
        );
    let bars = Plot::new("Time of a step")
        .x(Axis::names(
            "solver",
            ["newton", "nsgs", "interior point", "lemke"],
        ))
        .y(Axis::log("time", "ms"))
        .bars("stack", &[(0.0, 0.2), (1.0, 1.1), (2.0, 0.8), (3.0, 14.0)])
        .bars("pile", &[(0.0, 0.5), (1.0, 2.1), (2.0, 1.8), (3.0, 140.0)]);
    let arrow = |i: i32, j: i32| {
        let (x, y) = (0.1 * f64::from(i), 0.1 * f64::from(j));
        Arrow {
            at: (x, y),
            vector: (-y, x),
        }
    };
    let inner = |a: &Arrow| libm::hypot(a.at.0, a.at.1) < 0.5;
    let (stick, slide): (Vec<Arrow>, Vec<Arrow>) = (-9..10)
        .flat_map(|i| (-9..10).map(move |j| arrow(i, j)))
        .partition(inner);
    let cells = (0..64 * 64).map(|k| {
        (
            f64::from(k % 64) / 32.0 - 1.0,
            f64::from(k / 64) / 32.0 - 1.0,
        )
    });
    let image = Image {
        x: (-1.0, 1.0),
        y: (-1.0, 1.0),
        columns: 64,
        cells: cells
            .map(|(x, y)| {
                colour::scale(0.5 * (x * x + y * y))
                    .with_opacity(1.0)
                    .mixed(colour::PAPER, 0.6)
            })
            .collect(),
    };
    let field = Plot::new("A field with two classes")
        .x(Axis::linear("x", "m"))
        .y(Axis::linear("y", "m"))
        .image(image)
        .field("stick", &stick)
        .field("slide", &slide)
        .equal();
    Sheet::new("The theme of stickslip's plots", 2)
        .plot(&convergence)
        .plot(&motion)
        .plot(&bars)
        .plot(&field)
        .write(out)
}
