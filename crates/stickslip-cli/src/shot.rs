//! `stickslip shot`: a picture of one moment, or the whole run as a GLB animation.

use crate::view::with_film;
use serde_json::json;
use std::path::PathBuf;
use stickslip::record::files::replace;
use stickslip_console::{Failure, Verdict, print, print_json};
use stickslip_view::ShotOptions;

/// Draw a moment of a trajectory, or export it as an animation
///
/// Needs no browser. A picture ends in .svg or .png, an animation for other programs (glTF 2.0) in .glb.
///
/// Example: stickslip shot stack.parquet --at 8 -o stack.png
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A trajectory written by `stickslip run … -o FILE.parquet`
    trajectory: PathBuf,
    /// Time, s (default: the end); with several, such as 0.5,1,1.5, what moves is drawn at each
    #[arg(
        long,
        value_name = "T",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    at: Vec<f64>,
    /// File to write: .svg, .png or .glb
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Width and height of the picture, pixels at 100 %
    #[arg(long, value_name = "W,H", value_delimiter = ',', num_args = 1, default_values_t = [800.0, 600.0])]
    size: Vec<f64>,
    /// Direction from which to look, degrees about the vertical from the x axis
    #[arg(long, value_name = "DEG", default_value_t = ShotOptions::default().azimuth, allow_hyphen_values = true)]
    azimuth: f64,
    /// Height from which to look, degrees
    #[arg(long, value_name = "DEG", default_value_t = ShotOptions::default().elevation, allow_hyphen_values = true)]
    elevation: f64,
    /// No arrows for forces
    #[arg(long)]
    no_forces: bool,
    /// No title and time
    #[arg(long)]
    no_caption: bool,
    /// Frame everything that ever moves, not only what is there at this time
    #[arg(long)]
    whole: bool,
    /// Bodies to draw as if of glass, to see what is inside or behind them
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    glass: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Verdict, Failure> {
        let &[width, height] = self.size.as_slice() else {
            return Err(Failure::Input(
                "--size: expected two numbers with a comma between".into(),
            ));
        };
        for (name, value, from, to) in [
            ("--size", width, 16.0, 8000.0),
            ("--size", height, 16.0, 8000.0),
            ("--elevation", self.elevation, -90.0, 90.0),
            ("--azimuth", self.azimuth, -3600.0, 3600.0),
        ] {
            if !(from..=to).contains(&value) {
                return Err(Failure::Input(format!(
                    "{name} {value}: expected {from} to {to}"
                )));
            }
        }
        // The last is the moment; the others come before it.
        let mut times = self.at.clone();
        times.sort_by(f64::total_cmp);
        let at = times.pop();
        let options = ShotOptions {
            width,
            height,
            azimuth: self.azimuth,
            elevation: self.elevation,
            forces: !self.no_forces,
            caption: !self.no_caption,
            whole: self.whole,
            glass: self.glass,
            also: times,
        };
        let ending = self.output.extension().map(|e| e.to_ascii_lowercase());
        with_film(&self.trajectory, &self.at, |film| {
            let wrong = |e: &dyn std::error::Error| Failure::Input(e.to_string());
            if ending.as_deref() == Some("glb".as_ref()) {
                if at.is_some() {
                    return Err(Failure::Input(
                        "--at: an animation has all times; it goes with .svg and .png".into(),
                    ));
                }
                replace(&self.output, &film.glb())
                    .map_err(|e| Failure::Work(format!("{}: {e}", self.output.display())))?;
            } else {
                let end = film.frames().last().map_or(0.0, |f| f.step.t);
                let drawing = film
                    .shot(at.unwrap_or(end), &options)
                    .map_err(|e| wrong(&e))?;
                drawing.write(&self.output).map_err(|e| wrong(&e))?;
            }
            let file = self.output.display().to_string();
            if self.json {
                return print_json(&json!({ "file": file }));
            }
            print(&file)
        })?;
        Ok(Verdict::Good)
    }
}
