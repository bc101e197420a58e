//! A drawing as pixels: polygons filled by the nonzero rule, with the part of each pixel they cover.

use crate::colour::Colour;
use crate::drawing::{Drawing, Item, Point, Shape, Stroke, text_outline};
use std::f64::consts::TAU;

/// Lines on which the coverage of a row of pixels is measured; along a line it is exact.
const LINES: usize = 8;
/// No picture is larger than this along a side, in pixels.
const LARGEST: f64 = 16384.0;

pub(crate) struct Canvas {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pixels: Vec<[f32; 3]>,
}

impl Canvas {
    pub(crate) fn rgb(&self) -> Vec<u8> {
        self.pixels
            .iter()
            .flatten()
            .map(|v| v.round().clamp(0.0, 255.0) as u8)
            .collect()
    }
}

pub(crate) fn draw(drawing: &Drawing, scale: f64) -> Canvas {
    let pixels = |length: f64| (length * scale).round().clamp(1.0, LARGEST) as usize;
    let (width, height) = (pixels(drawing.width), pixels(drawing.height));
    let mut canvas = Canvas {
        width,
        height,
        pixels: vec![[255.0; 3]; width * height],
    };
    for item in &drawing.items {
        draw_item(&mut canvas, item, scale);
    }
    canvas
}

fn draw_item(canvas: &mut Canvas, item: &Item, scale: f64) {
    let all = [0.0, 0.0, canvas.width as f64, canvas.height as f64];
    let window = item.window.map_or(all, |[x, y, w, h]| {
        [
            x.max(0.0) * scale,
            y.max(0.0) * scale,
            (x + w) * scale,
            (y + h) * scale,
        ]
    });
    let window = [
        window[0],
        window[1],
        window[2].min(all[2]),
        window[3].min(all[3]),
    ];
    let scaled = |points: &[Point]| -> Vec<Point> {
        points
            .iter()
            .map(|p| [p[0] * scale, p[1] * scale])
            .collect()
    };
    let (contours, closed) = match &item.shape {
        Shape::Polygon(points) => (vec![scaled(points)], true),
        Shape::Polyline(points) => (vec![scaled(points)], false),
        Shape::Circle(c, r) => (vec![disc([c[0] * scale, c[1] * scale], r * scale)], true),
        Shape::Text {
            at,
            size,
            anchor,
            upwards,
            text,
        } => {
            let contours = text_outline(*at, *size, *anchor, *upwards, text);
            (contours.iter().map(|c| scaled(c)).collect(), true)
        }
        Shape::Cells {
            corner,
            size,
            columns,
            cells,
        } => {
            return draw_cells(
                canvas,
                [*corner, *size].map(|p| [p[0] * scale, p[1] * scale]),
                *columns,
                cells,
                window,
            );
        }
    };
    if let Some(fill) = item.style.fill {
        fill_contours(canvas, &contours, fill, window);
    }
    if let Some(stroke) = item.style.stroke {
        let pieces = contours
            .iter()
            .flat_map(|c| outline(c, closed, &stroke, scale))
            .collect::<Vec<_>>();
        fill_contours(canvas, &pieces, stroke.colour, window);
    }
}

fn draw_cells(
    canvas: &mut Canvas,
    [corner, size]: [Point; 2],
    columns: usize,
    cells: &[Colour],
    window: [f64; 4],
) {
    let rows = cells.len() / columns;
    let inside = |v: f64, low: f64, high: f64| v.max(low).min(high).round().max(0.0) as usize;
    let (x0, x1) = (
        inside(corner[0], window[0], window[2]),
        inside(corner[0] + size[0], window[0], window[2]),
    );
    let (y0, y1) = (
        inside(corner[1], window[1], window[3]),
        inside(corner[1] + size[1], window[1], window[3]),
    );
    for y in y0..y1 {
        let row = ((y as f64 + 0.5 - corner[1]) / size[1] * rows as f64)
            .clamp(0.0, rows as f64 - 1.0) as usize;
        for x in x0..x1 {
            let column = (x as f64 + 0.5 - corner[0]) / size[0] * columns as f64;
            let column = column.clamp(0.0, columns as f64 - 1.0) as usize;
            blend(
                &mut canvas.pixels[y * canvas.width + x],
                cells[row * columns + column],
                1.0,
            );
        }
    }
}

fn blend(pixel: &mut [f32; 3], colour: Colour, coverage: f32) {
    let part = coverage * f32::from(colour.a) / 255.0;
    for (value, paint) in pixel.iter_mut().zip([colour.r, colour.g, colour.b]) {
        *value += part * (f32::from(paint) - *value);
    }
}

