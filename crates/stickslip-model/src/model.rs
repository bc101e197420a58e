//! What never changes during a run: bodies with their shapes and masses, joints and springs.

use crate::curve::SlipCurves;
use crate::gear::Gear;
use crate::joint::Joint;
use crate::moments::PairMoments;
use crate::spring::Spring;
use crate::step::BodyState;
use crate::surface::{Grain, MovingSurface};
use glam::DMat3;
use stickslip_geometry::{MassProperties, Pose, Shape, Twist};

/// One body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Unique name.
    pub name: String,
    /// Shape in the body frame.
    pub shape: Shape,
    /// Mass and inertia of a free body; `None` for one whose motion is prescribed (or fixed).
    pub mass: Option<MassProperties>,
    /// I⁻¹ in the body frame; zero for a prescribed body and for a particle, which does not turn.
    pub inverse_inertia: DMat3,
    /// One bit for each group it is in: bodies that share a group do not collide.
    pub groups: u64,
    /// Does it collide with nothing at all?
    pub ghost: bool,
    /// The direction along which its friction differs, if it does.
    pub grain: Option<Grain>,
    /// Its colour in pictures, if it has one of its own: red, green and blue, each from 0 to 1.
    pub colour: Option<[f64; 3]>,
}

/// A name for a place on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedFrame {
    /// Unique name; frames are sorted by it.
    pub name: String,
    /// `None` is the world.
    pub body: Option<usize>,
    /// Where it is, in the body's frame.
    pub pose: Pose,
}

impl NamedFrame {
    /// Where it is in the world and how it moves, with the bodies in these states.
    #[must_use]
    pub fn state(&self, states: &[BodyState]) -> BodyState {
        let Some(body) = self.body.map(|k| &states[k]) else {
            return BodyState {
                pose: self.pose,
                ..BodyState::default()
            };
        };
        let pose = body.pose.then(&self.pose);
        BodyState {
            pose,
            twist: Twist {
                linear: body.twist.at(pose.position - body.pose.position),
                angular: body.twist.angular,
            },
        }
    }
}

/// The bodies of a world and what joins them, in an order that does not depend on names: which of two bodies is the first, and which row
/// stands before another, decides last digits, and renaming is to change none. What people read is in the order of names,
/// [`Model::bodies_by_name`] and [`Model::joints_by_name`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Those that are not free first.
    pub bodies: Vec<Body>,
    /// By the bodies they join.
    pub joints: Vec<Joint>,
    /// By the bodies they join.
    pub springs: Vec<Spring>,
    /// By the joints they couple.
    pub gears: Vec<Gear>,
    /// Surfaces that move along their bodies, sorted by body.
    pub surfaces: Vec<MovingSurface>,
    /// Friction that depends on the speed of the slip, by pair.
    pub curves: SlipCurves,
    /// Moments that contacts bear, by pair.
    pub moments: PairMoments,
    /// Names for places on bodies, sorted.
    pub frames: Vec<NamedFrame>,
    /// Numbers of the bodies in the order of their names, by which [`Model::index`] searches; empty where nobody has sorted them
    /// ([`Model::sort_names`]).
    pub named: Vec<usize>,
}

impl Model {
    /// May the two meet: is one of them free, is neither a ghost, and do they share no group?
    #[must_use]
    pub fn may_collide(&self, i: usize, j: usize) -> bool {
        let (a, b) = (&self.bodies[i], &self.bodies[j]);
        (a.is_free() || b.is_free()) && !(a.ghost || b.ghost) && a.groups & b.groups == 0
    }

    /// The frame of that name.
    #[must_use]
    pub fn frame(&self, name: &str) -> Option<&NamedFrame> {
        let found = self.frames.binary_search_by(|f| f.name.as_str().cmp(name));
        found.ok().map(|k| &self.frames[k])
    }

