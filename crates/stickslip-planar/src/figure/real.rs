//! Real space: body, contacts, friction cones, applied force, accelerations.

use super::svg::Svg;
use super::{PANEL, colour};
use crate::solve::Solutions;
use crate::state::State;

const MARGIN: f64 = 70.0;

/// From metres relative to the centre of mass to the panel.
struct View {
    centre: [f64; 2],
    scale: f64,
}

impl View {
    fn new(state: &State) -> Self {
        let points = state
            .contacts
            .iter()
            .map(|c| [-c.r[0], -c.r[1]])
            .chain(state.outline.iter().copied())
            .chain([[0.0, 0.0]]);
        let (mut lo, mut hi) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for p in points {
            for i in 0..2 {
                lo[i] = lo[i].min(p[i]);
                hi[i] = hi[i].max(p[i]);
            }
        }
        let extent = (hi[0] - lo[0]).max(hi[1] - lo[1]).max(1e-9 * state.rho);
        let extent = if extent > 1e-6 * state.rho {
            extent
        } else {
            state.rho
        };
        Self {
            centre: [0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1])],
            scale: (PANEL - 2.0 * MARGIN) / extent,
        }
    }

    fn at(&self, p: [f64; 2]) -> [f64; 2] {
        [
            0.5 * PANEL + (p[0] - self.centre[0]) * self.scale,
            0.5 * PANEL - (p[1] - self.centre[1]) * self.scale,
        ]
    }
}

/// A point `length` panel units from `from` along the real-space direction `d`.
fn along(from: [f64; 2], d: [f64; 2], length: f64) -> [f64; 2] {
    [from[0] + d[0] * length, from[1] - d[1] * length]
}

pub(crate) fn draw(svg: &mut Svg, state: &State, answer: &Solutions) {
    let view = View::new(state);
    let com = view.at([0.0, 0.0]);
    draw_body(svg, state, &view);
    for (i, contact) in state.contacts.iter().enumerate() {
        let place = view.at([-contact.r[0], -contact.r[1]]);
        draw_obstacle(svg, place, contact.n);
        let mu = contact.coefficients(state.rho).stick;
        draw_cone(svg, place, contact.n, mu, colour(i));
        svg.line(
            place,
            com,
            "stroke=\"#999999\" stroke-width=\"1\" stroke-dasharray=\"4 3\"",
        );
        svg.circle(place, 3.5, &format!("fill=\"{}\"", colour(i)));
        let label = along(place, contact.n, -24.0);
        let label = [label[0], label[1] + 5.0];
        svg.text(label, 14.0, "middle", colour(i), &(i + 1).to_string());
    }
    svg.circle(com, 4.0, "fill=\"black\"");
    draw_load(svg, com, state.force, "#000000");
    draw_accelerations(svg, state, answer, com);
    let title = if state.title.is_empty() {
        "real space"
    } else {
        &state.title
    };
    svg.text([12.0, 22.0], 15.0, "start", "black", title);
    svg.text(
        [12.0, PANEL - 12.0],
        12.0,
        "start",
        "#333333",
        "black: applied force; purple: accelerations; wedges: friction cones",
    );
}

fn draw_body(svg: &mut Svg, state: &State, view: &View) {
    let mut outline = state.outline.clone();
    if outline.is_empty() {
        // Without an outline: the contact points in order around the centre of mass.
        outline = state.contacts.iter().map(|c| [-c.r[0], -c.r[1]]).collect();
        outline.push([0.0, 0.0]);
        let middle =
            [0, 1].map(|i| outline.iter().map(|p| p[i]).sum::<f64>() / outline.len() as f64);
        outline.sort_by(|a, b| {
            let angle = |p: &[f64; 2]| libm::atan2(p[1] - middle[1], p[0] - middle[0]);
            angle(a).total_cmp(&angle(b))
        });
    }
    let points: Vec<[f64; 2]> = outline.iter().map(|p| view.at(*p)).collect();
    let style =
        "fill=\"#eef2f6\" stroke=\"#556677\" stroke-width=\"1.5\" stroke-linejoin=\"round\"";
    svg.polygon(&points, style);
}

/// A short stretch of the obstacle, hatched on its inner side.
fn draw_obstacle(svg: &mut Svg, place: [f64; 2], n: [f64; 2]) {
    let t = [n[1], -n[0]];
    let half = 26.0;
    svg.line(
        along(place, t, -half),
        along(place, t, half),
        "stroke=\"black\" stroke-width=\"2\"",
    );
    for step in -2..=2 {
        let start = along(place, t, 11.0 * f64::from(step));
        let inner = along(start, [-n[0] - t[0], -n[1] - t[1]], 8.0);
        svg.line(start, inner, "stroke=\"black\" stroke-width=\"1\"");
    }
}

fn draw_cone(svg: &mut Svg, place: [f64; 2], n: [f64; 2], mu: f64, colour: &str) {
    let t = [n[1], -n[0]];
    // Half-angle atan(mu), a right angle for infinite friction.
    let angle = libm::atan(mu);
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let edge = |side: f64| {
        [
            cos * n[0] + side * sin * t[0],
            cos * n[1] + side * sin * t[1],
        ]
    };
    let length = 70.0;
    let (a, b) = (
        along(place, edge(1.0), length),
        along(place, edge(-1.0), length),
    );
    svg.path(
        &format!(
            "M {:.2} {:.2} L {:.2} {:.2} A {length} {length} 0 0 0 {:.2} {:.2} Z",
            place[0], place[1], a[0], a[1], b[0], b[1]
        ),
        &format!("fill=\"{colour}\" fill-opacity=\"0.25\" stroke=\"{colour}\" stroke-width=\"1\""),
    );
    svg.arrow(place, along(place, n, length), 1.2, colour);
}

fn draw_load(svg: &mut Svg, com: [f64; 2], force: [f64; 3], colour: &str) {
    let size = libm::hypot(force[0], force[1]);
    if size > 0.0 {
        let d = [force[0] / size, force[1] / size];
        let tip = along(com, d, 60.0);
        svg.arrow(com, tip, 2.4, colour);
        svg.text(along(tip, d, 10.0), 13.0, "middle", colour, "F");
    }
    if force[2] != 0.0 {
        svg.turn(com, 20.0, force[2], colour);
    }
}

fn draw_accelerations(svg: &mut Svg, state: &State, answer: &Solutions, com: [f64; 2]) {
    let purple = "#7b3294";
    let longest = answer
        .sets
        .iter()
        .flat_map(|s| &s.vertices)
        .map(|a| libm::hypot(a[0], a[1]))
        .fold(0.0, f64::max);
    for (number, set) in answer.sets.iter().enumerate() {
        for a in &set.vertices {
            let size = libm::hypot(a[0], a[1]);
            if size > 1e-12 && longest > 0.0 {
                let tip = along(com, [a[0] / longest, a[1] / longest], 90.0);
                svg.arrow(com, tip, 2.0, purple);
                let label = format!("{} {}", number + 1, set.mode);
                svg.text([tip[0] + 5.0, tip[1] + 13.0], 11.0, "start", purple, &label);
            }
            if a[2].abs() * state.rho > 1e-9 * longest.max(1e-9) {
                svg.turn(com, 30.0 + 6.0 * number as f64, a[2], purple);
            }
        }
    }
}
