//! From velocities to poses: ν_free, q ⊕ hν of a body in contact, and the free flight.
//!
//! A body that no contact row touches flies by a map of second order that keeps the world's angular momentum:
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

use glam::{DMat3, DVec3};
use stickslip_geometry::{Pose, Twist, pose::exp};
use stickslip_model::{Body, BodyState, Model, Wrench};

/// Fills `inverse` with I⁻¹ of every body in the world frame.
pub(crate) fn world_inverses(model: &Model, states: &[BodyState], inverse: &mut Vec<DMat3>) {
    inverse.clear();
    let both = model.bodies.iter().zip(states);
    inverse.extend(both.map(|(body, state)| state.pose.turned(&body.inverse_inertia)));
}

/// ν_free of a body in contact: v + h F/m, and the coasting spin plus h I⁻¹τ (`inverse` is I⁻¹ in the world frame
/// at the start of the step); `None` where the body turns too far in one step.
pub(crate) fn free_velocity(
    body: &Body,
    inverse: &DMat3,
    state: &BodyState,
    wrench: &Wrench,
    h: f64,
) -> Option<Twist> {
    let Some(mass) = body.mass else {
        return Some(state.twist);
    };
    let inertia = state.pose.turned(&mass.inertia);
    Some(Twist {
        linear: state.twist.linear + wrench.force * (h / mass.mass),
        angular: coasting_spin(&inertia, inverse, state.twist.angular, h)?
            + *inverse * (wrench.torque * h),
    })
}

/// The next state of a body in contact: q ⊕ h ν⁺.
pub(crate) fn in_contact(pose: &Pose, nu_next: Twist, h: f64) -> BodyState {
    BodyState {
        pose: pose.moved(&nu_next, h),
        twist: nu_next,
    }
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
fn coasting_spin(inertia: &DMat3, inverse: &DMat3, omega: DVec3, h: f64) -> Option<DVec3> {
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

/// The next state of a body that no row touches, after h seconds under a constant wrench.
///
/// A prescribed body is returned as it is. In the body frame, with Ω = Rᵀω̄ and Λ = Rᵀ(L + ½hτ), the
/// midpoint equation is I Ω = exp(−½hΩ) Λ; its derivative I − ½h [exp(−½hΩ)Λ]× is never singular. `None`
/// where the body turns so far in one step (several radians) that it has no clear solution.
pub(crate) fn in_flight(
    body: &Body,
    state: &BodyState,
    wrench: &Wrench,
    h: f64,
) -> Option<BodyState> {
    let Some(mass) = body.mass else {
        return Some(*state);
    };
    let a = wrench.force / mass.mass;
    let momentum = state.pose.turned(&mass.inertia) * state.twist.angular;
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
    let inverse = pose.turned(&body.inverse_inertia);
    let angular = inverse * wanted;
    // Once more on what rounding left, so that the next step starts from the same momentum: quaternions are
    // of unit length to a bit only, always to the same side, and 10⁴ steps would add that up.
    let angular = angular + inverse * (wanted - pose.turned(&mass.inertia) * angular);
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

/// Frobenius norm.
fn norm(m: &DMat3) -> f64 {
    (m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared()).sqrt()
}
