//! The shapes, and the two questions every convex shape answers: its support and its extent.

use crate::compound::{Compound, Piece};
use crate::hull::Hull;
use crate::mesh::{Facet, Mesh};
use crate::narrow_phase::triangle::closest_point;
use crate::pose::Pose;
use crate::round;
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
    /// A cylinder about the body's origin, its axis along z.
    Cylinder {
        /// Radius, m.
        radius: f64,
        /// Half of its length, m.
        half: f64,
    },
    /// A cone with its axis along z and its centre of mass at the body's origin: the base is at
    /// z = −length/4, the apex at z = 3 length/4.
    Cone {
        /// Radius of the base, m.
        radius: f64,
        /// From base to apex, m.
        length: f64,
    },
    /// All points within `radius` of a segment along z about the body's origin.
    Capsule {
        /// Radius, m.
        radius: f64,
        /// Half of the segment, m.
        half: f64,
    },
    /// The convex hull of points.
    Hull(Arc<Hull>),
    /// Points fixed to the body, and nothing between them: feet. They touch every shape but one another's.
    Points {
        /// In the body's frame, m; at least one.
        points: Vec<DVec3>,
        /// Of the smallest ball about the origin that holds them, m.
        radius: f64,
    },
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
    /// Points that span no volume, or too many of them.
    #[error("{0}")]
    Points(String),
    /// A number that must be finite is not.
    #[error("{what} must be finite, got {value}")]
    NotFinite {
        /// Which number.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// A set of points that is empty or larger than [`MAX_POINTS`].
    #[error("a shape of points has 1 to {MAX_POINTS} of them, got {0}")]
    PointCount(usize),
}

