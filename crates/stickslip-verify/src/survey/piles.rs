//! What is thrown together: bins of one kind and of all, rods, compounds, cannonballs.

use super::draft::{Draft, ball, cuboid, cylinder, quarter};
use stickslip::geometry::pose::exp;
use stickslip::prelude::*;

/// Bodies of at most `r` in a lattice above the floor of a bin that is a few of them wide; they fall.
fn dropped(draft: &mut Draft, kind: &str, n: usize, shape: fn(&mut Draft, f64) -> Shape) {
    let r = 0.5 * draft.size;
    let across = draft.count(1, 3);
    let pitch = 2.05 * r;
    let half = 0.5 * pitch * across as f64 + draft.between(0.0, 0.5) * r;
    draft.bin(half, 6.0 * draft.size);
    let decades = *draft.random.pick(&[0.0, 0.0, 0.5, 1.5]);
    let velocity = draft.falls(1.5 * r);
    let spin = draft.speed() / draft.size;
    for k in 0..n {
        let (x, y, z) = (k % across, k / across % across, k / (across * across));
        let at = |i: usize| (i as f64 - 0.5 * (across - 1) as f64) * pitch;
        let up = 1.1 * r + z as f64 * pitch;
        let jitter = draft.random.vec3() * (0.02 * r);
        let size = r * draft.between(0.5, 1.0);
        let shape = shape(draft, size);
        let (turn, turning) = (draft.any_turn(), draft.random.vec3() * spin);
        let body = draft.free_within(kind, shape, decades, DVec3::new(at(x), at(y), up) + jitter);
        (body.orientation, body.velocity, body.angular_velocity) = (turn, velocity, turning);
    }
}

pub(super) fn bin_balls(draft: &mut Draft) {
    let n = draft.count(4, 30);
    dropped(draft, "ball", n, |_, r| ball(r));
}

pub(super) fn bin_boxes(draft: &mut Draft) {
    let n = draft.count(3, 16);
    dropped(draft, "box", n, Draft::any_box);
}

pub(super) fn bin_capsules(draft: &mut Draft) {
    let n = draft.count(3, 20);
    dropped(draft, "capsule", n, Draft::any_capsule);
}

pub(super) fn bin_cylinders(draft: &mut Draft) {
    let n = draft.count(3, 14);
    dropped(draft, "cylinder", n, Draft::any_cylinder);
}

pub(super) fn bin_hulls(draft: &mut Draft) {
    let n = draft.count(3, 14);
    dropped(draft, "hull", n, Draft::any_hull);
}

pub(super) fn bin_mixed(draft: &mut Draft) {
    let n = draft.count(4, 16);
    dropped(draft, "part", n, Draft::any_shape);
}

pub(super) fn compounds(draft: &mut Draft) {
    let n = draft.count(2, 9);
    dropped(draft, "compound", n, Draft::any_compound);
}

/// Logs, pipes or beams in layers between stakes; the layers may cross.
pub(super) fn rods(draft: &mut Draft) {
    draft.ground();
    let (r, length) = (0.2 * draft.size, draft.size * draft.between(1.5, 4.0));
    let (layers, wide) = (draft.count(1, 4), draft.count(2, 4));
    let crossed = draft.once_in(3);
    let half = r * (wide as f64 * 1.02 + 0.1);
    for x in [-1.0, 1.0] {
        for y in [-0.35, 0.35] {
            let stake = cylinder(0.4 * r, 8.0 * r);
            draft.fixed(
                stake,
                DVec3::new(x * (half + 0.45 * r), y * length, 4.0 * r),
            );
        }
    }
    let kind = draft.random.below(3);
    let velocity = draft.falls(r);
    for layer in 0..layers {
        for k in 0..wide - layer % 2 {
            let x = (k as f64 - 0.5 * (wide - layer % 2 - 1) as f64) * 2.04 * r;
            let place = DVec3::new(x, 0.0, (1.02 + 2.1 * layer as f64) * r);
            let shape = match kind {
                0 => cylinder(r, length),
                1 => Shape::capsule(r, length).expect(super::draft::DRAWN),
                _ => cuboid(DVec3::new(1.4 * r, 1.4 * r, length)),
            };
            let body = draft.free("rod", shape, place);
            body.orientation = quarter(DVec3::X);
            body.velocity = velocity;
        }
    }
    if crossed {
        let place = DVec3::Z * (2.1 * layers as f64 + 1.1) * r;
        let turn = exp(DVec3::Z * draft.between(0.3, 1.2)) * quarter(DVec3::X);
        draft
            .free("rod", cylinder(r, length), place + DVec3::Z * 8.0 * r)
            .orientation = turn;
    }
}

