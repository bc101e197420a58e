//! The tables of a step: with impulses of the last one, and without.

use crate::auto::bearing;
use crate::auto::plans::{
    Begin, FEW, GOES_OTHERWISE, LARGE, LAST_IMPULSES, MANY, MAX_LEMKE_CONTACTS, NEAR, NEARLY_RIGHT,
    OTHERWISE, SMALL, STRUCK, Stage, Table, WHOLE_STEPS,
};
use crate::auto::profile::Need::{
    Any, BestFar, BestWithin, Finds, GuessBeyond, Known, Lone, MoreThan, Not, Polyhedral, Sketch,
    Sliding, Smooth, UpTo,
};
use crate::auto::rest::Follow;
use crate::engines::compliant::CompliantSettings;
use crate::engines::homotopy::HomotopySettings;
use crate::problem::law::Map;

/// Sweeps of Gauss-Seidel as a stage of its own. (No figure.)
const EARLY_SWEEPS: usize = 30;

// Stages that stand in several tables.

pub(super) const NEWTON_ON_ALART_CURNIER: Stage = Stage {
    name: "newton-alart-curnier",
    when: &[UpTo(SMALL)],
    from: Begin::Again,
    run: |chain, p| chain.newton_from_guess(Map::AlartCurnier, 0, p),
    rule: true,
    why: "gets on where contacts slide and open in turn: 35 of 65 plates that the natural map left",
};

pub(super) const SWEEPS: Stage = Stage {
    name: "sweeps-30",
    when: &[UpTo(SMALL)],
    from: Begin::Best,
    run: |chain, p| chain.sweeps_then_newton(EARLY_SWEEPS, p),
    rule: true,
    why: "Gauss-Seidel gets somewhere from everywhere; Newton then takes it to rounding",
};

pub(super) const INTERIOR: Stage = Stage {
    name: "interior-point",
    when: &[],
    from: Begin::Scratch,
    run: |chain, p| chain.interior(p),
    rule: true,
    why: "needs no start and its end depends on the problem alone; pyramids are seen as the cones inside them, and Newton \
          finishes on the pyramids",
};

pub(super) const COMPLIANT_FROM_ZERO: Stage = Stage {
    name: "compliant-from-zero",
    when: &[MoreThan(FEW)],
    from: Begin::Scratch,
    run: |chain, p| chain.compliant(&CompliantSettings::FROM_ZERO, p),
    rule: false,
    why: "redundant contacts agree where they give a little",
};

pub(super) const COMPLIANT_RESTARTED: Stage = Stage {
    name: "compliant-restarted",
    when: &[MoreThan(FEW)],
    from: Begin::Scratch,
    run: |chain, p| chain.compliant(&CompliantSettings::RESTARTED, p),
    rule: false,
    why: "the same along other paths: their lengths are heavy-tailed",
};

pub(super) const LEMKE: Stage = Stage {
    name: "lemke",
    when: &[Polyhedral, UpTo(MAX_LEMKE_CONTACTS)],
    from: Begin::Scratch,
    run: |chain, p| chain.lemke(p),
    rule: false,
    why: "finds an answer in finitely many pivots, or a ray, which says more than a number",
};

/// Beyond this part of the largest free velocity a residual is far from any answer. (Chosen without measurement.)
const FAR_FROM_ANY: f64 = 1e-6;

pub(super) const INFEASIBLE: Stage = Stage {
    name: "infeasible",
    when: &[
        Not(&[Polyhedral]),
        UpTo(MAX_LEMKE_CONTACTS),
        BestFar(FAR_FROM_ANY),
    ],
    from: Begin::Scratch,
    run: |chain, p| chain.infeasible(p),
    rule: false,
    why: "far from any answer: if not even without friction the gaps can all stay open (a closing vice), none exists",
};

/// Conjugate sweeps of a sketch: 1e-2 m/s is reached after 15 to 65 in heaps of balls. (Of a bin of 300 boxes 81 of 82 sketches are done
/// by them, in 12 ms each; by twelve sweeps and then the interior point 48 took 119 ms each.)
const CONJUGATE_SKETCH: usize = 150;

/// What stages on the quotient find.
const SYMMETRIC: &str = "the problem is symmetric";

