//! How far apart two shapes are, along the best of their separating directions (`directions.rs`).
//!
//! Used by the judge for true penetration, without the narrow phase.

use crate::box_overlap::BoxPair;
use crate::broad_phase::Bounds;
use crate::directions::{farthest, gap_along, overlap, overlap_is_at_least};
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
        (Shape::Box { half }, Shape::Box { half: other }) => {
            BoxPair::new(*half, pose_a, *other, pose_b).overlap()
        }
        _ => {
            let origin = pose_a.position;
            overlap(
                &Placed::new(a, pose_a, origin),
                &Placed::new(b, pose_b, origin),
            )
            .map_or(f64::INFINITY, |d| d.gap)
        }
    }
}

/// The same of two shapes on their way; `last` is a direction that kept them apart a moment ago.
pub(crate) fn separation_after(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    last: &mut Option<DVec3>,
) -> f64 {
    // Boxes are quick by themselves.
    let boxes = matches!((a, b), (Shape::Box { .. }, Shape::Box { .. }));
    if boxes || is_featureless(a) || is_featureless(b) {
        return separation(a, pose_a, b, pose_b);
    }
    let origin = pose_a.position;
    let (a, b) = (
        Placed::new(a, pose_a, origin),
        Placed::new(b, pose_b, origin),
    );
    let apart = last.map(|n| gap_along(&a, &b, n)).filter(|gap| *gap > 0.0);
    apart.unwrap_or_else(|| {
        let best = overlap(&a, &b);
        *last = best.map(|d| d.n);
        best.map_or(f64::INFINITY, |d| d.gap)
    })
}

/// Have shapes of this kind a distance of their own from all others, or many pieces?
const fn is_featureless(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::HalfSpace { .. }
            | Shape::Points { .. }
            | Shape::Ball { .. }
            | Shape::Compound(_)
            | Shape::Mesh(_)
    )
}

/// Is [`separation`] at least `least`, which is not positive? Often one direction tells.
pub(crate) fn is_at_least(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, least: f64) -> bool {
    if let (Shape::Box { half }, Shape::Box { half: other }) = (a, b) {
        return BoxPair::new(*half, pose_a, *other, pose_b).is_at_least(least);
    }
    if is_featureless(a) || is_featureless(b) {
        return separation(a, pose_a, b, pose_b) >= least;
    }
    let origin = pose_a.position;
    let a = Placed::new(a, pose_a, origin);
    overlap_is_at_least(&a, &Placed::new(b, pose_b, origin), least)
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
