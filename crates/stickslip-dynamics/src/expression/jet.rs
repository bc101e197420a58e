//! A value together with its first and second derivative in time.
//!
//! Forward-mode differentiation: each operation carries (u, u', u'') by the chain rule, so the
//! derivatives are those of the formula itself, exact up to rounding, never finite differences.
//!
//! Where a formula has a corner (`abs`, `min`, `max`) the derivative from the right is taken, which
//! is the one a motion going forward in time needs.

use std::cmp::Ordering;

/// A value and its first two derivatives in time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jet {
    /// The value u(t).
    pub value: f64,
    /// The first derivative u'(t), per second.
    pub rate: f64,
    /// The second derivative u''(t), per second squared.
    pub second: f64,
}

impl Jet {
    /// A number that does not change in time.
    #[must_use]
    pub const fn constant(value: f64) -> Self {
        Self {
            value,
            rate: 0.0,
            second: 0.0,
        }
    }

    /// The time itself: value t, rate 1.
    #[must_use]
    pub const fn time(t: f64) -> Self {
        Self {
            value: t,
            rate: 1.0,
            second: 0.0,
        }
    }

    /// True when value and both derivatives are finite numbers.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.value.is_finite() && self.rate.is_finite() && self.second.is_finite()
    }

    fn is_steady(&self) -> bool {
        self.rate == 0.0 && self.second == 0.0
    }

    /// f(u) for a function with value `f`, first derivative `df` and second `ddf` at u:
    /// (f∘u)' = f' u', (f∘u)'' = f'' u'² + f' u''. A zero factor wins over an infinite derivative,
    /// so that a steady argument stays steady (sqrt(0) has rate 0).
    fn through(self, f: f64, df: f64, ddf: f64) -> Self {
        Self {
            value: f,
            rate: gated(df, self.rate),
            second: gated(ddf, self.rate * self.rate) + gated(df, self.second),
        }
    }

    pub(super) fn neg(self) -> Self {
        Self {
            value: -self.value,
            rate: -self.rate,
            second: -self.second,
        }
    }

    pub(super) fn add(self, v: Self) -> Self {
        Self {
            value: self.value + v.value,
            rate: self.rate + v.rate,
            second: self.second + v.second,
        }
    }

    pub(super) fn sub(self, v: Self) -> Self {
        self.add(v.neg())
    }

    pub(super) fn mul(self, v: Self) -> Self {
        Self {
            value: self.value * v.value,
            rate: gated(v.value, self.rate) + gated(self.value, v.rate),
            second: gated(v.value, self.second)
                + 2.0 * self.rate * v.rate
                + gated(self.value, v.second),
        }
    }

    pub(super) fn div(self, v: Self) -> Self {
        let value = self.value / v.value;
        if self.is_steady() && v.is_steady() {
            return Self::constant(value);
        }
        let rate = (self.rate - value * v.rate) / v.value;
        let second = (self.second - 2.0 * rate * v.rate - value * v.second) / v.value;
        Self {
            value,
            rate,
            second,
        }
    }

    pub(super) fn pow(self, v: Self) -> Self {
        let f = libm::pow(self.value, v.value);
        if v.is_steady() {
            let n = v.value;
            let df = gated(libm::pow(self.value, n - 1.0), n);
            let ddf = gated(libm::pow(self.value, n - 2.0), n * (n - 1.0));
            return self.through(f, df, ddf);
        }
        // u^v = exp(w), w = v ln u: (e^w)' = e^w w', (e^w)'' = e^w (w'² + w'').
        let w = v.mul(self.ln());
        Self {
            value: f,
            rate: f * w.rate,
            second: f * (w.rate * w.rate + w.second),
        }
    }

    pub(super) fn sin(self) -> Self {
        let (s, c) = libm::sincos(self.value);
        self.through(s, c, -s)
    }

    pub(super) fn cos(self) -> Self {
        let (s, c) = libm::sincos(self.value);
        self.through(c, -s, -c)
    }

    pub(super) fn tan(self) -> Self {
        let f = libm::tan(self.value);
        let df = 1.0 + f * f;
        self.through(f, df, 2.0 * f * df)
    }

    pub(super) fn asin(self) -> Self {
        let u = self.value;
        let df = 1.0 / ((1.0 - u) * (1.0 + u)).sqrt();
        self.through(libm::asin(u), df, u * df * df * df)
    }

    pub(super) fn acos(self) -> Self {
        let u = self.value;
        let df = -1.0 / ((1.0 - u) * (1.0 + u)).sqrt();
        self.through(libm::acos(u), df, u * df * df * df)
    }

    pub(super) fn atan(self) -> Self {
        let u = self.value;
        let df = 1.0 / (1.0 + u * u);
        self.through(libm::atan(u), df, -2.0 * u * df * df)
    }

    pub(super) fn sqrt(self) -> Self {
        let f = self.value.sqrt();
        self.through(f, 0.5 / f, -0.25 / (f * self.value))
    }

    pub(super) fn exp(self) -> Self {
        let f = libm::exp(self.value);
        self.through(f, f, f)
    }

    pub(super) fn ln(self) -> Self {
        let u = self.value;
        self.through(libm::log(u), 1.0 / u, -1.0 / (u * u))
    }

    pub(super) fn floor(self) -> Self {
        Self::constant(self.value.floor())
    }

    pub(super) fn abs(self) -> Self {
        if self.order_just_after(Self::constant(0.0)) == Ordering::Less {
            self.neg()
        } else {
            self
        }
    }

    pub(super) fn min(self, v: Self) -> Self {
        if self.value.is_nan() || self.order_just_after(v) == Ordering::Less {
            self
        } else {
            v
        }
    }

    pub(super) fn max(self, v: Self) -> Self {
        if self.value.is_nan() || self.order_just_after(v) == Ordering::Greater {
            self
        } else {
            v
        }
    }

    /// The remainder of u/v that has the sign of v: mod(-0.25, 1) = 0.75.
    pub(super) fn modulo(self, v: Self) -> Self {
        let (u, m) = (self.value, v.value);
        let mut value = u % m;
        if value != 0.0 && (value < 0.0) != (m < 0.0) {
            value += m;
            if value == m {
                value = 0.0; // a remainder just below zero rounds up to the whole period
            }
        }
        // mod(u, v) = u − n v with n constant between the jumps.
        let n = ((u - value) / m).round();
        Self {
            value,
            rate: self.rate - gated(n, v.rate),
            second: self.second - gated(n, v.second),
        }
    }

    pub(super) fn truth(yes: bool) -> Self {
        Self::constant(if yes { 1.0 } else { 0.0 })
    }

    /// How u and v compare at t, and where they are equal, just after it.
    fn order_just_after(self, v: Self) -> Ordering {
        let by = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
        by(self.value, v.value)
            .then(by(self.rate, v.rate))
            .then(by(self.second, v.second))
    }
}

/// `coefficient * x`, and 0 where x is 0 even if the coefficient is infinite.
fn gated(coefficient: f64, x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { coefficient * x }
}
