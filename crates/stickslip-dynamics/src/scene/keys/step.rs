//! How time is stepped.

use super::super::settings::{CONTACTS, SOLVERS};
use super::{Kind, TableSpec, key, required, table};
use crate::methods::METHODS;

pub(in crate::scene) static STEP: TableSpec = table(
    "[step]",
    "How time is stepped.",
    &[
        required("h", Kind::Number, "Step size, s."),
        required("until", Kind::Number, "End of the run, s."),
        key(
            "method",
            Kind::Choice(&METHODS),
            "Time-stepping method. Default \"stewart-trinkle\".",
        ),
        key(
            "cone",
            Kind::Either(&[
                Kind::Choice(&["quadratic"]),
                Kind::PyramidText,
                Kind::Table(&CONE),
            ]),
            "Friction cone: the exact one (default), a pyramid, or each contact its own within a budget.",
        ),
        key(
            "error",
            Kind::Number,
            "Wanted error of places at the end, m, with method \"extrapolated\". Default 1e-6.",
        ),
        key(
            "impact-friction",
            Kind::Choice(&["coupled", "literal"]),
            "What bounds friction beside a restitution impulse: it as well (default), or the rest alone.",
        ),
        key(
            "contact",
            Kind::Choice(&CONTACTS),
            "Contact where the free space is not convex: at most one face of a piece pushes (default), or, \
             for comparison, every plane within reach.",
        ),
        key(
            "solver",
            Kind::Choice(SOLVERS),
            "Contact solver. Default \"auto\".",
        ),
        key(
            "tolerance",
            Kind::Number,
            "Largest residual of a certified step, relative to max(1 m/s, |nu|). Default 1e-8.",
        ),
        key(
            "accept",
            Kind::Number,
            "Largest residual of a step that is accepted as approximate where it cannot be certified, however short; 0: none \
             is. Default 1e-6.",
        ),
        key(
            "energy-check",
            Kind::Flag,
            "Check in every step that no energy appears. Default false.",
        ),
        key(
            "projection",
            Kind::Flag,
            "Move overlapping bodies apart before every step, velocities unchanged. Default false.",
        ),
    ],
);

pub(in crate::scene) static CONE: TableSpec = table(
    "cone",
    "A friction pyramid, or a budget.",
    &[
        key(
            "pyramid",
            Kind::Number,
            "Number of directions over the whole circle, at least 3.",
        ),
        key(
            "budget",
            Kind::Number,
            "Work of a step, instead of `pyramid`: each contact gets the exact cone or as many directions as fit.",
        ),
        key(
            "fan",
            Kind::Choice(&["world", "body"]),
            "Whether the directions are fixed in the world (default) or to the prescribed body.",
        ),
        key(
            "turn",
            Kind::Number,
            "By how many sectors the directions are turned about the normal. Default 0.",
        ),
    ],
);
