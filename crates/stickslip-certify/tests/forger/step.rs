//! A step as a forger makes it: Newton and Euler hold, and the map from velocities to poses; what is laid before the judge
//! beside them is up to him.

use glam::{DMat3, DVec3};
use stickslip_certify::{Case, Judge, Rebounds};
use stickslip_geometry::frame::contact_frame;
use stickslip_geometry::narrow_phase::Rule;
use stickslip_geometry::{Feature, MassProperties, Pose, Shape, Twist};
use stickslip_model::{
    Body, BodyState, Certificate, Cone, Contact, ContactImpulse, Friction, Given, Mode, Model,
    Reading, Scheme, Wrench,
};

/// What every forged step is held to.
pub(crate) const TOLERANCE: f64 = 1e-10;

pub(crate) const GRAVITY: f64 = 9.81;

/// An honest step before the one in the making.
pub(crate) struct Past {
    before: Vec<BodyState>,
    after: Vec<BodyState>,
    contacts: Vec<ContactImpulse>,
}

/// A step in the making.
pub(crate) struct Forged {
    pub(crate) model: Model,
    pub(crate) before: Vec<BodyState>,
    pub(crate) after: Vec<BodyState>,
    pub(crate) contacts: Vec<ContactImpulse>,
    pub(crate) h: f64,
    pub(crate) grid: f64,
    pub(crate) scheme: Scheme,
    /// e of all pairs.
    pub(crate) restitution: f64,
    /// The steps before, the first one first.
    past: Vec<Past>,
    /// By how much the motion is wrong, m/s, or the overlap, m, where that is the lie.
    pub(crate) wrong: f64,
    /// What of it the judge says he allows beyond his printed bounds, in the same unit.
    pub(crate) allowed: f64,
}

impl Forged {
    pub(crate) fn new(h: f64) -> Self {
        Self {
            model: Model::default(),
            before: Vec::new(),
            after: Vec::new(),
            contacts: Vec::new(),
            h,
            grid: h,
            scheme: Scheme::StewartTrinkle,
            restitution: 0.0,
            past: Vec::new(),
            wrong: 0.0,
            allowed: 0.0,
        }
    }

    /// Adds a free body of 1 kg, or a fixed one.
    pub(crate) fn body(&mut self, shape: Shape, free: bool, at: DVec3, twist: Twist) -> usize {
        let k = self.model.bodies.len();
        let name = format!("body {k}");
        let body = if free {
            let mass = MassProperties::with_mass(&shape, 1.0).expect("a solid");
            Body::free(name, shape, mass)
        } else {
            Body::prescribed(name, shape)
        };
        self.model.bodies.push(body);
        let pose = Pose::at(at);
        self.before.push(BodyState { pose, twist });
        k
    }

    /// Adds a row without an impulse; its gap is that of the supporting plane of the first body, as the judge measures it.
    pub(crate) fn row(&mut self, bodies: [usize; 2], point: DVec3, normal: DVec3) -> usize {
        let a = bodies[0];
        let plane = self.model.bodies[a]
            .shape
            .support(&self.before[a].pose, normal);
        self.contacts.push(ContactImpulse {
            moment: DVec3::ZERO,
            contact: Contact {
                bodies,
                pieces: [0, 0],
                feature: Feature(self.contacts.len() as u32),
                point,
                normal,
                gap: normal.dot(point) - plane,
                friction: Friction::same(0.0),
            },
            impulse: DVec3::ZERO,
            restituted: 0.0,
            mode: Mode::Open,
            directions: 0,
        });
        self.contacts.len() - 1
    }

    /// The same, turned.
    pub(crate) fn turned_body(
        &mut self,
        shape: Shape,
        free: bool,
        pose: Pose,
        twist: Twist,
    ) -> usize {
        let k = self.body(shape, free, pose.position, twist);
        self.before[k].pose = pose;
        k
    }

    /// I⁻¹ in the world frame.
    fn inverse_inertia(&self, k: usize) -> DMat3 {
        let r = self.before[k].pose.rotation();
        r * self.model.bodies[k].inverse_inertia * r.transpose()
    }

    /// The velocity of a body under what acts so far.
    pub(crate) fn twist(&self, k: usize) -> Twist {
        let mut twist = self.before[k].twist;
        let Some(mass) = self.model.bodies[k].mass else {
            return twist;
        };
        twist.linear += DVec3::NEG_Z * (GRAVITY * self.h);
        let inverse = self.inverse_inertia(k);
        for c in &self.contacts {
            let [n, t1, t2] = contact_frame(c.contact.normal);
            let p = n * c.impulse.x + t1 * c.impulse.y + t2 * c.impulse.z;
            let m = n * c.moment.x + t1 * c.moment.y + t2 * c.moment.z;
            for (body, sign) in c.contact.bodies.into_iter().zip([-1.0, 1.0]) {
                if body == k {
                    let lever = c.contact.point - self.before[k].pose.position;
                    twist.linear += p * (sign / mass.mass);
                    twist.angular += inverse * (lever.cross(p * sign) + m * sign);
                }
            }
        }
        twist
    }

