//! Peg in a hole: the jamming diagram and the wedging chart, computed, with Whitney's conditions drawn over them.
//!
//! D. E. Whitney, Quasi-static assembly of compliantly supported rigid parts, J. Dyn. Sys. Meas. Control 104 (1982).

use super::svg::Svg;
use crate::contact::{Contact, ContactKind};
use crate::solve::{Options, solve};
use crate::state::{State, StateError};

/// A peg of half width r at the depth l in a hole, in two-point contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peg {
    /// Half width r, m.
    pub r: f64,
    /// Depth l of the tip below the mouth, m.
    pub depth: f64,
    /// Friction.
    pub mu: f64,
}

/// Which two points touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    /// The mouth on the left side of the peg, the tip on the right wall.
    TipRight,
    /// Its mirror image.
    TipLeft,
}

impl Peg {
    /// λ = l/(2 r μ).
    #[must_use]
    pub fn lambda(&self) -> f64 {
        self.depth / (2.0 * self.r * self.mu)
    }

    /// The peg under F_z = 1 N into the hole, F_x = x F_z, and the moment M = y r F_z about the middle of its tip. Its
    /// centre of mass lies two widths above the tip.
    #[must_use]
    pub fn state(&self, pair: Pair, x: f64, y: f64) -> State {
        let Self { r, depth, mu } = *self;
        let height = 4.0 * r;
        let side = match pair {
            Pair::TipRight => 1.0,
            Pair::TipLeft => -1.0,
        };
        let mut state = State::new(0.1, 2.4 * r);
        state.contacts = vec![
            Contact::new([side, 0.0], [side * r, height - depth], mu).with_kind(ContactKind::A),
            Contact::new([-side, 0.0], [-side * r, height], mu),
        ];
        state.force = [x, -1.0, y * r + x * height];
        state
    }

    /// Whether the two contacts can hold that load.
    ///
    /// # Errors
    /// Where the peg is not a state.
    pub fn sticks(&self, pair: Pair, x: f64, y: f64) -> Result<bool, StateError> {
        let answer = solve(&self.state(pair, x, y), &Options::default())?;
        Ok(answer.sets.iter().any(|s| s.mode == "ff"))
    }

    /// Whitney's line for the pair, within |F_x|/F_z ≤ 1/μ: the peg sticks beyond it.
    ///
    ///   M/(r F_z) = ±λ - μ (1 + λ) F_x/F_z
    #[must_use]
    pub fn line(&self, pair: Pair, x: f64) -> f64 {
        let lambda = self.lambda();
        let side = if pair == Pair::TipRight { 1.0 } else { -1.0 };
        side * lambda - self.mu * (1.0 + lambda) * x
    }

    /// The jamming diagram of this peg and the wedging chart of all pegs, as computed, under Whitney's lines.
    ///
    /// # Errors
    /// Where the peg is not a state.
    pub fn svg(&self) -> Result<String, StateError> {
        let mut svg = Svg::new(2.0 * (LEFT + SIDE) + 60.0, TOP + SIDE + 96.0);
        self.jamming(&mut svg)?;
        svg.shift(LEFT + SIDE + 30.0, 0.0);
        self.wedging(&mut svg);
        Ok(svg.finish())
    }

    fn jamming(&self, svg: &mut Svg) -> Result<(), StateError> {
        let across = 1.5 / self.mu;
        let up = 1.15 * (1.0 + 2.0 * self.lambda());
        let chart = Chart {
            x: [-across, across],
            y: [-up, up],
        };
        let mut failed = None;
        chart.paint(svg, |x, y| {
            let stuck = [Pair::TipRight, Pair::TipLeft].map(|pair| {
                self.sticks(pair, x, y).unwrap_or_else(|e| {
                    failed = Some(e);
                    false
                })
            });
            match stuck {
                [true, true] => "#a78bbd",
                [true, false] => "#f2b48c",
                [false, true] => "#9cc5e3",
                [false, false] => "#ffffff",
            }
        });
        if let Some(e) = failed {
            return Err(e);
        }
        let end = 1.0 / self.mu;
        let corner = |pair, x| chart.at(x, self.line(pair, x));
        let corners = [
            corner(Pair::TipRight, -end),
            corner(Pair::TipRight, end),
            corner(Pair::TipLeft, end),
            corner(Pair::TipLeft, -end),
        ];
        svg.polygon(
            &corners,
            "fill=\"none\" stroke=\"black\" stroke-width=\"2\"",
        );
        let title = format!(
            "Jamming: l/(2r) = {:.2}, μ = {}, λ = {:.2}",
            self.depth / (2.0 * self.r),
            self.mu,
            self.lambda()
        );
        chart.frame(svg, &title, "F_x/F_z", "M/(r F_z)");
        legend(
            svg,
            0,
            "#f2b48c",
            "sticks with the tip on the right wall (mouth on the left)",
        );
        legend(svg, 1, "#9cc5e3", "sticks with the tip on the left wall");
        legend(
            svg,
            2,
            "#ffffff",
            "neither; black: Whitney's parallelogram, no jamming inside",
        );
        Ok(())
    }

