//! Mass and inertia of solid shapes of uniform density.

use crate::compound::Piece;
use crate::mesh::{Mesh, volume_integrals};
use crate::pose::Pose;
use crate::shape::Shape;
use glam::{DMat3, DVec3};
use std::f64::consts::PI;
use std::sync::Arc;

/// Mass and inertia about the centre of mass, in the body frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// m, kg.
    pub mass: f64,
    /// I, kg m², symmetric positive definite.
    pub inertia: DMat3,
}

impl MassProperties {
    /// Of a solid `shape` of the given mass; of points with equal shares of it. `None` for a half-space, and for
    /// points whose centre is not the origin: they do not tell where the mass is.
    #[must_use]
    pub fn with_mass(shape: &Shape, mass: f64) -> Option<Self> {
        let diagonal = match shape {
            Shape::Points { points, .. } => return of_points(points, mass),
            Shape::HalfSpace { .. } => return None,
            Shape::Compound(c) => return of_pieces(c.pieces(), mass),
            Shape::Mesh(mesh) => return of_mesh(mesh, mass),
            Shape::Triangle(_) => return None,
            Shape::Ball { radius } => DVec3::splat(0.4 * mass * radius * radius),
            Shape::Box { half } => {
                let s = *half * *half; // (edge/2)² each
                DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 3.0)
            }
            Shape::Cylinder { radius, half } => {
                let (r2, l2) = (radius * radius, 4.0 * half * half);
                about_z(mass * (r2 / 4.0 + l2 / 12.0), 0.5 * mass * r2)
            }
            Shape::Cone { radius, length } => {
                let (r2, l2) = (radius * radius, length * length);
                about_z(mass * (0.15 * r2 + 0.0375 * l2), 0.3 * mass * r2)
            }
            Shape::Capsule { radius, half } => capsule(*radius, 2.0 * half, mass),
            Shape::Hull(hull) => {
                return Some(Self {
                    mass,
                    inertia: hull.inertia() * (mass / hull.volume()),
                });
            }
        };
        Some(Self {
            mass,
            inertia: DMat3::from_diagonal(diagonal),
        })
    }

    /// Of a solid `shape` of the given density, kg/m³; `None` for a shape without a volume.
    #[must_use]
    pub fn with_density(shape: &Shape, density: f64) -> Option<Self> {
        Self::with_mass(shape, density * volume(shape)?)
    }
}

/// Of pieces of equal density and the given mass in all, about their common centre of mass.
fn of_pieces(pieces: &[Piece], mass: f64) -> Option<MassProperties> {
    let (total, centre) = volume_and_centre(pieces)?;
    let mut inertia = DMat3::ZERO;
    for piece in pieces {
        let own = MassProperties::with_mass(&piece.shape, mass * volume(&piece.shape)? / total)?;
        let turn = piece.pose.rotation();
        inertia += turn * own.inertia * turn.transpose();
        // Steiner: m(r² 1 − r rᵀ).
        let r = piece.pose.to_world(centre_of_mass(&piece.shape)?) - centre;
        let dyad = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
        inertia += (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - dyad) * own.mass;
    }
    Some(MassProperties { mass, inertia })
}

/// Σ m_i (|p|² 1 − p pᵀ) with equal masses; zero for a particle.
fn of_points(points: &[DVec3], mass: f64) -> Option<MassProperties> {
    let radius = points.iter().map(|p| p.length()).fold(0.0, f64::max);
    let centre = points.iter().sum::<DVec3>() / points.len() as f64;
    if centre.length() > 1e-12 * radius {
        return None;
    }
    let share = mass / points.len() as f64;
    let mut inertia = DMat3::ZERO;
    for p in points {
        let square = DMat3::from_cols(*p * p.x, *p * p.y, *p * p.z);
        inertia += (DMat3::from_diagonal(DVec3::splat(p.length_squared())) - square) * share;
    }
    Some(MassProperties { mass, inertia })
}

/// Volume of all pieces, overlaps counted twice, m³, and their centre, m.
fn volume_and_centre(pieces: &[Piece]) -> Option<(f64, DVec3)> {
    let (mut total, mut moment) = (0.0, DVec3::ZERO);
    for piece in pieces {
        let v = volume(&piece.shape)?;
        total += v;
        moment += piece.pose.to_world(centre_of_mass(&piece.shape)?) * v;
    }
    Some((total, moment / total))
}

/// Centre of mass of a solid of uniform density, m, in the shape's own frame; `None` without a volume.
#[must_use]
pub fn centre_of_mass(shape: &Shape) -> Option<DVec3> {
    match shape {
        Shape::HalfSpace { .. } | Shape::Points { .. } | Shape::Triangle(_) => None,
        Shape::Mesh(mesh) => integrals(mesh).map(|(volume, first, _)| first / volume),
        Shape::Hull(hull) => Some(hull.centroid()),
        Shape::Ball { .. }
        | Shape::Box { .. }
        | Shape::Cylinder { .. }
        | Shape::Cone { .. }
        | Shape::Capsule { .. } => Some(DVec3::ZERO),
        Shape::Compound(c) => volume_and_centre(c.pieces()).map(|(_, centre)| centre),
    }
}

