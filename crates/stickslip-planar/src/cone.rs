//! Cones spanned by friction edges: the composite friction cone and its slices.

use crate::vec3::{V3, ZERO, complement, cross, dot, norm, scale, unit};

/// Below this sine of an angle two unit vectors count as parallel, three as coplanar.
const RANK: f64 = 1e-11;

/// The positive span of finitely many vectors in (x, y, q), by its generators and by its faces:
///
///   cone = { Σ λ_j e_j, λ_j ≥ 0 } = { p : w·p = 0 for every equality w, n·p ≥ 0 for every facet n }.
///
/// A Minkowski sum of cones is the cone of all their generators together, so this is also the composite friction cone
/// of several contacts (section 5).
#[derive(Clone, Debug)]
pub struct Cone {
    generators: Vec<V3>,
    equalities: Vec<V3>,
    facets: Vec<V3>,
    rank: usize,
    tol: f64,
}

impl Cone {
    /// The positive span of `generators`; `tol` is the sine of the angle to which faces are decided.
    #[must_use]
    pub fn new(generators: &[V3], tol: f64) -> Self {
        let units: Vec<V3> = generators
            .iter()
            .filter_map(|&g| unit(g, f64::MIN_POSITIVE))
            .collect();
        let mut cone = Self {
            generators: units,
            equalities: Vec::new(),
            facets: Vec::new(),
            rank: 0,
            tol,
        };
        cone.find_faces();
        cone
    }

    fn find_faces(&mut self) {
        let Some(&first) = self.generators.first() else {
            self.equalities = vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            return;
        };
        let widest = self
            .generators
            .iter()
            .map(|&g| cross(first, g))
            .fold(ZERO, |best, w| if norm(w) > norm(best) { w } else { best });
        let Some(w) = unit(widest, RANK) else {
            // A ray, or a line where a generator points the other way.
            self.rank = 1;
            let (u, v) = complement(first);
            self.equalities = vec![u, v];
            if self.generators.iter().all(|&g| dot(g, first) > 0.0) {
                self.facets.push(first);
            }
            return;
        };
        if self.generators.iter().all(|&g| dot(w, g).abs() <= RANK) {
            // A sector of a plane, a half-plane or the plane.
            self.rank = 2;
            self.equalities.push(w);
            for i in 0..self.generators.len() {
                self.push_supporting(cross(w, self.generators[i]));
            }
            return;
        }
        self.rank = 3;
        for i in 0..self.generators.len() {
            for j in 0..i {
                self.push_supporting(cross(self.generators[j], self.generators[i]));
            }
        }
    }

    /// Keeps the plane with normal `n` as a facet where all generators lie on one side of it.
    fn push_supporting(&mut self, n: V3) {
        let Some(n) = unit(n, RANK) else { return };
        let (mut above, mut below) = (true, true);
        for &g in &self.generators {
            let side = dot(n, g);
            above &= side >= -self.tol;
            below &= side <= self.tol;
        }
        if above {
            self.facets.push(n);
        }
        if below {
            self.facets.push(scale(n, -1.0));
        }
    }

    /// The generators as unit vectors.
    #[must_use]
    pub fn generators(&self) -> &[V3] {
        &self.generators
    }

    /// Dimension of the cone's span.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Whether `p` lies in the cone, or no farther than `slack` outside any of its faces.
    #[must_use]
    pub fn contains(&self, p: V3, slack: f64) -> bool {
        self.equalities.iter().all(|&w| dot(w, p).abs() <= slack)
            && self.facets.iter().all(|&n| dot(n, p) >= -slack)
    }

    /// Whether the cone is the whole space: any load whatever can be balanced.
    #[must_use]
    pub fn is_whole_space(&self) -> bool {
        self.rank == 3 && self.facets.is_empty()
    }

    /// The values of c for which p + c d lies in the cone, as [lo, hi] with infinite ends, or `None` for none.
    ///
    /// `d` is a unit vector; `slack` is the distance from a face that still counts as on it.
    #[must_use]
    pub fn meet_line(&self, p: V3, d: V3, slack: f64) -> Option<(f64, f64)> {
        let (mut lo, mut hi) = (f64::NEG_INFINITY, f64::INFINITY);
        let faces = self
            .equalities
            .iter()
            .map(|&w| (w, true))
            .chain(self.facets.iter().map(|&n| (n, false)));
        for (n, equality) in faces {
            let (height, slope) = (dot(n, p), dot(n, d));
            if slope.abs() <= self.tol {
                if height < -slack || (equality && height > slack) {
                    return None;
                }
                continue;
            }
            let c = -height / slope;
            if equality || slope > 0.0 {
                lo = lo.max(c);
            }
            if equality || slope < 0.0 {
                hi = hi.min(c);
            }
        }
        close_interval(lo, hi, slack)
    }

    /// The extreme rays in order around a pointed cone of rank 3 or 2, as numbers of generators; empty where the cone
    /// holds a whole line.
    #[must_use]
    pub fn extreme_rays(&self) -> Vec<usize> {
        let axis = self
            .generators
            .iter()
            .fold(ZERO, |sum, &g| crate::vec3::add(sum, g));
        let Some(axis) = unit(axis, RANK) else {
            return Vec::new();
        };
        if self
            .generators
            .iter()
            .any(|&g| self.contains(scale(g, -1.0), self.tol))
        {
            return Vec::new();
        }
        let (u, v) = complement(axis);
        let mut extreme: Vec<(f64, usize)> = Vec::new();
        for (i, &g) in self.generators.iter().enumerate() {
            let others: Vec<V3> = self
                .generators
                .iter()
                .enumerate()
                // Of equal generators the first is kept.
                .filter(|&(j, &o)| j != i && !(j > i && norm(cross(o, g)) <= RANK))
                .map(|(_, &o)| o)
                .collect();
            if !Cone::new(&others, self.tol).contains(g, self.tol) {
                extreme.push((libm::atan2(dot(v, g), dot(u, g)), i));
            }
        }
        extreme.sort_by(|a, b| a.0.total_cmp(&b.0));
        extreme.into_iter().map(|(_, i)| i).collect()
    }
}

/// [lo, hi], or its middle where rounding has crossed the ends by no more than `slack`.
pub(crate) fn close_interval(lo: f64, hi: f64, slack: f64) -> Option<(f64, f64)> {
    if lo <= hi {
        return Some((lo, hi));
    }
    // Far from the origin the ends are known to fewer digits than `slack`.
    (lo - hi <= slack.max(1e-10 * lo.abs().max(hi.abs()))).then(|| {
        let middle = 0.5 * (lo + hi);
        (middle, middle)
    })
}
