//! Vectors in configuration space, and second variation against finite differences.

mod common;

use common::Random;
use stickslip_planar::{Contact, ContactKind, Frame, Reaction, State, two_projections};

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn random_contact(random: &mut Random) -> Contact {
    let angle = random.between(-3.2, 3.2);
    let r = [random.between(-2.0, 2.0), random.between(-2.0, 2.0)];
    Contact::new(
        [libm::cos(angle), libm::sin(angle)],
        r,
        random.between(0.0, 3.0),
    )
}

#[test]
fn vectors_are_orthogonal_and_signed_as_agreed() {
    let mut random = Random::new(3);
    for _ in 0..10_000 {
        let c = random_contact(&mut random);
        let rho = random.between(0.1, 3.0);
        let f: Frame = c.frame(rho);
        for v in [f.n, f.t_r, f.t_r_perp, f.t_s] {
            assert!((dot(v, v) - 1.0).abs() < 1e-12);
        }
        assert!(dot(f.t_r, f.n).abs() < 1e-12);
        assert!(dot(f.t_r_perp, f.n).abs() < 1e-12);
        assert!(dot(f.t_r_perp, f.t_r).abs() < 1e-12);
        // v_f is the frictional force: pure rotation about the contact does no work against it.
        assert!(dot(f.t_r, f.v_f).abs() < 1e-12);
        assert!(dot(f.t_r_perp, [c.n[0], c.n[1], 0.0]) > -1e-12);
        assert!(dot(f.t_r_perp, f.t_s) > 0.0 && dot(f.v_f, f.t_s) > 0.0);
        assert!((f.delta_n - (1.0 + f.n_q * f.n_q / (rho * rho)).sqrt()).abs() < 1e-12);
        // The vectors do not depend on the type of contact.
        assert_eq!(c.clone().with_kind(ContactKind::A).frame(rho), f);
    }
}

/// m|v|²/2 in (x, y, ρθ) is the kinetic energy.
#[test]
fn metric_is_kinetic_energy() {
    let mut state = State::new(2.0, 0.3);
    state.velocity = [1.0, -2.0, 5.0];
    let v = state.generalised_velocity();
    let energy = 0.5 * 2.0 * (1.0 + 4.0) + 0.5 * (2.0 * 0.09) * 25.0;
    assert!((0.5 * state.m * dot(v, v) - energy).abs() < 1e-12);
}

/// A body that moves with constant acceleration: place and angle at time t, starting with the centre of mass at `r`.
#[derive(Clone, Copy)]
struct Motion {
    v: [f64; 3],
    a: [f64; 3],
}

impl Motion {
    /// Displacement of the centre of mass and angle.
    fn at(&self, t: f64) -> [f64; 3] {
        [0, 1, 2].map(|i| self.v[i] * t + 0.5 * self.a[i] * t * t)
    }
}

fn turned(p: [f64; 2], angle: f64) -> [f64; 2] {
    let (s, c) = (libm::sin(angle), libm::cos(angle));
    [c * p[0] - s * p[1], s * p[0] + c * p[1]]
}

/// The gap at time t; the contact point is the origin at t = 0.
fn gap(c: &Contact, motion: Motion, t: f64) -> f64 {
    let [x, y, angle] = motion.at(t);
    let centre = [c.r[0] + x, c.r[1] + y];
    // A point of the body, given by its place at t = 0.
    let moved = |p: [f64; 2]| {
        let arm = turned([p[0] - c.r[0], p[1] - c.r[1]], angle);
        [centre[0] + arm[0], centre[1] + arm[1]]
    };
    match c.kind {
        ContactKind::A => {
            // The body's edge, with normal n in the body, over the obstacle's vertex at the origin.
            let n = turned(c.n, angle);
            let p = moved([0.0, 0.0]);
            n[0] * p[0] + n[1] * p[1]
        }
        ContactKind::Arc { body, obstacle } => {
            // Two circles, or a line where the obstacle's curvature is zero.
            let inner = moved([c.n[0] / body, c.n[1] / body]);
            if obstacle == 0.0 {
                c.n[0] * inner[0] + c.n[1] * inner[1] - 1.0 / body
            } else {
                let outer = [-c.n[0] / obstacle, -c.n[1] / obstacle];
                libm::hypot(inner[0] - outer[0], inner[1] - outer[1]) - 1.0 / body - 1.0 / obstacle
            }
        }
        _ => {
            let p = moved([0.0, 0.0]);
            c.n[0] * p[0] + c.n[1] * p[1]
        }
    }
}

