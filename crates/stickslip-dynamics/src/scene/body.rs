//! Bodies as the scene file describes them.

use std::ops::Range;

use glam::{DMat3, DQuat, DVec3};

use stickslip_geometry::Shape;
use stickslip_model::Grain;

use super::material::{Curve, Material};
use crate::expression::Function;
use crate::prescribed::Sinusoid;
use crate::spline::PeriodicTable;

/// One body, numbered and with all formulas of its index evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The name; `box[3]` for a body with index 3 in a counted entry.
    pub name: String,
    /// The shape, in the body's own frame.
    pub shape: Shape,
    /// What decides the motion.
    pub motion: Mobility,
    /// Mass or density as given.
    pub mass: Mass,
    /// The place of the body's origin at the start, m, world frame. For a prescribed body the value
    /// of its motion at t = 0.
    pub position: DVec3,
    /// The orientation at the start (body to world), a unit quaternion. For a prescribed body the
    /// orientation at angle 0: at time t it is rotation(axis, angle(t)) * orientation.
    pub orientation: DQuat,
    /// The velocity of the body's origin at the start, m/s, world frame. Zero unless free.
    pub velocity: DVec3,
    /// The angular velocity at the start, rad/s, world frame. Zero unless free.
    pub angular_velocity: DVec3,
    /// Groups it is in; bodies that share one do not collide.
    pub groups: Vec<String>,
    /// Does it collide with anything?
    pub collide: bool,
    /// Surfaces of it that move along it.
    pub surfaces: Vec<SurfaceMotion>,
    /// The direction along which its friction differs, if it does.
    pub grain: Option<Grain>,
    /// The body's own friction and restitution, or those of `[material]`.
    pub material: Material,
    /// The name of its material, for `[[pair]]`.
    pub made_of: Option<String>,
    /// The body's friction by the speed of the slip, its own or that of `[material]`; the material's is then the one at rest.
    pub curve: Option<Curve>,
    /// Its colour in pictures, if it was given one: red, green and blue, each from 0 to 1.
    pub colour: Option<[f64; 3]>,
    /// The bytes of the file to point at in messages: the value of `name`.
    pub span: Range<usize>,
}

impl Body {
    /// A body that never moves, at the origin, frictionless.
    pub fn fixed(name: impl Into<String>, shape: Shape) -> Self {
        Self::new(name.into(), shape, Mobility::Fixed, Mass::Unneeded)
    }

    /// A free body of this mass (kg) with the inertia of its shape, at rest at the origin, frictionless.
    pub fn free(name: impl Into<String>, shape: Shape, mass: f64) -> Self {
        let inertia = None;
        Self::new(
            name.into(),
            shape,
            Mobility::Free,
            Mass::Total { mass, inertia },
        )
    }

    fn new(name: String, shape: Shape, motion: Mobility, mass: Mass) -> Self {
        Self {
            name,
            shape,
            motion,
            mass,
            position: DVec3::ZERO,
            orientation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            groups: Vec::new(),
            collide: true,
            surfaces: Vec::new(),
            grain: None,
            material: Material::default(),
            made_of: None,
            curve: None,
            colour: None,
            span: 0..0,
        }
    }
}

/// How a surface moves along its body, as functions of time in the body's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceMotion {
    /// The face, by its outward direction, a unit vector; `None` for all of the body.
    pub face: Option<DVec3>,
    /// The velocity at the body's origin, m/s.
    pub velocity: [Function; 3],
    /// The angular velocity about the body's origin, rad/s.
    pub angular_velocity: [Function; 3],
}

/// What decides how a body moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Mobility {
    /// The laws of motion.
    Free,
    /// It never moves.
    Fixed,
    /// The scene: at time t the origin is at `position(t)` and the orientation is
    /// exp(`rotation(t)`) * rotation(`axis`, `angle(t)`) * [`Body::orientation`], with sinusoids and table added.
    Prescribed(Box<Prescribed>),
}

/// A motion given as functions of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Prescribed {
    /// The place of the body's origin, m, world frame.
    pub position: [Function; 3],
    /// The unit axis of rotation, world frame.
    pub axis: DVec3,
    /// The angle about the axis, rad.
    pub angle: Function,
    /// A rotation vector, rad, world frame: a turn after that by the angle.
    pub rotation: [Function; 3],
    /// Sinusoidal accelerations; what they integrate to is added to position and rotation.
    pub accelerations: Vec<Sinusoid>,
    /// A periodic table; added likewise.
    pub table: Option<PeriodicTable>,
}

impl Prescribed {
    /// The motion that stays at a place, to be added to.
    #[must_use]
    pub fn fixed_at(place: DVec3) -> Self {
        Self {
            position: place.to_array().map(Function::constant),
            axis: DVec3::Z,
            angle: Function::constant(0.0),
            rotation: Default::default(),
            accelerations: Vec::new(),
            table: None,
        }
    }
}

/// How the file gives a body's mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mass {
    /// Not given: the body is fixed or prescribed and needs none.
    Unneeded,
    /// Density, kg/m³; mass and inertia follow from the shape.
    Density(f64),
    /// The mass, kg.
    Total {
        /// The mass, kg.
        mass: f64,
        /// The inertia matrix about the body's origin in its own frame, kg m²; where it is absent it
        /// follows from the shape with uniform density.
        inertia: Option<DMat3>,
    },
    /// Everything, whatever the shape says.
    Given {
        /// The mass, kg.
        mass: f64,
        /// The centre of mass in the frame of the shape, m. The body's origin is there: the shape is shifted.
        centre: DVec3,
        /// The inertia matrix about the centre of mass, along the axes of the body's frame, kg m².
        inertia: DMat3,
        /// May it break the triangle inequality?
        any: bool,
    },
}
