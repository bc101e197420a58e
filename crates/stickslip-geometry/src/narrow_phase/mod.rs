//! Future contacts: the feature pairs of two bodies that may touch before the end of the step.
//!
//! Each gap is measured with free bodies where they are and prescribed bodies where they will be, so
//! that ψ/h + Wᵀν⁺ ≥ 0 keeps the pair apart at the end of the step. For two convex shapes one plane
//! that separates them is enough. Which plane: among the directions that separate the pair at the start
//! of the step, the one along which the predicted motion leaves them farthest apart at its end. A body
//! that flies past an edge is thus not stopped by the plane of a face it never reaches, and none can
//! pass through another, since the plane separates them now.

mod at_end;
mod ball;
mod conjunctive;
mod convex;
mod over;
mod plane;
mod points;
mod polytope;
mod rim;
pub(crate) mod triangle;

use crate::pose::Pose;
use crate::shape::Shape;
use glam::DVec3;

pub use at_end::{linear_gap, row_at_end};

/// What holds where the free space is not convex: at an edge or a corner of a convex piece, where more than one
/// of its faces could keep another body out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// 0 ≤ max(ψ₁ … ψ_n) ⟂ p_n ≥ 0: one face at most pushes, none where the motion passes by.
    #[default]
    MaxGap,
    /// 0 ≤ ψ_k ⟂ p_k ≥ 0 for every face k within reach, as older methods have it. It stops bodies where there
    /// is nothing; it is here for comparison.
    Conjunctive,
}

/// Which features of two shapes meet: identifies a contact from step to step (for warm starts), and
/// orders the contacts of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Feature(pub u32);

/// What meets what at a contact of two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corner {
    /// A vertex (or the round surface) of the first body on a face of the second.
    VertexOfA,
    /// A vertex (or the round surface) of the second body on a face of the first.
    VertexOfB,
    /// Two edges, each along the given axis of its box.
    Edges {
        /// Axis of the first body's edge.
        a: usize,
        /// Axis of the second body's edge.
        b: usize,
    },
    /// Something round.
    Other,
}

/// One place where two bodies may touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Which features.
    pub feature: Feature,
    /// Application point on both bodies, world, m. The gap's rate is n·(velocity of b − velocity of a)
    /// with both bodies' material velocity taken at this point.
    pub point: DVec3,
    /// Unit normal from a to b, world.
    pub normal: DVec3,
    /// Signed gap, m.
    pub gap: f64,
}

/// A body on its way through the step.
#[derive(Clone, Copy, Debug)]
pub struct Moving<'a> {
    /// Its shape.
    pub shape: &'a Shape,
    /// Pose at the start of the step.
    pub start: Pose,
    /// Pose at which gaps are measured: the start for a free body, the end for a prescribed one.
    pub pose: Pose,
    /// Predicted pose at the end of the step.
    pub end: Pose,
    /// Distance of its origin from the point about which its body turns, m: zero but for a piece of a body.
    pub arm: f64,
}

impl<'a> Moving<'a> {
    /// A whole free body from `start` to `end`.
    #[must_use]
    pub const fn free(shape: &'a Shape, start: Pose, end: Pose) -> Self {
        Self {
            shape,
            start,
            pose: start,
            end,
            arm: 0.0,
        }
    }
}

/// Rows of one feature pair whose normals differ by less than this (1 − cos, about 0.045 rad) are one.
const SAME_NORMAL: f64 = 1e-3;

/// Bodies within this fraction of their size touch: they are candidates while they move together.
pub const TOUCH: f64 = 1e-6;

impl Rule {
    /// Bodies within this fraction of their size have rows.
    #[must_use]
    pub const fn touch(self) -> f64 {
        match self {
            Self::MaxGap => TOUCH,
            Self::Conjunctive => 0.01,
        }
    }
}

impl Feature {
    const KIND: u32 = 24;
    const WHOSE: u32 = 20;

    /// A point of a body against the other body's solid.
    fn point(k: usize) -> Self {
        Self(1 << Self::KIND | k as u32)
    }

    /// A point of a body (a vertex, or a place on a rim) on a face of the other, or on a plane (face 0).
    fn point_on_face(face_on_a: bool, face: usize, point: usize) -> Self {
        Self(2 << Self::KIND | u32::from(face_on_a) << Self::WHOSE | (face << 10 | point) as u32)
    }

