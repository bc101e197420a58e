//! Motions of bodies whose path is given: g(t) in six degrees of freedom, with its exact velocity.
//!
//! ```text
//!   x(t) = position(t) + Σ sinusoids + table           R(t) = exp(φ(t)) exp(angle(t) axis) R₀
//!   φ(t) = rotation(t) + Σ sinusoids + table           ω = J(φ) φ' + exp(φ) axis angle'
//!   J(φ) φ' = φ' + (1 − cos θ)/θ² φ × φ' + (θ − sin θ)/θ³ φ × (φ × φ'),   θ = |φ|
//! ```
//!
//! The velocity of a plate is this ω itself, not the product of a quaternion's map with its rate: that is four times
//! too small.

use crate::expression::Function;
use crate::scene::Prescribed;
use glam::{DQuat, DVec3};
use stickslip_geometry::{Pose, Twist, pose::exp};
use stickslip_model::BodyState;

/// One sinusoidal acceleration, a(t) = amplitude sin(ωt + phase), integrated twice with zero-mean velocity and
/// place: v(t) = −(amplitude/ω) cos(ωt + phase), x(t) = −(amplitude/ω²) sin(ωt + phase).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sinusoid {
    /// Unit direction, world frame.
    pub direction: DVec3,
    /// About the direction (rad/s²) instead of along it (m/s²)?
    pub about: bool,
    /// m/s² or rad/s².
    pub amplitude: f64,
    /// Hz.
    pub frequency: f64,
    /// rad.
    pub phase: f64,
}

impl Sinusoid {
    /// Displacement along the direction (m or rad), and its rate.
    fn at(&self, t: f64) -> (f64, f64) {
        let omega = 2.0 * std::f64::consts::PI * self.frequency;
        let (sin, cos) = libm::sincos(omega * t + self.phase);
        (
            -self.amplitude / (omega * omega) * sin,
            -self.amplitude / omega * cos,
        )
    }
}

/// Pose and velocity at time t of a body whose orientation without rotation is `orientation`.
pub(crate) fn at_time(path: &Prescribed, orientation: DQuat, t: f64) -> BodyState {
    let (mut x, mut v) = vector(&path.position, t);
    let (mut phi, mut rate) = vector(&path.rotation, t);
    for term in &path.accelerations {
        let (displacement, speed) = term.at(t);
        let (place, velocity) = if term.about {
            (&mut phi, &mut rate)
        } else {
            (&mut x, &mut v)
        };
        *place += term.direction * displacement;
        *velocity += term.direction * speed;
    }
    if let Some(table) = &path.table {
        let c = table.at(t);
        x += DVec3::new(c[0].value, c[1].value, c[2].value);
        v += DVec3::new(c[0].rate, c[1].rate, c[2].rate);
        phi += DVec3::new(c[3].value, c[4].value, c[5].value);
        rate += DVec3::new(c[3].rate, c[4].rate, c[5].rate);
    }
    let angle = path.angle.jet(t);
    let (mut turn, mut omega) = (exp(path.axis * angle.value), path.axis * angle.rate);
    if phi != DVec3::ZERO || rate != DVec3::ZERO {
        let outer = exp(phi);
        omega = angular_velocity(phi, rate) + outer * omega;
        turn = outer * turn;
    }
    BodyState {
        pose: Pose {
            position: x,
            orientation: (turn * orientation).normalize(),
        },
        twist: Twist {
            linear: v,
            angular: omega,
        },
    }
}

fn vector(f: &[Function; 3], t: f64) -> (DVec3, DVec3) {
    let [x, y, z] = f.each_ref().map(|f| f.jet(t));
    (
        DVec3::new(x.value, y.value, z.value),
        DVec3::new(x.rate, y.rate, z.rate),
    )
}

/// ω of exp(φ(t)) in the world frame, from φ and φ'.
fn angular_velocity(phi: DVec3, rate: DVec3) -> DVec3 {
    let theta2 = phi.length_squared();
    // (1 − cos θ)/θ² and (θ − sin θ)/θ³; by their series below 0.01, where the next term is below 1e-17.
    let (a, b) = if theta2 < 1e-4 {
        (
            0.5 - theta2 / 24.0 + theta2 * theta2 / 720.0,
            1.0 / 6.0 - theta2 / 120.0 + theta2 * theta2 / 5040.0,
        )
    } else {
        let theta = theta2.sqrt();
        let (sin, cos) = libm::sincos(theta);
        ((1.0 - cos) / theta2, (theta - sin) / (theta2 * theta))
    };
    let turned = phi.cross(rate);
    rate + turned * a + phi.cross(turned) * b
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_geometry::pose::log;

    #[test]
    fn velocity_is_the_derivative_of_the_pose() {
        let about = |direction: DVec3, amplitude, frequency, phase| Sinusoid {
            direction,
            about: true,
            amplitude,
            frequency,
            phase,
        };
        let mut path = Prescribed::fixed_at(DVec3::ZERO);
        path.axis = DVec3::new(0.6, 0.0, 0.8);
        path.angle = Function::constant(0.4);
        path.accelerations = vec![
            about(DVec3::X, 40.0, 1.0, 0.3),
            about(DVec3::Y, 90.0, 2.0, 1.0),
            Sinusoid {
                about: false,
                ..about(DVec3::Z, 3.0, 1.5, 0.0)
            },
        ];
        for k in 0..40 {
            let (t, e) = (f64::from(k) * 0.05, 1e-6);
            let [a, b, c] = [t - e, t, t + e].map(|t| at_time(&path, DQuat::IDENTITY, t));
            let v = (c.pose.position - a.pose.position) / (2.0 * e);
            assert!((v - b.twist.linear).length() < 1e-8);
            let w = log(c.pose.orientation * a.pose.orientation.conjugate()) / (2.0 * e);
            assert!(
                (w - b.twist.angular).length() < 1e-8,
                "{w} {}",
                b.twist.angular
            );
        }
    }

    #[test]
    fn both_forms_of_the_coefficients_agree() {
        let rate = DVec3::new(0.3, -0.7, 0.2);
        for size in [0.009_999_9, 0.010_000_1] {
            let phi = DVec3::new(0.6, 0.64, 0.48) * size;
            let series = angular_velocity(phi, rate);
            let e = 1e-5;
            let q = exp(phi + rate * e) * exp(phi - rate * e).conjugate();
            assert!((log(q) / (2.0 * e) - series).length() < 1e-10);
        }
    }
}
