//! The max-gap contact: a vertex against a convex piece, with at most one impulse for the piece.
//!
//! Outside a convex piece with faces 1 … n a vertex has max(ψ₁ … ψ_n) ≥ 0, not every ψ_k ≥ 0. With the normal
//! impulse p along a chosen face u,
//!
//!   0 ≤ max(ψ₁ … ψ_n) ⟂ p ≥ 0                                            (21)
//!
//! and, since b = max(a, 0) is 0 ≤ b − a ⟂ b ≥ 0, by a chain of complementarities (Nguyen & Trinkle, dvc3D,
//! eqs 17-21)
//!
//!   0 ≤ c_k − ψ_k + c_{k−1} + … + c_2 + ψ₁ ⟂ c_k ≥ 0,   k = 2 … n          (20)
//!   0 ≤ c_n + … + c_2 + ψ₁ ⟂ p ≥ 0
//!
//! which has n conditions, as many as n plain contacts. At a sharp corner it has up to three answers, also where
//! nothing would penetrate; the face is not chosen by it. Both gaps are settled by [`face`]: no impulse where
//! the whole way stays outside, else the face that the vertex is in front of and breaks least.
//!
//! The step of rigid bodies follows the same rule pair by pair of pieces, with friction: see the contacts of
//! `stickslip-dynamics`.

use crate::factor::sparse::SparseMatrix;
use crate::lcp::Lcp;

/// The LCP (20)-(21) in z = (c_2 … c_n, p): `gaps` are ψ_k without the impulse, m, and `response` ∂ψ_k/∂p for
/// the impulse along the chosen face, m/(N s).
///
/// # Panics
/// Where the two have different lengths, or there is no face.
#[must_use]
pub fn chain(gaps: &[f64], response: &[f64]) -> Lcp {
    let n = gaps.len();
    assert!(n > 0 && n == response.len(), "one response for each face");
    let mut m = vec![0.0; n * n];
    let mut q = vec![0.0; n];
    for row in 0..n - 1 {
        let k = row + 1;
        m[row * n..=row * n + row].fill(1.0);
        m[row * n + n - 1] = response[0] - response[k];
        q[row] = gaps[0] - gaps[k];
    }
    m[(n - 1) * n..n * n - 1].fill(1.0);
    m[n * n - 1] = response[0];
    q[n - 1] = gaps[0];
    Lcp {
        m: SparseMatrix::from_dense(n, n, &m),
        q,
    }
}

/// The LCP of plain contacts, all faces at once: 0 ≤ p ⟂ ψ + (∂ψ/∂p) p ≥ 0, `response` row-major.
#[must_use]
pub fn conjunction(gaps: &[f64], response: &[f64]) -> Lcp {
    Lcp {
        m: SparseMatrix::from_dense(gaps.len(), gaps.len(), response),
        q: gaps.to_vec(),
    }
}

/// Which face pushes, if any, for a vertex whose gaps go linearly from `start` to `end` without the contact.
///
/// None where the vertex stays outside the piece on its whole way, not only at its end. Else, of the faces in
/// front of which it starts, the one with the largest gap at the end: the impulse along it is least, and the way
/// that it leads to is in front of it throughout, so that no vertex passes through a piece. A vertex that starts
/// inside leaves by the face of least depth.
#[must_use]
pub fn face(start: &[f64], end: &[f64]) -> Option<usize> {
    // Inside between `enter` and `leave`: where all gaps are negative at once.
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for (&a, &b) in start.iter().zip(end) {
        if a >= 0.0 && b >= 0.0 {
            return None;
        } else if a >= 0.0 {
            enter = enter.max(a / (a - b));
        } else if b >= 0.0 {
            leave = leave.min(a / (a - b));
        }
    }
    if enter >= leave {
        return None;
    }
    let deepest = start.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (0..start.len())
        .filter(|&k| start[k] >= deepest.min(0.0))
        .reduce(|best, k| if end[k] > end[best] { k } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcp::enumerate::all_solutions;
    use crate::random::Random;

    /// Lemmas 4.1 and 4.2: the one answer of each scalar problem.
    #[test]
    fn max_and_min_as_complementarity() {
        let mut random = Random::new(1);
        for _ in 0..1000 {
            let a = random.signed();
            for (q, want) in [(-a, a.max(0.0)), (a, a.min(0.0).abs())] {
                let lcp = conjunction(&[q], &[1.0]);
                let found = all_solutions(&lcp, 1e-14).unwrap();
                assert_eq!(found.len(), 1);
                assert!((found[0][0] - want).abs() < 1e-15);
            }
        }
    }

    /// The chain with 1 … 8 faces, against max(ψ) itself: every answer obeys (21), and every root of
    /// max ψ(p) = 0, and p = 0 where it is feasible, is among them.
    #[test]
    fn the_chain_is_the_largest_gap() {
        let mut random = Random::new(7);
        let mut several = 0;
        for trial in 0..2000 {
            let n = 1 + trial % 8;
            let gaps: Vec<f64> = (0..n).map(|_| random.signed()).collect();
            let response: Vec<f64> = (0..n)
                .map(|k| if k == 0 { 1.0 } else { random.signed() })
                .collect();
            let largest = |p: f64| {
                let each = gaps.iter().zip(&response).map(|(g, r)| g + r * p);
                each.fold(f64::NEG_INFINITY, f64::max)
            };
            let mut want: Vec<f64> = (0..n)
                .map(|k| -gaps[k] / response[k])
                .filter(|&p| p > 0.0 && largest(p).abs() < 1e-12 * (1.0 + p))
                .collect();
            if largest(0.0) >= 0.0 {
                want.push(0.0);
            }
            want.sort_by(f64::total_cmp);
            let lcp = chain(&gaps, &response);
            assert_eq!(lcp.q.len(), n, "as many conditions as faces");
            let mut found: Vec<f64> = all_solutions(&lcp, 1e-12)
                .unwrap()
                .iter()
                .map(|z| z[n - 1])
                .collect();
            found.sort_by(f64::total_cmp);
            found.dedup_by(|a, b| (*a - *b).abs() < 1e-9 * (1.0 + a.abs()));
            assert_eq!(found.len(), want.len(), "{gaps:?} {response:?}");
            for (f, w) in found.iter().zip(&want) {
                assert!((f - w).abs() < 1e-9 * (1.0 + w), "{found:?} {want:?}");
            }
            several += usize::from(want.len() > 1);
        }
        assert!(several > 20, "{several} with several answers");
    }

    #[test]
    fn a_fast_vertex_does_not_pass_through() {
        // A plate between z = 0 and −1: from above to below within one step.
        assert_eq!(face(&[0.5, -1.5], &[-3.0, 2.0]), Some(0));
        // Past it, and never in it.
        assert_eq!(face(&[0.5, -1.5, 0.1], &[-3.0, 2.0, 0.2]), None);
        // In front of two faces: the one broken less.
        assert_eq!(face(&[0.5, 0.1], &[-0.2, -0.3]), Some(0));
        // From inside.
        assert_eq!(face(&[-0.5, -0.1], &[-0.4, -0.2]), Some(1));
    }
}
