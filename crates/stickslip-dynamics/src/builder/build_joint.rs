//! Joints and springs checked, and turned into the model's.

use super::checks::radius_of_gyration;
use super::joint::{AxisSpec, GearSpec, HoldSpec, JointSpec, SpringSpec, WORLD};
use crate::error::BuildError;
use crate::scene::{Anchor, Axes, SpringEnds};
use crate::setup::Drives;
use glam::{DQuat, DVec3};
use std::sync::Arc;
use stickslip_geometry::Pose;
use stickslip_model::Aims;
use stickslip_model::joint::{AXES, AXIS_NAMES, Axis, Goal, Hold, Motor, frame_along};
use stickslip_model::spring::Ends;
use stickslip_model::{BodyState, Gear, Joint, Model, Spring};

/// Distances within which the two sides of a joint meet, relative to its size.
const MEETS: f64 = 1e-9;

/// Checks a joint and turns it into the model's.
pub(super) fn build_joint(
    spec: &JointSpec,
    model: &Model,
    states: &[BodyState],
) -> Result<(Joint, Drives), BuildError> {
    let bad = |reason: String| BuildError::Joint {
        what: "joint",
        joint: spec.name.clone(),
        reason,
    };
    let bodies = ends(&spec.bodies, model).map_err(&bad)?;
    let mut joint = Joint::free(spec.name.clone(), bodies);
    let poses = bodies.map(|b| stickslip_model::joint::pose_of(states, b));
    joint.anchors = match spec.anchor {
        Anchor::World(anchor) => [0, 1].map(|k| poses[k].to_body(anchor)),
        Anchor::Bodies(anchors) => anchors,
    };
    joint.frames = frames(spec.frame, &poses);
    let masses = bodies.into_iter().flatten();
    let masses = masses.filter_map(|i| model.bodies[i].mass);
    joint.length = masses
        .map(|mass| radius_of_gyration(&mass).unwrap_or(0.0))
        .fold(f64::INFINITY, f64::min);
    if !joint.anchors.iter().all(|a| a.is_finite()) {
        return Err(bad("its anchor is not finite".into()));
    }
    let mut drives = Drives::default();
    for (k, axis) in spec.axes.iter().enumerate() {
        joint.axes[k] = build_axis(axis, k).map_err(&bad)?;
        if let HoldSpec::Driven(f) = &axis.hold {
            drives.hold[k] = Some(Arc::clone(f));
        }
        drives.motor[k] = axis.motor.as_ref().map(|m| Arc::clone(&m.target));
    }
    if !joint.axes.iter().any(Axis::acts) && spec.collide {
        return Err(bad("it does nothing: every axis is free".into()));
    }
    let size: f64 = joint.length + joint.anchors.iter().map(|a| a.length()).sum::<f64>();
    meets(&joint, states, &drives.aims(0.0), MEETS * size).map_err(bad)?;
    Ok((joint, drives))
}

/// Checks a gear and turns it into the model's; its joints are there.
pub(super) fn build_gear(
    spec: &GearSpec,
    model: &Model,
    states: &[BodyState],
) -> Result<Gear, BuildError> {
    let bad = |reason: String| BuildError::Joint {
        what: "gear",
        joint: spec.name.clone(),
        reason,
    };
    let mut joints = [0; 2];
    for ((slot, name), axis) in joints.iter_mut().zip(&spec.joints).zip(spec.axes) {
        let place = model.joints.iter().position(|j| j.name == *name);
        *slot = place.ok_or_else(|| bad(format!("there is no joint \"{name}\"")))?;
        let held = model.joints[*slot].axes.get(axis).map(|a| a.hold);
        if held != Some(Hold::Free) {
            return Err(bad(format!("axis {axis} of joint \"{name}\" is not free")));
        }
    }
    if joints[0] == joints[1] && spec.axes[0] == spec.axes[1] {
        return Err(bad("it couples an axis to itself".into()));
    }
    if !(spec.ratio != 0.0 && spec.ratio.is_finite() && spec.offset.is_finite()) {
        return Err(bad(format!(
            "needs a finite ratio that is not zero and a finite offset, got {} and {}",
            spec.ratio, spec.offset
        )));
    }
    let gear = Gear {
        name: spec.name.clone(),
        joints,
        axes: spec.axes,
        ratio: spec.ratio,
        offset: spec.offset,
    };
    let off = gear.misfit(|k| model.joints[k].placed(states).coordinates);
    let size = model.joints[joints[1]].length + spec.offset.abs();
    if off.abs() * gear.scale(model) > MEETS * size {
        return Err(bad(format!(
            "joint \"{}\" starts {off:e} from where the gear has it",
            spec.joints[1]
        )));
    }
    Ok(gear)
}

