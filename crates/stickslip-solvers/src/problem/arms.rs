//! How a block acts on bodies: its columns of W, an arm for each body.

use glam::DVec3;

use super::step::{InverseMass, Twist};

/// What the impulses of an arm are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Action {
    /// Forces at a point: the unit impulse d is the wrench (d, r × d).
    #[default]
    Force,
    /// Pure torques: the unit impulse d is the wrench (0, d), whatever the lever.
    Torque,
    /// One number only, as of a row that couples two joints: an impulse along x is this wrench, whatever the lever, and those along y and
    /// z do nothing. The block's frame is the world's axes.
    Row {
        /// Force part, of the unit impulse.
        force: DVec3,
        /// Torque part about the centre of mass.
        torque: DVec3,
    },
}

/// How one contact acts on one body: columns of W for that body.
///
/// `lever` is r = (contact point − centre of mass), `sign` is +1 on the body the normal points to,
/// −1 on the other. A unit impulse d (a world direction) on the contact changes the body's momentum
/// by sign·(d, r × d); the contact's relative velocity along d is Σ sign·d·(v + ω × r). An arm that
/// acts by a torque has sign·(0, d) and Σ sign·d·ω.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arm {
    /// Index of the free body.
    pub body: usize,
    /// From the centre of mass to the contact point, m.
    pub lever: DVec3,
    /// +1 or −1.
    pub sign: f64,
    /// Force at the point, or torque.
    pub action: Action,
}

impl Arm {
    /// The wrench (force part, torque part) of the impulse `p` (world frame) on this body.
    #[must_use]
    #[inline]
    pub fn wrench(&self, p: DVec3) -> (DVec3, DVec3) {
        let p = p * self.sign;
        match self.action {
            Action::Force => (p, self.lever.cross(p)),
            Action::Torque => (DVec3::ZERO, p),
            Action::Row { force, torque } => (force * p.x, torque * p.x),
        }
    }

    /// Change of the body's velocity by the impulse `p` (world frame, N s) on the contact.
    #[must_use]
    #[inline]
    pub fn response(&self, inverse: &InverseMass, p: DVec3) -> Twist {
        let (force, torque) = self.wrench(p);
        Twist {
            linear: force * inverse.mass,
            angular: inverse.inertia * torque,
        }
    }

    /// This body's share of the contact's relative velocity, world frame, m/s (rad/s for a torque).
    #[must_use]
    #[inline]
    pub fn velocity(&self, nu: &Twist) -> DVec3 {
        match self.action {
            Action::Force => (nu.linear + nu.angular.cross(self.lever)) * self.sign,
            Action::Torque => nu.angular * self.sign,
            Action::Row { force, torque } => {
                DVec3::X * ((force.dot(nu.linear) + torque.dot(nu.angular)) * self.sign)
            }
        }
    }
}

/// The arms of a block: two at most of a contact or a joint, up to four of a row that couples two joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Arms(Held);

/// Few blocks have more than two arms: those two lie in the block itself, and all are one slice either way.
#[derive(Clone, Debug, PartialEq)]
enum Held {
    Here([Option<Arm>; 2]),
    Elsewhere(Box<[Option<Arm>; Arms::MOST]>),
}

impl Arms {
    /// Most arms of a block.
    pub const MOST: usize = 4;

    /// Up to four arms.
    #[must_use]
    pub fn four(arms: [Option<Arm>; Self::MOST]) -> Self {
        Self(match arms {
            [a, b, None, None] => Held::Here([a, b]),
            all => Held::Elsewhere(Box::new(all)),
        })
    }

    /// All of them, absent ones as `None`.
    #[inline]
    pub fn iter(&self) -> std::slice::Iter<'_, Option<Arm>> {
        match &self.0 {
            Held::Here(arms) => arms.iter(),
            Held::Elsewhere(arms) => arms.iter(),
        }
    }

    /// All of them, to be changed.
    #[inline]
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Option<Arm>> {
        match &mut self.0 {
            Held::Here(arms) => arms.iter_mut(),
            Held::Elsewhere(arms) => arms.iter_mut(),
        }
    }
}

impl Default for Arms {
    fn default() -> Self {
        [None; 2].into()
    }
}

impl From<[Option<Arm>; 2]> for Arms {
    fn from(arms: [Option<Arm>; 2]) -> Self {
        Self(Held::Here(arms))
    }
}

impl std::ops::Index<usize> for Arms {
    type Output = Option<Arm>;

    fn index(&self, k: usize) -> &Option<Arm> {
        match &self.0 {
            Held::Here(arms) => &arms[k],
            Held::Elsewhere(arms) => &arms[k],
        }
    }
}

impl std::ops::IndexMut<usize> for Arms {
    fn index_mut(&mut self, k: usize) -> &mut Option<Arm> {
        match &mut self.0 {
            Held::Here(arms) => &mut arms[k],
            Held::Elsewhere(arms) => &mut arms[k],
        }
    }
}
