//! A tree of boxes over bounded bodies, updated in place while they move.
//!
//! Bodies are ordered along a space-filling curve and halved again and again; nodes lie in the order of a walk
//! through the tree, each with the number of the node to go on with if its box is missed. As bodies move the boxes
//! are made anew from the leaves up, and only when they have grown by half is the order made anew.

use crate::broad_phase::Bounds;
use glam::DVec3;

/// Bodies in a leaf.
const LEAF: usize = 4;

/// The tree is built anew when the area of its boxes has grown by this factor.
const WORN: f64 = 1.5;

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Bounds,
    /// The node after this one's last descendant.
    skip: usize,
    /// The bodies of a leaf in `order`; an inner node has none, and its children follow it.
    first: usize,
    count: usize,
}

/// The tree, with its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    order: Vec<usize>,
    /// The bodies' boxes, in that order: the search reads them one after the other.
    boxes: Vec<Bounds>,
    codes: Vec<(u64, usize)>,
    /// Area of all boxes when the tree was built, m².
    area: f64,
}

impl Tree {
    /// Fits the tree to the bodies `members`, of which `bounds` are the boxes.
    pub(crate) fn update(&mut self, bounds: &[Bounds], members: &[usize]) {
        if members.len() == self.order.len() {
            self.refit(bounds);
            if self.total_area() <= WORN * self.area {
                return;
            }
        }
        self.build(bounds, members);
        self.refit(bounds);
        self.area = self.total_area();
    }

    /// Calls `visit` once for every pair of bodies whose boxes meet.
    pub(crate) fn each_pair(&self, mut visit: impl FnMut(usize, usize)) {
        for (leaf, node) in self.nodes.iter().enumerate() {
            for k in node.first..node.first + node.count {
                for j in k + 1..node.first + node.count {
                    if self.boxes[k].meets(&self.boxes[j]) {
                        visit(self.order[k], self.order[j]);
                    }
                }
            }
            if node.count > 0 {
                self.pairs_with_later(leaf, &mut visit);
            }
        }
    }

    /// The pairs of a leaf's bodies with those of later leaves.
    fn pairs_with_later(&self, leaf: usize, visit: &mut impl FnMut(usize, usize)) {
        let own = self.nodes[leaf];
        let mut at = own.skip;
        while let Some(node) = self.nodes.get(at) {
            if !node.bounds.meets(&own.bounds) {
                at = node.skip;
                continue;
            }
            for j in node.first..node.first + node.count {
                if !self.boxes[j].meets(&own.bounds) {
                    continue;
                }
                for k in own.first..own.first + own.count {
                    if self.boxes[k].meets(&self.boxes[j]) {
                        visit(self.order[k], self.order[j]);
                    }
                }
            }
            at += 1;
        }
    }

    fn build(&mut self, bounds: &[Bounds], members: &[usize]) {
        let all = members
            .iter()
            .fold(Bounds::EMPTY, |all, &i| all.union(&bounds[i]));
        let size = (all.max - all.min).max_element().max(f64::MIN_POSITIVE);
        self.codes.clear();
        self.codes.extend(members.iter().map(|&i| {
            let centre = bounds[i].min.midpoint(bounds[i].max);
            (curve((centre - all.min) / size), i)
        }));
        self.codes.sort_unstable();
        self.order.clear();
        self.order.extend(self.codes.iter().map(|c| c.1));
        self.nodes.clear();
        if !self.order.is_empty() {
            self.grow(0, self.order.len());
        }
    }

    fn grow(&mut self, first: usize, end: usize) {
        let at = self.nodes.len();
        let leaf = end - first <= LEAF;
        self.nodes.push(Node {
            bounds: Bounds::EMPTY,
            skip: 0,
            first,
            count: if leaf { end - first } else { 0 },
        });
        if !leaf {
            let middle = first.midpoint(end);
            self.grow(first, middle);
            self.grow(middle, end);
        }
        self.nodes[at].skip = self.nodes.len();
    }

    /// Boxes from the leaves up: a node's children come after it.
    fn refit(&mut self, bounds: &[Bounds]) {
        self.boxes.clear();
        self.boxes.extend(self.order.iter().map(|&i| bounds[i]));
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            self.nodes[at].bounds = if node.count > 0 {
                self.boxes[node.first..node.first + node.count]
                    .iter()
                    .fold(Bounds::EMPTY, |all, b| all.union(b))
            } else {
                let (left, right) = (&self.nodes[at + 1], self.nodes[at + 1].skip);
                left.bounds.union(&self.nodes[right].bounds)
            };
        }
    }

    fn total_area(&self) -> f64 {
        let area = |n: &Node| {
            let d = n.bounds.max - n.bounds.min;
            d.x * d.y + d.y * d.z + d.z * d.x
        };
        self.nodes.iter().map(area).sum()
    }
}

/// Place along a space-filling curve of a point in the unit cube: the bits of its coordinates in turn.
fn curve(p: DVec3) -> u64 {
    let spread = |x: f64| {
        // 21 bits, two zeros after each.
        let mut v = (x.clamp(0.0, 1.0) * f64::from((1 << 21) - 1)) as u64;
        v = (v | v << 32) & 0x001f_0000_0000_ffff;
        v = (v | v << 16) & 0x001f_0000_ff00_00ff;
        v = (v | v << 8) & 0x100f_00f0_0f00_f00f;
        v = (v | v << 4) & 0x10c3_0c30_c30c_30c3;
        (v | v << 2) & 0x1249_2492_4924_9249
    };
    spread(p.x) | spread(p.y) << 1 | spread(p.z) << 2
}
