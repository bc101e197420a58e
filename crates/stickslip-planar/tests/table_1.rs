//! Table 1 of the document, row by row: the intervals themselves, and a state in which the row decides the answer.

mod common;

use common::{all, distance};
use stickslip_planar::table::{Interval, validity};
use stickslip_planar::{Contact, State};

const ALL: Interval = Interval::ALL;
const EMPTY: Interval = Interval::EMPTY;
const BELOW: Interval = Interval {
    lo: f64::NEG_INFINITY,
    hi: 0.7,
};
const ABOVE: Interval = Interval {
    lo: 0.7,
    hi: f64::INFINITY,
};

/// A block on two feet (t = +x at both), pressed down with 1 N and pushed along x.
fn block(push: f64, mu: f64, v_x: f64) -> State {
    let mut state = State::new(1.0, 1.0);
    state.contacts = vec![
        Contact::new([0.0, 1.0], [1.0, 0.5], mu),
        Contact::new([0.0, 1.0], [-1.0, 0.5], mu),
    ];
    state.force = [push, -1.0, 0.0];
    state.velocity = [v_x, 0.0, 0.0];
    state
}

fn only(state: &State) -> (String, [f64; 3]) {
    let answer = all(state);
    assert_eq!(answer.sets.len(), 1, "{answer:#?}");
    (
        answer.sets[0].mode.clone(),
        answer.sets[0].acceleration().expect("one acceleration"),
    )
}

/// Row 1: v·v_f > 0. Friction works against the velocity whatever the push.
#[test]
fn row_1_sliding_forwards() {
    for (tc, fi) in [(-1, -1), (0, 0), (1, 1), (1, -1)] {
        assert_eq!(validity(1, tc, fi, 0.7), (EMPTY, ALL));
    }
    let (mode, a) = only(&block(0.5, 0.25, 1.0));
    assert_eq!(mode, "rr");
    assert!(distance(a, [0.25, 0.0, 0.0]) < 1e-12);
}

/// Row 2: v·v_f < 0.
#[test]
fn row_2_sliding_backwards() {
    for (tc, fi) in [(-1, -1), (0, 0), (1, 1), (1, -1)] {
        assert_eq!(validity(-1, tc, fi, 0.7), (ALL, EMPTY));
    }
    let (mode, a) = only(&block(0.5, 0.25, -1.0));
    assert_eq!(mode, "ll");
    assert!(distance(a, [0.75, 0.0, 0.0]) < 1e-12);
}

/// Row 3: standing still, t_c·v_f > 0. Above c_i the contact starts forwards and only the minus edge is legal.
#[test]
fn row_3_starting_along_the_tangent() {
    assert_eq!(validity(0, 1, -1, 0.7), (BELOW, ABOVE));
    let (mode, a) = only(&block(0.4, 0.25, 0.0));
    assert_eq!(mode, "rr");
    assert!(distance(a, [0.15, 0.0, 0.0]) < 1e-12);
    let (mode, a) = only(&block(-0.4, 0.25, 0.0));
    assert_eq!(mode, "ll");
    assert!(distance(a, [-0.15, 0.0, 0.0]) < 1e-12);
    assert_eq!(only(&block(0.2, 0.25, 0.0)).0, "ff");
}

/// Row 4: standing still, t_c·v_f < 0. A peg between two walls has one contact of each sign: t points down at the left
/// wall and up at the right one.
#[test]
fn row_4_starting_against_the_tangent() {
    assert_eq!(validity(0, -1, 1, 0.7), (ABOVE, BELOW));
    let mut state = State::new(1.0, 1.0);
    state.contacts = vec![
        Contact::new([1.0, 0.0], [1.0, 0.3], 0.2),
        Contact::new([-1.0, 0.0], [-1.0, -0.3], 0.2),
    ];
    // A clockwise torque of 0.6 N m presses both walls with 1 N each; friction 0.2 N each holds back the weight of 1 N, and
    // the moments of the two friction forces about the middle cancel.
    state.force = [0.0, -1.0, -0.6];
    let (mode, a) = only(&state);
    assert_eq!(mode, "rl");
    assert!(distance(a, [0.0, -0.6, 0.0]) < 1e-12, "{a:?}");
}

/// A body that turns about contact 1, at (0, -1) from its centre of mass on a floor, with angular velocity ω. Contact 2 is
/// a vertex a distance δ beside contact 1, on a wall: its normal points at contact 1, so that the line of accelerations
/// that keep both is the rotation about contact 1, and t_c·v_f = 0 there.
fn turning(omega: f64, delta: f64) -> State {
    let mut state = State::new(1.0, 1.0);
    state.contacts = vec![
        Contact::new([0.0, 1.0], [0.0, 1.0], 0.5),
        Contact::new([-delta.signum(), 0.0], [-delta, 1.0], 0.5),
    ];
    state.velocity = [-omega, 0.0, omega];
    state.force = [30.0 * delta.signum(), -1.0, 0.0];
    state
}

/// Keeping both contacts of [`turning`] carries contact 1 along the floor by ω²δ, whatever c: contact 2 circles about
/// contact 1 and would otherwise leave its wall. `side` is 1, or -1 for the mirror image.
fn carried_along(side: f64, mode: &str) {
    let answer = all(&turning(side, 0.5 * side));
    assert_eq!(answer.sets.len(), 1, "{answer:#?}");
    assert_eq!(answer.sets[0].mode, mode);
    // By hand: a_y = -ω² r_y = -1, so f_1 = f_2/2; a_x + α = ω²δ = 1/2 with a_x = 30 - 5/4 f_2 and α = -3/2 f_2.
    let f_2 = 29.5 / 2.75;
    let expected = [side * (30.0 - 1.25 * f_2), -1.0, -1.5 * side * f_2];
    let a = answer.sets[0].acceleration().expect("one acceleration");
    assert!(distance(a, expected) < 1e-9, "{a:?} {expected:?}");
}

/// Row 5: t_c·v_f = 0 and F_i·v_f > 0.
#[test]
fn row_5_carried_forwards() {
    assert_eq!(validity(0, 0, 1, 0.7), (EMPTY, ALL));
    carried_along(1.0, "rr");
}

/// Row 6: t_c·v_f = 0 and F_i·v_f < 0.
#[test]
fn row_6_carried_backwards() {
    assert_eq!(validity(0, 0, -1, 0.7), (ALL, EMPTY));
    carried_along(-1.0, "ll");
}

/// Row 7: t_c·v_f = 0 and F_i·v_f = 0. The contact stands still whatever c: both edges stay legal.
#[test]
fn row_7_standing_still_throughout() {
    assert_eq!(validity(0, 0, 0, 0.7), (ALL, ALL));
    let mut state = turning(0.0, 0.5);
    // A vertex in a corner: the body can only turn about it.
    state.contacts[1].r = [0.0, 1.0];
    state.force = [0.3, -1.0, 0.2];
    let answer = all(&state);
    let turning = answer
        .sets
        .iter()
        .find(|s| s.mode == "ff")
        .expect("turns about the corner");
    let a = turning.acceleration().expect("one acceleration");
    // Moment about the corner: τ + r × F = 0.2 + (0·(-1) - 1·0.3) = -0.1; inertia 1 + |r|² = 2.
    assert!(distance(a, [0.05, 0.0, -0.05]) < 1e-12, "{a:?}");
}
