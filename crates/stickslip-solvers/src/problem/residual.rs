//! Residuals: how far impulses are from the law, recomputed from the problem alone.

use crate::problem::law::{moved, project_cone, tangent};
use crate::problem::local::LocalProblem;
use crate::problem::soft;
use crate::problem::{ContactProblem, InverseMass, Law, Twist};
use glam::DVec3;

/// w̄ = tr(D_ii)/3 of a contact of a step, in 1/kg: the inverse of its effective mass.
///
/// For each arm the trace over the frame is Σ_k (1/m + (r×d_k)·I⁻¹(r×d_k)); the compliances add to it.
#[must_use]
pub fn w_bar(contact: &crate::problem::ContactBlock, inverse_mass: &[InverseMass]) -> f64 {
    let c = contact.compliance;
    // Three sums rather than a map over the frame: this is asked of every contact of every step.
    let [mut x, mut y, mut z] = [DVec3::ZERO; 3];
    let [n, t1, t2] = contact.frame;
    for arm in contact.arms.iter().flatten() {
        let inverse = &inverse_mass[arm.body];
        x += arm.velocity(&arm.response(inverse, n));
        y += arm.velocity(&arm.response(inverse, t1));
        z += arm.velocity(&arm.response(inverse, t2));
    }
    ((n.dot(x) + c.x) + (t1.dot(y) + c.y) + (t2.dot(z) + c.z)) / 3.0
}

/// Residual of the law at one contact, m/s: length of the natural map with ρ the effective mass.
///
/// Zero exactly where (p, u) satisfy the law. Small residuals mean: a gap rate or slip that is off
/// by so many m/s, or an impulse that is off by so many m/s times the effective mass.
///
/// The natural map sees the slip as μ|u_t|: under a steep cone the rounding of u_t counts μ times. There the law is taken by its
/// parts too, as the judge takes it, and the smaller of the two counts.
#[must_use]
pub fn of_contact(law: &Law, p: DVec3, u: DVec3, w_bar: f64) -> f64 {
    let natural = law.natural_map(p, u, w_bar).length();
    match law {
        Law::Cone { mu } if *mu > STEEP => by_parts(*mu, p * w_bar, u).min(natural),
        // Friction is judged with the moments, which share its bound.
        Law::Soft { .. } => (p.x * w_bar).min(u.x).abs(),
        Law::Moments { .. } => 0.0,
        _ => natural,
    }
}

/// Coefficient of friction above which a cone is steep.
pub(crate) const STEEP: f64 = 10.0;

/// Signorini's law on the normal, x_n − (x_n − u_n)₊, and maximal dissipation in the disc of radius μ x_n, x_t − P(x_t − u_t).
fn by_parts(mu: f64, x: DVec3, u: DVec3) -> f64 {
    let normal = x.x.min(u.x);
    let z = tangent(x) - tangent(u);
    let (length, radius) = (z.length(), mu * x.x.max(0.0));
    let inside = if length <= radius {
        z
    } else {
        z * (radius / length)
    };
    (normal * normal + (tangent(x) - inside).length_squared()).sqrt()
}

/// Residual of block `i` of a step at impulses `p` and velocities `nu`, m/s; with moments that of both blocks of the contact.
#[must_use]
pub fn of_block(problem: &ContactProblem, i: usize, p: &[DVec3], nu: &[Twist]) -> f64 {
    let contact = &problem.contacts[i];
    let u = contact.velocity_at(nu, p[i]);
    if let Law::Moments { of, spin, roll } = contact.law {
        let forces = &problem.contacts[of];
        let law = soft::SoftLaw {
            mu: forces.law.friction(),
            spin,
            roll,
        };
        let u = [forces.velocity_at(nu, p[of]), u];
        return law.residual([p[of], p[i]], u, w_bar(forces, &problem.inverse_mass));
    }
    of_contact(&contact.law, p[i], u, w_bar(contact, &problem.inverse_mass))
}

/// Largest residual over the contacts of a step at impulses `p`, m/s, with its contact; `nu` is
/// scratch memory and ends as the velocity the impulses give. Not finite impulses give infinity.
pub fn of_step(problem: &ContactProblem, p: &[DVec3], nu: &mut Vec<Twist>) -> (f64, usize) {
    problem.velocity_into(p, nu);
    let mut worst = (0.0, 0);
    for i in 0..problem.contacts.len() {
        let r = of_block(problem, i, p, nu);
        if !r.is_finite() {
            return (f64::INFINITY, i);
        }
        if r > worst.0 {
            worst = (r, i);
        }
    }
    worst
}

/// Largest residual over the contacts of a local problem, m/s, with its contact.
#[must_use]
pub fn of_local(problem: &LocalProblem, p: &[DVec3]) -> (f64, usize) {
    let mut worst = (0.0, 0);
    for i in 0..problem.len() {
        let u = problem.velocity(i, p);
        let r = of_contact(&problem.laws[i], p[i], u, problem.delassus.w_bar(i));
        if !r.is_finite() {
            return (f64::INFINITY, i);
        }
        if r > worst.0 {
            worst = (r, i);
        }
    }
    worst
}

/// The natural map of a whole local problem with ρ = 1, and the norms it is divided by.
///
/// That ρ is one whatever the units is how the FAF benchmark and Siconos define their errors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GlobalResidual {
    /// ‖F(p)‖₂ over all contacts.
    pub absolute: f64,
    /// ‖q‖₂.
    pub norm_q: f64,
    /// ‖p‖₂.
    pub norm_p: f64,
    /// ‖u‖₂.
    pub norm_u: f64,
}