const SKETCH_FROM_SCRATCH: Stage = Stage {
    name: "sketch-from-scratch",
    when: &[Sketch, Smooth, MoreThan(LARGE)],
    from: Begin::Scratch,
    run: |chain, p| chain.sketch_from_scratch(p),
    rule: true,
    why: "the interior point is there in 40 to 90 factorisations; Newton and compliant paths took 100 to 200 before it",
};

/// A motion that only has to show which contacts are missing (see `Chain::may_sketch`).
pub const SKETCH: Table = Table {
    name: "sketch",
    patches: false,
    stages: &[
        Stage {
            name: "conjugate-sweeps-150",
            when: &[MoreThan(MANY)],
            from: Begin::Guess,
            run: |chain, p| chain.conjugate_sketch(CONJUGATE_SKETCH, p),
            rule: false,
            why: "conjugate sweeps are there for the cost of a factorisation or two",
        },
        SKETCH_FROM_SCRATCH,
    ],
};

/// A step with the impulses of the last one.
pub const WARM: Table = Table {
    name: "warm",
    patches: false,
    stages: &[
        Stage {
            name: LAST_IMPULSES,
            when: &[MoreThan(FEW)],
            from: Begin::Guess,
            run: |chain, p| chain.as_they_are(p),
            rule: true,
            why: "what rests, slides or rolls on as it did needs no factorisation",
        },
        Stage {
            name: "centres",
            when: &[MoreThan(FEW), BestWithin(NEARLY_RIGHT)],
            from: Begin::Guess,
            run: |chain, p| chain.centres(p),
            rule: true,
            why: "redundant contacts at rest: a factorisation or two where modes stay as they are",
        },
        Stage {
            name: bearing::NAME,
            when: &[
                MoreThan(MANY),
                Not(&[Lone]),
                GuessBeyond(OTHERWISE),
                Finds("one contact in eight at least is well open after a few sweeps"),
            ],
            from: Begin::Guess,
            run: |chain, p| chain.those_that_bear(p),
            rule: true,
            why: "half of the rows of a heap in motion bear nothing: the others alone are several islands, and cost half",
        },
        Stage {
            name: "mend-guess",
            when: &[
                MoreThan(MANY),
                Finds("at most a third of the contacts are at bodies where one fails"),
            ],
            from: Begin::Guess,
            run: |chain, p| chain.mend_guess(p),
            rule: true,
            why: "where few contacts have changed since the guess, those with their neighbours from nothing, then the whole",
        },
        Stage {
            name: "sweeps-and-mending",
            when: &[MoreThan(MANY), Lone],
            from: Begin::Guess,
            run: |chain, p| chain.sweep_and_mend(p),
            rule: true,
            why: "what is struck somewhere in every step: conjugate sweeps from the last impulses, mended where they stall, without a factorisation of the whole",
        },
        Stage {
            name: "compliant-about-swept",
            when: &[MoreThan(MANY), Lone, Not(&[Sketch]), Not(STRUCK)],
            from: Begin::Best,
            run: |chain, p| chain.compliant(&chain.near(), p),
            rule: true,
            why: "where sweeps stall all the same: of 23 heaps of balls 21 end here, and Newton from the last impulses, or the same about them, ended none that it left",
        },
        Stage {
            name: "sketch-by-sweeps",
            when: &[Sketch, MoreThan(LARGE), Not(&[Lone])],
            from: Begin::Guess,
            run: |chain, p| chain.sketch_by_sweeps(p),
            rule: true,
            why: "conjugate sweeps end two in five of 300 boxes in a bin, for a sixth of what the interior point takes",
        },
        Stage {
            name: "newton-whole-steps",
            when: &[Not(&[MoreThan(MANY), Lone]), Not(GOES_OTHERWISE)],
            from: Begin::Guess,
            run: |chain, p| chain.newton_from_guess(Map::Natural, WHOLE_STEPS, p),
            rule: true,
            why: "what moves goes on: the last impulses are nearly right; whole steps pass the kinks where a line search stops",
        },
        NEWTON_ON_ALART_CURNIER,
        SWEEPS,
        SKETCH_FROM_SCRATCH,
        Stage {
            name: "compliant-near",
            when: &[MoreThan(FEW), Not(&[MoreThan(MANY), Lone]), Not(STRUCK)],
            from: Begin::Guess,
            run: |chain, p| chain.compliant(&chain.near(), p),
            rule: true,
            why: "redundant contacts agree where they give a little; the answer nearest to the last impulses",
        },
        Stage {
            name: "mend",
            when: &[MoreThan(SMALL), Not(&[Sketch])],
            from: Begin::Best,
            run: |chain, p| chain.mend(p).into(),
            rule: true,
            why: "where a few contacts of many fail, those with their neighbours from nothing, then the whole",
        },
        Stage {
            name: "quotient-short",
            when: &[Smooth, MoreThan(LARGE), Finds(SYMMETRIC)],
            from: Begin::Scratch,
            run: |chain, p| chain.quotient(&HomotopySettings::SYMMETRIC_SHORT, p),
            rule: true,
            why: "a symmetric pile is an eighth of itself; other stages follow, so its paths are kept short",
        },
        Stage {
            name: "relaxation-to-rest",
            when: &[UpTo(LARGE)],
            from: Begin::Scratch,
            run: |chain, p| chain.relaxation(Follow::ToRest, p),
            rule: true,
            why: "tells whether rest is possible; left where velocities do not fall: 30 % less time on plates and balls (of more contacts, one in a hundred)",
        },
        INTERIOR,
        INFEASIBLE,
        COMPLIANT_FROM_ZERO,
        COMPLIANT_RESTARTED,
        Stage {
            name: "continuation-1e-3",
            when: &[UpTo(LARGE), Smooth],
            from: Begin::Guess,
            run: |chain, p| chain.continuation(1e-3, p),
            rule: false,
            why: "the last step's problem becomes this one along a path that may turn back",
        },
        Stage {
            name: "continuation-1e-5",
            when: &[UpTo(LARGE), Smooth],
            from: Begin::Guess,
            run: |chain, p| chain.continuation(1e-5, p),
            rule: false,
            why: "the same, less smoothed",
        },
        Stage {
            name: "proximal-near",
            when: &[UpTo(LARGE)],
            from: Begin::Best,
            run: |chain, p| chain.proximal(NEAR, p),
            rule: false,
            why: "redundant contacts: compliance gives moves that change no velocity a finite size",
        },
        LEMKE,
    ],
};

