//! The equations that Newton solves.

use crate::problem::Law;
use crate::problem::law::Linear;
use glam::DVec3;

/// The equations whose zeros are the solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Map {
    /// F = x − P_K(x − ũ), with the slip term in ũ.
    Natural,
    /// Alart and Curnier's: the normal and the friction disc apart. Where the one is stuck the other may
    /// not be.
    AlartCurnier,
    /// F = x − P_K(x − u): the convex relaxation, without the slip term. Not Coulomb's law.
    Relaxed,
}

impl Map {
    pub(crate) fn value(self, law: &Law, p: DVec3, u: DVec3, w_bar: f64) -> DVec3 {
        match self {
            Self::Natural => law.natural_map(p, u, w_bar),
            Self::AlartCurnier => law.alart_curnier(p, u, w_bar).f,
            Self::Relaxed => law.relaxed(p, u, w_bar).f,
        }
    }

    pub(crate) fn at(self, law: &Law, p: DVec3, u: DVec3, w_bar: f64) -> Linear {
        match self {
            Self::Natural => law.linearised(p, u, w_bar),
            Self::AlartCurnier => law.alart_curnier(p, u, w_bar),
            Self::Relaxed => law.relaxed(p, u, w_bar),
        }
    }
}
