//! Which edges of two boxes are seen opposite each other.
//!
//! The arc of normals of an edge runs between those of its two faces: ± two columns of the box's turn. Seen from b, with c_k the columns
//! of a, an edge of a along α between the faces s₀c_L, s₁c_H and one of b along β between σ₀e_l, σ₁e_h have
//!
//! ```text
//!   u, v = −σ₀ s₀s₁ X_l, −σ₁ s₀s₁ X_h      X = c_H × c_L
//!   s, t = ± s₀ σ₀σ₁ c_L,β , ± s₁ σ₀σ₁ c_H,β
//! ```
//!
//! in the tests of [`super::directions`] (arcs cross where u v < 0, s t < 0 and u t > 0). Signs are exact in floating-point numbers, so nine
//! products of two numbers each tell of all 144 pairs what the tests would, to the last bit.

use glam::{DMat3, DVec3};

/// The axes across an axis, the lower first: the faces at an edge along it.
const ACROSS: [(usize, usize); 3] = [(1, 2), (0, 2), (0, 1)];

/// e_h × e_l along β is ± e_β.
const HANDED: [f64; 3] = [-1.0, 1.0, -1.0];

const fn sign(upper: bool) -> f64 {
    if upper { 1.0 } else { -1.0 }
}

/// Calls `visit` with the numbers of each edge of a and the edge of b that it is seen opposite to, in order; `turn` takes a's frame to
/// b's.
pub(crate) fn opposite_edges(turn: &DMat3, mut visit: impl FnMut(usize, usize)) {
    let columns = [turn.x_axis, turn.y_axis, turn.z_axis];
    for (along, (low, high)) in ACROSS.into_iter().enumerate() {
        let (c_low, c_high) = (columns[low], columns[high]);
        let x = c_high.cross(c_low);
        for place in 0..4 {
            let (s0, s1) = (sign(place & 1 == 1), sign(place & 2 == 2));
            let signs = [s0, s1];
            for beta in 0..3 {
                if let Some(other) = opposite(x, [c_low, c_high], signs, beta) {
                    visit(4 * along + place, 4 * beta + other);
                }
            }
        }
    }
}

/// The edge of b along β, of four, that is opposite an edge of a.
fn opposite(
    x: DVec3,
    [c_low, c_high]: [DVec3; 2],
    [s0, s1]: [f64; 2],
    beta: usize,
) -> Option<usize> {
    let (low, high) = ACROSS[beta];
    // s t < 0.
    let (s, t) = (s0 * c_low[beta], s1 * c_high[beta]);
    if s * t >= 0.0 || (s * t).is_nan() {
        return None;
    }
    // u v < 0: σ₀σ₁ is the opposite of this product's sign.
    let product = x[low] * x[high];
    if product == 0.0 || product.is_nan() {
        return None;
    }
    // u t > 0, with t = s₁σ₀σ₁ HANDED c_H,β: −σ₁ s₀ HANDED X_l c_H,β > 0.
    let across = x[low] * c_high[beta];
    if across == 0.0 {
        return None;
    }
    let upper_high = -s0 * HANDED[beta] * across > 0.0;
    // σ₀ is opposite to σ₁ where the product is positive.
    let upper_low = upper_high == (product < 0.0);
    Some(usize::from(upper_low) | usize::from(upper_high) << 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placed::Placed;
    use crate::pose::{Pose, exp};
    use crate::shape::Shape;
    use stickslip_testing::Random;

    /// The tests of all 144 pairs, as they are for any two polyhedra.
    fn by_arcs(turn: &DMat3, box_: &Placed) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for i in 0..12 {
            let [a0, a1] = box_.arc(i).expect("an edge").map(|n| *turn * n);
            let cross_a = a1.cross(a0);
            for j in 0..12 {
                let [b0, b1] = box_.arc(j).expect("an edge").map(|n| -n);
                let (u, v) = (b0.dot(cross_a), b1.dot(cross_a));
                if u * v >= 0.0 {
                    continue;
                }
                let cross_b = b1.cross(b0);
                let (s, t) = (a0.dot(cross_b), a1.dot(cross_b));
                if s * t >= 0.0 || u * t <= 0.0 {
                    continue;
                }
                found.push((i, j));
            }
        }
        found
    }

    #[test]
    fn the_pairs_are_those_that_all_arcs_tell() {
        let mut random = Random::new(11);
        let cube = Shape::cuboid(DVec3::ONE).expect("a box");
        let placed = Placed::new(&cube, &Pose::IDENTITY, DVec3::ZERO);
        let (mut pairs, mut aligned) = (0, 0);
        for k in 0..30_000 {
            // Anywhere; turned a little or hardly at all about one or all axes; and right angles, to rounding.
            let size = if k % 3 == 0 {
                3.0
            } else {
                random.decade(-18.0, 0.0)
            };
            let about = if k % 5 == 0 { DVec3::Z } else { random.vec3() };
            let right = exp(DVec3::AXES[k % 3] * (std::f64::consts::FRAC_PI_2 * (k % 4) as f64));
            let pose = |q| Pose {
                position: DVec3::ZERO,
                orientation: q,
            };
            let a = pose(right * exp(about * size)).rotation();
            let b = pose(exp(random.vec3() * if k % 2 == 0 { 0.0 } else { 2.0 })).rotation();
            let turn = b.transpose() * (b * a);
            let mut found = Vec::new();
            opposite_edges(&turn, |i, j| found.push((i, j)));
            assert_eq!(found, by_arcs(&turn, &placed), "{turn:?}");
            pairs += found.len();
            aligned += usize::from(found.is_empty());
        }
        assert!(pairs > 100_000 && aligned > 100, "{pairs} {aligned}");
    }
}
