//! Every key of the scene format, once: the parser refuses what is not listed here, suggestions come
//! from here, and the JSON Schema is made from it.

use super::joint::JOINT_TYPES;
use super::settings::{CONTACTS, SOLVERS};
use crate::methods::METHODS;
use stickslip_model::joint::AXIS_NAMES;

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
        key(
            "joint",
            Kind::Tables(&JOINT),
            "What joins two bodies, or a body and the world.",
        ),
        key("spring", Kind::Tables(&SPRING), "Springs and dampers."),
    ],
    later: &[],
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
            "Largest residual of an accepted step, relative to max(1 m/s, |nu|). Default 1e-10.",
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
    later: &[],
    one_key: false,
};

pub(super) static CONE: TableSpec = TableSpec {
    name: "cone",
    doc: "A friction pyramid, or a budget.",
    keys: &[
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
            "Part of an impact's compression that is given back, from 0 to 1. Default 0.",
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
            "groups",
            Kind::List(&Kind::Text),
            "Names of groups; bodies that share one do not collide.",
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
    later: &[],
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
            "cylinder",
            Kind::Table(&CYLINDER),
            "A cylinder around the origin, along z.",
        ),
        key(
            "cone",
            Kind::Table(&CONE_SHAPE),
            "A cone along z, its centre of mass at the origin, its base below.",
        ),
        key(
            "capsule",
            Kind::Table(&CAPSULE),
            "All points within the radius of a segment along z around the origin.",
        ),
        key(
            "hull",
            Kind::Table(&HULL),
            "The convex hull of points. A free one has its centre of mass at the origin.",
        ),
        key(
            "points",
            Kind::Table(&POINTS),
            "Points and nothing between them, such as the feet of a tripod.",
        ),
        key(
            "compound",
            Kind::Tables(&PIECE),
            "Convex pieces that move as one body.",
        ),
        key("mesh", Kind::Table(&MESH), "A surface of triangles."),
        key(
            "height-field",
            Kind::Table(&HEIGHT_FIELD),
            "A surface of heights over a grid.",
        ),
    ],
    later: &[],
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

pub(super) static MESH: TableSpec = TableSpec {
    name: "mesh",
    doc: "A surface of triangles, from a file or written out.",
    keys: &[
        key(
            "file",
            Kind::Text,
            "An STL or OBJ file in the scene's folder.",
        ),
        key(
            "scale",
            Kind::Number,
            "Metres for each unit of the file. Default 1.",
        ),
        key("vertices", Kind::List(&VECTOR), "The vertices, m."),
        key(
            "triangles",
            Kind::List(&Kind::Array(&Kind::Number, 3)),
            "Numbers of three vertices each, from 0, counterclockwise seen from outside.",
        ),
    ],
    later: &[],
    one_key: false,
};