/// A step without impulses of a last one: what can rest, rests, although other answers may be as lawful and sooner found.
pub const COLD: Table = Table {
    name: "cold",
    patches: false,
    stages: &[
        Stage {
            name: "newton-from-zero",
            when: &[Any(&[Sliding, UpTo(LARGE)])],
            from: Begin::Zero,
            run: |chain, p| chain.newton_to_rest(p),
            rule: true,
            why: "finds rest in a few steps where it is near; what slides takes the answer near the smallest impulses",
        },
        Stage {
            name: "quotient",
            when: &[Smooth, MoreThan(LARGE), Not(&[Known]), Finds(SYMMETRIC)],
            from: Begin::Scratch,
            run: |chain, p| chain.quotient(&HomotopySettings::SYMMETRIC, p),
            rule: true,
            why: "a symmetric pile falls symmetrically, and is an eighth of itself: 12 layers of balls in 1.8 s, open before",
        },
        Stage {
            name: "relaxation",
            when: &[],
            from: Begin::Scratch,
            run: |chain, p| chain.relaxation_to_rest(p),
            rule: true,
            why: "convex: its velocity is unique, and is rest wherever rest is possible",
        },
        Stage {
            name: "first-answer",
            when: &[],
            from: Begin::Scratch,
            run: |chain, p| chain.first_answer(p),
            rule: true,
            why: "nothing rests: Newton's answer from zero stands, if it found one",
        },
        INTERIOR,
        Stage {
            name: "newton-whole-steps",
            when: &[],
            from: Begin::Last,
            run: |chain, p| chain.newton_from_guess(Map::Natural, WHOLE_STEPS, p),
            rule: true,
            why: "the end of the interior point may be near enough",
        },
        NEWTON_ON_ALART_CURNIER,
        SWEEPS,
        INFEASIBLE,
        COMPLIANT_FROM_ZERO,
        Stage {
            when: &[MoreThan(FEW), Any(&[Smooth, UpTo(LARGE)])],
            ..COMPLIANT_RESTARTED
        },
        LEMKE,
    ],
};
