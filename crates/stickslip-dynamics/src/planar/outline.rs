//! The outline of a body in a plane, for pictures.

use glam::{DVec2, DVec3};
use stickslip_geometry::{Pose, Shape};

/// The shadow of the shape on the plane of `x` and `y`, relative to `centre`: corners in order, empty where the shape
/// has no simple one.
pub(crate) fn outline(
    shape: &Shape,
    pose: &Pose,
    centre: DVec3,
    [x, y]: [DVec3; 2],
) -> Vec<[f64; 2]> {
    let flat = |p: DVec3| DVec2::new(x.dot(p), y.dot(p));
    let place = |p: DVec3| flat(pose.orientation * p + pose.position - centre);
    let points: Vec<DVec2> = match shape {
        Shape::Ball { radius } => {
            let middle = place(DVec3::ZERO);
            let around = |k: i32| {
                let (sin, cos) = libm::sincos(f64::from(k) * std::f64::consts::TAU / 64.0);
                middle + *radius * DVec2::new(cos, sin)
            };
            (0..64).map(around).collect()
        }
        Shape::Box { half } => (0..8)
            .map(|k| {
                let sign = |bit: i32| if k >> bit & 1 == 0 { 1.0 } else { -1.0 };
                place(*half * DVec3::new(sign(0), sign(1), sign(2)))
            })
            .collect(),
        Shape::Hull(hull) => hull.vertices().iter().map(|&p| place(p)).collect(),
        Shape::Points { points, .. } => points.iter().map(|&p| place(p)).collect(),
        _ => Vec::new(),
    };
    hull(points).into_iter().map(|p| p.to_array()).collect()
}

/// The convex hull, anticlockwise (Andrew's monotone chain).
fn hull(mut points: Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let half = |points: &mut dyn Iterator<Item = DVec2>| {
        let mut chain: Vec<DVec2> = Vec::new();
        for p in points {
            while let [.., a, b] = chain.as_slice()
                && (*b - *a).perp_dot(p - *a) <= 0.0
            {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut lower = half(&mut points.iter().copied());
    lower.extend(half(&mut points.iter().rev().copied()));
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_seen_along_an_axis_is_a_rectangle() {
        let shape = Shape::cuboid(DVec3::new(4.0, 1.0, 2.0)).expect("a box");
        let seen = outline(&shape, &Pose::IDENTITY, DVec3::ZERO, [DVec3::X, DVec3::Z]);
        assert_eq!(seen, [[-2.0, -1.0], [2.0, -1.0], [2.0, 1.0], [-2.0, 1.0]]);
        let ball = Shape::ball(0.5).expect("a ball");
        let seen = outline(&ball, &Pose::IDENTITY, DVec3::X, [DVec3::X, DVec3::Z]);
        assert_eq!(seen.len(), 64);
    }
}
