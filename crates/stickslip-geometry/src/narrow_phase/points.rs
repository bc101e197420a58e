//! Points of one body against another body's solid: each is a ball of radius zero.

use super::{Candidate, Feature, Moving, future_contacts};
use crate::pose::Pose;
use crate::shape::Shape;
use glam::DVec3;

/// Candidates of `solid` and the points of `other`; normals point from the solid to the points.
pub(super) fn against(solid: &Moving, other: &Moving, points: &[DVec3], out: &mut Vec<Candidate>) {
    let tip = Shape::Ball { radius: 0.0 };
    for (k, p) in points.iter().enumerate() {
        let at = |pose: &Pose| Pose::at(pose.to_world(*p));
        let moving = Moving {
            shape: &tip,
            start: at(&other.start),
            pose: at(&other.pose),
            end: at(&other.end),
            arm: 0.0,
        };
        let first = out.len();
        future_contacts(solid, &moving, out);
        for candidate in &mut out[first..] {
            candidate.feature = Feature::point(k);
        }
    }
}
