//! The laws of joints and springs, as residuals in m/s.
//!
//! Everything is measured on the coordinates c of a joint's axis at the two ends of the step: a locked or
//! driven axis has c⁺ = target; a limit has 0 ≤ p ⟂ c⁺ − lo ≥ 0; a motor or dry friction has |p| ≤ h F,
//! with the rate (c⁺ − c)/h what it should be unless the impulse is at its bound. A spring is linear in the
//! step: p = −(h γ φ⁺ + δ(φ⁺ − φ)) with φ⁺ = φ + h ∇φ·ν⁺.
//!
//! In an impact no time passes: locked axes have no rate after it, driven ones the rate they had, limits that are reached
//! 0 ≤ p ⟂ ċ⁺ ≥ 0. Motors, dry friction, springs and dampers have finite forces, and so no impulse.

use crate::certificate::{Certificate, Residual};
use crate::joint::{AXES, Axis, Goal, Hold, Joint, JointImpulse, Placed};
use crate::judge::{Given, Start};
use crate::spring::Spring;
use crate::step::BodyState;
use glam::{DMat3, DVec3};

/// What the drives and motors of one joint aim at, at the end of the step: values of the scene's functions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Aims {
    /// Coordinates of driven axes, m or rad.
    pub hold: [f64; AXES],
    /// Rates or coordinates that motors aim at.
    pub motor: [f64; AXES],
}

/// Misfits |Φ| of holds and limits are divided by one second, not by h: the tolerance of 1e-10 then means 1e-10 m.
/// They do not add up: every step closes its joints anew.
const SECOND: f64 = 1.0;

/// One axis over one step: its coordinates at both ends, times the joint's scale where they are angles (so all
/// in m), and what acts on it, as velocities.
struct AxisStep<'a> {
    axis: &'a Axis,
    h: f64,
    /// Coordinates at start and end, m or rad.
    from: f64,
    to: f64,
    /// m for each m or rad.
    scale: f64,
    /// m/s for each N s or N m s.
    weight: f64,
}

impl AxisStep<'_> {
    /// Distance of `p` from the law |p| ≤ bound, p against u: |x − P(x − u)|, x = weight p.
    fn bounded(&self, p: f64, u: f64, bound: f64) -> f64 {
        let x = self.weight * p;
        let free = x - u * self.scale;
        if bound.is_infinite() {
            return (x - free).abs();
        }
        let bound = self.weight * bound;
        (x - free.max(-bound).min(bound)).abs()
    }

    fn hold(&self, p: f64, target: f64) -> f64 {
        if self.axis.hold != Hold::Free {
            return (self.to - target).abs() * self.scale / SECOND;
        }
        let Some([lo, hi]) = self.axis.limits else {
            return self.weight * p.abs();
        };
        let outside = (lo - self.to).max(self.to - hi).max(0.0);
        let room = if p > 0.0 { self.to - lo } else { hi - self.to };
        let both = (room.max(0.0) * self.scale / self.h).min(self.weight * p.abs());
        both.max(outside * self.scale / SECOND)
    }

    fn motor(&self, p: f64, target: f64) -> f64 {
        let Some(motor) = self.axis.motor else {
            return self.weight * p.abs();
        };
        let rate = motor_rate(motor.goal, self.from, target, self.h);
        self.bounded(
            p,
            (self.to - self.from) / self.h - rate,
            self.h * motor.force,
        )
    }

    fn friction(&self, p: f64) -> f64 {
        self.bounded(
            p,
            (self.to - self.from) / self.h,
            self.h * self.axis.friction,
        )
    }
}

/// The rate a motor aims at over the step.
#[must_use]
pub fn motor_rate(goal: Goal, from: f64, target: f64, h: f64) -> f64 {
    match goal {
        Goal::Velocity => target,
        Goal::Position { speed } => ((target - from) / h).clamp(-speed, speed),
    }
}

