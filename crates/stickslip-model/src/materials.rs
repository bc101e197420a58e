//! What pairs of materials have, whichever bodies are made of them.

/// Values by pair of materials.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialTable<T> {
    /// The material of each body, by number; empty where no pair of materials has a value.
    pub bodies: Vec<Option<usize>>,
    /// By pair of materials, the first not the larger, sorted.
    pub pairs: Vec<([usize; 2], T)>,
}

impl<T> Default for MaterialTable<T> {
    fn default() -> Self {
        Self {
            bodies: Vec::new(),
            pairs: Vec::new(),
        }
    }
}

impl<T> MaterialTable<T> {
    /// That of the materials of two bodies, if their pair has one.
    #[must_use]
    pub fn of(&self, bodies: [usize; 2]) -> Option<&T> {
        let own = |body: usize| self.bodies.get(body).copied().flatten();
        let (a, b) = (own(bodies[0])?, own(bodies[1])?);
        let pair = [a.min(b), a.max(b)];
        let found = self.pairs.binary_search_by_key(&pair, |p| p.0).ok()?;
        Some(&self.pairs[found].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_have_what_their_materials_have_in_either_order() {
        let table = MaterialTable {
            bodies: vec![Some(0), Some(2), None, Some(2)],
            pairs: vec![([0, 2], 0.5), ([2, 2], 0.9)],
        };
        assert_eq!(table.of([0, 1]), Some(&0.5));
        assert_eq!(table.of([1, 0]), Some(&0.5));
        assert_eq!(table.of([1, 3]), Some(&0.9));
        assert_eq!(table.of([0, 0]), None);
        assert_eq!(table.of([0, 2]), None, "made of nothing in particular");
        assert_eq!(MaterialTable::<f64>::default().of([0, 1]), None);
    }
}
