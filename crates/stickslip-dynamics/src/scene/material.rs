//! Friction, restitution and moments, of bodies and of pairs.

use stickslip_model::{Friction, Moments, SlipCurve};

/// What two surfaces do to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coulomb friction.
    pub friction: Friction,
    /// Part of the compression's normal impulse that an impact gives back, from 0 to 1 (Poisson).
    pub restitution: f64,
    /// Torsional friction and rolling resistance.
    pub moments: Moments,
}

/// Friction by the speed of the slip, in place of a coefficient.
#[derive(Clone, Debug, PartialEq)]
pub enum Curve {
    /// μ_k + (μ_s − μ_k) exp(−v/speed).
    Stribeck {
        /// μ_s: at rest.
        stick: f64,
        /// μ_k: at high speed.
        slide: f64,
        /// m/s.
        speed: f64,
    },
    /// Straight lines.
    Table {
        /// Rising speeds from 0, m/s.
        speeds: Vec<f64>,
        /// As many coefficients.
        values: Vec<f64>,
    },
}

impl Curve {
    /// As a function.
    #[must_use]
    pub fn function(&self) -> SlipCurve {
        match self {
            Self::Stribeck {
                stick,
                slide,
                speed,
            } => SlipCurve::stribeck(*stick, *slide, *speed),
            Self::Table { speeds, values } => SlipCurve::table(speeds.clone(), values.clone()),
        }
    }

    /// The coefficient at rest.
    #[must_use]
    pub fn at_rest(&self) -> Friction {
        Friction::same(self.function().at(0.0))
    }
}

impl Default for Material {
    /// Frictionless, and impacts without rebound.
    fn default() -> Self {
        Self {
            friction: Friction::same(0.0),
            restitution: 0.0,
            moments: Moments::default(),
        }
    }
}

impl Material {
    /// How two bodies' materials combine where the pair has no entry of its own: the larger of the
    /// two, for each coefficient.
    #[must_use]
    pub fn combined(self, other: Self) -> Self {
        Self {
            friction: Friction {
                stick: self.friction.stick.max(other.friction.stick),
                slide: self.friction.slide.max(other.friction.slide),
            },
            restitution: self.restitution.max(other.restitution),
            moments: self.moments.combined(other.moments),
        }
    }
}

/// A `[[pair]]` entry: what holds between bodies of two materials.
#[derive(Clone, Debug, PartialEq)]
pub struct PairOfMaterials {
    /// The names of the materials.
    pub materials: [String; 2],
    /// Friction, if the entry gives it.
    pub friction: Option<Friction>,
    /// Friction by the speed of the slip, if the entry gives that; `friction` is then the one at rest.
    pub curve: Option<Curve>,
    /// Restitution, if the entry gives it.
    pub restitution: Option<f64>,
    /// Radius of torsional friction, m, if the entry gives it.
    pub torsion: Option<f64>,
    /// Rolling resistance, m, if the entry gives it.
    pub rolling: Option<f64>,
    /// The bytes of the file to point at in messages.
    pub span: std::ops::Range<usize>,
}

/// A `[[contact]]` entry: what holds for one pair of bodies, whatever the bodies say.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactPair {
    /// The names of the two bodies.
    pub bodies: [String; 2],
    /// May the two collide at all?
    pub collide: bool,
    /// Friction of the pair, if the entry gives it.
    pub friction: Option<Friction>,
    /// Restitution of the pair, if the entry gives it.
    pub restitution: Option<f64>,
    /// Radius of torsional friction of the pair, m, if the entry gives it.
    pub torsion: Option<f64>,
    /// Rolling resistance of the pair, m, if the entry gives it.
    pub rolling: Option<f64>,
    /// Its friction by the speed of the slip, if the entry gives that; `friction` is then the one at rest.
    pub curve: Option<Curve>,
    /// The bytes of the file to point at in messages.
    pub span: std::ops::Range<usize>,
}

impl ContactPair {
    /// True if this entry is about these two bodies, in either order.
    #[must_use]
    pub fn is_between(&self, a: &str, b: &str) -> bool {
        let [first, second] = &self.bodies;
        (first == a && second == b) || (first == b && second == a)
    }
}
