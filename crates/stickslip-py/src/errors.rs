//! What goes wrong, as exceptions of the package: the program's own words, and classes from `stickslip/errors.py`.

use pyo3::prelude::*;
use stickslip::dynamics::SnapshotError;
use stickslip::dynamics::converge::ConvergeError;
use stickslip::planar::StateError;
use stickslip::prelude::{BuildError, SceneError, StepError};
use stickslip::record::RecordError;
use stickslip_console::Failure;
use stickslip_plate::FieldError;

/// Anything that can go wrong on this side of the border.
#[derive(Debug)]
pub(crate) enum Fault {
    Scene(SceneError),
    /// A step that was refused, and the time (s) of the world, which is as before it.
    Step {
        error: StepError,
        t: f64,
    },
    /// A trajectory that cannot be read, written or compared.
    Record(String),
    /// What was asked for makes no sense.
    Input(String),
    /// The work itself failed.
    Work(String),
    /// Another thread is at it.
    Busy,
    /// It was closed.
    Closed,
    /// A bug of ours: a panic that was caught.
    Internal(String),
    /// An exception of Python's own, such as an interrupt.
    Python(PyErr),
}

impl Fault {
    pub(crate) fn input(what: impl std::fmt::Display) -> Self {
        Self::Input(what.to_string())
    }

    /// The exception.
    fn raise(self, py: Python<'_>) -> PyErr {
        let made = (|| {
            let classes = py.import("stickslip.errors")?;
            let make = |class: &str, message: String| classes.getattr(class)?.call1((message,));
            match self {
                Self::Scene(e) => {
                    let place = (
                        e.to_string(),
                        &e.message,
                        &e.file,
                        e.line,
                        e.column,
                        &e.help,
                    );
                    classes.getattr("SceneError")?.call1(place)
                }
                Self::Step { error, t } => {
                    classes.getattr("StepError")?.call1((error.to_string(), t))
                }
                Self::Record(message) => make("RecordError", message),
                Self::Input(message) => make("InputError", message),
                Self::Work(message) => make("WorkError", message),
                Self::Busy => make(
                    "BusyError",
                    "this world is being stepped by another thread; give each thread a copy()"
                        .into(),
                ),
                Self::Closed => make(
                    "ClosedError",
                    "this world was closed: nothing is left of it".into(),
                ),
                Self::Internal(message) => make(
                    "InternalError",
                    format!("{message} (a fault of stickslip, not of its user: please report it)"),
                ),
                Self::Python(error) => Ok(error.value(py).clone().into_any()),
            }
        })();
        match made {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    }
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        Python::attach(|py| fault.raise(py))
    }
}

impl From<SceneError> for Fault {
    fn from(error: SceneError) -> Self {
        Self::Scene(error)
    }
}

impl From<BuildError> for Fault {
    fn from(error: BuildError) -> Self {
        Self::input(error)
    }
}

impl From<SnapshotError> for Fault {
    fn from(error: SnapshotError) -> Self {
        Self::input(error)
    }
}

impl From<RecordError> for Fault {
    fn from(error: RecordError) -> Self {
        Self::Record(error.to_string())
    }
}

impl From<StateError> for Fault {
    fn from(error: StateError) -> Self {
        Self::input(error)
    }
}

impl From<ConvergeError> for Fault {
    fn from(error: ConvergeError) -> Self {
        match error {
            ConvergeError::Scene(e) => Self::Scene(e),
            ConvergeError::Step { .. } => Self::Work(error.to_string()),
            ConvergeError::Quantity(_) | ConvergeError::Setting(_) => Self::input(error),
        }
    }
}

impl From<FieldError> for Fault {
    fn from(error: FieldError) -> Self {
        match error {
            FieldError::Scene(e) => Self::Scene(e),
            FieldError::Step { .. } => Self::Work(error.to_string()),
            FieldError::NoPlate(_) | FieldError::Sampling(_) => Self::input(error),
        }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Scene(e) => Self::Scene(e),
            Failure::Build(e) => Self::input(e),
            Failure::Record(e) => e.into(),
            Failure::Input(message) => Self::Input(message),
            Failure::Work(message) => Self::Work(message),
        }
    }
}

/// Does the work without the interpreter's lock; a panic becomes an exception.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Fault> + Send,
) -> Result<T, Fault> {
    py.detach(|| caught(work))
}

/// A panic becomes an error.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    // What work was at is in the hands of its caller only: nobody sees it half done but through a world, whose state is
    // written at once when a step is accepted.
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
        Ok(done) => done,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(Fault::Internal(text.unwrap_or("a panic").into()))
        }
    }
}
