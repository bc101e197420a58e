//! `stickslip accel`: all accelerations of a planar body in frictional contact.

use clap::Args;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use stickslip::planar::{Options, State, figure, json, report, solve};

/// All accelerations of a planar body in frictional contact, with contact modes and forces
#[derive(Debug, Args)]
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
pub(crate) struct Accel {
    /// State file, TOML or JSON; - reads standard input
    state: PathBuf,
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

impl Accel {
    /// Runs the command.
    pub(crate) fn run(self) -> ExitCode {
        match self.answer() {
            Ok(()) => ExitCode::SUCCESS,
            Err(Failure { message, code }) => {
                eprintln!("error: {message}");
                ExitCode::from(code)
            }
        }
    }

    fn answer(&self) -> Result<(), Failure> {
        let name = name_of(&self.state);
        let mut state = read_state(&self.state)?;
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
            rest_speed: self.rest_speed,
            max_contacts: self.max_contacts,
            exhaustive: self.exhaustive,
        };
        let answer = solve(&state, &options).map_err(|e| Failure::input(format!("{name}: {e}")))?;
        if let Some(path) = &self.figure {
            write_file(path, &figure::both_svg(&state, &answer))?;
        }
        if self.json {
            print(&format!("{:#}\n", json(&state, &options, &answer)))
        } else {
            print(&report::text(&state, &options, &answer, self.why))
        }
    }
}

/// What went wrong, and the exit status that says so.
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) code: u8,
}

impl Failure {
    /// Bad input.
    pub(crate) fn input(message: String) -> Self {
        Self { message, code: 2 }
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
    let text = text.map_err(|e| Failure::input(format!("{name}: {e}")))?;
    State::from_text(&text).map_err(|e| Failure::input(format!("{name}: {e}")))
}

pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|e| Failure {
        message: format!("{}: {e}", path.display()),
        code: 1,
    })
}

/// Prints to standard output; a reader that closes the pipe early is no error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure {
            message: format!("standard output: {e}"),
            code: 1,
        }),
        _ => Ok(()),
    }
}

fn triple(option: &str, values: &[f64]) -> Result<[f64; 3], Failure> {
    values.try_into().map_err(|_| {
        Failure::input(format!(
            "{option}: expected three numbers with commas between, found {}",
            values.len()
        ))
    })
}
