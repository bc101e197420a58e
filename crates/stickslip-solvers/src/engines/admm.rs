//! Alternating directions (ADMM) on the cone problem.

use crate::coupling::{Coupled, Linearised, System, SystemMemory};
use crate::limit;
use crate::problem::ContactProblem;
use crate::solver::{ContactSolver, Engine, Guarantee, Outcome, SolveError, Solved, solve_by};
use glam::{DMat3, DVec3};

/// Settings of [`Admm`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdmmSettings {
    /// Most iterations.
    pub iterations: usize,
    /// First penalty relative to w̄; adapted to balance the two residuals.
    pub penalty: f64,
}

impl Default for AdmmSettings {
    fn default() -> Self {
        Self {
            iterations: 5000,
            penalty: 0.1,
        }
    }
}

/// ADMM: p = (W + R)⁻¹(R z − y − q − s), z = P_K(p + R⁻¹y), y += R(p − z), with R = ρ diag(w̄) and the
/// slip term s = μσ(u_t) e_n taken at the last iterate.
///
/// With s fixed this is ADMM on a convex problem; refreshing s at each iteration is what makes it
/// solve Coulomb's law, without proof. One factorisation serves all iterations between two changes
/// of ρ. Reference: Acary, Armand and others 2018 (RR-9118) compare such methods.
#[derive(Clone, Debug, Default)]
pub struct Admm {
    /// Settings.
    pub settings: AdmmSettings,
    memory: SystemMemory,
}

impl Engine for Admm {
    fn improve(&mut self, system: &mut System, p: &mut Vec<DVec3>, tolerance: f64) -> Outcome {
        iterate(system, p, tolerance, &self.settings)
    }

    fn memory(&mut self) -> &mut SystemMemory {
        &mut self.memory
    }
}

fn iterate<S: Coupled>(
    system: &mut S,
    p: &mut Vec<DVec3>,
    tolerance: f64,
    settings: &AdmmSettings,
) -> Outcome {
    let n = p.len();
    let weight: Vec<f64> = (0..n)
        .map(|i| {
            if system.w_bar(i) > 0.0 {
                system.w_bar(i)
            } else {
                1.0
            }
        })
        .collect();
    let mut z = p.clone();
    let (mut u, mut q, mut x) = (Vec::new(), Vec::new(), Vec::new());
    system.velocities(&vec![DVec3::ZERO; n], &mut q);
    system.velocities(&z, &mut u);
    // At a solution y = −ũ.
    let mut slip: Vec<f64> = (0..n).map(|i| system.law(i).slip(u[i]).0).collect();
    let mut y: Vec<DVec3> = (0..n).map(|i| -(u[i] + DVec3::X * slip[i])).collect();
    let mut rho = settings.penalty;
    let mut rows = Vec::new();
    let mut best = (f64::INFINITY, z.clone());
    let mut fresh = true;
    for iteration in 0..settings.iterations {
        if limit::reached() {
            break;
        }
        if fresh {
            rows.clear();
            rows.extend(weight.iter().map(|w| Linearised {
                a: DMat3::IDENTITY * (rho * w),
                a_inverse: DMat3::IDENTITY / (rho * w),
                b: DMat3::IDENTITY,
                g: DVec3::ZERO,
            }));
            if !system.factor(&rows) {
                break;
            }
            fresh = false;
        }
        for i in 0..n {
            rows[i].g = z[i] * (rho * weight[i]) - y[i] - q[i] - DVec3::X * slip[i];
        }
        system.back_solve(&rows, &mut x);
        let (mut primal, mut dual) = (0.0, 0.0);
        for i in 0..n {
            let r = rho * weight[i];
            let target = (x[i] + y[i] / r) * weight[i];
            let z_next = system.law(i).project(target, weight[i]) / weight[i];
            primal += ((x[i] - z_next) * weight[i]).length_squared();
            dual += ((z_next - z[i]) * r).length_squared();
            y[i] += (x[i] - z_next) * r;
            z[i] = z_next;
        }
        system.velocities(&z, &mut u);
        let mut worst = 0.0f64;
        for i in 0..n {
            let law = system.law(i);
            worst = worst.max(law.natural_map(z[i], u[i], system.w_bar(i)).length());
            slip[i] = law.slip(u[i]).0;
        }
        if worst < best.0 {
            best.0 = worst;
            best.1.clone_from(&z);
        }
        if best.0 <= tolerance || !worst.is_finite() {
            p.clone_from(&best.1);
            return Outcome {
                residual: best.0,
                iterations: iteration + 1,
            };
        }
        // Balance the residuals, ever more rarely so that the iteration settles.
        if (iteration + 1).is_multiple_of(20 + iteration / 10) {
            let ratio = (primal.sqrt() + 1e-300) / (dual.sqrt() + 1e-300);
            if !(0.2..=5.0).contains(&ratio) {
                rho *= ratio.sqrt().clamp(0.2, 5.0);
                fresh = true;
            }
        }
    }
    p.clone_from(&best.1);
    Outcome {
        residual: best.0,
        iterations: settings.iterations,
    }
}

impl ContactSolver for Admm {
    fn name(&self) -> &'static str {
        "admm"
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee {
            claim: "converges to a solution",
            hypotheses: "no friction (the problem is then convex); with friction none is proved",
        }
    }

    fn solve(
        &mut self,
        problem: &ContactProblem,
        guess: Option<&[DVec3]>,
        tolerance: f64,
    ) -> Result<Solved, SolveError> {
        solve_by(self.name(), self, problem, guess, tolerance)
    }
}
