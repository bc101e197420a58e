//! Does a body fly? The second-order map of a body that no contact row touches, checked without solving it:
//!
//! ```text
//!   x⁺ = x + h v + ½h² F/m        v⁺ = v + h F/m
//!   L  = I(R) ω                   L⁺ = L + h τ
//!   R⁺ = exp(h ω̄) R,   where  I(R̄) ω̄ = L + ½h τ  at  R̄ = exp(½h ω̄) R
//!   ω⁺ = I(R⁺)⁻¹ L⁺               I(R) = R I_body Rᵀ
//! ```

use glam::{DMat3, DVec3};
use stickslip_geometry::{Twist, pose::exp};
use stickslip_model::{Body, BodyState, Wrench};

fn spin(angular: DVec3) -> Twist {
    Twist {
        linear: DVec3::ZERO,
        angular,
    }
}

/// How far `after` is from the map, without solving it: the midpoint equation is checked at the mean
/// rotation that the two orientations show. Returns the largest velocity, position and orientation
/// error, each with its rounding bound.
pub(crate) struct Misfit {
    pub(crate) velocity: (f64, f64),
    pub(crate) pose: (f64, f64),
}

impl Misfit {
    /// The larger error in units of its bound.
    pub(crate) fn ratio(&self) -> f64 {
        let (error, bound) = worse(self.velocity, self.pose);
        if error == 0.0 { 0.0 } else { error / bound }
    }
}

pub(crate) fn misfit(
    body: &Body,
    before: &BodyState,
    after: &BodyState,
    wrench: &Wrench,
    h: f64,
) -> Option<Misfit> {
    let mass = body.mass?;
    let eps = f64::EPSILON;
    let radius = body.shape.radius();
    let a = wrench.force / mass.mass;
    let (x, v) = (before.pose.position, before.twist.linear);
    let dv = (after.twist.linear - (v + a * h)).length();
    let dv_bound = 16.0 * eps * (v.length() + h * a.length());
    let dx = (after.pose.position - (x + v * h + a * (0.5 * h * h))).length();
    let dx_bound = 16.0 * eps * (x.length() + h * v.length() + 0.5 * h * h * a.length());

    // Rotation: ω̄ from the two orientations, then the two angular equations.
    let step = after.pose.orientation * before.pose.orientation.conjugate();
    let mean = stickslip_geometry::pose::log(step) / h;
    let middle = before.pose.moved(&spin(mean), 0.5 * h);
    let momentum = before.pose.turned(&mass.inertia) * before.twist.angular;
    let wanted = middle.turned(&body.inverse_inertia) * (momentum + wrench.torque * (0.5 * h));
    let predicted = exp(wanted * h) * before.pose.orientation;
    let q = after.pose.orientation;
    let dq = (q - predicted).length().min((q + predicted).length());
    let omega = after.pose.turned(&body.inverse_inertia) * (momentum + wrench.torque * h);
    let dw = (after.twist.angular - omega).length();
    // I⁻¹ amplifies the rounding of L by the ratio of the principal moments.
    let spread = norm(&mass.inertia) * norm(&body.inverse_inertia);
    let size = before.twist.angular.length() + after.twist.angular.length() + omega.length();
    let dw_bound = 64.0 * eps * spread * size;
    let dq_bound = 64.0 * eps * (1.0 + h * spread * size);
    Some(Misfit {
        velocity: worse((dv, dv_bound), (dw * radius, dw_bound * radius)),
        pose: worse((dx, dx_bound), (dq * radius, dq_bound * radius)),
    })
}

/// The one that is larger in units of its bound.
fn worse(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    // Cross-multiplied, so that a bound of zero is no division by zero; a NaN wins.
    if b.0 * a.1 > a.0 * b.1 || b.0.is_nan() {
        b
    } else {
        a
    }
}

/// Frobenius norm.
pub(crate) fn norm(m: &DMat3) -> f64 {
    (m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared()).sqrt()
}
