//! The direction of largest separation near a given one, in 32 digits.
//!
//! Near its maximum s(n) belongs to one feature of each shape. A point v has the support n·v, a rim R|n × z| about
//! its centre; an edge adds the condition n·e = 0, a cone's side n·z = sin, a face two of them. The maximum of
//!
//!   s(n) = n·w − Σ R_i |n × z_i|   subject to |n| = 1, n·e_j = c_j
//!
//! is the root of its Lagrange conditions, found by Newton's method with long residuals. Which features those are is
//! tried out: the direction whose separation of the whole shapes is largest is the true one.

use super::precise::{Long, Vector};
use glam::DVec3;
use stickslip_geometry::{Pose, Shape};

/// Features whose support is within this of the shape's own are tried, m.
const NEAR: f64 = 1e-6;

#[derive(Clone, Debug)]
struct Feature {
    base: Vector,
    /// Axis and radius.
    rim: Option<(Vector, Long)>,
    /// n·e = c.
    conditions: Vec<(Vector, Long)>,
}

/// A shape at a pose, in 32 digits.
#[derive(Debug)]
struct Solid<'a> {
    shape: &'a Shape,
    centre: Vector,
    /// Columns of the rotation.
    axes: [Vector; 3],
}

impl<'a> Solid<'a> {
    fn new(shape: &'a Shape, pose: &Pose) -> Self {
        let q = pose.orientation.to_array().map(Long::from);
        let length = q.iter().fold(Long::ZERO, |sum, x| sum + *x * *x).sqrt();
        let [x, y, z, w] = q.map(|c| c / length);
        let (one, two) = (Long::from(1.0), Long::from(2.0));
        let entry = |sum: Long| two * sum;
        Self {
            shape,
            centre: pose.position.into(),
            axes: [
                Vector([
                    one - entry(y * y + z * z),
                    entry(x * y + w * z),
                    entry(x * z - w * y),
                ]),
                Vector([
                    entry(x * y - w * z),
                    one - entry(x * x + z * z),
                    entry(y * z + w * x),
                ]),
                Vector([
                    entry(x * z + w * y),
                    entry(y * z - w * x),
                    one - entry(x * x + y * y),
                ]),
            ],
        }
    }

    fn turned(&self, v: DVec3) -> Vector {
        (0..3).fold(Vector::ZERO, |sum, k| {
            sum + self.axes[k].scaled(Long::from(v[k]))
        })
    }

    fn point(&self, v: DVec3) -> Vector {
        self.centre + self.turned(v)
    }

    fn vertices(&self) -> Vec<DVec3> {
        match self.shape {
            Shape::Box { half } => (0..8)
                .map(|k| {
                    let side = |i: usize| if k >> i & 1 == 1 { 1.0 } else { -1.0 };
                    DVec3::new(side(0), side(1), side(2)) * *half
                })
                .collect(),
            Shape::Hull(hull) => hull.vertices().to_vec(),
            Shape::Capsule { half, .. } => vec![DVec3::Z * -*half, DVec3::Z * *half],
            Shape::Cone { length, .. } => vec![DVec3::Z * (0.75 * length)],
            Shape::Ball { .. } => vec![DVec3::ZERO],
            _ => Vec::new(),
        }
    }

    fn rims(&self) -> Vec<(Vector, Long)> {
        match self.shape {
            Shape::Cylinder { radius, half } => [-half, *half]
                .map(|z| (self.point(DVec3::Z * z), Long::from(*radius)))
                .to_vec(),
            Shape::Cone { radius, length } => {
                vec![(self.point(DVec3::Z * (-0.25 * length)), Long::from(*radius))]
            }
            _ => Vec::new(),
        }
    }

    fn rounding(&self) -> Long {
        Long::from(match self.shape {
            Shape::Ball { radius } | Shape::Capsule { radius, .. } => *radius,
            _ => 0.0,
        })
    }

    /// max of n·x.
    fn support(&self, n: Vector) -> Long {
        let mut most = Long::from(f64::NEG_INFINITY);
        for v in self.vertices() {
            let height = n.dot(self.point(v)) + self.rounding();
            most = if most.high.is_finite() {
                most.max(height)
            } else {
                height
            };
        }
        for (centre, radius) in self.rims() {
            let height = n.dot(centre) + radius * n.across(self.axes[2]).length();
            most = if most.high.is_finite() {
                most.max(height)
            } else {
                height
            };
        }
        most
    }

    /// Features that may be the farthest ones near n.
    fn features(&self, n: Vector) -> Vec<Feature> {
        let low = self.support(n).high - NEAR;
        let z = self.axes[2];
        let zero = Long::ZERO;
        let mut found = Vec::new();
        let mut add = |base, rim, conditions| {
            found.push(Feature {
                base,
                rim,
                conditions,
            });
        };
        let local = self.vertices();
        let near: Vec<Vector> = local
            .iter()
            .map(|v| self.point(*v))
            .filter(|p| (n.dot(*p) + self.rounding()).high >= low)
            .collect();
        // Points, and lines and planes through those near the top; a line inside the shape is only a worse guess.
        for (i, &p) in near.iter().enumerate() {
            add(p, None, Vec::new());
            let mut later = &near[i + 1..];
            while let Some((&q, rest)) = later.split_first() {
                let e = (q - p).unit();
                add(p, None, vec![(e, zero)]);
                for &r in rest {
                    add(p, None, vec![(e, zero), ((r - p).across(e).unit(), zero)]);
                }
                later = rest;
            }
        }
        let round = !self.rims().is_empty();
        for (centre, radius) in self.rims() {
            if (n.dot(centre) + radius * n.across(z).length()).high >= low {
                add(centre, Some((z, radius)), Vec::new());
                if n.across(z).length().high < NEAR {
                    let u = self.axes[0];
                    add(centre, None, vec![(u, zero), (self.axes[1], zero)]);
                }
            }
        }
        match self.shape {
            Shape::Cylinder { .. } if n.dot(z).high.abs() < NEAR && round => {
                add(self.centre, None, vec![(z, zero)]);
            }
            Shape::Cone { radius, length } => {
                let (r, l) = (Long::from(*radius), Long::from(*length));
                let sin = r / (r * r + l * l).sqrt();
                if (n.dot(z) - sin).high.abs() < 10.0 * NEAR {
                    add(self.point(local[0]), None, vec![(z, sin)]);
                }
            }
            _ => {}
        }
        found
    }
}