pub(super) static HEIGHT_FIELD: TableSpec = TableSpec {
    name: "height-field",
    doc: "A surface of heights over a grid about the origin, from a file or written out.",
    keys: &[
        key(
            "file",
            Kind::Text,
            "A CSV file, or a grey PNG image (black 0, white 1), in the scene's folder.",
        ),
        key(
            "heights",
            Kind::List(&Kind::List(&Kind::Number)),
            "Rows of heights: along x, the rows along y.",
        ),
        required(
            "spacing",
            Kind::Array(&Kind::Number, 2),
            "Distance of the columns (along x) and of the rows (along y), m.",
        ),
        key(
            "scale",
            Kind::Number,
            "Metres for each unit of height. Default 1.",
        ),
    ],
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

const RADIUS: KeySpec = required("radius", Kind::Number, "Radius, m.");

pub(super) static CYLINDER: TableSpec = TableSpec {
    name: "cylinder",
    doc: "A cylinder around the origin, along z.",
    keys: &[RADIUS, required("length", Kind::Number, "Length, m.")],
    later: &[],
    one_key: false,
};

pub(super) static CONE_SHAPE: TableSpec = TableSpec {
    name: "cone",
    doc: "A cone along z: the base at z = -length/4, the apex at z = 3 length/4.",
    keys: &[
        required("radius", Kind::Number, "Radius of the base, m."),
        required("length", Kind::Number, "From base to apex, m."),
    ],
    later: &[],
    one_key: false,
};

pub(super) static CAPSULE: TableSpec = TableSpec {
    name: "capsule",
    doc: "All points within the radius of a segment along z around the origin.",
    keys: &[
        RADIUS,
        required(
            "length",
            Kind::Number,
            "Length of the segment, m: without the round ends.",
        ),
    ],
    later: &[],
    one_key: false,
};

pub(super) static HULL: TableSpec = TableSpec {
    name: "hull",
    doc: "The convex hull of points.",
    keys: &[required(
        "points",
        Kind::List(&VECTOR),
        "Four points or more, m; those inside the hull do not count.",
    )],
    later: &[],
    one_key: false,
};

pub(super) static POINTS: TableSpec = TableSpec {
    name: "points",
    doc: "Points and nothing between them.",
    keys: &[required(
        "at",
        Kind::List(&VECTOR),
        "The points in the body's frame, m; the origin is the centre of mass.",
    )],
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
    later: &[],
    one_key: false,
};

pub(super) static ACCELERATION: TableSpec = TableSpec {
    name: "accelerations",
    doc: "amplitude*sin(2*pi*frequency*t + phase), along or about a direction.",
    keys: &[
        key("along", VECTOR, "Direction of a linear acceleration."),
        key("about", VECTOR, "Axis of an angular acceleration."),
        required("amplitude", Kind::Number, "m/s² or rad/s²."),
        required("frequency", Kind::Number, "Hz."),
        key("phase", Kind::Number, "rad. Default 0."),
    ],
    later: &[],
    one_key: false,
};

pub(super) static TABLE: TableSpec = TableSpec {
    name: "table",
    doc: "A periodic motion: cubic splines through rows of which the last is the first again.",
    keys: &[
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
        key(
            "collide",
            Kind::Flag,
            "false: the two pass through each other.",
        ),
    ],
    later: &[],
    one_key: false,
};

const AXIS_KINDS: Kind =
    Kind::Either(&[Kind::Choice(&["free", "locked"]), Kind::Table(&JOINT_AXIS)]);
const ORIENTATION_KINDS: Kind =
    Kind::Either(&[Kind::Array(&Kind::Number, 4), Kind::Table(&ORIENTATION)]);

pub(super) static JOINT: TableSpec = TableSpec {
    name: "[[joint]]",
    doc: "What joins two bodies, or a body and the world.",
    keys: &[
        key(
            "name",
            Kind::Text,
            "The joint's name. Default: its type and its bodies.",
        ),
        required("type", Kind::Choice(&JOINT_TYPES), "The kind of joint."),
        required(
            "bodies",
            Kind::Array(&Kind::Text, 2),
            "The names of the two bodies; \"world\" for the world.",
        ),
        key(
            "anchor",
            VECTOR,
            "Where the bodies meet, m, world frame, at the start.",
        ),
        key(
            "anchors",
            Kind::Array(&VECTOR, 2),
            "Where the bodies meet, m, in each body's frame.",
        ),
        key("axis", VECTOR, "Axis, world frame, at the start."),
        key(
            "axes",
            Kind::Array(&VECTOR, 2),
            "Axis in each body's frame.",
        ),
        key(
            "orientation",
            ORIENTATION_KINDS,
            "The joint's frame in the world at the start, in place of `axis`.",
        ),
        key(
            "orientations",
            Kind::Array(&ORIENTATION_KINDS, 2),
            "The joint's frame in each body's frame.",
        ),
        key(
            "limits",
            Kind::Array(&Kind::Limit, 2),
            "Least and largest coordinate, m or rad; -inf and inf for none.",
        ),
        key("motor", Kind::Table(&MOTOR), "What drives the axis."),
        key(
            "friction",
            Kind::Number,
            "Dry friction: largest force or torque against motion, N or N m. Default 0.",
        ),
        key(
            "motion",
            Kind::Function,
            "The coordinate as a function of time, m or rad.",
        ),
        key(
            "collide",
            Kind::Flag,
            "May the two bodies collide? Default false.",
        ),
        key(
            "x",
            AXIS_KINDS,
            "Axis x of a six-dof joint. Default \"locked\".",
        ),
        key(
            "y",
            AXIS_KINDS,
            "Axis y of a six-dof joint. Default \"locked\".",
        ),
        key(
            "z",
            AXIS_KINDS,
            "Axis z of a six-dof joint. Default \"locked\".",
        ),
        key(
            "rx",
            AXIS_KINDS,
            "Axis rx of a six-dof joint. Default \"locked\".",
        ),
        key(
            "ry",
            AXIS_KINDS,
            "Axis ry of a six-dof joint. Default \"locked\".",
        ),
        key(
            "rz",
            AXIS_KINDS,
            "Axis rz of a six-dof joint. Default \"locked\".",
        ),
    ],
    later: &[],
    one_key: false,
};

pub(super) static JOINT_AXIS: TableSpec = TableSpec {
    name: "axis",
    doc: "A free axis of a six-dof joint and what acts on it.",
    keys: &[
        key(
            "limits",
            Kind::Array(&Kind::Limit, 2),
            "Least and largest coordinate, m or rad; -inf and inf for none.",
        ),
        key("motor", Kind::Table(&MOTOR), "What drives the axis."),
        key(
            "friction",
            Kind::Number,
            "Dry friction: largest force or torque against motion, N or N m. Default 0.",
        ),
        key(
            "motion",
            Kind::Function,
            "The coordinate as a function of time, m or rad.",
        ),
    ],
    later: &[],
    one_key: false,
};

pub(super) static MOTOR: TableSpec = TableSpec {
    name: "motor",
    doc: "A motor with a rate or a coordinate to reach.",
    keys: &[
        key(
            "velocity",
            Kind::Function,
            "The rate to reach, m/s or rad/s.",
        ),
        key(
            "position",
            Kind::Function,
            "The coordinate to reach, m or rad.",
        ),
        key(
            "speed",
            Kind::Limit,
            "Largest rate on the way to `position`, m/s or rad/s. Default none.",
        ),
        key(
            "force",
            Kind::Limit,
            "Largest force or torque, N or N m. Default none.",
        ),
    ],
    later: &[],
    one_key: false,
};

pub(super) static SPRING: TableSpec = TableSpec {
    name: "[[spring]]",
    doc: "A spring with a damper, between two points or in a joint.",
    keys: &[
        key(
            "name",
            Kind::Text,
            "The spring's name. Default: what it is attached to.",
        ),
        key(
            "between",
            Kind::Array(&Kind::Table(&END), 2),
            "The two ends.",
        ),
        key("joint", Kind::Text, "The joint in which it sits."),
        key(
            "axis",
            Kind::Choice(&AXIS_NAMES),
            "The axis of that joint. Default: its free one.",
        ),
        key("stiffness", Kind::Number, "N/m or N m/rad. Default 0."),
        key("damping", Kind::Number, "N s/m or N m s/rad. Default 0."),
        key(
            "length",
            Kind::Number,
            "Length at rest, m. Default: that at the start.",
        ),
        key(
            "rest",
            Kind::Number,
            "Coordinate at rest of a spring in a joint, m or rad. Default: that at the start.",
        ),
        key(
            "explicit",
            Kind::Flag,
            "Taken at the start of each step, which is unstable for stiff springs. Default false.",
        ),
    ],
    later: &[],
    one_key: false,
};

pub(super) static END: TableSpec = TableSpec {
    name: "end",
    doc: "One end of a spring.",
    keys: &[
        required(
            "body",
            Kind::Text,
            "The name of the body; \"world\" for the world.",
        ),
        key(
            "point",
            VECTOR,
            "The point, m, body frame. Default [0, 0, 0].",
        ),
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
