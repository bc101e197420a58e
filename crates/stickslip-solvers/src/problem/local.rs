//! The problem reduced to its contacts: u = D p + q with a law for each contact.

use crate::problem::delassus::Delassus;
use crate::problem::{ContactProblem, Law, Twist};
use glam::DVec3;

/// Frictional contact in local form: find p and u with
///
/// ```text
///   u = D p + q,      (p_i, u_i) in the law of contact i,
/// ```
///
/// D the Delassus matrix (1/kg), q the velocity without impulses (m/s). With cone laws this is the FC3D problem of the
/// FCLIB collection, which calls the matrix W; D need not be exactly symmetric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocalProblem {
    /// D.
    pub delassus: Delassus,
    /// q, m/s.
    pub q: Vec<DVec3>,
    /// The laws.
    pub laws: Vec<Law>,
}

impl LocalProblem {
    /// Reduces the problem of a step to its contacts, reusing memory: q = Wᵀ ν_free + b.
    pub fn assemble(&mut self, problem: &ContactProblem) {
        self.delassus.assemble(problem);
        self.q.clear();
        self.q.extend(
            problem
                .contacts
                .iter()
                .map(|c| c.velocity(&problem.nu_free)),
        );
        self.laws.clear();
        self.laws
            .extend(problem.contacts.iter().map(|c| c.law.clone()));
    }

    /// μ of each contact, 0 where it is frictionless.
    ///
    /// # Errors
    /// One sentence where a contact's law is neither a cone nor frictionless.
    pub fn frictions(&self) -> Result<Vec<f64>, String> {
        let mu = |(i, law): (usize, &Law)| match law {
            Law::Cone { mu } => Ok(*mu),
            Law::Unilateral => Ok(0.0),
            Law::Pyramid { .. }
            | Law::Bounded { .. }
            | Law::Disc { .. }
            | Law::Soft { .. }
            | Law::Moments { .. } => Err(format!(
                "contact {i} is no quadratic cone: this format holds nothing else"
            )),
        };
        self.laws.iter().enumerate().map(mu).collect()
    }

    /// Entries of D, row by row: row, column, value.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        (0..self.len()).flat_map(|i| {
            let (neighbours, blocks) = self.delassus.row(i);
            neighbours.iter().zip(blocks).flat_map(move |(&j, block)| {
                let places = (0..3).flat_map(|a| (0..3).map(move |b| (a, b)));
                places.map(move |(a, b)| (3 * i + a, 3 * j + b, block.col(b)[a]))
            })
        })
    }

    /// Number of contacts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// Whether there is no contact.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    /// u_i = (D p + q)_i.
    #[must_use]
    pub fn velocity(&self, i: usize, p: &[DVec3]) -> DVec3 {
        self.delassus.row_times(i, p) + self.q[i]
    }

    /// Root mean square of q over the contacts, m/s: the speed by which tolerances relative to the data become velocities.
    #[must_use]
    pub fn speed(&self) -> f64 {
        let squares: f64 = self.q.iter().map(|q| q.length_squared()).sum();
        (squares / self.len().max(1) as f64).sqrt()
    }

    /// Checks sizes, finite numbers and laws.
    ///
    /// # Errors
    /// One sentence that names the first fault.
    pub fn validate(&self) -> Result<(), String> {
        let n = self.q.len();
        if self.delassus.len() != n || self.laws.len() != n {
            return Err(format!(
                "the Delassus matrix has {} contacts, q {n}, the laws {}",
                self.delassus.len(),
                self.laws.len()
            ));
        }
        for i in 0..n {
            self.laws[i]
                .validate()
                .map_err(|what| format!("contact {i}: {what}"))?;
            if !self.q[i].is_finite() {
                return Err(format!("contact {i}: q is not finite"));
            }
        }
        if self.delassus.is_finite() {
            return Ok(());
        }
        let bad = |i: &usize| self.delassus.row(*i).1.iter().any(|b| !b.is_finite());
        let i = (0..n).find(bad).unwrap_or(0);
        Err(format!(
            "contact {i}: the Delassus matrix is not finite in its row"
        ))
    }
}

/// Where velocities come from when impulses change: the bodies (cheap per contact) or D.
pub(crate) trait Medium {
    /// Number of contacts.
    fn len(&self) -> usize;
    fn law(&self, i: usize) -> &Law;
    /// u_i at the impulses that `add` has been told of; that of the contact itself is `p_i`.
    fn velocity(&self, i: usize, p_i: DVec3) -> DVec3;
    /// Adds `dp` to the impulse of contact `i`.
    fn add(&mut self, i: usize, dp: DVec3);
    /// Forgets what has accumulated and starts again from the impulses `p`.
    fn reset(&mut self, p: &[DVec3]);
}

/// Velocities kept at the bodies: ν = ν_free + M⁻¹ W p, u_i = (Wᵀν + b + C p)_i.
pub(crate) struct BodyMedium<'a> {
    pub(crate) problem: &'a ContactProblem,
    pub(crate) nu: &'a mut Vec<Twist>,
}

impl Medium for BodyMedium<'_> {
    fn len(&self) -> usize {
        self.problem.contacts.len()
    }

    fn law(&self, i: usize) -> &Law {
        &self.problem.contacts[i].law
    }

    fn velocity(&self, i: usize, p_i: DVec3) -> DVec3 {
        self.problem.contacts[i].velocity_at(self.nu, p_i)
    }

    fn add(&mut self, i: usize, dp: DVec3) {
        let contact = &self.problem.contacts[i];
        self.problem.add_impulse(contact, dp, self.nu);
    }

    fn reset(&mut self, p: &[DVec3]) {
        self.problem.velocity_into(p, self.nu);
    }
}

/// Velocities gathered from rows of D.
pub(crate) struct DelassusMedium<'a> {
    pub(crate) problem: &'a LocalProblem,
    pub(crate) p: &'a mut Vec<DVec3>,
}

impl Medium for DelassusMedium<'_> {
    fn len(&self) -> usize {
        self.problem.len()
    }

    fn law(&self, i: usize) -> &Law {
        &self.problem.laws[i]
    }

    fn velocity(&self, i: usize, _: DVec3) -> DVec3 {
        self.problem.velocity(i, self.p)
    }

    fn add(&mut self, i: usize, dp: DVec3) {
        self.p[i] += dp;
    }

    fn reset(&mut self, p: &[DVec3]) {
        self.p.clear();
        self.p.extend_from_slice(p);
    }
}
