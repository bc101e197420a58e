//! What a model becomes: bodies about their centres of mass, joints with six axes between them, and names for the rest.

use crate::colours::Colour;
use crate::model::{Actuator, Coupling, Freedom, Geom, Inertial};
use crate::place::{Note, Place};
use glam::DVec3;
use stickslip_geometry::mass::centred;
use stickslip_geometry::{Piece, Pose, Shape};

/// A model as bodies and joints, where it starts.
#[derive(Clone, Debug)]
pub struct Robot {
    /// Its name; may be empty.
    pub name: String,
    /// The bodies.
    pub bodies: Vec<Body>,
    /// The joints.
    pub joints: Vec<Joint>,
    /// Names for places on bodies: every link and site, and where it is.
    pub frames: Vec<Frame>,
    /// Where the coordinate of each freedom is.
    pub coordinates: Vec<Coordinate>,
    /// Equations between freedoms.
    pub couplings: Vec<Coupling>,
    /// What drives freedoms.
    pub actuators: Vec<Actuator>,
    /// Pairs of bodies that pass through each other, by number, beside those that a joint joins.
    pub excluded: Vec<[usize; 2]>,
    /// Gravity that the file gives, m/s².
    pub gravity: Option<DVec3>,
    /// Length of a step that the file gives, s.
    pub step: Option<f64>,
    /// What is not used as it stands in the file.
    pub notes: Vec<Note>,
}

/// A body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// Mass and inertia about the centre of mass, which is the origin of the body's frame; `None` for a body that never moves.
    pub inertial: Option<Inertial>,
    /// Where it starts.
    pub pose: Pose,
    /// Its shapes, in its own frame.
    pub geoms: Vec<Geom>,
    /// Its colour in pictures, if the file gives one: red, green and blue, each from 0 to 1.
    pub colour: Option<Colour>,
    /// Does it stand around the robot, rather than belong to it: a floor, a table?
    pub scenery: bool,
}

/// The kinds of joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The bodies share a point.
    Ball,
    /// They turn about x.
    Hinge,
    /// One moves along x.
    Slider,
    /// They move as one.
    Fixed,
    /// Each axis for itself.
    SixDof,
}

/// A joint between two bodies.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// The bodies by number; `None` is the world.
    pub bodies: [Option<usize>; 2],
    /// Its frame on each of them.
    pub frames: [Pose; 2],
    /// Which it is.
    pub kind: Kind,
    /// What is on each axis x, y, z, rx, ry, rz; nothing on one that is locked.
    pub axes: [Option<Axis>; 6],
    /// Does it close a loop?
    pub closes: bool,
}

/// A free axis of a joint: limits, and so on, in the joint's own coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// Least and largest coordinate, m or rad.
    pub limits: Option<[f64; 2]>,
    /// N s/m or N m s/rad.
    pub damping: f64,
    /// Dry friction, N or N m.
    pub friction: f64,
    /// kg or kg m².
    pub armature: f64,
    /// Of a spring, N/m or N m/rad.
    pub stiffness: f64,
    /// Coordinate at which the spring is at rest, m or rad.
    pub rest: f64,
    /// The largest force of a motor, N or N m; may be infinite.
    pub effort: f64,
}

/// Where the coordinate of a freedom is found: q = zero + sign·c on an axis of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinate {
    /// The freedom.
    pub name: String,
    /// The joint, by number.
    pub joint: usize,
    /// The axis.
    pub axis: usize,
    /// 1 or −1.
    pub sign: f64,
    /// m or rad.
    pub zero: f64,
    /// q at the start, m or rad.
    pub start: f64,
}

/// A place on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Its name.
    pub name: String,
    /// The body, by number; `None` is the world.
    pub body: Option<usize>,
    /// Its pose in the body's frame, or in the world.
    pub pose: Pose,
}

impl Coordinate {
    /// The joint's coordinate c at the freedom's q.
    #[must_use]
    pub fn of_joint(&self, q: f64) -> f64 {
        self.sign * (q - self.zero)
    }
}

impl Axis {
    /// What is on a freedom, in the coordinate c = sign·(q − zero).
    pub(crate) fn of(freedom: &Freedom, sign: f64, zero: f64) -> Self {
        let to = |q: f64| sign * (q - zero);
        let limits = freedom.limits.map(|[lo, hi]| {
            let both = [to(lo), to(hi)];
            [both[0].min(both[1]), both[0].max(both[1])]
        });
        Self {
            limits,
            damping: freedom.damping,
            friction: freedom.friction,
            armature: freedom.armature,
            stiffness: freedom.stiffness,
            rest: to(freedom.rest),
            effort: freedom.effort,
        }
    }
}

impl Body {
    /// Its shape in its own frame: one that is centred stays what it is, others are pieces of a compound. `None` where it collides with
    /// nothing.
    #[must_use]
    pub fn shape(&self) -> Option<Shape> {
        if let [one] = self.geoms.as_slice()
            && (matches!(one.shape, Shape::HalfSpace { .. }) || one.pose == Pose::IDENTITY)
        {
            return Some(one.shape.clone());
        }
        let piece = |geom: &Geom| match &geom.shape {
            // A hull about its own centre is one that scenes write and read back to the same bits.
            Shape::Hull(hull) => Piece {
                shape: centred(&geom.shape),
                pose: geom.pose.then(&Pose::at(hull.centroid())),
            },
            shape => Piece {
                shape: shape.clone(),
                pose: geom.pose,
            },
        };
        Shape::compound(self.geoms.iter().map(piece)).ok()
    }

    /// Does it obey forces?
    #[must_use]
    pub const fn is_free(&self) -> bool {
        self.inertial.is_some()
    }
}
