//! Rows against the truth they stand for, the signed distance of the two shapes, over random and over harsh poses
//! (`common/harsh.rs`) and motions of all pairs.
//!
//! 1. gap + first-order change of the rows is the distance after the motion, but for an error of second order.
//! 2. No row claims more overlap than the pair has.
//! 3. A row's plane supports the one body, its point belongs to the other, and the two are opposite each other. Normals have length 1.

mod common;

use common::harsh::{Pair, harsh_pair, magnitude};
use common::{KINDS, Random, pair_at, pose, random, shape};
use glam::DVec3;
use std::f64::consts::PI;
use std::sync::Arc;
use stickslip_geometry::leg::{Leg, gap_change};
use stickslip_geometry::mesh::{Facet, Mesh};
use stickslip_geometry::narrow_phase::future_contacts;
use stickslip_geometry::pose::exp;
use stickslip_geometry::separation::nearest;
use stickslip_geometry::{Candidate, Moving, Pose, Shape, Twist};

fn kinds(k: usize) -> [&'static str; 2] {
    let n = KINDS.len();
    [KINDS[k % n], KINDS[k / n % n]]
}

fn twist(dice: &mut Random, size: f64) -> Twist {
    Twist {
        linear: dice.vec3() * size,
        angular: dice.vec3(),
    }
}

fn moving<'a>(shape: &'a Shape, start: Pose, nu: &Twist, h: f64) -> Moving<'a> {
    Moving {
        shape,
        start,
        pose: start,
        end: start.moved(nu, h),
        arm: 0.0,
    }
}

/// The candidates of a pair on its way.
fn rows((a, pose_a, b, pose_b): &Pair, nu: &[Twist; 2], h: f64) -> Vec<Candidate> {
    let mut out = Vec::new();
    future_contacts(
        &moving(a, *pose_a, &nu[0], h),
        &moving(b, *pose_b, &nu[1], h),
        &mut out,
    );
    out
}

fn distance((a, pose_a, b, pose_b): &Pair) -> f64 {
    nearest(a, pose_a, b, pose_b).expect("bounded").gap
}

fn after((a, pose_a, b, pose_b): &Pair, nu: &[Twist; 2], h: f64) -> Pair {
    (
        a.clone(),
        pose_a.moved(&nu[0], h),
        b.clone(),
        pose_b.moved(&nu[1], h),
    )
}

/// The gap of a row after the motion, by velocities and by displacements ([`gap_change`]).
fn predicted(pair: &Pair, c: &Candidate, nu: &[Twist; 2], h: f64) -> [f64; 2] {
    let end = after(pair, nu, h);
    let velocity = nu[1].at(c.point - pair.3.position) - nu[0].at(c.point - pair.1.position);
    let leg = |shape, from, to| Leg { shape, from, to };
    let (a, b) = (leg(&pair.0, pair.1, end.1), leg(&pair.2, pair.3, end.3));
    [
        c.gap + h * c.normal.dot(velocity),
        c.gap + gap_change(&a, &b, c.point, c.normal),
    ]
}

/// Rows at the touch, found with a common approach so that every pair has them.
fn rows_at_touch(pair: &Pair) -> Vec<Candidate> {
    let toward = Twist {
        linear: pair.1.position - pair.3.position,
        ..Twist::default()
    };
    rows(pair, &[Twist::default(), toward], 1e-3)
}

