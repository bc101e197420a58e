//! Signed distances and normals of all pairs of convex shapes at every gap: against the same maximum in 32 digits
//! (`common/oracle.rs`), and against directions tried at random all over the sphere.
//!
//! `STICKSLIP_POSES` sets how many poses of each pair are tried, `STICKSLIP_PAIR` (such as "box cone") which pair alone.

mod common;

use common::oracle::truth;
use common::precise::{Long, Vector};
use common::{KINDS, Random, pair_at, random};
use glam::DVec3;
use stickslip_geometry::separation::nearest;
use stickslip_geometry::{Pose, Shape};
use stickslip_testing::setting;

/// Separation along n, from the supports alone.
fn along(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, n: DVec3) -> f64 {
    -b.support(pose_b, -n) - a.support(pose_a, n)
}

/// How much larger the separation is along any of many directions: some all over the sphere, the best of them
/// bettered by ever smaller random steps, and such steps from the answer itself.
fn beaten_by(
    dice: &mut Random,
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    answer: DVec3,
) -> f64 {
    let value = |n: DVec3| along(a, pose_a, b, pose_b, n);
    let mut starts: Vec<(f64, DVec3)> = (0..200)
        .filter_map(|_| dice.vec3().try_normalize())
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
            if let Some(next) = (n + dice.vec3() * step).try_normalize() {
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

/// Worst errors of one pair of kinds.
#[derive(Debug, Default)]
struct Worst {
    seen: usize,
    /// Gap less the true one near by; less the best of those tried; m over the size of the larger body.
    gap: f64,
    beaten: f64,
    /// Length of the normal less the true one, and that error over its bound.
    normal: f64,
    bound: f64,
    failures: Vec<String>,
}

const GAPS: [f64; 12] = [
    1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 0.0, -1e-10, -1e-6, -1e-4,
];

fn study(kinds: [&str; 2], seed: u64, poses: usize) -> Worst {
    let mut worst = Worst::default();
    let mut dice = random(seed);
    for k in 0..poses {
        let gap = GAPS[k % GAPS.len()];
        let before = dice.seed();
        let Some((a, pose_a, b, pose_b)) = pair_at(&mut dice, kinds, gap) else {
            continue;
        };
        let near = nearest(&a, &pose_a, &b, &pose_b).expect("convex shapes");
        if (near.gap - gap).abs() > 1e-9 {
            continue; // the line leads past the other body
        }
        worst.seen += 1;
        let size = a.radius().max(b.radius());
        let mut fail = |what: String| {
            worst
                .failures
                .push(format!("{kinds:?} dice {before} gap {gap:e}: {what}"));
        };
        let back = nearest(&b, &pose_b, &a, &pose_a).expect("convex shapes");
        if (back.gap - near.gap).abs() > 1e-12 {
            fail(format!("{:e} from b to a", back.gap - near.gap));
        }
        let beaten = beaten_by(&mut dice, &a, &pose_a, &b, &pose_b, near.normal) / size;
        if beaten > 1e-12 {
            fail(format!("beaten by {beaten:e}"));
        }
        let Some(truth) = truth(&a, &pose_a, &b, &pose_b, near.normal) else {
            fail("no feature explains the direction".to_string());
            continue;
        };
        let error = (truth.gap - Long::from(near.gap)).high.abs() / size;
        if error > 1e-12 {
            fail(format!("off by {error:e}"));
        }
        let normal = (truth.n - Vector::from(near.normal)).length().high;
        let bound = 1e-9_f64.max(4.0 * f64::EPSILON * size / near.gap.abs());
        if normal > bound {
            fail(format!("normal off by {normal:e}, bound {bound:e}"));
        }
        worst.gap = worst.gap.max(error);
        worst.beaten = worst.beaten.max(beaten);
        worst.normal = worst.normal.max(normal);
        worst.bound = worst.bound.max(normal / bound);
    }
    worst
}

#[test]
fn gaps_and_normals_of_all_pairs_are_exact() {
    let poses: usize = setting("STICKSLIP_POSES", 60);
    let only = std::env::var("STICKSLIP_PAIR").ok();
    let mut pairs = Vec::new();
    for (i, first) in KINDS.into_iter().enumerate() {
        for second in &KINDS[i..] {
            let name = format!("{first} {second}");
            if only.as_ref().is_none_or(|only| *only == name) {
                pairs.push((name, [first, second]));
            }
        }
    }
    println!("| pair | poses | gap off by | beaten by | normal off by | of its bound |");
    println!("|---|---|---|---|---|---|");
    let mut failures = Vec::new();
    for (name, kinds) in pairs {
        // Two threads, each with dice of its own.
        let studies = std::thread::scope(|scope| {
            let half = |seed| scope.spawn(move || study(kinds, seed, poses.div_ceil(2)));
            [half(11), half(12)].map(|thread| thread.join().expect("a study"))
        });
        let most = |of: fn(&Worst) -> f64| studies.iter().map(of).fold(0.0, f64::max);
        let seen: usize = studies.iter().map(|w| w.seen).sum();
        println!(
            "| {name} | {seen} | {:.1e} | {:.1e} | {:.1e} | {:.3} |",
            most(|w| w.gap),
            most(|w| w.beaten),
            most(|w| w.normal),
            most(|w| w.bound),
        );
        assert!(10 * seen > 8 * poses, "{name}: {seen} of {poses}");
        failures.extend(studies.into_iter().flat_map(|w| w.failures));
    }
    let count = failures.len();
    failures.truncate(30);
    assert!(failures.is_empty(), "{count}: {failures:#?}");
}