    /// The nearest points of two bodies, where neither shows a face.
    const NEAREST: Self = Self(3 << Self::KIND);

    /// The point of one body nearest to the supporting plane of the other.
    const LOWEST: Self = Self(3 << Self::KIND | 1);

    /// The crossing of two lines (eleven bits each).
    fn crossing(a: usize, b: usize) -> Self {
        Self(4 << Self::KIND | (a << 11 | b) as u32)
    }

    /// A line of one body over a side (of a box: an edge) of a face of the other.
    fn line_over_border(face_on_a: bool, line: usize, side: usize) -> Self {
        Self(5 << Self::KIND | u32::from(face_on_a) << Self::WHOSE | (line << 9 | side) as u32)
    }

    /// A rim of one body over side `side` of a face of the other, at one of two places.
    fn rim_over_border(face_on_a: bool, rim: usize, side: usize, which: usize) -> Self {
        let place = rim << 12 | side << 1 | which;
        Self(6 << Self::KIND | u32::from(face_on_a) << Self::WHOSE | place as u32)
    }

    /// An end (0, 1) or another place (2) of the line of one body over that of the other: line i of a, line j of b
    /// (eleven bits).
    fn end(end_of_b: bool, i: usize, j: usize, end: usize) -> Self {
        let kind = match end {
            2 => 11 + u32::from(end_of_b),
            _ => 7 + 2 * u32::from(end_of_b) + end as u32,
        };
        Self(kind << Self::KIND | (i << 12 | j) as u32)
    }

    /// The place that lies deepest at the end of a tried motion.
    const AT_END: Self = Self(13 << Self::KIND);

    /// Is it the place that lies deepest at the end of a tried motion?
    #[must_use]
    pub const fn is_of_the_end(self) -> bool {
        self.kind() == Self::AT_END.kind()
    }

    /// Which kind of features: four bits. The four above them number rows that say the same of different places.
    const fn kind(self) -> u32 {
        self.0 >> Self::KIND & 0xf
    }

    /// The same features, at another place: number 0 (the only one, mostly) to 15.
    #[must_use]
    pub const fn numbered(self, number: u32) -> Self {
        Self(self.0 & 0x0fff_ffff | (number & 0xf) << 28)
    }

    /// What meets what.
    #[must_use]
    pub const fn corner(self) -> Corner {
        let (low, high) = ((self.0 & 0x1ff) as usize, (self.0 >> 9 & 0x7ff) as usize);
        match (self.kind(), self.0 >> Self::WHOSE & 1) {
            (0..=2, 1) => Corner::VertexOfB,
            (0..=2, _) => Corner::VertexOfA,
            (4, _) => Corner::Edges {
                a: (self.0 >> 11 & 0x7ff) as usize / 4,
                b: (self.0 & 0x7ff) as usize / 4,
            },
            (5, 1) => Corner::Edges {
                a: low / 4,
                b: high / 4,
            },
            (5, _) => Corner::Edges {
                a: high / 4,
                b: low / 4,
            },
            _ => Corner::Other,
        }
    }

    /// Is its point free to be anywhere on a rim or a line?
    const fn moves(self) -> bool {
        self.kind() >= 2
    }
}

impl Candidate {
    /// Does this candidate say again what a contact of the same pair, of that feature, normal and point, says?
    #[must_use]
    pub fn repeats(&self, feature: Feature, normal: DVec3, point: DVec3) -> bool {
        self.feature.numbered(0) == feature.numbered(0)
            && self.normal.dot(normal) > 1.0 - SAME_NORMAL
            && (!self.feature.moves()
                || (self.point - point).length() < 1e-9 * (1.0 + point.length()))
    }
}

impl Moving<'_> {
    /// Bound on how far any point of the body moves between `pose` and `end` by rotation alone, m.
    fn turn(&self) -> f64 {
        let (p, e) = (self.pose.orientation, self.end.orientation);
        // |q − q'| is 2 sin(angle/4) for unit quaternions: half the angle to third order.
        let chord = (e - p).length().min((e + p).length());
        if chord == 0.0 {
            0.0
        } else {
            2.1 * chord * self.shape.radius()
        }
    }

    /// Translation between `pose` and `end`, m.
    fn shift(&self) -> DVec3 {
        self.end.position - self.pose.position
    }
}

