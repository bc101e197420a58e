//! Convex hulls of points: faces with any number of vertices, exact mass properties.

use crate::shape::ShapeError;
use glam::{DMat3, DVec3};
use std::collections::BTreeMap;

/// Most vertices a hull may have: its faces are numbered with ten bits, its edges with eleven.
pub const MOST_VERTICES: usize = 500;

/// Points nearer to a face's plane than this fraction of the size lie in it.
const COPLANAR: f64 = 1e-13;

/// Triangles whose planes agree to this fraction of the size make one face.
const ONE_FACE: f64 = 1e-11;

/// A convex polyhedron in its body's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    vertices: Vec<DVec3>,
    faces: Vec<Face>,
    edges: Vec<Edge>,
    /// Vertex numbers of all faces, one after the other, each counter-clockwise seen from outside.
    loops: Vec<usize>,
    volume: f64,
    centroid: DVec3,
    /// ∫ (|x|² 1 − x xᵀ) about the centroid, m⁵.
    inertia: DMat3,
    radius: f64,
    thickness: f64,
}

/// A face: the hull lies in normal·x ≤ offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Unit outward normal.
    pub normal: DVec3,
    /// Support of the hull along the normal, m.
    pub offset: f64,
    start: usize,
    end: usize,
}

/// An edge between two vertices, and the two faces that meet there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Numbers of its vertices.
    pub vertices: [usize; 2],
    /// Numbers of its faces.
    pub faces: [usize; 2],
}

/// A triangle of the hull while it grows, with the numbers of its corners.
#[derive(Clone, Copy)]
struct Triangle {
    corners: [usize; 3],
    normal: DVec3,
    offset: f64,
}

impl Triangle {
    fn new(points: &[DVec3], corners: [usize; 3]) -> Option<Self> {
        let [a, b, c] = corners.map(|k| points[k]);
        let normal = (b - a).cross(c - a).try_normalize()?;
        Some(Self {
            corners,
            normal,
            offset: normal.dot(a),
        })
    }

    fn edges(&self) -> [(usize, usize); 3] {
        let [a, b, c] = self.corners;
        [(a, b), (b, c), (c, a)]
    }
}

