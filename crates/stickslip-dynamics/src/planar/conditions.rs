//! What makes a body planar, and why one is not.

use glam::DVec3;
use stickslip_geometry::Twist;
use stickslip_model::Wrench;

/// Why a body is no planar problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPlanar {
    /// Its motion is prescribed.
    #[error("its motion is prescribed")]
    Prescribed,
    /// A joint or a spring holds it.
    #[error("a joint or a spring holds it")]
    Joined,
    /// It touches nothing.
    #[error("it touches nothing")]
    NoContact,
    /// It touches another free body, or one that moves.
    #[error("it touches \"{0}\", which moves")]
    MovingNeighbour(String),
    /// Something sticks out of the plane.
    #[error("{0} is not in one plane with the contact normals")]
    OutOfPlane(&'static str),
    /// The contact's features have no planar meaning.
    #[error("its contact with \"{0}\" is no vertex on an edge in the plane")]
    NoVertex(String),
    /// A force could not be evaluated.
    #[error("the force on it is not finite")]
    Force,
}

impl NotPlanar {
    /// The reason without names, for counting.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Prescribed => "motion prescribed",
            Self::Joined => "held by a joint or a spring",
            Self::NoContact => "no contact",
            Self::MovingNeighbour(_) => "touching a body that moves",
            Self::OutOfPlane(_) => "not in one plane",
            Self::NoVertex(_) => "a contact that is no vertex on an edge in the plane",
            Self::Force => "a force that is not finite",
        }
    }
}

/// Directions that deviate less than this the plane (or its normal) lie in it.
pub(super) const FLAT: f64 = 1e-7;

/// Velocity, forces and a principal axis of the inertia must keep the motion in the plane across `z`.
pub(super) fn stays_in_plane(
    nu: &Twist,
    wrench: &Wrench,
    inertia: DVec3,
    z: DVec3,
) -> Result<(), NotPlanar> {
    let about = |v: DVec3| (v - z * z.dot(v)).length();
    for (what, out, size) in [
        (
            "its velocity",
            z.dot(nu.linear).abs(),
            nu.linear.length().max(1.0),
        ),
        (
            "its angular velocity",
            about(nu.angular),
            nu.angular.length().max(1.0),
        ),
        (
            "the applied force",
            z.dot(wrench.force).abs(),
            wrench.force.length(),
        ),
        (
            "the applied torque",
            about(wrench.torque),
            wrench.torque.length(),
        ),
        (
            "a principal axis of its inertia",
            about(inertia),
            inertia.length(),
        ),
    ] {
        if out > FLAT * size {
            return Err(NotPlanar::OutOfPlane(what));
        }
    }
    Ok(())
}
