//! A half-space against a ball or a box.

use super::{Candidate, Feature, Moving, slack};
use crate::pose::Pose;
use crate::shape::{Shape, corner};
use glam::DVec3;

/// Candidates of the half-space `plane` (normal·x ≥ offset is free) and `other`; normals point from the
/// half-space to the other body; `plane_is_a` tells the features.
pub(super) fn against(
    plane: &Moving,
    normal: DVec3,
    offset: f64,
    other: &Moving,
    plane_is_a: bool,
    out: &mut Vec<Candidate>,
) {
    let gap_at = |plane: &Pose, point: DVec3| normal.dot(plane.to_body(point)) - offset;
    let slack = slack(plane, other);
    let n = plane.pose.orientation * normal;
    let mut push = |vertex, point, end| {
        let gap = gap_at(&plane.pose, point);
        if gap.min(gap_at(&plane.end, end)) <= slack {
            out.push(Candidate {
                feature: Feature::vertex_on_face(plane_is_a, 0, vertex),
                point,
                normal: n,
                gap,
            });
        }
    };
    match other.shape {
        Shape::HalfSpace { .. } | Shape::Compound(_) | Shape::Mesh(_) => {}
        Shape::Ball { radius } => {
            let n_end = plane.end.orientation * normal;
            push(
                8,
                other.pose.position - n * *radius,
                other.end.position - n_end * *radius,
            );
        }
        Shape::Triangle(facet) => {
            for (k, p) in facet.points().into_iter().enumerate() {
                push(k, other.pose.to_world(p), other.end.to_world(p));
            }
        }
        Shape::Box { half } => {
            for k in 0..8 {
                let c = corner(*half, k);
                push(k, other.pose.to_world(c), other.end.to_world(c));
            }
        }
    }
}
