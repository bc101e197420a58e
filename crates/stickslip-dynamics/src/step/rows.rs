//! The rows of contacts at a motion that was found: what the scheme reads there, written for the stepper alone (the judge has
//! its own).

use crate::step::assemble::Assembly;
use crate::step::integrate::Motion;
use crate::step::joints::rounds::Rounds;
use crate::step::predict::Predicted;
use glam::{DVec2, DVec3};
use stickslip_geometry::Pose;
use stickslip_geometry::frame::contact_frame;
use stickslip_geometry::leg::{Leg, gap_change};
use stickslip_model::{BodyState, Cone, Contact, ContactImpulse, Ellipse};

impl<'a> Predicted<'a> {
    /// u = (u_n, u_t1, u_t2) of a contact when the bodies end the step at `next`, m/s: the gap's part and the rate at which the
    /// bodies that the scheme counts open it; the slip along the tangents, turned to where a fan of directions starts.
    pub(crate) fn row_at(&self, next: &[BodyState], contact: &Contact) -> DVec3 {
        let [_, t1, t2] = contact_frame(contact.normal);
        let poses = contact.bodies.map(|k| self.measured_at(next, k));
        let slip = self.point_velocity(next, contact, 1) - self.point_velocity(next, contact, 0)
            + self.surface_slip(poses, contact);
        let mut tangent = DVec2::new(t1.dot(slip), t2.dot(slip));
        if let Cone::Fan(fan) = self.settings.cone {
            let first = fan.start(self.model(), poses, contact);
            tangent = DVec2::new(first.x, -first.y).rotate(tangent);
        }
        if let Some(ellipse) = self.ellipse(poses, contact) {
            tangent = DVec2::new(ellipse.first.x, -ellipse.first.y).rotate(tangent);
            tangent.y *= ellipse.ratio;
        }
        DVec3::new(self.normal_row_at(next, contact), tangent.x, tangent.y)
    }

    /// What surfaces that move along their bodies add to the slip of a contact, world frame, m/s: R(v + ω × Rᵀr) of each body's.
    pub(crate) fn surface_slip(&self, poses: [&Pose; 2], contact: &Contact) -> DVec3 {
        let model = self.model();
        if model.surfaces.is_empty() {
            return DVec3::ZERO;
        }
        let mut slip = DVec3::ZERO;
        for ((body, pose), sign) in contact.bodies.into_iter().zip(poses).zip([-1.0, 1.0]) {
            // The normal points out of the first body and into the second.
            let outward = pose.orientation.conjugate() * (contact.normal * -sign);
            if let Some(number) = model.moving_surface(body, outward) {
                let twist = &self.surfaces[number];
                slip += pose.orientation * twist.at(pose.to_body(contact.point)) * sign;
            }
        }
        slip
    }

    /// The ellipse of a contact's friction, where that depends on the direction.
    pub(crate) fn ellipse(&self, poses: [&Pose; 2], contact: &Contact) -> Option<Ellipse> {
        let bodies = contact.bodies.map(|k| &self.model().bodies[k]);
        Ellipse::of(bodies, poses, contact.normal)
    }

