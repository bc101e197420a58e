//! Two convex pieces on their way through a step: how far they move and turn, and a proof that they do not pass through each
//! other.
//!
//! Poses in between are those of the straight way from start to end. On a part of the way the pair is apart, up to `allowed`, where its
//! distance in the middle is more than it can lose to either end, or where a plane keeps it apart at both ends: a point that turns by
//! θ about a centre at the distance r leaves the chord of its way by r θ²/8 at most. Where neither is so, the part is halved.

use glam::DVec3;
use stickslip_geometry::separation::{nearest, separation};
use stickslip_geometry::{Moving, Pose, Shape};

/// Parts of a way that are looked at, at most: what is not proved by then is not so.
const MOST: usize = 20_000;

/// The turn between two poses is not even in time; no more than this many times the mean.
const UNEVEN: f64 = 1.5;

/// Two pieces on their way.
pub(super) struct Way<'a> {
    a: &'a Moving<'a>,
    b: &'a Moving<'a>,
    /// Turns of bodies that are measured where they start, rad: that of a prescribed body is no error at its end,
    pub(super) turn: f64,
    /// and those of all, rad.
    pub(super) turn_of_all: f64,
    shift: f64,
    sweep: f64,
}

impl<'a> Way<'a> {
    pub(super) fn of(a: &'a Moving<'a>, b: &'a Moving<'a>) -> Self {
        let shift = (b.end.position - b.start.position) - (a.end.position - a.start.position);
        let angles = [a.angle(), b.angle()];
        let turn = |m: &Moving, angle: f64| if m.pose == m.end { 0.0 } else { angle };
        Self {
            turn: turn(a, angles[0]) + turn(b, angles[1]),
            turn_of_all: angles[0] + angles[1],
            shift: shift.length(),
            sweep: sweep(a, angles[0], b) + sweep(b, angles[1], a),
            a,
            b,
        }
    }

    /// Bound on the way of any point of one seen from the other, m.
    pub(super) fn length(&self) -> f64 {
        self.shift + self.sweep
    }

    /// Zero where the pair is proved to be apart on its way, up to `allowed`; else all of the way, m: what passes through another
    /// passes it all.
    pub(super) fn excess(&self, allowed: f64) -> f64 {
        let mut parts = vec![(0.0, 1.0)];
        for _ in 0..MOST {
            let Some((s, t)) = parts.pop() else {
                return 0.0;
            };
            let middle = 0.5 * (s + t);
            let gap = self.gap(middle);
            if gap < -allowed || gap.is_nan() {
                break;
            }
            let lost = 0.5 * (t - s) * (self.shift + UNEVEN * self.sweep);
            if gap + allowed < lost && !self.plane_between(s, t, allowed) {
                parts.extend([(middle, t), (s, middle)]);
            }
        }
        self.length()
    }

    fn gap(&self, s: f64) -> f64 {
        separation(self.a.shape, &self.a.at(s), self.b.shape, &self.b.at(s))
    }

    /// Does a plane that separates them in the middle do so at both ends of a part of the way?
    fn plane_between(&self, s: f64, t: f64, allowed: f64) -> bool {
        let middle = 0.5 * (s + t);
        let Some(n) = direction(self.a, self.b, middle) else {
            return false;
        };
        let along = |s: f64| {
            let (a, b) = (self.a.at(s), self.b.at(s));
            -self.b.shape.support(&b, -n) - self.a.shape.support(&a, n)
        };
        let bow: f64 = [self.a, self.b]
            .map(|m| {
                let angle = UNEVEN * (t - s) * m.angle();
                let radius = m.shape.radius();
                if angle == 0.0 {
                    0.0
                } else {
                    (radius + m.arm) * angle * angle / 8.0
                }
            })
            .iter()
            .sum();
        along(s).min(along(t)) - bow >= -allowed
    }
}

/// How far the points of `m` move by its turn, m; of a half-space those where the other body is.
fn sweep(m: &Moving, angle: f64, other: &Moving) -> f64 {
    if m.shape.radius().is_finite() {
        return m.sweep_by(angle);
    }
    let away = |p: &Pose, q: &Pose| (q.position - p.position).length();
    let far = away(&m.start, &other.start).max(away(&m.end, &other.end));
    angle * far
}

/// A direction along which two pieces are apart, or overlap least.
fn direction(a: &Moving, b: &Moving, s: f64) -> Option<DVec3> {
    let (p, q) = (a.at(s), b.at(s));
    match (a.shape, b.shape) {
        (Shape::HalfSpace { normal, .. }, _) => Some(p.orientation * *normal),
        (_, Shape::HalfSpace { normal, .. }) => Some(-(q.orientation * *normal)),
        (Shape::Points { .. }, _) | (_, Shape::Points { .. }) => None,
        _ => nearest(a.shape, &p, b.shape, &q).map(|near| near.normal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_geometry::pose::exp;

    fn excess(shape: &Shape, from: DVec3, to: DVec3, turn: DVec3) -> f64 {
        let wall = Shape::cuboid(DVec3::new(0.01, 10.0, 10.0)).expect("a wall");
        let still = Moving::free(&wall, Pose::IDENTITY, Pose::IDENTITY);
        let end = Pose {
            position: to,
            orientation: exp(turn),
        };
        Way::of(&still, &Moving::free(shape, Pose::at(from), end)).excess(1e-4)
    }

    #[test]
    fn a_bullet_does_not_pass_a_wall_and_passes_along_it() {
        let bullet = Shape::ball(5e-4).expect("a bullet");
        let passed = excess(&bullet, DVec3::X * -400.0, DVec3::X * 600.0, DVec3::ZERO);
        assert!(passed > 999.0, "{passed}");
        let (from, to) = (
            DVec3::new(0.006, -500.0, 0.0),
            DVec3::new(0.006, 500.0, 0.0),
        );
        assert_eq!(excess(&bullet, from, to, DVec3::ZERO), 0.0);
        // A rod that turns beside the wall, and one that turns into it and out again.
        let rod = Shape::capsule(0.01, 1.0).expect("a rod");
        let beside = DVec3::X * 0.55;
        assert_eq!(excess(&rod, beside, beside, DVec3::Y * 3.0), 0.0);
        let near = DVec3::X * 0.3;
        assert!(excess(&rod, near, near, DVec3::Y * 3.0) > 0.0);
    }
}
