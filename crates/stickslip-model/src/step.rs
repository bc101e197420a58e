//! What one step leaves behind: states, contacts with their impulses, and its certificate.

use crate::certificate::Certificate;
use crate::joint::{Aims, JointImpulse};
use crate::model::Model;
use crate::scheme::Scheme;
use glam::{DVec2, DVec3};
use stickslip_geometry::frame::{contact_frame, fan_start};
use stickslip_geometry::narrow_phase::Rule;
use stickslip_geometry::{Feature, Pose, Twist};

/// Pose and velocity of one body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyState {
    /// q: where it is.
    pub pose: Pose,
    /// ν: how it moves.
    pub twist: Twist,
}

/// Force and torque about the centre of mass, world frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// N.
    pub force: DVec3,
    /// N m.
    pub torque: DVec3,
}

/// Coefficients of friction of a pair; kinetic ≤ static.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Friction {
    /// μ_s: bound while the contact sticks.
    pub stick: f64,
    /// μ_k: ratio while it slides.
    pub slide: f64,
}

impl Friction {
    /// The same coefficient for sticking and sliding.
    #[must_use]
    pub const fn same(mu: f64) -> Self {
        Self {
            stick: mu,
            slide: mu,
        }
    }
}

/// The friction cone.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Cone {
    /// |p_t| ≤ μ p_n, exact.
    #[default]
    Quadratic,
    /// The hull of this many directions, evenly spaced from t₁ over the whole circle.
    Pyramid(usize),
    /// The hull of directions that start elsewhere than at t₁.
    Fan(Fan),
    /// Each contact has its own: a pyramid or the exact cone, within so much work a step.
    Budget(u64),
}

/// A fan of directions, evenly spaced over the whole circle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fan {
    /// n_d ≥ 3.
    pub directions: usize,
    /// Is the first direction a body's x axis (of the prescribed body of the pair, else of the first one; y where x
    /// is within 26° of the normal), so that the fan turns with it? Otherwise it is t₁.
    pub carried: bool,
    /// By how many sectors (2π/n_d) the whole fan is turned on about the normal.
    pub turn: f64,
}

impl Fan {
    /// Where the fan of a contact starts, as (cos, sin) of the angle from t₁; `poses` are those at which the gap was
    /// measured.
    #[must_use]
    pub fn start(&self, model: &Model, poses: [&Pose; 2], contact: &Contact) -> DVec2 {
        let frame = contact_frame(contact.normal);
        let sector = 2.0 * std::f64::consts::PI / self.directions as f64;
        let mut axes = [frame[1], frame[2]];
        if self.carried {
            let [first, second] = contact.bodies.map(|k| model.bodies[k].is_free());
            let carrier = usize::from(first && !second);
            axes = [DVec3::X, DVec3::Y].map(|e| poses[carrier].orientation * e);
        }
        fan_start(&frame, axes[0], axes[1], self.turn * sector)
    }
}

impl Cone {
    /// n_d of a pyramid; `None` for the exact cone.
    #[must_use]
    pub const fn directions(&self) -> Option<usize> {
        match self {
            Self::Quadratic | Self::Budget(_) => None,
            Self::Pyramid(n) => Some(*n),
            Self::Fan(fan) => Some(fan.directions),
        }
    }
}

/// Which impulse bounds the friction that acts together with a restitution impulse r.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reading {
    /// |p_t| ≤ μ p_n, the restitution impulse included: what presses can hold.
    #[default]
    Coupled,
    /// |p_t| ≤ μ (p_n − r), as the slides print it: the restitution impulse carries no friction.
    Literal,
}

impl Reading {
    /// All readings.
    pub const ALL: [Self; 2] = [Self::Coupled, Self::Literal];

