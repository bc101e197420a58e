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

/// Order of elimination by minimum degree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Elimination {
    /// Place of each node in the order, and its inverse.
    pub(crate) place: Vec<usize>,
    pub(crate) order: Vec<usize>,
    /// For each place k, the later places it is coupled to, sorted: `later[starts[k]..starts[k+1]]`.
    pub(crate) starts: Vec<usize>,
    pub(crate) later: Vec<usize>,
}

impl Elimination {
    /// Minimum degree on the elimination graph of a pattern (rows compressed, taken as symmetric), the lowest index
    /// first among equals.
    pub(crate) fn find(&mut self, pattern_starts: &[usize], cols: &[usize]) {
        let n = pattern_starts.len().saturating_sub(1);
        let mut graph: Vec<Vec<usize>> = vec![Vec::new(); n];
        for i in 0..n {
            for &j in &cols[pattern_starts[i]..pattern_starts[i + 1]] {
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
                // graph[i] ∪ neighbours without i and k, both sorted.
                merged.clear();
                let (mut a, mut b) = (0, 0);
                let list = &graph[i];
                while a < list.len() || b < neighbours.len() {
                    let x = list.get(a).copied().unwrap_or(usize::MAX);
                    let y = neighbours.get(b).copied().unwrap_or(usize::MAX);
                    let v = x.min(y);
                    a += usize::from(x == v);
                    b += usize::from(y == v);
                    if v != i && v != k {
                        merged.push(v);
                    }
                }
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
