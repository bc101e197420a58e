//! The geometry's part of the error bar: facets that stand for a curved surface.
//!
//! Balls, boxes, cylinders and the like are exact to rounding, and so are the edges of a polyhedron that are meant. Where two
//! facets of a mesh or a hull meet at a small angle θ, a curved surface is taken to be meant; a facet of width w
//! then misses it by its sagitta, (w/2) tan(θ/4). The scene is run again with the corners of such facets moved by the largest sagitta,
//! inwards or, where that overlaps, outwards, and the answers are compared.

use crate::scene::Scene;
use glam::DVec3;
use std::sync::Arc;
use stickslip_geometry::Shape;
use stickslip_geometry::compound::{Compound, Piece};
use stickslip_geometry::hull::Hull;
use stickslip_geometry::mesh::Mesh;

/// Facets that meet at a larger angle than this (30 degrees) meet at an edge that is meant; its cosine.
const MEANT: f64 = 0.866_025_403_784_438_6;

/// Two facets that stand for a curved surface.
struct Bend {
    /// Numbers of the vertices of their common edge.
    ends: [usize; 2],
    /// The sum of their unit normals.
    normal: DVec3,
    /// By how much they miss the surface, m.
    sagitta: f64,
}

impl Bend {
    /// Facets with unit normals n and m, so wide across their common edge, m; `None` where they are flat or meet at an edge.
    fn of(ends: [usize; 2], n: DVec3, m: DVec3, width: f64) -> Option<Self> {
        let angle = libm::atan2(n.cross(m).length(), n.dot(m));
        // Of flat neighbours rounding alone is left.
        if n.dot(m) < MEANT || angle < 1e-9 {
            return None;
        }
        Some(Self {
            ends,
            normal: n + m,
            sagitta: 0.5 * width * libm::tan(0.25 * angle),
        })
    }
}

/// By how much the facets of the scene's shapes may miss the surfaces they stand for, m: the largest; zero where all are exact.
pub(super) fn sagitta(scene: &Scene) -> f64 {
    let shapes = scene.bodies.iter().map(|b| of_shape(&b.shape));
    shapes.fold(0.0, f64::max)
}

/// The scene with its facets moved inwards (`side` −1) or outwards (+1) by the sagitta of their shape.
pub(super) fn moved(scene: &Scene, side: f64) -> Option<Scene> {
    let mut scene = scene.clone();
    for body in &mut scene.bodies {
        body.shape = moved_shape(&body.shape, side)?;
    }
    Some(scene)
}

fn of_shape(shape: &Shape) -> f64 {
    match shape {
        Shape::Mesh(mesh) => largest(&of_mesh(mesh)),
        Shape::Hull(hull) => largest(&of_hull(hull)),
        Shape::Compound(compound) => {
            let pieces = compound.pieces().iter().map(|p| of_shape(&p.shape));
            pieces.fold(0.0, f64::max)
        }
        _ => 0.0,
    }
}

fn moved_shape(shape: &Shape, side: f64) -> Option<Shape> {
    Some(match shape {
        Shape::Mesh(mesh) => {
            let points = moved_points(mesh.vertices(), &of_mesh(mesh), side);
            Shape::Mesh(Arc::new(Mesh::new(&points, mesh.triangles()).ok()?))
        }
        Shape::Hull(hull) => {
            let points = moved_points(hull.vertices(), &of_hull(hull), side);
            Shape::Hull(Arc::new(Hull::new(&points).ok()?))
        }
        Shape::Compound(compound) => {
            let pieces = compound.pieces().iter().map(|p| {
                Some(Piece {
                    shape: moved_shape(&p.shape, side)?,
                    pose: p.pose,
                })
            });
            let pieces: Vec<Piece> = pieces.collect::<Option<_>>()?;
            Shape::Compound(Arc::new(Compound::new(pieces).ok()?))
        }
        other => other.clone(),
    })
}

fn largest(bends: &[Bend]) -> f64 {
    bends.iter().map(|b| b.sagitta).fold(0.0, f64::max)
}

/// Corners of bends, moved along the mean of the normals there.
fn moved_points(points: &[DVec3], bends: &[Bend], side: f64) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; points.len()];
    for bend in bends {
        for k in bend.ends {
            normals[k] += bend.normal;
        }
    }
    // A facet between corners that move along the mean normals moves by cos(θ/2) of that.
    let cosine = bends.iter().map(|b| 0.5 * b.normal.length());
    let by = side * largest(bends) / cosine.fold(1.0, f64::min);
    let places = points.iter().zip(normals);
    places
        .map(|(p, n)| *p + n.normalize_or_zero() * by)
        .collect()
}

fn of_hull(hull: &Hull) -> Vec<Bend> {
    let v = hull.vertices();
    let bends = hull.edges().iter().filter_map(|e| {
        let [a, b] = e.vertices.map(|k| v[k]);
        let along = (b - a).normalize_or_zero();
        let widths = e.faces.map(|f| {
            let across = hull.corners(f).iter().map(|&k| {
                let arm = v[k] - a;
                (arm - along * along.dot(arm)).length()
            });
            across.fold(0.0, f64::max)
        });
        let [n, m] = e.faces.map(|f| hull.faces()[f].normal);
        Bend::of(e.vertices, n, m, widths[0].max(widths[1]))
    });
    bends.collect()
}

fn of_mesh(mesh: &Mesh) -> Vec<Bend> {
    let v = mesh.vertices();
    // Each side of each triangle: its ends, sorted, the triangle's height over it, and the triangle's normal.
    let mut sides: Vec<([usize; 2], f64, DVec3)> = Vec::new();
    for t in mesh.triangles() {
        let t = t.map(|k| k as usize);
        let [a, b, c] = t.map(|k| v[k]);
        let normal = (b - a).cross(c - a);
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            let length = (v[t[i]] - v[t[j]]).length();
            let ends = [t[i].min(t[j]), t[i].max(t[j])];
            sides.push((ends, normal.length() / length, normal.normalize_or_zero()));
        }
    }
    sides.sort_by_key(|s| s.0);
    let pairs = sides.windows(2).filter(|w| w[0].0 == w[1].0);
    pairs
        .filter_map(|w| Bend::of(w[0].0, w[0].2, w[1].2, w[0].1.max(w[1].1)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A prism of n sides about z, of radius 1 m.
    fn prism(n: u32) -> Shape {
        let points = (0..n).flat_map(|k| {
            let angle = std::f64::consts::TAU * f64::from(k) / f64::from(n);
            let (y, x) = (libm::sin(angle), libm::cos(angle));
            [DVec3::new(x, y, -0.5), DVec3::new(x, y, 0.5)]
        });
        let points: Vec<DVec3> = points.collect();
        Shape::Hull(Arc::new(Hull::new(&points).expect("a hull")))
    }

    #[test]
    fn facets_miss_a_circle_by_their_sagitta() {
        for n in [16, 32, 64] {
            let exact = 1.0 - libm::cos(std::f64::consts::PI / f64::from(n));
            let found = of_shape(&prism(n));
            assert!((found / exact - 1.0).abs() < 0.01, "{n}: {found} {exact}");
        }
    }

    #[test]
    fn edges_that_are_meant_are_exact() {
        assert_eq!(of_shape(&prism(6)), 0.0);
        assert_eq!(of_shape(&Shape::ball(1.0).expect("a ball")), 0.0);
    }
}
