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

use crate::displacement::{gap_rate, normal_row, surface_slip, velocity_at};
use crate::gear_law::pushes;
use crate::joint_law::phi_next;
use crate::judge::{Case, Judge, frame_velocity};
use crate::moments::relative_spin;
use crate::pull::Pull;
use glam::DVec3;
use stickslip_geometry::frame::contact_frame;
use stickslip_model::{ContactImpulse, Gear, JointImpulse};

/// Both sides of the inequality, J.
struct Sides {
    have: f64,
    may: f64,
}

impl Judge {
    /// What is left of the energy inequality, J (negative where it is broken), and the size of its larger side, J.
    pub fn energy_slack(&mut self, case: &Case) -> (f64, f64) {
        self.turn_inertias(case);
        self.sum_impulses(case);
        self.sum_joints(case, None);
        let mut sides = Sides {
            have: 0.0,
            may: 0.0,
        };
        self.kinetic(case, &mut sides);
        for contact in case.contacts {
            sides.may += contact_work(case, contact);
        }
        let n = case.model.joints.len().min(case.joints.len());
        let (joints, springs) = case.joints.split_at(n);
        for (k, done) in joints.iter().enumerate() {
            sides.may += joint_work(case, k, done);
        }
        let (springs, gears) = springs.split_at(case.model.springs.len().min(springs.len()));
        for (k, done) in springs.iter().enumerate() {
            spring_energy(case, k, done, &mut sides);
        }
        for (gear, done) in case.model.gears.iter().zip(gears) {
            sides.may += gear_work(case, gear, done);
        }
        let Sides { have, may } = sides;
        (may - have, may.abs().max(have.abs()))
    }

    /// ½ν⁺ᵀMν⁺ and ½wᵀMw. The velocity under the applied forces alone is w = ν⁺ − M⁻¹W p: that it is what the forces make of
    /// ν is the momentum's residual, judged to rounding.
    fn kinetic(&self, case: &Case, sides: &mut Sides) {
        for (i, body) in case.model.bodies.iter().enumerate() {
            let Some(mass) = body.mass else { continue };
            let (new, sum) = (&case.after[i].twist, &self.sums[i]);
            let inertia = case.before[i].pose.turned(&mass.inertia);
            let kinetic = |v: DVec3, w: DVec3| {
                0.5 * mass.mass * v.length_squared() + 0.5 * w.dot(inertia * w)
            };
            let v = new.linear - sum.linear / mass.mass;
            let w = new.angular - self.inverse[i] * sum.angular;
            sides.have += kinetic(new.linear, new.angular);
            sides.may += kinetic(v, w);
        }
    }
}

/// What a contact may put in: by its gap's part of the row where it is negative, by what it restitutes, and by friction against a
/// body or a surface that moves by itself. Beside joints also what the rows count more than the twists.
fn contact_work(case: &Case, contact: &ContactImpulse) -> f64 {
    let (given, model) = (&case.given, case.model);
    let (p, place) = (contact.impulse, &contact.contact);
    let gap_rate = gap_rate(case, place);
    let mut may = p.x * (-gap_rate).max(0.0);
    let row = normal_row(case, place);
    // 0 ≤ p_n − r ⟂ u_n ≥ 0: what is given back acts along the opening.
    may += contact.restituted * row.max(0.0);
    let read = |i: usize, x: DVec3| velocity_at(case, i, x);
    let free = |i: usize| model.bodies[i].is_free();
    let mut carried = frame_velocity(place, |i| !free(i), read);
    let [_, t1, t2] = contact_frame(place.normal);
    let surfaces = surface_slip(case, place);
    carried += DVec3::new(0.0, t1.dot(surfaces), t2.dot(surfaces));
    may -= p.y * carried.y + p.z * carried.z;
    if contact.moment != DVec3::ZERO {
        let carried = relative_spin(case, contact, |i| !free(i));
        may -= contact.world_moment().dot(carried);
    }
    if given.scheme.counts(false) {
        may -= p.x * carried.x;
    }
    if given.scheme.counts_displacements(model) {
        // Power is that of the twists, whatever the rows count.
        let twist = |i: usize, x: DVec3| case.after[i].twist.at(x - case.pose(i).position);
        let by_twist = frame_velocity(place, free, twist);
        let mut by_way = frame_velocity(place, free, read);
        by_way.x = row - gap_rate;
        may += p.dot(by_twist - by_way);
    }
    may
}

/// A joint's work on the free bodies, by its impulses and their velocities after the step.
fn joint_work(case: &Case, number: usize, done: &JointImpulse) -> f64 {
    let joint = &case.model.joints[number];
    let pull = Pull::of(case, number, done);
    let mut work = 0.0;
    for (end, sign) in [(0, -1.0), (1, 1.0)] {
        if let Some(k) = joint.bodies[end].filter(|&k| case.model.bodies[k].is_free()) {
            let twist = &case.after[k].twist;
            work += sign * pull.force.dot(twist.linear) + pull.moments[end].dot(twist.angular);
        }
    }
    work
}

/// A gear's work on the free bodies, likewise.
fn gear_work(case: &Case, gear: &Gear, done: &JointImpulse) -> f64 {
    let pushes = pushes(case, gear, done).into_iter();
    let on_free = pushes.filter(|push| case.model.bodies[push.body].is_free());
    on_free
        .map(|push| {
            let twist = &case.after[push.body].twist;
            push.linear.dot(twist.linear) + push.angular.dot(twist.angular)
        })
        .sum()
}

/// A spring's energy on both sides, and the work of ends that move by themselves. In an impact no time passes and springs do
/// nothing but by their inertance.
fn spring_energy(case: &Case, number: usize, done: &JointImpulse, sides: &mut Sides) {
    let (model, h) = (case.model, case.given.h);
    let spring = &model.springs[number];
    let now = spring.place(model, case.before, done.coordinates[0]);
    // Of an inerter: ½ a(∇φ·ν)², whose rate after the step is that along the gradients of its start.
    let all = |_: usize| true;
    let inertance = 0.5 * spring.inertance;
    sides.have += inertance * now.rates(case.after, case.before, all).length_squared();
    sides.may += inertance * now.rates(case.before, case.before, all).length_squared();
    if spring.explicit || h == 0.0 {
        return;
    }
    let gamma = 0.5 * spring.stiffness;
    let next = phi_next(case, number, done);
    sides.have += gamma * next.length_squared();
    sides.may += gamma * now.phi.length_squared();
    // Ends that move by themselves: their part of the way, against the spring's force.
    let free = |k: usize| model.bodies[k].is_free();
    let moved = next - now.phi - now.rates(case.after, case.before, free) * h;
    sides.may -= DVec3::from_slice(&done.hold).dot(moved) / h;
}
