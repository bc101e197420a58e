//! A surface of triangles: closed or open, with cracks and T-junctions.
//!
//! A mesh is its surface, two-sided; a closed one has a volume and a mass. In contact each triangle is a convex
//! piece of its own. A direction pushes at an edge or a vertex only if the neighbouring triangles lie behind it
//! there: the seam of coplanar triangles, and a valley, have no edge to stumble over.

mod mass;
pub mod obj;
pub mod stl;
mod tree;

use crate::broad_phase::Bounds;
use glam::DVec3;
use std::collections::BTreeMap;
use std::sync::Arc;
use tree::Tree;

pub(crate) use mass::volume_integrals;

/// The most triangles of a mesh.
pub const MOST_TRIANGLES: usize = 4_000_000;

/// No neighbour.
const NONE: u32 = u32::MAX;

/// Neighbours that deviate from a triangle's plane by less than this angle, rad, are coplanar with it.
const FLAT: f64 = 1e-9;

/// A surface of triangles, in its body's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// For the edge of each triangle from its vertex k to the next: the vertex opposite to it in the
    /// neighbour; [`NONE`] at a border, and where more than two triangles meet.
    across: Vec<[u32; 3]>,
    /// Bit k: edge k lies in a flat seam. Bit 3 + k: vertex k lies inside a flat region.
    flat: Vec<u8>,
    /// Neighbours of vertex v: `ring[ring_start[v]..ring_start[v + 1]]`.
    ring_start: Vec<u32>,
    ring: Vec<u32>,
    tree: Tree,
    radius: f64,
    open_edges: usize,
    notes: Vec<String>,
}

/// A mesh that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// Text or bytes that are no mesh.
    #[error("line {line}: {reason}")]
    Line {
        /// Where, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A file that is no mesh, without a line to point at.
    #[error("{0}")]
    File(String),
    /// A vertex that is not finite.
    #[error("triangle {triangle} (from 0) has a vertex that is not finite: {point}")]
    NotFinite {
        /// Which triangle.
        triangle: usize,
        /// The vertex.
        point: DVec3,
    },
    /// A triangle whose vertex does not exist.
    #[error("triangle {triangle} (from 0) names vertex {vertex}, but there are {count}")]
    Index {
        /// Which triangle.
        triangle: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many there are.
        count: usize,
    },
    /// No triangle with an area.
    #[error("the mesh has no triangle with an area")]
    Empty,
    /// More than [`MOST_TRIANGLES`].
    #[error("the mesh has {0} triangles; at most {MOST_TRIANGLES} can be used")]
    TooLarge(usize),
    /// A volume is needed and the surface has none.
    #[error(
        "the surface is not closed, so it has no volume and no mass: {edges} of its edges have a triangle on one \
         side only"
    )]
    Open {
        /// How many edges.
        edges: usize,
    },
}

/// One triangle of a mesh, as a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Facet {
    mesh: Arc<Mesh>,
    index: u32,
}

