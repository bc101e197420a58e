//! Elimination in dense rows of known length.

use crate::engines::dense_island::{LANES, PaddedRow};

/// x − l y.
#[inline(always)]
fn subtract(mut x: [f64; LANES], l: f64, y: &[f64; LANES]) -> [f64; LANES] {
    for j in 0..LANES {
        x[j] -= l * y[j];
    }
    x
}

/// Solves the n×n system whose right-hand side is in column n, in place, rows in their order: the regularised D of contacts
/// that stick is positive definite, and rows that slide have w̄ on their diagonal. False where a pivot is not larger than
/// what is `trusted` for its contact.
#[inline(always)]
pub(super) fn eliminate<const V: usize>(system: &mut [PaddedRow<V>], trusted: &[f64]) -> bool {
    let n = 3 * trusted.len();
    let a = &mut system[..n];
    let mut inverses = [[0.0; LANES]; V];
    // As many columns at once as a register holds.
    for (panel, inverses) in inverses.iter_mut().enumerate() {
        let first = LANES * panel;
        if first >= n {
            break;
        }
        let (above, below) = a.split_at_mut((first + LANES).min(n));
        let own = &mut above[first..];
        for k in 0..own.len() {
            let pivot = own[k][panel][k];
            if pivot.abs() <= trusted[(first + k) / 3] {
                return false;
            }
            inverses[k] = 1.0 / pivot;
            let (row, others) = own[k..].split_at_mut(1);
            for other in others {
                let l = other[panel][k] * inverses[k];
                for v in panel..V {
                    other[v] = subtract(other[v], l, &row[0][v]);
                }
            }
        }
        let [r0, r1, r2, r3] = own else { break };
        eliminate_below(panel, [r0, r1, r2, r3], inverses, below);
    }
    for k in (0..n).rev() {
        let (above, row) = a.split_at_mut(k);
        let x = row[0].as_flattened()[n] * inverses.as_flattened()[k];
        row[0].as_flattened_mut()[n] = x;
        for other in above {
            let other = other.as_flattened_mut();
            other[n] -= other[k] * x;
        }
    }
    true
}

/// Takes the four columns of a panel out of the rows below, which are read and written once for all of them.
#[inline(always)]
fn eliminate_below<const V: usize>(
    panel: usize,
    [r0, r1, r2, r3]: [&PaddedRow<V>; LANES],
    inverses: &[f64; LANES],
    below: &mut [PaddedRow<V>],
) {
    for other in below {
        let c = other[panel];
        let l0 = c[0] * inverses[0];
        let l1 = (c[1] - l0 * r0[panel][1]) * inverses[1];
        let l2 = (c[2] - l0 * r0[panel][2] - l1 * r1[panel][2]) * inverses[2];
        let l3 = c[3] - l0 * r0[panel][3] - l1 * r1[panel][3] - l2 * r2[panel][3];
        let l3 = l3 * inverses[3];
        for v in panel + 1..V {
            let x = subtract(other[v], l0, &r0[v]);
            let x = subtract(x, l1, &r1[v]);
            let x = subtract(x, l2, &r2[v]);
            other[v] = subtract(x, l3, &r3[v]);
        }
    }
}

/// The same with exchange of rows.
pub(super) fn eliminate_with_exchange<const V: usize>(a: &mut [PaddedRow<V>], n: usize) -> bool {
    for k in 0..n {
        let size = |r: usize| a[r].as_flattened()[k].abs();
        let pivot = (k + 1..n).fold(k, |best, r| if size(r) > size(best) { r } else { best });
        if size(pivot) == 0.0 {
            return false;
        }
        a.swap(k, pivot);
        let (above, below) = a.split_at_mut(k + 1);
        let row = above[k];
        let inverse = 1.0 / row.as_flattened()[k];
        for other in &mut below[..n - k - 1] {
            let l = other.as_flattened()[k] * inverse;
            for (x, y) in other.iter_mut().flatten().zip(row.as_flattened()) {
                *x -= l * y;
            }
        }
    }
    for k in (0..n).rev() {
        let (above, row) = a.split_at_mut(k);
        let row = row[0].as_flattened_mut();
        let x = row[n] / row[k];
        row[n] = x;
        for other in above {
            let other = other.as_flattened_mut();
            other[n] -= other[k] * x;
        }
    }
    true
}
