//! Small dense kernels, plain loops in a fixed order: the same bits on every machine.

/// LU factorisation with row pivoting of a square row-major matrix; memory is reused.
#[derive(Clone, Debug, Default)]
pub struct DenseLu {
    n: usize,
    lu: Vec<f64>,
    rows: Vec<usize>,
    scratch: Vec<f64>,
}

impl DenseLu {
    /// Factors the n×n row-major matrix `a`. False if a pivot column is zero or not finite.
    pub fn factor(&mut self, n: usize, a: &[f64]) -> bool {
        self.n = n;
        self.lu.clear();
        self.lu.extend_from_slice(&a[..n * n]);
        self.factor_in_place()
    }

    /// Memory of n×n entries, row-major, to be filled before [`Self::factor_in_place`].
    pub fn matrix(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        self.lu.clear();
        self.lu.resize(n * n, 0.0);
        &mut self.lu
    }

    /// Factors the rows and columns `members` of an n×n row-major matrix. False where singular.
    pub fn factor_part(&mut self, n: usize, a: &[f64], members: &[usize]) -> bool {
        let k = members.len();
        let part = self.matrix(k);
        for (row, &i) in part.chunks_exact_mut(k.max(1)).zip(members) {
            for (entry, &j) in row.iter_mut().zip(members) {
                *entry = a[i * n + j];
            }
        }
        self.factor_in_place()
    }

    /// The memory of [`Self::matrix`] again, as it is.
    pub fn entries(&mut self) -> &mut [f64] {
        &mut self.lu
    }

    /// Factors what was written into [`Self::matrix`].
    pub fn factor_in_place(&mut self) -> bool {
        let n = self.n;
        self.rows.clear();
        self.rows.extend(0..n);
        // Up to four contacts the size is known when this is compiled, which is three times as fast; the arithmetic is
        // the same.
        match n {
            3 => factor_fixed::<3>(&mut self.lu, &mut self.rows),
            6 => factor_fixed::<6>(&mut self.lu, &mut self.rows),
            9 => factor_fixed::<9>(&mut self.lu, &mut self.rows),
            12 => factor_fixed::<12>(&mut self.lu, &mut self.rows),
            _ => self.factor_any(),
        }
    }

    fn factor_any(&mut self) -> bool {
        let n = self.n;
        for k in 0..n {
            let mut pivot = k;
            let mut largest = self.lu[k * n + k].abs();
            for r in k + 1..n {
                let v = self.lu[r * n + k].abs();
                if v > largest {
                    (pivot, largest) = (r, v);
                }
            }
            if !(largest > 0.0 && largest.is_finite()) {
                return false;
            }
            if pivot != k {
                self.rows.swap(k, pivot);
                let (top, bottom) = self.lu.split_at_mut(pivot * n);
                top[k * n..(k + 1) * n].swap_with_slice(&mut bottom[..n]);
            }
            let (top, bottom) = self.lu.split_at_mut((k + 1) * n);
            let pivot_row = &top[k * n..];
            let inverse = 1.0 / pivot_row[k];
            for row in bottom.chunks_exact_mut(n) {
                if row[k] == 0.0 {
                    continue;
                }
                let l = row[k] * inverse;
                row[k] = l;
                for (x, &y) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                    *x -= l * y;
                }
            }
        }
        true
    }

    /// Solves A x = b in place.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = self.n;
        self.scratch.clear();
        self.scratch.extend(self.rows.iter().map(|&r| b[r]));
        let x = &mut self.scratch;
        for i in 0..n {
            let row = &self.lu[i * n..i * n + i];
            let mut s = x[i];
            for (&l, &v) in row.iter().zip(x.iter()) {
                s -= l * v;
            }
            x[i] = s;
        }
        for i in (0..n).rev() {
            let row = &self.lu[i * n..(i + 1) * n];
            let mut s = x[i];
            for (&u, &v) in row[i + 1..].iter().zip(&x[i + 1..]) {
                s -= u * v;
            }
            x[i] = s / row[i];
        }
        b[..n].copy_from_slice(x);
    }

    /// Solves Aᵀ x = b in place.
    pub fn solve_transposed(&mut self, b: &mut [f64]) {
        let n = self.n;
        let x = &mut self.scratch;
        x.clear();
        x.extend_from_slice(&b[..n]);
        // Uᵀ y = b, then Lᵀ z = y, then undo the row exchanges.
        for i in 0..n {
            let row = &self.lu[i * n..(i + 1) * n];
            let y = x[i] / row[i];
            x[i] = y;
            for (v, &u) in x[i + 1..].iter_mut().zip(&row[i + 1..]) {
                *v -= u * y;
            }
        }
        for i in (0..n).rev() {
            let row = &self.lu[i * n..i * n + i];
            let y = x[i];
            for (v, &l) in x[..i].iter_mut().zip(row) {
                *v -= l * y;
            }
        }
        for (i, &r) in self.rows.iter().enumerate() {
            b[r] = x[i];
        }
    }
}

