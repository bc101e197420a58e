//! `stickslip modes`: the force-torque plane split into regions of constant contact mode.

use crate::accel::{is_svg, write_file};
use crate::options::numbers;
use crate::planar_source::Source;
use std::path::{Path, PathBuf};
use stickslip::planar::{Axis, MapOptions, Options, mode_map};
use stickslip_console::{Failure, Verdict, print, print_json};

/// Map of the applied forces by the contact modes they lead to, with area fractions
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  stickslip modes scenes/planar/three-point.toml --x fx --y torque -o modes.svg

Two components of the applied force vary, the third stays as in the state. A region is named by the modes of all
solutions there, such as `s | f | l`; `none` where no acceleration is legal; ~ marks a continuous set.
Exit status: 0, 1 where the picture cannot be written, 2 for bad input.")]
pub(crate) struct Args {
    #[command(flatten)]
    source: Source,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Picture to write (default: the name of the state with .modes.svg)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Horizontal component: fx, fy or torque
    #[arg(long, default_value = "fx")]
    x: Axis,
    /// Vertical component: fx, fy or torque
    #[arg(long, default_value = "torque")]
    y: Axis,
    /// Range of the horizontal component
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true)]
    x_range: Option<String>,
    /// Range of the vertical component
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true)]
    y_range: Option<String>,
    /// Halvings of the window where modes change: 9 gives 512 squares along a side
    #[arg(long, default_value_t = 9)]
    fine: u32,
    /// Relative tolerance to which signs are decided
    #[arg(long, default_value_t = Options::default().tolerance, allow_hyphen_values = true)]
    tolerance: f64,
}

impl Args {
    pub(crate) fn run(self) -> Result<Verdict, Failure> {
        if let Some(path) = &self.output {
            is_svg("--output", path)?;
        }
        let planar = self.source.read()?;
        let state = &planar.state;
        let settings = Options {
            tolerance: self.tolerance,
            rest_speed: planar.rest_speed,
            ..Options::default()
        };
        let window = MapOptions::for_state(state);
        let range = |option: &str, axis: Axis, given: Option<&str>| match given {
            None => Ok((axis, window.range(axis))),
            Some(text) => numbers(option, text).map(|range| (axis, range)),
        };
        let options = MapOptions {
            x: range("--x-range", self.x, self.x_range.as_deref())?,
            y: range("--y-range", self.y, self.y_range.as_deref())?,
            coarse: window.coarse.min(self.fine),
            fine: self.fine,
        };
        let map = mode_map(state, &settings, &options)
            .map_err(|e| Failure::Input(format!("{}: {e}", self.source.name())))?;
        let output = self
            .output
            .clone()
            .unwrap_or_else(|| default_output(&self.source.state));
        write_file(&output, &map.svg(state))?;
        if self.json {
            let mut object = map.json();
            object["picture"] = output.display().to_string().into();
            print_json(&object)?;
        } else {
            print(&format!("{}picture: {}", map.text(), output.display()))?;
        }
        Ok(Verdict::Good)
    }
}

fn default_output(state: &Path) -> PathBuf {
    let stem = if state == Path::new("-") {
        "state".into()
    } else {
        state
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    PathBuf::from(format!("{stem}.modes.svg"))
}
