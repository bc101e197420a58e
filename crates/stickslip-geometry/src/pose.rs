//! Where a body is and how it moves: poses, twists, and the exponential map between them.

use glam::{DMat3, DQuat, DVec3};

/// Position of a body's frame and its orientation, body to world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Origin of the body frame (the centre of mass of a free body) in the world, m.
    pub position: DVec3,
    /// Unit quaternion that turns body vectors into world vectors.
    pub orientation: DQuat,
}

/// Velocity of a rigid body, world frame: ν = (v, ω).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Velocity of the origin of the body frame, m/s.
    pub linear: DVec3,
    /// Angular velocity, rad/s.
    pub angular: DVec3,
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// The world frame itself.
    pub const IDENTITY: Self = Self {
        position: DVec3::ZERO,
        orientation: DQuat::IDENTITY,
    };

    /// A pose without rotation.
    #[must_use]
    pub const fn at(position: DVec3) -> Self {
        Self {
            position,
            orientation: DQuat::IDENTITY,
        }
    }

    /// World coordinates of a body point.
    #[must_use]
    pub fn to_world(&self, point: DVec3) -> DVec3 {
        self.position + self.orientation * point
    }

    /// Body coordinates of a world point.
    #[must_use]
    pub fn to_body(&self, point: DVec3) -> DVec3 {
        self.orientation.conjugate() * (point - self.position)
    }

    /// The pose of something placed at `local` in this frame.
    #[must_use]
    pub fn then(&self, local: &Self) -> Self {
        Self {
            position: self.to_world(local.position),
            orientation: self.orientation * local.orientation,
        }
    }

    /// The world as seen from this frame.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self {
            position: self.to_body(DVec3::ZERO),
            orientation: self.orientation.conjugate(),
        }
    }

    /// R T Rᵀ: a body's tensor (such as its inertia) in the world frame.
    #[must_use]
    pub fn turned(&self, tensor: &DMat3) -> DMat3 {
        let r = self.rotation();
        r * *tensor * r.transpose()
    }

    /// Are all its numbers finite?
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.orientation.is_finite()
    }

    /// R: columns are the body axes in the world.
    ///
    /// Divided by |q|², so that the rounding of the norm (always to the same side for a steady turn) does
    /// not scale R: a free top keeps its angular momentum four times better for it over 10⁴ steps.
    #[must_use]
    pub fn rotation(&self) -> DMat3 {
        let q = self.orientation;
        let s = 2.0 / q.length_squared();
        let (x, y, z) = (q.x * s, q.y * s, q.z * s);
        let (xx, yy, zz) = (q.x * x, q.y * y, q.z * z);
        let (xy, yz, zx) = (q.x * y, q.y * z, q.z * x);
        let (wx, wy, wz) = (q.w * x, q.w * y, q.w * z);
        DMat3::from_cols(
            DVec3::new(1.0 - (yy + zz), xy + wz, zx - wy),
            DVec3::new(xy - wz, 1.0 - (xx + zz), yz + wx),
            DVec3::new(zx + wy, yz - wx, 1.0 - (xx + yy)),
        )
    }

    /// q ⊕ h ν: translation by h v, rotation by exp(h ω) on the left (ω in the world frame).
    #[must_use]
    pub fn moved(&self, nu: &Twist, h: f64) -> Self {
        Self {
            position: self.position + nu.linear * h,
            orientation: (exp(nu.angular * h) * self.orientation).normalize(),
        }
    }
}

impl Twist {
    /// Velocity of the body's material point at `lever` from the origin of its frame.
    #[must_use]
    pub fn at(&self, lever: DVec3) -> DVec3 {
        self.linear + self.angular.cross(lever)
    }
}

/// exp of a rotation vector φ (rad): the quaternion (cos |φ|/2, sin(|φ|/2) φ/|φ|).
#[must_use]
pub fn exp(phi: DVec3) -> DQuat {
    let half = 0.5 * phi.length();
    // sin(x)/x by its series below 1e-4: the next term is x⁶/5040 < 2e-28.
    let sinc = if half < 1e-4 {
        let x2 = half * half;
        1.0 - x2 / 6.0 + x2 * x2 / 120.0
    } else {
        libm::sin(half) / half
    };
    let v = phi * (0.5 * sinc);
    DQuat::from_xyzw(v.x, v.y, v.z, libm::cos(half))
}

/// log of a unit quaternion: the rotation vector of least length, |φ| ≤ π.
#[must_use]
pub fn log(q: DQuat) -> DVec3 {
    let (v, w) = (DVec3::new(q.x, q.y, q.z), q.w);
    let (v, w) = if w < 0.0 { (-v, -w) } else { (v, w) };
    let s = v.length();
    if s < 1e-8 {
        v * (2.0 / w.max(0.5))
    } else {
        v * (2.0 * libm::atan2(s, w) / s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_inverts_exp_from_tiny_to_half_a_turn() {
        for size in [1e-12, 1e-9, 1e-5, 1e-3, 0.3, 1.0, 3.0] {
            let phi = DVec3::new(0.6, -0.64, 0.48) * size;
            let back = log(exp(phi));
            assert!(
                (back - phi).length() <= 4e-16 * size.max(1e-3),
                "{size}: {back}"
            );
            assert!((exp(phi).length() - 1.0).abs() < 4e-16);
        }
    }

    #[test]
    fn a_moved_pose_carries_its_points_along_the_twist() {
        let pose = Pose {
            position: DVec3::new(1.0, 2.0, 3.0),
            orientation: exp(DVec3::new(0.2, 0.5, -0.3)),
        };
        let nu = Twist {
            linear: DVec3::new(0.3, -0.1, 0.7),
            angular: DVec3::new(1.0, -2.0, 0.5),
        };
        let (body_point, h) = (DVec3::new(0.1, 0.2, 0.3), 1e-6);
        let lever = pose.to_world(body_point) - pose.position;
        let moved = (pose.moved(&nu, h).to_world(body_point) - pose.to_world(body_point)) / h;
        assert!((moved - nu.at(lever)).length() < 1e-5);
        assert!((pose.to_body(pose.to_world(body_point)) - body_point).length() < 1e-15);
    }
}
