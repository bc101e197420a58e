//! From a description to a checked world: [`WorldBuilder`] collects, `build` checks everything at once.

mod apart;
mod body;
pub(crate) mod build;
mod build_joint;
mod checks;
mod joint;
mod material_pair;
mod order;

pub use body::BodySpec;
pub(crate) use checks::{MOST_FRICTION, RATIOS};
pub use joint::{
    AxisSpec, BALL, GearSpec, HINGE, HoldSpec, JointSpec, MotorSpec, SLIDER, SpringSpec, WORLD,
};
pub use material_pair::MaterialPair;

use crate::methods::Method;
use crate::motion::ForceLaw;
use crate::settings::Settings;
use crate::world::World;
use glam::DVec3;
use std::sync::Arc;
use stickslip_geometry::Pose;
use stickslip_geometry::narrow_phase::Rule;
use stickslip_model::{BodyState, Cone, Friction, Moments, Reading, SlipCurve, Wrench};

/// Collects what a world is made of, then checks it all at once.
#[derive(Clone)]
pub struct WorldBuilder {
    bodies: Vec<BodySpec>,
    forces: Vec<(String, ForceLaw)>,
    pairs: Vec<([String; 2], Friction)>,
    pair_curves: Vec<([String; 2], SlipCurve)>,
    curve: Option<SlipCurve>,
    ignored: Vec<[String; 2]>,
    joints: Vec<JointSpec>,
    springs: Vec<SpringSpec>,
    gears: Vec<GearSpec>,
    frames: Vec<(String, String, Pose)>,
    friction: Friction,
    restitution: f64,
    pair_restitutions: Vec<([String; 2], f64)>,
    material_pairs: Vec<MaterialPair>,
    moments: Moments,
    /// Torsion and rolling of pairs, where they are given.
    pair_moments: Vec<([String; 2], [Option<f64>; 2])>,
    settings: Settings,
}

impl World {
    /// A world to be described: h = 0.01 s, gravity 9.81 m/s² down, no friction, quadratic cone,
    /// tolerance 1e-8.
    #[must_use]
    pub fn builder() -> WorldBuilder {
        WorldBuilder {
            bodies: Vec::new(),
            forces: Vec::new(),
            pairs: Vec::new(),
            pair_curves: Vec::new(),
            curve: None,
            ignored: Vec::new(),
            joints: Vec::new(),
            springs: Vec::new(),
            gears: Vec::new(),
            frames: Vec::new(),
            friction: Friction::default(),
            restitution: 0.0,
            pair_restitutions: Vec::new(),
            material_pairs: Vec::new(),
            moments: Moments::default(),
            pair_moments: Vec::new(),
            settings: Settings::default(),
        }
    }
}

impl WorldBuilder {
    /// Adds a body.
    #[must_use]
    pub fn body(mut self, body: BodySpec) -> Self {
        self.bodies.push(body);
        self
    }

    /// Adds a force on a body, as a function of time and of the body's state at the start of the step.
    #[must_use]
    pub fn force(
        mut self,
        body: impl Into<String>,
        law: impl Fn(f64, &BodyState) -> Wrench + Send + Sync + 'static,
    ) -> Self {
        self.forces.push((body.into(), Arc::new(law)));
        self
    }

    /// Adds a joint.
    #[must_use]
    pub fn joint(mut self, joint: JointSpec) -> Self {
        self.joints.push(joint);
        self
    }

    /// Adds a spring.
    #[must_use]
    pub fn spring(mut self, spring: SpringSpec) -> Self {
        self.springs.push(spring);
        self
    }

    /// Adds a gear between two joints.
    #[must_use]
    pub fn gear(mut self, gear: GearSpec) -> Self {
        self.gears.push(gear);
        self
    }

    /// Gives a place on a body (or on the world, by [`WORLD`]) a name.
    #[must_use]
    pub fn frame(mut self, name: impl Into<String>, body: impl Into<String>, pose: Pose) -> Self {
        self.frames.push((name.into(), body.into(), pose));
        self
    }

    /// Sets the default coefficient of friction, static and kinetic.
    #[must_use]
    pub const fn friction(mut self, mu: f64) -> Self {
        self.friction = Friction {
            stick: mu,
            slide: mu,
        };
        self
    }

    /// Sets the default friction with two coefficients.
    #[must_use]
    pub const fn default_friction(mut self, friction: Friction) -> Self {
        self.friction = friction;
        self
    }

