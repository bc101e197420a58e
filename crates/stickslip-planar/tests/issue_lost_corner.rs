//! Cutting a polygon of accelerations once thinned its corners by a hull whose sorting trusted coordinates equal up to
//! rounding, and lost the corner (0, -8, 0) of this state: five contacts along one line, sliding.

mod common;

use common::states::directions;
use common::{all, distance, second::Second};
use stickslip_planar::{Contact, ContactKind, State};

#[test]
fn all_corners_of_a_polygon_are_kept() {
    let mut state = State::new(1.0, 1.0);
    state.force = [1.0, -1.0, -2.0];
    state.velocity = [0.0, 2.0, 0.0];
    state.contacts = vec![
        Contact::new([-1.0, 0.0], [1.0, 0.0], 3.0),
        Contact::new([1.0, 0.0], [1.0, 1.0], 3.0).with_kind(ContactKind::Arc {
            body: 2.024681548769874,
            obstacle: 0.07567267230228625,
        }),
        Contact::new([1.0, 0.0], [2.0, 2.0], 3.0),
        Contact::new([-1.0, 0.0], [0.0, 2.0], 3.0),
        Contact::new([1.0, 0.0], [1.0, 2.0], 3.0),
    ];
    let answer = all(&state);
    let corner = [0.0, -8.0, 0.0];
    let polygon = answer
        .sets
        .iter()
        .find(|s| s.mode == "sslrl")
        .expect("a polygon");
    assert!(
        polygon.vertices.iter().any(|v| distance(*v, corner) < 1e-9),
        "{polygon:#?}"
    );
    let differences = Second::new(&state).differences(&answer, &directions());
    assert!(differences.is_empty(), "{differences:#?}");
}
