//! Which pairs could touch before the end of the step: boxes around the swept bodies, of few sorted and swept along
//! one axis, of many in a tree.

use crate::pose::Pose;
use crate::shape::Shape;
use crate::tree::Tree;
use glam::DVec3;

/// An axis-aligned box around all places a body may be during the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower corner, m.
    pub min: DVec3,
    /// Upper corner, m.
    pub max: DVec3,
}

impl Bounds {
    /// Around nothing: the union with it changes nothing.
    pub const EMPTY: Self = Self {
        min: DVec3::INFINITY,
        max: DVec3::NEG_INFINITY,
    };

    /// Around a shape at `pose`; infinite for a half-space.
    #[must_use]
    pub fn of(shape: &Shape, pose: &Pose) -> Self {
        if let Shape::Cone { .. } | Shape::Hull(_) = shape {
            let r = pose.rotation().transpose();
            let along = |d: DVec3| shape.reach(r * d);
            return Self {
                min: pose.position - DVec3::from(DVec3::AXES.map(|d| along(-d))),
                max: pose.position + DVec3::from(DVec3::AXES.map(along)),
            };
        }
        let reach = match shape {
            Shape::Compound(c) => return c.bounds(pose),
            Shape::Mesh(mesh) => return mesh.bounds().placed(pose),
            Shape::Triangle(facet) => {
                return Self::around(&facet.points().map(|p| pose.to_world(p)));
            }
            Shape::Points { points, .. } => {
                return points
                    .iter()
                    .fold(Self::EMPTY, |all, p| all.with(pose.to_world(*p)));
            }
            Shape::HalfSpace { .. } => DVec3::INFINITY,
            Shape::Ball { radius } => DVec3::splat(*radius),
            Shape::Box { half } => {
                let r = pose.rotation();
                r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z
            }
            _ => {
                let r = pose.rotation().transpose();
                DVec3::from(DVec3::AXES.map(|d| shape.reach(r * d)))
            }
        };
        Self {
            min: pose.position - reach,
            max: pose.position + reach,
        }
    }

    /// The smallest box that holds all points.
    #[must_use]
    pub fn around(points: &[DVec3]) -> Self {
        points.iter().fold(Self::EMPTY, |all, p| all.with(*p))
    }

    /// The smallest box that holds it and a point.
    #[must_use]
    pub fn with(&self, point: DVec3) -> Self {
        Self {
            min: self.min.min(point),
            max: self.max.max(point),
        }
    }

    /// Around the box when its frame is at `pose`.
    #[must_use]
    pub fn placed(&self, pose: &Pose) -> Self {
        let (middle, half) = ((self.min + self.max) * 0.5, (self.max - self.min) * 0.5);
        let r = pose.rotation();
        let reach = r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z;
        let centre = pose.to_world(middle);
        Self {
            min: centre - reach,
            max: centre + reach,
        }
    }

    /// Around the box as seen from `pose`.
    #[must_use]
    pub fn seen_from(&self, pose: &Pose) -> Self {
        self.placed(&pose.inverse())
    }

    /// The smallest box that holds both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// Grown by `margin` on every side.
    #[must_use]
    pub fn grown(&self, margin: f64) -> Self {
        Self {
            min: self.min - DVec3::splat(margin),
            max: self.max + DVec3::splat(margin),
        }
    }

    /// Do the two boxes share a point?
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }
}

/// From this number of bodies on the tree is faster (measured: `stickslip bench contacts`).
const MANY: usize = 256;

/// Memory of the search, reused from step to step.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    order: Vec<usize>,
    pairs: Vec<[usize; 2]>,
    tree: Tree,
    bounded: Vec<usize>,
}

