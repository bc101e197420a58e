//! The problem of one step: blocks of rows on a block-diagonal mass, each with its own law.

use glam::{DMat3, DVec3};

use super::arms::Arms;

/// Mass of one free body, kept inverted: the only form a step needs.
///
/// M_b = diag(m I₃, I_W) in the world frame at the start of the step; columns ordered (v, ω).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InverseMass {
    /// 1/m, in 1/kg.
    pub mass: f64,
    /// I_W⁻¹, in 1/(kg m²), symmetric positive definite (zero for a point without rotation).
    pub inertia: DMat3,
}

/// Velocity of one body: linear velocity of the centre of mass and angular velocity, world frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// v, in m/s.
    pub linear: DVec3,
    /// ω, in rad/s.
    pub angular: DVec3,
}

impl Twist {
    /// Largest difference of a body's velocities in two lists, m/s or rad/s.
    #[must_use]
    pub fn largest_difference(a: &[Self], b: &[Self]) -> f64 {
        a.iter().zip(b).fold(0.0, |most, (a, b)| {
            let (v, w) = (a.linear - b.linear, a.angular - b.angular);
            f64::max(most, v.length()).max(w.length())
        })
    }
}

/// The most directions of a friction pyramid.
pub const MOST_DIRECTIONS: usize = 4096;

/// The law that the three (or fewer) rows of one block obey.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// 0 ≤ p_n ⟂ u_n ≥ 0 and no friction.
    Unilateral,
    /// Signorini on the normal, Coulomb with maximal dissipation on the quadratic cone |p_t| ≤ μ p_n.
    Cone {
        /// Coefficient of friction, ≥ 0.
        mu: f64,
    },
    /// Signorini on the normal, Coulomb on the pyramid conv{±…} of `directions` unit directions
    /// d_j = cos(2πj/n_d) t₁ + sin(2πj/n_d) t₂: 0 ≤ β ⟂ Dᵀu_t + σ ≥ 0, 0 ≤ σ ⟂ μ p_n − Σβ ≥ 0.
    Pyramid {
        /// Coefficient of friction, ≥ 0.
        mu: f64,
        /// n_d directions over the whole circle, from 3 to [`MOST_DIRECTIONS`].
        directions: usize,
    },
    /// Each row k on its own: p_k in [lo_k, hi_k], with u_k = 0 inside, u_k ≥ 0 at lo_k and u_k ≤ 0
    /// at hi_k. Infinite bounds make a bilateral row (a joint), lo = hi = 0 an absent one, finite
    /// bounds a motor with a limit or dry joint friction.
    Bounded {
        /// Lower bounds, N s; may be −∞.
        lo: DVec3,
        /// Upper bounds, N s, ≥ lo; may be +∞.
        hi: DVec3,
    },
    /// Friction under a normal impulse that is already known: p_n = 0, p_t in the disc of `radius` (or in the
    /// polygon of `directions` inscribed in it), against the slip: p_t·(d − p_t/r) maximal dissipation.
    Disc {
        /// Largest |p_t|, N s, ≥ 0.
        radius: f64,
        /// Directions of the polygon, as those of a pyramid; `None` for the round disc.
        directions: Option<usize>,
    },
    /// The forces of a contact that bears moments too: Signorini on the normal, and friction that shares its bound with the
    /// moments, which are the rows of a block of their own ([`Law::Moments`]).
    Soft {
        /// Coefficient of friction, ≥ 0.
        mu: f64,
    },
    /// The moments of the soft contact `of`: the spin about its normal, s = m_n/r, and rolling, m_t/ℓ, with the lengths r and ℓ in the
    /// block's frame, so that all impulses are in N s.
    ///
    /// ```text
    ///   |(p_t, s)| ≤ μ p_n against (u_t, r ω_n),      |m_t/ℓ| ≤ roll p_n against ℓ ω_t :
    /// ```
    ///
    /// one ball for sliding and spinning, a disc for rolling, each with maximal dissipation.
    Moments {
        /// Number of the contact's block.
        of: usize,
        /// Does it resist a spin? Otherwise s = 0.
        spin: bool,
        /// Coefficient of rolling resistance (a length) over ℓ, ≥ 0.
        roll: f64,
    },
}