/// [`future_contacts`] by either rule.
pub fn contacts_by(rule: Rule, a: &Moving, b: &Moving, out: &mut Vec<Candidate>) {
    let first = out.len();
    future_contacts(a, b, out);
    if rule == Rule::Conjunctive {
        conjunctive::add_planes(a, b, first, out);
    }
}

/// Is there only one direction in which the pair of convex shapes is apart at the start of the step (to about
/// 25°)? Then the free space between them is convex near by, and its plane holds whatever the others do.
#[must_use]
pub fn one_way_out(a: &Moving, b: &Moving) -> bool {
    match (a.shape, b.shape) {
        (Shape::HalfSpace { .. }, _) | (_, Shape::HalfSpace { .. }) => true,
        (Shape::Ball { .. }, Shape::Ball { .. }) => true,
        (Shape::Triangle(facet), _) => triangle::one_way_out(a, facet, b),
        (_, Shape::Triangle(facet)) => triangle::one_way_out(b, facet, a),
        (Shape::Box { half }, Shape::Ball { .. }) => ball::over_face(a, *half, b),
        (Shape::Ball { .. }, Shape::Box { half }) => ball::over_face(b, *half, a),
        (Shape::Box { half }, Shape::Box { half: other }) => {
            convex::boxes_one_way_out(a, *half, b, *other)
        }
        (Shape::Points { .. }, _) | (_, Shape::Points { .. }) => false,
        _ => convex::one_way_out(a, b),
    }
}

/// Appends to `out` the candidates of the pair (a, b) of convex shapes; normals point from a to b.
///
/// A feature pair is a candidate when, on the predicted path, it closes or comes within half the
/// pair's relative motion of closing.
pub fn future_contacts(a: &Moving, b: &Moving, out: &mut Vec<Candidate>) {
    let first = out.len();
    match (a.shape, b.shape) {
        // Pieces are looked at pair by pair, in `pieces::piece_pairs`.
        (Shape::Compound(_) | Shape::Mesh(_), _) | (_, Shape::Compound(_) | Shape::Mesh(_)) => {}
        (Shape::HalfSpace { .. }, Shape::HalfSpace { .. }) => {}
        (Shape::HalfSpace { normal, offset }, _) => {
            plane::against(a, *normal, *offset, b, true, out)
        }
        (_, Shape::HalfSpace { normal, offset }) => {
            plane::against(b, *normal, *offset, a, false, out);
            flip(&mut out[first..]);
        }
        (Shape::Points { .. }, Shape::Points { .. }) => {}
        (Shape::Points { points, .. }, _) => {
            points::against(b, a, points, out);
            flip(&mut out[first..]);
        }
        (_, Shape::Points { points, .. }) => points::against(a, b, points, out),
        (Shape::Triangle(facet), _) => triangle::against(a, facet, b, true, out),
        (_, Shape::Triangle(facet)) => triangle::against(b, facet, a, false, out),
        (Shape::Ball { radius: ra }, Shape::Ball { radius: rb }) => {
            ball::ball_ball(a, *ra, b, *rb, out);
        }
        _ => convex::convex(a, b, out),
    }
}

/// Candidates this far from closing are kept, since the impulses of the step may bring them closer than
/// the prediction does: half the relative motion of the pair, and a millionth of the smaller one's size so
/// that bodies that touch stay candidates while they move together.
fn slack(a: &Moving, b: &Moving) -> f64 {
    let motion = (b.shift() - a.shift()).length() + a.turn() + b.turn();
    0.5 * motion + TOUCH * a.shape.radius().min(b.shape.radius())
}

/// Bodies farther apart than this at the start do not meet in the step, m: three times the slack, and the whole way of a body
/// whose gaps are measured at its end, which has no part in that.
fn reach(a: &Moving, b: &Moving, slack: f64) -> f64 {
    let way = |m: &Moving| {
        if m.pose == m.start {
            0.0
        } else {
            (m.end.position - m.start.position).length() + m.sweep()
        }
    };
    3.0 * slack + way(a) + way(b)
}

/// Turns the normals from b → a into a → b.
fn flip(candidates: &mut [Candidate]) {
    for c in candidates {
        c.normal = -c.normal;
    }
}