    /// Name in scene files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Coupled => "coupled",
            Self::Literal => "literal",
        }
    }
}

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
    /// What holds at edges and corners.
    pub rule: Rule,
    /// Which pairs of bodies cannot collide (sorted, first smaller).
    pub ignored: &'a [[usize; 2]],
    /// What the joints' drives and motors aim at, at the end of the step.
    pub aims: &'a [Aims],
    /// How each of [`Model::surfaces`] moves at the end of the step: its velocity at the body's origin, m/s, and its angular velocity,
    /// rad/s, beyond those of the body and in its frame.
    pub surfaces: &'a [Twist],
}

/// One place where two bodies touch or may touch before the end of the step.
///
/// The normal points from `bodies[0]` to `bodies[1]`. Point, normal and gap belong to the start of
/// the step, with prescribed bodies where they will be at its end (row S1-14 of the documents).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Indices into the model, the first smaller.
    pub bodies: [usize; 2],
    /// Which convex piece of each body (0 for a body that is convex itself).
    pub pieces: [u32; 2],
    /// Which features of the two pieces.
    pub feature: Feature,
    /// The one application point for both bodies, world, m.
    pub point: DVec3,
    /// Unit normal, world.
    pub normal: DVec3,
    /// ψ: signed gap, m; positive when apart.
    pub gap: f64,
    /// Coefficients of friction.
    pub friction: Friction,
}

/// What a contact did in the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// No impulse.
    #[default]
    Open,
    /// Impulse inside the cone, no slip.
    Stick,
    /// Impulse on the cone, slip.
    Slide,
}

/// A contact and its impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactImpulse {
    /// Where.
    pub contact: Contact,
    /// (p_n, p_t1, p_t2) on `bodies[1]`, in `frame::contact_frame(normal)`, N s.
    pub impulse: DVec3,
    /// (m_n, m_t1, m_t2) on `bodies[1]`, in the same frame, N m s: torsional friction and rolling resistance.
    pub moment: DVec3,
    /// r: the part of p_n that restitutes an earlier compression, N s; the contact law holds for p_n − r.
    pub restituted: f64,
    /// Open, stick or slide.
    pub mode: Mode,
    /// The number of friction directions; 0 on the exact cone.
    pub directions: u32,
}

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Kind {
    /// A step of positive length.
    #[default]
    Step,
    /// The first phase of an impact: velocities jump, poses stay, no time passes.
    Compression,
    /// The second phase of an impact.
    Decompression,
    /// Several steps combined by extrapolation; each was certified on its own.
    Extrapolated,
    /// A shorter step inside one that was divided, but for the last, which is a step again.
    Part,
    /// A step that leaves overlaps as it finds them ([`crate::Scheme::Leaving`]).
    Leaving,
    /// The same inside one that was divided.
    LeavingPart,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Step,
        Self::Compression,
        Self::Decompression,
        Self::Extrapolated,
        Self::Part,
        Self::Leaving,
        Self::LeavingPart,
    ];

    /// Name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Compression => "compression",
            Self::Decompression => "decompression",
            Self::Extrapolated => "extrapolated",
            Self::Part => "part",
            Self::Leaving => "leaving",
            Self::LeavingPart => "leaving-part",
        }
    }

    /// Is it a shorter step inside one that was divided, and not at its end?
    #[must_use]
    pub const fn is_part(self) -> bool {
        matches!(self, Self::Part | Self::LeavingPart)
    }

    /// Does it leave overlaps as it finds them?
    #[must_use]
    pub const fn leaves_overlaps(self) -> bool {
        matches!(self, Self::Leaving | Self::LeavingPart)
    }

    /// Is it a phase of an impact?
    #[must_use]
    pub const fn is_impact(self) -> bool {
        matches!(self, Self::Compression | Self::Decompression)
    }
}

/// One accepted step, whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepRecord {
    /// Number of the step; 0 is the initial state.
    pub step: u64,
    /// Time at the end of the step, s.
    pub t: f64,
    /// Length of the step, s; zero for the phases of an impact and for the initial state.
    pub h: f64,
    /// What it is.
    pub kind: Kind,
    /// States at the end of the step, in the model's order.
    pub bodies: Vec<BodyState>,
    /// Every contact that was part of the step's problem, with its impulse (zero where open).
    pub contacts: Vec<ContactImpulse>,
    /// Every joint, then every spring, then every gear, in the model's order; empty for the initial state.
    pub joints: Vec<JointImpulse>,
    /// The judge's word.
    pub certificate: Certificate,
    /// Kinetic plus potential energy, in the uniform gravity field and in the springs, J.
    pub energy: f64,
    /// Which solver gave the impulses.
    pub solver: String,
    /// Its iterations.
    pub iterations: u64,
}

