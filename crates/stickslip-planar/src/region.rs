//! Sets of accelerations: points, segments, rays and polygons in acceleration space.

use crate::cone::Cone;
use crate::vec3::{V3, ZERO, add, axpy, complement, cross, dot, norm, scale, sub, unit};

/// conv(vertices) + cone(rays) in the coordinates (x, y, q = ρθ), m/s². Rays are unit vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Corners; at least one.
    pub vertices: Vec<V3>,
    /// Directions in which the set is unbounded.
    pub rays: Vec<V3>,
}

impl Region {
    /// The set that holds `a` only.
    #[must_use]
    pub fn point(a: V3) -> Self {
        Self {
            vertices: vec![a],
            rays: Vec::new(),
        }
    }

    /// Whether this is a single acceleration.
    #[must_use]
    pub fn is_point(&self) -> bool {
        self.vertices.len() == 1 && self.rays.is_empty()
    }

    /// A point in the relative interior; `size` is how far to go along rays, m/s².
    #[must_use]
    pub fn interior(&self, size: f64) -> V3 {
        let sum = self.vertices.iter().fold(ZERO, |s, &v| add(s, v));
        let middle = scale(sum, 1.0 / self.vertices.len() as f64);
        self.rays.iter().fold(middle, |s, &r| axpy(s, size, r))
    }

    /// Whether the set holds `p`, to a distance `slack` (m/s²).
    #[must_use]
    pub fn contains(&self, p: V3, slack: f64) -> bool {
        if self.is_point() {
            return norm(sub(p, self.vertices[0])) <= slack;
        }
        self.chart(slack).contains(p, slack)
    }

    /// Whether the set holds all of `other`.
    #[must_use]
    pub fn covers(&self, other: &Self, slack: f64) -> bool {
        if self.is_point() {
            return other.is_point() && self.contains(other.vertices[0], slack);
        }
        let chart = self.chart(slack);
        other.vertices.iter().all(|&v| chart.contains(v, slack))
            && other.rays.iter().all(|&r| chart.contains_ray(r))
    }

    /// The same set with only its corners and extreme rays, points closer than `slack` merged.
    #[must_use]
    pub fn reduced(mut self, slack: f64) -> Self {
        merge(&mut self.vertices, slack);
        merge(&mut self.rays, 1e-9);
        let mut i = 0;
        while i < self.vertices.len() && self.vertices.len() > 1 {
            let v = self.vertices.remove(i);
            if !self.contains(v, slack) {
                self.vertices.insert(i, v);
                i += 1;
            }
        }
        let mut i = 0;
        while i < self.rays.len() {
            let r = self.rays.remove(i);
            let others = Cone::new(&self.rays, 1e-9);
            if self.rays.is_empty() || !others.contains(r, 1e-9) {
                self.rays.insert(i, r);
                i += 1;
            }
        }
        self
    }

    fn chart(&self, slack: f64) -> Chart {
        let origin = self.vertices[0];
        let mut directions: Vec<V3> = self.vertices[1..]
            .iter()
            .map(|&v| sub(v, origin))
            .filter(|&d| norm(d) > slack)
            .collect();
        // Rays count as long beside the slack, or a wedge at one corner would look like a segment.
        let least = if self.rays.is_empty() {
            slack
        } else {
            1e8 * slack
        };
        let size = directions.iter().map(|&d| norm(d)).fold(least, f64::max);
        directions.extend(self.rays.iter().map(|&r| scale(r, size)));
        let longest = directions
            .iter()
            .copied()
            .fold(ZERO, |a, b| if norm(b) > norm(a) { b } else { a });
        let u = unit(longest, 0.0).unwrap_or([1.0, 0.0, 0.0]);
        let widest = directions
            .iter()
            .map(|&d| axpy(d, -dot(d, u), u))
            .fold(ZERO, |a, b| if norm(b) > norm(a) { b } else { a });
        // A set thinner than the slack is a segment.
        let w = unit(widest, slack).unwrap_or(ZERO);
        let place = |d: V3, homogeneous: f64| [dot(d, u) / size, dot(d, w) / size, homogeneous];
        let generators: Vec<V3> = self
            .vertices
            .iter()
            .map(|&v| place(sub(v, origin), 1.0))
            .chain(self.rays.iter().map(|&r| place(scale(r, size), 0.0)))
            .collect();
        Chart {
            origin,
            u,
            w,
            size,
            cone: Cone::new(&generators, 1e-10),
        }
    }
}

/// Homogeneous coordinates (x, y, 1) in the plane of a region: the region is the slice at 1 of a cone.
struct Chart {
    origin: V3,
    u: V3,
    w: V3,
    size: f64,
    cone: Cone,
}

impl Chart {
    fn contains(&self, p: V3, slack: f64) -> bool {
        let d = sub(p, self.origin);
        let (x, y) = (dot(d, self.u), dot(d, self.w));
        let off = sub(d, add(scale(self.u, x), scale(self.w, y)));
        let relative = slack / self.size;
        norm(off) <= slack.max(1e-12 * norm(d))
            && self.cone.contains(
                [x / self.size, y / self.size, 1.0],
                relative.max(1e-12 * norm(d) / self.size),
            )
    }

