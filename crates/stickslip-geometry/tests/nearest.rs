//! Signed distances of all pairs of convex shapes at every gap, against brute force.

mod common;

use common::{Dice, KINDS, pair_at};
use glam::DVec3;
use stickslip_geometry::separation::nearest;
use stickslip_geometry::{Pose, Shape};

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

#[test]
fn no_direction_separates_a_pair_better_than_the_answer() {
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
            let (mut worst, mut seen) = (f64::NEG_INFINITY, 0);
            for k in 0..poses {
                let gap = gaps[k % gaps.len()];
                let Some((a, pose_a, b, pose_b)) = pair_at(&mut dice, [first, second], gap) else {
                    continue;
                };
                let near = nearest(&a, &pose_a, &b, &pose_b).expect("convex shapes");
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
                worst = worst.max(excess);
                seen += 1;
            }
            println!("{first:>9} {second:<9} {seen:6} poses, beaten by {worst:9.1e}");
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