#[test]
fn rows_follow_the_distance_to_first_order() {
    let mut dice = random(21);
    let (mut worst, mut apart, mut seen) = ([0.0_f64; 2], 0.0_f64, 0);
    let mut ratios = [const { Vec::new() }; 2];
    for k in 0..3_600 {
        let Some(pair) = pair_at(&mut dice, kinds(k), 0.0) else {
            continue;
        };
        let nu = [twist(&mut dice, 1.0), twist(&mut dice, 1.0)];
        let found = rows_at_touch(&pair);
        // By how much the least of the rows lies over the true distance: what an overlap could pass through.
        let over = |h: f64| {
            let truth = distance(&after(&pair, &nu, h));
            let all = found.iter().map(|c| predicted(&pair, c, &nu, h));
            let least = all.fold([f64::INFINITY; 2], |m, x| [m[0].min(x[0]), m[1].min(x[1])]);
            least.map(|row| row - truth)
        };
        // At h = 1e-7 s what is of second order is 1e-7 m/s times the curvature.
        let (tiny, small, half) = (over(1e-7), over(1e-3), over(5e-4));
        for i in 0..2 {
            let rate = tiny[i] / 1e-7;
            assert!(rate < 1e-4, "{i}: {rate:e} m/s {found:?} {pair:?}");
            worst[i] = worst[i].max(rate);
            if half[i] > 1e-9 {
                ratios[i].push(small[i] / half[i]);
            }
        }
        // Places around a rim do not go with its spin: the velocity of one that does not touch is another matter.
        for c in found.iter().filter(|c| c.gap < 1e-9) {
            let [velocity, way] = predicted(&pair, c, &nu, 1e-7);
            let rate = (velocity - way).abs() / 1e-7;
            assert!(
                rate < 1e-4,
                "velocity and way differ by {rate:e} m/s: {c:?} {pair:?}"
            );
            apart = apart.max(rate);
        }
        seen += 1;
    }
    println!("{seen} pairs: velocity and way differ by {apart:e} m/s");
    for (i, ratios) in ratios.iter_mut().enumerate() {
        ratios.sort_by(f64::total_cmp);
        let median = ratios[ratios.len() / 2];
        println!(
            "over the truth by {:e} m/s; half the motion: error / {median}",
            worst[i]
        );
        assert!((median - 4.0).abs() < 0.1, "{median}");
    }
    assert!(seen > 3_000);
}

/// Distances and motions of the harsh pairs: touching, apart, overlapping; at rest or not.
fn harsh(dice: &mut Random, k: usize) -> Option<(Pair, [Twist; 2])> {
    const GAPS: [f64; 8] = [0.0, 1e-12, 1e-8, 1e-6, 1e-4, 1e-2, -1e-10, -1e-6];
    let pair = harsh_pair(dice, kinds(k), GAPS[k / 36 % GAPS.len()])?;
    let speed = magnitude(dice, -8.0, 0.0);
    let size = pair.0.radius().min(pair.2.radius());
    let nu = [(); 2].map(|()| {
        let nu = twist(dice, size);
        Twist {
            linear: nu.linear * speed,
            angular: nu.angular * speed,
        }
    });
    Some((pair, nu))
}

#[test]
fn no_row_claims_more_overlap_than_there_is() {
    let mut dice = random(22);
    let (mut worst, mut seen, mut count) = (0.0_f64, 0, 0);
    for k in 0..40_000 {
        let Some((pair, nu)) = harsh(&mut dice, k) else {
            continue;
        };
        let truth = distance(&pair).min(0.0);
        let size = pair.0.radius().max(pair.2.radius());
        for c in rows(&pair, &nu, 0.1) {
            let off = (truth - c.gap) / size;
            // Along their own normals, up to 60° aside, rows of a pair that overlaps lie up to twice as deep.
            let off = off + truth / size;
            assert!(off < 1e-8, "{off:e} of {truth:e}: {c:?} {pair:?} {nu:?}");
            worst = worst.max(off);
            count += 1;
        }
        seen += 1;
    }
    println!("{seen} pairs, {count} rows, deeper than the pair by {worst:e} of the size");
    assert!(seen > 15_000, "{seen}");
}