impl Hull {
    /// The hull of `points`, in the order-independent sense: interior and repeated points do not count.
    ///
    /// # Errors
    /// Points that are not finite, lie in one plane, or give more than [`MOST_VERTICES`] vertices.
    pub fn new(points: &[DVec3]) -> Result<Self, ShapeError> {
        if let Some(k) = points.iter().position(|p| !p.is_finite()) {
            return Err(bad(format!("point {k} of the hull is not finite")));
        }
        let (low, high) = points
            .iter()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| {
                (low.min(*p), high.max(*p))
            });
        let size = (high - low).max_element();
        if !size.is_finite() || points.len() < 4 {
            return Err(bad("a hull needs four points that lie in no plane".into()));
        }
        let triangles = grow(points, size)?;
        let hull = Self::from_triangles(points, &triangles, size)?;
        // Built from its vertices alone, so that a hull written to a file and read again has the same bits.
        if hull.vertices.len() < points.len() {
            return Self::new(&hull.vertices);
        }
        Ok(hull)
    }

    fn from_triangles(
        points: &[DVec3],
        triangles: &[Triangle],
        size: f64,
    ) -> Result<Self, ShapeError> {
        let group = merged(points, triangles, size);
        let loops = boundaries(triangles, &group);
        // A vertex where fewer than three faces meet lies on an edge or in a face.
        let mut around = BTreeMap::<usize, usize>::new();
        for corner in loops.values().flatten() {
            *around.entry(*corner).or_default() += 1;
        }
        let numbers: BTreeMap<usize, usize> = around
            .into_iter()
            .filter(|(_, faces)| *faces >= 3)
            .enumerate()
            .map(|(new, (old, _))| (old, new))
            .collect();
        let vertices: Vec<DVec3> = numbers.keys().map(|&k| points[k]).collect();
        if vertices.len() > MOST_VERTICES {
            return Err(bad(format!(
                "the hull has {} vertices, more than {MOST_VERTICES}",
                vertices.len()
            )));
        }
        let mut hull = Self {
            vertices,
            faces: Vec::new(),
            edges: Vec::new(),
            loops: Vec::new(),
            volume: 0.0,
            centroid: DVec3::ZERO,
            inertia: DMat3::ZERO,
            radius: 0.0,
            thickness: 0.0,
        };
        for corners in loops.values() {
            let start = hull.loops.len();
            hull.loops
                .extend(corners.iter().filter_map(|k| numbers.get(k)));
            hull.push_face(start)?;
        }
        hull.find_edges()?;
        hull.weigh();
        Ok(hull)
    }

    /// A face of the loop from `start` on: its normal by Newell's sum, its plane through the farthest vertex.
    fn push_face(&mut self, start: usize) -> Result<(), ShapeError> {
        let corners = &self.loops[start..];
        if corners.len() < 3 {
            return Err(bad("the points of the hull are too close together".into()));
        }
        let first = self.vertices[corners[0]];
        let mut sum = DVec3::ZERO;
        for pair in corners.windows(2) {
            let [p, q] = [pair[0], pair[1]].map(|k| self.vertices[k] - first);
            sum += p.cross(q);
        }
        let normal = sum
            .try_normalize()
            .ok_or_else(|| bad("a face of the hull has no area".into()))?;
        self.faces.push(Face {
            normal,
            offset: self.reach(normal),
            start,
            end: self.loops.len(),
        });
        Ok(())
    }

    fn find_edges(&mut self) -> Result<(), ShapeError> {
        let mut sides = BTreeMap::<[usize; 2], Vec<usize>>::new();
        for f in 0..self.faces.len() {
            for (u, v) in self.sides(f) {
                sides.entry([u.min(v), u.max(v)]).or_default().push(f);
            }
        }
        for (vertices, faces) in sides {
            let [f, g] = faces[..] else {
                return Err(bad("the points of the hull are too close together".into()));
            };
            self.edges.push(Edge {
                vertices,
                faces: [f, g],
            });
        }
        Ok(())
    }

    /// Volume, centroid and second moments, by tetrahedra between each face's triangles and a vertex:
    /// ∫ x xᵀ = V/20 (Σ xᵢxᵢᵀ + s sᵀ) with s = Σ xᵢ over a tetrahedron's four corners.
    fn weigh(&mut self) {
        let apex = self.vertices[0];
        let (mut volume, mut moment) = (0.0, DVec3::ZERO);
        self.for_each_tetrahedron(apex, |v, corners| {
            volume += v;
            moment += corners.iter().sum::<DVec3>() * (0.25 * v);
        });
        self.volume = volume;
        self.centroid = apex + moment / volume;
        let mut second = DMat3::ZERO;
        self.for_each_tetrahedron(self.centroid, |v, corners| {
            let sum: DVec3 = corners.iter().sum();
            let mut terms = outer(sum);
            for x in corners {
                terms += outer(x);
            }
            second += terms * (v / 20.0);
        });
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        self.inertia = DMat3::from_diagonal(DVec3::splat(trace)) - second;
        self.radius = self.vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
        let centroid = self.centroid;
        let depth = |f: &Face| f.offset - f.normal.dot(centroid);
        self.thickness = self.faces.iter().map(depth).fold(f64::INFINITY, f64::min);
    }

    /// Signed volume and three corners, from `apex`, of the tetrahedra over all faces.
    fn for_each_tetrahedron(&self, apex: DVec3, mut visit: impl FnMut(f64, [DVec3; 3])) {
        for f in 0..self.faces.len() {
            for t in self.triangles(f) {
                let t = t.map(|p| p - apex);
                visit(t[0].dot(t[1].cross(t[2])) / 6.0, t);
            }
        }
    }

    /// The triangles of a face, all with its first corner: numbers of vertices.
    pub fn fan(&self, face: usize) -> impl Iterator<Item = [usize; 3]> + '_ {
        let corners = self.corners(face);
        let others = corners[1..].windows(2);
        others.map(|pair| [corners[0], pair[0], pair[1]])
    }

    /// The triangles of a face, m.
    fn triangles(&self, face: usize) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        self.fan(face).map(|t| t.map(|k| self.vertices[k]))
    }

    /// Its vertices, m.
    #[must_use]
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Its faces.
    #[must_use]
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// Its edges.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Numbers of a face's vertices, counter-clockwise seen from outside.
    #[must_use]
    pub fn corners(&self, face: usize) -> &[usize] {
        let f = &self.faces[face];
        &self.loops[f.start..f.end]
    }

    /// The sides of a face: pairs of vertex numbers, counter-clockwise.
    fn sides(&self, face: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let corners = self.corners(face);
        let next = corners[1..].iter().chain(&corners[..1]);
        corners.iter().copied().zip(next.copied())
    }

    /// Volume, m³.
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// Centre of mass at uniform density, m.
    #[must_use]
    pub fn centroid(&self) -> DVec3 {
        self.centroid
    }

    /// Second moment ∫ (|x|² 1 − x xᵀ) about the centroid, m⁵: times density it is the inertia.
    #[must_use]
    pub fn inertia(&self) -> DMat3 {
        self.inertia
    }

    /// Radius of the ball about the origin that holds it, m.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Radius of the largest ball about the centroid inside it, m: at most half its smallest width.
    #[must_use]
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// The same hull with its centroid at the origin, and how far it was; a hull that has been through this keeps
    /// its bits.
    #[must_use]
    pub fn centred(&self) -> (Self, DVec3) {
        let shift = self.centroid;
        if shift.length() <= 1e-14 * self.radius {
            return (self.clone(), DVec3::ZERO);
        }
        let moved: Vec<DVec3> = self.vertices.iter().map(|v| *v - shift).collect();
        // Rounding alone can undo a hull; one that cannot be moved stays.
        Self::new(&moved).map_or_else(|_| (self.clone(), DVec3::ZERO), |hull| (hull, shift))
    }

    /// max of d·x over its vertices.
    #[must_use]
    pub fn reach(&self, d: DVec3) -> f64 {
        self.vertices
            .iter()
            .map(|v| d.dot(*v))
            .fold(f64::NEG_INFINITY, f64::max)
    }

    /// Signed distance of a point: exact outside, and inside the depth below the nearest face.
    #[must_use]
    pub fn distance(&self, p: DVec3) -> f64 {
        let over = self.faces.iter().map(|f| f.normal.dot(p) - f.offset);
        let highest = over.fold(f64::NEG_INFINITY, f64::max);
        if highest <= 0.0 {
            return highest;
        }
        let mut nearest = f64::INFINITY;
        for (f, face) in self.faces.iter().enumerate() {
            let height = face.normal.dot(p) - face.offset;
            if height <= 0.0 || height >= nearest {
                continue;
            }
            // Over the face: its height. Else the nearest side.
            let mut beside = false;
            for (u, v) in self.sides(f) {
                let (u, v) = (self.vertices[u], self.vertices[v]);
                let along = v - u;
                if along.cross(face.normal).dot(p - u) > 0.0 {
                    beside = true;
                    let s = ((p - u).dot(along) / along.length_squared()).clamp(0.0, 1.0);
                    nearest = nearest.min((p - u - along * s).length());
                }
            }
            if !beside {
                nearest = nearest.min(height);
            }
        }
        nearest
    }
}

