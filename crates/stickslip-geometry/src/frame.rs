//! The tangent frame of a contact: one rule, used by the stepper, the judge and every file.

use glam::{DVec2, DVec3};

/// The contact frame (n, t₁, t₂), right-handed, of the unit normal `n`.
///
/// t₁ is the world's x axis made perpendicular to n, or the y axis where n is within 26° of ±x; so
/// on level ground t₁ = x and t₂ = ±y. The fan of a pyramid's directions starts at t₁.
#[must_use]
pub fn contact_frame(n: DVec3) -> [DVec3; 3] {
    let axis = if n.x.abs() < 0.9 { DVec3::X } else { DVec3::Y };
    let t = axis - n * axis.dot(n);
    // |t| ≥ sqrt(1 − 0.9²) > 0.43: never zero.
    let t1 = t / t.length();
    [n, t1, n.cross(t1)]
}

/// (cos φ, sin φ) of the angle φ from t₁ to the direction `axis` seen along the normal, then turned on by `turn`
/// rad: where a fan of directions starts that a body carries along. `axis` must not be along the normal; where it
/// nearly is, `other` takes its place.
#[must_use]
pub fn fan_start(frame: &[DVec3; 3], axis: DVec3, other: DVec3, turn: f64) -> DVec2 {
    let [n, t1, t2] = *frame;
    let axis = if axis.dot(n).abs() < 0.9 { axis } else { other };
    let along = DVec2::new(axis.dot(t1), axis.dot(t2));
    let (sin, cos) = libm::sincos(turn);
    (along / along.length()).rotate(DVec2::new(cos, sin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_orthonormal_and_right_handed() {
        for n in [
            DVec3::X,
            -DVec3::X,
            DVec3::Y,
            DVec3::Z,
            -DVec3::Z,
            DVec3::new(0.9, 0.1, 0.4) / DVec3::new(0.9, 0.1, 0.4).length(),
        ] {
            let [n, a, b] = contact_frame(n);
            for (x, y) in [(n, a), (a, b), (b, n)] {
                assert!(x.dot(y).abs() < 1e-16);
            }
            assert!((a.length() - 1.0).abs() < 1e-15);
            assert!((n.cross(a) - b).length() < 1e-15);
        }
        assert_eq!(contact_frame(DVec3::Z)[1], DVec3::X);
        assert_eq!(contact_frame(DVec3::Z)[2], DVec3::Y);
    }

    #[test]
    fn fans_start_where_the_axis_points() {
        let frame = contact_frame(DVec3::Z);
        let turned = DVec3::new(0.6, 0.8, 0.0);
        assert!((fan_start(&frame, turned, DVec3::Y, 0.0) - DVec2::new(0.6, 0.8)).length() < 1e-15);
        let quarter = fan_start(&frame, DVec3::X, DVec3::Y, std::f64::consts::FRAC_PI_2);
        assert!((quarter - DVec2::Y).length() < 1e-15);
        // An axis along the normal says nothing; the other one is taken.
        assert_eq!(fan_start(&frame, DVec3::Z, DVec3::X, 0.0), DVec2::X);
    }
}
