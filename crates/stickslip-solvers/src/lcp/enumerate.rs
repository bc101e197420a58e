//! Exhaustive enumeration of tiny LCPs: the oracle of the tests.

use crate::factor::dense::DenseLu;
use crate::lcp::Lcp;

/// Largest size that [`all_solutions`] takes: 2ⁿ linear systems are solved.
pub const LARGEST: usize = 18;

/// Every isolated solution that is the solution of a nonsingular complementary basis, in the order
/// of the bases; solutions closer than `tolerance`·(1 + |z|) are counted once.
///
/// An LCP has a solution exactly when some complementary cone holds q; with M nondegenerate all
/// solutions are found, otherwise continua are represented by their basic points.
///
/// # Errors
/// More than [`LARGEST`] rows, or data that are no LCP.
pub fn all_solutions(lcp: &Lcp, tolerance: f64) -> Result<Vec<Vec<f64>>, String> {
    lcp.validate().map_err(|e| e.to_string())?;
    let n = lcp.q.len();
    if n > LARGEST {
        return Err(format!("{n} rows; enumeration takes at most {LARGEST}"));
    }
    let mut dense = vec![0.0; n * n];
    for (i, j, v) in lcp.m.entries() {
        dense[i * n + j] = v;
    }
    let mut lu = DenseLu::default();
    let mut found: Vec<Vec<f64>> = Vec::new();
    for basis in 0u32..1 << n {
        let members: Vec<usize> = (0..n).filter(|k| basis >> k & 1 == 1).collect();
        // M_ss z_s = −q_s, the rest zero.
        let mut z_s: Vec<f64> = members.iter().map(|&i| -lcp.q[i]).collect();
        if !members.is_empty() {
            if !lu.factor_part(n, &dense, &members) {
                continue;
            }
            lu.solve(&mut z_s);
        }
        let mut z = vec![0.0; n];
        for (&i, &v) in members.iter().zip(&z_s) {
            z[i] = v;
        }
        let size = z.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        if !size.is_finite() || z.iter().any(|&v| v < -tolerance * (1.0 + size)) {
            continue;
        }
        for v in &mut z {
            *v = v.max(0.0);
        }
        if lcp.residual(&z) <= tolerance
            && !found
                .iter()
                .any(|o| distance(o, &z) <= tolerance * (1.0 + size))
        {
            found.push(z);
        }
    }
    Ok(found)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .fold(0.0, |m, (x, y)| f64::max(m, (x - y).abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factor::sparse::SparseMatrix;

    #[test]
    fn a_problem_with_three_solutions_gives_three() {
        // M = [[1, 2], [2, 1]], q = (−1, −1): z = (1, 0), (0, 1), (1/3, 1/3).
        let lcp = Lcp {
            m: SparseMatrix::from_dense(2, 2, &[1.0, 2.0, 2.0, 1.0]),
            q: vec![-1.0, -1.0],
        };
        let all = all_solutions(&lcp, 1e-12).expect("small");
        assert_eq!(all.len(), 3);
        assert!(
            all.iter()
                .any(|z| (z[0] - 1.0 / 3.0).abs() < 1e-15 && (z[1] - 1.0 / 3.0).abs() < 1e-15)
        );
    }
}
