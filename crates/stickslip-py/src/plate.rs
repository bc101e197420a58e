//! The velocity field of a vibrating plate.

use crate::arguments::rows;
use crate::errors::{Fault, detached};
use crate::scene::Scene;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use std::sync::Arc;
use stickslip_plate::field::{Field, Sampling, period_of};
use stickslip_plate::library::{LIBRARY, Part, by_name};

/// How a field is measured.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Order {
    grid: usize,
    half: Option<f64>,
    period: Option<f64>,
    steps: usize,
    settle: usize,
    average: usize,
    threads: Option<usize>,
}

fn part(name: &str) -> Result<Part, Fault> {
    match name {
        "particle" => Ok(Part::Particle),
        "tripod" => Ok(Part::Tripod),
        _ => Err(Fault::Input(format!(
            "part \"{name}\": expected \"particle\" or \"tripod\""
        ))),
    }
}

/// The named motions and what their fields do.
#[pyfunction]
pub(crate) fn plate_motions() -> Vec<(&'static str, &'static str)> {
    LIBRARY
        .iter()
        .map(|plate| (plate.name, plate.says))
        .collect()
}

/// The text of the scene of a named motion.
#[pyfunction]
pub(crate) fn plate_scene(name: &str, part_name: &str) -> PyResult<String> {
    let known: Vec<&str> = LIBRARY.iter().map(|plate| plate.name).collect();
    let unknown = || {
        Fault::Input(format!(
            "\"{name}\" is none of the named motions: {}",
            known.join(", ")
        ))
    };
    let plate = by_name(name).ok_or_else(unknown)?;
    Ok(plate.scene_text(part(part_name)?))
}

/// Period (s), half of the side (m), rows, names of their columns, picture (SVG).
type Measured<'py> = (f64, f64, Bound<'py, PyByteArray>, Vec<&'static str>, String);

/// The field of a scene; `name` is that of its motion, where it has one.
#[pyfunction]
pub(crate) fn plate_field<'py>(
    py: Python<'py>,
    scene: &Scene,
    name: Option<&str>,
    order: Order,
) -> PyResult<Measured<'py>> {
    let scene = Arc::clone(&scene.read);
    let field = detached(py, || {
        let known = name.and_then(by_name);
        let period = match (order.period, known) {
            (Some(period), _) => period,
            (None, Some(plate)) => plate.period,
            (None, None) => period_of(&scene)?,
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let sampling = Sampling {
            cells: order.grid,
            half: order.half.unwrap_or(known.map_or(0.06, |plate| plate.half)),
            steps: order.steps,
            settle: order.settle,
            average: order.average,
            threads: order.threads.unwrap_or(cores),
        };
        Ok(Field::measure(&scene, period, &sampling, &|| ())?)
    })?;
    let title = if scene.title.is_empty() {
        &scene.file
    } else {
        &scene.title
    };
    let places = rows(py, field.places.len(), field.places.iter().map(Field::row))?;
    let columns = Field::columns().iter().map(|c| c.0).collect();
    let picture = field.plot(title).drawing().svg();
    Ok((field.period, field.sampling.half, places, columns, picture))
}
