//! The judge: every residual of one step, from states, impulses and shapes.

use crate::certificate::{Certificate, Residual};
use crate::free_motion::{misfit, norm, turned};
use crate::islands::Islands;
use crate::joint::{AXES, JointImpulse};
use crate::joint_law::{Aims, judge_joints};
use crate::law::ContactLaw;
use crate::model::{Body, Model};
use crate::scheme::Scheme;
use crate::step::{BodyState, Cone, Contact, ContactImpulse, Fan, Reading, Wrench};
use crate::way::{normal_row, velocity_at};
use glam::{DMat3, DVec2, DVec3};
use stickslip_geometry::broad_phase::{Bounds, Sweep};
use stickslip_geometry::frame::{contact_frame, fan_start};
use stickslip_geometry::narrow_phase::TOUCH;
use stickslip_geometry::path::{closest_on_the_way, unseen};
use stickslip_geometry::pieces::piece_pairs;
use stickslip_geometry::separation::separation;
use stickslip_geometry::{Moving, Pose, pose::exp};

/// What the scene prescribes for the step.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// Length of the step, s; zero for a phase of an impact.
    pub h: f64,
    /// The step that was asked for, s: lengths are divided by it to become velocities.
    pub grid: f64,
    /// Where and when the contact law is written.
    pub scheme: Scheme,
    /// What bounds friction beside a restitution impulse.
    pub reading: Reading,
    /// The applied wrench on each body over the step (gravity included).
    pub wrench: &'a [Wrench],
    /// Where the prescribed bodies must be at the end of the step (free bodies' entries are not read).
    pub prescribed: &'a [BodyState],
    /// The friction cone.
    pub cone: Cone,
    /// Which pairs of bodies cannot collide (sorted, first smaller).
    pub ignored: &'a [[usize; 2]],
    /// What the joints' drives and motors aim at, at the end of the step.
    pub aims: &'a [Aims],
}

/// The judge, with its memory.
#[derive(Clone, Debug, Default)]
pub struct Judge {
    sums: Vec<Sum>,
    flies: Vec<bool>,
    islands: Islands,
    /// I⁻¹ of each body at the start of the step, world frame.
    inverse: Vec<DMat3>,
    bounds: Vec<Bounds>,
    sweep: Sweep,
}

/// Impulses on one body, summed.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    linear: DVec3,
    angular: DVec3,
    /// Σ|p| and Σ|r||p|: how large the terms were, for the rounding bounds.
    linear_size: f64,
    angular_size: f64,
    rows: usize,
}

impl Sum {
    fn add(&mut self, lever: DVec3, p: DVec3, torque: DVec3, rows: usize) {
        self.linear += p;
        self.angular += lever.cross(p) + torque;
        self.linear_size += p.length();
        self.angular_size += lever.length() * p.length() + torque.length();
        self.rows += rows;
    }
}

impl Judge {
    /// Judges one step; `joints` holds one entry for each joint, then for each spring.
    pub fn judge(
        &mut self,
        model: &Model,
        given: &Given,
        before: &[BodyState],
        after: &[BodyState],
        contacts: &[ContactImpulse],
        joints: &[JointImpulse],
    ) -> Certificate {
        let mut c = Certificate::default();
        world_inverses(model, before, &mut self.inverse);
        self.sum_impulses(model, given, before, after, contacts);
        self.sum_joints(model, before, joints, &mut c);
        self.islands.flying(model, contacts, &mut self.flies);
        for i in 0..model.bodies.len() {
            self.judge_body(model, given, before, after, i, &mut c);
        }
        for contact in contacts {
            judge_geometry(model, given, before, after, contact, &mut c);
            let start = Start {
                model,
                inverse: &self.inverse,
                states: before,
            };
            law_of(&start, given, after, contact).judge(&mut c);
        }
        // An impact moves nothing: its poses were judged with the step before.
        if given.h > 0.0 {
            self.judge_penetration(model, given, before, after, &mut c);
        }
        let start = Start {
            model,
            inverse: &self.inverse,
            states: before,
        };
        judge_joints(&start, given, after, joints, &mut c);
        c
    }

    fn sum_impulses(
        &mut self,
        model: &Model,
        given: &Given,
        before: &[BodyState],
        after: &[BodyState],
        contacts: &[ContactImpulse],
    ) {
        self.sums.clear();
        self.sums.resize(model.bodies.len(), Sum::default());
        for ContactImpulse {
            contact, impulse, ..
        } in contacts
        {
            let [n, t1, t2] = contact_frame(contact.normal);
            let p = n * impulse.x + t1 * impulse.y + t2 * impulse.z;
            for (body, sign) in [(contact.bodies[0], -1.0), (contact.bodies[1], 1.0)] {
                let lever = contact.point - given.scheme.pose(model, before, after, body).position;
                self.sums[body].add(lever, p * sign, DVec3::ZERO, 1);
            }
        }
    }