impl Mesh {
    /// Of vertices and triangles, counterclockwise seen from outside. Equal vertices are made one; triangles without
    /// an area are left out, and a closed mesh turned inside out is turned back: [`Self::notes`] tells.
    ///
    /// # Errors
    /// Vertices that are not finite or do not exist, no triangle with an area, too many triangles.
    pub fn new(points: &[DVec3], given: &[[u32; 3]]) -> Result<Self, MeshError> {
        if given.len() > MOST_TRIANGLES {
            return Err(MeshError::TooLarge(given.len()));
        }
        check(points, given)?;
        let mut notes = Vec::new();
        let (vertices, number) = weld(points);
        let mut triangles: Vec<[u32; 3]> = given
            .iter()
            .map(|t| t.map(|v| number[v as usize]))
            .collect();
        triangles.retain(|t| has_area(t.map(|v| vertices[v as usize])));
        let lost = given.len() - triangles.len();
        if lost > 0 {
            notes.push(format!("{lost} triangles without an area were left out"));
        }
        if triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        let (mut across, open_edges, alike) = neighbours(&triangles);
        if open_edges == 0 && alike && volume_integrals(&vertices, &triangles).0 < 0.0 {
            notes.push("the mesh was inside out, and was turned".into());
            for (triangle, across) in triangles.iter_mut().zip(&mut across) {
                triangle.swap(1, 2);
                across.swap(0, 2);
            }
        }
        if open_edges == 0 && !alike {
            notes.push(
                "neighbouring triangles are not turned alike: no volume can be computed".into(),
            );
        }
        let (ring_start, ring) = rings(vertices.len(), &triangles);
        let mut mesh = Self {
            tree: Tree::new(&vertices, &triangles),
            radius: vertices.iter().map(|v| v.length()).fold(0.0, f64::max),
            flat: Vec::new(),
            // Not closed for a volume's sake, if the sides are mixed.
            open_edges: if alike { open_edges } else { open_edges.max(1) },
            vertices,
            triangles,
            across,
            ring_start,
            ring,
            notes,
        };
        mesh.flat = (0..mesh.triangles.len())
            .map(|t| mesh.flat_bits(t))
            .collect();
        Ok(mesh)
    }

    /// A height field: `heights[j][i]` over x = i·dx, y = j·dy, the whole centred about the origin; two triangles
    /// for each cell.
    ///
    /// # Errors
    /// Fewer than two rows or columns, rows of different lengths, heights that are not finite.
    pub fn height_field(heights: &[Vec<f64>], dx: f64, dy: f64) -> Result<Self, MeshError> {
        let rows = heights.len();
        let columns = heights.first().map_or(0, Vec::len);
        if rows < 2 || columns < 2 {
            let message = "a height field needs at least two rows and two columns";
            return Err(MeshError::File(message.into()));
        }
        if let Some(j) = heights.iter().position(|row| row.len() != columns) {
            let (line, found) = (j + 1, heights[j].len());
            let reason = format!("the row has {found} heights, the first has {columns}");
            return Err(MeshError::Line { line, reason });
        }
        let cells = (rows - 1).saturating_mul(columns - 1);
        if cells > MOST_TRIANGLES / 2 {
            return Err(MeshError::TooLarge(cells.saturating_mul(2)));
        }
        let (middle_x, middle_y) = (0.5 * (columns - 1) as f64, 0.5 * (rows - 1) as f64);
        let mut points = Vec::with_capacity(rows * columns);
        for (j, row) in heights.iter().enumerate() {
            for (i, &z) in row.iter().enumerate() {
                points.push(DVec3::new(
                    (i as f64 - middle_x) * dx,
                    (j as f64 - middle_y) * dy,
                    z,
                ));
            }
        }
        let mut triangles = Vec::with_capacity(2 * cells);
        for j in 0..rows - 1 {
            for i in 0..columns - 1 {
                let [a, b] = [j * columns + i, (j + 1) * columns + i].map(|k| k as u32);
                triangles.push([a, a + 1, b + 1]);
                triangles.push([a, b + 1, b]);
            }
        }
        Self::new(&points, &triangles)
    }

    /// The same surface, moved by `shift`.
    #[must_use]
    pub fn shifted(&self, shift: DVec3) -> Self {
        let vertices: Vec<DVec3> = self.vertices.iter().map(|&v| v + shift).collect();
        Self {
            tree: Tree::new(&vertices, &self.triangles),
            radius: vertices.iter().map(|v| v.length()).fold(0.0, f64::max),
            vertices,
            ..self.clone()
        }
    }

    /// Its vertices, m.
    #[must_use]
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Its triangles: three vertices each.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Repairs that were made, in words.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Edges with a triangle on one side only, as far as a volume is concerned; none in a closed surface.
    #[must_use]
    pub const fn open_edges(&self) -> usize {
        self.open_edges
    }

    /// Distance of the farthest vertex from the origin, m.
    #[must_use]
    pub const fn radius(&self) -> f64 {
        self.radius
    }

