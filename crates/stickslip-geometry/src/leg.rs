//! How the gap of one contact changes while its two bodies go from pose to pose.

use crate::pose::Pose;
use crate::shape::Shape;
use glam::DVec3;

/// A convex piece and the two ends of its way.
#[derive(Clone, Debug)]
pub struct Leg<'a> {
    /// Its shape.
    pub shape: &'a Shape,
    /// Where it was when the gap was measured.
    pub from: Pose,
    /// Where it is now.
    pub to: Pose,
}

/// Normals nearer than this (1 − cosine) are the same.
const SAME: f64 = 1e-12;

impl Leg<'_> {
    /// Is `n` (world, at `from`) the outward normal of one of its faces?
    fn has_face(&self, n: DVec3) -> bool {
        let n = self.from.orientation.conjugate() * n;
        let same = |m: DVec3| m.dot(n) >= 1.0 - SAME;
        match self.shape {
            Shape::HalfSpace { .. } => true,
            Shape::Box { .. } => n.abs().max_element() >= 1.0 - SAME,
            Shape::Cylinder { .. } => n.z.abs() >= 1.0 - SAME,
            Shape::Cone { .. } => -n.z >= 1.0 - SAME,
            Shape::Hull(hull) => hull.faces().iter().any(|f| same(f.normal)),
            Shape::Triangle(facet) => same(facet.normal()) || same(-facet.normal()),
            _ => false,
        }
    }

    const fn is_ball(&self) -> bool {
        matches!(self.shape, Shape::Ball { .. })
    }
}

/// The change of the gap along the unit normal `n` (from `a` to `b`, world) of the contact at `point`, m.
///
/// The plane goes with the body whose face it is; seen from there, the other body's corner goes with its body. What is round
/// does not go with its turn: of a ball the centre counts, and of shapes with an axis how that axis turns. So the
/// change is exact for corners and round bodies on faces and for balls among each other, zero for two bodies that move as
/// one, and right to first order of relative turn times slip for all others.
#[must_use]
pub fn gap_change(a: &Leg, b: &Leg, point: DVec3, n: DVec3) -> f64 {
    if a.is_ball() && b.is_ball() {
        let apart = |p: &Pose, q: &Pose| (q.position - p.position).length();
        return apart(&a.to, &b.to) - apart(&a.from, &b.from);
    }
    let carried_by_a = match (a.has_face(n), b.has_face(-n)) {
        (true, false) => true,
        (false, true) => false,
        (false, false) => !a.is_ball(),
        (true, true) => b.shape.distance(&b.from, point) <= a.shape.distance(&a.from, point),
    };
    if carried_by_a {
        seen_from(a, b, point, n)
    } else {
        seen_from(b, a, point, -n)
    }
}

/// The way of `other` at `point` along `n`, seen from `carrier`.
fn seen_from(carrier: &Leg, other: &Leg, point: DVec3, n: DVec3) -> f64 {
    let from = carrier.from.inverse().then(&other.from);
    let to = carrier.to.inverse().then(&other.to);
    let n = carrier.from.orientation.conjugate() * n;
    let arm = carrier.from.to_body(point) - from.position;
    let turn = match other.shape {
        Shape::Ball { .. } => DVec3::ZERO,
        Shape::Cylinder { .. } | Shape::Cone { .. } => {
            swung(from.orientation * DVec3::Z, to.orientation * DVec3::Z, arm)
        }
        Shape::Capsule { radius, half } => {
            // Its surface keeps its distance r from the axis along n: the place on the axis lies r deeper than the surface,
            // and where the surface is that of an end's half-ball, it is that end.
            let axis = from.orientation * DVec3::Z;
            let along = axis.dot(arm + n * *radius).clamp(-half, *half);
            (to.orientation * DVec3::Z - axis) * along
        }
        _ => to.orientation * (from.orientation.conjugate() * arm) - arm,
    };
    n.dot((to.position - from.position) + turn)
}

