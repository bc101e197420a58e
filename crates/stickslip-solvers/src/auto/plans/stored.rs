//! The tables of a stored problem.

use crate::auto::chain::{Chain, Verdict};
use crate::auto::plans::steps::{INTERIOR, SWEEPS};
use crate::auto::plans::{Begin, NEAR, SMALL, Stage, Table};
use crate::auto::profile::Need::{self, Cold, MoreThan, Not, Smooth, UpTo};
use crate::auto::rest::Follow;
use crate::engines::dense_island;
use crate::problem::law::Map;
use glam::DVec3;

/// Largest island of a stored problem that is solved by full Newton steps in dense rows before any table. (Chosen with
/// `INTERIOR_FIRST`.)
pub const MAX_DENSE_CONTACTS: usize = dense_island::MAX_CONTACTS;
/// Beyond this many contacts of an island of a stored problem the interior point comes first: it takes as many steps as for
/// few contacts, and what a start is worth is chance. (Walls and towers that are pushed are solved up to twenty times as
/// fast as by Newton first. Chosen among 25 combinations of this and the next two on the problems they are measured on.)
const INTERIOR_FIRST: usize = 60;
/// First values of ε/q² of the interior point on stored problems, tried in turn. (Towers of planks and walls of bricks, at
/// rest and pushed, take a fifth to a third fewer steps from 1 than from 10.)
pub(in crate::auto) const STORED_STARTS: &[f64] = &[1.0, 10.0, 0.1];
/// Regularisation of D in Newton's steps by patches: its inverse is the digits lost there. (Elsewhere it is Newton's own.)
pub(in crate::auto) const BY_PATCHES: f64 = 1e-7;
/// Tolerances of the methods on a stored problem, as parts of the caller's: the two residuals differ by units and norms, so the
/// inner one is tightened where it is met and the outer one is not. (No figures.)
pub(in crate::auto) const TIGHTEN: [f64; 3] = [1e-1, 1e-4, 1e-7];

// Conditions that two stages share, one with them and one without.

/// A stored problem that the interior point takes first.
const INWARDS: &[Need] = &[Cold, Smooth, MoreThan(INTERIOR_FIRST)];
/// A stored problem that Newton and the relaxation take before Gauss-Seidel.
const COLD_AND_NOT_SMALL: &[Need] = &[Cold, MoreThan(SMALL)];

/// A stored problem, with contacts of a pair of bodies eliminated together (`patches`): several times as fast, less accurate.
pub const STORED_FIRST: Table = Table {
    name: "stored-first",
    patches: true,
    stages: &[
        Stage {
            name: "one-contact",
            when: &[UpTo(1)],
            from: Begin::Scratch,
            run: |chain, p| chain.one_contact(p),
            rule: true,
            why: "one contact alone has a closed form",
        },
        Stage {
            name: "patched-interior-point",
            when: INWARDS,
            from: Begin::Scratch,
            run: |chain, p| chain.interior(p),
            rule: false,
            why: "the first choice for many contacts",
        },
        newton_from_sweeps("patched-sweeps-3", Begin::Sweeps, |chain, p| {
            chain.newton_from_sweeps(3, p)
        }),
        newton_from_sweeps("patched-from-zero", Begin::Zero, |chain, p| {
            chain.newton_from_sweeps(0, p)
        }),
        newton_from_sweeps("patched-sweeps-6", Begin::Sweeps, |chain, p| {
            chain.newton_from_sweeps(3, p)
        }),
        newton_from_sweeps("patched-sweeps-12", Begin::Sweeps, |chain, p| {
            chain.newton_from_sweeps(6, p)
        }),
    ],
};

const fn newton_from_sweeps(
    name: &'static str,
    from: Begin,
    run: fn(&mut Chain<'_>, &mut Vec<DVec3>) -> Verdict,
) -> Stage {
    Stage {
        name,
        when: &[Cold],
        from,
        run,
        rule: false,
        why: "Newton from a few sweeps, or none; which start is a good one is chance",
    }
}

/// A stored problem, once more with every contact by itself.
pub const STORED: Table = Table {
    name: "stored",
    patches: false,
    stages: &[
        Stage {
            name: "interior-point-first",
            when: INWARDS,
            ..INTERIOR_STORED
        },
        Stage {
            name: "newton-short",
            when: COLD_AND_NOT_SMALL,
            from: Begin::Last,
            run: |chain, p| chain.newton_short(p),
            rule: false,
            why: "from the best of the stages by patches",
        },
        Stage {
            name: "relaxation-first",
            when: COLD_AND_NOT_SMALL,
            ..RELAXATION_STORED
        },
        Stage {
            name: "newton",
            when: &[],
            from: Begin::Last,
            run: |chain, p| chain.newton_from_guess(Map::Natural, 0, p),
            rule: false,
            why: "from the guess, if there is one",
        },
        Stage {
            rule: false,
            ..SWEEPS
        },
        Stage {
            name: "relaxation",
            when: &[Not(COLD_AND_NOT_SMALL)],
            ..RELAXATION_STORED
        },
        Stage {
            name: "interior-point",
            when: &[Not(INWARDS)],
            ..INTERIOR_STORED
        },
        Stage {
            name: "proximal-near",
            when: &[],
            from: Begin::Last,
            run: |chain, p| chain.proximal(NEAR, p),
            rule: false,
            why: "redundant contacts, from the end of the interior point",
        },
    ],
};

const INTERIOR_STORED: Stage = Stage {
    rule: false,
    ..INTERIOR
};

const RELAXATION_STORED: Stage = Stage {
    name: "relaxation",
    when: &[],
    from: Begin::Scratch,
    run: |chain, p| chain.relaxation(Follow::ToTheEnd, p),
    rule: false,
    why: "Newton from points of a path that cannot fold",
};
