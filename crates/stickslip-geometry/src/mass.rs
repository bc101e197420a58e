//! Mass and inertia of solid shapes of uniform density.

use crate::shape::Shape;
use glam::{DMat3, DVec3};

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
            Shape::Ball { radius } => DVec3::splat(0.4 * mass * radius * radius),
            Shape::Box { half } => {
                let s = *half * *half; // (edge/2)² each
                DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 3.0)
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

/// Volume, m³; `None` for a half-space and for points.
#[must_use]
pub fn volume(shape: &Shape) -> Option<f64> {
    match shape {
        Shape::HalfSpace { .. } | Shape::Points { .. } => None,
        Shape::Ball { radius } => Some(4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius),
        Shape::Box { half } => Some(8.0 * half.x * half.y * half.z),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
