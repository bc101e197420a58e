//! Islands: contacts that feel each other through bodies, directly or by way of others. Each is a problem of its own.

use crate::delassus::Delassus;
use crate::local::LocalProblem;

/// The islands of a local problem; memory is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    /// Contacts island by island, rising within each: `members[starts[k]..starts[k + 1]]`.
    members: Vec<usize>,
    starts: Vec<usize>,
    /// A lower contact of the same island, or the contact itself if it is the first.
    parent: Vec<usize>,
    /// Next free place of the island whose first contact this is.
    place: Vec<usize>,
}

impl Islands {
    /// Finds them, in the order of their first contacts.
    pub(crate) fn find(&mut self, delassus: &Delassus) {
        let n = delassus.len();
        // Often there is one, whose first contact feels all others, or as many as contacts.
        let whole = n > 0 && delassus.row(0).0.len() == n;
        if whole || delassus.stored_blocks() == n {
            self.members.clear();
            self.members.extend(0..n);
            self.starts.clear();
            self.starts
                .extend((0..n).step_by(if whole { n } else { 1 }));
            self.starts.push(n);
            return;
        }
        self.parent.clear();
        self.parent.extend(0..n);
        for i in 0..n {
            for &j in delassus.row(i).0 {
                if j != i {
                    let (a, b) = (self.first(i), self.first(j));
                    self.parent[a.max(b)] = a.min(b);
                }
            }
        }
        // Sizes, places, members: contacts come in rising order.
        self.place.clear();
        self.place.resize(n, 0);
        for i in 0..n {
            let first = self.first(i);
            self.place[first] += 1;
        }
        self.starts.clear();
        let mut start = 0;
        for i in 0..n {
            if self.parent[i] == i {
                self.starts.push(start);
                start += std::mem::replace(&mut self.place[i], start);
            }
        }
        self.starts.push(n);
        self.members.clear();
        self.members.resize(n, 0);
        for i in 0..n {
            let first = self.first(i);
            let place = &mut self.place[first];
            self.members[*place] = i;
            *place += 1;
        }
    }

    fn first(&mut self, mut i: usize) -> usize {
        while self.parent[i] != i {
            self.parent[i] = self.parent[self.parent[i]];
            i = self.parent[i];
        }
        i
    }

    /// Number of islands.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Contacts of island `k`, rising.
    pub(crate) fn members(&self, k: usize) -> &[usize] {
        &self.members[self.starts[k]..self.starts[k + 1]]
    }
}

impl LocalProblem {
    /// The problem of some contacts that touch no others, numbered as in `members` (rising).
    pub(crate) fn island(&self, members: &[usize]) -> Self {
        let mut entries = Vec::new();
        self.delassus
            .for_blocks_of(members, |k, l, block| entries.push((k, l, *block)));
        Self {
            delassus: Delassus::from_blocks(members.len(), entries),
            q: members.iter().map(|&i| self.q[i]).collect(),
            laws: members.iter().map(|&i| self.laws[i].clone()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DMat3;

    #[test]
    fn islands_are_found_whatever_their_order() {
        // 0-3-1 by one-sided blocks, 2 alone, 4-5.
        let pairs = [(0, 3), (1, 3), (5, 4)];
        let entries = pairs.map(|(i, j)| (i, j, DMat3::IDENTITY));
        let mut islands = Islands::default();
        for _ in 0..2 {
            islands.find(&Delassus::from_blocks(6, entries.to_vec()));
            let found: Vec<&[usize]> = (0..islands.len()).map(|k| islands.members(k)).collect();
            assert_eq!(found, [&[0, 1, 3][..], &[2], &[4, 5]]);
        }
        islands.find(&Delassus::default());
        assert_eq!(islands.len(), 0);
    }
}
