//! The shapes, and the two questions every convex shape answers: its support and its extent.

use crate::compound::{Compound, Piece};
use crate::mesh::{Facet, Mesh};
use crate::narrow_phase::triangle::closest_point;
use crate::pose::Pose;
use glam::DVec3;
use std::sync::Arc;

/// A shape in its body's frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// The solid n·x ≤ offset: its surface is the plane, its outward normal n. Fixed or prescribed
    /// bodies only.
    HalfSpace {
        /// Unit outward normal.
        normal: DVec3,
        /// Distance of the plane from the body's origin along the normal, m.
        offset: f64,
    },
    /// A ball about the body's origin.
    Ball {
        /// Radius, m.
        radius: f64,
    },
    /// A box about the body's origin, along the body's axes.
    Box {
        /// Half of each edge, m.
        half: DVec3,
    },
    /// Convex pieces that move as one.
    Compound(Arc<Compound>),
    /// A surface of triangles.
    Mesh(Arc<Mesh>),
    /// One triangle of a mesh: a convex piece without thickness.
    Triangle(Facet),
}

/// A shape that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A length that must be positive and finite is not.
    #[error("{what} must be a positive finite length, got {value}")]
    Length {
        /// Which length.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// A direction of length zero, or not finite.
    #[error("{what} must be a nonzero finite vector, got {value}")]
    Direction {
        /// Which direction.
        what: &'static str,
        /// What was given.
        value: DVec3,
    },
    /// A compound without pieces.
    #[error("a compound needs at least one piece")]
    Empty,
    /// A piece that a compound cannot have.
    #[error(
        "piece {number} of the compound must be a convex shape of finite size, at a finite place"
    )]
    Piece {
        /// Which, from 0.
        number: usize,
    },
    /// A number that must be finite is not.
    #[error("{what} must be finite, got {value}")]
    NotFinite {
        /// Which number.
        what: &'static str,
        /// What was given.
        value: f64,
    },
}

fn positive(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(ShapeError::Length { what, value })
    }
}

impl Shape {
    /// The half-space normal·x ≤ offset (the free space is normal·x ≥ offset).
    ///
    /// # Errors
    /// A normal that is zero or not finite, an offset that is not finite.
    pub fn half_space(normal: DVec3, offset: f64) -> Result<Self, ShapeError> {
        let unit = normal.try_normalize().ok_or(ShapeError::Direction {
            what: "half-space normal",
            value: normal,
        })?;
        if !offset.is_finite() {
            return Err(ShapeError::NotFinite {
                what: "half-space offset",
                value: offset,
            });
        }
        Ok(Self::HalfSpace {
            normal: unit,
            offset,
        })
    }

    /// A ball.
    ///
    /// # Errors
    /// A radius that is not positive and finite.
    pub fn ball(radius: f64) -> Result<Self, ShapeError> {
        Ok(Self::Ball {
            radius: positive("ball radius", radius)?,
        })
    }

    /// A box with the given edge lengths.
    ///
    /// # Errors
    /// An edge that is not positive and finite.
    pub fn cuboid(size: DVec3) -> Result<Self, ShapeError> {
        for edge in size.to_array() {
            positive("box edge", edge)?;
        }
        Ok(Self::Box { half: size * 0.5 })
    }

    /// Convex pieces that move as one.
    ///
    /// # Errors
    /// No piece, one that is not convex or has no end, a place that is not finite.
    pub fn compound(pieces: impl IntoIterator<Item = Piece>) -> Result<Self, ShapeError> {
        Ok(Self::Compound(Arc::new(Compound::new(pieces)?)))
    }

    /// max of d·x over the shape at `pose`, for a unit world direction d; infinite for a half-space
    /// in any direction but its normal.
    #[must_use]
    pub fn support(&self, pose: &Pose, d: DVec3) -> f64 {
        match self {
            Self::HalfSpace { normal, offset } => {
                let n = pose.orientation * *normal;
                // Equal to rounding, or the half-space reaches to infinity that way.
                if (n - d).length() < 1e-12 {
                    d.dot(pose.position) + offset
                } else {
                    f64::INFINITY
                }
            }
            Self::Ball { radius } => d.dot(pose.position) + radius,
            Self::Box { half } => {
                let local = pose.orientation.conjugate() * d;
                d.dot(pose.position) + local.abs().dot(*half)
            }
            Self::Mesh(mesh) => farthest(mesh.vertices(), pose, d),
            Self::Triangle(facet) => farthest(&facet.points(), pose, d),
            Self::Compound(c) => {
                let each = |p: &Piece| p.shape.support(&pose.then(&p.pose), d);
                c.pieces()
                    .iter()
                    .map(each)
                    .fold(f64::NEG_INFINITY, f64::max)
            }
        }
    }

