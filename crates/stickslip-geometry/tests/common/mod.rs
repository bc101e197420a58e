//! Random shapes, poses and motions.

#![allow(dead_code)]

pub(crate) mod oracle;
pub(crate) mod precise;

use glam::DVec3;
use stickslip_geometry::pose::exp;
use stickslip_geometry::separation::nearest;
use stickslip_geometry::{Pose, Shape};

/// A linear congruential generator: the same rolls everywhere.
pub(crate) struct Dice(pub(crate) u64);

/// The kinds of bounded convex shapes.
pub(crate) const KINDS: [&str; 6] = ["ball", "box", "cylinder", "cone", "capsule", "hull"];

impl Dice {
    /// Uniform in [−1, 1].
    pub(crate) fn roll(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Uniform in a cube.
    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.roll(), self.roll(), self.roll())
    }

    /// A length between 0.2 and 0.6.
    pub(crate) fn length(&mut self) -> f64 {
        0.4 + 0.2 * self.roll()
    }

    pub(crate) fn pose(&mut self, spread: f64) -> Pose {
        Pose {
            position: self.vector() * spread,
            orientation: exp(self.vector() * 3.0),
        }
    }

    /// A shape of the given kind, of a size near 1.
    pub(crate) fn shape(&mut self, kind: &str) -> Shape {
        let (r, l) = (self.length(), 2.0 * self.length());
        match kind {
            "ball" => Shape::ball(r),
            "box" => Shape::cuboid(DVec3::splat(0.8) + self.vector() * 0.4),
            "cylinder" => Shape::cylinder(r, l),
            "cone" => Shape::cone(r, l),
            "capsule" => Shape::capsule(0.5 * r, l),
            _ => {
                let points: Vec<DVec3> = (0..12).map(|_| self.vector() * 0.7).collect();
                Shape::hull(&points)
            }
        }
        .expect("a shape")
    }
}

/// Two shapes at random, moved along a random line until their signed distance is `gap`.
pub(crate) fn pair_at(
    dice: &mut Dice,
    kinds: [&str; 2],
    gap: f64,
) -> Option<(Shape, Pose, Shape, Pose)> {
    let (a, b) = (dice.shape(kinds[0]), dice.shape(kinds[1]));
    let pose_a = dice.pose(0.5);
    let away = dice.vector().try_normalize()?;
    let orientation = dice.pose(0.0).orientation;
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
