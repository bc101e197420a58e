//! Impacts: Poisson's hypothesis, compression and decompression, at all contacts at once.
//!
//! ```text
//!   compression     M(ν^c − ν⁻) = W p^c,                 (p^c, Wᵀν^c + b) in the law of each block
//!   restitution     r_j = e_j p_n^c(j)
//!   decompression   M(ν⁺ − ν^c) = W (p^x + r n),          (p^x, Wᵀν⁺ + b) in the law of each block
//! ```
//!
//! Compression is a step with h = 0, so the same solvers and the same theorem of solvability serve. Joints take part in both
//! phases as bilateral rows. Friction in decompression has two readings: [`Reading`].
//!
//! The slides print the bound μ p_n^x for friction in decompression and v⁺ = (1+ε) v^c − v⁻ for the cheap form; the
//! first leaves the restitution impulse without friction, the second holds for ε = 1 only and is (1+ε) v^c − ε v⁻.

mod ledger;

pub use ledger::Ledger;

use glam::DVec3;
use stickslip_model::Reading;
use stickslip_solvers::problem::{ContactBlock, ContactProblem, Law, Twist};
use stickslip_solvers::solver::{ContactSolver, SolveError};

/// How the second phase was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Decompression {
    /// Nothing is restituted: ν⁺ = ν^c.
    #[default]
    None,
    /// By ν⁺ = (1+ε)ν^c − εν⁻, whose hypotheses were checked.
    Closed,
    /// By solving the phase's own complementarity problem.
    Solved,
}

/// One impact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impact {
    /// ν^c: velocities after compression.
    pub nu_c: Vec<Twist>,
    /// ν⁺: velocities after decompression.
    pub nu_plus: Vec<Twist>,
    /// p^c of each block, N s.
    pub compression: Vec<DVec3>,
    /// r = e p_n^c of each block, N s.
    pub restituted: Vec<f64>,
    /// p^x + r n of each block, N s: all that acts in decompression.
    pub decompression: Vec<DVec3>,
    /// Where the kinetic energy went.
    pub ledger: Ledger,
    /// How the second phase was found.
    pub how: Decompression,
    /// Iterations of the solver.
    pub iterations: usize,
}

/// Resolves the impact of `problem`, whose `nu_free` is ν⁻ and whose b holds velocities of prescribed bodies only.
///
/// `restitution` is e of each block, from 0 to 1 (0 for joints). Both phases are solved to `tolerance`, m/s.
///
/// # Errors
/// [`SolveError`] of the phase that could not be solved.
///
/// # Panics
/// Where `restitution` is not one number for each block.
pub fn impact(
    problem: &ContactProblem,
    restitution: &[f64],
    reading: Reading,
    solver: &mut dyn ContactSolver,
    tolerance: f64,
) -> Result<Impact, SolveError> {
    assert_eq!(
        problem.contacts.len(),
        restitution.len(),
        "one restitution for each block"
    );
    let mut found = Impact::default();
    let solved = solver.solve(problem, None, tolerance)?;
    found.iterations = solved.iterations;
    found.compression = solved.impulses;
    problem.velocity_into(&found.compression, &mut found.nu_c);
    found.restituted = problem
        .contacts
        .iter()
        .zip(restitution)
        .zip(&found.compression)
        .map(|((block, e), p)| {
            if is_contact(block) {
                e * p.x.max(0.0)
            } else {
                0.0
            }
        })
        .collect();
    found.decompress(problem, restitution, reading, solver, tolerance)?;
    found.ledger = Ledger::of(problem, &found);
    Ok(found)
}

/// Is the block a contact (and no joint row)?
const fn is_contact(block: &ContactBlock) -> bool {
    matches!(
        block.law,
        Law::Unilateral | Law::Cone { .. } | Law::Pyramid { .. }
    )
}

