//! Several convex pieces that move as one body.

use crate::broad_phase::Bounds;
use crate::pose::Pose;
use crate::shape::{Shape, ShapeError};

/// A convex piece, placed in the body's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its shape, in its own frame.
    pub shape: Shape,
    /// From its own frame to the body's.
    pub pose: Pose,
}

/// A body of convex pieces. Where they overlap, each counts with its own mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Compound {
    pieces: Vec<Piece>,
    radius: f64,
    thickness: f64,
}

impl Compound {
    /// Of convex pieces; a compound among them gives its own pieces.
    ///
    /// # Errors
    /// No piece at all, a half-space or a surface as a piece, a pose that is not finite.
    pub fn new(pieces: impl IntoIterator<Item = Piece>) -> Result<Self, ShapeError> {
        let mut all = Vec::new();
        for piece in pieces {
            match &piece.shape {
                Shape::Compound(inner) => all.extend(inner.placed(&piece.pose)),
                shape if shape.is_convex() && shape.radius().is_finite() => all.push(piece),
                _ => return Err(ShapeError::Piece { number: all.len() }),
            }
        }
        if let Some(number) = all.iter().position(|p| !p.pose.is_finite()) {
            return Err(ShapeError::Piece { number });
        }
        if all.is_empty() {
            return Err(ShapeError::Empty);
        }
        let reach = |p: &Piece| p.pose.position.length() + p.shape.radius();
        Ok(Self {
            radius: all.iter().map(reach).fold(0.0, f64::max),
            thickness: (all.iter().map(|p| p.shape.thickness())).fold(f64::INFINITY, f64::min),
            pieces: all,
        })
    }

    /// The pieces, in the order given.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Radius of a ball about the body's origin that holds every piece's own ball, m.
    #[must_use]
    pub const fn radius(&self) -> f64 {
        self.radius
    }

    /// Half of the smallest width of any piece, m.
    #[must_use]
    pub const fn thickness(&self) -> f64 {
        self.thickness
    }

    /// Around all pieces at `pose`.
    #[must_use]
    pub fn bounds(&self, pose: &Pose) -> Bounds {
        let each = |p: &Piece| Bounds::of(&p.shape, &pose.then(&p.pose));
        let mut pieces = self.pieces.iter().map(each);
        let first = pieces.next().unwrap_or(Bounds::EMPTY);
        pieces.fold(first, |all, b| all.union(&b))
    }

    /// The pieces seen from another frame.
    pub(crate) fn placed<'a>(&'a self, pose: &'a Pose) -> impl Iterator<Item = Piece> + 'a {
        self.pieces.iter().map(|p| Piece {
            shape: p.shape.clone(),
            pose: pose.then(&p.pose),
        })
    }
}
