//! Volume, centre and second moments of a closed surface.

use glam::{DMat3, DVec3};

/// ∫ dV, ∫ x dV and ∫ x xᵀ dV over the inside of a closed surface, m³, m⁴, m⁵: the sum over the tetrahedra of each
/// triangle with the first vertex, each exact, with its sign. Outward normals give a positive volume.
pub(crate) fn volume_integrals(vertices: &[DVec3], triangles: &[[u32; 3]]) -> (f64, DVec3, DMat3) {
    let Some(&origin) = vertices.first() else {
        return (0.0, DVec3::ZERO, DMat3::ZERO);
    };
    let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for t in triangles {
        let [a, b, c] = t.map(|v| vertices[v as usize] - origin);
        let v = a.dot(b.cross(c)) / 6.0;
        volume += v;
        let sum = a + b + c;
        first += sum * (v / 4.0);
        // ∫ x xᵀ over (0, a, b, c) = V/20 (Σ p pᵀ + (Σ p)(Σ p)ᵀ).
        second += (dyad(a) + dyad(b) + dyad(c) + dyad(sum)) * (v / 20.0);
    }
    // About the mesh's own origin again.
    let shift = |x: DVec3, y: DVec3| DMat3::from_cols(x * y.x, x * y.y, x * y.z);
    let moved = second + shift(first, origin) + shift(origin, first) + dyad(origin) * volume;
    (volume, first + origin * volume, moved)
}

fn dyad(p: DVec3) -> DMat3 {
    DMat3::from_cols(p * p.x, p * p.y, p * p.z)
}
