//! How a plot is laid out and drawn: the theme.

use crate::axis::{Axis, Scale};
use crate::colour::{Colour, FAINT, GREY, INK, PAPER};
use crate::drawing::{Anchor, Drawing, Point, Stroke, Style};
use crate::font;
use crate::plot::{Mark, Plot, Series};

const TITLE: f64 = 15.0;
const LABEL: f64 = 13.0;
const TICK: f64 = 11.5;
const NOTE: f64 = 11.0;
const MARGIN: f64 = 14.0;

/// Where values lie on the sheet.
struct Frame<'a> {
    plot: &'a Plot,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame<'_> {
    /// `None` where an axis cannot show the value.
    fn point(&self, (x, y): (f64, f64)) -> Option<Point> {
        (self.plot.x.shows(x) && self.plot.y.shows(y)).then(|| {
            [
                self.across(self.plot.x.place(x)),
                self.up(self.plot.y.place(y)),
            ]
        })
    }

    fn across(&self, place: f64) -> f64 {
        self.left + self.width * (place - self.x.0) / (self.x.1 - self.x.0)
    }

    fn up(&self, place: f64) -> f64 {
        self.top + self.height * (1.0 - (place - self.y.0) / (self.y.1 - self.y.0))
    }
}

pub(crate) fn draw(plot: &Plot) -> Drawing {
    let (width, height) = plot.size;
    let mut drawing = Drawing::new(width, height, &plot.title);
    let (x, y) = extents(plot);
    let (x, y) = (plot.x.span(x.0, x.1), plot.y.span(y.0, y.1));

    let legend = legend_rows(plot, width - 2.0 * MARGIN);
    let mut notes = plot.notes.clone();
    if let Some(note) = left_out(plot) {
        notes.push(note);
    }
    let top = MARGIN
        + if plot.title.is_empty() {
            0.0
        } else {
            TITLE + 8.0
        }
        + 19.0 * legend.len() as f64;
    let names = if matches!(plot.x.scale, Scale::Names(_)) {
        name_lines(plot, width)
    } else {
        1
    };
    let bottom = 10.0
        + TICK * 1.25 * names as f64
        + if plot.x.label.is_empty() {
            4.0
        } else {
            LABEL + 10.0
        }
        + (NOTE + 4.0) * notes.len() as f64
        + 6.0;
    let tall = (height - top - bottom).max(30.0);
    let y_ticks = plot.y.ticks(y.0, y.1, (tall / 46.0) as usize);
    let widest = y_ticks
        .iter()
        .map(|t| font::width(&t.1, TICK))
        .fold(0.0, f64::max);
    let left = MARGIN
        + widest
        + 8.0
        + if plot.y.label.is_empty() {
            0.0
        } else {
            LABEL + 8.0
        };
    let mut frame = Frame {
        plot,
        left,
        top,
        width: (width - left - MARGIN - 6.0).max(30.0),
        height: tall,
        x,
        y,
    };
    if plot.equal {
        equalise(&mut frame);
    }
    // The equal scales may have widened the vertical range.
    let y_ticks = plot
        .y
        .ticks(frame.y.0, frame.y.1, (frame.height / 46.0) as usize);
    let x_ticks = plot
        .x
        .ticks(frame.x.0, frame.x.1, (frame.width / 76.0) as usize);

    grid(&mut drawing, &frame, &x_ticks, &y_ticks);
    drawing.window(Some(([frame.left, frame.top], [frame.width, frame.height])));
    for k in 0..plot.series.len() {
        series(&mut drawing, &frame, k);
    }
    drawing.window(None);
    let border = Style::from(Stroke::new(GREY, 1.0));
    drawing.rectangle([frame.left, frame.top], [frame.width, frame.height], border);
    axis_words(&mut drawing, &frame, &x_ticks, &y_ticks);
    let middle = frame.left + 0.5 * frame.width;
    if !plot.x.label.is_empty() {
        let at = frame.top + frame.height + 8.0 + TICK * 1.25 * names as f64 + LABEL + 2.0;
        drawing.text([middle, at], LABEL, Anchor::Middle, INK, &plot.x.label);
    }
    if !plot.y.label.is_empty() {
        let at = [MARGIN + LABEL - 3.0, frame.top + 0.5 * frame.height];
        drawing.text_upwards(at, LABEL, Anchor::Middle, INK, &plot.y.label);
    }
    drawing.text(
        [0.5 * width, MARGIN + TITLE - 2.0],
        TITLE,
        Anchor::Middle,
        INK,
        &plot.title,
    );
    draw_legend(&mut drawing, plot, &legend, width);
    let first = height - 8.0 - (NOTE + 4.0) * (notes.len().saturating_sub(1)) as f64;
    for (k, note) in notes.iter().enumerate() {
        drawing.text(
            [left, first + (NOTE + 4.0) * k as f64],
            NOTE,
            Anchor::Start,
            GREY,
            note,
        );
    }
    drawing
}

