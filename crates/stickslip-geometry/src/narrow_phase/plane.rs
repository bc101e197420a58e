//! A half-space against any convex shape.

use super::{Candidate, Feature, Moving, rim, slack};
use crate::placed::Placed;
use crate::pose::Pose;
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
    let (n, n_end) = (
        plane.pose.orientation * normal,
        plane.end.orientation * normal,
    );
    let mut push = |number, point, end| {
        let gap = gap_at(&plane.pose, point);
        if gap.min(gap_at(&plane.end, end)) <= slack {
            out.push(Candidate {
                feature: Feature::point_on_face(plane_is_a, 0, number),
                point,
                normal: n,
                gap,
            });
        }
    };
    let (body, end) = (
        Placed::new(other.shape, &other.pose, DVec3::ZERO),
        Placed::new(other.shape, &other.end, DVec3::ZERO),
    );
    let load = rim::Load {
        centre: body.centre,
        shift: other.shift() - plane.shift(),
    };
    for k in 0..body.n_circles() {
        rim::points(&body, &end, k, -n, load, &mut push);
    }
    let r = body.rounding();
    for k in 0..body.n_points() {
        push(
            rim::POINTS * body.n_circles() + k,
            body.point(k) - n * r,
            end.point(k) - n_end * r,
        );
    }
}
