//! The mode of a spring, and what implicit steps take from it.

use std::f64::consts::PI;

use stickslip_model::spring::Spring;
use stickslip_model::{BodyState, Model};

/// ω (rad/s) and ζ of a spring with its two bodies and nothing else; `None` where it does not swing.
pub(super) fn swing(model: &Model, states: &[BodyState], spring: &Spring) -> Option<(f64, f64)> {
    if spring.explicit || spring.stiffness <= 0.0 {
        return None;
    }
    let placed = spring.place(model, states, 0.0);
    let d = placed.directions[0];
    let mut inverse = 0.0;
    for arm in placed.arms.iter().flatten() {
        let body = &model.bodies[arm.body];
        let Some(mass) = &body.mass else { continue };
        let pose = &states[arm.body].pose;
        let turning = pose.orientation.conjugate() * (arm.point - pose.position).cross(d);
        inverse += 1.0 / mass.mass + turning.dot(body.inverse_inertia * turning);
    }
    if inverse <= 0.0 {
        return None;
    }
    let mass = 1.0 / inverse + spring.inertance;
    let omega = (spring.stiffness / mass).sqrt();
    let zeta = 0.5 * spring.damping / (spring.stiffness * mass).sqrt();
    (zeta < 1.0).then_some((omega, zeta))
}

/// Part of its swing that a mode loses each period to implicit steps of h, beyond what its damper takes.
pub(super) fn swing_lost(omega: f64, zeta: f64, h: f64) -> f64 {
    let free = omega * (1.0 - zeta * zeta).sqrt();
    let (decay, turn) = (h * zeta * omega, h * free);
    let kept = libm::exp(decay) / libm::hypot(1.0 + decay, turn);
    1.0 - libm::pow(kept, 2.0 * PI / turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swing_loses_what_implicit_steps_take() {
        // x⁺ = x + h v⁺, v⁺ = v − h ω² x⁺, over one period of 50 steps.
        let (omega, steps) = (2.0 * PI, 50);
        let h = 1.0 / f64::from(steps);
        let (mut x, mut v) = (1.0, 0.0);
        for _ in 0..steps {
            v = (v - h * omega * omega * x) / (1.0 + h * h * omega * omega);
            x += h * v;
        }
        let left = libm::hypot(x, v / omega);
        assert!((1.0 - left - swing_lost(omega, 0.0, h)).abs() < 1e-12);
    }
}
