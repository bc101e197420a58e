//! One body, as a user of the library describes it.

use crate::motion::{Motion, SurfaceLaw};
use glam::{DMat3, DVec3};
use std::sync::Arc;
use stickslip_geometry::mass::centred;
use stickslip_geometry::{MassProperties, Pose, Shape, Twist};
use stickslip_model::{BodyState, Friction, Grain, SlipCurve};

/// One body to be built.
#[derive(Clone)]
pub struct BodySpec {
    /// Unique name.
    pub name: String,
    /// Shape in the body frame.
    pub shape: Shape,
    /// Mass and inertia of a free body.
    pub mass: Option<MassProperties>,
    /// How it moves.
    pub motion: Motion,
    /// Where it starts, if free.
    pub state: BodyState,
    /// Name of its material, for pairs of materials ([`MaterialPair`](crate::builder::MaterialPair)).
    pub material: Option<String>,
    /// Its own friction; the world's default where `None`.
    pub friction: Option<Friction>,
    /// Radius by which friction at it resists a spin, m; the world's default where `None`.
    pub torsion: Option<f64>,
    /// Its coefficient of rolling resistance, m; the world's default where `None`.
    pub rolling: Option<f64>,
    /// Its own restitution, from 0 to 1; the world's default where `None`.
    pub restitution: Option<f64>,
    /// Groups it is in: bodies that share one do not collide.
    pub groups: Vec<String>,
    /// Does it collide with anything?
    pub collide: bool,
    /// May its inertia break the triangle inequality?
    pub any_inertia: bool,
    /// Surfaces that move along the body: the face, by its outward direction (`None`: all of it), and how.
    pub surfaces: Vec<(Option<DVec3>, SurfaceLaw)>,
    /// The direction along which its friction differs, if it does.
    pub grain: Option<Grain>,
    /// Its own friction by the speed of the slip, in place of [`BodySpec::friction`].
    pub curve: Option<SlipCurve>,
    /// Its colour in pictures, if it has one of its own: red, green and blue, each from 0 to 1.
    pub colour: Option<[f64; 3]>,
}

impl BodySpec {
    /// A free body of the given mass (kg) whose inertia follows from the shape. The origin of its frame is its
    /// centre of mass: a shape around another point is shifted.
    #[must_use]
    pub fn free(name: impl Into<String>, shape: Shape, mass: f64) -> Self {
        let shape = centred(&shape);
        let mass = MassProperties::with_mass(&shape, mass);
        Self::new(name, shape, mass, Motion::Free)
    }

    /// A body that stays where it is.
    #[must_use]
    pub fn fixed(name: impl Into<String>, shape: Shape) -> Self {
        Self::new(name, shape, None, Motion::fixed(Pose::IDENTITY))
    }

    /// A body on a given path: pose and velocity as functions of time.
    #[must_use]
    pub fn prescribed(
        name: impl Into<String>,
        shape: Shape,
        path: impl Fn(f64) -> BodyState + Send + Sync + 'static,
    ) -> Self {
        Self::new(name, shape, None, Motion::path(path))
    }

    /// Where it is at t = 0.
    pub(super) fn start(&self) -> BodyState {
        match &self.motion {
            Motion::Free => self.state,
            Motion::Prescribed(path) => path(0.0),
        }
    }

    fn new(
        name: impl Into<String>,
        shape: Shape,
        mass: Option<MassProperties>,
        motion: Motion,
    ) -> Self {
        Self {
            name: name.into(),
            shape,
            mass,
            motion,
            state: BodyState::default(),
            material: None,
            friction: None,
            torsion: None,
            rolling: None,
            restitution: None,
            groups: Vec::new(),
            collide: true,
            any_inertia: false,
            surfaces: Vec::new(),
            grain: None,
            curve: None,
            colour: None,
        }
    }

