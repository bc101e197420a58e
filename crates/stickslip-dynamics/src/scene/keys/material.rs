//! Materials, and what holds for one pair of bodies.

use super::{FRICTION_KINDS, KeySpec, Kind, TableSpec, key, required, table};

pub(in crate::scene) static MATERIAL: TableSpec = table(
    "[material]",
    "Default material of every body.",
    &[
        key(
            "friction",
            FRICTION_KINDS,
            "Coulomb friction coefficient. Default 0.",
        ),
        key(
            "restitution",
            Kind::Number,
            "Part of an impact's compression that is given back, from 0 to 1. Default 0.",
        ),
        key(
            "torsion",
            Kind::Number,
            "Radius r of torsional friction, m: |(p_t, m_n/r)| <= friction*p_n. Default 0, no moment about the normal.",
        ),
        key(
            "rolling",
            Kind::Number,
            "Rolling resistance, m: |m_t| <= rolling*p_n. Default 0.",
        ),
    ],
);

pub(in crate::scene) static FRICTION: TableSpec = table(
    "friction",
    "Different coefficients for sticking and sliding, or friction by the speed of the slip.",
    &[
        key("static", Kind::Number, "Coefficient while sticking."),
        key(
            "kinetic",
            Kind::Number,
            "Coefficient while sliding, at most the static one; with `speed`, that of fast slip.",
        ),
        key(
            "speed",
            Kind::Number,
            "Stribeck's speed v_s, m/s: sliding has kinetic + (static - kinetic)*exp(-v/v_s).",
        ),
        key(
            "speeds",
            Kind::List(&Kind::Number),
            "A table in place of all these: rising speeds of the slip from 0, m/s.",
        ),
        key(
            "values",
            Kind::List(&Kind::Number),
            "The coefficients at `speeds`, with straight lines between.",
        ),
    ],
);

// What can be said of a pair, of bodies or of materials.
const PAIR_FRICTION: KeySpec = key("friction", FRICTION_KINDS, "Friction of the pair.");
const PAIR_RESTITUTION: KeySpec = key("restitution", Kind::Number, "Restitution of the pair.");
const PAIR_TORSION: KeySpec = key(
    "torsion",
    Kind::Number,
    "Radius of torsional friction of the pair, m.",
);
const PAIR_ROLLING: KeySpec = key(
    "rolling",
    Kind::Number,
    "Rolling resistance of the pair, m.",
);

pub(in crate::scene) static CONTACT: TableSpec = table(
    "[[contact]]",
    "What holds for one pair of bodies, whatever the bodies say.",
    &[
        required(
            "bodies",
            Kind::Array(&Kind::Text, 2),
            "The names of the two bodies.",
        ),
        PAIR_FRICTION,
        PAIR_RESTITUTION,
        PAIR_TORSION,
        PAIR_ROLLING,
        key(
            "collide",
            Kind::Flag,
            "false: the two pass through each other.",
        ),
    ],
);

pub(in crate::scene) static PAIR: TableSpec = table(
    "[[pair]]",
    "What holds between bodies of two materials, where their pair has no [[contact]].",
    &[
        required(
            "materials",
            Kind::Array(&Kind::Text, 2),
            "The names of the two materials, as bodies say them; the same twice for bodies of one material.",
        ),
        PAIR_FRICTION,
        PAIR_RESTITUTION,
        PAIR_TORSION,
        PAIR_ROLLING,
    ],
);
