//! A plot: two axes and marks, described in words and data; `layout.rs` draws it.

use crate::axis::Axis;
use crate::colour::{Colour, SERIES};
use crate::drawing::{Dash, Drawing};
use crate::{PlotError, layout};
use std::path::Path;

/// An arrow of a field: from a place, by a vector, both in the units of the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// Where it starts.
    pub at: (f64, f64),
    /// What it shows. Its length on paper is scaled so that the longest of the plot is as the theme wants.
    pub vector: (f64, f64),
}

/// Cells of equal size over a rectangle of the plot: a map of values or of classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// From the left edge of the first column to the right edge of the last.
    pub x: (f64, f64),
    /// From the bottom edge of the first row to the top edge of the last.
    pub y: (f64, f64),
    /// Cells in a row.
    pub columns: usize,
    /// Row by row from the bottom left.
    pub cells: Vec<Colour>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mark {
    Line(Vec<(f64, f64)>),
    Points(Vec<(f64, f64)>),
    /// (x, y, half of the bar).
    ErrorBars(Vec<(f64, f64, f64)>),
    Bars(Vec<(f64, f64)>),
    /// (x, low, high).
    Band(Vec<(f64, f64, f64)>),
    Field(Vec<Arrow>),
    /// A closed region.
    Region(Vec<(f64, f64)>),
    Image(Image),
    /// Nothing but a line of the legend.
    Key,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub(crate) label: String,
    pub(crate) mark: Mark,
    pub(crate) colour: Colour,
    pub(crate) dash: Dash,
    pub(crate) width: f64,
    /// Which of the markers, for points.
    pub(crate) marker: usize,
}

/// A plot under construction: each mark takes the next colour of the theme; `dashed`, `coloured` and the like
/// change the last one. Marks are drawn in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
    pub(crate) notes: Vec<String>,
    pub(crate) size: (f64, f64),
    pub(crate) equal: bool,
    next: usize,
}

impl Plot {
    /// An empty plot.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            x: Axis::linear("", ""),
            y: Axis::linear("", ""),
            series: Vec::new(),
            notes: Vec::new(),
            size: (640.0, 420.0),
            equal: false,
            next: 0,
        }
    }

    /// The horizontal axis.
    #[must_use]
    pub fn x(self, x: Axis) -> Self {
        Self { x, ..self }
    }

    /// The vertical axis.
    #[must_use]
    pub fn y(self, y: Axis) -> Self {
        Self { y, ..self }
    }

    /// Width and height, pixels at 100 %.
    #[must_use]
    pub fn size(self, width: f64, height: f64) -> Self {
        Self {
            size: (width.max(160.0), height.max(120.0)),
            ..self
        }
    }

    /// One unit is as long on both axes.
    #[must_use]
    pub fn equal(self) -> Self {
        Self {
            equal: true,
            ..self
        }
    }

    /// A line of small text under the plot.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    fn mark(mut self, label: &str, mark: Mark) -> Self {
        self.series.push(Series {
            label: label.to_owned(),
            mark,
            colour: SERIES[self.next % SERIES.len()],
            // After one round of colours the dashes differ.
            dash: [Dash::Solid, Dash::Dashed, Dash::Dotted, Dash::DashDot]
                [self.next / SERIES.len() % 4],
            width: 1.8,
            marker: self.next,
        });
        self.next += 1;
        self
    }

    /// A line through points; it is broken where a point cannot be shown. An empty label stays out of the legend.
    #[must_use]
    pub fn line(self, label: &str, points: &[(f64, f64)]) -> Self {
        self.mark(label, Mark::Line(points.to_vec()))
    }

    /// Points.
    #[must_use]
    pub fn points(self, label: &str, points: &[(f64, f64)]) -> Self {
        self.mark(label, Mark::Points(points.to_vec()))
    }

    /// Points (x, y, e) with bars from y − e to y + e.
    #[must_use]
    pub fn error_bars(self, label: &str, points: &[(f64, f64, f64)]) -> Self {
        self.mark(label, Mark::ErrorBars(points.to_vec()))
    }

    /// Bars from zero (from the lower edge on a logarithmic axis) to y. Several sets stand side by side.
    #[must_use]
    pub fn bars(self, label: &str, bars: &[(f64, f64)]) -> Self {
        self.mark(label, Mark::Bars(bars.to_vec()))
    }

    /// The strip between two curves, as (x, low, high).
    #[must_use]
    pub fn band(self, label: &str, points: &[(f64, f64, f64)]) -> Self {
        self.mark(label, Mark::Band(points.to_vec()))
    }

    /// Arrows of one class; all classes of a plot share one scale.
    #[must_use]
    pub fn field(self, label: &str, arrows: &[Arrow]) -> Self {
        self.mark(label, Mark::Field(arrows.to_vec()))
    }

    /// A filled region with its border.
    #[must_use]
    pub fn region(self, label: &str, corners: &[(f64, f64)]) -> Self {
        self.mark(label, Mark::Region(corners.to_vec()))
    }

    /// A map of colours; say what they mean by [`Plot::key`]. Takes no colour of the theme.
    #[must_use]
    pub fn image(mut self, image: Image) -> Self {
        let next = self.next;
        self = self.mark("", Mark::Image(image));
        self.next = next;
        self
    }

    /// A line of the legend that belongs to no mark: what a colour of an image means.
    #[must_use]
    pub fn key(mut self, label: &str, colour: Colour) -> Self {
        let next = self.next;
        self = self.mark(label, Mark::Key).coloured(colour);
        self.next = next;
        self
    }

    fn last(mut self, change: impl FnOnce(&mut Series)) -> Self {
        if let Some(series) = self.series.last_mut() {
            change(series);
        }
        self
    }

    /// The last mark with dashes: a reference line, a theory.
    #[must_use]
    pub fn dashed(self) -> Self {
        self.last(|s| s.dash = Dash::Dashed)
    }

    /// The last mark with an unbroken line.
    #[must_use]
    pub fn solid(self) -> Self {
        self.last(|s| s.dash = Dash::Solid)
    }

    /// The last mark with dots.
    #[must_use]
    pub fn dotted(self) -> Self {
        self.last(|s| s.dash = Dash::Dotted)
    }

    /// The last mark in this colour.
    #[must_use]
    pub fn coloured(self, colour: Colour) -> Self {
        self.last(|s| s.colour = colour)
    }

    /// The last mark in the colour (and with the marker) of series `k`: for what belongs together.
    #[must_use]
    pub fn like(mut self, k: usize) -> Self {
        self.next = self.next.saturating_sub(1);
        self.last(|s| {
            s.colour = SERIES[k % SERIES.len()];
            s.marker = k;
        })
    }

    /// The last mark with lines of this width.
    #[must_use]
    pub fn width(self, width: f64) -> Self {
        self.last(|s| s.width = width)
    }

    /// The plot, drawn.
    #[must_use]
    pub fn drawing(&self) -> Drawing {
        layout::draw(self)
    }

    /// Writes the plot to a file that ends in `.svg` or `.png`.
    ///
    /// # Errors
    /// Another ending, or a file that cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), PlotError> {
        self.drawing().write(path)
    }
}
