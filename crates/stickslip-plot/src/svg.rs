//! A drawing as SVG text.

use crate::colour::Colour;
use crate::drawing::{Anchor, Drawing, Item, Point, Shape, Style};
use crate::png;
use std::fmt::Write;

pub(crate) fn write(drawing: &Drawing) -> String {
    let (w, h) = (number(drawing.width), number(drawing.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
         font-family=\"DejaVu Sans Condensed, Helvetica, Arial, sans-serif\" role=\"img\">\n<title>{}</title>\n",
        escape(&drawing.title)
    );
    let mut window = None;
    for item in &drawing.items {
        if item.window != window {
            if window.is_some() {
                out.push_str("</svg>\n");
            }
            // A nested picture hides what leaves it, and needs no name that could be taken twice.
            if let Some(place) = item.window {
                let [x, y, w, h] = place.map(number);
                let _ = writeln!(
                    out,
                    "<svg x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" viewBox=\"{x} {y} {w} {h}\">"
                );
            }
            window = item.window;
        }
        element(&mut out, item);
    }
    if window.is_some() {
        out.push_str("</svg>\n");
    }
    out.push_str("</svg>\n");
    out
}

fn element(out: &mut String, item: &Item) {
    let style = attributes(&item.style);
    // Writing to a string cannot fail.
    let _ = match &item.shape {
        Shape::Polygon(points) => writeln!(out, "<polygon points=\"{}\"{style}/>", list(points)),
        Shape::Polyline(points) => writeln!(out, "<polyline points=\"{}\"{style}/>", list(points)),
        Shape::Circle([x, y], r) => {
            let [x, y, r] = [*x, *y, *r].map(number);
            writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"{style}/>")
        }
        Shape::Text {
            at: [x, y],
            size,
            anchor,
            upwards,
            text,
        } => {
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            let [x, y, size] = [*x, *y, *size].map(number);
            let turn = if *upwards {
                format!(" transform=\"rotate(-90 {x} {y})\"")
            } else {
                String::new()
            };
            let text = escape(text);
            writeln!(
                out,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{anchor}{turn}{style}>{text}</text>"
            )
        }
        Shape::Cells {
            corner: [x, y],
            size: [w, h],
            columns,
            cells,
        } => {
            let rgb: Vec<u8> = cells.iter().flat_map(|c| [c.r, c.g, c.b]).collect();
            let rows = cells.len() / columns;
            let data = base64(&png::encode(*columns, rows, &rgb[..3 * columns * rows]));
            let [x, y, w, h] = [*x, *y, *w, *h].map(number);
            writeln!(
                out,
                "<image x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" preserveAspectRatio=\"none\" \
                 style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{data}\"/>"
            )
        }
    };
}

fn attributes(style: &Style) -> String {
    let mut out = String::new();
    let opacity = |out: &mut String, name: &str, colour: Colour| {
        if colour.a < 255 {
            let _ = write!(
                out,
                " {name}-opacity=\"{}\"",
                number(f64::from(colour.a) / 255.0)
            );
        }
    };
    match style.fill {
        Some(fill) => {
            let _ = write!(out, " fill=\"{}\"", fill.hex());
            opacity(&mut out, "fill", fill);
        }
        None => out.push_str(" fill=\"none\""),
    }
    if let Some(stroke) = style.stroke {
        let _ = write!(
            out,
            " stroke=\"{}\" stroke-width=\"{}\"",
            stroke.colour.hex(),
            number(stroke.width)
        );
        opacity(&mut out, "stroke", stroke.colour);
        if stroke.width > 1.2 {
            out.push_str(" stroke-linejoin=\"round\"");
        }
        let pattern = stroke.dash.pattern();
        if !pattern.is_empty() {
            let lengths: Vec<String> = pattern.iter().map(|p| number(p * stroke.width)).collect();
            let _ = write!(out, " stroke-dasharray=\"{}\"", lengths.join(" "));
        }
    }
    out
}

fn list(points: &[Point]) -> String {
    let words: Vec<String> = points
        .iter()
        .map(|p| format!("{},{}", number(p[0]), number(p[1])))
        .collect();
    words.join(" ")
}

/// At most two decimals, none that say nothing.
fn number(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".into()
    } else {
        text.into()
    }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Control characters are not allowed in XML.
    for c in text.chars().filter(|c| !c.is_control()) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// RFC 4648, with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word = group
            .iter()
            .fold(0u32, |word, b| (word << 8) | u32::from(*b))
            << (8 * (3 - group.len()));
        for k in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * k)) as usize & 63];
            out.push(if k <= group.len() {
                char::from(digit)
            } else {
                '='
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::INK;

    #[test]
    fn texts_are_data() {
        let mut drawing = Drawing::new(10.0, 10.0, "a < b");
        drawing.text([1.0, 2.0], 3.0, Anchor::Start, INK, "</text>\"&\u{7}");
        let svg = drawing.svg();
        assert!(svg.contains("<title>a &lt; b</title>"));
        assert!(svg.contains(">&lt;/text&gt;&quot;&amp;</text>"), "{svg}");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [1.0, 0.5, -0.001, 12.345].map(number),
            ["1", "0.5", "0", "12.35"].map(String::from)
        );
    }

    #[test]
    fn base64_as_in_its_rfc() {
        let words = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let codes = [
            "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy",
        ];
        assert_eq!(words.map(|w| base64(w.as_bytes())), codes.map(String::from));
    }
}
