//! Newton-Euler and the map from velocities to poses, body by body.

use crate::flight::{misfit, norm};
use crate::gear_law::pushes;
use crate::judge::{Case, Judge};
use crate::pull::Pull;
use glam::DVec3;
use stickslip_geometry::frame::contact_frame;
use stickslip_geometry::pose::exp;
use stickslip_model::joint::AXES;
use stickslip_model::{Certificate, ContactImpulse, JointImpulse, Residual, Scheme};

/// Impulses on one body, summed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) linear: DVec3,
    pub(crate) angular: DVec3,
    /// Σ|p| and Σ|r||p|: how large the terms were, for the rounding bounds.
    linear_size: f64,
    pub(crate) angular_size: f64,
    rows: usize,
}

impl Sum {
    fn add(&mut self, lever: DVec3, p: DVec3, torque: DVec3, rows: usize) {
        let size = lever.length() * p.length() + torque.length();
        self.add_moment(p, lever.cross(p) + torque, size, rows);
    }

    /// The same with the angular impulse about the centre of mass, whose terms have this size.
    fn add_moment(&mut self, p: DVec3, moment: DVec3, size: f64, rows: usize) {
        self.linear += p;
        self.angular += moment;
        self.linear_size += p.length();
        self.angular_size += size;
        self.rows += rows;
    }
}

impl Judge {
    pub(super) fn sum_impulses(&mut self, case: &Case) {
        self.sums.clear();
        self.sums.resize(case.model.bodies.len(), Sum::default());
        for ContactImpulse {
            contact,
            impulse,
            moment,
            ..
        } in case.contacts
        {
            let [n, t1, t2] = contact_frame(contact.normal);
            let p = n * impulse.x + t1 * impulse.y + t2 * impulse.z;
            let m = n * moment.x + t1 * moment.y + t2 * moment.z;
            for (body, sign) in [(contact.bodies[0], -1.0), (contact.bodies[1], 1.0)] {
                let lever = contact.point - case.pose(body).position;
                self.sums[body].add(lever, p * sign, m * sign, 1);
            }
        }
    }

    /// Joints act at the origin of their second frame ([`Pull`]), springs at their ends; their stored wrenches are checked where a
    /// certificate is given.
    pub(super) fn sum_joints(&mut self, case: &Case, mut c: Option<&mut Certificate>) {
        let (model, before, joints) = (case.model, case.before, case.joints);
        if model.joint_count() == 0 {
            return;
        }
        let mut check = |done: &JointImpulse, force: DVec3, torque: DVec3| {
            if let Some(c) = c.as_deref_mut() {
                stored_wrench(done, force, torque, c);
            }
        };
        for (number, (joint, done)) in model.joints.iter().zip(joints).enumerate() {
            let pull = Pull::of(case, number, done);
            check(done, pull.force, pull.torque);
            for (end, sign) in [(0, -1.0), (1, 1.0)] {
                if let Some(k) = joint.bodies[end] {
                    let (moment, size) = (pull.moments[end], pull.sizes[end]);
                    self.sums[k].add_moment(pull.force * sign, moment, size, AXES);
                }
            }
        }
        let gears = joints.get(model.joints.len() + model.springs.len()..);
        for (gear, done) in model.gears.iter().zip(gears.unwrap_or_default()) {
            check(done, DVec3::ZERO, DVec3::ZERO);
            for push in pushes(case, gear, done) {
                self.sums[push.body].add_moment(push.linear, push.angular, push.size, 1);
            }
        }
        let springs = joints.get(model.joints.len()..).unwrap_or_default();
        for (spring, done) in model.springs.iter().zip(springs) {
            let placed = spring.place(model, before, done.coordinates[0]);
            let p = placed.vector(DVec3::from_slice(&done.hold));
            let (force, torque) = if placed.torque {
                (DVec3::ZERO, p)
            } else {
                (p, DVec3::ZERO)
            };
            check(done, force, torque);
            for arm in placed.arms.iter().flatten() {
                let lever = arm.point - before[arm.body].pose.position;
                self.sums[arm.body].add(lever, force * arm.sign, torque * arm.sign, 1);
            }
        }
    }

