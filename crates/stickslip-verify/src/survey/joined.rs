//! What joints hold together: chains, bridges, wrecking balls, ragdolls, pendulums, gears, machines, walkers, carts.

use super::draft::{Draft, G, ball, cuboid, cylinder, motor, piece, quarter};
use std::f64::consts::PI;
use stickslip::dynamics::scene::{JointType, SpringEnds};
use stickslip::geometry::Piece;
use stickslip::geometry::pose::exp;
use stickslip::model::joint::Goal;
use stickslip::prelude::*;

/// Links from `start` along `along`, each joined to the one before and the first to `to`; their last end.
fn links(draft: &mut Draft, n: usize, to: &str, start: DVec3, along: DVec3, ease: f64) -> DVec3 {
    let (length, r) = (0.5 * draft.size, 0.1 * draft.size);
    let kind = draft.random.below(3);
    let turn = DQuat::from_rotation_arc(DVec3::Z, along);
    let (mut before, mut end) = (to.to_owned(), start);
    for _ in 0..n {
        let shape = match kind {
            0 => Shape::capsule(r, length - 2.0 * r).expect(super::draft::DRAWN),
            1 => cylinder(r, 0.9 * length),
            _ => cuboid(DVec3::new(2.0 * r, r, 0.9 * length)),
        };
        draft
            .free("link", shape, end + along * 0.5 * length)
            .orientation = turn;
        let name = draft.last();
        draft.joint(JointType::Ball, [&before, &name], end, DVec3::Z);
        end += along * (length + ease);
        before = name;
    }
    end
}

/// A chain hangs from the world, let go at an angle, against a peg, onto the ground or free.
pub(super) fn chain(draft: &mut Draft) {
    let n = draft.count(2, 12);
    let long = 0.5 * draft.size * n as f64;
    let start = DVec3::Z * (long * draft.between(0.5, 1.3) + draft.size);
    if draft.once_in(2) {
        draft.ground();
    }
    let angle = draft.between(0.0, 1.8);
    // Never below the ground: flat or upwards where there is no room.
    let down = if start.z < 1.2 * long {
        angle.min(0.0)
    } else {
        -libm::cos(angle)
    };
    let along = DVec3::new(1.0, 0.0, down.max(-1.0))
        .try_normalize()
        .unwrap_or(DVec3::X);
    links(draft, n, "world", start, along, 0.0);
    if draft.once_in(2) {
        let r = 0.3 * draft.size;
        let place = start - DVec3::Z * 0.5 * long - DVec3::X * 0.5 * draft.size - DVec3::X * r;
        draft
            .fixed(cylinder(r, 4.0 * draft.size), place)
            .orientation = quarter(DVec3::X);
    }
}

/// Planks between two banks, joined at their ends, sagging; loads fall on them.
pub(super) fn bridge(draft: &mut Draft) {
    let (s, n) = (draft.size, draft.count(3, 9));
    let plank = DVec3::new(0.9, 1.0, 0.1) * s;
    // Along a catenary's middle part: slopes from −sag to sag.
    let sag = draft.between(0.1, 0.5);
    let hinged = draft.once_in(2);
    let kind = if hinged {
        JointType::Hinge
    } else {
        JointType::Ball
    };
    let (mut end, mut before) = (DVec3::Z * 3.0 * s, "world".to_owned());
    for k in 0..n {
        let slope = sag * (2.0 * k as f64 / (n - 1) as f64 - 1.0);
        let along = exp(DVec3::NEG_Y * slope) * DVec3::X;
        draft
            .free("plank", cuboid(plank), end + along * 0.5 * s)
            .orientation = exp(DVec3::NEG_Y * slope);
        let name = draft.last();
        draft.joint(kind, [&before, &name], end, DVec3::Y);
        end += along * s;
        before = name;
    }
    draft.joint(kind, [&before, "world"], end, DVec3::Y);
    for k in 0..draft.count(0, 3) {
        let shape = draft.any_convex(0.4 * s);
        let x = end.x * draft.between(0.2, 0.8);
        let velocity = draft.falls(0.5 * s);
        let place = DVec3::new(x, 0.0, 3.6 * s + 0.9 * s * k as f64);
        draft.free_within("load", shape, 1.0, place).velocity = velocity;
    }
}

