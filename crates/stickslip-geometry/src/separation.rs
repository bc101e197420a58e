//! How far apart two shapes are, along the best of their separating directions.
//!
//! Used by the judge for true penetration, and by the narrow phase to choose a direction. For two
//! convex shapes, separation along a unit direction s is min over b of s·x minus max over a of s·x; the
//! largest over all s is the distance when positive and minus the depth when negative. For boxes the
//! largest is attained on a face normal or on a cross product of edges, except that a positive one may
//! be larger between two corners: there it is a lower bound (the shapes are apart all the same).

use crate::broad_phase::Bounds;
use crate::directions::farthest;
use crate::mesh::{Facet, Mesh};
use crate::placed::Placed;
use crate::pose::Pose;
use crate::shape::Shape;
use glam::DVec3;
use std::sync::Arc;

/// Signed separation: exact where negative or zero (minus the penetration depth), a lower bound of the
/// distance where positive. `f64::INFINITY` for two half-spaces and for two sets of points, which never meet here.
#[must_use]
pub fn separation(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    match (a, b) {
        (Shape::Compound(c), _) => (c.pieces().iter())
            .map(|p| separation(&p.shape, &pose_a.then(&p.pose), b, pose_b))
            .fold(f64::INFINITY, f64::min),
        (_, Shape::Compound(_)) => separation(b, pose_b, a, pose_a),
        (Shape::Mesh(mesh), _) => of_mesh(mesh, pose_a, b, pose_b),
        (_, Shape::Mesh(mesh)) => of_mesh(mesh, pose_b, a, pose_a),
        (Shape::HalfSpace { .. }, Shape::HalfSpace { .. }) => f64::INFINITY,
        (Shape::HalfSpace { normal, offset }, other) => {
            below_plane(pose_a, *normal, *offset, other, pose_b)
        }
        (other, Shape::HalfSpace { normal, offset }) => {
            below_plane(pose_b, *normal, *offset, other, pose_a)
        }
        (Shape::Points { .. }, Shape::Points { .. }) => f64::INFINITY,
        (Shape::Points { points, .. }, other) => nearest_point(points, pose_a, other, pose_b),
        (other, Shape::Points { points, .. }) => nearest_point(points, pose_b, other, pose_a),
        (Shape::Ball { radius }, other) => other.distance(pose_b, pose_a.position) - radius,
        (other, Shape::Ball { radius }) => other.distance(pose_a, pose_b.position) - radius,
        (Shape::Box { half: ha }, Shape::Box { half: hb }) => box_axes(*ha, pose_a, *hb, pose_b)
            .map(|axis| axis.gap)
            .fold(f64::NEG_INFINITY, f64::max),
        _ => nearest(a, pose_a, b, pose_b).map_or(f64::INFINITY, |near| near.gap),
    }
}

/// The least over the triangles that the other shape's bounds meet; infinite where there are none.
fn of_mesh(mesh: &Arc<Mesh>, pose: &Pose, other: &Shape, other_pose: &Pose) -> f64 {
    if let Shape::HalfSpace { normal, offset } = other {
        return below_plane(
            other_pose,
            *normal,
            *offset,
            &Shape::Mesh(Arc::clone(mesh)),
            pose,
        );
    }
    let region = Bounds::of(other, other_pose).seen_from(pose);
    let mut least = f64::INFINITY;
    mesh.each_near(&|b| b.meets(&region), &mut |t| {
        if let Some(facet) = Facet::new(mesh, t) {
            let gap = separation(&Shape::Triangle(facet), pose, other, other_pose);
            least = least.min(gap);
        }
    });
    least
}

/// How near two convex shapes are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Distance where positive, minus the depth where negative, m.
    pub gap: f64,
    /// Unit direction from a to b along which they are that far apart.
    pub normal: DVec3,
}

