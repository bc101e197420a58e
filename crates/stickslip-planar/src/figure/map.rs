//! The map of modes as a picture, in words and for machines.

use super::COLOURS;
use super::svg::Svg;
use crate::mode_map::{Axis, ModeMap, ModeRegion};
use crate::report::short;
use crate::state::State;

/// Fill of a region: eight colours, then the same ones paler and paler.
fn fill(region: usize) -> String {
    let share = [0.85, 0.5, 0.28, 0.14][(region / 8).min(3)];
    let base = u32::from_str_radix(&COLOURS[region % 8][1..], 16).unwrap_or(0);
    let blend = |shift: u32| {
        let channel = f64::from(base >> shift & 0xff);
        (255.0 - share * (255.0 - channel)).round() as u32
    };
    format!("#{:02x}{:02x}{:02x}", blend(16), blend(8), blend(0))
}

/// The ring around the state's own load.
const MARK: &str = "fill=\"white\" fill-opacity=\"0.6\" stroke=\"black\" stroke-width=\"2\"";

/// Which letter is whose: the contacts by number and name.
fn names(state: &State) -> Vec<String> {
    let contacts = state.contacts.iter().enumerate().take(12);
    contacts
        .map(|(i, c)| match (c.name.as_str(), i) {
            ("", _) => {
                let [x, y] = c.r.map(|x| short(-x));
                format!("letter {}: the contact at ({x}, {y}) m", i + 1)
            }
            (name, _) => format!("letter {}: {name}", i + 1),
        })
        .collect()
}

impl ModeMap {
    /// The map as a picture with a legend.
    #[must_use]
    pub fn svg(&self, state: &State) -> String {
        let (left, top, side): (f64, f64, f64) = (70.0, 40.0, 480.0);
        let listed = self.listed();
        let names = names(state);
        let rows = listed.len().min(28) as f64 + 0.8 * names.len() as f64;
        let height = (top + side + 60.0).max(top + 22.0 * (rows + 4.0));
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
        svg.ticks_below([left, top + side], side, self.options.x.1);
        svg.ticks_left([left, top + side], side, self.options.y.1);
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
        svg.text(
            [left + 0.5 * side, 20.0],
            15.0,
            "middle",
            "black",
            &state.title,
        );
        self.mark_load(&mut svg, state, [left, top, side]);
        let x = left + side + 20.0;
        svg.text(
            [x, top + 10.0],
            13.0,
            "start",
            "black",
            "modes of all solutions, share of the window",
        );
        for (k, region) in listed.iter().take(28).enumerate() {
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
        let mut y = top + 22.0 * (listed.len().min(28) as f64 + 1.0) + 13.0;
        let shown = listed.len().min(28);
        if self.regions.len() > shown {
            let rest: f64 = self.regions[shown..].iter().map(|r| r.fraction).sum();
            let text = format!(
                "{:6.2} %  {} more",
                100.0 * rest,
                self.regions.len() - shown
            );
            svg.text([x + 24.0, y], 13.0, "start", "black", &text);
            y += 22.0;
        }
        y += 6.0;
        svg.circle([x + 8.0, y - 4.0], 5.0, MARK);
        let text = "load of the state itself";
        svg.text([x + 24.0, y], 13.0, "start", "black", text);
        for (k, name) in names.iter().enumerate() {
            let y = y + 22.0 + 17.6 * k as f64;
            svg.text([x, y], 12.0, "start", "#333333", name);
        }
        svg.finish()
    }

    /// The regions of some size; the others lie on boundaries.
    fn listed(&self) -> &[ModeRegion] {
        let least = 5e-5;
        let count = self.regions.iter().take_while(|r| r.fraction >= least);
        &self.regions[..count.count()]
    }

    /// A ring where the state's own load lies, if that is in the window.
    fn mark_load(&self, svg: &mut Svg, state: &State, [left, top, side]: [f64; 3]) {
        let share = |(axis, [lo, hi]): (Axis, [f64; 2])| (axis.of(state) - lo) / (hi - lo);
        let (x, y) = (share(self.options.x), share(self.options.y));
        if [x, y].iter().all(|s| (0.0..=1.0).contains(s)) {
            svg.circle([left + x * side, top + side * (1.0 - y)], 5.0, MARK);
        }
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
        let listed = self.listed();
        for region in listed {
            out.push_str(&format!(
                "{:8.3} %  {}\n",
                100.0 * region.fraction,
                region.label
            ));
        }
        let small = self.regions.len() - listed.len();
        if small > 0 {
            out.push_str(&format!(
                "{small} more with less than 0.005 % each, on boundaries\n"
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