/// The shape in the frame whose origin is its centre of mass. One that is centred to rounding, or has no
/// volume, stays as it is.
#[must_use]
pub fn centred(shape: &Shape) -> Shape {
    let Some(centre) = centre_of_mass(shape) else {
        return shape.clone();
    };
    if centre.length() <= 16.0 * f64::EPSILON * shape.radius() {
        return shape.clone();
    }
    let back = Pose::at(-centre);
    match shape {
        Shape::Hull(hull) => Shape::Hull(Arc::new(hull.centred().0)),
        Shape::Compound(c) => Shape::compound(c.placed(&back)).unwrap_or_else(|_| shape.clone()),
        Shape::Mesh(mesh) => Shape::Mesh(Arc::new(mesh.shifted(-centre))),
        _ => shape.clone(),
    }
}

/// The shape in a frame shifted so that all of it moves by `shift`.
#[must_use]
pub fn shifted(shape: &Shape, shift: DVec3) -> Shape {
    if shift == DVec3::ZERO {
        return shape.clone();
    }
    let pose = Pose::at(shift);
    let moved = match shape {
        Shape::Mesh(mesh) => return Shape::Mesh(Arc::new(mesh.shifted(shift))),
        Shape::Points { points, .. } => Shape::points(points.iter().map(|p| *p + shift).collect()),
        Shape::Compound(c) => Shape::compound(c.placed(&pose)),
        Shape::HalfSpace { normal, offset } => {
            Shape::half_space(*normal, offset + normal.dot(shift))
        }
        one => Shape::compound([Piece {
            shape: one.clone(),
            pose,
        }]),
    };
    moved.unwrap_or_else(|_| shape.clone())
}

/// Volume, first and second moments of the inside of a closed mesh.
fn integrals(mesh: &Mesh) -> Option<(f64, DVec3, DMat3)> {
    let found = volume_integrals(mesh.vertices(), mesh.triangles());
    (mesh.open_edges() == 0 && found.0 > 0.0).then_some(found)
}

/// Of the inside of a closed mesh, about its centre of mass.
fn of_mesh(mesh: &Mesh, mass: f64) -> Option<MassProperties> {
    let (volume, first, second) = integrals(mesh)?;
    let c = first / volume;
    // Σ = ∫ (x − c)(x − c)ᵀ dV; I = ρ (tr Σ 1 − Σ).
    let sigma = second - DMat3::from_cols(first * c.x, first * c.y, first * c.z);
    let trace = sigma.x_axis.x + sigma.y_axis.y + sigma.z_axis.z;
    let inertia = (DMat3::from_diagonal(DVec3::splat(trace)) - sigma) * (mass / volume);
    // Symmetric to the last bit.
    let inertia = (inertia + inertia.transpose()) * 0.5;
    Some(MassProperties { mass, inertia })
}

/// Volume, m³; `None` for a half-space, points, and a surface that is not closed.
#[must_use]
pub fn volume(shape: &Shape) -> Option<f64> {
    match shape {
        Shape::HalfSpace { .. } | Shape::Points { .. } | Shape::Triangle(_) => None,
        Shape::Mesh(mesh) => integrals(mesh).map(|found| found.0),
        Shape::Compound(c) => volume_and_centre(c.pieces()).map(|(volume, _)| volume),
        Shape::Ball { radius } => Some(4.0 / 3.0 * PI * radius * radius * radius),
        Shape::Box { half } => Some(8.0 * half.x * half.y * half.z),
        Shape::Cylinder { radius, half } => Some(2.0 * PI * radius * radius * half),
        Shape::Cone { radius, length } => Some(PI / 3.0 * radius * radius * length),
        Shape::Capsule { radius, half } => {
            Some(PI * radius * radius * (2.0 * half + 4.0 / 3.0 * radius))
        }
        Shape::Hull(hull) => Some(hull.volume()),
    }
}

/// Principal moments of a body of revolution about z.
fn about_z(transverse: f64, axial: f64) -> DVec3 {
    DVec3::new(transverse, transverse, axial)
}

