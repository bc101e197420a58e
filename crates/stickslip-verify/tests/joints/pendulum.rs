//! Pendulums: one with its closed form, two against an integrator of another kind.

use stickslip::dynamics::methods::Method;
use stickslip::geometry::pose::exp;
use stickslip::prelude::*;
use stickslip_verify::{Ladder, cuboid, run};

const G: f64 = 9.81;
/// A rod of 1 m and 2 kg.
const ROD: DVec3 = DVec3::new(0.1, 0.1, 1.0);
const MASS: f64 = 2.0;

fn pendulum(h: f64, angle: f64) -> World {
    hung_rod(h, angle, Method::StewartTrinkle)
}

/// A rod hung by its upper end at the origin, turned by `angle` about y.
pub(super) fn hung_rod(h: f64, angle: f64, method: Method) -> World {
    let turn = exp(DVec3::Y * angle);
    let pose = Pose {
        position: turn * DVec3::new(0.0, 0.0, -0.5),
        orientation: turn,
    };
    World::builder()
        .time_step(h)
        .method(method)
        .body(cuboid("rod", ROD, MASS).with_pose(pose))
        .joint(JointSpec::hinge(
            "pin",
            ["world", "rod"],
            DVec3::ZERO,
            DVec3::Y,
        ))
        .build()
        .expect("a pendulum")
}

/// Complete elliptic integral of the first kind K(k) by the arithmetic-geometric mean.
fn elliptic_k(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, libm::sqrt(1.0 - k * k));
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), libm::sqrt(a * b));
    }
    std::f64::consts::PI / (2.0 * a)
}

#[test]
fn a_rod_swings_with_its_period() {
    // I about the pin: m(l² + w²)/12 + m l²/4; T = 4 √(I/(m g l/2)) K(sin θ/2).
    let inertia = MASS * (1.0 + 0.01) / 12.0 + MASS * 0.25;
    let angle = 1.2;
    let omega = libm::sqrt(MASS * G * 0.5 / inertia);
    let period = 4.0 / omega * elliptic_k(libm::sin(0.5 * angle));
    let ladder = Ladder::climb(period / 128.0, 5, |h| {
        let mut world = pendulum(h, angle);
        run(&mut world, period);
        let pin = world.joint("pin").expect("stepped").coordinates;
        assert!(pin[..3].iter().all(|c| c.abs() < 1e-12), "{pin:?}");
        // Back where it was, at rest.
        let turn = world.body("rod").expect("rod").twist.angular.length();
        pin[3].abs() + turn / omega
    });
    ladder.assert_order(1.0, "pendulum after one period");
}

/// Two rods in a plane, hung on each other at their ends: lengths, masses, inertias about the centres.
struct Double {
    length: [f64; 2],
    mass: [f64; 2],
    inertia: [f64; 2],
}

