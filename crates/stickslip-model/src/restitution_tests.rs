//! Tests of restitution's memory.

use super::*;
use crate::model::Body;
use crate::step::Mode;
use stickslip_geometry::{MassProperties, Shape};

fn contact(bodies: [usize; 2], feature: Feature, x: f64) -> Contact {
    Contact {
        bodies,
        feature,
        point: DVec3::X * x,
        normal: DVec3::Z,
        pieces: [0; 2],
        gap: 0.0,
        friction: crate::Friction::default(),
    }
}

#[test]
fn what_is_owed_goes_to_the_nearest_contact_of_the_pair() {
    let feature = Feature;
    let owed = |impulse: f64| Entry {
        load: 1.0,
        ended: Compression {
            impulse,
            energy: 2.0 * impulse,
        },
        ..Entry::default()
    };
    let entries = [
        (Key::of(&contact([0, 1], feature(1), 0.0)), owed(1.0)),
        (Key::of(&contact([0, 1], feature(2), 1.0)), owed(2.0)),
        (Key::of(&contact([0, 2], feature(1), 0.0)), owed(4.0)),
    ];
    let found = |contacts: &[Contact]| -> Vec<(f64, f64)> {
        let mut before = Vec::new();
        carried(&entries, contacts.iter(), &mut before);
        let energy = |e: &Entry| assert_eq!(e.ended.energy, 2.0 * e.ended.impulse);
        before.iter().for_each(energy);
        before.iter().map(|e| (e.ended.impulse, e.load)).collect()
    };
    // The same features: each its own, wherever they are now.
    let same = [
        contact([0, 1], feature(1), 1.0),
        contact([0, 1], feature(2), 0.0),
    ];
    assert_eq!(found(&same), [(1.0, 1.0), (2.0, 1.0)]);
    // One feature is new: it takes over from the one that vanished.
    let moved = [
        contact([0, 1], feature(2), 1.0),
        contact([0, 1], feature(7), 0.1),
    ];
    assert_eq!(found(&moved), [(2.0, 1.0), (1.0, 1.0)]);
    // One is left: it owes for both, but bore only its own load.
    assert_eq!(found(&moved[..1]), [(3.0, 1.0)]);
    // Another pair, or one that pushes the other way, owes nothing.
    let mut other = contact([0, 1], feature(9), 0.0);
    other.normal = DVec3::NEG_Z;
    assert_eq!(found(&[other]), [(0.0, 0.0)]);
    assert_eq!(found(&[contact([1, 2], feature(1), 0.0)]), [(0.0, 0.0)]);
}

/// Nothing is remembered for longer than a compression may last, whichever contact remembers it.
#[test]
fn what_takes_over_is_as_old_as_the_older() {
    let of = |feature: u32, steps: u64| {
        let entry = Entry {
            steps,
            compresses: true,
            ..Entry::default()
        };
        let place = f64::from(feature);
        (Key::of(&contact([0, 1], Feature(feature), place)), entry)
    };
    for steps in [[5, 2], [2, 5]] {
        let entries = [of(1, steps[0]), of(2, steps[1])];
        let left = [contact([0, 1], Feature(2), 2.0)];
        let mut before = Vec::new();
        carried(&entries, left.iter(), &mut before);
        assert_eq!(before[0].steps, 5);
    }
}

/// A ball of 2 kg between two walls, and the impulses of its contacts with them.
fn between_walls(impulses: [f64; 2]) -> (Model, Vec<ContactImpulse>) {
    let ball = Shape::ball(0.1).expect("a ball");
    let mass = MassProperties::with_mass(&ball, 2.0).expect("it has a volume");
    let model = Model {
        bodies: vec![
            Body::prescribed("walls", ball.clone()),
            Body::free("ball", ball, mass),
        ],
        ..Model::default()
    };
    let side = |k: u32, x: f64| {
        let mut c = contact([0, 1], Feature(k), -x);
        c.normal = DVec3::X * x;
        ContactImpulse {
            contact: c,
            impulse: DVec3::X * impulses[k as usize],
            moment: DVec3::ZERO,
            mode: Mode::Stick,
            restituted: 0.0,
            directions: 0,
        }
    };
    (model, vec![side(0, 1.0), side(1, -1.0)])
}

