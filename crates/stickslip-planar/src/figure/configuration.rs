//! Configuration space: the sheet of every contact's friction cone and the composite cone around them.

use super::labels::Labels;
use super::svg::Svg;
use super::{PANEL, colour};
use crate::cone::Cone;
use crate::solve::Solutions;
use crate::state::State;
use crate::vec3::{V3, add, dot, norm, scale, sub};

/// An oblique parallel projection with F_y upwards: the eye looks from the front right, from above.
struct View {
    right: V3,
    up: V3,
    scale: f64,
    origin: [f64; 2],
}

impl View {
    fn new(points: &[V3]) -> Self {
        let (azimuth, elevation) = (35.0_f64.to_radians(), 22.0_f64.to_radians());
        let (sa, ca) = (libm::sin(azimuth), libm::cos(azimuth));
        let (se, ce) = (libm::sin(elevation), libm::cos(elevation));
        // Axes x (right), y (up), q (towards the reader, so that x, y, q is right-handed).
        let right = [ca, 0.0, -sa];
        let up = [-sa * se, ce, -ca * se];
        let (mut lo, mut hi) = ([0.0_f64; 2], [0.0_f64; 2]);
        for &p in points {
            let flat = [dot(p, right), dot(p, up)];
            for i in 0..2 {
                lo[i] = lo[i].min(flat[i]);
                hi[i] = hi[i].max(flat[i]);
            }
        }
        let extent = (hi[0] - lo[0]).max(hi[1] - lo[1]).max(f64::MIN_POSITIVE);
        let scale = (PANEL - 120.0) / extent;
        Self {
            right,
            up,
            scale,
            origin: [
                0.5 * PANEL - 0.5 * (lo[0] + hi[0]) * scale,
                0.5 * PANEL + 0.5 * (lo[1] + hi[1]) * scale,
            ],
        }
    }

    fn at(&self, p: V3) -> [f64; 2] {
        [
            self.origin[0] + dot(p, self.right) * self.scale,
            self.origin[1] - dot(p, self.up) * self.scale,
        ]
    }
}

/// The edges drawn for one contact: reactions for a unit normal force, or unit friction where mu is infinite.
fn sheet(state: &State, i: usize) -> Vec<V3> {
    let contact = &state.contacts[i];
    let frame = contact.frame(state.rho);
    let mu = contact.coefficients(state.rho).stick;
    let [plus, minus] = frame.cone_edges(mu);
    if mu.is_infinite() {
        vec![plus, frame.delta_n_n, minus]
    } else {
        vec![plus, minus]
    }
}

