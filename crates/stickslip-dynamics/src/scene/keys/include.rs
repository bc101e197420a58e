//! Models of other formats, and frames.

use super::{Kind, ORIENTATION_KINDS, TableSpec, VECTOR, key, required, table};

pub(in crate::scene) static FRAME: TableSpec = table(
    "[[frame]]",
    "A name for a place on a body.",
    &[
        required("name", Kind::Text, "The frame's name, used once."),
        required("body", Kind::Text, "The body; \"world\" for the world."),
        key(
            "position",
            VECTOR,
            "In the body's frame, m. Default [0, 0, 0].",
        ),
        key(
            "orientation",
            ORIENTATION_KINDS,
            "In the body's frame. Default none.",
        ),
    ],
);

pub(in crate::scene) static INCLUDE: TableSpec = table(
    "[[include]]",
    "A robot or another model, from a URDF or MJCF file.",
    &[
        required("file", Kind::Text, "The file, in the scene's folder."),
        key(
            "prefix",
            Kind::Text,
            "Put before the names of its bodies, joints and frames. Default none.",
        ),
        key(
            "position",
            VECTOR,
            "Where its base, or its world, is, m. Default [0, 0, 0].",
        ),
        key(
            "orientation",
            ORIENTATION_KINDS,
            "How it is turned. Default none.",
        ),
        key(
            "fixed-base",
            Kind::Flag,
            "Does the base of a URDF model stay where it is? Default false.",
        ),
        key(
            "packages",
            Kind::List(&Kind::Text),
            "What package:// stands for: folders, or \"PREFIX=FOLDER\".",
        ),
        key(
            "srdf",
            Kind::Text,
            "The SRDF file whose disabled pairs do not collide.",
        ),
        key(
            "joints",
            Kind::Parameters,
            "Coordinates at the start by the names of the file's joints, m or rad.",
        ),
        key(
            "key",
            Kind::Text,
            "The configuration of the file in which it starts.",
        ),
        key(
            "overlaps",
            Kind::Choice(&["refuse", "ignore"]),
            "Pairs of links that overlap at the start: refused (default), or they pass through each other.",
        ),
        key(
            "self-collision",
            Kind::Flag,
            "May its links collide with each other? Default true.",
        ),
        key(
            "any-inertia",
            Kind::Flag,
            "Take inertias that break the triangle inequality as they are? Default false.",
        ),
        key(
            "hold",
            Kind::Table(&HOLD),
            "Motors that hold every joint without an actuator where it starts.",
        ),
        key(
            "dynamics",
            Kind::Table(&DYNAMICS),
            "Friction, damping and armature of all its joints, in place of those of the file.",
        ),
    ],
);

pub(in crate::scene) static DYNAMICS: TableSpec = table(
    "dynamics",
    "What every free axis of a model's joints has in place of what the file says.",
    &[
        key(
            "friction",
            Kind::Number,
            "Dry friction, N or N m. Default that of the file.",
        ),
        key(
            "damping",
            Kind::Number,
            "N s/m or N m s/rad. Default that of the file.",
        ),
        key(
            "armature",
            Kind::Number,
            "kg or kg m². Default that of the file.",
        ),
    ],
);

pub(in crate::scene) static HOLD: TableSpec = table(
    "hold",
    "Gains of motors that hold joints where they start; their largest force is that of the file.",
    &[
        required("stiffness", Kind::Number, "N/m or N m/rad."),
        key("damping", Kind::Number, "N s/m or N m s/rad. Default 0."),
    ],
);