/// The truth near a direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Truth {
    pub(crate) gap: Long,
    pub(crate) n: Vector,
}

/// The largest separation of the two shapes, and its direction, near `n`; `None` where no feature explains it.
pub(crate) fn truth(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, n: DVec3) -> Option<Truth> {
    let (a, b) = (Solid::new(a, pose_a), Solid::new(b, pose_b));
    let start = Vector::from(n).unit();
    let separation = |n: Vector| -(b.support(-n)) - a.support(n);
    let mut best: Option<Truth> = None;
    for of_a in a.features(start) {
        for of_b in b.features(-start) {
            let Some(n) = maximum(&of_a, &of_b, start) else {
                continue;
            };
            let gap = separation(n);
            if best.is_none_or(|old| (gap - old.gap).high > 0.0) {
                best = Some(Truth { gap, n });
            }
        }
    }
    best
}

/// Root of the Lagrange conditions of two features, from `n` on.
fn maximum(a: &Feature, b: &Feature, mut n: Vector) -> Option<Vector> {
    let w = b.base - a.base;
    let rims: Vec<(Vector, Long)> = a.rim.into_iter().chain(b.rim).collect();
    let conditions: Vec<(Vector, Long)> = (a.conditions.iter().copied())
        .chain(b.conditions.iter().map(|(e, c)| (*e, -*c)))
        .collect();
    if conditions.len() > 2 {
        return None;
    }
    let size = 4 + conditions.len();
    let gradient = |n: Vector| {
        rims.iter().fold(w, |sum, (z, radius)| {
            sum - n.across(*z).unit().scaled(*radius)
        })
    };
    // The multipliers to begin with: the gradient in terms of n and the conditions' vectors.
    let mut multipliers = {
        let g = gradient(n).short();
        let span: Vec<DVec3> = std::iter::once(n.short())
            .chain(conditions.iter().map(|c| c.0.short()))
            .collect();
        let matrix = span
            .iter()
            .map(|u| span.iter().map(|v| u.dot(*v)).collect())
            .collect();
        let right = span.iter().map(|u| u.dot(g)).collect();
        solve(matrix, right)?
            .into_iter()
            .map(Long::from)
            .collect::<Vec<_>>()
    };
    for _ in 0..12 {
        let mut residual = gradient(n) - n.scaled(multipliers[0]);
        for (k, (e, _)) in conditions.iter().enumerate() {
            residual = residual - e.scaled(multipliers[k + 1]);
        }
        let mut right: Vec<f64> = residual.short().to_array().to_vec();
        right.push(((Long::from(1.0) - n.dot(n)) * Long::from(0.5)).high);
        right.extend(conditions.iter().map(|(e, c)| (*c - n.dot(*e)).high));
        if right.iter().all(|x| x.abs() < 1e-27) {
            return Some(n.unit());
        }
        // Minus the Jacobian, which is symmetric.
        let mut matrix = vec![vec![0.0; size]; size];
        for i in 0..3 {
            matrix[i][i] += multipliers[0].high;
            let mut bordered = vec![n.0[i].high];
            bordered.extend(conditions.iter().map(|(e, _)| e.0[i].high));
            for (k, x) in bordered.into_iter().enumerate() {
                matrix[i][3 + k] = x;
                matrix[3 + k][i] = x;
            }
        }
        for (z, radius) in &rims {
            let across = n.across(*z);
            let t = z.short().cross(across.unit().short());
            let k = radius.high / across.length().high;
            for i in 0..3 {
                for j in 0..3 {
                    matrix[i][j] += k * t[i] * t[j];
                }
            }
        }
        let step = solve(matrix, right)?;
        n = n + Vector::from(DVec3::new(step[0], step[1], step[2]));
        for (m, d) in multipliers.iter_mut().zip(&step[3..]) {
            *m = *m + Long::from(*d);
        }
    }
    None
}

/// Elimination with row pivots.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let n = right.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| matrix[i][k].abs().total_cmp(&matrix[j][k].abs()))?;
        if matrix[pivot][k].abs() < 1e-200 {
            return None;
        }
        matrix.swap(k, pivot);
        right.swap(k, pivot);
        for i in k + 1..n {
            let factor = matrix[i][k] / matrix[k][k];
            for j in k..n {
                let x = matrix[k][j];
                matrix[i][j] -= factor * x;
            }
            right[i] -= factor * right[k];
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            right[k] -= matrix[k][j] * right[j];
        }
        right[k] /= matrix[k][k];
    }
    right.iter().all(|x| x.is_finite()).then_some(right)
}
