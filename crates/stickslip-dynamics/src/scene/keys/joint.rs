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
    &[LIMITS, DRIVE, DRY_FRICTION, PRESCRIBED],
);

pub(in crate::scene) static MOTOR: TableSpec = table(
    "motor",
    "A motor with a rate or a coordinate to reach.",
    &[
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
