//! Bodies: where they are, how they move, what acts on them.

use super::{
    FRICTION_KINDS, Kind, ORIENTATION_KINDS, SHAPE, TableSpec, VECTOR, VECTOR_OF_TIME, key,
    required, table,
};

pub(in crate::scene) static BODY: TableSpec = table(
    "[[body]]",
    "A body, or `count` of them.",
    &[
        required("name", Kind::Text, "The body's name, used once."),
        key(
            "count",
            Kind::Number,
            "Makes name[0], name[1], …; `i` is the index in this body's formulas.",
        ),
        required(
            "shape",
            Kind::Either(&[Kind::Choice(&["point"]), Kind::Table(&SHAPE)]),
            "The shape, around the body's origin.",
        ),
        key(
            "motion",
            Kind::Either(&[Kind::Choice(&["free", "fixed"]), Kind::Table(&MOTION)]),
            "\"free\" (default), \"fixed\", or a motion prescribed as a function of time.",
        ),
        key("mass", Kind::Number, "Mass, kg."),
        key(
            "density",
            Kind::Number,
            "Density, kg/m³, in place of the mass.",
        ),
        key(
            "inertia",
            Kind::Either(&[VECTOR, Kind::Array(&VECTOR, 3)]),
            "Inertia about the origin in the body's frame, kg m²: its diagonal, or the whole matrix. \
             Follows from the shape unless given.",
        ),
        key(
            "center-of-mass",
            VECTOR,
            "Centre of mass of a free body in the frame of its shape, m, with `mass` and `inertia`.",
        ),
        key(
            "any-inertia",
            Kind::Flag,
            "Take an inertia that breaks the triangle inequality as it is? Default false.",
        ),
        key(
            "position",
            VECTOR,
            "Place of the origin at the start, m. Default [0, 0, 0].",
        ),
        key(
            "orientation",
            ORIENTATION_KINDS,
            "Orientation at the start: unit quaternion, scalar first, { axis, angle } or { rpy }.",
        ),
        key(
            "velocity",
            VECTOR,
            "Velocity of the origin at the start, m/s. Default [0, 0, 0].",
        ),
        key(
            "angular-velocity",
            VECTOR,
            "Angular velocity at the start, rad/s, world frame. Default [0, 0, 0].",
        ),
        key(
            "groups",
            Kind::List(&Kind::Text),
            "Names of groups; bodies that share one do not collide.",
        ),
        key(
            "collide",
            Kind::Flag,
            "Does it collide with anything? Default true.",
        ),
        key(
            "surface",
            Kind::Either(&[Kind::Table(&SURFACE), Kind::List(&Kind::Table(&SURFACE))]),
            "A surface that moves along the body, as a belt does; or several, with a face each.",
        ),
        key(
            "grain",
            Kind::Table(&GRAIN),
            "A direction along which friction differs from that across it.",
        ),
        key(
            "material",
            Kind::Text,
            "Name of what it is made of, for [[pair]].",
        ),
        key(
            "friction",
            FRICTION_KINDS,
            "The body's own friction, in place of the one in [material].",
        ),
        key(
            "restitution",
            Kind::Number,
            "The body's own restitution, in place of the one in [material].",
        ),
        key(
            "torsion",
            Kind::Number,
            "The body's own radius of torsional friction, m, in place of the one in [material].",
        ),
        key(
            "rolling",
            Kind::Number,
            "The body's own rolling resistance, m, in place of the one in [material].",
        ),
        key(
            "color",
            Kind::Either(&[Kind::Text, VECTOR]),
            "Colour in pictures: \"#rrggbb\", or red, green and blue from 0 to 1.",
        ),
    ],
);

pub(in crate::scene) static SURFACE: TableSpec = table(
    "surface",
    "How a surface moves along its body, in the body's frame.",
    &[
        key(
            "velocity",
            VECTOR_OF_TIME,
            "Velocity at the body's origin, m/s. Default [0, 0, 0].",
        ),
        key(
            "angular-velocity",
            VECTOR_OF_TIME,
            "Angular velocity about the body's origin, rad/s. Default [0, 0, 0].",
        ),
        key(
            "face",
            VECTOR,
            "The face that moves, by its outward direction; all of the body where it is absent.",
        ),
    ],
);

