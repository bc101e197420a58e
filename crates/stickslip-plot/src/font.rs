//! The font of the theme, DejaVu Sans Condensed: widths for the layout of every picture, outlines for the raster.

use crate::drawing::Point;
use std::sync::LazyLock;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// None only if the embedded font were no font, which a test excludes; texts then show as hollow boxes.
static FACE: LazyLock<Option<Face<'static>>> =
    LazyLock::new(|| Face::parse(dejavu::sans_condensed::regular(), 0).ok());

/// A character the font does not have shows as its glyph 0, a hollow box.
fn glyph(face: &Face<'_>, c: char) -> GlyphId {
    face.glyph_index(c).unwrap_or(GlyphId(0))
}

/// Width of one character in units of the font's size.
fn advance(c: char) -> f64 {
    FACE.as_ref().map_or(0.6, |face| {
        let units = face.glyph_hor_advance(glyph(face, c)).unwrap_or(0);
        f64::from(units) / f64::from(face.units_per_em())
    })
}

pub(crate) fn width(text: &str, size: f64) -> f64 {
    size * text.chars().map(advance).sum::<f64>()
}

/// Closed contours of a text whose baseline starts at the origin; y points down.
pub(crate) fn outline(text: &str, size: f64) -> Vec<Vec<Point>> {
    let mut contours = Contours::default();
    let Some(face) = FACE.as_ref() else {
        return contours.done;
    };
    contours.scale = size / f64::from(face.units_per_em());
    for c in text.chars() {
        face.outline_glyph(glyph(face, c), &mut contours);
        contours.x += advance(c) * size;
    }
    contours.done
}

/// Curves become polygons of so many pieces, which no eye tells from them at the sizes of a plot.
const PIECES: usize = 4;

/// Collects the contours of glyphs as polygons.
#[derive(Default)]
struct Contours {
    done: Vec<Vec<Point>>,
    now: Vec<Point>,
    /// Where the glyph's own origin lies.
    x: f64,
    scale: f64,
}

impl Contours {
    fn place(&self, x: f32, y: f32) -> Point {
        [
            self.x + f64::from(x) * self.scale,
            -f64::from(y) * self.scale,
        ]
    }

    /// A Bézier curve from the last point, given by the weights of its control points.
    fn curve<const N: usize>(&mut self, control: [Point; N], weights: impl Fn(f64) -> [f64; N]) {
        for k in 1..=PIECES {
            let w = weights(k as f64 / PIECES as f64);
            let sum = |axis: usize| (0..N).map(|i| w[i] * control[i][axis]).sum();
            self.now.push([sum(0), sum(1)]);
        }
    }

    fn last(&self) -> Point {
        self.now.last().copied().unwrap_or([self.x, 0.0])
    }
}

impl OutlineBuilder for Contours {
    fn move_to(&mut self, x: f32, y: f32) {
        self.now = vec![self.place(x, y)];
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.now.push(self.place(x, y));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let control = [self.last(), self.place(x1, y1), self.place(x, y)];
        self.curve(control, |t| {
            [(1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t]
        });
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let control = [
            self.last(),
            self.place(x1, y1),
            self.place(x2, y2),
            self.place(x, y),
        ];
        self.curve(control, |t| {
            let s = 1.0 - t;
            [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t]
        });
    }

    fn close(&mut self) {
        let contour = std::mem::take(&mut self.now);
        if contour.len() > 2 {
            self.done.push(contour);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_what_plots_write() {
        let face = FACE.as_ref().unwrap();
        for c in "Az09 μνψρθτ²⁻₁→←↑⊥≤≥×·°…∞−′é".chars() {
            assert!(face.glyph_index(c).is_some(), "{c}");
        }
    }

    #[test]
    fn texts_have_widths_and_outlines() {
        assert!((width("AA", 10.0) - 2.0 * width("A", 10.0)).abs() < 1e-12);
        assert_eq!(outline("A", 10.0).len(), 2);
        assert_eq!(outline("i", 10.0).len(), 2);
        // Capitals are 0.729 of the size high.
        let top = outline("A", 1000.0)
            .concat()
            .iter()
            .map(|p| -p[1])
            .fold(0.0, f64::max);
        assert!((top - 729.0).abs() < 1.0, "{top}");
        // A character that is not there still takes room and shows.
        assert_eq!(outline("\u{10FFFD}", 10.0).len(), 2);
        assert!(width("\u{10FFFD}", 10.0) > 0.0);
    }
}