    /// Number of the body of that name.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<usize> {
        if self.named.len() != self.bodies.len() {
            return self.body_names().position(|n| n == name);
        }
        let of = |k: &usize| self.bodies[*k].name.as_str();
        let found = self.named.binary_search_by(|k| of(k).cmp(name));
        found.ok().map(|at| self.named[at])
    }

    /// Numbers of the bodies in the order of their names.
    #[must_use]
    pub fn bodies_by_name(&self) -> Vec<usize> {
        if self.named.len() == self.bodies.len() {
            return self.named.clone();
        }
        let mut numbers: Vec<usize> = (0..self.bodies.len()).collect();
        numbers.sort_by_key(|&k| &self.bodies[k].name);
        numbers
    }

    /// Sorts the names of the bodies, which are all there and keep their names from now on: they are then found without looking at
    /// each.
    pub fn sort_names(&mut self) {
        self.named.clear();
        self.named = self.bodies_by_name();
    }

    /// Numbers of the records of joints, then of springs, then of gears, each in the order of their names.
    #[must_use]
    pub fn joints_by_name(&self) -> Vec<usize> {
        let names: Vec<&str> = self.joint_names().collect();
        by_name(&names, self.joint_kinds())
    }

    /// Names of the bodies, in their order.
    pub fn body_names(&self) -> impl Iterator<Item = &str> {
        self.bodies.iter().map(|b| b.name.as_str())
    }

    /// Names of the joints, then of the springs, then of the gears: the order of [`crate::StepRecord::joints`].
    pub fn joint_names(&self) -> impl Iterator<Item = &str> {
        let joints = self.joints.iter().map(|j| j.name.as_str());
        let springs = self.springs.iter().map(|s| s.name.as_str());
        let gears = self.gears.iter().map(|g| g.name.as_str());
        joints.chain(springs).chain(gears)
    }

    /// How many of them are joints, springs and gears.
    #[must_use]
    pub const fn joint_kinds(&self) -> [usize; 3] {
        [self.joints.len(), self.springs.len(), self.gears.len()]
    }

    /// How many records of joints, springs and gears a step has.
    #[must_use]
    pub const fn joint_count(&self) -> usize {
        self.joints.len() + self.springs.len() + self.gears.len()
    }

    /// The two ends of every joint and of every spring that is taken implicitly, and a body of each joint of a gear: bodies that
    /// move together.
    pub fn joined(&self) -> impl Iterator<Item = [Option<usize>; 2]> {
        let joints = self.joints.iter().map(|j| j.bodies);
        let springs = self.springs.iter().filter(|s| !s.explicit);
        let springs = springs.map(|s| s.bodies(&self.joints));
        let gears = self.gears.iter().map(|g| g.bodies(&self.joints));
        joints.chain(springs).chain(gears)
    }
}

impl Body {
    /// A body that moves freely.
    #[must_use]
    pub fn free(name: impl Into<String>, shape: Shape, mass: MassProperties) -> Self {
        Self {
            name: name.into(),
            shape,
            inverse_inertia: if mass.inertia == DMat3::ZERO {
                DMat3::ZERO
            } else {
                mass.inertia.inverse()
            },
            mass: Some(mass),
            groups: 0,
            ghost: false,
            grain: None,
            colour: None,
        }
    }

    /// A body whose motion is given.
    #[must_use]
    pub fn prescribed(name: impl Into<String>, shape: Shape) -> Self {
        Self {
            name: name.into(),
            shape,
            mass: None,
            inverse_inertia: DMat3::ZERO,
            groups: 0,
            ghost: false,
            grain: None,
            colour: None,
        }
    }

    /// Does the body obey Newton's law (and not a prescribed motion)?
    #[must_use]
    pub const fn is_free(&self) -> bool {
        self.mass.is_some()
    }
}

/// Numbers of names that are of several kinds, so many of each: kind by kind in the order of the names.
#[must_use]
pub fn by_name(names: &[impl Ord], kinds: [usize; 3]) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..names.len()).collect();
    let mut rest = numbers.as_mut_slice();
    for count in kinds {
        let (kind, others) = rest.split_at_mut(count.min(rest.len()));
        kind.sort_by_key(|&k| &names[k]);
        rest = others;
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_found_by_name_whether_or_not_names_are_sorted() {
        let body = |name: &str| Body::prescribed(name, Shape::Ball { radius: 1.0 });
        let mut model = Model {
            bodies: ["c", "a", "b"].map(body).to_vec(),
            ..Model::default()
        };
        for _ in 0..2 {
            let found = ["a", "b", "c", "d"].map(|name| model.index(name));
            assert_eq!(found, [Some(1), Some(2), Some(0), None]);
            assert_eq!(model.bodies_by_name(), [1, 2, 0]);
            model.sort_names();
            assert_eq!(model.named, [1, 2, 0]);
        }
        model.bodies.push(body("d"));
        assert_eq!(model.index("d"), Some(3), "not sorted in yet");
        model.sort_names();
        assert_eq!(model.index("d"), Some(3));
    }
}
