//! Helpers for the tests.
#![allow(dead_code)]

use std::path::PathBuf;
pub(crate) mod second;
pub(crate) mod simplex;
pub(crate) mod states;

use stickslip_planar::{Contact, Options, Solutions, State, solve};
pub(crate) use stickslip_testing::Random;
use stickslip_testing::shared;

/// The text of a reference, or `None` where it is not there.
pub(crate) fn reference(name: &str) -> Option<String> {
    let path = shared(&format!("reference/{name}"))?;
    Some(std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

/// The scene file of that name.
pub(crate) fn scene(name: &str) -> State {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../scenes/planar")
        .join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    State::from_toml(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

pub(crate) fn all(state: &State) -> Solutions {
    solve(state, &Options::default()).expect("a valid state")
}

/// The three-point contact of section 5.2.
pub(crate) fn three_point(mu: f64, rho: f64, force: [f64; 3]) -> State {
    let mut state = State::new(1.0, rho);
    state.contacts = [[1.0, 1.0], [-1.0, 1.0], [0.0, 1.0]]
        .map(|r| Contact::new([0.0, 1.0], r, mu))
        .to_vec();
    state.force = force;
    state
}

/// A uniform rod of length l on the ground at angle theta from it, leaning to the right of its contact.
pub(crate) fn rod(theta: f64, mu: f64, l: f64) -> State {
    let mut state = State::new(1.0, l / 12.0_f64.sqrt());
    let r = [0.5 * l * libm::cos(theta), 0.5 * l * libm::sin(theta)];
    state.contacts = vec![Contact::new([0.0, 1.0], r, mu)];
    state.force = [0.0, -9.81, 0.0];
    state
}

pub(crate) fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(x, y)| (x - y).abs())
        .fold(0.0, f64::max)
}
