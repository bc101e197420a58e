//! A model as its file says it: a tree of links, each placed in its parent and moved by its freedoms in turn.
//!
//! A link's pose in its parent is P J₁(q₁) J₂(q₂) …, with P its place at the zero of all freedoms and J a turn about an axis
//! through an anchor, or a shift along one. Both formats say this; URDF with one freedom at most, at the link's own origin.

use crate::colours::Colour;
use crate::place::{Note, Place};
use glam::{DMat3, DQuat, DVec3};
use stickslip_geometry::pose::exp;
use stickslip_geometry::{Pose, Shape};

/// The number of the link that is the world itself.
pub(crate) const WORLD: usize = 0;

/// A whole model.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// Its name; may be empty.
    pub(crate) name: String,
    /// The links, parents before children; the first is the world.
    pub(crate) links: Vec<Link>,
    /// Equations between two freedoms.
    pub(crate) couplings: Vec<Coupling>,
    /// What closes loops of links.
    pub(crate) closures: Vec<Closure>,
    /// Pairs of links that do not collide, by their numbers.
    pub(crate) excluded: Vec<[usize; 2]>,
    /// What drives freedoms.
    pub(crate) actuators: Vec<Actuator>,
    /// Configurations with a name.
    pub(crate) keys: Vec<Key>,
    /// Gravity that the file gives, m/s².
    pub(crate) gravity: Option<DVec3>,
    /// Length of a step that the file gives, s.
    pub(crate) step: Option<f64>,
    /// What is not used as it stands in the file.
    pub(crate) notes: Vec<Note>,
}

/// A link: a rigid body, or a part of one.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// Its name, used once.
    pub(crate) name: String,
    /// Where it stands.
    pub(crate) place: Place,
    /// The number of its parent.
    pub(crate) parent: usize,
    /// Its pose in its parent at the zero of its freedoms.
    pub(crate) pose: Pose,
    /// How it moves in its parent; one without any is welded to it.
    pub(crate) freedoms: Vec<Freedom>,
    /// Its mass; `None` where the file gives none.
    pub(crate) inertial: Option<Inertial>,
    /// What it touches others with.
    pub(crate) geoms: Vec<Geom>,
    /// Its colour in pictures; `None` where the file gives none.
    pub(crate) colour: Option<Colour>,
}

/// Mass, centre of mass and inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertial {
    /// kg.
    pub mass: f64,
    /// In the link's frame, m.
    pub centre: DVec3,
    /// About the centre of mass, along the link's axes, kg m².
    pub inertia: DMat3,
}

/// A shape on a link.
#[derive(Clone, Debug)]
pub struct Geom {
    /// Its name; may be empty.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// The shape.
    pub shape: Shape,
    /// Its pose in the link.
    pub pose: Pose,
    /// Coefficient of friction.
    pub friction: Option<f64>,
    /// Coefficient of restitution.
    pub restitution: Option<f64>,
    /// Two geoms meet where a kind of the one is among the partners of the other: kinds and partners as bits.
    pub masks: [u32; 2],
}

/// How a link can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// It turns about the axis.
    Hinge,
    /// It moves along the axis.
    Slide,
    /// It turns about the anchor in every way.
    Ball,
    /// It moves freely.
    Free,
}

/// One freedom of a link.
#[derive(Clone, Debug)]
pub(crate) struct Freedom {
    /// Its name, used once.
    pub(crate) name: String,
    /// Where it stands.
    pub(crate) place: Place,
    /// How it moves.
    pub(crate) way: Way,
    /// A point of the axis, or the centre of a ball, in the link's frame, m.
    pub(crate) anchor: DVec3,
    /// Unit vector in the link's frame.
    pub(crate) axis: DVec3,
    /// The coordinate at which the link is where its pose says, m or rad.
    pub(crate) zero: f64,
    /// Least and largest coordinate, m or rad.
    pub(crate) limits: Option<[f64; 2]>,
    /// N s/m or N m s/rad.
    pub(crate) damping: f64,
    /// Dry friction, N or N m.
    pub(crate) friction: f64,
    /// Inertia of what turns with the joint's rate, kg or kg m².
    pub(crate) armature: f64,
    /// Of a spring, N/m or N m/rad.
    pub(crate) stiffness: f64,
    /// Coordinate at which the spring is at rest, m or rad.
    pub(crate) rest: f64,
    /// The largest force of a motor, N or N m; infinite where none is given.
    pub(crate) effort: f64,
}

