//! What was tried and why it was refused.

use std::fmt;

/// A guess at which contacts carry force, and what became of each part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Hypothesis {
    /// The contacts that are kept, by their number in the state.
    pub contacts: Vec<usize>,
    /// Dimension of the space spanned by their configuration-space normals (section 5.4.2, step 3).
    pub dimension: usize,
    /// The parts in which the legal friction edges are fixed.
    pub pieces: Vec<Piece>,
}

/// One part of a hypothesis.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Where in acceleration space.
    pub place: Place,
    /// What came of it.
    pub verdict: Verdict,
}

/// The part of acceleration space that a piece speaks of.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// Step 1: no reaction at all.
    ZeroReaction,
    /// Step 2: the reaction cancels the applied force.
    ZeroNetForce,
    /// Section 4.4: one contact at rest, by two projections.
    TwoProjections,
    /// One-dimensional normal space: the cell where each kept contact slides this way (-1, 0, +1).
    Cell(Vec<i8>),
    /// Two-dimensional normal space, or a line of standstill of a one-dimensional one: c in [lo, hi], N.
    Interval {
        /// Lower end, N.
        lo: f64,
        /// Upper end, N.
        hi: f64,
    },
    /// An endpoint c, N, where some contact neither slides nor starts to.
    Endpoint {
        /// Its place, N.
        c: f64,
    },
    /// Three-dimensional normal space: the one acceleration that keeps all contacts.
    Corner,
}

/// What came of a piece.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It is, or lies in, the solution of this number.
    Solution(usize),
    /// It was refused.
    Rejected(Reason),
}

/// Why a piece was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// The needed reaction is no non-negative sum of the friction edges that Table 1 allows.
    OutsideCone,
    /// The force alone would pull the body off, so this contact gives no reaction.
    NotPressed,
    /// A reaction exists, but the acceleration would go through this contact.
    PushesThrough(usize),
    /// Contacts whose second-variation constraints (6) cannot all hold with equality.
    Inconsistent,
    /// Zero acceleration goes through this contact, h_i < 0 there.
    NegativeH(usize),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutsideCone => {
                write!(
                    f,
                    "no push within the legal friction edges gives this motion"
                )
            }
            Self::NotPressed => write!(f, "the applied force does not press on it"),
            Self::PushesThrough(i) => write!(f, "would push through contact {}", i + 1),
            Self::Inconsistent => write!(f, "these contacts cannot all be kept (6)"),
            Self::NegativeH(i) => write!(
                f,
                "zero acceleration would go through contact {} (h < 0)",
                i + 1
            ),
        }
    }
}
