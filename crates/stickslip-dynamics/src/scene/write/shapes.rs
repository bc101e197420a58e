//! Shapes as text.

use glam::{DQuat, DVec3};
use stickslip_geometry::{Piece, Shape};

use super::values::{number, quaternion, vector};

/// A mesh with all its vertices.
fn surface(vertices: &[DVec3], triangles: &[[u32; 3]]) -> String {
    let vertices: Vec<String> = vertices.iter().map(|v| vector(*v)).collect();
    let triangles: Vec<String> = triangles.iter().map(|t| format!("{t:?}")).collect();
    let (vertices, triangles) = (vertices.join(", "), triangles.join(", "));
    format!("{{ mesh = {{ vertices = [{vertices}], triangles = [{triangles}] }} }}")
}

fn piece(piece: &Piece) -> String {
    let (shape, position) = (shape(&piece.shape), vector(piece.pose.position));
    let turned = match piece.pose.orientation {
        turned if turned == DQuat::IDENTITY => String::new(),
        turned => format!(", orientation = {}", quaternion(turned)),
    };
    format!("{{ shape = {shape}, position = {position}{turned} }}")
}

pub(super) fn shape(shape: &Shape) -> String {
    match shape {
        Shape::HalfSpace { normal, offset } => {
            let (normal, offset) = (vector(*normal), number(*offset));
            format!("{{ half-space = {{ normal = {normal}, offset = {offset} }} }}")
        }
        Shape::Ball { radius } => format!("{{ ball = {{ radius = {} }} }}", number(*radius)),
        Shape::Box { half } => format!("{{ box = {{ size = {} }} }}", vector(*half * 2.0)),
        Shape::Compound(c) => {
            let pieces: Vec<String> = c.pieces().iter().map(piece).collect();
            format!("{{ compound = [{}] }}", pieces.join(", "))
        }
        Shape::Mesh(mesh) => surface(mesh.vertices(), mesh.triangles()),
        Shape::Triangle(facet) => surface(&facet.points(), &[[0, 1, 2]]),
        Shape::Cylinder { radius, half } => along_z("cylinder", *radius, 2.0 * half),
        Shape::Cone { radius, length } => along_z("cone", *radius, *length),
        Shape::Capsule { radius, half } => along_z("capsule", *radius, 2.0 * half),
        Shape::Hull(hull) => {
            let points: Vec<String> = hull.vertices().iter().map(|p| vector(*p)).collect();
            format!("{{ hull = {{ points = [{}] }} }}", points.join(", "))
        }
        Shape::Points { points, .. } => {
            let points: Vec<String> = points.iter().map(|p| vector(*p)).collect();
            format!("{{ points = {{ at = [{}] }} }}", points.join(", "))
        }
    }
}

fn along_z(kind: &str, radius: f64, length: f64) -> String {
    let (radius, length) = (number(radius), number(length));
    format!("{{ {kind} = {{ radius = {radius}, length = {length} }} }}")
}
