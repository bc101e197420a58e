//! Random shapes, poses and motions.

#![allow(dead_code)]

pub(crate) mod harsh;
pub(crate) mod oracle;
pub(crate) mod precise;

use glam::DVec3;
use stickslip_geometry::pose::exp;
use stickslip_geometry::separation::nearest;
use stickslip_geometry::{Pose, Shape};
pub(crate) use stickslip_testing::Random;

/// The kinds of bounded convex shapes.
pub(crate) const KINDS: [&str; 6] = ["ball", "box", "cylinder", "cone", "capsule", "hull"];

/// The sequence on which the figures of docs/shapes.md were measured.
pub(crate) fn random(seed: u64) -> Random {
    Random::congruential(seed)
}

/// A length between 0.2 and 0.6.
fn length(random: &mut Random) -> f64 {
    0.4 + 0.2 * random.signed()
}

pub(crate) fn pose(random: &mut Random, spread: f64) -> Pose {
    Pose {
        position: random.vec3() * spread,
        orientation: exp(random.vec3() * 3.0),
    }
}

/// A shape of the given kind, of a size near 1.
pub(crate) fn shape(random: &mut Random, kind: &str) -> Shape {
    let (r, l) = (length(random), 2.0 * length(random));
    match kind {
        "ball" => Shape::ball(r),
        "box" => Shape::cuboid(DVec3::splat(0.8) + random.vec3() * 0.4),
        "cylinder" => Shape::cylinder(r, l),
        "cone" => Shape::cone(r, l),
        "capsule" => Shape::capsule(0.5 * r, l),
        _ => {
            let points: Vec<DVec3> = (0..12).map(|_| random.vec3() * 0.7).collect();
            Shape::hull(&points)
        }
    }
    .expect("a shape")
}

/// Two shapes at random, moved along a random line until their signed distance is `gap`.
pub(crate) fn pair_at(
    random: &mut Random,
    kinds: [&str; 2],
    gap: f64,
) -> Option<(Shape, Pose, Shape, Pose)> {
    let (a, b) = (shape(random, kinds[0]), shape(random, kinds[1]));
    let pose_a = pose(random, 0.5);
    let away = random.vec3().try_normalize()?;
    let orientation = pose(random, 0.0).orientation;
    let at = |d: f64| Pose {
        position: pose_a.position + away * d,
        orientation,
    };
    let (mut low, mut high) = (0.0, 4.0);
    for _ in 0..12 {
        let middle = 0.5 * (low + high);
        if nearest(&a, &pose_a, &b, &at(middle))?.gap < gap {
            low = middle;
        } else {
            high = middle;
        }
    }
    // The gap grows by n·away: Newton's method from above.
    for _ in 0..8 {
        let near = nearest(&a, &pose_a, &b, &at(high))?;
        high += (gap - near.gap) / near.normal.dot(away);
    }
    Some((a, pose_a, b, at(high)))
}
