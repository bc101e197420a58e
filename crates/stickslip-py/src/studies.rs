//! What is asked about runs: `check`, `compare`, `converge`; and the program itself.

use crate::arguments::rows;
use crate::errors::{Fault, detached};
use crate::scene::Scene;
use crate::trajectory::Trajectory;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use stickslip::dynamics::converge::{Quantity, Settings};
use stickslip::prelude::Residual;
use stickslip::record::{Metric, States};
use stickslip_studies::order_plot::order_plot;

/// Every certificate of a trajectory, recomputed.
#[pyfunction]
pub(crate) fn check<'py>(py: Python<'py>, trajectory: &Trajectory) -> PyResult<Bound<'py, PyDict>> {
    let run = &trajectory.run;
    let report = detached(py, || Ok(stickslip::dynamics::check::check(run)?))?;
    let all = PyDict::new(py);
    all.set_item("valid", report.valid())?;
    all.set_item("certified", report.valid() && report.account.certified())?;
    all.set_item("steps", report.account.steps)?;
    all.set_item("approximate", report.account.approximate.count)?;
    all.set_item("divided", report.account.divided)?;
    all.set_item("leaving", report.account.leaving)?;
    let worst = PyDict::new(py);
    for (kind, (value, _)) in Residual::ALL.iter().zip(report.worst) {
        worst.set_item(kind.name(), value)?;
    }
    all.set_item("residuals", worst)?;
    all.set_item("rounding", report.rounding.0)?;
    all.set_item("penetration", report.penetration.0)?;
    let findings: Vec<(u64, f64, String)> = report
        .findings
        .into_iter()
        .map(|f| (f.step, f.t, f.what))
        .collect();
    all.set_item("findings", findings)?;
    all.set_item("more", report.more)?;
    all.set_item("notes", report.notes)?;
    Ok(all)
}

/// One of the two that are compared.
#[derive(FromPyObject)]
pub(crate) enum Side<'py> {
    Run(PyRef<'py, Trajectory>),
    File(PathBuf),
}

/// A run in memory or a file of one.
enum Source {
    Run(Arc<stickslip::record::Trajectory>),
    File(PathBuf),
}

impl Side<'_> {
    fn source(self) -> Source {
        match self {
            Self::Run(trajectory) => Source::Run(Arc::clone(&trajectory.run)),
            Self::File(path) => Source::File(path),
        }
    }
}

impl Source {
    fn states(&self) -> Result<States<'_>, Fault> {
        Ok(match self {
            Self::Run(run) => States::of(run),
            Self::File(path) => States::open(path)?,
        })
    }
}

type Compared<'py> = (Vec<String>, Bound<'py, PyByteArray>, u64);

/// The distance between two trajectories over time: names of the bodies; rows of the time, the largest value of each of the four
/// metrics, the bodies that have it, and whether the second was interpolated; states of the first outside the time of the second.
#[pyfunction]
pub(crate) fn compare<'py>(py: Python<'py>, a: Side<'py>, b: Side<'py>) -> PyResult<Compared<'py>> {
    let (a, b) = (a.source(), b.source());
    let found = detached(py, || {
        Ok(stickslip::record::compare(a.states()?, b.states()?)?)
    })?;
    let row = |r: &stickslip::record::compare::Distances| {
        let [dist, angle, velocity, spin] = Metric::ALL.map(|m| r.get(m));
        [
            r.t,
            dist.value,
            angle.value,
            velocity.value,
            spin.value,
            dist.body as f64,
            angle.body as f64,
            velocity.body as f64,
            spin.body as f64,
            f64::from(u8::from(r.interpolated)),
        ]
    };
    let table = rows(py, found.rows.len(), found.rows.iter().map(row))?;
    Ok((found.names, table, found.outside))
}

/// How large the error of a scene is.
#[pyfunction]
pub(crate) fn converge<'py>(
    py: Python<'py>,
    scene: &Scene,
    quantity: Option<&str>,
    halvings: usize,
    error: Option<f64>,
    directions: bool,
) -> PyResult<Bound<'py, PyDict>> {
    if error.is_some_and(|e| !(e > 0.0 && e.is_finite())) {
        return Err(Fault::Input("error must be positive".into()).into());
    }
    let quantity = quantity
        .map(Quantity::parse)
        .transpose()
        .map_err(Fault::input)?;
    let settings = Settings {
        halvings,
        quantity,
        wanted: error,
        directions,
    };
    let read = &scene.read;
    let study = detached(py, || {
        Ok(stickslip::dynamics::converge::converge(
            read,
            &settings,
            &mut |_| (),
        )?)
    })?;
    let all = PyDict::new(py);
    all.set_item("quantity", study.quantity.name())?;
    all.set_item("unit", study.quantity.unit())?;
    let rungs = study
        .rungs
        .iter()
        .map(|r| [r.h, r.steps as f64, r.value, r.order.unwrap_or(f64::NAN)]);
    all.set_item("rungs", rows(py, study.rungs.len(), rungs)?)?;
    all.set_item("order", study.order)?;
    all.set_item("extrapolated", study.extrapolated)?;
    all.set_item("uncertainty", study.uncertainty)?;
    all.set_item("asymptotic", study.asymptotic)?;
    all.set_item("error", study.bar.total())?;
    all.set_item("error_of_step", study.bar.step)?;
    all.set_item("error_of_cone", study.bar.cone)?;
    all.set_item("error_of_geometry", study.bar.geometry)?;
    all.set_item("directions", &study.directions)?;
    all.set_item("recommended", study.recommended)?;
    all.set_item("svg", order_plot(&study).drawing().svg())?;
    Ok(all)
}

/// The program with these arguments, its own name first: its exit code.
#[pyfunction]
pub(crate) fn program(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    Ok(detached(py, || Ok(stickslip_cli::run_program(arguments)))?)
}
