//! The tangent frame of a contact: one rule, used by the stepper, the judge and every file.

use glam::DVec3;

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
}
