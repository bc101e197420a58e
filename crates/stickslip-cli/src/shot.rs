//! `stickslip shot`: a picture of one moment, a moving one, or the whole run as a GLB animation.

use crate::options::{numbers, unpainted, writable};
use crate::view::with_film;
use serde_json::json;
use std::path::PathBuf;
use stickslip::record::Frame;
use stickslip::record::files::replace;
use stickslip_console::{Failure, Verdict, print, print_json};
use stickslip_view::{Film, Pace, ShotOptions};

/// Draw a moment of a trajectory, or export it as an animation
///
/// Needs no browser. A picture ends in .svg or .png, a moving one (--film) in .png, an animation for other programs (glTF 2.0) in .glb.
///
/// Example: stickslip shot stack.parquet --at 8 -o stack.png
///
/// Example: stickslip shot stack.parquet --at 1,2,3 --size 1200,400 -o stack.png
///
/// Example: stickslip shot stack.parquet --film --at 1,3 --speed 0.5 -o falls.png
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A trajectory written by `stickslip run … -o FILE.parquet`
    trajectory: PathBuf,
    /// Time, s (default: the end); of several, such as 0.5,1,1.5, each has a view of its own, beside the others
    #[arg(
        long,
        value_name = "T",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    at: Vec<f64>,
    /// With several times: draw all over each other in one view, the arrows of the last only
    #[arg(long, conflicts_with = "film")]
    overlay: bool,
    /// A moving picture (an animated PNG), of the whole run or between two times of --at
    #[arg(long)]
    film: bool,
    /// With --film: pictures a second
    #[arg(long, value_name = "N", default_value_t = 20.0, requires = "film")]
    rate: f64,
    /// With --film: seconds of the run in a second of watching
    #[arg(long, value_name = "S", default_value_t = 1.0, requires = "film")]
    speed: f64,
    /// File to write: .svg, .png or .glb
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Width and height of the picture, pixels at 100 %
    #[arg(
        long,
        value_name = "W,H",
        default_value = "800,600",
        allow_hyphen_values = true
    )]
    size: String,
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
        let [width, height] = numbers("--size", &self.size)?;
        for (name, value, from, to) in [
            ("--size", width, 16.0, 8000.0),
            ("--size", height, 16.0, 8000.0),
            ("--elevation", self.elevation, -90.0, 90.0),
            ("--azimuth", self.azimuth, -3600.0, 3600.0),
            ("--rate", self.rate, 1.0, 60.0),
            ("--speed", self.speed, 1e-6, 1e6),
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
            glass: self.glass.clone(),
            also: times,
            overlay: self.overlay,
        };
        writable(&self.output)?;
        let ending = self.output.extension().map(|e| e.to_ascii_lowercase());
        with_film(&self.trajectory, &self.at, |film| {
            let wrong = |e: &dyn std::error::Error| Failure::Input(e.to_string());
            if self.film {
                self.write_film(film, &options, ending.as_deref() == Some("png".as_ref()))?;
            } else if ending.as_deref() == Some("glb".as_ref()) {
                if at.is_some() {
                    return Err(Failure::Input(
                        "--at: an animation has all times; it goes with .svg and .png".into(),
                    ));
                }
                replace(&self.output, &film.glb())
                    .map_err(|e| Failure::unwritten(&self.output, e))?;
            } else {
                let end = film.frames().last().map_or(0.0, |f| f.step.t);
                let drawing = film
                    .shot(at.unwrap_or(end), &options)
                    .map_err(|e| wrong(&e))?;
                drawing.write(&self.output).map_err(unpainted)?;
            }
            let file = self.output.display().to_string();
            if self.json {
                return print_json(&json!({ "file": file }));
            }
            print(&file)
        })?;
        Ok(Verdict::Good)
    }

    /// The run, or what lies between two of its times, as a moving picture.
    fn write_film(
        &self,
        film: &Film<'_>,
        options: &ShotOptions,
        is_png: bool,
    ) -> Result<(), Failure> {
        /// More pictures than anybody waits for.
        const MOST: f64 = 3000.0;
        if !is_png {
            return Err(Failure::Input(format!(
                "{}: a moving picture must end in .png",
                self.output.display()
            )));
        }
        let time = |frame: Option<&Frame>| frame.map_or(0.0, |f| f.step.t);
        let (start, end) = (time(film.frames().first()), time(film.frames().last()));
        let [from, to] = match self.at.as_slice() {
            [] => [start, end],
            &[from, to] if from < to => [from, to],
            _ => {
                return Err(Failure::Input(
                    "--at: a moving picture needs two times, the first and the last".into(),
                ));
            }
        };
        let count = (to - from) * self.rate / self.speed;
        if count > MOST {
            return Err(Failure::Input(format!(
                "--film: that would be {count:.0} pictures, more than {MOST}: take a larger --speed or a smaller --rate"
            )));
        }
        let pace = Pace {
            rate: self.rate,
            speed: self.speed,
        };
        let bytes = film
            .moving([from, to], pace, options)
            .map_err(|e| Failure::Input(e.to_string()))?;
        replace(&self.output, &bytes).map_err(|e| Failure::unwritten(&self.output, e))
    }
}