/// A heavy ball on a chain swings into boxes.
pub(super) fn wrecking(draft: &mut Draft) {
    draft.ground();
    let (s, n) = (draft.size, draft.count(1, 8));
    let long = 0.5 * s * n as f64;
    let r = 0.5 * s;
    let start = DVec3::Z * (long + 2.5 * r);
    let angle = draft.between(0.2, 1.4);
    let along = DVec3::new(-libm::sin(angle), 0.0, -libm::cos(angle));
    let end = links(draft, n, "world", start, along, 0.0);
    let heavy = draft.random.decade(0.0, 2.5);
    let mass = heavy * draft.mass();
    let name = draft.last();
    let out = exp(DVec3::Y * angle) * DVec3::NEG_Z;
    draft.of_mass("ball", ball(r), mass, end + out * r);
    draft.joint(JointType::Ball, [&name, "ball0"], end, DVec3::Z);
    let speed = draft.speed();
    let across = DVec3::new(libm::cos(angle), 0.0, -libm::sin(angle));
    turn_about(draft, start, across.cross(along) * -(speed / long));
    let side = 0.6 * s;
    for k in 0..draft.count(1, 5) {
        let place = DVec3::new(r + 0.6 * side, 0.0, (k as f64 + 0.5) * side);
        draft.free("crate", cuboid(DVec3::splat(side)), place);
    }
}

/// Gives all free bodies so far the velocity of a turn ω about a point.
fn turn_about(draft: &mut Draft, point: DVec3, omega: DVec3) {
    for body in draft
        .scene
        .bodies
        .iter_mut()
        .filter(|b| !b.name.starts_with("fixed"))
    {
        body.angular_velocity = omega;
        body.velocity = omega.cross(body.position - point);
    }
}

/// A person of eleven parts with limits at elbows and knees; `turn` about `place`.
fn person(draft: &mut Draft, number: usize, place: DVec3, turn: DQuat) {
    let s = draft.size;
    let at = |x: f64, y: f64, z: f64| place + turn * (DVec3::new(x, y, z) * s);
    let capsule = |r: f64, l: f64| Shape::capsule(r * s, l * s).expect(super::draft::DRAWN);
    let name = |what: &str| format!("{what}{number}-");
    let mut part = |what: &str, shape: Shape, at: DVec3| {
        draft.free(&name(what), shape, at).orientation = turn;
        draft.last()
    };
    let torso = part(
        "torso",
        cuboid(DVec3::new(0.2, 0.34, 0.5) * s),
        at(0.0, 0.0, 0.0),
    );
    let head = part("head", ball(0.11 * s), at(0.0, 0.0, 0.4));
    let mut joints = vec![(
        JointType::Ball,
        torso.clone(),
        head,
        at(0.0, 0.0, 0.27),
        [0.0; 2],
    )];
    for side in [1.0, -1.0] {
        let (y, hip) = (0.24 * side, 0.1 * side);
        let upper = part("upper", capsule(0.05, 0.18), at(0.0, y, 0.1));
        let fore = part("fore", capsule(0.04, 0.18), at(0.0, y, -0.2));
        let thigh = part("thigh", capsule(0.07, 0.24), at(0.0, hip, -0.46));
        let shin = part("shin", capsule(0.05, 0.26), at(0.0, hip, -0.86));
        joints.push((
            JointType::Ball,
            torso.clone(),
            upper.clone(),
            at(0.0, y, 0.22),
            [0.0; 2],
        ));
        joints.push((
            JointType::Hinge,
            upper,
            fore,
            at(0.0, y, -0.05),
            [-2.3, 0.05],
        ));
        joints.push((
            JointType::Ball,
            torso.clone(),
            thigh.clone(),
            at(0.0, hip, -0.27),
            [0.0; 2],
        ));
        joints.push((
            JointType::Hinge,
            thigh,
            shin,
            at(0.0, hip, -0.66),
            [-0.05, 2.3],
        ));
    }
    let rubbed = draft.once_in(3);
    let weight = draft.mass() * G * s;
    for (kind, a, b, anchor, limits) in joints {
        let axis = turn * DVec3::Y;
        let joint = draft.joint(kind, [&a, &b], anchor, axis);
        if kind == JointType::Hinge {
            joint.axes[3].limits = Some(limits);
            joint.axes[3].friction = if rubbed { 0.002 * weight } else { 0.0 };
        }
    }
}