/// `v` turned by the least turn that takes the unit vector a to b, minus `v`: w × v + w × (w × v)/(1 + c) with w the product and
/// c the cosine of the two.
pub(crate) fn swung(a: DVec3, b: DVec3, v: DVec3) -> DVec3 {
    let (w, c) = (a.cross(b), a.dot(b));
    let across = w.cross(v);
    across + w.cross(across) / (1.0 + c).max(f64::EPSILON)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::exp;
    use crate::separation::separation;

    fn leg(shape: &Shape, from: Pose, to: Pose) -> Leg<'_> {
        Leg { shape, from, to }
    }

    fn pose(x: f64, y: f64, z: f64, turn: DVec3) -> Pose {
        Pose {
            position: DVec3::new(x, y, z),
            orientation: exp(turn),
        }
    }

    #[test]
    fn two_bodies_that_move_as_one_keep_their_gap() {
        let shapes = [
            Shape::ball(0.5).expect("a ball"),
            Shape::cuboid(DVec3::ONE).expect("a box"),
            Shape::cylinder(0.5, 1.0).expect("a cylinder"),
            Shape::capsule(0.3, 1.0).expect("a capsule"),
        ];
        let motion = pose(0.3, -0.2, 0.5, DVec3::new(0.4, -0.7, 0.9));
        for a in &shapes {
            for b in &shapes {
                let (p, q) = (
                    pose(0.0, 0.0, 0.0, DVec3::X * 0.2),
                    pose(1.0, 0.1, 0.0, DVec3::Y),
                );
                let (p1, q1) = (motion.then(&p), motion.then(&q));
                let (a, b) = (leg(a, p, p1), leg(b, q, q1));
                let n = DVec3::new(0.8, 0.6, 0.0);
                let change = gap_change(&a, &b, DVec3::new(0.5, 0.1, 0.1), n);
                assert!(
                    change.abs() < 1e-15,
                    "{:?} {:?}: {change}",
                    a.shape,
                    b.shape
                );
            }
        }
    }

    #[test]
    fn gaps_over_a_turning_face_are_exact() {
        let ground = Shape::cuboid(DVec3::new(4.0, 4.0, 1.0)).expect("a box");
        let p = [
            pose(0.0, 0.0, -0.5, DVec3::ZERO),
            pose(0.1, 0.0, -0.4, DVec3::Y * 0.1),
        ];
        let ball = Shape::ball(0.5).expect("a ball");
        let q = [
            pose(0.2, 0.3, 0.6, DVec3::ZERO),
            pose(0.5, 0.4, 0.7, DVec3::new(0.5, 0.8, 0.1)),
        ];
        let change = |other: &Shape, q: &[Pose; 2], x: DVec3| {
            gap_change(
                &leg(&ground, p[0], p[1]),
                &leg(other, q[0], q[1]),
                x,
                DVec3::Z,
            )
        };
        let true_change = |other: &Shape, q: &[Pose; 2]| {
            separation(&ground, &p[1], other, &q[1]) - separation(&ground, &p[0], other, &q[0])
        };
        let off = change(&ball, &q, DVec3::new(0.2, 0.3, 0.1)) - true_change(&ball, &q);
        assert!(off.abs() < 1e-15, "ball: {off}");
        // A box on one corner stays on it.
        let cube = Shape::cuboid(DVec3::ONE).expect("a box");
        let q = [
            pose(0.2, 0.3, 0.9, DVec3::new(0.5, 0.4, 0.0)),
            pose(0.5, 0.4, 1.1, DVec3::new(0.55, 0.45, 0.1)),
        ];
        let corner = (0..8)
            .map(|k| q[0].to_world(crate::shape::corner(DVec3::splat(0.5), k)))
            .min_by(|a, b| a.z.total_cmp(&b.z))
            .expect("eight");
        let off = change(&cube, &q, corner) - true_change(&cube, &q);
        assert!(off.abs() < 1e-15, "box: {off}");
        // A cylinder on its side rolls without sinking or rising.
        let roller = Shape::cylinder(0.5, 1.0).expect("a cylinder");
        let side = exp(DVec3::X * std::f64::consts::FRAC_PI_2);
        let q = [0.0, 1.3].map(|turn| Pose {
            position: DVec3::new(0.5 * turn, 0.0, 0.5),
            orientation: exp(DVec3::Y * turn) * side,
        });
        let still = Leg {
            to: p[0],
            ..leg(&ground, p[0], p[0])
        };
        let roller = leg(&roller, q[0], q[1]);
        let off = gap_change(&still, &roller, DVec3::new(0.0, 0.5, 0.0), DVec3::Z);
        assert!(off.abs() < 1e-15, "roller: {off}");
    }
}
