//! A drawing: shapes and texts in the order they are drawn, the y axis down as in SVG.

use crate::colour::{Colour, PAPER};
use crate::{PlotError, font, png, raster, svg};
use std::path::Path;

/// (x, y) in the units of the drawing, y down.
pub type Point = [f64; 2];

/// How a line is interrupted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dash {
    /// Not at all.
    #[default]
    Solid,
    /// Long pieces.
    Dashed,
    /// Dots.
    Dotted,
    /// In turns.
    DashDot,
}

impl Dash {
    /// Lengths of pieces and gaps in units of the line's width; empty for a whole line.
    pub(crate) fn pattern(self) -> &'static [f64] {
        match self {
            Self::Solid => &[],
            Self::Dashed => &[4.0, 2.5],
            Self::Dotted => &[1.0, 2.0],
            Self::DashDot => &[5.0, 2.0, 1.0, 2.0],
        }
    }
}

/// A line's looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Colour.
    pub colour: Colour,
    /// Width.
    pub width: f64,
    /// Dashes.
    pub dash: Dash,
}

impl Stroke {
    /// A whole line.
    #[must_use]
    pub fn new(colour: Colour, width: f64) -> Self {
        Self {
            colour,
            width,
            dash: Dash::Solid,
        }
    }

    /// The same with dashes.
    #[must_use]
    pub fn dashed(self, dash: Dash) -> Self {
        Self { dash, ..self }
    }
}

/// A shape's looks: inside and outline.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Style {
    /// Colour of the inside.
    pub fill: Option<Colour>,
    /// The outline.
    pub stroke: Option<Stroke>,
}

impl From<Colour> for Style {
    fn from(fill: Colour) -> Self {
        Self {
            fill: Some(fill),
            stroke: None,
        }
    }
}

impl From<Stroke> for Style {
    fn from(stroke: Stroke) -> Self {
        Self {
            fill: None,
            stroke: Some(stroke),
        }
    }
}

/// Which part of a text is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its start.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

impl Anchor {
    /// Which part of the width lies before the place.
    pub(crate) fn before(self) -> f64 {
        match self {
            Self::Start => 0.0,
            Self::Middle => 0.5,
            Self::End => 1.0,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Polygon(Vec<Point>),
    Polyline(Vec<Point>),
    Circle(Point, f64),
    Text {
        at: Point,
        size: f64,
        anchor: Anchor,
        upwards: bool,
        text: String,
    },
    /// Cells of equal size, row by row from the top left.
    Cells {
        corner: Point,
        size: Point,
        columns: usize,
        cells: Vec<Colour>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    pub(crate) shape: Shape,
    pub(crate) style: Style,
    /// Left, top, width, height of the window through which it is seen.
    pub(crate) window: Option<[f64; 4]>,
}

/// A drawing under construction, and what it becomes.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    pub(crate) title: String,
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) items: Vec<Item>,
    window: Option<[f64; 4]>,
}

impl Drawing {
    /// A white sheet. The title is for readers that speak pictures; it is not drawn.
    #[must_use]
    pub fn new(width: f64, height: f64, title: impl Into<String>) -> Self {
        let mut drawing = Self {
            title: title.into(),
            width,
            height,
            items: Vec::new(),
            window: None,
        };
        drawing.rectangle([0.0, 0.0], [width, height], PAPER);
        drawing
    }

    /// Width and height.
    #[must_use]
    pub fn size(&self) -> Point {
        [self.width, self.height]
    }

    /// What is drawn from here on is seen only inside this rectangle; `None`: everywhere.
    pub fn window(&mut self, corner_and_size: Option<(Point, Point)>) {
        self.window = corner_and_size.map(|([x, y], [w, h])| [x, y, w, h]);
    }

    fn push(&mut self, shape: Shape, style: Style) {
        self.items.push(Item {
            shape,
            style,
            window: self.window,
        });
    }

    /// A closed polygon.
    pub fn polygon(&mut self, points: &[Point], style: impl Into<Style>) {
        self.push(Shape::Polygon(points.to_vec()), style.into());
    }

    /// A line through points.
    pub fn polyline(&mut self, points: &[Point], stroke: Stroke) {
        self.push(Shape::Polyline(points.to_vec()), stroke.into());
    }

    /// A straight line.
    pub fn line(&mut self, a: Point, b: Point, stroke: Stroke) {
        self.polyline(&[a, b], stroke);
    }

    /// A rectangle, from its corner at the top left.
    pub fn rectangle(&mut self, [x, y]: Point, [w, h]: Point, style: impl Into<Style>) {
        self.polygon(&[[x, y], [x + w, y], [x + w, y + h], [x, y + h]], style);
    }

    /// A disc.
    pub fn circle(&mut self, centre: Point, radius: f64, style: impl Into<Style>) {
        self.push(Shape::Circle(centre, radius), style.into());
    }

