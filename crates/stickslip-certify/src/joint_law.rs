//! The laws of joints and springs, as residuals in m/s.
//!
//! Everything is measured on the coordinates c of a joint's axis at the two ends of the step: a locked or
//! driven axis has c⁺ = target; a limit has 0 ≤ p ⟂ c⁺ − lo ≥ 0; a motor or dry friction has |p| ≤ h F,
//! with the rate (c⁺ − c)/h what it should be unless the impulse is at its bound. A servo gives way: within its bound
//! p = −(h γ(c⁺ − target) + δ(c⁺ − c)), a governor p = δ(h target − (c⁺ − c)). A spring is linear in the
//! step: p = −(h γ φ⁺ + δ(φ⁺ − φ) + a(∇φ·ν⁺ − ∇φ·ν)) with φ⁺ = φ + h ∇φ·ν⁺.
//!
//! In an impact no time passes: locked axes have no rate after it, driven ones the rate they had, limits that are reached
//! 0 ≤ p ⟂ ċ⁺ ≥ 0. Motors, dry friction, springs and dampers have finite forces, and so no impulse; inerters have one.

use crate::gear_law::{gear_residual, misfit};
use crate::judge::{Case, IslandBounds};
use glam::{DMat3, DVec3};
use stickslip_model::joint::{AXES, Along, Axis, Goal, Hold, JointImpulse, SINGULAR};
use stickslip_model::spring::PlacedSpring;
use stickslip_model::{Bound, Certificate, Residual};

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
        let (h, way) = (self.h, self.to - self.from);
        // What the gains miss, as a rate: (p − p(c⁺))/(h (hγ + δ)).
        let u = match motor.goal {
            Goal::Velocity => way / h - target,
            Goal::Position { speed } => {
                let rate = (target - self.from) / h;
                way / h - rate.max(-speed).min(speed)
            }
            Goal::Servo { stiffness, damping } => {
                let pull = h * stiffness * (self.to - target) + damping * way;
                (p + pull) / (h * (h * stiffness + damping))
            }
            Goal::Governor { damping } => (p + damping * (way - h * target)) / (h * damping),
            // It is among the applied forces.
            Goal::Effort => return self.weight * p.abs(),
        };
        self.bounded(p, u, h * motor.force)
    }

    fn friction(&self, p: f64) -> f64 {
        self.bounded(
            p,
            (self.to - self.from) / self.h,
            self.h * self.axis.friction,
        )
    }
}

/// The residual of one joint, and (for messages) the axis it is on.
pub(crate) fn joint_residual(
    case: &Case,
    inverse: &[DMat3],
    number: usize,
    done: &JointImpulse,
) -> (f64, usize) {
    let h = case.given.h;
    if h == 0.0 {
        return impact_residual(case, inverse, number, done);
    }
    let (before, after) = (case.before, case.after);
    let joint = &case.model.joints[number];
    let aims = case.given.aims.get(number).copied().unwrap_or_default();
    let placed = joint.placed(before);
    let end = joint.placed(after);
    let to = end.near(&done.coordinates);
    let from = placed.near(&to);
    // Where gradients count, rx and rz must be two; in the middle, at both ends.
    let regular = match done.along {
        Along::Start => placed.regular,
        Along::Middle => placed.regular.min(end.regular),
    };
    let free = free_bodies(case, inverse, joint.bodies);
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
        if axis.acts() && k >= 3 && regular < SINGULAR {
            residual = f64::NAN;
        }
        if residual > worst.0 || residual.is_nan() {
            worst = (residual, k);
        }
    }
    worst
}

