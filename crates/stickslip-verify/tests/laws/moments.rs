//! Torsional friction and rolling resistance, against closed forms.

use stickslip::prelude::*;
use stickslip_random::Random;
use stickslip_verify::{Ladder, ball, ground, run};

const MU: f64 = 0.4;
const G: f64 = 9.81;

/// A ball that spins about the vertical: I ω' = −μ m g r. It stops after ω I/(μ m g r), having turned by half of ω times that.
#[test]
fn a_spinning_ball_stops_after_the_closed_forms_time() {
    let (radius, r, omega) = (0.1, 0.02, 20.0);
    let spun = |h: f64| {
        World::builder()
            .friction(MU)
            .torsion(r)
            .time_step(h)
            .energy_check(true)
            .body(ground())
            .body(
                ball("ball", radius, 3.0)
                    .at(DVec3::Z * radius)
                    .with_velocity(DVec3::ZERO, DVec3::Z * omega),
            )
            .build()
            .expect("a world")
    };
    let stops = 0.4 * radius * radius * omega / (MU * G * r);
    let mut ends = Vec::new();
    let turned = Ladder::climb(0.02, 5, |h| {
        let mut world = spun(h);
        let (mut angle, mut end) = (0.0, 0.0);
        while !world.reached(2.0 * stops) {
            world.step().expect("certified");
            let spin = world.body("ball").expect("the ball").twist.angular;
            assert!(
                spin.truncate().length() < 1e-12,
                "it goes on about the vertical"
            );
            angle += spin.z * h;
            if world.last_step().contacts[0].mode == Mode::Slide {
                end = world.time();
            }
        }
        let spin = world.body("ball").expect("the ball").twist.angular.length();
        assert!(spin < 1e-9, "it stands: {spin}");
        ends.push((h, f64::abs(end - stops)));
        (angle - 0.5 * omega * stops).abs()
    });
    turned.assert_order(1.0, "angle of a ball that spins");
    let ends = Ladder { rungs: ends };
    eprintln!("time of the spin\n{}", ends.table());
    for (h, off) in &ends.rungs {
        assert!(off <= h, "the spin ends {off} s off at h = {h}");
    }
}

/// A puck whose centre of mass is where it touches, with moment of inertia m r² about the normal: slip and spin are slowed down along
/// their own direction (v, r ω), and end together after √(v² + (r ω)²)/(μ g). Alone the slip would last v/(μ g).
#[test]
fn slip_and_spin_share_the_bound_and_end_together() {
    let (r, v, omega) = (0.05, 0.9, 24.0);
    let scene = |h: f64| {
        format!(
            "format = 1\n\
             step = {{ h = {h:?}, until = 1 }}\n\
             material = {{ friction = {MU:?}, torsion = {r:?} }}\n\
             [[body]]\nname = \"ground\"\nshape = {{ half-space = {{ normal = [0, 0, 1] }} }}\nmotion = \"fixed\"\n\
             [[body]]\nname = \"puck\"\nshape = {{ ball = {{ radius = 0.1 }} }}\nmass = 2\n\
             center-of-mass = [0, 0, -0.1]\ninertia = [0.005, 0.005, 0.005]\nposition = [0, 0, 0]\n\
             velocity = [{v:?}, 0, 0]\nangular-velocity = [0, 0, {omega:?}]\n"
        )
    };
    let stops = libm::hypot(v, r * omega) / (MU * G);
    Ladder::climb(0.01, 5, |h| {
        let scene = Scene::parse(&scene(h), "puck", &[]).expect("a scene");
        let mut world = World::from_scene(&scene).expect("a world");
        let start = world.body("puck").expect("the puck").pose.position;
        let mut angle = 0.0;
        while !world.reached(1.5 * stops) {
            world.step().expect("certified");
            let twist = world.body("puck").expect("the puck").twist;
            angle += twist.angular.z * h;
            // Both fall in proportion.
            assert!((twist.linear.x * omega - twist.angular.z * v).abs() < 1e-7);
        }
        let puck = world.body("puck").expect("the puck");
        assert!(puck.twist.linear.length() + puck.twist.angular.length() < 1e-8);
        let way = puck.pose.position - start;
        assert!(way.y.abs() < 1e-9, "straight on");
        libm::hypot(way.x - 0.5 * v * stops, r * (angle - 0.5 * omega * stops))
    })
    .assert_order(1.0, "way of a puck that slips and spins");
}

