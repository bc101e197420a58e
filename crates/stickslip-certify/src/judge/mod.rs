//! The judge: every residual of one step, from states, impulses and shapes.

mod bodies;
mod energy;
mod geometry;
mod island_bounds;
mod lines;
mod penetration;
mod rebound;
mod supporting;
mod way;

use crate::displacement::{normal_row, surface_slip, velocity_at};
use crate::gear_law::gear_residual;
use crate::joint_law::{joint_residual, judge_joints, spring_residual};
use crate::law::ContactLaw;
use crate::moments::{MomentLaw, scaled};
use bodies::Sum;
use geometry::judge_geometry;
use glam::{DMat3, DVec2, DVec3};
pub(crate) use island_bounds::IslandBounds;
use lines::judge_lines;
pub use rebound::{Breach, Rebound, Rebounds};
use stickslip_geometry::Pose;
use stickslip_geometry::broad_phase::{Bounds, Sweep};
use stickslip_geometry::frame::contact_frame;
use stickslip_model::islands::Islands;
use stickslip_model::{
    BodyState, Bound, Certificate, Cone, Contact, ContactImpulse, Ellipse, Friction, Given,
    JointImpulse, Mode, Model, Reading, Residual,
};
use stickslip_threads::{each, parts};

/// One step, as it is laid before the judge.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The bodies and what joins them.
    pub model: &'a Model,
    /// What the scene prescribes for the step.
    pub given: Given<'a>,
    /// States at the start of the step.
    pub before: &'a [BodyState],
    /// States at its end.
    pub after: &'a [BodyState],
    /// Contacts with their impulses.
    pub contacts: &'a [ContactImpulse],
    /// One entry for each joint, then for each spring, then for each gear.
    pub joints: &'a [JointImpulse],
}

impl<'a> Case<'a> {
    /// Where the scheme measures a body's gaps and levers.
    #[inline]
    pub(crate) fn pose(&self, i: usize) -> &'a Pose {
        self.given
            .scheme
            .pose(self.model, self.before, self.after, i)
    }
}

/// What misses its law most in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// A contact, by its number in the case.
    Contact(usize),
    /// Two bodies that overlap beyond what they may.
    Overlap([usize; 2]),
    /// An axis of a joint.
    Joint {
        /// Number of the joint in the model.
        joint: usize,
        /// Number of the axis.
        axis: usize,
    },
    /// A spring, by its number in the model.
    Spring(usize),
    /// A gear, by its number in the model.
    Gear(usize),
}

/// The worst so far, and where.
#[derive(Default)]
struct Worst {
    residual: f64,
    place: Option<Place>,
}

impl Worst {
    fn take(&mut self, residual: f64, place: Place) {
        if residual > self.residual || residual.is_nan() && !self.residual.is_nan() {
            (self.residual, self.place) = (residual, Some(place));
        }
    }
}

/// The judge, with its memory.
#[derive(Clone, Debug, Default)]
pub struct Judge {
    sums: Vec<Sum>,
    flies: Vec<bool>,
    islands: Islands,
    island_bounds: IslandBounds,
    /// I⁻¹ of each body at the start of the step, world frame.
    inverse: Vec<DMat3>,
    bounds: Vec<Bounds>,
    sweep: Sweep,
    /// The pair that overlaps most beyond what it may in the step judged last, and by how much over the step asked for, m/s.
    deepest: Option<([usize; 2], f64)>,
    bounds_of_rows: Vec<Bound>,
    modes: Vec<Mode>,
}

/// Below this many rows a part is not worth a thread (2 µs a row, 20 µs to wake a thread).
const ROWS: usize = 64;

impl Judge {
    /// Judges one step.
    pub fn judge(&mut self, case: &Case) -> Certificate {
        let mut c = Certificate::default();
        self.turn_inertias(case);
        self.sum_impulses(case);
        self.sum_joints(case, Some(&mut c));
        self.islands
            .flying(case.model, case.contacts, &mut self.flies);
        self.island_bounds.find(case, &mut c);
        for i in 0..case.model.bodies.len() {
            self.judge_body(case, i, &mut c);
        }
        self.judge_contacts(case, &mut c);
        self.deepest = None;
        // An impact moves nothing: its poses were judged with the step before.
        if case.given.h > 0.0 {
            self.judge_penetration(case, &mut c);
        }
        judge_joints(case, &self.inverse, &mut self.island_bounds, &mut c);
        c
    }

