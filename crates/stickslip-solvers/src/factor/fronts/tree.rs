//! Which nodes are eliminated together: the tree of fronts of a pattern.

use crate::factor::elimination::{EliminationOrder, Pattern};

/// The fronts of a pattern, and where everything is in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrontTree {
    /// Node at each place of the order of elimination.
    pub(crate) order: Vec<usize>,
    /// In order of elimination, each after those it takes from.
    pub(crate) fronts: Vec<Front>,
    /// Places of the later rows of all fronts, and their indices in the parent's front.
    pub(crate) later: Vec<usize>,
    pub(crate) in_parent: Vec<usize>,
    /// The pattern's entries by front: (index in the pattern, row, column), the latter in blocks of the front.
    pub(crate) entries: Vec<(usize, usize, usize)>,
    /// Blocks in the factors.
    pub(crate) factor_blocks: usize,
}

/// Some nodes eliminated together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Front {
    /// Its own nodes are at the places first..first + own.
    pub(crate) first: usize,
    pub(crate) own: usize,
    /// Its later rows: this part of `later`.
    pub(crate) later: core::ops::Range<usize>,
    /// Its part of the entries.
    pub(crate) entries: core::ops::Range<usize>,
    /// Fronts that leave something to this one, the last of those on the stack.
    pub(crate) children: Vec<usize>,
    /// Block at which its factors begin: own rows (U over all columns, L of the own square below it), then the own
    /// columns of the later rows.
    pub(crate) factors: usize,
}

impl Front {
    /// Block rows of the front.
    pub(crate) fn size(&self) -> usize {
        self.own + self.later.len()
    }

    /// Block row of the front at which place `p` of the elimination is.
    fn row_of(&self, later: &[usize], p: usize) -> usize {
        if p < self.first + self.own {
            p - self.first
        } else {
            let places = &later[self.later.clone()];
            self.own + places.binary_search(&p).unwrap_or(0)
        }
    }
}

/// Nodes gathered into one front while the fronts are sought; places are those of the elimination.
struct Gathered {
    nodes: Vec<usize>,
    /// The last of its nodes: its later places are those of the front.
    top: usize,
    /// Entries of the factor's lower half that are zero although they are stored.
    zeros: usize,
    children: Vec<usize>,
}

/// May a front of `s` nodes, so many blocks in the lower half of its factor and so many of them zero, be?
fn worth_while(s: usize, zeros: usize, size: usize) -> bool {
    let percent = match s {
        0..=2 => 60,
        3..=6 => 25,
        7..=12 => 10,
        _ => 4,
    };
    100 * zeros <= percent * size
}

/// Bottom up, each node takes in the fronts of its children where few zeros come of it. The fronts (None where taken in by
/// a later one) by their last node, and those that leave nothing to others.
fn gather(elimination: &EliminationOrder) -> (Vec<Option<Gathered>>, Vec<usize>) {
    let n = elimination.order.len();
    let mut gathered: Vec<Option<Gathered>> = Vec::with_capacity(n);
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut roots = Vec::new();
    for k in 0..n {
        let m = elimination.later(k).len();
        let mut front = Gathered {
            nodes: vec![k],
            top: k,
            zeros: 0,
            children: Vec::new(),
        };
        let mut below = std::mem::take(&mut children[k]);
        below.sort_by_key(|&c| (usize::MAX - elimination.later(c).len(), c));
        for c in below {
            let Some(child) = &gathered[c] else { continue };
            let s = front.nodes.len() + child.nodes.len();
            let extra =
                child.nodes.len() * (front.nodes.len() + m - elimination.later(child.top).len());
            let zeros = front.zeros + child.zeros + extra;
            if worth_while(s, zeros, s * (s + 1) / 2 + s * m)
                && let Some(mut child) = gathered[c].take()
            {
                child.nodes.append(&mut front.nodes);
                front.nodes = child.nodes;
                front.zeros = zeros;
                front.children.append(&mut child.children);
            } else {
                front.children.push(c);
            }
        }
        gathered.push(Some(front));
        match elimination.later(k).first() {
            Some(&parent) => children[parent].push(k),
            None => roots.push(k),
        }
    }
    (gathered, roots)
}

/// An order in which each front comes after its children, by last nodes.
fn children_first(gathered: &[Option<Gathered>], roots: Vec<usize>) -> Vec<usize> {
    let mut order = Vec::new();
    let mut open = roots;
    while let Some(k) = open.pop() {
        if let Some(front) = &gathered[k] {
            open.extend_from_slice(&front.children);
            order.push(k);
        }
    }
    order.reverse();
    order
}

impl FrontTree {
    /// The fronts of a symmetric pattern.
    pub(crate) fn find(pattern: &Pattern) -> Self {
        let mut elimination = EliminationOrder::default();
        elimination.find(&pattern.starts, &pattern.cols);
        let (gathered, roots) = gather(&elimination);
        let tops = children_first(&gathered, roots);
        let mut tree = Self::default();
        tree.place_nodes(&elimination, &gathered, &tops);
        tree.place_later(&elimination, &tops);
        tree.link_parents();
        tree.place_entries(pattern);
        tree
    }

