//! Every plane within reach as a row of its own, as methods before the max-gap contact have it.
//!
//! A vertex near a convex piece is held by the plane of each face that it is in front of now, endless as it is:
//! at an edge by two of them, though the space beyond either one is free.

use super::{Candidate, Feature, Moving, Rule, slack};
use crate::shape::{Shape, corner};
use glam::DVec3;

/// Adds to the candidates from `first` on what the planes of the faces of each say to the vertices of the other.
pub(super) fn add_planes(a: &Moving, b: &Moving, first: usize, out: &mut Vec<Candidate>) {
    planes_of(a, b, true, first, out);
    planes_of(b, a, false, first, out);
}

/// The faces of `reference` against the vertices of `other`.
fn planes_of(
    reference: &Moving,
    other: &Moving,
    reference_is_a: bool,
    first: usize,
    out: &mut Vec<Candidate>,
) {
    let slack = slack(reference, other);
    let size = reference.shape.radius().min(other.shape.radius());
    let (rounding, reach) = (1e-9 * size, 4.0 * slack + Rule::Conjunctive.touch() * size);
    for (face, (n, offset)) in faces(reference.shape).enumerate() {
        for (vertex, x) in vertices(other, reference.pose.orientation * n).enumerate() {
            let height = |x: DVec3| n.dot(x) - offset;
            let local = reference.pose.to_body(x);
            let end = other.end.to_world(other.pose.to_body(x));
            let gap = height(local);
            // In front of the face now, near the piece, and behind the plane soon.
            if height(
                reference
                    .start
                    .to_body(other.start.to_world(other.pose.to_body(x))),
            ) < -rounding
                || reference.shape.distance(&reference.pose, x) > reach
                || gap.min(height(reference.end.to_body(end))) > slack
            {
                continue;
            }
            let outward = reference.pose.orientation * n;
            let new = Candidate {
                feature: Feature::point_on_face(reference_is_a, face, vertex),
                point: x,
                normal: if reference_is_a { outward } else { -outward },
                gap,
            };
            let same = |old: &Candidate| new.repeats(old.feature, old.normal, old.point);
            if !out[first..].iter().any(same) {
                out.push(new);
            }
        }
    }
}

/// Outward normals and offsets of the flat faces, in the shape's frame, numbered as in its other rows.
fn faces(shape: &Shape) -> impl Iterator<Item = (DVec3, f64)> {
    let half = match shape {
        Shape::Box { half } => Some(*half),
        _ => None,
    };
    half.into_iter().flat_map(|half| {
        (0..6).map(move |k| {
            let side = if k % 2 == 1 { 1.0 } else { -1.0 };
            (DVec3::AXES[k / 2] * side, half[k / 2])
        })
    })
}

/// The corners, or the point of a ball that lies lowest over a face with normal `n`; world.
fn vertices<'m>(body: &'m Moving, n: DVec3) -> impl Iterator<Item = DVec3> + 'm {
    let count = match body.shape {
        Shape::Box { .. } => 8,
        Shape::Ball { .. } => 1,
        _ => 0,
    };
    (0..count).map(move |k| match body.shape {
        Shape::Box { half } => body.pose.to_world(corner(*half, k)),
        _ => body.pose.position - n * body.shape.radius(),
    })
}
