//! Joints that hang together with a ring of joints.
//!
//! Along a tree of bodies the rows of joints are independent: any trial motion has impulses that close them. Around a ring (of joints, or from the
//! world to the world, or of gears) they may be redundant, and contradict each other until the motion is found.

use super::Joints;
use stickslip_model::Model;

/// Bodies that hang together by joints, under one of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Assemblage {
    bodies: usize,
    /// Joints between its bodies, and to the world.
    inner: usize,
    anchors: usize,
    /// Are some of its joints geared together?
    geared: bool,
}

impl Assemblage {
    /// A tree of n bodies has n − 1 joints, and hangs on the world by one at most.
    const fn has_ring(self) -> bool {
        self.geared || self.inner >= self.bodies || self.anchors > 1
    }
}

impl Joints {
    /// Finds, for each joint, whether it hangs together with a ring. Bodies that are not free are the world, which holds nothing together.
    pub(super) fn find_rings(&mut self, model: &Model) {
        let ends = |k: usize| {
            let bodies: [Option<usize>; 2] = model.joints[k].bodies;
            bodies.map(|body| body.filter(|&i| model.bodies[i].is_free()))
        };
        self.roots.clear();
        self.roots.extend(0..model.bodies.len());
        for k in 0..model.joints.len() {
            if let [Some(a), Some(b)] = ends(k) {
                let (a, b) = (root(&self.roots, a), root(&self.roots, b));
                self.roots[a.max(b)] = a.min(b);
            }
        }
        self.assemblages.clear();
        self.assemblages
            .resize(model.bodies.len(), Assemblage::default());
        for body in 0..model.bodies.len() {
            self.assemblages[root(&self.roots, body)].bodies += 1;
        }
        let of_joint = |roots: &[usize], k: usize| {
            let [a, b] = ends(k);
            a.or(b).map(|body| root(roots, body))
        };
        for k in 0..model.joints.len() {
            let Some(at) = of_joint(&self.roots, k) else {
                continue;
            };
            let both = ends(k).iter().flatten().count() == 2;
            self.assemblages[at].inner += usize::from(both);
            self.assemblages[at].anchors += usize::from(!both);
        }
        for k in model.gears.iter().flat_map(|gear| gear.joints) {
            if let Some(at) = of_joint(&self.roots, k) {
                self.assemblages[at].geared = true;
            }
        }
        self.ringed.clear();
        for k in 0..model.joints.len() {
            let at = of_joint(&self.roots, k);
            let ringed = at.is_some_and(|at| self.assemblages[at].has_ring());
            self.ringed.push(ringed);
        }
    }
}

/// The first of the bodies that hang together with this one.
fn root(roots: &[usize], mut body: usize) -> usize {
    while roots[body] != body {
        body = roots[body];
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Axes;
    use crate::{BodySpec, JointSpec, World};
    use glam::{DQuat, DVec3};
    use stickslip_geometry::{Pose, Shape};

    /// Balls in a row along x with ball joints between these, `None` is the world; which of the joints have to do with a ring?
    fn ringed(bodies: usize, joints: &[[Option<usize>; 2]]) -> Vec<bool> {
        let mut world = World::builder();
        let name = |i: usize| format!("b{i}");
        for i in 0..bodies {
            let shape = Shape::ball(0.1).expect("a ball");
            let pose = Pose {
                position: DVec3::X * i as f64,
                orientation: DQuat::IDENTITY,
            };
            world = world.body(BodySpec::free(name(i), shape, 1.0).with_pose(pose));
        }
        for (k, ends) in joints.iter().enumerate() {
            let names = ends.map(|end| end.map_or_else(|| "world".to_string(), name));
            let at = ends.map(|end| end.unwrap_or(0) as f64);
            let middle = DVec3::X * (0.5 * (at[0] + at[1]));
            world = world.joint(JointSpec::new(
                format!("j{k}"),
                [&names[0], &names[1]],
                middle,
                Axes::Frame(DQuat::IDENTITY),
                [true, true, true, false, false, false],
            ));
        }
        let world = world.build().expect("a world");
        let mut found = Joints::default();
        found.find_rings(world.model());
        let named = world.model().joints_by_name();
        named.into_iter().map(|k| found.ringed[k]).collect()
    }

    #[test]
    fn trees_have_no_ring_whatever_they_hang_on() {
        assert_eq!(
            ringed(3, &[[Some(0), Some(1)], [Some(1), Some(2)]]),
            [false; 2]
        );
        assert_eq!(
            ringed(2, &[[None, Some(0)], [Some(0), Some(1)]]),
            [false; 2]
        );
        // Two chains side by side: the world holds nothing together.
        assert_eq!(ringed(2, &[[None, Some(0)], [None, Some(1)]]), [false; 2]);
    }

    #[test]
    fn rings_are_found_through_the_world_too_and_belong_to_their_own_bodies() {
        let triangle = [[Some(0), Some(1)], [Some(1), Some(2)], [Some(2), Some(0)]];
        assert_eq!(ringed(3, &triangle), [true; 3]);
        assert_eq!(ringed(1, &[[None, Some(0)], [None, Some(0)]]), [true; 2]);
        let bridge = [
            [None, Some(0)],
            [Some(0), Some(1)],
            [Some(1), None],
            [None, Some(2)],
        ];
        assert_eq!(ringed(3, &bridge), [true, true, true, false]);
    }
}