/// The most points of a shape.
pub const MAX_POINTS: usize = 65_536;

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

    /// A cylinder along z.
    ///
    /// # Errors
    /// A length that is not positive and finite.
    pub fn cylinder(radius: f64, length: f64) -> Result<Self, ShapeError> {
        Ok(Self::Cylinder {
            radius: positive("cylinder radius", radius)?,
            half: 0.5 * positive("cylinder length", length)?,
        })
    }

    /// A cone along z, its base below; the origin is its centre of mass, a quarter of its length above the base.
    ///
    /// # Errors
    /// A length that is not positive and finite.
    pub fn cone(radius: f64, length: f64) -> Result<Self, ShapeError> {
        Ok(Self::Cone {
            radius: positive("cone radius", radius)?,
            length: positive("cone length", length)?,
        })
    }

    /// A capsule along z; `length` is that of the segment, without the two round ends.
    ///
    /// # Errors
    /// A length that is not positive and finite.
    pub fn capsule(radius: f64, length: f64) -> Result<Self, ShapeError> {
        Ok(Self::Capsule {
            radius: positive("capsule radius", radius)?,
            half: 0.5 * positive("capsule length", length)?,
        })
    }

    /// The convex hull of points, which stay where they are in the body's frame.
    ///
    /// # Errors
    /// Points that are not finite, span no volume, or are too many.
    pub fn hull(points: &[DVec3]) -> Result<Self, ShapeError> {
        Ok(Self::Hull(Arc::new(Hull::new(points)?)))
    }

    /// Points fixed to the body: one at the origin is a particle, three are a tripod.
    ///
    /// # Errors
    /// No point, too many, or one that is not finite.
    pub fn points(points: Vec<DVec3>) -> Result<Self, ShapeError> {
        if points.is_empty() || points.len() > MAX_POINTS {
            return Err(ShapeError::PointCount(points.len()));
        }
        for value in points.iter().flat_map(|p| p.to_array()) {
            if !value.is_finite() {
                let what = "a point's coordinate";
                return Err(ShapeError::NotFinite { what, value });
            }
        }
        let radius = points.iter().map(|p| p.length()).fold(0.0, f64::max);
        Ok(Self::Points { points, radius })
    }

    /// A particle: one point, and no rotation.
    #[must_use]
    pub fn point() -> Self {
        Self::Points {
            points: vec![DVec3::ZERO],
            radius: 0.0,
        }
    }

    /// Is it a particle, which has no rotation and no inertia?
    #[must_use]
    pub fn is_particle(&self) -> bool {
        matches!(self, Self::Points { radius: 0.0, .. })
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
            _ => d.dot(pose.position) + self.reach(pose.orientation.conjugate() * d),
        }
    }

    /// max of d·x over the shape in its own frame.
    #[must_use]
    pub(crate) fn reach(&self, d: DVec3) -> f64 {
        match self {
            Self::HalfSpace { normal, offset } => {
                if (*normal - d).length() < 1e-12 {
                    *offset
                } else {
                    f64::INFINITY
                }
            }
            Self::Ball { radius } => *radius,
            Self::Box { half } => d.abs().dot(*half),
            Self::Cylinder { radius, half } => radius * across(d) + half * d.z.abs(),
            Self::Cone { radius, length } => {
                (0.75 * length * d.z).max(radius * across(d) - 0.25 * length * d.z)
            }
            Self::Capsule { radius, half } => half * d.z.abs() + radius,
            Self::Hull(hull) => hull.reach(d),
            Self::Mesh(mesh) => farthest(mesh.vertices(), d),
            Self::Triangle(facet) => farthest(&facet.points(), d),
            Self::Compound(c) => {
                let each = |p: &Piece| p.shape.support(&p.pose, d);
                (c.pieces().iter().map(each)).fold(f64::NEG_INFINITY, f64::max)
            }
            Self::Points { points, .. } => farthest(points, d),
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
            Self::Cylinder { radius, half } => (radius * radius + half * half).sqrt(),
            Self::Cone { radius, length } => {
                (0.75 * length).max((radius * radius + length * length / 16.0).sqrt())
            }
            Self::Capsule { radius, half } => radius + half,
            Self::Hull(hull) => hull.radius(),
            Self::Points { radius, .. } => *radius,
        }
    }

    /// Half of the shape's smallest width, m; infinite for a half-space. Nothing can pass through points: theirs
    /// is infinite too, and a surface's, through which what is
    /// thick enough cannot pass.
    #[must_use]
    pub fn thickness(&self) -> f64 {
        match self {
            Self::HalfSpace { .. } => f64::INFINITY,
            Self::Ball { radius } => *radius,
            Self::Box { half } => half.min_element(),
            Self::Compound(c) => c.thickness(),
            Self::Mesh(_) | Self::Triangle(_) => f64::INFINITY,
            Self::Cylinder { radius, half } => radius.min(*half),
            // The smallest width is the length, or across the base from rim to side.
            Self::Cone { radius, length } => {
                let slant = (radius * radius + length * length).sqrt();
                0.5 * length.min(2.0 * radius * length / slant)
            }
            Self::Capsule { radius, .. } => *radius,
            Self::Hull(hull) => hull.thickness(),
            Self::Points { .. } => f64::INFINITY,
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
            Self::Cylinder { radius, half } => {
                round::to_cylinder(pose.to_body(point), *radius, *half)
            }
            Self::Cone { radius, length } => round::to_cone(pose.to_body(point), *radius, *length),
            Self::Capsule { radius, half } => {
                let p = pose.to_body(point);
                (p - DVec3::Z * p.z.clamp(-half, *half)).length() - radius
            }
            Self::Hull(hull) => hull.distance(pose.to_body(point)),
            Self::Points { points, .. } => {
                let apart = points.iter().map(|p| (pose.to_world(*p) - point).length());
                apart.fold(f64::INFINITY, f64::min)
            }
        }
    }
}

fn farthest(points: &[DVec3], d: DVec3) -> f64 {
    (points.iter().map(|p| d.dot(*p))).fold(f64::NEG_INFINITY, f64::max)
}

fn farthest_from_origin(points: &[DVec3]) -> f64 {
    points.iter().map(|p| p.length()).fold(0.0, f64::max)
}

/// Length of the part of `d` across z.
pub(crate) fn across(d: DVec3) -> f64 {
    (d.x * d.x + d.y * d.y).sqrt()
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
        assert!(Shape::points(Vec::new()).is_err());
        assert!(Shape::points(vec![DVec3::NAN]).is_err());
    }
}