/// A cylinder of length l and two half balls, in proportion to their volumes πr²l and 4πr³/3. A half ball's
/// centre of mass is 3r/8 from its flat side, and its moment about that side's centre is 2mr²/5.
fn capsule(r: f64, l: f64, mass: f64) -> DVec3 {
    let share = l / (l + 4.0 / 3.0 * r);
    let (cylinder, balls) = (mass * share, mass * (1.0 - share));
    let axial = 0.5 * cylinder * r * r + 0.4 * balls * r * r;
    let transverse = cylinder * (r * r / 4.0 + l * l / 12.0)
        + balls * (0.4 * r * r + 0.25 * l * l + 0.375 * r * l);
    about_z(transverse, axial)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_cut_into_eight_weighs_as_the_whole() {
        let size = DVec3::new(0.6, 0.4, 0.2);
        let small = Shape::cuboid(size * 0.5).unwrap();
        let off = DVec3::new(1.0, -2.0, 0.3);
        let cut = Shape::compound((0..8).map(|k| Piece {
            shape: small.clone(),
            pose: Pose::at(off + crate::shape::corner(size * 0.25, k)),
        }))
        .unwrap();
        let whole = MassProperties::with_mass(&Shape::cuboid(size).unwrap(), 3.0).unwrap();
        let sum = MassProperties::with_mass(&cut, 3.0).unwrap();
        assert!((sum.inertia - whole.inertia).abs_diff_eq(DMat3::ZERO, 1e-15));
        assert!((centre_of_mass(&cut).unwrap() - off).length() < 1e-15);
        assert!((volume(&cut).unwrap() - size.x * size.y * size.z).abs() < 1e-16);
        assert!(centre_of_mass(&centred(&cut)).unwrap().length() < 1e-15);
    }

    #[test]
    fn box_and_ball_against_the_textbook() {
        let cube = Shape::cuboid(DVec3::new(2.0, 3.0, 4.0)).unwrap();
        let m = MassProperties::with_density(&cube, 0.5).unwrap();
        assert_eq!(m.mass, 12.0);
        let want = DVec3::new(9.0 + 16.0, 16.0 + 4.0, 4.0 + 9.0);
        assert!((m.inertia.to_cols_array_2d()[0][0] - want.x).abs() < 1e-14);
        assert!((m.inertia.to_cols_array_2d()[1][1] - want.y).abs() < 1e-14);
        assert!((m.inertia.to_cols_array_2d()[2][2] - want.z).abs() < 1e-14);
        let ball = Shape::ball(0.1).unwrap();
        let m = MassProperties::with_mass(&ball, 2.0).unwrap();
        assert!((m.inertia.x_axis.x - 0.4 * 2.0 * 0.01).abs() < 1e-17);
        assert!(
            MassProperties::with_mass(&Shape::half_space(DVec3::Z, 0.0).unwrap(), 1.0).is_none()
        );
    }

    /// ∫ over the shape of 1, z and the moments, by slices across z (Simpson's rule with many slices), against
    /// the closed forms.
    #[test]
    fn bodies_of_revolution_against_quadrature() {
        let shapes = [
            Shape::cylinder(0.3, 0.8).unwrap(),
            Shape::cone(0.3, 0.8).unwrap(),
            Shape::capsule(0.3, 0.8).unwrap(),
        ];
        for shape in shapes {
            let [low, high] = [-DVec3::Z, DVec3::Z].map(|d| shape.reach(d));
            // Radius² of the slice at z, from the distance function's zero along x.
            let slice = |z: f64| match shape {
                Shape::Cylinder { radius, .. } => radius * radius,
                Shape::Cone { radius, length } => {
                    let s = 1.0 - (z + 0.25 * length) / length;
                    radius * radius * s * s
                }
                Shape::Capsule { radius, half } => {
                    let over = (z.abs() - half).max(0.0);
                    radius * radius - over * over
                }
                _ => 0.0,
            };
            let n = 6000;
            let dz = (high + low) / f64::from(n);
            let mut sums = [0.0; 4];
            for k in 0..=n {
                let z = -low + dz * f64::from(k);
                let weight = if k == 0 || k == n {
                    1.0
                } else {
                    2.0 + 2.0 * f64::from(k % 2)
                };
                let (r2, w) = (slice(z), weight * dz / 3.0 * PI);
                let terms = [r2, r2 * z, 0.5 * r2 * r2, 0.25 * r2 * r2 + r2 * z * z];
                for (sum, term) in sums.iter_mut().zip(terms) {
                    *sum += w * term;
                }
            }
            let m = MassProperties::with_density(&shape, 1.0).unwrap();
            let got = [m.mass, 0.0, m.inertia.z_axis.z, m.inertia.x_axis.x];
            for (got, want) in got.into_iter().zip(sums) {
                assert!(
                    (got - want).abs() < 1e-8 * m.mass,
                    "{shape:?}: {got} {want}"
                );
            }
        }
    }

    #[test]
    fn the_hull_of_a_boxs_corners_weighs_as_the_box() {
        let half = DVec3::new(0.3, 0.5, 0.2);
        let corners: Vec<DVec3> = (0..8).map(|k| crate::shape::corner(half, k)).collect();
        let hull = Shape::hull(&corners).unwrap();
        let cuboid = Shape::cuboid(half * 2.0).unwrap();
        let (a, b) = (
            MassProperties::with_density(&hull, 7.0).unwrap(),
            MassProperties::with_density(&cuboid, 7.0).unwrap(),
        );
        assert!((a.mass - b.mass).abs() < 1e-14);
        assert!((a.inertia - b.inertia).abs_diff_eq(DMat3::ZERO, 1e-15));
    }
}
