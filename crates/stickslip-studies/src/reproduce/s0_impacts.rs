//! S0: impacts.

use super::entry::{Effort, Entry, Shown, Source, number, play, scene};
use stickslip::model::Kind;
use stickslip_plot::{Axis, Plot};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "bouncing-ball",
    title: "A bouncing ball: the loop with its collision test",
    rows: &["S0-43", "S0-52"],
    by_hand: "stickslip run scenes/bouncing_ball.toml --method event-driven",
    run: bouncing_ball,
}];

/// Dropped from 1 m with restitution 0.8: tₙ = t₁ + 2 v₁/g (e + … + eⁿ⁻¹).
fn bouncing_ball(effort: Effort) -> Result<Shown, String> {
    let (file, text) = scene!("bouncing_ball");
    let (g, e) = (9.81, 0.8);
    let speed = libm::sqrt(2.0 * g);
    let method = |name: &str| [("step.method", name.to_string())];
    let played = play(file, text, &method("event-driven"), 1)?;
    let frames = &played.trajectory.frames;
    let ball = played.index_of("ball")?;
    let found: Vec<f64> = frames
        .iter()
        .filter(|f| f.step.kind == Kind::Compression)
        .map(|f| f.step.t)
        .collect();
    let mut shown = Shown::default();
    shown.about(&["S0-43"]);
    let mut expected = speed / g;
    let mut worst = 0.0_f64;
    for (n, t) in found.iter().take(10).enumerate() {
        if n < 3 {
            shown.compare(
                Source::Derived,
                &format!("time of bounce {}", n + 1),
                expected,
                *t,
                1e-9,
                "s",
            );
        }
        worst = worst.max((t - expected).abs());
        expected += 2.0 * speed / g * (0..=n).fold(1.0, |x, _| x * e);
    }
    shown.claim(
        Source::Derived,
        "the first ten bounces",
        "at the times of the closed form",
        format!(
            "{} found, off by {} s at most",
            found.len().min(10),
            number(worst)
        ),
        found.len() >= 10 && worst < 1e-9,
    );
    let rest = speed / g * (1.0 + e) / (1.0 - e);
    let end = frames.last().ok_or("no frames")?;
    shown.claim(
        Source::Derived,
        "rest",
        &format!("after infinitely many bounces in {} s", number(rest)),
        format!(
            "{} bounces, then {} m/s at {} s",
            found.len(),
            number(end.step.bodies[ball].twist.linear.length()),
            number(end.step.t)
        ),
        end.step.bodies[ball].twist.linear.length() < 1e-9,
    );
    let height =
        |f: &stickslip::record::Frame| (f.step.t, f.step.bodies[ball].pose.position.z - 0.1);
    let mut plot = Plot::new("Height of a ball dropped from 1 m, restitution 0.8")
        .x(Axis::linear("t", "s"))
        .y(Axis::linear("height", "m"))
        .line(
            "event-driven",
            &frames.iter().map(height).collect::<Vec<_>>(),
        );
    // Future work of the slides: a fixed step and one problem each.
    shown.about(&["S0-52"]);
    let mut errors = Vec::new();
    for k in 0..effort.of(4, 7) {
        let h = 0.008 / f64::from(1 << k);
        let set = [("step.h", h.to_string()), ("step.until", "0.9".to_string())];
        let fixed = play(file, text, &set, 1)?;
        // In flight between the first and the second bounce: z = e v τ − g τ²/2.
        let tau = fixed.outcome.t - speed / g;
        let exact = e * speed * tau - 0.5 * g * tau * tau;
        errors.push((h, (fixed.end_of("ball")?.z - 0.1 - exact).abs()));
        if k == 0 {
            let fixed = play(file, text, &[("step.h", h.to_string())], 1)?;
            let line: Vec<(f64, f64)> = fixed.trajectory.frames.iter().map(height).collect();
            plot = plot.line(&format!("fixed step of {h} s"), &line).dashed();
        }
    }
    let (first, last) = (errors[0].1, errors[errors.len() - 1].1);
    shown.claim(
        Source::Derived,
        "a fixed step, one problem each (the slides ask whether it can be used)",
        "an error that falls with the step",
        format!(
            "off by {} m at 0.9 s with h = 8 ms, by {} m with h = {} ms",
            number(first),
            number(last),
            number(1e3 * errors[errors.len() - 1].0)
        ),
        last < first,
    );
    shown.plot("Found impacts, and a fixed step", &plot);
    Ok(shown)
}
