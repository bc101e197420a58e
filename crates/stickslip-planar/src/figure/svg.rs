//! A few shapes of SVG, written in the order they are drawn.

use crate::report::short;
use std::fmt::Write;

/// A drawing under construction. The y axis points down, as in SVG.
pub(crate) struct Svg {
    body: String,
    width: f64,
    height: f64,
    open_groups: usize,
}

type Point = [f64; 2];

impl Svg {
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Self {
            body: String::new(),
            width,
            height,
            open_groups: 0,
        }
    }

    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "{element}");
    }

    /// Moves everything drawn from here on.
    pub(crate) fn shift(&mut self, x: f64, y: f64) {
        self.push(format_args!("<g transform=\"translate({x:.2} {y:.2})\">"));
        self.open_groups += 1;
    }

    pub(crate) fn line(&mut self, a: Point, b: Point, style: &str) {
        self.push(format_args!(
            "<line x1=\"{:.2}\" y1=\"{:.2}\" x2=\"{:.2}\" y2=\"{:.2}\" {style}/>",
            a[0], a[1], b[0], b[1]
        ));
    }

    pub(crate) fn polygon(&mut self, points: &[Point], style: &str) {
        let mut list = String::new();
        for p in points {
            let _ = write!(list, "{:.2},{:.2} ", p[0], p[1]);
        }
        self.push(format_args!(
            "<polygon points=\"{}\" {style}/>",
            list.trim_end()
        ));
    }

    pub(crate) fn path(&mut self, d: &str, style: &str) {
        self.push(format_args!("<path d=\"{d}\" {style}/>"));
    }

    pub(crate) fn circle(&mut self, c: Point, radius: f64, style: &str) {
        self.push(format_args!(
            "<circle cx=\"{:.2}\" cy=\"{:.2}\" r=\"{radius:.2}\" {style}/>",
            c[0], c[1]
        ));
    }

    pub(crate) fn rect(&mut self, corner: Point, width: f64, height: f64, style: &str) {
        self.push(format_args!(
            "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" {style}/>",
            corner[0], corner[1]
        ));
    }

    /// Text in `size` units; `anchor` is start, middle or end.
    pub(crate) fn text(&mut self, at: Point, size: f64, anchor: &str, colour: &str, text: &str) {
        self.push(format_args!(
            "<text x=\"{:.2}\" y=\"{:.2}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{}</text>",
            at[0],
            at[1],
            escape(text)
        ));
    }

    /// Round numbers along an axis from `origin` to the right, `length` units for the range.
    pub(crate) fn ticks_below(&mut self, origin: Point, length: f64, range: [f64; 2]) {
        for (value, word) in ticks(range) {
            let x = origin[0] + length * (value - range[0]) / (range[1] - range[0]);
            let style = "stroke=\"black\" stroke-width=\"1\"";
            self.line([x, origin[1]], [x, origin[1] + 5.0], style);
            self.text([x, origin[1] + 18.0], 12.0, "middle", "black", &word);
        }
    }

    /// Round numbers along an axis from `origin` upwards.
    pub(crate) fn ticks_left(&mut self, origin: Point, length: f64, range: [f64; 2]) {
        for (value, word) in ticks(range) {
            let y = origin[1] - length * (value - range[0]) / (range[1] - range[0]);
            let style = "stroke=\"black\" stroke-width=\"1\"";
            self.line([origin[0] - 5.0, y], [origin[0], y], style);
            self.text([origin[0] - 8.0, y + 4.0], 12.0, "end", "black", &word);
        }
    }

    /// A line with a head at `b`.
    pub(crate) fn arrow(&mut self, a: Point, b: Point, width: f64, colour: &str) {
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let length = libm::hypot(dx, dy);
        if length < 1e-6 {
            return;
        }
        let (ux, uy) = (dx / length, dy / length);
        let head = (4.0 * width).min(0.6 * length);
        let base = [b[0] - ux * head, b[1] - uy * head];
        let style = format!("stroke=\"{colour}\" stroke-width=\"{width}\" fill=\"none\"");
        self.line(a, base, &style);
        let half = 0.4 * head;
        self.polygon(
            &[
                b,
                [base[0] - uy * half, base[1] + ux * half],
                [base[0] + uy * half, base[1] - ux * half],
            ],
            &format!("fill=\"{colour}\""),
        );
    }

    /// An arc of about 250 degrees with a head, turning anticlockwise to the eye where `turn` is positive.
    pub(crate) fn turn(&mut self, c: Point, radius: f64, turn: f64, colour: &str) {
        let side = if turn > 0.0 { 1.0 } else { -1.0 };
        let at = |degrees: f64| {
            let angle = degrees.to_radians();
            [
                c[0] + side * radius * libm::cos(angle),
                c[1] - radius * libm::sin(angle),
            ]
        };
        let (a, b) = (at(-20.0), at(230.0));
        let sweep = if turn > 0.0 { 0 } else { 1 };
        let style = format!("stroke=\"{colour}\" stroke-width=\"2\" fill=\"none\"");
        self.path(
            &format!(
                "M {:.2} {:.2} A {radius:.2} {radius:.2} 0 1 {sweep} {:.2} {:.2}",
                a[0], a[1], b[0], b[1]
            ),
            &style,
        );
        let before = at(215.0);
        let (ux, uy) = (b[0] - before[0], b[1] - before[1]);
        let tip = [b[0] + 0.9 * ux, b[1] + 0.9 * uy];
        self.arrow(before, tip, 2.0, colour);
    }

    pub(crate) fn finish(mut self) -> String {
        for _ in 0..self.open_groups {
            self.body.push_str("</g>\n");
        }
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"sans-serif\">\n<rect width=\"{w}\" height=\"{h}\" fill=\"white\"/>\n{body}</svg>\n",
            w = self.width,
            h = self.height,
            body = self.body
        )
    }
}

/// Four to eight round numbers in a range: multiples of 1, 2 or 5 times a power of ten, as words.
fn ticks([lo, hi]: [f64; 2]) -> Vec<(f64, String)> {
    let rough = (hi - lo) / 8.0;
    let power = libm::exp10(libm::floor(libm::log10(rough)));
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|s| s * power)
        .find(|&s| s >= rough * (1.0 - 1e-9))
        .unwrap_or(10.0 * power);
    let slack = 1e-9;
    let first = libm::ceil(lo / step - slack) as i64;
    let last = libm::floor(hi / step + slack) as i64;
    (first..=last)
        .map(|k| (k as f64 * step, short(k as f64 * step)))
        .collect()
}

fn escape(text: &str) -> String {
    text.chars()
        // Control characters are not allowed in XML.
        .filter(|c| !c.is_control())
        .map(|c| match c {
            '&' => "&amp;".to_owned(),
            '<' => "&lt;".to_owned(),
            '>' => "&gt;".to_owned(),
            '"' => "&quot;".to_owned(),
            c => c.to_string(),
        })
        .collect()
}