    /// A box around it, in its own frame.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.tree.bounds()
    }

    /// Calls `visit` with the number of every triangle whose bounds satisfy `near`, which must hold for every box
    /// around a box for which it holds.
    pub(crate) fn each_near(&self, near: &dyn Fn(&Bounds) -> bool, visit: &mut dyn FnMut(u32)) {
        self.tree.visit(near, &mut |t| {
            let points = self.points(t);
            if near(&Bounds::around(&points)) {
                visit(t);
            }
        });
    }

    /// The corners of triangle t.
    fn points(&self, t: u32) -> [DVec3; 3] {
        self.triangles[t as usize].map(|v| self.vertices[v as usize])
    }

    fn ring(&self, v: u32) -> &[u32] {
        let [from, to] = [v as usize, v as usize + 1].map(|k| self.ring_start[k] as usize);
        &self.ring[from..to]
    }

    fn flat_bits(&self, t: usize) -> u8 {
        let points = self.points(t as u32);
        let n = unit_normal(points);
        let level = |v: u32, from: DVec3| {
            let d = self.vertices[v as usize] - from;
            n.dot(d).abs() <= FLAT * d.length()
        };
        let mut bits = 0;
        for k in 0..3 {
            let other = self.across[t][k];
            if other != NONE && level(other, points[k]) {
                bits |= 1 << k;
            }
        }
        for k in 0..3 {
            let v = self.triangles[t][k];
            // All round it level, and no border at it.
            let closed = self.ring(v).len() >= 3 && !self.at_border(v);
            if closed && self.ring(v).iter().all(|&w| level(w, points[k])) {
                bits |= 8 << k;
            }
        }
        bits
    }

    /// Does a vertex lie at a border: has its ring an edge with one triangle only? The ring lists each neighbour
    /// once for each triangle that joins them.
    fn at_border(&self, v: u32) -> bool {
        let ring = self.ring(v);
        ring.iter()
            .any(|w| ring.iter().filter(|other| *other == w).count() != 2)
    }
}

impl Facet {
    /// Triangle `index` of a mesh; `None` beyond the last.
    #[must_use]
    pub fn new(mesh: &Arc<Mesh>, index: u32) -> Option<Self> {
        ((index as usize) < mesh.triangles.len()).then(|| Self {
            mesh: Arc::clone(mesh),
            index,
        })
    }

    /// Its corners, in the mesh's frame.
    #[must_use]
    pub fn points(&self) -> [DVec3; 3] {
        self.mesh.points(self.index)
    }

    /// Its unit normal, to the outside.
    #[must_use]
    pub fn normal(&self) -> DVec3 {
        unit_normal(self.points())
    }

    /// Does edge k (from corner k to the next) lie in a flat seam?
    pub(crate) fn edge_is_flat(&self, k: usize) -> bool {
        self.mesh.flat[self.index as usize] >> k & 1 == 1
    }

    /// Does corner k lie inside a flat region?
    pub(crate) fn corner_is_flat(&self, k: usize) -> bool {
        self.mesh.flat[self.index as usize] >> (3 + k) & 1 == 1
    }

    /// May the surface push along `d` (unit, mesh frame) where the triangle reaches farthest that way? The
    /// neighbours must lie behind.
    pub(crate) fn pushes_along(&self, d: DVec3) -> bool {
        let points = self.points();
        let heights = points.map(|p| d.dot(p));
        let top = heights.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let size = (points[1] - points[0])
            .length()
            .max((points[2] - points[0]).length());
        let up = heights.map(|x| x >= top - FLAT * size);
        let behind = |v: u32, from: DVec3| {
            let w = self.mesh.vertices[v as usize] - from;
            d.dot(w) <= FLAT * w.length()
        };
        let index = self.index as usize;
        match up {
            [true, true, true] => true,
            [true, false, false] | [false, true, false] | [false, false, true] => {
                let k = up.iter().position(|&u| u).unwrap_or(0);
                let ring = self.mesh.ring(self.mesh.triangles[index][k]);
                ring.iter().all(|&v| behind(v, points[k]))
            }
            _ => {
                // Edge k goes from corner k to the next.
                let k = (0..3).find(|&k| up[k] && up[(k + 1) % 3]).unwrap_or(0);
                let other = self.mesh.across[index][k];
                other == NONE || behind(other, points[k])
            }
        }
    }
}

