//! Solvers by name.

use crate::auto::Auto;
use crate::auto::selection::Selecting;
use crate::engines::admm::Admm;
use crate::engines::homotopy::Homotopy;
use crate::engines::interior_point::InteriorPoint;
use crate::engines::newton::Newton;
use crate::engines::nsgs::Nsgs;
use crate::engines::proximal::Proximal;
use crate::engines::staggered::Staggered;
use crate::lcp::pyramid::LemkeContact;
use crate::solver::ContactSolver;

/// Names of the solvers, as scene files and reports use them.
pub const SOLVER_NAMES: &[&str] = &[
    "auto",
    "newton",
    "nsgs",
    "nsgs-coloured",
    "interior-point",
    "homotopy",
    "proximal",
    "admm",
    "staggered",
    "lemke",
];

/// The solver of that name with its default settings; None for a name not in [`SOLVER_NAMES`].
#[must_use]
pub fn solver_by_name(name: &str) -> Option<Box<dyn ContactSolver>> {
    Some(match name {
        "auto" => Box::new(Auto::default()),
        "newton" => Box::new(Newton::default()),
        "nsgs" => Box::new(Nsgs::default()),
        "nsgs-coloured" => Box::new(Nsgs::coloured()),
        "interior-point" => Box::new(InteriorPoint::default()),
        "homotopy" => Box::new(Homotopy::default()),
        "proximal" => Box::new(Proximal::default()),
        "admm" => Box::new(Admm::default()),
        "staggered" => Box::new(Staggered::default()),
        "lemke" => Box::new(LemkeContact::default()),
        _ => return None,
    })
}

/// As [`solver_by_name`], with the answer that the selection rule takes: for the steps of a run, whose motion is then the same
/// whichever solver ran. (`auto` follows the rule by itself.)
#[must_use]
pub fn selecting_solver_by_name(name: &str) -> Option<Box<dyn ContactSolver>> {
    let solver = solver_by_name(name)?;
    Some(match name {
        "auto" => solver,
        _ => Box::new(Selecting::new(solver)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_makes_a_solver_of_that_name() {
        for name in SOLVER_NAMES {
            let solver = solver_by_name(name).expect("listed solver");
            assert_eq!(solver.name(), *name);
            let solver = selecting_solver_by_name(name).expect("listed solver");
            assert_eq!(solver.name(), *name);
        }
        assert!(solver_by_name("guess").is_none());
    }
}
