//! One scene with many settings: for which friction does it jam, how far does it travel as the frequency grows?
//!
//! A [`Sweep`] is a scene, the parameters that change with their ranges ([`Range`]), how points are chosen among them ([`Choice`])
//! and what is asked of each run ([`Asked`]). A point is run by [`Sweep::run`], which gives a [`RunRow`]; rows live in a [`Folder`], each in a file
//! of its own under the run's key, so that a sweep can be killed at any moment, started again and done in parts on several
//! machines, and does each run once. [`work()`] does that with threads.

mod asked;
mod error;
mod folder;
mod plan;
mod plot;
mod range;
mod row;
mod sweep;
mod table;
mod work;

pub use asked::{Asked, Take};
pub use error::SweepError;
pub use folder::{Folder, Stored};
pub use plan::{Choice, MOST_RUNS, Point};
pub use plot::{Look, plot};
pub use range::{Range, parse_parameter};
pub use row::{RunRow, State};
pub use sweep::{Description, Keep, Origin, Sweep};
pub use table::{first_rows, json_rows};
pub use work::{Part, Progress, work};