#[test]
fn rows_stand_where_their_bodies_face_each_other() {
    let mut dice = random(23);
    let (mut misplaced, mut far, mut seen, mut count) = (0.0_f64, 0, 0, 0);
    for k in 0..40_000 {
        let Some((pair, nu)) = harsh(&mut dice, k) else {
            continue;
        };
        let (a, pose_a, b, pose_b) = &pair;
        let way = |p: &Pose, nu: &Twist, s: &Shape| {
            (p.moved(nu, 0.1).position - p.position).length()
                + 0.1 * nu.angular.length() * s.radius()
        };
        let way = way(pose_a, &nu[0], a) + way(pose_b, &nu[1], b);
        let (size, small) = (a.radius().max(b.radius()), a.radius().min(b.radius()));
        let places = pose_a.position.length() + pose_b.position.length() + size;
        for c in rows(&pair, &nu, 0.1) {
            let (n, x) = (c.normal, c.point);
            let unit = (n.length() - 1.0).abs();
            assert!(unit < 4.0 * f64::EPSILON, "{unit:e} {c:?} {pair:?} {nu:?}");
            let (from_a, from_b) = (a.distance(pose_a, x), b.distance(pose_b, x));
            let on_b = (n.dot(x) - a.support(pose_a, n) - c.gap).abs().max(from_b);
            let on_a = (-b.support(pose_b, -n) - n.dot(x) - c.gap)
                .abs()
                .max(from_a);
            let off = on_a.min(on_b) / places;
            assert!(off < 4e-15, "{off:e} {c:?} {pair:?} {nu:?}");
            misplaced = misplaced.max(off);
            let aside = from_a.max(from_b) - c.gap.abs() - way - 1e-6 * small;
            far += usize::from(aside >= 0.01 * small);
            count += 1;
        }
        seen += 1;
    }
    println!(
        "{seen} pairs, misplaced by {misplaced:e}; {far} of {count} rows beside the other body"
    );
    // Left: rows of cylinders and cones whose direction is found from a feature that is not the one that meets.
    assert!(400 * far < count, "{far} of {count}");
}

/// Four bodies on a rolling way: what is round may turn as it likes.
#[test]
fn what_is_round_may_spin_under_a_face() {
    let mut dice = random(24);
    let ground = Shape::cuboid(DVec3::new(40.0, 40.0, 1.0)).expect("a box");
    let below = Pose::at(DVec3::Z * -0.5);
    for kind in ["ball", "capsule", "cylinder", "cone"] {
        for _ in 0..300 {
            let shape = shape(&mut dice, kind);
            let mut pose = pose(&mut dice, 0.0);
            pose.position.z += -(-shape.support(&pose, -DVec3::Z));
            let spun = Pose {
                orientation: pose.orientation
                    * stickslip_geometry::pose::exp(DVec3::Z * (3.0 * dice.signed())),
                ..pose
            };
            let lowest = DVec3::Z * shape.support(&pose, -DVec3::Z);
            let pair = (ground.clone(), below, shape.clone(), pose);
            for c in rows_at_touch(&pair).iter().filter(|c| c.gap < 1e-12) {
                let leg = |shape, from, to| Leg { shape, from, to };
                let change = gap_change(
                    &leg(&ground, below, below),
                    &leg(&shape, pose, spun),
                    c.point,
                    c.normal,
                );
                assert!(change.abs() < 1e-14, "{kind}: {change:e} {lowest} {c:?}");
            }
        }
    }
}

