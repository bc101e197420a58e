//! Complementarity and friction problems from arrays or files.

use crate::arguments::{indices, numbers, rows};
use crate::errors::{Fault, detached};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::path::PathBuf;
use stickslip::prelude::{DMat3, DVec3};
use stickslip::problems::stored::StoredProblem;
use stickslip::solvers::SparseMatrix;
use stickslip::solvers::lcp::MixedLcp;
use stickslip::solvers::problem::Law;
use stickslip::solvers::problem::delassus::Delassus;
use stickslip::solvers::problem::local::LocalProblem;
use stickslip_studies::stored::{Budget, check_limit, read, solve};

/// How it is to be solved.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct How {
    solver: String,
    tolerance: f64,
    limit: Option<f64>,
}

/// A matrix by its entries: rows, columns, values.
#[derive(FromPyObject)]
pub(crate) struct Entries<'py>(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

impl Entries<'_> {
    fn read(&self) -> Result<Vec<(usize, usize, f64)>, Fault> {
        let (i, j, v) = (
            indices("rows", &self.0)?,
            indices("columns", &self.1)?,
            numbers("values", &self.2)?,
        );
        if i.len() != v.len() || j.len() != v.len() {
            return Err(Fault::Input(
                "rows, columns and values are of different length".into(),
            ));
        }
        Ok(i.into_iter()
            .zip(j)
            .zip(v)
            .map(|((i, j), v)| (i, j, v))
            .collect())
    }
}

/// 0 ≤ z ⟂ M z + q ≥ 0, of whose unknowns the first `n_eq` are free with w = 0.
#[pyfunction]
pub(crate) fn solve_lcp<'py>(
    py: Python<'py>,
    entries: Entries<'py>,
    q: &Bound<'py, PyAny>,
    n_eq: usize,
    how: How,
) -> PyResult<Bound<'py, PyDict>> {
    let (entries, q) = (entries.read()?, numbers("q", q)?);
    let n = q.len();
    if n_eq > n {
        return Err(Fault::Input(format!("n_eq is {n_eq} but q has only {n} entries")).into());
    }
    let m = SparseMatrix::from_triplets(n, n, &entries).map_err(Fault::Input)?;
    let problem = MixedLcp { m, q, n_eq };
    problem.validate().map_err(Fault::input)?;
    answer(py, StoredProblem::Complementarity(problem), how)
}

/// Frictional contact on the exact cone, u = D r + q with rows normal, tangent, tangent for each contact.
#[pyfunction]
pub(crate) fn solve_contact<'py>(
    py: Python<'py>,
    entries: Entries<'py>,
    q: &Bound<'py, PyAny>,
    mu: &Bound<'py, PyAny>,
    how: How,
) -> PyResult<Bound<'py, PyDict>> {
    let (entries, q, mu) = (entries.read()?, numbers("q", q)?, numbers("mu", mu)?);
    let n = mu.len();
    if q.len() != 3 * n {
        return Err(Fault::Input(format!(
            "q has {} entries; {n} contacts need {}",
            q.len(),
            3 * n
        ))
        .into());
    }
    let mut blocks: BTreeMap<(usize, usize), DMat3> = BTreeMap::new();
    for (i, j, v) in entries {
        if i >= 3 * n || j >= 3 * n {
            return Err(
                Fault::Input(format!("entry ({i}, {j}) of a matrix of {n} contacts")).into(),
            );
        }
        let block = blocks.entry((i / 3, j / 3)).or_insert(DMat3::ZERO);
        block.col_mut(j % 3)[i % 3] += v;
    }
    let blocks = blocks
        .into_iter()
        .map(|((i, j), block)| (i, j, block))
        .collect();
    let problem = LocalProblem {
        delassus: Delassus::from_blocks(n, blocks),
        q: q.chunks_exact(3).map(DVec3::from_slice).collect(),
        laws: mu.into_iter().map(|mu| Law::Cone { mu }).collect(),
    };
    problem.validate().map_err(Fault::Input)?;
    answer(py, StoredProblem::Contact(problem), how)
}

/// A problem from a file: FCLIB, JSON, Matrix Market.
#[pyfunction]
pub(crate) fn solve_file<'py>(
    py: Python<'py>,
    path: PathBuf,
    how: How,
) -> PyResult<Bound<'py, PyDict>> {
    let problem = detached(py, || Ok(read(&path)?))?;
    answer(py, problem, how)
}

fn answer(py: Python<'_>, problem: StoredProblem, how: How) -> PyResult<Bound<'_, PyDict>> {
    let How {
        solver,
        tolerance,
        limit,
    } = how;
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return Err(
            Fault::Input(format!("tolerance {tolerance}: expected a positive number")).into(),
        );
    }
    let (answer, seconds) = detached(py, || {
        check_limit(limit)?;
        Ok(solve(&problem, &solver, tolerance, limit, Budget::ONCE)?)
    })?;
    let all = PyDict::new(py);
    all.set_item("problem", problem.describe())?;
    all.set_item("status", answer.status)?;
    all.set_item("solver", answer.solver)?;
    all.set_item("residual", answer.residual)?;
    all.set_item("iterations", answer.iterations)?;
    all.set_item("note", answer.note)?;
    all.set_item("seconds", seconds)?;
    all.set_item(
        "values",
        rows(py, answer.values.len(), answer.values.iter().map(|x| [*x]))?,
    )?;
    Ok(all)
}