impl Mode {
    /// Lower-case name, as in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Stick => "stick",
            Self::Slide => "slide",
        }
    }
}

impl Contact {
    /// What identifies the contact from step to step, and orders the contacts of a step.
    #[must_use]
    pub const fn key(&self) -> ([usize; 2], [u32; 2], Feature) {
        (self.bodies, self.pieces, self.feature)
    }

    /// How well the gap can be known, m: 32 ε times the lengths it is computed from. Rows that contradict each
    /// other by this much (a part wedged between walls) have no solution that a smaller residual would tell.
    #[must_use]
    pub fn rounding(&self, model: &Model, poses: [&Pose; 2]) -> f64 {
        let mut size = self.point.length();
        for (body, pose) in self.bodies.into_iter().zip(poses) {
            let radius = model.bodies[body].shape.radius();
            size += pose.position.length() + if radius.is_finite() { radius } else { 0.0 };
        }
        32.0 * f64::EPSILON * size
    }
}

impl ContactImpulse {
    /// Does it carry a force, and not only the dust of a solver: an impulse that changes the velocity of the lighter of its bodies, of `mass` kg, by
    /// more than the tolerance of a step, m/s? For what is shown and counted; a law asks for no such thing.
    #[must_use]
    pub fn bears(&self, mass: f64, tolerance: f64) -> bool {
        self.mode != Mode::Open && self.impulse.x > mass * tolerance
    }

    /// The contact's own cone, where `cone` is that of the scene.
    #[must_use]
    pub const fn cone(&self, cone: Cone) -> Cone {
        match (cone, self.directions) {
            (Cone::Budget(_), 0) => Cone::Quadratic,
            (Cone::Budget(_), n) => Cone::Pyramid(n as usize),
            _ => cone,
        }
    }

    /// The moment on the second body beside that of the impulse at its point, world frame, N m s.
    #[must_use]
    pub fn world_moment(&self) -> DVec3 {
        let [n, t1, t2] = contact_frame(self.contact.normal);
        n * self.moment.x + t1 * self.moment.y + t2 * self.moment.z
    }

    /// The impulse on the second body, world frame, N s.
    #[must_use]
    pub fn world_impulse(&self) -> DVec3 {
        let [n, t1, t2] = contact_frame(self.contact.normal);
        n * self.impulse.x + t1 * self.impulse.y + t2 * self.impulse.z
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wall that a box touches, where a solver leaves 1e-17 N s: it is shown without a force.
    #[test]
    fn dust_is_no_force() {
        let contact = Contact {
            bodies: [0, 1],
            pieces: [0, 0],
            feature: Feature(0),
            point: DVec3::ZERO,
            normal: DVec3::X,
            gap: 0.0,
            friction: Friction {
                stick: 0.5,
                slide: 0.5,
            },
        };
        let with = |p: f64, mode: Mode| ContactImpulse {
            contact,
            impulse: DVec3::X * p,
            moment: DVec3::ZERO,
            restituted: 0.0,
            mode,
            directions: 0,
        };
        let bears = |p: f64, mode: Mode| with(p, mode).bears(2.0, 1e-8);
        assert!(!bears(4e-17, Mode::Stick) && !bears(4e-17, Mode::Slide));
        assert!(bears(0.05, Mode::Stick) && bears(0.05, Mode::Slide));
        // What the judge calls open carries nothing, whatever is written.
        assert!(!bears(0.05, Mode::Open));
        // Two bodies whose motion is prescribed have no velocity to change.
        assert!(!with(1.0, Mode::Stick).bears(f64::INFINITY, 1e-8));
    }
}
