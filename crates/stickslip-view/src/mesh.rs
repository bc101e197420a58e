//! Triangle meshes: what every shape is turned into for the eye.

use glam::DVec3;
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// A surface of triangles with normals to shade by and edges to draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Three for each triangle, counter-clockwise seen from outside.
    pub corners: Vec<DVec3>,
    /// Unit normal at each corner; smooth where the surface is.
    pub normals: Vec<DVec3>,
    /// Ends of the lines at which the surface bends sharply, two for each.
    pub edges: Vec<DVec3>,
    /// Triangles on the two sides of each edge; the same twice where the surface ends.
    pub edge_faces: Vec<[usize; 2]>,
    /// Does it enclose a solid? Otherwise it is seen from both sides.
    pub closed: bool,
    /// Does it enclose a convex solid?
    pub convex: bool,
}

/// Faces that meet at a larger angle than 30° have an edge between them.
const SHARP: f64 = 0.866;

impl Mesh {
    /// From vertices and triangles, counter-clockwise seen from outside; triangles without area or with numbers
    /// that are no vertex are left out.
    #[must_use]
    pub fn new(vertices: &[DVec3], triangles: &[[usize; 3]]) -> Self {
        let normal = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|k| vertices.get(k).copied());
            let (a, b, c) = (a?, b?, c?);
            (b - a).cross(c - a).try_normalize().map(|n| (*t, n))
        };
        let faces: Vec<([usize; 3], DVec3)> = triangles.iter().filter_map(normal).collect();
        let mut around: Vec<Vec<usize>> = vec![Vec::new(); vertices.len()];
        let mut sides: BTreeMap<[usize; 2], Vec<usize>> = BTreeMap::new();
        for (k, (t, _)) in faces.iter().enumerate() {
            for i in 0..3 {
                let (a, b) = (t[i], t[(i + 1) % 3]);
                around[a].push(k);
                sides.entry([a.min(b), a.max(b)]).or_default().push(k);
            }
        }
        let mut mesh = Self::default();
        for (t, n) in &faces {
            for &v in t {
                // The mean of the faces here that go on smoothly from this one.
                let smooth = around[v]
                    .iter()
                    .map(|&k| faces[k].1)
                    .filter(|m| m.dot(*n) > SHARP);
                mesh.corners.push(vertices[v]);
                mesh.normals
                    .push(smooth.sum::<DVec3>().try_normalize().unwrap_or(*n));
            }
        }
        for ([a, b], met) in &sides {
            let sharp = |pair: &[usize]| faces[pair[0]].1.dot(faces[pair[1]].1) <= SHARP;
            if met.len() != 2 || sharp(met) {
                mesh.edges.extend([vertices[*a], vertices[*b]]);
                mesh.edge_faces.push([met[0], met[met.len() - 1]]);
            }
        }
        mesh.closed = sides.values().all(|met| met.len() == 2);
        mesh.convex = mesh.closed && mesh.is_convex(vertices);
        mesh
    }

    /// Does every vertex lie behind every face? Too much work for a large mesh, which counts as not convex.
    fn is_convex(&self, vertices: &[DVec3]) -> bool {
        const WORK: usize = 100_000_000;
        let size = vertices.iter().fold(0.0_f64, |m, v| m.max(v.length()));
        self.corners.len() * vertices.len() < WORK
            && self.corners.chunks_exact(3).all(|t| {
                let normal = (t[1] - t[0]).cross(t[2] - t[0]);
                let slack = 1e-9 * size * normal.length();
                vertices.iter().all(|v| normal.dot(*v - t[0]) <= slack)
            })
    }

    /// The box from −1 to 1 along each axis.
    #[must_use]
    pub fn cube() -> Self {
        let corner = |k: usize| {
            let side = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            DVec3::new(side(0), side(1), side(2))
        };
        let vertices: Vec<DVec3> = (0..8).map(corner).collect();
        let faces = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        let triangles: Vec<[usize; 3]> = faces
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
            .collect();
        Self::new(&vertices, &triangles)
    }

    /// A profile of (radius, z), from the lowest point to the highest, turned about the z axis. Every round solid
    /// is one: a ball, a cylinder, a cone, a capsule.
    #[must_use]
    pub fn turned(profile: &[(f64, f64)], sectors: usize) -> Self {
        let mut vertices = Vec::new();
        // A point on the axis is one vertex, any other a ring.
        let mut rings: Vec<Vec<usize>> = Vec::new();
        for &(r, z) in profile {
            let count = if r > 0.0 { sectors } else { 1 };
            let first = vertices.len();
            vertices.extend((0..count).map(|k| {
                let angle = TAU * k as f64 / sectors as f64;
                DVec3::new(r * libm::cos(angle), r * libm::sin(angle), z)
            }));
            rings.push((0..sectors).map(|k| first + k % count).collect());
        }
        let mut triangles = Vec::new();
        for pair in rings.windows(2) {
            for k in 0..sectors {
                let next = (k + 1) % sectors;
                let [a, b, c, d] = [pair[0][k], pair[0][next], pair[1][next], pair[1][k]];
                triangles.extend(
                    [[a, b, c], [a, c, d]]
                        .into_iter()
                        .filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0]),
                );
            }
        }
        Self::new(&vertices, &triangles)
    }

    /// Is it a unit ball?
    #[must_use]
    pub fn is_ball(&self) -> bool {
        self.corners == self.normals
    }

    /// The unit ball with so many sectors around its equator.
    #[must_use]
    pub fn ball(sectors: usize) -> Self {
        let rows = sectors / 2;
        let at = |k: usize| {
            let angle = std::f64::consts::PI * (k as f64 / rows as f64 - 0.5);
            let r = if k == 0 || k == rows {
                0.0
            } else {
                libm::cos(angle)
            };
            (r, libm::sin(angle))
        };
        let mut mesh = Self::turned(&(0..=rows).map(at).collect::<Vec<_>>(), sectors);
        mesh.normals.clone_from(&mesh.corners);
        mesh.edges.clear();
        mesh.edge_faces.clear();
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sum of the signed volumes of the tetrahedra over the triangles.
    fn volume(mesh: &Mesh) -> f64 {
        mesh.corners
            .chunks(3)
            .map(|t| t[0].cross(t[1]).dot(t[2]) / 6.0)
            .sum()
    }

    #[test]
    fn surfaces_are_closed_and_face_outwards() {
        let cube = Mesh::cube();
        assert_eq!((cube.corners.len(), cube.edges.len()), (36, 24));
        assert!(cube.convex);
        for (ends, faces) in cube.edges.chunks_exact(2).zip(&cube.edge_faces) {
            for face in faces {
                let corners = &cube.corners[3 * face..3 * face + 3];
                assert!(ends.iter().all(|e| corners.contains(e)));
            }
        }
        assert!((volume(&cube) - 8.0).abs() < 1e-12);
        let ball = Mesh::ball(64);
        assert!((volume(&ball) / (2.0 / 3.0 * TAU) - 1.0).abs() < 0.01);
        let cylinder = Mesh::turned(&[(0.0, -1.0), (1.0, -1.0), (1.0, 1.0), (0.0, 1.0)], 48);
        assert!((volume(&cylinder) / TAU - 1.0).abs() < 0.01);
        // Two rims, and no edge along the side.
        assert_eq!(cylinder.edges.len(), 2 * 2 * 48);
        for mesh in [&cube, &ball, &cylinder] {
            let middle = |t: &[DVec3]| (t[0] + t[1] + t[2]) / 3.0;
            for (t, n) in mesh.corners.chunks(3).zip(mesh.normals.chunks(3)) {
                assert!(middle(t).dot(middle(n)) > 0.0);
            }
        }
    }

    #[test]
    fn what_is_no_triangle_is_left_out() {
        let v = [DVec3::ZERO, DVec3::X, DVec3::Y];
        assert_eq!(
            Mesh::new(&v, &[[0, 1, 2], [0, 0, 1], [0, 1, 7]])
                .corners
                .len(),
            3
        );
    }
}
