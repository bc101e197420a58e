//! Numbers as people read them, one way in every message.

/// A time of a run, s: k·h to twelve digits, without what rounding has put behind them (0.41, not 0.41000000000000003).
#[must_use]
pub fn time(t: f64) -> String {
    let rounded: f64 = format!("{t:.11e}").parse().unwrap_or(t);
    plain(rounded)
}

/// A length, m, to six digits.
#[must_use]
pub fn length(x: f64) -> String {
    plain(format!("{x:.5e}").parse().unwrap_or(x))
}

/// Any number, to three digits.
#[must_use]
pub fn three_digits(x: f64) -> String {
    plain(format!("{x:.2e}").parse().unwrap_or(x))
}

/// Without an exponent, unless that would be long.
fn plain(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() || (1e-9..1e16).contains(&size) {
        x.to_string()
    } else {
        format!("{x:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::{length, three_digits, time};

    #[test]
    fn times_are_without_the_dust_of_rounding() {
        assert_eq!(time(239.0 * 0.008), "1.912");
        assert_eq!(time(41.0 * 0.01), "0.41");
        assert_eq!(time(0.1 + 0.2), "0.3");
        assert_eq!(time(0.0), "0");
        assert_eq!(time(1e-7), "0.0000001");
        assert_eq!(time(f64::NAN), "NaN");
        assert_eq!(time(f64::INFINITY), "inf");
        assert_eq!(time(1e300), "1e300");
    }

    #[test]
    fn lengths_have_six_digits() {
        assert_eq!(length(5.1), "5.1");
        assert_eq!(length(2.0 / 3.0), "0.666667");
        assert_eq!(length(1.25e-7), "0.000000125");
        assert_eq!(length(1e-30), "1e-30");
        assert_eq!(three_digits(0.01 / 3.0), "0.00333");
    }
}