const HALF: Seen = Seen {
    pressed: 0.0,
    closes: false,
    leaves: false,
    opens: false,
    restitution: 0.5,
    taken: 0.0,
};

/// The ball when it moves at `speed`.
fn movers(speed: f64) -> [Mover; 2] {
    let walls = Mover {
        twist: Twist::default(),
        position: DVec3::ZERO,
        inverse_mass: 0.0,
        inverse_inertia: DMat3::ZERO,
    };
    let mut ball = walls;
    ball.twist.linear.x = speed;
    ball.inverse_mass = 0.5;
    [walls, ball]
}

/// What is given after one step with these impulses, in which the contacts have taken so much.
fn given(impulses: [f64; 2], taken: [f64; 2], speed: f64) -> Vec<f64> {
    let (model, contacts) = between_walls(impulses);
    let seen = taken.map(|taken| Seen { taken, ..HALF });
    let mut restitution = Restitution::default();
    restitution.advance(&model, 0.01, &contacts, &seen);
    given_by(&restitution, &model, &contacts, speed)
}

fn given_by(
    restitution: &Restitution,
    model: &Model,
    contacts: &[ContactImpulse],
    speed: f64,
) -> Vec<f64> {
    let mut given = Vec::new();
    let list = contacts.iter().map(|c| &c.contact);
    restitution.given(model, list, &movers(speed), |_| 0.5, &mut given);
    given
}

#[test]
fn no_more_energy_is_given_back_than_was_taken() {
    // 3 m/s are stopped: 9 J taken, 6 N s of compression are owed whole, a quarter of the energy.
    assert_eq!(given([6.0, 0.0], [9.0, 0.0], 0.0), [3.0, 0.0]);
    // Squeezed, and pushed by nothing: e c = 50 N s to the right would be 625 J.
    assert_eq!(given([100.0, 0.0], [0.0, 0.0], 0.0), [0.0, 0.0]);
    let some = given([100.0, 0.0], [6.25, 0.0], 0.0);
    assert!((some[0] - 5.0).abs() < 1e-12, "{some:?}");
    // The account is the island's: what one contact puts in is not there for the other.
    let some = given([100.0, 1.0], [10.25, -4.0], 0.0);
    assert!((some[0] - some[1] - 5.0).abs() < 1e-12, "{some:?}");
    // What has gained energy has nothing to give.
    assert_eq!(given([100.0, 0.0], [-1.0, 0.0], 0.0), [0.0, 0.0]);
}

#[test]
fn what_moves_already_takes_more_to_be_pushed() {
    // r = 3 N s at 1 m/s: 3 J by its speed and 2.25 J more.
    assert_eq!(given([6.0, 0.0], [5.25, 0.0], 1.0), [3.0, 0.0]);
    let some = given([6.0, 0.0], [2.0, 0.0], 1.0)[0];
    assert!((some * 1.0 + 0.25 * some * some - 2.0).abs() < 1e-12);
    // What still comes costs nothing at first.
    let some = given([6.0, 0.0], [0.0, 0.0], -0.5)[0];
    assert!((some - 2.0).abs() < 1e-12);
    assert_eq!(given([6.0, 0.0], [0.0, 0.0], -1.0), [3.0, 0.0]);
}

#[test]
fn what_is_not_a_number_is_not_given() {
    // Rest: rounding alone.
    for taken in [-1e-34, 0.0, 1e-34] {
        let given = given([0.2, 0.0], [taken, 0.0], 0.0);
        assert!(given.iter().all(|r| r.is_finite() && *r < 1e-16));
    }
    for speed in [1e300, -1e300] {
        let given = given([1e200, 0.0], [1.0, 0.0], speed);
        assert!(given.iter().all(|r| r.is_finite()), "{given:?}");
    }
    // Without restitution nothing is owed.
    let (model, contacts) = between_walls([6.0, 6.0]);
    let mut restitution = Restitution::default();
    let seen = [Seen {
        restitution: 0.0,
        ..HALF
    }; 2];
    restitution.advance(&model, 0.01, &contacts, &seen);
    assert!(restitution.is_idle());
}

