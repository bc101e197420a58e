//! Table 1: for which c each edge of a friction cone may carry force.

/// A closed interval of c, N; empty where `lo > hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end, may be -∞.
    pub lo: f64,
    /// Upper end, may be +∞.
    pub hi: f64,
}

impl Interval {
    /// All c.
    pub const ALL: Self = Self {
        lo: f64::NEG_INFINITY,
        hi: f64::INFINITY,
    };
    /// No c.
    pub const EMPTY: Self = Self {
        lo: f64::INFINITY,
        hi: f64::NEG_INFINITY,
    };

    /// Whether `other` lies inside, to a distance `slack` at the ends.
    #[must_use]
    pub fn covers(&self, other: Self, slack: f64) -> bool {
        self.lo <= other.lo + slack && other.hi <= self.hi + slack
    }
}

/// The validity intervals (I⁺, I⁻) of the edges Δn + μ v_f and Δn - μ v_f of one contact, by Table 1.
///
/// The arguments are the signs of v·v_f, of t_c·v_f and of F_i·v_f, and the number c_i of (10). Where the table has a
/// dash the argument is not looked at.
///
/// The rule behind the seven rows: friction opposes sliding. A contact that slides along +v_f (by velocity, or from
/// standstill by acceleration) can only use the edge with -μ v_f, and the reverse; one that does neither may use both.
#[must_use]
pub fn validity(v_vf: i8, tc_vf: i8, fi_vf: i8, c_i: f64) -> (Interval, Interval) {
    let below = Interval {
        lo: f64::NEG_INFINITY,
        hi: c_i,
    };
    let above = Interval {
        lo: c_i,
        hi: f64::INFINITY,
    };
    match (v_vf.signum(), tc_vf.signum(), fi_vf.signum()) {
        (1, _, _) => (Interval::EMPTY, Interval::ALL),
        (-1, _, _) => (Interval::ALL, Interval::EMPTY),
        (_, 1, _) => (below, above),
        (_, -1, _) => (above, below),
        (_, _, 1) => (Interval::EMPTY, Interval::ALL),
        (_, _, -1) => (Interval::ALL, Interval::EMPTY),
        _ => (Interval::ALL, Interval::ALL),
    }
}
