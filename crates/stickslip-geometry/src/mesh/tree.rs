//! A tree of boxes over the triangles of a mesh, built once.

use crate::broad_phase::Bounds;
use glam::DVec3;

/// Triangles in a leaf.
const LEAF: usize = 4;

/// Depth is at most log₂ of the number of triangles, since each node is cut in half.
const DEEP: usize = 64;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Triangles in the order of the leaves.
    order: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    bounds: Bounds,
    /// First child (the second follows it), or first triangle in `order`.
    first: u32,
    /// Triangles in the leaf; 0 in a branch.
    count: u32,
}

impl Tree {
    pub(super) fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let each: Vec<Bounds> = triangles
            .iter()
            .map(|t| Bounds::around(&t.map(|v| vertices[v as usize])))
            .collect();
        let mut tree = Self {
            nodes: Vec::with_capacity(triangles.len()),
            order: (0..triangles.len() as u32).collect(),
        };
        let root = Node {
            bounds: Bounds::EMPTY,
            first: 0,
            count: triangles.len() as u32,
        };
        tree.nodes.push(root);
        let mut open = vec![0];
        while let Some(k) = open.pop() {
            let (from, count) = (tree.nodes[k].first as usize, tree.nodes[k].count as usize);
            let range = from..from + count;
            let of = |t: &u32| each[*t as usize];
            let bounds = tree.order[range.clone()]
                .iter()
                .fold(Bounds::EMPTY, |all, t| all.union(&of(t)));
            tree.nodes[k].bounds = bounds;
            if count <= LEAF {
                continue;
            }
            // In half, across the longest side; ties by number.
            let size = bounds.max - bounds.min;
            let axis = (0..3).fold(0, |best, i| if size[i] > size[best] { i } else { best });
            let middle = |t: &u32| of(t).min[axis] + of(t).max[axis];
            let half = count / 2;
            tree.order[range].select_nth_unstable_by(half, |s, t| {
                middle(s).total_cmp(&middle(t)).then(s.cmp(t))
            });
            let left = tree.nodes.len();
            for (first, count) in [(from, half), (from + half, count - half)] {
                tree.nodes.push(Node {
                    bounds: Bounds::EMPTY,
                    first: first as u32,
                    count: count as u32,
                });
            }
            tree.nodes[k].first = left as u32;
            tree.nodes[k].count = 0;
            open.extend([left, left + 1]);
        }
        tree
    }

    pub(super) fn bounds(&self) -> Bounds {
        self.nodes[0].bounds
    }

    /// Calls `visit` with the triangles of every leaf that is `near`.
    pub(super) fn visit(&self, near: &dyn Fn(&Bounds) -> bool, visit: &mut dyn FnMut(u32)) {
        let mut stack = [0_u32; DEEP];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let node = &self.nodes[stack[top] as usize];
            if !near(&node.bounds) {
                continue;
            }
            if node.count == 0 {
                stack[top] = node.first + 1;
                stack[top + 1] = node.first;
                top += 2;
            } else {
                let first = node.first as usize;
                for &t in &self.order[first..first + node.count as usize] {
                    visit(t);
                }
            }
        }
    }
}
