//! Classes of matrices that decide what can be said about an LCP, tested for tiny ones.
//!
//! | class | x with xᵀM x ≥ 0 | Lemke's method |
//! |---|---|---|
//! | positive semidefinite | every | solves, or its ray proves that no z ≥ 0 has w ≥ 0 |
//! | copositive | every x ≥ 0 | solves where zᵀM z = 0, M z ≥ 0, z ≥ 0 imply qᵀz ≥ 0; else it may end on a ray |

use crate::factor::dense::DenseLu;
use crate::factor::sparse::SparseMatrix;
use crate::lcp::enumerate::LARGEST;

/// (M + Mᵀ)/2, row-major, and the size of its entries.
fn symmetric_part(m: &SparseMatrix) -> Result<(usize, Vec<f64>, f64), String> {
    let n = m.n_rows();
    if m.n_cols() != n || n > LARGEST {
        return Err(format!(
            "{n} x {}; expected a square matrix of at most {LARGEST} rows",
            m.n_cols()
        ));
    }
    let mut s = vec![0.0; n * n];
    for (i, j, v) in m.entries() {
        s[i * n + j] += 0.5 * v;
        s[j * n + i] += 0.5 * v;
    }
    let size = s.iter().fold(0.0f64, |top, v| v.abs().max(top));
    Ok((n, s, size))
}

/// Whether xᵀM x ≥ 0 for every x, to `tolerance` times the largest entry: elimination with the largest diagonal first.
///
/// # Errors
/// A matrix that is not square, or has more than [`LARGEST`] rows.
pub fn is_positive_semidefinite(m: &SparseMatrix, tolerance: f64) -> Result<bool, String> {
    let (n, mut s, size) = symmetric_part(m)?;
    let tiny = tolerance * size;
    let mut left: Vec<usize> = (0..n).collect();
    while let Some(at) =
        (0..left.len()).max_by(|&a, &b| s[left[a] * (n + 1)].total_cmp(&s[left[b] * (n + 1)]))
    {
        let k = left.swap_remove(at);
        let pivot = s[k * (n + 1)];
        if pivot <= tiny {
            // Nothing on the diagonal: what is left must vanish, and so must the couplings.
            left.push(k);
            let couplings = left.iter().flat_map(|&i| left.iter().map(move |&j| (i, j)));
            return Ok(couplings
                .into_iter()
                .all(|(i, j)| s[i * n + j].abs() <= tiny));
        }
        for &i in &left {
            for &j in &left {
                s[i * n + j] -= s[i * n + k] * s[k * n + j] / pivot;
            }
        }
    }
    Ok(true)
}

/// Whether xᵀM x ≥ 0 for every x ≥ 0, to `tolerance` times the largest entry.
///
/// The least value on the simplex Σx = 1 is taken inside some face, where S_ss x = λ 1, x > 0, S = (M + Mᵀ)/2, with
/// value λ; where S_ss is singular a smaller face has the same value. All 2ⁿ faces are looked at.
///
/// # Errors
/// A matrix that is not square, or has more than [`LARGEST`] rows.
pub fn is_copositive(m: &SparseMatrix, tolerance: f64) -> Result<bool, String> {
    let (n, s, size) = symmetric_part(m)?;
    let mut lu = DenseLu::default();
    for face in 1u32..1 << n {
        let members: Vec<usize> = (0..n).filter(|k| face >> k & 1 == 1).collect();
        if !lu.factor_part(n, &s, &members) {
            continue;
        }
        let mut x = vec![1.0; members.len()];
        lu.solve(&mut x);
        // x/Σx has the value 1/Σx, negative where every x is.
        let sum: f64 = x.iter().sum();
        if x.iter().all(|&v| v < 0.0) && 1.0 / sum < -tolerance * size {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::{is_copositive, is_positive_semidefinite};
    use crate::factor::sparse::SparseMatrix;
    use crate::random::Random;

    fn classes(n: usize, dense: &[f64]) -> (bool, bool) {
        let m = SparseMatrix::from_dense(n, n, dense);
        (
            is_positive_semidefinite(&m, 1e-12).expect("small"),
            is_copositive(&m, 1e-12).expect("small"),
        )
    }

    #[test]
    fn known_matrices_are_in_their_classes() {
        assert_eq!(classes(2, &[0.0, 1.0, -1.0, 0.0]), (true, true));
        assert_eq!(classes(2, &[0.0, 1.0, 0.0, 0.0]), (false, true));
        assert_eq!(classes(2, &[1.0, -3.0, 0.0, 1.0]), (false, false));
        // Horn's matrix is copositive, but no sum of a semidefinite and a nonnegative one.
        #[rustfmt::skip]
        let mut horn = [
            1.0, -1.0, 1.0, 1.0, -1.0,
            -1.0, 1.0, -1.0, 1.0, 1.0,
            1.0, -1.0, 1.0, -1.0, 1.0,
            1.0, 1.0, -1.0, 1.0, -1.0,
            -1.0, 1.0, 1.0, -1.0, 1.0,
        ];
        assert_eq!(classes(5, &horn), (false, true));
        horn[0] -= 1e-6;
        assert_eq!(classes(5, &horn), (false, false));
    }

    #[test]
    fn the_classes_agree_with_random_vectors() {
        let mut random = Random::new(3);
        let mut seen = [0; 3];
        for _ in 0..400 {
            let n = 2 + random.below(4);
            let mut m: Vec<f64> = (0..n * n).map(|_| random.signed()).collect();
            for i in 0..n {
                m[i * (n + 1)] += 1.5 * random.unit();
            }
            let (semidefinite, copositive) = classes(n, &m);
            assert!(copositive || !semidefinite);
            seen[usize::from(semidefinite) + usize::from(copositive)] += 1;
            for _ in 0..300 {
                let x: Vec<f64> = (0..n).map(|_| random.signed()).collect();
                let form = |x: &[f64]| -> f64 {
                    let row = |i: usize| (0..n).map(|j| m[i * n + j] * x[j]).sum::<f64>();
                    (0..n).map(|i| x[i] * row(i)).sum()
                };
                assert!(!semidefinite || form(&x) >= -1e-9);
                let x: Vec<f64> = x.iter().map(|v| v.abs()).collect();
                assert!(!copositive || form(&x) >= -1e-9);
            }
        }
        assert!(seen.iter().all(|&k| k > 20), "{seen:?}");
    }

    /// N couples σ with β and p_n: zᵀN z = Σ μ p_n σ ≥ 0 for z ≥ 0, of either sign otherwise.
    #[test]
    fn the_coupling_of_friction_pyramids_is_copositive() {
        for (contacts, directions) in [(1, 2), (1, 4), (1, 8), (2, 2), (2, 4)] {
            let block = directions + 2;
            let n = contacts * block;
            for mu in [0.0, 0.3, 10.0, -0.1] {
                let mut dense = vec![0.0; n * n];
                for c in 0..contacts {
                    let (normal, sigma) = (c * block, (c + 1) * block - 1);
                    dense[sigma * n + normal] = mu;
                    for beta in normal + 1..sigma {
                        dense[beta * n + sigma] = 1.0;
                        dense[sigma * n + beta] = -1.0;
                    }
                }
                let (semidefinite, copositive) = classes(n, &dense);
                assert_eq!(copositive, mu >= 0.0, "{contacts} x {directions}, mu {mu}");
                assert_eq!(
                    semidefinite,
                    mu == 0.0,
                    "{contacts} x {directions}, mu {mu}"
                );
            }
        }
    }
}
