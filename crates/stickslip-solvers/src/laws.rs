//! Which laws a method takes.

use crate::problem::Law;
use crate::solver::SolveError;
use core::fmt;

/// Which laws a solver takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Laws {
    /// All of them.
    All,
    /// Those with a smoothed form: no pyramids, no discs.
    Smooth,
    /// Quadratic cones and unilateral contacts.
    Cones,
    /// Those that are rows of an LCP: no quadratic cones, no discs.
    Polyhedral,
}

impl Laws {
    /// Is this law among them?
    #[must_use]
    pub const fn include(self, law: &Law) -> bool {
        match self {
            Self::All => true,
            Self::Smooth => !matches!(law, Law::Pyramid { .. } | Law::Disc { .. }),
            Self::Cones => matches!(law, Law::Cone { .. } | Law::Unilateral),
            Self::Polyhedral => !matches!(law, Law::Cone { .. } | Law::Disc { .. }),
        }
    }

    /// Refuses laws that are not among them.
    ///
    /// # Errors
    /// [`SolveError::Unsuitable`] with the first contact that has another law.
    pub fn refuse_others<'a>(
        self,
        solver: &'static str,
        mut laws: impl Iterator<Item = &'a Law>,
    ) -> Result<(), SolveError> {
        let why = match self {
            Self::All => return Ok(()),
            Self::Smooth => "has a pyramid or a disc; use newton, nsgs or auto",
            Self::Cones => "is neither a quadratic cone nor unilateral",
            Self::Polyhedral => "has a quadratic cone or a disc; use auto",
        };
        match laws.position(|law| !self.include(law)) {
            Some(i) => Err(SolveError::Unsuitable {
                solver,
                reason: format!("contact {i} {why}"),
            }),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Laws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::All => "everything",
            Self::Smooth => "no pyramids or discs",
            Self::Cones => "cones and unilateral",
            Self::Polyhedral => "no quadratic cones or discs",
        })
    }
}
