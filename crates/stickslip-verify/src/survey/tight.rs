//! What is held, squeezed or guided: grippers, vees, slots, holes, funnels.

use super::draft::{Draft, cuboid, cylinder, motor, piece, plane, quarter};
use std::f64::consts::PI;
use stickslip::dynamics::scene::{AxisHold, JointType};
use stickslip::geometry::pose::exp;
use stickslip::model::joint::Goal;
use stickslip::prelude::*;

/// Two or three fingers, driven along their ways or by motors with a bounded force, close on a body and lift it.
pub(super) fn gripper(draft: &mut Draft) {
    draft.ground();
    let r = 0.4 * draft.size;
    let shape = draft.any_convex(r);
    let turn = if draft.once_in(2) {
        draft.any_turn()
    } else {
        DQuat::IDENTITY
    };
    let place = Pose {
        position: DVec3::ZERO,
        orientation: turn,
    };
    let z = shape.support(&place, DVec3::NEG_Z);
    let reach = |d: DVec3| shape.support(&place, d);
    let reaches = [reach(DVec3::X), reach(DVec3::NEG_X)];
    draft.free("part", shape, DVec3::Z * z).orientation = turn;
    if draft.once_in(2) {
        by_motion(draft, reaches, z);
    } else {
        by_motors(draft, reaches, z);
    }
}

/// A jaw that closes by a given way, against one that a spring holds.
fn by_motion(draft: &mut Draft, reaches: [f64; 2], z: f64) {
    let (s, until) = (draft.size, draft.until());
    let finger = cuboid(DVec3::new(0.1, 0.3, 0.3) * s);
    let (start, high) = (reaches[0] + 0.15 * s, z.max(0.16 * s));
    let x = format!("{start} - {}*t", 0.3 * s / until);
    draft.driven(finger.clone(), [x, "0".into(), high.to_string()]);
    let weight = draft.mass() * super::draft::G;
    let mass = draft.mass() * draft.random.decade(-1.0, 0.5);
    let place = DVec3::new(-reaches[1] - 0.1 * s, 0.0, high);
    draft.of_mass("jaw", finger, mass, place);
    let guide = draft.joint(JointType::Slider, ["world", "jaw0"], place, DVec3::X);
    let name = guide.name.clone();
    let stiffness = weight / s * draft.random.decade(0.0, 3.0);
    draft.spring_in(
        &name,
        0,
        stiffness,
        0.1 * stiffness * (s / super::draft::G).sqrt(),
    );
}

/// Fingers on sliders of a palm that is lifted, driven with a bounded force.
fn by_motors(draft: &mut Draft, reaches: [f64; 2], z: f64) {
    let (s, until) = (draft.size, draft.until());
    let weight = draft.mass() * super::draft::G;
    let palm = DVec3::Z * (z + 0.9 * s);
    draft.free("palm", cuboid(DVec3::new(1.6, 0.3, 0.1) * s), palm);
    let lift = draft.joint(JointType::Slider, ["world", "palm0"], palm, DVec3::Z);
    let speed = 0.4 * s / until;
    let way = format!("{speed}*max(t - {}, 0)", 0.4 * until);
    lift.axes[0].hold = AxisHold::Driven(super::draft::formula(&way));
    let squeeze = weight * draft.random.decade(-0.5, 1.0);
    for (side, reach) in [1.0, -1.0].into_iter().zip(reaches) {
        let finger = cuboid(DVec3::new(0.08, 0.25, 0.7) * s);
        let place = DVec3::new(side * (reach + 0.14 * s), 0.0, z + 0.45 * s);
        draft.free("finger", finger, place);
        let (name, rate) = (draft.last(), -side * 0.1 * s / (0.2 * until));
        let slide = draft.joint(JointType::Slider, ["palm0", &name], place, DVec3::X);
        slide.axes[0].motor = motor(Goal::Velocity, &rate.to_string(), squeeze);
    }
}

