//! The order in which the nodes of a sparse symmetric pattern are eliminated, and the fill that comes of it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Pattern of a matrix of blocks, rows compressed: the columns of row i are `cols[starts[i]..starts[i + 1]]`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    pub(crate) starts: Vec<usize>,
    pub(crate) cols: Vec<usize>,
}

impl Pattern {
    /// Takes this pattern; false if it is the one it has.
    pub(crate) fn renew(&mut self, starts: &[usize], cols: &[usize]) -> bool {
        if self.starts == starts && self.cols == cols {
            return false;
        }
        self.starts.clear();
        self.starts.extend_from_slice(starts);
        self.cols.clear();
        self.cols.extend_from_slice(cols);
        true
    }

    /// Forgets it: the next one is new.
    pub(crate) fn forget(&mut self) {
        self.starts.clear();
        self.cols.clear();
    }
}

/// The neighbours of each node, sorted, itself not among them.
fn graph_of(starts: &[usize], cols: &[usize]) -> Vec<Vec<usize>> {
    let n = starts.len().saturating_sub(1);
    let mut graph: Vec<Vec<usize>> = vec![Vec::new(); n];
    for i in 0..n {
        for &j in &cols[starts[i]..starts[i + 1]] {
            if i != j {
                graph[i].push(j);
                graph[j].push(i);
            }
        }
    }
    for list in &mut graph {
        list.sort_unstable();
        list.dedup();
    }
    graph
}

/// The union of two sorted lists without the two nodes of `except`, sorted.
fn merge(list: &[usize], other: &[usize], except: [usize; 2], out: &mut Vec<usize>) {
    out.clear();
    let (mut a, mut b) = (0, 0);
    while a < list.len() || b < other.len() {
        let x = list.get(a).copied().unwrap_or(usize::MAX);
        let y = other.get(b).copied().unwrap_or(usize::MAX);
        let v = x.min(y);
        a += usize::from(x == v);
        b += usize::from(y == v);
        if !except.contains(&v) {
            out.push(v);
        }
    }
}

/// Order of elimination by minimum degree.
#[derive(Clone, Debug, Default)]
pub(crate) struct EliminationOrder {
    /// Place of each node in the order, and its inverse.
    pub(crate) place: Vec<usize>,
    pub(crate) order: Vec<usize>,
    /// For each place k, the later places it is coupled to, sorted: `later[starts[k]..starts[k+1]]`.
    pub(crate) starts: Vec<usize>,
    pub(crate) later: Vec<usize>,
}

impl EliminationOrder {
    /// Minimum degree on the elimination graph of a pattern (rows compressed, taken as symmetric), the lowest index
    /// first among equals.
    pub(crate) fn find(&mut self, pattern_starts: &[usize], cols: &[usize]) {
        let mut graph = graph_of(pattern_starts, cols);
        let n = graph.len();
        // Lowest first; an entry whose degree is no longer that of its node is stale.
        let mut queue: BinaryHeap<Reverse<(usize, usize)>> = graph
            .iter()
            .enumerate()
            .map(|(i, g)| Reverse((g.len(), i)))
            .collect();
        self.order.clear();
        self.place.clear();
        self.place.resize(n, usize::MAX);
        let mut columns: Vec<Vec<usize>> = Vec::with_capacity(n);
        let mut merged = Vec::new();
        while let Some(Reverse((degree, k))) = queue.pop() {
            if self.place[k] != usize::MAX || degree != graph[k].len() {
                continue;
            }
            self.place[k] = self.order.len();
            self.order.push(k);
            let neighbours = std::mem::take(&mut graph[k]);
            for &i in &neighbours {
                // What k was coupled to is coupled with each other now.
                merge(&graph[i], &neighbours, [i, k], &mut merged);
                std::mem::swap(&mut graph[i], &mut merged);
                queue.push(Reverse((graph[i].len(), i)));
            }
            columns.push(neighbours);
        }
        self.starts.clear();
        self.starts.push(0);
        self.later.clear();
        for mut column in columns {
            for v in &mut column {
                *v = self.place[*v];
            }
            column.sort_unstable();
            self.later.extend(column);
            self.starts.push(self.later.len());
        }
    }

    /// The later places of place `k`.
    pub(crate) fn later(&self, k: usize) -> &[usize] {
        &self.later[self.starts[k]..self.starts[k + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A star: its rays go first, each coupled to the middle only; without fill.
    #[test]
    fn a_star_is_eliminated_from_its_rays() {
        let starts = [0, 5, 7, 9, 11, 13];
        let cols = [0, 1, 2, 3, 4, 0, 1, 0, 2, 0, 3, 0, 4];
        let mut order = EliminationOrder::default();
        order.find(&starts, &cols);
        assert_eq!(order.order, [1, 2, 3, 0, 4]);
        for k in 0..4 {
            assert_eq!(order.later(k).len(), 1, "no fill at place {k}");
        }
        assert!(order.later(4).is_empty());
        for (place, &node) in order.order.iter().enumerate() {
            assert_eq!(order.place[node], place);
        }
    }

    /// A ring of six: eliminating a node couples its two neighbours, as in every order: three chords. Each place but the
    /// last two has two later ones.
    #[test]
    fn a_ring_is_filled_by_its_chords() {
        let starts = [0, 3, 6, 9, 12, 15, 18];
        let cols: Vec<usize> = (0..6).flat_map(|i| [i, (i + 1) % 6, (i + 5) % 6]).collect();
        let mut order = EliminationOrder::default();
        order.find(&starts, &cols);
        let counts: Vec<usize> = (0..6).map(|k| order.later(k).len()).collect();
        assert_eq!(counts, [2, 2, 2, 2, 1, 0]);
    }
}