    pub(super) fn judge_body(&self, case: &Case, i: usize, c: &mut Certificate) {
        let (given, before, after) = (&case.given, case.before, case.after);
        let (body, h, grid) = (&case.model.bodies[i], given.h, given.grid);
        let eps = f64::EPSILON;
        let (old, new, sum, wrench) = (&before[i], &after[i], &self.sums[i], &given.wrench[i]);
        let norm_error = (new.pose.orientation.length() - 1.0).abs();
        c.raise_equality(Residual::Norm, norm_error, 8.0 * eps);
        if body.mass.is_none() {
            let want = &given.prescribed[i];
            let dv = (new.twist.linear - want.twist.linear).length()
                + (new.twist.angular - want.twist.angular).length();
            let scale = want.twist.linear.length() + want.twist.angular.length();
            c.raise_equality(Residual::Prescribed, dv, 4.0 * eps * scale);
            let dx = (new.pose.position - want.pose.position).length()
                + (new.pose.orientation - want.pose.orientation).length();
            let scale = want.pose.position.length() + 1.0;
            c.raise_equality(Residual::Prescribed, dx / grid, 4.0 * eps * scale / grid);
            return;
        }

        // An island without load flies, or goes with its open rows where the flight would break one.
        let mut in_contact = Certificate::default();
        if sum.rows > 0 {
            self.judge_in_contact(case, i, &mut in_contact);
        }
        if h == 0.0 && sum.rows == 0 {
            // An impact elsewhere: nothing happens here.
            let still = if old == new { 0.0 } else { f64::NAN };
            return c.raise_equality(Residual::Momentum, still, eps);
        }
        let flight = (h > 0.0 && self.flies[i]).then(|| misfit(body, old, new, wrench, h));
        match flight.flatten() {
            Some(m) if sum.rows == 0 || m.ratio() < in_contact.rounding => {
                c.raise_equality(Residual::Momentum, m.velocity.0, m.velocity.1);
                c.raise_equality(Residual::Map, m.pose.0 / grid, m.pose.1 / grid);
            }
            _ => {
                c.raise(Residual::Momentum, in_contact.get(Residual::Momentum));
                c.raise(Residual::Map, in_contact.get(Residual::Map));
                if in_contact.rounding > c.rounding || in_contact.rounding.is_nan() {
                    c.rounding = in_contact.rounding;
                }
            }
        }
    }

    /// Newton-Euler and the map of a body that moves with its contacts.
    fn judge_in_contact(&self, case: &Case, i: usize, c: &mut Certificate) {
        let (given, before, after) = (&case.given, case.before, case.after);
        let (body, h, grid) = (&case.model.bodies[i], given.h, given.grid);
        let eps = f64::EPSILON;
        let (old, new, sum, wrench) = (&before[i], &after[i], &self.sums[i], &given.wrench[i]);
        let Some(mass) = body.mass else { return };
        let radius = body.shape.radius();
        // m(v⁺ − v) = h F + Σ p,   I(ω⁺ − ω) = h τ − h ω × I ω + Σ r × p
        let roundings = eps * (16 + 2 * sum.rows) as f64;
        let v = old.twist.linear + (wrench.force * h + sum.linear) / mass.mass;
        let v_size =
            old.twist.linear.length() + (wrench.force.length() * h + sum.linear_size) / mass.mass;
        c.raise_equality(
            Residual::Momentum,
            (new.twist.linear - v).length(),
            roundings * v_size,
        );
        let omega = old.twist.angular;
        let inverse = self.inverse[i];
        // Without torques and contacts the spin w obeys I(w − ω) + h w × I w = 0.
        let inertia = old.pose.turned(&mass.inertia);
        let pushed = inverse * (wrench.torque * h + sum.angular);
        let coasting = new.twist.angular - pushed;
        let gyroscopic = coasting.cross(inertia * coasting);
        let w = omega - inverse * (gyroscopic * h) + pushed;
        let w_size = omega.length()
            + norm(&inverse)
                * (h * (wrench.torque.length() + norm(&mass.inertia) * coasting.length_squared())
                    + sum.angular_size);
        let dw = (new.twist.angular - w).length() * radius;
        let spread = norm(&inertia) * norm(&inverse);
        c.raise_equality(
            Residual::Momentum,
            dw,
            2.0 * roundings * spread * w_size * radius,
        );

        // q⁺ = q ⊕ h ν⁺, or q ⊕ h ν where the constraints are those of q⁺ (Anitescu)
        let moves = match given.scheme {
            Scheme::Anitescu => &old.twist,
            _ => &new.twist,
        };
        let x = old.pose.position + moves.linear * h;
        let x_size = old.pose.position.length() + moves.linear.length() * h;
        let dx = (new.pose.position - x).length();
        c.raise_equality(Residual::Map, dx / grid, 8.0 * eps * x_size / grid);
        let q = exp(moves.angular * h) * old.pose.orientation;
        let dq = (new.pose.orientation - q).length();
        let q_size = 1.0 + moves.angular.length() * h;
        c.raise_equality(
            Residual::Map,
            dq * radius / grid,
            16.0 * eps * q_size * radius / grid,
        );
    }
}

/// Is the stored impulse in the world frame that of the axes?
fn stored_wrench(done: &JointImpulse, force: DVec3, torque: DVec3, c: &mut Certificate) {
    let error = (done.linear - force).length() + (done.angular - torque).length();
    let size: f64 = [done.hold, done.motor, done.friction]
        .iter()
        .flatten()
        .map(|p| p.abs())
        .sum();
    c.raise_equality(Residual::Geometry, error, 64.0 * f64::EPSILON * size);
}
