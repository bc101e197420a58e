//! Where the rocking plate begins to hold a particle, and where it throws it off: d* = μ(g + α|r|)/α and
//! |r| = g/α. Both formulas leave out the plate's tilt and speed, which are of the order of α T: a plate that rocks
//! ten times as fast, with the same acceleration, shows them.

use stickslip::prelude::*;
use stickslip_verify::world_of;

const ALPHA: f64 = 180.0;
const MU: f64 = 0.3;
const G: f64 = 9.81;
const STEPS: usize = 2000;

/// What the particle does in its ninth period, when it has settled.
struct Period {
    /// Longest time in one go that it sticks, in steps.
    stuck: usize,
    /// Does it leave the plate?
    lost: bool,
    /// Mean distance from the middle, m.
    r: f64,
}

fn ninth_period(period: f64, d: f64, r: f64) -> Period {
    let set = [
        format!("T={period}"),
        format!("d={d}"),
        format!("r={r}"),
        format!("step.h={period}/{STEPS}"),
    ];
    let (_, mut world) = world_of("plate_rocking.toml", &set);
    for _ in 0..8 * STEPS {
        world.step().unwrap();
    }
    let mut found = Period {
        stuck: 0,
        lost: false,
        r: 0.0,
    };
    let mut sticking = 0;
    for _ in 0..STEPS {
        let contacts = &world.step().unwrap().contacts;
        let mode = contacts.first().map_or(Mode::Open, |c| c.mode);
        sticking = if mode == Mode::Stick { sticking + 1 } else { 0 };
        found.stuck = found.stuck.max(sticking);
        found.lost |= mode == Mode::Open;
        let [plate, particle] = ["plate", "particle"].map(|name| world.body(name).unwrap());
        let place = plate.pose.to_body(particle.pose.position);
        found.r += place.x.abs() / STEPS as f64;
    }
    found
}

/// The place between `no` and `yes` where `holds` begins, to 1e-4 of it.
fn bisect(mut no: f64, mut yes: f64, holds: impl Fn(f64) -> bool) -> f64 {
    while (yes - no).abs() > 1e-4 * yes.abs() {
        let middle = 0.5 * (no + yes);
        if holds(middle) {
            yes = middle;
        } else {
            no = middle;
        }
    }
    0.5 * (no + yes)
}

/// A slip that reverses within a step has one step of stick at most: three in a row are a stick phase.
fn sticks(period: f64, d: f64, r: f64) -> bool {
    ninth_period(period, d, r).stuck >= 3
}

#[test]
fn sticking_begins_at_its_boundary() {
    for (period, bound) in [(0.003, 0.01), (0.03, 0.05)] {
        for r in [0.01, 0.02, -0.03] {
            let d = bisect(0.04, 0.01, |d| sticks(period, d, r));
            let at = ninth_period(period, d, r).r;
            let formula = MU * (G + ALPHA * at) / ALPHA;
            let off = d / formula - 1.0;
            eprintln!(
                "T = {period} s, r = {r} m: sticks below d = {d:.5} m, formula {formula:.5} m ({off:+.2e})"
            );
            assert!(off.abs() < bound, "{off:.2e}");
        }
    }
}

#[test]
fn contact_is_lost_beyond_its_boundary() {
    for (period, bound) in [(0.003, 0.01), (0.03, 0.05)] {
        for side in [1.0, -1.0] {
            let r = bisect(0.04, 0.08, |r| ninth_period(period, 0.05, side * r).lost);
            let at = ninth_period(period, 0.05, side * r).r;
            let off = at / (G / ALPHA) - 1.0;
            eprintln!(
                "T = {period} s: contact lost beyond |r| = {at:.5} m, g/α = {:.5} m ({off:+.2e})",
                G / ALPHA
            );
            assert!(off.abs() < bound, "{off:.2e}");
        }
    }
}
