//! Four numbers at once: the same bits as four numbers one after the other, whatever the machine's vectors are.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// How many contacts are swept at once.
pub(super) const LANES: usize = 4;

/// Four numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Lane(pub(super) [f64; LANES]);

/// Four answers to a question: all bits are set where it is so.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Mask([u64; LANES]);

/// A function of each lane.
macro_rules! each {
    ($i:ident => $value:expr) => {{
        let mut out = [Default::default(); LANES];
        for $i in 0..LANES {
            out[$i] = $value;
        }
        out
    }};
}

impl Lane {
    pub(super) const ZERO: Self = Self([0.0; LANES]);

    #[inline(always)]
    pub(super) const fn splat(v: f64) -> Self {
        Self([v; LANES])
    }

    #[inline(always)]
    pub(super) fn sqrt(self) -> Self {
        Self(each!(i => self.0[i].sqrt()))
    }

    #[inline(always)]
    pub(super) fn abs(self) -> Self {
        Self(each!(i => self.0[i].abs()))
    }

    /// The larger of two; `other` where this is no number.
    #[inline(always)]
    pub(super) fn max(self, other: Self) -> Self {
        self.above(other).choose(self, other)
    }

    #[inline(always)]
    pub(super) fn above(self, other: Self) -> Mask {
        Mask(each!(i => if self.0[i] > other.0[i] { u64::MAX } else { 0 }))
    }

    #[inline(always)]
    pub(super) fn at_most(self, other: Self) -> Mask {
        Mask(each!(i => if self.0[i] <= other.0[i] { u64::MAX } else { 0 }))
    }

    /// The sum of the four, from the first to the last.
    #[inline(always)]
    pub(super) fn sum(self) -> f64 {
        let [a, b, c, d] = self.0;
        ((a + b) + c) + d
    }

    /// The largest of the four and zero.
    #[inline(always)]
    pub(super) fn largest(self) -> f64 {
        self.0.iter().fold(0.0, |most, &v| f64::max(most, v))
    }
}

impl Mask {
    /// `yes` where it is so, else `no`.
    #[inline(always)]
    pub(super) fn choose(self, yes: Lane, no: Lane) -> Lane {
        Lane(each!(i => {
            f64::from_bits((self.0[i] & yes.0[i].to_bits()) | (!self.0[i] & no.0[i].to_bits()))
        }))
    }

    #[inline(always)]
    pub(super) fn and(self, other: Self) -> Self {
        Self(each!(i => self.0[i] & other.0[i]))
    }

    #[inline(always)]
    pub(super) fn not(self) -> Self {
        Self(each!(i => !self.0[i]))
    }

    #[inline(always)]
    pub(super) fn any(self) -> bool {
        let [a, b, c, d] = self.0;
        (a | b | c | d) != 0
    }
}

macro_rules! operator {
    ($trait:ident, $name:ident, $op:tt) => {
        impl $trait for Lane {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self(each!(i => self.0[i] $op other.0[i]))
            }
        }
    };
}

operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

impl Neg for Lane {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(each!(i => -self.0[i]))
    }
}

impl AddAssign for Lane {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
