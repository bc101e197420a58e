//! The three-point contact of section 5.2: the printed numbers, and the claims of section 5.3 about it.

mod common;

use common::{Random, all, scene, three_point};
use stickslip_planar::{Cone, Frame, Reason, Status, Verdict};

fn frames(rho: f64) -> [Frame; 3] {
    [[1.0, 1.0], [-1.0, 1.0], [0.0, 1.0]].map(|r| Frame::new([0.0, 1.0], r, rho))
}

#[test]
fn normals_and_friction_vectors_are_exact() {
    for rho in [1.0, 0.5, 2.0, 0.7] {
        let [f1, f2, f3] = frames(rho);
        assert_eq!(f1.delta_n_n, [0.0, 1.0, -1.0 / rho]);
        assert_eq!(f2.delta_n_n, [0.0, 1.0, 1.0 / rho]);
        assert_eq!(f3.delta_n_n, [0.0, 1.0, 0.0]);
        assert_eq!(f1.t_s, [1.0, 0.0, 0.0]);
        assert_eq!(f2.t_s, [-1.0, 0.0, 0.0]);
        assert_eq!(f3.t_s, [1.0, 0.0, 0.0]);
        assert_eq!(f1.v_f, [1.0, 0.0, 1.0 / rho]);
        assert_eq!(f2.v_f, [-1.0, 0.0, -1.0 / rho]);
        assert_eq!(f3.v_f, [1.0, 0.0, 1.0 / rho]);
    }
}

#[test]
fn cone_edges_of_figure_6_are_exact() {
    let [f1, f2, f3] = frames(1.0);
    assert_eq!(
        f1.cone_edges(0.25),
        [[0.25, 1.0, -0.75], [-0.25, 1.0, -1.25]]
    );
    // Contact 2 has t_s the other way round, so its edges come in the other order.
    assert_eq!(f2.cone_edges(0.25), [[-0.25, 1.0, 0.75], [0.25, 1.0, 1.25]]);
    assert_eq!(
        f3.cone_edges(0.25),
        [[0.25, 1.0, 0.25], [-0.25, 1.0, -0.25]]
    );
}

/// The middle cone is the mean of the outer ones here, and need not be elsewhere.
#[test]
fn middle_cone_lies_in_the_sum_of_the_others() {
    let [f1, f2, f3] = frames(1.0);
    let (e1, e2, e3) = (
        f1.cone_edges(0.25),
        f2.cone_edges(0.25),
        f3.cone_edges(0.25),
    );
    for i in 0..3 {
        assert_eq!(e3[0][i], 0.5 * (e1[0][i] + e2[1][i]));
        assert_eq!(e3[1][i], 0.5 * (e1[1][i] + e2[0][i]));
    }
    let outer = Cone::new(&[e1[0], e1[1], e2[0], e2[1]], 1e-12);
    assert!(e3.iter().all(|&e| outer.contains(e, 1e-12)));
    assert_eq!(outer.extreme_rays().len(), 4);

    let state = scene("middle-cone.toml");
    let edges: Vec<_> = state
        .contacts
        .iter()
        .map(|c| c.frame(state.rho).cone_edges(c.mu))
        .collect();
    let outer = Cone::new(&[edges[0][0], edges[0][1], edges[1][0], edges[1][1]], 1e-12);
    assert!(edges[2].iter().all(|&e| !outer.contains(e, 1e-3)));
}

/// Below mu = rho² + 1 all cones lie above their tangent planes and the motion is unique; above, it is not.
#[test]
fn unique_below_the_threshold() {
    let mut random = Random::new(52);
    for rho in [0.5, 1.0, 1.7] {
        let threshold = rho * rho + 1.0;
        for _ in 0..3000 {
            let force = [(); 3].map(|()| random.between(-2.0, 2.0));
            let below = three_point(random.between(0.0, 0.999) * threshold, rho, force);
            assert_eq!(all(&below).status(), Status::Unique, "{below:?}");
        }
        let [f1, ..] = frames(rho);
        assert!(f1.cone_above_tangent_plane(threshold * (1.0 - 1e-12)));
        assert!(!f1.cone_above_tangent_plane(threshold * (1.0 + 1e-12)));
        let mut several = 0;
        for _ in 0..3000 {
            let force = [(); 3].map(|()| random.between(-2.0, 2.0));
            let above = three_point(1.3 * threshold, rho, force);
            several += usize::from(all(&above).sets.len() > 1);
        }
        assert!(several > 10, "rho {rho}: {several}");
    }
}

/// A force along the table slides the object; single contacts are refused because the motion would go through others.
#[test]
fn single_contacts_would_push_through_the_table() {
    let answer = all(&three_point(0.25, 1.0, [0.6, -1.0, 0.0]));
    assert_eq!(answer.sets.len(), 1);
    assert_eq!(answer.sets[0].mode, "rrr");
    let refused: Vec<_> = answer
        .hypotheses
        .iter()
        .filter(|h| h.contacts.len() == 1)
        .map(|h| &h.pieces[0].verdict)
        .collect();
    assert_eq!(refused.len(), 3);
    for verdict in refused {
        assert!(
            matches!(verdict, Verdict::Rejected(Reason::PushesThrough(_))),
            "{verdict:?}"
        );
    }
}

/// A torque turns the object about an extreme foot as soon as it passes the weight times the half width.
#[test]
fn torque_switches_to_rotation() {
    let mode = |torque: f64| {
        all(&three_point(0.25, 1.0, [0.0, -1.0, torque])).sets[0]
            .mode
            .clone()
    };
    assert_eq!(mode(1.0 - 1e-6), "fff");
    assert_eq!(mode(1.0 + 1e-6), "fss");
    assert_eq!(mode(-1.0 - 1e-6), "sfs");
    assert_eq!(mode(2.0), "fss");
    assert_eq!(
        all(&three_point(0.25, 1.0, [0.0, 1.0, 0.0])).sets[0].mode,
        "sss"
    );
}
