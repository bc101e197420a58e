//! Friction that depends on how fast a contact slips.

use crate::materials::MaterialTable;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// μ as a function of the slip speed |u_t| ≥ 0, m/s: Stribeck's curve.
///
/// A contact sticks within |p_t| ≤ μ(0) p_n, and slips with |p_t| = μ(|u_t|) p_n against the slip.
#[derive(Clone)]
pub struct SlipCurve(Arc<dyn Fn(f64) -> f64 + Send + Sync>);

impl SlipCurve {
    /// A curve by its function.
    pub fn new(at: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(at))
    }

    /// μ_k + (μ_s − μ_k) exp(−v/v_s): from the static coefficient at rest to the kinetic one, by the speed v_s > 0, m/s.
    #[must_use]
    pub fn stribeck(stick: f64, slide: f64, speed: f64) -> Self {
        Self::new(move |v| slide + (stick - slide) * libm::exp(-v / speed))
    }

    /// Straight lines between rising speeds, m/s, the first of them 0, and as many coefficients; beyond the last one it stays.
    ///
    /// # Panics
    /// Where there are not as many coefficients as speeds.
    #[must_use]
    pub fn table(speeds: Vec<f64>, values: Vec<f64>) -> Self {
        assert_eq!(speeds.len(), values.len(), "a coefficient for each speed");
        Self::new(move |v| {
            let k = speeds.partition_point(|at| *at <= v);
            if k == 0 || k == speeds.len() {
                return values[k.saturating_sub(1)];
            }
            let part = (v - speeds[k - 1]) / (speeds[k] - speeds[k - 1]);
            values[k - 1] + (values[k] - values[k - 1]) * part
        })
    }

    /// μ at a slip speed, m/s; never negative.
    #[must_use]
    pub fn at(&self, speed: f64) -> f64 {
        (self.0)(speed).max(0.0)
    }

    /// Of two curves the one with less friction at the first of these speeds at which they differ: a choice that does not depend on
    /// which of them is asked first.
    fn lesser<'a>(&'a self, other: &'a Self) -> &'a Self {
        const SPEEDS: [f64; 8] = [0.0, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0];
        if self == other {
            return self;
        }
        let mut compared = SPEEDS.iter().map(|&v| self.at(v).total_cmp(&other.at(v)));
        match compared.find(|order| order.is_ne()) {
            Some(Ordering::Greater) => other,
            _ => self,
        }
    }
}

impl fmt::Debug for SlipCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SlipCurve({} at rest)", self.at(0.0))
    }
}

impl PartialEq for SlipCurve {
    /// The very same curve.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Which pairs of bodies have a curve in place of two coefficients.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SlipCurves {
    /// Of each body's own material, with its coefficient at rest; empty where none has one.
    pub bodies: Vec<(f64, Option<SlipCurve>)>,
    /// Pairs with friction of their own, sorted: their curve, or none where two coefficients serve.
    pub pairs: Vec<([usize; 2], Option<SlipCurve>)>,
    /// Pairs of materials with friction of their own, likewise.
    pub materials: MaterialTable<Option<SlipCurve>>,
}

impl SlipCurves {
    /// Has no pair a curve?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty() && self.pairs.is_empty() && self.materials.pairs.is_empty()
    }

    /// That of a pair: its own; else that of its materials; else, of the two bodies' materials, that of the one with more friction at
    /// rest. Of equals the one that has a curve; where both have, the curve with less friction at the lowest speed at which they differ.
    #[must_use]
    pub fn of(&self, bodies: [usize; 2]) -> Option<&SlipCurve> {
        if self.is_empty() {
            return None;
        }
        if let Ok(k) = self.pairs.binary_search_by_key(&bodies, |p| p.0) {
            return self.pairs[k].1.as_ref();
        }
        if let Some(own) = self.materials.of(bodies) {
            return own.as_ref();
        }
        let [a, b] = [self.bodies.get(bodies[0])?, self.bodies.get(bodies[1])?];
        match (a.0.total_cmp(&b.0), &a.1, &b.1) {
            (Ordering::Greater, a, _) => a.as_ref(),
            (Ordering::Less, _, b) => b.as_ref(),
            (Ordering::Equal, Some(a), Some(b)) => Some(a.lesser(b)),
            (Ordering::Equal, a, b) => a.as_ref().or(b.as_ref()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_straight_lines_and_stay_at_their_end() {
        let curve = SlipCurve::table(vec![0.0, 0.1, 0.5], vec![0.6, 0.4, 0.5]);
        for (v, mu) in [
            (0.0, 0.6),
            (0.05, 0.5),
            (0.1, 0.4),
            (0.3, 0.45),
            (0.5, 0.5),
            (9.0, 0.5),
        ] {
            assert!((curve.at(v) - mu).abs() < 1e-15, "{v}");
        }
        assert_eq!(SlipCurve::new(|_| -1.0).at(1.0), 0.0);
    }

    #[test]
    fn a_pairs_own_curve_comes_first_then_that_of_the_rougher_body() {
        let curve = |mu: f64| SlipCurve::new(move |_| mu);
        let curves = SlipCurves {
            bodies: vec![
                (0.3, Some(curve(0.3))),
                (0.5, None),
                (0.2, Some(curve(0.2))),
            ],
            materials: MaterialTable::default(),
            pairs: vec![([0, 1], Some(curve(0.9)))],
        };
        let at = |bodies| curves.of(bodies).map(|c| c.at(0.0));
        assert_eq!(at([0, 1]), Some(0.9));
        assert_eq!(at([0, 2]), Some(0.3));
        assert_eq!(at([1, 2]), None);
        assert_eq!(SlipCurves::default().of([0, 1]), None);
    }

    #[test]
    fn with_equal_friction_at_rest_it_does_not_matter_which_body_stands_first() {
        let falling = SlipCurve::stribeck(0.5, 0.2, 0.05);
        let slower = SlipCurve::stribeck(0.5, 0.2, 0.1);
        let of = |a: Option<&SlipCurve>, b: Option<&SlipCurve>| {
            let curves = SlipCurves {
                bodies: vec![(0.5, a.cloned()), (0.5, b.cloned())],
                ..SlipCurves::default()
            };
            curves.of([0, 1]).cloned()
        };
        assert_eq!(of(None, Some(&falling)), Some(falling.clone()));
        assert_eq!(of(Some(&falling), None), Some(falling.clone()));
        assert_eq!(of(Some(&slower), Some(&falling)), Some(falling.clone()));
        assert_eq!(of(Some(&falling), Some(&slower)), Some(falling));
        assert_eq!(of(None, None), None);
    }
}
