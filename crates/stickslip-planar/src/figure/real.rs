//! Real space: body, contacts, friction cones, applied force, accelerations.

use super::labels::Labels;
use super::svg::Svg;
use super::{PANEL, colour};
use crate::report::{short, short_of};
use crate::solve::{Solutions, Status};
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
    let mut labels = Labels::default();
    draw_load(svg, &mut labels, com, state);
    draw_accelerations(svg, &mut labels, state, answer, com);
    draw_scale(svg, &view);
    for (k, row) in legend_rows(answer).iter().enumerate() {
        let y = PANEL + ROW * (k as f64 + 0.5);
        svg.text([12.0, y], 12.0, "start", PURPLE, row);
    }
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
        "black: force; green: velocity; purple: accelerations; wedges: friction cones",
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

/// Force, torque and velocity; broad, so that an acceleration along them does not hide them.
fn draw_load(svg: &mut Svg, labels: &mut Labels, com: [f64; 2], state: &State) {
    for (vector, length, size, turn, colour, name) in [
        (state.force, 60.0, 3.6, 20.0, "#000000", "F"),
        (state.velocity, 75.0, 3.0, 25.0, "#1a7f37", "v"),
    ] {
        let long = libm::hypot(vector[0], vector[1]);
        // Rounding errors are not drawn.
        let turning = if name == "F" {
            vector[2].abs() / state.rho
        } else {
            vector[2].abs() * state.rho
        };
        let least = match name {
            "F" => 1e-9 * long.max(turning),
            _ => (1e-9 * long.max(turning)).max(1e-12),
        };
        if long > least {
            let d = [vector[0] / long, vector[1] / long];
            let tip = along(com, d, length);
            svg.arrow(com, tip, size, colour);
            let place = along(tip, [-d[1], d[0]], 12.0);
            labels.put(svg, [place[0] - 4.0, place[1] + 4.0], 13.0, colour, name);
        }
        if turning > least {
            svg.turn(com, turn, vector[2], colour);
        }
    }
}

const PURPLE: &str = "#7b3294";

fn draw_accelerations(
    svg: &mut Svg,
    labels: &mut Labels,
    state: &State,
    answer: &Solutions,
    com: [f64; 2],
) {
    let longest = answer
        .sets
        .iter()
        .flat_map(|s| &s.vertices)
        .map(|a| libm::hypot(a[0], a[1]).max(a[2].abs() * state.rho))
        .fold(0.0, f64::max);
    let tip = |a: &[f64]| along(com, [a[0] / longest, a[1] / longest], 90.0);
    for (number, set) in answer.sets.iter().enumerate() {
        let word = (number + 1).to_string();
        let mut tips = Vec::new();
        for a in &set.vertices {
            let still = |x: f64| longest == 0.0 || x <= 1e-9 * longest;
            let (moves, turns) = (
                !still(libm::hypot(a[0], a[1])),
                !still(a[2].abs() * state.rho),
            );
            let end = if moves { tip(a) } else { com };
            tips.push(end);
            if moves {
                svg.arrow(com, end, 2.0, PURPLE);
            } else if !turns {
                let style = format!("fill=\"none\" stroke=\"{PURPLE}\" stroke-width=\"2\"");
                svg.circle(com, 8.0, &style);
            }
            if turns {
                svg.turn(com, 30.0 + 6.0 * number as f64, a[2], PURPLE);
            }
            labels.put(svg, [end[0] + 8.0, end[1] + 13.0], 12.0, PURPLE, &word);
        }
        if !set.region.is_point() && longest > 0.0 {
            for (ray, &from) in set
                .rays
                .iter()
                .flat_map(|r| tips.iter().map(move |t| (r, t)))
            {
                let end = along(from, [ray[0], ray[1]], 120.0);
                let style =
                    format!("stroke=\"{PURPLE}\" stroke-width=\"2\" stroke-dasharray=\"6 4\"");
                svg.line(from, end, &style);
            }
            svg.polygon(&tips, super::SET_STYLE);
        }
    }
}

/// A round length beside the picture.
fn draw_scale(svg: &mut Svg, view: &View) {
    let rough = 80.0 / view.scale;
    let power = libm::exp10(libm::floor(libm::log10(rough)));
    let length = [5.0, 2.0, 1.0]
        .into_iter()
        .map(|s| s * power)
        .find(|&l| l <= rough)
        .unwrap_or(power);
    let (right, y) = (PANEL - 16.0, PANEL - 30.0);
    let left = right - length * view.scale;
    let style = "stroke=\"#333333\" stroke-width=\"1.5\"";
    svg.line([left, y], [right, y], style);
    for x in [left, right] {
        svg.line([x, y - 4.0], [x, y + 4.0], style);
    }
    let word = format!("{} m", short(length));
    let middle = [0.5 * (left + right), y - 7.0];
    svg.text(middle, 12.0, "middle", "#333333", &word);
}

/// Most solutions and contacts named below the picture.
const ROWS: usize = 14;
const ROW: f64 = 16.0;

pub(crate) fn legend_height(answer: &Solutions) -> f64 {
    ROW * legend_rows(answer).len() as f64 + 8.0
}

fn four_digits(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(x)
}

/// One line for each solution.
fn legend_rows(answer: &Solutions) -> Vec<String> {
    let mut rows = Vec::new();
    for (i, set) in answer.sets.iter().enumerate() {
        let mode = if set.mode.is_empty() {
            "free"
        } else {
            &set.mode
        };
        let triple = |a: &[f64; 3]| {
            let size = a.iter().fold(1e-3_f64, |m, x| m.max(x.abs()));
            let [x, y, z] = a.map(|x| short_of(four_digits(x), 1e6 * size));
            if [&x, &y, &z].iter().all(|x| *x == "0") {
                return "no acceleration".to_owned();
            }
            format!("({x}, {y}) m/s², {z} rad/s²")
        };
        let mut ends: Vec<String> = set.vertices.iter().map(triple).collect();
        ends.extend((!set.rays.is_empty()).then(|| "without end".to_owned()));
        rows.push(format!("{} [{mode}] {}", i + 1, ends.join(" to ")));
    }
    if answer.sets.is_empty() {
        rows.push(match answer.status() {
            Status::Collision => "the velocity points into a surface".into(),
            _ => "no acceleration is legal".into(),
        });
    }
    if rows.len() > ROWS {
        let more = rows.len() - ROWS;
        rows.truncate(ROWS);
        rows.push(format!("and {more} more"));
    }
    rows
}