impl Sweep {
    /// All pairs (i < j) of meeting bounds that `wanted`, in lexicographic order.
    ///
    /// The order of the last call is kept, so that sorting it again is nearly free when bodies move
    /// little.
    pub fn pairs(
        &mut self,
        bounds: &[Bounds],
        wanted: impl Fn(usize, usize) -> bool,
    ) -> &[[usize; 2]] {
        self.pairs.clear();
        if bounds.len() < MANY {
            self.sweep(bounds, wanted);
        } else {
            self.search(bounds, wanted);
        }
        self.pairs.sort_unstable();
        &self.pairs
    }

    fn sweep(&mut self, bounds: &[Bounds], wanted: impl Fn(usize, usize) -> bool) {
        if self.order.len() != bounds.len() {
            self.order = (0..bounds.len()).collect();
        }
        // Ties by index, so that the result does not depend on the past.
        self.order
            .sort_by(|&i, &j| bounds[i].min.x.total_cmp(&bounds[j].min.x).then(i.cmp(&j)));
        for (k, &i) in self.order.iter().enumerate() {
            for &j in &self.order[k + 1..] {
                if bounds[j].min.x > bounds[i].max.x {
                    break;
                }
                if bounds[i].meets(&bounds[j]) {
                    let pair = if i < j { [i, j] } else { [j, i] };
                    if wanted(pair[0], pair[1]) {
                        self.pairs.push(pair);
                    }
                }
            }
        }
    }

    /// By the tree; bodies without end (half-spaces) are compared with all.
    fn search(&mut self, bounds: &[Bounds], wanted: impl Fn(usize, usize) -> bool) {
        let bounded = |i: usize| bounds[i].min.is_finite() && bounds[i].max.is_finite();
        self.bounded.clear();
        self.bounded
            .extend((0..bounds.len()).filter(|&i| bounded(i)));
        self.tree.update(bounds, &self.bounded);
        let pairs = &mut self.pairs;
        self.tree.each_pair(|i, j| {
            let pair = [i.min(j), i.max(j)];
            if wanted(pair[0], pair[1]) {
                pairs.push(pair);
            }
        });
        for i in (0..bounds.len()).filter(|&i| !bounded(i)) {
            for j in (0..bounds.len()).filter(|&j| j != i) {
                let pair = [i.min(j), i.max(j)];
                // Two without end are met twice.
                let once = bounded(j) || i < j;
                if once && bounds[i].meets(&bounds[j]) && wanted(pair[0], pair[1]) {
                    pairs.push(pair);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_testing::Random;

    fn brute(bounds: &[Bounds]) -> Vec<[usize; 2]> {
        let mut pairs = Vec::new();
        for i in 0..bounds.len() {
            for j in i + 1..bounds.len() {
                if bounds[i].meets(&bounds[j]) {
                    pairs.push([i, j]);
                }
            }
        }
        pairs
    }

    #[test]
    fn sweep_and_tree_equal_brute_force_while_bodies_move() {
        let mut random = Random::new(1);
        let mut unit = || random.unit();
        for n in [200, 600] {
            let mut bounds: Vec<Bounds> = (0..n)
                .map(|_| {
                    let min = DVec3::new(unit(), unit(), unit()) * 10.0;
                    Bounds {
                        min,
                        max: min + DVec3::new(unit(), unit(), unit()) * 2.0,
                    }
                })
                .collect();
            // Two half-spaces among them.
            for k in [3, n - 1] {
                bounds[k].max = DVec3::INFINITY;
                bounds[k].min = DVec3::NEG_INFINITY;
            }
            let mut sweep = Sweep::default();
            for _ in 0..30 {
                let want = brute(&bounds);
                assert_eq!(sweep.pairs(&bounds, |_, _| true), want);
                assert!(want.len() > 100);
                assert_eq!(
                    sweep.pairs(&bounds, |i, _| i > 3).len(),
                    want.iter().filter(|p| p[0] > 3).count()
                );
                for b in &mut bounds {
                    let d = DVec3::new(unit(), unit(), unit()) - DVec3::splat(0.5);
                    b.min += d;
                    b.max += d;
                }
            }
        }
    }
}
