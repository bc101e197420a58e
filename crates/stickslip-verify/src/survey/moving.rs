//! What moves or is moved: conveyors, vibrating plates, pushers, seesaws, tops, coins, rolling, impacts.

use super::draft::{Draft, G, ball, cuboid, cylinder, plane, quarter};
use std::f64::consts::PI;
use stickslip::dynamics::Sinusoid;
use stickslip::dynamics::scene::{JointType, Mobility};
use stickslip::geometry::pose::exp;
use stickslip::prelude::*;

/// Parts in a row above z = `floor`, about to land.
fn parts(draft: &mut Draft, n: usize, floor: f64, along: DVec3) {
    let r = 0.4 * draft.size;
    let velocity = draft.falls(0.3 * r);
    for k in 0..n {
        let size = r * draft.between(0.5, 1.0);
        let shape = draft.any_shape(size);
        let turn = draft.any_turn();
        let place =
            along * (k as f64 - 0.5 * (n - 1) as f64) * 2.2 * r + DVec3::Z * (floor + 1.2 * r);
        let body = draft.free_within("part", shape, 0.7, place);
        (body.orientation, body.velocity) = (turn, velocity);
    }
}

/// A belt that moves, or a bed of driven rollers, carries parts against a stop.
pub(super) fn conveyor(draft: &mut Draft) {
    let (s, speed) = (draft.size, draft.speed());
    let n = draft.count(1, 6);
    if draft.once_in(2) {
        let belt = cuboid(DVec3::new(60.0, 2.0, 0.2) * s);
        let x = format!("({speed})*t");
        draft.driven(belt, [x, "0".into(), (-0.1 * s).to_string()]);
    } else {
        let r = 0.2 * s;
        for k in -12..12 {
            let place = DVec3::new(f64::from(k) * 2.1 * r, 0.0, -r);
            let angle = format!("({})*t", speed / r);
            let roller = draft.turning(cylinder(r, 2.0 * s), place, DVec3::Y, &angle);
            roller.orientation = quarter(DVec3::X);
        }
    }
    if draft.once_in(2) {
        draft.fixed(
            cuboid(DVec3::new(0.2, 2.0, 1.0) * s),
            DVec3::new(2.6 * s, 0.0, 0.55 * s),
        );
    }
    parts(draft, n, 0.0, DVec3::X);
}

/// A plate that shakes in one to three directions, and parts on it.
pub(super) fn plate(draft: &mut Draft) {
    let (s, until) = (draft.size, draft.until());
    let frequency = draft.between(2.0, 12.0) / until;
    let terms = draft.count(1, 3);
    let accelerations = (0..terms)
        .map(|_| {
            let direction = draft.random.vec3().try_normalize().unwrap_or(DVec3::Z);
            let about = draft.once_in(3);
            let amplitude = G * draft.random.decade(-1.0, 0.6) / if about { 4.0 * s } else { 1.0 };
            let phase = draft.between(0.0, 2.0 * PI);
            Sinusoid {
                direction,
                about,
                amplitude,
                frequency,
                phase,
            }
        })
        .collect();
    let wide = DVec3::new(12.0, 12.0, 0.4) * s;
    let body = draft.driven(cuboid(wide), [0.0, 0.0, -0.2 * s].map(|x| x.to_string()));
    if let Mobility::Prescribed(path) = &mut body.motion {
        path.accelerations = accelerations;
    }
    let n = draft.count(1, 5);
    // The plate starts where its sinusoids are at t = 0: parts start above the highest place it reaches.
    let top = terms as f64 * 10.0 * G / (2.0 * PI * frequency * 2.0 * PI * frequency);
    parts(draft, n, top.min(2.0 * s) + 0.1 * s, DVec3::X);
}

/// A block driven along the ground, or turning as a sweeper, pushes parts together.
pub(super) fn pusher(draft: &mut Draft) {
    draft.ground();
    let (s, n) = (draft.size, draft.count(1, 6));
    let way = 3.0 * s / draft.until();
    if draft.once_in(2) {
        let x = format!("{} + ({way})*t", -(0.6 * n as f64 + 1.0) * s);
        draft.driven(
            cuboid(DVec3::new(0.3, 2.0, 0.5) * s),
            [x, "0".into(), (0.3 * s).to_string()],
        );
    } else {
        let angle = format!("({})*t", 2.0 / draft.until());
        let arm = cuboid(DVec3::new(0.2, 3.0, 0.4) * s);
        let place = DVec3::new(-(0.6 * n as f64 + 1.5) * s, 0.0, 0.25 * s);
        draft.turning(arm, place, DVec3::Z, &angle);
    }
    parts(draft, n, 0.0, DVec3::X);
}

