//! Misprints and gaps of the document, each pinned to the reading we take (TR9, TR10, TR11).

mod common;

use common::{Random, all, distance, three_point};
use stickslip_planar::{Contact, Options, State, forces, solve};

/// TR9: F_R = -F_A - m h' + c t_c. A body turning about its left foot has h' ≠ 0; with the other sign the reaction would
/// not satisfy Newton's law. The numbers are by hand.
#[test]
fn tr9_sign_of_the_fictitious_force() {
    let mut state = State::new(2.0, 1.0);
    // Two contacts at one point, in a corner: floor and left wall. The body turns about the point with ω = 1.
    state.contacts = vec![
        Contact::new([0.0, 1.0], [1.0, 1.0], 0.0),
        Contact::new([1.0, 0.0], [1.0, 1.0], 0.0),
    ];
    let omega = 1.0;
    state.velocity = [-omega, omega, omega];
    // Strong enough to keep both contacts although the body swings.
    state.force = [-10.0, -10.0, 0.0];
    let answer = all(&state);
    // h' = ω² r = (1, 1): the point stays, so a = -ω² r + α z × r with α = (τ + r × F)/(I + m|r|²) = 0.
    let kept = answer
        .sets
        .iter()
        .find(|s| !s.mode.contains('s'))
        .expect("both kept");
    let a = kept.acceleration().expect("one acceleration");
    assert!(distance(a, [-1.0, -1.0, 0.0]) < 1e-12, "{a:?}");
    // F_R = m a - F_A = (8, 8).
    let set = forces(&state, &Options::default(), kept.region.vertices[0]);
    assert!(set.unique());
    for force in &set.vertices[0] {
        assert!((force.normal - 8.0).abs() < 1e-12 && force.friction.abs() < 1e-12);
    }
}

/// Newton's law (3) with contact forces rebuilt from normal and friction parts, for every solution of random states.
#[test]
fn tr9_newton_holds_for_every_solution() {
    let mut random = Random::new(9);
    let mut worst = 0.0_f64;
    for _ in 0..2000 {
        let state = common::states::random_state(&mut random);
        for solution in &all(&state).sets {
            for (&q, a) in solution.region.vertices.iter().zip(&solution.vertices) {
                let set = forces(&state, &Options::default(), q);
                assert!(!set.vertices.is_empty(), "{state:?} {a:?}");
                for distribution in &set.vertices {
                    let mut sum = state.force;
                    let mut size = 1.0_f64;
                    for f in distribution {
                        let c = &state.contacts[f.contact];
                        let force = [
                            f.normal * c.n[0] + f.friction * c.n[1],
                            f.normal * c.n[1] - f.friction * c.n[0],
                        ];
                        sum[0] += force[0];
                        sum[1] += force[1];
                        sum[2] += force[0] * c.r[1] - force[1] * c.r[0];
                        size = size.max(f.normal).max(f.friction.abs());
                        assert!(f.friction.abs() <= c.mu * f.normal + 1e-9 * size);
                    }
                    let inertia = [state.m, state.m, state.m * state.rho * state.rho];
                    let big = a.iter().fold(size, |m, x| m.max(x.abs()));
                    for i in 0..3 {
                        worst = worst.max((sum[i] - inertia[i] * a[i]).abs() / big);
                    }
                }
            }
        }
    }
    println!("largest residual of (3), relative: {worst:e}");
    assert!(worst < 1e-12);
}

/// TR10: edges are Δn n ± μ v_f, and h goes with the unnormalised row. With a long lever Δn is far from 1; the answer by
/// Newton's law in the plain coordinates must come out all the same.
#[test]
fn tr10_rows_are_not_normalised() {
    let (mu, omega, r) = (0.2, 1.5, [3.0, 0.4]);
    let mut state = State::new(1.3, 0.6);
    state.contacts = vec![Contact::new([0.0, 1.0], r, mu)];
    assert!(state.contacts[0].frame(state.rho).delta_n > 5.0);
    // The contact slides to the right at 2 m/s while the body turns.
    state.velocity = [2.0 - omega * r[1], omega * r[0], omega];
    state.force = [0.0, -20.0, 0.0];
    let answer = all(&state);
    assert_eq!(answer.sets.len(), 1);
    // a_y + n_q α + ω² r_y = 0, n_q = -r_x; friction -mu f; torque n_q f - mu f v_q with v_q = r_y.
    let arm = -r[0] - mu * r[1];
    let inverse = 1.0 / state.m + (-r[0]) * arm / (state.m * state.rho * state.rho);
    let f = (20.0 / state.m - omega * omega * r[1]) / inverse;
    let expected = [
        -mu * f / state.m,
        (f - 20.0) / state.m,
        arm * f / (state.m * state.rho * state.rho),
    ];
    let a = answer.sets[0].acceleration().expect("one acceleration");
    assert!(
        f > 0.0 && distance(a, expected) < 1e-12,
        "{a:?} {expected:?}"
    );
}

