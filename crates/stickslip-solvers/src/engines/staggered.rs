//! The staggered scheme: normal problem with friction held, friction problem with normals held.

use crate::coupling::{System, SystemMemory};
use crate::engines::newton::{Newton, NewtonSettings};
use crate::engines::nsgs::{Nsgs, NsgsSettings};
use crate::limit;
use crate::problem::Law;
use crate::problem::Posed;
use crate::problem::law::{contact_vector, tangent};
use crate::problem::local::LocalProblem;
use crate::problem::residual;
use crate::solver::{Effort, Engine, Guarantee, Laws, Outcome};
use glam::{DMat2, DVec2, DVec3};

/// Settings of [`Staggered`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaggeredSettings {
    /// Most exchanges between the two problems.
    pub exchanges: usize,
    /// Most sweeps of each friction problem, and of a normal problem that Newton does not solve.
    pub sweeps: usize,
}

impl Default for StaggeredSettings {
    fn default() -> Self {
        Self {
            exchanges: 500,
            sweeps: 200,
        }
    }
}

/// Staggered quadratic programs: (1) 0 ≤ p_n ⟂ u_n ≥ 0 with p_t fixed; (2) min ½ p_tᵀ D_tt p_t + … over the
/// discs |p_t,i| ≤ μ p_n,i with p_n fixed; repeated until neither moves.
///
/// Each half is convex and solved well; their alternation need not converge (it is a fixed-point
/// iteration with no contraction for large μ), and a fixed point satisfies Coulomb's law exactly. The
/// answer is judged by the law, so a run that does not settle is reported as such. Reference: section
/// 5 of the dvc3d document; Kaufman and others 2008.
#[derive(Clone, Debug, Default)]
pub struct Staggered {
    newton: Newton,
    sweeps: Nsgs,
    memory: SystemMemory,
    local: LocalProblem,
}

/// Part of the tolerance to which each half is solved.
const WITHIN: f64 = 0.01;
/// Exchanges that gain less than a hundredth before it is given up.
const PATIENCE: usize = 50;

impl Staggered {
    /// Improves `p` on a local problem of cones and unilateral contacts until the residual (m/s) is
    /// at most `tolerance`; `watch` is told the residual (m/s) after each exchange.
    pub fn solve_watched(
        &mut self,
        problem: &LocalProblem,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &StaggeredSettings,
        watch: &mut dyn FnMut(f64),
    ) -> Outcome {
        let mut normal = problem.clone();
        let mut best = (residual::of_local(problem, p).0, p.clone());
        let mut stuck = 0;
        let mut effort = Effort::default();
        while effort.iterations < settings.exchanges {
            effort.iterations += 1;
            effort.factorisations += self.normals(&mut normal, p, WITHIN * tolerance, settings);
            friction(problem, p, WITHIN * tolerance, settings);
            let r = residual::of_local(problem, p).0;
            stuck = if r < 0.99 * best.0 { 0 } else { stuck + 1 };
            if r < best.0 {
                best = (r, p.clone());
            }
            watch(r);
            let over = stuck > PATIENCE || limit::reached();
            if over || best.0 <= tolerance || !r.is_finite() {
                break;
            }
        }
        p.clone_from(&best.1);
        Outcome {
            residual: best.0,
            effort,
        }
    }