/// A plank on a roller or a hinge, a load on one end, a drop on the other.
pub(super) fn seesaw(draft: &mut Draft) {
    draft.ground();
    let s = draft.size;
    let (r, thick) = (0.3 * s, 0.1 * s);
    let middle = DVec3::Z * (2.0 * r + 0.5 * thick);
    let plank = cuboid(DVec3::new(4.0 * s, 0.6 * s, thick));
    match draft.random.below(3) {
        0 => {
            draft.free("plank", plank, middle);
            draft.joint(JointType::Hinge, ["world", "plank0"], middle, DVec3::Y);
        }
        1 => {
            draft.fixed(cylinder(r, s), DVec3::Z * r).orientation = quarter(DVec3::X);
            draft.free("plank", plank, middle);
        }
        _ => {
            draft
                .free("roller", cylinder(r, s), DVec3::Z * r)
                .orientation = quarter(DVec3::X);
            draft.free("plank", plank, middle);
        }
    }
    let top = 2.0 * r + thick;
    let (play, side) = (draft.play(), 0.4 * s);
    draft.free_within(
        "load",
        cuboid(DVec3::splat(side)),
        1.0,
        DVec3::new(1.6 * s, 0.0, top + 0.5 * side + play),
    );
    let velocity = draft.falls(s);
    let shape = draft.any_convex(0.3 * s);
    let place = DVec3::new(-1.6 * s, 0.0, top + 1.3 * s);
    draft.free_within("dropped", shape, 1.5, place).velocity = velocity;
}

/// Tops on their tips, coins that spin, roll or wobble, an egg, a spinning box.
pub(super) fn tops(draft: &mut Draft) {
    draft.ground();
    let (s, n) = (draft.size, draft.count(1, 3));
    for k in 0..n {
        let tilt = draft.between(0.0, 0.6);
        let (sin, cos) = libm::sincos(tilt);
        let (shape, up, turn) = match draft.random.below(5) {
            0 => {
                let cone = Shape::cone(0.4 * s, 0.6 * s).expect(super::draft::DRAWN);
                (cone, 0.45 * s * cos, exp(DVec3::X * (PI - tilt)))
            }
            1 => (
                cylinder(0.5 * s, 0.08 * s),
                0.5 * s * cos + 0.04 * s * sin,
                quarter(DVec3::X) * exp(DVec3::Y * tilt),
            ),
            2 => (
                cylinder(0.5 * s, 0.08 * s),
                0.5 * s * sin + 0.04 * s * cos,
                exp(DVec3::X * tilt),
            ),
            3 => (
                Shape::capsule(0.2 * s, 0.5 * s).expect(super::draft::DRAWN),
                0.25 * s * cos + 0.2 * s,
                exp(DVec3::X * tilt),
            ),
            _ => (ball(0.4 * s), 0.4 * s, DQuat::IDENTITY),
        };
        let up = if let Shape::Cylinder { .. } = shape {
            -lowest(&shape, turn)
        } else {
            up
        };
        let play = draft.play();
        let spin = draft.random.decade(0.5, 2.0) * (G / s).sqrt();
        let rolls = draft.speed();
        let body = draft.free("top", shape, DVec3::new(1.6 * s * k as f64, 0.0, up + play));
        body.orientation = turn;
        body.angular_velocity = DVec3::Z * spin.min(0.5 / 1e-4);
        body.velocity = DVec3::Y * if k == 0 { 0.0 } else { rolls };
    }
}

/// The lowest z of a shape about its origin.
fn lowest(shape: &Shape, orientation: DQuat) -> f64 {
    let pose = Pose {
        position: DVec3::ZERO,
        orientation,
    };
    -shape.support(&pose, DVec3::NEG_Z)
}