/// The residual of one joint, and (for messages) the axis it is on.
#[must_use]
pub fn joint_residual(
    start: &Start,
    h: f64,
    joint: &Joint,
    aims: &Aims,
    after: &[BodyState],
    done: &JointImpulse,
) -> (f64, usize) {
    if h == 0.0 {
        return impact_residual(start, joint, after, done);
    }
    let placed = joint.placed(start.states);
    let to = joint.placed(after).near(&done.coordinates);
    let from = placed.near(&to);
    let free = free_bodies(start, joint.bodies);
    let mut worst = (0.0, 0);
    for (k, axis) in joint.axes.iter().enumerate() {
        let scale = joint.scale(k);
        let step = AxisStep {
            axis,
            h,
            from: from[k],
            to: to[k],
            scale,
            weight: placed.response(k, &free) * scale,
        };
        let mut residual = step
            .hold(done.hold[k], aims.hold[k])
            .max(step.motor(done.motor[k], aims.motor[k]))
            .max(step.friction(done.friction[k]));
        if !(step.to.is_finite() && done.total()[k].is_finite()) {
            residual = f64::NAN;
        }
        if axis.acts() && k >= 3 && placed.regular < SINGULAR {
            residual = f64::NAN;
        }
        if residual > worst.0 || residual.is_nan() {
            worst = (residual, k);
        }
    }
    worst
}

/// The rate of each axis at these velocities, m/s or rad/s, with bodies placed as they are in `placed`.
#[must_use]
pub fn axis_rates(joint: &Joint, placed: &Placed, states: &[BodyState]) -> [f64; AXES] {
    let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
    for (body, sign) in joint.bodies.into_iter().zip([-1.0, 1.0]) {
        if let Some(k) = body {
            let twist = &states[k].twist;
            linear += twist.at(placed.point - states[k].pose.position) * sign;
            angular += twist.angular * sign;
        }
    }
    std::array::from_fn(|k| placed.directions[k].dot(if k < 3 { linear } else { angular }))
}

/// Is the coordinate `c` at its lower, at its upper limit? Within `rounding`, in its own unit.
#[must_use]
pub fn at_limits(axis: &Axis, c: f64, rounding: f64) -> [bool; 2] {
    axis.limits.map_or([false; 2], |[lo, hi]| {
        [c <= lo + rounding, c >= hi - rounding]
    })
}

/// The residual of one joint in an impact, m/s, and the axis it is on.
fn impact_residual(
    start: &Start,
    joint: &Joint,
    after: &[BodyState],
    done: &JointImpulse,
) -> (f64, usize) {
    let placed = joint.placed(start.states);
    let c = placed.near(&done.coordinates);
    let free = free_bodies(start, joint.bodies);
    let (before, after) = (
        axis_rates(joint, &placed, start.states),
        axis_rates(joint, &placed, after),
    );
    let mut worst = (0.0, 0);
    for (k, axis) in joint.axes.iter().enumerate() {
        let scale = joint.scale(k);
        let weight = placed.response(k, &free) * scale;
        let p = done.hold[k];
        let hold = match axis.hold {
            Hold::Locked => after[k].abs() * scale,
            Hold::Driven => (after[k] - before[k]).abs() * scale,
            Hold::Free => {
                let [low, high] = at_limits(axis, c[k], joint.rounding(start.states) / scale);
                let rate = after[k] * scale;
                let pushes = if p > 0.0 { low } else { high };
                let into = if low { -rate } else { 0.0 }.max(if high { rate } else { 0.0 });
                let both = if pushes { rate.abs() } else { f64::INFINITY };
                both.min(weight * p.abs()).max(into)
            }
        };
        let idle = weight * (done.motor[k].abs() + done.friction[k].abs());
        let mut residual = hold.max(idle);
        if !(after[k].is_finite() && done.total()[k].is_finite()) {
            residual = f64::NAN;
        }
        if residual > worst.0 || residual.is_nan() {
            worst = (residual, k);
        }
    }
    worst
}

/// Below this cosine of ry, rx and rz cannot be told apart.
pub const SINGULAR: f64 = 1e-6;