/// Bodies that fall between two inclined planes.
pub(super) fn vee(draft: &mut Draft) {
    let angle = draft.between(0.3, 1.2);
    let (sin, cos) = libm::sincos(angle);
    for side in [1.0, -1.0] {
        draft.fixed(plane(DVec3::new(side * cos, 0.0, sin), 0.0), DVec3::ZERO);
    }
    let n = draft.count(1, 6);
    let r = 0.5 * draft.size;
    let velocity = draft.falls(r);
    for k in 0..n {
        let shape = match draft.random.below(3) {
            0 => cylinder(0.6 * r, 1.4 * r),
            1 => draft.any_box(r),
            _ => draft.any_convex(r),
        };
        let turn = match draft.random.below(3) {
            0 => draft.any_turn(),
            1 => quarter(DVec3::X),
            _ => DQuat::IDENTITY,
        };
        let place = DVec3::Z * (1.1 * r / sin.min(cos) + 2.2 * r * k as f64);
        let body = draft.free_within("part", shape, 0.7, place);
        (body.orientation, body.velocity) = (turn, velocity);
    }
}

/// Cylinders, boxes or balls in a slot hardly wider than they are; a piston presses them together.
pub(super) fn slot(draft: &mut Draft) {
    draft.ground();
    let (s, n) = (draft.size, draft.count(2, 6));
    let play = 0.5 * s * draft.random.decade(-4.0, -0.7);
    let half = 0.5 * s + play;
    for side in [1.0, -1.0] {
        let size = DVec3::new(0.3, 12.0, 2.0) * s;
        let place = DVec3::new(side * (half + 0.15 * s), 5.0 * s, s);
        draft.fixed(cuboid(size), place);
    }
    draft.fixed(
        cuboid(DVec3::new(1.0, 0.3, 2.0) * s),
        DVec3::new(0.0, -0.16 * s, s),
    );
    let kind = draft.random.below(4);
    for k in 0..n {
        let place = DVec3::new(0.0, (k as f64 + 0.55) * 1.05 * s, 0.5 * s);
        let (shape, turn) = match kind {
            0 => (cylinder(0.5 * s, s), DQuat::IDENTITY),
            1 => (cylinder(0.5 * s, s), quarter(DVec3::Y)),
            2 => (cuboid(DVec3::splat(s)), exp(DVec3::Z * 0.5 * play / s)),
            _ => (super::draft::ball(0.5 * s), DQuat::IDENTITY),
        };
        draft.free("part", shape, place).orientation = turn;
    }
    let (end, until) = ((n as f64 + 0.6) * 1.05 * s, draft.until());
    let mass = draft.mass();
    let piston = cuboid(DVec3::new(0.9, 0.3, 0.9) * s);
    draft.of_mass("piston", piston, mass, DVec3::new(0.0, end, 0.5 * s));
    let guide = draft.joint(
        JointType::Slider,
        ["world", "piston0"],
        DVec3::new(0.0, end, 0.5 * s),
        DVec3::Y,
    );
    let rate = -s / until;
    guide.axes[0].motor = motor(
        Goal::Velocity,
        &rate.to_string(),
        20.0 * mass * super::draft::G,
    );
}

/// A peg falls or is pushed into a hole with little play.
pub(super) fn peg(draft: &mut Draft) {
    let s = draft.size;
    let play = s * draft.random.decade(-4.0, -1.0);
    let (half, deep) = (0.25 * s + play, s);
    for side in [DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y] {
        let along = side.abs();
        let across = DVec3::new(along.y, along.x, 0.0);
        let size = along * s
            + across * (2.0 * half + if along.x > 0.0 { 2.0 * s } else { 0.0 })
            + DVec3::Z * deep;
        draft.fixed(
            cuboid(size),
            side * (half + 0.5 * s) - DVec3::Z * 0.5 * deep,
        );
    }
    draft.fixed(plane(DVec3::Z, -deep), DVec3::ZERO);
    let shape = match draft.random.below(4) {
        0 => cylinder(0.25 * s, 0.9 * s),
        1 => Shape::capsule(0.25 * s, 0.5 * s).expect(super::draft::DRAWN),
        2 => Shape::compound([
            piece(cylinder(0.25 * s, 0.9 * s), DVec3::ZERO),
            piece(cylinder(0.4 * s, 0.1 * s), DVec3::Z * 0.5 * s),
        ])
        .expect(super::draft::DRAWN),
        _ => cuboid(DVec3::new(0.5, 0.5, 0.9) * s),
    };
    let astray = draft.random.vec3().with_z(0.0) * play * draft.between(0.0, 2.0);
    let tilt = exp(draft.random.vec3().with_z(0.0) * draft.between(0.0, 0.05));
    let velocity = draft.falls(0.3 * s);
    let body = draft.free("peg", shape, astray + DVec3::Z * 0.62 * s);
    (body.orientation, body.velocity) = (tilt, velocity);
}

