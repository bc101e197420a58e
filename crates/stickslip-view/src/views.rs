//! Several moments in one picture: each in a view of its own, all from the same place.

use crate::film::{Extent, Film};
use crate::shot::{ShotOptions, cut};
use stickslip_model::words::time;
use stickslip_plot::colour::{Colour, INK};
use stickslip_plot::{Anchor, Drawing, Stroke};

/// Height of the line that holds the title, pixels at 100 %.
const HEAD: f64 = 30.0;

impl Film<'_> {
    /// Views of some frames in rows, the first at the top left, each with its time.
    pub(crate) fn views(
        &self,
        frames: &[usize],
        extent: &Extent,
        options: &ShotOptions,
    ) -> Drawing {
        let head = if options.caption { HEAD } else { 0.0 };
        let room = [options.width, (options.height - head).max(1.0)];
        let each = |columns: usize| {
            let rows = frames.len().div_ceil(columns);
            ShotOptions {
                width: room[0] / columns as f64,
                height: room[1] / rows as f64,
                ..options.clone()
            }
        };
        let columns = (1..=frames.len())
            .max_by(|a, b| {
                let size = |columns: &usize| self.size_in(extent, &each(*columns));
                // Of two that are as good, the fewer rows.
                size(a).total_cmp(&size(b))
            })
            .unwrap_or(1);
        let view = each(columns);
        let times = self.words_of(frames);
        let title = format!("{}, {times}", self.title);
        let mut drawing = Drawing::new(options.width, options.height, title);
        let line = Stroke::new(Colour::rgb(0xb4bbc4), 1.0);
        for (k, &frame) in frames.iter().enumerate() {
            let (row, column) = (k / columns, k % columns);
            let corner = [column as f64 * view.width, head + row as f64 * view.height];
            let painter = self.painter(frame, extent, &view);
            drawing.place(&painter.view(&view), corner);
            drawing.rectangle(corner, [view.width, view.height], line);
        }
        if options.caption {
            drawing.text([12.0, 20.0], 14.0, Anchor::Start, INK, &cut(&self.title));
        }
        drawing
    }

    /// How large things are in a view: pixels a metre at the middle of what is seen.
    fn size_in(&self, extent: &Extent, view: &ShotOptions) -> f64 {
        view.height / self.painter(0, extent, view).camera.distance
    }

    /// The times of some frames, `t = 0.4, 0.8, 1.2 s`; of many the first two and the last.
    pub(crate) fn words_of(&self, frames: &[usize]) -> String {
        let at = |k: &usize| time((self.frames()[*k].step.t * 1e6).round() / 1e6);
        let words: Vec<String> = frames.iter().map(at).collect();
        match words.as_slice() {
            [first, second, .., last] if words.len() > 8 => {
                format!(
                    "t = {first}, {second}, … {last} s ({} moments)",
                    words.len()
                )
            }
            all => format!("t = {} s", all.join(", ")),
        }
    }
}
