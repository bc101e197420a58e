//! A convex shape in the world, as the list of its features: points, lines, circles, faces, and a cone's side.
//!
//! Every convex shape here is made of few kinds of them. A ball is a point and a capsule a segment, rounded by
//! a radius; a cylinder has two circles (its rims), two faces, and a line (its axis) that stands for its side;
//! a cone has a circle, a face, a point (its apex) and its side.

use crate::frame::contact_frame;
use crate::pose::Pose;
use crate::shape::{Shape, corner};
use glam::{DMat3, DVec3};

/// A shape at a pose; positions are measured from an origin common to the shapes compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<'a> {
    pub(crate) shape: &'a Shape,
    /// Body to world.
    pub(crate) turn: DMat3,
    /// Origin of the body frame.
    pub(crate) centre: DVec3,
}

/// The side of a cone: its normals n have n·axis = sin, its lines run through the apex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub(crate) apex: DVec3,
    pub(crate) axis: DVec3,
    pub(crate) sin: f64,
    pub(crate) cos: f64,
}

/// A circle about `axis`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circle {
    pub(crate) centre: DVec3,
    pub(crate) axis: DVec3,
    pub(crate) radius: f64,
    /// The rim is its shape's farthest part along n where n·axis is this at least.
    pub(crate) least: f64,
}

/// Vertex numbers of a box's twelve edges: four along x, then y, then z.
pub(crate) const BOX_EDGES: [(usize, usize); 12] = [
    (0, 1),
    (2, 3),
    (4, 5),
    (6, 7),
    (0, 2),
    (1, 3),
    (4, 6),
    (5, 7),
    (0, 4),
    (1, 5),
    (2, 6),
    (3, 7),
];

/// Vertex numbers of a triangle's edges.
pub(crate) const TRIANGLE_EDGES: [(usize, usize); 3] = [(0, 1), (1, 2), (2, 0)];

impl<'a> Placed<'a> {
    pub(crate) fn new(shape: &'a Shape, pose: &Pose, origin: DVec3) -> Self {
        Self {
            shape,
            turn: pose.rotation(),
            centre: pose.position - origin,
        }
    }

    /// max of d·x.
    pub(crate) fn reach(&self, d: DVec3) -> f64 {
        d.dot(self.centre) + self.shape.reach(self.turn.transpose() * d)
    }

    pub(crate) fn world_of(&self, local: DVec3) -> DVec3 {
        self.centre + self.turn * local
    }

    pub(crate) fn local_of(&self, point: DVec3) -> DVec3 {
        self.turn.transpose() * (point - self.centre)
    }

    /// A point of the shape farthest along the unit direction d.
    pub(crate) fn farthest(&self, d: DVec3) -> DVec3 {
        let circles = (0..self.n_circles()).map(|k| self.circle(k).farthest(d));
        let points = (0..self.n_points()).map(|k| self.point(k) + d * self.rounding());
        let farther = |best: DVec3, p: DVec3| if d.dot(p) > d.dot(best) { p } else { best };
        circles.chain(points).reduce(farther).unwrap_or(self.centre)
    }

    /// Radius by which every feature is rounded, m.
    pub(crate) fn rounding(&self) -> f64 {
        match self.shape {
            Shape::Ball { radius } | Shape::Capsule { radius, .. } => *radius,
            _ => 0.0,
        }
    }

    /// Radius of the side about the line: a cylinder's.
    pub(crate) fn girth(&self) -> f64 {
        match self.shape {
            Shape::Cylinder { radius, .. } => *radius,
            _ => 0.0,
        }
    }

    /// Where its surface lies foremost along the unit direction n over `core`, a place on the line of a round body (the axis of
    /// a cylinder or capsule) or a ball's centre; where it has no round surface, `core` itself.
    ///
    /// This is the one definition of a surface point of a row: first the place on the axis, then the row's own normal, then the
    /// surface along that normal. Taken along another normal, off by δ, the body reaches r (1 − cos δ) beyond the row.
    pub(crate) fn surface_over(&self, core: DVec3, n: DVec3) -> DVec3 {
        let radius = self.girth();
        if radius == 0.0 {
            return core + n * self.rounding();
        }
        let axis = self.turn.z_axis;
        let flat = |d: DVec3| (d - axis * axis.dot(d)).try_normalize();
        // Twice, since what is left of a direction near the axis is not across it to rounding.
        flat(n)
            .and_then(flat)
            .map_or(core, |out| core + out * radius)
    }