/// Four inclined boards over a floor; small parts run down between them.
pub(super) fn funnel(draft: &mut Draft) {
    draft.ground();
    let s = draft.size;
    let (opening, slope) = (s * draft.between(0.25, 1.2), draft.between(0.4, 1.1));
    let (sin, cos) = libm::sincos(slope);
    let (board, thick, high) = (4.0 * s, 0.2 * s, 1.5 * s);
    for k in 0..4 {
        let about = exp(DVec3::Z * 0.5 * PI * k as f64);
        // Its upper face begins at (opening, high) and rises outwards.
        let middle = DVec3::new(
            opening + 0.5 * board * cos + 0.5 * thick * sin,
            0.0,
            high + 0.5 * board * sin - 0.5 * thick * cos,
        );
        let shape = cuboid(DVec3::new(board, 2.0 * board, thick));
        draft.fixed(shape, about * middle).orientation = about * exp(DVec3::NEG_Y * slope);
    }
    let (n, r) = (draft.count(3, 14), 0.25 * s);
    let start = high + (opening + 0.8 * s) * sin / cos;
    let velocity = draft.falls(0.5 * s);
    let mixed = draft.once_in(2);
    for k in 0..n {
        let (x, y, z) = (k % 2, k / 2 % 2, k / 4);
        let at = |i: usize| (i as f64 - 0.5) * 2.2 * r;
        let place = DVec3::new(at(x), at(y), start + 2.2 * r * z as f64);
        let shape = if mixed {
            draft.any_shape(r)
        } else {
            super::draft::ball(r)
        };
        let turn = draft.any_turn();
        let body = draft.free_within("part", shape, 0.5, place);
        (body.orientation, body.velocity) = (turn, velocity);
    }
}

/// A wedge is pressed between two blocks, or a ball between bricks.
pub(super) fn wedge(draft: &mut Draft) {
    draft.ground();
    let s = draft.size;
    let angle = draft.between(0.1, 0.6);
    let (sin, cos) = libm::sincos(angle);
    for side in [1.0, -1.0] {
        let place = DVec3::new(side * 0.56 * s, 0.0, 0.5 * s);
        draft.free_within("block", cuboid(DVec3::splat(s)), 0.5, place);
    }
    let (wide, y) = (s * sin / cos, 0.4 * s);
    let points: Vec<DVec3> = [y, -y]
        .into_iter()
        .flat_map(|y| {
            [
                DVec3::new(0.0, y, 0.0),
                DVec3::new(wide, y, s),
                DVec3::new(-wide, y, s),
            ]
        })
        .map(|p| p + DVec3::Z * (s - 0.05 * s * cos / sin.max(0.1)).max(0.3 * s))
        .collect();
    let velocity = draft.falls(0.2 * s);
    let (heavy, walled) = (draft.random.decade(0.0, 1.5), draft.once_in(2));
    let mass = heavy * draft.mass();
    let shape = Shape::hull(&points).expect(super::draft::DRAWN);
    let place = stickslip::geometry::mass::centre_of_mass(&shape).expect("a solid");
    draft
        .of_mass("wedge", shape, mass, place + DVec3::Z * 0.3 * s)
        .velocity = velocity;
    if walled {
        for side in [DVec3::X, DVec3::NEG_X] {
            draft.fixed(plane(side, -1.2 * s), DVec3::ZERO);
        }
    }
}
