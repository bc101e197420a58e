//! In which order bodies, joints, springs and gears stand in a world: one that renaming keeps, and that the place in a file does not enter.
//!
//! The order decides which of two bodies is a contact's first (the sign of its normal, its tangents), in which order rows stand, impulses are
//! summed and unknowns eliminated, and so the last digits of every answer. Names decide only between what is alike in all that is
//! compared here, such as two bodies that start at the same place with the same shape, mass and material.

use super::body::BodySpec;
use crate::motion::Motion;
use crate::setup::Drives;
use std::cmp::Ordering;
use stickslip_model::{BodyState, Gear, Joint, Spring};

/// Steps after which functions of time are looked at, to tell apart what starts alike.
const LATER: [f64; 3] = [0.0, 1.0, 100.0];

/// Those that are not free first, then from below upwards, along x and along y: mostly what bears before what rests on it, so that
/// normals point to that. What starts at one place, by all else that is known of it.
pub(super) fn sort_bodies(bodies: Vec<BodySpec>, h: f64) -> Vec<BodySpec> {
    let placed = bodies.into_iter().map(|spec| (spec.start(), spec));
    let mut placed: Vec<(BodyState, BodySpec)> = placed.collect();
    placed.sort_by(|(at, a), (bt, b)| {
        let free = |spec: &BodySpec| matches!(spec.motion, Motion::Free);
        free(a)
            .cmp(&free(b))
            .then_with(|| from_below(at, bt))
            .then_with(|| told(at, a, h).cmp(&told(bt, b, h)))
            .then_with(|| a.name.cmp(&b.name))
    });
    placed.into_iter().map(|(_, spec)| spec).collect()
}

/// By the bodies they join (the world first), then by all else but their names.
pub(super) fn sort_joints(joints: &mut [(Joint, Drives)], h: f64) {
    let told = |(joint, drives): &(Joint, Drives)| {
        let aims = LATER.map(|n| drives.aims(n * h));
        let Joint {
            anchors,
            frames,
            axes,
            ..
        } = joint;
        format!("{:?}", (anchors, frames, axes, aims))
    };
    joints.sort_by(|a, b| {
        (a.0.bodies.cmp(&b.0.bodies))
            .then_with(|| told(a).cmp(&told(b)))
            .then_with(|| a.0.name.cmp(&b.0.name))
    });
}

/// Likewise; the joints stand already.
pub(super) fn sort_springs(springs: &mut [Spring], joints: &[Joint]) {
    let told = |s: &Spring| {
        let name = String::new();
        format!("{:?}", Spring { name, ..s.clone() })
    };
    springs.sort_by(|a, b| {
        (a.bodies(joints).cmp(&b.bodies(joints)))
            .then_with(|| told(a).cmp(&told(b)))
            .then_with(|| a.name.cmp(&b.name))
    });
}

/// By the joints they couple, then by all else but their names.
pub(super) fn sort_gears(gears: &mut [Gear]) {
    let told = |g: &Gear| format!("{:?}", (g.ratio, g.offset));
    gears.sort_by(|a, b| {
        ((a.joints, a.axes).cmp(&(b.joints, b.axes)))
            .then_with(|| told(a).cmp(&told(b)))
            .then_with(|| a.name.cmp(&b.name))
    });
}

fn from_below(a: &BodyState, b: &BodyState) -> Ordering {
    let (a, b) = (a.pose.position, b.pose.position);
    (a.z.total_cmp(&b.z))
        .then(a.x.total_cmp(&b.x))
        .then(a.y.total_cmp(&b.y))
}

/// All that is known of a body but its name and colour, with every digit, as text: any order will do.
fn told(start: &BodyState, spec: &BodySpec, h: f64) -> String {
    let times = LATER.map(|n| n * h);
    let path = match &spec.motion {
        Motion::Free => None,
        Motion::Prescribed(path) => Some(times.map(|t| path(t))),
    };
    let surfaces = spec.surfaces.iter();
    let surfaces = surfaces.map(|(face, law)| (face, times.map(|t| law(t))));
    let speeds = [0.0, 0.01, 1.0];
    let curve = spec.curve.as_ref().map(|curve| speeds.map(|v| curve.at(v)));
    let moved = (start, path, surfaces.collect::<Vec<_>>());
    let solid = (&spec.mass, &spec.shape, &spec.groups, spec.collide);
    let rough = (&spec.material, spec.friction, curve, spec.grain);
    let borne = (spec.restitution, spec.torsion, spec.rolling);
    format!("{:?}", (moved, solid, rough, borne))
}
