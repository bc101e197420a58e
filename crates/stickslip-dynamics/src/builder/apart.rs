//! How far a body is to be moved along an axis so that it no longer overlaps another.

use glam::DVec3;
use stickslip_geometry::separation::separation;
use stickslip_geometry::{Pose, Shape};
use stickslip_model::words::length;

/// The directions in which people move bodies; up comes first among equals.
const WAYS: [(&str, DVec3); 6] = [
    ("z", DVec3::Z),
    ("x", DVec3::X),
    ("y", DVec3::Y),
    ("-x", DVec3::NEG_X),
    ("-y", DVec3::NEG_Y),
    ("-z", DVec3::NEG_Z),
];

/// `0.1 m along z`: the shortest way along an axis on which the second shape leaves the first; `None` where none is found.
pub(super) fn way_out(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> Option<String> {
    let mut best: Option<(f64, &str)> = None;
    for (name, direction) in WAYS {
        let most = best.map_or(f64::INFINITY, |(shift, _)| shift);
        // A way that is not shorter by more than rounding is not better.
        if let Some(shift) = shift_along(a, b, direction, most * (1.0 - 1e-9)) {
            best = Some((shift, name));
        }
    }
    best.map(|(shift, name)| format!("{} m along {name}", length(rounded_up(shift))))
}

/// The least shift along a direction that parts the two, below `most`. A shift by less than the depth never does, so steps of the depth do not miss
/// it.
fn shift_along(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    direction: DVec3,
    most: f64,
) -> Option<f64> {
    let size = a.radius().min(b.radius());
    let mut shift = 0.0;
    for _ in 0..200 {
        let mut moved = *pose_b;
        moved.position += direction * shift;
        let depth = -separation(a, pose_a, b, &moved);
        if depth <= 1e-12 * size {
            return Some(shift);
        }
        shift += depth;
        if shift.is_nan() || shift >= most {
            return None;
        }
    }
    None
}

/// To six digits, so that what is shown is enough.
fn rounded_up(shift: f64) -> f64 {
    let unit = libm::pow(10.0, libm::floor(libm::log10(shift)) - 5.0);
    // What is a number of these digits but for rounding stays.
    libm::ceil(shift / unit - 1e-6) * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_way_along_an_axis_is_told() {
        let cube = Shape::cuboid(DVec3::ONE).expect("a box");
        let ground = Shape::half_space(DVec3::Z, 0.0).expect("a plane");
        let at = |x: f64, y: f64, z: f64| Pose {
            position: DVec3::new(x, y, z),
            ..Pose::IDENTITY
        };
        let out = |a: (&Shape, Pose), b: (&Shape, Pose)| way_out((a.0, &a.1), (b.0, &b.1));
        let on_ground = out((&ground, Pose::IDENTITY), (&cube, at(0.0, 0.0, 0.4)));
        assert_eq!(on_ground.as_deref(), Some("0.1 m along z"));
        let beside = out((&cube, Pose::IDENTITY), (&cube, at(0.0, -0.75, 0.1)));
        assert_eq!(beside.as_deref(), Some("0.25 m along -y"));
        // Out of a ball along an axis, not along the shortest line: 0.6 aside, 0.8 up from the middle.
        let ball = Shape::ball(0.5).expect("a ball");
        let aside = out((&ball, Pose::IDENTITY), (&ball, at(0.6, 0.0, 0.7)));
        assert_eq!(aside.as_deref(), Some("0.1 m along z"));
    }
}