fn bad(message: String) -> ShapeError {
    ShapeError::Points(message)
}

fn outer(x: DVec3) -> DMat3 {
    DMat3::from_cols(x * x.x, x * x.y, x * x.z)
}

/// The hull's surface as triangles: a tetrahedron to which one point after the other is added. A point outside
/// takes away the triangles it sees, and is joined with the border of the hole.
fn grow(points: &[DVec3], size: f64) -> Result<Vec<Triangle>, ShapeError> {
    let eps = COPLANAR * size;
    let start = tetrahedron(points, size)
        .ok_or_else(|| bad("the points of the hull lie in one plane".into()))?;
    let [a, b, c, d] = start;
    let mut triangles = Vec::new();
    for corners in [[a, c, b], [a, b, d], [b, c, d], [c, a, d]] {
        triangles.push(
            Triangle::new(points, corners)
                .ok_or_else(|| bad("the points of the hull lie in one plane".into()))?,
        );
    }
    for (k, p) in points.iter().enumerate() {
        if start.contains(&k) {
            continue;
        }
        let (seen, kept): (Vec<Triangle>, Vec<Triangle>) = triangles
            .iter()
            .partition(|t| t.normal.dot(*p) - t.offset > eps);
        if seen.is_empty() {
            continue;
        }
        let sides: BTreeMap<(usize, usize), ()> = seen
            .iter()
            .flat_map(Triangle::edges)
            .map(|e| (e, ()))
            .collect();
        triangles = kept;
        for &(u, v) in sides.keys() {
            if !sides.contains_key(&(v, u)) {
                triangles.push(
                    Triangle::new(points, [u, v, k]).ok_or_else(|| {
                        bad("the points of the hull are too close together".into())
                    })?,
                );
            }
        }
    }
    Ok(triangles)
}

