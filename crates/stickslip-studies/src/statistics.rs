//! Numbers that describe a list of measurements.

/// The value in the middle of a sorted list, the mean of the two where their number is even; `None` of nothing.
#[must_use]
pub fn median(sorted: &[f64]) -> Option<f64> {
    let n = sorted.len();
    (n > 0).then(|| 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]))
}

/// The value below which the given part of a sorted list lies; NaN of nothing.
#[must_use]
pub fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = (part * sorted.len() as f64) as usize;
    sorted
        .get(place.min(sorted.len().saturating_sub(1)))
        .copied()
        .unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_quantiles_of_short_lists() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[1.0, 2.0, 4.0, 9.0]), Some(3.0));
        let hundred: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(quantile(&hundred, 0.99), 99.0);
        assert_eq!(quantile(&hundred, 0.5), 50.0);
        assert_eq!(quantile(&hundred, 1.0), 99.0);
        assert!(quantile(&[], 0.5).is_nan());
    }
}