    /// A line with a head at `b`. Where the line is short, so is its head.
    pub fn arrow(&mut self, a: Point, b: Point, stroke: Stroke) {
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let length = libm::hypot(dx, dy);
        if length < 1e-6 {
            return;
        }
        let (ux, uy) = (dx / length, dy / length);
        let head = (4.5 * stroke.width).min(0.7 * length);
        let base = [b[0] - ux * head, b[1] - uy * head];
        self.line(a, base, stroke);
        let half = 0.4 * head;
        let left = [base[0] - uy * half, base[1] + ux * half];
        let right = [base[0] + uy * half, base[1] - ux * half];
        self.polygon(&[b, left, right], stroke.colour);
    }

    /// A text on its baseline.
    pub fn text(&mut self, at: Point, size: f64, anchor: Anchor, colour: Colour, text: &str) {
        self.write_text(at, size, anchor, false, colour, text);
    }

    /// A text that reads upwards.
    pub fn text_upwards(
        &mut self,
        at: Point,
        size: f64,
        anchor: Anchor,
        colour: Colour,
        text: &str,
    ) {
        self.write_text(at, size, anchor, true, colour, text);
    }

    fn write_text(
        &mut self,
        at: Point,
        size: f64,
        anchor: Anchor,
        upwards: bool,
        colour: Colour,
        text: &str,
    ) {
        let text = text.to_owned();
        let shape = Shape::Text {
            at,
            size,
            anchor,
            upwards,
            text,
        };
        self.push(shape, colour.into());
    }

    /// A picture of cells of equal size, row by row from the top left.
    pub fn cells(&mut self, corner: Point, size: Point, columns: usize, cells: Vec<Colour>) {
        if columns > 0 && cells.len() >= columns {
            let shape = Shape::Cells {
                corner,
                size,
                columns,
                cells,
            };
            self.push(shape, Style::default());
        }
    }

    /// Puts another drawing on this one, its corner at `at`; what leaves the other's frame is hidden.
    pub fn place(&mut self, other: &Drawing, at: Point) {
        let moved = |p: &Point| [p[0] + at[0], p[1] + at[1]];
        for item in &other.items {
            let mut item = item.clone();
            match &mut item.shape {
                Shape::Polygon(points) | Shape::Polyline(points) => {
                    for p in points {
                        *p = moved(p);
                    }
                }
                Shape::Circle(p, _)
                | Shape::Text { at: p, .. }
                | Shape::Cells { corner: p, .. } => *p = moved(p),
            }
            let [x, y, w, h] = item.window.unwrap_or([0.0, 0.0, other.width, other.height]);
            item.window = Some([x + at[0], y + at[1], w, h]);
            self.items.push(item);
        }
    }

    /// As SVG text.
    #[must_use]
    pub fn svg(&self) -> String {
        svg::write(self)
    }

    /// As the bytes of a PNG file with `scale` pixels for each unit.
    #[must_use]
    pub fn png(&self, scale: f64) -> Vec<u8> {
        let canvas = raster::draw(self, scale);
        png::encode(canvas.width, canvas.height, &canvas.rgb())
    }

    /// Drawings of one size as the bytes of an animated PNG, each shown for so many milliseconds. They are made one by one: only two are held.
    #[must_use]
    pub fn moving_png(
        drawings: impl Iterator<Item = Self>,
        scale: f64,
        milliseconds: u16,
    ) -> Vec<u8> {
        let mut drawings = drawings.peekable();
        let size = drawings.peek().map(|first| {
            let canvas = raster::draw(first, scale);
            (canvas.width, canvas.height)
        });
        let (width, height) = size.unwrap_or_default();
        let pictures = drawings.map(|drawing| raster::draw(&drawing, scale).rgb());
        png::encode_moving(width, height, pictures, milliseconds)
    }

    /// Writes the drawing to a file that ends in `.svg`, or in `.png` (2 pixels a unit).
    ///
    /// # Errors
    /// Another ending, or a file that cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), PlotError> {
        let path = path.as_ref();
        let ending = path
            .extension()
            .map(|e| e.to_string_lossy().to_ascii_lowercase());
        let bytes = match ending.as_deref() {
            Some("svg") => self.svg().into_bytes(),
            Some("png") => self.png(2.0),
            _ => return Err(PlotError::Ending(path.display().to_string())),
        };
        std::fs::write(path, bytes).map_err(|error| PlotError::Io {
            path: path.display().to_string(),
            error,
        })
    }
}

/// Contours of a text as it lies in the drawing.
pub(crate) fn text_outline(
    at: Point,
    size: f64,
    anchor: Anchor,
    upwards: bool,
    text: &str,
) -> Vec<Vec<Point>> {
    let shift = -anchor.before() * font::width(text, size);
    let place = |[x, y]: Point| {
        let x = x + shift;
        if upwards {
            [at[0] + y, at[1] - x]
        } else {
            [at[0] + x, at[1] + y]
        }
    };
    let contours = font::outline(text, size);
    contours
        .into_iter()
        .map(|c| c.into_iter().map(place).collect())
        .collect()
}
