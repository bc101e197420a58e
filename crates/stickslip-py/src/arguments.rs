//! Numbers from Python, and numbers to it.

use crate::errors::Fault;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use stickslip::prelude::{BodyState, DQuat, DVec3, Pose, Twist};

/// Three numbers: a list, a tuple, an array.
pub(crate) fn vector(name: &str, value: &Bound<'_, PyAny>) -> Result<DVec3, Fault> {
    let wrong = || Fault::Input(format!("{name}: expected three numbers"));
    let mut numbers = [0.0; 3];
    let mut items = value.try_iter().map_err(|_| wrong())?;
    for number in &mut numbers {
        let item = items.next().ok_or_else(wrong)?.map_err(Fault::Python)?;
        *number = item.extract().map_err(|_| wrong())?;
    }
    match items.next() {
        None => Ok(DVec3::from_array(numbers)),
        Some(_) => Err(wrong()),
    }
}

/// The numbers of an array that lies in memory in C order.
pub(crate) fn numbers(name: &str, value: &Bound<'_, PyAny>) -> Result<Vec<f64>, Fault> {
    let buffer = PyBuffer::<f64>::get(value);
    let wrong = |_| Fault::Input(format!("{name}: expected an array of float64"));
    buffer.and_then(|b| b.to_vec(value.py())).map_err(wrong)
}

/// Whole numbers that count something.
pub(crate) fn indices(name: &str, value: &Bound<'_, PyAny>) -> Result<Vec<usize>, Fault> {
    let buffer = PyBuffer::<i64>::get(value);
    let wrong = || {
        Fault::Input(format!(
            "{name}: expected an array of int64, none below zero"
        ))
    };
    let list = buffer
        .and_then(|b| b.to_vec(value.py()))
        .map_err(|_| wrong())?;
    list.into_iter()
        .map(|k| usize::try_from(k).map_err(|_| wrong()))
        .collect()
}

/// Rows of numbers as memory that NumPy can take over.
pub(crate) fn rows<'py, const N: usize>(
    py: Python<'py>,
    length: usize,
    rows: impl Iterator<Item = [f64; N]>,
) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, length * N * 8, |bytes| {
        let (numbers, _) = bytes.as_chunks_mut::<8>();
        for (place, row) in numbers.chunks_exact_mut(N).zip(rows) {
            for (place, number) in place.iter_mut().zip(row) {
                *place = number.to_ne_bytes();
            }
        }
        Ok(())
    })
}

/// Numbers of a state, in the order of trajectories: x, y, z, qs, qx, qy, qz, vx, vy, vz, wx, wy, wz.
pub(crate) const STATE: usize = 13;

#[inline]
pub(crate) fn state_numbers(state: &BodyState) -> [f64; STATE] {
    let (x, q) = (state.pose.position, state.pose.orientation);
    let (v, w) = (state.twist.linear, state.twist.angular);
    [
        x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z,
    ]
}

/// The state of those numbers; what is wrong with them otherwise.
pub(crate) fn state_of(row: &[f64; STATE]) -> Result<BodyState, &'static str> {
    let [x, y, z, qs, qx, qy, qz, vx, vy, vz, wx, wy, wz] = *row;
    if row.iter().any(|x| !x.is_finite()) {
        return Err("has a number that is not finite");
    }
    let orientation = DQuat::from_xyzw(qx, qy, qz, qs);
    if (orientation.length() - 1.0).abs() > 1e-6 {
        return Err("has an orientation (qs, qx, qy, qz) that is no unit quaternion");
    }
    // What is a unit quaternion already keeps its bits.
    let unit = if (orientation.length_squared() - 1.0).abs() < 1e-15 {
        orientation
    } else {
        orientation / orientation.length()
    };
    Ok(BodyState {
        pose: Pose {
            position: DVec3::new(x, y, z),
            orientation: unit,
        },
        twist: Twist {
            linear: DVec3::new(vx, vy, vz),
            angular: DVec3::new(wx, wy, wz),
        },
    })
}