impl Double {
    /// Angular accelerations of angles a, b from the downward vertical, by Lagrange's equations.
    fn accelerations(&self, [a, b, da, db]: [f64; 4]) -> [f64; 2] {
        let ([l1, l2], [m1, m2]) = (self.length, self.mass);
        let (c1, c2) = (0.5 * l1, 0.5 * l2);
        let m11 = self.inertia[0] + m1 * c1 * c1 + m2 * l1 * l1;
        let m22 = self.inertia[1] + m2 * c2 * c2;
        let m12 = m2 * l1 * c2 * libm::cos(a - b);
        let s = m2 * l1 * c2 * libm::sin(a - b);
        let f1 = -s * db * db - (m1 * c1 + m2 * l1) * G * libm::sin(a);
        let f2 = s * da * da - m2 * c2 * G * libm::sin(b);
        let det = m11 * m22 - m12 * m12;
        [(m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det]
    }

    /// The state after `t` seconds by the classical Runge-Kutta method with `n` steps.
    fn integrate(&self, mut y: [f64; 4], t: f64, n: usize) -> [f64; 4] {
        let h = t / n as f64;
        let f = |y: [f64; 4]| {
            let [x, z] = self.accelerations(y);
            [y[2], y[3], x, z]
        };
        let along = |y: [f64; 4], k: [f64; 4], s: f64| std::array::from_fn(|i| y[i] + s * k[i]);
        for _ in 0..n {
            let k1 = f(y);
            let k2 = f(along(y, k1, 0.5 * h));
            let k3 = f(along(y, k2, 0.5 * h));
            let k4 = f(along(y, k3, h));
            y = std::array::from_fn(|i| {
                y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
            });
        }
        y
    }
}

/// A rod of square section hung at `top`, its angle from the downward vertical `angle`.
fn hung(name: &str, length: f64, mass: f64, top: DVec3, angle: f64) -> (BodySpec, DVec3) {
    let turn = exp(DVec3::Y * -angle);
    let down = turn * DVec3::NEG_Z;
    let pose = Pose {
        position: top + down * (0.5 * length),
        orientation: turn,
    };
    let rod = cuboid(name, DVec3::new(0.05, 0.05, length), mass).with_pose(pose);
    (rod, top + down * length)
}

/// Makes a joint by its name, between bodies, at a point.
type Make<'a> = &'a dyn Fn(&str, [&str; 2], DVec3) -> JointSpec;

#[test]
fn a_double_pendulum_follows_its_equations() {
    let (length, mass) = ([1.0, 0.8], [1.0, 0.7]);
    let inertia = [0, 1].map(|k: usize| mass[k] * (length[k] * length[k] + 0.0025) / 12.0);
    let double = Double {
        length,
        mass,
        inertia,
    };
    let (first, until) = ([1.2, 2.0, 0.0, 0.0], 1.5);
    let exact = double.integrate(first, until, 40_000);
    let coarser = double.integrate(first, until, 20_000);
    let known = (0..2)
        .map(|k| (exact[k] - coarser[k]).abs())
        .fold(0.0, f64::max);
    assert!(known < 1e-12, "the reference is known to {known:e}");
    // Hinges across the plane, or balls: the motion in the plane is the same.
    let hinge = |name: &str, bodies: [&str; 2], at| JointSpec::hinge(name, bodies, at, DVec3::Y);
    let ball = |name: &str, bodies: [&str; 2], at| JointSpec::ball(name, bodies, at);
    let kinds: [(&str, Make); 2] = [("hinges", &hinge), ("balls", &ball)];
    for (kind, joint) in kinds {
        let ladder = Ladder::climb(until / 256.0, 4, |h| {
            let (upper, elbow) = hung("upper", length[0], mass[0], DVec3::ZERO, first[0]);
            let (lower, _) = hung("lower", length[1], mass[1], elbow, first[1]);
            let mut world = World::builder()
                .time_step(h)
                .body(upper)
                .body(lower)
                .joint(joint("shoulder", ["world", "upper"], DVec3::ZERO))
                .joint(joint("elbow", ["upper", "lower"], elbow))
                .build()
                .expect("a double pendulum");
            run(&mut world, until);
            ["upper", "lower"]
                .iter()
                .enumerate()
                .map(|(k, name)| {
                    let down = world.body(name).expect("rod").pose.orientation * DVec3::NEG_Z;
                    let wanted = DVec3::new(libm::sin(exact[k]), 0.0, -libm::cos(exact[k]));
                    (down - wanted).length()
                })
                .fold(0.0, f64::max)
        });
        ladder.assert_order(1.0, &format!("double pendulum on {kind}"));
    }
}

#[test]
fn the_energy_of_a_pendulum_does_not_drift() {
    let mut world = pendulum(0.01, 1.2);
    let start = world.energy();
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for step in 0..20_000 {
        world.step().expect("certified");
        if step >= 18_000 {
            low = low.min(world.energy());
            high = high.max(world.energy());
        }
    }
    // 200 s later it still swings about the same energy, within the scheme's own ripple of order h.
    eprintln!("energy {start} J, after 200 s {low} to {high} J");
    assert!(
        low < start && start < high && high - low < 0.4,
        "{low} {high}"
    );
}
