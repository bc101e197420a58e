//! A recorded run.

use crate::errors::{Fault, detached};
use crate::table::{Columns, Table};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;
use std::sync::Arc;
use stickslip::dynamics::check::world_in;
use stickslip::dynamics::probe::Probe;
use stickslip::model::joint::AXIS_NAMES;
use stickslip::model::model::by_name;
use stickslip::model::{ContactImpulse, JointImpulse};
use stickslip::prelude::{BodyState, Residual, StepRecord};
use stickslip::record::{CsvWriter, Frame, ParquetWriter, base64};
use stickslip_view::{Film, PageWriter, ShotOptions};

/// A run in memory: every recorded step with states, contacts and certificate.
#[pyclass(frozen, module = "stickslip._core")]
pub(crate) struct Trajectory {
    pub(crate) run: Arc<stickslip::record::Trajectory>,
}

impl Trajectory {
    fn frames(&self) -> &[Frame] {
        &self.run.frames
    }

    fn steps(&self) -> impl Iterator<Item = &StepRecord> + Clone {
        self.frames().iter().map(|f| &f.step)
    }

    /// Numbers of the bodies in the order of their names, which is that of rows.
    fn by_name(&self) -> Vec<usize> {
        let names = &self.run.header.bodies;
        by_name(names, [names.len(), 0, 0])
    }

    /// The same of the joints, then of the springs, then of the gears.
    fn joints_by_name(&self) -> Vec<usize> {
        by_name(&self.run.header.joints, self.run.header.kinds)
    }

    /// What is seen of it.
    fn show<T: Send>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&Film<'_>) -> Result<T, Fault> + Send,
    ) -> Result<T, Fault> {
        detached(py, || {
            let (scene, world) = world_in(&self.run.header)?;
            let title = if scene.title.is_empty() {
                scene.file
            } else {
                scene.title
            };
            let film = Film::new(world.model(), &self.run).map_err(Fault::input)?;
            look(&film.titled(title))
        })
    }
}

/// The row of each number.
pub(crate) fn inverse(order: &[usize]) -> Vec<usize> {
    let mut rows = vec![0; order.len()];
    for (row, &k) in order.iter().enumerate() {
        rows[k] = row;
    }
    rows
}

type SceneParts<'py> = (String, String, Vec<String>, Bound<'py, PyDict>);

type OfState = fn(&BodyState) -> f64;

/// The columns of a state: name, unit, number.
const STATE: [(&str, &str, OfState); 13] = [
    ("x", "m", |s| s.pose.position.x),
    ("y", "m", |s| s.pose.position.y),
    ("z", "m", |s| s.pose.position.z),
    ("qs", "", |s| s.pose.orientation.w),
    ("qx", "", |s| s.pose.orientation.x),
    ("qy", "", |s| s.pose.orientation.y),
    ("qz", "", |s| s.pose.orientation.z),
    ("vx", "m/s", |s| s.twist.linear.x),
    ("vy", "m/s", |s| s.twist.linear.y),
    ("vz", "m/s", |s| s.twist.linear.z),
    ("wx", "rad/s", |s| s.twist.angular.x),
    ("wy", "rad/s", |s| s.twist.angular.y),
    ("wz", "rad/s", |s| s.twist.angular.z),
];

type OfContact = fn(&ContactImpulse) -> f64;

/// The columns of a contact.
const CONTACT: [(&str, &str, OfContact); 16] = [
    ("x", "m", |c| c.contact.point.x),
    ("y", "m", |c| c.contact.point.y),
    ("z", "m", |c| c.contact.point.z),
    ("nx", "", |c| c.contact.normal.x),
    ("ny", "", |c| c.contact.normal.y),
    ("nz", "", |c| c.contact.normal.z),
    ("gap", "m", |c| c.contact.gap),
    ("mu_static", "", |c| c.contact.friction.stick),
    ("mu_kinetic", "", |c| c.contact.friction.slide),
    ("p_n", "N s", |c| c.impulse.x),
    ("p_t1", "N s", |c| c.impulse.y),
    ("p_t2", "N s", |c| c.impulse.z),
    ("m_n", "N m s", |c| c.moment.x),
    ("m_t1", "N m s", |c| c.moment.y),
    ("m_t2", "N m s", |c| c.moment.z),
    ("restituted", "N s", |c| c.restituted),
];

