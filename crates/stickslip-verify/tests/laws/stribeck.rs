//! Friction that depends on the speed of the slip.

use stickslip::model::SlipCurve;
use stickslip::prelude::*;
use stickslip_verify::{Ladder, cuboid, ground, run};

const G: f64 = 9.81;

/// A block that slides on level ground comes to rest as v' = −μ(v) g says; μ = a + b v has the closed form
/// v(t) = (v₀ + a/b) exp(−b g t) − a/b.
#[test]
fn a_block_slows_down_by_its_curve() {
    let (a, start, until) = (0.2, 2.0, 0.3);
    for b in [0.15, -0.05] {
        let world = |h: f64| {
            World::builder()
                .slip_curve(SlipCurve::new(move |v| a + b * v))
                .time_step(h)
                .body(ground())
                .body(
                    cuboid("block", DVec3::new(0.3, 0.3, 0.05), 1.0)
                        .at(DVec3::Z * 0.025)
                        .with_velocity(DVec3::X * start, DVec3::ZERO),
                )
                .build()
                .expect("a world")
        };
        let rate = b * G;
        let decay = (start + a / b) * libm::exp(-rate * until);
        Ladder::climb(0.02, 5, |h| {
            let mut world = world(h);
            run(&mut world, until);
            let speed = world.body("block").expect("the block").twist.linear.x;
            (speed - (decay - a / b)).abs()
        })
        .assert_order(1.0, "speed of a block under friction that depends on it");
    }
}

/// Every step's coefficient is the curve's at the slip it ends with, to the tolerance of the step.
#[test]
fn friction_is_the_curves_at_the_slip_found() {
    let curve = |v: f64| 0.2 + 0.3 * libm::exp(-v / 0.02);
    let mut world = World::builder()
        .slip_curve(SlipCurve::stribeck(0.5, 0.2, 0.02))
        .time_step(0.005)
        .body(ground())
        .body(
            cuboid("block", DVec3::new(0.3, 0.2, 0.05), 1.0)
                .at(DVec3::Z * 0.025)
                .with_velocity(DVec3::new(0.3, 0.1, 0.0), DVec3::Z * 0.5),
        )
        .build()
        .expect("a world");
    let mut slides = 0;
    while !world.reached(0.3) {
        world.step().expect("certified");
        let body = *world.body("block").expect("the block");
        for c in &world.last_step().contacts {
            if c.mode != Mode::Slide || c.impulse.x < 1e-6 {
                continue;
            }
            slides += 1;
            // The slip of the twist at the corner where it was at the start of the step.
            let centre = body.pose.position - body.twist.linear * 0.005;
            let slip = body.twist.at(c.contact.point - centre).truncate().length();
            let ratio = c.impulse.truncate_to_tangent() / c.impulse.x;
            assert!(
                (ratio - curve(slip)).abs() < 1e-6,
                "{ratio} {}",
                curve(slip)
            );
        }
    }
    assert!(slides > 20, "{slides}");
}

trait Tangent {
    fn truncate_to_tangent(&self) -> f64;
}

impl Tangent for DVec3 {
    fn truncate_to_tangent(&self) -> f64 {
        libm::hypot(self.y, self.z)
    }
}

const STIFFNESS: f64 = 100.0;
const STICK: f64 = 0.5;
const SLIDE: f64 = 0.3;
const FALL: f64 = 0.05;

/// A block of 1 kg drawn over the ground by a spring whose end moves at `speed`; the times at which it starts to slip.
fn drawn(h: f64, speed: f64, until: f64) -> Vec<f64> {
    let hook = Shape::ball(0.01).expect("a ball");
    let mut world = World::builder()
        .slip_curve(SlipCurve::stribeck(STICK, SLIDE, FALL))
        .time_step(h)
        .body(ground())
        .body(cuboid("block", DVec3::new(0.2, 0.2, 0.02), 1.0).at(DVec3::Z * 0.01))
        .body(BodySpec::prescribed("hook", hook, move |t| BodyState {
            pose: Pose::at(DVec3::new(1.0 + speed * t, 0.0, 0.01)),
            twist: Twist {
                linear: DVec3::X * speed,
                angular: DVec3::ZERO,
            },
        }))
        .spring(SpringSpec {
            name: "spring".into(),
            ends: stickslip::dynamics::scene::SpringEnds::Points {
                bodies: ["block".into(), "hook".into()],
                points: [DVec3::ZERO; 2],
            },
            stiffness: STIFFNESS,
            damping: 0.0,
            inertance: 0.0,
            rest: Some(1.0),
            explicit: false,
        })
        .build()
        .expect("a world");
    let (mut onsets, mut slipped) = (Vec::new(), false);
    while !world.reached(until) {
        world.step().expect("certified");
        let slips = world.body("block").expect("the block").twist.linear.x > 1e-7;
        if slips && !slipped {
            onsets.push(world.time());
        }
        slipped = slips;
    }
    onsets
}

/// The same by Runge and Kutta with the event located: the period of sticking and slipping, s.
fn reference_period(speed: f64) -> f64 {
    let friction = |v: f64| G * (SLIDE + (STICK - SLIDE) * libm::exp(-v / FALL));
    let at_rest = friction(0.0) / STIFFNESS;
    // From the onset: elongation at_rest, at rest. Until it stops, then on until the elongation is that again.
    let (mut t, mut e, mut v, h) = (0.0, at_rest, 0.0, 1e-5);
    let force = |e: f64, v: f64| STIFFNESS * e - friction(v);
    loop {
        let (k1e, k1v) = (speed - v, force(e, v));
        let (k2e, k2v) = (
            speed - (v + 0.5 * h * k1v),
            force(e + 0.5 * h * k1e, v + 0.5 * h * k1v),
        );
        let (k3e, k3v) = (
            speed - (v + 0.5 * h * k2v),
            force(e + 0.5 * h * k2e, v + 0.5 * h * k2v),
        );
        let (k4e, k4v) = (speed - (v + h * k3v), force(e + h * k3e, v + h * k3v));
        let next = v + h / 6.0 * (k1v + 2.0 * k2v + 2.0 * k3v + k4v);
        if next <= 0.0 && t > 0.01 {
            t += h * v / (v - next);
            return t + (at_rest - e) / speed;
        }
        e += h / 6.0 * (k1e + 2.0 * k2e + 2.0 * k3e + k4e);
        v = next.max(0.0);
        t += h;
    }
}

#[test]
fn a_drawn_block_sticks_and_slips_with_the_references_period() {
    for speed in [0.05, 0.1, 0.2] {
        let want = reference_period(speed);
        let until = 0.2 + 4.0 * want + at_first(speed);
        let ladder = Ladder::climb(0.004, 2, |h| {
            let onsets = drawn(h, speed, until);
            let n = onsets.len();
            assert!(n >= 4, "{speed} m/s: {onsets:?}");
            let period = (onsets[n - 1] - onsets[1]) / (n - 2) as f64;
            eprintln!("{speed} m/s, h = {h}: period {period:.5} s, reference {want:.5} s");
            (period - want).abs() / want
        });
        ladder.assert_order(1.0, &format!("period of stick-slip at {speed} m/s"));
        let last = ladder.rungs[ladder.rungs.len() - 1].1;
        assert!(last < 0.01, "{speed} m/s: {last}");
    }
}

/// When it slips first, s.
fn at_first(speed: f64) -> f64 {
    STICK * G / STIFFNESS / speed
}