    fn contains_ray(&self, r: V3) -> bool {
        let (x, y) = (dot(r, self.u), dot(r, self.w));
        let off = sub(r, add(scale(self.u, x), scale(self.w, y)));
        norm(off) <= 1e-9 && self.cone.contains([x, y, 0.0], 1e-9)
    }
}

fn merge(points: &mut Vec<V3>, slack: f64) {
    let mut kept: Vec<V3> = Vec::with_capacity(points.len());
    for &p in points.iter() {
        if !kept.iter().any(|&k| norm(sub(k, p)) <= slack) {
            kept.push(p);
        }
    }
    *points = kept;
}

/// A polyhedron being cut down inside a plane: conv(vertices) + cone(rays), redundant generators allowed.
#[derive(Clone, Debug)]
pub(crate) struct Polyhedron {
    pub(crate) vertices: Vec<V3>,
    pub(crate) rays: Vec<V3>,
    /// Unit normal of the plane.
    n: V3,
}

impl Polyhedron {
    fn none(n: V3) -> Self {
        Self {
            vertices: Vec::new(),
            rays: Vec::new(),
            n,
        }
    }

    /// The whole plane through `point` with unit normal `n`.
    pub(crate) fn whole(point: V3, n: V3) -> Self {
        let (u, w) = complement(n);
        Self {
            vertices: vec![point],
            rays: vec![u, w, scale(u, -1.0), scale(w, -1.0)],
            n,
        }
    }

    /// { p in cone(edges) : n·p = height }, n a unit vector: every point is a sum of the generators listed here.
    ///
    /// `tol` decides when an edge is parallel to the plane, `slack` when the plane passes through the apex.
    pub(crate) fn slice(edges: &[V3], n: V3, height: f64, tol: f64, slack: f64) -> Self {
        let units: Vec<V3> = edges.iter().filter_map(|&e| unit(e, 0.0)).collect();
        let mut slice = Self::none(n);
        if height.abs() <= slack {
            slice.vertices.push(ZERO);
        }
        for (i, &e) in units.iter().enumerate() {
            let slope = dot(n, e);
            if slope.abs() <= tol {
                slice.rays.push(e);
                continue;
            }
            if height.abs() > slack && slope * height > 0.0 {
                slice.vertices.push(scale(e, height / slope));
            }
            // Pairs on both sides of the tangent plane hold each other in it.
            for &other in &units[..i] {
                let against = dot(n, other);
                if slope * against < 0.0 && against.abs() > tol {
                    let sum = add(
                        scale(e, 1.0 / slope.abs()),
                        scale(other, 1.0 / against.abs()),
                    );
                    if let Some(r) = unit(sum, tol) {
                        slice.rays.push(r);
                    }
                }
            }
        }
        slice
    }

    /// Keeps the part with `row·p + offset ≥ 0`.
    pub(crate) fn clip(&mut self, row: V3, offset: f64, tol: f64, slack: f64) {
        let length = norm(row);
        let (row, offset) = (scale(row, 1.0 / length), offset / length);
        let heights: Vec<f64> = self
            .vertices
            .iter()
            .map(|&v| {
                let h = dot(row, v) + offset;
                if h.abs() <= slack.max(tol * norm(v)) {
                    0.0
                } else {
                    h
                }
            })
            .collect();
        let slopes: Vec<f64> = self
            .rays
            .iter()
            .map(|&r| {
                let s = dot(row, r);
                if s.abs() <= tol { 0.0 } else { s }
            })
            .collect();
        let mut kept = Self::none(self.n);
        // Points on the clipping line: all but the outermost two are redundant, and would multiply with every clip.
        let mut on_line: Vec<V3> = Vec::new();
        for (i, (&v, &h)) in self.vertices.iter().zip(&heights).enumerate() {
            if h > 0.0 {
                kept.vertices.push(v);
            } else if h == 0.0 {
                on_line.push(v);
            }
            for (&o, &g) in self.vertices[..i].iter().zip(&heights) {
                if h * g < 0.0 {
                    on_line.push(axpy(scale(v, g / (g - h)), h / (h - g), o));
                }
            }
            for (&r, &s) in self.rays.iter().zip(&slopes) {
                if h * s < 0.0 {
                    on_line.push(axpy(v, -h / s, r));
                }
            }
        }
        let along = cross(self.n, row);
        if on_line.len() > 2 && norm(along) > tol {
            let place = |v: &V3| dot(along, *v);
            on_line.sort_by(|a, b| place(a).total_cmp(&place(b)));
            on_line = vec![on_line[0], on_line[on_line.len() - 1]];
        }
        kept.vertices.extend(on_line);
        for (i, (&r, &s)) in self.rays.iter().zip(&slopes).enumerate() {
            if s >= 0.0 {
                kept.rays.push(r);
            }
            // Such sums point along the line, one way or the other, so that merging leaves two of them.
            for (&o, &g) in self.rays[..i].iter().zip(&slopes) {
                if s * g < 0.0 {
                    let sum = add(scale(r, g.abs()), scale(o, s.abs()));
                    if let Some(r) = unit(sum, tol) {
                        kept.rays.push(r);
                    }
                }
            }
        }
        if kept.vertices.is_empty() {
            kept.rays.clear();
        }
        merge(&mut kept.vertices, slack);
        merge(&mut kept.rays, tol);
        *self = kept;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }
}