/// Signed distance of two bounded convex shapes, exact to rounding at every gap, and its direction; `None` if
/// one is a half-space.
#[must_use]
pub fn nearest(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Nearest> {
    let half_space = |s: &Shape| matches!(s, Shape::HalfSpace { .. });
    if half_space(a) || half_space(b) {
        return None;
    }
    let origin = pose_a.position;
    let (a, b) = (
        Placed::new(a, pose_a, origin),
        Placed::new(b, pose_b, origin),
    );
    farthest(&a, &b).map(|d| Nearest {
        gap: d.gap,
        normal: d.n,
    })
}

fn nearest_point(points: &[DVec3], pose: &Pose, other: &Shape, other_pose: &Pose) -> f64 {
    let gaps = points
        .iter()
        .map(|p| other.distance(other_pose, pose.to_world(*p)));
    gaps.fold(f64::INFINITY, f64::min)
}

fn below_plane(plane: &Pose, normal: DVec3, offset: f64, shape: &Shape, pose: &Pose) -> f64 {
    let n = plane.orientation * normal;
    -shape.support(pose, -n) - n.dot(plane.position) - offset
}

/// Which direction of two boxes: a face normal of a, one of b, or a cross product of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AxisKind {
    FaceA(usize),
    FaceB(usize),
    Edges(usize, usize),
}

/// A separating direction of two boxes, from a to b, and the gap along it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub(crate) kind: AxisKind,
    pub(crate) direction: DVec3,
    pub(crate) gap: f64,
}

/// The fifteen directions of two boxes (fewer where edges are parallel), each turned from a to b.
pub(crate) fn box_axes<'p>(
    half_a: DVec3,
    pose_a: &'p Pose,
    half_b: DVec3,
    pose_b: &'p Pose,
) -> impl Iterator<Item = Axis> + 'p {
    let (ra, rb) = (pose_a.rotation(), pose_b.rotation());
    (0..15).filter_map(move |k| {
        let (kind, direction) = match k {
            0..3 => (AxisKind::FaceA(k), ra.col(k)),
            3..6 => (AxisKind::FaceB(k - 3), rb.col(k - 3)),
            _ => {
                let (i, j) = ((k - 6) / 3, (k - 6) % 3);
                let cross = ra.col(i).cross(rb.col(j));
                let length = cross.length();
                // Nearly parallel edges: a face normal serves as well, to second order in the angle.
                if length < 1e-8 {
                    return None;
                }
                (AxisKind::Edges(i, j), cross / length)
            }
        };
        Some(box_axis(
            kind, direction, half_a, pose_a, half_b, pose_b, None,
        ))
    })
}

/// The gap of two boxes along `direction`, turned from a to b (or by the given `sign`).
pub(crate) fn box_axis(
    kind: AxisKind,
    direction: DVec3,
    half_a: DVec3,
    pose_a: &Pose,
    half_b: DVec3,
    pose_b: &Pose,
    sign: Option<f64>,
) -> Axis {
    let across = direction.dot(pose_b.position - pose_a.position);
    let sign = sign.unwrap_or(if across < 0.0 { -1.0 } else { 1.0 });
    let reach =
        |pose: &Pose, half: DVec3| (pose.orientation.conjugate() * direction).abs().dot(half);
    Axis {
        kind,
        direction: direction * sign,
        gap: across * sign - reach(pose_a, half_a) - reach(pose_b, half_b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::exp;

    #[test]
    fn known_separations() {
        let cube = Shape::cuboid(DVec3::ONE).unwrap();
        let ball = Shape::ball(0.5).unwrap();
        let ground = Shape::half_space(DVec3::Z, 0.25).unwrap();
        let o = Pose::IDENTITY;
        let up = Pose::at(DVec3::new(0.2, -0.1, 1.5));
        assert_eq!(separation(&cube, &o, &cube, &up), 0.5);
        assert_eq!(separation(&cube, &up, &cube, &o), 0.5);
        assert_eq!(separation(&cube, &o, &ball, &up), 0.5);
        assert_eq!(separation(&ground, &o, &cube, &up), 0.75);
        assert_eq!(separation(&ball, &up, &ground, &o), 0.75);
        let in_corner = Pose::at(DVec3::new(0.9, 0.0, 0.0));
        assert!((separation(&cube, &o, &cube, &in_corner) + 0.1).abs() < 1e-15);
        // Crossed edges: a cube standing on an edge over another's upright one.
        let a = Pose {
            position: DVec3::ZERO,
            orientation: exp(DVec3::X * std::f64::consts::FRAC_PI_4),
        };
        let s = 0.5_f64.sqrt();
        let b = Pose {
            position: DVec3::Z * (2.0 * s + 0.125),
            orientation: exp(DVec3::Y * std::f64::consts::FRAC_PI_4),
        };
        assert!((separation(&cube, &a, &cube, &b) - 0.125).abs() < 1e-15);
    }
}