/// The unit normal of a triangle with an area.
fn unit_normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    let n = (b - a).cross(c - a);
    n / n.length()
}

/// Is the area more than rounding? Twice the area, against the longest edge squared.
fn has_area([a, b, c]: [DVec3; 3]) -> bool {
    let longest = (b - a).length().max((c - a).length()).max((c - b).length());
    (b - a).cross(c - a).length() > 1e-12 * longest * longest
}

fn check(points: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), MeshError> {
    for (triangle, corners) in triangles.iter().enumerate() {
        for &vertex in corners {
            match points.get(vertex as usize) {
                None => {
                    let count = points.len();
                    return Err(MeshError::Index {
                        triangle,
                        vertex,
                        count,
                    });
                }
                // Squares must be finite too.
                Some(p) if !p.length_squared().is_finite() => {
                    let point = *p;
                    return Err(MeshError::NotFinite { triangle, point });
                }
                Some(_) => {}
            }
        }
    }
    Ok(())
}

/// Each place once, in the order of first appearance, and the new number of every vertex.
fn weld(points: &[DVec3]) -> (Vec<DVec3>, Vec<u32>) {
    // −0 and 0 are one place.
    let key = |p: &DVec3| p.to_array().map(|x| (x + 0.0).to_bits());
    let mut known: BTreeMap<[u64; 3], u32> = BTreeMap::new();
    let mut kept = Vec::new();
    let number = points
        .iter()
        .map(|p| {
            *known.entry(key(p)).or_insert_with(|| {
                kept.push(*p);
                kept.len() as u32 - 1
            })
        })
        .collect();
    (kept, number)
}

/// For every edge the vertex across it; how many edges have no single neighbour; and whether all neighbours are
/// turned alike.
fn neighbours(triangles: &[[u32; 3]]) -> (Vec<[u32; 3]>, usize, bool) {
    // (lower vertex, higher vertex, triangle, edge)
    let mut edges: Vec<(u32, u32, u32, u8)> = Vec::with_capacity(3 * triangles.len());
    for (t, corners) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            edges.push((a.min(b), a.max(b), t as u32, k as u8));
        }
    }
    edges.sort_unstable();
    let mut across = vec![[NONE; 3]; triangles.len()];
    let (mut open, mut alike) = (0, true);
    for run in edges.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        let [first, second] = run else {
            open += run.len();
            continue;
        };
        let corner =
            |e: &(u32, u32, u32, u8), k: usize| triangles[e.2 as usize][(usize::from(e.3) + k) % 3];
        across[first.2 as usize][usize::from(first.3)] = corner(second, 2);
        across[second.2 as usize][usize::from(second.3)] = corner(first, 2);
        alike &= corner(first, 0) == corner(second, 1);
    }
    (across, open, alike)
}

