//! The tables of `auto`: which stages there are, when each is tried, where it begins, and why it is there.
//!
//! | problem | tables, in their order |
//! |---|---|
//! | one contact of a step alone | its closed form, before any table |
//! | an island of a step, with impulses of the last one | [`WARM`], [`LAST`] |
//! | the same without | [`COLD`], [`LAST`] |
//! | either, where a sketch is asked for; or a first draft of more than 200 contacts that touch at several places, whose guess misses by more than 1e-3 m/s | [`SKETCH`], then as above |
//! | an island with contacts that bear moments | no table of its own: five ways, by Newton on their law (`auto::soft`), two of them from answers of the tables above |
//! | an island of a stored problem (above [`MAX_DENSE_CONTACTS`] contacts, or where full Newton steps fail) | [`STORED_FIRST`], then up to three times, each to a tighter tolerance of the methods, [`STORED`] and [`LAST`] |
//!
//! Impulses of the last step are those of contacts that were there; after the first look of a step, those of the look before. A stage is
//! tried where all of its needs hold; the search ends with the first whose residual, recomputed on the problem as
//! given, meets the tolerance. Stages of the selection rule (`selection`) decide which answer is taken, the others only find one.

mod last;
mod steps;
mod stored;

use crate::auto::chain::{Chain, Verdict};
use crate::auto::profile::Need;
use core::fmt::Write;
use glam::DVec3;

pub use last::LAST;
pub use steps::{COLD, SKETCH, WARM};
pub(super) use stored::{BY_PATCHES, STORED_STARTS, TIGHTEN};
pub use stored::{MAX_DENSE_CONTACTS, STORED, STORED_FIRST};

/// Stages in the order in which they are tried.
#[derive(Clone, Copy)]
pub struct Table {
    /// Its name in traces and docs.
    pub name: &'static str,
    /// Are contacts of a pair of bodies eliminated together (`coupling::patches`)? Several times as fast, less accurate.
    pub patches: bool,
    /// First to last.
    pub stages: &'static [Stage],
}

/// One way to look for an answer.
#[derive(Clone, Copy)]
pub struct Stage {
    /// Its name in traces and docs, unique in each table.
    pub name: &'static str,
    /// What must hold of the problem and of the search: all of these.
    pub when: &'static [Need],
    /// Where it begins.
    pub from: Begin,
    /// What it does with the impulses it is given, which are left where it ends.
    pub(super) run: fn(&mut Chain<'_>, &mut Vec<DVec3>) -> Verdict,
    /// Does it belong to the selection rule?
    pub rule: bool,
    /// Why it is there.
    pub why: &'static str,
}

/// Where a stage begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// At the impulses given: those of the last step.
    Guess,
    /// At zero.
    Zero,
    /// At the best impulses so far.
    Best,
    /// Where the stage before ended (the best so far for the first of a table).
    Last,
    /// Where the stage before began.
    Again,
    /// At the best impulses when the table was begun.
    Table,
    /// Where the last sweeps ended (zero before the first).
    Sweeps,
    /// By itself: impulses are not used, and stay as they are where it finds none.
    Scratch,
}

impl core::fmt::Display for Begin {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Guess => "the guess",
            Self::Zero => "zero",
            Self::Best => "the best so far",
            Self::Last => "the end of the stage before",
            Self::Again => "the start of the stage before",
            Self::Table => "the best before this table",
            Self::Sweeps => "the end of the last sweeps",
            Self::Scratch => "scratch",
        })
    }
}

// Sizes. (Where no figure is given, none is known: the number was chosen without a measurement that is on record.)

