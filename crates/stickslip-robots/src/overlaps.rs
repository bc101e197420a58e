//! Bodies of a robot that overlap where it starts.

use crate::robot::{Body, Robot};
use stickslip_geometry::Shape;
use stickslip_geometry::broad_phase::Bounds;
use stickslip_geometry::separation::separation;

/// Two bodies that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The bodies, by number.
    pub bodies: [usize; 2],
    /// By how much, m.
    pub depth: f64,
}

impl Robot {
    /// The pairs of bodies that may collide and overlap where they start, by more than rounding. Neighbours in the chain, and pairs
    /// that the file excludes, are not among them.
    #[must_use]
    pub fn overlaps(&self) -> Vec<Overlap> {
        let shapes: Vec<Option<(Shape, Bounds)>> = self.bodies.iter().map(placed).collect();
        let mut found = Vec::new();
        for i in 0..self.bodies.len() {
            for j in i + 1..self.bodies.len() {
                let (Some((a, at_a)), Some((b, at_b))) = (&shapes[i], &shapes[j]) else {
                    continue;
                };
                if !self.may_collide(i, j) || !at_a.meets(at_b) {
                    continue;
                }
                let depth = -separation(a, &self.bodies[i].pose, b, &self.bodies[j].pose);
                if depth > 1e-9 * a.radius().min(b.radius()) {
                    found.push(Overlap {
                        bodies: [i, j],
                        depth,
                    });
                }
            }
        }
        found
    }

    fn may_collide(&self, i: usize, j: usize) -> bool {
        let pair = [Some(i), Some(j)];
        let joined = |bodies: &[Option<usize>; 2]| *bodies == pair || *bodies == [pair[1], pair[0]];
        (self.bodies[i].is_free() || self.bodies[j].is_free())
            && !self.excluded.contains(&[i, j])
            && !self.joints.iter().any(|joint| joined(&joint.bodies))
    }
}

fn placed(body: &Body) -> Option<(Shape, Bounds)> {
    let shape = body.shape()?;
    let bounds = Bounds::of(&shape, &body.pose);
    Some((shape, bounds))
}