    /// The normal problem: rows t₁, t₂ held at their impulses. Returns the factorisations.
    fn normals(
        &mut self,
        normal: &mut LocalProblem,
        p: &mut Vec<DVec3>,
        within: f64,
        settings: &StaggeredSettings,
    ) -> usize {
        for (law, p) in normal.laws.iter_mut().zip(&*p) {
            *law = Law::Bounded {
                lo: DVec3::new(0.0, p.y, p.z),
                hi: DVec3::new(f64::INFINITY, p.y, p.z),
            };
        }
        let mut system = self.memory.system(Posed::Local(normal));
        let newton = NewtonSettings::ALONE;
        let first = self.newton.improve(&mut system, p, within, &newton);
        let mut factorisations = first.effort.factorisations;
        if first.residual > within {
            // Gauss-Seidel gets somewhere from everywhere, for the problem is convex.
            let sweeps = NsgsSettings {
                sweeps: settings.sweeps,
                ..NsgsSettings::ALONE
            };
            self.sweeps.improve(&mut system, p, within, &sweeps);
            let again = self.newton.improve(&mut system, p, within, &newton);
            factorisations += again.effort.factorisations;
        }
        for p_i in p.iter_mut() {
            p_i.x = p_i.x.max(0.0);
        }
        factorisations
    }
}

/// The friction problem: Gauss-Seidel on the discs, each solved exactly.
fn friction(problem: &LocalProblem, p: &mut [DVec3], tolerance: f64, settings: &StaggeredSettings) {
    for _ in 0..settings.sweeps {
        if limit::reached() {
            return;
        }
        let mut change = 0.0f64;
        for i in 0..p.len() {
            let radius = problem.laws[i].friction() * p[i].x;
            let d_ii = problem.delassus.diagonal(i);
            let block = DMat2::from_cols(tangent(d_ii.y_axis), tangent(d_ii.z_axis));
            let u = tangent(problem.velocity(i, p));
            let rest = u - block * tangent(p[i]);
            let next = disc(&block, rest, radius);
            change = change.max((next - tangent(p[i])).length() * problem.delassus.w_bar(i));
            p[i] = contact_vector(p[i].x, next);
        }
        if change <= tolerance {
            return;
        }
    }
}

/// p_t with |p_t| ≤ r that minimises ½ pᵀ B p + s·p: −B⁻¹s if inside, else −(B + λI)⁻¹s with |p| = r.
fn disc(block: &DMat2, s: DVec2, r: f64) -> DVec2 {
    if r <= 0.0 {
        return DVec2::ZERO;
    }
    let at = |lambda: f64| -> DVec2 {
        let m = *block + DMat2::IDENTITY * lambda;
        -(m.inverse() * s)
    };
    let free = at(0.0);
    if free.is_finite() && free.length() <= r {
        return free;
    }
    // |p(λ)| falls; 1/|p| is nearly linear and bends so that Newton, from the left, does not pass the root.
    let mut lambda = if free.is_finite() {
        0.0
    } else {
        1e-12 * (block.x_axis.x + block.y_axis.y)
    };
    let mut p = at(lambda);
    for _ in 0..60 {
        let length = p.length();
        let slope = -p.dot((*block + DMat2::IDENTITY * lambda).inverse() * p) / length;
        let next = lambda - (length / slope) * (length - r) / r;
        if next <= lambda || next.is_nan() {
            break;
        }
        lambda = next;
        p = at(lambda);
    }
    let length = p.length();
    if length > 0.0 && length.is_finite() {
        p * (r / length)
    } else {
        DVec2::ZERO
    }
}

impl Engine for Staggered {
    type Settings = StaggeredSettings;
    const NAME: &'static str = "staggered";
    const LAWS: Laws = Laws::Cones;
    const GUARANTEE: Guarantee = Guarantee {
        claim: "a fixed point of the exchange satisfies the law; that it is reached is not proved",
        hypotheses: "quadratic cones and unilateral contacts",
    };

    fn improve(
        &mut self,
        system: &mut System,
        p: &mut Vec<DVec3>,
        tolerance: f64,
        settings: &StaggeredSettings,
    ) -> Outcome {
        let mut local = std::mem::take(&mut self.local);
        let problem = match system {
            System::Bodies(bodies) => {
                local.assemble(bodies.problem);
                &local
            }
            System::Contacts(contacts) => contacts.problem,
        };
        let outcome = self.solve_watched(problem, p, tolerance, settings, &mut |_| {});
        self.local = local;
        outcome
    }
}