/// Position, 1/m and I⁻¹ (world frame, start of the step) of the ends that are free.
fn free_bodies(start: &Start, bodies: [Option<usize>; 2]) -> [Option<(DVec3, f64, DMat3)>; 2] {
    bodies.map(|body| {
        let i = body?;
        let mass = start.model.bodies[i].mass?;
        Some((
            start.states[i].pose.position,
            1.0 / mass.mass,
            start.inverse[i],
        ))
    })
}

/// The residual of one spring, m/s (or rad/s times the joint's length).
#[must_use]
pub fn spring_residual(
    start: &Start,
    h: f64,
    spring: &Spring,
    after: &[BodyState],
    done: &JointImpulse,
) -> f64 {
    let model = start.model;
    let p = DVec3::from_slice(&done.hold);
    let placed = spring.place(model, start.states, done.coordinates[0]);
    let Some(compliance) = spring.compliance(h) else {
        return p.length();
    };
    // Elongation now, and with prescribed bodies where they will be; free ones move along the row.
    let phi_next = phi_next(start, h, spring, after, done);
    let (gamma, delta) = (spring.stiffness, spring.damping);
    let wanted = phi_next * (h * gamma) + (phi_next - placed.phi) * delta;
    let error = (p + wanted) * compliance * placed.scale;
    if error.is_finite() {
        error.length()
    } else {
        f64::NAN
    }
}

/// φ⁺ = φ(free bodies at the start, prescribed ones at the end) + h ∇φ·ν⁺ of the free ones.
#[must_use]
pub fn phi_next(
    start: &Start,
    h: f64,
    spring: &Spring,
    after: &[BodyState],
    done: &JointImpulse,
) -> DVec3 {
    let model = start.model;
    let free = |k: usize| model.bodies[k].is_free();
    let placed = spring.place(model, start.states, done.coordinates[0]);
    let mixed = |k: usize| {
        if free(k) {
            start.states[k].pose
        } else {
            after[k].pose
        }
    };
    let phi = spring.place_at(model, &mixed, done.coordinates[0]).phi;
    phi + placed.rates(after, start.states, free) * h
}

/// Raises the certificate by the laws of all joints and springs, and checks the recorded coordinates.
pub(crate) fn judge_joints(
    start: &Start,
    given: &Given,
    after: &[BodyState],
    joints: &[JointImpulse],
    c: &mut Certificate,
) {
    let (model, h) = (start.model, given.h);
    // Lengths become velocities by the step asked for where no time passes.
    let per = if h > 0.0 { h } else { given.grid };
    let wanted = model.joints.len() + model.springs.len();
    if joints.len() != wanted || given.aims.len() != model.joints.len() {
        c.raise(Residual::Joint, f64::NAN);
        return;
    }
    let mut floor = |rounding: f64| {
        if rounding / per > c.floor {
            c.floor = rounding / per;
        }
    };
    for joint in &model.joints {
        floor(joint.rounding(after));
    }
    for spring in &model.springs {
        floor(spring.rounding(model, after));
    }
    for ((joint, aims), done) in model.joints.iter().zip(given.aims).zip(joints) {
        c.raise(
            Residual::Joint,
            joint_residual(start, h, joint, aims, after, done).0,
        );
        let to = joint.placed(after).near(&done.coordinates);
        for k in 0..AXES {
            let error = (done.coordinates[k] - to[k]).abs() * joint.scale(k);
            let size = joint.rounding(after) + f64::EPSILON * to[k].abs() * joint.scale(k);
            c.raise_equality(Residual::Geometry, error / per, size / per);
        }
    }
    for (spring, done) in model.springs.iter().zip(&joints[model.joints.len()..]) {
        c.raise(
            Residual::Joint,
            spring_residual(start, h, spring, after, done),
        );
        let placed = spring.place(model, after, done.coordinates[0]);
        let stored = DVec3::from_slice(&done.coordinates);
        let error = (stored - placed.phi).length() * placed.scale;
        let size = spring.rounding(model, after);
        c.raise_equality(Residual::Geometry, error / per, size / per);
    }
}