/// [`DenseLu::factor_in_place`] for a size known at compile time: the same operations in the same order.
fn factor_fixed<const N: usize>(lu: &mut [f64], rows: &mut [usize]) -> bool {
    let (a, _) = lu.as_chunks_mut::<N>();
    for k in 0..N {
        let mut pivot = k;
        let mut largest = a[k][k].abs();
        for r in k + 1..N {
            let v = a[r][k].abs();
            if v > largest {
                (pivot, largest) = (r, v);
            }
        }
        if !(largest > 0.0 && largest.is_finite()) {
            return false;
        }
        if pivot != k {
            rows.swap(k, pivot);
            a.swap(k, pivot);
        }
        let pivot_row = a[k];
        let inverse = 1.0 / pivot_row[k];
        for row in &mut a[k + 1..N] {
            if row[k] == 0.0 {
                continue;
            }
            let l = row[k] * inverse;
            row[k] = l;
            for c in k + 1..N {
                row[c] -= l * pivot_row[c];
            }
        }
    }
    true
}

/// out = A x for a row-major matrix with `x.len()` columns.
pub fn times(a: &[f64], x: &[f64], out: &mut Vec<f64>) {
    out.clear();
    if x.is_empty() {
        return;
    }
    out.extend(
        a.chunks_exact(x.len())
            .map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>()),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn fixed_sizes_give_the_same_bits() {
        let mut random = Random::new(7);
        for n in [3, 6, 9, 12] {
            for _ in 0..50 {
                let a: Vec<f64> = (0..n * n).map(|_| random.signed()).collect();
                let (mut fixed, mut any) = (DenseLu::default(), DenseLu::default());
                assert!(fixed.factor(n, &a));
                any.matrix(n).copy_from_slice(&a);
                any.rows.extend(0..n);
                assert!(any.factor_any());
                assert_eq!((&fixed.lu, &fixed.rows), (&any.lu, &any.rows));
            }
        }
    }

    #[test]
    fn lu_solves_both_ways() {
        let mut random = Random::new(1);
        let mut lu = DenseLu::default();
        for n in 1..20 {
            let a: Vec<f64> = (0..n * n).map(|_| random.signed()).collect();
            let x: Vec<f64> = (0..n).map(|_| random.signed()).collect();
            let mut b = Vec::new();
            times(&a, &x, &mut b);
            assert!(lu.factor(n, &a));
            lu.solve(&mut b);
            let mut bt: Vec<f64> = (0..n)
                .map(|c| (0..n).map(|r| a[r * n + c] * x[r]).sum())
                .collect();
            lu.solve_transposed(&mut bt);
            for i in 0..n {
                assert!((b[i] - x[i]).abs() < 1e-10 && (bt[i] - x[i]).abs() < 1e-10);
            }
        }
    }
}