    /// Has it rims and a round side?
    pub(crate) fn is_round(&self) -> bool {
        matches!(self.shape, Shape::Cylinder { .. } | Shape::Cone { .. })
    }

    pub(crate) fn n_points(&self) -> usize {
        match self.shape {
            // A body of several pieces is looked at piece by piece.
            Shape::HalfSpace { .. }
            | Shape::Cylinder { .. }
            | Shape::Compound(_)
            | Shape::Mesh(_) => 0,
            Shape::Triangle(_) => 3,
            Shape::Ball { .. } | Shape::Cone { .. } => 1,
            Shape::Capsule { .. } => 2,
            Shape::Box { .. } => 8,
            Shape::Hull(hull) => hull.vertices().len(),
            Shape::Points { points, .. } => points.len(),
        }
    }

    pub(crate) fn point(&self, k: usize) -> DVec3 {
        self.world_of(self.local_point(k))
    }

    fn local_point(&self, k: usize) -> DVec3 {
        match self.shape {
            Shape::Cone { length, .. } => DVec3::Z * (0.75 * length),
            Shape::Capsule { half, .. } => DVec3::Z * if k == 0 { -half } else { *half },
            Shape::Box { half } => corner(*half, k),
            Shape::Hull(hull) => hull.vertices()[k],
            Shape::Triangle(facet) => facet.points()[k],
            Shape::Points { points, .. } => points[k],
            _ => DVec3::ZERO,
        }
    }

    pub(crate) fn n_lines(&self) -> usize {
        match self.shape {
            Shape::HalfSpace { .. }
            | Shape::Ball { .. }
            | Shape::Cone { .. }
            | Shape::Compound(_)
            | Shape::Mesh(_)
            | Shape::Points { .. } => 0,
            Shape::Triangle(_) => 3,
            Shape::Capsule { .. } | Shape::Cylinder { .. } => 1,
            Shape::Box { .. } => 12,
            Shape::Hull(hull) => hull.edges().len(),
        }
    }

    /// Ends of a line.
    pub(crate) fn line(&self, k: usize) -> [DVec3; 2] {
        self.local_line(k).map(|p| self.world_of(p))
    }

    /// Ends of a line in the shape's own frame.
    pub(crate) fn local_line(&self, k: usize) -> [DVec3; 2] {
        match self.shape {
            Shape::Box { .. } => [BOX_EDGES[k].0, BOX_EDGES[k].1].map(|v| self.local_point(v)),
            Shape::Hull(hull) => hull.edges()[k].vertices.map(|v| self.local_point(v)),
            Shape::Triangle(_) => {
                [TRIANGLE_EDGES[k].0, TRIANGLE_EDGES[k].1].map(|v| self.local_point(v))
            }
            Shape::Capsule { half, .. } | Shape::Cylinder { half, .. } => {
                [-half, *half].map(|z| DVec3::Z * z)
            }
            _ => [DVec3::ZERO; 2],
        }
    }

    /// Numbers of a line's ends among the points; `None` for a cylinder's axis, whose ends are inside.
    pub(crate) fn line_ends(&self, k: usize) -> Option<[usize; 2]> {
        match self.shape {
            Shape::Box { .. } => Some([BOX_EDGES[k].0, BOX_EDGES[k].1]),
            Shape::Hull(hull) => Some(hull.edges()[k].vertices),
            Shape::Triangle(_) => Some([TRIANGLE_EDGES[k].0, TRIANGLE_EDGES[k].1]),
            Shape::Capsule { .. } => Some([0, 1]),
            _ => None,
        }
    }

