//! Medians, upper tenths and exponents.

use crate::Ladder;

/// The value below which the part `p` of the numbers lies, between two of them in proportion; NaN of none.
#[must_use]
pub fn quantile(numbers: &[f64], p: f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let place = p * last as f64;
    let low = place as usize;
    let part = place - low as f64;
    sorted[low] + part * (sorted[(low + 1).min(last)] - sorted[low])
}

/// Half of the numbers lie below it.
#[must_use]
pub fn median(numbers: &[f64]) -> f64 {
    quantile(numbers, 0.5)
}

/// Nine tenths of the numbers lie below it.
#[must_use]
pub fn p90(numbers: &[f64]) -> f64 {
    quantile(numbers, 0.9)
}

/// a of y = c xᵃ, by least squares of the logarithms; NaN of fewer than three points.
#[must_use]
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    if points.len() < 3 {
        return f64::NAN;
    }
    let rungs = points.to_vec();
    Ladder { rungs }.order()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_known_numbers() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        let tens: Vec<f64> = (0..=10).map(f64::from).collect();
        assert_eq!(p90(&tens), 9.0);
        // Between the ninth and the tenth of ten numbers 1 … 10: 0.9·9 = 8.1 places from the first.
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        assert!((p90(&ten) - 9.1).abs() < 1e-12);
        assert_eq!(median(&[7.0]), 7.0);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn the_exponent_of_a_power_is_found() {
        let power: Vec<(f64, f64)> = [8.0, 20.0, 70.0, 500.0]
            .map(|x: f64| (x, 3e-5 * x * x.sqrt()))
            .to_vec();
        assert!((exponent(&power) - 1.5).abs() < 1e-12);
        let flat: Vec<(f64, f64)> = [1.0, 2.0, 9.0].map(|x| (x, 4.0)).to_vec();
        assert!(exponent(&flat).abs() < 1e-12);
        assert!(exponent(&power[..2]).is_nan());
    }
}
