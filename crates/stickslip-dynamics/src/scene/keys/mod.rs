//! Every key of the scene format, once: the parser refuses what is not listed here, suggestions come
//! from here, and the JSON Schema is made from it. The root is here; the tables of a subject are in its file.

mod body;
mod include;
mod joint;
mod material;
mod shape;
mod step;

pub(super) use body::{ACCELERATION, BODY, FORCE, GRAIN, MOTION, ORIENTATION, SURFACE, TABLE};
pub(super) use include::{DYNAMICS, FRAME, HOLD, INCLUDE};
pub(super) use joint::{END, GEAR, JOINT, JOINT_AXIS, MOTOR, MOTOR_ENTRY, SPRING, TARGET_TABLE};
pub(super) use material::{CONTACT, FRICTION, MATERIAL, PAIR};
pub(super) use shape::{
    BALL, BOX, CAPSULE, CONE_SHAPE, CYLINDER, HALF_SPACE, HEIGHT_FIELD, HULL, MESH, PIECE, POINTS,
    SHAPE,
};
pub(super) use step::{CONE, STEP};

/// A table of the format and its keys.
pub(in crate::scene) struct TableSpec {
    /// How the table is called in messages, such as `[[body]]`.
    pub(in crate::scene) name: &'static str,
    /// What the table is for.
    pub(in crate::scene) doc: &'static str,
    /// The keys it may have.
    pub(in crate::scene) keys: &'static [KeySpec],
    /// Exactly one key must be present.
    pub(in crate::scene) one_key: bool,
}

/// A key of a table.
pub(in crate::scene) struct KeySpec {
    /// The key.
    pub(in crate::scene) name: &'static str,
    /// Whether it must be present.
    pub(in crate::scene) required: bool,
    /// What its value may be.
    pub(in crate::scene) kind: Kind,
    /// What it means, with unit and default.
    pub(in crate::scene) doc: &'static str,
}

/// What a value may be.
pub(in crate::scene) enum Kind {
    /// A string.
    Text,
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// True or false.
    Flag,
    /// A number, a formula, or infinity.
    Limit,
    /// `"pyramid:8"` or `"budget:30000"`.
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
    /// Any number of values of one kind.
    List(&'static Kind),
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
pub(in crate::scene) const SYNONYMS: [(&str, &str); 30] = [
    ("between", "bodies"),
    ("bodies", "between"),
    ("body-a", "bodies"),
    ("body-b", "bodies"),
    ("child", "bodies"),
    ("cube", "box"),
    ("cuboid", "box"),
    ("dimensions", "size"),
    ("dt", "h"),
    ("duration", "until"),
    ("end", "until"),
    ("g", "gravity"),
    ("height", "length"),
    ("id", "name"),
    ("kind", "type"),
    ("kind", "motion"),
    ("mu", "friction"),
    ("omega", "angular-velocity"),
    ("parent", "bodies"),
    ("plane", "half-space"),
    ("pos", "position"),
    ("quaternion", "orientation"),
    ("r", "radius"),
    ("rotation", "orientation"),
    ("sphere", "ball"),
    ("timestep", "h"),
    ("tmax", "until"),
    ("type", "motion"),
    ("vel", "velocity"),
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

/// A table of which any keys may be present.
const fn table(name: &'static str, doc: &'static str, keys: &'static [KeySpec]) -> TableSpec {
    TableSpec {
        name,
        doc,
        keys,
        one_key: false,
    }
}

/// A table of which exactly one key must be present.
const fn one_of(name: &'static str, doc: &'static str, keys: &'static [KeySpec]) -> TableSpec {
    TableSpec {
        name,
        doc,
        keys,
        one_key: true,
    }
}

const VECTOR: Kind = Kind::Array(&Kind::Number, 3);
const VECTOR_OF_TIME: Kind = Kind::Array(&Kind::Function, 3);
const FRICTION_KINDS: Kind = Kind::Either(&[Kind::Number, Kind::Table(&FRICTION)]);
const ORIENTATION_KINDS: Kind =
    Kind::Either(&[Kind::Array(&Kind::Number, 4), Kind::Table(&ORIENTATION)]);

pub(in crate::scene) static ROOT: TableSpec = table(
    "the scene",
    "A stickslip scene: bodies, contacts and forces. SI units, radians.",
    &[
        key("format", Kind::Format, "Version of the format, 1."),
        key("title", Kind::Text, "What the scene shows."),
        key(
            "gravity",
            VECTOR,
            "Acceleration of gravity, m/s². Default [0, 0, -9.81].",
        ),
        key(
            "seed",
            Kind::Number,
            "Seed of the random numbers in the bodies' formulas, a whole number. Default 0.",
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
            "pair",
            Kind::Tables(&PAIR),
            "What holds between bodies of two materials.",
        ),
        key(
            "force",
            Kind::Tables(&FORCE),
            "Forces and torques as functions of time.",
        ),
        key(
            "joint",
            Kind::Tables(&JOINT),
            "What joins two bodies, or a body and the world.",
        ),
        key("spring", Kind::Tables(&SPRING), "Springs and dampers."),
        key(
            "gear",
            Kind::Tables(&GEAR),
            "Equations between the coordinates of two joints.",
        ),
        key(
            "motor",
            Kind::Tables(&MOTOR_ENTRY),
            "Motors on joints that stand elsewhere.",
        ),
        key("frame", Kind::Tables(&FRAME), "Names for places on bodies."),
        key(
            "include",
            Kind::Tables(&INCLUDE),
            "Models of other formats: URDF and MJCF.",
        ),
    ],
);