/// A rod that lies flat on a face and slides along it, over its border too, meets nothing: no row, of an edge that it crosses
/// at a small angle neither, may hold it.
#[test]
fn what_slides_along_a_face_is_not_held_by_its_edges() {
    let mut dice = random(31);
    let table = Shape::cuboid(DVec3::splat(2.0)).expect("a table");
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0]].map(|[x, y]| DVec3::new(x, y, 1.0));
    let mesh = Arc::new(Mesh::new(&corners, &[[0, 1, 2]]).expect("a mesh"));
    let sheet = Shape::Triangle(Facet::new(&mesh, 0).expect("a triangle"));
    let mut rows_seen = 0;
    for k in 0..4_000 {
        let (r, l) = (0.1 + 0.05 * dice.signed(), 0.8 + 0.3 * dice.signed());
        let rod = if k % 2 == 0 {
            Shape::capsule(r, l)
        } else {
            Shape::cylinder(r, l)
        }
        .expect("a rod");
        let face = if k % 4 < 2 { &table } else { &sheet };
        // Its axis along the border y = ±1, or the diagonal, but for a small angle.
        let heading = if k % 4 < 2 { 0.0 } else { 0.25 * PI } + 0.3 * dice.signed();
        let lie = exp(DVec3::Z * heading) * exp(DVec3::Y * (0.5 * PI));
        let at = DVec3::new(0.4 * dice.signed(), 0.4 * dice.signed(), 1.0 + r);
        let off = if k % 4 < 2 {
            DVec3::Y * 0.9
        } else {
            DVec3::ZERO
        };
        let pose = Pose {
            position: at + off,
            orientation: lie,
        };
        let slide = Twist {
            linear: DVec3::new(dice.signed(), dice.signed(), 0.0),
            angular: DVec3::ZERO,
        };
        // Its middle stays over the face.
        let over = |x: DVec3| {
            let inside = if k % 4 < 2 {
                1.0 - x.y
            } else {
                (x.x - x.y) * 0.7
            };
            inside > 0.01 && x.x.abs().max(x.y.abs()) < 1.0
        };
        if !(over(pose.position) && over(pose.position + slide.linear * 0.05)) {
            continue;
        }
        let pair = (face.clone(), Pose::IDENTITY, rod, pose);
        let nu = [Twist::default(), slide];
        for row in rows(&pair, &nu, 0.05) {
            let [gap, _] = predicted(&pair, &row, &nu, 0.05);
            assert!(gap >= -1e-9, "{gap:e} {row:?} {pair:?} {slide:?}");
            rows_seen += 1;
        }
    }
    assert!(rows_seen > 1_000, "{rows_seen}");
}

/// Two rods that touch and are nearly parallel: the least turn that is predicted makes them cross elsewhere, but a row across both axes
/// stands where they cross now.
#[test]
fn rods_have_the_row_across_both_where_they_cross_now() {
    let mut dice = random(77);
    let (mut worst, mut seen) = (0.0_f64, 0);
    let rod = Shape::capsule(0.05, 0.18).expect("a capsule");
    let along = |pose: &Pose| pose.orientation * DVec3::Z;
    for _ in 0..2_000 {
        let angle = dice.decade(-2.7, -0.8);
        let placed = |position, orientation| Pose {
            position,
            orientation,
        };
        let a = placed(DVec3::ZERO, exp(DVec3::Y * (0.5 * PI)));
        let over = DVec3::new(0.04 * dice.unit(), 0.02 * angle * dice.unit(), 0.1);
        let gap = DVec3::Z * dice.decade(-13.0, -7.0);
        let b = placed(over + gap, exp(DVec3::Z * angle) * a.orientation);
        let pair = (rod.clone(), a, rod.clone(), b);
        // By a turn of 1e-6 to 1e-4 rad one end goes down.
        let tilt = Twist {
            linear: DVec3::Z * -1e-3,
            angular: dice.vec3() * dice.decade(-4.0, -2.0),
        };
        for c in rows(&pair, &[Twist::default(), tilt], 0.01) {
            let is_across = |e: DVec3| c.normal.dot(e).abs() < 1e-13;
            if !(is_across(along(&a)) && is_across(along(&b))) {
                continue;
            }
            // How far the two axes pass each other there, across the normal.
            let beside = |p: &Pose| c.normal.cross(along(p)).dot(c.point - p.position);
            worst = worst.max(beside(&a).abs()).max(beside(&b).abs());
            seen += 1;
        }
    }
    println!("{seen} rows, beside an axis by {worst:e} m at most");
    assert!(seen > 1_000, "{seen}");
    assert!(worst < 1e-12, "{worst:e} m");
}
