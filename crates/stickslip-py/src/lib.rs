//! `stickslip._core`: the native part of the Python package in `python/stickslip`, one file for each wrapped type.
//!
//! | file | holds |
//! |---|---|
//! | `scene.rs`, `world.rs`, `certificate.rs`, `trajectory.rs` | the objects, as thin as can be: names, defaults and arrays are made in Python |
//! | `run.rs` | whole runs, interrupted by Ctrl-C between steps |
//! | `table.rs`, `buffer.rs` | columns in one memory for NumPy and Arrow |
//! | `solve.rs`, `planar.rs`, `plate.rs`, `studies.rs`, `sweep.rs` | the other commands of the program, and the program itself |
//! | `errors.rs`, `arguments.rs` | the border: exceptions with the program's words, numbers in and out |
//!
//! Nothing here computes. A world is behind a lock that is only tried: a second thread gets an exception and does not wait. The
//! interpreter's lock is released wherever work is done, and a panic never crosses the border (`errors::caught`).

mod arguments;
mod buffer;
mod certificate;
mod errors;
mod planar;
mod plate;
mod run;
mod scene;
mod solve;
mod studies;
mod sweep;
mod table;
mod trajectory;
mod world;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::buffer::Buffer;
    #[pymodule_export]
    use crate::certificate::Certificate;
    #[pymodule_export]
    use crate::planar::PlanarState;
    #[pymodule_export]
    use crate::plate::{plate_field, plate_motions, plate_scene};
    #[pymodule_export]
    use crate::scene::{Scene, scene_schema};
    #[pymodule_export]
    use crate::solve::{solve_contact, solve_file, solve_lcp};
    #[pymodule_export]
    use crate::studies::{check, compare, converge, program};
    #[pymodule_export]
    use crate::sweep::SweepPlan;
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::trajectory::Trajectory;
    #[pymodule_export]
    use crate::world::World;

    /// The version of the program.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