    /// Gives row `i` the impulse that closes it: u_n = ψ/h + n·(v_b − v_a) = 0.
    pub(crate) fn press(&mut self, i: usize) {
        let c = self.contacts[i].contact;
        let (mut u, mut w) = (self.scheme.gap_rate(c.gap, 0.0, self.h, self.grid), 0.0);
        for (k, sign) in c.bodies.into_iter().zip([-1.0, 1.0]) {
            let lever = c.point - self.before[k].pose.position;
            u += sign * c.normal.dot(self.twist(k).at(lever));
            if let Some(mass) = self.model.bodies[k].mass {
                let arm = lever.cross(c.normal);
                w += 1.0 / mass.mass + arm.dot(self.inverse_inertia(k) * arm);
            }
        }
        self.contacts[i].impulse.x += (-u / w).max(0.0);
    }

    /// The states at the end of the step, by what acts.
    pub(crate) fn move_on(&mut self) {
        self.after = (0..self.before.len())
            .map(|k| {
                let twist = self.twist(k);
                let mut pose = self.before[k].pose;
                if self.h > 0.0 && self.model.bodies[k].is_free() {
                    pose = pose.moved(&twist, self.h);
                    let rows = self.contacts.iter().flat_map(|c| c.contact.bodies);
                    if !rows.into_iter().any(|i| i == k) {
                        // In flight: x + hv + ½h²g. (Bodies here have one moment of inertia.)
                        let way = self.before[k].twist.linear * self.h;
                        let fall = DVec3::NEG_Z * (0.5 * GRAVITY * self.h * self.h);
                        pose.position = self.before[k].pose.position + way + fall;
                    }
                }
                BodyState { pose, twist }
            })
            .collect();
    }

    /// Ends the step, and begins the next.
    pub(crate) fn next(&mut self) {
        self.move_on();
        let after = self.after.clone();
        self.past.push(Past {
            before: std::mem::replace(&mut self.before, after),
            after: std::mem::take(&mut self.after),
            contacts: std::mem::take(&mut self.contacts),
        });
    }

    /// The judge's word on the step.
    pub(crate) fn judged(&self) -> Certificate {
        let wrench = self.weights();
        Judge::default().judge(&self.case(&wrench, &self.before, &self.after, &self.contacts))
    }

    /// His word on the steps before.
    pub(crate) fn judged_past(&self) -> Vec<Certificate> {
        let wrench = self.weights();
        let steps = self.past.iter();
        let case = |p: &Past| {
            Judge::default().judge(&self.case(&wrench, &p.before, &p.after, &p.contacts))
        };
        steps.map(case).collect()
    }

    /// How much he minds what the step gives back, after those before: above 1 he refuses it. And the most that he minds it of those.
    pub(crate) fn rebound(&self) -> (f64, f64) {
        let (wrench, mut rebounds) = (self.weights(), Rebounds::default());
        let mut judge = |before: &[BodyState], after: &[BodyState], contacts: &[ContactImpulse]| {
            let case = self.case(&wrench, before, after, contacts);
            rebounds
                .judge(&case, TOLERANCE, |_| self.restitution)
                .excess
        };
        let past = self.past.iter();
        let past = past.map(|p| judge(&p.before, &p.after, &p.contacts));
        let past = past.fold(0.0, f64::max);
        (judge(&self.before, &self.after, &self.contacts), past)
    }

    fn weights(&self) -> Vec<Wrench> {
        let weight = |b: &Body| Wrench {
            force: DVec3::NEG_Z * (GRAVITY * b.mass.map_or(0.0, |m| m.mass)),
            torque: DVec3::ZERO,
        };
        self.model.bodies.iter().map(weight).collect()
    }

    fn case<'a>(
        &'a self,
        wrench: &'a [Wrench],
        before: &'a [BodyState],
        after: &'a [BodyState],
        contacts: &'a [ContactImpulse],
    ) -> Case<'a> {
        Case {
            model: &self.model,
            given: Given {
                h: self.h,
                grid: self.grid,
                scheme: self.scheme,
                reading: Reading::Coupled,
                wrench,
                prescribed: before,
                cone: Cone::Quadratic,
                rule: Rule::MaxGap,
                ignored: &[],
                aims: &[],
                surfaces: &[],
            },
            before,
            after,
            contacts,
            joints: &[],
        }
    }
}
