//! What stands until it is struck: stacks, walls, towers, arches, cards, dominoes.

use super::draft::{Draft, ball, cuboid, cylinder};
use std::f64::consts::PI;
use stickslip::geometry::pose::exp;
use stickslip::prelude::*;

/// Something round or square flies at `target` from `distance` away along −x.
pub(super) fn missile(draft: &mut Draft, target: DVec3, distance: f64) {
    let r = draft.size * draft.between(0.3, 0.8);
    let shape = match draft.random.below(4) {
        0 => draft.any_box(r),
        1 => draft.any_capsule(r),
        2 => draft.any_cylinder(r),
        _ => ball(r),
    };
    let speed = (distance / (0.2 * draft.until())).max(draft.speed());
    let turn = draft.any_turn();
    let place = target - DVec3::X * (distance + 1.1 * r);
    let body = draft.free_within("missile", shape, 1.0, place.with_z(place.z.max(1.05 * r)));
    body.orientation = turn;
    body.velocity = DVec3::X * speed;
}

/// Boxes, or boxes and cylinders, on each other: equal or not, aligned or not, heavy above light or not.
pub(super) fn stack(draft: &mut Draft) {
    draft.ground();
    let n = draft.count(2, 14);
    let (equal, aligned, round) = (draft.once_in(3), draft.once_in(2), draft.once_in(3));
    let decades = *draft.random.pick(&[0.0, 0.0, 1.0, 2.0]);
    let play = draft.play();
    let (mut z, wide) = (0.0, draft.size);
    for k in 0..n {
        let side = if equal {
            wide
        } else {
            wide * draft.between(0.6, 1.2)
        };
        let height = if equal {
            0.5 * wide
        } else {
            wide * draft.between(0.1, 0.9)
        };
        let shape = if round && k % 2 == 1 {
            cylinder(0.5 * side, height)
        } else {
            cuboid(DVec3::new(side, side, height))
        };
        let mut place = DVec3::Z * (z + play + 0.5 * height);
        let mut turn = DQuat::IDENTITY;
        if !aligned {
            place += draft.random.vec3().with_z(0.0) * (0.1 * wide);
            turn = exp(DVec3::Z * draft.between(-PI, PI));
        }
        draft
            .free_within("block", shape, decades, place)
            .orientation = turn;
        z = place.z + 0.5 * height;
    }
    if draft.once_in(4) {
        let drop = draft.size * draft.between(0.1, 2.0);
        let r = 0.4 * draft.size;
        let shape = draft.any_convex(r);
        let velocity = draft.falls(drop);
        draft
            .free_within("dropped", shape, 1.0, DVec3::Z * (z + drop + r))
            .velocity = velocity;
    }
}

/// Boxes in rows, each row one less: they touch their neighbours or not.
pub(super) fn pyramid(draft: &mut Draft) {
    draft.ground();
    let (n, side) = (draft.count(2, 6), draft.size);
    let gap = side * *draft.random.pick(&[0.0, 1e-6, 0.02, 0.3]);
    for level in 0..n {
        for k in 0..n - level {
            let x = (k as f64 - 0.5 * (n - level - 1) as f64) * (side + gap);
            let place = DVec3::new(x, 0.0, (level as f64 + 0.5) * side);
            draft.free("block", cuboid(DVec3::splat(side)), place);
        }
    }
    if draft.once_in(2) {
        missile(
            draft,
            DVec3::new(-0.5 * n as f64 * (side + gap) - side, 0.0, side),
            0.5 * side,
        );
    }
}

/// Bricks in bond, with half bricks at the ends or toothed, at rest or struck.
pub(super) fn wall(draft: &mut Draft) {
    draft.ground();
    let (rows, columns) = (draft.count(2, 5), draft.count(2, 5));
    let brick = DVec3::new(0.5, 1.0, 0.3) * draft.size;
    let (pitch, toothed) = (brick.y + draft.play(), draft.once_in(2));
    for row in 0..rows {
        let z = (row as f64 + 0.5) * brick.z;
        let odd = row % 2 == 1;
        let whole = if odd { columns - 1 } else { columns };
        for k in 0..whole {
            let y = (k as f64 + if odd { 0.5 } else { 0.0 }) * pitch;
            draft.free("brick", cuboid(brick), DVec3::new(0.0, y, z));
        }
        if odd && !toothed {
            let joint = pitch - brick.y;
            let half = cuboid(DVec3::new(brick.x, 0.5 * (brick.y - joint), brick.z));
            let end = 0.25 * (brick.y + joint);
            for y in [-end, (columns as f64 - 1.0) * pitch + end] {
                draft.free("half", half.clone(), DVec3::new(0.0, y, z));
            }
        }
    }
    if draft.once_in(2) {
        let y = 0.5 * (columns as f64 - 1.0) * pitch;
        let place = DVec3::new(-0.51 * brick.x, y, 0.6 * rows as f64 * brick.z);
        missile(draft, place, 0.5 * draft.size);
    }
}