    /// Normals of the two faces at a line, where it is an edge between faces; in the shape's own frame.
    pub(crate) fn arc(&self, k: usize) -> Option<[DVec3; 2]> {
        match self.shape {
            Shape::Box { .. } => {
                let (along, place) = (k / 4, k % 4);
                let (low, high) = match along {
                    0 => (1, 2),
                    1 => (0, 2),
                    _ => (0, 1),
                };
                let side =
                    |axis: usize, upper: bool| DVec3::AXES[axis] * if upper { 1.0 } else { -1.0 };
                Some([side(low, place & 1 == 1), side(high, place & 2 == 2)])
            }
            Shape::Hull(hull) => Some(hull.edges()[k].faces.map(|f| hull.faces()[f].normal)),
            // From one side of the sheet over its border to the other: the middle of the arc tells which way.
            Shape::Triangle(facet) => {
                let points = facet.points();
                let (p, q) = TRIANGLE_EDGES[k];
                let n = facet.normal();
                let out = (points[q] - points[p]).cross(n).try_normalize()?;
                let lean = 1e-7 * out;
                Some([n + lean, -n + lean])
            }
            _ => None,
        }
    }

    pub(crate) fn n_faces(&self) -> usize {
        match self.shape {
            Shape::Cone { .. } => 1,
            Shape::Cylinder { .. } => 2,
            Shape::Box { .. } => 6,
            Shape::Hull(hull) => hull.faces().len(),
            Shape::Triangle(_) => 2,
            _ => 0,
        }
    }

    /// Outward normal of a face. Faces of a box: two for each axis, the lower side first.
    pub(crate) fn face(&self, k: usize) -> DVec3 {
        let side = |k: usize| if k.is_multiple_of(2) { -1.0 } else { 1.0 };
        match self.shape {
            Shape::Box { .. } => self.turn.col(k / 2) * side(k),
            Shape::Hull(hull) => self.turn * hull.faces()[k].normal,
            Shape::Triangle(facet) => self.turn * facet.normal() * -side(k),
            _ => self.turn.z_axis * side(k),
        }
    }

    pub(crate) fn n_circles(&self) -> usize {
        match self.shape {
            Shape::Cone { .. } => 1,
            Shape::Cylinder { .. } => 2,
            _ => 0,
        }
    }

    /// A rim; the axis points out of its face.
    pub(crate) fn circle(&self, k: usize) -> Circle {
        let (radius, z) = match self.shape {
            Shape::Cone { radius, length } => (*radius, -0.25 * length),
            Shape::Cylinder { radius, half } => (*radius, if k == 0 { -half } else { *half }),
            _ => (0.0, 0.0),
        };
        Circle {
            centre: self.world_of(DVec3::Z * z),
            axis: self.turn.z_axis * if z < 0.0 { -1.0 } else { 1.0 },
            radius,
            least: self.side().map_or(0.0, |side| -side.sin),
        }
    }

    /// The circle of its round side through, or about, the place `core` at the fraction `t` of its line; `None` where there is none.
    pub(crate) fn circle_at(&self, core: DVec3, t: f64) -> Option<Circle> {
        let circle = (self.n_circles() > 0).then(|| self.circle(0))?;
        let (centre, radius) = match self.shape {
            Shape::Cone { .. } => (
                circle.centre.lerp(self.point(0), t),
                circle.radius * (1.0 - t),
            ),
            _ => (core, circle.radius),
        };
        (radius > 0.0).then_some(Circle {
            centre,
            radius,
            ..circle
        })
    }

    /// The line of a cone's side farthest along n: from its rim to its apex.
    pub(crate) fn slope(&self, n: DVec3) -> Option<[DVec3; 2]> {
        matches!(self.shape, Shape::Cone { .. })
            .then(|| [self.circle(0).farthest(n), self.point(0)])
    }

    pub(crate) fn side(&self) -> Option<Side> {
        let Shape::Cone { radius, length } = self.shape else {
            return None;
        };
        let slant = (radius * radius + length * length).sqrt();
        Some(Side {
            apex: self.point(0),
            axis: self.turn.z_axis,
            sin: radius / slant,
            cos: length / slant,
        })
    }
}

impl Circle {
    /// The point of the circle farthest along `d`; where all are, any.
    pub(crate) fn farthest(&self, d: DVec3) -> DVec3 {
        let flat = |d: DVec3| (d - self.axis * self.axis.dot(d)).try_normalize();
        // Twice, since what is left of a direction near the axis is not across it to rounding.
        let out = flat(d)
            .and_then(flat)
            .unwrap_or_else(|| contact_frame(self.axis)[1]);
        self.centre + out * self.radius
    }
}