/// A ball that rolls: (I + m R²) ω' = −ρ m g, so it comes 7 R v²/(10 ρ g) far.
#[test]
fn a_rolling_ball_comes_as_far_as_the_closed_form_says() {
    let (radius, rho, v) = (0.1, 0.004, 1.0);
    let far = 7.0 * radius * v * v / (10.0 * rho * G);
    let time = 2.0 * far / v;
    for beside in [false, true] {
        Ladder::climb(0.02, 4, |h| {
            let mut world = World::builder()
                .friction(MU)
                .rolling(rho)
                .time_step(h)
                .body(ground())
                .body(
                    ball("ball", radius, 3.0)
                        .at(DVec3::Z * radius)
                        .with_velocity(DVec3::X * v, DVec3::Y * (v / radius)),
                );
            if beside {
                // With a joint in the scene contacts count displacements.
                let bob = ball("bob", 0.05, 0.3).at(DVec3::new(0.0, 5.0, 2.0));
                let hinge = DVec3::new(0.2, 5.0, 2.0);
                world = world.body(bob);
                world = world.joint(JointSpec::hinge("pin", ["world", "bob"], hinge, DVec3::Y));
            }
            let mut world = world.build().expect("a world");
            run(&mut world, 1.2 * time);
            let end = world.body("ball").expect("the ball");
            assert!(end.twist.linear.length() < 1e-8, "it lies still");
            (end.pose.position.x - far).abs()
        })
        .assert_order(1.0, "way of a ball that rolls");
    }
}

/// On a slope a ball stands where tan α ≤ ρ/R, and rolls with a = g (R sin α − ρ cos α) R m/(I + m R²) beyond.
#[test]
fn a_ball_stands_on_a_slope_up_to_the_closed_forms_angle() {
    let (radius, rho) = (0.1, 0.01);
    for (part, stands) in [(0.999, true), (1.001, false), (2.0, false)] {
        let angle = libm::atan(part * rho / radius);
        let h = 0.001;
        let mut world = World::builder()
            .friction(MU)
            .rolling(rho)
            .gravity(stickslip_verify::tilted_gravity(angle))
            .time_step(h)
            .body(ground())
            .body(ball("ball", radius, 3.0).at(DVec3::Z * radius))
            .build()
            .expect("a world");
        run(&mut world, 0.5);
        let speed = world.body("ball").expect("the ball").twist.linear.length();
        let (sin, cos) = libm::sincos(angle);
        let a = G * (radius * sin - rho * cos) * radius / (1.4 * radius * radius);
        let wanted = if stands { 0.0 } else { 0.5 * a };
        assert!((speed - wanted).abs() < 1e-9, "{part}: {speed} {wanted}");
    }
}

/// A box between two soft fingers that press with N, turned about the line between them by a moment M: it is held while each finger
/// bears M/2 and half the weight, M ≤ 2 r √((μ N)² − (m g/2)²).
#[test]
fn two_soft_fingers_hold_a_box_up_to_the_closed_forms_moment() {
    let (push, r, mass, side) = (20.0, 0.01, 0.5, 0.1);
    let weight = 0.5 * mass * G;
    let most = 2.0 * r * libm::sqrt((MU * push) * (MU * push) - weight * weight);
    for (part, held) in [(0.9, true), (0.9999, true), (1.001, false), (1.5, false)] {
        let at = 0.5 * side + 0.02;
        let moment = part * most;
        let mut world = World::builder()
            .friction(MU)
            .time_step(0.002)
            .torsion(r)
            .body(BodySpec::fixed("left", Shape::ball(0.02).expect("a ball")).at(DVec3::X * -at))
            .body(stickslip_verify::cuboid("box", DVec3::splat(side), mass))
            .body(ball("right", 0.02, 0.1).at(DVec3::X * at))
            .joint(JointSpec::slider(
                "slide",
                ["world", "right"],
                DVec3::X * at,
                DVec3::X,
            ))
            .force("right", move |_, _| Wrench {
                force: DVec3::X * -push,
                torque: DVec3::ZERO,
            })
            .force("box", move |_, _| Wrench {
                force: DVec3::ZERO,
                torque: DVec3::X * moment,
            })
            .build()
            .expect("a world");
        run(&mut world, 0.1);
        let spin = world.body("box").expect("the box").twist.angular.x;
        if held {
            assert!(spin.abs() < 1e-7, "{part}: {spin}");
        } else {
            // What is not borne turns it, and at first no more than that.
            let inertia = mass * side * side / 6.0;
            assert!(spin > 0.0, "{part}: {spin}");
            assert!(spin <= 0.1 * moment / inertia, "{part}: {spin}");
        }
    }
}