/// Balls, cylinders, cones, capsules and hoops roll down a slope, against a wall at its foot or off its edge.
pub(super) fn roll(draft: &mut Draft) {
    let (s, slope) = (draft.size, draft.between(0.02, 0.7));
    let (sin, cos) = libm::sincos(slope);
    if draft.once_in(2) {
        draft.fixed(plane(DVec3::new(sin, 0.0, cos), 0.0), DVec3::ZERO);
    } else {
        let ramp = cuboid(DVec3::new(8.0, 8.0, 0.5) * s);
        draft
            .fixed(ramp, DVec3::new(-sin, 0.0, -cos) * 0.25 * s)
            .orientation = exp(DVec3::Y * slope);
    }
    draft.fixed(plane(DVec3::Z, -3.0 * s), DVec3::ZERO);
    if draft.once_in(2) {
        draft.fixed(plane(DVec3::NEG_X, -2.5 * s), DVec3::ZERO);
    }
    let n = draft.count(1, 4);
    for k in 0..n {
        let r = s * draft.between(0.2, 0.45);
        let shape = match draft.random.below(4) {
            0 => ball(r),
            1 => cylinder(r, 0.8 * r),
            2 => Shape::capsule(r, 0.8 * r).expect(super::draft::DRAWN),
            _ => draft.any_cone(r),
        };
        let turn =
            exp(DVec3::Y * slope) * exp(DVec3::Z * draft.between(-0.4, 0.4)) * quarter(DVec3::X);
        let normal = DVec3::new(sin, 0.0, cos);
        let pose = Pose {
            position: DVec3::ZERO,
            orientation: turn,
        };
        let up = shape.support(&pose, -normal) + draft.play();
        let along = DVec3::new(cos, 0.0, -sin) * (1.5 - 1.2 * k as f64) * s;
        let across = DVec3::Y * draft.between(-0.5, 0.5) * s;
        let velocity = DVec3::new(cos, 0.0, -sin) * draft.speed();
        let body = draft.free("roller", shape, along + across + normal * up);
        (body.orientation, body.velocity) = (turn, velocity);
    }
}

/// Fast bodies strike plates, crates and each other, with any restitution.
pub(super) fn impact(draft: &mut Draft) {
    draft.ground();
    let s = draft.size;
    match draft.random.below(4) {
        0 => {
            let plate = cuboid(DVec3::new(draft.between(0.02, 0.2), 1.0, 1.0) * s);
            draft.free_within("plate", plate, 0.5, DVec3::Z * 0.5 * s);
        }
        1 => {
            for k in 0..3 {
                draft.free(
                    "crate",
                    cuboid(DVec3::splat(s)),
                    DVec3::Z * (f64::from(k) + 0.5) * s,
                );
            }
        }
        2 => {
            let shape = draft.any_shape(0.5 * s);
            let turn = draft.any_turn();
            draft
                .free_within("target", shape, 1.0, DVec3::Z * 0.8 * s)
                .orientation = turn;
        }
        _ => {
            draft.fixed(plane(DVec3::NEG_X, 0.0), DVec3::ZERO);
        }
    }
    let n = draft.count(1, 3);
    for k in 0..n {
        let r = s * draft.random.decade(-1.3, -0.4);
        let shape = draft.any_convex(r);
        let (turn, spin) = (draft.any_turn(), draft.random.vec3());
        let speed = draft.speed() * draft.random.decade(0.0, 1.3);
        let place = DVec3::new(
            -(1.0 + f64::from(k as u32)) * s,
            0.0,
            draft.between(0.5, 0.9) * s,
        );
        let aside = DVec3::Y * draft.between(-0.3, 0.3) * s;
        let body = draft.free_within("bullet", shape, 1.0, place + aside);
        body.orientation = turn;
        body.velocity = DVec3::X * speed;
        body.angular_velocity = spin * (speed / s);
    }
    let e = draft.between(0.0, 1.0);
    draft.scene.material.restitution = e;
    for body in &mut draft.scene.bodies {
        body.material.restitution = e;
    }
}

/// Bodies thrown about in a closed drum that turns.
pub(super) fn drum(draft: &mut Draft) {
    let s = draft.size;
    let half = s * draft.between(1.2, 1.8);
    let n = draft.count(2, 8);
    let angle = format!("({})*t", draft.between(1.0, 8.0) / draft.until());
    let sides = draft.count(4, 8);
    let wide = 2.0 * half * libm::tan(PI / sides as f64);
    let mut pieces = Vec::new();
    for k in 0..sides {
        let turn = exp(DVec3::Y * 2.0 * PI * k as f64 / sides as f64);
        let size = DVec3::new(0.2 * s, 4.0 * s, 1.1 * wide);
        let position = turn * DVec3::X * (half + 0.1 * s);
        pieces.push(stickslip::geometry::Piece {
            shape: cuboid(size),
            pose: Pose {
                position,
                orientation: turn,
            },
        });
    }
    let shell = Shape::compound(pieces).expect(super::draft::DRAWN);
    draft.turning(shell, DVec3::ZERO, DVec3::Y, &angle);
    for side in [DVec3::Y, DVec3::NEG_Y] {
        draft.fixed(plane(side, -1.5 * s), DVec3::ZERO);
    }
    let r = 0.25 * s;
    for k in 0..n {
        let at = |i: usize| (i as f64 - 0.5) * 2.2 * r;
        let place = DVec3::new(at(k % 2), 2.2 * r * ((k / 4) as f64 - 0.5), at(k / 2 % 2));
        let size = r * draft.between(0.6, 1.0);
        let shape = draft.any_shape(size);
        let turn = draft.any_turn();
        draft.free_within("part", shape, 0.5, place).orientation = turn;
    }
}
