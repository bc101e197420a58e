//! Words that do not lie on one another.

use super::svg::Svg;

/// The boxes of the words placed so far.
#[derive(Default)]
pub(crate) struct Labels {
    boxes: Vec<[f64; 4]>,
}

impl Labels {
    /// Writes `text` starting at `at`, or at the nearest free place above or below.
    pub(crate) fn put(&mut self, svg: &mut Svg, at: [f64; 2], size: f64, colour: &str, text: &str) {
        let width = 0.6 * size * text.chars().count() as f64;
        let tries = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0];
        let place = tries
            .map(|k| [at[0], at[1] + k * (size + 1.0)])
            .into_iter()
            .find(|p| self.is_free(box_at(*p, width, size)))
            .unwrap_or(at);
        self.boxes.push(box_at(place, width, size));
        svg.text(place, size, "start", colour, text);
    }

    fn is_free(&self, b: [f64; 4]) -> bool {
        let apart = |a: &[f64; 4]| b[0] >= a[2] || a[0] >= b[2] || b[1] >= a[3] || a[1] >= b[3];
        self.boxes.iter().all(apart)
    }
}

fn box_at(at: [f64; 2], width: f64, size: f64) -> [f64; 4] {
    [at[0], at[1] - 0.8 * size, at[0] + width, at[1] + 0.2 * size]
}