    /// Where the scheme measures a body.
    fn measured_at<'s>(&self, next: &'s [BodyState], k: usize) -> &'s Pose
    where
        'a: 's,
    {
        let scheme = self.plan.scheme;
        scheme.pose(self.model(), self.start(), next, k)
    }

    /// Velocity of the point of the contact's first or second body, m/s: of the twist, or its displacement over h.
    fn point_velocity(&self, next: &[BodyState], contact: &Contact, end: usize) -> DVec3 {
        let k = contact.bodies[end];
        let at = self.measured_at(next, k);
        let lever = contact.point - at.position;
        if !self.plan.scheme.counts_displacements(self.model()) {
            return next[k].twist.at(lever);
        }
        let arm = at.orientation.conjugate() * lever;
        let (from, to) = (&self.start()[k].pose, &next[k].pose);
        let turned = to.orientation * arm - from.orientation * arm;
        (to.position - from.position + turned) / self.plan.h
    }

    /// The gap's part of a contact's normal row, m/s. Prescribed bodies stand where they will be: by how much their way brings
    /// them nearer is told to the scheme.
    pub(crate) fn gap_rate(&self, contact: &Contact) -> f64 {
        let ways = contact.bodies.map(|k| {
            if self.model().bodies[k].is_free() {
                return 0.0;
            }
            let (from, to) = (&self.start()[k].pose, &self.goal[k].pose);
            let came_from = from.to_world(to.to_body(contact.point));
            contact.normal.dot(contact.point - came_from)
        });
        let (told, h) = (ways[0] - ways[1], self.plan.h);
        let scheme = self.plan.scheme;
        scheme.gap_rate(contact.gap, told, h, self.settings.h)
    }

    fn normal_row_at(&self, next: &[BodyState], contact: &Contact) -> f64 {
        let (scheme, h) = (self.plan.scheme, self.plan.h);
        let counted = |k: usize| scheme.counts(self.model().bodies[k].is_free());
        let gap_rate = self.gap_rate(contact);
        if !scheme.counts_displacements(self.model()) {
            let ends = [(0, -1.0), (1, 1.0)].into_iter();
            return ends.filter(|&(end, _)| counted(contact.bodies[end])).fold(
                gap_rate,
                |rate, (end, sign)| {
                    let velocity = self.point_velocity(next, contact, end);
                    rate + sign * contact.normal.dot(velocity)
                },
            );
        }
        let leg = |end: usize| {
            let k = contact.bodies[end];
            let (shape, local) = self.model().bodies[k].shape.piece(contact.pieces[end])?;
            let from = self.measured_at(next, k);
            let to = if counted(k) { &next[k].pose } else { from };
            Some((shape, from.then(&local), to.then(&local)))
        };
        // A piece that is not there has no row; the judge says so.
        let (Some(a), Some(b)) = (leg(0), leg(1)) else {
            return f64::NAN;
        };
        let [a, b] = [&a, &b].map(|(shape, from, to)| Leg {
            shape,
            from: *from,
            to: *to,
        });
        gap_rate + gap_change(&a, &b, contact.point, contact.normal) / h
    }

    /// Effective mass 3/tr(D_ii) of a contact, kg: turns impulses into velocities. tr D_ii = Σ 3/m + tr(`[r]ᵀI⁻¹[r]`) over its
    /// free bodies.
    pub(crate) fn effective_mass(&self, states: &[BodyState], contact: &Contact) -> f64 {
        let mut trace = 0.0;
        for k in contact.bodies {
            let Some(mass) = self.model().bodies[k].mass else {
                continue;
            };
            let lever = contact.point - self.measured_at(states, k).position;
            let mut own = 3.0 / mass.mass;
            for e in DVec3::AXES {
                let arm = lever.cross(e);
                own += arm.dot(self.inverse[k] * arm);
            }
            trace += own;
        }
        3.0 / trace
    }
}

/// Beside joints, contacts count displacements: sets b of each so that u = Wᵀν + b is that of the motion found, as far as the pace of
/// its island lets it change. The rounds see by how much u was off.
pub(crate) fn follow_displacements(
    step: &Predicted,
    assembly: &mut Assembly,
    motion: &Motion,
    rounds: &mut Rounds,
) {
    let scheme = step.plan.scheme;
    if !scheme.counts_displacements(step.model()) {
        return;
    }
    for (k, ContactImpulse { contact, .. }) in motion.contacts.iter().enumerate() {
        let Some(pace) = rounds.pace(k) else {
            continue;
        };
        if contact.bodies.iter().any(|&i| motion.flies[i]) {
            continue;
        }
        let u = step.row_at(&motion.bodies, contact);
        let mut change = u - assembly.problem.contacts[k].velocity(&assembly.nu);
        if !scheme.counts(true) {
            // Measured at the end: the method's own iteration sees to it.
            change.x = 0.0;
        }
        rounds.see(k, change.abs().max_element(), None);
        assembly.shift(k, change * pace.relaxation);
    }
}
