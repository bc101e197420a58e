//! Several plots on one sheet.

use crate::colour::INK;
use crate::drawing::{Anchor, Drawing};
use crate::plot::Plot;
use crate::{PlotError, font};
use std::path::Path;

/// Drawings in rows, each as large as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    title: String,
    columns: usize,
    parts: Vec<Drawing>,
}

impl Sheet {
    /// An empty sheet; an empty title takes no room.
    #[must_use]
    pub fn new(title: impl Into<String>, columns: usize) -> Self {
        Self {
            title: title.into(),
            columns: columns.max(1),
            parts: Vec::new(),
        }
    }

    /// With one more plot.
    #[must_use]
    pub fn plot(self, plot: &Plot) -> Self {
        self.part(plot.drawing())
    }

    /// With one more drawing.
    #[must_use]
    pub fn part(mut self, drawing: Drawing) -> Self {
        self.parts.push(drawing);
        self
    }

    /// The sheet, drawn.
    #[must_use]
    pub fn drawing(&self) -> Drawing {
        const SIZE: f64 = 18.0;
        let top = if self.title.is_empty() { 0.0 } else { 40.0 };
        let rows: Vec<&[Drawing]> = self.parts.chunks(self.columns).collect();
        let width = |row: &&[Drawing]| row.iter().map(|d| d.width).sum::<f64>();
        let height = |row: &&[Drawing]| row.iter().map(|d| d.height).fold(0.0, f64::max);
        let title = font::width(&self.title, SIZE) + 40.0;
        let w = rows.iter().map(width).fold(title, f64::max);
        let h = top + rows.iter().map(height).sum::<f64>();
        let mut sheet = Drawing::new(w, h.max(1.0), &self.title);
        if top > 0.0 {
            sheet.text([0.5 * w, 27.0], SIZE, Anchor::Middle, INK, &self.title);
        }
        let mut y = top;
        for row in &rows {
            let mut x = 0.5 * (w - width(row));
            for part in *row {
                sheet.place(part, [x, y]);
                x += part.width;
            }
            y += height(row);
        }
        sheet
    }

    /// Writes the sheet to a file that ends in `.svg` or `.png`.
    ///
    /// # Errors
    /// Another ending, or a file that cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), PlotError> {
        self.drawing().write(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Colour;

    #[test]
    fn what_leaves_a_part_does_not_cover_its_neighbour() {
        let red = Colour::rgb(0x00ff_0000);
        let mut left = Drawing::new(40.0, 40.0, "left");
        left.rectangle([0.0, 0.0], [40.0, 40.0], red);
        let mut right = Drawing::new(40.0, 40.0, "right");
        right.rectangle([-40.0, 0.0], [80.0, 40.0], Colour::rgb(0x00ff));
        let sheet = Sheet::new("", 2).part(left.clone()).part(right).drawing();
        let canvas = crate::raster::draw(&sheet, 1.0);
        let middle_of_left = 3 * (20 * canvas.width + 20);
        assert_eq!(
            canvas.rgb()[middle_of_left..middle_of_left + 3],
            [255, 0, 0]
        );
    }
}
