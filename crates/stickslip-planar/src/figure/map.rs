//! The map of modes as a picture, in words and for machines.

use super::colour;
use super::svg::Svg;
use crate::mode_map::{Axis, ModeMap};
use crate::report::short;

/// Fill of a region: eight colours, then the same ones paler and paler.
fn fill(region: usize) -> String {
    let share = [0.85, 0.5, 0.28, 0.14][(region / 8).min(3)];
    let base = u32::from_str_radix(&colour(region)[1..], 16).unwrap_or(0);
    let blend = |shift: u32| {
        let channel = f64::from(base >> shift & 0xff);
        (255.0 - share * (255.0 - channel)).round() as u32
    };
    format!("#{:02x}{:02x}{:02x}", blend(16), blend(8), blend(0))
}

impl ModeMap {
    /// The map as a picture with a legend.
    #[must_use]
    pub fn svg(&self, title: &str) -> String {
        let (left, top, side): (f64, f64, f64) = (70.0, 40.0, 480.0);
        let rows = self.regions.len().min(28) as f64;
        let height = (top + side + 60.0).max(top + 22.0 * (rows + 2.0));
        let mut svg = Svg::new(left + side + 330.0, height);
        let unit = side / f64::from(1_u32 << self.options.fine);
        // One path for each region, in units of the finest squares, y upwards.
        let place = format!("translate({left} {}) scale({unit} -{unit})", top + side);
        for region in 0..self.regions.len() {
            let mut d = String::new();
            for s in self.squares.iter().filter(|s| s.region == region) {
                d.push_str(&format!("M{} {}h{s}v{s}h-{s}z", s.i, s.j, s = s.side));
            }
            let colour = fill(region);
            svg.path(
                &d,
                &format!("fill=\"{colour}\" shape-rendering=\"crispEdges\" transform=\"{place}\""),
            );
        }
        let frame = "fill=\"none\" stroke=\"black\" stroke-width=\"1\"";
        svg.rect([left, top], side, side, frame);
        for k in 0..=4 {
            let share = f64::from(k) / 4.0;
            let value = |[lo, hi]: [f64; 2]| {
                let x = lo + (hi - lo) * share;
                short(if x.abs() < 1e-12 * (hi - lo) {
                    0.0
                } else {
                    (x * 1e4).round() / 1e4
                })
            };
            let (x, y) = (left + share * side, top + side - share * side);
            svg.text(
                [x, top + side + 18.0],
                12.0,
                "middle",
                "black",
                &value(self.options.x.1),
            );
            svg.text(
                [left - 8.0, y + 4.0],
                12.0,
                "end",
                "black",
                &value(self.options.y.1),
            );
        }
        svg.text(
            [left + 0.5 * side, top + side + 42.0],
            14.0,
            "middle",
            "black",
            self.options.x.0.label(),
        );
        svg.text(
            [left, top - 8.0],
            14.0,
            "middle",
            "black",
            self.options.y.0.label(),
        );
        svg.text([left + 0.5 * side, 20.0], 15.0, "middle", "black", title);
        let x = left + side + 20.0;
        svg.text(
            [x, top + 10.0],
            13.0,
            "start",
            "black",
            "modes of all solutions, share of the window",
        );
        for (k, region) in self.regions.iter().take(28).enumerate() {
            let y = top + 22.0 * (k as f64 + 1.0);
            svg.rect(
                [x, y],
                16.0,
                16.0,
                &format!("fill=\"{}\" stroke=\"black\" stroke-width=\"0.5\"", fill(k)),
            );
            let mut name = region.label.clone();
            if name.chars().count() > 30 {
                name = name.chars().take(29).collect::<String>() + "…";
            }
            let text = format!("{:6.2} %  {name}", 100.0 * region.fraction);
            svg.text([x + 24.0, y + 13.0], 13.0, "start", "black", &text);
        }
        if self.regions.len() > 28 {
            let rest: f64 = self.regions[28..].iter().map(|r| r.fraction).sum();
            let text = format!("{:6.2} %  {} more", 100.0 * rest, self.regions.len() - 28);
            svg.text(
                [x + 24.0, top + 22.0 * 29.0 + 13.0],
                13.0,
                "start",
                "black",
                &text,
            );
        }
        svg.finish()
    }

    /// The regions and their shares in words.
    #[must_use]
    pub fn text(&self) -> String {
        let [x_lo, x_hi] = self.options.x.1.map(short);
        let [y_lo, y_hi] = self.options.y.1.map(short);
        let mut out = format!(
            "{} from {x_lo} to {x_hi}, {} from {y_lo} to {y_hi}: {} regions, {} states solved\n",
            self.options.x.0.label(),
            self.options.y.0.label(),
            self.regions.len(),
            self.solved
        );
        for region in &self.regions {
            out.push_str(&format!(
                "{:8.3} %  {}\n",
                100.0 * region.fraction,
                region.label
            ));
        }
        out.push_str(&format!(
            "boundaries lie in squares that make up {:.3} % of the window\n",
            100.0 * self.unresolved
        ));
        out
    }

    /// The map for machines.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        let axis = |(axis, range): (Axis, [f64; 2])| serde_json::json!({ "component": axis.label(), "range": range });
        serde_json::json!({
            "x": axis(self.options.x),
            "y": axis(self.options.y),
            "solved": self.solved,
            "unresolved": self.unresolved,
            "regions": self.regions.iter().map(|r| serde_json::json!({
                "label": r.label,
                "fraction": r.fraction,
            })).collect::<Vec<_>>(),
        })
    }
}
