//! Numbers as people read them, one way in every message.

/// A time of a run, s: k·h to twelve digits, without what rounding has put behind them (0.41, not 0.41000000000000003).
#[must_use]
pub fn time(t: f64) -> String {
    let rounded: f64 = format!("{t:.11e}").parse().unwrap_or(t);
    rounded.to_string()
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_are_without_the_dust_of_rounding() {
        assert_eq!(time(239.0 * 0.008), "1.912");
        assert_eq!(time(41.0 * 0.01), "0.41");
        assert_eq!(time(0.1 + 0.2), "0.3");
        assert_eq!(time(0.0), "0");
        assert_eq!(time(1e-7), "0.0000001");
        assert_eq!(time(f64::NAN), "NaN");
        assert_eq!(time(f64::INFINITY), "inf");
    }
}
