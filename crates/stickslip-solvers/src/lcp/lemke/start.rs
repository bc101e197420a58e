//! The basis from which Lemke's method starts on a mixed LCP: every free variable in it, solved for from the equations.

use crate::factor::sparse::SparseMatrix;
use crate::lcp::tableau::Tableau;

/// Entries below this share of the largest of the matrix are rounding of zero.
const ROUNDED_ZERO: f64 = 1e-11;

/// For each pair of a mixed LCP the variable in the basis: w_i is i, z_i is n + i.
///
/// Free variables are in. Where the equations do not determine them all, a complementary variable z_k that couples what
/// is left over to the equation that is left over comes in with it (a block of two pivots, so that the basis stays
/// complementary). An equation that depends on others stays out with the free variable that nothing determines: its w
/// is zero wherever the equations agree.
pub(crate) fn basis(m: &SparseMatrix, n_eq: usize) -> Vec<usize> {
    let n = m.n_rows();
    let mut variables: Vec<usize> = (0..n).collect();
    if n_eq == 0 {
        return variables;
    }
    let mut table = Tableau::new(m, &[]);
    let row_of = table.solve_free(n_eq);
    let mut rows: Vec<usize> = (0..n_eq).filter(|&i| !row_of.contains(&Some(i))).collect();
    let mut columns: Vec<usize> = (0..n_eq).filter(|&j| row_of[j].is_none()).collect();
    let mut partners: Vec<usize> = (n_eq..n).collect();
    let tiny = ROUNDED_ZERO * table.size();
    while !rows.is_empty() {
        let mut best = (0, 0, 0, tiny);
        for (a, &i) in rows.iter().enumerate() {
            for (b, &j) in columns.iter().enumerate() {
                for (c, &k) in partners.iter().enumerate() {
                    let size = table.at(i, k).abs().min(table.at(k, j).abs());
                    if size > best.3 {
                        best = (a, b, c, size);
                    }
                }
            }
        }
        if best.3 <= tiny {
            break;
        }
        let (i, j) = (rows.swap_remove(best.0), columns.swap_remove(best.1));
        let k = partners.swap_remove(best.2);
        table.clear_column(i, k);
        table.clear_column(k, j);
        variables[k] = n + k;
    }
    // As many columns of free variables as rows of equations: the order in which they stand does not matter.
    let out: Vec<usize> = columns;
    let free = (0..n_eq).filter(|j| !out.contains(j)).map(|j| n + j);
    let places: Vec<usize> = free.chain(rows).collect();
    variables[..n_eq].copy_from_slice(&places);
    variables
}
