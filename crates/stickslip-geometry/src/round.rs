//! Signed distances from a point to bodies of revolution about z, in the half-plane (ρ, z): exact outside, and
//! inside the depth below the nearest face or side.

use crate::shape::across;
use glam::{DVec2, DVec3};

/// To the cylinder ρ ≤ radius, |z| ≤ half.
pub(crate) fn to_cylinder(p: DVec3, radius: f64, half: f64) -> f64 {
    let excess = DVec2::new(across(p) - radius, p.z.abs() - half);
    excess.max(DVec2::ZERO).length() + excess.max_element().min(0.0)
}

/// To the cone with its base at z = −length/4 and its apex at z = 3 length/4.
pub(crate) fn to_cone(p: DVec3, radius: f64, length: f64) -> f64 {
    let p = DVec2::new(across(p), p.z);
    let (rim, apex) = (
        DVec2::new(radius, -0.25 * length),
        DVec2::new(0.0, 0.75 * length),
    );
    let side = apex - rim;
    let normal = DVec2::new(side.y, -side.x) / side.length();
    let (below, beyond) = (rim.y - p.y, normal.dot(p - rim));
    if below <= 0.0 && beyond <= 0.0 {
        return below.max(beyond);
    }
    // Outside: the nearest point of the base or of the side.
    let base = (p - DVec2::new(p.x.min(radius), rim.y)).length();
    let s = ((p - rim).dot(side) / side.length_squared()).clamp(0.0, 1.0);
    let slant = (p - rim - side * s).length();
    base.min(slant)
}