#[test]
fn second_variation_is_the_gaps_second_derivative() {
    let mut random = Random::new(4);
    for number in 0..400 {
        let kind = match number % 4 {
            0 => ContactKind::A,
            1 => ContactKind::B,
            2 => ContactKind::Arc {
                body: random.between(0.5, 2.0),
                obstacle: 0.0,
            },
            _ => ContactKind::Arc {
                body: random.between(0.5, 2.0),
                obstacle: random.between(0.3, 2.0),
            },
        };
        let c = random_contact(&mut random).with_kind(kind);
        let motion = Motion {
            v: [(); 3].map(|()| random.between(-1.0, 1.0)),
            a: [(); 3].map(|()| random.between(-1.0, 1.0)),
        };
        let [v_x, v_y, omega] = motion.v;
        let point = [v_x + omega * c.r[1], v_y - omega * c.r[0]];
        let t = [c.n[1], -c.n[0]];
        let slip = point[0] * t[0] + point[1] * t[1];
        let n_q = c.n[0] * c.r[1] - c.n[1] * c.r[0];
        // First variation: the gap's rate is the row times the velocity.
        let step = 1e-4;
        let rate = (gap(&c, motion, step) - gap(&c, motion, -step)) / (2.0 * step);
        let row_v = c.n[0] * v_x + c.n[1] * v_y + n_q * omega;
        assert!((rate - row_v).abs() < 1e-6, "{c:?}: {rate} {row_v}");
        // Take out the normal velocity, as the second variation of a kept contact is meant.
        let kept = Motion {
            v: [v_x - c.n[0] * row_v, v_y - c.n[1] * row_v, omega],
            ..motion
        };
        let slip_kept = slip;
        let second =
            (gap(&c, kept, step) - 2.0 * gap(&c, kept, 0.0) + gap(&c, kept, -step)) / (step * step);
        let row_a = c.n[0] * motion.a[0] + c.n[1] * motion.a[1] + n_q * motion.a[2];
        let h = c.second_variation(omega, slip_kept);
        assert!(
            (second - row_a - h).abs() < 1e-5,
            "{c:?}: {second} {}",
            row_a + h
        );
    }
}

/// Equation (8): the tangential velocity and acceleration of the body's point at the contact.
#[test]
fn tangential_velocity_and_acceleration() {
    let mut random = Random::new(5);
    for _ in 0..200 {
        let c = random_contact(&mut random);
        let rho = random.between(0.2, 2.0);
        let f = c.frame(rho);
        let motion = Motion {
            v: [(); 3].map(|()| random.between(-1.0, 1.0)),
            a: [(); 3].map(|()| random.between(-1.0, 1.0)),
        };
        let place = |t: f64| {
            let [x, y, angle] = motion.at(t);
            let arm = turned([-c.r[0], -c.r[1]], angle);
            (c.r[0] + x + arm[0]) * f.t_s[0] + (c.r[1] + y + arm[1]) * f.t_s[1]
        };
        let step = 1e-4;
        let velocity = (place(step) - place(-step)) / (2.0 * step);
        let acceleration = (place(step) - 2.0 * place(0.0) + place(-step)) / (step * step);
        let scaled = |x: [f64; 3]| [x[0], x[1], rho * x[2]];
        let omega2 = motion.v[2] * motion.v[2];
        let centripetal = [omega2 * c.r[0], omega2 * c.r[1], 0.0];
        assert!((velocity - dot(scaled(motion.v), f.v_f)).abs() < 1e-6);
        let formula = dot(scaled(motion.a), f.v_f) + dot(centripetal, f.v_f);
        assert!((acceleration - formula).abs() < 1e-5);
    }
}

/// Section 4.4: F_R cancels the normal part of the force, lies in the cone, and stops or opposes the sliding.
#[test]
fn two_projections_keep_the_contact() {
    let mut random = Random::new(6);
    let (mut stick, mut slide, mut none) = (0, 0, 0);
    for _ in 0..10_000 {
        let c = random_contact(&mut random);
        let f = c.frame(random.between(0.2, 2.0));
        let force = [(); 3].map(|()| random.between(-2.0, 2.0));
        let Some(reaction) = two_projections(&f, c.mu, force) else {
            assert!(!f.cone_above_tangent_plane(c.mu));
            continue;
        };
        let (fr, edge) = match reaction {
            Reaction::None => {
                assert!(dot(force, f.n) >= 0.0);
                none += 1;
                continue;
            }
            Reaction::Stick(fr) => (fr, None),
            Reaction::Edge(fr, plus) => (fr, Some(plus)),
        };
        let size = dot(fr, fr).sqrt() + dot(force, force).sqrt();
        assert!((dot(fr, f.n) + dot(force, f.n)).abs() < 1e-9 * size);
        assert!(dot(fr, f.t_r).abs() < 1e-9 * size);
        let net = [0, 1, 2].map(|i| force[i] + fr[i]);
        match edge {
            None => {
                stick += 1;
                assert!(dot(net, f.v_f).abs() < 1e-9 * size);
            }
            // Friction along +v_f means sliding along -v_f.
            Some(plus) => {
                slide += 1;
                assert!(dot(net, f.v_f) * if plus { -1.0 } else { 1.0 } > -1e-9 * size);
            }
        }
    }
    assert!(
        stick > 500 && slide > 500 && none > 1000,
        "{stick} {slide} {none}"
    );
}
