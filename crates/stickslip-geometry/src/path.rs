//! What two bodies do between the start and the end of a step.

use crate::narrow_phase::Moving;
use crate::pose::Pose;
use crate::separation::{is_at_least, separation, separation_after};
use crate::shape::Shape;

impl Moving<'_> {
    /// Angle between the start and the end of the step, rad; zero for a ball about its centre, whose turning moves no
    /// boundary.
    #[must_use]
    pub fn angle(&self) -> f64 {
        if matches!(self.shape, Shape::Ball { .. }) && self.arm == 0.0 {
            return 0.0;
        }
        let (a, b) = (self.start.orientation, self.end.orientation);
        // |q − q'| is 2 sin(angle/4) for unit quaternions.
        let chord = (b - a).length().min((b + a).length());
        if chord == 0.0 {
            return 0.0;
        }
        4.0 * libm::asin((0.5 * chord).min(1.0))
    }

    /// Bound on the way of any of its points by rotation alone, m; zero for a half-space, which has no end.
    #[must_use]
    pub fn sweep(&self) -> f64 {
        self.sweep_by(self.angle())
    }

    /// The same, where the angle is known.
    #[must_use]
    pub fn sweep_by(&self, angle: f64) -> f64 {
        let radius = self.shape.radius();
        if radius.is_finite() {
            // Turned about its origin, which goes on an arc itself: beside its chord by r θ²/8.
            angle * (radius + 0.125 * angle * self.arm)
        } else {
            0.0
        }
    }

    /// Where it is at the fraction `s` of its way.
    #[must_use]
    pub fn at(&self, s: f64) -> Pose {
        if s == 1.0 {
            return self.end;
        }
        Pose {
            position: self.start.position.lerp(self.end.position, s),
            orientation: self.start.orientation.lerp(self.end.orientation, s),
        }
    }
}

/// Most places looked at on the way; enough for a ball of 1 cm at 1 km/s and h = 0.01 s.
const MOST: f64 = 4096.0;

/// Places to look at, so that the pair moves by half the thinner one's thickness at most in between.
fn places(a: &Moving, b: &Moving) -> usize {
    let shift = (b.end.position - b.start.position) - (a.end.position - a.start.position);
    let motion = shift.length() + a.sweep() + b.sweep();
    let thickness = a.shape.thickness().min(b.shape.thickness());
    (2.0 * motion / thickness).ceil().clamp(1.0, MOST) as usize
}

/// How far a pair that touches at the start and at the end may seem to overlap half-way because a driven body turns, m. Its gaps are
/// measured at its end, where its turn is no error ([`unseen`]); but between its poses it goes along the chord of its arc, and
/// what it carries along another. With x = x_b − x_a, (n·x)'' is at most θ²|x_a| + 2θ|x'|; half-way an eighth of that.
fn bow(a: &Moving, b: &Moving) -> f64 {
    let shift = (b.end.position - b.start.position) - (a.end.position - a.start.position);
    let way = shift.length() + a.sweep() + b.sweep();
    let of = |m: &Moving| {
        if m.pose == m.start || m.pose != m.end {
            return 0.0;
        }
        let (angle, radius) = (m.angle(), m.shape.radius());
        let arm = m.arm + if radius.is_finite() { radius } else { 0.0 };
        0.125 * angle * (angle * arm + 2.0 * way)
    };
    of(a) + of(b)
}

/// How near two convex bodies come on their way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The smallest separation on the way, its end included, m: exact where negative, else a lower bound; but for what the turn of a
    /// driven body takes away before the end.
    pub on_the_way: f64,
    /// Where that is, as a fraction of the way.
    pub at: f64,
    /// That at the end.
    pub at_end: f64,
}

/// The pair's smallest separation on the way and at its end.
#[must_use]
pub fn closest_on_the_way(a: &Moving, b: &Moving) -> Closest {
    let n = places(a, b);
    let mut closest = Closest {
        on_the_way: f64::INFINITY,
        at: 1.0,
        at_end: f64::INFINITY,
    };
    // What keeps the two apart at one place mostly does so at the next.
    let mut direction = None;
    let bow = if n > 1 { bow(a, b) } else { 0.0 };
    for k in 1..=n {
        let s = k as f64 / n as f64;
        let gap = separation_after(a.shape, &a.at(s), b.shape, &b.at(s), &mut direction);
        let seen = gap + 4.0 * s * (1.0 - s) * bow;
        if seen < closest.on_the_way || seen.is_nan() {
            (closest.on_the_way, closest.at) = (seen, s);
        }
        closest.at_end = gap;
    }
    closest
}

/// Does the pair overlap by no more than `allowed` on its way, its end included? As [`closest_on_the_way`] tells, and quicker.
#[must_use]
pub fn stays_apart(a: &Moving, b: &Moving, allowed: f64) -> bool {
    if places(a, b) == 1 {
        return is_at_least(a.shape, &a.end, b.shape, &b.end, -allowed);
    }
    closest_on_the_way(a, b).on_the_way >= -allowed
}

