//! Which pairs could touch before the end of the step: boxes around the swept bodies, sorted and swept
//! along one axis.

use crate::pose::Pose;
use crate::shape::Shape;
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

/// Memory of the sweep, reused from step to step.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    order: Vec<usize>,
    pairs: Vec<[usize; 2]>,
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
        if self.order.len() != bounds.len() {
            self.order = (0..bounds.len()).collect();
        }
        // Ties by index, so that the result does not depend on the past.
        self.order
            .sort_by(|&i, &j| bounds[i].min.x.total_cmp(&bounds[j].min.x).then(i.cmp(&j)));
        self.pairs.clear();
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
        self.pairs.sort_unstable();
        &self.pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweep_equals_brute_force() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        let bounds: Vec<Bounds> = (0..200)
            .map(|_| {
                let min = DVec3::new(random(), random(), random()) * 10.0;
                Bounds {
                    min,
                    max: min + DVec3::new(random(), random(), random()) * 2.0,
                }
            })
            .collect();
        let mut brute = Vec::new();
        for i in 0..bounds.len() {
            for j in i + 1..bounds.len() {
                if bounds[i].meets(&bounds[j]) {
                    brute.push([i, j]);
                }
            }
        }
        let mut sweep = Sweep::default();
        assert_eq!(sweep.pairs(&bounds, |_, _| true), brute);
        assert!(brute.len() > 100);
        assert_eq!(
            sweep.pairs(&bounds, |i, _| i > 3).len(),
            brute.iter().filter(|p| p[0] > 3).count()
        );
    }
}
