//! Numbers of 32 digits, as the sum of two f64 (Dekker 1971), and vectors of them.

use glam::DVec3;
use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Long {
    pub(crate) high: f64,
    low: f64,
}

/// a + b without error, |a| ≥ |b|.
fn sum_of_ordered(a: f64, b: f64) -> Long {
    let high = a + b;
    Long {
        high,
        low: b - (high - a),
    }
}

impl Long {
    pub(crate) const ZERO: Self = Self {
        high: 0.0,
        low: 0.0,
    };

    pub(crate) fn sqrt(self) -> Self {
        if self.high <= 0.0 {
            return Self::ZERO;
        }
        let x = Self::from(self.high.sqrt());
        x + (self - x * x) / (x + x)
    }

    pub(crate) fn max(self, other: Self) -> Self {
        if (other - self).high > 0.0 {
            other
        } else {
            self
        }
    }
}

impl From<f64> for Long {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Add for Long {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let high = self.high + other.high;
        let part = high - self.high;
        let error = (self.high - (high - part)) + (other.high - part);
        sum_of_ordered(high, error + self.low + other.low)
    }
}

impl Neg for Long {
    type Output = Self;
    fn neg(self) -> Self {
        Self {
            high: -self.high,
            low: -self.low,
        }
    }
}

impl Sub for Long {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Long {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = self.high * other.high;
        let error = self.high.mul_add(other.high, -high);
        sum_of_ordered(high, error + self.high * other.low + self.low * other.high)
    }
}

impl Div for Long {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Self::from(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::from(second);
        sum_of_ordered(first, second) + Self::from(rest.high / other.high)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector(pub(crate) [Long; 3]);

impl Vector {
    pub(crate) const ZERO: Self = Self([Long::ZERO; 3]);

    pub(crate) fn dot(self, other: Self) -> Long {
        (0..3).fold(Long::ZERO, |sum, k| sum + self.0[k] * other.0[k])
    }

    pub(crate) fn scaled(self, by: Long) -> Self {
        Self(self.0.map(|x| x * by))
    }

    pub(crate) fn length(self) -> Long {
        self.dot(self).sqrt()
    }

    pub(crate) fn unit(self) -> Self {
        let length = self.length();
        Self(self.0.map(|x| x / length))
    }

    /// Without its part along the unit vector `axis`.
    pub(crate) fn across(self, axis: Self) -> Self {
        self - axis.scaled(self.dot(axis))
    }

    pub(crate) fn short(self) -> DVec3 {
        DVec3::from_array(self.0.map(|x| x.high))
    }
}

impl From<DVec3> for Vector {
    fn from(v: DVec3) -> Self {
        Self(v.to_array().map(Long::from))
    }
}

impl Add for Vector {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] + other.0[k]))
    }
}

impl Neg for Vector {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
}

impl Sub for Vector {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

#[test]
fn thirty_digits() {
    let third = Long::from(1.0) / Long::from(3.0);
    let error = third * Long::from(3.0) - Long::from(1.0);
    assert!(error.high.abs() < 1e-31, "{error:?}");
    let root = Long::from(2.0).sqrt();
    let error = root * root - Long::from(2.0);
    assert!(error.high.abs() < 1e-30, "{error:?}");
}
