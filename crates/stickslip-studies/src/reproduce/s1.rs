//! S1: the vibrating plate.

use super::entry::{Effort, Entry, Shown, Source, play, scene, slope};
use stickslip_plot::{Axis, Plot};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "step-size",
        title: "The stopping distance converges as the step goes to zero",
        rows: &["S1-05", "S1-43", "S3-05", "TR8"],
        by_hand: "stickslip run scenes/sliding_box.toml --h 0.001",
        run: step_size,
    },
    Entry {
        id: "static-kinetic",
        title: "Static friction holds more than kinetic",
        rows: &["S1-17"],
        by_hand: "stickslip run scenes/static_and_kinetic.toml",
        run: static_kinetic,
    },
];

fn step_size(effort: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("sliding_box");
    let exact = 2.0 * 2.0 / (2.0 * 0.5 * 9.81);
    let mut shown = Shown::default();
    let mut plot = Plot::new("Error of the stopping distance")
        .x(Axis::log("step h", "s"))
        .y(Axis::log("error", "m"));
    // With four directions along the axes and at 45° the pyramid's own limit is √2 times as far.
    let cases = [
        ("round cone", "quadratic", "pi/6", 1.0),
        ("pyramid of 4, at 45°", "pyramid:4", "pi/4", libm::sqrt(2.0)),
    ];
    for (name, cone, heading, factor) in cases {
        let mut points = Vec::new();
        for k in 0..effort.of(5, 8) {
            let h = 0.01 / f64::from(1 << k);
            let set = [
                ("step.h", h.to_string()),
                ("step.cone", cone.to_string()),
                ("heading", heading.to_string()),
                ("step.until", "0.8".to_string()),
            ];
            let place = play(file, text, &set, 1)?.end_of("box")?;
            points.push((h, (libm::hypot(place.x, place.y) - factor * exact).abs()));
        }
        shown.compare(
            Source::Derived,
            &format!("order of convergence, {name}"),
            1.0,
            slope(&points),
            0.1,
            "",
        );
        plot = plot.line(name, &points);
    }
    let plot = plot
        .line("slope 1", &[(1e-3, 2e-4), (1e-2, 2e-3)])
        .coloured(stickslip_plot::colour::GREY)
        .dashed();
    shown.plot("Halving the step", &plot);
    Ok(shown)
}

fn static_kinetic(_: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("static_and_kinetic");
    let played = play(file, text, &[], 1)?;
    let names = &played.trajectory.header.bodies;
    let mut plot = Plot::new("Two boxes on one slope, tan θ = 0.5, μ static 0.6, kinetic 0.4")
        .x(Axis::linear("t", "s"))
        .y(Axis::linear("speed", "m/s"));
    let mut shown = Shown::default();
    for body in ["resting", "pushed"] {
        let k = names.iter().position(|n| n == body).ok_or("no such body")?;
        let speed: Vec<(f64, f64)> = played
            .trajectory
            .frames
            .iter()
            .map(|f| (f.step.t, f.step.bodies[k].twist.linear.length()))
            .collect();
        let last = speed.last().map_or(0.0, |p| p.1);
        if body == "resting" {
            shown.at_most(
                "speed of the box that was left at rest, after 2 s",
                1e-9,
                last,
                "m/s",
            );
        } else {
            // v + t g (sin θ − μ_k cos θ) with tan θ = 1/2
            let cos = 1.0 / libm::sqrt(1.25);
            shown.compare(
                Source::Derived,
                "speed of the box that was pushed, after 2 s",
                0.1 + 2.0 * 9.81 * cos * (0.5 - 0.4),
                last,
                1e-6,
                "m/s",
            );
        }
        plot = plot.line(body, &speed);
    }
    shown.plot(
        "Static friction holds one, kinetic friction lets the other go",
        &plot,
    );
    shown.drawing(
        "The scene at t = 1 s",
        &played
            .film()?
            .shot(1.0, &stickslip_view::ShotOptions::default())
            .map_err(|e| e.to_string())?,
    );
    Ok(shown)
}
