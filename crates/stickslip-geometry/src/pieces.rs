//! A body as convex pieces: one for a convex shape, several for a compound, a triangle each for a surface.
//!
//! Contact is a matter of convex pieces: each pair of pieces has its own separating direction, so that a body
//! over a crack between two pieces is held by the top of the one and not by the wall of the other.

use crate::broad_phase::Bounds;
use crate::mesh::Facet;
use crate::narrow_phase::Moving;
use crate::pose::Pose;
use crate::shape::Shape;
use glam::DVec3;
use std::borrow::Cow;

/// Where the other body's way leads: a box, or everything below a plane n·x = offset.
#[derive(Clone, Copy, Debug)]
enum Region {
    Box(Bounds),
    Below(DVec3, f64),
}

impl Region {
    /// Around the way of a body.
    fn of(body: &Moving<'_>, touch: f64) -> Self {
        let Shape::HalfSpace { normal, offset } = body.shape else {
            return Self::Box(body.bounds(touch));
        };
        // A half-space that turns reaches anywhere.
        if body.start.orientation != body.end.orientation {
            return Self::Box(body.bounds(touch));
        }
        let n = body.start.orientation * *normal;
        let height = |pose: &Pose| n.dot(pose.position) + offset;
        Self::Below(n, height(&body.start).max(height(&body.end)))
    }

    fn meets(&self, bounds: &Bounds) -> bool {
        match self {
            Self::Box(region) => region.meets(bounds),
            Self::Below(n, offset) => {
                let lowest = DVec3::select(n.cmpge(DVec3::ZERO), bounds.min, bounds.max);
                n.dot(lowest) <= *offset
            }
        }
    }

    fn grown(&self, margin: f64) -> Self {
        match self {
            Self::Box(region) => Self::Box(region.grown(margin)),
            Self::Below(n, offset) => Self::Below(*n, offset + margin),
        }
    }
}

impl Shape {
    /// Is it one convex piece?
    #[must_use]
    pub const fn is_convex(&self) -> bool {
        !matches!(self, Self::Compound(_) | Self::Mesh(_))
    }

    /// Number of convex pieces.
    #[must_use]
    pub fn piece_count(&self) -> usize {
        match self {
            Self::Compound(c) => c.pieces().len(),
            Self::Mesh(mesh) => mesh.triangles().len(),
            _ => 1,
        }
    }

    /// Piece `k` and its place in the body's frame; `None` beyond the last.
    #[must_use]
    pub fn piece(&self, k: u32) -> Option<(Cow<'_, Self>, Pose)> {
        match self {
            Self::Compound(c) => {
                let piece = c.pieces().get(k as usize)?;
                Some((Cow::Borrowed(&piece.shape), piece.pose))
            }
            Self::Mesh(mesh) => {
                let facet = Facet::new(mesh, k)?;
                Some((Cow::Owned(Self::Triangle(facet)), Pose::IDENTITY))
            }
            _ => (k == 0).then_some((Cow::Borrowed(self), Pose::IDENTITY)),
        }
    }

    /// Calls `visit` with every piece, at `pose`, whose bounds there meet `region`, which is a box, or the space
    /// below a plane.
    fn pieces_in(&self, pose: &Pose, region: &Region, visit: &mut dyn FnMut(u32, &Self, &Pose)) {
        match self {
            Self::Compound(c) => {
                for (k, piece) in c.pieces().iter().enumerate() {
                    let there = pose.then(&piece.pose);
                    if region.meets(&Bounds::of(&piece.shape, &there)) {
                        visit(k as u32, &piece.shape, &piece.pose);
                    }
                }
            }
            Self::Mesh(mesh) => {
                let visit = &mut |k: u32| {
                    if let Some(facet) = Facet::new(mesh, k) {
                        visit(k, &Self::Triangle(facet), &Pose::IDENTITY);
                    }
                };
                match region {
                    Region::Box(bounds) => {
                        let local = bounds.seen_from(pose);
                        mesh.each_near(&|b| b.meets(&local), visit);
                    }
                    Region::Below(..) => {
                        mesh.each_near(&|b| region.meets(&b.placed(pose)), visit);
                    }
                }
            }
            _ => visit(0, self, &Pose::IDENTITY),
        }
    }
}

impl<'a> Moving<'a> {
    /// A piece of the body on the same way.
    #[must_use]
    pub fn piece<'p>(&self, shape: &'p Shape, local: &Pose) -> Moving<'p> {
        Moving {
            shape,
            start: self.start.then(local),
            pose: self.pose.then(local),
            end: self.end.then(local),
            arm: self.arm + local.position.length(),
        }
    }

    /// A box around the body's whole way, with room for half of its motion, and for `touch` times its size.
    #[must_use]
    pub fn bounds(&self, touch: f64) -> Bounds {
        let swept = Bounds::of(self.shape, &self.start).union(&Bounds::of(self.shape, &self.end));
        let motion = 0.5 * (self.end.position - self.start.position).length() + self.sweep();
        let touch = if self.shape.radius().is_finite() {
            touch * self.shape.radius()
        } else {
            0.0
        };
        swept.grown(motion + touch)
    }
}

/// Calls `visit` with every pair of convex pieces of the two bodies that may meet on their way, and with the
/// numbers of the pieces. For two convex bodies that is the pair itself. Pieces within `touch` times their size
/// count as meeting.
pub fn piece_pairs(
    a: &Moving<'_>,
    b: &Moving<'_>,
    touch: f64,
    visit: &mut dyn FnMut([u32; 2], &Moving<'_>, &Moving<'_>),
) {
    if a.shape.is_convex() && b.shape.is_convex() {
        return visit([0, 0], a, b);
    }
    let around_b = Region::of(b, touch);
    each_piece(a, &around_b, touch, &mut |i, piece_a| {
        let around_a = Region::of(piece_a, touch);
        each_piece(b, &around_a, touch, &mut |j, piece_b| {
            visit([i, j], piece_a, piece_b)
        });
    });
}

/// Calls `visit` with the pieces of a body whose way meets a region.
fn each_piece(
    body: &Moving<'_>,
    region: &Region,
    touch: f64,
    visit: &mut dyn FnMut(u32, &Moving<'_>),
) {
    if body.shape.is_convex() {
        return visit(0, body);
    }
    // Seen from the body, the region moves: as far as the body does.
    let shift = (body.end.position - body.start.position).length();
    let room = region.grown(1.5 * shift + body.sweep() + touch * body.shape.radius());
    body.shape
        .pieces_in(&body.start, &room, &mut |k, shape, local| {
            let piece = body.piece(shape, local);
            if region.meets(&piece.bounds(touch)) {
                visit(k, &piece);
            }
        });
}
