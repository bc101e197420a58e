//! Where `accel` and `modes` take their planar state from: a state file, or a moment of a trajectory.

use serde_json::{Value, json};
use std::io::Read;
use std::path::{Path, PathBuf};
use stickslip::dynamics::check::world_of;
use stickslip::planar::State;
use stickslip::prelude::DVec3;
use stickslip::record::files::open_plain;
use stickslip::record::{Frame, Trajectory};
use stickslip_console::{Failure, time};

#[derive(clap::Args)]
pub(crate) struct Source {
    /// State file, TOML or JSON; - reads standard input. Or a trajectory (.parquet) with --at
    pub(crate) state: PathBuf,
    /// With a trajectory: the time at which to look at it, s
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    at: Option<f64>,
    /// With a trajectory: which body, where there are several in contact
    #[arg(long, value_name = "NAME", requires = "at")]
    body: Option<String>,
}

/// A state and what belongs to it.
pub(crate) struct Planar {
    pub(crate) state: State,
    /// Speed that counts as rest, m/s.
    pub(crate) rest_speed: f64,
    /// Of a trajectory: the plane's axes x, y and its normal, in the world.
    axes: Option<[DVec3; 3]>,
}

impl Planar {
    /// Where the plane lies, in a line; nothing for a state file.
    pub(crate) fn plane_text(&self) -> Option<String> {
        let [x, y, z] = self.axes?.map(|axis| {
            let [a, b, c] = axis.to_array().map(round);
            format!("({a}, {b}, {c})")
        });
        Some(format!(
            "plane of the body in the world: x along {x}, y along {y}, normal {z}"
        ))
    }

    pub(crate) fn plane_json(&self) -> Option<Value> {
        let [x, y, z] = self.axes?.map(|axis| axis.to_array());
        Some(json!({ "x": x, "y": y, "normal": z }))
    }
}

/// Six decimals, without a sign before zero.
fn round(x: f64) -> f64 {
    (x * 1e6).round() / 1e6 + 0.0
}

impl Source {
    /// The file's name for messages.
    pub(crate) fn name(&self) -> String {
        if self.state == Path::new("-") {
            "standard input".into()
        } else {
            self.state.display().to_string()
        }
    }

    fn bad(&self, what: impl std::fmt::Display) -> Failure {
        Failure::Input(format!("{}: {what}", self.name()))
    }

    pub(crate) fn read(&self) -> Result<Planar, Failure> {
        let is_trajectory = self.state.extension().is_some_and(|e| e == "parquet");
        match (self.at, is_trajectory) {
            (None, true) => Err(self.bad("a trajectory holds many states; --at T says which")),
            (Some(_), false) => {
                Err(self.bad("--at is for a trajectory (.parquet); a state file is one moment"))
            }
            (None, false) => self.read_file(),
            (Some(t), true) => self.read_trajectory(t),
        }
    }

    fn read_file(&self) -> Result<Planar, Failure> {
        let text = if self.state == Path::new("-") {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map(|_| text)
        } else {
            open_plain(&self.state).and_then(std::io::read_to_string)
        };
        let text = text.map_err(|e| self.bad(e))?;
        // Scenes and states are both TOML, and easily taken for each other.
        if text.lines().any(|line| line.trim_end() == "[[body]]") {
            return Err(self.bad(
                "this is a scene and no planar state; `run` it with -o, and give the trajectory with --at T",
            ));
        }
        Ok(Planar {
            state: State::from_text(&text).map_err(|e| self.bad(e))?,
            rest_speed: 0.0,
            axes: None,
        })
    }

    /// The planar state of a body at the recorded time nearest to `t`.
    fn read_trajectory(&self, t: f64) -> Result<Planar, Failure> {
        let trajectory = Trajectory::open(&self.state)?;
        let mut world = world_of(&trajectory)?;
        let h = world.settings().h;
        let distance = |frame: &Frame| (frame.step.t - t).abs();
        let frame = trajectory
            .frames
            .iter()
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .filter(|frame| distance(frame) <= h * trajectory.header.every as f64)
            .ok_or_else(|| self.bad(format!("nothing is recorded near t = {t} s")))?;
        world.restore(frame.step.step, frame.step.t, &frame.step.bodies)?;
        let name = |i: usize| world.model().bodies[i].name.as_str();
        let bodies = match &self.body {
            Some(name) => {
                let i = world.index(name);
                vec![i.ok_or_else(|| self.bad(format!("there is no body \"{name}\"")))?]
            }
            None => (0..world.model().bodies.len()).collect(),
        };
        let (mut planar, mut reasons) = (Vec::new(), Vec::new());
        for i in bodies {
            match world.planar_view(i) {
                Ok(view) => planar.push((i, view)),
                Err(e) => reasons.push(format!("\"{}\": {e}", name(i))),
            }
        }
        match planar.as_slice() {
            [(_, view)] => Ok(Planar {
                state: view.state.clone(),
                rest_speed: view.rest_speed(h),
                axes: Some(view.axes),
            }),
            [] => Err(self.bad(format!(
                "no planar problem at t = {} s ({})",
                time(frame.step.t),
                reasons.join("; ")
            ))),
            several => {
                let names: Vec<&str> = several.iter().map(|(i, _)| name(*i)).collect();
                Err(self.bad(format!(
                    "several bodies are in contact: choose one with --body: {}",
                    names.join(", ")
                )))
            }
        }
    }
}