    /// Sets the friction of one pair.
    #[must_use]
    pub fn pair_friction(
        mut self,
        a: impl Into<String>,
        b: impl Into<String>,
        friction: Friction,
    ) -> Self {
        self.pairs.push(([a.into(), b.into()], friction));
        self
    }

    /// Sets the default friction, by the speed of the slip.
    #[must_use]
    pub fn slip_curve(mut self, curve: SlipCurve) -> Self {
        self.curve = Some(curve);
        self
    }

    /// Sets the friction of one pair, by the speed of the slip.
    #[must_use]
    pub fn pair_slip_curve(
        mut self,
        a: impl Into<String>,
        b: impl Into<String>,
        curve: SlipCurve,
    ) -> Self {
        self.pair_curves.push(([a.into(), b.into()], curve));
        self
    }

    /// Sets the default coefficient of restitution, from 0 to 1.
    #[must_use]
    pub const fn restitution(mut self, e: f64) -> Self {
        self.restitution = e;
        self
    }

    /// Sets the restitution of one pair.
    #[must_use]
    pub fn pair_restitution(mut self, a: impl Into<String>, b: impl Into<String>, e: f64) -> Self {
        self.pair_restitutions.push(([a.into(), b.into()], e));
        self
    }

    /// Sets the default radius of torsional friction, m.
    #[must_use]
    pub const fn torsion(mut self, radius: f64) -> Self {
        self.moments.torsion = radius;
        self
    }

    /// Sets the default rolling resistance, m.
    #[must_use]
    pub const fn rolling(mut self, length: f64) -> Self {
        self.moments.rolling = length;
        self
    }

    /// Sets torsion and rolling resistance of one pair, m; `None` leaves what the bodies say.
    #[must_use]
    pub fn pair_moments(
        mut self,
        a: impl Into<String>,
        b: impl Into<String>,
        torsion: Option<f64>,
        rolling: Option<f64>,
    ) -> Self {
        let pair = ([a.into(), b.into()], [torsion, rolling]);
        self.pair_moments.push(pair);
        self
    }

    /// Sets what bounds friction beside a restitution impulse.
    #[must_use]
    pub const fn reading(mut self, reading: Reading) -> Self {
        self.settings.reading = reading;
        self
    }

    /// Sets the error wanted at the time `until` (s), m, for the method `extrapolated`.
    #[must_use]
    pub const fn error(mut self, error: f64, until: f64) -> Self {
        self.settings.error = error;
        self.settings.until = until;
        self
    }

    /// Sets the time-stepping method.
    #[must_use]
    pub const fn method(mut self, method: Method) -> Self {
        self.settings.method = method;
        self
    }

    /// Lets two bodies pass through each other.
    #[must_use]
    pub fn ignore(mut self, a: impl Into<String>, b: impl Into<String>) -> Self {
        self.ignored.push([a.into(), b.into()]);
        self
    }

    /// Sets uniform gravity, m/s².
    #[must_use]
    pub const fn gravity(mut self, gravity: DVec3) -> Self {
        self.settings.gravity = gravity;
        self
    }

    /// Sets the length of a step, s.
    #[must_use]
    pub const fn time_step(mut self, h: f64) -> Self {
        self.settings.h = h;
        self
    }

    /// Sets the friction cone.
    #[must_use]
    pub const fn cone(mut self, cone: Cone) -> Self {
        self.settings.cone = cone;
        self
    }

    /// Sets how contact is treated where the free space is not convex.
    #[must_use]
    pub const fn contact(mut self, rule: Rule) -> Self {
        self.settings.contact = rule;
        self
    }

    /// Sets the solver tried first, by name.
    #[must_use]
    pub fn solver(mut self, name: impl Into<String>) -> Self {
        self.settings.solver = name.into();
        self
    }

    /// Sets the tolerance of the certificates, m/s.
    #[must_use]
    pub const fn tolerance(mut self, tolerance: f64) -> Self {
        self.settings.tolerance = tolerance;
        self
    }

    /// Sets the largest residual, m/s, of a step that is accepted as an approximate one where it cannot be certified; zero
    /// where none is to be.
    #[must_use]
    pub const fn accept(mut self, accept: f64) -> Self {
        self.settings.accept = accept;
        self
    }

    /// Are overlapping bodies moved apart before every step, with an account of the energy?
    #[must_use]
    pub const fn projection(mut self, projection: bool) -> Self {
        self.settings.projection = projection;
        self
    }

    /// Checks the energy inequality in every step.
    #[must_use]
    pub const fn energy_check(mut self, check: bool) -> Self {
        self.settings.energy_check = check;
        self
    }
}
