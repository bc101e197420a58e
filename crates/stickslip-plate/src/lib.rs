//! Parts on vibrating plates.
//!
//! A plate that follows a periodic motion of small amplitude carries parts along by friction, as if it were covered
//! with a field of velocities: [`library`] names motions and what their fields do, [`field`] measures the field of any
//! plate, sticking and loss of contact included, and [`studies`] does again what Berard, Nguyen and Trinkle did in
//! "Sources of error in a rigid body simulation of rigid parts on a vibrating rigid plate" (2009).
//!
//! ```
//! use stickslip_plate::field::{Field, Sampling};
//! use stickslip_plate::library::{self, Part};
//!
//! let plate = library::by_name("circle").unwrap();
//! let sampling = Sampling { cells: 2, steps: 100, settle: 3, average: 1, ..Sampling::default() };
//! let field = Field::measure(&plate.scene(Part::Particle), plate.period, &sampling, &|| ())?;
//! let corner = &field.places[3]; // x > 0, y > 0: carried round, anticlockwise
//! assert!(corner.velocity.x < 0.0 && corner.velocity.y > 0.0);
//! # Ok::<(), stickslip_plate::FieldError>(())
//! ```

pub mod field;
pub mod library;
pub mod picture;
pub mod studies;

pub use field::FieldError;
