//! Every key of the scene format, once: the parser refuses what is not listed here, suggestions come
//! from here, and the JSON Schema is made from it.

use super::settings::{CONTACTS, METHODS, SOLVERS};

/// A table of the format and its keys.
pub(super) struct TableSpec {
    /// How the table is called in messages, such as `[[body]]`.
    pub(super) name: &'static str,
    /// What the table is for.
    pub(super) doc: &'static str,
    /// The keys it may have.
    pub(super) keys: &'static [KeySpec],
    /// Keys that are part of the plan and not supported yet: they are refused with that word.
    pub(super) later: &'static [&'static str],
    /// Exactly one key must be present.
    pub(super) one_key: bool,
}

/// A key of a table.
pub(super) struct KeySpec {
    /// The key.
    pub(super) name: &'static str,
    /// Whether it must be present.
    pub(super) required: bool,
    /// What its value may be.
    pub(super) kind: Kind,
    /// What it means, with unit and default.
    pub(super) doc: &'static str,
}

/// What a value may be.
pub(super) enum Kind {
    /// A string.
    Text,
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// `"pyramid:8"`.
    PyramidText,
    /// The number of the format's version.
    Format,
    /// A number or a formula that is constant in time.
    Number,
    /// A number or a formula of time.
    Function,
    /// So many values of one kind.
    Array(&'static Kind, usize),
    /// A shape, which may hold shapes itself.
    Shape,
    /// A table.
    Table(&'static TableSpec),
    /// An array of tables.
    Tables(&'static TableSpec),
    /// A table with names of the user's choice and a number or formula each.
    Parameters,
    /// Any of several.
    Either(&'static [Kind]),
}

/// What other programs call our keys.
pub(super) const SYNONYMS: [(&str, &str); 16] = [
    ("cube", "box"),
    ("cuboid", "box"),
    ("dt", "h"),
    ("end", "until"),
    ("g", "gravity"),
    ("id", "name"),
    ("kind", "motion"),
    ("mu", "friction"),
    ("omega", "angular-velocity"),
    ("plane", "half-space"),
    ("quaternion", "orientation"),
    ("rotation", "orientation"),
    ("sphere", "ball"),
    ("timestep", "h"),
    ("type", "motion"),
    ("wrench", "torque"),
];

const fn key(name: &'static str, kind: Kind, doc: &'static str) -> KeySpec {
    KeySpec {
        name,
        required: false,
        kind,
        doc,
    }
}

const fn required(name: &'static str, kind: Kind, doc: &'static str) -> KeySpec {
    KeySpec {
        name,
        required: true,
        kind,
        doc,
    }
}

const VECTOR: Kind = Kind::Array(&Kind::Number, 3);
const VECTOR_OF_TIME: Kind = Kind::Array(&Kind::Function, 3);
const FRICTION_KINDS: Kind = Kind::Either(&[Kind::Number, Kind::Table(&FRICTION)]);

pub(super) static ROOT: TableSpec = TableSpec {
    name: "the scene",
    doc: "A stickslip scene: bodies, contacts and forces. SI units, radians.",
    keys: &[
        key("format", Kind::Format, "Version of the format, 1."),
        key("title", Kind::Text, "What the scene shows."),
        key(
            "gravity",
            VECTOR,
            "Acceleration of gravity, m/s². Default [0, 0, -9.81].",
        ),
        key(
            "parameters",
            Kind::Parameters,
            "Named numbers for use in formulas; they may use each other.",
        ),
        required("step", Kind::Table(&STEP), "How time is stepped."),
        key(
            "material",
            Kind::Table(&MATERIAL),
            "Default material of every body.",
        ),
        key("body", Kind::Tables(&BODY), "The bodies."),
        key(
            "contact",
            Kind::Tables(&CONTACT),
            "What holds for one pair of bodies.",
        ),
        key(
            "force",
            Kind::Tables(&FORCE),
            "Forces and torques as functions of time.",
        ),
    ],
    later: &["joint", "spring"],
    one_key: false,
};

pub(super) static STEP: TableSpec = TableSpec {
    name: "[step]",
    doc: "How time is stepped.",
    keys: &[
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
            "Friction cone: the exact one (default) or a pyramid.",
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
            "Largest residual of an accepted step, relative to max(1 m/s, |nu|). Default 1e-10.",
        ),
    ],
    later: &[],
    one_key: false,
};

pub(super) static CONE: TableSpec = TableSpec {
    name: "cone",
    doc: "A friction pyramid.",
    keys: &[required(
        "pyramid",
        Kind::Number,
        "Number of directions over the whole circle, at least 3.",
    )],
    later: &[],
    one_key: false,
};

pub(super) static MATERIAL: TableSpec = TableSpec {
    name: "[material]",
    doc: "Default material of every body.",
    keys: &[
        key(
            "friction",
            FRICTION_KINDS,
            "Coulomb friction coefficient. Default 0.",
        ),
        key(
            "restitution",
            Kind::Number,
            "Ratio of speeds after and before an impact. Default 0, the only value supported now.",
        ),
    ],
    later: &[],
    one_key: false,
};

pub(super) static FRICTION: TableSpec = TableSpec {
    name: "friction",
    doc: "Different coefficients for sticking and sliding.",
    keys: &[
        required("static", Kind::Number, "Coefficient while sticking."),
        required(
            "kinetic",
            Kind::Number,
            "Coefficient while sliding, at most the static one.",
        ),
    ],
    later: &[],
    one_key: false,
};

pub(super) static BODY: TableSpec = TableSpec {
    name: "[[body]]",
    doc: "A body, or `count` of them.",
    keys: &[
        required("name", Kind::Text, "The body's name, used once."),
        key(
            "count",
            Kind::Number,
            "Makes name[0], name[1], …; `i` is the index in this body's formulas.",
        ),
        required(
            "shape",
            Kind::Table(&SHAPE),
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
            "position",
            VECTOR,
            "Place of the origin at the start, m. Default [0, 0, 0].",
        ),
        key(
            "orientation",
            Kind::Either(&[Kind::Array(&Kind::Number, 4), Kind::Table(&ORIENTATION)]),
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
            "friction",
            FRICTION_KINDS,
            "The body's own friction, in place of the one in [material].",
        ),
        key(
            "restitution",
            Kind::Number,
            "The body's own restitution, in place of the one in [material].",
        ),
    ],
    later: &["groups"],
    one_key: false,
};

pub(super) static SHAPE: TableSpec = TableSpec {
    name: "shape",
    doc: "A shape: one of these keys.",
    keys: &[
        key(
            "half-space",
            Kind::Table(&HALF_SPACE),
            "Everything below a plane.",
        ),
        key("ball", Kind::Table(&BALL), "A ball around the origin."),
        key("box", Kind::Table(&BOX), "A box around the origin."),
        key(
            "compound",
            Kind::Tables(&PIECE),
            "Convex pieces that move as one body.",
        ),
    ],
    later: &[
        "capsule",
        "cylinder",
        "cone",
        "hull",
        "mesh",
        "height-field",
        "point",
    ],
    one_key: true,
};

pub(super) static HALF_SPACE: TableSpec = TableSpec {
    name: "half-space",
    doc: "Everything below a plane; its free side is normal·x >= offset.",
    keys: &[
        required(
            "normal",
            VECTOR,
            "Normal out of the solid, of any length but 0.",
        ),
        key(
            "offset",
            Kind::Number,
            "Distance of the plane from the origin along the normal, m. Default 0.",
        ),
    ],
    later: &[],
    one_key: false,
};

pub(super) static BALL: TableSpec = TableSpec {
    name: "ball",
    doc: "A ball around the origin.",
    keys: &[required("radius", Kind::Number, "Radius, m.")],
    later: &[],
    one_key: false,
};

pub(super) static BOX: TableSpec = TableSpec {
    name: "box",
    doc: "A box around the origin.",
    keys: &[required("size", VECTOR, "Full edge lengths, m.")],
    later: &[],
    one_key: false,
};

pub(super) static PIECE: TableSpec = TableSpec {
    name: "compound",
    doc: "A convex piece of a compound.",
    keys: &[
        required(
            "shape",
            Kind::Shape,
            "Its shape: convex, or a compound itself.",
        ),
        key(
            "position",
            VECTOR,
            "Place of its origin in the body's frame, m. Default [0, 0, 0].",
        ),
        key(
            "orientation",
            Kind::Either(&[Kind::Array(&Kind::Number, 4), Kind::Table(&ORIENTATION)]),
            "Its orientation in the body's frame, as a body's.",
        ),
    ],
    later: &[],
    one_key: false,
};

pub(super) static MOTION: TableSpec = TableSpec {
    name: "motion",
    doc: "A motion prescribed as a function of time.",
    keys: &[
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
    ],
    later: &[],
    one_key: false,
};

pub(super) static ORIENTATION: TableSpec = TableSpec {
    name: "orientation",
    doc: "An orientation by axis and angle, or by roll, pitch and yaw.",
    keys: &[
        key("axis", VECTOR, "Axis of rotation."),
        key("angle", Kind::Number, "Angle about the axis, rad."),
        key(
            "rpy",
            VECTOR,
            "Roll, pitch and yaw, rad: about the fixed x, y and z axes in this order.",
        ),
    ],
    later: &[],
    one_key: false,
};

pub(super) static CONTACT: TableSpec = TableSpec {
    name: "[[contact]]",
    doc: "What holds for one pair of bodies, whatever the bodies say.",
    keys: &[
        required(
            "bodies",
            Kind::Array(&Kind::Text, 2),
            "The names of the two bodies.",
        ),
        key("friction", FRICTION_KINDS, "Friction of the pair."),
        key("restitution", Kind::Number, "Restitution of the pair."),
    ],
    later: &[],
    one_key: false,
};

pub(super) static FORCE: TableSpec = TableSpec {
    name: "[[force]]",
    doc: "A force and a torque on one free body.",
    keys: &[
        required("body", Kind::Text, "The name of the body."),
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
    later: &[],
    one_key: false,
};
