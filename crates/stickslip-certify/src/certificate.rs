//! Residuals of the law for one step.

/// The kinds of residual, in the order of [`Certificate::values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Residual {
    /// Newton-Euler: M(ν⁺ − ν) = h k + W p, as a velocity.
    Momentum,
    /// The map from velocity to pose, divided by h.
    Map,
    /// | |q| − 1 | of the quaternions.
    Norm,
    /// Prescribed bodies against their motion, as a velocity.
    Prescribed,
    /// Stored points, normals and gaps against the shapes, divided by h.
    Geometry,
    /// −min(0, ψ/h + u_n): the gap at the end of the step, linearised.
    Gap,
    /// min(p_n/m_eff, ψ/h + u_n) and −min(0, p_n).
    Complementarity,
    /// (|p_t| − μ p_n)₊ / m_eff.
    Cone,
    /// Friction against the slip: distance from maximal dissipation.
    Direction,
}

/// What the judge found in one step. Every residual is a velocity, m/s, so that one tolerance fits all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Certificate {
    /// One number for each [`Residual`], in its order.
    pub residuals: [f64; Residual::ALL.len()],
    /// Deepest true penetration of any pair at the end of the step, m (0 where none).
    pub penetration: f64,
    /// Largest body speed, m/s: the tolerance scales with max(1 m/s, |ν|).
    pub speed: f64,
}

impl Residual {
    /// All kinds, in order.
    pub const ALL: [Self; 9] = [
        Self::Momentum,
        Self::Map,
        Self::Norm,
        Self::Prescribed,
        Self::Geometry,
        Self::Gap,
        Self::Complementarity,
        Self::Cone,
        Self::Direction,
    ];

    /// Name in files and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Momentum => "momentum",
            Self::Map => "map",
            Self::Norm => "norm",
            Self::Prescribed => "prescribed",
            Self::Geometry => "geometry",
            Self::Gap => "gap",
            Self::Complementarity => "complementarity",
            Self::Cone => "cone",
            Self::Direction => "direction",
        }
    }
}

impl Certificate {
    /// The largest residual and its kind.
    #[must_use]
    pub fn worst(&self) -> (Residual, f64) {
        let mut worst = (Residual::Momentum, 0.0);
        for (kind, &value) in Residual::ALL.iter().zip(&self.residuals) {
            // A NaN is the worst of all.
            if value > worst.1 || value.is_nan() {
                worst = (*kind, value);
            }
        }
        worst
    }

    /// Is every residual within `tolerance`·max(1 m/s, |ν|)?
    #[must_use]
    pub fn holds(&self, tolerance: f64) -> bool {
        let bound = tolerance * self.speed.max(1.0);
        self.residuals.iter().all(|r| *r <= bound) && self.penetration.is_finite()
    }
}