    fn wedging(&self, svg: &mut Svg) {
        let chart = Chart {
            x: [0.0, 1.0],
            y: [0.0, 1.0],
        };
        chart.paint(svg, |mu, ratio| {
            let peg = Self {
                r: self.r,
                depth: ratio * 2.0 * self.r,
                mu,
            };
            if peg.state(Pair::TipRight, 0.0, 0.0).force_closure() {
                "#f2b48c"
            } else {
                "#ffffff"
            }
        });
        svg.line(
            chart.at(0.0, 0.0),
            chart.at(1.0, 1.0),
            "stroke=\"black\" stroke-width=\"2\"",
        );
        chart.frame(
            svg,
            "Wedging: two-point contact at depth l",
            "μ",
            "depth l/(2r)",
        );
        legend(
            svg,
            0,
            "#f2b48c",
            "the composite cone is the whole space: held against any load",
        );
        legend(svg, 1, "#ffffff", "some load moves it");
        legend(svg, 2, "#000000", "Whitney's condition l = 2 r μ (λ = 1)");
    }
}

const LEFT: f64 = 64.0;
const TOP: f64 = 46.0;
const SIDE: f64 = 400.0;
const CELLS: usize = 160;

/// A square chart.
struct Chart {
    x: [f64; 2],
    y: [f64; 2],
}

impl Chart {
    fn at(&self, x: f64, y: f64) -> [f64; 2] {
        let share = |v: f64, [lo, hi]: [f64; 2]| (v - lo) / (hi - lo);
        [
            LEFT + SIDE * share(x, self.x),
            TOP + SIDE * (1.0 - share(y, self.y)),
        ]
    }

    /// Colours the middles of small squares, row by row; neighbours of one colour are one rectangle.
    fn paint(&self, svg: &mut Svg, mut colour: impl FnMut(f64, f64) -> &'static str) {
        let cell = SIDE / CELLS as f64;
        let middle =
            |[lo, hi]: [f64; 2], k: usize| lo + (hi - lo) * (k as f64 + 0.5) / CELLS as f64;
        for j in 0..CELLS {
            let row: Vec<&str> = (0..CELLS)
                .map(|i| colour(middle(self.x, i), middle(self.y, j)))
                .collect();
            let mut start = 0;
            for run in row.chunk_by(|a, b| a == b) {
                let corner = [
                    LEFT + cell * start as f64,
                    TOP + SIDE - cell * (j + 1) as f64,
                ];
                let style = format!("fill=\"{}\" shape-rendering=\"crispEdges\"", run[0]);
                if run[0] != "#ffffff" {
                    svg.rect(corner, cell * run.len() as f64, cell, &style);
                }
                start += run.len();
            }
        }
    }

    fn frame(&self, svg: &mut Svg, title: &str, x: &str, y: &str) {
        let style = "fill=\"none\" stroke=\"black\" stroke-width=\"1\"";
        svg.rect([LEFT, TOP], SIDE, SIDE, style);
        svg.text([LEFT + 0.5 * SIDE, 20.0], 15.0, "middle", "black", title);
        svg.ticks_below([LEFT, TOP + SIDE], SIDE, self.x);
        svg.ticks_left([LEFT, TOP + SIDE], SIDE, self.y);
        let middle = [LEFT + SIDE - 4.0, TOP + SIDE - 8.0];
        svg.text(middle, 13.0, "end", "black", x);
        svg.text([LEFT + 6.0, TOP + 16.0], 13.0, "start", "black", y);
    }
}

fn legend(svg: &mut Svg, row: usize, fill: &str, text: &str) {
    let y = TOP + SIDE + 28.0 + 20.0 * row as f64;
    let style = format!("fill=\"{fill}\" stroke=\"black\" stroke-width=\"0.5\"");
    svg.rect([LEFT, y], 14.0, 14.0, &style);
    svg.text([LEFT + 22.0, y + 12.0], 12.0, "start", "black", text);
}
