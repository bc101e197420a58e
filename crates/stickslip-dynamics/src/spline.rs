//! Periodic cubic splines: motions given as tables.

use crate::expression::Jet;

/// Columns of a table: x, y, z in m, then the rotation vector's components in rad.
pub(crate) const COLUMNS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// A periodic motion through the rows of a table: twice continuously differentiable, and its velocity is its exact
/// derivative.
#[derive(Clone, Debug, PartialEq)]
pub struct PeriodicTable {
    /// Times of the rows, s, rising; the last row is the first again, one period later.
    times: Vec<f64>,
    /// Values of each column at the rows.
    values: [Vec<f64>; 6],
    /// Second derivatives at the rows.
    seconds: [Vec<f64>; 6],
}

impl PeriodicTable {
    /// The spline through the rows. An empty column is zero.
    ///
    /// # Errors
    /// Says what is wrong: fewer than three intervals, times that do not rise, numbers that are not finite, columns
    /// of another length, or a last row that is not the first.
    pub fn new(times: Vec<f64>, values: [Vec<f64>; 6]) -> Result<Self, String> {
        let rows = times.len();
        if rows < 4 {
            return Err(format!("a table needs at least 4 rows, got {rows}"));
        }
        if !times.iter().all(|t| t.is_finite()) || times.windows(2).any(|w| w[1] <= w[0]) {
            return Err("the times of a table must rise".into());
        }
        for (name, column) in COLUMNS.iter().zip(&values) {
            if column.is_empty() {
                continue;
            }
            if column.len() != rows {
                let count = column.len();
                return Err(format!(
                    "column `{name}` has {count} numbers for {rows} times"
                ));
            }
            let size = column.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
            let (first, last) = (column[0], column[rows - 1]);
            if !size.is_finite() || (last - first).abs() > 1e-9 * size {
                return Err(format!(
                    "column `{name}` must end as it begins, for the motion repeats: {first} and {last}"
                ));
            }
        }
        let seconds = values.each_ref().map(|column| seconds(&times, column));
        Ok(Self {
            times,
            values,
            seconds,
        })
    }

    /// Times and columns, as given.
    #[must_use]
    pub const fn rows(&self) -> (&Vec<f64>, &[Vec<f64>; 6]) {
        (&self.times, &self.values)
    }

    /// Value and derivatives of every column at time t, s.
    #[must_use]
    pub fn at(&self, t: f64) -> [Jet; 6] {
        let (first, last) = (self.times[0], self.times[self.times.len() - 1]);
        let period = last - first;
        let within = t - first;
        // mod, with the sign of the period; rounding may give the period itself, which is the first row.
        let mut s = first + (within - period * (within / period).floor());
        if s >= last {
            s = first;
        }
        let k = self
            .times
            .partition_point(|&x| x <= s)
            .clamp(1, self.times.len() - 1)
            - 1;
        let h = self.times[k + 1] - self.times[k];
        let (a, b) = ((self.times[k + 1] - s) / h, (s - self.times[k]) / h);
        let mut jets = [Jet::default(); 6];
        for ((jet, y), m) in jets.iter_mut().zip(&self.values).zip(&self.seconds) {
            if y.is_empty() {
                continue;
            }
            let (y0, y1, m0, m1) = (y[k], y[k + 1], m[k], m[k + 1]);
            *jet = Jet {
                value: a * y0
                    + b * y1
                    + ((a * a * a - a) * m0 + (b * b * b - b) * m1) * (h * h / 6.0),
                rate: (y1 - y0) / h
                    + ((1.0 - 3.0 * a * a) * m0 + (3.0 * b * b - 1.0) * m1) * (h / 6.0),
                second: a * m0 + b * m1,
            };
        }
        jets
    }
}