/// Smallest and largest values to be shown.
fn extents(plot: &Plot) -> ((f64, f64), (f64, f64)) {
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut xs, mut ys) = (none, none);
    let grow = |range: &mut (f64, f64), axis: &Axis, value: f64| {
        if axis.shows(value) {
            *range = (range.0.min(value), range.1.max(value));
        }
    };
    let mut take = |x: f64, y: f64| {
        if plot.x.shows(x) && plot.y.shows(y) {
            grow(&mut xs, &plot.x, x);
            grow(&mut ys, &plot.y, y);
        }
    };
    for s in &plot.series {
        match &s.mark {
            Mark::Line(points) | Mark::Points(points) | Mark::Region(points) => {
                points.iter().for_each(|&(x, y)| take(x, y))
            }
            Mark::ErrorBars(points) => points.iter().for_each(|&(x, y, e)| {
                take(x, y);
                take(x, y - e);
                take(x, y + e);
            }),
            Mark::Bars(points) => points.iter().for_each(|&(x, y)| {
                take(x, y);
                take(x, 0.0);
            }),
            Mark::Band(points) => points.iter().for_each(|&(x, a, b)| {
                take(x, a);
                take(x, b);
            }),
            Mark::Field(arrows) => arrows.iter().for_each(|a| take(a.at.0, a.at.1)),
            Mark::Image(image) => {
                take(image.x.0, image.y.0);
                take(image.x.1, image.y.1);
            }
            Mark::Key => {}
        }
    }
    (xs, ys)
}

/// How many values cannot be shown, in words.
fn left_out(plot: &Plot) -> Option<String> {
    let bad = |&(x, y): &(f64, f64)| !(plot.x.shows(x) && plot.y.shows(y));
    let count: usize = plot
        .series
        .iter()
        .map(|s| match &s.mark {
            Mark::Line(p) | Mark::Points(p) | Mark::Bars(p) | Mark::Region(p) => {
                p.iter().filter(|p| bad(p)).count()
            }
            Mark::ErrorBars(p) => p.iter().filter(|p| bad(&(p.0, p.1))).count(),
            Mark::Band(p) => p
                .iter()
                .filter(|p| bad(&(p.0, p.1)) || bad(&(p.0, p.2)))
                .count(),
            Mark::Field(a) => a
                .iter()
                .filter(|a| bad(&a.at) || !(a.vector.0 + a.vector.1).is_finite())
                .count(),
            Mark::Image(_) | Mark::Key => 0,
        })
        .sum();
    let log = plot.x.scale == Scale::Log || plot.y.scale == Scale::Log;
    let why = if log {
        "not finite, or not positive on a logarithmic axis"
    } else {
        "not finite"
    };
    (count > 0).then(|| {
        format!(
            "{count} value{} not shown: {why}",
            if count == 1 { "" } else { "s" }
        )
    })
}

/// Widens one range so that a unit is as long on both axes.
fn equalise(frame: &mut Frame<'_>) {
    let (per_x, per_y) = (
        (frame.x.1 - frame.x.0).abs() / frame.width,
        (frame.y.1 - frame.y.0).abs() / frame.height,
    );
    let widen = |range: (f64, f64), factor: f64| {
        let (middle, half) = (
            0.5 * (range.0 + range.1),
            0.5 * factor * (range.1 - range.0),
        );
        (middle - half, middle + half)
    };
    if per_x < per_y {
        frame.x = widen(frame.x, per_y / per_x);
    } else {
        frame.y = widen(frame.y, per_x / per_y);
    }
}

fn grid(drawing: &mut Drawing, frame: &Frame<'_>, x: &[(f64, String)], y: &[(f64, String)]) {
    let line = Stroke::new(FAINT, 1.0);
    let (right, bottom) = (frame.left + frame.width, frame.top + frame.height);
    if !matches!(frame.plot.x.scale, Scale::Names(_)) {
        for (place, _) in x.iter().filter(|t| !t.1.is_empty()) {
            let at = frame.across(*place);
            drawing.line([at, frame.top], [at, bottom], line);
        }
    }
    for (place, _) in y.iter().filter(|t| !t.1.is_empty()) {
        let at = frame.up(*place);
        drawing.line([frame.left, at], [right, at], line);
    }
}

