//! Residuals of the law for one step.

/// The kinds of residual, in the order of [`Certificate::residuals`].
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
    /// Friction against the slip: distance from maximal dissipation. Normals that lean: what that does to velocities.
    Direction,
    /// Joints, limits, motors, dry friction and springs against their laws.
    Joint,
}

/// What the judge found in one step. Every residual is a velocity, m/s, so that one tolerance fits all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Certificate {
    /// One number for each [`Residual`], in its order.
    pub residuals: [f64; Residual::ALL.len()],
    /// Deepest true penetration of any pair at the end of the step, m (0 where none).
    pub penetration: f64,
    /// Largest speed of a free body, before the step or after it, m/s: the tolerance of an island scales with max(1 m/s, |ν|) of its own
    /// bodies.
    pub speed: f64,
    /// The equalities (momentum, map, norm, prescribed, geometry) hold by construction, so they are held
    /// to rounding: the largest residual in units of its own rounding bound. Above 1 a number was
    /// changed or lost, however small the residual is in m/s.
    pub rounding: f64,
    /// Largest rounding of a gap, divided by h, m/s: no residual of the law of its island is known better than this. Far below
    /// the tolerance except for very small h (2e-8 m/s for a body of 1 m at h = 1e-6 s).
    pub floor: f64,
    /// The least tolerance at which the laws hold: the largest (residual − floor)/max(1 m/s, |ν|) of any contact, joint or
    /// pair of bodies, with floor and speed of its own island.
    pub needs: f64,
    /// The largest overlap that a pair was allowed which does overlap, m: what its rows, linear in the step, cannot see.
    pub allowed: f64,
}

/// What the bound of an island's residuals is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bound {
    /// Speed of its fastest free body, before the step or after it, m/s.
    pub speed: f64,
    /// Largest rounding of a gap or a joint's coordinate, divided by h, m/s.
    pub floor: f64,
}

impl Bound {
    /// tolerance·max(1 m/s, |ν|) + floor, m/s.
    #[must_use]
    pub fn at(&self, tolerance: f64) -> f64 {
        tolerance * self.speed.max(1.0) + self.floor
    }

    /// The least tolerance at which a residual, m/s, is within the bound.
    #[must_use]
    pub fn needs(&self, residual: f64) -> f64 {
        // Not `max`, which would lose a NaN.
        let beyond = residual - self.floor;
        if beyond <= 0.0 {
            0.0
        } else {
            beyond / self.speed.max(1.0)
        }
    }

    /// The wider of two, number by number.
    pub fn widen(&mut self, other: &Self) {
        take_larger(&mut self.speed, other.speed);
        take_larger(&mut self.floor, other.floor);
    }
}

/// Takes the larger of two; a NaN is kept.
fn take_larger(mine: &mut f64, other: f64) {
    if other > *mine || other.is_nan() {
        *mine = other;
    }
}

impl Residual {
    /// All kinds, in order.
    pub const ALL: [Self; 10] = [
        Self::Momentum,
        Self::Map,
        Self::Norm,
        Self::Prescribed,
        Self::Geometry,
        Self::Gap,
        Self::Complementarity,
        Self::Cone,
        Self::Direction,
        Self::Joint,
    ];

    /// What holds by construction.
    pub const EQUALITIES: [Self; 5] = [
        Self::Momentum,
        Self::Map,
        Self::Norm,
        Self::Prescribed,
        Self::Geometry,
    ];

    /// The laws of contacts and joints; the others are equalities.
    pub const LAW: [Self; 5] = [
        Self::Gap,
        Self::Complementarity,
        Self::Cone,
        Self::Direction,
        Self::Joint,
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
            Self::Joint => "joint",
        }
    }
}

impl Certificate {
    /// The largest residual and its kind.
    #[must_use]
    pub fn worst(&self) -> (Residual, f64) {
        self.worst_among(&Residual::ALL)
    }