    /// Places the body (its centre of mass) in the world.
    #[must_use]
    pub fn at(self, position: DVec3) -> Self {
        let orientation = self.state.pose.orientation;
        self.with_pose(Pose {
            position,
            orientation,
        })
    }

    /// Places and turns the body.
    #[must_use]
    pub fn with_pose(mut self, pose: Pose) -> Self {
        self.state.pose = pose;
        if matches!(&self.motion, Motion::Prescribed(path) if path(0.0).twist == Twist::default()) {
            self.motion = Motion::fixed(pose);
        }
        self
    }

    /// Gives a free body its initial velocity, m/s and rad/s, world frame.
    #[must_use]
    pub fn with_velocity(mut self, linear: DVec3, angular: DVec3) -> Self {
        self.state.twist = Twist { linear, angular };
        self
    }

    /// Puts the body into a group; bodies that share a group do not collide.
    #[must_use]
    pub fn in_group(mut self, group: impl Into<String>) -> Self {
        self.groups.push(group.into());
        self
    }

    /// Names the body's material.
    #[must_use]
    pub fn made_of(mut self, material: impl Into<String>) -> Self {
        self.material = Some(material.into());
        self
    }

    /// Gives the body its own friction.
    #[must_use]
    pub fn with_friction(mut self, friction: Friction) -> Self {
        self.friction = Some(friction);
        self
    }

    /// Gives the body its own friction, by the speed of the slip.
    #[must_use]
    pub fn with_slip_curve(mut self, curve: SlipCurve) -> Self {
        self.curve = Some(curve);
        self
    }

    /// Gives the body its own radius of torsional friction, m: contacts resist a spin about their normal by up to μ p_n times that, less
    /// where they slide.
    #[must_use]
    pub const fn with_torsion(mut self, radius: f64) -> Self {
        self.torsion = Some(radius);
        self
    }

    /// Gives the body its own rolling resistance, m: contacts resist rolling by up to p_n times that.
    #[must_use]
    pub const fn with_rolling(mut self, length: f64) -> Self {
        self.rolling = Some(length);
        self
    }

    /// Gives the body its own restitution, from 0 to 1.
    #[must_use]
    pub const fn with_restitution(mut self, e: f64) -> Self {
        self.restitution = Some(e);
        self
    }

    /// Lets the body's surface move along it, as a belt does: with this velocity at the body's origin, m/s, and this angular
    /// velocity, rad/s, both in the body's frame and beyond those of the body. The part along the normal has no effect.
    #[must_use]
    pub fn with_moving_surface(self, linear: DVec3, angular: DVec3) -> Self {
        let twist = Twist { linear, angular };
        self.with_surface(None, move |_| twist)
    }

    /// The same of one face, by its outward direction in the body's frame, and as a function of time, s.
    #[must_use]
    pub fn with_surface(
        mut self,
        face: Option<DVec3>,
        law: impl Fn(f64) -> Twist + Send + Sync + 'static,
    ) -> Self {
        self.surfaces.push((face, Arc::new(law)));
        self
    }

    /// Makes friction across a direction of the body's frame `ratio` times that along it.
    #[must_use]
    pub const fn with_grain(mut self, direction: DVec3, ratio: f64) -> Self {
        self.grain = Some(Grain { direction, ratio });
        self
    }

    /// Gives it a colour in pictures: red, green and blue, each from 0 to 1.
    #[must_use]
    pub const fn with_colour(mut self, colour: [f64; 3]) -> Self {
        self.colour = Some(colour);
        self
    }

    /// Gives a free body another inertia about its centre of mass, kg m², body frame.
    #[must_use]
    pub fn with_inertia(mut self, inertia: DMat3) -> Self {
        if let Some(mass) = &mut self.mass {
            mass.inertia = inertia;
        }
        self
    }

    /// Gives a free body mass and inertia, where its shape does not tell them.
    #[must_use]
    pub const fn with_mass(mut self, mass: MassProperties) -> Self {
        self.mass = Some(mass);
        self
    }
}
