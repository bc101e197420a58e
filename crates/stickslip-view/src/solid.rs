//! From a shape to what is seen of it. A new shape is one arm here.

use crate::mesh::Mesh;
use glam::DVec3;
use stickslip_geometry::{Pose, Shape};

/// Radius at which something without size is drawn, m.
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
        Shape::Points { points, radius } => feet(points, *radius, meshes),
    }
}

/// Points have no size: each is a small ball, held by a thin rod from the body's origin.
fn feet(points: &[DVec3], radius: f64, meshes: &mut Meshes) -> Look {
    let size = (0.06 * radius).max(SMALLEST);
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
