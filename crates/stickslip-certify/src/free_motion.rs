//! The motion of a body that no contact row touches: second order, and it keeps the world's angular
//! momentum.
//!
//! ```text
//!   x⁺ = x + h v + ½h² F/m        v⁺ = v + h F/m
//!   L  = I(R) ω                   L⁺ = L + h τ
//!   R⁺ = exp(h ω̄) R,   where  I(R̄) ω̄ = L + ½h τ  at  R̄ = exp(½h ω̄) R
//!   ω⁺ = I(R⁺)⁻¹ L⁺               I(R) = R I_body Rᵀ
//! ```
//!
//! The midpoint is implicit, so that the map is its own inverse under h → −h: the energy of a free top
//! then has no drift, only an oscillation of order h².

use crate::model::Body;
use crate::step::{BodyState, Wrench};
use glam::{DMat3, DVec3};
use stickslip_geometry::{Pose, Twist, pose::exp};

/// R I Rᵀ.
#[must_use]
pub fn turned(inertia: &DMat3, pose: &Pose) -> DMat3 {
    let r = pose.rotation();
    r * *inertia * r.transpose()
}

/// The matrix of v × ·.
fn cross_matrix(v: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, v.z, -v.y),
        DVec3::new(-v.z, 0.0, v.x),
        DVec3::new(v.y, -v.x, 0.0),
    )
}

/// Newton's method from `x` for f(x) = 0, where `f` gives the value and its derivative, until the step is
/// what rounding leaves: ε|x| times the spread of the inertia. `None` where it does not get there.
fn newton(mut x: DVec3, spread: f64, f: impl Fn(DVec3) -> (DVec3, DMat3)) -> Option<DVec3> {
    let mut last = f64::INFINITY;
    for _ in 0..50 {
        let (value, derivative) = f(x);
        let step = derivative.inverse() * value;
        let size = step.length();
        x -= step;
        let rounding = f64::EPSILON * spread * x.length();
        if size <= rounding || (size >= last && size <= 64.0 * rounding) {
            return Some(x);
        }
        last = size;
    }
    None
}

/// The angular velocity after h seconds of a body in contact, before any torque acts:
/// I(w − ω) + h w × I w = 0, world frame, I at the start of the step.
///
/// The gyroscopic term is taken at the end: taken at the start, the kinetic energy of a fast-turning body
/// would grow without bound. It knows no torque, so that a body held at rest feels none. `None` where the
/// body turns too far in one step.
#[must_use]
pub fn coasting_spin(inertia: &DMat3, inverse: &DMat3, omega: DVec3, h: f64) -> Option<DVec3> {
    if omega.cross(*inertia * omega) == DVec3::ZERO {
        return Some(omega);
    }
    newton(omega, norm(inertia) * norm(inverse), |w| {
        let momentum = *inertia * w;
        let value = *inertia * (w - omega) + w.cross(momentum) * h;
        let derivative = *inertia + (cross_matrix(w) * *inertia - cross_matrix(momentum)) * h;
        (value, derivative)
    })
}

/// The state after h seconds under a constant wrench.
///
/// A prescribed body is returned as it is. In the body frame, with Ω = Rᵀω̄ and Λ = Rᵀ(L + ½hτ), the
/// midpoint equation is I Ω = exp(−½hΩ) Λ; its derivative I − ½h [exp(−½hΩ)Λ]× is never singular. `None`
/// where the body turns so far in one step (several radians) that it has no clear solution.
#[must_use]
pub fn advance(body: &Body, state: &BodyState, wrench: &Wrench, h: f64) -> Option<BodyState> {
    let Some(mass) = body.mass else {
        return Some(*state);
    };
    let a = wrench.force / mass.mass;
    let momentum = turned(&mass.inertia, &state.pose) * state.twist.angular;
    let rotation = state.pose.rotation();
    let at_middle = rotation.transpose() * (momentum + wrench.torque * (0.5 * h));
    let mut omega = state.twist.angular;
    // A body that does not turn needs no iteration at all.
    if at_middle != DVec3::ZERO {
        let spread = norm(&mass.inertia) * norm(&body.inverse_inertia);
        let first = rotation.transpose() * omega;
        let mean = newton(first, spread, |w| {
            let there = exp(w * (-0.5 * h)) * at_middle;
            (
                mass.inertia * w - there,
                mass.inertia - cross_matrix(there) * (0.5 * h),
            )
        })?;
        omega = rotation * mean;
    }
    let turned_pose = state.pose.moved(&spin(omega), h);
    let pose = Pose {
        position: state.pose.position + state.twist.linear * h + a * (0.5 * h * h),
        orientation: turned_pose.orientation,
    };
    let wanted = momentum + wrench.torque * h;
    let inverse = turned(&body.inverse_inertia, &pose);
    let angular = inverse * wanted;
    // Once more on what rounding left, so that the next step starts from the same momentum: quaternions are
    // of unit length to a bit only, always to the same side, and 10⁴ steps would add that up.
    let angular = angular + inverse * (wanted - turned(&mass.inertia, &pose) * angular);
    let twist = Twist {
        linear: state.twist.linear + a * h,
        angular,
    };
    Some(BodyState { pose, twist })
}

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
    let momentum = turned(&mass.inertia, &before.pose) * before.twist.angular;
    let wanted = turned(&body.inverse_inertia, &middle) * (momentum + wrench.torque * (0.5 * h));
    let predicted = exp(wanted * h) * before.pose.orientation;
    let q = after.pose.orientation;
    let dq = (q - predicted).length().min((q + predicted).length());
    let omega = turned(&body.inverse_inertia, &after.pose) * (momentum + wrench.torque * h);
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
