//! Sweeps: which runs there are, one of them, all of them on this machine, and the folder in which they are kept. Rows cross the border
//! as JSON.

use crate::errors::{Fault, detached};
use crate::scene::Scene;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use stickslip_sweep::{Choice, Folder, Keep, Origin, Part, Range, Row, SweepError, work};

/// One scene with many settings.
#[pyclass(frozen, module = "stickslip._core")]
pub(crate) struct SweepPlan {
    sweep: stickslip_sweep::Sweep,
}

/// A list of values, or a range such as `0.1:0.8:15`.
#[derive(FromPyObject)]
enum Values {
    Range(String),
    List(Vec<String>),
}

/// How often the interpreter is asked whether somebody wants to end it.
const LOOK: Duration = Duration::from_millis(50);

#[pymethods]
impl SweepPlan {
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        scene: &Scene,
        parameters: Vec<(String, Values)>,
        samples: Option<usize>,
        random: bool,
        seed: u64,
        of: Vec<String>,
        limit: Option<f64>,
    ) -> Result<Self, Fault> {
        let read = (*scene.read).clone();
        detached(py, move || {
            let parameters = parameters.into_iter().map(|(key, values)| {
                let range = match values {
                    Values::List(list) if list.is_empty() => Err("the range is empty".into()),
                    Values::List(list) => Ok(Range::List(list)),
                    Values::Range(text) => Range::parse(&text),
                };
                let range = range.map_err(|why: String| Fault::Input(format!("{key}: {why}")))?;
                Ok((key, range))
            });
            let parameters = parameters.collect::<Result<Vec<_>, Fault>>()?;
            let choice = match (samples, random) {
                (None, _) => Choice::Grid,
                (Some(n), true) => Choice::Random(n, seed),
                (Some(n), false) => Choice::LatinHypercube(n, seed),
            };
            let limit = limit.map(Duration::try_from_secs_f64).transpose();
            let limit = limit.map_err(|e| Fault::Input(format!("limit: {e}")))?;
            let origin = Origin::Copies(read.files.clone());
            let sweep = stickslip_sweep::Sweep::new(read, origin, parameters, choice, &of, limit)?;
            Ok(Self { sweep })
        })
    }

    /// Values of the parameters of each run.
    #[getter]
    fn points(&self) -> Vec<Vec<String>> {
        self.sweep.points().to_vec()
    }

    /// The unit of each result.
    #[getter]
    fn units(&self) -> Vec<&'static str> {
        self.sweep.asked.iter().map(|asked| asked.unit()).collect()
    }

    /// The key of a run.
    fn key(&self, py: Python<'_>, point: Vec<String>) -> Result<String, Fault> {
        detached(py, || Ok(self.sweep.prepare(&point).key))
    }

    /// Does one run, nothing of which is written.
    fn run(&self, py: Python<'_>, point: Vec<String>) -> Result<String, Fault> {
        detached(py, || {
            let prepared = self.sweep.prepare(&point);
            let interrupts = Interrupts::new();
            let nowhere = (Keep::Nothing, std::path::Path::new("."));
            let row = self.sweep.run(&prepared, nowhere, &|| interrupts.came())?;
            interrupts.raise()?;
            Ok(row.map(|row| json(&row)).unwrap_or_default())
        })
    }

    /// Takes a folder for this sweep.
    fn open(&self, py: Python<'_>, folder: PathBuf) -> Result<(), Fault> {
        detached(py, || Ok(Folder::open(&folder, &self.sweep).map(|_| ())?))
    }

    /// The row of a run that is done.
    fn found(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        point: Vec<String>,
    ) -> Result<Option<String>, Fault> {
        detached(py, || {
            let folder = Folder::open(&folder, &self.sweep)?;
            let key = self.sweep.prepare(&point).key;
            Ok(folder.row(&key).map(|row| json(&row)))
        })
    }

    /// Keeps a row.
    fn put(&self, py: Python<'_>, folder: PathBuf, row: &str) -> Result<(), Fault> {
        let row = parsed(row);
        detached(py, || Ok(Folder::open(&folder, &self.sweep)?.put(&row?)?))
    }

    /// Writes the table from these rows; its path.
    fn table(&self, py: Python<'_>, folder: PathBuf, rows: Vec<String>) -> Result<PathBuf, Fault> {
        detached(py, || {
            let rows = rows.iter().map(|row| parsed(row));
            let rows = rows.collect::<Result<Vec<_>, _>>()?;
            let folder = Folder::open(&folder, &self.sweep)?;
            Ok(folder.write_table(&self.sweep, &rows)?)
        })
    }

    /// Does all runs that are not done yet, in threads of this process; the rows.
    fn work(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        threads: usize,
        keep: &str,
    ) -> Result<Vec<String>, Fault> {
        detached(py, || {
            let keep = match keep {
                "all" => Keep::All,
                "failed" => Keep::Failed,
                "none" => Keep::Nothing,
                other => {
                    let message = format!("keep = {other:?}: all, failed or none");
                    return Err(Fault::Input(message));
                }
            };
            let folder = Folder::open(&folder, &self.sweep)?;
            let interrupts = Interrupts::new();
            let how = (Part::WHOLE, keep, threads);
            let (rows, _) = work(&self.sweep, &folder, how, &|_| {}, &|| interrupts.came())?;
            folder.write_table(&self.sweep, &rows)?;
            interrupts.raise()?;
            Ok(rows.iter().map(json).collect())
        })
    }
}

/// Has somebody asked the interpreter to end? Asked from the thread that was called.
struct Interrupts(RefCell<(Instant, Option<PyErr>)>);

impl Interrupts {
    fn new() -> Self {
        Self(RefCell::new((Instant::now(), None)))
    }

    fn came(&self) -> bool {
        let mut state = self.0.borrow_mut();
        if state.1.is_none() && state.0.elapsed() >= LOOK {
            state.0 = Instant::now();
            state.1 = Python::attach(|py| py.check_signals().err());
        }
        state.1.is_some()
    }

    /// The exception, where one came.
    fn raise(self) -> Result<(), Fault> {
        let error = self.0.into_inner().1;
        error.map_or(Ok(()), |error| Err(Fault::Python(error)))
    }
}

fn json(row: &Row) -> String {
    serde_json::to_string(row).unwrap_or_default()
}

fn parsed(row: &str) -> Result<Row, Fault> {
    serde_json::from_str(row).map_err(|e| Fault::Input(format!("this is no row of a sweep: {e}")))
}

impl From<SweepError> for Fault {
    fn from(error: SweepError) -> Self {
        match error {
            SweepError::Scene(e) => Self::Scene(e),
            SweepError::Build(e) => e.into(),
            SweepError::Record(e) => e.into(),
            SweepError::Differs { .. } => Self::Work(error.to_string()),
            other => Self::Input(other.to_string()),
        }
    }
}
