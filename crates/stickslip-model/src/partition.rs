//! Things that belong together, pair by pair.

/// A partition of the numbers from 0; memory is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partition {
    /// A lower number of the same group, or the number itself if it is the first.
    parent: Vec<usize>,
}

impl Partition {
    /// The numbers below `n`, each by itself.
    pub fn separate(&mut self, n: usize) {
        self.parent.clear();
        self.parent.extend(0..n);
    }

    /// Makes the groups of two numbers one.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.parent[a.max(b)] = a.min(b);
    }

    /// The first number of a number's group; the path to it is halved on the way.
    pub fn first(&mut self, mut k: usize) -> usize {
        while self.parent[k] != k {
            self.parent[k] = self.parent[self.parent[k]];
            k = self.parent[k];
        }
        k
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_goes_by_its_least_number_however_it_was_joined() {
        let mut parts = Partition::default();
        parts.separate(6);
        for (a, b) in [(5, 3), (4, 5), (1, 4), (3, 1)] {
            parts.join(a, b);
        }
        let firsts: Vec<usize> = (0..6).map(|k| parts.first(k)).collect();
        assert_eq!(firsts, [0, 1, 2, 1, 1, 1]);
        parts.separate(2);
        assert_eq!((parts.first(0), parts.first(1)), (0, 1));
    }
}