fn axis_words(drawing: &mut Drawing, frame: &Frame<'_>, x: &[(f64, String)], y: &[(f64, String)]) {
    let tick = Stroke::new(GREY, 1.0);
    let bottom = frame.top + frame.height;
    let length = |words: &String| if words.is_empty() { 3.0 } else { 5.0 };
    for (place, words) in x {
        let at = frame.across(*place);
        drawing.line([at, bottom], [at, bottom + length(words)], tick);
        let room = frame.width / x.len().max(1) as f64;
        let lines = if matches!(frame.plot.x.scale, Scale::Names(_)) {
            wrap(words, room)
        } else {
            vec![words.clone()]
        };
        for (k, line) in lines.iter().enumerate() {
            let y = bottom + 8.0 + TICK * (0.8 + 1.2 * k as f64);
            drawing.text([at, y], TICK, Anchor::Middle, GREY, line);
        }
    }
    for (place, words) in y {
        let at = frame.up(*place);
        drawing.line([frame.left - length(words), at], [frame.left, at], tick);
        drawing.text(
            [frame.left - 8.0, at + 0.36 * TICK],
            TICK,
            Anchor::End,
            GREY,
            words,
        );
    }
}

/// Words of a name in lines that fit, as far as words can be parted.
fn wrap(words: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split_whitespace() {
        match lines.last_mut() {
            Some(line) if font::width(&format!("{line} {word}"), TICK) < room - 4.0 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn name_lines(plot: &Plot, width: f64) -> usize {
    let Scale::Names(names) = &plot.x.scale else {
        return 1;
    };
    let room = (width - 90.0) / names.len().max(1) as f64;
    names
        .iter()
        .map(|n| wrap(n, room).len())
        .max()
        .unwrap_or(1)
        .max(1)
}

fn series(drawing: &mut Drawing, frame: &Frame<'_>, k: usize) {
    let s = &frame.plot.series[k];
    let stroke = Stroke::new(s.colour, s.width).dashed(s.dash);
    match &s.mark {
        Mark::Line(points) => {
            for run in points.split(|p| frame.point(*p).is_none()) {
                let run: Vec<Point> = run.iter().filter_map(|p| frame.point(*p)).collect();
                match run.as_slice() {
                    [] => {}
                    [alone] => drawing.circle(*alone, s.width, s.colour),
                    _ => drawing.polyline(&run, stroke),
                }
            }
        }
        Mark::Points(points) => {
            for at in points.iter().filter_map(|p| frame.point(*p)) {
                marker(drawing, s.marker, at, s.colour);
            }
        }
        Mark::ErrorBars(points) => {
            for &(x, y, e) in points {
                let Some(at) = frame.point((x, y)) else {
                    continue;
                };
                let low = frame
                    .point((x, y - e))
                    .map_or(frame.top + frame.height, |p| p[1]);
                let high = frame.point((x, y + e)).map_or(at[1], |p| p[1]);
                let line = Stroke::new(s.colour, 1.2);
                drawing.line([at[0], low], [at[0], high], line);
                for end in [low, high] {
                    drawing.line([at[0] - 4.0, end], [at[0] + 4.0, end], line);
                }
                marker(drawing, s.marker, at, s.colour);
            }
        }
        Mark::Bars(bars) => draw_bars(drawing, frame, k, bars),
        Mark::Band(points) => {
            let shown: Vec<(Point, Point)> = points
                .iter()
                .filter_map(|&(x, a, b)| Some((frame.point((x, a))?, frame.point((x, b))?)))
                .collect();
            let upper = shown.iter().rev().map(|p| p.1);
            let outline: Vec<Point> = shown.iter().map(|p| p.0).chain(upper).collect();
            drawing.polygon(&outline, s.colour.with_opacity(0.2));
        }
        Mark::Region(corners) => {
            let corners: Vec<Point> = corners.iter().filter_map(|p| frame.point(*p)).collect();
            let style = Style {
                fill: Some(s.colour.with_opacity(0.18)),
                stroke: Some(stroke),
            };
            drawing.polygon(&corners, style);
        }
        Mark::Field(_) => draw_field(drawing, frame, s),
        Mark::Image(image) => {
            let (Some(a), Some(b)) = (
                frame.point((image.x.0, image.y.0)),
                frame.point((image.x.1, image.y.1)),
            ) else {
                return;
            };
            // Rows are given from the bottom, drawn from the top.
            let rows: Vec<&[Colour]> = image.cells.chunks_exact(image.columns.max(1)).collect();
            let cells = rows.into_iter().rev().flatten().copied().collect();
            drawing.cells(
                [a[0], b[1]],
                [b[0] - a[0], a[1] - b[1]],
                image.columns,
                cells,
            );
        }
        Mark::Key => {}
    }
}

fn draw_bars(drawing: &mut Drawing, frame: &Frame<'_>, k: usize, bars: &[(f64, f64)]) {
    let s = &frame.plot.series[k];
    let is_bars = |s: &&Series| matches!(s.mark, Mark::Bars(_));
    let sets = frame.plot.series.iter().filter(is_bars).count();
    let set = frame.plot.series[..k].iter().filter(is_bars).count();
    // The room of one x is the smallest distance of two.
    let mut xs: Vec<f64> = bars
        .iter()
        .map(|b| b.0)
        .filter(|x| frame.plot.x.shows(*x))
        .map(|x| frame.plot.x.place(x))
        .collect();
    xs.sort_by(f64::total_cmp);
    let nearest = xs
        .windows(2)
        .map(|w| w[1] - w[0])
        .filter(|d| *d > 0.0)
        .fold(f64::INFINITY, f64::min);
    let room = if nearest.is_finite() {
        nearest
    } else {
        1.0f64.min(frame.x.1 - frame.x.0)
    };
    let wide = (0.8 * room / (frame.x.1 - frame.x.0) * frame.width / sets as f64).clamp(1.0, 80.0);
    let zero = if frame.plot.y.shows(0.0) {
        frame.up(0.0)
    } else {
        frame.top + frame.height
    };
    for &bar in bars {
        if let Some([x, y]) = frame.point(bar) {
            let left = x + wide * (set as f64 - 0.5 * sets as f64);
            drawing.rectangle(
                [left, y.min(zero)],
                [0.94 * wide, (zero - y).abs()],
                s.colour,
            );
        }
    }
}

fn draw_field(drawing: &mut Drawing, frame: &Frame<'_>, s: &Series) {
    let all = frame.plot.series.iter().filter_map(|s| match &s.mark {
        Mark::Field(arrows) => Some(arrows),
        _ => None,
    });
    let all: Vec<_> = all.flatten().collect();
    let length = |v: (f64, f64)| libm::hypot(v.0, v.1);
    let longest = all
        .iter()
        .map(|a| length(a.vector))
        .filter(|l| l.is_finite())
        .fold(0.0, f64::max);
    if longest == 0.0 {
        return;
    }
    // As long as the arrows would be apart if they were spread evenly.
    let apart = libm::sqrt(frame.width * frame.height / all.len().max(1) as f64).clamp(8.0, 60.0);
    let Mark::Field(arrows) = &s.mark else { return };
    for arrow in arrows {
        let scale = apart / longest;
        let (Some(at), true) = (frame.point(arrow.at), length(arrow.vector).is_finite()) else {
            continue;
        };
        let tip = [
            at[0] + scale * arrow.vector.0,
            at[1] - scale * arrow.vector.1,
        ];
        drawing.arrow(at, tip, Stroke::new(s.colour, 1.3));
    }
}

/// One of six markers, so that series differ by more than colour.
fn marker(drawing: &mut Drawing, which: usize, [x, y]: Point, colour: Colour) {
    let r = 3.6;
    let corners = |points: &[Point]| -> Vec<Point> {
        points
            .iter()
            .map(|p| [x + r * p[0], y + r * p[1]])
            .collect()
    };
    match which % 6 {
        0 => drawing.circle([x, y], r, colour),
        1 => drawing.polygon(
            &corners(&[[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]]),
            colour,
        ),
        2 => drawing.polygon(&corners(&[[0.0, -1.2], [1.1, 0.8], [-1.1, 0.8]]), colour),
        3 => drawing.polygon(
            &corners(&[[0.0, -1.3], [1.1, 0.0], [0.0, 1.3], [-1.1, 0.0]]),
            colour,
        ),
        4 => drawing.circle(
            [x, y],
            r,
            Style {
                fill: Some(PAPER),
                stroke: Some(Stroke::new(colour, 1.6)),
            },
        ),
        _ => drawing.polygon(&corners(&[[0.0, 1.2], [1.1, -0.8], [-1.1, -0.8]]), colour),
    }
}

/// The entries of the legend in rows that fit.
fn legend_rows(plot: &Plot, room: f64) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    let mut used = room + 1.0;
    for (k, s) in plot
        .series
        .iter()
        .enumerate()
        .filter(|(_, s)| !s.label.is_empty())
    {
        let needed = entry_width(s);
        if used + needed > room {
            rows.push(Vec::new());
            used = 0.0;
        }
        used += needed;
        if let Some(row) = rows.last_mut() {
            row.push(k);
        }
    }
    rows
}

fn entry_width(s: &Series) -> f64 {
    30.0 + font::width(&s.label, TICK) + 16.0
}

fn draw_legend(drawing: &mut Drawing, plot: &Plot, rows: &[Vec<usize>], width: f64) {
    let mut y = MARGIN
        + if plot.title.is_empty() {
            0.0
        } else {
            TITLE + 6.0
        }
        + 8.0;
    for row in rows {
        let total: f64 = row
            .iter()
            .map(|&k| entry_width(&plot.series[k]))
            .sum::<f64>()
            - 16.0;
        let mut x = 0.5 * (width - total);
        for s in row.iter().map(|&k| &plot.series[k]) {
            let stroke = Stroke::new(s.colour, s.width.max(1.6)).dashed(s.dash);
            match &s.mark {
                Mark::Line(_) => drawing.line([x, y], [x + 24.0, y], stroke),
                Mark::Points(_) | Mark::ErrorBars(_) => {
                    marker(drawing, s.marker, [x + 12.0, y], s.colour)
                }
                Mark::Field(_) => drawing.arrow([x, y], [x + 24.0, y], Stroke::new(s.colour, 1.6)),
                Mark::Band(_) => {
                    drawing.rectangle([x, y - 5.0], [24.0, 10.0], s.colour.with_opacity(0.2))
                }
                Mark::Region(_) => {
                    let style = Style {
                        fill: Some(s.colour.with_opacity(0.18)),
                        stroke: Some(stroke),
                    };
                    drawing.rectangle([x, y - 5.0], [24.0, 10.0], style);
                }
                Mark::Bars(_) | Mark::Image(_) | Mark::Key => {
                    drawing.rectangle([x + 6.0, y - 5.0], [12.0, 10.0], s.colour)
                }
            }
            drawing.text(
                [x + 30.0, y + 0.36 * TICK],
                TICK,
                Anchor::Start,
                INK,
                &s.label,
            );
            x += entry_width(s);
        }
        y += 19.0;
    }
}

#[cfg(test)]
mod tests {
    use crate::{Arrow, Axis, Colour, Image, Plot};

    #[test]
    fn what_cannot_be_shown_is_counted() {
        let points = [(1.0, 1.0), (2.0, f64::NAN), (3.0, 0.0), (4.0, 1e-3)];
        let svg = Plot::new("p")
            .y(Axis::log("e", "m"))
            .line("a", &points)
            .drawing()
            .svg();
        assert!(
            svg.contains("2 values not shown: not finite, or not positive"),
            "{svg}"
        );
        let svg = Plot::new("p").line("a", &points).drawing().svg();
        assert!(svg.contains("1 value not shown: not finite"), "{svg}");
    }

    #[test]
    fn every_mark_is_drawn_and_drawn_the_same() {
        let plot = || {
            Plot::new("all marks")
                .x(Axis::linear("x", "m"))
                .y(Axis::linear("y", "m"))
                .image(Image {
                    x: (0.0, 1.0),
                    y: (0.0, 1.0),
                    columns: 2,
                    cells: vec![
                        Colour::rgb(0xff0000),
                        Colour::rgb(0xffffff),
                        Colour::rgb(0),
                        Colour::rgb(0x00ff00),
                    ],
                })
                .line("line", &[(0.0, 0.0), (1.0, 2.0)])
                .points("points", &[(0.5, 0.5)])
                .error_bars("bars of error", &[(0.2, 0.4, 0.1)])
                .bars("bars", &[(0.0, 1.0), (1.0, 2.0)])
                .band("band", &[(0.0, 0.1, 0.2), (1.0, 0.3, 0.9)])
                .field(
                    "field",
                    &[Arrow {
                        at: (0.1, 0.1),
                        vector: (3.0, 4.0),
                    }],
                )
                .region("region", &[(0.0, 0.0), (0.5, 0.0), (0.0, 0.5)])
                .key("red", Colour::rgb(0xff0000))
                .equal()
                .drawing()
        };
        let svg = plot().svg();
        for label in [
            "line",
            "points",
            "bars of error",
            "bars",
            "band",
            "field",
            "region",
            "red",
        ] {
            assert!(svg.contains(&format!(">{label}</text>")), "{label}");
        }
        assert_eq!(svg, plot().svg());
        assert_eq!(plot().png(1.0), plot().png(1.0));
    }

    #[test]
    fn empty_plots_are_pictures_too() {
        for plot in [
            Plot::new(""),
            Plot::new("x").line("a", &[]).bars("b", &[]).field("c", &[]),
        ] {
            assert!(
                plot.x(Axis::log("", ""))
                    .drawing()
                    .svg()
                    .ends_with("</svg>\n")
            );
        }
    }
}
