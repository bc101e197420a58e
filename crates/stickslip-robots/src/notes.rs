//! What nobody asked for, told apart: what is not understood, and what is for pictures and other programs.

use crate::place::{Note, Regard};
use crate::xml::{Asked, Attribute, Element};

/// A thing that is known and not used: element, attribute (empty for the whole element), and why.
type Known = (&'static str, &'static str, &'static str);

const PICTURES: &str = "for pictures";

const XACRO: &str = "this is xacro, from which URDF is made: xacro FILE > robot.urdf";

/// Of URDF, what has no effect on motion.
const URDF_IDLE: [Known; 3] = [
    ("visual", "", PICTURES),
    ("material", "", PICTURES),
    ("collision_checking", "", "of another program"),
];

/// Of URDF, what would have an effect and is not there.
const URDF_MISSING: [Known; 10] = [
    ("include", "", XACRO),
    ("macro", "", XACRO),
    ("property", "", XACRO),
    ("limit", "velocity", "speeds are not limited"),
    (
        "safety_controller",
        "",
        "there is no controller but the motors of a scene",
    ),
    ("calibration", "", "there are no sensors to calibrate"),
    ("transmission", "", "motors act on joints directly"),
    ("gazebo", "", "of another program"),
    (
        "joint_properties",
        "",
        "the element of the format is <dynamics>",
    ),
    ("sensor", "", "there are no such sensors"),
];

/// Of SRDF, what has no effect on motion.
const SRDF_IDLE: [Known; 9] = [
    ("group", "", "of planners"),
    ("group_state", "", "of planners"),
    ("end_effector", "", "of planners"),
    ("virtual_joint", "", "of planners"),
    ("passive_joint", "", "of planners"),
    ("chain", "", "of planners"),
    ("specificities", "", "of planners"),
    ("rotor_params", "", "of planners"),
    ("gripper", "", "of planners"),
];

/// Of MJCF, what has no effect on motion.
const MJCF_IDLE: [Known; 31] = [
    ("visual", "", PICTURES),
    ("statistic", "", PICTURES),
    ("size", "", "memory of another program"),
    ("light", "", PICTURES),
    ("camera", "", PICTURES),
    ("texture", "", PICTURES),
    ("material", "", PICTURES),
    ("skin", "", PICTURES),
    ("geom", "group", PICTURES),
    ("geom", "user", PICTURES),
    ("site", "rgba", PICTURES),
    ("site", "material", PICTURES),
    ("site", "group", PICTURES),
    ("site", "type", PICTURES),
    ("site", "size", PICTURES),
    ("site", "user", PICTURES),
    ("joint", "group", PICTURES),
    ("joint", "user", PICTURES),
    ("body", "user", PICTURES),
    ("tendon", "rgba", PICTURES),
    ("tendon", "width", PICTURES),
    ("compiler", "texturedir", PICTURES),
    ("compiler", "discardvisual", PICTURES),
    ("compiler", "usethread", PICTURES),
    (
        "sensor",
        "",
        "positions, velocities and forces are in the record of every run",
    ),
    ("custom", "", "of other programs"),
    ("motor", "group", PICTURES),
    ("position", "group", PICTURES),
    ("velocity", "group", PICTURES),
    ("mesh", "smoothnormal", PICTURES),
    ("body", "sleep", "nothing sleeps here"),
];

const SOFT: &str = "contacts and limits are rigid";

/// Of MJCF, what would have an effect and is not there.
const MJCF_MISSING: [Known; 33] = [
    ("geom", "solref", SOFT),
    ("geom", "solimp", SOFT),
    ("geom", "solmix", SOFT),
    ("geom", "margin", SOFT),
    ("geom", "gap", SOFT),
    (
        "geom",
        "condim",
        "friction is that of the two surfaces, sliding only",
    ),
    ("geom", "priority", "the larger friction of the two counts"),
    ("geom", "fluidshape", "there is no fluid"),
    ("geom", "fluidcoef", "there is no fluid"),
    ("joint", "solreflimit", SOFT),
    ("joint", "solimplimit", SOFT),
    ("joint", "solreffriction", SOFT),
    ("joint", "solimpfriction", SOFT),
    ("joint", "margin", SOFT),
    ("joint", "springdamper", "give `stiffness` and `damping`"),
    (
        "joint",
        "actuatorgravcomp",
        "there is no compensation of gravity",
    ),
    ("body", "gravcomp", "there is no compensation of gravity"),
    ("body", "mocap", "the body stays where it is"),
    ("connect", "solref", SOFT),
    ("connect", "solimp", SOFT),
    ("weld", "solref", SOFT),
    ("weld", "solimp", SOFT),
    ("equality", "solref", SOFT),
    ("equality", "solimp", SOFT),
    ("tendon", "", "there are no tendons"),
    ("composite", "", "there are no composites"),
    ("flexcomp", "", "there are no flexible bodies"),
    ("deformable", "", "there are no flexible bodies"),
    ("extension", "", "there are no plugins"),
    ("pair", "", "friction is that of the two surfaces"),
    ("flag", "", "nothing is switched off here"),
    ("option", "density", "there is no fluid"),
    ("option", "viscosity", "there is no fluid"),
];

/// What of a URDF file is left.
pub(crate) fn urdf(root: &Element) -> Vec<Note> {
    left(root, &URDF_IDLE, &URDF_MISSING, &|_, _| false)
}

/// What of an SRDF file is left.
pub(crate) fn srdf(root: &Element) -> Vec<Note> {
    left(root, &SRDF_IDLE, &[], &|_, _| false)
}

/// What of an MJCF file is left; what was asked for elsewhere is known in `<default>` too.
pub(crate) fn mjcf(root: &Element, asked: &Asked) -> Vec<Note> {
    let asked = asked.borrow();
    let known = |element: &Element, attribute: &Attribute| {
        asked.contains(&(element.tag.clone(), attribute.name.clone()))
    };
    left(root, &MJCF_IDLE, &MJCF_MISSING, &known)
}

fn left(
    root: &Element,
    idle: &[Known],
    missing: &[Known],
    asked: &dyn Fn(&Element, &Attribute) -> bool,
) -> Vec<Note> {
    let mut found = Vec::new();
    root.unasked(asked, &mut found);
    let note = |(element, attribute): (&Element, Option<&Attribute>)| {
        let name = attribute.map_or("", |a| a.name.as_str());
        let why = |list: &[Known]| {
            let here = |k: &&Known| k.0 == element.tag && (k.1 == name);
            list.iter().find(here).map(|k| k.2)
        };
        let (why, regard) = match (why(idle), why(missing)) {
            (Some(why), _) => (why, Regard::NoEffect),
            (None, Some(why)) => (why, Regard::NotUnderstood),
            (None, None) => ("", Regard::NotUnderstood),
        };
        Note {
            place: attribute.map_or(&element.place, |a| &a.place).clone(),
            what: match attribute {
                Some(a) => format!("`{}` of <{}>", a.name, element.tag),
                None => format!("<{}>", element.tag),
            },
            why: why.to_owned(),
            regard,
        }
    };
    found.into_iter().map(note).collect()
}