/// TR11: where t_r⊥·n_0 = 0 the sign of t_s is open. Turning the plane by half a turn flips it; the answer turns along.
#[test]
fn tr11_sign_of_the_tangent_does_not_matter() {
    let mut random = Random::new(11);
    for _ in 0..500 {
        let force = [(); 3].map(|()| random.between(-2.0, 2.0));
        let state = three_point(random.between(0.0, 3.0), 1.0, force);
        let angle = random.between(0.0, 6.3);
        let (s, c) = (libm::sin(angle), libm::cos(angle));
        let turn = |p: [f64; 2]| [c * p[0] - s * p[1], s * p[0] + c * p[1]];
        let mut turned = state.clone();
        for contact in &mut turned.contacts {
            contact.n = turn(contact.n);
            contact.r = turn(contact.r);
        }
        let f = turn([force[0], force[1]]);
        turned.force = [f[0], f[1], force[2]];
        // And the mirror image, which swaps l and r and the sign of t.
        let mut mirrored = state.clone();
        for contact in &mut mirrored.contacts {
            contact.n[0] = -contact.n[0];
            contact.r[0] = -contact.r[0];
        }
        mirrored.force = [-force[0], force[1], -force[2]];
        let (plain, turned, mirrored) = (all(&state), all(&turned), all(&mirrored));
        assert_eq!(plain.sets.len(), turned.sets.len());
        assert_eq!(plain.sets.len(), mirrored.sets.len());
        for set in &plain.sets {
            let a = set.acceleration().expect("isolated");
            let rotated = turn([a[0], a[1]]);
            let close = |other: &stickslip_planar::Solutions, b: [f64; 3], mode: &str| {
                other.sets.iter().any(|s| {
                    s.mode == mode && distance(s.acceleration().expect("isolated"), b) < 1e-8
                })
            };
            assert!(close(&turned, [rotated[0], rotated[1], a[2]], &set.mode));
            let swapped: String = set
                .mode
                .chars()
                .map(|l| match l {
                    'l' => 'r',
                    'r' => 'l',
                    other => other,
                })
                .collect();
            assert!(close(&mirrored, [-a[0], a[1], -a[2]], &swapped));
        }
    }
}

/// The order of the contacts and the units change nothing.
#[test]
fn order_and_units_do_not_matter() {
    let mut random = Random::new(12);
    for _ in 0..2000 {
        let state = common::states::random_state(&mut random);
        let plain = all(&state);
        let mut other = state.clone();
        other.contacts.reverse();
        // Lengths in another unit: a and v scale, α and ω do not.
        let unit = 100.0;
        for c in &mut other.contacts {
            c.r = c.r.map(|x| x * unit);
            if let stickslip_planar::ContactKind::Arc { body, obstacle } = &mut c.kind {
                *body /= unit;
                *obstacle /= unit;
            }
        }
        other.rho *= unit;
        other.force = [
            other.force[0] * unit,
            other.force[1] * unit,
            other.force[2] * unit * unit,
        ];
        other.velocity[0] *= unit;
        other.velocity[1] *= unit;
        let scaled = solve(&other, &Options::default()).unwrap();
        assert_eq!(plain.sets.len(), scaled.sets.len(), "{state:?}");
        for set in &plain.sets {
            let mode: String = set.mode.chars().rev().collect();
            let size = set
                .vertices
                .iter()
                .flatten()
                .fold(1.0_f64, |m, x| m.max(x.abs()));
            let same = scaled.sets.iter().any(|s| {
                s.mode == mode
                    && set.vertices.iter().all(|v| {
                        s.vertices
                            .iter()
                            .any(|w| distance(*v, [w[0] / unit, w[1] / unit, w[2]]) < 1e-6 * size)
                    })
            });
            assert!(same, "{state:?}\n{:#?}\n{:#?}", plain.sets, scaled.sets);
        }
    }
}
