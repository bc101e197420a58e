//! Small dense kernels, plain loops in a fixed order: the same bits on every machine.

/// Columns eliminated one after the other, until one has no pivot.
macro_rules! eliminate {
    ($n:literal, $lu:expr, $rows:expr, $($k:literal)*) => {{
        let (a, _) = $lu.as_chunks_mut::<$n>();
        true $(&& eliminate_column::<$n, $k>(a, $rows))*
    }};
}

/// LU factorisation with row pivoting of a square row-major matrix; memory is reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct DenseLu {
    n: usize,
    lu: Vec<f64>,
    rows: Vec<usize>,
    scratch: Vec<f64>,
}

impl DenseLu {
    /// Memory of n×n entries, row-major, to be filled before [`Self::factor_in_place`].
    pub(crate) fn matrix(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        self.lu.clear();
        self.lu.resize(n * n, 0.0);
        &mut self.lu
    }

    /// Factors the rows and columns `members` of an n×n row-major matrix. False where singular.
    pub(crate) fn factor_part(&mut self, n: usize, a: &[f64], members: &[usize]) -> bool {
        let k = members.len();
        let part = self.matrix(k);
        for (row, &i) in part.chunks_exact_mut(k.max(1)).zip(members) {
            for (entry, &j) in row.iter_mut().zip(members) {
                *entry = a[i * n + j];
            }
        }
        self.factor_in_place()
    }

    /// Factors what was written into [`Self::matrix`].
    pub(crate) fn factor_in_place(&mut self) -> bool {
        let n = self.n;
        self.rows.clear();
        self.rows.extend(0..n);
        // Up to four contacts the size, and which column is eliminated, are known when this is compiled, which is several times as
        // fast; the arithmetic is the same.
        let (lu, rows) = (&mut self.lu, &mut self.rows);
        match n {
            3 => eliminate!(3, lu, rows, 0 1 2),
            6 => eliminate!(6, lu, rows, 0 1 2 3 4 5),
            9 => eliminate!(9, lu, rows, 0 1 2 3 4 5 6 7 8),
            12 => eliminate!(12, lu, rows, 0 1 2 3 4 5 6 7 8 9 10 11),
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
    pub(crate) fn solve(&mut self, b: &mut [f64]) {
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
}

/// One column of [`DenseLu::factor_any`] for numbers known at compile time: the same operations in the same order.
fn eliminate_column<const N: usize, const K: usize>(
    a: &mut [[f64; N]],
    rows: &mut [usize],
) -> bool {
    let mut pivot = K;
    let mut largest = a[K][K].abs();
    for r in K + 1..N {
        let v = a[r][K].abs();
        if v > largest {
            (pivot, largest) = (r, v);
        }
    }
    if !(largest > 0.0 && largest.is_finite()) {
        return false;
    }
    if pivot != K {
        rows.swap(K, pivot);
        a.swap(K, pivot);
    }
    let pivot_row = a[K];
    let inverse = 1.0 / pivot_row[K];
    for row in &mut a[K + 1..N] {
        if row[K] == 0.0 {
            continue;
        }
        let l = row[K] * inverse;
        row[K] = l;
        for c in K + 1..N {
            row[c] -= l * pivot_row[c];
        }
    }
    true
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
                fixed.matrix(n).copy_from_slice(&a);
                assert!(fixed.factor_in_place());
                any.matrix(n).copy_from_slice(&a);
                any.rows.extend(0..n);
                assert!(any.factor_any());
                assert_eq!((&fixed.lu, &fixed.rows), (&any.lu, &any.rows));
            }
        }
    }

    /// b = A x, then A⁻¹ b.
    #[test]
    fn what_was_multiplied_is_solved() {
        let mut random = Random::new(1);
        let mut lu = DenseLu::default();
        for n in 1..20 {
            let a: Vec<f64> = (0..n * n).map(|_| random.signed()).collect();
            let x: Vec<f64> = (0..n).map(|_| random.signed()).collect();
            let product = |row: &[f64]| row.iter().zip(&x).map(|(a, x)| a * x).sum();
            let mut b: Vec<f64> = a.chunks_exact(n).map(product).collect();
            lu.matrix(n).copy_from_slice(&a);
            assert!(lu.factor_in_place());
            lu.solve(&mut b);
            for i in 0..n {
                assert!((b[i] - x[i]).abs() < 1e-10);
            }
        }
    }

    /// Rows and columns 0 and 2 of [[2, ·, 1], [·, ·, ·], [0, ·, 4]].
    #[test]
    fn a_part_is_factored_by_itself() {
        let mut lu = DenseLu::default();
        let a = [2.0, 9.0, 1.0, 9.0, 9.0, 9.0, 0.0, 9.0, 4.0];
        assert!(lu.factor_part(3, &a, &[0, 2]));
        let mut b = [4.0, 8.0];
        lu.solve(&mut b);
        assert_eq!(b, [1.0, 2.0]);
        assert!(!lu.factor_part(3, &[0.0; 9], &[1]));
    }
}
