//! From velocities to poses: the free flight, ν_free, and q ⊕ hν.

use glam::DMat3;
use stickslip_certify::free_motion::{advance, coasting_spin, turned};
use stickslip_certify::{Body, BodyState, Wrench};
use stickslip_geometry::{Pose, Twist};

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
    let inertia = turned(&mass.inertia, &state.pose);
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

/// The next state of a body that no row touches: the second-order map, or `None` where it turns too far
/// in one step.
pub(crate) fn in_flight(
    body: &Body,
    state: &BodyState,
    wrench: &Wrench,
    h: f64,
) -> Option<BodyState> {
    advance(body, state, wrench, h)
}