impl Law {
    /// The block whose marked rows are bilateral (u_k = 0, p_k free) and whose others are absent.
    #[must_use]
    pub fn bilateral(rows: [bool; 3]) -> Self {
        let bound = |on: bool| if on { f64::INFINITY } else { 0.0 };
        let hi = DVec3::new(bound(rows[0]), bound(rows[1]), bound(rows[2]));
        Self::Bounded { lo: -hi, hi }
    }

    /// Coefficient of friction, 0 for laws without friction.
    #[must_use]
    pub fn friction(&self) -> f64 {
        match self {
            Self::Cone { mu } | Self::Pyramid { mu, .. } | Self::Soft { mu } => *mu,
            Self::Unilateral | Self::Bounded { .. } | Self::Disc { .. } | Self::Moments { .. } => {
                0.0
            }
        }
    }
}

/// One contact of a step: its frame, its arms on the free bodies, its right-hand side and its law.
///
/// The contact's velocity is u = Wᵀν + b + C p, in the frame (n, t₁, t₂). For a contact at gap ψ,
/// b_n = ψ/h; b_t = − (velocity of a prescribed body at the point), in m/s, and C = 0. A spring of
/// stiffness γ and damping δ is a bilateral row of compliance C = 1/(h²γ + hδ).
#[derive(Clone, Debug, PartialEq)]
pub struct ContactBlock {
    /// Rows n, t₁, t₂: an orthonormal right-handed frame in the world. Rows with bounds
    /// ([`Law::Bounded`]) may have any three directions, also scaled ones; those of moments are perpendicular, as long as r, ℓ and ℓ. On a round cone t₂ may be scaled by κ: in the world the
    /// cone is then elliptic, |(p₁, p₂/κ)| ≤ μ p_n.
    pub frame: [DVec3; 3],
    /// One arm or two (a contact with a prescribed body has one); up to four of a row that couples joints.
    pub arms: Arms,
    /// b, in m/s.
    pub b: DVec3,
    /// C ≥ 0, one number for each row, 1/kg; zero where the row is rigid.
    pub compliance: DVec3,
    /// The law of the block.
    pub law: Law,
}

/// Frictional contact over one step: find ν⁺ and p with
///
/// ```text
///   M (ν⁺ − ν_free) = W p,      u = Wᵀν⁺ + b + C p,      (p, u) in the law of each block.
/// ```
///
/// Impulses p are in N s, in each block's frame (n, t₁, t₂).
#[derive(Debug, Default, PartialEq)]
pub struct ContactProblem {
    /// M⁻¹, one block for each free body.
    pub inverse_mass: Vec<InverseMass>,
    /// ν_free: velocity at the end of the step if no contact acted.
    pub nu_free: Vec<Twist>,
    /// The contacts.
    pub contacts: Vec<ContactBlock>,
    /// The least residual to be asked of each contact's island, m/s: b is not known better. Empty where nothing hinders.
    pub floors: Vec<f64>,
}

impl Clone for ContactProblem {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Memory is kept: `auto` copies the problem of every step.
    fn clone_from(&mut self, other: &Self) {
        let Self {
            inverse_mass,
            nu_free,
            contacts,
            floors,
        } = other;
        self.inverse_mass.clone_from(inverse_mass);
        self.nu_free.clone_from(nu_free);
        self.contacts.clone_from(contacts);
        self.floors.clone_from(floors);
    }
}

impl ContactBlock {
    /// World vector of the components `c` in the contact frame.
    #[must_use]
    pub fn to_world(&self, c: DVec3) -> DVec3 {
        self.frame[0] * c.x + self.frame[1] * c.y + self.frame[2] * c.z
    }