/// Balls that touch: a planar or a square pyramid, or layers of a close packing; one may be heavy.
pub(super) fn cannonballs(draft: &mut Draft) {
    draft.ground();
    let r = 0.5 * draft.size;
    let n = draft.count(2, 4);
    let planar = draft.once_in(2);
    let n = if planar { n + 2 } else { n };
    let rise = if planar { 3f64.sqrt() } else { 2f64.sqrt() } * r;
    for level in 0..n {
        let m = n - level;
        for k in 0..if planar { m } else { m * m } {
            let at = |i: usize| (2.0 * i as f64 - (m - 1) as f64) * r;
            let y = if planar { 0.0 } else { at(k / m) };
            let place = DVec3::new(at(k % m), y, r + level as f64 * rise);
            draft.free("ball", ball(r), place);
        }
    }
    if draft.once_in(3) {
        let z = r + (n - 1) as f64 * rise + 1.95 * r;
        draft.free_within("last", ball(0.9 * r), 2.0, DVec3::Z * z);
    }
}

/// A rack of balls on a table, broken by a fast one; or a row of balls struck from its end.
pub(super) fn billiards(draft: &mut Draft) {
    draft.ground();
    let r = 0.5 * draft.size;
    let gap = draft.play();
    let (rows, line) = (draft.count(2, 5), draft.once_in(3));
    for row in 0..rows {
        for k in 0..if line { 1 } else { row + 1 } {
            let ahead = if line { 2.0 } else { 3f64.sqrt() } * (r + gap);
            let y = (2.0 * k as f64 - row as f64) * (r + gap);
            let y = if line { 0.0 } else { y };
            draft.free("ball", ball(r), DVec3::new(row as f64 * ahead, y, r));
        }
    }
    let speed = draft.speed().max(2.0 * r / (0.2 * draft.until()));
    let aside = r * draft.between(-0.4, 0.4);
    let spin = draft.random.vec3() * (speed / r);
    let cue = draft.free("cue", ball(r), DVec3::new(-3.0 * r - gap, aside, r));
    cue.velocity = DVec3::X * speed;
    cue.angular_velocity = spin;
    let e = draft.between(0.0, 1.0);
    draft.scene.material.restitution = e;
    for body in &mut draft.scene.bodies {
        body.material.restitution = e;
    }
}

/// Leaning ladders, planks and rods against walls and each other.
pub(super) fn leaning(draft: &mut Draft) {
    draft.ground();
    draft.fixed(
        super::draft::plane(DVec3::NEG_X, -3.0 * draft.size),
        DVec3::ZERO,
    );
    let n = draft.count(1, 4);
    for k in 0..n {
        let (length, r) = (draft.size * draft.between(1.0, 2.5), 0.06 * draft.size);
        let lean = draft.between(0.1, 0.9);
        let (sin, cos) = libm::sincos(lean);
        let (shape, high, wide) = match draft.random.below(3) {
            0 => {
                let size = DVec3::new(2.0 * r, 4.0 * r, length);
                (
                    cuboid(size),
                    0.5 * length * cos + r * sin,
                    0.5 * length * sin + r * cos,
                )
            }
            1 => {
                let shape = Shape::capsule(r, length).expect(super::draft::DRAWN);
                (shape, 0.5 * length * cos + r, 0.5 * length * sin + r)
            }
            _ => (
                cylinder(r, length),
                0.5 * length * cos + r * sin,
                0.5 * length * sin + r * cos,
            ),
        };
        let play = draft.play();
        let place = DVec3::new(
            3.0 * draft.size - wide - play,
            k as f64 * 0.6 * draft.size,
            high,
        );
        let turn = exp(DVec3::Y * lean);
        draft.free("rod", shape, place).orientation = turn;
    }
    if draft.once_in(2) {
        let r = 0.15 * draft.size;
        let shape = draft.any_convex(r);
        let (turn, y) = (
            draft.any_turn(),
            draft.between(0.0, 0.6 * (n - 1) as f64 + 0.1) * draft.size,
        );
        let place = DVec3::new(2.4 * draft.size, y, 3.4 * draft.size);
        let velocity = draft.falls(2.0 * draft.size);
        let body = draft.free_within("load", shape, 1.0, place);
        (body.orientation, body.velocity) = (turn, velocity);
    }
}
