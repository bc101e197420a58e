//! Whole runs: recorded, interrupted by Ctrl-C between two steps, accounted for.

use crate::errors::Fault;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stickslip::dynamics::simulate::{Interruption, header};
use stickslip::prelude::{Outcome, Residual, Scene, World, simulate};
use stickslip::record::{CsvWriter, Every, ParquetWriter, Tee, Trajectory};
use stickslip_view::PageWriter;

/// What is asked for.
pub(crate) struct Order {
    /// The end, s.
    pub(crate) until: f64,
    /// Every Nth step is recorded.
    pub(crate) every: u64,
    /// Keep the trajectory in memory?
    pub(crate) keep: bool,
    /// Files to write as the run goes on.
    pub(crate) outputs: Vec<PathBuf>,
    /// Seconds after which it ends.
    pub(crate) limit: Option<f64>,
}

/// What it came to.
pub(crate) struct Done {
    pub(crate) outcome: Outcome,
    pub(crate) trajectory: Option<Trajectory>,
    pub(crate) seconds: f64,
    /// The exception that ended it: Ctrl-C.
    pub(crate) interrupt: Option<PyErr>,
}

/// How often the interpreter is asked whether somebody wants to end the run.
const LOOK: Duration = Duration::from_millis(50);

impl Order {
    fn check(&self, world: &World) -> Result<(), Fault> {
        let (until, now) = (self.until, world.time());
        if !until.is_finite() || until < now {
            return Err(Fault::Input(format!(
                "until = {until} s: the world is at {now} s already"
            )));
        }
        if self.every == 0 {
            return Err(Fault::Input("every = 0: every how many steps?".into()));
        }
        if self.limit.is_some_and(|l| l.is_nan() || l <= 0.0) {
            return Err(Fault::Input(
                "limit: expected a number of seconds above zero".into(),
            ));
        }
        Ok(())
    }

    /// What `simulate` takes for the end: methods with fixed steps count from the grid point they have reached.
    fn end(&self, world: &World) -> f64 {
        let settings = world.settings();
        if settings.method.has_fixed_step() {
            self.until - world.whole_steps() as f64 * settings.h
        } else {
            self.until
        }
    }
}

/// Runs without the interpreter's lock.
pub(crate) fn run(scene: &Scene, world: &mut World, order: Order) -> Result<Done, Fault> {
    order.check(world)?;
    let mut header = header(scene, world);
    header.until = order.until;
    let mut trajectory = order.keep.then(Trajectory::new);
    let mut tee = Tee::new();
    for path in &order.outputs {
        tee = written(tee, path, scene, world)?;
    }
    if let Some(trajectory) = &mut trajectory {
        tee = tee.with(trajectory);
    }
    let mut recorder = Every::new(order.every, tee);
    let start = Instant::now();
    let (mut looked, mut interrupt) = (start, None);
    let end = order.end(world);
    let outcome = simulate(world, &header, end, &mut recorder, &mut |_| {
        let now = Instant::now();
        if now - looked >= LOOK {
            looked = now;
            interrupt = Python::attach(|py| py.check_signals().err());
        }
        let late = order
            .limit
            .is_some_and(|limit| (now - start).as_secs_f64() >= limit);
        if interrupt.is_some() {
            ControlFlow::Break(Interruption::Signal)
        } else if late {
            ControlFlow::Break(Interruption::Limit)
        } else {
            ControlFlow::Continue(())
        }
    })?;
    drop(recorder);
    Ok(Done {
        outcome,
        trajectory,
        seconds: start.elapsed().as_secs_f64(),
        interrupt,
    })
}

/// A writer more; the ending says which.
fn written<'a>(tee: Tee<'a>, path: &Path, scene: &Scene, world: &World) -> Result<Tee<'a>, Fault> {
    let ending = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    Ok(match ending.to_ascii_lowercase().as_str() {
        "parquet" => tee.with(ParquetWriter::new(path)),
        "csv" => tee.with(CsvWriter::new(path)),
        "html" => {
            let title = if scene.title.is_empty() {
                &scene.file
            } else {
                &scene.title
            };
            tee.with(PageWriter::new(path, title, world.model().clone()))
        }
        _ => {
            return Err(Fault::Input(format!(
                "{}: what to write is told by the ending, which must be .parquet, .csv or .html",
                path.display()
            )));
        }
    })
}

/// The account of a run by name.
pub(crate) fn account<'py>(
    py: Python<'py>,
    outcome: &Outcome,
    seconds: f64,
    interrupt: Option<PyErr>,
) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("steps", outcome.steps)?;
    all.set_item("t", outcome.t)?;
    all.set_item("hash", &outcome.hash)?;
    all.set_item("certified", outcome.certified())?;
    all.set_item("approximate", outcome.account.approximate.count)?;
    all.set_item("divided", outcome.account.divided)?;
    all.set_item("leaving", outcome.account.leaving)?;
    all.set_item("failure", outcome.failure.as_ref().map(ToString::to_string))?;
    all.set_item("interrupted", outcome.interrupted.is_some())?;
    all.set_item("penetration", outcome.penetration.0)?;
    all.set_item("contacts", outcome.contacts.0)?;
    all.set_item("iterations", outcome.iterations)?;
    all.set_item("energy", outcome.energy)?;
    all.set_item("seconds", seconds)?;
    let worst = PyDict::new(py);
    for (kind, (value, _)) in Residual::ALL.iter().zip(outcome.worst) {
        worst.set_item(kind.name(), value)?;
    }
    all.set_item("residuals", worst)?;
    all.set_item("interrupt", interrupt.map(|e| e.into_value(py)))?;
    Ok(all)
}
