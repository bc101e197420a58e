//! S0: the table of cannonball piles.

use super::entry::{Effort, Shown, Source};
use stickslip_plot::{Axis, Plot};

pub(super) fn cannonball(effort: Effort) -> Result<Shown, String> {
    use crate::bench::cannonball::{CONES, ROWS, TOLERANCE, solve as solve_pile};
    let mut shown = Shown::default();
    let mut theirs = Vec::new();
    let mut ours = vec![Vec::new(); CONES.len()];
    let mut exact: Vec<(usize, f64, f64, &str)> = Vec::new();
    for (base, mu, contacts, printed) in ROWS {
        let bodies = base * (base + 1) / 2;
        let mut told = Vec::new();
        let mut worst = 0.0_f64;
        for (k, (name, cone)) in CONES.into_iter().enumerate() {
            // The largest pyramids take most of the time.
            if effort == Effort::Quick && k > 0 && base > 10 {
                continue;
            }
            let row = solve_pile(base, mu, cone).map_err(|e| e.to_string())?;
            worst = worst.max(row.residual);
            told.push(format!(
                "{}: {}, {}",
                cone_words(name),
                stickslip_console::seconds(row.seconds),
                row.motion()
            ));
            ours[k].push((row.contacts as f64, row.seconds));
            if k == 0 {
                if exact.iter().all(|(b, ..)| *b != base) {
                    shown.about(&["S0-53", "TR4"]);
                    shown.compare(
                        Source::Printed,
                        &format!("contacts of {bodies} balls"),
                        contacts as f64,
                        row.contacts as f64,
                        0.0,
                        "",
                    );
                    shown.because("the document does not state its arrangement; ours are rows of k, k − 1, …, 1 balls on level ground");
                }
                exact.push((base, mu, row.seconds, row.motion()));
            }
        }
        if let Some(seconds) = printed {
            theirs.push((contacts as f64, seconds));
        }
        shown.about(&["S0-54"]);
        shown.tell(
            &format!("{bodies} balls, μ = {mu}: time of a step"),
            &printed.map_or("FAIL".to_string(), |s| format!("{s} s")),
            told.join("; "),
        );
        shown.about(if printed.is_none() {
            &["S0-55"]
        } else {
            &["S0-53"]
        });
        shown.at_most(
            &format!("{bodies} balls, μ = {mu}: largest residual"),
            TOLERANCE,
            worst,
            "m/s",
        );
    }
    let largest = |mu: f64| exact.iter().find(|r| r.0 == 20 && r.1 == mu);
    if let (Some(smooth), Some(rough), Some(roughest)) = (largest(0.0), largest(0.2), largest(0.8))
    {
        shown.about(&["S0-55"]);
        shown.claim(
            Source::Printed,
            "210 balls, μ = 0.8",
            "FAIL",
            roughest.3,
            false,
        );
        shown.because("it is solved here: friction of 0.8 holds the pile");
        shown.about(&["S0-56"]);
        let (printed, ratio) = (174.29 / 0.80, rough.2 / smooth.2);
        shown.compare(
            Source::Printed,
            "210 balls: time with μ = 0.2 over that without friction",
            printed,
            ratio,
            0.1 * printed,
            "",
        );
        shown.because(
            "the solvers are others: PATH on an LCP there, a method for the cone itself here",
        );
    }
    shown.notes.push("Times are of this machine and are not judged. The first step from rest, h = 0.05 s, is solved from nothing; the document states neither radii, masses, directions nor its starting gaps.".into());
    let mut plot = Plot::new("Time of the first step of a pile")
        .x(Axis::log("contacts", ""))
        .y(Axis::log("time", "s"))
        .points("the document, LCP", &theirs);
    for ((name, _), points) in CONES.into_iter().zip(&ours) {
        plot = plot.points(&format!("ours, {}", cone_words(name)), points);
    }
    shown.plot("Seconds against contacts, all values of μ", &plot);
    let mut sheet = stickslip_plot::Sheet::new("", 2);
    for mu in [0.8, 0.2] {
        sheet = sheet.part(pile_after(effort.of(6, 10), mu, 0.5)?);
    }
    shown.drawing(
        "A pile after half a second: μ = 0.8 holds it, μ = 0.2 does not",
        &sheet.drawing(),
    );
    Ok(shown)
}

/// The name of a cone for people.
fn cone_words(name: &str) -> String {
    match name.split_once(':') {
        Some((_, n)) => format!("{n} directions"),
        None => "exact cone".into(),
    }
}

/// A pile and its contact forces at a time, s.
fn pile_after(base: usize, mu: f64, t: f64) -> Result<stickslip_plot::Drawing, String> {
    use stickslip::dynamics::simulate::to_the_end;
    use stickslip::prelude::{Cone, simulate};
    let mut world =
        crate::bench::cannonball::pile(base, mu, Cone::Quadratic).map_err(|e| e.to_string())?;
    let mut trajectory = stickslip::record::Trajectory::new();
    let header = stickslip::record::Header {
        bodies: world.model().body_names().map(Into::into).collect(),
        h: world.settings().h,
        every: 1,
        tolerance: world.settings().tolerance,
        ..Default::default()
    };
    simulate(&mut world, &header, t, &mut trajectory, &mut to_the_end)
        .map_err(|e| e.to_string())?;
    let film = stickslip_view::Film::new(world.model(), &trajectory).map_err(|e| e.to_string())?;
    let film = film.titled(format!("μ = {mu}"));
    let options = stickslip_view::ShotOptions {
        width: 480.0,
        height: 360.0,
        azimuth: -80.0,
        ..Default::default()
    };
    film.shot(t, &options).map_err(|e| e.to_string())
}
