//! Signed distances and normals of all pairs of convex shapes at every gap, against brute force and against the
//! nearest points of each shape by itself.
//!
//! `STICKSLIP_POSES` sets how many poses of each pair are tried.

mod common;

use common::{Dice, KINDS, pair_at};
use glam::DVec3;
use stickslip_geometry::narrow_phase::future_contacts;
use stickslip_geometry::separation::{Nearest, nearest};
use stickslip_geometry::{Candidate, Moving, Pose, Shape};

/// Separation along n, from the supports alone.
fn along(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, n: DVec3) -> f64 {
    -b.support(pose_b, -n) - a.support(pose_a, n)
}

/// How much larger the separation is along any of many directions: some all over the sphere, the best of them
/// bettered by ever smaller random steps, and such steps from the answer itself.
fn beaten_by(
    dice: &mut Dice,
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    answer: DVec3,
) -> f64 {
    let value = |n: DVec3| along(a, pose_a, b, pose_b, n);
    let mut starts: Vec<(f64, DVec3)> = (0..200)
        .filter_map(|_| dice.vector().try_normalize())
        .map(|n| (value(n), n))
        .collect();
    starts.sort_by(|x, y| y.0.total_cmp(&x.0));
    starts.truncate(4);
    let best = value(answer);
    let mut most = f64::NEG_INFINITY;
    for (k, start) in starts.into_iter().map(|s| s.1).chain([answer]).enumerate() {
        let (mut n, mut s) = (start, value(start));
        let mut step = if k == 4 { 1e-2 } else { 0.3 };
        for _ in 0..250 {
            if let Some(next) = (n + dice.vector() * step).try_normalize() {
                let risen = value(next);
                if risen > s {
                    (n, s) = (next, risen);
                } else {
                    step *= 0.9;
                }
            }
        }
        most = most.max(s - best);
    }
    most
}

/// The point of the shape nearest to a point outside it, each shape by its own formula.
fn foot(shape: &Shape, pose: &Pose, x: DVec3) -> DVec3 {
    let p = pose.to_body(x);
    let across = DVec3::new(p.x, p.y, 0.0);
    let out = across.try_normalize().unwrap_or(DVec3::X);
    let on_segment = |u: DVec3, v: DVec3| {
        let s = ((p - u).dot(v - u) / (v - u).length_squared()).clamp(0.0, 1.0);
        u + (v - u) * s
    };
    let nearer = |u: DVec3, v: DVec3| {
        if (u - p).length() < (v - p).length() {
            u
        } else {
            v
        }
    };
    let local = match shape {
        Shape::Ball { radius } => p * (radius / p.length()),
        Shape::Box { half } => p.clamp(-*half, *half),
        Shape::Cylinder { radius, half } => {
            out * across.length().min(*radius) + DVec3::Z * p.z.clamp(-half, *half)
        }
        Shape::Cone { radius, length } => {
            let (low, apex) = (-DVec3::Z * (0.25 * length), DVec3::Z * (0.75 * length));
            let rim = low + out * *radius;
            let base = low + out * across.length().min(*radius);
            nearer(base, on_segment(rim, apex))
        }
        Shape::Capsule { radius, half } => {
            let axis = DVec3::Z * p.z.clamp(-half, *half);
            axis + (p - axis) * (radius / (p - axis).length())
        }
        Shape::Hull(hull) => {
            let mut best = hull.vertices()[0];
            for edge in hull.edges() {
                let [u, v] = edge.vertices.map(|k| hull.vertices()[k]);
                best = nearer(best, on_segment(u, v));
            }
            for (f, face) in hull.faces().iter().enumerate() {
                let foot = p - face.normal * (face.normal.dot(p) - face.offset);
                let corners = hull.corners(f);
                let inside = (0..corners.len()).all(|i| {
                    let (u, v) = (corners[i], corners[(i + 1) % corners.len()]);
                    let (u, v) = (hull.vertices()[u], hull.vertices()[v]);
                    (v - u).cross(face.normal).dot(foot - u) <= 0.0
                });
                if inside {
                    best = nearer(best, foot);
                }
            }
            best
        }
        _ => p,
    };
    pose.to_world(local)
}