/// Four points that span a volume, so turned that (a, b, c) is counter-clockwise seen from d.
fn tetrahedron(points: &[DVec3], size: f64) -> Option<[usize; 4]> {
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        let far = (0..points.len()).fold(0, |best, k| {
            if measure(points[k]) > measure(points[best]) {
                k
            } else {
                best
            }
        });
        (measure(points[far]) > 1e-10 * size).then_some(far)
    };
    let a = 0;
    let b = farthest(&|p| (p - points[a]).length())?;
    let along = (points[b] - points[a]).try_normalize()?;
    let c = farthest(&|p| (p - points[a]).cross(along).length())?;
    let normal = along.cross(points[c] - points[a]).try_normalize()?;
    let d = farthest(&|p| normal.dot(p - points[a]).abs())?;
    Some(if normal.dot(points[d] - points[a]) > 0.0 {
        [a, b, c, d]
    } else {
        [a, c, b, d]
    })
}

/// Which triangles make one face: for each the number of its face's first triangle.
fn merged(points: &[DVec3], triangles: &[Triangle], size: f64) -> Vec<usize> {
    let owner: BTreeMap<(usize, usize), usize> = triangles
        .iter()
        .enumerate()
        .flat_map(|(t, triangle)| triangle.edges().map(|e| (e, t)))
        .collect();
    let mut group: Vec<usize> = (0..triangles.len()).collect();
    let mut stack = Vec::new();
    for t in 0..triangles.len() {
        if group[t] != t {
            continue;
        }
        let plane = triangles[t];
        stack.push(t);
        while let Some(at) = stack.pop() {
            for (u, v) in triangles[at].edges() {
                let Some(&other) = owner.get(&(v, u)) else {
                    continue;
                };
                let flat = |k: usize| (plane.normal.dot(points[k]) - plane.offset).abs();
                let distance = triangles[other].corners.map(flat);
                let one = distance.iter().all(|d| *d <= ONE_FACE * size)
                    && plane.normal.dot(triangles[other].normal) > 0.0;
                if one && group[other] == other && other > t {
                    group[other] = t;
                    stack.push(other);
                }
            }
        }
    }
    group
}