/// Ragdolls on the ground, on stairs or on boxes.
pub(super) fn ragdoll(draft: &mut Draft) {
    draft.ground();
    let s = draft.size;
    if draft.once_in(2) {
        for k in 0..3 {
            let high = 0.25 * f64::from(3 - k) * s;
            draft.fixed(
                cuboid(DVec3::new(0.4 * s, 4.0 * s, high)),
                DVec3::new((0.4 * f64::from(k) - 0.4) * s, 0.0, 0.5 * high),
            );
        }
    }
    if draft.once_in(3) {
        draft.free_within(
            "crate",
            cuboid(DVec3::splat(0.4 * s)),
            0.5,
            DVec3::new(1.2, 0.0, 0.2) * s,
        );
    }
    let turn = if draft.once_in(2) {
        DQuat::IDENTITY
    } else {
        draft.any_turn()
    };
    let velocity = draft.falls(0.8 * s);
    let omega = draft.random.vec3() * (0.3 * draft.speed() / s);
    let place = DVec3::Z * 2.1 * s;
    person(draft, 0, place, turn);
    for body in draft
        .scene
        .bodies
        .iter_mut()
        .filter(|b| b.name.contains('-'))
    {
        body.angular_velocity = omega;
        body.velocity = velocity + omega.cross(body.position - place);
    }
}

/// One to four links on hinges with limits, motors, friction, springs.
pub(super) fn pendulum(draft: &mut Draft) {
    let (s, n) = (draft.size, draft.count(1, 4));
    let (mut end, mut before) = (DVec3::Z * 3.0 * s, "world".to_owned());
    let mut angle = draft.between(-3.0, 3.0);
    for _ in 0..n {
        let along = exp(DVec3::Y * angle) * DVec3::NEG_Z;
        let shape = match draft.random.below(3) {
            0 => cuboid(DVec3::new(0.1, 0.1, 1.0) * s),
            1 => cylinder(0.06 * s, s),
            _ => Shape::capsule(0.06 * s, s).expect(super::draft::DRAWN),
        };
        draft
            .free_within("bar", shape, 1.0, end + along * 0.5 * s)
            .orientation = exp(DVec3::Y * angle);
        let name = draft.last();
        let weight = draft.mass() * G * s;
        let (extra, force) = (
            draft.random.below(5),
            weight * draft.random.decade(-1.0, 0.7),
        );
        let (limit, rate) = (draft.between(0.2, 2.0), draft.speed() / s);
        let joint = draft.joint(JointType::Hinge, [&before, &name], end, DVec3::Y);
        match extra {
            0 => joint.axes[3].limits = Some([-limit, 0.5 * limit]),
            1 => joint.axes[3].motor = motor(Goal::Velocity, &rate.to_string(), force),
            2 => joint.axes[3].friction = 0.2 * force,
            3 => {
                joint.axes[3].motor = motor(
                    Goal::Position { speed: rate },
                    &format!("{limit}*sin({rate}*t)"),
                    force,
                )
            }
            _ => {
                let name = joint.name.clone();
                draft.spring_in(&name, 3, force, 0.1 * force * (s / G).sqrt());
            }
        }
        end += along * s;
        angle += draft.between(-1.5, 1.5);
        before = name;
    }
    if draft.once_in(3) {
        draft.ground();
        draft.scene.bodies.retain(|b| !b.name.starts_with("fixed"));
    }
    if draft.once_in(3) {
        let stiffness = draft.mass() * G / s * draft.random.decade(0.0, 3.0);
        let ends = SpringEnds::Points {
            bodies: ["world".into(), before],
            points: [DVec3::new(2.0, 0.0, 4.0) * s, DVec3::ZERO],
        };
        draft.spring(ends, stiffness, 0.0);
    }
}