/// The joint's frame on each body, turned so that angles are zero at the start wherever the file leaves that open.
fn frames(axes: Axes, poses: &[Pose; 2]) -> [DQuat; 2] {
    let seen =
        |frame: DQuat| [0, 1].map(|k| (poses[k].orientation.conjugate() * frame).normalize());
    match axes {
        Axes::Axis(axis) => seen(frame_along(axis)),
        Axes::Frame(frame) => seen(frame),
        Axes::BodyFrames(frames) => frames,
        Axes::BodyAxes([a, b]) => {
            // The second frame is the first one, turned by the least angle so that its x axis is the second
            // body's.
            let first = poses[0].orientation * frame_along(a);
            let (from, to) = (first * DVec3::X, poses[1].orientation * b);
            let turn = DQuat::from_rotation_arc(from, to);
            let second = poses[1].orientation.conjugate() * turn * first;
            [frame_along(a), second.normalize()]
        }
    }
}

/// The bodies of the two ends; `None` for the world.
fn ends(names: &[String; 2], model: &Model) -> Result<[Option<usize>; 2], String> {
    let mut found = [None; 2];
    for (slot, name) in found.iter_mut().zip(names) {
        if name != WORLD {
            let place = model.index(name);
            *slot = Some(place.ok_or_else(|| format!("there is no body \"{name}\""))?);
        }
    }
    let [a, b] = names;
    if a == b {
        return Err(format!("it joins \"{a}\" to itself"));
    }
    let free = |i: &usize| model.bodies[*i].is_free();
    if !found.iter().flatten().any(free) {
        return Err(format!(
            "neither \"{a}\" nor \"{b}\" is free: it has no effect"
        ));
    }
    Ok(found)
}

fn build_axis(spec: &AxisSpec, k: usize) -> Result<Axis, String> {
    let name = AXIS_NAMES[k];
    let hold = match spec.hold {
        HoldSpec::Free => Hold::Free,
        HoldSpec::Locked => Hold::Locked,
        HoldSpec::Driven(_) => Hold::Driven,
    };
    if hold != Hold::Free && (spec.limits.is_some() || spec.motor.is_some() || spec.friction != 0.0)
    {
        return Err(format!(
            "axis {name} is held: limits, a motor or friction have no effect on it"
        ));
    }
    if let Some([lo, hi]) = spec.limits {
        if lo.is_nan() || hi.is_nan() || lo > hi {
            return Err(format!(
                "the limits of {name} are reversed: {lo} is above {hi}"
            ));
        }
        if lo == hi {
            return Err(format!("the limits of {name} leave no room: lock the axis"));
        }
    }
    let not_negative = |x: f64| x >= 0.0;
    if !(not_negative(spec.friction) && spec.friction.is_finite()) {
        return Err(format!(
            "the friction of {name} must be finite and not negative, got {}",
            spec.friction
        ));
    }
    let motor = spec.motor.as_ref().map(|m| Motor {
        goal: m.goal,
        force: m.force,
    });
    if let Some(m) = &motor {
        let fast = match m.goal {
            Goal::Velocity | Goal::Effort => true,
            Goal::Position { speed } => not_negative(speed),
            Goal::Servo { stiffness, damping } => good_gains(stiffness, damping),
            Goal::Governor { damping } => good_gains(damping, 0.0),
        };
        if !(not_negative(m.force) && fast) {
            return Err(format!(
                "the force, speed and gains of the motor on {name} must not be negative, and its gain not be zero"
            ));
        }
    }
    Ok(Axis {
        hold,
        limits: spec.limits,
        motor,
        friction: spec.friction,
    })
}

/// Is the gain of what is aimed at positive, and the other one not negative; both finite?
fn good_gains(aimed: f64, other: f64) -> bool {
    aimed > 0.0 && aimed.is_finite() && other >= 0.0 && other.is_finite()
}