#[test]
fn what_closes_for_longer_than_an_impact_has_ended() {
    let (model, contacts) = between_walls([1.0, 0.0]);
    let mut seen = [Seen { taken: 9.0, ..HALF }; 2];
    seen[0].closes = true;
    let mut restitution = Restitution::default();
    for step in 0..LONGEST {
        restitution.advance(&model, 0.01, &contacts, &seen);
        assert!(restitution.is_idle(), "step {step} compresses still");
    }
    restitution.advance(&model, 0.01, &contacts, &seen);
    assert!(!restitution.is_idle());
}

#[test]
fn what_has_only_begun_to_compress_goes_on() {
    let (model, mut contacts) = between_walls([1.0, 0.0]);
    let mut seen = [Seen { taken: 9.0, ..HALF }; 2];
    seen[0].closes = true;
    let mut restitution = Restitution::default();
    for _ in 0..LONGEST {
        restitution.advance(&model, 0.01, &contacts, &seen);
    }
    contacts[1].impulse.x = 2.0;
    restitution.advance(&model, 0.01, &contacts, &seen);
    let given = given_by(&restitution, &model, &contacts, 0.0);
    assert_eq!(given, [0.5 * (LONGEST + 1) as f64, 0.0]);
    // Then nothing closes any more.
    seen[0].closes = false;
    contacts[0].impulse.x = 0.0;
    restitution.advance(&model, 0.01, &contacts, &seen);
    assert_eq!(given_by(&restitution, &model, &contacts, 0.0), [0.0, 2.0]);
}

#[test]
fn what_is_pushed_open_gives_back_while_others_still_close() {
    let (model, mut contacts) = between_walls([2.0, 2.0]);
    let mut seen = [Seen { taken: 9.0, ..HALF }; 2];
    seen[1].closes = true;
    let mut restitution = Restitution::default();
    restitution.advance(&model, 0.01, &contacts, &seen);
    assert!(restitution.is_idle());
    seen[0].leaves = true;
    contacts[0].impulse.x = 0.0;
    restitution.advance(&model, 0.01, &contacts, &seen);
    assert_eq!(given_by(&restitution, &model, &contacts, 0.0), [1.0, 0.0]);
}

#[test]
fn an_impact_leaves_the_load_before_it_as_it_was() {
    let (model, mut contacts) = between_walls([6.0, 0.0]);
    let seen = [Seen { taken: 1e3, ..HALF }; 2];
    let mut restitution = Restitution::default();
    restitution.advance(&model, 0.01, &contacts, &seen);
    // While the first gives back, the second is struck, and pushes against the first.
    for (c, p) in contacts.iter_mut().zip([7.0, 8.0]) {
        c.impulse.x = p;
    }
    contacts[0].restituted = 3.0;
    restitution.advance(&model, 0.01, &contacts, &seen);
    assert_eq!(given_by(&restitution, &model, &contacts, 0.0), [2.0, 4.0]);
}

#[test]
fn what_opened_when_it_was_pressed_is_struck_when_that_is_given_back() {
    for opens in [false, true] {
        let (model, mut contacts) = between_walls([6.0, 0.0]);
        let seen = [Seen {
            opens,
            taken: 1e3,
            ..HALF
        }; 2];
        let mut restitution = Restitution::default();
        restitution.advance(&model, 0.01, &contacts, &seen);
        contacts[0].impulse.x = 7.0;
        contacts[0].restituted = 3.0;
        restitution.advance(&model, 0.01, &contacts, &seen);
        let given = given_by(&restitution, &model, &contacts, 0.0);
        assert_eq!(given, [if opens { 2.0 } else { 0.0 }, 0.0]);
    }
}