/// How far the normal is from that of the nearest points. A pair that touches or overlaps is first moved apart
/// along the normal, which is the normal of the moved pair too. The row of a contact gives a point of one body
/// that is nearest to the other.
fn normal_error(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, near: &Nearest) -> f64 {
    // Two boxes have rows of faces and edges only: the hull of one's corners has them all.
    if let (Shape::Box { half }, Shape::Box { .. }) = (a, b) {
        let corners = [-1.0, 1.0]
            .map(|x| [-1.0, 1.0].map(|y| [-1.0, 1.0].map(|z| DVec3::new(x, y, z) * *half)));
        let hull = Shape::hull(corners.as_flattened().as_flattened()).expect("a hull");
        return normal_error(&hull, pose_a, b, pose_b, near);
    }
    let apart = if near.gap < 1e-3 { 0.1 } else { 0.0 };
    let mut pose_b = *pose_b;
    pose_b.position += near.normal * apart;
    let moving = |shape, start: Pose, way: DVec3| Moving {
        shape,
        start,
        pose: start,
        end: Pose {
            position: start.position + way,
            ..start
        },
        arm: 0.0,
    };
    let mut rows = Vec::new();
    let way = near.normal * -2.2 * (near.gap + apart);
    future_contacts(
        &moving(a, *pose_a, DVec3::ZERO),
        &moving(b, pose_b, way),
        &mut rows,
    );
    // A point x of b with b behind n·x, the way from whose foot on a is along n: then n is the normal.
    let n = near.normal;
    let error = |c: &Candidate| {
        let on_b = b.distance(&pose_b, c.point) < a.distance(pose_a, c.point);
        let (behind, along) = if on_b {
            let low = -b.support(&pose_b, -n);
            (n.dot(c.point) - low, c.point - foot(a, pose_a, c.point))
        } else {
            let high = a.support(pose_a, n);
            (high - n.dot(c.point), foot(b, &pose_b, c.point) - c.point)
        };
        let off = |m: DVec3| (m - n).length();
        if behind < 1e-13 {
            along.try_normalize().map_or(f64::INFINITY, off)
        } else {
            f64::INFINITY
        }
    };
    rows.iter().map(error).fold(f64::INFINITY, f64::min)
}

#[test]
fn gaps_and_normals_of_all_pairs_are_exact() {
    let poses: usize = std::env::var("STICKSLIP_POSES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(60);
    let gaps = [
        1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 0.0, -1e-10, -1e-6, -1e-4,
    ];
    let mut dice = Dice(11);
    let mut failures = Vec::new();
    for (i, first) in KINDS.iter().enumerate() {
        for second in &KINDS[i..] {
            let (mut worst, mut seen, mut off) = (f64::NEG_INFINITY, 0, 0.0_f64);
            for k in 0..poses {
                let gap = gaps[k % gaps.len()];
                let Some((a, pose_a, b, pose_b)) = pair_at(&mut dice, [first, second], gap) else {
                    continue;
                };
                let near = nearest(&a, &pose_a, &b, &pose_b).expect("convex shapes");
                if (near.gap - gap).abs() > 1e-9 {
                    continue; // the line leads past the other body
                }
                assert!((near.normal.length() - 1.0).abs() < 1e-14);
                let own = along(&a, &pose_a, &b, &pose_b, near.normal);
                assert!(
                    (own - near.gap).abs() < 4e-15,
                    "{first} {second} {own} {}",
                    near.gap
                );
                let back = nearest(&b, &pose_b, &a, &pose_a).expect("convex shapes");
                assert!(
                    (back.gap - near.gap).abs() < 1e-12,
                    "{first} {second}: from b to a"
                );
                let excess = beaten_by(&mut dice, &a, &pose_a, &b, &pose_b, near.normal);
                if excess > 1e-12 && failures.len() < 30 {
                    failures.push(format!("{first} {second} gap {gap:e}: {excess:e}"));
                }
                // Where two features tie, two normals are right.
                let normal = normal_error(&a, &pose_a, &b, &pose_b, &near);
                let scale = if near.gap < 1e-3 { 0.1 } else { near.gap };
                if normal > 1e-9_f64.max(4.0 * f64::EPSILON / scale) && failures.len() < 30 {
                    failures.push(format!(
                        "{first} {second} gap {gap:e}: normal off by {normal:e}"
                    ));
                }
                off = off.max(normal);
                worst = worst.max(excess);
                seen += 1;
            }
            assert!(10 * seen > 8 * poses, "{first} {second}: {seen} of {poses}");
            println!(
                "{first:>9} {second:<9} {seen:6} poses, gap beaten by {worst:8.1e}, normal off by {off:8.1e}"
            );
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
