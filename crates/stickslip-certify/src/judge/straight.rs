//! The straight lines of bodies, edges and sides, and how well a direction is across them.

use crate::judge::Case;
use glam::DVec3;
use stickslip_geometry::{Pose, Shape};

/// An edge of a box, or a line along the side of a capsule or a cylinder, that lies across a direction but for what is equally far.
pub(super) struct Straight {
    /// Its unit direction, world frame.
    pub(super) along: DVec3,
    /// The end of the body's middle line along it which is farther in the direction, m.
    pub(super) end: DVec3,
    /// The sine of the angle to the nearest face beside it; infinite beside what is round.
    pub(super) sharp: f64,
}

impl Straight {
    /// That of a shape along n, out of it, if it is across n to `level` (a sine). (Of hulls, triangles and cones it is not known so well, and not asked.)
    pub(super) fn of(shape: &Shape, pose: &Pose, n: DVec3, level: f64) -> Option<Self> {
        let d = pose.orientation.conjugate() * n;
        let (along, end, sharp) = match *shape {
            Shape::Box { half } => {
                let mut axes = (0..3).filter(|&i| d[i].abs() <= level);
                let (Some(i), None) = (axes.next(), axes.next()) else {
                    return None;
                };
                let sharp = d[(i + 1) % 3].abs().min(d[(i + 2) % 3].abs());
                (DVec3::AXES[i], half[i], sharp)
            }
            Shape::Capsule { half, .. } | Shape::Cylinder { half, .. } if d.z.abs() <= level => {
                (DVec3::Z, half, f64::INFINITY)
            }
            _ => return None,
        };
        let end = along * end.copysign(d.dot(along));
        Some(Self {
            along: pose.orientation * along,
            end: pose.to_world(end),
            sharp,
        })
    }

    /// By how much it is along n at least, at any moment from the start of the step to twice its length, by the motion of its body as it is or as it
    /// would be by the velocity before: a sine.
    pub(super) fn off(&self, case: &Case, body: usize, n: DVec3) -> f64 {
        let pose = case.pose(body);
        let now = n.dot(self.along);
        let way_to = |end: &Pose| {
            let turned = end.orientation * (pose.orientation.conjugate() * self.along);
            2.0 * (n.dot(turned) - now)
        };
        let before = pose.moved(&case.before[body].twist, case.given.h);
        let ways = [0.0, way_to(&case.after[body].pose), way_to(&before)];
        let low = ways.into_iter().fold(f64::INFINITY, f64::min);
        let high = ways.into_iter().fold(f64::NEG_INFINITY, f64::max);
        (now + low).max(-(now + high)).max(0.0)
    }
}