    /// Components of the world vector `w` in the contact frame.
    #[must_use]
    pub fn to_contact(&self, w: DVec3) -> DVec3 {
        DVec3::new(
            self.frame[0].dot(w),
            self.frame[1].dot(w),
            self.frame[2].dot(w),
        )
    }

    /// Wᵀν + b in the contact frame, m/s: u of a rigid contact.
    #[must_use]
    pub fn velocity(&self, nu: &[Twist]) -> DVec3 {
        let mut world = DVec3::ZERO;
        for arm in self.arms.iter().flatten() {
            world += arm.velocity(&nu[arm.body]);
        }
        self.to_contact(world) + self.b
    }

    /// u = Wᵀν + b + C p in the contact frame, m/s.
    #[must_use]
    pub fn velocity_at(&self, nu: &[Twist], p: DVec3) -> DVec3 {
        self.velocity(nu) + self.compliance * p
    }

    /// D_ii of the contact alone, compliance included: WᵀM⁻¹W + C, in 1/kg.
    #[must_use]
    pub fn diagonal(&self, inverse_mass: &[InverseMass]) -> DMat3 {
        let columns = self.frame.map(|d| {
            let mut world = DVec3::ZERO;
            for arm in self.arms.iter().flatten() {
                world += arm.velocity(&arm.response(&inverse_mass[arm.body], d));
            }
            self.to_contact(world)
        });
        DMat3::from_cols(columns[0], columns[1], columns[2]) + DMat3::from_diagonal(self.compliance)
    }
}

impl ContactProblem {
    /// What is asked of the island of these contacts, m/s, where `tolerance` is asked of all.
    pub(crate) fn asked_of(&self, members: &[usize], tolerance: f64) -> f64 {
        let floors = members.iter().filter_map(|&i| self.floors.get(i));
        floors.fold(tolerance, |most, &floor| most.max(floor))
    }

    /// ν = ν_free + M⁻¹ W p, written into `nu`: the velocity that the impulses give.
    pub fn velocity_into(&self, p: &[DVec3], nu: &mut Vec<Twist>) {
        nu.clear();
        nu.extend_from_slice(&self.nu_free);
        for (contact, &p_i) in self.contacts.iter().zip(p) {
            self.add_impulse(contact, p_i, nu);
        }
    }

    /// ν += M⁻¹ W dp for the impulse `dp` on one contact.
    pub fn add_impulse(&self, contact: &ContactBlock, dp: DVec3, nu: &mut [Twist]) {
        let world = contact.to_world(dp);
        for arm in contact.arms.iter().flatten() {
            let d = arm.response(&self.inverse_mass[arm.body], world);
            nu[arm.body].linear += d.linear;
            nu[arm.body].angular += d.angular;
        }
    }

    /// Checks that the problem is well posed as data: finite numbers, bodies that exist, orthonormal
    /// frames (to 1e-6), C ≥ 0, μ ≥ 0, n_d ≥ 3, lo ≤ hi.
    ///
    /// # Errors
    /// One sentence that names the first contact or body at fault.
    pub fn validate(&self) -> Result<(), String> {
        if self.inverse_mass.len() != self.nu_free.len() {
            return Err(format!(
                "{} masses but {} velocities",
                self.inverse_mass.len(),
                self.nu_free.len()
            ));
        }
        for (b, (mass, nu)) in self.inverse_mass.iter().zip(&self.nu_free).enumerate() {
            let finite = mass.mass.is_finite() && mass.inertia.is_finite();
            if !finite || mass.mass < 0.0 {
                return Err(format!("inverse mass of body {b} is not finite and >= 0"));
            }
            if !nu.linear.is_finite() || !nu.angular.is_finite() {
                return Err(format!("velocity of body {b} is not finite"));
            }
        }
        for (i, contact) in self.contacts.iter().enumerate() {
            contact
                .validate(self.inverse_mass.len())
                .map_err(|what| format!("contact {i}: {what}"))?;
        }
        super::soft::validate(&self.contacts)
    }
}

