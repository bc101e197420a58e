//! Contacts that bear moments: torsional friction and rolling resistance.
//!
//! Bodies that touch in a patch rather than a point resist turning against each other. With the impulses (p_n, p_t) of a contact, its
//! moments m_n about the normal and m_t across it (N m s on the second body), and the angular velocity ω of the second body seen from
//! the first:
//!
//! ```text
//!   torsion, radius r:   |(p_t, m_n/r)| ≤ μ p_n,  against (u_t, r ω_n)
//!   rolling, length ρ:   |m_t| ≤ ρ p_n,           against ω_t
//! ```
//!
//! Sliding and spinning share one bound, with maximal dissipation: a contact that spins resists sliding less, and one that slides
//! spins almost freely. Rolling has a bound of its own, as the other moments of a patch have another cause (its pressure moves
//! ahead of its middle) and take nothing from friction.

use crate::materials::MaterialTable;

/// How far moments reach.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// Radius r of the patch by which friction resists a spin, m; 0 for none.
    pub torsion: f64,
    /// Coefficient ρ of rolling resistance, m; 0 for none.
    pub rolling: f64,
}

impl Moments {
    /// The larger of the two bodies', for each.
    #[must_use]
    pub fn combined(self, other: Self) -> Self {
        Self {
            torsion: self.torsion.max(other.torsion),
            rolling: self.rolling.max(other.rolling),
        }
    }

    /// Is there none?
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.torsion == 0.0 && self.rolling == 0.0
    }
}

/// Moments by pair of bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairMoments {
    /// Of each body's own material, with its least radius of gyration, m (infinite for one that does not turn by itself); empty where
    /// no pair has any.
    pub bodies: Vec<(Moments, f64)>,
    /// Pairs with an entry of their own, sorted.
    pub pairs: Vec<([usize; 2], Moments)>,
    /// Torsion and rolling of pairs of materials, where they are given.
    pub materials: MaterialTable<[Option<f64>; 2]>,
}

impl PairMoments {
    /// Those that the materials of two bodies have, whatever the pair's own entry says.
    ///
    /// # Panics
    /// Where there is no such body.
    #[must_use]
    pub fn of_materials(&self, bodies: [usize; 2]) -> Moments {
        let [a, b] = bodies.map(|body| self.bodies[body].0);
        let both = a.combined(b);
        self.materials
            .of(bodies)
            .map_or(both, |[torsion, rolling]| Moments {
                torsion: torsion.unwrap_or(both.torsion),
                rolling: rolling.unwrap_or(both.rolling),
            })
    }

    /// Those of a pair, with a length ℓ that turns its angular velocities into speeds (the least radius of gyration of the two): its own
    /// entry, else the larger of the two bodies'. None where it has none, or where neither body turns by itself.
    #[must_use]
    pub fn of(&self, bodies: [usize; 2]) -> Option<(Moments, f64)> {
        let [a, b] = [self.bodies.get(bodies[0])?, self.bodies.get(bodies[1])?];
        let own = self.pairs.binary_search_by_key(&bodies, |p| p.0);
        let moments = own.map_or_else(|_| self.of_materials(bodies), |k| self.pairs[k].1);
        let length = a.1.min(b.1);
        (!moments.is_none() && length.is_finite()).then_some((moments, length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_their_own_or_the_larger_ones_of_their_bodies() {
        let of = |torsion, rolling| Moments { torsion, rolling };
        let fixed = f64::INFINITY;
        let all = PairMoments {
            bodies: vec![
                (of(0.0, 0.0), fixed),
                (of(0.1, 0.0), 2.0),
                (of(0.0, 0.3), 1.0),
                (of(1.0, 1.0), fixed),
            ],
            materials: MaterialTable::default(),
            pairs: vec![([0, 2], of(0.0, 0.0)), ([1, 3], of(0.5, 0.0))],
        };
        assert_eq!(all.of([0, 1]), Some((of(0.1, 0.0), 2.0)));
        assert_eq!(all.of([1, 2]), Some((of(0.1, 0.3), 1.0)));
        assert_eq!(all.of([0, 2]), None, "its own entry says none");
        assert_eq!(all.of([1, 3]), Some((of(0.5, 0.0), 2.0)));
        assert_eq!(all.of([0, 3]), None, "neither turns by itself");
        assert_eq!(PairMoments::default().of([0, 1]), None);
    }
}