/// Beyond this many contacts some are redundant as a rule, and compliant laws are tried early. (Recommended by prototypes on
/// 646 islands of hard steps.)
pub(super) const FEW: usize = 10;
/// Up to this many contacts Gauss-Seidel is cheap enough to try early, and Newton is given time to creep.
pub(super) const SMALL: usize = 30;
/// Beyond this many contacts sweeps are tried before anything is factored: some fifty of them (100 balls) to two hundred (1,000)
/// cost what a factorisation does.
pub(super) const MANY: usize = 100;
/// Beyond this many contacts Newton does not get far from zero, the path from the last step's problem gets nowhere, and the
/// interior point takes as many steps as for few contacts.
pub(super) const LARGE: usize = 200;
/// Beyond this many contacts a proximal iteration that gets nowhere is given up after a quarter of its centres.
pub(super) const SLOW_CENTRES: usize = 90;
/// Most contacts for which Lemke is asked: his pivots grow faster than their number.
pub(super) const MAX_LEMKE_CONTACTS: usize = 100;
/// Residual that is aimed at where it is cheap, m/s: what rests stays at rest to rounding, although the tolerance would let it
/// creep.
pub(super) const AIM: f64 = 5e-14;
/// The impulses of the last step are taken as they are up to so many times that: they serve a few steps before they are polished.
pub(super) const AS_THEY_ARE: f64 = 10.0;
/// The name of the stage that does so.
pub(super) const LAST_IMPULSES: &str = "last-impulses";

/// Residual of the last impulses up to which proximal steps are made about them, m/s: what rests, or goes on as it did. (Beyond
/// that one in ten found an answer, for a tenth of a run's factorisations.)
pub(super) const NEARLY_RIGHT: f64 = 1e-4;

/// Residual of the last impulses beyond which Newton does not start from them among more than [`LARGE`] contacts, m/s. (Of 32 such tries in bins of
/// boxes and hulls, 34 factorisations each, one ended.) Up to it a draft is an answer.
pub(super) const OTHERWISE: f64 = 1e-3;
/// Residual of a first draft where it is a sketch, m/s.
pub(super) const SKETCHED: f64 = 1e-2;

/// Part of the tolerance that every stage looks for where contacts are few and rarely redundant. (5e-9 m/s becomes the 1e-11 m/s
/// that were always asked for.)
pub(super) const AIM_OF_FEW: f64 = 2e-3;
/// Centres of proximal steps from the last impulses, and from an answer towards rounding. (No figures.)
pub(super) const WARM_CENTRES: usize = 3;
pub(super) const POLISH: usize = 2;
/// The same from an answer that is enough for a run without patience towards the tolerance. (As many as end a path.)
pub(super) const TO_TOLERANCE: usize = 5;

// Lengths of attempts.

/// Newton steps of an attempt. (No figure.)
pub(super) const NEWTON_STEPS: usize = 40;
/// Newton steps of an attempt from a few sweeps: which start is a good one is chance, so none gets much time. (No figure.)
pub(super) const SHORT_STEPS: usize = 20;
/// Steps within which Newton must halve its merit: usually, in a large or a hopeful problem, and on the path of the relaxation,
/// whose next point is the better investment. (No figures.)
pub(super) const PATIENCE: usize = 12;
pub(super) const LESS_PATIENCE: usize = 8;
pub(super) const LEAST_PATIENCE: usize = 6;
/// Whole steps of Newton from the guess where the line search would shorten one. (Of 40 ragdolls that the line search left 35
/// are solved, in 5 whole steps on average.)
pub(super) const WHOLE_STEPS: usize = 12;
/// Centres of the proximal method. (No figure.)
pub(super) const CENTRES: usize = 40;
/// First compliance of the proximal method from impulses that are nearly right. (No figure.)
pub(super) const NEAR: f64 = 1e-3;
/// Steps along the path from the last step's problem. (No figure.)
pub(super) const CONTINUATION_STEPS: usize = 40;
/// Problems between μ = 1 and the true coefficients of friction. (No figure.)
pub(super) const CHANGES: u32 = 60;