impl Freedom {
    /// A freedom with nothing on it.
    #[must_use]
    pub(crate) fn new(name: String, place: Place, way: Way, anchor: DVec3, axis: DVec3) -> Self {
        Self {
            name,
            place,
            way,
            anchor,
            axis,
            zero: 0.0,
            limits: None,
            damping: 0.0,
            friction: 0.0,
            armature: 0.0,
            stiffness: 0.0,
            rest: 0.0,
            effort: f64::INFINITY,
        }
    }

    /// Does it have one coordinate?
    #[must_use]
    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self.way, Way::Hinge | Way::Slide)
    }

    /// J(q).
    #[must_use]
    pub(crate) fn motion(&self, at: &At) -> Pose {
        match (self.way, at) {
            (Way::Slide, At::Scalar(q)) => Pose::at(self.axis * (q - self.zero)),
            (Way::Hinge, At::Scalar(q)) => self.turn(exp(self.axis * (q - self.zero))),
            (Way::Ball, At::Turn(turn)) => self.turn(*turn),
            (Way::Free, At::Place(pose)) => *pose,
            _ => Pose::IDENTITY,
        }
    }

    /// A turn about the anchor.
    fn turn(&self, orientation: DQuat) -> Pose {
        Pose {
            position: self.anchor - orientation * self.anchor,
            orientation,
        }
    }
}

/// Where a freedom is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum At {
    /// The coordinate of a hinge or slide, rad or m.
    Scalar(f64),
    /// The turn of a ball.
    Turn(DQuat),
    /// The pose of a free link in place of its own.
    Place(Pose),
}

/// One place for each freedom, link by link, in their order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Configuration(pub(crate) Vec<Vec<At>>);

/// c = offset + ratio·c_of between two freedoms.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// The freedom that follows.
    pub joint: String,
    /// The one it follows; `None` where its coordinate is the offset itself.
    pub of: Option<String>,
    /// m or rad for each m or rad.
    pub ratio: f64,
    /// m or rad.
    pub offset: f64,
}

/// What closes a loop: two links that share a point, or move as one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Closure {
    /// Its name.
    pub(crate) name: String,
    /// Where it stands.
    pub(crate) place: Place,
    /// The links, by number.
    pub(crate) links: [usize; 2],
    /// The point in the first link's frame, m.
    pub(crate) anchor: DVec3,
    /// Do they move as one?
    pub(crate) weld: bool,
}

/// What an actuator does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drive {
    /// A force, N or N m.
    Effort,
    /// stiffness·(target − c) − damping·ċ.
    Position {
        /// N/m or N m/rad.
        stiffness: f64,
        /// N s/m or N m s/rad.
        damping: f64,
    },
    /// damping·(target − ċ).
    Velocity {
        /// N s/m or N m s/rad.
        damping: f64,
    },
}

/// What drives a freedom.
#[derive(Clone, Debug, PartialEq)]
pub struct Actuator {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// The freedom.
    pub joint: String,
    /// How.
    pub drive: Drive,
    /// What it aims at, in the unit of the joint.
    pub target: f64,
    /// Its largest force, N or N m; may be infinite.
    pub force: f64,
}

