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
    let owed = |ended: f64| Entry {
        load: 1.0,
        ended,
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
        before.iter().map(|e| (e.ended, e.load)).collect()
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

/// A ball of 2 kg between two walls, its contacts with them and what a step has taken from it, J.
fn between_walls(impulses: [f64; 2], lost: f64) -> (Model, Vec<ContactImpulse>, Seen) {
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
    let seen = Seen {
        contacts: vec![
            SeenContact {
                restitution: 0.5,
                ..SeenContact::default()
            };
            2
        ],
        bodies: vec![
            SeenBody::default(),
            SeenBody {
                lost,
                inverse_mass: 0.5,
                ..SeenBody::default()
            },
        ],
    };
    (model, vec![side(0, 1.0), side(1, -1.0)], seen)
}

fn owed(impulses: [f64; 2], lost: f64) -> Vec<f64> {
    let (model, contacts, seen) = between_walls(impulses, lost);
    let mut restitution = Restitution::default();
    restitution.advance(&model, 0.01, &contacts, &seen);
    let mut ended = Vec::new();
    restitution.ended(contacts.iter().map(|c| &c.contact), &mut ended);
    ended
}

#[test]
fn no_more_energy_is_given_back_than_was_taken() {
    // 3 m/s are stopped: 9 J lost, 6 N s of compression are owed whole, a quarter of the energy.
    assert_eq!(owed([6.0, 0.0], 9.0), [6.0, 0.0]);
    // Squeezed, and pushed by nothing: e c = 50 N s to the right would be 625 J.
    assert_eq!(owed([100.0, 0.0], 0.0), [0.0, 0.0]);
    let some = owed([100.0, 0.0], 6.25);
    assert!((some[0] - 10.0).abs() < 1e-12, "{some:?}");
    // What has gained energy has nothing to give.
    assert_eq!(owed([100.0, 0.0], -1.0), [0.0, 0.0]);
}

#[test]
fn what_closes_for_longer_than_an_impact_has_ended() {
    let (model, contacts, mut seen) = between_walls([1.0, 0.0], 9.0);
    seen.contacts[0].closes = true;
    let mut restitution = Restitution::default();
    for step in 0..LONGEST {
        restitution.advance(&model, 0.01, &contacts, &seen);
        assert!(restitution.is_idle(), "step {step} compresses still");
    }
    restitution.advance(&model, 0.01, &contacts, &seen);
    assert!(!restitution.is_idle());
}