struct Edge {
    top: Point,
    bottom: Point,
    winding: i32,
}

/// Fills what the contours wind about, as far as it lies in the window.
fn fill_contours(canvas: &mut Canvas, contours: &[Vec<Point>], colour: Colour, window: [f64; 4]) {
    let mut edges: Vec<Edge> = Vec::new();
    for contour in contours {
        for (k, &a) in contour.iter().enumerate() {
            let b = contour[(k + 1) % contour.len()];
            if !a.iter().chain(&b).all(|v| v.is_finite()) || a[1] == b[1] {
                continue;
            }
            edges.push(if a[1] < b[1] {
                Edge {
                    top: a,
                    bottom: b,
                    winding: 1,
                }
            } else {
                Edge {
                    top: b,
                    bottom: a,
                    winding: -1,
                }
            });
        }
    }
    edges.sort_by(|a, b| a.top[1].total_cmp(&b.top[1]));
    let (Some(first), true) = (
        edges.first(),
        window[2] > window[0] && window[3] > window[1],
    ) else {
        return;
    };
    let lowest = edges.iter().map(|e| e.bottom[1]).fold(f64::MIN, f64::max);
    let from = first.top[1].max(window[1]).floor().max(0.0) as usize;
    let to = (lowest.min(window[3]).ceil().max(0.0) as usize).min(canvas.height);
    let mut row = vec![0.0f32; canvas.width + 1];
    let mut active: Vec<usize> = Vec::new();
    let mut next = 0;
    let mut crossings: Vec<(f64, i32)> = Vec::new();
    for y in from..to {
        row.fill(0.0);
        let mut touched = false;
        for line in 0..LINES {
            let at = y as f64 + (line as f64 + 0.5) / LINES as f64;
            if at < window[1] || at > window[3] {
                continue;
            }
            while next < edges.len() && edges[next].top[1] <= at {
                active.push(next);
                next += 1;
            }
            active.retain(|&e| edges[e].bottom[1] > at);
            crossings.clear();
            for e in active.iter().map(|&e| &edges[e]) {
                let part = (at - e.top[1]) / (e.bottom[1] - e.top[1]);
                crossings.push((e.top[0] + part * (e.bottom[0] - e.top[0]), e.winding));
            }
            crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut winding = 0;
            for pair in crossings.windows(2) {
                winding += pair[0].1;
                if winding != 0 {
                    let (a, b) = (pair[0].0.max(window[0]), pair[1].0.min(window[2]));
                    touched |= cover(&mut row, a, b);
                }
            }
        }
        if touched {
            for x in 0..canvas.width {
                if row[x] > 0.0 {
                    blend(
                        &mut canvas.pixels[y * canvas.width + x],
                        colour,
                        row[x].min(1.0),
                    );
                }
            }
        }
    }
}

/// Adds the part of one line from a to b to the coverage of a row of pixels.
fn cover(row: &mut [f32], a: f64, b: f64) -> bool {
    if b <= a {
        return false;
    }
    let share = 1.0 / LINES as f32;
    let last = row.len() - 1;
    let (first, end) = (a as usize, (b as usize).min(last));
    if first == end {
        row[first] += (b - a) as f32 * share;
        return true;
    }
    row[first] += (1.0 - a.fract()) as f32 * share;
    for cell in &mut row[first + 1..end] {
        *cell += share;
    }
    row[end] += b.fract() as f32 * share;
    true
}

/// A line as polygons that all turn the same way: one for each piece, and a disc at each bend.
fn outline(points: &[Point], closed: bool, stroke: &Stroke, scale: f64) -> Vec<Vec<Point>> {
    let half = 0.5 * (stroke.width * scale).max(0.3);
    let mut path = points.to_vec();
    if closed {
        path.extend(points.first());
    }
    path.dedup();
    let runs = if stroke.dash.pattern().is_empty() {
        vec![path]
    } else {
        let pattern: Vec<f64> = stroke
            .dash
            .pattern()
            .iter()
            .map(|p| p * stroke.width * scale)
            .collect();
        dashes(&path, &pattern)
    };
    let mut pieces = Vec::new();
    for run in &runs {
        for pair in run.windows(2) {
            let (dx, dy) = (pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]);
            let length = libm::hypot(dx, dy);
            if length > 0.0 && length.is_finite() {
                let (nx, ny) = (-dy / length * half, dx / length * half);
                let [a, b] = [pair[0], pair[1]];
                let corners = [
                    [a[0] - nx, a[1] - ny],
                    [b[0] - nx, b[1] - ny],
                    [b[0] + nx, b[1] + ny],
                    [a[0] + nx, a[1] + ny],
                ];
                pieces.push(corners.to_vec());
            }
        }
        if half > 0.6 {
            let inner = if run.len() > 2 {
                &run[1..run.len() - 1]
            } else {
                &[]
            };
            pieces.extend(inner.iter().map(|&p| disc(p, half)));
            if closed && run.len() > 2 {
                pieces.push(disc(run[0], half));
            }
        }
    }
    pieces
}