impl ContactBlock {
    /// Whether this is a block of a problem of `n_b` bodies.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn validate(&self, n_b: usize) -> Result<(), String> {
        let [n, t1, t2] = self.frame;
        if let Law::Moments { .. } = self.law {
            super::soft::validate_frame(&self.frame)?;
        } else if matches!(self.law, Law::Bounded { .. }) {
            if !self.frame.iter().all(|d| d.is_finite()) {
                return Err("a row's direction is not finite".into());
            }
        } else {
            // Of a round cone the second tangent may be scaled: then the cone is elliptic.
            let round = matches!(
                self.law,
                Law::Cone { .. }
                    | Law::Soft { .. }
                    | Law::Disc {
                        directions: None,
                        ..
                    }
            );
            let across = if round { t2.length() } else { 1.0 };
            let off = (n.dot(n) - 1.0).abs()
                + (t1.dot(t1) - 1.0).abs()
                + (t2.dot(t2) / (across * across) - 1.0).abs()
                + n.dot(t1).abs()
                + n.dot(t2).abs() / across
                + t1.dot(t2).abs() / across;
            if off.is_nan() || off > 1e-6 {
                return Err("frame is not orthonormal".into());
            }
        }
        if !self.b.is_finite() {
            return Err("right-hand side b is not finite".into());
        }
        if !(self.compliance.is_finite() && self.compliance.min_element() >= 0.0) {
            return Err("compliance is not finite and >= 0".into());
        }
        for arm in self.arms.iter().flatten() {
            if arm.body >= n_b {
                return Err(format!("body {} of {n_b} does not exist", arm.body));
            }
            let wrench = arm.wrench(DVec3::ONE);
            if !(wrench.0.is_finite() && wrench.1.is_finite() && arm.lever.is_finite()) {
                return Err("arm is not finite".into());
            }
        }
        self.law.validate()
    }
}

impl Law {
    /// Checks μ ≥ 0 and finite, n_d ≥ 3, lo ≤ hi.
    ///
    /// # Errors
    /// One sentence on what is wrong.
    pub fn validate(&self) -> Result<(), String> {
        let friction = |mu: f64| {
            if mu >= 0.0 && mu.is_finite() {
                Ok(())
            } else {
                Err(format!(
                    "coefficient of friction {mu} is not finite and >= 0"
                ))
            }
        };
        let fan = |directions: usize| {
            if (3..=MOST_DIRECTIONS).contains(&directions) {
                Ok(())
            } else {
                Err(format!(
                    "{directions} friction directions; from 3 to {MOST_DIRECTIONS} are possible"
                ))
            }
        };
        match self {
            Self::Unilateral => Ok(()),
            Self::Cone { mu } | Self::Soft { mu } => friction(*mu),
            Self::Moments { roll, .. } => {
                if *roll >= 0.0 && roll.is_finite() {
                    Ok(())
                } else {
                    Err(format!("rolling resistance {roll} is not finite and >= 0"))
                }
            }
            Self::Pyramid { mu, directions } => {
                fan(*directions)?;
                friction(*mu)
            }
            Self::Disc { radius, directions } => {
                if !(*radius >= 0.0 && radius.is_finite()) {
                    return Err(format!("radius {radius} is not finite and >= 0"));
                }
                directions.map_or(Ok(()), fan)
            }
            Self::Bounded { lo, hi } => {
                // lo = +∞ or hi = −∞ leave no finite impulse; NaN fails every comparison.
                let good =
                    |lo: f64, hi: f64| lo <= hi && lo < f64::INFINITY && hi > f64::NEG_INFINITY;
                if good(lo.x, hi.x) && good(lo.y, hi.y) && good(lo.z, hi.z) {
                    Ok(())
                } else {
                    Err(format!("bounds {lo} .. {hi} are not ordered"))
                }
            }
        }
    }
}
