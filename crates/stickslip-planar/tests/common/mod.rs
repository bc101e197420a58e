//! Helpers for the tests.
#![allow(dead_code)]

use std::path::PathBuf;
pub(crate) mod second;
pub(crate) mod simplex;
pub(crate) mod states;

use stickslip_planar::{Contact, Options, Solutions, State, solve};

/// The folder with reference data, or `None` (with a word) where it is not there.
pub(crate) fn shared(file: &str) -> Option<String> {
    let root = std::env::var_os("STICKSLIP_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let path = root.join(file);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(e) => {
            println!("passed over: {} ({e})", path.display());
            None
        }
    }
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

/// Splitmix64: the same numbers everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [lo, hi).
    pub(crate) fn range(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * ((self.next() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// Uniform in lo..hi.
    pub(crate) fn integer(&mut self, lo: i64, hi: i64) -> i64 {
        lo + (self.next() % (hi - lo) as u64) as i64
    }
}

pub(crate) fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(x, y)| (x - y).abs())
        .fold(0.0, f64::max)
}
