//! Pictures: the body with its friction cones in real space, and the cones in configuration space (figures 4 and 6 of
//! the document), as SVG.

mod configuration;
mod labels;
mod map;
mod peg;
mod real;
mod svg;

use crate::solve::Solutions;
use crate::state::State;
pub use peg::{Pair, Peg};
use svg::Svg;

/// Width and height of one panel, in SVG units.
pub(crate) const PANEL: f64 = 460.0;

/// One colour for each contact, again from the start after sixteen. The first eight stay apart for colour-blind readers.
pub(crate) const COLOURS: [&str; 16] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c564b", "#666666",
    "#1b2a6b", "#a50f15", "#0b5d1e", "#88419d", "#8a6d00", "#0f8b8d", "#4d2c1d", "#111111",
];

/// How a continuous set is filled.
pub(crate) const SET_STYLE: &str = "fill=\"#7b3294\" fill-opacity=\"0.25\" stroke=\"#7b3294\" stroke-width=\"5\" stroke-opacity=\"0.35\" \
     stroke-linejoin=\"round\"";

pub(crate) fn colour(i: usize) -> &'static str {
    COLOURS[i % COLOURS.len()]
}

/// The body, its contacts with their friction cones, the applied force and the accelerations, in real space.
#[must_use]
pub fn real_space_svg(state: &State, answer: &Solutions) -> String {
    let mut svg = Svg::new(PANEL, PANEL + real::legend_height(answer));
    real::draw(&mut svg, state, answer);
    svg.finish()
}

/// The friction cones of all contacts and their sum, in the space (F_x, F_y, τ/ρ), seen obliquely.
#[must_use]
pub fn configuration_svg(state: &State, answer: &Solutions) -> String {
    let mut svg = Svg::new(PANEL, PANEL);
    configuration::draw(&mut svg, state, answer);
    svg.finish()
}

/// Both pictures side by side.
#[must_use]
pub fn both_svg(state: &State, answer: &Solutions) -> String {
    let mut svg = Svg::new(2.0 * PANEL, PANEL + real::legend_height(answer));
    real::draw(&mut svg, state, answer);
    svg.shift(PANEL, 0.0);
    configuration::draw(&mut svg, state, answer);
    svg.finish()
}