    /// Geometry and law of every contact.
    fn judge_contacts(&mut self, case: &Case, c: &mut Certificate) {
        let Self {
            inverse,
            island_bounds,
            bounds_of_rows,
            modes,
            ..
        } = self;
        bounds_of_rows.clear();
        let bounds = case.contacts.iter().map(|row| row.contact.bodies);
        bounds_of_rows.extend(bounds.map(|bodies| island_bounds.of(case, bodies.map(Some))));
        modes.clear();
        modes.resize(case.contacts.len(), Mode::Open);
        let share = case
            .contacts
            .len()
            .div_ceil(parts(case.contacts.len(), ROWS))
            .max(1);
        let rows = case
            .contacts
            .chunks(share)
            .zip(bounds_of_rows.chunks(share));
        let rows = rows.zip(modes.chunks_mut(share));
        let mut runs: Vec<_> = rows.map(|rows| (rows, Certificate::default())).collect();
        each(&mut runs, |_, (((rows, bounds), modes), c)| {
            for ((row, bound), mode) in rows.iter().zip(*bounds).zip(&mut **modes) {
                judge_geometry(case, inverse, row, bound, c);
                judge_lines(case, inverse, row, bound, c);
                let law = AnyLaw::of(case, inverse, row);
                law.judge(c, bound);
                *mode = law.mode();
            }
        });
        // The worst of all, whoever found it.
        for (_, of_run) in &runs {
            c.join(of_run);
        }
    }

    /// What each contact of the step judged last does, by its place in the natural map.
    #[must_use]
    pub fn modes(&self) -> &[Mode] {
        &self.modes
    }

    /// What misses most of what `kind` measures in the step judged last, for messages; `None` where nothing does.
    pub fn worst_place(&mut self, case: &Case, kind: Residual) -> Option<Place> {
        self.turn_inertias(case);
        let mut worst = Worst::default();
        for (k, contact) in case.contacts.iter().enumerate() {
            let mut c = Certificate::default();
            judge_geometry(case, &self.inverse, contact, &Bound::default(), &mut c);
            judge_lines(case, &self.inverse, contact, &Bound::default(), &mut c);
            let residual = if kind == Residual::Geometry {
                c.rounding
            } else {
                let law = AnyLaw::of(case, &self.inverse, contact);
                law.residual().max(c.get(Residual::Direction))
            };
            worst.take(residual, Place::Contact(k));
        }
        if kind == Residual::Gap
            && let Some((pair, excess)) = self.deepest
        {
            worst.take(excess, Place::Overlap(pair));
        }
        if kind != Residual::Geometry {
            self.worst_joint(case, &mut worst);
        }
        worst.place
    }

    /// The contacts of the step judged last whose point, normal or gap is not that of the shapes: no impulse makes these rows hold.
    pub fn unfounded(&mut self, case: &Case, tolerance: f64) -> Vec<usize> {
        self.turn_inertias(case);
        let rows = case.contacts.iter().enumerate();
        let unfounded = rows.filter(|(_, row)| {
            let bound = self.island_bounds.of(case, row.contact.bodies.map(Some));
            let mut c = Certificate::default();
            judge_geometry(case, &self.inverse, row, &bound, &mut c);
            judge_lines(case, &self.inverse, row, &bound, &mut c);
            !c.holds(tolerance)
        });
        unfounded.map(|(k, _)| k).collect()
    }

    fn worst_joint(&self, case: &Case, worst: &mut Worst) {
        let n = case.model.joints.len();
        for (k, done) in case.joints.iter().enumerate() {
            match case.model.joints.get(k) {
                Some(_) => {
                    let (residual, axis) = joint_residual(case, &self.inverse, k, done);
                    worst.take(residual, Place::Joint { joint: k, axis });
                }
                None if k < n + case.model.springs.len() => {
                    worst.take(spring_residual(case, k - n, done), Place::Spring(k - n));
                }
                None => {
                    let k = k - n - case.model.springs.len();
                    worst.take(gear_residual(case, k, done), Place::Gear(k));
                }
            }
        }
    }

    /// I⁻¹ of every body in the world frame, at the start of the step.
    fn turn_inertias(&mut self, case: &Case) {
        self.inverse.clear();
        for (body, state) in case.model.bodies.iter().zip(case.before) {
            let r = state.pose.rotation();
            self.inverse.push(r * body.inverse_inertia * r.transpose());
        }
    }
}

