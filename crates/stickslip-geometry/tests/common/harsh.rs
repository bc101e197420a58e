//! Pairs as they lie in real scenes and seldom at random: faces, edges and axes parallel to anything between 1e-16 and
//! 0.1 rad, corners over corners, sizes from a millimetre to a kilometre.

use super::{Random, shape};
use glam::{DQuat, DVec3};
use stickslip_geometry::pose::exp;
use stickslip_geometry::separation::nearest;
use stickslip_geometry::{Pose, Shape};

/// Two bounded convex shapes and their poses.
pub(crate) type Pair = (Shape, Pose, Shape, Pose);

/// 10 to a power between `low` and `high`.
pub(crate) fn magnitude(dice: &mut Random, low: f64, high: f64) -> f64 {
    libm::pow(10.0, low + 0.5 * (dice.signed() + 1.0) * (high - low))
}

/// One of the three axes, either way.
fn axis(dice: &mut Random) -> DVec3 {
    let k = ((dice.signed() + 1.0) * 1.5) as usize;
    DVec3::AXES[k.min(2)] * if dice.signed() < 0.0 { -1.0 } else { 1.0 }
}

/// The same shape, `factor` times as large.
pub(crate) fn scaled(shape: &Shape, factor: f64) -> Shape {
    match shape {
        Shape::Ball { radius } => Shape::ball(radius * factor),
        Shape::Box { half } => Shape::cuboid(*half * (2.0 * factor)),
        Shape::Cylinder { radius, half } => Shape::cylinder(radius * factor, 2.0 * half * factor),
        Shape::Cone { radius, length } => Shape::cone(radius * factor, length * factor),
        Shape::Capsule { radius, half } => Shape::capsule(radius * factor, 2.0 * half * factor),
        Shape::Hull(hull) => {
            let points: Vec<DVec3> = hull.vertices().iter().map(|v| *v * factor).collect();
            Shape::hull(&points)
        }
        other => Ok(other.clone()),
    }
    .expect("a shape")
}

/// A pair of these kinds with the signed distance `gap` times the smaller one's size: an axis of the one is along one of
/// the other, or across it, but for a tilt of any magnitude; moved along an axis or along any line.
pub(crate) fn harsh_pair(dice: &mut Random, kinds: [&str; 2], gap: f64) -> Option<Pair> {
    let size = magnitude(dice, -3.0, 3.0);
    let [a, b] = kinds.map(|kind| {
        let own = size * magnitude(dice, -0.5, 0.5);
        scaled(&shape(dice, kind), own)
    });
    let pose_a = Pose {
        position: dice.vec3() * size,
        orientation: exp(dice.vec3() * 3.0),
    };
    let (from, to) = (axis(dice), axis(dice));
    let spin = match dice.signed() {
        r if r < 0.0 => 0.0,
        r => 3.0 * r,
    };
    let tilt = match dice.signed() {
        r if r < -0.8 => DVec3::ZERO,
        _ => dice.vec3() * magnitude(dice, -16.0, -1.0),
    };
    let aligned = exp(tilt) * exp(to * spin) * DQuat::from_rotation_arc(from, to);
    let orientation = (pose_a.orientation * aligned).normalize();
    let away = match dice.signed() {
        r if r < 0.3 => to,
        r if r < 0.5 => axis(dice),
        _ => dice.vec3().try_normalize()?,
    };
    // Aside by nothing, by anything, or so that corners and edges meet.
    let aside = match dice.signed() {
        r if r < -0.3 => DVec3::ZERO,
        r if r < 0.3 => dice.vec3() * (0.5 * a.radius()),
        _ => corner_of(&a, dice) - corner_of(&b, dice),
    };
    let away = pose_a.orientation * away;
    let aside = pose_a.orientation * aside;
    let base = pose_a.position + aside - away * aside.dot(away);
    at_distance(&a, &pose_a, &b, base, away, orientation, gap)
}

/// A corner of the shape's own box.
fn corner_of(shape: &Shape, dice: &mut Random) -> DVec3 {
    let half = match shape {
        Shape::Box { half } => *half,
        Shape::Cylinder { radius, half } | Shape::Capsule { radius, half } => {
            DVec3::new(*radius, *radius, *half)
        }
        _ => DVec3::splat(shape.radius()),
    };
    half * DVec3::new(
        dice.signed().signum(),
        dice.signed().signum(),
        dice.signed().signum(),
    )
}

/// The second shape moved from `base` along `away` until the signed distance is `gap` times the smaller size.
fn at_distance(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    base: DVec3,
    away: DVec3,
    orientation: DQuat,
    gap: f64,
) -> Option<Pair> {
    let gap = gap * a.radius().min(b.radius());
    let at = |d: f64| Pose {
        position: base + away * d,
        orientation,
    };
    let (mut low, mut high) = (0.0, 2.0 * (a.radius() + b.radius()));
    if nearest(a, pose_a, b, &at(0.0))?.gap >= gap {
        return None; // the line leads past the other body
    }
    for _ in 0..12 {
        let middle = 0.5 * (low + high);
        if nearest(a, pose_a, b, &at(middle))?.gap < gap {
            low = middle;
        } else {
            high = middle;
        }
    }
    for _ in 0..8 {
        let near = nearest(a, pose_a, b, &at(high))?;
        let slope = near.normal.dot(away);
        if slope < 0.05 {
            return None;
        }
        high += (gap - near.gap) / slope;
    }
    let off = (nearest(a, pose_a, b, &at(high))?.gap - gap).abs();
    (off < 1e-12 * (a.radius() + b.radius())).then(|| (a.clone(), *pose_a, b.clone(), at(high)))
}
