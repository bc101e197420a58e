//! Axes: what they say, how they are divided, and where a value lies on them.

/// An axis of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub(crate) label: String,
    pub(crate) scale: Scale,
    pub(crate) range: Option<(f64, f64)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scale {
    Linear,
    Log,
    /// Names at 0, 1, 2, …
    Names(Vec<String>),
}

impl Axis {
    fn new(name: &str, unit: &str, scale: Scale) -> Self {
        let label = if unit.is_empty() {
            name.to_owned()
        } else {
            format!("{name} ({unit})")
        };
        Self {
            label,
            scale,
            range: None,
        }
    }

    /// Evenly divided. An empty unit is left out.
    #[must_use]
    pub fn linear(name: &str, unit: &str) -> Self {
        Self::new(name, unit, Scale::Linear)
    }

    /// Divided by powers of ten.
    #[must_use]
    pub fn log(name: &str, unit: &str) -> Self {
        Self::new(name, unit, Scale::Log)
    }

    /// Names at 0, 1, 2, …: for bars.
    #[must_use]
    pub fn names<S: Into<String>>(name: &str, names: impl IntoIterator<Item = S>) -> Self {
        Self::new(
            name,
            "",
            Scale::Names(names.into_iter().map(Into::into).collect()),
        )
    }

    /// Shows exactly this range, whatever the data.
    #[must_use]
    pub fn range(self, low: f64, high: f64) -> Self {
        Self {
            range: Some((low, high)),
            ..self
        }
    }

    /// Can a value be shown at all?
    pub(crate) fn shows(&self, value: f64) -> bool {
        value.is_finite() && (self.scale != Scale::Log || value > 0.0)
    }

    /// The value as a place that is evenly divided.
    pub(crate) fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Log => libm::log10(value),
            _ => value,
        }
    }

    /// From the first to the last place shown, for data between these values.
    pub(crate) fn span(&self, low: f64, high: f64) -> (f64, f64) {
        if let Some((a, b)) = self.range
            && self.shows(a)
            && self.shows(b)
            && a != b
        {
            return (self.place(a), self.place(b));
        }
        if let Scale::Names(names) = &self.scale {
            return (-0.6, names.len() as f64 - 0.4);
        }
        if low > high {
            return (0.0, 1.0);
        }
        let (a, b) = (self.place(low), self.place(high));
        let least = if self.scale == Scale::Log {
            0.3
        } else {
            1e-9 * a.abs().max(b.abs()).max(1e-300)
        };
        if b - a < least {
            let half = if self.scale == Scale::Log {
                0.5
            } else {
                0.5 * a.abs().max(1.0)
            };
            return (a - half, b + half);
        }
        let pad = 0.04 * (b - a);
        (a - pad, b + pad)
    }

    /// Places of the division between two places, each with its words (none at small divisions), for a length
    /// that has room for about `room` of them.
    pub(crate) fn ticks(&self, from: f64, to: f64, room: usize) -> Vec<(f64, String)> {
        let (low, high) = (from.min(to), from.max(to));
        match &self.scale {
            Scale::Names(names) => names
                .iter()
                .enumerate()
                .map(|(k, n)| (k as f64, n.clone()))
                .collect(),
            Scale::Linear => linear_ticks(low, high, room),
            Scale::Log => log_ticks(low, high, room),
        }
    }
}

fn linear_ticks(low: f64, high: f64, room: usize) -> Vec<(f64, String)> {
    let rough = (high - low) / room.max(2) as f64;
    let decade = libm::pow(10.0, libm::floor(libm::log10(rough)));
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|m| m * decade)
        .find(|s| *s >= rough * 0.999_999)
        .unwrap_or(10.0 * decade);
    let decimals = (-libm::floor(libm::log10(step) + 1e-9)).max(0.0) as usize;
    let large = low.abs().max(high.abs());
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    let mut ticks = Vec::new();
    let mut k = first;
    while k <= last && ticks.len() < 100 {
        let value = k * step;
        let words = if decimals > 4 || large >= 1e5 {
            power_of_ten(value, step)
        } else {
            minus(&format!("{value:.decimals$}"))
        };
        ticks.push((value, words));
        k += 1.0;
    }
    ticks
}

