//! A ball against a ball or a box: one candidate at most.

use super::{Candidate, Feature, Moving, slack};
use glam::DVec3;

pub(super) const BALL: Feature = Feature(1 << 24);

/// Two balls; the normal points from a to b, along the line of centres. Balls that miss each other on the
/// predicted way have no row: the line of centres would stop them, and a row across the line of closest
/// approach would turn with neither ball. The second look sees them if impulses bring them together.
pub(super) fn ball_ball(a: &Moving, ra: f64, b: &Moving, rb: f64, out: &mut Vec<Candidate>) {
    let d = b.pose.position - a.pose.position;
    let motion = b.shift() - a.shift();
    let reach = ra + rb;
    let n = d.try_normalize().unwrap_or(DVec3::Z);
    if n.dot(d + motion) < reach {
        let tau = (-d.dot(motion) / motion.length_squared()).clamp(0.0, 1.0);
        if tau > 0.0 && (d + motion * tau).length() >= reach {
            return;
        }
    }
    let gap = n.dot(d) - reach;
    if gap.min(gap + n.dot(motion)) <= slack(a, b) {
        out.push(Candidate {
            feature: BALL,
            point: b.pose.position - n * rb,
            normal: n,
            gap,
        });
    }
}

/// A box and a ball; the normal points from the box to the ball.
pub(super) fn box_ball(
    cuboid: &Moving,
    half: DVec3,
    ball: &Moving,
    radius: f64,
    out: &mut Vec<Candidate>,
) {
    let centre = cuboid.pose.to_body(ball.pose.position);
    let centre_end = cuboid.end.to_body(ball.end.position);
    let outside = centre - centre.clamp(-half, half);
    let excess = centre.abs() - half;

    // From the closest point of the box; from inside, through the nearest face.
    let mut local = outside
        .try_normalize()
        .unwrap_or_else(|| face_normal(nearest_face(excess), centre));
    let mut gap = if outside == DVec3::ZERO {
        excess.max_element()
    } else {
        outside.length()
    } - radius;
    let mut gap_end = gap + local.dot(centre_end - centre);

    // A face whose plane separates the two now and keeps them farther apart on the predicted path.
    if gap_end < 0.0 {
        let start = cuboid.start.to_body(ball.start.position);
        for i in 0..3 {
            let n = face_normal(i, start);
            let face_end = n.dot(centre_end) - half[i] - radius;
            if n.dot(start) - half[i] - radius >= 0.0 && face_end > gap_end {
                (local, gap, gap_end) = (n, n.dot(centre) - half[i] - radius, face_end);
            }
        }
    }
    // Or the whole way misses the box: the direction of closest approach separates them throughout.
    if gap_end < 0.0
        && let Some(n) = miss(centre, centre_end, half, radius)
    {
        let support = n.abs().dot(half);
        (local, gap) = (n, n.dot(centre) - support - radius);
        gap_end = n.dot(centre_end) - support - radius;
    }
    if gap.min(gap_end) <= slack(cuboid, ball) {
        let normal = cuboid.pose.orientation * local;
        out.push(Candidate {
            feature: BALL,
            point: ball.pose.position - normal * radius,
            normal,
            gap,
        });
    }
}

/// Is the ball's centre over a face of the box, and not beyond an edge?
pub(super) fn over_face(cuboid: &Moving, half: DVec3, ball: &Moving) -> bool {
    let excess = cuboid.start.to_body(ball.start.position).abs() - half;
    (0..3).filter(|&i| excess[i] > 0.0).count() <= 1
}

fn nearest_face(excess: DVec3) -> usize {
    (0..3).fold(0, |best, i| if excess[i] > excess[best] { i } else { best })
}

/// Outward normal of the face across axis i on the side of `point`, in the box's frame.
fn face_normal(i: usize, point: DVec3) -> DVec3 {
    DVec3::AXES[i] * if point[i] < 0.0 { -1.0 } else { 1.0 }
}

/// Where a ball on the way p → q passes the box without touching it: the unit direction from the box's nearest
/// point to the ball's centre at closest approach.
fn miss(p: DVec3, q: DVec3, half: DVec3, radius: f64) -> Option<DVec3> {
    let outside = |s: f64| {
        let at = p.lerp(q, s);
        at - at.clamp(-half, half)
    };
    // The distance to a convex body is convex along the way: the middle third is kept that holds the least.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..80 {
        let third = (high - low) / 3.0;
        let (s, t) = (low + third, high - third);
        if outside(s).length_squared() < outside(t).length_squared() {
            high = t;
        } else {
            low = s;
        }
    }
    let nearest = outside(0.5 * (low + high));
    let distance = nearest.length();
    (distance >= radius && distance > 0.0).then(|| nearest / distance)
}
