//! The font of the theme: widths for the layout of every picture, outlines for the raster.
//!
//! Outlines of Roboto Regular (Apache-2.0, Google Inc.), Latin, Greek and some signs, with arrows and ⊥ added;
//! one line a glyph: code point, advance, path of M, L, Q, Z in units of 1/2048 of the size, y up.

use crate::drawing::Point;
use std::collections::BTreeMap;
use std::sync::OnceLock;

const OUTLINES: &str = include_str!("roboto.txt");
const UNITS: f64 = 2048.0;

struct Glyph {
    advance: f64,
    path: &'static str,
}

fn glyphs() -> &'static BTreeMap<char, Glyph> {
    static GLYPHS: OnceLock<BTreeMap<char, Glyph>> = OnceLock::new();
    GLYPHS.get_or_init(|| {
        let read = |line: &'static str| {
            let mut words = line.splitn(3, ' ');
            let code = char::from_u32(u32::from_str_radix(words.next()?, 16).ok()?)?;
            let advance = words.next()?.parse::<f64>().ok()? / UNITS;
            let path = words.next()?;
            Some((code, Glyph { advance, path }))
        };
        OUTLINES.lines().filter_map(read).collect()
    })
}

/// What stands for a character the font does not have: a hollow box.
const UNKNOWN: Glyph = Glyph {
    advance: 0.6,
    path: "M120 0L1100 0L1100 1400L120 1400ZM220 100L220 1300L1000 1300L1000 100Z",
};

fn glyph(c: char) -> &'static Glyph {
    glyphs().get(&c).unwrap_or(&UNKNOWN)
}

pub(crate) fn width(text: &str, size: f64) -> f64 {
    size * text.chars().map(|c| glyph(c).advance).sum::<f64>()
}

/// Closed contours of a text whose baseline starts at the origin; y points down.
pub(crate) fn outline(text: &str, size: f64) -> Vec<Vec<Point>> {
    let mut contours = Vec::new();
    let mut x = 0.0;
    for c in text.chars() {
        let glyph = glyph(c);
        let place = |p: Point| [x + p[0] * size / UNITS, -p[1] * size / UNITS];
        for contour in flatten(glyph.path) {
            contours.push(contour.into_iter().map(place).collect());
        }
        x += glyph.advance * size;
    }
    contours
}

/// The path as polygons; a curve becomes four pieces, which no eye tells from it at the sizes of a plot.
fn flatten(path: &str) -> Vec<Vec<Point>> {
    const PIECES: usize = 4;
    let mut contours = Vec::new();
    for part in path.split('Z') {
        let mut points: Vec<Point> = Vec::new();
        for command in part
            .split_inclusive(|c: char| c.is_ascii_alphabetic())
            .collect::<Vec<_>>()
            .windows(2)
        {
            let kind = command[0].chars().last();
            let numbers: Vec<f64> = command[1]
                .trim_end_matches(|c: char| c.is_ascii_alphabetic())
                .split(' ')
                .filter_map(|n| n.parse().ok())
                .collect();
            match (kind, numbers.as_slice(), points.last().copied()) {
                (Some('M' | 'L'), &[x, y], _) => points.push([x, y]),
                (Some('Q'), &[cx, cy, x, y], Some(from)) => {
                    for k in 1..=PIECES {
                        let t = k as f64 / PIECES as f64;
                        let (a, b, c) = ((1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t);
                        points.push([a * from[0] + b * cx + c * x, a * from[1] + b * cy + c * y]);
                    }
                }
                _ => {}
            }
        }
        if points.len() > 2 {
            contours.push(points);
        }
    }
    contours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_font_is_a_glyph() {
        assert_eq!(glyphs().len(), OUTLINES.lines().count());
        for c in "Az09 μνψ²⁻₁→⊥≤".chars() {
            assert!(glyphs().contains_key(&c), "{c}");
        }
    }

    #[test]
    fn texts_have_widths_and_outlines() {
        assert!((width("AA", 10.0) - 2.0 * width("A", 10.0)).abs() < 1e-12);
        assert_eq!(outline("A", 10.0).len(), 2);
        assert_eq!(outline("i", 10.0).len(), 2);
        let low = outline("A", 2048.0)
            .concat()
            .iter()
            .map(|p| p[1])
            .fold(0.0, f64::min);
        assert_eq!(low, -1456.0);
        // A character that is not there still takes room and shows.
        assert_eq!(outline("\u{1F600}", 10.0).len(), 2);
    }
}
