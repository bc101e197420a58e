//! Boxes and triangles as polytopes: vertices, edges, faces.

use crate::placed::{BOX_EDGES, TRIANGLE_EDGES};
use crate::shape::{Shape, corner};
use glam::DVec3;

/// A polytope in its own frame.
pub(super) struct Polytope<'a> {
    pub(super) vertices: &'a [DVec3],
    pub(super) edges: &'a [(usize, usize)],
    /// Directions of the edges, each once.
    pub(super) axes: &'a [DVec3],
    pub(super) faces: &'a [Face],
}

/// A face: outward normal, and corners counterclockwise seen from outside.
pub(super) struct Face {
    pub(super) normal: DVec3,
    pub(super) corners: &'static [u8],
}

impl Polytope<'_> {
    /// max of d·x.
    pub(super) fn support(&self, d: DVec3) -> f64 {
        let each = self.vertices.iter().map(|v| d.dot(*v));
        each.fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Calls `f` with the shape as a polytope; `None` for other shapes.
pub(super) fn with_polytope<R>(shape: &Shape, f: impl FnOnce(&Polytope) -> R) -> Option<R> {
    match shape {
        Shape::Box { half } => {
            let vertices: [DVec3; 8] = std::array::from_fn(|k| corner(*half, k));
            Some(f(&Polytope {
                vertices: &vertices,
                edges: &BOX_EDGES,
                axes: &DVec3::AXES,
                faces: &BOX_FACES,
            }))
        }
        Shape::Triangle(facet) => {
            let vertices = facet.points();
            let n = facet.normal();
            let axes: [DVec3; 3] = std::array::from_fn(|k| {
                let e = vertices[(k + 1) % 3] - vertices[k];
                e / e.length()
            });
            let faces = [(n, &[0_u8, 1, 2]), (-n, &[0, 2, 1])]
                .map(|(normal, corners)| Face { normal, corners });
            Some(f(&Polytope {
                vertices: &vertices,
                edges: &TRIANGLE_EDGES,
                axes: &axes,
                faces: &faces,
            }))
        }
        _ => None,
    }
}

/// Lower and upper face across x, y, z.
const BOX_FACES: [Face; 6] = [
    face(DVec3::NEG_X, &[0, 4, 6, 2]),
    face(DVec3::X, &[1, 3, 7, 5]),
    face(DVec3::NEG_Y, &[0, 1, 5, 4]),
    face(DVec3::Y, &[2, 6, 7, 3]),
    face(DVec3::NEG_Z, &[0, 2, 3, 1]),
    face(DVec3::Z, &[4, 5, 7, 6]),
];

const fn face(normal: DVec3, corners: &'static [u8]) -> Face {
    Face { normal, corners }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faces_of_a_box_look_outward() {
        for face in &BOX_FACES {
            let p: Vec<DVec3> = face
                .corners
                .iter()
                .map(|&k| corner(DVec3::ONE, usize::from(k)))
                .collect();
            for k in 0..4 {
                let turn = (p[(k + 1) % 4] - p[k]).cross(p[(k + 2) % 4] - p[(k + 1) % 4]);
                assert_eq!(turn.normalize_or_zero(), face.normal);
                assert_eq!(face.normal.dot(p[k]), 1.0);
            }
        }
    }
}