/// Neighbours of each vertex, one for each edge of each triangle at it.
fn rings(count: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let mut start = vec![0_u32; count + 1];
    for v in triangles.iter().flatten() {
        start[*v as usize + 1] += 2;
    }
    for k in 0..count {
        start[k + 1] += start[k];
    }
    let mut next = start.clone();
    let mut ring = vec![0; 6 * triangles.len()];
    for corners in triangles {
        for k in 0..3 {
            let place = &mut next[corners[k] as usize];
            for w in [corners[(k + 1) % 3], corners[(k + 2) % 3]] {
                ring[*place as usize] = w;
                *place += 1;
            }
        }
    }
    (start, ring)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn cube() -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let points = (0..8)
            .map(|k| crate::shape::corner(DVec3::splat(0.5), k))
            .collect();
        let quads: [[u32; 4]; 6] = [
            [0, 4, 6, 2],
            [1, 3, 7, 5],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 2, 3, 1],
            [4, 5, 7, 6],
        ];
        let triangles = quads
            .iter()
            .flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]])
            .collect();
        (points, triangles)
    }

    #[test]
    fn a_cube_is_closed_and_its_diagonals_are_flat() {
        let (points, mut triangles) = cube();
        let mesh = Mesh::new(&points, &triangles).unwrap();
        assert_eq!((mesh.open_edges(), mesh.notes().len()), (0, 0));
        let flat: u32 = mesh.flat.iter().map(|b| (b & 7).count_ones()).sum();
        assert_eq!(flat, 12, "the diagonal, from both sides of six faces");
        for t in &mut triangles {
            t.swap(0, 1);
        }
        let inside_out = Mesh::new(&points, &triangles).unwrap();
        assert_eq!(inside_out.notes().len(), 1);
        assert!(volume_integrals(&inside_out.vertices, &inside_out.triangles).0 > 0.0);
        triangles.pop();
        assert_eq!(Mesh::new(&points, &triangles).unwrap().open_edges(), 3);
    }

    #[test]
    fn a_cube_pushes_along_its_normals_and_outward_at_its_edges_only() {
        let (points, triangles) = cube();
        let mesh = Arc::new(Mesh::new(&points, &triangles).unwrap());
        let up = (0..12)
            .filter_map(|k| Facet::new(&mesh, k))
            .find(|f| f.normal() == DVec3::Z)
            .unwrap();
        let s = 0.5_f64.sqrt();
        for d in [
            DVec3::Z,
            DVec3::new(s, 0.0, s),
            DVec3::new(-0.6, 0.0, 0.8),
            DVec3::splat(1.0 / 3.0_f64.sqrt()),
        ] {
            let reached = up
                .points()
                .iter()
                .any(|p| (0..3).all(|i| d[i] == 0.0 || p[i] * d[i] > 0.0));
            assert_eq!(up.pushes_along(d), reached, "{d}");
        }
    }

    #[test]
    fn nonsense_is_refused_or_repaired() {
        let (points, triangles) = cube();
        let mut bad = points.clone();
        bad[3].y = f64::NAN;
        assert!(matches!(
            Mesh::new(&bad, &triangles),
            Err(MeshError::NotFinite { .. })
        ));
        let missing = [[0, 1, 8]];
        assert!(matches!(
            Mesh::new(&points, &missing),
            Err(MeshError::Index { vertex: 8, .. })
        ));
        assert!(matches!(
            Mesh::new(&points, &[[0, 1, 1]]),
            Err(MeshError::Empty)
        ));
        assert!(matches!(Mesh::new(&points, &[]), Err(MeshError::Empty)));
        let mut more = triangles.clone();
        more.push([0, 0, 5]);
        let mesh = Mesh::new(&points, &more).unwrap();
        assert_eq!(mesh.triangles().len(), 12);
        assert!(mesh.notes()[0].contains("without an area"));
        let many = vec![[0, 1, 2]; MOST_TRIANGLES + 1];
        assert!(matches!(
            Mesh::new(&points, &many),
            Err(MeshError::TooLarge(_))
        ));
    }

    #[test]
    fn a_level_height_field_is_flat_inside() {
        let mesh = Mesh::height_field(&vec![vec![0.25; 5]; 4], 0.5, 0.25).unwrap();
        assert_eq!(mesh.triangles().len(), 24);
        assert_eq!(mesh.bounds().min, DVec3::new(-1.0, -0.375, 0.25));
        let flat = |k| Facet::new(&Arc::new(mesh.clone()), k).map(|f| f.edge_is_flat(0));
        assert_eq!(flat(0), Some(false), "at the border");
        assert!(mesh.flat.iter().any(|b| b & 8 != 0), "a vertex inside");
        assert!(Mesh::height_field(&[vec![0.0; 3]], 1.0, 1.0).is_err());
        assert!(Mesh::height_field(&[vec![0.0; 3], vec![0.0; 2]], 1.0, 1.0).is_err());
    }
}
