//! Joints and springs as the scene file describes them.

use std::ops::Range;

use glam::{DQuat, DVec3};
use stickslip_geometry::Pose;
use stickslip_model::joint::{AXES, Goal};

use crate::expression::Function;

/// The kinds of joint, as files name them.
pub const JOINT_TYPES: [&str; 5] = ["ball", "hinge", "slider", "fixed", "six-dof"];

/// The kind of a joint: which axes are there to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointType {
    /// The bodies share a point.
    Ball,
    /// They share an axis and turn about it: rx is free.
    Hinge,
    /// One moves along an axis of the other: x is free.
    Slider,
    /// They move as one.
    Fixed,
    /// Each axis as the file says.
    SixDof,
}

impl JointType {
    /// All, in the order of [`JOINT_TYPES`].
    pub const ALL: [Self; 5] = [
        Self::Ball,
        Self::Hinge,
        Self::Slider,
        Self::Fixed,
        Self::SixDof,
    ];

    /// The name used in scene files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        JOINT_TYPES[self as usize]
    }

    /// The axis that the joint's own `limits`, `motor`, `friction` and `motion` are about.
    #[must_use]
    pub const fn free_axis(self) -> Option<usize> {
        match self {
            Self::Hinge => Some(3),
            Self::Slider => Some(0),
            Self::Ball | Self::Fixed | Self::SixDof => None,
        }
    }
}

/// Where the bodies meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// A point of the world, m, at the start.
    World(DVec3),
    /// A point of each body, m, body frames.
    Bodies([DVec3; 2]),
}

/// How the joint's axes lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Axes {
    /// The joint's x axis, a unit vector in the world at the start.
    Axis(DVec3),
    /// The joint's x axis on each body, unit vectors in the body frames.
    BodyAxes([DVec3; 2]),
    /// The joint's frame in the world at the start.
    Frame(DQuat),
    /// The joint's frame on each body.
    BodyFrames([DQuat; 2]),
}

/// What holds an axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum AxisHold {
    /// Nothing.
    #[default]
    Free,
    /// It is locked.
    Locked,
    /// Its coordinate is a function of time.
    Driven(Function),
}

/// A motor.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMotor {
    /// The rate or coordinate aimed at.
    pub target: Function,
    /// Rate or coordinate.
    pub goal: Goal,
    /// Largest force or torque, N or N m.
    pub force: f64,
}

/// One axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointAxis {
    /// What holds it.
    pub hold: AxisHold,
    /// Least and largest coordinate, m or rad; may be infinite.
    pub limits: Option<[f64; 2]>,
    /// What drives it.
    pub motor: Option<JointMotor>,
    /// Dry friction, N or N m.
    pub friction: f64,
    /// N s/m or N m s/rad.
    pub damping: f64,
    /// Of a spring, N/m or N m/rad.
    pub stiffness: f64,
    /// Coordinate at which the spring is at rest, m or rad.
    pub rest: f64,
    /// Inertia that moves with the axis, kg or kg m².
    pub armature: f64,
}

/// A `[[joint]]` entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The name: given, or made from the type and the bodies.
    pub name: String,
    /// The kind.
    pub kind: JointType,
    /// The names of the two bodies; "world" for the world.
    pub bodies: [String; 2],
    /// Where they meet.
    pub anchor: Anchor,
    /// How its axes lie.
    pub frame: Axes,
    /// The axes x, y, z, rx, ry, rz.
    pub axes: [JointAxis; AXES],
    /// May the two bodies collide?
    pub collide: bool,
    /// The bytes of the file to point at in messages.
    pub span: Range<usize>,
}

impl JointAxis {
    /// Does it need a spring of its own in the world: for damping, stiffness or armature?
    #[must_use]
    pub fn is_sprung(&self) -> bool {
        self.damping > 0.0 || self.stiffness > 0.0 || self.armature > 0.0
    }
}

/// A `[[frame]]` entry: a name for a place on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The name.
    pub name: String,
    /// The name of the body; "world" for the world.
    pub body: String,
    /// In the body's frame.
    pub pose: Pose,
    /// The bytes of the file to point at in messages.
    pub span: Range<usize>,
}

/// What a spring is attached to.
#[derive(Clone, Debug, PartialEq)]
pub enum SpringEnds {
    /// Points of two bodies.
    Points {
        /// Their names; "world" for the world.
        bodies: [String; 2],
        /// m, body frames.
        points: [DVec3; 2],
    },
    /// An axis of a joint.
    Axis {
        /// The joint's name.
        joint: String,
        /// Index of the axis.
        axis: usize,
    },
}

/// A `[[spring]]` entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Spring {
    /// The name: given, or made from what it is attached to.
    pub name: String,
    /// Where it is attached.
    pub ends: SpringEnds,
    /// N/m or N m/rad.
    pub stiffness: f64,
    /// N s/m or N m s/rad.
    pub damping: f64,
    /// kg or kg m².
    pub inertance: f64,
    /// Length or coordinate at rest; that at the start where absent.
    pub rest: Option<f64>,
    /// Taken at the start of the step, for comparison.
    pub explicit: bool,
    /// The bytes of the file to point at in messages.
    pub span: Range<usize>,
}
