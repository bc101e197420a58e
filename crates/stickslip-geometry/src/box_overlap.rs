//! Two boxes on the fifteen directions of their faces and pairs of edges (Gottschalk, Lin and Manocha 1996).

use crate::pose::Pose;
use glam::{DMat3, DVec3};

/// Two boxes, seen along directions.
pub(crate) struct BoxPair {
    a: DMat3,
    half_a: DVec3,
    b: DMat3,
    half_b: DVec3,
    /// From the centre of a to that of b.
    between: DVec3,
}

fn axes(m: &DMat3) -> [DVec3; 3] {
    [m.x_axis, m.y_axis, m.z_axis]
}

impl BoxPair {
    pub(crate) fn new(half_a: DVec3, pose_a: &Pose, half_b: DVec3, pose_b: &Pose) -> Self {
        Self {
            a: pose_a.rotation(),
            half_a,
            b: pose_b.rotation(),
            half_b,
            between: pose_b.position - pose_a.position,
        }
    }

    /// Separation along the unit direction `n`, from a to b, and along −n: a box reaches as far both ways.
    pub(crate) fn along(&self, n: DVec3) -> [f64; 2] {
        let reach = |m: &DMat3, half: DVec3| (m.transpose() * n).abs().dot(half);
        let (reach_a, reach_b) = (reach(&self.a, self.half_a), reach(&self.b, self.half_b));
        let between = n.dot(self.between);
        [between - reach_a - reach_b, -between - reach_a - reach_b]
    }

    /// The face normals of both, one of each two opposite ones.
    pub(crate) fn faces(&self) -> impl Iterator<Item = DVec3> {
        axes(&self.a).into_iter().chain(axes(&self.b))
    }

    /// The directions across two edges. Parallel edges have none of their own: where rounding makes one it is as
    /// safe a bound as any.
    pub(crate) fn across_edges(&self) -> impl Iterator<Item = DVec3> {
        let of_b = axes(&self.b);
        axes(&self.a).into_iter().flat_map(move |d| {
            of_b.into_iter()
                .filter_map(move |e| d.cross(e).try_normalize())
        })
    }

    /// Largest separation over these directions: minus the depth where the boxes overlap, else a lower bound of
    /// their distance.
    pub(crate) fn overlap(&self) -> f64 {
        let better = |best: f64, n: DVec3| {
            let [there, back] = self.along(n);
            best.max(there).max(back)
        };
        let best = self.faces().fold(f64::NEG_INFINITY, better);
        if best > 0.0 {
            return best;
        }
        self.across_edges().fold(best, better)
    }

    /// Is [`Self::overlap`] at least `least`, which is not positive? One direction that tells is enough.
    pub(crate) fn is_at_least(&self, least: f64) -> bool {
        let mut directions = self.faces().chain(self.across_edges());
        directions.any(|n| self.along(n).iter().any(|gap| *gap >= least))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directions::overlap;
    use crate::placed::Placed;
    use crate::pose::exp;
    use crate::shape::Shape;
    use stickslip_testing::Random;

    #[test]
    fn boxes_as_all_convex_shapes() {
        let mut random = Random::new(1);
        let mut vector = || random.vec3();
        let mut overlapping = 0;
        for _ in 0..2000 {
            let (half_a, half_b) = (vector().abs() + 0.1, vector().abs() + 0.1);
            let mut pose = |reach: f64| Pose {
                position: vector() * reach,
                orientation: exp(vector() * 2.0),
            };
            let (pose_a, pose_b) = (pose(0.5), pose(2.0));
            let shape = |half: DVec3| Shape::cuboid(half * 2.0).unwrap();
            let (a, b) = (shape(half_a), shape(half_b));
            let origin = pose_a.position;
            let general = overlap(
                &Placed::new(&a, &pose_a, origin),
                &Placed::new(&b, &pose_b, origin),
            )
            .expect("boxes have faces")
            .gap;
            let pair = BoxPair::new(half_a, &pose_a, half_b, &pose_b);
            let quick = pair.overlap();
            assert!(pair.is_at_least(quick.min(0.0)));
            assert!(quick > 0.0 || !pair.is_at_least(quick.next_up()));
            if general <= 0.0 {
                overlapping += 1;
                assert!((quick - general).abs() < 1e-14, "{quick} {general}");
            } else {
                assert!(quick > 0.0 && quick <= general + 1e-14, "{quick} {general}");
            }
        }
        assert!(overlapping > 200, "{overlapping}");
    }
}
