//! The judge's word on a step.

use crate::errors::Fault;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stickslip::model::Kind;
use stickslip::model::bytes::Stored;
use stickslip::prelude::{Residual, StepRecord};

/// The judge's word as bytes; tolerance, t and h; number of the step and iterations; kind and solver.
type Pickled = (Vec<u8>, [f64; 3], [u64; 2], String, String);

/// The judge's word on one step: residuals of the law, recomputed from states and impulses.
#[pyclass(frozen, eq, module = "stickslip._core")]
#[derive(PartialEq)]
pub(crate) struct Certificate {
    word: stickslip::prelude::Certificate,
    tolerance: f64,
    /// Number of the step.
    #[pyo3(get)]
    step: u64,
    /// Time at its end, s.
    #[pyo3(get)]
    t: f64,
    /// Its length, s; 0 for the phases of an impact.
    #[pyo3(get)]
    h: f64,
    /// Solver iterations.
    #[pyo3(get)]
    iterations: u64,
    kind: &'static str,
    solver: String,
}

impl Certificate {
    pub(crate) fn of(step: &StepRecord, tolerance: f64) -> Self {
        Self {
            word: step.certificate,
            tolerance,
            step: step.step,
            t: step.t,
            h: step.h,
            iterations: step.iterations,
            kind: step.kind.name(),
            solver: step.solver.clone(),
        }
    }
}

#[pymethods]
impl Certificate {
    /// Does the law hold to the tolerance, and every equality to rounding?
    #[getter]
    fn holds(&self) -> bool {
        self.word.holds(self.tolerance)
    }

    /// The largest residual of the law, m/s.
    #[getter]
    fn residual(&self) -> f64 {
        self.word.worst_of_law().1
    }

    /// Name of the largest residual of the law.
    #[getter]
    fn worst(&self) -> &'static str {
        self.word.worst_of_law().0.name()
    }

    /// What the largest residual may be, m/s.
    #[getter]
    fn bound(&self) -> f64 {
        self.word.bound(self.tolerance)
    }

    /// All residuals by name, m/s.
    #[getter]
    fn residuals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for kind in Residual::ALL {
            all.set_item(kind.name(), self.word.get(kind))?;
        }
        Ok(all)
    }

    /// Deepest overlap of two bodies at the end of the step, m.
    #[getter]
    fn penetration(&self) -> f64 {
        self.word.penetration
    }

    /// Largest residual of an equality in units of its own rounding bound.
    #[getter]
    fn rounding(&self) -> f64 {
        self.word.rounding
    }

    /// What the step was: "step", "part", "compression", "decompression", "extrapolated", "leaving" or "leaving-part".
    #[getter]
    fn kind(&self) -> &'static str {
        self.kind
    }

    /// The solver that gave the impulses.
    #[getter]
    fn solver(&self) -> &str {
        &self.solver
    }

    /// What `restore` takes.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Pickled)> {
        let c = slf.get();
        let mut word = Vec::new();
        c.word.put(&mut word);
        let pickled = (
            word,
            [c.tolerance, c.t, c.h],
            [c.step, c.iterations],
            c.kind.to_owned(),
            c.solver.clone(),
        );
        Ok((slf.get_type().getattr("restore")?, pickled))
    }

    /// A certificate that was pickled.
    #[staticmethod]
    fn restore(
        word: &[u8],
        numbers: [f64; 3],
        counts: [u64; 2],
        kind: &str,
        solver: String,
    ) -> PyResult<Self> {
        let ([tolerance, t, h], [step, iterations]) = (numbers, counts);
        let mut rest = word;
        let word = Stored::take(&mut rest).filter(|_| rest.is_empty());
        let kind = Kind::ALL.into_iter().find(|k| k.name() == kind);
        let unknown = || Fault::Input("this is no certificate".into());
        Ok(Self {
            word: word.ok_or_else(unknown)?,
            tolerance,
            step,
            t,
            h,
            iterations,
            kind: kind.ok_or_else(unknown)?.name(),
            solver,
        })
    }

    fn __repr__(&self) -> String {
        let holds = if self.holds() {
            "holds"
        } else {
            "does not hold"
        };
        format!(
            "Certificate(step {} at t = {} s {holds}: {} {:.1e} m/s, bound {:.1e} m/s)",
            self.step,
            stickslip_console::time(self.t),
            self.worst(),
            self.residual(),
            self.bound()
        )
    }
}