    /// Does the law (gap, complementarity, cone, direction, joint) hold within the bound of each island, and
    /// every equality to rounding?
    #[must_use]
    pub fn holds(&self, tolerance: f64) -> bool {
        self.rounding <= 1.0 && self.needs <= tolerance
    }

    /// Does every residual, of laws and equalities alike, stay within the bound that `accept` sets? Never where that is zero.
    #[must_use]
    pub fn is_within(&self, accept: f64) -> bool {
        let equal = self.rounding <= 1.0 || self.worst_of_equalities().1 <= accept;
        accept > 0.0 && self.needs <= accept && equal
    }

    /// tolerance·max(1 m/s, |ν|) + floor with the largest of both, m/s: no bound that was used in this step is wider.
    #[must_use]
    pub fn bound(&self, tolerance: f64) -> f64 {
        let widest = Bound {
            speed: self.speed,
            floor: self.floor,
        };
        widest.at(tolerance)
    }

    /// The bound of the residual that needs the widest tolerance, m/s, if it is `residual`.
    #[must_use]
    pub fn bound_of(&self, residual: f64, tolerance: f64) -> f64 {
        if self.needs > tolerance {
            residual * (tolerance / self.needs)
        } else {
            self.bound(tolerance)
        }
    }

    /// The largest residual of the laws (not of the equalities) and its kind.
    #[must_use]
    pub fn worst_of_law(&self) -> (Residual, f64) {
        self.worst_among(&Residual::LAW)
    }

    /// The largest residual of the equalities and its kind.
    #[must_use]
    pub fn worst_of_equalities(&self) -> (Residual, f64) {
        self.worst_among(&Residual::EQUALITIES)
    }

    fn worst_among(&self, kinds: &[Residual]) -> (Residual, f64) {
        let mut worst = (kinds[0], 0.0);
        for &kind in kinds {
            let value = self.get(kind);
            // A NaN is the worst of all, and once found it stays.
            if value > worst.1 || (value.is_nan() && !f64::is_nan(worst.1)) {
                worst = (kind, value);
            }
        }
        worst
    }

    /// The worse of two, number by number: what holds for several steps at once.
    pub fn join(&mut self, other: &Self) {
        for (kind, value) in Residual::ALL.into_iter().zip(other.residuals) {
            self.raise(kind, value);
        }
        let pairs = [
            (&mut self.penetration, other.penetration),
            (&mut self.speed, other.speed),
            (&mut self.rounding, other.rounding),
            (&mut self.floor, other.floor),
            (&mut self.needs, other.needs),
            (&mut self.allowed, other.allowed),
        ];
        for (mine, theirs) in pairs {
            take_larger(mine, theirs);
        }
    }

    /// One residual, m/s.
    #[must_use]
    pub fn get(&self, kind: Residual) -> f64 {
        self.residuals[kind as usize]
    }

    /// Takes the larger of the residual so far and `value`; a NaN is kept.
    pub fn raise(&mut self, kind: Residual, value: f64) {
        take_larger(&mut self.residuals[kind as usize], value);
    }

    /// The same for a law, whose bound is that of its island.
    pub fn raise_law(&mut self, kind: Residual, value: f64, bound: &Bound) {
        self.raise(kind, value);
        take_larger(&mut self.needs, bound.needs(value));
    }

    /// Remembers the widest of the bounds.
    pub fn widen(&mut self, bound: &Bound) {
        take_larger(&mut self.speed, bound.speed);
        take_larger(&mut self.floor, bound.floor);
    }

    /// Takes note of an overlap and of what a pair was allowed, m.
    pub fn note_overlap(&mut self, depth: f64, allowed: f64) {
        take_larger(&mut self.penetration, depth);
        if depth > 0.0 {
            take_larger(&mut self.allowed, allowed);
        }
    }

    /// The same for an equality, whose rounding bound is `rounding` (same unit).
    pub fn raise_equality(&mut self, kind: Residual, value: f64, rounding: f64) {
        self.raise(kind, value);
        let ratio = value / rounding;
        if value != 0.0 && (ratio > self.rounding || ratio.is_nan()) {
            self.rounding = ratio;
        }
    }
}
