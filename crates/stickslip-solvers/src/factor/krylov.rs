//! GMRES with a preconditioner that may vary (Saad 1993): the least residual over the span of what has been
//! tried. Sums run in a fixed order.

use glam::DVec3;

pub(crate) fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

pub(crate) fn norm(a: &[DVec3]) -> f64 {
    dot(a, a).sqrt()
}

/// Basis v of the residuals, preconditioned vectors z with images A z in its span, and the least squares
/// problem kept triangular by rotations. Vectors are reused from solve to solve.
#[derive(Clone, Debug, Default)]
pub(crate) struct Krylov {
    basis: Vec<Vec<DVec3>>,
    tried: Vec<Vec<DVec3>>,
    /// Columns of the triangular factor, and the rotated right-hand side.
    columns: Vec<Vec<f64>>,
    rotations: Vec<(f64, f64)>,
    rhs: Vec<f64>,
    n_basis: usize,
    n_tried: usize,
}

fn put(slots: &mut Vec<Vec<DVec3>>, at: usize, values: &[DVec3], scale: f64) {
    if slots.len() == at {
        slots.push(Vec::new());
    }
    slots[at].clear();
    slots[at].extend(values.iter().map(|v| *v * scale));
}

impl Krylov {
    pub(crate) fn reset(&mut self) {
        self.columns.clear();
        self.rotations.clear();
        self.rhs.clear();
        (self.n_basis, self.n_tried) = (0, 0);
    }

    /// The first basis vector: the residual `r` of length `length`.
    pub(crate) fn push_basis(&mut self, r: &[DVec3], length: f64) {
        put(&mut self.basis, self.n_basis, r, 1.0 / length);
        self.n_basis += 1;
        if self.rhs.is_empty() {
            self.rhs.push(length);
        }
    }

    pub(crate) fn last_basis(&self) -> &[DVec3] {
        &self.basis[self.n_basis - 1]
    }

    /// Takes in the vector `z` whose image is −`image` (left as scratch); returns the residual's length.
    pub(crate) fn extend(&mut self, z: &[DVec3], image: &mut [DVec3]) -> f64 {
        put(&mut self.tried, self.n_tried, z, 1.0);
        self.n_tried += 1;
        image.iter_mut().for_each(|v| *v = -*v);
        // Modified Gram-Schmidt.
        let mut column = Vec::with_capacity(self.n_basis + 1);
        for v in &self.basis[..self.n_basis] {
            let h = dot(v, image);
            column.push(h);
            for (w, v) in image.iter_mut().zip(v) {
                *w -= *v * h;
            }
        }
        let rest = norm(image);
        for (k, &(c, s)) in self.rotations.iter().enumerate() {
            let (a, b) = (column[k], column[k + 1]);
            column[k] = c * a + s * b;
            column[k + 1] = c * b - s * a;
        }
        let k = column.len() - 1;
        let length = libm::hypot(column[k], rest);
        let (c, s) = if length > 0.0 {
            (column[k] / length, rest / length)
        } else {
            (1.0, 0.0)
        };
        column[k] = length;
        self.rotations.push((c, s));
        let last = self.rhs[k];
        self.rhs[k] = c * last;
        self.rhs.push(-s * last);
        self.columns.push(column);
        if rest > 0.0 {
            self.push_basis(image, rest);
            self.rhs[k + 1].abs()
        } else {
            0.0
        }
    }

    /// x += the combination of what was tried with the least residual.
    pub(crate) fn add_best(&self, x: &mut [DVec3]) {
        let n = self.n_tried;
        let mut y = self.rhs[..n].to_vec();
        for k in (0..n).rev() {
            let pivot = self.columns[k][k];
            y[k] = if pivot != 0.0 { y[k] / pivot } else { 0.0 };
            for i in 0..k {
                y[i] -= self.columns[k][i] * y[k];
            }
        }
        if y.iter().all(|v| v.is_finite()) {
            for (z, y) in self.tried.iter().zip(&y) {
                for (x, z) in x.iter_mut().zip(z) {
                    *x += *z * *y;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use glam::DMat3;

    #[test]
    fn a_poor_preconditioner_is_made_good() {
        // (I + E) x = g with E of size 0.5, preconditioner I: exact after as many steps as unknowns.
        let mut random = Random::new(3);
        let n = 4;
        let blocks: Vec<DMat3> = (0..n * n)
            .map(|_| DMat3::from_cols(random.vec3(), random.vec3(), random.vec3()) * 0.15)
            .collect();
        let image = |x: &[DVec3]| -> Vec<DVec3> {
            let row = |i: usize| (0..n).fold(x[i], |s, j| s + blocks[n * i + j] * x[j]);
            (0..n).map(row).collect()
        };
        let g: Vec<DVec3> = (0..n).map(|_| random.vec3()).collect();
        let mut krylov = Krylov::default();
        krylov.reset();
        krylov.push_basis(&g, norm(&g));
        let mut left = f64::INFINITY;
        for _ in 0..3 * n {
            let z = krylov.last_basis().to_vec();
            let mut w: Vec<DVec3> = image(&z).iter().map(|v| -*v).collect();
            let next = krylov.extend(&z, &mut w);
            assert!(next <= left * (1.0 + 1e-12));
            left = next;
            if left < 1e-13 {
                break;
            }
        }
        let mut x = vec![DVec3::ZERO; n];
        krylov.add_best(&mut x);
        let rest: Vec<DVec3> = image(&x).iter().zip(&g).map(|(a, b)| *a - *b).collect();
        assert!(norm(&rest) < 1e-12, "{}", norm(&rest));
    }
}
