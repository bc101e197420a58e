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
    /// Products of blocks that all fronts take, and those of each front with all below it.
    pub(crate) products: usize,
    below: Vec<usize>,
    /// Runs of fronts that need nothing of any other: parts of the work that threads may take.
    pub(crate) branches: Vec<core::ops::Range<usize>>,
}

/// No branch takes more than this part of all products.
const BRANCHES: usize = 12;

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

    /// Products of blocks that its elimination takes.
    fn products(&self) -> usize {
        let left = |k: usize| self.size() - 1 - k;
        (0..self.own).map(|k| left(k) * left(k)).sum()
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
        tree.find_branches();
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

impl FrontTree {
    /// Finds the branches: whole subtrees, neighbours joined, none of them with more than its part of all products.
    fn find_branches(&mut self) {
        let mut first = Vec::with_capacity(self.fronts.len());
        for (number, front) in self.fronts.iter().enumerate() {
            let (mut begin, mut below) = (number, front.products());
            for &c in &front.children {
                // A front comes right after its subtree.
                (begin, below) = (begin.min(first[c]), below + self.below[c]);
            }
            first.push(begin);
            self.below.push(below);
            self.products += front.products();
        }
        let most = self.products / BRANCHES;
        let mut number = self.fronts.len();
        let mut joined = 0;
        // From the last front down: what is too large is passed over, what is not is a subtree of its own.
        while number > 0 {
            let (below, begin) = (self.below[number - 1], first[number - 1]);
            if below > most {
                number -= 1;
                continue;
            }
            match self.branches.last_mut() {
                Some(last) if last.start == number && joined + below <= most => {
                    (last.start, joined) = (begin, joined + below);
                }
                _ => {
                    self.branches.push(begin..number);
                    joined = below;
                }
            }
            number = begin;
        }
        self.branches.reverse();
    }

    /// Which branch a front is in.
    pub(crate) fn branch_of(&self, front: usize) -> Option<usize> {
        let at = self.branches.partition_point(|b| b.end <= front);
        let found = self.branches.get(at)?;
        found.contains(&front).then_some(at)
    }

    /// Blocks in the factors of some fronts, and their nodes.
    pub(crate) fn extent(&self, fronts: &core::ops::Range<usize>) -> (usize, usize) {
        let begin = |number: usize| match self.fronts.get(number) {
            Some(front) => (front.factors, front.first),
            None => (self.factor_blocks, self.order.len()),
        };
        let (from, to) = (begin(fronts.start), begin(fronts.end));
        (to.0 - from.0, to.1 - from.1)
    }

    /// Products that some fronts take.
    pub(crate) fn products_of(&self, fronts: &core::ops::Range<usize>) -> usize {
        self.fronts[fronts.clone()]
            .iter()
            .map(Front::products)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a lattice: branches do not overlap, none of them is entered but at its end, and what all fronts take is what branches and
    /// the fronts above them take.
    #[test]
    fn branches_need_nothing_of_each_other() {
        let n = 24_usize;
        let mut pattern = Pattern::default();
        pattern.starts.push(0);
        for i in 0..n * n {
            let near = |j: &usize| (i % n).abs_diff(j % n) <= 1 && (i / n).abs_diff(j / n) <= 1;
            pattern.cols.extend((0..n * n).filter(near));
            pattern.starts.push(pattern.cols.len());
        }
        let tree = FrontTree::find(&pattern);
        assert!(tree.branches.len() > 4);
        assert!(tree.branches.windows(2).all(|b| b[0].end <= b[1].start));
        for (k, branch) in tree.branches.iter().enumerate() {
            assert!(tree.products_of(branch) <= tree.products / BRANCHES);
            for number in 0..tree.fronts.len() {
                assert_eq!(tree.branch_of(number) == Some(k), branch.contains(&number));
                for &c in &tree.fronts[number].children {
                    assert!(!branch.contains(&number) || branch.contains(&c));
                }
            }
        }
        assert_eq!(tree.products_of(&(0..tree.fronts.len())), tree.products);
        let (blocks, nodes) = tree.extent(&(0..tree.fronts.len()));
        assert_eq!((blocks, nodes), (tree.factor_blocks, n * n));
    }

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