/// The pieces of a path that a pattern of lengths leaves.
fn dashes(path: &[Point], pattern: &[f64]) -> Vec<Vec<Point>> {
    let mut runs = Vec::new();
    let (mut k, mut left) = (0, pattern[0]);
    let mut run: Vec<Point> = path.first().copied().into_iter().collect();
    for pair in path.windows(2) {
        let length = libm::hypot(pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]);
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let part = done / length;
            let at = [0, 1].map(|i| pair[0][i] + part * (pair[1][i] - pair[0][i]));
            if k % 2 == 0 {
                run.push(at);
                runs.push(std::mem::take(&mut run));
            } else {
                run = vec![at];
            }
            k = (k + 1) % pattern.len();
            left = pattern[k].max(1e-3);
        }
        left -= length - done;
        if k % 2 == 0 {
            run.push(pair[1]);
        }
    }
    if k % 2 == 0 && run.len() > 1 {
        runs.push(run);
    }
    runs
}

fn disc(centre: Point, radius: f64) -> Vec<Point> {
    let corners = (8.0 + 3.0 * libm::sqrt(radius.clamp(0.0, 1e4))) as usize;
    let at = |k: usize| {
        let angle = TAU * k as f64 / corners as f64;
        [
            centre[0] + radius * libm::cos(angle),
            centre[1] + radius * libm::sin(angle),
        ]
    };
    (0..corners).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::INK;

    fn darkness(drawing: &Drawing, scale: f64) -> f64 {
        let canvas = draw(drawing, scale);
        canvas
            .pixels
            .iter()
            .map(|p| f64::from(255.0 - p[0]) / 255.0)
            .sum::<f64>()
            / (scale * scale)
    }

    #[test]
    fn areas_come_out() {
        let black = Colour::rgb(0);
        let mut drawing = Drawing::new(40.0, 40.0, "");
        drawing.polygon(&[[3.3, 3.0], [21.3, 3.0], [3.3, 23.0]], black);
        assert!(
            (darkness(&drawing, 1.0) - 180.0).abs() < 0.5,
            "{}",
            darkness(&drawing, 1.0)
        );
        let mut drawing = Drawing::new(40.0, 40.0, "");
        drawing.circle([20.0, 20.0], 10.0, black.with_opacity(0.5));
        let expected = 0.5 * std::f64::consts::PI * 100.0;
        assert!(
            (darkness(&drawing, 2.0) - expected).abs() < 5.0,
            "{}",
            darkness(&drawing, 2.0)
        );
    }

    #[test]
    fn lines_have_their_width_and_their_dashes() {
        let stroke = Stroke::new(Colour::rgb(0), 2.0);
        let mut drawing = Drawing::new(100.0, 20.0, "");
        drawing.line([10.0, 9.0], [75.0, 9.0], stroke);
        assert!((darkness(&drawing, 1.0) - 130.0).abs() < 0.1);
        let mut drawing = Drawing::new(100.0, 20.0, "");
        // Five times a piece of 8 and a gap of 5.
        drawing.line([10.0, 9.0], [75.0, 9.0], stroke.dashed(crate::Dash::Dashed));
        assert!(
            (darkness(&drawing, 1.0) - 80.0).abs() < 0.1,
            "{}",
            darkness(&drawing, 1.0)
        );
    }

    #[test]
    fn what_leaves_the_window_or_is_not_finite_is_not_drawn() {
        let mut drawing = Drawing::new(20.0, 20.0, "");
        drawing.window(Some(([5.0, 5.0], [10.0, 10.0])));
        drawing.rectangle([-100.0, -100.0], [400.0, 400.0], Colour::rgb(0));
        drawing.polygon(&[[f64::NAN, 0.0], [1.0, f64::INFINITY], [3.0, 3.0]], INK);
        assert!((darkness(&drawing, 1.0) - 100.0).abs() < 1e-3);
    }
}