/// Does the joint hold at the start? The misfit is named where it does not.
fn meets(joint: &Joint, states: &[BodyState], aims: &Aims, close: f64) -> Result<(), String> {
    let placed = joint.placed(states);
    // −0 reads oddly in a message.
    let c = placed.coordinates.map(|c| c + 0.0);
    let held = |k: usize| joint.axes[k].hold == Hold::Locked;
    let apart = (0..3)
        .filter(|&k| held(k))
        .map(|k| c[k] * c[k])
        .sum::<f64>();
    if apart.sqrt() > close {
        return Err(format!(
            "the bodies do not meet at the anchor: they are {:.6e} m apart",
            apart.sqrt()
        ));
    }
    for k in 3..AXES {
        if held(k) && c[k].abs() * joint.length > close {
            return Err(format!(
                "the bodies' axes do not agree: they differ by {:.6e} rad about {}",
                c[k].abs(),
                AXIS_NAMES[k]
            ));
        }
    }
    for k in 0..AXES {
        let (axis, name) = (&joint.axes[k], AXIS_NAMES[k]);
        let unit = if k < 3 { "m" } else { "rad" };
        if axis.hold == Hold::Driven && ((c[k] - aims.hold[k]).abs() * joint.scale(k) > close) {
            return Err(format!(
                "its motion starts at {name} = {} {unit}, but the bodies are at {} {unit}",
                aims.hold[k], c[k]
            ));
        }
        if let Some([lo, hi]) = axis.limits {
            let outside = (lo - c[k]).max(c[k] - hi);
            if outside * joint.scale(k) > close {
                return Err(format!(
                    "at the start {name} is {} {unit}, outside its limits by {outside:.6e} {unit}",
                    c[k]
                ));
            }
        }
    }
    Ok(())
}

/// Where a spring is attached, in the model's numbers; what is wrong with it, in words.
fn spring_ends(given: &SpringEnds, model: &Model) -> Result<Ends, String> {
    match given {
        SpringEnds::Points { bodies, points } => Ok(Ends::Points {
            bodies: ends(bodies, model)?,
            points: *points,
        }),
        SpringEnds::Axis { joint, axis } => {
            let found = model.joints.iter().position(|j| j.name == *joint);
            let joint = found.ok_or_else(|| format!("there is no joint \"{joint}\""))?;
            let name = AXIS_NAMES.get(*axis).copied().unwrap_or("?");
            if *axis >= AXES || model.joints[joint].axes[*axis].hold != Hold::Free {
                return Err(format!("axis {name} of its joint is not free"));
            }
            Ok(Ends::Axis { joint, axis: *axis })
        }
    }
}

/// Checks a spring and turns it into the model's; the joints are there already.
pub(super) fn build_spring(
    spec: &SpringSpec,
    model: &Model,
    states: &[BodyState],
) -> Result<Spring, BuildError> {
    let bad = |reason: String| BuildError::Joint {
        what: "spring",
        joint: spec.name.clone(),
        reason,
    };
    let ends = spring_ends(&spec.ends, model).map_err(&bad)?;
    for (what, value) in [
        ("stiffness", spec.stiffness),
        ("damping", spec.damping),
        ("inertance", spec.inertance),
    ] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(bad(format!("its {what} must not be negative, got {value}")));
        }
    }
    if spec.stiffness == 0.0 && spec.damping == 0.0 && spec.inertance == 0.0 {
        return Err(bad("it does nothing: stiffness and damping are zero".into()));
    }
    let mut spring = Spring {
        name: spec.name.clone(),
        ends,
        stiffness: spec.stiffness,
        damping: spec.damping,
        inertance: spec.inertance,
        // Not zero, so that the length between points is measured.
        rest: spec.rest.unwrap_or(1.0),
        explicit: spec.explicit,
    };
    if spec.rest.is_none() {
        let start = spring.place(model, states, -spring.rest).phi.x + spring.rest;
        // Lengths of rounding size count as none.
        spring.rest = start;
    }
    let is_length = matches!(spring.ends, Ends::Points { .. });
    if !spring.rest.is_finite() || (is_length && spring.rest < 0.0) {
        return Err(bad(format!(
            "its length must not be negative, got {}",
            spring.rest
        )));
    }
    Ok(spring)
}
