//! All accelerations of a planar body in frictional contact, and the map of its contact modes.

use crate::errors::{Fault, detached};
use crate::trajectory::Trajectory;
use pyo3::prelude::*;
use stickslip::dynamics::check::world_of;
use stickslip::planar::{Axis, MapOptions, Options, State, figure, json, mode_map, report, solve};
use stickslip::record::Frame;

/// A planar state and the speed that counts as rest in it, m/s.
#[pyclass(frozen, module = "stickslip._core")]
pub(crate) struct PlanarState {
    state: State,
    rest_speed: f64,
}

#[pymethods]
impl PlanarState {
    /// From TOML or JSON; friction, force and velocity may be given in place of the text's.
    #[staticmethod]
    fn parse(
        text: &str,
        mu: Option<f64>,
        force: Option<[f64; 3]>,
        velocity: Option<[f64; 3]>,
    ) -> PyResult<Self> {
        let mut state = State::from_text(text).map_err(Fault::from)?;
        if let Some(mu) = mu {
            for contact in &mut state.contacts {
                (contact.mu, contact.mu_static) = (mu, None);
            }
        }
        state.force = force.unwrap_or(state.force);
        state.velocity = velocity.unwrap_or(state.velocity);
        Ok(Self {
            state,
            rest_speed: 0.0,
        })
    }

    /// A body of a trajectory at the recorded time nearest to `t` (s).
    #[staticmethod]
    fn of_trajectory(
        py: Python<'_>,
        trajectory: &Trajectory,
        t: f64,
        body: Option<&str>,
    ) -> PyResult<Self> {
        let run = &trajectory.run;
        let planar = detached(py, || {
            let mut world = world_of(run)?;
            let h = world.settings().h;
            let distance = |frame: &&Frame| (frame.step.t - t).abs();
            let frame = run
                .frames
                .iter()
                .min_by(|a, b| distance(a).total_cmp(&distance(b)));
            let frame = frame.filter(|frame| distance(frame) <= h * run.header.every as f64);
            let frame =
                frame.ok_or_else(|| Fault::Input(format!("nothing is recorded near t = {t} s")))?;
            world.restore(frame.step.step, frame.step.t, &frame.step.bodies)?;
            let places = match body {
                Some(name) => {
                    let place = world.index(name);
                    vec![
                        place
                            .ok_or_else(|| Fault::Input(format!("there is no body \"{name}\"")))?,
                    ]
                }
                None => (0..world.model().bodies.len()).collect(),
            };
            let (mut found, mut reasons) = (Vec::new(), Vec::new());
            for i in places {
                let name = &world.model().bodies[i].name;
                match world.planar_view(i) {
                    Ok(view) => found.push((name, view)),
                    Err(e) => reasons.push(format!("\"{name}\": {e}")),
                }
            }
            match found.as_slice() {
                [(_, view)] => Ok(Self {
                    state: view.state.clone(),
                    rest_speed: view.rest_speed(h),
                }),
                [] => Err(Fault::Input(format!(
                    "no planar problem at t = {t} s ({})",
                    reasons.join("; ")
                ))),
                several => {
                    let names: Vec<&str> = several.iter().map(|(name, _)| name.as_str()).collect();
                    Err(Fault::Input(format!(
                        "several bodies are in contact: choose one: {}",
                        names.join(", ")
                    )))
                }
            }
        });
        Ok(planar?)
    }

    /// All accelerations: JSON, the report in words, the picture of the cones (SVG).
    fn accel(
        &self,
        py: Python<'_>,
        tolerance: f64,
        rest_speed: f64,
        max_contacts: usize,
    ) -> PyResult<[String; 3]> {
        let done = detached(py, || {
            let options = Options {
                tolerance,
                rest_speed: if rest_speed >= 0.0 {
                    rest_speed.max(self.rest_speed)
                } else {
                    rest_speed
                },
                max_contacts,
                ..Options::default()
            };
            let answer = solve(&self.state, &options)?;
            Ok([
                json(&self.state, &options, &answer).to_string(),
                report::text(&self.state, &options, &answer, false)
                    .trim_end()
                    .to_owned(),
                figure::both_svg(&self.state, &answer),
            ])
        });
        Ok(done?)
    }

    /// The map of modes: JSON, the table in words, the picture (SVG).
    fn modes(
        &self,
        py: Python<'_>,
        x: &str,
        y: &str,
        ranges: [Option<[f64; 2]>; 2],
        fine: u32,
        tolerance: f64,
    ) -> PyResult<[String; 3]> {
        let done = detached(py, || {
            let axis = |name: &str| name.parse::<Axis>().map_err(Fault::input);
            let (x, y) = (axis(x)?, axis(y)?);
            let settings = Options {
                tolerance,
                rest_speed: self.rest_speed,
                ..Options::default()
            };
            let window = MapOptions::for_state(&self.state);
            let options = MapOptions {
                x: (x, ranges[0].unwrap_or_else(|| window.range(x))),
                y: (y, ranges[1].unwrap_or_else(|| window.range(y))),
                coarse: window.coarse.min(fine),
                fine,
            };
            let map = mode_map(&self.state, &settings, &options)?;
            Ok([map.json().to_string(), map.text(), map.svg(&self.state)])
        });
        Ok(done?)
    }
}