type OfJoint = fn(&JointImpulse) -> [f64; AXIS_NAMES.len()];

/// The columns of a joint: the first letters of their names, units along and about an axis, numbers.
const JOINT: [(&str, [&str; 2], OfJoint); 4] = [
    ("", ["m", "rad"], |j| j.coordinates),
    ("hold_", ["N s", "N m s"], |j| j.hold),
    ("motor_", ["N s", "N m s"], |j| j.motor),
    ("friction_", ["N s", "N m s"], |j| j.friction),
];

#[pymethods]
impl Trajectory {
    /// Reads a Parquet file, or the folder that a run left when it died.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let run = detached(py, || Ok(stickslip::record::Trajectory::open(path)?))?;
        Ok(Self { run: Arc::new(run) })
    }

    /// Writes it: the ending says how.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let done = detached(py, || {
            let ending = path
                .extension()
                .and_then(|e| e.to_str())
                .unwrap_or_default();
            match ending.to_ascii_lowercase().as_str() {
                "parquet" => Ok(self.run.replay(&mut ParquetWriter::new(&path))?),
                "csv" => Ok(self.run.replay(&mut CsvWriter::new(&path))?),
                "html" => {
                    let (scene, world) = world_in(&self.run.header)?;
                    let model = world.model().clone();
                    let title = if scene.title.is_empty() {
                        scene.file
                    } else {
                        scene.title
                    };
                    Ok(self.run.replay(&mut PageWriter::new(&path, title, model))?)
                }
                _ => Err(Fault::Input(format!(
                    "{}: what to write is told by the ending, which must be .parquet, .csv or .html",
                    path.display()
                ))),
            }
        });
        Ok(done?)
    }

    /// Values of a number that can be read off each record, as f64 in native order (NaN where there is none), and its unit.
    fn series<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> Result<(Bound<'py, PyBytes>, &'static str), Fault> {
        let (values, unit) = detached(py, || {
            let (_, world) = world_in(&self.run.header)?;
            let probe = Probe::parse(name, world.model()).map_err(Fault::input)?;
            let mut last: Option<&[BodyState]> = None;
            let mut values = Vec::new();
            for Frame { start, step } in &self.run.frames {
                let before = start.as_ref().map(|start| &*start.bodies).or(last);
                let value = probe.of(world.model(), before, step).unwrap_or(f64::NAN);
                values.extend(value.to_ne_bytes());
                last = Some(&step.bodies);
            }
            Ok((values, probe.unit()))
        })?;
        Ok((PyBytes::new(py, &values), unit))
    }

    fn __len__(&self) -> usize {
        self.frames().len()
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        let names = &self.run.header.bodies;
        self.by_name().iter().map(|&k| names[k].clone()).collect()
    }

    #[getter]
    fn joint_names(&self) -> Vec<String> {
        let names = &self.run.header.joints;
        let order = self.joints_by_name();
        order.iter().map(|&k| names[k].clone()).collect()
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.run.warnings.clone()
    }

    /// The text of its scene, the name of its file, what was set, and the files that it names.
    #[getter]
    fn scene<'py>(&self, py: Python<'py>) -> PyResult<SceneParts<'py>> {
        let header = &self.run.header;
        let files = PyDict::new(py);
        for (name, text) in &header.files {
            let bytes = base64::decode(text).unwrap_or_default();
            files.set_item(name, PyBytes::new(py, &bytes))?;
        }
        Ok((
            header.scene.clone(),
            header.scene_file.clone(),
            header.overrides.clone(),
            files,
        ))
    }

    /// The state hash that the run ended with, or that of the recorded states.
    #[getter]
    fn hash(&self) -> String {
        match &self.run.summary {
            Some(summary) if !summary.hash.is_empty() => summary.hash.clone(),
            _ => self.run.state_hash(),
        }
    }

    /// Did every step meet its tolerance? Of those that are here where the run did not end.
    #[getter]
    fn certified(&self) -> bool {
        let tolerance = self.run.header.tolerance;
        let here = || {
            // The first frame is the start, which no step led to: it has no certificate.
            let mut steps = self.run.frames.iter().skip(1);
            steps.all(|frame| frame.step.certificate.holds(tolerance))
        };
        (self.run.summary.as_ref()).map_or_else(here, |summary| summary.certified)
    }

    /// A row for each body at each recorded time.
    fn bodies(&self, py: Python<'_>) -> PyResult<Table> {
        let table = detached(py, || {
            let (order, names) = (self.by_name(), self.names());
            let n = order.len();
            let times = |k: usize| self.steps().flat_map(move |s| std::iter::repeat_n(s, k));
            let mut columns = Columns::of(self.frames().len() * n)
                .counts("step", times(n).map(|s| s.step))
                .numbers("t", "s", times(n).map(|s| s.t))
                .names("body", &names, self.steps().flat_map(|_| 0..n))?;
            for (name, unit, number) in STATE {
                let states = self
                    .steps()
                    .flat_map(|s| order.iter().map(|&k| &s.bodies[k]));
                columns = columns.numbers(name, unit, states.map(number));
            }
            columns.finish()
        });
        Ok(table?)
    }

    /// A row for each contact that was part of a recorded step's problem.
    fn contacts(&self, py: Python<'_>) -> PyResult<Table> {
        let table = detached(py, || {
            let all = || {
                self.steps()
                    .flat_map(|s| s.contacts.iter().map(move |c| (s, c)))
            };
            let (names, rows) = (self.names(), inverse(&self.by_name()));
            let mut columns = Columns::of(all().count())
                .counts("step", all().map(|(s, _)| s.step))
                .numbers("t", "s", all().map(|(s, _)| s.t))
                .names(
                    "body_a",
                    &names,
                    all().map(|(_, c)| rows[c.contact.bodies[0]]),
                )?
                .names(
                    "body_b",
                    &names,
                    all().map(|(_, c)| rows[c.contact.bodies[1]]),
                )?
                .counts(
                    "feature",
                    all().map(|(_, c)| u64::from(c.contact.feature.0)),
                )
                .counts(
                    "piece_a",
                    all().map(|(_, c)| u64::from(c.contact.pieces[0])),
                )
                .counts(
                    "piece_b",
                    all().map(|(_, c)| u64::from(c.contact.pieces[1])),
                )
                .words("mode", all().map(|(_, c)| c.mode.name()))
                .counts("directions", all().map(|(_, c)| u64::from(c.directions)));
            for (name, unit, number) in CONTACT {
                columns = columns.numbers(name, unit, all().map(|(_, c)| number(c)));
            }
            columns.finish()
        });
        Ok(table?)
    }

    /// A row for each joint and spring at each recorded step.
    fn joints(&self, py: Python<'_>) -> PyResult<Table> {
        let table = detached(py, || {
            let order = self.joints_by_name();
            // None before the first step.
            let all = || {
                self.steps().flat_map(|s| {
                    let row = move |&k: &usize| Some((s, s.joints.get(k)?));
                    order.iter().filter_map(row)
                })
            };
            let numbers = self.steps().flat_map(|s| 0..s.joints.len());
            let mut columns = Columns::of(all().count())
                .counts("step", all().map(|(s, _)| s.step))
                .numbers("t", "s", all().map(|(s, _)| s.t))
                .names("joint", &self.joint_names(), numbers)?;
            for (prefix, units, number) in JOINT {
                for (k, axis) in AXIS_NAMES.iter().enumerate() {
                    let values = all().map(|(_, j)| number(j)[k]);
                    columns = columns.numbers(&format!("{prefix}{axis}"), units[k / 3], values);
                }
            }
            for (k, axis) in ["x", "y", "z"].iter().enumerate() {
                columns = columns
                    .numbers(&format!("p{axis}"), "N s", all().map(|(_, j)| j.linear[k]))
                    .numbers(
                        &format!("l{axis}"),
                        "N m s",
                        all().map(|(_, j)| j.angular[k]),
                    );
            }
            columns.finish()
        });
        Ok(table?)
    }

    /// A row for each recorded step.
    fn steps_table(&self, py: Python<'_>) -> PyResult<Table> {
        let table = detached(py, || {
            let tolerance = self.run.header.tolerance;
            let active = |s: &StepRecord| s.contacts.iter().filter(|c| c.impulse.x > 0.0).count();
            let mut columns = Columns::of(self.frames().len())
                .counts("step", self.steps().map(|s| s.step))
                .numbers("t", "s", self.steps().map(|s| s.t))
                .numbers("h", "s", self.steps().map(|s| s.h))
                .words("kind", self.steps().map(|s| s.kind.name()))
                .numbers("energy", "J", self.steps().map(|s| s.energy))
                .counts("contacts", self.steps().map(|s| s.contacts.len() as u64))
                .counts("active", self.steps().map(|s| active(s) as u64))
                .words("solver", self.steps().map(|s| s.solver.as_str()))
                .counts("iterations", self.steps().map(|s| s.iterations))
                .flags(
                    "certified",
                    self.steps().map(|s| s.certificate.holds(tolerance)),
                )
                .numbers(
                    "penetration",
                    "m",
                    self.steps().map(|s| s.certificate.penetration),
                )
                .numbers("speed", "m/s", self.steps().map(|s| s.certificate.speed))
                .numbers("rounding", "", self.steps().map(|s| s.certificate.rounding))
                .numbers("floor", "m/s", self.steps().map(|s| s.certificate.floor));
            for kind in Residual::ALL {
                let name = format!("residual_{}", kind.name());
                columns =
                    columns.numbers(&name, "m/s", self.steps().map(|s| s.certificate.get(kind)));
            }
            columns.finish()
        });
        Ok(table?)
    }

    /// The run as one page with a 3D view.
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.show(py, |film| Ok(film.page()))?)
    }

    /// The run as an animation for other programs (glTF 2.0, binary).
    fn glb<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.show(py, |film| Ok(film.glb()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A moment of it as a picture: SVG, or PNG with `scale` pixels for each unit.
    #[expect(
        clippy::too_many_arguments,
        reason = "the options of a picture, by name"
    )]
    fn shot<'py>(
        &self,
        py: Python<'py>,
        times: Vec<f64>,
        size: [f64; 2],
        view: [f64; 2],
        forces: bool,
        caption: bool,
        whole: bool,
        glass: Vec<String>,
        overlay: bool,
        png: Option<f64>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let fits = size.iter().all(|x| (16.0..=10_000.0).contains(x));
        if !fits || png.is_some_and(|scale| !(0.1..=10.0).contains(&scale)) {
            let why = "a picture has 16 to 10,000 units each way, and 0.1 to 10 pixels a unit";
            return Err(Fault::Input(why.into()).into());
        }
        if !view.iter().all(|x| x.is_finite()) {
            return Err(Fault::Input("azimuth and elevation are finite angles".into()).into());
        }
        let bytes = self.show(py, |film| {
            let end = film.frames().last().map_or(0.0, |f| f.step.t);
            let at = times
                .iter()
                .copied()
                .fold(None, |m: Option<f64>, t| Some(m.map_or(t, |m| m.max(t))));
            let options = ShotOptions {
                width: size[0],
                height: size[1],
                azimuth: view[0],
                elevation: view[1],
                forces,
                caption,
                whole,
                glass,
                also: times,
                overlay,
            };
            let drawing = film
                .shot(at.unwrap_or(end), &options)
                .map_err(Fault::input)?;
            Ok(match png {
                Some(scale) => drawing.png(scale),
                None => drawing.svg().into_bytes(),
            })
        })?;
        Ok(PyBytes::new(py, &bytes))
    }
}