/// The residual of one joint in an impact, m/s, and the axis it is on.
fn impact_residual(
    case: &Case,
    inverse: &[DMat3],
    number: usize,
    done: &JointImpulse,
) -> (f64, usize) {
    let (states, joint) = (case.before, &case.model.joints[number]);
    let placed = joint.placed(states);
    let c = placed.near(&done.coordinates);
    let free = free_bodies(case, inverse, joint.bodies);
    let (before, after) = (
        joint.rates(&placed, states),
        joint.rates(&placed, case.after),
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
                let [low, high] = axis.at_limits(c[k], joint.rounding(states) / scale);
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

/// Position, 1/m and I⁻¹ (world frame, start of the step) of the ends that are free.
fn free_bodies(
    case: &Case,
    inverse: &[DMat3],
    bodies: [Option<usize>; 2],
) -> [Option<(DVec3, f64, DMat3)>; 2] {
    bodies.map(|body| {
        let i = body?;
        let mass = case.model.bodies[i].mass?;
        Some((case.before[i].pose.position, 1.0 / mass.mass, inverse[i]))
    })
}

/// The residual of one spring, m/s (or rad/s times the joint's length).
pub(crate) fn spring_residual(case: &Case, number: usize, done: &JointImpulse) -> f64 {
    let (h, spring) = (case.given.h, &case.model.springs[number]);
    let p = DVec3::from_slice(&done.hold);
    let placed = spring.place(case.model, case.before, done.coordinates[0]);
    let Some(compliance) = spring.compliance(h) else {
        return p.length();
    };
    // Elongation now, and with prescribed bodies where they will be; free ones move along the row.
    let phi_next = phi_next(case, number, done);
    let (gamma, delta) = (spring.stiffness, spring.damping);
    let mut wanted = phi_next * (h * gamma) + (phi_next - placed.phi) * delta;
    if spring.inertance > 0.0 {
        wanted += rate_change(case, &placed) * spring.inertance;
    }
    let error = (p + wanted) * compliance * placed.scale;
    if error.is_finite() {
        error.length()
    } else {
        f64::NAN
    }
}

/// ∇φ·ν⁺ − ∇φ·ν, with the gradients of the start and every body, prescribed ones too.
pub(crate) fn rate_change(case: &Case, placed: &PlacedSpring) -> DVec3 {
    let all = |_: usize| true;
    placed.rates(case.after, case.before, all) - placed.rates(case.before, case.before, all)
}

/// φ⁺ = φ(free bodies at the start, prescribed ones at the end) + h ∇φ·ν⁺ of the free ones.
pub(crate) fn phi_next(case: &Case, number: usize, done: &JointImpulse) -> DVec3 {
    let (model, before, after) = (case.model, case.before, case.after);
    let spring = &model.springs[number];
    let free = |k: usize| model.bodies[k].is_free();
    let placed = spring.place(model, before, done.coordinates[0]);
    let mixed = |k: usize| {
        if free(k) {
            before[k].pose
        } else {
            after[k].pose
        }
    };
    let phi = spring.place_at(model, &mixed, done.coordinates[0]).phi;
    phi + placed.rates(after, before, free) * case.given.h
}

/// Raises the certificate by the laws of all joints and springs, and checks the recorded coordinates.
pub(crate) fn judge_joints(
    case: &Case,
    inverse: &[DMat3],
    bounds: &mut IslandBounds,
    c: &mut Certificate,
) {
    let (model, given, after, joints) = (case.model, &case.given, case.after, case.joints);
    let h = given.h;
    // Lengths become velocities by the step asked for where no time passes.
    let per = if h > 0.0 { h } else { given.grid };
    if joints.len() != model.joint_count() || given.aims.len() != model.joints.len() {
        return c.raise_law(Residual::Joint, f64::NAN, &Bound::default());
    }
    if joints.is_empty() {
        return;
    }
    for (k, (joint, done)) in model.joints.iter().zip(joints).enumerate() {
        let residual = joint_residual(case, inverse, k, done).0;
        c.raise_law(Residual::Joint, residual, &bounds.of(case, joint.bodies));
        let to = joint.placed(after).near(&done.coordinates);
        for k in 0..AXES {
            let error = (done.coordinates[k] - to[k]).abs() * joint.scale(k);
            let size = joint.rounding(after) + f64::EPSILON * to[k].abs() * joint.scale(k);
            c.raise_equality(Residual::Geometry, error / per, size / per);
        }
    }
    let (springs, gears) = joints[model.joints.len()..].split_at(model.springs.len());
    for (k, (gear, done)) in model.gears.iter().zip(gears).enumerate() {
        let bound = bounds.of(case, gear.bodies(&model.joints));
        c.raise_law(Residual::Joint, gear_residual(case, k, done), &bound);
        let error = (done.coordinates[0] - misfit(case, gear)).abs() * gear.scale(model);
        let size = gear.rounding(model, after);
        c.raise_equality(Residual::Geometry, error / per, size / per);
    }
    for (k, (spring, done)) in model.springs.iter().zip(springs).enumerate() {
        let residual = spring_residual(case, k, done);
        let bound = bounds.of(case, spring.bodies(&model.joints));
        c.raise_law(Residual::Joint, residual, &bound);
        let placed = spring.place(model, after, done.coordinates[0]);
        let stored = DVec3::from_slice(&done.coordinates);
        let error = (stored - placed.phi).length() * placed.scale;
        let size = spring.rounding(model, after);
        c.raise_equality(Residual::Geometry, error / per, size / per);
    }
}