impl Impact {
    fn decompress(
        &mut self,
        problem: &ContactProblem,
        restitution: &[f64],
        reading: Reading,
        solver: &mut dyn ContactSolver,
        tolerance: f64,
    ) -> Result<(), SolveError> {
        if self.restituted.iter().all(|&r| r == 0.0) {
            self.nu_plus.clone_from(&self.nu_c);
            self.decompression = vec![DVec3::ZERO; problem.contacts.len()];
            return Ok(());
        }
        if let Some(e) = self.common_restitution(problem, restitution, tolerance) {
            self.how = Decompression::Closed;
            self.decompression = self.compression.iter().map(|p| *p * e).collect();
            let start = ContactProblem {
                nu_free: self.nu_c.clone(),
                ..problem.clone()
            };
            start.velocity_into(&self.decompression, &mut self.nu_plus);
            return Ok(());
        }
        self.how = Decompression::Solved;
        let mut phase = problem.clone();
        phase.nu_free.clone_from(&self.nu_c);
        let discs = restitute(&mut phase, &self.restituted, reading);
        let solved = solver.solve(&phase, None, tolerance)?;
        self.iterations += solved.iterations;
        phase.velocity_into(&solved.impulses, &mut self.nu_plus);
        self.decompression = gathered(&solved.impulses, &self.restituted, &discs);
        Ok(())
    }

    /// ε where ν⁺ = (1+ε)ν^c − εν⁻ and p^x = (ε − e) p^c solve the decompression: no friction, one ε for all contacts
    /// that close, none larger among the others, none that opens before the impact, joints satisfied before it.
    fn common_restitution(
        &self,
        problem: &ContactProblem,
        restitution: &[f64],
        tolerance: f64,
    ) -> Option<f64> {
        let mut closing: Option<f64> = None;
        let mut largest: f64 = 0.0;
        for (block, &e) in problem.contacts.iter().zip(restitution) {
            let u = block.velocity(&problem.nu_free);
            match &block.law {
                Law::Unilateral => {
                    largest = largest.max(e);
                    if u.x > tolerance {
                        return None;
                    }
                    if u.x < -tolerance && *closing.get_or_insert(e) != e {
                        return None;
                    }
                }
                Law::Cone { .. }
                | Law::Pyramid { .. }
                | Law::Disc { .. }
                | Law::Soft { .. }
                | Law::Moments { .. } => return None,
                Law::Bounded { lo, hi } => {
                    for k in 0..3 {
                        let absent = lo[k] == 0.0 && hi[k] == 0.0;
                        let bilateral = lo[k].is_infinite() && hi[k].is_infinite();
                        let holds = bilateral && u[k].abs() <= tolerance;
                        if !(absent || holds) {
                            return None;
                        }
                    }
                }
            }
        }
        closing.filter(|&e| e >= largest)
    }
}

/// Puts the restitution impulses into a problem: r n acts with the applied forces, and the block's unknown is what
/// the contact adds to it. In the coupled reading friction may lean on r as well: a disc of radius μ r beside the cone,
/// appended as a block of its own. Returns the contact of each disc.
pub(crate) fn restitute(
    problem: &mut ContactProblem,
    restituted: &[f64],
    reading: Reading,
) -> Vec<usize> {
    let mut discs = Vec::new();
    for (k, &r) in restituted.iter().enumerate() {
        if r == 0.0 {
            continue;
        }
        let block = problem.contacts[k].clone();
        for arm in block.arms.iter().flatten() {
            let d = arm.response(&problem.inverse_mass[arm.body], block.frame[0] * r);
            problem.nu_free[arm.body].linear += d.linear;
            problem.nu_free[arm.body].angular += d.angular;
        }
        let directions = match block.law {
            Law::Pyramid { directions, .. } => Some(directions),
            _ => None,
        };
        let radius = block.law.friction() * r;
        if reading == Reading::Coupled && radius > 0.0 {
            discs.push(k);
            problem.contacts.push(ContactBlock {
                law: Law::Disc { radius, directions },
                ..block
            });
        }
    }
    discs
}

/// The impulses of the contacts whole: what the solver found, the restitution, and the discs' friction.
pub(crate) fn gathered(solved: &[DVec3], restituted: &[f64], discs: &[usize]) -> Vec<DVec3> {
    // Discs come after the blocks that may restitute, joints of a step after these.
    let n_c = restituted.len();
    let mut impulses = solved[..n_c].to_vec();
    for (p, &r) in impulses.iter_mut().zip(restituted) {
        p.x += r;
    }
    for (&k, p) in discs.iter().zip(&solved[n_c..]) {
        impulses[k] += *p;
    }
    impulses
}
