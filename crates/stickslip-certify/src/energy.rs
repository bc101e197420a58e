//! The energy inequality of a step.
//!
//! A step is M(ν⁺ − w) = W p with w the velocity under the applied forces alone, so
//!
//! ```text
//!   ½ ν⁺ᵀMν⁺ = ½ wᵀMw + pᵀWᵀν⁺ − ½ pᵀWᵀM⁻¹W p .
//! ```
//!
//! Contacts have pᵀu ≤ 0, springs p = −(hγφ⁺ + δ(φ⁺ − φ)) with φ⁺ = φ + h∇φ·ν⁺, hence
//!
//! ```text
//!   ½ ν⁺ᵀMν⁺ + ½ Σ γ φ⁺² ≤ ½ wᵀMw + ½ Σ γ φ² + Σ p_n (−ψ/h)₊ − Σ p_t·v_prescribed + Σ (work of joints) :
//! ```
//!
//! what stabilisation, moving bodies, drives and motors put in stands on the right (beside joints also what the rows count
//! more than the twists, for they count ways). Anitescu's bound is the same
//! without them.

use crate::free_motion::{coasting_spin, turned};
use crate::joint::JointImpulse;
use crate::joint_law::phi_next;
use crate::judge::{Given, Start, frame_velocity};
use crate::step::{BodyState, ContactImpulse};
use crate::way::{counts_ways, normal_row, velocity_at};
use glam::DVec3;

/// What is left of the inequality, J (negative where it is broken), and the size of its largest side, J.
///
/// `None` where a body turns too far for ν_free to be determined.
#[must_use]
pub fn slack(
    start: &Start,
    given: &Given,
    after: &[BodyState],
    contacts: &[ContactImpulse],
    joints: &[JointImpulse],
) -> Option<(f64, f64)> {
    let (model, h) = (start.model, given.h);
    let (mut have, mut may) = (0.0, 0.0);
    for (i, body) in model.bodies.iter().enumerate() {
        let Some(mass) = body.mass else { continue };
        let (old, new, wrench) = (&start.states[i], &after[i], &given.wrench[i]);
        let inertia = turned(&mass.inertia, &old.pose);
        let inverse = &start.inverse[i];
        let spin = coasting_spin(&inertia, inverse, old.twist.angular, h)?;
        let w = spin + *inverse * (wrench.torque * h);
        let v = old.twist.linear + wrench.force * (h / mass.mass);
        let kinetic =
            |v: DVec3, w: DVec3| 0.5 * mass.mass * v.length_squared() + 0.5 * w.dot(inertia * w);
        have += kinetic(new.twist.linear, new.twist.angular);
        may += kinetic(v, w);
    }
    for contact in contacts {
        let p = contact.impulse;
        may += p.x * (-contact.contact.gap / h).max(0.0);
        // Friction against a body that moves by itself may put energy in.
        let read = |i: usize, x: DVec3| velocity_at(start, given, after, i, x);
        let free = |i: usize| model.bodies[i].is_free();
        let carried = frame_velocity(&contact.contact, |i| !free(i), read);
        may -= p.y * carried.y + p.z * carried.z;
        if counts_ways(model, given.scheme) {
            // Power is that of the twists, whatever the rows count.
            let twist = |i: usize, x: DVec3| {
                let at = given.scheme.pose(model, start.states, after, i);
                after[i].twist.at(x - at.position)
            };
            let by_twist = frame_velocity(&contact.contact, free, twist);
            let mut by_way = frame_velocity(&contact.contact, free, read);
            by_way.x = normal_row(start, given, after, &contact.contact)
                - given.scheme.gap_rate(contact.contact.gap, h, given.grid);
            may += p.dot(by_twist - by_way);
        }
    }
    let (joints, springs) = joints.split_at(model.joints.len().min(joints.len()));
    for (joint, done) in model.joints.iter().zip(joints) {
        // The joint's work on the free bodies, by its impulses and their velocities after the step.
        let placed = joint.placed(start.states);
        let (force, torque) = placed.wrench(&done.total());
        for (body, sign) in joint.bodies.into_iter().zip([-1.0, 1.0]) {
            let Some(k) = body.filter(|&k| model.bodies[k].is_free()) else {
                continue;
            };
            let twist = &after[k].twist;
            let lever = placed.point - start.states[k].pose.position;
            may += sign * (force.dot(twist.at(lever)) + torque.dot(twist.angular));
        }
    }
    for (spring, done) in model.springs.iter().zip(springs) {
        if spring.explicit {
            continue;
        }
        let gamma = 0.5 * spring.stiffness;
        let now = spring.place(model, start.states, done.coordinates[0]);
        let next = phi_next(start, h, spring, after, done);
        have += gamma * next.length_squared();
        may += gamma * now.phi.length_squared();
        // Ends that move by themselves: their part of the way, against the spring's force.
        let moved =
            next - now.phi - now.rates(after, start.states, |k| model.bodies[k].is_free()) * h;
        may -= DVec3::from_slice(&done.hold).dot(moved) / h;
    }
    Some((may - have, may.abs().max(have.abs())))
}
