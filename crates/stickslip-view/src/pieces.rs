//! The convex pieces a picture is painted from: bodies and their parts, and the single faces of what is not convex.

use crate::mesh::Mesh;
use crate::order::{Silhouette, Solid, hull};
use crate::shot::{LIGHT, Painter};
use crate::solid::Part;
use glam::DVec3;
use stickslip_geometry::Pose;
use stickslip_plot::colour::{Colour, INK};
use stickslip_plot::{Drawing, Point, Stroke, Style};

/// Something painted in one go.
pub(crate) enum Mark {
    Polygon(Vec<Point>, Style),
    Line(Vec<Point>, Stroke),
    Disc(Point, f64, Style),
}

impl Mark {
    pub(crate) fn paint(&self, drawing: &mut Drawing) {
        match self {
            Self::Polygon(points, style) => drawing.polygon(points, *style),
            Self::Line(points, stroke) => drawing.polyline(points, *stroke),
            Self::Disc(centre, radius, style) => drawing.circle(*centre, *radius, *style),
        }
    }
}

/// What tells the order of painting, and what to paint.
pub(crate) type Piece = (Silhouette, Vec<Mark>);

/// A triangle that looks at the eye, or what of it is in front of the eye.
struct Face {
    corners: Vec<DVec3>,
    /// Unit normal.
    normal: DVec3,
    mark: Mark,
    seen: Vec<Point>,
}

impl Painter<'_, '_> {
    /// All that is seen of the bodies in a frame, each in the colour of `tints`.
    pub(crate) fn pieces(&self, frame: usize, tints: &[Colour]) -> Vec<Piece> {
        self.pieces_of(frame, tints, |_| true)
    }