    /// Radius of the smallest ball about the body's origin that holds the shape, m; infinite for a
    /// half-space.
    #[must_use]
    pub fn radius(&self) -> f64 {
        match self {
            Self::HalfSpace { .. } => f64::INFINITY,
            Self::Ball { radius } => *radius,
            Self::Box { half } => half.length(),
            Self::Compound(c) => c.radius(),
            Self::Mesh(mesh) => mesh.radius(),
            Self::Triangle(facet) => farthest_from_origin(&facet.points()),
        }
    }

    /// Half of the shape's smallest width, m; infinite for a half-space, and for a surface, which has none: what
    /// meets it must not pass within one look.
    #[must_use]
    pub fn thickness(&self) -> f64 {
        match self {
            Self::HalfSpace { .. } => f64::INFINITY,
            Self::Ball { radius } => *radius,
            Self::Box { half } => half.min_element(),
            Self::Compound(c) => c.thickness(),
            Self::Mesh(_) | Self::Triangle(_) => f64::INFINITY,
        }
    }

    /// Signed distance from a world point to the shape: exact outside, and inside the depth below the
    /// nearest face. A surface has no inside.
    #[must_use]
    pub fn distance(&self, pose: &Pose, point: DVec3) -> f64 {
        match self {
            Self::HalfSpace { normal, offset } => normal.dot(pose.to_body(point)) - offset,
            Self::Ball { radius } => (point - pose.position).length() - radius,
            Self::Box { half } => {
                let excess = pose.to_body(point).abs() - *half;
                excess.max(DVec3::ZERO).length() + excess.max_element().min(0.0)
            }
            Self::Triangle(facet) => {
                let x = pose.to_body(point);
                (x - closest_point(facet.points(), x)).length()
            }
            Self::Mesh(mesh) => {
                let x = pose.to_body(point);
                let corners = |t: &[u32; 3]| t.map(|v| mesh.vertices()[v as usize]);
                let each = |t: &[u32; 3]| (x - closest_point(corners(t), x)).length();
                mesh.triangles()
                    .iter()
                    .map(each)
                    .fold(f64::INFINITY, f64::min)
            }
            Self::Compound(c) => {
                let each = |p: &Piece| p.shape.distance(&pose.then(&p.pose), point);
                c.pieces().iter().map(each).fold(f64::INFINITY, f64::min)
            }
        }
    }
}

fn farthest(points: &[DVec3], pose: &Pose, d: DVec3) -> f64 {
    let local = pose.orientation.conjugate() * d;
    let each = points.iter().map(|p| local.dot(*p));
    d.dot(pose.position) + each.fold(f64::NEG_INFINITY, f64::max)
}

fn farthest_from_origin(points: &[DVec3]) -> f64 {
    points.iter().map(|p| p.length()).fold(0.0, f64::max)
}

/// Corner `k` (bits: x, y, z; a set bit is the positive side) of a box.
#[must_use]
pub(crate) fn corner(half: DVec3, k: usize) -> DVec3 {
    let side = |bit: usize, x: f64| if k >> bit & 1 == 1 { x } else { -x };
    DVec3::new(side(0, half.x), side(1, half.y), side(2, half.z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::exp;

    #[test]
    fn support_of_a_box_is_its_farthest_corner() {
        let half = DVec3::new(0.3, 0.5, 0.2);
        let pose = Pose {
            position: DVec3::new(1.0, -2.0, 0.5),
            orientation: exp(DVec3::new(0.4, -0.9, 1.3)),
        };
        let shape = Shape::Box { half };
        for d in [DVec3::X, DVec3::new(0.48, -0.64, 0.6), -DVec3::Z] {
            let brute = (0..8)
                .map(|k| d.dot(pose.to_world(corner(half, k))))
                .fold(f64::NEG_INFINITY, f64::max);
            assert!((shape.support(&pose, d) - brute).abs() < 1e-15);
        }
    }

    #[test]
    fn distance_to_a_box_by_region() {
        let shape = Shape::Box {
            half: DVec3::new(1.0, 2.0, 3.0),
        };
        let at = |x, y, z| shape.distance(&Pose::IDENTITY, DVec3::new(x, y, z));
        assert_eq!(at(2.0, 0.0, 0.0), 1.0);
        assert_eq!(at(4.0, 6.0, 0.0), 5.0);
        assert_eq!(at(0.9, 0.0, 0.0), 0.9 - 1.0);
        assert_eq!(at(0.0, 0.0, 0.0), -1.0);
    }

    #[test]
    fn shapes_that_cannot_be_are_refused() {
        assert!(Shape::ball(0.0).is_err());
        assert!(Shape::ball(f64::NAN).is_err());
        assert!(Shape::cuboid(DVec3::new(1.0, -1.0, 1.0)).is_err());
        assert!(Shape::half_space(DVec3::ZERO, 0.0).is_err());
        assert!(Shape::half_space(DVec3::Z, f64::INFINITY).is_err());
    }
}
