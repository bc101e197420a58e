//! Joints and springs as a user of the library describes them.

use crate::motion::TimeFunction;
use crate::scene::{Anchor, Axes, SpringEnds};
use glam::{DQuat, DVec3};
use std::sync::Arc;
use stickslip_model::joint::{AXES, Goal};

/// The name that stands for the world in joints and springs.
pub const WORLD: &str = "world";

/// What holds an axis of a joint to be built.
#[derive(Clone, Default)]
pub enum HoldSpec {
    /// Nothing.
    #[default]
    Free,
    /// Its coordinate stays zero.
    Locked,
    /// Its coordinate is this function of time.
    Driven(TimeFunction),
}

/// A motor to be built.
#[derive(Clone)]
pub struct MotorSpec {
    /// The rate (m/s, rad/s) or coordinate (m, rad) aimed at, as a function of time.
    pub target: TimeFunction,
    /// Rate or coordinate.
    pub goal: Goal,
    /// Largest force or torque, N or N m.
    pub force: f64,
}

/// One axis of a joint to be built.
#[derive(Clone, Default)]
pub struct AxisSpec {
    /// What holds it.
    pub hold: HoldSpec,
    /// Least and largest coordinate.
    pub limits: Option<[f64; 2]>,
    /// What drives it.
    pub motor: Option<MotorSpec>,
    /// Dry friction, N or N m.
    pub friction: f64,
}

/// One joint to be built.
#[derive(Clone)]
pub struct JointSpec {
    /// Unique name.
    pub name: String,
    /// Names of the two bodies; [`WORLD`] for the world.
    pub bodies: [String; 2],
    /// Where the bodies meet.
    pub anchor: Anchor,
    /// How its axes lie.
    pub frame: Axes,
    /// The axes x, y, z, rx, ry, rz.
    pub axes: [AxisSpec; AXES],
    /// May the two bodies collide?
    pub collide: bool,
}

impl JointSpec {
    /// A joint that locks the marked axes (x, y, z, rx, ry, rz), with its frame in the world at the start.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        bodies: [&str; 2],
        anchor: DVec3,
        frame: Axes,
        locked: [bool; AXES],
    ) -> Self {
        Self {
            name: name.into(),
            bodies: bodies.map(str::to_owned),
            anchor: Anchor::World(anchor),
            frame,
            axes: locked.map(|locked| AxisSpec {
                hold: if locked {
                    HoldSpec::Locked
                } else {
                    HoldSpec::Free
                },
                ..AxisSpec::default()
            }),
            collide: false,
        }
    }

    /// A ball joint: the two bodies share a point.
    #[must_use]
    pub fn ball(name: impl Into<String>, bodies: [&str; 2], anchor: DVec3) -> Self {
        Self::new(name, bodies, anchor, Axes::Frame(DQuat::IDENTITY), BALL)
    }

    /// A hinge about a unit axis.
    #[must_use]
    pub fn hinge(name: impl Into<String>, bodies: [&str; 2], anchor: DVec3, axis: DVec3) -> Self {
        Self::new(name, bodies, anchor, Axes::Axis(axis), HINGE)
    }

    /// A slider along a unit axis.
    #[must_use]
    pub fn slider(name: impl Into<String>, bodies: [&str; 2], anchor: DVec3, axis: DVec3) -> Self {
        Self::new(name, bodies, anchor, Axes::Axis(axis), SLIDER)
    }

    /// A fixed joint: the two bodies move as one.
    #[must_use]
    pub fn fixed(name: impl Into<String>, bodies: [&str; 2], anchor: DVec3) -> Self {
        let frame = Axes::Frame(DQuat::IDENTITY);
        Self::new(name, bodies, anchor, frame, [true; AXES])
    }

    /// Changes one axis: 0 to 2 are x, y, z, 3 to 5 are rx, ry, rz.
    #[must_use]
    pub fn axis(mut self, axis: usize, change: impl FnOnce(&mut AxisSpec)) -> Self {
        change(&mut self.axes[axis]);
        self
    }
}

/// What a ball joint locks.
pub const BALL: [bool; AXES] = [true, true, true, false, false, false];
/// What a hinge locks.
pub const HINGE: [bool; AXES] = [true, true, true, false, true, true];
/// What a slider locks.
pub const SLIDER: [bool; AXES] = [false, true, true, true, true, true];

impl AxisSpec {
    /// Keeps the coordinate within `limits`.
    pub fn limit(&mut self, limits: [f64; 2]) {
        self.limits = Some(limits);
    }

    /// A motor that holds this rate with at most this force (m/s and N, or rad/s and N m).
    pub fn drive(&mut self, velocity: f64, force: f64) {
        self.motor = Some(MotorSpec {
            target: Arc::new(move |_| velocity),
            goal: Goal::Velocity,
            force,
        });
    }
}

/// One spring to be built.
#[derive(Clone, Debug, PartialEq)]
pub struct SpringSpec {
    /// Unique name, also among the joints.
    pub name: String,
    /// Where it is attached.
    pub ends: SpringEnds,
    /// N/m or N m/rad.
    pub stiffness: f64,
    /// N s/m or N m s/rad.
    pub damping: f64,
    /// kg or kg m².
    pub inertance: f64,
    /// Length or coordinate at rest; `None`: that at the start.
    pub rest: Option<f64>,
    /// Taken at the start of the step.
    pub explicit: bool,
}
