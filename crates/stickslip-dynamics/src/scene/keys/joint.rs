//! Joints and springs.

use super::super::joint::JOINT_TYPES;
use super::{KeySpec, Kind, ORIENTATION_KINDS, TableSpec, VECTOR, key, required, table};
use stickslip_model::joint::AXIS_NAMES;

// What acts on the axis of a joint, given for its one free axis or for an axis of a six-dof joint.
const LIMITS: KeySpec = key(
    "limits",
    Kind::Array(&Kind::Limit, 2),
    "Least and largest coordinate, m or rad; -inf and inf for none.",
);
const DRIVE: KeySpec = key("motor", Kind::Table(&MOTOR), "What drives the axis.");
const DRY_FRICTION: KeySpec = key(
    "friction",
    Kind::Number,
    "Dry friction: largest force or torque against motion, N or N m. Default 0.",
);
const DAMPING: KeySpec = key(
    "damping",
    Kind::Number,
    "Force or torque against motion for each unit of its rate, N s/m or N m s/rad. Default 0.",
);
const STIFFNESS: KeySpec = key(
    "stiffness",
    Kind::Number,
    "Of a spring on the axis, N/m or N m/rad. Default 0.",
);
const REST: KeySpec = key(
    "rest",
    Kind::Number,
    "Coordinate at which that spring is at rest, m or rad. Default 0.",
);
const ARMATURE: KeySpec = key(
    "armature",
    Kind::Number,
    "Inertia that turns or moves with the axis, such as that of a rotor behind a gear, kg or kg m². Default 0.",
);
const PRESCRIBED: KeySpec = key(
    "motion",
    Kind::Function,
    "The coordinate as a function of time, m or rad.",
);

const AXIS_KINDS: Kind =
    Kind::Either(&[Kind::Choice(&["free", "locked"]), Kind::Table(&JOINT_AXIS)]);

pub(in crate::scene) static JOINT: TableSpec = table(
    "[[joint]]",
    "What joins two bodies, or a body and the world.",
    &[
        key(
            "name",
            Kind::Text,
            "The joint's name. Default: its type and its bodies.",
        ),
        key(
            "count",
            Kind::Number,
            "So many of them, with the index `i` in formulas and in the brackets of names.",
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
        LIMITS,
        DRIVE,
        DRY_FRICTION,
        DAMPING,
        STIFFNESS,
        REST,
        ARMATURE,
        PRESCRIBED,
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
);

pub(in crate::scene) static JOINT_AXIS: TableSpec = table(
    "axis",
    "A free axis of a six-dof joint and what acts on it.",
    &[
        LIMITS,
        DRIVE,
        DRY_FRICTION,
        DAMPING,
        STIFFNESS,
        REST,
        ARMATURE,
        PRESCRIBED,
    ],
);

const TARGET: Kind = Kind::Either(&[Kind::Function, Kind::Table(&TARGET_TABLE)]);

const VELOCITY: KeySpec = key("velocity", TARGET, "The rate to reach, m/s or rad/s.");
const POSITION: KeySpec = key("position", TARGET, "The coordinate to reach, m or rad.");
const EFFORT: KeySpec = key("effort", TARGET, "The force or torque itself, N or N m.");
const SPEED: KeySpec = key(
    "speed",
    Kind::Limit,
    "Largest rate on the way to `position`, m/s or rad/s. Default none.",
);
const GAIN: KeySpec = key(
    "stiffness",
    Kind::Number,
    "Force for each m or rad that is missing to `position`, N/m or N m/rad. Without gains a motor reaches its aim as far as its \
     force goes.",
);
const RATE_GAIN: KeySpec = key(
    "damping",
    Kind::Number,
    "Force against the rate, or against what is missing to `velocity`, N s/m or N m s/rad.",
);
const FORCE: KeySpec = key(
    "force",
    Kind::Limit,
    "Largest force or torque, N or N m. Default none.",
);

pub(in crate::scene) static MOTOR: TableSpec = table(
    "motor",
    "A motor with a rate or a coordinate to reach, or a force.",
    &[VELOCITY, POSITION, EFFORT, SPEED, GAIN, RATE_GAIN, FORCE],
);

pub(in crate::scene) static MOTOR_ENTRY: TableSpec = table(
    "[[motor]]",
    "A motor on an axis of a joint that stands elsewhere, such as in an included model; it takes the place of one that is there.",
    &[
        required("joint", Kind::Text, "The joint, or the joint of a model."),
        key(
            "axis",
            Kind::Choice(&AXIS_NAMES),
            "The axis of that joint. Default: its free one.",
        ),
        VELOCITY,
        POSITION,
        EFFORT,
        SPEED,
        GAIN,
        RATE_GAIN,
        FORCE,
    ],
);

pub(in crate::scene) static TARGET_TABLE: TableSpec = table(
    "table",
    "Values at given times, with straight lines between them.",
    &[
        required("t", Kind::List(&Kind::Number), "Times, s, rising."),
        required("value", Kind::List(&Kind::Number), "As many values."),
        key(
            "repeat",
            Kind::Flag,
            "Begin again at the end? The last value is then the first. Default false: the last value stays.",
        ),
    ],
);

pub(in crate::scene) static SPRING: TableSpec = table(
    "[[spring]]",
    "A spring with a damper, between two points or in a joint.",
    &[
        key(
            "name",
            Kind::Text,
            "The spring's name. Default: what it is attached to.",
        ),
        key(
            "count",
            Kind::Number,
            "So many of them, with the index `i` in formulas and in the brackets of names.",
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
            "inertance",
            Kind::Number,
            "Force against the acceleration of its length or coordinate, kg or kg m². Default 0.",
        ),
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
);

pub(in crate::scene) static END: TableSpec = table(
    "end",
    "One end of a spring.",
    &[
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
);
