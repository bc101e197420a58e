//! `stickslip accel`: all accelerations of a planar body in frictional contact.

use crate::output::{Failure, Verdict, print, print_json, time};
use std::io::Read;
use std::path::{Path, PathBuf};
use stickslip::dynamics::check::world_of;
use stickslip::planar::{Options, State, figure, json, report, solve};
use stickslip::record::{Frame, Trajectory};

/// All accelerations of a planar body in frictional contact, with contact modes and forces
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  stickslip accel scenes/planar/three-point.toml --why --figure cones.svg

A state in TOML (JSON has the same keys; r points from the contact to the centre of mass):
  m = 1.0                   # kg
  rho = 1.0                 # radius of gyration, m (or: inertia, kg m²)
  mu = 0.25                 # friction, inf allowed; a contact may have its own
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
    /// State file, TOML or JSON; - reads standard input. Or a trajectory (.parquet) with --at
    state: PathBuf,
    /// With a trajectory: the time at which to look at it, s
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    at: Option<f64>,
    /// With a trajectory: which body, where there are several in contact
    #[arg(long, value_name = "NAME", requires = "at")]
    body: Option<String>,
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
    #[arg(long)]
    mu: Option<f64>,
    /// Applied force and torque, in place of the file's
    #[arg(
        long,
        value_name = "FX,FY,TORQUE",
        value_delimiter = ',',
        num_args = 1,
        allow_hyphen_values = true
    )]
    force: Option<Vec<f64>>,
    /// Velocity and angular velocity, in place of the file's
    #[arg(
        long,
        value_name = "VX,VY,OMEGA",
        value_delimiter = ',',
        num_args = 1,
        allow_hyphen_values = true
    )]
    velocity: Option<Vec<f64>>,
    /// Relative tolerance to which signs are decided; raise it for states typed with few digits
    #[arg(long, default_value_t = Options::default().tolerance)]
    tolerance: f64,
    /// Velocities up to this many m/s count as zero
    #[arg(long, default_value_t = Options::default().rest_speed)]
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
        let name = name_of(&self.state);
        let mut rest_speed = self.rest_speed;
        let mut state = match self.at {
            None if self.state.extension().is_some_and(|e| e == "parquet") => {
                return Err(Failure::Input(format!(
                    "{name}: a trajectory holds many states; --at T says which"
                )));
            }
            None => read_state(&self.state)?,
            Some(t) => {
                let view = recorded_state(&self.state, t, self.body.as_deref())?;
                rest_speed = rest_speed.max(view.1);
                view.0
            }
        };
        if let Some(mu) = self.mu {
            for contact in &mut state.contacts {
                contact.mu = mu;
            }
        }
        if let Some(force) = &self.force {
            state.force = triple("--force", force)?;
        }
        if let Some(velocity) = &self.velocity {
            state.velocity = triple("--velocity", velocity)?;
        }
        let options = Options {
            tolerance: self.tolerance,
            rest_speed,
            max_contacts: self.max_contacts,
            exhaustive: self.exhaustive,
        };
        let answer = solve(&state, &options).map_err(|e| Failure::Input(format!("{name}: {e}")))?;
        if let Some(path) = &self.figure {
            write_file(path, &figure::both_svg(&state, &answer))?;
        }
        if self.json {
            print_json(&json(&state, &options, &answer))?;
        } else {
            print(report::text(&state, &options, &answer, self.why).trim_end())?;
        }
        Ok(Verdict::Good)
    }
}

/// The planar state of a body of a trajectory at the recorded time nearest to `t`, and the speed that counts as
/// rest there.
fn recorded_state(path: &Path, t: f64, body: Option<&str>) -> Result<(State, f64), Failure> {
    let bad = |what: String| Failure::Input(format!("{}: {what}", path.display()));
    let trajectory = Trajectory::open(path)?;
    let mut world = world_of(&trajectory)?;
    let h = world.settings().h;
    let distance = |frame: &Frame| (frame.step.t - t).abs();
    let frame = trajectory
        .frames
        .iter()
        .min_by(|a, b| distance(a).total_cmp(&distance(b)))
        .filter(|frame| distance(frame) <= h * trajectory.header.every as f64)
        .ok_or_else(|| bad(format!("nothing is recorded near t = {t} s")))?;
    world.restore(frame.step.step, &frame.step.bodies)?;
    let names: Vec<String> = world
        .model()
        .bodies
        .iter()
        .map(|b| b.name.clone())
        .collect();
    if let Some(name) = body {
        let i = world
            .index(name)
            .ok_or_else(|| bad(format!("there is no body \"{name}\"")))?;
        let view = world
            .planar_view(i)
            .map_err(|e| bad(format!("\"{name}\" is no planar problem: {e}")))?;
        return Ok((view.state.clone(), view.rest_speed(h)));
    }
    let views: Vec<_> = (0..names.len())
        .map(|i| (i, world.planar_view(i)))
        .collect();
    let planar: Vec<_> = views
        .iter()
        .filter_map(|(i, v)| v.as_ref().ok().map(|v| (*i, v)))
        .collect();
    match planar.as_slice() {
        [(_, view)] => Ok((view.state.clone(), view.rest_speed(h))),
        [] => {
            let reasons: Vec<String> = views
                .iter()
                .filter_map(|(i, v)| v.as_ref().err().map(|e| format!("\"{}\": {e}", names[*i])))
                .collect();
            Err(bad(format!(
                "no body is a planar problem at t = {} s ({})",
                time(frame.step.t),
                reasons.join("; ")
            )))
        }
        several => {
            let names: Vec<&str> = several.iter().map(|(i, _)| names[*i].as_str()).collect();
            Err(bad(format!(
                "several bodies are in contact: choose one with --body: {}",
                names.join(", ")
            )))
        }
    }
}

/// A file's name for messages.
pub(crate) fn name_of(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".into()
    } else {
        path.display().to_string()
    }
}

/// Reads a planar state; `-` is standard input.
pub(crate) fn read_state(path: &Path) -> Result<State, Failure> {
    let name = name_of(path);
    let text = if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(path)
    };
    let text = text.map_err(|e| Failure::Input(format!("{name}: {e}")))?;
    State::from_text(&text).map_err(|e| Failure::Input(format!("{name}: {e}")))
}

/// Writes a picture.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|e| Failure::Work(format!("{}: {e}", path.display())))
}

fn triple(option: &str, values: &[f64]) -> Result<[f64; 3], Failure> {
    values.try_into().map_err(|_| {
        Failure::Input(format!(
            "{option}: expected three numbers with commas between, found {}",
            values.len()
        ))
    })
}