/// A wheel with teeth about y: its hub and trapezoids on it.
fn wheel(teeth: usize, radius: f64, wide: f64, phase: f64) -> Shape {
    let (module, pitch) = (
        2.0 * radius / teeth as f64,
        2.0 * PI * radius / teeth as f64,
    );
    let (root, tip) = (radius - 1.1 * module, radius + 0.7 * module);
    let hub = Piece {
        shape: cylinder(root, wide),
        pose: Pose {
            position: DVec3::ZERO,
            orientation: quarter(DVec3::X),
        },
    };
    let mut pieces = vec![hub];
    for k in 0..teeth {
        let turn = exp(DVec3::Y * (phase + 2.0 * PI * k as f64 / teeth as f64));
        let mut points = Vec::new();
        for (x, half) in [(0.95 * root, 0.3 * pitch), (tip, 0.11 * pitch)] {
            for (y, z) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                points.push(turn * DVec3::new(x, 0.5 * wide * y, half * z));
            }
        }
        pieces.push(piece(
            Shape::hull(&points).expect(super::draft::DRAWN),
            DVec3::ZERO,
        ));
    }
    Shape::compound(pieces).expect(super::draft::DRAWN)
}

/// Two gear wheels, the first driven, the second loaded.
pub(super) fn gears(draft: &mut Draft) {
    let s = draft.size;
    let teeth = [draft.count(6, 12), draft.count(6, 12)];
    let module = 0.2 * s;
    let radii = teeth.map(|n| 0.5 * module * n as f64);
    let wide = 0.4 * s;
    let apart = DVec3::X * (radii[0] + radii[1] + 0.12 * module);
    // A tooth of the first points along +x, a gap of the second along −x.
    let phases = [0.0, PI + PI / teeth[1] as f64];
    let places = [DVec3::ZERO, apart];
    for k in 0..2 {
        let shape = wheel(teeth[k], radii[k], wide, phases[k]);
        draft.free("wheel", shape, places[k]);
        let name = draft.last();
        let load = draft.mass() * G * s;
        let (rate, friction) = (draft.speed() / s, load * draft.random.decade(-3.0, -0.5));
        let joint = draft.joint(JointType::Hinge, ["world", &name], places[k], DVec3::Y);
        if k == 0 {
            joint.axes[3].motor = motor(Goal::Velocity, &rate.to_string(), 10.0 * load);
        } else {
            joint.axes[3].friction = friction;
        }
    }
}

/// A crank drives a piston that strikes blocks; or four bars in a loop.
pub(super) fn machine(draft: &mut Draft) {
    let s = draft.size;
    draft.ground();
    let up = DVec3::Z * 1.5 * s;
    let (crank, rod) = (0.4 * s, s * draft.between(0.9, 1.4));
    let bar = |long: f64| cuboid(DVec3::new(long, 0.1 * s, 0.1 * s));
    draft.free("crank", bar(crank), up + DVec3::X * 0.5 * crank);
    draft.free("rod", bar(rod), up + DVec3::X * (crank + 0.5 * rod));
    let end = up + DVec3::X * (crank + rod);
    let weight = draft.mass() * G * s;
    let (rate, force) = (
        draft.between(1.0, 8.0) / draft.until(),
        weight * draft.random.decade(0.3, 2.0),
    );
    let shaft = draft.joint(JointType::Hinge, ["world", "crank0"], up, DVec3::Y);
    shaft.axes[3].motor = motor(Goal::Velocity, &rate.to_string(), force);
    draft.joint(
        JointType::Hinge,
        ["crank0", "rod0"],
        up + DVec3::X * crank,
        DVec3::Y,
    );
    if draft.once_in(2) {
        draft.free(
            "piston",
            cuboid(DVec3::splat(0.3 * s)),
            end + DVec3::X * 0.15 * s,
        );
        draft.joint(JointType::Hinge, ["rod0", "piston0"], end, DVec3::Y);
        draft.joint(JointType::Slider, ["world", "piston0"], end, DVec3::X);
        draft.fixed(
            cuboid(DVec3::new(1.5, 1.0, 0.2) * s),
            end + DVec3::new(1.2 * s, 0.0, -0.35 * s),
        );
        for k in 0..draft.count(0, 3) {
            let place = end + DVec3::new((0.75 + 0.35 * k as f64) * s, 0.0, -0.1 * s);
            draft.free_within("block", cuboid(DVec3::splat(0.3 * s)), 0.7, place);
        }
    } else {
        let rocker = 0.8 * s;
        draft.free(
            "rocker",
            cuboid(DVec3::new(0.1 * s, 0.1 * s, rocker)),
            end - DVec3::Z * 0.5 * rocker,
        );
        draft.joint(JointType::Hinge, ["rod0", "rocker0"], end, DVec3::Y);
        draft.joint(
            JointType::Hinge,
            ["rocker0", "world"],
            end - DVec3::Z * rocker,
            DVec3::Y,
        );
    }
}