/// Second derivatives at the rows of the periodic spline:
///
/// ```text
///   h_{i−1} m_{i−1} + 2(h_{i−1} + h_i) m_i + h_i m_{i+1} = 6 ((y_{i+1} − y_i)/h_i − (y_i − y_{i−1})/h_{i−1})
/// ```
///
/// a cyclic tridiagonal system, diagonally dominant, solved as a tridiagonal one with a correction of rank one.
fn seconds(times: &[f64], y: &[f64]) -> Vec<f64> {
    if y.is_empty() {
        return Vec::new();
    }
    let n = times.len() - 1;
    let h: Vec<f64> = times.windows(2).map(|w| w[1] - w[0]).collect();
    let before = |i: usize| (i + n - 1) % n;
    let slope = |i: usize| (y[i + 1] - y[i]) / h[i];
    let right: Vec<f64> = (0..n)
        .map(|i| 6.0 * (slope(i) - slope(before(i))))
        .collect();
    // The corners h_{n−1} are taken out of the matrix: A = T + u vᵀ with u = (γ, 0…, c), v = (1, 0…, c/γ).
    let corner = h[n - 1];
    let mut diagonal: Vec<f64> = (0..n).map(|i| 2.0 * (h[before(i)] + h[i])).collect();
    let gamma = -diagonal[0];
    diagonal[0] -= gamma;
    diagonal[n - 1] -= corner * corner / gamma;
    let solve = |right: &[f64]| {
        let (mut d, mut x) = (diagonal.clone(), right.to_vec());
        for i in 1..n {
            let factor = h[i - 1] / d[i - 1];
            d[i] -= factor * h[i - 1];
            x[i] -= factor * x[i - 1];
        }
        x[n - 1] /= d[n - 1];
        for i in (0..n - 1).rev() {
            x[i] = (x[i] - h[i] * x[i + 1]) / d[i];
        }
        x
    };
    let mut u = vec![0.0; n];
    (u[0], u[n - 1]) = (gamma, corner);
    let (mut m, z) = (solve(&right), solve(&u));
    let along = |x: &[f64]| x[0] + x[n - 1] * corner / gamma;
    let factor = along(&m) / (1.0 + along(&z));
    for (m, z) in m.iter_mut().zip(&z) {
        *m -= factor * z;
    }
    m.push(m[0]);
    m
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn table(rows: usize, f: impl Fn(f64) -> f64) -> PeriodicTable {
        // Uneven times, to try the general case.
        let time = |i: usize| {
            let s = i as f64 / rows as f64;
            s + 0.02 * libm::sin(2.0 * PI * s)
        };
        let times: Vec<f64> = (0..=rows).map(time).collect();
        let mut column: Vec<f64> = times.iter().map(|t| f(*t)).collect();
        column[rows] = column[0];
        let empty = Vec::new;
        let columns = [column, empty(), empty(), empty(), empty(), empty()];
        PeriodicTable::new(times, columns).unwrap()
    }

    #[test]
    fn converges_at_fourth_order_to_a_sine() {
        let f = |t: f64| libm::sin(2.0 * PI * t);
        let error = |rows: usize| {
            let spline = table(rows, f);
            (0..500)
                .map(|k| k as f64 / 100.0 - 1.3)
                .map(|t| (spline.at(t)[0].value - f(t)).abs())
                .fold(0.0, f64::max)
        };
        let (coarse, fine) = (error(16), error(32));
        assert!(fine < 1e-5 && coarse / fine > 12.0, "{coarse} {fine}");
    }

    #[test]
    fn rates_are_the_derivatives_and_every_join_is_smooth() {
        let spline = table(7, |t| libm::cos(2.0 * PI * t) + libm::sin(6.0 * PI * t));
        for k in 0..100 {
            let t = f64::from(k) * 0.017;
            let (a, b, c) = (
                spline.at(t - 1e-6)[0],
                spline.at(t)[0],
                spline.at(t + 1e-6)[0],
            );
            assert!(((c.value - a.value) / 2e-6 - b.rate).abs() < 1e-6);
            assert!(((c.rate - a.rate) / 2e-6 - b.second).abs() < 1e-2);
        }
        // Across a row, and across the end of the period, value, rate and second derivative go on.
        let (times, _) = spline.rows();
        for row in times {
            let (a, b) = (spline.at(row - 1e-12)[0], spline.at(row + 1e-12)[0]);
            for (x, y) in [(a.value, b.value), (a.rate, b.rate), (a.second, b.second)] {
                assert!((x - y).abs() < 1e-8, "at {row}: {x} {y}");
            }
        }
    }

    #[test]
    fn tables_that_cannot_be_are_refused() {
        let make = |times: &[f64], x: &[f64]| {
            let e = Vec::new;
            PeriodicTable::new(times.to_vec(), [x.to_vec(), e(), e(), e(), e(), e()])
        };
        assert!(make(&[0.0, 1.0, 2.0], &[0.0, 1.0, 0.0]).is_err());
        assert!(make(&[0.0, 1.0, 1.0, 2.0], &[0.0, 1.0, 1.0, 0.0]).is_err());
        assert!(make(&[0.0, 1.0, 2.0, 3.0], &[0.0, 1.0, 2.0]).is_err());
        assert!(make(&[0.0, 1.0, 2.0, 3.0], &[0.0, 1.0, 2.0, 0.5]).is_err());
        assert!(make(&[0.0, 1.0, 2.0, 3.0], &[0.0, 1.0, 2.0, 0.0]).is_ok());
    }
}