    /// The same of some bodies, told by their numbers.
    pub(crate) fn pieces_of(
        &self,
        frame: usize,
        tints: &[Colour],
        shown: impl Fn(usize) -> bool,
    ) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for (k, part) in self.parts().filter(|(k, _)| shown(*k)) {
            let pose = self.film.pose(frame, k);
            let mesh = &self.film.meshes.list[part.mesh];
            if mesh.is_ball() {
                pieces.extend(self.ball(&pose, part, tints[k]));
                continue;
            }
            let faces = self.faces(mesh, &pose, part, tints[k]);
            let edges = self.edges(mesh, &pose, part, &faces);
            if mesh.convex {
                pieces.push(self.convex(faces, edges));
            } else {
                pieces.extend(self.surface(faces, edges));
            }
        }
        pieces
    }

    /// The triangles of a mesh that look at the eye (None for the others), each with a thin outline of its own colour,
    /// so that no gap shows between neighbours.
    fn faces(&self, mesh: &Mesh, pose: &Pose, part: &Part, tint: Colour) -> Vec<Option<Face>> {
        let eye = self.camera.eye();
        let face = |triangle: &[DVec3]| {
            let corners = [triangle[0], triangle[1], triangle[2]].map(|p| world(pose, part, p));
            let mut normal = (corners[1] - corners[0])
                .cross(corners[2] - corners[0])
                .try_normalize()?;
            if normal.dot(eye - corners[0]) <= 0.0 {
                if mesh.closed {
                    return None;
                }
                normal = -normal;
            }
            let corners = self.in_front(&corners);
            let seen: Vec<Point> = corners.iter().filter_map(|c| self.place(*c)).collect();
            if seen.len() < 3 {
                return None;
            }
            let light = 0.5 + 0.18 * (0.5 + 0.5 * normal.z) + 0.4 * normal.dot(LIGHT).max(0.0);
            let fill = shaded(tint, light);
            let style = Style {
                fill: Some(fill),
                // Where fills are clear, lines over them would show.
                stroke: (fill.a == 255).then(|| Stroke::new(fill, 0.6)),
            };
            Some(Face {
                corners,
                normal,
                mark: Mark::Polygon(seen.clone(), style),
                seen,
            })
        };
        mesh.corners.chunks_exact(3).map(face).collect()
    }

    /// Sharp edges beside a face that is seen: the number of that face, and the line.
    fn edges(
        &self,
        mesh: &Mesh,
        pose: &Pose,
        part: &Part,
        faces: &[Option<Face>],
    ) -> Vec<(usize, Mark)> {
        let stroke = Stroke::new(Colour::rgb(0x24374d).with_opacity(0.55), 0.7);
        let edge = |(ends, beside): (&[DVec3], &[usize; 2])| {
            let face = *beside.iter().find(|&&f| faces[f].is_some())?;
            let ends = [ends[0], ends[1]].map(|p| world(pose, part, p));
            let ends = self.in_front(&ends);
            let line: Vec<Point> = ends.iter().filter_map(|p| self.place(*p)).collect();
            (line.len() == 2).then_some((face, Mark::Line(line, stroke)))
        };
        let ends = mesh.edges.chunks_exact(2);
        ends.zip(&mesh.edge_faces).filter_map(edge).collect()
    }

    /// A convex solid is one piece: its faces do not hide each other.
    fn convex(&self, faces: Vec<Option<Face>>, edges: Vec<(usize, Mark)>) -> Piece {
        let faces: Vec<Face> = faces.into_iter().flatten().collect();
        let silhouette = Silhouette {
            outline: hull(faces.iter().flat_map(|f| f.seen.iter().copied()).collect()),
            solid: Solid::Faces(faces.iter().map(|f| (f.normal, f.corners[0])).collect()),
            depth: self.depth(faces.iter().flat_map(|f| f.corners.iter().copied())),
        };
        let marks = faces.into_iter().map(|f| f.mark);
        (
            silhouette,
            marks.chain(edges.into_iter().map(|e| e.1)).collect(),
        )
    }

    /// Of any other surface each face is a piece.
    fn surface(&self, faces: Vec<Option<Face>>, edges: Vec<(usize, Mark)>) -> Vec<Piece> {
        let mut lines: Vec<Vec<Mark>> = faces.iter().map(|_| Vec::new()).collect();
        for (face, line) in edges {
            lines[face].push(line);
        }
        let piece = |(face, lines): (Option<Face>, Vec<Mark>)| {
            let face = face?;
            let silhouette = Silhouette {
                outline: face.seen,
                solid: Solid::Faces(vec![(face.normal, face.corners[0])]),
                depth: self.depth(face.corners.into_iter()),
            };
            Some((
                silhouette,
                std::iter::once(face.mark).chain(lines).collect(),
            ))
        };
        faces.into_iter().zip(lines).filter_map(piece).collect()
    }

    /// Mean distance of points along the view, m.
    fn depth(&self, points: impl Iterator<Item = DVec3>) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for point in points {
            sum += self.camera.see(point).depth;
            count += 1.0;
        }
        sum / f64::max(count, 1.0)
    }

    /// A ball: discs that grow lighter towards the light, and the three circles in which the planes of its axes cut
    /// it, which show how it turns.
    fn ball(&self, pose: &Pose, part: &Part, tint: Colour) -> Option<Piece> {
        let (centre, radius) = (world(pose, part, DVec3::ZERO), part.scale.x);
        let seen = self.camera.see(centre);
        let at = self.place(centre).filter(|_| seen.depth > radius)?;
        let half_height = 0.5 * self.height / libm::tan(0.5 * self.camera.angle);
        let size = half_height * radius / libm::sqrt(seen.depth * seen.depth - radius * radius);
        let [right, up, _] = self.camera.axes();
        let (x, y) = (LIGHT.dot(right), LIGHT.dot(up));
        let mut marks = Vec::new();
        const DISCS: usize = 6;
        for k in 0..DISCS {
            let part = k as f64 / DISCS as f64;
            let middle = [at[0] + 0.8 * part * size * x, at[1] - 0.8 * part * size * y];
            let style = shaded(tint, 0.66 + 0.4 * part).into();
            marks.push(Mark::Disc(middle, size * (1.0 - part), style));
        }
        let eye = self.camera.eye();
        for (u, v) in [
            (DVec3::X, DVec3::Y),
            (DVec3::Y, DVec3::Z),
            (DVec3::Z, DVec3::X),
        ] {
            let mut run: Vec<Point> = Vec::new();
            for [cos, sin] in circle(32) {
                let point = world(pose, part, u * cos + v * sin);
                match self
                    .place(point)
                    .filter(|_| (point - centre).dot(eye - point) > 0.0)
                {
                    Some(place) => run.push(place),
                    None => finish(&mut marks, &mut run),
                }
            }
            finish(&mut marks, &mut run);
        }
        let silhouette = Silhouette {
            outline: circle(24)
                .take(24)
                .map(|[x, y]| [at[0] + size * x, at[1] + size * y])
                .collect(),
            solid: Solid::Ball { centre, radius },
            depth: seen.depth,
        };
        Some((silhouette, marks))
    }
}

/// Points of the unit circle at equal distances; the first comes again as the last.
fn circle(sides: u32) -> impl Iterator<Item = [f64; 2]> {
    (0..=sides).map(move |k| {
        let (sin, cos) = libm::sincos(std::f64::consts::TAU * f64::from(k) / f64::from(sides));
        [cos, sin]
    })
}

/// The line so far becomes a mark, and a new one begins.
fn finish(marks: &mut Vec<Mark>, run: &mut Vec<Point>) {
    let points = std::mem::take(run);
    if points.len() > 1 {
        marks.push(Mark::Line(points, Stroke::new(INK.with_opacity(0.4), 0.8)));
    }
}

pub(crate) fn world(pose: &Pose, part: &Part, point: DVec3) -> DVec3 {
    pose.to_world(part.pose.to_world(point * part.scale))
}

pub(crate) fn shaded(colour: Colour, light: f64) -> Colour {
    let shade = |c: u8| (f64::from(c) * light).round().clamp(0.0, 255.0) as u8;
    Colour {
        r: shade(colour.r),
        g: shade(colour.g),
        b: shade(colour.b),
        a: colour.a,
    }
}