    /// Joints act at the origin of their second frame, springs at their ends.
    fn sum_joints(
        &mut self,
        model: &Model,
        before: &[BodyState],
        joints: &[JointImpulse],
        c: &mut Certificate,
    ) {
        for (joint, done) in model.joints.iter().zip(joints) {
            let placed = joint.placed(before);
            let (force, torque) = placed.wrench(&done.total());
            stored_wrench(done, force, torque, c);
            for (body, sign) in joint.bodies.into_iter().zip([-1.0, 1.0]) {
                if let Some(k) = body {
                    let lever = placed.point - before[k].pose.position;
                    self.sums[k].add(lever, force * sign, torque * sign, AXES);
                }
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
            stored_wrench(done, force, torque, c);
            for arm in placed.arms.iter().flatten() {
                let lever = arm.point - before[arm.body].pose.position;
                self.sums[arm.body].add(lever, force * arm.sign, torque * arm.sign, 1);
            }
        }
    }

    fn judge_body(
        &self,
        model: &Model,
        given: &Given,
        before: &[BodyState],
        after: &[BodyState],
        i: usize,
        c: &mut Certificate,
    ) {
        let (body, h, grid) = (&model.bodies[i], given.h, given.grid);
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
        let radius = body.shape.radius();
        let speed = new.twist.linear.length() + new.twist.angular.length() * radius;
        if speed > c.speed || speed.is_nan() {
            c.speed = speed;
        }

        // An island without load flies, or goes with its open rows where the flight would break one.
        let mut in_contact = Certificate::default();
        if sum.rows > 0 {
            self.judge_in_contact(model, given, before, after, i, &mut in_contact);
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
    fn judge_in_contact(
        &self,
        model: &Model,
        given: &Given,
        before: &[BodyState],
        after: &[BodyState],
        i: usize,
        c: &mut Certificate,
    ) {
        let (body, h, grid) = (&model.bodies[i], given.h, given.grid);
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
        let inertia = turned(&mass.inertia, &old.pose);
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

    /// True penetration at the end of the step, and none on the way. What the linearised gaps cannot see is
    /// of second order in the motion; a pair deeper than that has a contact missing, and its gap residual
    /// says so.
    fn judge_penetration(
        &mut self,
        model: &Model,
        given: &Given,
        before: &[BodyState],
        after: &[BodyState],
        c: &mut Certificate,
    ) {
        let moving = |i: usize| {
            let body = &model.bodies[i];
            let (start, end) = (before[i].pose, after[i].pose);
            let pose = if body.is_free() { start } else { end };
            Moving {
                shape: &body.shape,
                start,
                pose,
                end,
                arm: 0.0,
            }
        };
        self.bounds.clear();
        for i in 0..model.bodies.len() {
            let m = moving(i);
            let swept = Bounds::of(m.shape, &m.start).union(&Bounds::of(m.shape, &m.end));
            self.bounds.push(swept.grown(m.sweep()));
        }
        let pairs = self.sweep.pairs(&self.bounds, |i, j| {
            model.may_collide(i, j) && given.ignored.binary_search(&[i, j]).is_err()
        });
        for &[i, j] in pairs {
            // Rows of velocities do not see how a motion leaves its tangent.
            let of_velocities = matches!(given.scheme, Scheme::BetweenEvents | Scheme::Anitescu);
            let mut hidden = 0.0;
            if of_velocities {
                let bends = [[i, j], [j, i]].map(|pair| bend(model, given, before, after, pair));
                hidden = bends[0] + bends[1];
            }
            piece_pairs(&moving(i), &moving(j), TOUCH, &mut |_, a, b| {
                let closest = closest_on_the_way(a, b);
                let depth = -closest.at_end;
                if depth.is_nan() || depth > c.penetration {
                    c.penetration = depth;
                }
                let mut excess = -closest.on_the_way - unseen(a, b) - hidden;
                // Nor do they undo what earlier steps could not see (between events, a short step what a long one could not).
                if of_velocities {
                    excess += separation(a.shape, &a.start, b.shape, &b.start).min(0.0);
                }
                if excess > 0.0 || excess.is_nan() {
                    c.raise(Residual::Gap, excess / given.grid);
                }
            });
        }
    }
}

/// How far a prescribed body, where the other one is, leaves the motion that its velocity alone would have in the step, m: that at
/// the end between events, that at the start in Anitescu's step.
fn bend(
    model: &Model,
    given: &Given,
    before: &[BodyState],
    after: &[BodyState],
    [told, other]: [usize; 2],
) -> f64 {
    if model.bodies[told].is_free() {
        return 0.0;
    }
    let (old, new) = (&before[told], &after[told]);
    let twist = match given.scheme {
        Scheme::Anitescu => &old.twist,
        _ => &new.twist,
    };
    let point = before[other].pose.position;
    let moved = new.pose.to_world(old.pose.to_body(point)) - point;
    let straight = twist.at(point - old.pose.position) * given.h;
    let reach = match model.bodies[other].shape.radius() {
        r if r.is_finite() => r,
        _ => 0.0,
    };
    let spin = old.twist.angular.length().max(new.twist.angular.length()) * given.h;
    let turned = (new.twist.angular - old.twist.angular).length() * given.h + spin * spin;
    (moved - straight).length() + turned * reach
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

/// Are the stored point, normal and gap those of the shapes? The point must belong to one of the bodies, and
/// the gap must be its distance from the supporting plane of the other across the normal. Where an impulse
/// acts, the other body must be so near that the two can meet there within the step. Free bodies are taken at
/// the start of the step, prescribed ones at its end.
fn judge_geometry(
    model: &Model,
    given: &Given,
    before: &[BodyState],
    after: &[BodyState],
    contact: &ContactImpulse,
    c: &mut Certificate,
) {
    let h = given.grid;
    let ContactImpulse {
        contact, impulse, ..
    } = contact;
    let [i, j] = contact.bodies;
    let of = |k: usize| {
        let body = contact.bodies[k];
        let (shape, local) = model.bodies[body].shape.piece(contact.pieces[k])?;
        let pose = given.scheme.pose(model, before, after, body);
        Some((shape, pose.then(&local)))
    };
    let (Some((a, pose_a)), Some((b, pose_b))) = (of(0), of(1)) else {
        c.raise_equality(Residual::Geometry, f64::NAN, 1.0);
        return;
    };
    let (pose_a, pose_b) = (&pose_a, &pose_b);
    let (n, x) = (contact.normal, contact.point);
    let (from_a, from_b) = (a.distance(pose_a, x), b.distance(pose_b, x));
    let on_b = (n.dot(x) - a.support(pose_a, n) - contact.gap)
        .abs()
        .max(from_b);
    let on_a = (-b.support(pose_b, -n) - n.dot(x) - contact.gap)
        .abs()
        .max(from_a);
    let mut error = on_a.min(on_b).max(0.0);
    // The length of the normal has no unit: it is not held to the size of bodies, which may be points at the origin.
    let length_error = (n.length() - 1.0).abs();
    c.raise_equality(Residual::Geometry, length_error / h, 8.0 * f64::EPSILON / h);
    if *impulse != DVec3::ZERO {
        // What the bodies move, and a hundredth of the smaller one: where features pass each other, a row may stand
        // at the lowest point of one beside the other.
        let mut way = 0.01 * a.radius().min(b.radius());
        for k in [i, j] {
            way += reach(model, given, before, after, k);
        }
        error = error.max(from_a.max(from_b) - contact.gap.abs() - way);
    }
    if !(on_a.is_finite() || on_b.is_finite()) {
        error = f64::NAN;
    }
    let rounding = gap_rounding(model, [pose_a, pose_b], contact) / h;
    c.raise_equality(Residual::Geometry, error / h, 2.0 * rounding);
    if rounding > c.floor {
        c.floor = rounding;
    }
}

/// How far any point of a body may move within the step, m: by its velocities before and after, by the forces,
/// and by a millionth of its size, within which bodies touch.
fn reach(model: &Model, given: &Given, before: &[BodyState], after: &[BodyState], k: usize) -> f64 {
    let body = &model.bodies[k];
    let Some(mass) = body.mass else { return 0.0 };
    let (old, new, radius, h) = (
        &before[k].twist,
        &after[k].twist,
        body.shape.radius(),
        given.h,
    );
    let speed = old.linear.length() + new.linear.length();
    let spin = old.angular.length() + new.angular.length();
    let wrench = &given.wrench[k];
    let push = wrench.force.length() / mass.mass
        + norm(&body.inverse_inertia) * wrench.torque.length() * radius;
    h * (speed + spin * radius + h * push) + 1e-6 * radius
}

/// How well a gap can be known, m: 32 ε times the lengths it is computed from. Rows that contradict each
/// other by this much (a part wedged between walls) have no solution that a smaller residual would tell.
#[must_use]
pub fn gap_rounding(model: &Model, poses: [&Pose; 2], contact: &Contact) -> f64 {
    let mut size = contact.point.length();
    for (body, pose) in contact.bodies.into_iter().zip(poses) {
        let radius = model.bodies[body].shape.radius();
        size += pose.position.length() + if radius.is_finite() { radius } else { 0.0 };
    }
    32.0 * f64::EPSILON * size
}

/// The bodies at the start of a step.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// The bodies.
    pub model: &'a Model,
    /// I⁻¹ of each, world frame, by [`world_inverses`].
    pub inverse: &'a [DMat3],
    /// Their states.
    pub states: &'a [BodyState],
}

/// Fills `inverse` with I⁻¹ of every body in the world frame.
pub fn world_inverses(model: &Model, states: &[BodyState], inverse: &mut Vec<DMat3>) {
    inverse.clear();
    let turn = |(body, state): (&Body, &BodyState)| turned(&body.inverse_inertia, &state.pose);
    inverse.extend(model.bodies.iter().zip(states).map(turn));
}

/// The contact as the law sees it, from the states alone.
#[must_use]
pub fn law_of(
    start: &Start,
    given: &Given,
    after: &[BodyState],
    contact: &ContactImpulse,
) -> ContactLaw {
    let cone = contact.cone(given.cone);
    let ContactImpulse {
        contact,
        impulse,
        restituted,
        ..
    } = contact;
    let scheme = given.scheme;
    let [_, t1, t2] = contact_frame(contact.normal);
    let normal = normal_row(start, given, after, contact);
    let (mut slip, mut trace) = (DVec3::ZERO, 0.0);
    for (k, sign) in [(contact.bodies[0], -1.0), (contact.bodies[1], 1.0)] {
        let lever = contact.point - scheme.pose(start.model, start.states, after, k).position;
        slip += velocity_at(start, given, after, k, contact.point) * sign;
        if let Some(mass) = start.model.bodies[k].mass {
            trace += trace_of_response(mass.mass, &start.inverse[k], lever);
        }
    }
    let mut p = DVec3::new(impulse.x - restituted, impulse.y, impulse.z);
    let mut u = DVec3::new(normal, t1.dot(slip), t2.dot(slip));
    if let Cone::Fan(fan) = given.cone {
        let poses = contact
            .bodies
            .map(|k| scheme.pose(start.model, start.states, after, k));
        let first = fan_of(&fan, start.model, poses, contact);
        for v in [&mut p, &mut u] {
            let turned = DVec2::new(first.x, -first.y).rotate(DVec2::new(v.y, v.z));
            (v.y, v.z) = (turned.x, turned.y);
        }
    }
    ContactLaw {
        p,
        pressure: match given.reading {
            Reading::Coupled => impulse.x,
            Reading::Literal => p.x,
        },
        restituted: *restituted,
        u,
        mass: 3.0 / trace,
        friction: contact.friction,
        cone,
    }
}

/// Where the fan of a contact starts, as (cos, sin) of the angle from t₁; `poses` are those at which the gap was
/// measured.
#[must_use]
pub fn fan_of(fan: &Fan, model: &Model, poses: [&Pose; 2], contact: &Contact) -> DVec2 {
    let frame = contact_frame(contact.normal);
    let sector = 2.0 * std::f64::consts::PI / fan.directions as f64;
    let mut axes = [frame[1], frame[2]];
    if fan.carried {
        let carrier = usize::from(
            model.bodies[contact.bodies[0]].is_free() && !model.bodies[contact.bodies[1]].is_free(),
        );
        axes = [DVec3::X, DVec3::Y].map(|e| poses[carrier].orientation * e);
    }
    fan_start(&frame, axes[0], axes[1], fan.turn * sector)
}

/// Relative velocity at a contact, seen in (n, t₁, t₂), m/s, of the bodies for which `counts` holds; `velocity` gives that
/// of a body's point.
pub(crate) fn frame_velocity(
    contact: &Contact,
    counts: impl Fn(usize) -> bool,
    velocity: impl Fn(usize, DVec3) -> DVec3,
) -> DVec3 {
    let [n, t1, t2] = contact_frame(contact.normal);
    let mut sum = DVec3::ZERO;
    for (k, sign) in contact.bodies.into_iter().zip([-1.0, 1.0]) {
        if counts(k) {
            sum += velocity(k, contact.point) * sign;
        }
    }
    DVec3::new(n.dot(sum), t1.dot(sum), t2.dot(sum))
}

/// tr D_ii of one body: 3/m + tr(\[r\]ᵀ I⁻¹ \[r\]).
fn trace_of_response(mass: f64, inverse: &DMat3, r: DVec3) -> f64 {
    let mut trace = 3.0 / mass;
    for e in DVec3::AXES {
        let arm = r.cross(e);
        trace += arm.dot(*inverse * arm);
    }
    trace
}
