//! Pictures of fields.

use crate::field::{Field, Place};
use stickslip::prelude::DVec2;
use stickslip_plot::colour::{GREY, PAPER, SERIES};
use stickslip_plot::plot::{Arrow, Image};
use stickslip_plot::{Axis, Colour, Plot};

const SLIDE: Colour = SERIES[1];
const STICK: Colour = SERIES[0];
const AIR: Colour = SERIES[2];

/// Arrows along each side at most.
const ARROWS: usize = 21;

impl Field {
    /// The field as a plot: arrows for the mean velocity, streamlines under them, and cells coloured by the
    /// fractions of time in the air and sticking.
    #[must_use]
    pub fn plot(&self, title: &str) -> Plot {
        let half = self.sampling.half;
        let n = self.sampling.cells;
        let cell = half / (n - 1) as f64;
        let edges = ((-half - cell) * 1e3, (half + cell) * 1e3);
        let mut plot = Plot::new(title)
            .x(Axis::linear("x", "mm").range(edges.0, edges.1))
            .y(Axis::linear("y", "mm").range(edges.0, edges.1))
            .size(600.0, 641.0)
            .equal()
            .image(Image {
                x: edges,
                y: edges,
                columns: n,
                cells: self.places.iter().map(shade).collect(),
            });
        for line in self.streamlines() {
            plot = plot
                .line("", &line)
                .solid()
                .coloured(GREY.with_opacity(0.45))
                .width(0.8);
        }
        let every = n.div_ceil(ARROWS).max(1);
        let offset = (n - 1) % every / 2;
        for (name, colour, is) in [
            ("slides", SLIDE, 0),
            ("sticks for a part of the time", STICK, 1),
            ("leaves the plate for a part of the time", AIR, 2),
        ] {
            let chosen = self.places.iter().enumerate().filter(|&(k, place)| {
                let on = |i: usize| i % every == offset;
                on(k % n) && on(k / n) && kind(place) == is
            });
            let arrows: Vec<Arrow> = chosen
                .map(|(_, place)| Arrow {
                    at: (place.place.x * 1e3, place.place.y * 1e3),
                    vector: (place.velocity.x, place.velocity.y),
                })
                .collect();
            if !arrows.is_empty() {
                plot = plot.field(name, &arrows).coloured(colour);
            }
        }
        plot.note(format!("longest arrow {:.3} mm/s", self.fastest() * 1e3))
    }

    /// The largest mean speed, m/s.
    #[must_use]
    pub fn fastest(&self) -> f64 {
        let speeds = self.places.iter().map(|p| p.velocity.length());
        speeds.fold(0.0, f64::max)
    }

    /// The velocity at any place of the square, by bilinear interpolation between starting places.
    fn at(&self, x: DVec2) -> Option<DVec2> {
        let n = self.sampling.cells;
        let s = (x / self.sampling.half + DVec2::ONE) * (0.5 * (n - 1) as f64);
        if s.min_element() < 0.0 || s.max_element() > (n - 1) as f64 {
            return None;
        }
        let low = |v: f64| (v.floor() as usize).min(n - 2);
        let (i, j) = (low(s.x), low(s.y));
        let (a, b) = (s.x - i as f64, s.y - j as f64);
        let v = |i: usize, j: usize| self.places[j * n + i].velocity;
        let along = |j: usize| v(i, j).lerp(v(i + 1, j), a);
        Some(along(j).lerp(along(j + 1), b))
    }

    /// Paths along the field from places spread over the square, both ways, in mm.
    fn streamlines(&self) -> Vec<Vec<(f64, f64)>> {
        let (half, fastest) = (self.sampling.half, self.fastest());
        let mut lines = Vec::new();
        if fastest == 0.0 {
            return lines;
        }
        const SEEDS: usize = 9;
        for k in 0..SEEDS * SEEDS {
            let at = |i: usize| half * ((2 * i + 1) as f64 / SEEDS as f64 - 1.0);
            let seed = DVec2::new(at(k % SEEDS), at(k / SEEDS));
            let mut back = self.path(seed, -1.0, fastest);
            back.reverse();
            // The seed itself is there already.
            back.pop();
            back.extend(self.path(seed, 1.0, fastest));
            if back.len() > 2 {
                lines.push(back.iter().map(|p| (p.x * 1e3, p.y * 1e3)).collect());
            }
        }
        lines
    }

    /// A path of given direction by midpoint steps of a two-hundredth of the square.
    fn path(&self, seed: DVec2, sign: f64, fastest: f64) -> Vec<DVec2> {
        let stride = self.sampling.half / 100.0;
        let mut points = vec![seed];
        let mut x = seed;
        for _ in 0..60 {
            let step = |v: DVec2| v * (sign * stride / v.length());
            let slow = 0.005 * fastest;
            let Some(v) = self.at(x).filter(|v| v.length() > slow) else {
                break;
            };
            let Some(w) = self.at(x + step(v) * 0.5).filter(|v| v.length() > slow) else {
                break;
            };
            x += step(w);
            points.push(x);
        }
        points
    }
}

/// 0 where it slides all the time (a reversal of the slip counts as sliding), 1 where it sticks, 2 where it leaves.
fn kind(place: &Place) -> usize {
    if place.air > 0.02 {
        2
    } else if place.stick > 0.02 {
        1
    } else {
        0
    }
}

fn shade(place: &Place) -> Colour {
    let sticking = PAPER.mixed(STICK, 0.35 * place.stick);
    sticking.mixed(AIR, 0.6 * place.air)
}
