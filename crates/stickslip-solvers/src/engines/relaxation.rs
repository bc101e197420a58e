//! The convex relaxation of friction, as a mode of its own, with its artefact measured.

use crate::coupling::SystemMemory;
use crate::engines::interior_point::{InteriorPoint, InteriorPointSettings};
use crate::problem::Posed;
use crate::problem::law::tangent;
use crate::problem::local::LocalProblem;
use glam::DVec3;

/// Solution of the relaxed problem and what it costs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relaxed {
    /// Impulses, N s.
    pub impulses: Vec<DVec3>,
    /// Largest residual of the relaxed law, m/s.
    pub residual: f64,
    /// Largest residual of Coulomb's law, m/s.
    pub coulomb_residual: f64,
    /// Largest separation speed of a sliding contact that carries an impulse, m/s: the artefact. Over
    /// a step h it opens a gap of h μ |u_t|.
    pub artefact: f64,
    /// Newton steps.
    pub iterations: usize,
}

/// Solves the cone complementarity problem K* ∋ u ⟂ p ∈ K, u = D p + q (Anitescu 2006): convex, one
/// velocity, but sliding contacts separate with u_n = μ|u_t| instead of u_n = 0.
///
/// By the interior-point method, whose path cannot fold here, finished by Newton on the map without the slip term. `tolerance` (m/s)
/// is the residual to reach; it also says what counts as sliding and as carrying an impulse when the artefact is measured.
#[must_use]
pub fn solve(problem: &LocalProblem, tolerance: f64) -> Relaxed {
    let mut memory = SystemMemory::default();
    let mut system = memory.system(Posed::Local(problem));
    let settings = InteriorPointSettings::ALONE;
    let mut engine = InteriorPoint::default();
    let (impulses, effort) = engine.solve_relaxed(&mut system, tolerance, &settings);
    let mut out = Relaxed {
        impulses,
        iterations: effort.iterations,
        ..Relaxed::default()
    };
    for i in 0..problem.len() {
        let (p, u) = (out.impulses[i], problem.velocity(i, &out.impulses));
        let (law, w_bar) = (&problem.laws[i], problem.delassus.w_bar(i));
        out.residual = out.residual.max(law.relaxed(p, u, w_bar).f.length());
        let exact = law.natural_map(p, u, w_bar).length();
        out.coulomb_residual = out.coulomb_residual.max(exact);
        // Carries an impulse worth more than the tolerance and slides.
        if p.x * w_bar > 10.0 * tolerance && tangent(u).length() > 10.0 * tolerance {
            out.artefact = out.artefact.max(u.x);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Law;
    use crate::problem::delassus::Delassus;
    use glam::DMat3;

    #[test]
    fn a_sliding_block_takes_off_by_mu_times_its_speed() {
        // A point of unit mass with approach 0.1 m/s and slip 1 m/s, μ = 0.3.
        let problem = LocalProblem {
            delassus: Delassus::from_blocks(1, vec![(0, 0, DMat3::IDENTITY)]),
            q: vec![DVec3::new(-0.1, 1.0, 0.0)],
            laws: vec![Law::Cone { mu: 0.3 }],
        };
        let relaxed = solve(&problem, 1e-10);
        assert!(relaxed.residual < 1e-12, "{relaxed:?}");
        let u = problem.velocity(0, &relaxed.impulses);
        assert!((u.x - 0.3 * tangent(u).length()).abs() < 1e-12);
        assert!((relaxed.artefact - u.x).abs() < 1e-15);
        assert!(relaxed.coulomb_residual > 0.1);
    }
}
