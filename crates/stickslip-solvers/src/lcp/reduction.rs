//! A mixed LCP as a plain one: its free variables eliminated, and got back from the answer.

use crate::factor::sparse::SparseMatrix;
use crate::lcp::tableau::Tableau;
use crate::lcp::{Lcp, LcpError, LcpSolution, MixedLcp};

/// What eliminating the free variables leaves, and how to get them back.
struct Reduction {
    /// Reduced problem; its variables are the complementary ones, then pairs (y⁺, y⁻) for free
    /// variables that no equation determines.
    lcp: Lcp,
    /// Row-major table of the pivoted free variables: y = table·z + constant.
    table: Vec<f64>,
    constant: Vec<f64>,
    /// Free variable of each table row; free variables left over.
    pivoted: Vec<usize>,
    left: Vec<usize>,
}

/// Most rows of a mixed problem whose free variables are eliminated in a dense tableau (800 MB).
const MOST_MIXED: usize = 10_000;

impl MixedLcp {
    /// Solves by eliminating the free variables (complete pivoting) and `solve` on what is left.
    ///
    /// Equations that depend on others and agree with them are dropped, as redundant joints give;
    /// free variables that no equation determines become differences of two nonnegative ones.
    ///
    /// # Errors
    /// What `solve` returns, with z in the variables of the mixed problem.
    pub fn solve_with(
        &self,
        mut solve: impl FnMut(&Lcp) -> Result<LcpSolution, LcpError>,
    ) -> Result<LcpSolution, LcpError> {
        self.validate()?;
        if self.n_eq == 0 {
            return solve(&Lcp {
                m: self.m.clone(),
                q: self.q.clone(),
            });
        }
        if self.q.len() > MOST_MIXED {
            return Err(LcpError::Unsuitable(format!(
                "{} rows of a mixed problem are beyond the {MOST_MIXED} that are eliminated",
                self.q.len()
            )));
        }
        let reduction = self.reduce();
        match solve(&reduction.lcp) {
            Ok(solution) => {
                let z = self.recover(&reduction, &solution.z);
                let residual = self.residual(&z);
                Ok(LcpSolution {
                    z,
                    residual,
                    iterations: solution.iterations,
                })
            }
            Err(LcpError::Limit { iterations, z, .. }) => {
                let z = self.recover(&reduction, &z);
                let residual = self.residual(&z);
                Err(LcpError::Limit {
                    iterations,
                    z,
                    residual,
                })
            }
            Err(other) => Err(other),
        }
    }

    fn reduce(&self) -> Reduction {
        let (n, n_eq) = (self.q.len(), self.n_eq);
        let mut table = Tableau::new(&self.m, &[&self.q]);
        let row_of = table.solve_free(n_eq);
        // Left-over equations and variables pair up in order; those that vanish are dropped.
        let free: Vec<usize> = (0..n_eq).filter(|&j| row_of[j].is_none()).collect();
        let loose: Vec<usize> = (0..n_eq).filter(|&i| !row_of.contains(&Some(i))).collect();
        let tiny = 1e-10 * table.size();
        let mut pairs = Vec::new();
        for (&i, &j) in loose.iter().zip(&free) {
            let row_vanishes = (n_eq..=n).all(|k| table.at(i, k).abs() <= tiny);
            let column_vanishes = (n_eq..n).all(|k| table.at(k, j).abs() <= tiny);
            if !(row_vanishes && column_vanishes) {
                pairs.push((i, j));
            }
        }
        let left: Vec<usize> = pairs.iter().map(|p| p.1).collect();
        // Pivoted rows read y + row·(z, y_left) + constant = 0.
        let (mut back, mut constant) = (Vec::new(), Vec::new());
        for row in row_of.iter().flatten() {
            let row = table.row(*row);
            back.extend(row[n_eq..n].iter().map(|v| -v));
            for &l in &left {
                back.push(-row[l]);
                back.push(row[l]);
            }
            constant.push(-row[n]);
        }
        Reduction {
            lcp: reduced(&table, n, n_eq, &pairs),
            table: back,
            constant,
            pivoted: (0..n_eq).filter(|&j| row_of[j].is_some()).collect(),
            left,
        }
    }

    /// Variables of the mixed problem from those of the reduced one.
    fn recover(&self, reduction: &Reduction, z: &[f64]) -> Vec<f64> {
        let n_c = self.q.len() - self.n_eq;
        let mut out = vec![0.0; self.q.len()];
        out[self.n_eq..].copy_from_slice(&z[..n_c]);
        for (k, &j) in reduction.left.iter().enumerate() {
            out[j] = z[n_c + 2 * k] - z[n_c + 2 * k + 1];
        }
        for (k, &j) in reduction.pivoted.iter().enumerate() {
            let row = &reduction.table[k * z.len()..(k + 1) * z.len()];
            out[j] = reduction.constant[k] + row.iter().zip(z).map(|(a, b)| a * b).sum::<f64>();
        }
        out
    }
}

/// Rows of the reduced problem over the complementary columns and (y⁺, y⁻) of each pair (equation, free variable) that is
/// left over.
fn reduced(table: &Tableau, n: usize, n_eq: usize, pairs: &[(usize, usize)]) -> Lcp {
    let n_c = n - n_eq;
    let n_r = n_c + 2 * pairs.len();
    let mut entries = Vec::new();
    let mut q = Vec::with_capacity(n_r);
    let mut push_row = |r: usize, i: usize, sign: f64| {
        let row = table.row(i);
        for k in 0..n_c {
            if row[n_eq + k] != 0.0 {
                entries.push((r, k, sign * row[n_eq + k]));
            }
        }
        for (k, &(_, j)) in pairs.iter().enumerate() {
            if row[j] != 0.0 {
                entries.push((r, n_c + 2 * k, sign * row[j]));
                entries.push((r, n_c + 2 * k + 1, -sign * row[j]));
            }
        }
        q.push(sign * row[n]);
    };
    for k in 0..n_c {
        push_row(k, n_eq + k, 1.0);
    }
    for (k, &(i, _)) in pairs.iter().enumerate() {
        push_row(n_c + 2 * k, i, 1.0);
        push_row(n_c + 2 * k + 1, i, -1.0);
    }
    Lcp {
        m: SparseMatrix::from_triplets(n_r, n_r, &entries).unwrap_or_default(),
        q,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcp::enumerate::all_solutions;

    /// y = 1 − z free, 0 ≤ z ⟂ z + 2y − 3 ≥ 0: z + 2(1 − z) − 3 = −z − 1 < 0 has no solution; with + 3 it is z = 0, y = 1 or
    /// z = 5, y = −4.
    #[test]
    fn free_variables_come_back() {
        let m = SparseMatrix::from_dense(2, 2, &[1.0, 1.0, 2.0, 1.0]);
        let mut found = Vec::new();
        let mixed = MixedLcp {
            m,
            q: vec![-1.0, 3.0],
            n_eq: 1,
        };
        for which in 0..2 {
            let solved = mixed.solve_with(|lcp| {
                let all = all_solutions(lcp, 1e-12).expect("small");
                assert_eq!(all.len(), 2);
                Ok(LcpSolution {
                    z: all[which].clone(),
                    ..LcpSolution::default()
                })
            });
            let solved = solved.expect("solved");
            assert!(solved.residual < 1e-15);
            found.push(solved.z);
        }
        found.sort_by(|a, b| a[0].total_cmp(&b[0]));
        assert_eq!(found, [[-4.0, 5.0], [1.0, 0.0]]);
    }
}
