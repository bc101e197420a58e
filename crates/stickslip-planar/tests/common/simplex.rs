//! A small dense simplex method, the tool of the second method. It shares nothing with the crate.

/// What a linear program has to say.
pub(crate) enum Optimum {
    Infeasible,
    /// The best point.
    At(Vec<f64>),
    /// A feasible point and a direction along which the objective grows for ever.
    Unbounded(Vec<f64>, Vec<f64>),
}

/// max objective·x subject to rows·x = right-hand sides, x ≥ 0, by two phases with Bland's rule.
pub(crate) struct Program {
    columns: usize,
    /// Each row: coefficients, then the right-hand side.
    rows: Vec<Vec<f64>>,
    tol: f64,
}

impl Program {
    pub(crate) fn new(columns: usize, tol: f64) -> Self {
        Self {
            columns,
            rows: Vec::new(),
            tol,
        }
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// coefficients·x = rhs.
    pub(crate) fn equal(&mut self, coefficients: &[f64], rhs: f64) {
        let size = coefficients.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
        let s = if size > 1e-13 { 1.0 / size } else { 1.0 };
        let mut row: Vec<f64> = coefficients.iter().map(|c| c * s).collect();
        row.push(rhs * s);
        self.rows.push(row);
    }

    /// max objective·x for each objective.
    ///
    /// Every point is put back into the rows. Where it misses them, a pivot was taken on a rounding error; the program
    /// is then solved again with a larger pivot tolerance. So it is where the first phase, which is bounded, has lost
    /// its bound.
    pub(crate) fn maximise(&self, objectives: &[Vec<f64>]) -> Vec<Optimum> {
        for factor in [1.0, 1e2, 1e3] {
            let Some(optima) = self.attempt(objectives, self.tol * factor) else {
                continue;
            };
            let good = optima.iter().all(|o| match o {
                Optimum::Infeasible => true,
                Optimum::At(x) | Optimum::Unbounded(x, _) => self.misses(x) < 1e-6,
            });
            if good {
                return optima;
            }
        }
        panic!("the simplex method lost all its digits");
    }

    /// How far x is from the rows. The rows and the data are of size one.
    fn misses(&self, x: &[f64]) -> f64 {
        self.rows
            .iter()
            .map(|row| {
                let sum: f64 = row.iter().zip(x).map(|(c, v)| c * v).sum();
                (sum - row[self.columns]).abs()
            })
            .fold(0.0, f64::max)
    }

    /// The optima, unless rounding errors have spoilt the first phase.
    fn attempt(&self, objectives: &[Vec<f64>], tol: f64) -> Option<Vec<Optimum>> {
        let (n, m) = (self.columns, self.rows.len());
        // Tableau with one artificial variable for each row.
        let width = n + m + 1;
        let mut t: Vec<Vec<f64>> = Vec::with_capacity(m);
        for (i, row) in self.rows.iter().enumerate() {
            let sign = if row[n] < 0.0 { -1.0 } else { 1.0 };
            let mut line = vec![0.0; width];
            for j in 0..n {
                line[j] = sign * row[j];
            }
            line[n + i] = 1.0;
            line[width - 1] = sign * row[n];
            t.push(line);
        }
        let mut basis: Vec<usize> = (n..n + m).collect();
        // Phase 1: minimise the sum of the artificial variables.
        let mut cost = vec![0.0; width];
        for line in &t {
            for j in 0..n {
                cost[j] += line[j];
            }
            cost[width - 1] += line[width - 1];
        }
        // A column's reduced cost is the sum of its entries in the rows of artificial variables: above m·tol, one of the
        // entries is above tol, and there is a row to leave. Below, the column is zero as far as tol can tell.
        let improves = tol * m as f64;
        if iterate(&mut t, &mut basis, &mut cost, n, tol, improves).is_some() {
            return None;
        }
        if cost[width - 1] > 10.0 * tol * (1 + m) as f64 {
            return Some(objectives.iter().map(|_| Optimum::Infeasible).collect());
        }
        // Drive the artificial variables out; rows where that cannot be done say nothing new.
        let mut i = 0;
        while i < t.len() {
            if basis[i] >= n {
                let best = (0..n).fold(None, |best: Option<usize>, j| match best {
                    Some(b) if t[i][b].abs() >= t[i][j].abs() => Some(b),
                    _ => Some(j),
                });
                match best {
                    Some(j) if t[i][j].abs() > 1e-9 => pivot(&mut t, &mut basis, &mut cost, i, j),
                    _ => {
                        t.remove(i);
                        basis.remove(i);
                        continue;
                    }
                }
            }
            i += 1;
        }
        let optima = objectives
            .iter()
            .map(|objective| {
                let (mut t, mut basis) = (t.clone(), basis.clone());
                let mut cost = vec![0.0; width];
                cost[..n].copy_from_slice(objective);
                for (line, &b) in t.iter().zip(&basis) {
                    let c = objective[b];
                    for j in 0..width {
                        cost[j] -= c * line[j];
                    }
                }
                let ray = iterate(&mut t, &mut basis, &mut cost, n, tol, tol);
                let mut x = vec![0.0; n];
                for (line, &b) in t.iter().zip(&basis) {
                    x[b] = line[width - 1];
                }
                match ray {
                    None => Optimum::At(x),
                    Some(entering) => {
                        let mut d = vec![0.0; n];
                        d[entering] = 1.0;
                        for (line, &b) in t.iter().zip(&basis) {
                            d[b] = -line[entering];
                        }
                        Optimum::Unbounded(x, d)
                    }
                }
            })
            .collect();
        Some(optima)
    }

    pub(crate) fn feasible(&self) -> bool {
        let nothing = vec![vec![0.0; self.columns]];
        !matches!(self.maximise(&nothing)[0], Optimum::Infeasible)
    }
}

fn pivot(t: &mut [Vec<f64>], basis: &mut [usize], cost: &mut [f64], row: usize, column: usize) {
    let p = t[row][column];
    for x in &mut t[row] {
        *x /= p;
    }
    let pivot_row = t[row].clone();
    for (i, line) in t.iter_mut().enumerate() {
        let factor = line[column];
        if i != row && factor != 0.0 {
            for (x, y) in line.iter_mut().zip(&pivot_row) {
                *x -= factor * y;
            }
        }
    }
    let factor = cost[column];
    for (x, y) in cost.iter_mut().zip(&pivot_row) {
        *x -= factor * y;
    }
    basis[row] = column;
}

/// Pivots, on entries above `tol`, until no column improves the cost by more than `improves`; the column that has no
/// end, if one appears.
fn iterate(
    t: &mut [Vec<f64>],
    basis: &mut [usize],
    cost: &mut [f64],
    columns: usize,
    tol: f64,
    improves: f64,
) -> Option<usize> {
    let last = cost.len() - 1;
    for _ in 0..10_000 {
        let entering = (0..columns).find(|&j| cost[j] > improves)?;
        let mut leaving: Option<usize> = None;
        for i in 0..t.len() {
            if t[i][entering] <= tol {
                continue;
            }
            let ratio = t[i][last] / t[i][entering];
            leaving = match leaving {
                None => Some(i),
                Some(l) => {
                    let best = t[l][last] / t[l][entering];
                    let nearer =
                        ratio < best - 1e-13 || (ratio <= best + 1e-13 && basis[i] < basis[l]);
                    Some(if nearer { i } else { l })
                }
            };
        }
        let Some(leaving) = leaving else {
            return Some(entering);
        };
        pivot(t, basis, cost, leaving, entering);
    }
    panic!("the simplex method does not end");
}