/// The law that a contact has.
enum AnyLaw {
    /// Forces alone.
    Forces(ContactLaw),
    /// Forces and moments.
    Moments(MomentLaw),
    /// Forces alone, although a moment is recorded.
    Refused,
}

impl AnyLaw {
    fn of(case: &Case, inverse: &[DMat3], contact: &ContactImpulse) -> Self {
        let mut law = law_of(case, inverse, contact);
        let Some(moments) = case.model.moments.of(contact.contact.bodies) else {
            return if contact.moment == DVec3::ZERO {
                Self::Forces(law)
            } else {
                Self::Refused
            };
        };
        let (m, w) = scaled(case, contact, moments);
        let (torsion, (moments, length)) = (moments.0.torsion > 0.0, moments);
        if torsion {
            let speed = DVec3::new(law.u.y, law.u.z, w.x).length();
            law.friction = friction_at(case, &contact.contact, speed);
        }
        Self::Moments(MomentLaw {
            contact: law,
            m,
            w,
            torsion,
            rolling: moments.rolling / length,
        })
    }

    fn judge(&self, certificate: &mut Certificate, bound: &Bound) {
        match self {
            Self::Forces(law) => law.judge(certificate, bound),
            Self::Moments(law) => law.judge(certificate, bound),
            Self::Refused => certificate.raise_law(Residual::Cone, f64::INFINITY, bound),
        }
    }

    fn residual(&self) -> f64 {
        match self {
            Self::Forces(law) => law.residual(),
            Self::Moments(law) => law.residual(),
            Self::Refused => f64::INFINITY,
        }
    }

    fn mode(&self) -> Mode {
        match self {
            Self::Forces(law) => law.mode(),
            Self::Moments(law) => law.mode(),
            Self::Refused => Mode::Open,
        }
    }
}

/// The contact as the law sees it, from the states alone.
fn law_of(case: &Case, inverse: &[DMat3], contact: &ContactImpulse) -> ContactLaw {
    let given = &case.given;
    let cone = contact.cone(given.cone);
    let ContactImpulse {
        contact,
        impulse,
        restituted,
        ..
    } = contact;
    let [_, t1, t2] = contact_frame(contact.normal);
    let normal = normal_row(case, contact);
    let mut slip = surface_slip(case, contact);
    for (k, sign) in [(contact.bodies[0], -1.0), (contact.bodies[1], 1.0)] {
        slip += velocity_at(case, k, contact.point) * sign;
    }
    let trace = trace_at(case, inverse, contact);
    let mut p = DVec3::new(impulse.x - restituted, impulse.y, impulse.z);
    let mut u = DVec3::new(normal, t1.dot(slip), t2.dot(slip));
    let poses = contact.bodies.map(|k| case.pose(k));
    let bodies = contact.bodies.map(|k| &case.model.bodies[k]);
    let ellipse = Ellipse::of(bodies, poses, contact.normal);
    let first = match given.cone {
        Cone::Fan(fan) => Some(fan.start(case.model, poses, contact)),
        _ => ellipse.map(|e| e.first),
    };
    if let Some(first) = first {
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
        friction: friction_at(case, contact, DVec2::new(u.y, u.z).length()),
        cone,
        ratio: ellipse.map_or(1.0, |e| e.ratio),
    }
}

/// The coefficients of a contact that slips at this speed, m/s: where its pair has a curve, at rest and at the speed.
fn friction_at(case: &Case, contact: &Contact, speed: f64) -> Friction {
    match case.model.curves.of(contact.bodies) {
        Some(curve) => Friction {
            stick: curve.at(0.0),
            slide: curve.at(speed),
        },
        None => contact.friction,
    }
}

/// Relative velocity at a contact, seen in (n, t₁, t₂), m/s, of the bodies for which `counts` holds; `velocity` gives that
/// of a body's point.
fn frame_velocity(
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

/// tr D_ii of a contact, 1/kg.
fn trace_at(case: &Case, inverse: &[DMat3], contact: &Contact) -> f64 {
    let mut trace = 0.0;
    for k in contact.bodies {
        if let Some(mass) = case.model.bodies[k].mass {
            let lever = contact.point - case.pose(k).position;
            trace += trace_of_response(mass.mass, &inverse[k], lever);
        }
    }
    trace
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