/// When the pair first overlaps on the way, as a fraction of it; 1 where it does not.
#[must_use]
pub fn first_overlap(a: &Moving, b: &Moving) -> f64 {
    let deep = |s: f64| separation(a.shape, &a.at(s), b.shape, &b.at(s)) < -unseen(a, b) / 64.0;
    let n = places(a, b).max(8);
    let Some(k) = (1..=n).find(|&k| deep(k as f64 / n as f64)) else {
        return 1.0;
    };
    // Apart at `low`, overlapping at `high`.
    let (mut low, mut high) = ((k - 1) as f64 / n as f64, k as f64 / n as f64);
    for _ in 0..24 {
        let middle = 0.5 * (low + high);
        if deep(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// Part of the smaller body's radius that linearised gaps can be said not to have seen, at most: what turns so fast that they miss
/// more needs shorter steps.
const SUNK: f64 = 0.05;

/// What linearised gaps cannot see, m: each rotation by θ moves points by θr and turns normals by θ, and the
/// normal of two edges at the angle α by up to θ/sin α; four times the product of turn and way covers edges down to 15°.
/// (In 10⁵ random steps of all shapes, and in all scenes, the depth stays below; of boxes below 1.0 of the product.) A
/// contact that was missed shows as a depth of the order of the way itself. The rounding of positions is added.
#[must_use]
pub fn unseen(a: &Moving, b: &Moving) -> f64 {
    let shift = (b.end.position - b.start.position) - (a.end.position - a.start.position);
    let (mut turn, mut way, mut size) = (0.0, shift.length(), 0.0);
    for m in [a, b] {
        // A prescribed body's gaps are measured at its end: its turn is no error there.
        if m.pose != m.end {
            turn += m.angle();
        }
        way += m.sweep();
        size += m.end.position.length();
        if m.shape.radius().is_finite() {
            size += m.shape.radius();
        }
    }
    // No turn explains a body half inside another, nor one that has sunk in by more than a small part of itself.
    let thickness = a.shape.thickness().max(b.shape.thickness());
    let smaller = [a, b]
        .map(|m| m.shape.radius())
        .into_iter()
        .filter(|r| *r > 0.0)
        .fold(f64::INFINITY, f64::min);
    let most = (0.5 * thickness).min(SUNK * smaller);
    (4.0 * turn * way).min(most) + 1e-12 * size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::exp;
    use glam::DVec3;
    use stickslip_testing::Random;

    /// A cube that turns at any speed on a half-space, a mesh's like or another body: what goes unseen falls with the square of the step,
    /// and is never more than a twentieth of its radius.
    #[test]
    fn what_goes_unseen_is_capped_whatever_it_lies_on() {
        let cube = Shape::cuboid(DVec3::ONE).expect("a cube");
        let radius = cube.radius();
        let ground = Shape::half_space(DVec3::Z, 0.0).expect("a ground");
        for (omega, h) in [(10.0, 1e-2), (50.0, 1e-2), (250.0, 1e-2), (10.0, 1e-4)] {
            let start = Pose::default();
            let end = Pose {
                orientation: exp(DVec3::X * omega * h),
                ..start
            };
            let turning = Moving {
                shape: &cube,
                start,
                pose: start,
                end,
                arm: 0.0,
            };
            let still = Moving {
                shape: &ground,
                start,
                pose: start,
                end: start,
                arm: 0.0,
            };
            let unseen = unseen(&turning, &still);
            let rounding = 1e-11;
            assert!(
                unseen <= 0.05 * radius + rounding,
                "{omega} rad/s: {unseen} m"
            );
            let turn: f64 = omega * h;
            let square = 5.0 * turn * turn * radius;
            assert!(unseen <= square + rounding, "{omega} rad/s: {unseen} m");
        }
    }

    /// A wall that turns about a far axis carries a ball, which touches it at the start and, perhaps elsewhere, at the end: nothing
    /// overlaps on the way, although the ball goes straight and the wall's chord cuts the arc.
    #[test]
    fn what_a_turning_wall_carries_does_not_overlap_on_the_way() {
        let mut random = Random::new(5);
        let mut deepest = 0.0_f64;
        for _ in 0..5_000 {
            let (far, theta) = (random.decade(-1.0, 1.5), random.decade(-4.0, -0.5));
            let wall = Shape::cuboid(DVec3::new(0.4, 4.0, 4.0)).expect("a wall");
            let r = random.decade(-1.0, 0.0);
            let ball = Shape::ball(r).expect("a ball");
            let turned = |angle: f64| {
                let orientation = exp(DVec3::Z * angle);
                Pose {
                    position: orientation * DVec3::X * far,
                    orientation,
                }
            };
            let (start, end) = (turned(0.0), turned(theta));
            let side = if random.unit() < 0.5 { 1.0 } else { -1.0 };
            let slip = 0.3 * theta * (far + r) * random.signed();
            let touching = |pose: &Pose, along: f64| {
                Pose::at(pose.to_world(DVec3::new(side * (0.2 + r), along, 0.0)))
            };
            let (b_start, b_end) = (touching(&start, 0.0), touching(&end, slip));
            let a = Moving {
                shape: &wall,
                start,
                pose: end,
                end,
                arm: far,
            };
            let b = Moving {
                shape: &ball,
                start: b_start,
                pose: b_start,
                end: b_end,
                arm: 0.0,
            };
            let on_the_way = closest_on_the_way(&a, &b).on_the_way;
            assert!(
                on_the_way > -1e-12 * (1.0 + far),
                "{on_the_way:e} {a:?} {b:?}"
            );
            deepest = deepest.min(separation(&wall, &a.at(0.5), &ball, &b.at(0.5)));
        }
        assert!(deepest < -1e-3, "{deepest:e}");
    }
}
