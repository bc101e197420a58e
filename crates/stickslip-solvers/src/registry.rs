//! Solvers by name: one table, from which scene files, help, `solve` and the docs take their names.

use crate::auto::Auto;
use crate::auto::selection::Selecting;
use crate::engines::admm::Admm;
use crate::engines::compliant::Compliant;
use crate::engines::homotopy::Homotopy;
use crate::engines::interior_point::InteriorPoint;
use crate::engines::newton::Newton;
use crate::engines::nsgs::{Nsgs, NsgsSettings};
use crate::engines::proximal::Proximal;
use crate::engines::staggered::Staggered;
use crate::lcp::pyramid::LemkeContact;
use crate::solver::{ByEngine, ContactSolver, Engine, Laws, StoredSolver};

/// A solver of the table.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name in scene files, reports and benches.
    pub name: &'static str,
    /// The laws it takes.
    pub takes: Laws,
    /// What it reaches, in a few words.
    pub reaches: &'static str,
    /// Makes it, with its default settings.
    pub make: fn() -> Box<dyn ContactSolver>,
    /// Makes it for problems on their contacts; None where it needs bodies or rows of an LCP.
    pub make_stored: Option<fn() -> Box<dyn StoredSolver>>,
}

/// The row of an engine.
const fn engine<E: Engine + 'static>(reaches: &'static str) -> Entry {
    Entry {
        name: E::NAME,
        takes: E::LAWS,
        reaches,
        make: || Box::new(ByEngine::<E>::default()),
        make_stored: Some(|| Box::new(ByEngine::<E>::default())),
    }
}

/// Every solver of a step. To add one, add its row.
pub const SOLVERS: &[Entry] = &[
    Entry {
        name: "auto",
        takes: Laws::All,
        reaches: "whatever one of the others reaches, see [`auto`]",
        make: || Box::new(Auto::default()),
        make_stored: Some(|| Box::new(Auto::default())),
    },
    engine::<Newton>("rounding level in a few steps from a good start"),
    engine::<Nsgs>("moderate accuracy, cheap sweeps, no linear algebra"),
    Entry {
        name: "nsgs-coloured",
        takes: Laws::Blocks,
        reaches: "the same, colour after colour on many threads, with the same bits on any number",
        make: || {
            let settings = NsgsSettings::coloured();
            Box::new(ByEngine::<Nsgs>::named("nsgs-coloured", settings))
        },
        // Contacts are coloured by their bodies, which such a problem does not have.
        make_stored: None,
    },
    engine::<InteriorPoint>("rounding level from scratch, unless its path folds"),
    engine::<Homotopy>("rounding level from scratch, past folds"),
    engine::<Compliant>("the tolerance, where contacts are redundant"),
    engine::<Proximal>("a backup for redundant contacts"),
    engine::<Admm>("a backup, and for comparison"),
    engine::<Staggered>("a fixed point of the exchange where it converges"),
    Entry {
        name: "lemke",
        takes: Laws::Polyhedral,
        reaches: "a solution, or a ray with its contacts",
        make: || Box::new(LemkeContact::default()),
        make_stored: None,
    },
];

/// Names of the solvers, as scene files and reports use them.
pub const SOLVER_NAMES: &[&str] = &{
    let mut names = [""; SOLVERS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = SOLVERS[i].name;
        i += 1;
    }
    names
};

/// The row of that name; None for a name not in [`SOLVER_NAMES`].
#[must_use]
pub fn entry(name: &str) -> Option<&'static Entry> {
    SOLVERS.iter().find(|entry| entry.name == name)
}

/// The solver of that name with its default settings; None for a name not in [`SOLVER_NAMES`].
#[must_use]
pub fn solver_by_name(name: &str) -> Option<Box<dyn ContactSolver>> {
    entry(name).map(|entry| (entry.make)())
}

/// As [`solver_by_name`], with the answer that the selection rule takes: for the steps of a run, whose motion is then the same
/// whichever solver ran. (`auto` follows the rule by itself, with bounded work on each island.)
#[must_use]
pub fn selecting_solver_by_name(name: &str) -> Option<Box<dyn ContactSolver>> {
    if name == "auto" {
        return Some(Box::new(Auto::bounded()));
    }
    Some(Box::new(Selecting::new(solver_by_name(name)?)))
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

    #[test]
    fn the_table_of_the_crate_is_this_one() {
        let page = include_str!("lib.rs");
        let rows = page.lines().filter(|line| line.starts_with("//! | `"));
        let printed: Vec<&str> = rows.collect();
        let of = |e: &Entry| format!("//! | `{}` | {} | {} |", e.name, e.takes, e.reaches);
        let wanted: Vec<String> = SOLVERS.iter().map(of).collect();
        assert_eq!(printed, wanted);
    }
}