/// Layers of three blocks, crosswise; some are gone, and it may be struck.
pub(super) fn tower(draft: &mut Draft) {
    draft.ground();
    let layers = draft.count(3, 9);
    let block = DVec3::new(3.0, 1.0, 0.6) * (0.3 * draft.size);
    let play = draft.play().min(0.05 * block.y);
    let gone = draft.once_in(2);
    for layer in 0..layers {
        let turn = if layer % 2 == 1 {
            super::draft::quarter(DVec3::Z)
        } else {
            DQuat::IDENTITY
        };
        let missing = if gone && layer > 0 && layer + 1 < layers {
            draft.random.below(6)
        } else {
            9
        };
        for k in (0..3).filter(|&k| k != missing) {
            let y = (k as f64 - 1.0) * block.y;
            let place = turn * DVec3::Y * y + DVec3::Z * (layer as f64 + 0.5) * block.z;
            let size = block - DVec3::Y * play;
            draft.free("block", cuboid(size), place).orientation = turn;
        }
    }
    if draft.once_in(2) {
        let z = draft.between(0.3, 0.9) * layers as f64 * block.z;
        missile(draft, DVec3::new(-0.52 * block.x, 0.0, z), 0.5 * draft.size);
    }
}

/// Voussoirs in a half circle on the ground; with a load on the key stone or not.
pub(super) fn arch(draft: &mut Draft) {
    draft.ground();
    let n = 2 * draft.count(2, 6) + 1;
    let (inner, depth) = (draft.size, draft.size * draft.between(0.2, 0.6));
    let outer = inner + draft.size * draft.between(0.25, 0.6);
    let at = |k: usize, r: f64, y: f64| {
        let (sin, cos) = libm::sincos(PI * k as f64 / n as f64);
        // The feet stand on the ground itself, not below it by the rounding of sin π.
        let sin = if k == 0 || k == n { 0.0 } else { sin };
        DVec3::new(r * cos, y, r * sin)
    };
    for k in 0..n {
        let corners = [k, k + 1].map(|k| [inner, outer].map(|r| [0.0, depth].map(|y| at(k, r, y))));
        let points: Vec<DVec3> = corners.into_iter().flatten().flatten().collect();
        draft.free_hull("stone", &points);
    }
    if draft.once_in(2) {
        let r = 0.25 * draft.size;
        let shape = draft.any_convex(r);
        let place = DVec3::new(0.1 * r, 0.5 * depth, outer + 1.5 * r);
        let velocity = draft.falls(0.5 * r);
        draft.free_within("load", shape, 1.0, place).velocity = velocity;
    }
}

/// Cards that lean on each other in tents, a card across them, tents on that.
pub(super) fn cards(draft: &mut Draft) {
    draft.ground();
    let (length, thick) = (draft.size, draft.size * draft.between(0.01, 0.05));
    let (lean, levels) = (draft.between(0.2, 0.5), draft.count(1, 3));
    let (sin, cos) = libm::sincos(lean);
    let card = cuboid(DVec3::new(thick, 0.7 * length, length));
    let half_foot = length * sin + thick * cos;
    let height = length * cos + thick * sin;
    for level in 0..levels {
        let z = level as f64 * (height + thick);
        let tents = levels - level;
        for k in 0..tents {
            let x = (k as f64 - 0.5 * (tents - 1) as f64) * 2.02 * half_foot;
            for side in [-1.0, 1.0] {
                let place = DVec3::new(x + 0.5 * side * half_foot, 0.0, z + 0.5 * height);
                let turn = exp(DVec3::NEG_Y * side * lean);
                draft.free("card", card.clone(), place).orientation = turn;
            }
        }
        if level + 1 < levels {
            let wide = 2.02 * half_foot * (tents - 1) as f64 + 0.5 * length;
            let flat = cuboid(DVec3::new(wide, 0.7 * length, thick));
            draft.free("flat", flat, DVec3::Z * (z + height + 0.5 * thick));
        }
    }
}

/// Thin boxes in a row or a bend; the first one falls.
pub(super) fn domino(draft: &mut Draft) {
    draft.ground();
    let n = draft.count(4, 20);
    let tall = draft.size;
    let size = DVec3::new(draft.between(0.08, 0.3), draft.between(0.3, 0.6), 1.0) * tall;
    let pitch = size.x + tall * draft.between(0.15, 0.6);
    let bend = *draft.random.pick(&[0.0, 0.0, 0.05, 0.15]);
    let (mut place, mut angle) = (DVec3::Z * 0.5 * size.z, 0.0);
    let speed = draft.speed() / tall;
    for k in 0..n {
        let turn = exp(DVec3::Z * angle);
        let body = draft.free("domino", cuboid(size), place);
        body.orientation = turn;
        if k == 0 {
            // About its lower edge: v = ω × r, r from the edge to the centre.
            body.angular_velocity = DVec3::Y * speed;
            body.velocity = (DVec3::Y * speed).cross(DVec3::new(-0.5 * size.x, 0.0, 0.5 * size.z));
        }
        angle += bend;
        place += exp(DVec3::Z * angle) * DVec3::X * pitch;
    }
}