/// Kinetic friction, a grain, a turntable, joints: random scenes with moments, every step certified.
#[test]
fn small_random_scenes_with_moments_are_certified() {
    let mut random = Random::new(515);
    let mut moments = 0;
    for number in 0..120 {
        let stick = random.between(0.05, 1.0);
        let slide = if random.below(2) == 0 {
            stick
        } else {
            stick * random.unit()
        };
        let mut floor = ground();
        if random.below(3) == 0 {
            floor = floor.with_moving_surface(random.vec3(), random.vec3() * 3.0);
        }
        if random.below(3) == 0 {
            floor = floor.with_grain(
                DVec3::new(1.0, random.signed(), 0.0),
                random.decade(-0.7, 0.7),
            );
        }
        let mut world = World::builder()
            .default_friction(Friction { stick, slide })
            .torsion(if random.below(4) > 0 {
                random.decade(-3.0, -1.0)
            } else {
                0.0
            })
            .rolling(if random.below(4) > 0 {
                random.decade(-4.0, -1.5)
            } else {
                0.0
            })
            .time_step(random.decade(-3.0, -1.7))
            .accept(0.0)
            .energy_check(true)
            .body(floor);
        for k in 0..1 + random.below(3) {
            let shape = match random.below(3) {
                0 => Shape::ball(random.between(0.05, 0.1)),
                1 => Shape::cuboid(DVec3::new(0.2, 0.15, random.between(0.05, 0.2))),
                _ => Shape::capsule(0.06, 0.1),
            };
            let high = 0.25 * k as f64 + random.between(0.16, 0.2);
            let body = BodySpec::free(
                format!("body {k}"),
                shape.expect("a shape"),
                random.decade(-1.0, 1.0),
            );
            let place = DVec3::new(0.03 * random.signed(), 0.03 * random.signed(), high);
            let twist = (random.vec3(), random.vec3() * 5.0);
            world = world.body(body.at(place).with_velocity(twist.0, twist.1));
        }
        let mut world = world.build().expect("a world");
        for _ in 0..40 {
            if let Err(e) = world.step() {
                panic!("scene {number}: {e}");
            }
            let with = world.last_step().contacts.iter();
            moments += with.filter(|c| c.moment != DVec3::ZERO).count();
        }
    }
    eprintln!("{moments} contacts with moments");
    assert!(moments > 500);
}

/// What cannot be with moments is said when the world is built.
#[test]
fn what_cannot_be_with_moments_is_refused() {
    let refused = |world: stickslip::dynamics::WorldBuilder| {
        let world = world
            .body(ground())
            .body(ball("ball", 0.1, 1.0).at(DVec3::Z * 0.1));
        world.build().err().expect("refused").to_string()
    };
    let soft = || World::builder().torsion(0.01);
    assert!(
        refused(soft().restitution(0.5)).contains("is not known for contacts that bear moments")
    );
    assert!(refused(soft().cone(Cone::Pyramid(8))).contains("no pyramid stands for it"));
    assert!(
        refused(World::builder().rolling(-0.1)).contains("must be a length that is not negative")
    );
    assert!(
        refused(World::builder().torsion(f64::NAN))
            .contains("must be a length that is not negative")
    );
}
