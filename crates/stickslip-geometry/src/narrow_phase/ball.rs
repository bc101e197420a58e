//! A ball against a ball: one candidate at most.

use super::{Candidate, Feature, Moving, TOUCH, slack};
use glam::DVec3;

pub(super) const BALL: Feature = Feature(1 << 24);

/// Two balls; the normal points from a to b, along the line of centres. Balls that miss each other on the
/// predicted way have no row: the line of centres would stop them, and a row across the line of closest
/// approach would turn with neither ball. The second look sees them if impulses bring them together. Balls that touch
/// do not miss each other, whatever the rounding of their motion says.
pub(super) fn ball_ball(a: &Moving, ra: f64, b: &Moving, rb: f64, out: &mut Vec<Candidate>) {
    let d = b.pose.position - a.pose.position;
    let motion = b.shift() - a.shift();
    let reach = ra + rb;
    let n = d.try_normalize().unwrap_or(DVec3::Z);
    let gap = n.dot(d) - reach;
    if gap > TOUCH * ra.min(rb) && n.dot(d + motion) < reach {
        let tau = (-d.dot(motion) / motion.length_squared()).clamp(0.0, 1.0);
        if tau > 0.0 && (d + motion * tau).length() >= reach {
            return;
        }
    }
    if gap.min(gap + n.dot(motion)) <= slack(a, b) {
        out.push(Candidate {
            feature: BALL,
            point: b.pose.position - n * rb,
            normal: n,
            gap,
        });
    }
}

/// Is the ball's centre over a face of the box, and not beyond an edge?
pub(super) fn over_face(cuboid: &Moving, half: DVec3, ball: &Moving) -> bool {
    let excess = cuboid.start.to_body(ball.start.position).abs() - half;
    (0..3).filter(|&i| excess[i] > 0.0).count() <= 1
}