pub(crate) fn draw(svg: &mut Svg, state: &State, answer: &Solutions) {
    let sheets: Vec<Vec<V3>> = (0..state.contacts.len()).map(|i| sheet(state, i)).collect();
    let tips: Vec<V3> = sheets.iter().flatten().copied().collect();
    let size = tips.iter().map(|&p| norm(p)).fold(0.0, f64::max);
    let size = if size > 0.0 { size } else { 1.0 };
    // The force is drawn to the scale of the cones, as only its direction counts there.
    let force = state.generalised_force();
    let largest = answer
        .sets
        .iter()
        .flat_map(|s| &s.region.vertices)
        .map(|&a| norm(sub(scale(a, state.m), force)))
        .fold(norm(force), f64::max);
    let to_size = if largest > 0.0 {
        0.8 * size / largest
    } else {
        0.0
    };
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|a| scale(a, 0.75 * size));
    let mut points = tips.clone();
    points.extend(axes);
    points.extend(axes.map(|a| scale(a, -0.35)));
    points.push(scale(force, -to_size));
    let view = View::new(&points);

    let mut labels = Labels::default();
    for (axis, name) in axes.into_iter().zip(["F_x", "F_y", "τ/ρ"]) {
        let end = view.at(axis);
        svg.line(
            view.at(scale(axis, -0.35)),
            end,
            "stroke=\"#aaaaaa\" stroke-width=\"1\"",
        );
        svg.arrow(view.at(scale(axis, 0.8)), end, 1.0, "#888888");
        labels.put(svg, [end[0] + 6.0, end[1] + 4.0], 13.0, "#555555", name);
    }
    draw_composite(svg, &view, &tips);
    let origin = view.at([0.0; 3]);
    for (i, edges) in sheets.iter().enumerate() {
        let mut corners = vec![origin];
        corners.extend(edges.iter().map(|&e| view.at(e)));
        let c = colour(i);
        svg.polygon(
            &corners,
            &format!(
                "fill=\"{c}\" fill-opacity=\"0.3\" stroke=\"{c}\" stroke-width=\"1.5\" stroke-linejoin=\"round\""
            ),
        );
        let frame = state.contacts[i].frame(state.rho);
        let normal = view.at(frame.delta_n_n);
        svg.arrow(origin, normal, 1.2, c);
        let place = [normal[0] + 5.0, normal[1] - 5.0];
        labels.put(svg, place, 13.0, c, &format!("Δn {}", i + 1));
    }
    if let [contact] = state.contacts.as_slice() {
        draw_frame(svg, &mut labels, &view, &contact.frame(state.rho), size);
    }
    if norm(force) > 0.0 {
        svg.arrow(origin, view.at(scale(force, -to_size)), 2.4, "#000000");
    }
    for (number, set) in answer.sets.iter().enumerate() {
        let mut ends = Vec::new();
        for &a in &set.region.vertices {
            let reaction = sub(scale(a, state.m), force);
            let end = view.at(scale(reaction, to_size));
            ends.push(end);
            if norm(reaction) * to_size > 1e-6 * size {
                svg.arrow(origin, end, 2.0, "#7b3294");
            } else {
                svg.circle(
                    origin,
                    6.0,
                    "fill=\"none\" stroke=\"#7b3294\" stroke-width=\"2\"",
                );
            }
            let word = (number + 1).to_string();
            labels.put(svg, [end[0] + 6.0, end[1] + 12.0], 12.0, "#7b3294", &word);
        }
        svg.polygon(&ends, super::SET_STYLE);
    }
    svg.text(
        [12.0, 22.0],
        15.0,
        "start",
        "black",
        "configuration space: reactions (F_x, F_y, τ/ρ)",
    );
    svg.text(
        [12.0, PANEL - 12.0],
        12.0,
        "start",
        "#333333",
        "sheets: cones; dashed: their sum; black: -F_A; purple: reactions",
    );
}

/// The hull of the sheets: faces between neighbouring extreme edges, dashed along their tips.
fn draw_composite(svg: &mut Svg, view: &View, tips: &[V3]) {
    let cone = Cone::new(tips, 1e-9);
    if cone.is_whole_space() {
        let word = "composite cone: the whole space";
        svg.text([12.0, 42.0], 13.0, "start", "#333333", word);
        return;
    }
    let order = cone.extreme_rays();
    if order.len() < 3 {
        return;
    }
    let origin = view.at([0.0; 3]);
    for (k, &i) in order.iter().enumerate() {
        let j = order[(k + 1) % order.len()];
        let (a, b) = (view.at(tips[i]), view.at(tips[j]));
        svg.polygon(&[origin, a, b], "fill=\"#888888\" fill-opacity=\"0.08\"");
        svg.line(
            a,
            b,
            "stroke=\"#444444\" stroke-width=\"1.2\" stroke-dasharray=\"5 4\"",
        );
    }
}

/// For one contact, figure 4: the vectors t_r, t_r⊥ and v_f beside the cone.
fn draw_frame(
    svg: &mut Svg,
    labels: &mut Labels,
    view: &View,
    frame: &crate::contact::Frame,
    size: f64,
) {
    let origin = view.at([0.0; 3]);
    for (vector, name) in [
        (frame.t_r, "t_r"),
        (frame.t_r_perp, "t_r⊥"),
        (frame.v_f, "v_f"),
    ] {
        let end = view.at(scale(vector, 0.55 * size / norm(vector)));
        svg.arrow(origin, end, 1.2, "#444444");
        labels.put(svg, [end[0] + 5.0, end[1] + 4.0], 12.0, "#444444", name);
    }
    // The tangent plane, spanned by t_r and t_r⊥.
    let s = 0.5 * size;
    let corner =
        |a: f64, b: f64| view.at(add(scale(frame.t_r, a * s), scale(frame.t_r_perp, b * s)));
    svg.polygon(
        &[
            corner(1.0, 1.0),
            corner(1.0, -1.0),
            corner(-1.0, -1.0),
            corner(-1.0, 1.0),
        ],
        "fill=\"#56b4e9\" fill-opacity=\"0.12\" stroke=\"#56b4e9\" stroke-width=\"0.8\"",
    );
}
