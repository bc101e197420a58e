//! From a shape to what is seen of it. A new shape is one arm here.

use crate::mesh::Mesh;
use glam::DVec3;
use std::f64::consts::FRAC_PI_2;
use stickslip_geometry::{Pose, Shape};

/// Radius at which something without any size is drawn, m.
pub(crate) const SMALLEST: f64 = 0.005;

/// A mesh in a body: stretched along its own axes, then placed in the body's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Which mesh of the film.
    pub mesh: usize,
    /// Factors along the mesh's axes.
    pub scale: DVec3,
    /// In the body's frame.
    pub pose: Pose,
}

/// What is seen of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Look {
    /// The plane normal·x = offset of the body's frame, without end.
    Plane {
        /// Unit normal.
        normal: DVec3,
        /// m.
        offset: f64,
    },
    /// Meshes.
    Solid(Vec<Part>),
}

/// The meshes of a film, each once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meshes {
    /// In the order in which they were first used.
    pub list: Vec<Mesh>,
    /// Sectors of round things: fewer where there are many.
    pub sectors: usize,
}

impl Meshes {
    /// For a film with so many bodies.
    #[must_use]
    pub fn for_bodies(count: usize) -> Self {
        let sectors = match count {
            0..=60 => 40,
            61..=300 => 24,
            301..=600 => 16,
            _ => 12,
        };
        Self {
            list: Vec::new(),
            sectors,
        }
    }

    /// The number of this mesh.
    pub fn number_of(&mut self, mesh: Mesh) -> usize {
        self.list
            .iter()
            .position(|m| *m == mesh)
            .unwrap_or_else(|| {
                self.list.push(mesh);
                self.list.len() - 1
            })
    }

    fn part(&mut self, mesh: Mesh, scale: DVec3) -> Look {
        Look::Solid(vec![Part {
            mesh: self.number_of(mesh),
            scale,
            pose: Pose::IDENTITY,
        }])
    }
}

/// What is seen of a shape.
pub fn look_of(shape: &Shape, meshes: &mut Meshes) -> Look {
    match shape {
        Shape::HalfSpace { normal, offset } => Look::Plane {
            normal: *normal,
            offset: *offset,
        },
        Shape::Ball { radius } => {
            let ball = Mesh::ball(meshes.sectors);
            meshes.part(ball, DVec3::splat(*radius))
        }
        Shape::Box { half } => meshes.part(Mesh::cube(), *half),
        Shape::Cylinder { radius, half } => {
            let profile = [(0.0, -1.0), (1.0, -1.0), (1.0, 1.0), (0.0, 1.0)];
            let cylinder = Mesh::turned(&profile, meshes.sectors);
            meshes.part(cylinder, DVec3::new(*radius, *radius, *half))
        }
        Shape::Cone { radius, length } => {
            let cone = Mesh::turned(&[(0.0, -0.25), (1.0, -0.25), (0.0, 0.75)], meshes.sectors);
            meshes.part(cone, DVec3::new(*radius, *radius, *length))
        }
        Shape::Capsule { radius, half } => {
            let capsule = Mesh::turned(&capsule(*radius, *half, meshes.sectors), meshes.sectors);
            meshes.part(capsule, DVec3::ONE)
        }
        Shape::Hull(hull) => {
            let faces = 0..hull.faces().len();
            let triangles: Vec<_> = faces.flat_map(|face| hull.fan(face)).collect();
            meshes.part(Mesh::new(hull.vertices(), &triangles), DVec3::ONE)
        }
        Shape::Points { points, radius } => feet(points, *radius, meshes),
        Shape::Compound(compound) => {
            let mut parts = Vec::new();
            for piece in compound.pieces() {
                if let Look::Solid(inner) = look_of(&piece.shape, meshes) {
                    parts.extend(inner.into_iter().map(|part| Part {
                        pose: piece.pose.then(&part.pose),
                        ..part
                    }));
                }
            }
            Look::Solid(parts)
        }
        Shape::Mesh(mesh) => {
            let triangles: Vec<_> = (mesh.triangles().iter())
                .map(|t| t.map(|k| k as usize))
                .collect();
            meshes.part(Mesh::new(mesh.vertices(), &triangles), DVec3::ONE)
        }
        Shape::Triangle(facet) => meshes.part(Mesh::new(&facet.points(), &[[0, 1, 2]]), DVec3::ONE),
    }
}

/// Profile of a capsule: two quarters of a circle, from the lowest point to the highest.
fn capsule(radius: f64, half: f64, sectors: usize) -> Vec<(f64, f64)> {
    let rings = (sectors / 4).max(2);
    let quarter = |k: usize| {
        let (sin, cos) = libm::sincos(FRAC_PI_2 * k as f64 / rings as f64);
        (radius * sin, half + radius * cos)
    };
    let lower = (0..=rings).map(|k| {
        let (r, z) = quarter(k);
        (r, -z)
    });
    lower.chain((0..=rings).rev().map(quarter)).collect()
}

/// Points have no size: each is a small ball, held by a thin rod from the body's origin.
fn feet(points: &[DVec3], radius: f64, meshes: &mut Meshes) -> Look {
    let size = if radius > 0.0 {
        0.06 * radius
    } else {
        SMALLEST
    };
    let ball = Mesh::ball(meshes.sectors);
    let ball = meshes.number_of(ball);
    let rod = meshes.number_of(Mesh::turned(
        &[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)],
        8,
    ));
    let mut parts = Vec::new();
    for &point in points {
        parts.push(Part {
            mesh: ball,
            scale: DVec3::splat(size),
            pose: Pose::at(point),
        });
        if let Some(direction) = point.try_normalize() {
            let thin = 0.3 * size;
            parts.push(Part {
                mesh: rod,
                scale: DVec3::new(thin, thin, point.length()),
                pose: Pose {
                    position: DVec3::ZERO,
                    orientation: glam::DQuat::from_rotation_arc(DVec3::Z, direction),
                },
            });
        }
    }
    Look::Solid(parts)
}