/// Such as 2.5×10⁻⁷: as many digits as the step needs.
fn power_of_ten(value: f64, step: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let exponent = libm::floor(libm::log10(value.abs()) + 1e-9);
    let digits = (exponent - libm::floor(libm::log10(step) + 1e-9)).max(0.0) as usize;
    let mantissa = format!("{:.digits$}", value / libm::pow(10.0, exponent));
    format!("{}×10{}", minus(&mantissa), superscript(exponent as i32))
}

fn log_ticks(low: f64, high: f64, room: usize) -> Vec<(f64, String)> {
    let decades = (high - low).max(1e-3);
    let every = (decades / room.max(2) as f64).ceil().max(1.0) as i32;
    let mut ticks = Vec::new();
    let first = low.floor() as i32;
    for decade in first..=(high.ceil() as i32) {
        for m in 1..10 {
            let place = f64::from(decade) + libm::log10(f64::from(m));
            if place < low - 1e-9 || place > high + 1e-9 || (m > 1 && every > 1) {
                continue;
            }
            let few = decades < 2.0 && (m == 2 || m == 5);
            let words = if m == 1 && decade.rem_euclid(every) == 0 {
                if decade == 0 {
                    "1".into()
                } else {
                    format!("10{}", superscript(decade))
                }
            } else if few {
                format!("{m}×10{}", superscript(decade))
            } else {
                String::new()
            };
            ticks.push((place, words));
        }
    }
    ticks
}

fn minus(number: &str) -> String {
    // A zero that was rounded down has no sign.
    let bare = number.trim_start_matches('-');
    let zero = bare.chars().all(|c| c == '0' || c == '.');
    if zero {
        bare.to_owned()
    } else {
        number.replace('-', "−")
    }
}

fn superscript(n: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    n.to_string()
        .chars()
        .map(|c| c.to_digit(10).map_or('⁻', |d| DIGITS[d as usize]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(ticks: Vec<(f64, String)>) -> Vec<String> {
        ticks
            .into_iter()
            .map(|t| t.1)
            .filter(|w| !w.is_empty())
            .collect()
    }

    #[test]
    fn linear_axes_have_round_numbers() {
        let axis = Axis::linear("t", "s");
        assert_eq!(axis.label, "t (s)");
        assert_eq!(
            words(axis.ticks(-0.1, 1.05, 6)),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(words(axis.ticks(-30.0, 31.0, 4)), ["−20", "0", "20"]);
        assert_eq!(
            words(axis.ticks(0.0, 2e-7, 4)),
            ["0", "5×10⁻⁸", "1.0×10⁻⁷", "1.5×10⁻⁷", "2.0×10⁻⁷"]
        );
    }

    #[test]
    fn logarithmic_axes_have_powers() {
        let axis = Axis::log("error", "m");
        assert_eq!(
            words(axis.ticks(-3.2, 0.1, 6)),
            ["10⁻³", "10⁻²", "10⁻¹", "1"]
        );
        assert_eq!(words(axis.ticks(-0.1, 0.9, 6)), ["1", "2×10⁰", "5×10⁰"]);
        assert_eq!(
            words(axis.ticks(-16.0, 0.0, 4)),
            ["10⁻¹⁶", "10⁻¹²", "10⁻⁸", "10⁻⁴", "1"]
        );
        assert!(!axis.shows(0.0) && !axis.shows(f64::NAN) && axis.shows(1e-300));
    }

    #[test]
    fn every_range_can_be_shown() {
        for (low, high) in [
            (0.0, 0.0),
            (5.0, 5.0),
            (1e-300, 1e-300),
            (-1e300, 1e300),
            (1.0, -1.0),
            (3.0, 3.0 + 1e-15),
        ] {
            for axis in [Axis::linear("", ""), Axis::log("", "").range(f64::NAN, 1.0)] {
                if axis.shows(low) && axis.shows(high) {
                    let (a, b) = axis.span(low, high);
                    assert!(b > a, "{low} {high}: {a} {b}");
                    assert!(axis.ticks(a, b, 5).len() < 101);
                }
            }
        }
    }
}