/// Work on an island of a run's step, in contacts factored: half a second of a core or one; and factorisations, at least as many as the
/// interior point takes from a start, at most as many as the stages take that usually find an answer. (What takes more is better
/// done as shorter steps; what is not, patiently: with so many budgets.)
const WORK: usize = 600_000;
const LEAST_FACTORISATIONS: usize = 350;
const MOST_FACTORISATIONS: usize = 1500;
/// The same of few contacts, whose factorisations are a matter of microseconds.
const MOST_OF_FEW: usize = 10_000;
pub(super) const PATIENT: usize = 4;

/// Contacts that may be factored on an island of so many.
pub(super) fn budget(contacts: usize) -> usize {
    let most = if contacts <= FEW {
        MOST_OF_FEW
    } else {
        MOST_FACTORISATIONS
    };
    WORK.clamp(LEAST_FACTORISATIONS * contacts, most * contacts)
}

/// Factorisations after which the best of an island is enough for a draft, if it is within what the caller said: those of the
/// stages that find most answers.
pub(super) const DRAFT: usize = 30;
/// The same for the answer of a run that has spent its patience: those of the stages that start from the last impulses, which find what
/// goes on as it did.
pub(super) const EASILY: usize = 100;
/// Residual of the last impulses beyond which methods that start from them are passed over in such a run, m/s, if there are many contacts: what is
/// struck does not go on as it did. (Of struck walls of 40 and 96 bricks, from impulses that missed by 1 to 14 m/s as a rule: none of 154 tries of
/// Newton, 4 of 79 compliant paths, for 135 factorisations together.)
const STRUCK_BY: f64 = 0.3;

// Conditions that the tables share with the driver.

/// A run that has no patience left, and last impulses that do not lead on.
pub(super) const STRUCK: &[Need] = &[
    Need::Pressed,
    Need::MoreThan(LARGE),
    Need::GuessBeyond(STRUCK_BY),
];
/// So many contacts, and last impulses that miss by so much, that Newton does not arrive from there.
pub(super) const GOES_OTHERWISE: &[Need] = &[Need::MoreThan(LARGE), Need::GuessBeyond(OTHERWISE)];

/// Every table.
pub const TABLES: [Table; 6] = [SKETCH, WARM, COLD, STORED_FIRST, STORED, LAST];

/// The tables as Markdown, for the docs.
#[must_use]
pub fn markdown() -> String {
    let mut out = String::new();
    for Table { name, stages, .. } in TABLES {
        // Writing to a string does not fail.
        let _ = write!(
            out,
            "\n**{name}**\n\n| stage | rule | when | from | why |\n|---|---|---|---|---|\n"
        );
        for stage in stages {
            let needs: Vec<String> = stage.when.iter().map(ToString::to_string).collect();
            let _ = writeln!(
                out,
                "| `{}` | {} | {} | {} | {} |",
                stage.name,
                if stage.rule { "yes" } else { "" },
                needs.join(", "),
                stage.from,
                stage.why
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const BEGIN: &str = "<!-- begin: tables of stages, printed by auto::plans::markdown -->\n";
    const END: &str = "<!-- end: tables of stages -->";

    #[test]
    fn names_are_unique_in_each_table() {
        for table in TABLES {
            let names: BTreeSet<&str> = table.stages.iter().map(|s| s.name).collect();
            assert_eq!(names.len(), table.stages.len(), "{}", table.name);
        }
    }

    #[test]
    fn the_page_of_solvers_prints_these_tables() {
        let page = include_str!("../../../../../docs/solvers.md");
        let printed = page.split_once(BEGIN).and_then(|(_, s)| s.split_once(END));
        let (printed, _) = printed.expect("markers in docs/solvers.md");
        assert!(
            printed == markdown(),
            "docs/solvers.md: put this between the markers\n{}",
            markdown()
        );
    }

    #[test]
    fn stages_that_do_not_belong_to_the_rule_come_after_those_that_do() {
        for table in [WARM, COLD] {
            assert!(table.stages.is_sorted_by_key(|s| !s.rule), "{}", table.name);
        }
    }
}
