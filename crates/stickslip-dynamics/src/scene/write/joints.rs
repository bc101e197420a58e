//! `[[joint]]`, `[[spring]]` and `[[gear]]` as text.

use glam::DQuat;
use stickslip_model::joint::{AXIS_NAMES, Goal};

use super::values::{Lines, function, number, quaternion, quoted, vector};
use crate::scene::{Anchor, Axes, AxisHold, Gear, Joint, JointAxis, JointType, Spring, SpringEnds};

pub(super) fn write_joint(joint: &Joint, lines: &mut Lines) {
    lines.open("[[joint]]");
    lines.put("name", &quoted(&joint.name));
    lines.put("type", &quoted(joint.kind.name()));
    let [a, b] = joint.bodies.each_ref().map(|name| quoted(name));
    lines.put("bodies", &format!("[{a}, {b}]"));
    match joint.anchor {
        Anchor::World(anchor) => lines.put("anchor", &vector(anchor)),
        Anchor::Bodies([a, b]) => {
            lines.put("anchors", &format!("[{}, {}]", vector(a), vector(b)));
        }
    }
    match joint.frame {
        Axes::Axis(axis) => lines.put("axis", &vector(axis)),
        Axes::BodyAxes([a, b]) => lines.put("axes", &format!("[{}, {}]", vector(a), vector(b))),
        Axes::Frame(frame) if frame == DQuat::IDENTITY => {}
        Axes::Frame(frame) => lines.put("orientation", &quaternion(frame)),
        Axes::BodyFrames([a, b]) => {
            let (a, b) = (quaternion(a), quaternion(b));
            lines.put("orientations", &format!("[{a}, {b}]"));
        }
    }
    if let Some(k) = joint.kind.free_axis() {
        for (key, value) in axis_entries(&joint.axes[k]) {
            lines.put(key, &value);
        }
    }
    if joint.kind == JointType::SixDof {
        for (axis, name) in joint.axes.iter().zip(AXIS_NAMES) {
            let entries = axis_entries(axis);
            if axis.hold == AxisHold::Locked {
                lines.put(name, "\"locked\"");
            } else if entries.is_empty() {
                lines.put(name, "\"free\"");
            } else {
                let entries = entries
                    .iter()
                    .map(|(key, value)| format!("{key} = {value}"));
                let entries = entries.collect::<Vec<_>>().join(", ");
                lines.put(name, &format!("{{ {entries} }}"));
            }
        }
    }
    if joint.collide {
        lines.put("collide", "true");
    }
}

/// What acts on a free axis, as keys and values.
fn axis_entries(axis: &JointAxis) -> Vec<(&'static str, String)> {
    let mut entries = Vec::new();
    if let AxisHold::Driven(motion) = &axis.hold {
        entries.push(("motion", function(motion)));
    }
    if let Some([lo, hi]) = axis.limits {
        entries.push(("limits", format!("[{}, {}]", number(lo), number(hi))));
    }
    if let Some(motor) = &axis.motor {
        let target = function(&motor.target);
        let aim = match motor.goal {
            Goal::Velocity => format!("velocity = {target}"),
            Goal::Position { speed } => format!("position = {target}, speed = {}", number(speed)),
            Goal::Servo { stiffness, damping } => {
                let (stiffness, damping) = (number(stiffness), number(damping));
                format!("position = {target}, stiffness = {stiffness}, damping = {damping}")
            }
            Goal::Governor { damping } => {
                format!("velocity = {target}, damping = {}", number(damping))
            }
            Goal::Effort => format!("effort = {target}"),
        };
        let text = format!("{{ {aim}, force = {} }}", number(motor.force));
        entries.push(("motor", text));
    }
    if axis.friction != 0.0 {
        entries.push(("friction", number(axis.friction)));
    }
    for (key, value) in [
        ("damping", axis.damping),
        ("stiffness", axis.stiffness),
        ("rest", axis.rest),
        ("armature", axis.armature),
    ] {
        if value != 0.0 {
            entries.push((key, number(value)));
        }
    }
    entries
}

pub(super) fn write_spring(spring: &Spring, lines: &mut Lines) {
    lines.open("[[spring]]");
    lines.put("name", &quoted(&spring.name));
    let rest = match &spring.ends {
        SpringEnds::Points { bodies, points } => {
            let end = |k: usize| {
                let (body, point) = (quoted(&bodies[k]), vector(points[k]));
                format!("{{ body = {body}, point = {point} }}")
            };
            lines.put("between", &format!("[{}, {}]", end(0), end(1)));
            "length"
        }
        SpringEnds::Axis { joint, axis } => {
            lines.put("joint", &quoted(joint));
            lines.put("axis", &quoted(AXIS_NAMES[*axis]));
            "rest"
        }
    };
    lines.put("stiffness", &number(spring.stiffness));
    lines.put("damping", &number(spring.damping));
    if spring.inertance != 0.0 {
        lines.put("inertance", &number(spring.inertance));
    }
    if let Some(value) = spring.rest {
        lines.put(rest, &number(value));
    }
    if spring.explicit {
        lines.put("explicit", "true");
    }
}

pub(super) fn write_gear(gear: &Gear, lines: &mut Lines) {
    lines.open("[[gear]]");
    lines.put("name", &quoted(&gear.name));
    let [of, own] = gear.joints.each_ref().map(|name| quoted(name));
    lines.put("joints", &format!("[{of}, {own}]"));
    let [of, own] = gear.axes.map(|axis| quoted(AXIS_NAMES[axis]));
    lines.put("axes", &format!("[{of}, {own}]"));
    lines.put("ratio", &number(gear.ratio));
    lines.put("offset", &number(gear.offset));
}