/// A configuration with a name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    /// Its name.
    pub(crate) name: String,
    /// Where it stands.
    pub(crate) place: Place,
    /// Where everything is; `None` where it says nothing of it.
    pub(crate) configuration: Option<Configuration>,
    /// What each actuator aims at, in the order of the actuators; empty where it says nothing of it.
    pub(crate) targets: Vec<f64>,
}

impl Model {
    /// A model of nothing but the world.
    #[must_use]
    pub(crate) fn empty(name: String, place: Place) -> Self {
        Self {
            name,
            links: vec![Link {
                name: "world".into(),
                place,
                parent: WORLD,
                pose: Pose::IDENTITY,
                freedoms: Vec::new(),
                inertial: None,
                geoms: Vec::new(),
                colour: None,
            }],
            couplings: Vec::new(),
            closures: Vec::new(),
            excluded: Vec::new(),
            actuators: Vec::new(),
            keys: Vec::new(),
            gravity: None,
            step: None,
            notes: Vec::new(),
        }
    }

    /// Every freedom in its zero, brought within its limits.
    #[must_use]
    pub(crate) fn zero(&self) -> Configuration {
        let at = |link: &Link, freedom: &Freedom| match freedom.way {
            Way::Hinge | Way::Slide => At::Scalar(freedom.zero),
            Way::Ball => At::Turn(DQuat::IDENTITY),
            Way::Free => At::Place(link.pose),
        };
        let of = |link: &Link| link.freedoms.iter().map(|f| at(link, f)).collect();
        Configuration(self.links.iter().map(of).collect())
    }

    /// The pose of each link in the world.
    #[must_use]
    pub(crate) fn poses(&self, at: &Configuration) -> Vec<Pose> {
        let mut poses: Vec<Pose> = Vec::with_capacity(self.links.len());
        for (k, link) in self.links.iter().enumerate() {
            let from = poses.get(link.parent).copied().unwrap_or_default();
            let is_free = |f: &Freedom| f.way == Way::Free;
            let mut pose = match link.freedoms.iter().any(is_free) {
                true => from,
                false => from.then(&link.pose),
            };
            for (freedom, at) in link.freedoms.iter().zip(&at.0[k]) {
                pose = pose.then(&freedom.motion(at));
            }
            // Products of many turns: the rounding of their norm does not grow.
            pose.orientation = pose.orientation / pose.orientation.length();
            poses.push(pose);
        }
        poses
    }

    /// The link and the place among its freedoms of the freedom of this name.
    #[must_use]
    pub(crate) fn find(&self, freedom: &str) -> Option<(usize, usize)> {
        self.links.iter().enumerate().find_map(|(k, link)| {
            let place = link.freedoms.iter().position(|f| f.name == freedom)?;
            Some((k, place))
        })
    }

    /// The link of this name.
    #[must_use]
    pub(crate) fn link(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|l| l.name == name)
    }
}

impl Default for Inertial {
    /// No mass at all.
    fn default() -> Self {
        Self {
            mass: 0.0,
            centre: DVec3::ZERO,
            inertia: DMat3::ZERO,
        }
    }
}

impl Inertial {
    /// This and another, moved as one: masses add, centres are weighed, Steiner carries the inertias.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        if mass == 0.0 {
            return Self {
                inertia: self.inertia + other.inertia,
                ..*self
            };
        }
        let centre = (self.centre * self.mass + other.centre * other.mass) / mass;
        let about = |part: &Self| part.inertia + steiner(part.mass, part.centre - centre);
        Self {
            mass,
            centre,
            inertia: about(self) + about(other),
        }
    }

    /// The same seen from a frame in which its own has the pose `pose`.
    #[must_use]
    pub fn placed(&self, pose: &Pose) -> Self {
        Self {
            mass: self.mass,
            centre: pose.to_world(self.centre),
            inertia: pose.turned(&self.inertia),
        }
    }
}

/// m(r² 1 − r rᵀ).
fn steiner(mass: f64, r: DVec3) -> DMat3 {
    let dyad = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
    (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - dyad) * mass
}