    /// Makes the fronts in the order of `tops` and gives their nodes new places, front by front.
    fn place_nodes(
        &mut self,
        elimination: &EliminationOrder,
        gathered: &[Option<Gathered>],
        tops: &[usize],
    ) {
        let mut number_of = vec![0; elimination.order.len()];
        for (number, &k) in tops.iter().enumerate() {
            number_of[k] = number;
            let Some(front) = &gathered[k] else { continue };
            self.fronts.push(Front {
                first: self.order.len(),
                own: front.nodes.len(),
                children: front.children.clone(),
                ..Front::default()
            });
            let nodes = front.nodes.iter().map(|&node| elimination.order[node]);
            self.order.extend(nodes);
        }
        for front in &mut self.fronts {
            for c in &mut front.children {
                *c = number_of[*c];
            }
            front.children.sort_unstable();
        }
    }

    /// Notes the later rows of each front, those of its last node, and where its factors begin.
    fn place_later(&mut self, elimination: &EliminationOrder, tops: &[usize]) {
        let place = self.places();
        for (front, &k) in self.fronts.iter_mut().zip(tops) {
            let start = self.later.len();
            let later = elimination.later(k).iter();
            self.later
                .extend(later.map(|&p| place[elimination.order[p]]));
            self.later[start..].sort_unstable();
            front.later = start..self.later.len();
            front.factors = self.factor_blocks;
            self.factor_blocks += front.own * (front.size() + front.later.len());
        }
    }

    /// Place of each node.
    fn places(&self) -> Vec<usize> {
        let mut place = vec![0; self.order.len()];
        for (p, &node) in self.order.iter().enumerate() {
            place[node] = p;
        }
        place
    }

    /// Notes where the later rows of each front are in its parent.
    fn link_parents(&mut self) {
        self.in_parent.resize(self.later.len(), 0);
        for front in &self.fronts {
            for &c in &front.children {
                for at in self.fronts[c].later.clone() {
                    self.in_parent[at] = front.row_of(&self.later, self.later[at]);
                }
            }
        }
    }

    /// Gives each entry of the pattern to the front of the earlier of its row and column.
    fn place_entries(&mut self, pattern: &Pattern) {
        let place = self.places();
        let mut front_of = vec![0; self.order.len()];
        for (number, front) in self.fronts.iter().enumerate() {
            front_of[front.first..front.first + front.own].fill(number);
        }
        let mut entries = Vec::with_capacity(pattern.cols.len());
        for i in 0..self.order.len() {
            for at in pattern.starts[i]..pattern.starts[i + 1] {
                let (a, b) = (place[i], place[pattern.cols[at]]);
                let number = front_of[a.min(b)];
                let row = |p| self.fronts[number].row_of(&self.later, p);
                entries.push((number, at, row(a), row(b)));
            }
        }
        entries.sort_unstable();
        let places = entries.iter().map(|&(_, at, r, c)| (at, r, c));
        self.entries.extend(places);
        let mut start = 0;
        for (number, front) in self.fronts.iter_mut().enumerate() {
            let count = entries[start..].partition_point(|e| e.0 == number);
            front.entries = start..start + count;
            start += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain 0 - 1 - 2 - 3 - 4: every node has a front, own rows come once, and each entry is in the front of the earlier of
    /// its two nodes.
    #[test]
    fn every_node_and_every_entry_has_one_place() {
        let cols: Vec<usize> = (0usize..5)
            .flat_map(|i| i.saturating_sub(1)..=(i + 1).min(4))
            .collect();
        let pattern = Pattern {
            starts: vec![0, 2, 5, 8, 11, 13],
            cols,
        };
        let tree = FrontTree::find(&pattern);
        let mut nodes = tree.order.clone();
        nodes.sort_unstable();
        assert_eq!(nodes, [0, 1, 2, 3, 4]);
        let mut entries: Vec<usize> = tree.entries.iter().map(|e| e.0).collect();
        entries.sort_unstable();
        assert_eq!(entries, (0..13).collect::<Vec<_>>());
        let row_of: Vec<usize> = (0..5)
            .flat_map(|i| vec![i; pattern.starts[i + 1] - pattern.starts[i]])
            .collect();
        for front in &tree.fronts {
            let node = |r: usize| {
                let place = if r < front.own {
                    front.first + r
                } else {
                    tree.later[front.later.clone()][r - front.own]
                };
                tree.order[place]
            };
            for &(at, r, c) in &tree.entries[front.entries.clone()] {
                assert!(r.min(c) < front.own && r.max(c) < front.size());
                assert_eq!((node(r), node(c)), (row_of[at], pattern.cols[at]));
            }
        }
    }
}