/// The border of each face, counter-clockwise.
fn boundaries(triangles: &[Triangle], group: &[usize]) -> BTreeMap<usize, Vec<usize>> {
    let owner: BTreeMap<(usize, usize), usize> = triangles
        .iter()
        .zip(group)
        .flat_map(|(triangle, g)| triangle.edges().map(|e| (e, *g)))
        .collect();
    let mut next = BTreeMap::<usize, BTreeMap<usize, usize>>::new();
    for (&(u, v), g) in &owner {
        if owner.get(&(v, u)) != Some(g) {
            next.entry(*g).or_default().insert(u, v);
        }
    }
    next.into_iter()
        .map(|(g, next)| {
            let mut corners = Vec::new();
            let mut at = next.keys().next().copied();
            while let Some(k) = at {
                corners.push(k);
                at = next
                    .get(&k)
                    .copied()
                    .filter(|n| *n != corners[0] && corners.len() <= next.len());
            }
            (g, corners)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickslip_testing::Random;

    fn prism(n: usize) -> Vec<DVec3> {
        (0..2 * n)
            .map(|k| {
                let (s, c) = libm::sincos(std::f64::consts::TAU * (k % n) as f64 / n as f64);
                DVec3::new(c, s, if k < n { -0.5 } else { 0.5 })
            })
            .collect()
    }

    #[test]
    fn a_prism_has_faces_of_any_number_of_vertices() {
        for n in [3, 4, 5, 12, 100] {
            let hull = Hull::new(&prism(n)).unwrap();
            assert_eq!(hull.vertices().len(), 2 * n, "{n}");
            assert_eq!(hull.faces().len(), n + 2, "{n}");
            assert_eq!(hull.edges().len(), 3 * n, "{n}");
            assert_eq!(
                (0..n + 2).map(|f| hull.corners(f).len()).max(),
                Some(n.max(4))
            );
            let area = 0.5 * n as f64 * libm::sin(std::f64::consts::TAU / n as f64);
            assert!((hull.volume() - area).abs() < 1e-13);
            assert!(hull.centroid().length() < 1e-14);
            assert!(
                (hull.thickness() - 0.5_f64.min(libm::cos(std::f64::consts::PI / n as f64))).abs()
                    < 1e-14
            );
        }
    }

    #[test]
    fn points_inside_on_edges_and_in_faces_do_not_count() {
        let mut points = Vec::new();
        for x in 0..5 {
            for y in 0..5 {
                for z in 0..5 {
                    points.push(DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * 0.1);
                }
            }
        }
        let hull = Hull::new(&points).unwrap();
        assert_eq!(
            (
                hull.vertices().len(),
                hull.faces().len(),
                hull.edges().len()
            ),
            (8, 6, 12)
        );
        let (centred, shift) = hull.centred();
        assert!((shift - DVec3::splat(0.2)).length() < 1e-15);
        assert_eq!(centred.centred().0, centred);
    }

    #[test]
    fn distance_by_region() {
        let half = DVec3::new(1.0, 2.0, 3.0);
        let corners: Vec<DVec3> = (0..8).map(|k| crate::shape::corner(half, k)).collect();
        let hull = Hull::new(&corners).unwrap();
        let at = |x, y, z| hull.distance(DVec3::new(x, y, z));
        assert_eq!(at(2.0, 0.0, 0.0), 1.0);
        assert_eq!(at(4.0, 6.0, 0.0), 5.0);
        assert_eq!(at(2.0, 4.0, 5.0), 3.0);
        assert_eq!(at(0.0, 0.0, 0.0), -1.0);
    }

    #[test]
    fn random_points_give_a_closed_convex_surface() {
        let mut random = Random::new(7);
        for n in [4, 10, 50, 300] {
            let points: Vec<DVec3> = (0..n).map(|_| random.vec3()).collect();
            let hull = Hull::new(&points).unwrap();
            let (v, e, f) = (
                hull.vertices().len(),
                hull.edges().len(),
                hull.faces().len(),
            );
            assert_eq!(v + f, e + 2, "Euler");
            for p in &points {
                assert!(hull.distance(*p) < 1e-12);
            }
        }
    }

    #[test]
    fn points_without_a_hull_are_refused() {
        assert!(Hull::new(&[DVec3::ZERO; 3]).is_err());
        assert!(Hull::new(&[DVec3::ZERO; 8]).is_err());
        let flat: Vec<DVec3> = prism(6).iter().map(|p| DVec3::new(p.x, p.y, 0.0)).collect();
        assert!(Hull::new(&flat).is_err());
        assert!(Hull::new(&[DVec3::NAN, DVec3::X, DVec3::Y, DVec3::Z]).is_err());
    }
}