/// A box on two or four legs of two capsules each, whose hips and knees are driven.
pub(super) fn walker(draft: &mut Draft) {
    draft.ground();
    let s = draft.size;
    let (leg, r) = (0.4 * s, 0.06 * s);
    let high = 2.0 * (leg + 2.0 * r) + 0.05 * s;
    draft.free(
        "trunk",
        cuboid(DVec3::new(1.2, 0.6, 0.2) * s),
        DVec3::Z * (high + 0.1 * s),
    );
    let torque = draft.mass() * G * s;
    let (rate, swing) = (
        draft.between(2.0, 12.0) / draft.until(),
        draft.between(0.1, 0.6),
    );
    for (k, (x, y)) in [(0.5, 0.4), (0.5, -0.4), (-0.5, 0.4), (-0.5, -0.4)]
        .into_iter()
        .enumerate()
    {
        let phase = if k == 0 || k == 3 { 0.0 } else { PI };
        let hip = DVec3::new(x * s, y * s, high);
        let mut before = "trunk0".to_owned();
        for (level, sign) in [(0.0, 1.0), (1.0, -1.0)] {
            let top = hip - DVec3::Z * level * (leg + 2.0 * r);
            let shape = Shape::capsule(r, leg).expect(super::draft::DRAWN);
            draft.free("leg", shape, top - DVec3::Z * (r + 0.5 * leg));
            let name = draft.last();
            let joint = draft.joint(JointType::Hinge, [&before, &name], top, DVec3::Y);
            let aim = format!(
                "({})*(sin({rate}*t + {phase}) - sin({phase}))",
                sign * swing
            );
            joint.axes[3].motor = motor(
                Goal::Position {
                    speed: f64::INFINITY,
                },
                &aim,
                torque,
            );
            before = name;
        }
    }
}

/// A chassis on four wheels with motors, with springs or without, over bumps.
pub(super) fn cart(draft: &mut Draft) {
    draft.ground();
    let s = draft.size;
    let r = s * draft.between(0.15, 0.3);
    draft.free(
        "chassis",
        cuboid(DVec3::new(1.2, 0.5, 0.2) * s),
        DVec3::Z * (r + 0.15 * s),
    );
    let weight = draft.mass() * G;
    let (rate, sprung, round) = (draft.speed() / r, draft.once_in(2), draft.once_in(3));
    let beside = 0.3 * s + if round { 0.9 * r } else { 0.06 * s };
    for (x, y) in [(0.45, 1.0), (0.45, -1.0), (-0.45, 1.0), (-0.45, -1.0)] {
        let place = DVec3::new(x * s, y * beside, r);
        let mut holder = "chassis0".to_owned();
        if sprung {
            draft.free("hub", cuboid(DVec3::splat(0.08 * s)), place);
            let hub = draft.last();
            let name = draft
                .joint(JointType::Slider, [&holder, &hub], place, DVec3::Z)
                .name
                .clone();
            draft.spring_in(&name, 0, 5.0 * weight / s, 0.5 * weight / (G * s).sqrt());
            holder = hub;
        }
        let shape = if round {
            ball(0.9 * r)
        } else {
            cylinder(r, 0.12 * s)
        };
        draft.free("wheel", shape, place).orientation = quarter(DVec3::X);
        let name = draft.last();
        let axle = draft.joint(JointType::Hinge, [&holder, &name], place, DVec3::Y);
        axle.axes[3].motor = motor(Goal::Velocity, &rate.to_string(), 0.3 * weight * r);
    }
    for k in 0..draft.count(0, 4) {
        let place = DVec3::new(
            (1.3 + 0.5 * k as f64) * s,
            draft.between(-0.4, 0.4) * s,
            0.0,
        );
        draft.fixed(cuboid(DVec3::new(0.1, 0.6, 0.1) * s), place);
    }
    if draft.once_in(2) {
        let shape = draft.any_convex(0.25 * s);
        let place = DVec3::Z * (r + 0.6 * s);
        draft.free_within("cargo", shape, 1.0, place);
    }
}
