//! Plots and drawings in one theme, as SVG and PNG.
//!
//! A [`Plot`] has two axes with units, marks (lines, points, bars, error bars, bands, arrows, images) and a
//! legend; a [`Sheet`] puts several plots side by side. Both become a [`Drawing`], which is a list of shapes
//! and texts, and a drawing becomes SVG text or PNG bytes. The same calls give the same bytes.
//!
//! ```
//! use stickslip_plot::{Axis, Plot};
//!
//! let errors: Vec<(f64, f64)> = (1..6).map(|k| (0.1 / f64::from(1 << k), 0.02 / f64::from(1 << k))).collect();
//! let plot = Plot::new("Stopping distance of a sliding box")
//!     .x(Axis::log("step h", "s"))
//!     .y(Axis::log("error", "m"))
//!     .line("quadratic cone", &errors)
//!     .line("slope 1", &[(0.003, 0.001), (0.05, 0.0166)])
//!     .dashed();
//! assert!(plot.drawing().svg().contains("step h (s)"));
//! # let folder = std::env::temp_dir();
//! plot.write(folder.join("stickslip-plot-example.png"))?; // or .svg
//! # Ok::<(), stickslip_plot::PlotError>(())
//! ```
//!
//! Colours are told apart by people who see colours differently, and series also differ by dashes and
//! markers. What cannot be shown (a value that is not finite, or not positive on a logarithmic axis) is
//! counted in a note under the plot.

pub mod axis;
pub mod colour;
pub mod drawing;
mod font;
mod layout;
pub mod plot;
mod png;
mod raster;
pub mod sheet;
mod svg;

pub use axis::Axis;
pub use colour::Colour;
pub use drawing::{Anchor, Dash, Drawing, Point, Stroke, Style};
pub use plot::{Arrow, Image, Plot};
pub use sheet::Sheet;

/// Bytes as text (RFC 4648, with padding): how a page or an SVG carries a picture inside itself.
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    svg::base64(bytes)
}

/// Why a picture could not be written.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// The ending of the file names no kind of picture.
    #[error("{0}: a picture's file must end in .svg or .png")]
    Ending(String),
    /// The file cannot be written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
}