impl GlobalResidual {
    /// Residual of `p` in the local problem.
    #[must_use]
    pub fn new(problem: &LocalProblem, p: &[DVec3]) -> Self {
        let mut squares = Squares::default();
        for (i, law) in problem.laws.iter().enumerate() {
            let u = problem.velocity(i, p);
            let f = match law {
                Law::Cone { mu } => of_cone(*mu, p[i], u),
                law => law.natural_map(p[i], u, 1.0),
            };
            squares.add(f, problem.q[i], p[i], u);
        }
        squares.norms()
    }

    /// Scaling of the FAF benchmark (RR-9118): divided by ‖q‖.
    #[must_use]
    pub fn faf(&self) -> f64 {
        divided(self.absolute, self.norm_q)
    }

    /// Scaling of Siconos 4.4: divided by max(‖q‖, ‖p‖, ‖u‖).
    #[must_use]
    pub fn siconos(&self) -> f64 {
        divided(self.absolute, self.norm_q.max(self.norm_p).max(self.norm_u))
    }

    /// What decides: at most `tolerance` where Siconos' scaling is, and the residual is small beside the data alone. Under
    /// heavy bodies |p| is so large that Siconos' scaling by itself says nothing of the velocities.
    #[must_use]
    pub fn against(&self, tolerance: f64) -> f64 {
        self.siconos().max(self.faf() * (tolerance / LARGEST_FAF))
    }
}

/// The natural map of a cone with ρ = 1.
#[inline(always)]
pub(crate) fn of_cone(mu: f64, p: DVec3, u: DVec3) -> DVec3 {
    // Open and not pressed: most contacts of a large problem.
    if p == DVec3::ZERO && u.x >= 0.0 {
        return DVec3::ZERO;
    }
    let shifted = u + DVec3::X * (mu * tangent(u).length());
    let z = p - shifted;
    moved(p, shifted, z, project_cone(mu, z))
}

/// Squares of the norms of a [`GlobalResidual`] while they are summed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Squares {
    f: f64,
    q: f64,
    p: f64,
    u: f64,
}

impl Squares {
    /// Adds a contact, where the natural map is `f`.
    #[inline(always)]
    pub(crate) fn add(&mut self, f: DVec3, q: DVec3, p: DVec3, u: DVec3) {
        self.f += f.length_squared();
        self.q += q.length_squared();
        self.p += p.length_squared();
        self.u += u.length_squared();
    }

    #[inline(always)]
    pub(crate) fn norms(&self) -> GlobalResidual {
        GlobalResidual {
            absolute: self.f.sqrt(),
            norm_q: self.q.sqrt(),
            norm_p: self.p.sqrt(),
            norm_u: self.u.sqrt(),
        }
    }
}

/// Natural map over |q| above which nothing counts as solved.
pub const LARGEST_FAF: f64 = 1e-5;

/// a/b, or a where b is below 1e-16: the convention of the collections.
pub(crate) fn divided(a: f64, b: f64) -> f64 {
    if b < 1e-16 { a } else { a / b }
}

/// The parts of the law, each in its own SI unit: at one contact, or the largest of several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LawParts {
    /// Approach speed left over, max(0, −u_n), m/s.
    pub penetration_rate: f64,
    /// Pull, max(0, −p_n), N s.
    pub pull: f64,
    /// Complementarity of the normal, min(p_n w̄, u_n) where both are positive, m/s.
    pub gap_with_impulse: f64,
    /// Impulse outside the friction cone, max(0, |p_t| − μ p_n), N s.
    pub cone_excess: f64,
    /// Lack of dissipation μ p_n |u_t| + p_t·u_t, J (zero for maximal dissipation).
    pub dissipation_gap: f64,
}

impl LawParts {
    /// Parts of Coulomb's law on the quadratic cone at impulse `p` and velocity `u`.
    #[must_use]
    pub fn of_cone(mu: f64, p: DVec3, u: DVec3, w_bar: f64) -> Self {
        let (p_t, u_t) = (tangent(p), tangent(u));
        Self {
            penetration_rate: (-u.x).max(0.0),
            pull: (-p.x).max(0.0),
            gap_with_impulse: (p.x * w_bar).min(u.x).max(0.0),
            cone_excess: (p_t.length() - mu * p.x).max(0.0),
            dissipation_gap: (mu * p.x.max(0.0) * u_t.length() + p_t.dot(u_t)).max(0.0),
        }
    }

    /// The largest of each part over all contacts on quadratic cones or without friction; other blocks have other laws.
    #[must_use]
    pub fn largest(problem: &LocalProblem, p: &[DVec3]) -> Self {
        let mut out = Self::default();
        let cone = |i: usize| matches!(problem.laws[i], Law::Cone { .. } | Law::Unilateral);
        for (i, &p_i) in p.iter().enumerate().filter(|&(i, _)| cone(i)) {
            let (mu, w_bar) = (problem.laws[i].friction(), problem.delassus.w_bar(i));
            let at = Self::of_cone(mu, p_i, problem.velocity(i, p), w_bar);
            out = Self {
                penetration_rate: out.penetration_rate.max(at.penetration_rate),
                pull: out.pull.max(at.pull),
                gap_with_impulse: out.gap_with_impulse.max(at.gap_with_impulse),
                cone_excess: out.cone_excess.max(at.cone_excess),
                dissipation_gap: out.dissipation_gap.max(at.dissipation_gap),
            };
        }
        out
    }
}
