//! Which laws a method takes.

use crate::problem::Law;
use crate::solver::SolveError;
use core::fmt;

/// Which laws a solver takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Laws {
    /// All of them.
    All,
    /// Those of one block: no contacts with moments.
    Blocks,
    /// Those with a smoothed form: no pyramids, no discs, no moments.
    Smooth,
    /// Quadratic cones and unilateral contacts.
    Cones,
    /// Those that are rows of an LCP: no quadratic cones, no discs, no moments.
    Polyhedral,
}

impl Laws {
    /// Is this law among them?
    #[must_use]
    pub const fn include(self, law: &Law) -> bool {
        // Law by law, so that a new one is not taken for what it is not.
        match law {
            Law::Unilateral => true,
            Law::Cone { .. } => !matches!(self, Self::Polyhedral),
            Law::Pyramid { .. } => matches!(self, Self::All | Self::Blocks | Self::Polyhedral),
            Law::Bounded { .. } => !matches!(self, Self::Cones),
            Law::Disc { .. } => matches!(self, Self::All | Self::Blocks),
            Law::Soft { .. } | Law::Moments { .. } => matches!(self, Self::All),
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
            Self::Blocks => "",
            Self::Smooth => "has a pyramid or a disc; use newton, nsgs or auto",
            Self::Cones => "is neither a quadratic cone nor unilateral",
            Self::Polyhedral => "has a quadratic cone or a disc; use auto",
        };
        let mut number = 0;
        let refused = laws.find(|law| {
            number += 1;
            !self.include(law)
        });
        let Some(law) = refused else { return Ok(()) };
        let why = if law.is_soft() {
            "bears moments; use auto"
        } else {
            why
        };
        Err(SolveError::Unsuitable {
            solver,
            reason: format!("contact {} {why}", number - 1),
        })
    }
}

impl fmt::Display for Laws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::All => "everything",
            Self::Blocks => "no moments",
            Self::Smooth => "no pyramids, discs or moments",
            Self::Cones => "cones and unilateral",
            Self::Polyhedral => "no quadratic cones, discs or moments",
        })
    }
}