pub(in crate::scene) static GRAIN: TableSpec = table(
    "grain",
    "Friction that depends on the direction of the slip.",
    &[
        required(
            "direction",
            VECTOR,
            "The direction that has the friction of the pair, in the body's frame.",
        ),
        required(
            "ratio",
            Kind::Number,
            "Friction across that direction over friction along it, from 0.001 to 1000.",
        ),
    ],
);

pub(in crate::scene) static MOTION: TableSpec = table(
    "motion",
    "A motion prescribed as a function of time.",
    &[
        key(
            "position",
            VECTOR_OF_TIME,
            "Place of the origin, m. Default [0, 0, 0].",
        ),
        key("axis", VECTOR, "Axis of rotation, world frame."),
        key(
            "angle",
            Kind::Function,
            "Angle about the axis, rad. Default 0.",
        ),
        key(
            "rotation",
            VECTOR_OF_TIME,
            "Rotation vector, rad, world frame, after the turn by `angle`. Default [0, 0, 0].",
        ),
        key(
            "accelerations",
            Kind::Tables(&ACCELERATION),
            "Sinusoidal accelerations, integrated with zero-mean velocity and added to the rest.",
        ),
        key(
            "table",
            Kind::Table(&TABLE),
            "A periodic motion through the rows of a table, added to the rest.",
        ),
    ],
);

pub(in crate::scene) static ACCELERATION: TableSpec = table(
    "accelerations",
    "amplitude*sin(2*pi*frequency*t + phase), along or about a direction.",
    &[
        key("along", VECTOR, "Direction of a linear acceleration."),
        key("about", VECTOR, "Axis of an angular acceleration."),
        required("amplitude", Kind::Number, "m/s² or rad/s²."),
        required("frequency", Kind::Number, "Hz."),
        key("phase", Kind::Number, "rad. Default 0."),
    ],
);

pub(in crate::scene) static TABLE: TableSpec = table(
    "table",
    "A periodic motion: cubic splines through rows of which the last is the first again.",
    &[
        required(
            "t",
            Kind::List(&Kind::Number),
            "Times of the rows, s, rising; the last minus the first is the period.",
        ),
        key("x", Kind::List(&Kind::Number), "Place along x, m."),
        key("y", Kind::List(&Kind::Number), "Place along y, m."),
        key("z", Kind::List(&Kind::Number), "Place along z, m."),
        key("rx", Kind::List(&Kind::Number), "Rotation vector's x, rad."),
        key("ry", Kind::List(&Kind::Number), "Rotation vector's y, rad."),
        key("rz", Kind::List(&Kind::Number), "Rotation vector's z, rad."),
    ],
);

pub(in crate::scene) static ORIENTATION: TableSpec = table(
    "orientation",
    "An orientation by axis and angle, or by roll, pitch and yaw.",
    &[
        key("axis", VECTOR, "Axis of rotation."),
        key("angle", Kind::Number, "Angle about the axis, rad."),
        key(
            "rpy",
            VECTOR,
            "Roll, pitch and yaw, rad: about the fixed x, y and z axes in this order.",
        ),
    ],
);

pub(in crate::scene) static FORCE: TableSpec = table(
    "[[force]]",
    "A force and a torque on one free body.",
    &[
        required("body", Kind::Text, "The name of the body."),
        key(
            "count",
            Kind::Number,
            "So many of them, with the index `i` in formulas and in the brackets of names.",
        ),
        key(
            "force",
            VECTOR_OF_TIME,
            "Force, N, world frame. Default [0, 0, 0].",
        ),
        key(
            "torque",
            VECTOR_OF_TIME,
            "Torque about the body's origin, N m, world frame. Default [0, 0, 0].",
        ),
        key(
            "point",
            VECTOR,
            "Where the force acts, m, body frame. Default [0, 0, 0].",
        ),
    ],
);
