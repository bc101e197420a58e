//! `stickslip accel`: all accelerations of a planar body in frictional contact.

use crate::options::numbers;
use crate::planar_source::Source;
use std::path::{Path, PathBuf};
use stickslip::planar::{Options, figure, json, report, solve};
use stickslip::record::files::replace;
use stickslip_console::{Failure, Verdict, print, print_json};

/// All accelerations of a planar body in frictional contact, with contact modes and forces
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  stickslip accel scenes/planar/three-point.toml --why --figure cones.svg

A state in TOML (JSON has the same keys; r points from the contact to the centre of mass):
  m = 1.0                   # kg
  rho = 1.0                 # radius of gyration, m (or: inertia, kg m²)
  mu = 0.25                 # friction, inf allowed, or { static, kinetic }; a contact may have its own
  F = [0.6, -1.0, 0.0]      # force, N, and torque, N m
  v = [0.0, 0.0, 0.0]       # velocity, m/s, and angular velocity, rad/s
  [[contacts]]
  n = [0, 1]                # normal, into the body
  r = [1, 1]                # m
  type = \"B\"                # B vertex on edge, A edge on vertex, arc with curvature = { body, obstacle }

Modes, one letter for each contact that the velocity keeps: s separates, f stands still,
l and r slide to -t and +t with t = (n_y, -n_x).
Exit status: 0 with an answer (also where no acceleration is legal), 2 for bad input.")]
pub(crate) struct Args {
    #[command(flatten)]
    source: Source,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Also print what was tried, and why it was rejected
    #[arg(long)]
    why: bool,
    /// Write a picture of the cones in real space and in configuration space (SVG)
    #[arg(long, value_name = "FILE")]
    figure: Option<PathBuf>,
    /// Coefficient of friction of every contact, in place of the file's
    #[arg(long, allow_hyphen_values = true)]
    mu: Option<f64>,
    /// Applied force and torque, in place of the file's
    #[arg(long, value_name = "FX,FY,TORQUE", allow_hyphen_values = true)]
    force: Option<String>,
    /// Velocity and angular velocity, in place of the file's
    #[arg(long, value_name = "VX,VY,OMEGA", allow_hyphen_values = true)]
    velocity: Option<String>,
    /// Relative tolerance to which signs are decided; raise it for states typed with few digits
    #[arg(long, default_value_t = Options::default().tolerance, allow_hyphen_values = true)]
    tolerance: f64,
    /// Velocities up to this many m/s count as zero
    #[arg(long, default_value_t = Options::default().rest_speed, allow_hyphen_values = true)]
    rest_speed: f64,
    /// Most contacts accepted
    #[arg(long, default_value_t = Options::default().max_contacts)]
    max_contacts: usize,
    /// Try every subset of contacts, not only those that can add a solution
    #[arg(long)]
    exhaustive: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Verdict, Failure> {
        if let Some(path) = &self.figure {
            is_svg("--figure", path)?;
        }
        let mut planar = self.source.read()?;
        let state = &mut planar.state;
        if let Some(mu) = self.mu {
            for contact in &mut state.contacts {
                contact.mu = mu;
                contact.mu_static = None;
            }
        }
        if let Some(force) = &self.force {
            state.force = numbers("--force", force)?;
        }
        if let Some(velocity) = &self.velocity {
            state.velocity = numbers("--velocity", velocity)?;
        }
        let options = Options {
            tolerance: self.tolerance,
            // What is no speed is refused below.
            rest_speed: if self.rest_speed >= 0.0 {
                self.rest_speed.max(planar.rest_speed)
            } else {
                self.rest_speed
            },
            max_contacts: self.max_contacts,
            exhaustive: self.exhaustive,
        };
        let state = &planar.state;
        let answer = solve(state, &options)
            .map_err(|e| Failure::Input(format!("{}: {e}", self.source.name())))?;
        if let Some(path) = &self.figure {
            write_file(path, &figure::both_svg(state, &answer))?;
        }
        if self.json {
            let mut object = json(state, &options, &answer);
            if let Some(plane) = planar.plane_json() {
                object["plane"] = plane;
            }
            print_json(&object)?;
        } else {
            if let Some(plane) = planar.plane_text() {
                print(&plane)?;
            }
            print(report::text(state, &options, &answer, self.why).trim_end())?;
        }
        Ok(Verdict::Good)
    }
}

/// Refuses a picture's name that does not say SVG.
pub(crate) fn is_svg(option: &str, path: &Path) -> Result<(), Failure> {
    if path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("svg"))
    {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "{option}: {}: pictures are SVG; the name must end in .svg",
        path.display()
    )))
}

/// Writes a picture.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    replace(path, text.as_bytes()).map_err(|e| Failure::unwritten(path, e))
}
